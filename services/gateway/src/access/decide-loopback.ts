/** Who may speak to a gateway without a token: a pure function of what a request says of itself. */

export interface LoopbackRequest {
  /** `Host` header; of gRPC `:authority`. */
  readonly host: string | undefined;
  /** `Origin` header: set by browsers. */
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site` header: set by browsers, also where they send no `Origin`. */
  readonly fetchSite: string | undefined;
  /** The address of this machine that the connection came in on. */
  readonly localAddress: string | undefined;
}

export type Loopback =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly code: string; readonly what: string; readonly todo: string };

/**
 * Without a token the gateway is for this machine alone: a connection from elsewhere is refused, and so is a browser
 * page of another site, which would reach loopback by its own `Origin`, by a picture's or script's address, or by a name
 * of its own that resolves to 127.0.0.1.
 */
export function decideLoopback(request: LoopbackRequest): Loopback {
  if (request.localAddress !== undefined && !isLoopbackAddress(request.localAddress)) {
    return refused(
      'loopback_only',
      'This gateway has no access token and answers on loopback alone.',
      'Start it with an access token.',
    );
  }
  if (request.host !== undefined && !isLoopbackName(hostNameOf(request.host))) {
    return refused(
      'foreign_host',
      'The Host header does not name this machine.',
      'Ask for localhost or 127.0.0.1, or start the gateway with an access token.',
    );
  }
  const foreignOrigin = request.origin !== undefined && !isLoopbackOrigin(request.origin);
  if (foreignOrigin || request.fetchSite?.toLowerCase() === 'cross-site') {
    return refused(
      'foreign_origin',
      'A page of another site may not speak to this gateway.',
      'Open the page from this machine, or start the gateway with an access token.',
    );
  }
  return { kind: 'allowed' };
}

const refused = (code: string, what: string, todo: string): Loopback => ({ kind: 'refused', code, what, todo });

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
