import type { Output } from '../output.ts';
import type { Status } from '../status.ts';
import type { FlowView } from './live-view.ts';

/** The flow for programs: one object a step, and the status at the end. */
export class JsonView implements FlowView {
  private written = Promise.resolve();

  constructor(
    private readonly look: () => Promise<Status>,
    private readonly output: Output,
    private readonly about: { readonly url: string; readonly data_folder: string; readonly log_file: string },
  ) {}

  start(): void {
    this.write({ event: 'started', ...this.about });
  }

  says(step: string): void {
    this.write({ event: 'step', step });
  }

  async end(step: string): Promise<void> {
    this.write({ event: 'status', ...(await this.look()) });
    this.says(step);
    await this.written;
  }

  stop(): void {
    // Nothing runs between steps.
  }

  /** In the order in which it was said; a reader that went away ends the program elsewhere. */
  private write(object: object): void {
    this.written = this.written.then(() => this.output.object(object)).catch(() => undefined);
  }
}
