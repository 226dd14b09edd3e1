import { droppingWords, type OuterSettings, quote, surroundingWords, WORK_FOLDER } from '../bubblewrap/command.ts';
import { DRIVER_PATH, INBOX_PATH, SETTINGS_PATH, type WarmInterpreter } from './warm-interpreter.ts';

/** Descriptors of the interpreter that waits: orders in, answers out; then its driver and settings, read once. */
export const ORDERS_FD = 3;
export const ANSWERS_FD = 4;
export const DRIVER_FD = 5;
export const SETTINGS_FD = 6;

/** Room for the stack of any run: the kernel lays out memory once, when the interpreter starts. */
const STACK_KIBIBYTES = 1024 * 1024;

export type WarmSettings = Pick<
  OuterSettings,
  'bwrap' | 'drop' | 'staging' | 'setpriv' | 'enterScript' | 'strayDescriptors' | 'temporaryBytes'
> & {
  /** Host folder of the slot's pipes, and the one that is its idle input and output. */
  readonly inbox: string;
  readonly idle: string;
};

/**
 * The shell line that starts an interpreter which waits. Surroundings and order are those of a single run; it keeps the
 * two capabilities, in its own user namespace, that building the namespaces of its copies needs. Each copy gives them
 * up, and loads the filter, before it runs anything of a submission.
 */
export function warmCommand(interpreter: WarmInterpreter, settings: WarmSettings): [string, ...string[]] {
  const inner = [
    ...droppingWords(settings),
    settings.bwrap,
    ...surroundingWords(interpreter, settings),
    ...['--cap-add', 'CAP_SYS_ADMIN', '--cap-add', 'CAP_SETPCAP'],
    ...['--perms', '0555', '--ro-bind-data', String(DRIVER_FD), DRIVER_PATH],
    ...['--ro-bind-data', String(SETTINGS_FD), SETTINGS_PATH],
    ...['--ro-bind', settings.inbox, INBOX_PATH],
    ...['--remount-ro', '/', '--chdir', WORK_FOLDER],
    '--',
    ...interpreter.argv,
  ];
  const idle = quote(settings.idle);
  const script = [
    `${settings.enterScript} || exit 125`,
    'ulimit -c 0',
    `ulimit -s ${STACK_KIBIBYTES} 2>/dev/null`,
    `exec ${inner.map(quote).join(' ')} 0<>${idle} 1<>${idle}`,
  ].join('; ');
  const strays = settings.strayDescriptors.filter((fd) => fd > SETTINGS_FD).map((fd) => `${fd}>&-`);
  const shell: [string, ...string[]] =
    strays.length === 0
      ? ['/bin/sh', '-c', script]
      : ['/bin/bash', '--norc', '--noprofile', '-c', `exec ${strays.join(' ')}; ${script}`];
  return settings.setpriv === undefined ? shell : [settings.setpriv, '--pdeathsig', 'KILL', ...shell];
}
