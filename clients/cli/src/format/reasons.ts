/** Reason codes in the reader's words. A code that is not known is shown with blanks for underscores. */

const WAITING: Readonly<Record<string, string>> = {
  'stage:ingest': 'ingest: not read yet',
  'stage:normalize': 'normalize: to be cleaned',
  'stage:dedup': 'dedup: to be compared with the others and with benchmarks',
  'stage:execute': 'execute: its reference solutions to be run',
  'stage:score': 'score: its difficulty to be predicted',
};

/** Of a visible state, as the funnel shows it. */
export function reasonInWords(state: string, reason: string): string {
  if (state === 'ready') return reason === 'held_out' ? 'held out for evaluation' : 'for training';
  return WAITING[reason] ?? reason.replaceAll('_', ' ').replace(/^stage:/, '');
}

const STATES: Readonly<Record<string, string>> = {
  waiting: 'waiting',
  rejected: 'rejected',
  withdrawn: 'withdrawn',
  dead_lettered: 'laid aside',
  ready: 'ready',
};

export const stateInWords = (state: string): string => STATES[state] ?? state;
