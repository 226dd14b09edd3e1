import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the console is built to. The same from `src` and from `dist`. */
export const builtConsole = fileURLToPath(new URL('../../../../../clients/console/dist/site/', import.meta.url));

/** Replaced in the page by a fresh nonce with each answer. */
const NONCE_MARK = '__TIDEMARK_NONCE__';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface SiteFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Names with a hash of the content never change. */
  readonly immutable: boolean;
  readonly etag: string;
}

export interface Site {
  /** The page with its policy; undefined while nothing was built. */
  page(): { readonly html: string; readonly policy: string } | undefined;
  /** A file of it by its path below the root. */
  file(path: string): SiteFile | undefined;
}

/** Reads the built console into memory: only what was there is ever served, whatever a request asks for. */
export function loadSite(folder: string): Site {
  const files = new Map<string, SiteFile>();
  for (const path of pathsIn(folder)) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const bytes = readFileSync(join(folder, path));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(path, { bytes, type, immutable: path.startsWith('assets/'), etag });
  }
  const html = files.get('index.html')?.bytes.toString();
  files.delete('index.html');
  return {
    page: () => {
      if (html === undefined) return undefined;
      const nonce = randomBytes(16).toString('base64url');
      return { html: html.replaceAll(NONCE_MARK, nonce), policy: policyWith(nonce) };
    },
    file: (path) => files.get(path),
  };
}

/**
 * Nothing from elsewhere and no script but the console's own files. Styles that the components make carry the nonce:
 * style attributes within the HTML of a statement, had they come through, would be ignored.
 */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

function pathsIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch {
    return [];
  }
}
