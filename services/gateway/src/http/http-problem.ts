/** Where in the request a fault lies and what was wrong there. */
export interface FieldFault {
  /** `body.sampling.temperature`, `query.limit`, `line 7`. */
  readonly where: string;
  readonly why: string;
}

export interface HttpProblemDetails {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** Stable code in snake_case; `type` is `urn:tidemark:problem:<code>`. */
  readonly code: string;
  /** What is wrong, one sentence. */
  readonly what: string;
  readonly faults?: readonly FieldFault[];
  /** What the caller can do about it, one sentence. */
  readonly todo: string;
  /** Seconds after which trying again makes sense. */
  readonly retryAfterSeconds?: number;
}

/** An error that a caller is told of: what, where, why, and what to do (RFC 9457). */
export class HttpProblem extends Error {
  constructor(
    readonly details: HttpProblemDetails,
    options?: ErrorOptions,
  ) {
    super(details.what, options);
    this.name = 'HttpProblem';
  }
}

/** The body of an `application/problem+json` answer. Never holds a stack trace. */
export function problemJson({ status, code, what, faults, todo }: HttpProblemDetails, instance: string): object {
  return {
    type: `urn:tidemark:problem:${code}`,
    title: what,
    status,
    code,
    where: faults?.[0]?.where ?? instance,
    why: faults?.[0]?.why ?? what,
    do: todo,
    instance,
    ...(faults !== undefined && faults.length > 1 && { faults }),
  };
}

/** 404 for a thing that a caller named. */
export const notFound = (kind: string, name: string, todo: string): HttpProblem =>
  new HttpProblem({
    status: 404,
    code: `unknown_${kind.replaceAll(' ', '_')}`,
    what: `There is no ${kind} ${JSON.stringify(name)}.`,
    todo,
  });

/** 422 for content that was understood and can't be used. */
export const unusable = (what: string, faults: readonly FieldFault[], todo: string): HttpProblem =>
  new HttpProblem({ status: 422, code: 'unusable_content', what, faults, todo });

/** 409 for what contradicts what is there. */
export const conflict = (code: string, what: string, todo: string): HttpProblem =>
  new HttpProblem({ status: 409, code, what, todo });

/** 413 for a body above its limit. */
export const tooLarge = (what: string, limitBytes: number, todo: string): HttpProblem =>
  new HttpProblem({
    status: 413,
    code: 'too_large',
    what: `${what} is above the limit of ${limitBytes} bytes.`,
    todo,
  });
