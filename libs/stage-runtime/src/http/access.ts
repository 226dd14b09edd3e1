import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';

/** Names and addresses that only this machine reaches. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** Thrown at start: an address that others reach, and nothing that keeps them out. */
export class AccessTokenMissingError extends Error {
  constructor(host: string) {
    super(`HTTP on ${host} can be reached from other machines: set TIDEMARK_ACCESS_TOKEN, or bind to 127.0.0.1`);
    this.name = 'AccessTokenMissingError';
  }
}

/** Compares tokens in a time that depends on neither. */
export function tokenMatches(authorization: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}

export const urlOf = (host: string, port: number): string => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
