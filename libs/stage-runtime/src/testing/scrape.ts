/** Reads metrics over HTTP as Prometheus does. */
export class Scrape {
  private constructor(private readonly lines: readonly string[]) {}

  static async of(address: string | undefined): Promise<Scrape> {
    const answer = await fetch(`${address}/metrics`);
    if (!answer.ok) throw new Error(`metrics: ${answer.status}`);
    return new Scrape((await answer.text()).split('\n'));
  }

  /** The value of a series that bears these labels, beside others; undefined where there is none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const line = this.lines.find(
      (one) =>
        (one.startsWith(`${name}{`) || one.startsWith(`${name} `)) &&
        Object.entries(labels).every(([label, value]) => one.includes(`${label}="${value}"`)),
    );
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
  }

  /** Names of the metrics with a help line. */
  names(): string[] {
    return this.lines.flatMap((line) => /^# HELP (\S+) /.exec(line)?.[1] ?? []);
  }
}
