import type { Writable } from 'node:stream';

/** How long a reader may leave what was sent to it unread before it is let go. */
const STALLED_MS = 30_000;

/**
 * One reader of the live stream. What it has not taken yet is never more than one message on the wire and one that
 * waits: a newer message takes the place of the waiting one, since each says everything.
 */
export class EventReader {
  private waiting: string | undefined;
  private blockedSince: number | undefined;

  /**
   * @param gone called once, when the reader has left or was let go
   */
  constructor(
    private readonly socket: Writable,
    gone: () => void,
  ) {
    socket.on('drain', () => {
      this.blockedSince = undefined;
      const next = this.waiting;
      this.waiting = undefined;
      if (next !== undefined) this.send(next);
    });
    socket.once('close', gone);
    socket.once('error', gone);
  }

  /** @param message a whole server-sent event */
  send(message: string): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    if (this.blockedSince === undefined) {
      if (!this.socket.write(message)) this.blockedSince = Date.now();
    } else {
      this.waiting = message;
    }
  }

  /** A comment that keeps proxies from closing an idle stream; nothing for a reader that has not taken the last. */
  beat(): void {
    if (this.blockedSince === undefined) this.send(': still here\n\n');
  }

  /** Lets a reader go that has stalled. @returns whether it did */
  endIfStalled(now = Date.now()): boolean {
    if (this.blockedSince === undefined || now - this.blockedSince < STALLED_MS) return false;
    this.socket.destroy();
    return true;
  }

  /** Ends the stream, with a word for the reader; a blocked one is cut off. */
  end(): void {
    if (this.blockedSince !== undefined) this.socket.destroy();
    else this.socket.end('event: goodbye\ndata: {}\n\n');
  }
}
