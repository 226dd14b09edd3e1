import type { Json } from '../gateway-client.ts';
import { show } from './table.ts';

/** The title of a problem; without one, what its source calls it. */
export function nameOf(problem: Json): string {
  const title = show(problem.title);
  return title === ''
    ? [show(problem.namespace), show(problem.record_id)].filter((part) => part !== '').join(' ')
    : title;
}
