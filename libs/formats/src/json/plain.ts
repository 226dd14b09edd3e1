import type { JsonNode } from './json-node.ts';

/** A number as it was written; it becomes a JavaScript number only where a field is known to be a small one. */
export class JsonNumber {
  constructor(readonly source: string) {}
}

/** A value that is passed on as it was written. */
export class RawJson {
  constructor(readonly node: JsonNode) {}
  /** The exact source text. */
  get text(): string {
    return this.node.text;
  }
}

/** What schemas look at: JavaScript values, with numbers and chosen values kept as written. */
export type Plain = string | boolean | null | JsonNumber | RawJson | Plain[] | { [key: string]: Plain };

/**
 * Turns a node into values for a schema.
 *
 * @param rawAt names, with `[]` for any index, the paths whose values stay {@link RawJson}: `tests.cases[].args`
 */
export function toPlain(node: JsonNode, rawAt: ReadonlySet<string>, path = ''): Plain {
  if (rawAt.has(path)) return new RawJson(node);
  switch (node.kind) {
    case 'object': {
      // Without a prototype, so that a member called `__proto__` is a member like any other.
      const object: { [key: string]: Plain } = Object.create(null) as { [key: string]: Plain };
      for (const { key, value } of node.members) object[key] = toPlain(value, rawAt, path ? `${path}.${key}` : key);
      return object;
    }
    case 'array':
      return node.items.map((item) => toPlain(item, rawAt, `${path}[]`));
    case 'string':
      return node.value;
    case 'number':
      return new JsonNumber(node.text);
    case 'literal':
      return node.text === 'null' ? null : node.text === 'true';
  }
}
