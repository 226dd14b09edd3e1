import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InjectLogger } from '@tidemark/stage-runtime';
import type { Logger } from 'pino';
import type { Writable } from 'node:stream';
import { StatusReport } from '../../status/status-report.ts';
import { EventReader } from './event-reader.ts';

/** Readers at once; one more is told to come back. */
const MAX_READERS = 100;
/** Shortest time between two looks. */
const PERIOD_MS = 1_000;
/** A look may take at most this share of the time, however many problems there are. */
const LOOKING_SHARE = 0.2;
const HEARTBEAT_MS = 15_000;

/**
 * Looks at everything while somebody watches, once for all readers, and tells them what changed. Nobody watching costs
 * nothing; a look that takes long makes looks rarer.
 */
@Injectable()
export class LiveStatus implements OnModuleDestroy {
  private readonly readers = new Set<EventReader>();
  private readonly closing = new AbortController();
  private looking: Promise<void> | undefined;
  private newest: string | undefined;

  constructor(
    private readonly report: StatusReport,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** True when one more reader finds room. */
  get hasRoom(): boolean {
    return this.readers.size < MAX_READERS && !this.closing.signal.aborted;
  }

  /** Readers of now. */
  get readerCount(): number {
    return this.readers.size;
  }

  /** Sends events until the reader leaves, stalls, or the service stops. */
  add(socket: Writable): void {
    // Who left before would never say so again.
    if (socket.destroyed) return;
    const reader = new EventReader(socket, () => this.readers.delete(reader));
    this.readers.add(reader);
    reader.send('retry: 2000\n\n');
    // A second page shows something at once, and what is newer follows.
    if (this.newest !== undefined && this.looking !== undefined) reader.send(this.newest);
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
      this.newest = undefined;
    });
  }

  onModuleDestroy(): void {
    this.closing.abort();
    for (const reader of this.readers) reader.end();
    this.readers.clear();
  }

  private async look(): Promise<void> {
    let told = '';
    let beat = Date.now();
    while (this.readers.size > 0 && !this.closing.signal.aborted) {
      const started = performance.now();
      const { message, content } = await this.message();
      this.newest = message;
      if (content !== told) this.tell(message);
      told = content;
      if (Date.now() - beat >= HEARTBEAT_MS) {
        beat = Date.now();
        for (const reader of this.readers) reader.beat();
      }
      for (const reader of this.readers) if (reader.endIfStalled()) this.readers.delete(reader);
      const spent = performance.now() - started;
      await delay(Math.max(PERIOD_MS, spent / LOOKING_SHARE), undefined, { signal: this.closing.signal }).catch(
        () => undefined,
      );
    }
  }

  private tell(message: string): void {
    for (const reader of this.readers) reader.send(message);
  }

  /** @returns the event, and what it says but for the time of the look */
  private async message(): Promise<{ message: string; content: string }> {
    try {
      const { at, ...status } = await this.report.read();
      return { message: eventText('status', { at, ...status }), content: JSON.stringify(status) };
    } catch (error) {
      this.logger.warn({ error: error instanceof Error ? error.message : String(error) }, 'live status failed');
      const message = eventText('trouble', { title: 'The gateway can’t look at its own tables now.' });
      return { message, content: message };
    }
  }
}

const eventText = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
