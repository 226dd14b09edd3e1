import { setTimeout as delay } from 'node:timers/promises';
import { statusText } from '../format/status-text.ts';
import type { Status } from '../status.ts';
import { type Caption, livePicture } from './live-picture.ts';

const PERIOD_MS = 500;
/** What a terminal has that does not say. */
const ROWS = 24;
const COLUMNS = 80;

/** Where the view is shown. */
export type Screen = Pick<NodeJS.WriteStream, 'isTTY' | 'rows' | 'columns' | 'write' | 'on' | 'off'>;

/** What the flow is shown on. */
export interface FlowView {
  start(): void;
  /** Says what happens now. */
  says(step: string): void;
  /** Shows where everything stands in the end. */
  end(step: string): Promise<void>;
  stop(): void;
}

/** Shows the flow while it runs: painted over on a terminal; elsewhere a line for each step, and the picture at the end. */
export class LiveView implements FlowView {
  private step = '';
  private ended = false;
  private paintedLines = 0;
  private timer: NodeJS.Timeout | undefined;
  private painting: Promise<void> | undefined;

  constructor(
    private readonly look: () => Promise<Status>,
    private readonly out: Screen,
    private readonly heading: Pick<Caption, 'address' | 'places'>,
  ) {}

  start(): void {
    if (!this.out.isTTY) {
      this.out.write(`${[this.heading.address, ...this.heading.places].join(', ')}\n`);
      return;
    }
    this.out.on('resize', this.onResize);
    this.timer = setInterval(() => {
      this.painting ??= this.paint();
    }, PERIOD_MS);
  }

  /** Says what happens now. */
  says(step: string): void {
    this.step = step;
    if (!this.out.isTTY) this.out.write(`${step}\n`);
  }

  /** Leaves a last picture standing. */
  async end(step: string): Promise<void> {
    this.stop();
    await this.painting;
    this.ended = true;
    if (!this.out.isTTY) this.out.write(`\n${statusText(await this.look()).join('\n')}\n\n`);
    this.says(step);
    if (this.out.isTTY) await this.paint();
  }

  stop(): void {
    clearInterval(this.timer);
    this.out.off('resize', this.onResize);
  }

  /** Lines that were wrapped anew are no longer as many as were written: the next picture begins on a clean screen. */
  private readonly onResize = (): void => {
    this.paintedLines = 0;
    this.out.write('\u001B[2J\u001B[H');
  };

  private async paint(): Promise<void> {
    try {
      const status = await this.look();
      const caption = { ...this.heading, step: this.step, ended: this.ended };
      // The cursor stands below the picture, and a full last column wraps: neither may make the terminal scroll.
      const lines = livePicture(status, caption, (this.out.rows || ROWS) - 1, (this.out.columns || COLUMNS) - 1);
      const back = this.paintedLines > 0 ? `\u001B[${this.paintedLines}A` : '';
      this.out.write(`${back}\u001B[J${lines.map((line) => `${line}\n`).join('')}`);
      this.paintedLines = lines.length;
    } catch {
      // The next look may do better; what keeps failing shows in the log and in `tidemark doctor`.
      await delay(PERIOD_MS);
    } finally {
      this.painting = undefined;
    }
  }
}
