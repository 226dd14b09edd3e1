import * as bpf from './bpf.ts';
import type { SyscallTable } from './syscalls.ts';

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACE_FLAGS = 0x7e020000;
/** Requests that type into a terminal. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: bound to the network namespace. vsock, for one, is not, and reaches a hypervisor. */
const ADDRESS_FAMILIES = [1, 2, 10, 16];

/**
 * The filter every judged program runs under. Foreign architectures are killed; the deny list, namespace clones,
 * terminal injection and address families that ignore network namespaces are refused; `clone3` claims not to exist,
 * since its flags lie in memory where a filter can't look, and the C library falls back to `clone`.
 */
export function seccompFilter(table: SyscallTable): Uint8Array {
  const program: bpf.Instruction[] = [
    bpf.load(bpf.ARCH_OFFSET),
    bpf.jumpIfEqual(table.auditArch, 1, 0),
    bpf.answer(bpf.KILL_PROCESS),
    bpf.load(bpf.NR_OFFSET),
  ];
  if (table.foreignFrom !== undefined) {
    program.push(bpf.jumpIfAtLeast(table.foreignFrom, 0, 1), bpf.answer(bpf.refuse(ENOSYS)));
  }
  for (const number of table.denied) {
    program.push(bpf.jumpIfEqual(number, 0, 1), bpf.answer(bpf.refuse(EPERM)));
  }
  program.push(bpf.jumpIfEqual(table.clone3, 0, 1), bpf.answer(bpf.refuse(ENOSYS)));
  program.push(
    ...whenCalled(table.clone, [
      bpf.load(bpf.lowWordOfArgument(0)),
      bpf.jumpIfAnyBit(NAMESPACE_FLAGS, 0, 1),
      bpf.answer(bpf.refuse(EPERM)),
      bpf.answer(bpf.ALLOW),
    ]),
    ...whenCalled(table.ioctl, [
      bpf.load(bpf.lowWordOfArgument(1)),
      bpf.jumpIfEqual(TIOCSTI, 1, 0),
      bpf.jumpIfEqual(TIOCLINUX, 0, 1),
      bpf.answer(bpf.refuse(EPERM)),
      bpf.answer(bpf.ALLOW),
    ]),
    ...whenCalled(table.socket, [
      bpf.load(bpf.lowWordOfArgument(0)),
      ...ADDRESS_FAMILIES.map((family, index) => bpf.jumpIfEqual(family, ADDRESS_FAMILIES.length - index, 0)),
      bpf.answer(bpf.refuse(EAFNOSUPPORT)),
      bpf.answer(bpf.ALLOW),
    ]),
    bpf.answer(bpf.ALLOW),
  );
  return bpf.encode(program);
}

/** The call's number is loaded; runs `body`, which always answers, when it equals `number`, and skips it otherwise. */
function whenCalled(number: number, body: readonly bpf.Instruction[]): bpf.Instruction[] {
  return [bpf.jumpIfEqual(number, 0, body.length), ...body];
}
