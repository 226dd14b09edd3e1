/**
 * A Python that waits inside a sandbox, its modules loaded, and gives each run a fresh copy of itself. Written for
 * Python 3.9 and later on Linux.
 *
 * Descriptors: 3 orders in, 4 answers out. `/judge/warm.json` holds the settings, `/judge/inbox` the pipes of a run:
 * `job`, `in`, `harness`, `out`, `err`, `report`. An order `run …` clones process 1 of new pid, mount and ipc
 * namespaces; that one opens the pipes itself (what a copy's parent has read, every later copy could read), builds its
 * own file systems, gives up every capability, loads the filter, answers `o`, and forks the program as process 2 of
 * which it knows nothing more than the end. `k` kills the run. `e <code> <left>` tells how process 1 ended, and how many
 * closed connections still linger in the network namespace.
 *
 * The outermost level holds the loop and runs the program, so that a program has nearly the same depth of calls at its
 * disposal as in an interpreter of its own; `spareDepth` makes up for the rest.
 */
export const PYTHON_WARM_DRIVER = String.raw`
import atexit, ctypes, fcntl, gc, io, json, os, resource, select, signal, sys, threading, types
from importlib.machinery import SourceFileLoader

with open("/judge/warm.json", encoding="utf-8") as file:
    settings = json.load(file)
for name in settings["modules"]:
    try:
        __import__(name)
    except ImportError:
        pass

scripts = {path: (text.encode("utf-8"), compile(text, path, "exec", dont_inherit=True)) for path, text in settings["scripts"].items()}
libc, api = ctypes.PyDLL(None, use_errno=True), ctypes.pythonapi
libc.syscall.restype = ctypes.c_long
libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4

class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_void_p)]

program_of_filter = ctypes.create_string_buffer(bytes.fromhex(settings["seccomp"]))
seccomp = Filter((len(program_of_filter) - 1) // 8, ctypes.addressof(program_of_filter))
# _LINUX_CAPABILITY_VERSION_3, this process; two sets of none.
capability_header, no_capabilities = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()

ORDERS, ANSWERS, INBOX = 3, 4, b"/judge/inbox/"
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
# CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, SIGCHLD
NEW_NAMESPACES = 0x00020000 | 0x08000000 | 0x20000000 | 17
F_SETPIPE_SZ, F_GETPIPE_SZ = 1031, 1032
# Where process 1 of a run keeps the answers until the program is under way.
KEPT_ANSWERS = 60

def must(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def tmpfs(path, size):
    must(libc.mount(b"tmpfs", path, b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=0755,size=%d" % size))

def sealed(path):
    must(libc.mount(None, path, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, None))

def take(fd, size):
    parts = []
    while size > 0:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            raise OSError("the job ended early")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)

def file_systems(path, source, temporary, proc):
    must(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
    # Covers the driver, its settings and the pipes.
    tmpfs(b"/judge", max(1 << 20, 2 * len(source)))
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)
    view = memoryview(source)
    while view:
        view = view[os.write(fd, view):]
    os.close(fd)
    sealed(b"/judge")
    for place in (b"/dev/shm", b"/tmp", b"/box"):
        tmpfs(place, temporary)
    if proc:
        must(libc.mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None))
    else:
        tmpfs(b"/proc", 4096)
        sealed(b"/proc")
    os.chdir("/box")

def limits(stack, cpu, file_size):
    for kind, value in (
        (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, file_size), (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_MEMLOCK, 65536), (resource.RLIMIT_STACK, stack), (resource.RLIMIT_CPU, cpu),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))

def confine():
    # Nothing inside may look into or change process 1, which tells how the program ended.
    must(libc.prctl(4, 0, 0, 0, 0))
    must(libc.prctl(38, 1, 0, 0, 0))
    must(libc.prctl(47, 4, 0, 0, 0))
    for capability in range(64):
        if libc.prctl(23, capability, 0, 0, 0) == 1:
            must(libc.prctl(24, capability, 0, 0, 0))
    must(libc.capset(ctypes.byref(capability_header), ctypes.byref(no_capabilities)))
    must(libc.prctl(22, 2, ctypes.addressof(seccomp), 0, 0))

def filled_pipe(fd, size):
    """
    The input in a pipe without a name, as far as one holds it whole; else the named one. A user who has many pipes
    gets small ones (pipe-user-pages-soft), so how much one holds is asked, not known.
    """
    if size > 1 << 20:
        return fd
    reading, writing = os.pipe()
    if size > fcntl.fcntl(writing, F_GETPIPE_SZ):
        try:
            fcntl.fcntl(writing, F_SETPIPE_SZ, size)
        except OSError:
            pass
    if size > fcntl.fcntl(writing, F_GETPIPE_SZ):
        os.close(reading)
        os.close(writing)
        return fd
    view = memoryview(take(fd, size))
    while view:
        view = view[os.write(writing, view):]
    os.close(writing)
    return reading

def enter(order):
    """Process 1 of a run: builds the surroundings. Returns the script's path and its code or source."""
    path, proc, harness, temporary, file_size, stack, cpu, input_size = order
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    opened = {name: os.open(INBOX + name, flags) for name, flags in (
        (b"job", os.O_RDONLY), (b"in", os.O_RDONLY), (b"out", os.O_WRONLY), (b"err", os.O_WRONLY))}
    known = scripts.get(path)
    source = known[0] if known else take(opened[b"job"], int(take(opened[b"job"], 16)))
    opened[b"in"] = filled_pipe(opened[b"in"], input_size)
    if harness:
        held = [os.open(INBOX + b"harness", os.O_RDONLY), os.open(INBOX + b"report", os.O_WRONLY)]
    os.dup2(ANSWERS, KEPT_ANSWERS, False)
    for number, name in enumerate((b"in", b"out", b"err")):
        os.dup2(opened[name], number)
    if harness:
        # Through numbers that neither of them has.
        held = [os.dup2(fd, KEPT_ANSWERS + 1 + number, False) for number, fd in enumerate(held)]
        for number, fd in enumerate(held):
            os.dup2(fd, 7 + number)
        os.closerange(3, 7)
        os.closerange(9, KEPT_ANSWERS)
    else:
        os.closerange(3, KEPT_ANSWERS)
    os.closerange(KEPT_ANSWERS + 1, 256)
    os.setsid()
    file_systems(path, source, temporary, proc)
    limits(stack, cpu, file_size)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    confine()
    return known[1] if known else source

def lingering():
    """Closed connections that the network namespace still remembers: a later run would find their ports taken."""
    left = 0
    for path in ("/proc/net/sockstat", "/proc/net/sockstat6"):
        try:
            with open(path) as file:
                words = file.read().split()
        except OSError:
            continue
        left += sum(int(words[at + 1]) for at, word in enumerate(words[:-1]) if word in ("inuse", "tw"))
    return left

received = bytearray()

def receive():
    while b"\n" not in received:
        part = os.read(ORDERS, 4096)
        if not part:
            os._exit(0)
        received.extend(part)
    line, _, rest = bytes(received).partition(b"\n")
    received[:] = rest
    return line.decode("ascii").split()

def oversee(pid):
    """Waits for process 1 of a run; kills it when told to. Returns its code, 128 + n for signal n."""
    pidfd = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    poll.register(ORDERS, select.POLLIN)
    while True:
        ready = [] if received else [fd for fd, _ in poll.poll()]
        if pidfd in ready:
            os.close(pidfd)
            status = os.waitpid(pid, 0)[1]
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        receive()
        os.kill(pid, signal.SIGKILL)

def reap(pid):
    """Process 1 from now on: its end is the run's."""
    while True:
        done, status = os.wait()
        if done == pid:
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

def main_module(path):
    module = types.ModuleType("__main__")
    module.__dict__.update(
        __builtins__=__builtins__, __file__=path, __cached__=None, __annotations__={}, __package__=None,
        __loader__=SourceFileLoader("__main__", path))
    sys.modules["__main__"] = module
    sys.argv = [path]
    sys.orig_argv = sys.orig_argv[:-1] + [path]
    return module.__dict__

def code_of(error):
    """As an interpreter reads it."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(1 << 63) <= code < 1 << 63 else 0xFF
    print(code, file=sys.stderr)
    return 1

WRITERS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair)

def flushed(stream):
    try:
        stream.flush()
    except BaseException:
        pass

def finish(code):
    """
    What an interpreter does at its end, as far as a program can tell: waits for threads, runs what was registered,
    finalizes what the program made, writes out what is buffered. It leaves alone what was there before the program,
    which takes an interpreter longest to take apart.
    """
    try:
        threading._shutdown()
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    atexit._run_exitfuncs()
    flushed(sys.stdout)
    flushed(sys.stderr)
    sys.modules.pop("__main__", None)
    gc.collect()
    for one in gc.get_objects():
        if issubclass(type(one), WRITERS):
            flushed(one)
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        flushed(stream)
    os._exit(code)

driver = sys.modules["__main__"]
lingering()
gc.collect()
gc.disable()
gc.freeze()
os.write(ANSWERS, b"ready\n")
while True:
    words = receive()
    if words[0] != "run":
        continue
    path, numbers = words[1], [int(word) for word in words[2:]]
    api.PyOS_BeforeFork()
    pid = libc.syscall(settings["clone"], NEW_NAMESPACES, 0, 0, 0, 0)
    if pid == 0:
        api.PyOS_AfterFork_Child()
        break
    api.PyOS_AfterFork_Parent()
    code = oversee(pid) if pid > 0 else 255
    os.write(ANSWERS, b"e %d %d\n" % (code, lingering()))
try:
    script = enter([path] + numbers)
    pid = os.fork()
except BaseException as error:
    try:
        os.write(KEPT_ANSWERS, ("f %s: %s\n" % (type(error).__name__, error)).encode("utf-8", "replace"))
    finally:
        os._exit(255)
if pid > 0:
    # Only now: where no program could be made, that says nothing of it.
    os.write(KEPT_ANSWERS, b"o\n")
    os.close(KEPT_ANSWERS)
    reap(pid)
os.close(KEPT_ANSWERS)
libc.prctl(4, 1, 0, 0, 0)
signal.signal(signal.SIGINT, signal.default_int_handler)
gc.enable()
sys.setrecursionlimit(sys.getrecursionlimit() + settings["spareDepth"])
space, code = main_module(path), 0
try:
    exec(compile(script, path, "exec", dont_inherit=True) if type(script) is bytes else script, space)
except SystemExit as error:
    code = code_of(error)
except BaseException as error:
    # Not this file's own level.
    sys.excepthook(type(error), error, error.__traceback__ and error.__traceback__.tb_next)
    # An interpreter that was interrupted ends by that signal.
    code = 130 if isinstance(error, KeyboardInterrupt) else 1
del space
finish(code)
`;
