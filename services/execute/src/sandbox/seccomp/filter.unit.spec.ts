import { describe, expect, it } from 'vitest';
import { seccompFilter } from './filter.ts';
import { type SyscallTable, syscallsOf } from './syscalls.ts';

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errno = (number: number) => 0x00050000 | number;

type Call = { readonly number: number; readonly arguments?: readonly number[]; readonly arch?: number };

/** Another reading of classic BPF, instruction by instruction, as linux/filter.h defines it. */
function answerOf(filter: Uint8Array, table: SyscallTable, call: Call): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.arch ?? table.auditArch, true);
  (call.arguments ?? []).forEach((argument, index) => data.setUint32(16 + 8 * index, argument, true));
  const view = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at * 8 < filter.length; at++) {
    const [code, jt, jf, k] = [
      view.getUint16(at * 8, true),
      view.getUint8(at * 8 + 2),
      view.getUint8(at * 8 + 3),
      view.getUint32(at * 8 + 4, true),
    ];
    if (code === 0x20) accumulator = data.getUint32(k, true);
    else if (code === 0x06) return k;
    else if (code === 0x15) at += accumulator === k ? jt : jf;
    else if (code === 0x35) at += accumulator >= k ? jt : jf;
    else if (code === 0x45) at += (accumulator & k) !== 0 ? jt : jf;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('ran off the end');
}

describe.each(['x64', 'arm64'])('the filter on %s', (architecture) => {
  const table = syscallsOf(architecture) as SyscallTable;
  const filter = seccompFilter(table);
  const answer = (call: Call) => answerOf(filter, table, call);

  it('answers every number, and refuses each that is denied', () => {
    for (let number = 0; number < 600; number++) {
      const denied = table.denied.includes(number);
      const expected = denied ? errno(1) : number === table.clone3 ? errno(38) : ALLOW;
      if (![table.clone, table.ioctl, table.socket].includes(number)) expect(answer({ number })).toBe(expected);
    }
  });

  it('kills a call of another architecture', () => {
    expect(answer({ number: 0, arch: 0x40000003 })).toBe(KILL);
  });

  it('lets threads and processes be made, and no namespace', () => {
    expect(answer({ number: table.clone, arguments: [0x003d0f00] })).toBe(ALLOW);
    expect(answer({ number: table.clone, arguments: [0x11] })).toBe(ALLOW);
    for (const flag of [0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(answer({ number: table.clone, arguments: [flag | 0x11] })).toBe(errno(1));
    }
  });

  it('refuses typing into a terminal, and no other control', () => {
    expect(answer({ number: table.ioctl, arguments: [0, 0x5412] })).toBe(errno(1));
    expect(answer({ number: table.ioctl, arguments: [0, 0x541c] })).toBe(errno(1));
    expect(answer({ number: table.ioctl, arguments: [0, 0x5401] })).toBe(ALLOW);
  });

  it('allows the address families that a network namespace holds, and no other', () => {
    for (let family = 0; family < 64; family++) {
      expect(answer({ number: table.socket, arguments: [family] })).toBe(
        [1, 2, 10, 16].includes(family) ? ALLOW : errno(97),
      );
    }
  });
});

it.each([
  // setpriority, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr, ioprio_set
  ['x64', [141, 142, 144, 203, 314, 251]],
  ['arm64', [140, 118, 119, 122, 274, 30]],
])('refuses on %s every way in which a program may have itself starved', (architecture, numbers) => {
  const table = syscallsOf(architecture) as SyscallTable;
  for (const number of numbers) expect(answerOf(seccompFilter(table), table, { number })).toBe(errno(1));
});

it('refuses the x32 calling convention', () => {
  const table = syscallsOf('x64') as SyscallTable;
  expect(answerOf(seccompFilter(table), table, { number: 0x40000000 + 39 })).toBe(errno(38));
});
