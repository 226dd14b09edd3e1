import { describe, expect, it } from 'vitest';
import { type KernelFacts, readKernelFacts, settingsInTheWay } from './kernel-settings.ts';

const free: KernelFacts = {
  maxUserNamespaces: 60_000,
  unprivilegedUsernsClone: undefined,
  apparmorRestrictsUserns: 0,
  apparmorProfile: 'unconfined',
  seccompMode: 0,
  coveredProcPaths: [],
};

describe('settings of kernel and container', () => {
  it('that allow isolation are not mentioned', () => {
    expect(settingsInTheWay(free)).toEqual([]);
  });

  it.each<[Partial<KernelFacts>, RegExp]>([
    [{ maxUserNamespaces: 0 }, /user\.max_user_namespaces=/],
    [{ unprivilegedUsernsClone: 0 }, /kernel\.unprivileged_userns_clone=1/],
    [{ apparmorRestrictsUserns: 1 }, /kernel\.apparmor_restrict_unprivileged_userns=0/],
    [{ seccompMode: 2 }, /seccomp=unconfined/],
    [{ apparmorProfile: 'docker-default (enforce)' }, /docker-default.*apparmor=unconfined/],
    [{ coveredProcPaths: ['/proc/kcore', '/proc/keys'] }, /\/proc\/kcore.*systempaths=unconfined/],
  ])('that forbid it are named with their cure: %j', (changed, cure) => {
    const found = settingsInTheWay({ ...free, ...changed });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(cure);
  });

  it('are read from this machine', () => {
    const { maxUserNamespaces, seccompMode } = readKernelFacts();
    expect(maxUserNamespaces).toBeGreaterThanOrEqual(0);
    expect([0, 1, 2]).toContain(seccompMode);
  });
});
