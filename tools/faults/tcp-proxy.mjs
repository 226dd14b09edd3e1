/** A TCP proxy on loopback that can lose its network: connections cut, packets swallowed, every one late; and that can be listened to. */
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export class TcpProxy {
  #server;
  #pairs = new Set();
  #watches = new Set();
  #swallows = false;
  #lateMs = 0;
  port = 0;

  /** @param targetPort port on loopback to which it leads; may be told later, before anybody connects */
  constructor(targetPort) {
    this.targetPort = targetPort;
  }

  async start() {
    this.#server = createServer((near) => this.#join(near));
    await new Promise((done, fail) => this.#server.once('error', fail).listen(0, '127.0.0.1', done));
    this.port = this.#server.address().port;
    return this;
  }

  /** Ends every connection that is open; new ones are let through. @returns how many */
  cut() {
    const open = this.#pairs.size;
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    return open;
  }

  /** A partition: nothing goes through either way, and nobody is told. What was sent meanwhile is lost with its connection. */
  async partition(ms) {
    this.#swallows = true;
    await delay(ms);
    this.#swallows = false;
    this.cut();
  }

  /** Every chunk comes `lateMs` late, in order. */
  async slow(lateMs, ms) {
    this.#lateMs = lateMs;
    await delay(ms);
    this.#lateMs = 0;
  }

  /**
   * Waits until one connection has carried these steps one after the other, the `times`-th time, and tells at once. What
   * carries the last step is held back for good, and its connection ends; with `lateMs` it goes through, and is told later.
   *
   * @param steps `{ from: 'client' | 'server', says: string | RegExp }`  @param told called once
   * @returns what ends the waiting
   */
  watch({ steps, times = 1, lateMs }, told) {
    const watch = { steps, left: times, lateMs, told };
    this.#watches.add(watch);
    return () => this.#watches.delete(watch);
  }

  stop() {
    this.#watches.clear();
    this.cut();
    this.#server?.close();
  }

  #join(near) {
    const far = connect(this.targetPort, '127.0.0.1');
    const pair = { near, far, steps: new Map() };
    this.#pairs.add(pair);
    const end = () => {
      near.destroy();
      far.destroy();
      this.#pairs.delete(pair);
    };
    this.#pipe(pair, 'client', near, far);
    this.#pipe(pair, 'server', far, near);
    for (const socket of [near, far]) socket.once('error', end).once('close', end);
  }

  #pipe(pair, side, from, to) {
    let order = Promise.resolve();
    from.on('data', (chunk) => {
      if (this.#swallows) return;
      if (this.#watches.size > 0 && this.#isHeldBack(pair, side, chunk)) {
        pair.near.destroy();
        pair.far.destroy();
        return;
      }
      if (this.#lateMs === 0) {
        order = order.then(() => this.#write(from, to, chunk));
        return;
      }
      const due = Date.now() + this.#lateMs;
      order = order.then(() => delay(Math.max(0, due - Date.now()))).then(() => this.#write(from, to, chunk));
    });
    from.on('end', () => order.then(() => to.end()));
  }

  #isHeldBack(pair, side, chunk) {
    const text = chunk.toString('latin1');
    let held = false;
    for (const watch of this.#watches) {
      // What a transaction before this one said is no step towards it.
      let step = text.includes('START TRANSACTION') ? 0 : (pair.steps.get(watch) ?? 0);
      for (let at = 0; step < watch.steps.length && watch.steps[step].from === side; step++) {
        const found = find(text, watch.steps[step].says, at);
        if (found === -1) break;
        at = found + 1;
      }
      if (step < watch.steps.length) {
        pair.steps.set(watch, step);
        continue;
      }
      pair.steps.delete(watch);
      if (--watch.left > 0) continue;
      this.#watches.delete(watch);
      if (watch.lateMs === undefined) {
        held = true;
        watch.told();
      } else setTimeout(watch.told, watch.lateMs);
    }
    return held;
  }

  #write(from, to, chunk) {
    if (to.destroyed || to.write(chunk)) return undefined;
    from.pause();
    return new Promise((done) => {
      const go = () => {
        to.off('drain', go);
        to.off('close', go);
        from.resume();
        done();
      };
      to.once('drain', go).once('close', go);
    });
  }
}

function find(text, what, from) {
  if (typeof what === 'string') return text.indexOf(what, from);
  const found = text.slice(from).search(what);
  return found === -1 ? -1 : found + from;
}
