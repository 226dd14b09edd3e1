import type { Warning } from '../../faults.ts';
import { toRecord } from '../to-record.ts';
import { type PackageFiles, type PackageOptions, type ReadPackage, refusal } from '../problem-package.ts';
import { settingsOf } from '../package-text.ts';
import { readData } from './data.ts';
import { mapIn, numberIn, readYaml, type Settings, textIn, wordsIn } from './settings.ts';
import { readStatement } from './statement.ts';
import { readSubmissions } from './submissions.ts';
import { customValidator, defaultValidator } from './validator.ts';

const MEBIBYTE = 1024 * 1024;
const YAML = 'problem.yaml';
/** Of the format where `problem.yaml` says nothing. */
const MEMORY_MIB = 2048;
const OUTPUT_MIB = 8;
const MULTIPLIER = { legacy: 5, newer: 2 };

/**
 * A package of the Kattis format (problem-package-format, legacy and 2023-07), which the ICPC contests share: pass-fail
 * problems of standard input and output.
 *
 * @throws PackageRefusal for what is not supported (interactive, scoring, multi-pass, submit-answer), and what is faulty
 */
export function readKattis(given: PackageFiles, options: PackageOptions): ReadPackage & { kind: 'package' } {
  const settings = readYaml(YAML, given.files.get(YAML) as Uint8Array);
  refuseOtherKinds(settings);
  const limits = mapIn(settings, 'limits');
  const data = readData(given, options.allowMissingTests === true);
  if (data.cases.length === 0) {
    throw refusal('missing_field', 'data', 'holds no test', 'Put tests into data/secret and data/sample');
  }
  const flags = data.validatorFlags ?? wordsIn(settings, 'validator_flags');
  const custom = customValidator(given, flags);
  const wantsCustom = textIn(settings, 'validation').startsWith('custom');
  if (wantsCustom && custom === undefined) {
    throw refusal(
      'missing_field',
      'output_validators',
      'is missing, and problem.yaml says custom',
      'Add the validator',
    );
  }
  const isNewer =
    textIn(settings, 'problem_format_version') !== '' && textIn(settings, 'problem_format_version') !== 'legacy';
  const useCustom = custom !== undefined && (wantsCustom || isNewer);
  const { submissions, warnings } = readSubmissions(given);
  const seconds = timeLimit(given, limits);
  const told: Warning[] = [...data.warnings, ...warnings];
  if (seconds === undefined) {
    told.push({ code: 'unread_file', field: YAML, reason: 'states no time limit' });
  }
  const statement = readStatement(given);
  const source = sourceOf(settings);
  const record = toRecord(
    {
      id: textIn(settings, 'uuid') || given.name,
      title: nameOf(settings) || given.name,
      statement,
      source: source.name,
      url: source.url,
      licence: textIn(settings, 'license'),
      facets: { author: authorOf(settings), keywords: wordsIn(settings, 'keywords').join(' ') },
      cases: data.cases,
      checker: useCustom ? custom : defaultValidator(flags, YAML),
      submissions,
      limits: {
        ...(seconds === undefined ? {} : { cpu_ms: Math.round(seconds * 1000) }),
        memory_bytes: Math.round((numberIn(limits, 'memory', YAML) ?? MEMORY_MIB) * MEBIBYTE),
        output_bytes: Math.round((numberIn(limits, 'output', YAML) ?? OUTPUT_MIB) * MEBIBYTE),
      },
    },
    options,
  );
  return {
    kind: 'package',
    format: 'kattis',
    id: given.name,
    record,
    submissions,
    timing: { limitSeconds: seconds, multiplier: multiplierOf(limits, isNewer) },
    warnings: told,
  };
}

/** @throws PackageRefusal */
function refuseOtherKinds(settings: Settings): void {
  const words = [...wordsIn(settings, 'type'), ...wordsIn(settings, 'validation')];
  const odd = words.find((word) => /^(interactive|multi-?pass|scor\w*|submit-answer)$/.test(word));
  if (odd === undefined) return;
  const what = odd.startsWith('scor') ? 'scoring' : odd;
  throw refusal(
    'unsupported',
    YAML,
    `says that the problem is ${what}`,
    'Problems that are passed or failed by input and output are read; this kind is not judged here',
  );
}

function timeLimit({ files }: PackageFiles, limits: Settings): number | undefined {
  const stated = numberIn(limits, 'time_limit', YAML);
  if (stated !== undefined) return stated;
  for (const [path, pattern] of [
    ['.timelimit', /^\s*([\d.]+)/],
    ['domjudge-problem.ini', /^\s*timelimit\s*=\s*['"]?([\d.]+)/m],
  ] as const) {
    const bytes = files.get(path);
    if (bytes === undefined) continue;
    const seconds = Number(pattern.exec(settingsOf(path, bytes))?.[1]);
    if (seconds > 0) return seconds;
    throw refusal('bad_value', path, 'holds no number of seconds', 'Write the time limit in seconds');
  }
  return undefined;
}

function multiplierOf(limits: Settings, isNewer: boolean): number {
  const newer = numberIn(mapIn(limits, 'time_multipliers'), 'ac_to_time_limit', YAML);
  return newer ?? numberIn(limits, 'time_multiplier', YAML) ?? (isNewer ? MULTIPLIER.newer : MULTIPLIER.legacy);
}

function nameOf(settings: Settings): string {
  const names = mapIn(settings, 'name');
  const [first = ''] = Object.keys(names);
  return textIn(settings, 'name') || textIn(names, 'en') || textIn(names, first);
}

function sourceOf(settings: Settings): { readonly name: string; readonly url: string } {
  const source = settings['source'];
  const [first] = Array.isArray(source) ? (source as unknown[]) : [source];
  const map = mapIn({ first }, 'first');
  return {
    name: textIn({ first }, 'first') || textIn(map, 'name'),
    url: textIn(settings, 'source_url') || textIn(map, 'url'),
  };
}

function authorOf(settings: Settings): string {
  const credits = mapIn(settings, 'credits');
  return textIn(settings, 'author') || textIn(settings, 'credits') || wordsIn(credits, 'authors').join(', ');
}
