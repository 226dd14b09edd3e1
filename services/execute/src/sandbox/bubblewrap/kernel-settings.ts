import { readFileSync } from 'node:fs';

/** What the kernel and the container allow, as far as it can be read; undefined where this kernel has no such setting. */
export interface KernelFacts {
  /** `user.max_user_namespaces`: how many user namespaces may be. */
  readonly maxUserNamespaces: number | undefined;
  /** `kernel.unprivileged_userns_clone` of Debian's older kernels: 0 forbids user namespaces. */
  readonly unprivilegedUsernsClone: number | undefined;
  /** `kernel.apparmor_restrict_unprivileged_userns` of Ubuntu from 24.04 on: 1 takes their capabilities away. */
  readonly apparmorRestrictsUserns: number | undefined;
  /** Profile that holds this process, for example `docker-default (enforce)`. */
  readonly apparmorProfile: string | undefined;
  /** `Seccomp` of /proc/self/status: 2 where a filter of the container is in force. */
  readonly seccompMode: number | undefined;
  /** Paths below /proc that the container covers. */
  readonly coveredProcPaths: readonly string[];
}

export function readKernelFacts(): KernelFacts {
  const seccomp = /^Seccomp:\s*(\d)/m.exec(textOf('/proc/self/status') ?? '')?.[1];
  const mounts = (textOf('/proc/self/mounts') ?? '').split('\n').map((line) => line.split(' ')[1] ?? '');
  return {
    maxUserNamespaces: numberOf('/proc/sys/user/max_user_namespaces'),
    unprivilegedUsernsClone: numberOf('/proc/sys/kernel/unprivileged_userns_clone'),
    apparmorRestrictsUserns: numberOf('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    apparmorProfile: textOf('/proc/self/attr/current')?.replaceAll('\0', '').trim(),
    seccompMode: seccomp === undefined ? undefined : Number(seccomp),
    coveredProcPaths: mounts.filter((path) => /^\/proc\/./.test(path) && path !== '/proc/sys/fs/binfmt_misc'),
  };
}

/**
 * The settings that may stand in the way of isolation, each with what to do. A guess that follows a failure: where
 * isolation works, nobody asks.
 */
export function settingsInTheWay(facts: KernelFacts): string[] {
  const found: string[] = [];
  if (facts.maxUserNamespaces === 0) {
    found.push('user namespaces are switched off: sysctl -w user.max_user_namespaces=15000 on the host');
  }
  if (facts.unprivilegedUsernsClone === 0) {
    found.push("user namespaces are root's alone: sysctl -w kernel.unprivileged_userns_clone=1 on the host");
  }
  if (facts.apparmorRestrictsUserns === 1) {
    found.push(
      'AppArmor takes the capabilities of user namespaces away: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 on the host, or a profile that allows userns for bwrap',
    );
  }
  if (facts.seccompMode === 2) {
    found.push('a seccomp filter of the container is in force: security_opt seccomp=unconfined (docker-compose.yml)');
  }
  if (facts.apparmorProfile !== undefined && /\(enforce\)/.test(facts.apparmorProfile)) {
    found.push(
      `the AppArmor profile ${facts.apparmorProfile} holds the container: security_opt apparmor=unconfined (docker-compose.yml)`,
    );
  }
  if (facts.coveredProcPaths.length > 0) {
    found.push(
      `parts of /proc are covered (${facts.coveredProcPaths.slice(0, 3).join(', ')}), so that a new /proc is refused: security_opt systempaths=unconfined (docker-compose.yml)`,
    );
  }
  return found;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function numberOf(path: string): number | undefined {
  const text = textOf(path);
  return text === undefined ? undefined : Number(text);
}
