import type { PythonProfile } from '../languages/python/python-profile.ts';
import { BubblewrapSandbox } from '../sandbox/bubblewrap/bubblewrap-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { WarmSandbox } from '../sandbox/warm/warm-sandbox.ts';

/** The ways in which a test may run; whatever judges has to judge alike by each. */
export const WAYS: readonly (readonly [string, (python: PythonProfile) => Sandbox])[] = [
  ['an interpreter of its own a test', ({ readOnlyFolders }) => new BubblewrapSandbox({ readOnlyFolders })],
  [
    'a copy of a waiting interpreter a test',
    ({ readOnlyFolders, warm }) =>
      new WarmSandbox({ readOnlyFolders }, [warm], (reason) => {
        throw new Error(`not by a copy: ${reason}`);
      }),
  ],
];
