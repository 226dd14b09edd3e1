/** A value that a pickle may hold here: texts, nothing, and dictionaries and lists of them. */
export type PlainPickle = string | null | PlainPickle[] | Map<string, PlainPickle>;

/** What a pickle asks for that is more than plain data: it would run code where Python loads it. */
export class UnsafePickleError extends Error {
  constructor(readonly opcode: number) {
    super(`opcode 0x${opcode.toString(16)}`);
    this.name = 'UnsafePickleError';
  }
}

const MARK = Symbol('mark');
type Item = PlainPickle | typeof MARK;
const MOST_ITEMS = 1_000_000;

/**
 * Reads a pickle (protocols 2 to 5) of plain data without running anything: texts, None, lists, dictionaries with texts
 * as keys, and what refers to them again.
 *
 * @throws UnsafePickleError for any other opcode, and for bytes that are no pickle
 */
export function readPlainPickle(bytes: Uint8Array): PlainPickle {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const stack: Item[] = [];
  const memo = new Map<number, Item>();
  let at = 0;
  const text = (lengthBytes: 1 | 4): string => {
    const length = lengthBytes === 1 ? view.getUint8(at) : view.getUint32(at, true);
    at += lengthBytes + length;
    return utf8.decode(bytes.subarray(at - length, at));
  };
  const pop = (): Item => {
    const item = stack.pop();
    if (item === undefined) throw new UnsafePickleError(0);
    return item;
  };
  const toMark = (): PlainPickle[] => {
    const items: PlainPickle[] = [];
    for (let item = pop(); item !== MARK; item = pop()) items.unshift(item);
    return items;
  };
  const set = (items: readonly PlainPickle[]): void => {
    const target = stack.at(-1);
    if (!(target instanceof Map)) throw new UnsafePickleError(0);
    for (let i = 0; i + 1 < items.length; i += 2) {
      const key = items[i];
      if (typeof key !== 'string') throw new UnsafePickleError(0);
      target.set(key, items[i + 1] as PlainPickle);
    }
  };
  const append = (items: readonly PlainPickle[]): void => {
    const target = stack.at(-1);
    if (!Array.isArray(target)) throw new UnsafePickleError(0);
    target.push(...items);
  };
  for (let read = 0; read < MOST_ITEMS && at < bytes.length; read++) {
    const opcode = bytes[at++] as number;
    switch (opcode) {
      case 0x80: // PROTO
        at += 1;
        break;
      case 0x95: // FRAME
        at += 8;
        break;
      case 0x7d: // EMPTY_DICT
        stack.push(new Map());
        break;
      case 0x5d: // EMPTY_LIST
        stack.push([]);
        break;
      case 0x4e: // NONE
        stack.push(null);
        break;
      case 0x28: // MARK
        stack.push(MARK);
        break;
      case 0x8c: // SHORT_BINUNICODE
        stack.push(text(1));
        break;
      case 0x58: // BINUNICODE
        stack.push(text(4));
        break;
      case 0x94: // MEMOIZE
        memo.set(memo.size, stack.at(-1) as Item);
        break;
      case 0x71: // BINPUT
        memo.set(view.getUint8(at++), stack.at(-1) as Item);
        break;
      case 0x68: // BINGET
        stack.push(memo.get(view.getUint8(at++)) ?? null);
        break;
      case 0x73: {
        // SETITEM
        const value = pop() as PlainPickle;
        set([pop() as PlainPickle, value]);
        break;
      }
      case 0x75: // SETITEMS
        set(toMark());
        break;
      case 0x61: // APPEND
        append([pop() as PlainPickle]);
        break;
      case 0x65: // APPENDS
        append(toMark());
        break;
      case 0x2e: {
        // STOP
        const result = pop();
        if (result === MARK) throw new UnsafePickleError(opcode);
        return result;
      }
      default:
        throw new UnsafePickleError(opcode);
    }
  }
  throw new UnsafePickleError(0);
}
