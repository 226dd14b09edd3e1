import { posix } from 'node:path';
import { ArchiveError } from './archive-error.ts';
import type { Allowance } from './bounds.ts';

const MOST_HOPS = 8;

/**
 * Puts in place of each symbolic link the file that it leads to: packages share tests between groups that way. Whoever
 * reads the package reads such a file once for each link, so each counts like a file of its own.
 *
 * @param links path of the link to where it leads, as written
 * @throws ArchiveError for a link that leads out, in a circle or nowhere, and for more than is allowed
 */
export function followLinks(
  files: Map<string, Uint8Array>,
  links: ReadonlyMap<string, string>,
  allowance: Allowance,
): void {
  const folders = [...files.keys()];
  const put = (path: string, content: Uint8Array): void => {
    allowance.entry();
    allowance.take(path, content.length, content.length);
    files.set(path, content);
  };
  for (const [path, target] of links) {
    let at = resolved(path, target);
    for (let hops = 0; links.has(at); hops++) {
      if (hops === MOST_HOPS) throw unsafe(path, 'leads in a circle');
      at = resolved(at, links.get(at) as string);
    }
    const file = files.get(at);
    if (file !== undefined) {
      put(path, file);
      continue;
    }
    const inside = folders.filter((name) => name.startsWith(`${at}/`));
    if (inside.length === 0) throw unsafe(path, `leads to ${at}, which is not there`);
    if (path.startsWith(`${at}/`)) throw unsafe(path, 'leads to a folder that it lies in');
    for (const name of inside) put(`${path}${name.slice(at.length)}`, files.get(name) as Uint8Array);
  }
}

function resolved(path: string, target: string): string {
  const to = posix.normalize(posix.join(posix.dirname(path), target));
  if (target.startsWith('/') || to === '..' || to.startsWith('../') || target.includes('\0')) {
    throw unsafe(path, 'is a link that leads out of the package');
  }
  return to.replace(/\/$/, '');
}

const unsafe = (path: string, reason: string): ArchiveError =>
  new ArchiveError('unsafe_archive', path, reason, 'Put the file itself there');
