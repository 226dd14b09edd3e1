import { readFileSync } from 'node:fs';
import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import * as contracts from './index.ts';

interface GoldenRow {
  message: string;
  case: string;
  hex: string;
  json: JsonValue;
}

const golden = readFileSync(new URL('../golden/golden.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as GoldenRow);

const schemas = new Map<string, DescMessage>(
  [...Object.values(contracts), ...Object.values(contracts.trainer)]
    .filter((value): value is DescMessage & typeof value => typeof value === 'object' && 'typeName' in value)
    .filter((value) => (value as { kind: string }).kind === 'message')
    .map((schema) => [schema.typeName, schema]),
);

const schemaOf = (name: string): DescMessage => {
  const schema = schemas.get(name);
  if (schema === undefined) throw new Error(`no generated schema for ${name}`);
  return schema;
};

describe('bytes written by another implementation', () => {
  it('cover every message of the contracts', () => {
    expect(new Set(golden.map((row) => row.message))).toEqual(new Set(schemas.keys()));
  });

  it.each(golden)('$message ($case) is read and written to the byte', ({ message, hex, json }) => {
    const schema = schemaOf(message);
    const bytes = Buffer.from(hex, 'hex');
    const read = fromBinary(schema, bytes);
    expect(Buffer.from(toBinary(schema, read)).toString('hex')).toBe(hex);
    expect(toJson(schema, read)).toEqual(toJson(schema, fromJson(schema, json)));
    expect(Buffer.from(toBinary(schema, fromJson(schema, json))).toString('hex')).toBe(hex);
  });
});

describe('a newer writer', () => {
  it('is not cut down by a hop: unknown fields survive', () => {
    const schema = contracts.ProblemNormalizedSchema;
    const known = toBinary(schema, create(schema, { problemId: 'p', version: 3 }));
    const unknownField = Uint8Array.of(0xfa, 0x3e, 0x03, 0x61, 0x62, 0x63); // field 1007, bytes "abc"
    const hop = fromBinary(schema, Buffer.concat([known, unknownField]));
    hop.revision = 9n;
    const onward = Buffer.from(toBinary(schema, hop)).toString('hex');
    expect(onward).toContain('fa3e03616263');
    expect(fromBinary(schema, Buffer.from(onward, 'hex'))).toMatchObject({ problemId: 'p', version: 3, revision: 9n });
  });

  it('may use an enum value that this reader does not know, and it survives', () => {
    const schema = contracts.AttemptVerdictSchema;
    const bytes = toBinary(schema, create(schema, { index: 1, verdict: 99 as contracts.Verdict }));
    const hop = fromBinary(schema, bytes);
    expect(hop.verdict).toBe(99);
    expect(Buffer.from(toBinary(schema, hop)).toString('hex')).toBe(Buffer.from(bytes).toString('hex'));
  });
});

describe('the committed image', () => {
  it('describes the same messages as the generated code', () => {
    const image = readFileSync(new URL('../image.binpb', import.meta.url));
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
    for (const name of schemas.keys()) expect(registry.getMessage(name)?.typeName).toBe(name);
  });
});
