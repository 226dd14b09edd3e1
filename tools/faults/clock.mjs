/** Clocks of single processes, stepped by libfaketime; the machine's own clock is never touched. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARY = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((path) => existsSync(path));

/** Whose clocks are stepped, in this order; the database has a clock of its own. */
export const CLOCK_SERVICES = ['execute', 'calibrate', 'ingest', 'select', 'gateway'];

const fileOf = (folder, label) => join(folder, `clock-${label}`);

/** Variables that give a process a clock of its own, right at first. @throws Error without libfaketime */
export function fakedClock(label, folder) {
  if (LIBRARY === undefined) throw new Error('libfaketime is not here (Debian: apt-get install libfaketime)');
  stepClock(folder, label, 0);
  return {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: fileOf(folder, label),
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_RESET: '1',
  };
}

/** Within a second the process believes to be so far from the right time. */
export function stepClock(folder, label, seconds) {
  writeFileSync(fileOf(folder, label), `${seconds < 0 ? '' : '+'}${seconds}\n`);
}
