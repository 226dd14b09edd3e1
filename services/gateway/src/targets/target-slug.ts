import { unusable } from '../http/http-problem.ts';

/** Also the name of a topic: one character less than a slug may have elsewhere. */
const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Checks a target's name in a path. @throws HttpProblem 422 */
export function targetSlugOf(text: string): string {
  if (SLUG.test(text)) return text;
  throw unusable(
    `${JSON.stringify(text.slice(0, 100))} can't name a target.`,
    [{ where: 'path.slug', why: 'must be 1 to 63 of a-z, 0-9 and inner dashes' }],
    'Choose another name.',
  );
}
