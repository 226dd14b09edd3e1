import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonNode, readValidJson } from './json-node.ts';

function valueOf(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.members.map((member) => [member.key, valueOf(member.value)]));
    case 'array':
      return node.items.map(valueOf);
    case 'string':
      return node.value;
    default:
      return JSON.parse(node.text);
  }
}

describe('reading JSON with its source', () => {
  it('finds the values that JSON.parse finds, at any indentation', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t', '\r\n'), (value, indent) => {
        const text = ` ${JSON.stringify(value, null, indent)}\n`;
        expect(valueOf(readValidJson(text, 1000))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps the source of every value', () => {
    const node = readValidJson('{"a": [1.50, "\\u00e9\\"" ] }', 9);
    expect(node.text).toBe('{"a": [1.50, "\\u00e9\\"" ] }');
    const list = node.kind === 'object' ? node.members[0]?.value : undefined;
    expect(list?.text).toBe('[1.50, "\\u00e9\\"" ]');
    expect(list?.kind === 'array' && list.items.map((item) => item.text)).toEqual(['1.50', '"\\u00e9\\""']);
  });
});
