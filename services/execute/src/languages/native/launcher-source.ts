/**
 * A small program that waits inside a sandbox and starts each run of a compiled program in a fresh process, as the
 * waiting interpreter of a scripting language does by copying itself; orders and answers are the same
 * (`languages/python/warm-driver.ts`). Nothing of a run passes through its memory: process 1 of the run reads the job.
 *
 * The job, all numbers as sixteen digits: the length of what follows; arguments (count, then length and bytes of each);
 * the environment likewise; files (count, then path, mode and content of each; a path that ends in `/` is a folder).
 *
 * A program that can't be executed ends with 127: what stands in its file is its own doing.
 */
export const LAUNCHER_SOURCE = String.raw`
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { ORDERS = 3, ANSWERS = 4, KEPT_ANSWERS = 60, MOST_FILES = 256, MOST_WORDS = 256 };

static struct sock_filter filter[4096];
static struct sock_fprog program = { 0, filter };
static char buffer[1 << 20];

static void give_up(const char *what) {
  dprintf(KEPT_ANSWERS, "f %s: %s\n", what, strerror(errno));
  _exit(255);
}

static void must(long result, const char *what) {
  if (result != 0) give_up(what);
}

static void read_settings(void) {
  int fd = open("/judge/warm.json", O_RDONLY | O_CLOEXEC);
  size_t bytes = 0;
  int high = -1;
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;)
    for (ssize_t at = 0; at < got; at++) {
      char c = buffer[at];
      int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) continue;
      if (high < 0) { high = digit; continue; }
      if (bytes < sizeof filter) ((unsigned char *)filter)[bytes++] = (unsigned char)(high * 16 + digit);
      high = -1;
    }
  close(fd);
  program.len = (unsigned short)(bytes / sizeof filter[0]);
  if (program.len == 0) _exit(3);
}

static void take(int fd, char *to, size_t size) {
  while (size > 0) {
    ssize_t got = read(fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) { errno = EPIPE; give_up("the job ended early"); }
    to += got;
    size -= (size_t)got;
  }
}

static void put(int fd, const char *from, size_t size) {
  while (size > 0) {
    ssize_t done = write(fd, from, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) give_up("write");
    from += done;
    size -= (size_t)done;
  }
}

static size_t number(int fd) {
  char digits[17];
  take(fd, digits, 16);
  digits[16] = 0;
  return (size_t)strtoull(digits, 0, 10);
}

static char *word(int fd) {
  size_t size = number(fd);
  char *text = malloc(size + 1);
  if (!text) give_up("memory");
  take(fd, text, size);
  text[size] = 0;
  return text;
}

static char **words(int fd) {
  size_t count = number(fd);
  if (count > MOST_WORDS) { errno = E2BIG; give_up("words"); }
  char **list = calloc(count + 1, sizeof *list);
  if (!list) give_up("memory");
  for (size_t at = 0; at < count; at++) list[at] = word(fd);
  return list;
}

static void tmpfs(const char *path, unsigned long long size) {
  char options[64];
  snprintf(options, sizeof options, "mode=0755,size=%llu", size);
  must(mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options), path);
}

static void sealed(const char *path) {
  must(mount(0, path, 0, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, 0), path);
}

static void make_file(int job, const char *path, mode_t mode, size_t size) {
  if (path[strlen(path) - 1] == '/') { must(mkdir(path, mode) != 0 && errno != EEXIST, path); return; }
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) give_up(path);
  while (size > 0) {
    size_t part = size < sizeof buffer ? size : sizeof buffer;
    take(job, buffer, part);
    put(fd, buffer, part);
    size -= part;
  }
  close(fd);
}

static void limit(int kind, rlim_t value) {
  struct rlimit now;
  must(getrlimit(kind, &now), "getrlimit");
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < value) value = now.rlim_max;
  struct rlimit next = { value, value };
  must(setrlimit(kind, &next), "setrlimit");
}

static void confine(void) {
  must(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "dumpable");
  must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges");
  must(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "ambient capabilities");
  for (int capability = 0; capability < 64; capability++)
    if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1)
      must(prctl(PR_CAPBSET_DROP, capability, 0, 0, 0), "bounding set");
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct none[2];
  memset(none, 0, sizeof none);
  must(syscall(SYS_capset, &header, none), "capset");
  must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), "seccomp");
}

/* The input in a pipe without a name, as far as one holds it whole; else the named one. */
static int filled_pipe(int fd, size_t size) {
  int ends[2];
  if (size > sizeof buffer || pipe(ends) != 0) return fd;
  if ((size_t)fcntl(ends[1], F_GETPIPE_SZ) < size) fcntl(ends[1], F_SETPIPE_SZ, (int)size);
  if ((size_t)fcntl(ends[1], F_GETPIPE_SZ) < size) {
    close(ends[0]);
    close(ends[1]);
    return fd;
  }
  take(fd, buffer, size);
  put(ends[1], buffer, size);
  close(ends[1]);
  return ends[0];
}

static int inbox(const char *name, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/judge/inbox/%s", name);
  int fd = open(path, flags);
  if (fd < 0) give_up(path);
  return fd;
}

static void close_all(int from, int to) {
  for (int fd = from; fd < to; fd++) close(fd);
}

static void move_to(int from, int to) {
  if (dup2(from, to) < 0) give_up("dup2");
}

/* Process 1 of a run: builds the surroundings, starts the program, and tells how it ended. */
static void be_run(int proc, int harness, unsigned long long *n) {
  int adjust = open("/proc/self/oom_score_adj", O_WRONLY);
  if (adjust < 0) give_up("oom_score_adj");
  put(adjust, "1000", 4);
  close(adjust);
  if (fcntl(ANSWERS, F_DUPFD, KEPT_ANSWERS) != KEPT_ANSWERS) _exit(254);
  int job = inbox("job", O_RDONLY), in = inbox("in", O_RDONLY), out = inbox("out", O_WRONLY), err = inbox("err", O_WRONLY);
  int held[2] = { -1, -1 };
  if (harness) {
    held[0] = inbox("harness", O_RDONLY);
    held[1] = inbox("report", O_WRONLY);
  }
  in = filled_pipe(in, (size_t)n[4]);
  size_t whole = number(job);
  char **argv = words(job), **envp = words(job);
  must(mount(0, "/", 0, MS_REC | MS_PRIVATE, 0), "private mounts");
  /* Covers the driver, its settings and the pipes. */
  tmpfs("/judge", 2ULL * whole + (1 << 20));
  tmpfs("/dev/shm", n[0]);
  tmpfs("/tmp", n[0]);
  tmpfs("/box", n[0]);
  for (size_t count = number(job); count > 0; count--) {
    char *path = word(job);
    mode_t mode = (mode_t)number(job);
    make_file(job, path, mode, number(job));
  }
  sealed("/judge");
  if (proc) must(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0), "/proc");
  else {
    tmpfs("/proc", 4096);
    sealed("/proc");
  }
  must(chdir("/box"), "/box");
  /* Numbers above all that are taken below. */
  int ends[6] = { in, out, err, held[0], held[1], -1 };
  for (int at = 0; at < 5; at++)
    if (ends[at] >= 0 && (ends[at] = fcntl(ends[at], F_DUPFD, 70 + at)) < 0) give_up("descriptors");
  for (int at = 0; at < 3; at++) move_to(ends[at], at);
  close_all(3, KEPT_ANSWERS);
  if (harness) {
    move_to(ends[3], 7);
    move_to(ends[4], 8);
  }
  close_all(KEPT_ANSWERS + 1, 256);
  setsid();
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, n[1]);
  limit(RLIMIT_NOFILE, 256);
  limit(RLIMIT_MEMLOCK, 65536);
  limit(RLIMIT_STACK, n[2]);
  limit(RLIMIT_CPU, n[3]);
  confine();
  pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    close(KEPT_ANSWERS);
    execve(argv[0], argv, envp);
    dprintf(2, "can't be executed: %s\n", strerror(errno));
    _exit(127);
  }
  put(KEPT_ANSWERS, "o\n", 2);
  close(KEPT_ANSWERS);
  for (;;) {
    int status;
    pid_t done = wait(&status);
    if (done == child) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
}

static char received[8192];
static size_t pending;

static void receive(char *line) {
  char *end;
  while (!(end = memchr(received, '\n', pending))) {
    ssize_t got = read(ORDERS, received + pending, sizeof received - pending);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) _exit(0);
    pending += (size_t)got;
  }
  size_t size = (size_t)(end - received);
  memcpy(line, received, size);
  line[size] = 0;
  pending -= size + 1;
  memmove(received, end + 1, pending);
}

/* Waits for process 1 of a run; kills it when told to. */
static int oversee(pid_t pid) {
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  for (;;) {
    struct pollfd both[2] = { { pidfd, POLLIN, 0 }, { ORDERS, POLLIN, 0 } };
    if (pending == 0 && poll(both, 2, -1) < 0) continue;
    if (pending == 0 && both[0].revents) {
      int status;
      close(pidfd);
      waitpid(pid, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    char line[sizeof received];
    receive(line);
    kill(pid, SIGKILL);
  }
}

/* Closed connections that the network namespace still remembers: a later run would find their ports taken. */
static long lingering(void) {
  static const char *const paths[] = { "/proc/net/sockstat", "/proc/net/sockstat6" };
  long left = 0;
  for (int at = 0; at < 2; at++) {
    char text[4096];
    int fd = open(paths[at], O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    text[got > 0 ? got : 0] = 0;
    char *rest = text;
    for (char *one = strtok_r(rest, " \n", &rest); one; one = strtok_r(0, " \n", &rest))
      if (!strcmp(one, "inuse") || !strcmp(one, "tw")) {
        char *value = strtok_r(0, " \n", &rest);
        if (value) left += atol(value);
      }
  }
  return left;
}

int main(void) {
  read_settings();
  put(ANSWERS, "ready\n", 6);
  for (;;) {
    char line[sizeof received];
    int proc, harness;
    unsigned long long n[5];
    receive(line);
    if (sscanf(line, "run %*s %d %d %llu %llu %llu %llu %llu", &proc, &harness, &n[0], &n[1], &n[2], &n[3], &n[4]) != 7) continue;
    long pid = syscall(SYS_clone, CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) be_run(proc, harness, n);
    int code = pid > 0 ? oversee((pid_t)pid) : 255;
    dprintf(ANSWERS, "e %d %ld\n", code, lingering());
  }
}
`;
