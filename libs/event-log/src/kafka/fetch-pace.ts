/** The least that is asked for, in bytes: a fetch for less costs more than it brings. */
const leastBytes = 16 * 1024;

/**
 * How much to ask a broker for, so that what comes fits into the room that is left. Brokers count compressed bytes, and
 * a partition's records may be fifty times as large when they are here: what came says how much larger.
 */
export class FetchPace {
  readonly #perPartition: number;
  /** Share of the room that is asked for: begins low, rises while it brings too little, falls when it brings too much. */
  #share = 1 / 16;
  #asked = 0;

  /** @param perPartition bytes that one partition is asked for at most */
  constructor(perPartition: number) {
    this.#perPartition = perPartition;
  }

  /** @param room bytes that may come, above 0 */
  ask(room: number): { readonly maxBytes: number; readonly maxBytesPerPartition: number } {
    this.#asked = room;
    const maxBytes = Math.max(leastBytes, Math.floor(room * this.#share));
    const perPartition = Math.max(leastBytes, Math.floor(this.#perPartition * this.#share));
    return { maxBytes, maxBytesPerPartition: Math.min(maxBytes, perPartition) };
  }

  /**
   * @param bytes of the records that came
   * @param more there was more to be had: that little came was because little was asked for
   */
  got(bytes: number, more: boolean): void {
    if (bytes > this.#asked) this.#share = Math.max(1 / 1024, (this.#share * this.#asked) / bytes);
    else if (more && bytes < this.#asked / 2) this.#share = Math.min(1, this.#share * 2);
  }
}
