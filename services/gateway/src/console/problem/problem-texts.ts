import { fromBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { BlobStore, readPayload } from '@tidemark/blob-store';
import { CheckerKind, type Payload, PayloadSchema, type TestCase, TestForm, TestSuiteSchema } from '@tidemark/proto';
import { StageDatabase } from '@tidemark/stage-runtime';
import { openVersion } from '../../explain/open-version.ts';
import type { Caller } from '../../access/caller.ts';
import { WHY_NOT_REVIEWED } from '../../access/reviewing.ts';
import type { TextKind } from '../kept/tables.ts';

/** Most characters of a statement that a page is given. */
const STATEMENT_CHARACTERS = 200_000;
/** Most characters of one part of a test. */
const TEST_CHARACTERS = 4_000;
/** Largest suite that is read for a page. */
const SUITE_BYTES = 64 * 2 ** 20;

export interface CutText {
  readonly text: string;
  /** Characters left out. */
  readonly cut: number;
}

export interface ShownText extends CutText {
  readonly version: number;
  readonly title: string;
  readonly starter_code: string;
  readonly bytes: number;
}

export interface ProblemTexts {
  readonly problem_id: string;
  /** Why nothing is shown; null when it is. */
  readonly withheld: string | null;
  readonly original: ShownText | null;
  readonly cleaned: ShownText | null;
}

export interface ProblemTests {
  readonly problem_id: string;
  readonly withheld: string | null;
  readonly suite_hash: string;
  readonly form: string;
  readonly checker: string;
  readonly entry_point: string;
  readonly setup_code: CutText;
  readonly total: number;
  readonly tests: readonly object[];
}

interface TextRow {
  readonly kind: TextKind;
  readonly version: number;
  readonly payload: Buffer | null;
  readonly details: Readonly<Record<string, string>>;
}

/** The texts of a problem and its judging tests, for those who may see them. */
@Injectable()
export class ProblemTextReader {
  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
  ) {}

  /** Original and cleaned statement. */
  async texts({ mayReview }: Caller, problemId: string): Promise<ProblemTexts> {
    const rows = await this.rows(problemId, ['original', 'cleaned']);
    const open = mayReview ? 'every' : await openVersion(this.database, problemId);
    const isShown = ({ version }: TextRow) => open === 'every' || version === open;
    const isWithheld = open === undefined || (rows.length > 0 && !rows.some(isShown));
    const shown = async (kind: TextKind) => {
      const row = rows.find((candidate) => candidate.kind === kind && isShown(candidate));
      return row === undefined ? null : await this.shown(row);
    };
    return {
      problem_id: problemId,
      withheld: !isWithheld ? null : open === undefined ? NOT_OPEN : NOT_LET_IN_YET,
      original: await shown('original'),
      cleaned: await shown('cleaned'),
    };
  }

  /** A page of the judging suite. */
  async tests(
    { mayReview }: Caller,
    problemId: string,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<ProblemTests> {
    const [row] = await this.rows(problemId, ['suite']);
    const payload = row?.payload ? fromBinary(PayloadSchema, row.payload) : undefined;
    const nothing = {
      problem_id: problemId,
      withheld: null,
      suite_hash: row?.details.suite_hash ?? '',
      form: '',
      checker: '',
      entry_point: '',
      setup_code: cut('', 0),
      total: 0,
      tests: [],
    };
    if (payload === undefined) return nothing;
    if (!mayReview) return { ...nothing, withheld: WHY_NOT_REVIEWED };
    if (payload.sizeBytes > SUITE_BYTES) return { ...nothing, withheld: 'The suite is too large for a page.' };
    const suite = fromBinary(TestSuiteSchema, await readPayload(this.blobs, payload));
    return {
      ...nothing,
      form: TestForm[suite.form].toLowerCase(),
      checker: suite.checker === undefined ? '' : (CheckerKind[suite.checker.kind]?.toLowerCase() ?? ''),
      entry_point: suite.entryPoint,
      setup_code: cut(suite.setupCode, TEST_CHARACTERS),
      total: suite.tests.length,
      tests: suite.tests.slice(offset, offset + limit).map(testJson),
    };
  }

  private rows(problemId: string, kinds: readonly TextKind[]): Promise<TextRow[]> {
    return this.database.query<TextRow>(
      'SELECT kind, version, payload, details FROM kept_text WHERE problem_id = $1 AND kind = ANY ($2::text[])',
      [problemId, kinds],
    );
  }

  private async shown({ version, payload, details }: TextRow): Promise<ShownText> {
    const message: Payload | undefined = payload === null ? undefined : fromBinary(PayloadSchema, payload);
    const bytes = message === undefined ? new Uint8Array() : await readPayload(this.blobs, message);
    return {
      version,
      title: details.title ?? '',
      starter_code: details.starter_code ?? '',
      bytes: bytes.length,
      ...cut(new TextDecoder().decode(bytes), STATEMENT_CHARACTERS),
    };
  }
}

const NOT_OPEN =
  'Only statements on the training side are shown here; this one is held out, withdrawn, or was never let in.';
const NOT_LET_IN_YET = 'A newer version is on its way; its statement is shown when it is let in on the training side.';

const cut = (text: string, limit: number): CutText => ({
  text: text.slice(0, limit),
  cut: Math.max(0, text.length - limit),
});

function testJson({ name, public: isPublic, body }: TestCase): object {
  const text = (bytes: Uint8Array | undefined) =>
    bytes === undefined ? null : cut(new TextDecoder().decode(bytes), TEST_CHARACTERS);
  const common = { name, public: isPublic };
  switch (body.case) {
    case 'stdin':
      return { ...common, kind: 'stdin', input: text(body.value.input), expected: text(body.value.expected) };
    case 'call':
      return {
        ...common,
        kind: 'call',
        input: cut(callText(body.value), TEST_CHARACTERS),
        expected: body.value.expectedJson === undefined ? null : cut(body.value.expectedJson, TEST_CHARACTERS),
      };
    case 'asserts':
      return { ...common, kind: 'asserts', input: cut(body.value.code, TEST_CHARACTERS), expected: null };
    case undefined:
      return { ...common, kind: 'unknown', input: null, expected: null };
  }
}

const callText = (call: {
  argumentsJson: readonly string[];
  namedArgumentsJson: Readonly<Record<string, string>>;
}): string =>
  [...call.argumentsJson, ...Object.entries(call.namedArgumentsJson).map(([name, value]) => `${name}=${value}`)].join(
    ', ',
  );
