import { defaultLimits, excerpt } from '@tidemark/judging';
import type { Sandbox } from '../sandbox.ts';

const decoder = new TextDecoder();

/** What must hold inside, by lines of /proc/self/status. */
const EXPECTED: readonly (readonly [RegExp, string])[] = [
  [/^Uid:\s+65534\s/m, 'the program does not run as nobody'],
  [/^CapEff:\s+0+$/m, 'the program has capabilities'],
  [/^CapBnd:\s+0+$/m, 'the program can gain capabilities'],
  [/^NoNewPrivs:\s+1$/m, 'the program can gain privileges'],
  [/^Seccomp:\s+2$/m, 'no seccomp filter is in force'],
];

/** Runs a harmless command and looks at its isolation from inside. Returns what is wrong, or undefined. */
export async function checkIsolation(sandbox: Sandbox): Promise<string | undefined> {
  const outcome = await sandbox.run(
    {
      argv: [
        '/bin/sh',
        '-c',
        'cat /proc/self/status; echo "Entries: $(echo /* | tr / " ")"; echo "Interfaces: $(grep -c : /proc/net/dev)"',
      ],
      environment: { PATH: '/usr/bin:/bin' },
      readOnlyFolders: [],
      hiddenFolders: [],
      files: [],
      stdin: new Uint8Array(),
    },
    defaultLimits,
  );
  if (outcome.kind === 'sandbox_failure') return outcome.reason;
  const said = decoder.decode(outcome.stdout);
  const wrong = isolationIn(said);
  return wrong === undefined ? undefined : `${wrong} (${excerpt(outcome.stderr, 200)})`;
}

/** What a run said of itself: its status, `Entries:` of the root folder, `Interfaces:`. Returns what is wrong. */
export function isolationIn(said: string): string | undefined {
  const wrong = EXPECTED.find(([pattern]) => !pattern.test(said));
  if (wrong) return wrong[1];
  if (!/^Interfaces: 1$/m.test(said)) return 'the program sees a network interface besides loopback';
  if (/^Entries:.*\b(etc|root|home|work|sys)\b/m.test(said)) return 'the program sees folders of the host';
  return undefined;
}
