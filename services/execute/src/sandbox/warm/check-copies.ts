import { defaultLimits, excerpt, type Limits } from '@tidemark/judging';
import { isolationIn } from '../bubblewrap/check-isolation.ts';
import type { SandboxCommand, SandboxOutcome } from '../sandbox.ts';
import type { WarmInterpreter } from './warm-interpreter.ts';

/** Runs a harmless program as a copy and looks at its isolation from inside. Returns what is wrong, or undefined. */
export async function checkCopies(
  run: (command: SandboxCommand, limits: Limits) => Promise<SandboxOutcome>,
  interpreter: WarmInterpreter,
): Promise<string | undefined> {
  const outcome = await run(
    {
      argv: [interpreter.look.path],
      environment: interpreter.environment,
      readOnlyFolders: interpreter.readOnlyFolders,
      hiddenFolders: interpreter.hiddenFolders,
      files: [interpreter.look],
      stdin: new Uint8Array(),
      warm: interpreter,
    },
    defaultLimits,
  );
  if (outcome.kind === 'sandbox_failure') return outcome.reason;
  const said = new TextDecoder().decode(outcome.stdout);
  // The interpreter's own folders may lie below one of the names looked for.
  const own = interpreter.readOnlyFolders.map((folder) => `/${folder.split('/')[1] ?? ''}`);
  const wrong = isolationIn(
    said.replace(/^Entries:.*$/m, (line) =>
      line
        .split(' ')
        .filter((word) => !own.includes(word))
        .join(' '),
    ),
  );
  if (wrong !== undefined) return `${wrong} (${excerpt(outcome.stderr, 200)})`;
  if (!/^Processes: 1 2$/m.test(said)) return 'a copy sees other processes than its own';
  if (!said.split('\n').includes(`Inbox: ${interpreter.look.path}`)) return 'a copy sees the pipes of its interpreter';
  return undefined;
}
