import type { CommandRequested } from '@tidemark/proto';

/** What a command means to this service. */
export type CommandDecision =
  | { readonly kind: 'evaluate'; readonly target: string }
  | { readonly kind: 'measure'; readonly target: string; readonly attempts: number }
  /** `execute` does it; its completion switches the suite of the problem. */
  | { readonly kind: 'note_regrade'; readonly problemId: string }
  | { readonly kind: 'refuse'; readonly message: string }
  | { readonly kind: 'ignore' };

/** Most attempts at a problem that one command may ask for. */
const MOST_ATTEMPTS = 1024;

/** Sorts a command out: commands for other services are ignored, but for the regrade that evidence depends on. */
export function decideCommand({ service, command }: CommandRequested): CommandDecision {
  if (command.case === 'regrade') return { kind: 'note_regrade', problemId: command.value.problemId };
  if (service !== 'calibrate') return { kind: 'ignore' };
  switch (command.case) {
    case 'evaluate':
      return { kind: 'evaluate', target: command.value.target };
    case 'measure':
      return command.value.attempts <= MOST_ATTEMPTS
        ? { kind: 'measure', target: command.value.target, attempts: command.value.attempts }
        : { kind: 'refuse', message: `At most ${MOST_ATTEMPTS} attempts a problem can be asked for at once.` };
    default:
      return {
        kind: 'refuse',
        message: `calibrate does not know the command ${command.case ?? 'of a later release'}.`,
      };
  }
}
