import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { EventReader } from './event-reader.ts';

/** A socket that takes 16 bytes before it asks for a pause. */
function narrow() {
  const socket = new PassThrough({ highWaterMark: 16 });
  let gone = 0;
  const reader = new EventReader(socket, () => gone++);
  return { socket, reader, gone: () => gone };
}

describe('a reader that does not read', () => {
  it('is sent the newest message when it reads again, and none of those between', async () => {
    const { socket, reader } = narrow();
    for (let number = 1; number <= 1_000; number++) reader.send(`message-number-${number}\n`);
    const held = socket.readableLength + socket.writableLength;
    expect(held).toBeLessThan(100);
    const text = await new Promise<string>((resolve) => {
      let all = '';
      socket.on('data', (chunk: Buffer) => {
        all += chunk.toString();
        if (all.includes('1000')) resolve(all);
      });
    });
    expect(text).toBe('message-number-1\nmessage-number-1000\n');
  });

  it('is let go after half a minute, and not before', () => {
    const { socket, reader } = narrow();
    reader.send('x'.repeat(32));
    expect(reader.endIfStalled(Date.now() + 29_000)).toBe(false);
    expect(reader.endIfStalled(Date.now() + 31_000)).toBe(true);
    expect(socket.destroyed).toBe(true);
  });

  it('is sent no heartbeat on top', () => {
    const { socket, reader } = narrow();
    reader.send('x'.repeat(32));
    const before = socket.writableLength + socket.readableLength;
    reader.beat();
    expect(socket.writableLength + socket.readableLength).toBe(before);
  });
});

describe('a reader that leaves', () => {
  it('says so, and takes nothing any more', async () => {
    const { socket, reader, gone } = narrow();
    socket.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(gone()).toBeGreaterThan(0);
    expect(() => reader.send('late')).not.toThrow();
  });
});
