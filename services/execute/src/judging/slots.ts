/** A number of places; who finds none waits, the urgent before the ordinary, otherwise in order of arrival. */
export class Slots {
  private readonly waiting: Record<'urgent' | 'ordinary', (() => void)[]> = { urgent: [], ordinary: [] };

  constructor(private free: number) {}

  /** Runs `work` once there is a place for it. */
  async within<T>(urgency: 'urgent' | 'ordinary', work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting[urgency].push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.urgent.shift() ?? this.waiting.ordinary.shift();
      // The place goes over without becoming free in between.
      if (next) next();
      else this.free++;
    }
  }
}
