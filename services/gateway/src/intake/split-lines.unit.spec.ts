import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, splitLines } from './split-lines.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function* inPieces(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function linesOf(content: string, pieceSize = 4, limit = 100): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of splitLines(inPieces(bytes(content), pieceSize), limit)) lines.push(line);
  return lines;
}

const shown = (lines: readonly Line[]) =>
  lines.map((line) => [
    line.number,
    line.kind === 'line' ? Buffer.from(line.bytes).toString() : `${line.sizeBytes} bytes`,
  ]);

describe('splitting an upload into lines', () => {
  it('counts blank lines and passes them over', async () => {
    expect(shown(await linesOf('{"a":1}\n\n  \n{"b":2}'))).toEqual([
      [1, '{"a":1}'],
      [4, '{"b":2}'],
    ]);
  });

  it('drops a byte order mark at the start and CR before LF', async () => {
    expect(shown(await linesOf('\uFEFFx\r\ny\r\n'))).toEqual([
      [1, 'x'],
      [2, 'y'],
    ]);
  });

  it('reports a line above the limit by number and size, and goes on behind it', async () => {
    expect(shown(await linesOf(`a\n${'x'.repeat(500)}\nb\n`, 7, 10))).toEqual([
      [1, 'a'],
      [2, '500 bytes'],
      [3, 'b'],
    ]);
  });

  it('takes a line of exactly the limit, with CR, LF and byte order mark on top', async () => {
    expect(shown(await linesOf('\uFEFF0123456789\r\n', 3, 10))).toEqual([[1, '0123456789']]);
    expect((await linesOf('0123456789a\n', 3, 10))[0]?.kind).toBe('too_large');
  });

  it('gives the same lines however the bytes are cut into chunks', async () => {
    const alphabet = fc.array(fc.constantFrom('a', '\n', '\r', ' ', 'é', '{'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(alphabet, fc.integer({ min: 1, max: 9 }), async (characters, size) => {
        const content = characters.join('');
        expect(await linesOf(content, size, 8)).toEqual(await linesOf(content, 1_000, 8));
      }),
    );
  });
});
