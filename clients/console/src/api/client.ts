import { authorization } from './token.ts';

/** What went wrong, in the gateway's words: what happened, why, and what to do. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly why: string,
    readonly todo: string,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

const UNREACHABLE = new ApiError(
  0,
  'unreachable',
  'The gateway does not answer.',
  'The connection was refused or broke.',
  'See whether it runs (npm start); the page goes on by itself when it is back.',
);

/** Asks the gateway. @throws ApiError */
export async function ask(
  path: string,
  init: { readonly method?: string; readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const { method = 'GET', body, signal } = init;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: { ...authorization(), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw UNREACHABLE;
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Asks and reads JSON. @throws ApiError */
export async function askJson<T>(path: string, init: Parameters<typeof ask>[1] = {}): Promise<T> {
  const response = await ask(path, init);
  return (await response.json()) as T;
}

/** A path with its query; what is undefined or empty is left out. */
export function pathWith(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  const text = (name: string, otherwise: string) => (typeof body[name] === 'string' ? body[name] : otherwise);
  return new ApiError(
    response.status,
    text('code', 'unknown'),
    text('title', `The gateway answered ${response.status}.`),
    text('why', ''),
    text('do', 'Try again; if it stays, look into the log of the gateway.'),
  );
}
