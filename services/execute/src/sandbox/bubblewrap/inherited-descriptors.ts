import { readdirSync } from 'node:fs';
import { readKernelFile } from '../accounting/tasks.ts';

const O_CLOEXEC = 0o2000000;

/**
 * Descriptors beyond the standard three that this process would pass on to every child: Node opens its own with
 * close-on-exec, but whoever started the service may have left some open, and a program would find them.
 */
export function inheritedDescriptors(): number[] {
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((fd) => {
      const flags = /^flags:\s*(\d+)/m.exec(readKernelFile(`/proc/self/fdinfo/${fd}`) ?? '')?.[1];
      return fd > 2 && flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
    });
}
