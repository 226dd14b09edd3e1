/**
 * Classic BPF as seccomp reads it (linux/filter.h): each instruction is u16 code, u8 jump-if-true, u8 jump-if-false,
 * u32 operand, in the machine's byte order (little-endian on both architectures supported here).
 */
export type Instruction = { readonly code: number; readonly jt: number; readonly jf: number; readonly k: number };

/** Loads a 32-bit word of `struct seccomp_data` (nr at 0, arch at 4, args[i] low word at 16 + 8 i). */
export const load = (offset: number): Instruction => ({ code: 0x20, jt: 0, jf: 0, k: offset });
/** Skips `jt` instructions when the loaded word equals `k`, else `jf`. */
export const jumpIfEqual = (k: number, jt: number, jf: number): Instruction => ({ code: 0x15, jt, jf, k });
export const jumpIfAtLeast = (k: number, jt: number, jf: number): Instruction => ({ code: 0x35, jt, jf, k });
/** Skips `jt` when any bit of `k` is set in the loaded word. */
export const jumpIfAnyBit = (k: number, jt: number, jf: number): Instruction => ({ code: 0x45, jt, jf, k });
export const answer = (action: number): Instruction => ({ code: 0x06, jt: 0, jf: 0, k: action });

export const ALLOW = 0x7fff0000;
export const KILL_PROCESS = 0x80000000;
/** The system call returns -1 with this errno. */
export const refuse = (errno: number): number => 0x00050000 | errno;

export const NR_OFFSET = 0;
export const ARCH_OFFSET = 4;
export const lowWordOfArgument = (index: number): number => 16 + 8 * index;

/** Serialises a filter; throws RangeError when it is longer than the kernel's 4,096 instructions. */
export function encode(program: readonly Instruction[]): Uint8Array {
  if (program.length > 4096) throw new RangeError(`a seccomp filter of ${program.length} instructions`);
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  program.forEach(({ code, jt, jf, k }, index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jt);
    view.setUint8(index * 8 + 3, jf);
    view.setUint32(index * 8 + 4, k >>> 0, true);
  });
  return bytes;
}
