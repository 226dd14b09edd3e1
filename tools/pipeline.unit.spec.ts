import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { curatedTopic, serviceNames, type TopicDefinition, topics } from '@tidemark/event-log';
import { describe, expect, it } from 'vitest';
import { writersInTree } from './writers.ts';

/**
 * PIPELINE.md is what a newcomer opens first, so it may not lie: its rows are checked against `topics.ts`, and what
 * they name against the tree. The columns: event, topic, written by, read by, handler, decision, tables.
 */
const root = resolve(import.meta.dirname, '..');
const NONE = '—';

interface Row {
  readonly event: string;
  readonly topic: string;
  readonly writtenBy: string[];
  /** Of the writers those that publish to it today. */
  readonly writing: string[];
  readonly reader: string;
  /** Paths below `services/<reader>/src/`. */
  readonly handler: string | undefined;
  readonly decisions: string[];
  /** Tables of the reader's own schema. */
  readonly tables: string[];
}

const rows = readRows(readFileSync(join(root, 'PIPELINE.md'), 'utf8'));
// One row stands for the topics of all targets.
const curated: TopicDefinition = { ...curatedTopic('x'), name: 'curated.<target>.v1' };
const definitions: readonly (readonly [string, TopicDefinition])[] = [
  ...Object.entries(topics),
  ['curatedTopic', curated],
];

describe('PIPELINE.md', () => {
  it.each(definitions.map(([, definition]) => [definition.name, definition] as const))(
    'has a row for each reader of %s',
    (name, definition) => {
      const ofTopic = rows.filter(({ topic }) => topic === name);
      // Several handlers of one service are as many rows.
      expect([...new Set(ofTopic.map(({ reader }) => reader))].sort()).toEqual([...definition.readBy].sort());
      for (const row of ofTopic) expect(row.writtenBy.sort()).toEqual([...definition.writtenBy].sort());
    },
  );

  it('names as writing today exactly those whose sources publish to the topic', () => {
    const written = writersInTree(root, serviceNames);
    for (const { topic, writtenBy, writing } of rows) {
      const today = writtenBy.filter((service) => written.has(`${topic} ${service}`));
      expect([topic, writing.sort()]).toEqual([topic, today.sort()]);
    }
    expect(rows.find(({ topic }) => topic === 'reviews.requested.v1')?.writing).toEqual([]);
    expect(rows.find(({ topic }) => topic === 'problems.raw.v1')?.writing).toEqual(['ingest']);
  });

  it('leaves no writer out', () => {
    const byKey = topics as Readonly<Record<string, TopicDefinition | undefined>>;
    for (const path of globSync('services/*/src/**/*.ts', { cwd: root })) {
      if (/\.spec\.ts$|\/testing\//.test(path)) continue;
      const source = readFileSync(join(root, path), 'utf8');
      for (const [, key = ''] of source.matchAll(/\bpublish(?:Tombstone)?\(\s*[\w.]+,\s*topics\.(\w+)/g)) {
        expect([path, byKey[key]?.writtenBy]).toEqual([path, expect.arrayContaining([path.split('/')[1]])]);
      }
    }
  });

  it('names no topic that there is not', () => {
    const known = new Set(definitions.map(([, { name }]) => name));
    expect(rows.filter(({ topic }) => !known.has(topic))).toEqual([]);
  });

  it('names handlers, and decisions, that are there', () => {
    const named = rows.flatMap(({ reader, handler, decisions }) =>
      [...(handler === undefined ? [] : [handler]), ...decisions].map((path) => join('services', reader, 'src', path)),
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names as handler of an event the file that handles it, and leaves none out', () => {
    const inTree = handlersInTree();
    const inPage = rows.flatMap(({ topic, reader, handler }) =>
      handler === undefined ? [] : [`${topic} -> services/${reader}/src/${handler}`],
    );
    expect(inPage.sort()).toEqual(inTree.sort());
  });

  it('names tables that the reader makes', () => {
    const missing = rows.flatMap(({ reader, tables }) => {
      const made = globSync(`services/${reader}/src/postgres/**/*`, { cwd: root, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
        .join('\n');
      return tables
        .filter((table) => !new RegExp(`CREATE TABLE[^(;]*\\b${table}\\b`, 'i').test(made))
        .map((table) => `${reader}.${table}`);
    });
    expect([...new Set(missing)]).toEqual([]);
  });
});

/** Every `@OnEvent(topics.x)` of the services, as `topic -> file`. */
function handlersInTree(): string[] {
  const names = new Map(Object.entries(topics).map(([key, { name }]) => [key, name]));
  return globSync('services/*/src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.spec.ts'))
    .flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      return [...source.matchAll(/@OnEvent\(\s*topics\.(\w+)/g)].map(
        ([, key = '']) => `${names.get(key) ?? key} -> ${path}`,
      );
    });
}

function readRows(page: string): Row[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .map(([event = '', topic = '', writtenBy = '', reader = '', handler = '', decision = '', tables = '']) => ({
      event: plain(event),
      topic: plain(topic),
      writtenBy: listed(writtenBy).map((name) => name.replace(` ${NONE}`, '')),
      writing: listed(writtenBy).filter((name) => !name.endsWith(NONE)),
      reader: plain(reader),
      handler: listed(handler)[0],
      decisions: listed(decision),
      tables: listed(tables),
    }));
}

function listed(cell: string): string[] {
  return cell === NONE || cell === '' ? [] : cell.split(',').map(plain);
}

function plain(cell: string): string {
  return cell.replaceAll('`', '').trim();
}
