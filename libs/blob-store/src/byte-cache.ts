/** The byte strings used last, up to a number of bytes. What is given out is shared: it must not be changed. */
export class ByteCache {
  private readonly entries = new Map<string, Uint8Array>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  has(key: string): boolean {
    return this.entries.has(key);
  }

  get(key: string): Uint8Array | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    // Insertion order is the order of use.
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  delete(key: string): void {
    this.bytes -= this.entries.get(key)?.length ?? 0;
    this.entries.delete(key);
  }

  /** A value that alone is over a quarter of the bound is not kept: it would push out everything else. */
  set(key: string, value: Uint8Array): void {
    if (this.get(key) !== undefined || value.length > this.maxBytes / 4) return;
    this.entries.set(key, value);
    this.bytes += value.length;
    for (const [oldest, { length }] of this.entries) {
      if (this.bytes <= this.maxBytes) return;
      this.entries.delete(oldest);
      this.bytes -= length;
    }
  }
}
