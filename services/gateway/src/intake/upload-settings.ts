import type { ProblemDefaults } from '@tidemark/formats';
import { OriginKind } from '@tidemark/proto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unusable } from '../http/http-problem.ts';

const ORIGINS = { real: OriginKind.REAL, synthetic: OriginKind.SYNTHETIC, unknown: OriginKind.UNKNOWN } as const;

const schema = z.object({
  format: z.string().max(100).default(''),
  namespace: z.string().max(200).default(''),
  origin: z.enum(['real', 'synthetic', 'unknown']).optional(),
  licence: z.string().max(200).default(''),
  source_file: z.string().max(500).default(''),
  /** Names the upload: two uploads with different keys are two, also when their bytes are equal. */
  idempotency_key: z.string().min(1).max(200).optional(),
  /** Of a package: tests that it names and does not hold are left out. */
  missing_tests: z.enum(['refuse', 'allow']).default('refuse'),
});

/** What a submitter says of all records of an upload. */
export interface RecordSettings {
  readonly format: string;
  readonly namespace: string;
  readonly originKind: OriginKind;
  readonly licence: string;
  readonly sourceFile: string;
  /** The same for the parser of problems. */
  readonly defaults: ProblemDefaults;
}

/** With what names the upload. */
export interface NamedSettings extends RecordSettings {
  readonly idempotencyKey: string | undefined;
  /** A problem package may lack tests that it names. */
  readonly allowMissingTests: boolean;
}

/** What a submitter says of a whole upload: in the query, or in a header `tidemark-<name>`. */
export interface UploadSettings extends NamedSettings {
  /** One JSON text as the whole body, in place of one a line. */
  readonly single: boolean;
}

/** @throws HttpProblem 422 for a setting that can't be used */
export function readUploadSettings(request: FastifyRequest): UploadSettings {
  const query = (request.query ?? {}) as Readonly<Record<string, unknown>>;
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((name) => {
      const headerName = name === 'idempotency_key' ? 'idempotency-key' : `tidemark-${name.replaceAll('_', '-')}`;
      return [name, query[name] ?? header(headerName)];
    }),
  );
  return {
    ...settingsOf(given, 'query'),
    single: /^application\/json\b/i.test(request.headers['content-type'] ?? ''),
  };
}

/** @param place where the settings stand, for faults @throws HttpProblem 422 */
export function settingsOf(given: Readonly<Record<string, unknown>>, place: string): NamedSettings {
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => ({
      where: [place, ...path.map(String)].join('.'),
      why: message,
    }));
    throw unusable(
      "The upload's settings can't be used.",
      faults,
      'Correct the settings named and send the upload again.',
    );
  }
  const { origin, source_file, idempotency_key, missing_tests, ...rest } = parsed.data;
  return {
    ...rest,
    originKind: origin === undefined ? OriginKind.UNSPECIFIED : ORIGINS[origin],
    sourceFile: source_file,
    idempotencyKey: idempotency_key,
    allowMissingTests: missing_tests === 'allow',
    defaults: {
      ...(rest.namespace !== '' && { namespace: rest.namespace }),
      ...(rest.licence !== '' && { licence: rest.licence }),
      ...(origin !== undefined && { originKind: origin }),
    },
  };
}
