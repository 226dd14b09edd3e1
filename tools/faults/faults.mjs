/**
 * What is done to a system at work. Each is told the system and random numbers that a seed repeats; when it returns,
 * everything that it took away is there again.
 *
 * `says` in words; `on` the logs that it can be done on (both, unless named); `needs` what the system has to be made of;
 * `starts` starts the processes in place of a plain start; `before` comes before anything is offered; `harm` is the fault;
 * `after` comes when all is quiet again and returns what is wrong, or words for the table; `letters` dead letters to be
 * expected; `alters` tells lines of the projection that the fault itself puts in.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { between, blows, eachProcess, shuffled } from './blows.mjs';
import { CLOCK_SERVICES, fakedClock, stepClock } from './clock.mjs';
import { moments } from './moments.mjs';
import { deathsAt, deathsWhileMigrating } from './deaths.mjs';
import {
  appendFromOtherReleases,
  appendPoison,
  appendTooLarge,
  deliverAgain,
  FUTURE_GROUP,
  lettersOfPoison,
  POISON_BLOWS,
  putNewestBack,
} from './records.mjs';

const KAFKA = ['kafka'];

export const faults = {
  none: { says: 'nothing', harm: async () => {} },

  'a little of each': {
    says: 'SIGKILL before a commit and after publishing, every connection to PostgreSQL cut, the broker killed',
    // For a quick look alone: the whole has each by itself.
    onlyWhenNamed: true,
    async harm(system) {
      const [part] = system.of('execute');
      for (const moment of ['after work, before commit', 'after publish, before delete']) {
        const { reached } = part.dieAt(moments[moment]);
        system.feed(0.25);
        await system.blow(() => reached);
      }
      system.feed(0.25);
      await delay(300);
      await system.blow(() => part.database.cut());
      system.feed(0.25);
      if (system.broker === undefined) return;
      await system.blow(() => system.broker.crash());
      await system.broker.revive();
    },
  },

  'kill the services': {
    says: 'SIGKILL of each process at a random moment',
    harm: eachProcess([300, 3_000], (part) => part.kill()),
  },
  'terminate the services': {
    says: 'SIGTERM of each process at a random moment; each ends with 0',
    harm: eachProcess([300, 3_000], (part) => part.terminate()),
  },
  'kill before commit': deathsAt('after work, before commit'),
  'kill after commit': deathsAt('after commit, before publish'),
  'kill after publish': deathsAt('after publish, before delete'),
  'kill in mid-job': deathsAt('in mid-job'),
  'kill in mid-migration': deathsWhileMigrating(),
  'starve of memory': {
    says: 'no process gets more memory for up to 40 s; those that ask for some end by that',
    async harm(system) {
      system.feed(0.5);
      await delay(1_000);
      const ended = await system.blow(() => {
        system.feed(0.5);
        return Promise.all(system.parts.map((part) => part.starve(40_000)));
      });
      this.dead = system.parts.filter((_, index) => ended[index]);
      await Promise.all(this.dead.map((part) => part.start()));
    },
    after() {
      if (this.dead.length === 0) return { wrong: ['nobody died'] };
      return { words: `${this.dead.length} deaths: ${this.dead.map(({ label }) => label).join(', ')}` };
    },
  },
  'freeze the services': {
    says: 'SIGSTOP of one of two `execute`, or of all in one process, for 70 s, past every lease, then SIGCONT',
    harm: blows(1, [500, 4_000], (system) => system.of('execute').at(-1).freeze(70_000)),
  },
  'two owners of one target': {
    on: KAFKA,
    says: '`calibrate` and `select` in two replicas; one, then the other frozen for 20 s, an evaluation ordered meanwhile',
    needs: { replicas: { calibrate: 2, select: 2 } },
    async harm(system) {
      system.feed(1);
      await system.untilQuiet();
      const before = await system.leaseEpochs();
      for (const replica of [1, 2]) {
        const frozen = system.of('calibrate', 'select').filter(({ label }) => label.endsWith(`.${replica}`));
        await system.blow(async () => {
          const thawed = Promise.all(frozen.map((part) => part.freeze(20_000)));
          await delay(12_000);
          await system.evaluate();
          await thawed;
        });
        await system.untilQuiet();
      }
      const after = await system.leaseEpochs();
      this.changed = [...after].filter(([name, epoch]) => epoch > (before.get(name) ?? 0n)).map(([name]) => name);
    },
    after() {
      if (this.changed.some((name) => name.startsWith('calibrate')))
        return { words: `${this.changed.length} leases changed hands` };
      return { wrong: ['nobody took a target over'] };
    },
  },

  'restart the database': {
    says: 'PostgreSQL stopped and started, three times',
    harm: blows(3, [500, 4_000], async (system, random) => {
      await system.database.stop();
      await between(random, 0, 3_000);
      await system.database.start();
    }),
  },
  'kill the database': {
    says: 'SIGKILL of PostgreSQL, three times',
    harm: blows(3, [500, 4_000], async (system, random) => {
      system.database.kill();
      await between(random, 500, 3_000);
      await system.database.start();
    }),
  },
  'cut the connections': {
    says: 'every connection to PostgreSQL cut, ten times',
    harm: blows(10, [300, 2_500], (system) => {
      for (const { database } of system.parts) database.cut();
    }),
  },
  'partition the database': {
    says: 'nothing goes through to PostgreSQL for 20 s, twice',
    harm: blows(2, [500, 3_000], (system) =>
      Promise.all(system.parts.map(({ database }) => database.partition(20_000))),
    ),
  },
  'partition services from the database': {
    on: KAFKA,
    says: 'nothing goes through between PostgreSQL and one process for 20 s, three processes one after the other',
    harm: blows(3, [500, 3_000], (system, random) => shuffled(system.parts, random)[0].database.partition(20_000)),
  },
  'slow the database': {
    says: 'every answer of PostgreSQL 60 ms late, for 30 s',
    harm: blows(1, [500, 2_000], (system) =>
      Promise.all(system.parts.map(({ database }) => database.slow(30, 30_000))),
    ),
  },
  'fill the disk of the database': {
    says: 'no room on the disk of PostgreSQL for 20 s; restarted if it gave up',
    needs: { databaseDiskMb: 400 },
    harm: blows(1, [500, 3_000], async (system) => {
      const makeRoom = system.database.disk.fill();
      await delay(20_000);
      makeRoom();
      await system.database.start();
    }),
  },
  'fill the blob store': {
    says: 'no room for blobs for 20 s, while problems with large tests come',
    needs: { blobDiskMb: 16 },
    before(system) {
      const makeRoom = system.blobDisk.fill();
      this.room = delay(20_000).then(makeRoom);
    },
    async harm(system) {
      system.feed(1);
      await system.blow(() => this.room);
    },
  },

  'kill the broker': {
    on: KAFKA,
    says: 'SIGKILL of the broker, three times',
    harm: blows(3, [500, 4_000], async (system, random) => {
      await system.broker.crash();
      await between(random, 500, 3_000);
      await system.broker.revive();
    }),
  },
  'a minute without a broker': {
    on: KAFKA,
    says: 'SIGKILL of the broker, which comes back after 60 s',
    harm: blows(1, [500, 4_000], async (system) => {
      await system.broker.crash();
      await delay(60_000);
      await system.broker.revive();
    }),
  },
  'cut the connections to the broker': {
    on: KAFKA,
    says: 'every connection to the broker cut, ten times',
    harm: blows(10, [300, 2_500], (system) => {
      for (const { broker } of system.parts) broker.cut();
    }),
  },
  'partition the broker': {
    on: KAFKA,
    says: 'nothing goes through to the broker for 20 s, twice',
    harm: blows(2, [500, 3_000], (system) => Promise.all(system.parts.map(({ broker }) => broker.partition(20_000)))),
  },
  'partition services from the broker': {
    on: KAFKA,
    says: 'nothing goes through between the broker and one process for 20 s, three processes one after the other',
    harm: blows(3, [500, 3_000], (system, random) => shuffled(system.parts, random)[0].broker.partition(20_000)),
  },

  'step the clocks': {
    says: `the clock of ${CLOCK_SERVICES.join(', ')} (one process: of that) stepped by an hour, one after the other, forth or back`,
    needs: { env: fakedClock },
    harm: blows(CLOCK_SERVICES.length, [500, 3_000], (system, random, blow) => {
      const [part] = system.of(CLOCK_SERVICES[blow]);
      stepClock(system.folder, part.label, random() < 0.5 ? -3_600 : 3_600);
      return delay(4_000);
    }),
  },

  'deliver twice and out of order': {
    says: 'every record of the topics between services once more, the newest first: old revisions behind newer ones',
    harm: blows(2, [2_000, 5_000], deliverAgain),
    after: putNewestBack,
  },
  'ten thousand poison records': {
    says: '10,000 records that are no messages, on five topics, among the others',
    letters: lettersOfPoison(2_000),
    harm: blows(POISON_BLOWS, [300, 1_500], (system, _, blow) => appendPoison(system, blow, 2_000)),
  },
  'an oversize record': {
    on: KAFKA,
    says: 'records of 1,000,000 bytes on three topics, by another client',
    letters: 3,
    harm: blows(1, [300, 1_500], appendTooLarge),
  },
  'other releases': {
    says: 'messages of a later release (unknown fields, an unknown verdict) and of an earlier one (fields missing)',
    alters: ({ kind, id }) => kind === 'group' && id === FUTURE_GROUP,
    moreGroups: 1,
    harm: blows(2, [2_000, 5_000], appendFromOtherReleases),
  },
};
