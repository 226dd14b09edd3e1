import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TopicDefinition, topics } from '@tidemark/event-log';

/** Where a topic is handed to `publish`: an argument that is no handler's. */
const HANDED_ON = /(?<!@OnEvent\(\s*)\b(?:topics\.(\w+)|(curatedTopic)\([\w.]+\))\s*[,;)]/g;

/**
 * Which services publish which topics, as their sources have it: `topic name` and `service`, separated by a blank. What
 * the runtime publishes, every service does.
 */
export function writersInTree(root: string, services: readonly string[]): ReadonlySet<string> {
  const byKey = topics as Readonly<Record<string, TopicDefinition | undefined>>;
  const written = new Set<string>();
  const paths = globSync(['services/*/src/**/*.ts', 'libs/stage-runtime/src/**/*.ts'], { cwd: root });
  for (const path of paths.filter((one) => !/\.spec\.ts$|\/testing\//.test(one))) {
    const source = readFileSync(join(root, path), 'utf8');
    if (!/\bpublish(Tombstone)?\(/.test(source)) continue;
    const service = /^services\/([^/]+)\//.exec(path)?.[1];
    for (const [, key = '', curated] of source.matchAll(HANDED_ON)) {
      const name = curated === undefined ? byKey[key]?.name : 'curated.<target>.v1';
      for (const writer of service === undefined ? services : [service]) written.add(`${name ?? key} ${writer}`);
    }
  }
  return written;
}
