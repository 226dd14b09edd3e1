/** System call numbers of one architecture, and how seccomp names it (AUDIT_ARCH_*). From the kernel's tables. */
export type SyscallTable = {
  readonly auditArch: number;
  /** Refused whatever their arguments: nothing a judged program needs, much that has opened sandboxes before. */
  readonly denied: readonly number[];
  readonly clone: number;
  readonly clone3: number;
  readonly ioctl: number;
  readonly socket: number;
  /** Numbers from here on belong to another calling convention (x32) and are refused. */
  readonly foreignFrom?: number;
};

/** Numbers that all architectures share (from Linux 5.1 on tables are unified). */
const UNIFIED = {
  ioUring: [425, 426, 427],
  mountApi: [428, 429, 430, 431, 432, 433, 442],
  pidfdGetfd: 438,
  processMadvise: 440,
  quotactlFd: 443,
  memfdSecret: 447,
};
const unified = [
  ...UNIFIED.ioUring,
  ...UNIFIED.mountApi,
  UNIFIED.pidfdGetfd,
  UNIFIED.processMadvise,
  UNIFIED.quotactlFd,
  UNIFIED.memfdSecret,
];

const x64: SyscallTable = {
  auditArch: 0xc000003e,
  denied: [
    101,
    310,
    311,
    312, // ptrace, process_vm_readv, process_vm_writev, kcmp
    165,
    166,
    155,
    161,
    308,
    272, // mount, umount2, pivot_root, chroot, setns, unshare
    321,
    298,
    323, // bpf, perf_event_open, userfaultfd
    248,
    249,
    250, // add_key, request_key, keyctl: the keyring outlives the process
    175,
    313,
    176,
    246,
    320,
    169, // init_module, finit_module, delete_module, kexec_load, kexec_file_load, reboot
    167,
    168,
    170,
    171,
    172,
    173,
    163,
    179,
    180,
    212, // swapon, swapoff, sethostname, setdomainname, iopl, ioperm, acct, quotactl, nfsservctl, lookup_dcookie
    303,
    304,
    300,
    301, // name_to_handle_at, open_by_handle_at, fanotify_init, fanotify_mark
    103,
    153,
    154,
    156,
    134,
    136, // syslog, vhangup, modify_ldt, _sysctl, uselib, ustat
    159,
    164,
    227,
    305, // adjtimex, settimeofday, clock_settime, clock_adjtime
    237,
    238,
    256,
    279, // mbind, set_mempolicy, migrate_pages, move_pages
    141,
    142,
    144,
    314,
    251,
    203, // setpriority, sched_setparam, sched_setscheduler, sched_setattr, ioprio_set, sched_setaffinity: it could starve itself
    ...unified,
  ],
  clone: 56,
  clone3: 435,
  ioctl: 16,
  socket: 41,
  foreignFrom: 0x40000000,
};

const arm64: SyscallTable = {
  auditArch: 0xc00000b7,
  denied: [
    117,
    270,
    271,
    272, // ptrace, process_vm_readv, process_vm_writev, kcmp
    40,
    39,
    41,
    51,
    268,
    97, // mount, umount2, pivot_root, chroot, setns, unshare
    280,
    241,
    282, // bpf, perf_event_open, userfaultfd
    217,
    218,
    219, // add_key, request_key, keyctl
    105,
    273,
    106,
    104,
    294,
    142, // init_module, finit_module, delete_module, kexec_load, kexec_file_load, reboot
    224,
    225,
    161,
    162,
    89,
    60,
    42,
    18, // swapon, swapoff, sethostname, setdomainname, acct, quotactl, nfsservctl, lookup_dcookie
    264,
    265,
    262,
    263, // name_to_handle_at, open_by_handle_at, fanotify_init, fanotify_mark
    116,
    58, // syslog, vhangup
    171,
    170,
    112,
    266, // adjtimex, settimeofday, clock_settime, clock_adjtime
    235,
    237,
    238,
    239, // mbind, set_mempolicy, migrate_pages, move_pages
    140,
    118,
    119,
    274,
    30,
    122, // setpriority, sched_setparam, sched_setscheduler, sched_setattr, ioprio_set, sched_setaffinity
    ...unified,
  ],
  clone: 220,
  clone3: 435,
  ioctl: 29,
  socket: 198,
};

/** The table of this machine's architecture, named as Node names it; undefined where none is written. */
export function syscallsOf(architecture: string): SyscallTable | undefined {
  if (architecture === 'x64') return x64;
  if (architecture === 'arm64') return arm64;
  return undefined;
}
