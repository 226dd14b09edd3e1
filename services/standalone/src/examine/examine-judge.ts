import { BubblewrapSandbox, detectLanguages, PythonProfile } from '@tidemark/execute';
import type { Variables } from '@tidemark/stage-runtime';
import { Ailment, type Finding, finding } from './finding.ts';

/** What judging needs, tried as `execute` tries it at its start. */
export async function examineJudge(env: Variables): Promise<Finding[]> {
  const interpreter = env.TIDEMARK_EXECUTE_PYTHON || 'python3';
  const { TIDEMARK_EXECUTE_CC: cc, TIDEMARK_EXECUTE_CXX: cxx } = env;
  const [python, languages] = await Promise.all([
    PythonProfile.detect(interpreter),
    detectLanguages({ python: interpreter, ...(cc ? { cc } : {}), ...(cxx ? { cxx } : {}) }),
  ]);
  return [
    await finding('sandbox', 'Everything but judging works without it. docs/operations.md, "The sandbox".', () =>
      sandbox(env, python),
    ),
    python === undefined
      ? {
          check: 'language python',
          ok: false,
          found: `${interpreter} is no CPython 3.8 or newer`,
          todo: 'Install it (sudo apt-get install python3), or name another in TIDEMARK_EXECUTE_PYTHON; until then its problems wait.',
        }
      : { check: 'language python', ok: true, found: python.version },
    ...COMPILED.map(({ language, name, install }): Finding => {
      const check = `language ${language}`;
      const known = languages.find((one) => one.language === language);
      if (known) return { check, ok: true, found: known.version };
      const todo = `Install one for problems in ${name} (${install}); until then these wait, and everything else runs.`;
      return { check, ok: false, found: 'no compiler that works', todo };
    }),
  ];
}

const COMPILED = [
  { language: 'c', name: 'C', install: 'sudo apt-get install gcc libc6-dev' },
  { language: 'cpp', name: 'C++', install: 'sudo apt-get install g++' },
];

async function sandbox(env: Variables, python: PythonProfile | undefined): Promise<string> {
  const { TIDEMARK_EXECUTE_BWRAP: bwrap } = env;
  const tried = new BubblewrapSandbox({
    readOnlyFolders: python?.readOnlyFolders ?? [],
    ...(bwrap ? { bwrap } : {}),
  });
  try {
    const report = await tried.check();
    if (!report.ready) throw new Ailment(report.reason, cureOf(report.reason));
    const measured =
      report.accounting === 'rlimits'
        ? 'measured by limits of processes: control groups cannot be written'
        : `measured by ${report.accounting}`;
    return `${report.isolation}, ${measured}`;
  } finally {
    await tried.close();
  }
}

function cureOf(reason: string): string {
  if (/bubblewrap/.test(reason)) return 'sudo apt-get install bubblewrap (or as your system does).';
  if (/needs Linux/.test(reason))
    return 'Run execute on Linux, in WSL2 or in a Linux container; everything but judging works here.';
  if (/setpriv .*missing/.test(reason)) return 'sudo apt-get install util-linux';
  return 'See docs/operations.md, "The sandbox"; settings that may stand in the way are named behind the reason.';
}
