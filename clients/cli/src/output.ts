import type { Writable } from 'node:stream';

/** Where a command writes: results to standard output, everything else to standard error. */
export interface Output {
  /** One JSON object a line, instead of words. */
  readonly json: boolean;
  /** Someone watches: progress may be shown. */
  readonly interactive: boolean;
  /** Columns of the terminal. */
  readonly columns: number;
  /** A line of the result, for people. */
  line(text?: string): Promise<void>;
  /** An object of the result, for programs. */
  object(value: unknown): Promise<void>;
  /** A line beside the result: what failed, what was skipped. */
  note(text: string): void;
  /** Replaces the last progress line; '' clears it. Shown on a terminal alone. */
  progress(text: string): void;
  /** Clears the screen, on a terminal. */
  clear(): void;
}

type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Writes at the pace of the reader; a reader that went away ends the program quietly, by {@link onReaderGone}. */
export class StreamOutput implements Output {
  private progressShown = false;

  constructor(
    readonly json: boolean,
    private readonly out: Stream,
    private readonly err: Stream,
  ) {}

  get interactive(): boolean {
    return this.err.isTTY === true && !this.json;
  }

  get columns(): number {
    return this.out.columns ?? 100;
  }

  async line(text = ''): Promise<void> {
    this.progress('');
    await this.write(`${text}\n`);
  }

  async object(value: unknown): Promise<void> {
    await this.write(`${JSON.stringify(value)}\n`);
  }

  note(text: string): void {
    this.progress('');
    this.err.write(`${text}\n`);
  }

  progress(text: string): void {
    if (!this.interactive || (text === '' && !this.progressShown)) return;
    this.err.write(`\r\u001B[K${text.slice(0, this.columns - 1)}`);
    this.progressShown = text !== '';
  }

  clear(): void {
    if (this.out.isTTY === true) this.out.write('\u001B[2J\u001B[H');
  }

  private async write(text: string): Promise<void> {
    if (this.out.write(text)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.out.off('drain', done);
        this.out.off('close', done);
        resolve();
      };
      this.out.on('drain', done);
      this.out.on('close', done);
    });
  }
}

/** `tidemark curated x | head`: the reader has enough, which is no failure. */
export function onReaderGone(streams: readonly Writable[], action: () => void): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') action();
      else throw error;
    });
  }
}
