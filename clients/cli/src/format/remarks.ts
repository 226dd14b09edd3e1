import type { Json } from '../gateway-client.ts';
import { plural, show } from './table.ts';

/** What was remarked on records that were taken, told once for all of them. */
export class Remarks {
  private readonly counts = new Map<string, number>();

  /** @param answer what the gateway said of a record that it took */
  add({ warnings, waits_for, turned_away, problem_id }: Json): void {
    for (const { field, reason } of Array.isArray(warnings) ? (warnings as readonly Json[]) : []) {
      const place = show(field).replaceAll(/\[\d+\]/g, '[]');
      this.count(`${place} ${show(reason).replace(/ \(\d+ times\)$/, '')}`.trimStart());
    }
    if (typeof waits_for === 'object' && waits_for !== null) this.count(missingText(waits_for));
    if (typeof turned_away === 'object' && turned_away !== null)
      this.count(turnedAwayText(problem_id, turned_away as Json));
  }

  /** `limits.cpu is not known and was dropped (12 records)`; those that came first come first. */
  lines(): string[] {
    return [...this.counts].map(([text, times]) => `${text} (${plural(times, 'record')})`);
  }

  private count(text: string): void {
    this.counts.set(text, (this.counts.get(text) ?? 0) + 1);
  }
}

/** Why attempts at a problem do not count, and what to do. */
export function turnedAwayText(problemId: unknown, { stage, reason, instead }: Json): string {
  const what = `problem ${show(problemId)} was turned away by ${show(stage)} (${show(reason).replaceAll('_', ' ')})`;
  const todo = show(instead) === '' ? `tidemark explain ${show(problemId)}` : `report attempts at ${show(instead)}`;
  return `${what}, and attempts at it do not count: ${todo}`;
}

/** What a group of attempts waits for, and what brings it. */
export function missingText({ kind, name }: { readonly kind?: unknown; readonly name?: unknown }): string {
  const what = show(name);
  if (kind === 'target') return `target ${what} is not declared: tidemark target declare ${what}`;
  if (kind === 'checkpoint') {
    const [checkpoint, , target] = what.split(' ');
    return `checkpoint ${what} is not known: tidemark checkpoint advance ${show(target)} ${show(checkpoint)}`;
  }
  if (kind === 'target_version') return `version ${what} is not declared: tidemark target list`;
  if (kind === 'verification') return `problem ${what} is not verified: tidemark explain ${what}`;
  if (kind === 'language') return `no judge has the language ${what}`;
  return `problem ${what} is not known here`;
}
