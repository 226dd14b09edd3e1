import { refusal } from './problem-package.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const SETTINGS_BYTES = 256 * 1024;

/** A file's text, without a byte order mark. @throws PackageRefusal where it is no UTF-8 or holds a NUL */
export function textOf(path: string, bytes: Uint8Array): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw refusal(
      'invalid_utf8',
      path,
      'holds bytes that are not UTF-8',
      'Save the file as UTF-8; other bytes are not read',
    );
  }
  if (text.includes('\0')) {
    throw refusal('bad_character', path, 'holds a NUL character', 'Remove it at the source; no record can hold it');
  }
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** {@link textOf} of a file of settings, which are small. @throws PackageRefusal */
export function settingsOf(path: string, bytes: Uint8Array): string {
  if (bytes.length > SETTINGS_BYTES) {
    throw refusal('too_large', path, `has ${bytes.length} bytes, more than ${SETTINGS_BYTES}`, 'Settings are small');
  }
  return textOf(path, bytes);
}

/** Order of names as people count: `test2` before `test10`. */
export function byName(a: string, b: string): number {
  const parts = (name: string): readonly string[] => name.match(/\d+|\D+/g) ?? [];
  const [x, y] = [parts(a), parts(b)];
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    const [p, q] = [x[at] as string, y[at] as string];
    if (p === q) continue;
    const [m, n] = [Number(p), Number(q)];
    if (!Number.isNaN(m) && !Number.isNaN(n) && m !== n) return m - n;
    return p < q ? -1 : 1;
  }
  return x.length - y.length || (a < b ? -1 : Number(a > b));
}
