/** Who may speak to the gateway: a pure function of what a request says of itself. */

export interface AccessRequest {
  /** `Host` header. */
  readonly host: string | undefined;
  /** `Origin` header: set by browsers. */
  readonly origin: string | undefined;
  /** `Authorization` header. */
  readonly authorization: string | undefined;
  /** The address of this machine that the connection came in on. */
  readonly localAddress: string | undefined;
}

export type Access =
  | { readonly kind: 'allowed' }
  | {
      readonly kind: 'refused';
      readonly status: 401 | 403;
      readonly code: string;
      readonly what: string;
      readonly todo: string;
    };

/**
 * With a token configured every request must carry it. Without one the gateway is for this machine alone: a connection
 * from elsewhere is refused, and so is a browser page of another site, which would reach loopback by its own `Origin`
 * or by a name of its own that resolves to 127.0.0.1.
 *
 * @param tokenMatches compares the token given with the one configured, in constant time; undefined without a token
 */
export function decideAccess(request: AccessRequest, tokenMatches: ((given: string) => boolean) | undefined): Access {
  if (tokenMatches !== undefined) return decideByToken(request, tokenMatches);
  if (request.localAddress !== undefined && !isLoopbackAddress(request.localAddress)) {
    return refused(
      403,
      'loopback_only',
      'This gateway has no access token and answers on loopback alone.',
      'Start it with an access token.',
    );
  }
  if (request.host !== undefined && !isLoopbackName(hostNameOf(request.host))) {
    return refused(
      403,
      'foreign_host',
      'The Host header does not name this machine.',
      'Ask for localhost or 127.0.0.1, or start the gateway with an access token.',
    );
  }
  if (request.origin !== undefined && !isLoopbackOrigin(request.origin)) {
    return refused(
      403,
      'foreign_origin',
      'A page of another site may not speak to this gateway.',
      'Open the page from this machine, or start the gateway with an access token.',
    );
  }
  return { kind: 'allowed' };
}

function decideByToken(request: AccessRequest, tokenMatches: (given: string) => boolean): Access {
  const given = /^Bearer +(.+)$/i.exec(request.authorization ?? '')?.[1];
  if (given === undefined) {
    return refused(
      401,
      'token_missing',
      'This gateway wants an access token.',
      'Send the header "Authorization: Bearer <token>" (the command line reads TIDEMARK_ACCESS_TOKEN).',
    );
  }
  if (tokenMatches(given)) return { kind: 'allowed' };
  return refused(
    401,
    'token_wrong',
    'The access token is not the one that this gateway was started with.',
    'Check the token.',
  );
}

const refused = (status: 401 | 403, code: string, what: string, todo: string): Access => ({
  kind: 'refused',
  status,
  code,
  what,
  todo,
});

/** The name in a `Host` header, without port and brackets. */
function hostNameOf(host: string): string {
  return host.startsWith('[') ? host.slice(1, host.indexOf(']')) : (host.split(':', 1)[0] ?? '');
}

function isLoopbackOrigin(origin: string): boolean {
  try {
    return isLoopbackName(new URL(origin).hostname.replace(/^\[|\]$/g, ''));
  } catch {
    return false;
  }
}

const isLoopbackName = (name: string): boolean => name.toLowerCase() === 'localhost' || isLoopbackAddress(name);

/** True for 127.0.0.0/8 and ::1, also as an IPv4 address within IPv6. */
function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}
