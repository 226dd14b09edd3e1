import { parse, YAMLError } from 'yaml';
import { settingsOf } from '../package-text.ts';
import { refusal } from '../problem-package.ts';

/** A map of a YAML file. */
export type Settings = Readonly<Record<string, unknown>>;

/** Anchors may be used so often; without a bound a few lines become gigabytes. */
const MOST_ALIASES = 50;

/** @throws PackageRefusal where it is no YAML map */
export function readYaml(path: string, bytes: Uint8Array): Settings {
  const text = settingsOf(path, bytes);
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: MOST_ALIASES, logLevel: 'error', prettyErrors: false });
  } catch (error) {
    const where = error instanceof YAMLError ? ` at character ${error.pos[0] + 1}` : '';
    throw refusal('bad_value', path, `is not YAML${where}`, 'Mend its syntax');
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw refusal('wrong_type', path, 'is not a YAML map', 'Write names and values');
  }
  return value as Settings;
}

export const textIn = (settings: Settings, name: string): string => {
  const value = settings[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

export const mapIn = (settings: Settings, name: string): Settings => {
  const value = settings[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : {};
};

/** A positive number; undefined where there is none. @throws PackageRefusal where it is something else */
export function numberIn(settings: Settings, name: string, path: string): number | undefined {
  const value = settings[name];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && number > 0 && Number.isFinite(number)) return number;
  throw refusal('bad_value', path, `${name} has to be a number above 0`, 'Correct it');
}

/** Words of a flag line, or of a list. */
export function wordsIn(settings: Settings, name: string): readonly string[] {
  const value = settings[name];
  if (Array.isArray(value)) return value.map(String);
  return textIn(settings, name).split(/\s+/).filter(Boolean);
}
