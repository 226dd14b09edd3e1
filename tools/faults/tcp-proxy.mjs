/** A TCP proxy on loopback that can lose its network: connections cut, packets swallowed, or every one late. */
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export class TcpProxy {
  #server;
  #pairs = new Set();
  #swallows = false;
  #lateMs = 0;
  port = 0;

  /** @param targetPort port on loopback to which it leads */
  constructor(targetPort) {
    this.targetPort = targetPort;
  }

  async start() {
    this.#server = createServer((near) => this.#join(near));
    await new Promise((done, fail) => this.#server.once('error', fail).listen(0, '127.0.0.1', done));
    this.port = this.#server.address().port;
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

  stop() {
    this.cut();
    this.#server.close();
  }

  #join(near) {
    const far = connect(this.targetPort, '127.0.0.1');
    const pair = { near, far };
    this.#pairs.add(pair);
    const end = () => {
      near.destroy();
      far.destroy();
      this.#pairs.delete(pair);
    };
    this.#pipe(near, far);
    this.#pipe(far, near);
    for (const socket of [near, far]) socket.once('error', end).once('close', end);
  }

  #pipe(from, to) {
    let order = Promise.resolve();
    from.on('data', (chunk) => {
      if (this.#swallows) return;
      if (this.#lateMs === 0) {
        order = order.then(() => this.#write(from, to, chunk));
        return;
      }
      const due = Date.now() + this.#lateMs;
      order = order.then(() => delay(Math.max(0, due - Date.now()))).then(() => this.#write(from, to, chunk));
    });
    from.on('end', () => order.then(() => to.end()));
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
