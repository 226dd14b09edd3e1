import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readKernelFile } from './tasks.ts';

/** Folder names of the service's own groups: prefix and process id. */
export const PREFIX = 'tidemark-sandbox-';

/** Where groups can be made: v1 needs one folder each for memory, pids and cpuacct, in that order; v2 one in all. */
export type CgroupHierarchies = { readonly mode: 'cgroup-v1' | 'cgroup-v2'; readonly parents: readonly string[] };

const V1_CONTROLLERS = ['memory', 'pids', 'cpuacct'];

/** Finds control groups that this process may use, v2 first; undefined when there are none. */
export function findHierarchies(): CgroupHierarchies | undefined {
  const mounts = parseMounts(readKernelFile('/proc/self/mountinfo') ?? '');
  const memberships = parseMemberships(readKernelFile('/proc/self/cgroup') ?? '');
  return findV2(mounts, memberships) ?? findV1(mounts, memberships);
}

type Mount = {
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly options: readonly string[];
};

/** Lines of /proc/self/mountinfo (proc(5)) of the two cgroup file systems. */
export function parseMounts(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = before.split(' ');
    const [type = '', , options = ''] = after.split(' ');
    return type === 'cgroup' || type === 'cgroup2' ? [{ root, point, type, options: options.split(',') }] : [];
  });
}

/** Path of this process in each hierarchy, by controller; the v2 hierarchy has the name ''. */
export function parseMemberships(cgroup: string): Map<string, string> {
  const byController = new Map<string, string>();
  for (const line of cgroup.split('\n').filter(Boolean)) {
    const [, controllers = '', ...path] = line.split(':');
    for (const controller of controllers.split(',')) byController.set(controller, path.join(':'));
  }
  return byController;
}

function findV1(mounts: readonly Mount[], memberships: ReadonlyMap<string, string>): CgroupHierarchies | undefined {
  const parents = V1_CONTROLLERS.map((controller) => {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    return mount && folderOf(mount, memberships.get(controller) ?? '/');
  });
  if (!parents.every((parent): parent is string => parent !== undefined && canMakeGroup(parent))) return undefined;
  return { mode: 'cgroup-v1', parents };
}

/**
 * The nearest group, from our own upwards, whose children have the memory and pids controllers and may be made by us
 * (systemd delegates so with `Delegate=yes`). A group that holds processes may not hand controllers on, so where ours
 * is the only candidate the service moves into a leaf of it first.
 */
function findV2(mounts: readonly Mount[], memberships: ReadonlyMap<string, string>): CgroupHierarchies | undefined {
  const mount = mounts.find(({ type }) => type === 'cgroup2');
  const own = mount && folderOf(mount, memberships.get('') ?? '/');
  if (!mount || !own) return undefined;
  for (let folder = own; folder.startsWith(mount.point); folder = join(folder, '..')) {
    if (handsOnControllers(folder) && canMakeGroup(folder)) return { mode: 'cgroup-v2', parents: [folder] };
    if (folder === mount.point) break;
  }
  return delegateFrom(own) ? { mode: 'cgroup-v2', parents: [own] } : undefined;
}

function handsOnControllers(folder: string): boolean {
  const controllers = (readKernelFile(join(folder, 'cgroup.subtree_control')) ?? '').trim().split(' ');
  return controllers.includes('memory') && controllers.includes('pids');
}

function delegateFrom(own: string): boolean {
  const offered = (readKernelFile(join(own, 'cgroup.controllers')) ?? '').trim().split(' ');
  if (!offered.includes('memory') || !offered.includes('pids') || !canMakeGroup(own)) return false;
  try {
    const leaf = join(own, 'tidemark-service');
    mkdirSync(leaf, { recursive: true });
    writeFileSync(join(leaf, 'cgroup.procs'), String(process.pid));
    writeFileSync(join(own, 'cgroup.subtree_control'), '+memory +pids');
    return handsOnControllers(own);
  } catch {
    return false;
  }
}

/** Where a group's folder is seen through a mount; a container's mount may show a part of the hierarchy alone. */
function folderOf(mount: Mount, path: string): string {
  const inside = path === mount.root || path.startsWith(`${mount.root.replace(/\/$/, '')}/`);
  return join(mount.point, inside ? path.slice(mount.root === '/' ? 0 : mount.root.length) : '/');
}

/** Folder permissions of the cgroup file systems lie for root; making one is the only proof. */
function canMakeGroup(parent: string): boolean {
  const probe = join(parent, `tidemark-probe-${process.pid}`);
  try {
    mkdirSync(probe);
    accessSync(join(probe, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  } finally {
    try {
      rmdirSync(probe);
    } catch {
      // Never made.
    }
  }
}
