import { HARNESS_INPUT_FD, HARNESS_REPORT_FD, type SandboxCommand } from '../sandbox.ts';

/** Descriptors of the outer side; below 10, where the shell leaves them alone. */
export const STATUS_FD = 3;
const SECCOMP_FD = 4;
/** From 10 on a shell hands on what it gets; bubblewrap closes them once it has read them. */
export const FILE_FDS = [5, 6, ...Array.from({ length: 14 }, (_, at) => 10 + at)];

/** The files among what a run is given: the rest are folders. */
export const filesOf = ({ files }: Pick<SandboxCommand, 'files'>) => files.filter(({ path }) => !path.endsWith('/'));
const foldersOf = ({ files }: Pick<SandboxCommand, 'files'>) => files.filter(({ path }) => path.endsWith('/'));

const LAST_DESCRIPTOR = 8;
/** Where the program's errors go while the shell's own go nowhere. */
const SHELL_STDERR_FD = 9;

/** Writable places inside, all on fresh temporary file systems that count as the run's memory. */
export const WORK_FOLDER = '/box';

export type OuterSettings = {
  readonly bwrap: string;
  /** Set when the service is root: the run's host user, and the namespace where unreachable folders are shown. */
  readonly drop?: { readonly uid: number; readonly setpriv: string };
  readonly staging?: { readonly nsenter: string; readonly namespace: string; sourceOf(folder: string): string };
  readonly setpriv: string | undefined;
  readonly enterScript: string;
  readonly innerWords: readonly string[];
  /** What {@link inheritedDescriptors} found. */
  readonly strayDescriptors: readonly number[];
  readonly temporaryBytes: number;
  readonly fileBytes: number;
  readonly stackBytes: number;
  readonly cpuSeconds: number;
};

/**
 * The shell line that runs one command in bubblewrap. `cat` at both ends gives a program real pipes: what Node hands
 * to children are sockets, on which opening /dev/stdin fails.
 *
 * Order: enter the control groups, lower the limits, enter the staging namespace, become the unprivileged user, then
 * bubblewrap with every namespace, then seccomp, then the program.
 */
export function outerCommand(command: SandboxCommand, settings: OuterSettings): [string, ...string[]] {
  const harnessFds = [HARNESS_INPUT_FD, HARNESS_REPORT_FD];
  const all = [STATUS_FD, SECCOMP_FD, ...FILE_FDS.filter((fd) => fd <= LAST_DESCRIPTOR), ...harnessFds];
  const used: number[] = [
    STATUS_FD,
    SECCOMP_FD,
    ...FILE_FDS.slice(0, filesOf(command).length),
    ...(command.harness ? harnessFds : []),
  ];
  const closing = (fds: readonly number[]) => fds.map((fd) => `${fd}>&-`).join(' ');
  const unused = closing(all.filter((fd) => !used.includes(fd)));
  const closed = closing(all);
  const limits = [
    'ulimit -c 0',
    `ulimit -f ${Math.ceil(settings.fileBytes / 512)}`,
    'ulimit -n 256',
    'ulimit -l 64',
    `ulimit -s ${Math.ceil(settings.stackBytes / 1024)}`,
    `ulimit -t ${settings.cpuSeconds}`,
  ];
  // A limit above the hard one of the service itself is refused, and then the lower one stays in force.
  const lowered = limits.map((limit) => `${limit} 2>/dev/null`).join('; ');
  const inner = innerWords(command, settings).map(quote).join(' ');
  const confined = `${settings.enterScript || 'true'} || exit 125; ${lowered}; exec ${inner} ${unused};`;
  // The pipes are root's otherwise, and /dev/stdin could not be opened by name.
  const own = settings.drop && !command.harness ? `chown ${settings.drop.uid} /proc/self/fd/0 /proc/self/fd/1;` : '';
  // A harness answers on its own descriptor: the program's standard input is empty and its output is not judged.
  const judged = `{ ${own} ${confined} } 2>&${SHELL_STDERR_FD} ${SHELL_STDERR_FD}>&-`;
  const pipes = command.harness
    ? `( ${judged}; ); exit`
    : `cat ${closed} | ${judged} | cat ${closed} ${SHELL_STDERR_FD}>&-`;
  // The shell says "Killed" of a bubblewrap that is removed while it ends: no word of the program's.
  const script = `exec ${SHELL_STDERR_FD}>&2 2>/dev/null; ${pipes}`;
  // Only bash can close descriptors of two digits; with a socket for its input it would read the user's start-up file.
  const taken = FILE_FDS.slice(0, filesOf(command).length);
  const strays = settings.strayDescriptors.filter((fd) => fd > LAST_DESCRIPTOR && !taken.includes(fd));
  const shell: [string, ...string[]] =
    strays.length === 0
      ? ['/bin/sh', '-c', script]
      : // By the standard's units of limits, as sh has them.
        ['/bin/bash', '--posix', '--norc', '--noprofile', '-c', `exec ${closing(strays)}; ${script}`];
  // The shell dies with the service, and bubblewrap with the shell.
  return settings.setpriv === undefined ? shell : [settings.setpriv, '--pdeathsig', 'KILL', ...shell];
}

function innerWords(command: SandboxCommand, settings: OuterSettings): string[] {
  return [...droppingWords(settings), settings.bwrap, ...bubblewrapWords(command, settings)];
}

/** Words before bubblewrap: into the staging namespace, and down to the unprivileged user. */
export function droppingWords({ drop, staging }: Pick<OuterSettings, 'drop' | 'staging'>): string[] {
  return [
    ...(staging ? [staging.nsenter, `--mount=${staging.namespace}`] : []),
    ...(drop
      ? [drop.setpriv, '--reuid', `${drop.uid}`, '--regid', `${drop.uid}`, '--clear-groups', '--no-new-privs']
      : []),
  ];
}

function bubblewrapWords(command: SandboxCommand, settings: OuterSettings): string[] {
  return [
    ...surroundingWords(command, settings),
    ...foldersOf(command).flatMap(({ path }) => ['--dir', path.slice(0, -1)]),
    ...filesOf(command).flatMap(({ path, executable }, index) => [
      ...['--perms', executable ? '0555' : '0444'],
      ...['--ro-bind-data', String(FILE_FDS[index]), path],
    ]),
    ...(command.mounts ?? []).flatMap(({ host, path }) => [
      '--ro-bind',
      settings.staging?.sourceOf(host) ?? host,
      path,
    ]),
    ...['--remount-ro', '/', '--chdir', WORK_FOLDER],
    ...['--seccomp', String(SECCOMP_FD), '--json-status-fd', String(STATUS_FD)],
    '--',
    ...settings.innerWords,
    ...command.argv,
  ];
}

/** Namespaces, environment and file systems that every run has, whether it starts its program or is copied from one. */
export function surroundingWords(
  command: Pick<SandboxCommand, 'environment' | 'readOnlyFolders' | 'hiddenFolders' | 'withoutProc'>,
  settings: Pick<OuterSettings, 'staging' | 'temporaryBytes'>,
): string[] {
  const temporary = (path: string) => ['--size', String(settings.temporaryBytes), '--tmpfs', path];
  const sourceOf = (folder: string) => settings.staging?.sourceOf(folder) ?? folder;
  return [
    ...['user', 'pid', 'ipc', 'net', 'uts'].map((namespace) => `--unshare-${namespace}`),
    '--unshare-cgroup-try',
    '--disable-userns',
    ...['--uid', '65534', '--gid', '65534', '--hostname', 'box'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--clearenv', ...Object.entries(command.environment).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...command.readOnlyFolders.flatMap((folder) => ['--ro-bind', sourceOf(folder), folder]),
    ...command.hiddenFolders.flatMap((folder) => ['--size', '4096', '--tmpfs', folder, '--remount-ro', folder]),
    ...(command.withoutProc ? [] : ['--proc', '/proc']),
    ...['--dev', '/dev'],
    ...temporary('/dev/shm'),
    ...['--remount-ro', '/dev'],
    ...temporary('/tmp'),
    ...temporary(WORK_FOLDER),
  ];
}

/** A shell word that means exactly `text`. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
