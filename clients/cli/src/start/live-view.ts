import { setTimeout as delay } from 'node:timers/promises';
import { statusText } from '../format/status-text.ts';
import type { Status } from '../status.ts';

const PERIOD_MS = 500;

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
  private paintedLines = 0;
  private timer: NodeJS.Timeout | undefined;
  private painting: Promise<void> | undefined;

  constructor(
    private readonly look: () => Promise<Status>,
    private readonly out: NodeJS.WriteStream,
    private readonly heading: string,
  ) {}

  start(): void {
    if (!this.out.isTTY) this.out.write(`${this.heading}\n`);
    else
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
    if (!this.out.isTTY) this.out.write(`\n${statusText(await this.look()).join('\n')}\n\n`);
    this.says(step);
    if (this.out.isTTY) await this.paint();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async paint(): Promise<void> {
    try {
      const picture = statusText(await this.look());
      const width = (this.out.columns || 80) - 1;
      const lines = [this.heading, '', ...picture, '', this.step].map((line) => line.slice(0, width));
      // A picture higher than the terminal would leave copies of itself behind: its foot is what moves.
      const shown = this.out.rows ? lines.slice(-(this.out.rows - 1)) : lines;
      const back = this.paintedLines > 0 ? `\u001B[${this.paintedLines}A` : '';
      this.out.write(`${back}\u001B[J${shown.map((line) => `${line}\n`).join('')}`);
      this.paintedLines = shown.length;
    } catch {
      // The next look may do better; what keeps failing shows in the log and in `tidemark doctor`.
      await delay(PERIOD_MS);
    } finally {
      this.painting = undefined;
    }
  }
}
