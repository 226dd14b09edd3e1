import { isTargetSlug, TARGET_SLUG_RULE } from '@tidemark/identity';
import { unusable } from '../http/http-problem.ts';

/** Checks a target's name in a path. @throws HttpProblem 422 */
export function targetSlugOf(text: string): string {
  if (isTargetSlug(text)) return text;
  throw unusable(
    `${JSON.stringify(text.slice(0, 100))} can't name a target.`,
    [{ where: 'path.slug', why: `must be ${TARGET_SLUG_RULE}` }],
    'Choose another name.',
  );
}
