/** Deaths at named moments. */
import { setTimeout as delay } from 'node:timers/promises';
import { moments } from './moments.mjs';

const REACH_MS = 20_000;

/** Each process dies the first to third time that it reaches the moment; where all are one process it dies three times. */
export function deathsAt(name) {
  return {
    says: `SIGKILL of each process ${name}`,
    before(system, random) {
      this.deaths = system.parts.map((part) => {
        const death = { part, count: 0, over: false };
        death.done = dieInTurn(death, moments[name], system.parts.length === 1 ? 3 : 1, random);
        death.done.catch(() => undefined);
        return death;
      });
    },
    async harm(system) {
      for (let share = 0; share < 4; share++) {
        system.feed(0.25);
        await system.blow(() => delay(2_000));
      }
      const all = Promise.all(this.deaths.map(({ done }) => done));
      await Promise.race([all, delay(REACH_MS, undefined, { ref: false })]);
    },
    async after() {
      for (const death of this.deaths) death.cancel?.();
      await Promise.all(this.deaths.map(({ done }) => done));
      const died = this.deaths.filter(({ count }) => count > 0);
      const deaths = died.reduce((sum, { count }) => sum + count, 0);
      if (deaths === 0) return { wrong: ['nobody died'] };
      return { words: `${deaths} deaths: ${died.map(({ part }) => part.label).join(', ')}` };
    },
  };
}

async function dieInTurn(death, moment, rounds, random) {
  for (let round = 0; round < rounds && !death.over; round++) {
    const times = 1 + Math.floor(random() * 3);
    const { reached, cancel } = death.part.dieAt(moment, { times });
    const cancelled = new Promise((done) => {
      death.cancel = () => {
        death.over = true;
        // One that has died already is waited for.
        if (cancel()) done('cancelled');
      };
    });
    if ((await Promise.race([reached, cancelled])) !== 'cancelled') death.count++;
  }
}

/** Each process dies while it makes its tables, and starts anew. */
export function deathsWhileMigrating() {
  return {
    says: 'SIGKILL of each process while it makes its tables',
    async starts(system, random) {
      this.died = [];
      await Promise.all(
        system.parts.map(async (part) => {
          const times = 1 + Math.floor(random() * 6);
          const died = new Promise((done) => {
            part.cancelDeath = part.database.watch({ ...moments['in mid-migration'], times }, () => {
              part.kill().then(() => done('died'));
            });
          });
          const started = part.start().then(
            () => 'started',
            (error) => (part.alive ? Promise.reject(error) : died),
          );
          if ((await Promise.race([started, died])) === 'died') {
            this.died.push(part.label);
            system.blows++;
            await part.start();
          }
          part.cancelDeath();
        }),
      );
    },
    harm: async (system) => system.feed(1),
    after() {
      return this.died.length === 0 ? { wrong: ['nobody died'] } : { words: `${this.died.length} deaths` };
    },
  };
}
