/** Codes in the reader's words. What is not known is shown as it is, with blanks for underscores. */

const WAITING: Readonly<Record<string, string>> = {
  'stage:ingest': 'not read yet',
  'stage:normalize': 'to be cleaned',
  'stage:dedup': 'to be compared',
  'stage:execute': 'references to be run',
  'stage:score': 'difficulty to be predicted',
};

const STATES: Readonly<Record<string, string>> = { dead_lettered: 'laid aside' };

const REASONS: Readonly<Record<string, string>> = {
  mass_exceeds_enter: 'most of the posterior lies in this bin',
  no_pass: 'no pass in enough attempts',
  first_pass: 'it was passed for the first time',
  evidence_shrank: 'old evidence lost its weight',
  placed_by_prior: 'the prior places it here',
  kept: 'the evidence does not carry a move',
};

export const plain = (code: string): string => code.replaceAll('_', ' ').replace(/^stage:/, '');

export const stateWord = (state: string): string => STATES[state] ?? plain(state);

export function reasonWord(state: string, reason: string): string {
  if (state === 'ready') return reason === 'held_out' ? 'held out for evaluation' : 'for training';
  return WAITING[reason] ?? plain(reason);
}

export const binReason = (reason: string): string => REASONS[reason] ?? plain(reason);

/** A problem's title; without one, what its source calls it; without that, its id. */
export function nameOf(problem: {
  readonly title: string;
  readonly namespace: string;
  readonly record_id: string;
  readonly problem_id: string;
}): string {
  if (problem.title !== '') return problem.title;
  const source = [problem.namespace, problem.record_id].filter((part) => part !== '').join(' ');
  return source === '' ? problem.problem_id : source;
}

const numbers = new Intl.NumberFormat('en');
export const count = (value: number): string => numbers.format(value);

/** 1 problem, 2 problems. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;

export const rate = (perSecond: number): string =>
  perSecond === 0 ? '0' : perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond));

const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
export const when = (iso: string | null): string => (iso === null ? 'at an unknown time' : times.format(new Date(iso)));

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  return size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KiB` : `${(size / 1024 / 1024).toFixed(1)} MiB`;
}
