import { create } from '@bufbuild/protobuf';
import { MemoryBlobStore, readPayloadText, storePayload } from '@tidemark/blob-store';
import { ProblemContentSchema, ProblemRawSchema } from '@tidemark/proto';
import { normalizeConfig } from '../normalize.config.ts';
import { decideNormalization } from '../on-problem-raw/decide-normalization.ts';
import { normalizeProblem } from '../on-problem-raw/normalize-problem.ts';

/** A case of the written bank of text hazards: a text, or two of which one may be a copy, and how it is to be treated. */
export interface TextCase {
  readonly id: string;
  readonly title: string;
  readonly input: TextInput | readonly TextInput[];
  readonly treatment: {
    readonly action: string;
    readonly flags: readonly string[];
    /** The clean text, where the bank says it to the letter. */
    readonly normalized: string | null;
  };
}

type TextInput = string | { readonly python: string } | { readonly base64: string } | { readonly json: string };

/** How the cleaning code treats a case. */
export interface TextOutcome {
  readonly id: string;
  readonly wanted: string;
  readonly got: string;
  readonly outcome: 'as wanted' | 'differs';
  readonly details: readonly string[];
}

/** @throws TypeError where the line is no case for cleaning */
export function readTextCase(line: string): TextCase {
  const parsed = JSON.parse(line) as TextCase;
  if (typeof parsed.treatment?.action !== 'string' || parsed.input === undefined) {
    throw new TypeError('a case for cleaning has input and treatment');
  }
  return parsed;
}

/** What the bank calls what cleaning notes; the rest of its flags nothing here raises. */
const FLAGS: Readonly<Record<string, string>> = { removed_hidden_tags: 'hidden_text' };
/** What the bank calls the reasons for which `normalize` rejects. */
const REJECTIONS: Readonly<Record<string, string>> = {
  empty_statement: 'empty',
  statement_too_large: 'too_large',
  tests_too_large: 'too_large',
};

/**
 * Cleans a case's text as `normalize` does, with a reference solution beside it so that the text alone decides, and says
 * what differs from the treatment wanted.
 *
 * @param evaluate runs a Python expression and gives what it writes
 */
export async function runTextCase(
  bank: TextCase,
  evaluate: (expression: string) => Promise<Uint8Array>,
): Promise<TextOutcome> {
  const { action, flags, normalized } = bank.treatment;
  const inputs = Array.isArray(bank.input) ? (bank.input as readonly TextInput[]) : [bank.input as TextInput];
  const cleaned = [];
  for (const input of inputs) cleaned.push(await clean(await textOf(input, evaluate)));
  const [first = REFUSED] = cleaned;
  const isSame = cleaned.length > 1 && cleaned.every(({ identity }) => identity !== '' && identity === first.identity);
  const got = {
    action: cleaned.length > 1 ? (isSame ? 'merge_duplicate' : 'keep_separate') : first.action,
    flags: cleaned.length > 1 ? [] : first.flags,
  };
  const wanted = words(action, flags);
  const details = wanted === words(got.action, got.flags) ? [] : [`${wanted} wanted, ${words(got.action, got.flags)}`];
  if (normalized !== null && first.text !== normalized) {
    details.push(
      `text ${JSON.stringify(normalized.slice(0, 100))} wanted, ${JSON.stringify(first.text.slice(0, 100))}`,
    );
  }
  const outcome = details.length === 0 ? 'as wanted' : 'differs';
  return { id: bank.id, wanted, got: words(got.action, got.flags), outcome, details };
}

interface Cleaned {
  readonly action: string;
  readonly flags: readonly string[];
  readonly text: string;
  /** Equal for exact duplicates; empty where there is none. */
  readonly identity: string;
}

const REFUSED: Cleaned = { action: 'reject', flags: ['invalid_utf8'], text: '', identity: '' };

async function clean(source: string | undefined): Promise<Cleaned> {
  // The door refuses bytes that are no UTF-8, and half of a surrogate pair.
  if (source === undefined) return REFUSED;
  if (!source.isWellFormed()) return { ...REFUSED, flags: ['bad_character'] };
  const blobs = new MemoryBlobStore();
  const content = create(ProblemContentSchema, {
    statement: await storePayload(blobs, source),
    solutions: [{ source: await storePayload(blobs, 'print()'), language: 'python', claimedRight: true }],
  });
  const { cleaned, event } = await normalizeProblem(
    create(ProblemRawSchema, { problemId: 'case', version: 1, content }),
    blobs,
  );
  const decision = decideNormalization(cleaned, normalizeConfig.parse({}));
  const statement = event.content?.statement;
  const text = statement === undefined ? '' : await readPayloadText(blobs, statement);
  if (decision.kind === 'rejected') {
    return { action: 'reject', flags: [REJECTIONS[decision.reason] ?? decision.reason], text, identity: '' };
  }
  const flags = [...new Set(event.notes.flatMap(({ code }) => FLAGS[code] ?? []))];
  return { action: flags.length > 0 ? 'accept_with_flag' : 'accept', flags, text, identity: event.identitySha256 };
}

async function textOf(
  input: TextInput,
  evaluate: (expression: string) => Promise<Uint8Array>,
): Promise<string | undefined> {
  if (typeof input === 'string') return input;
  if ('json' in input) {
    const value: unknown = JSON.parse(input.json);
    return typeof value === 'string' ? value : input.json;
  }
  const bytes = 'base64' in input ? Buffer.from(input.base64, 'base64') : await evaluate(input.python);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const words = (action: string, flags: readonly string[]): string => [action, ...[...flags].sort()].join(' ');
