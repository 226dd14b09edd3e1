import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SandboxFile } from '../../sandbox/sandbox.ts';
import type {
  AssertSpec,
  CallSpec,
  HarnessReport,
  LanguageProfile,
  PreparedRun,
  SourceUnit,
} from '../language-profile.ts';
import { DRIVER_PATH, framed, type WarmInterpreter } from '../../sandbox/warm/warm-interpreter.ts';
import { PYTHON_HARNESS } from './harness.ts';
import { PYTHON_WARM_DRIVER } from './warm-driver.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const PROGRAM = '/judge/sol.py';
const HARNESS = '/judge/harness.py';
/** A returned value may be as long as an output. */
const REPORT_BYTES = 8 * 1024 * 1024;

// Pinned, so that a verdict does not depend on the machine or the day's hash seed.
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  HOME: '/box',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  PYTHONHASHSEED: '0',
  // numpy and its kin would start a thread a core.
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
};
/** What solutions commonly import. */
const WARM_MODULES =
  'array bisect collections collections.abc copy datetime decimal fractions functools heapq io itertools json math operator os queue random re statistics string sys threading time typing'.split(
    ' ',
  );
/** Measured: what the driver's own level takes. */
const WARM_DEPTH = 1;

/** Says of a run's own surroundings what the check of a sandbox asks. */
const LOOK = [
  'import os',
  'print(open("/proc/self/status").read())',
  'print("Entries:", *("/" + name for name in os.listdir("/")))',
  'print("Interfaces:", sum(":" in line for line in open("/proc/net/dev")))',
  'print("Processes:", *sorted(name for name in os.listdir("/proc") if name.isdigit()))',
  'print("Inbox:", *("/judge/" + name for name in os.listdir("/judge")))',
].join('\n');

const ASK = [
  'import os, site, sys',
  'print(os.path.realpath(sys.executable))',
  'print(os.path.realpath(sys.base_prefix))',
  'print(sys.version.split()[0])',
  'for folder in site.getsitepackages():',
  '    if os.path.isdir(folder): print(os.path.realpath(folder))',
].join('\n');

/**
 * CPython as the system has it, with its standard library alone: installed packages are hidden, since a verdict must
 * not depend on what else the machine's owner uses Python for, and their start-up hooks would run before each program.
 */
export class PythonProfile implements LanguageProfile {
  readonly language = 'python';
  /** What may turn a verdict, beside the version. */
  readonly fingerprint = PYTHON_HARNESS + PYTHON_WARM_DRIVER;
  readonly limitsFactor = 1;
  readonly knownGood = { source: 'print(sum(map(int, input().split())))', input: '20 22', output: '42' };
  readonly readOnlyFolders: readonly string[];
  /** How copies of it are made. */
  readonly warm: WarmInterpreter;

  private constructor(
    private readonly interpreter: string,
    prefix: string,
    readonly version: string,
    private readonly hiddenFolders: readonly string[],
  ) {
    this.readOnlyFolders = prefix === '/usr' || prefix.startsWith('/usr/') ? [] : [prefix];
    this.warm = {
      argv: [...this.words(), DRIVER_PATH],
      environment: ENVIRONMENT,
      readOnlyFolders: this.readOnlyFolders,
      hiddenFolders,
      driver: PYTHON_WARM_DRIVER,
      settings: (shared) =>
        JSON.stringify({
          ...shared,
          modules: WARM_MODULES,
          scripts: { [HARNESS]: PYTHON_HARNESS },
          spareDepth: WARM_DEPTH,
        }),
      job: ({ files: [file] }) => (file === undefined || file.path === HARNESS ? undefined : framed(file.content)),
      look: { path: PROGRAM, content: encoder.encode(LOOK) },
    };
  }

  private words(): [string, ...string[]] {
    return [this.interpreter, '-s', '-B', '-X', 'int_max_str_digits=0'];
  }

  /** Asks the interpreter where it lives. Undefined when there is none, or one older than 3.8. */
  static async detect(interpreter = 'python3'): Promise<PythonProfile | undefined> {
    try {
      const { stdout } = await promisify(execFile)(interpreter, ['-I', '-c', ASK], { timeout: 20_000 });
      const [executable = '', prefix = '', version = '', ...packages] = stdout.trim().split('\n');
      const [major = 0, minor = 0] = version.split('.').map(Number);
      if (major !== 3 || minor < 8 || prefix === '/') return undefined;
      return new PythonProfile(executable, prefix, `CPython ${version}`, packages.filter(Boolean));
    } catch {
      return undefined;
    }
  }

  program(source: string): PreparedRun {
    const { warm, ...prepared } = this.prepared(PROGRAM, source);
    // Some releases end a file at a null byte and refuse a text with one: only a file is what was handed in.
    return warm === undefined || source.includes('\0') ? prepared : { ...prepared, warm };
  }

  call(source: string, call: CallSpec): PreparedRun {
    return this.harnessed({
      kind: 'call',
      program: source,
      entry: call.entry,
      arguments: call.argumentsJson,
      named: call.namedArgumentsJson,
      inPlace: call.inPlaceArgument ?? null,
    });
  }

  asserts(source: string, { script, secret, entry, apart }: AssertSpec): PreparedRun {
    // The tests come behind the program's own job, so that the process can part before it has read them.
    const behind = Buffer.concat([jsonJob({ tests: script, entry }), encoder.encode(secret)]);
    const prepared = this.harnessed({ kind: 'asserts', program: source, apart }, behind);
    return { ...prepared, withoutProc: apart };
  }

  checkSyntax(source: string): PreparedRun {
    return this.harnessed({ kind: 'compile', program: source });
  }

  checker(source: string, input: Uint8Array, output: Uint8Array, expected: Uint8Array): PreparedRun {
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
    const parts = { input: base64(input), output: base64(output), expected: base64(expected) };
    return this.harnessed({ kind: 'check', program: source, ...parts });
  }

  validator(
    { source, files: beside = {} }: SourceUnit,
    _binary: Uint8Array | undefined,
    files: readonly SandboxFile[],
    words: readonly string[],
  ): PreparedRun {
    // What waits knows neither arguments nor further files.
    const { warm: _waiting, ...program } = this.prepared(PROGRAM, source);
    const modules = Object.entries(beside).map(([path, text]) => ({
      path: `/judge/${path}`,
      content: encoder.encode(text),
    }));
    return { ...program, argv: [...program.argv, ...words], files: [...program.files, ...modules, ...files] };
  }

  suggestsCompileError(stderr: string): boolean {
    return /^(SyntaxError|IndentationError|TabError|ValueError: source code)\b/m.test(stderr);
  }

  readReport(report: Uint8Array, secret: string | undefined): HarnessReport {
    const text = decoder.decode(report);
    if (!text.endsWith('\n')) return { kind: 'none' };
    const body = text.slice(1, -1);
    switch (text[0]) {
      case 'V':
        return { kind: 'returned', valueJson: body };
      case 'P':
        return secret !== undefined && body === secret ? { kind: 'asserted' } : { kind: 'none' };
      case 'T':
      case 'F':
        return body === '' ? { kind: 'checked', accepted: text[0] === 'T' } : { kind: 'none' };
      case 'K':
        return body === '' ? { kind: 'compiles' } : { kind: 'none' };
      default:
        return failureOf(text[0] ?? '', body);
    }
  }

  private harnessed(job: Readonly<Record<string, unknown>>, behind: Uint8Array = new Uint8Array()): PreparedRun {
    const input = Buffer.concat([jsonJob(job), behind]);
    return { ...this.prepared(HARNESS, PYTHON_HARNESS), harness: { input, reportBytes: REPORT_BYTES } };
  }

  private prepared(path: string, source: string): PreparedRun {
    return {
      argv: [...this.words(), path],
      environment: ENVIRONMENT,
      readOnlyFolders: this.readOnlyFolders,
      hiddenFolders: this.hiddenFolders,
      files: [{ path, content: encoder.encode(source) }],
      warm: this.warm,
    };
  }
}

function jsonJob(job: Readonly<Record<string, unknown>>): Uint8Array {
  return framed(encoder.encode(JSON.stringify(job)));
}

function failureOf(letter: string, body: string): HarnessReport {
  const failure = parseFailure(body);
  if (!failure) return { kind: 'none' };
  const { what, statement } = failure;
  switch (letter) {
    case 'A':
      return { kind: 'assertion_failed', where: what, statement };
    case 'X':
      return { kind: 'raised', what, statement };
    case 'N':
      return { kind: 'not_plain', what };
    case 'M':
      return { kind: 'missing_name', what };
    case 'C':
      return { kind: 'compile_error', what };
    case 'B':
      return { kind: 'broken_tests', what };
    default:
      return { kind: 'none' };
  }
}

function parseFailure(body: string): { what: string; statement: string } | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return undefined;
    const { what, statement } = value as Record<string, unknown>;
    return typeof what === 'string' && typeof statement === 'string' ? { what, statement } : undefined;
  } catch {
    return undefined;
  }
}
