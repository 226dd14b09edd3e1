/** Access tokens by the origin that they are for. A target's address decides where we connect, so no token goes elsewhere. */
export class EndpointTokens {
  private readonly byOrigin = new Map<string, string>();

  /**
   * @param text `origin=token`, separated by blanks or line ends
   * @throws Error naming the number of the entry that can't be read, never its text
   */
  constructor(text: string) {
    const entries = text.split(/\s+/).filter((entry) => entry !== '');
    for (const [index, entry] of entries.entries()) {
      const at = entry.indexOf('=');
      const address = entry.slice(0, at);
      if (at < 0 || !URL.canParse(address)) {
        throw new Error(`endpoint token ${index + 1} is not written as origin=token`);
      }
      this.byOrigin.set(new URL(address).origin, entry.slice(at + 1));
    }
  }

  /** @param address any address of the endpoint */
  for(address: string): string | undefined {
    return this.byOrigin.get(new URL(address).origin);
  }
}
