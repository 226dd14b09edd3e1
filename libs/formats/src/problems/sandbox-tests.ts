import { Unzlib } from 'fflate';
import type { Fault } from '../faults.ts';
import { type JsonNode, readValidJson } from '../json/json-node.ts';
import { limits } from '../limits.ts';
import { type PlainPickle, readPlainPickle, UnsafePickleError } from './plain-pickle.ts';
import type { RecordTests } from './problem-record.ts';

/** Tests of a row and the function that they call, or what is wrong with them. */
export type ReadTests =
  | { readonly kind: 'read'; readonly tests: RecordTests; readonly entryPoint: string }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] };

type StdinCases = Extract<RecordTests, { form: 'stdin' }>['cases'];

/** @param field in which the tests stand */
export function faultyTests(code: Fault['code'], field: string, reason: string): ReadTests & { kind: 'faulty' } {
  return {
    kind: 'faulty',
    faults: [{ code, field, reason, advice: 'docs/formats.md says how its publisher writes it' }],
  };
}

/** Tests by standard input, compared token by token as the graders of these sets do. */
export function stdinTests(cases: readonly { readonly input: string; readonly expected: string }[]): ReadTests {
  const all: StdinCases = cases.map(({ input, expected }) => ({ input, expected, example: false, name: undefined }));
  return {
    kind: 'read',
    tests: { form: 'stdin', checker: { kind: 'tokens', ignoreCase: false }, cases: all },
    entryPoint: '',
  };
}

/** `[{"input": {"stdin": …}, "output": {"stdout": …}}]`, as JSON text: the form of CodeContests rows. */
export function readStdinTests(text: string, field: string): ReadTests {
  const list = jsonOf(text);
  if (list?.kind !== 'array') return faultyTests('wrong_type', field, 'is no JSON text of a list');
  const cases = list.items.map((item) => ({
    input: textIn(memberIn(item, 'input'), 'stdin'),
    expected: textIn(memberIn(item, 'output'), 'stdout'),
  }));
  const bad = cases.findIndex(({ input, expected }) => input === undefined || expected === undefined);
  if (bad >= 0) return faultyTests('missing_field', `${field}[${bad}]`, 'has no input.stdin or no output.stdout');
  return stdinTests(cases as { input: string; expected: string }[]);
}

/**
 * Base64 of a zlib stream of a pickle of `{"input_output": JSON text}`: the form of LiveCodeBench rows. Nothing of the
 * pickle is run. With `fn_name` the inputs are JSON values, an argument a line.
 */
export function readPackedTests(text: string, field: string): ReadTests {
  const bytes = unpacked(text);
  if (typeof bytes === 'string') return faultyTests('bad_value', field, bytes);
  let pickle: PlainPickle;
  try {
    pickle = readPlainPickle(bytes);
  } catch (error) {
    if (error instanceof UnsafePickleError && error.opcode !== 0) {
      return faultyTests('unsupported', field, 'is a pickle of more than plain data, which could run code');
    }
    return faultyTests('bad_value', field, 'holds no pickle');
  }
  const written = pickle instanceof Map ? pickle.get('input_output') : pickle;
  const json = typeof written === 'string' ? jsonOf(written) : undefined;
  const [inputs, outputs] = [listIn(json, 'inputs'), listIn(json, 'outputs')];
  if (inputs === undefined || inputs.length !== outputs?.length) {
    return faultyTests('bad_value', field, 'holds no inputs with as many outputs');
  }
  const name = textIn(json, 'fn_name');
  return name === undefined || name === '' ? printed(inputs, outputs, field) : called(name, inputs, outputs, field);
}

function printed(inputs: readonly JsonNode[], outputs: readonly JsonNode[], field: string): ReadTests {
  const cases = inputs.map((input, at) => ({
    input: input.kind === 'string' ? input.value : undefined,
    expected: valueOf(outputs[at]),
  }));
  if (cases.some(({ input, expected }) => input === undefined || expected === undefined)) {
    return faultyTests('wrong_type', field, 'holds inputs or outputs that are no texts');
  }
  return stdinTests(cases as { input: string; expected: string }[]);
}

function called(name: string, inputs: readonly JsonNode[], outputs: readonly JsonNode[], field: string): ReadTests {
  const cases = [];
  for (const [at, input] of inputs.entries()) {
    const values =
      input.kind === 'string'
        ? input.value
            .split('\n')
            .filter((line) => line.trim() !== '')
            .map(jsonOf)
        : [];
    const output = valueOf(outputs[at]);
    // The publisher writes a value as JSON text, some rows as the value itself.
    const expected =
      (output === undefined ? undefined : jsonOf(output)) ?? (outputs[at]?.kind === 'string' ? undefined : outputs[at]);
    if (values.length === 0 || values.some((value) => value === undefined) || expected === undefined) {
      return faultyTests('bad_value', `${field}[${at}]`, 'holds arguments or a value that are no JSON');
    }
    const args = values.map((value) => (value as JsonNode).text);
    cases.push({ arguments: args, namedArguments: {}, expected: expected.text, inPlace: undefined, example: false });
  }
  return { kind: 'read', tests: { form: 'call', checker: { kind: 'json', abs: 0, rel: 0 }, cases }, entryPoint: name };
}

/** @returns what is wrong, in words, where it can't be unpacked */
function unpacked(text: string): Uint8Array | string {
  let packed: Uint8Array;
  try {
    packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return 'is no base64';
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  try {
    const inflate = new Unzlib((chunk, final) => {
      size += chunk.length;
      if (size > limits.recordBytes) throw new RangeError('too large');
      parts.push(chunk.slice());
      ended ||= final;
    });
    // A little at a time, so that a bomb is stopped before it has unpacked.
    for (let at = 0; at < packed.length; at += 4096)
      inflate.push(packed.subarray(at, at + 4096), at + 4096 >= packed.length);
  } catch (error) {
    return error instanceof RangeError ? `unpacks to more than ${limits.recordBytes} bytes` : 'is no zlib stream';
  }
  if (!ended) return 'is a zlib stream that was cut off';
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** JSON with its numbers as they were written; undefined where it is none. */
export function jsonOf(text: string): JsonNode | undefined {
  try {
    JSON.parse(text);
    return readValidJson(text.trim(), limits.jsonDepth);
  } catch {
    return undefined;
  }
}

function memberIn(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === 'object' ? node.members.find((member) => member.key === key)?.value : undefined;
}

export function textIn(node: JsonNode | undefined, key: string): string | undefined {
  const value = memberIn(node, key);
  return value?.kind === 'string' ? value.value : undefined;
}

function listIn(node: JsonNode | undefined, key: string): readonly JsonNode[] | undefined {
  const value = memberIn(node, key);
  return value?.kind === 'array' ? value.items : undefined;
}

const valueOf = (node: JsonNode | undefined): string | undefined => (node?.kind === 'string' ? node.value : node?.text);
