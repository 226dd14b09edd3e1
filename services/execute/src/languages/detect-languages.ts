import type { LanguageProfile } from './language-profile.ts';
import { detectNative } from './native/detect-native.ts';
import { PythonProfile } from './python/python-profile.ts';

/** Every language that can be judged where there is a program for it. */
export const KNOWN_LANGUAGES = ['python', 'c', 'cpp'] as const;

export type LanguageOptions = {
  /** Interpreter, by name or path. Default `python3`. */
  readonly python?: string;
  /** Compilers, by name or path; default: those of GNU, else of LLVM. */
  readonly cc?: string;
  readonly cxx?: string;
  /** Folder for what compilers make beforehand; without one every compilation reads all its headers. */
  readonly folder?: string;
  /** Most bytes of precompiled headers. Default 1 GiB. */
  readonly maxHeaderBytes?: number;
};

/** The languages that this machine has. */
export async function detectLanguages(options: LanguageOptions = {}): Promise<LanguageProfile[]> {
  const { python, cc, cxx, folder, maxHeaderBytes = 1024 ** 3 } = options;
  const [interpreted, native] = await Promise.all([
    PythonProfile.detect(python),
    detectNative({
      c: cc ? [cc] : ['gcc', 'clang'],
      cpp: cxx ? [cxx] : ['g++', 'clang++'],
      maxHeaderBytes,
      ...(folder === undefined ? {} : { folder }),
    }),
  ]);
  return [...(interpreted ? [interpreted] : []), ...native];
}
