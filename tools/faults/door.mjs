/** The gateway, as a client uses it that gives up on nothing: what did not come through is sent again, under the same id. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 600_000;
const CALL_MS = 60_000;

export class Door {
  constructor(url) {
    this.url = url;
  }

  /** @param path below /v1 */
  order(method, path, body) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    return this.#until(path, () => this.#call(method, path, headers, JSON.stringify(body)));
  }

  /** @param kind `problems` or `rollouts`  @param lines records, one a line */
  async upload(kind, lines) {
    if (lines.length === 0) return;
    const headers = { 'content-type': 'application/x-ndjson' };
    await this.#until(kind, async () => {
      const answer = await this.#call('POST', kind, headers, `${lines.join('\n')}\n`);
      const summary = JSON.parse(answer.trim().split('\n').at(-1));
      if (summary.outcome !== 'summary' || summary.refused > 0)
        throw new Error(`not all was taken: ${answer.slice(-500)}`);
    });
  }

  async #call(method, path, headers, body) {
    const signal = AbortSignal.timeout(CALL_MS);
    const answer = await fetch(`${this.url}/v1/${path}`, { method, headers, body, signal });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text.slice(0, 500)}`);
    return text;
  }

  async #until(what, act) {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (Date.now() > until) throw new Error(`${what} did not come through: ${error.message}`, { cause: error });
        await delay(1_000);
      }
    }
  }
}
