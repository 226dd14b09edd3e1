import { join } from 'node:path';
import type { WarmInterpreter } from '../../sandbox/warm/warm-interpreter.ts';
import { type Compiler, detectCompiler } from './detect-compiler.ts';
import { makeLauncher } from './launcher.ts';
import { type NativeLanguage, NativeProfile } from './native-profile.ts';
import { PrecompiledHeaders } from './precompiled-headers.ts';

export type NativeOptions = {
  /** Compilers to try, by name or path. */
  readonly c: readonly string[];
  readonly cpp: readonly string[];
  /** Folder for precompiled headers; without one there are none. */
  readonly folder?: string;
  /** Most bytes that these may take. */
  readonly maxHeaderBytes: number;
};

/** Told to every compilation: no words but errors, and the macro by which contest programs know a judge. */
const COMMON = ['-O2', '-pipe', '-w', '-pthread', '-DONLINE_JUDGE', '-fmax-errors=3', '-fdiagnostics-color=never'];
const CLANG = COMMON.map((flag) => (flag === '-fmax-errors=3' ? '-ferror-limit=3' : flag));
const SUM =
  '#include <stdio.h>\nint main(void) { int a, b; scanf("%d%d", &a, &b); printf("%d\\n", a + b); return 0; }\n';
const KNOWN_GOOD = { input: '20 22', output: '42' };

/** C and C++, as far as the machine has compilers for them. */
export async function detectNative(options: NativeOptions): Promise<NativeProfile[]> {
  const [c, cpp] = await Promise.all([
    detectCompiler(options.c, ['gnu17', 'gnu11'], { file: 'probe.c', source: SUM }),
    detectCompiler(options.cpp, ['gnu++20', 'gnu++2a', 'gnu++17'], {
      file: 'probe.cpp',
      // Small, and not there without the library of C++.
      source: '#include <new>\nint main() { delete new int; }\n',
    }),
  ]);
  const maker = c ?? cpp;
  if (!maker) return [];
  // Where the launcher can't be made, every run starts by itself.
  const launcher = await makeLauncher(c ?? asC(maker)).catch(() => undefined);
  return [...(c ? [profileOfC(c, launcher)] : []), ...(cpp ? [await profileOfCpp(cpp, launcher, options)] : [])];
}

function profileOfC(compiler: Compiler, launcher: WarmInterpreter | undefined): NativeProfile {
  const language: NativeLanguage = {
    language: 'c',
    flags: flagsOf(compiler),
    libraries: ['-lm'],
    mainFile: 'sol.c',
    isUnit: /\.c$/,
    knownGood: { source: SUM, ...KNOWN_GOOD },
  };
  return new NativeProfile(language, compiler, undefined, launcher);
}

async function profileOfCpp(
  compiler: Compiler,
  launcher: WarmInterpreter | undefined,
  { folder, maxHeaderBytes }: NativeOptions,
): Promise<NativeProfile> {
  const flags = flagsOf(compiler);
  const language: NativeLanguage = {
    language: 'cpp',
    flags,
    libraries: [],
    mainFile: 'sol.cpp',
    isUnit: /\.(cc|cpp|cxx|c\+\+)$/i,
    knownGood: { source: SUM.replace('int main(void)', 'int main()'), ...KNOWN_GOOD },
  };
  const identity = [compiler.version, ...flags].join(' ');
  const headers =
    folder === undefined || compiler.family !== 'gcc'
      ? undefined
      : await PrecompiledHeaders.in(join(folder, 'headers'), [compiler.path, ...flags], identity, maxHeaderBytes);
  return new NativeProfile(language, compiler, headers, launcher);
}

function flagsOf({ standard, family }: Compiler): string[] {
  return [`-std=${standard}`, ...(family === 'clang' ? CLANG : COMMON)];
}

/** A C++ compiler of either family reads a file called `.c` as C++, which the launcher is not. */
function asC(cpp: Compiler): Compiler {
  return { ...cpp, path: cpp.path.replace(/g\+\+/, 'gcc').replace(/clang\+\+/, 'clang') };
}
