import { createHash } from 'node:crypto';
import { excerpt, type Judgement, type Limits } from '@tidemark/judging';
import type { SandboxFile } from '../../sandbox/sandbox.ts';
import type { WarmInterpreter } from '../../sandbox/warm/warm-interpreter.ts';
import type { Build, HarnessReport, LanguageProfile, PreparedRun, SourceUnit } from '../language-profile.ts';
import type { Compiler } from './detect-compiler.ts';
import { leadingHeaders } from './leading-headers.ts';
import { PROGRAM_PATH } from './launcher.ts';
import type { PrecompiledHeaders } from './precompiled-headers.ts';

const encoder = new TextEncoder();
const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: '/box', LANG: 'C.UTF-8', TZ: 'UTC' };
/** Where precompiled headers are seen inside. */
const HEADERS_PATH = '/judge/headers';
const LARGEST_BINARY_BYTES = 32 * 1024 * 1024;

/**
 * What one compilation may use; a source that needs more does not compile. Time and memory are those of contest judges
 * (a typical source takes a tenth of them); the file limit of every run, 64 MiB, holds too.
 */
const COMPILE_LIMITS: Limits = {
  cpuTimeMs: 20_000,
  wallTimeMs: 60_000,
  memoryBytes: 1024 * 1024 * 1024,
  outputBytes: 64 * 1024,
  processes: 64,
};

export type NativeLanguage = {
  readonly language: 'c' | 'cpp';
  readonly flags: readonly string[];
  /** Behind the sources: what is linked. */
  readonly libraries: readonly string[];
  readonly mainFile: string;
  /** Names of further files that are compiled on their own. */
  readonly isUnit: RegExp;
  readonly knownGood: LanguageProfile['knownGood'];
};

/** C or C++ by the compiler that the machine has: compiled once in the sandbox, then run there as often as needed. */
export class NativeProfile implements LanguageProfile {
  readonly language;
  readonly version;
  readonly fingerprint;
  readonly limitsFactor = 1;
  readonly readOnlyFolders: readonly string[];
  readonly knownGood;

  /** @param warm the launcher, where there is one */
  constructor(
    private readonly of: NativeLanguage,
    private readonly compiler: Compiler,
    private readonly headers: PrecompiledHeaders | undefined,
    readonly warm: WarmInterpreter | undefined,
  ) {
    this.language = of.language;
    this.version = compiler.version;
    this.fingerprint = [...of.flags, ...of.libraries].join(' ');
    this.knownGood = of.knownGood;
    // Its runs need none; its compilations see the headers.
    this.readOnlyFolders = headers ? [headers.folder] : [];
  }

  build({ source, files = {} }: SourceUnit): Promise<Build> {
    const all: [string, string][] = [[this.of.mainFile, source], ...Object.entries(files)];
    for (const [path] of all) if (!isInside(path)) throw new RangeError(`no path within a folder: ${path}`);
    const identity = [this.version, this.fingerprint, all];
    const id = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
    const units = all.map(([path]) => path).filter((path) => path === this.of.mainFile || this.of.isUnit.test(path));
    const header = this.headers?.find(leadingHeaders(source));
    // Precompiled headers serve one unit; with several the others would get what they never asked for.
    const include = header === undefined || units.length > 1 ? [] : ['-include', `${HEADERS_PATH}/${header}`];
    const contents = all.map(([path, text]) => ({ path, bytes: encoder.encode(text) }));
    const command = [
      this.compiler.path,
      ...this.of.flags,
      ...include,
      ...['-o', '/box/.out', ...units, ...this.of.libraries],
    ];
    const script = [
      ...contents.map(({ path, bytes }) => {
        const folder = path.includes('/') ? `mkdir -p ${quote(path.slice(0, path.lastIndexOf('/')))} && ` : '';
        return `${folder}head -c ${bytes.length} <&7 >${quote(path)} || exit 3`;
      }),
      `exec 7<&-`,
      `${command.map(quote).join(' ')} 8>&- || exit 1`,
      `[ "$(wc -c </box/.out)" -le ${LARGEST_BINARY_BYTES} ] || { echo 'error: the program is larger than 32 MiB' >&2; exit 1; }`,
      'exec cat /box/.out >&8',
    ].join('\n');
    const prepared: PreparedRun = {
      argv: ['/bin/sh', '-c', script],
      environment: { ...ENVIRONMENT, TMPDIR: '/tmp' },
      readOnlyFolders: [],
      hiddenFolders: [],
      files: [],
      ...(this.headers && include.length > 0 ? { mounts: [{ host: this.headers.folder, path: HEADERS_PATH }] } : {}),
      harness: { input: Buffer.concat(contents.map(({ bytes }) => bytes)), reportBytes: LARGEST_BINARY_BYTES },
    };
    return Promise.resolve({ id, prepared, limits: COMPILE_LIMITS });
  }

  /** Resolves when the headers whose making was begun are there. */
  async headersSettled(): Promise<void> {
    await this.headers?.settled();
  }

  readRefusal({ source }: SourceUnit, stderr: string): Judgement {
    if (/undefined reference to [`']main'/.test(stderr) && !/\bmain\b/.test(source)) {
      return { verdict: 'wrong_form', detail: 'defines no main: a whole program was asked for' };
    }
    const lines = stderr.split('\n');
    const said =
      lines.find((line) => /\berror: /.test(line)) ?? lines.find((line) => /undefined reference|ld:/.test(line));
    return { verdict: 'compile_error', detail: excerpt(said ?? lines.find((line) => line.trim() !== '') ?? '', 300) };
  }

  program(_source: string, binary?: Uint8Array): PreparedRun {
    if (binary === undefined) throw new TypeError(`${this.language} has to be compiled first`);
    return {
      argv: [PROGRAM_PATH],
      environment: ENVIRONMENT,
      readOnlyFolders: [],
      hiddenFolders: [],
      files: [{ path: PROGRAM_PATH, content: binary, executable: true }],
      ...(this.warm ? { warm: this.warm } : {}),
    };
  }

  validator(
    { source }: SourceUnit,
    binary: Uint8Array | undefined,
    files: readonly SandboxFile[],
    words: readonly string[],
  ): PreparedRun {
    const program = this.program(source, binary);
    return { ...program, argv: [...program.argv, ...words], files: [...program.files, ...files] };
  }

  readReport(): HarnessReport {
    return { kind: 'none' };
  }

  suggestsCompileError(): boolean {
    return false;
  }
}

/** A relative path that leads to a file below the folder it starts from, and is no option. */
function isInside(path: string): boolean {
  const parts = path.split('/');
  return (
    parts.every((part) => part !== '' && part !== '.' && part !== '..') && !path.startsWith('-') && !path.includes('\0')
  );
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
