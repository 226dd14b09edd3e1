/**
 * The console's own files hold nothing of what the gateway knows, and a browser sends no token when it opens an address:
 * with an access token configured they are open, and the page then asks for the token. Without one they are for this
 * machine alone, like everything else.
 */
export function isConsoleFile(method: string, path: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return /^\/(?:favicon\.svg|assets\/[\w.-]+|(?:problems|targets)(?:\/[\w.-]*)?|dead-letters|services)?$/.test(path);
}
