/**
 * What is done to a system at work. Each is told the system, random numbers that a seed repeats, and waits between its
 * blows; when it returns, everything that it took away is there again.
 */
import { setTimeout as delay } from 'node:timers/promises';

const between = (random, from, to) => delay(from + random() * (to - from));

export const faults = {
  none: { says: 'nothing', harm: async () => {} },
  'kill the services': {
    says: 'SIGKILL of every service, three times',
    async harm(system, random) {
      for (let blow = 0; blow < 3; blow++) {
        await between(random, 500, 4_000);
        await system.killServices();
        await system.startServices();
      }
    },
  },
  'terminate the services': {
    says: 'SIGTERM of every service, three times',
    async harm(system, random) {
      for (let blow = 0; blow < 3; blow++) {
        await between(random, 500, 4_000);
        const code = await system.stopServices();
        if (code !== 0) throw new Error(`a stop by SIGTERM ended with ${code}`);
        await system.startServices();
      }
    },
  },
  'freeze the services': {
    says: 'SIGSTOP for 45 s, past every lease, then SIGCONT',
    async harm(system, random) {
      await between(random, 500, 4_000);
      await system.freezeServices(45_000);
    },
  },
  'restart the database': {
    says: 'PostgreSQL stopped and started, three times',
    async harm(system, random) {
      for (let blow = 0; blow < 3; blow++) {
        await between(random, 500, 4_000);
        await system.stopPostgres();
        await between(random, 0, 3_000);
        await system.startPostgres();
      }
    },
  },
  'kill the database': {
    says: 'SIGKILL of PostgreSQL, three times',
    async harm(system, random) {
      for (let blow = 0; blow < 3; blow++) {
        await between(random, 500, 4_000);
        system.killPostgres();
        await between(random, 500, 3_000);
        await system.startPostgres();
      }
    },
  },
  'cut the connections': {
    says: 'every connection to PostgreSQL cut, ten times',
    async harm(system, random) {
      for (let blow = 0; blow < 10; blow++) {
        await between(random, 300, 2_500);
        system.proxy.cut();
      }
    },
  },
  'partition the database': {
    says: 'nothing goes through to PostgreSQL for 20 s, twice',
    async harm(system, random) {
      for (let blow = 0; blow < 2; blow++) {
        await between(random, 500, 3_000);
        await system.proxy.partition(20_000);
      }
    },
  },
  'slow the database': {
    says: 'every answer of PostgreSQL 60 ms late, for 30 s',
    async harm(system, random) {
      await between(random, 500, 2_000);
      await system.proxy.slow(30, 30_000);
    },
  },
  'fill the disk of the database': {
    says: 'no room on the disk of PostgreSQL for 20 s; restarted if it gave up',
    tmpfsMb: 400,
    async harm(system, random) {
      await between(random, 500, 3_000);
      const makeRoom = system.fillPostgresDisk();
      await delay(20_000);
      makeRoom();
      await system.startPostgres();
    },
  },
};
