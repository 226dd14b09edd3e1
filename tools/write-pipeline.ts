/**
 * `npm run pipeline`: writes the table of PIPELINE.md anew, rows from `topics.ts`, handlers, decisions and tables by
 * following the calls of each `@OnEvent` method through its service. `pipeline.unit.spec.ts` checks the page by other means.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { curatedTopic, serviceNames, type TopicDefinition, topics } from '@tidemark/event-log';
import ts from 'typescript';
import { writersInTree } from './writers.ts';

const root = resolve(import.meta.dirname, '..');
const COLUMNS = ['event', 'topic', 'written by', 'read by', 'handler', 'decision', 'tables'];
const NONE = '—';

/** What is reached from one handler. */
interface Reach {
  /** Path of the handler, relative to the root. */
  readonly handler: string;
  readonly decisions: ReadonlySet<string>;
  /** Every text on the way, its SQL among them. */
  readonly texts: readonly string[];
}

const program = openProgram();
const checker = program.getTypeChecker();
const handlers = findHandlers();
const writers = writersInTree(root, serviceNames);
const page = join(root, 'PIPELINE.md');
const before = readFileSync(page, 'utf8');
const at = before.indexOf(`| ${COLUMNS[0]} |`);
if (at < 0) throw new Error('PIPELINE.md holds no table');
writeFileSync(page, `${before.slice(0, at)}${table()}\n`);

function table(): string {
  const curated: TopicDefinition = { ...curatedTopic('x'), name: 'curated.<target>.v1' };
  const rows = [...Object.values<TopicDefinition>(topics), curated].flatMap((topic) =>
    topic.readBy.flatMap((reader) => rowsOf(topic, reader)),
  );
  return [COLUMNS, COLUMNS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rowsOf(topic: TopicDefinition, reader: string): string[][] {
  const start = [
    code(topic.schema.name),
    code(topic.name),
    topic.writtenBy.map((name) => writerOf(topic, name)).join(', '),
    reader,
  ];
  const reaches = handlers.get(`${topic.name} ${reader}`);
  if (reaches === undefined) return [[...start, NONE, NONE, NONE]];
  const made = tablesOf(reader);
  return reaches.map(({ handler, decisions, texts }) => {
    const sql = texts.join('\n');
    const touched = made.filter((name) =>
      new RegExp(`(FROM|INTO|UPDATE|JOIN|TABLE|USING|ONLY|,)\\s+"?${name}\\b`, 'i').test(sql),
    );
    return [...start, list([handler].map(inService)), list([...decisions].map(inService)), list(touched)];
  });
}

/** Marks a writer that is named as one, and writes nothing yet. */
function writerOf(topic: TopicDefinition, service: string): string {
  return writers.has(`${topic.name} ${service}`) ? service : `${service} ${NONE}`;
}

/** Every method under `@OnEvent(topics.…)`, by topic and service. */
function findHandlers(): Map<string, Reach[]> {
  const found = new Map<string, Reach[]>();
  for (const file of program.getSourceFiles()) {
    const handler = relative(root, file.fileName);
    const service = serviceOf(handler);
    if (service === undefined) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isMethodDeclaration(node)) {
        for (const topic of topicsHandledBy(node)) {
          const key = `${topic} ${service}`;
          found.set(key, [...(found.get(key) ?? []), follow(node, handler, service)]);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

function topicsHandledBy(method: ts.MethodDeclaration): string[] {
  const byKey = topics as Readonly<Record<string, TopicDefinition | undefined>>;
  return (ts.getDecorators(method) ?? []).flatMap((decorator) => {
    const key = /^@OnEvent\(\s*topics\.(\w+)/.exec(decorator.getText())?.[1];
    const name = key === undefined ? undefined : byKey[key]?.name;
    return name === undefined ? [] : [name];
  });
}

/** Follows names to their declarations as long as they lie in the same service. */
function follow(start: ts.Node, handler: string, service: string): Reach {
  const seen = new Set<ts.Node>();
  const decisions = new Set<string>();
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      texts.push(node.text);
    // The SQL of what waits is the runtime's.
    if (ts.isNewExpression(node) && node.expression.getText() === 'Parking') texts.push('FROM parked_groups');
    if (ts.isIdentifier(node)) {
      for (const declaration of declarationsOf(node)) {
        const file = relative(root, declaration.getSourceFile().fileName);
        if (serviceOf(file) !== service || seen.has(declaration)) continue;
        seen.add(declaration);
        if (/\/decide-[\w-]+\.ts$/.test(file)) decisions.add(file);
        ts.forEachChild(declaration, visit);
      }
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(start, visit);
  return { handler, decisions, texts };
}

/** What runs or holds a text: functions, methods, getters, initialised constants. */
function declarationsOf(name: ts.Identifier): ts.Declaration[] {
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0) symbol = checker.getAliasedSymbol(symbol);
  return (symbol?.declarations ?? []).filter(
    (one) =>
      ts.isFunctionDeclaration(one) ||
      ts.isMethodDeclaration(one) ||
      ts.isGetAccessor(one) ||
      (ts.isVariableDeclaration(one) && one.initializer !== undefined),
  );
}

function tablesOf(service: string): string[] {
  const sources = globSync(`services/${service}/src/postgres/**/*.ts`, { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const made = sources.join('\n').matchAll(/CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?\s*\(/gi);
  return [...new Set([...made].map(([, name = '']) => name))];
}

function openProgram(): ts.Program {
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  };
  const config = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.spec.json'), {}, host);
  if (config === undefined) throw new Error('tsconfig.spec.json could not be read');
  return ts.createProgram(
    config.fileNames.filter((file) => !file.endsWith('.spec.ts')),
    config.options,
  );
}

function serviceOf(path: string): string | undefined {
  return /^services\/([^/]+)\/src\//.exec(path)?.[1];
}

function inService(path: string): string {
  return path.split('/').slice(3).join('/');
}

function list(names: readonly string[]): string {
  return names.length === 0 ? NONE : names.map(code).join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}
