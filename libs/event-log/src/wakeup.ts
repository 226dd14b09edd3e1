/** Lets one loop sleep until somebody has news. News that comes while the loop is awake is kept for its next sleep. */
export class Wakeup {
  #pending = false;
  #wake: (() => void) | undefined;

  signal(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Resolves on the next signal, or after `timeoutMs` when that is given. */
  async wait(timeoutMs?: number): Promise<void> {
    if (!this.#pending) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (timeoutMs !== undefined) timer = setTimeout(resolve, Math.max(0, timeoutMs));
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#pending = false;
  }
}
