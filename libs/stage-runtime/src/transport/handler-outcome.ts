/**
 * How the handler of a transaction ended. Nest's own error channel flattens errors, so the wrapper that `@OnEvent` puts
 * around a handler notes the outcome here, keyed by the transaction, and the transport reads it.
 */
export class HandlerOutcome {
  private static readonly byTransaction = new WeakMap<object, HandlerOutcome>();
  private outcome: { readonly error: unknown } | 'done' | undefined;

  /** The outcome that belongs to a transaction; made when it is first asked for. */
  static of(transaction: object): HandlerOutcome {
    const known = HandlerOutcome.byTransaction.get(transaction);
    if (known !== undefined) return known;
    const made = new HandlerOutcome();
    HandlerOutcome.byTransaction.set(transaction, made);
    return made;
  }

  async note(work: () => Promise<void>): Promise<void> {
    this.outcome = undefined;
    try {
      await work();
      this.outcome = 'done';
    } catch (error) {
      this.outcome = { error };
    }
  }

  /** Throws what the handler threw; throws too when the handler was not reached (a guard or pipe stood before it). */
  settle(): void {
    const outcome = this.outcome;
    this.outcome = undefined;
    if (outcome === undefined) throw new Error('the handler was not reached');
    if (outcome !== 'done') throw outcome.error;
  }
}
