/**
 * The Python side of a function call, of an assertion script and of a checker; it runs inside the sandbox, in the
 * program's own process. Written for Python 3.8 and later.
 *
 * It reads `<16 digits: length><JSON>` from descriptor 7; for assertions a second such text holds the tests, and a
 * secret lies behind it that is read only after the last assertion. It answers on descriptor 8 with one letter, text, and a line feed:
 * V value · P proof · A assertion failed · X raised · N not a plain value · M missing name · C does not compile ·
 * T checked right · F checked wrong · K compiles · B the tests do not compile.
 *
 * It keeps its own copy of the builtins, so that a program which replaces them does not change what is reported.
 *
 * Assertions run apart by default: the process forks before it reads the tests; the child runs the program and answers
 * calls, the parent runs the tests with a stand-in for each of the program's names. Values cross as JSON and are built
 * anew, so the program sees neither tests nor secret, can't end the tests, and can't hand them an object that is equal
 * to everything. Where tests need the program's own objects they run together, in one namespace.
 */
export const PYTHON_HARNESS = String.raw`
import builtins, os, sys
from itertools import islice
__builtins__ = dict(vars(builtins))

# The start of an interpreter is what a test costs most, so that modules are loaded where they are needed: json's own
# scanner and quoting without json (which loads re), and the rest on the way to a failure.
try:
    from _json import encode_basestring_ascii as quote, make_scanner
    class Context:
        strict, object_hook, object_pairs_hook, array_hook = False, None, None, None
        parse_float, parse_int = float, int
        parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__
    scan = make_scanner(Context)
    def decode(text):
        text = text.strip(" \t\n\r")
        value, end = scan(text, 0)
        if end != len(text):
            raise ValueError("more than one JSON value")
        return value
    decode("[1, 2.5, null, {\"a\": NaN}]")
except Exception:
    import json
    quote, decode = json.encoder.encode_basestring_ascii, json.loads

ModuleType, BuiltinType = type(sys), type(len)
read, write, leave = os.read, os.write, os._exit
KEPT = dict(vars(builtins))

def take(size):
    parts = []
    while size > 0:
        part = read(7, min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)

def tell(letter, text=""):
    data = (letter + text + "\n").encode("utf-8", "replace")
    while data:
        data = data[write(8, data):]
    leave(0)

def failure(letter, what, statement=""):
    tell(letter, "{\"what\":" + quote(what[:2000]) + ",\"statement\":" + quote(statement[:2000]) + "}")

def describe(error):
    try:
        return type(error).__name__ + ": " + str(error)
    except BaseException:
        return type(error).__name__

class NotPlain(Exception):
    pass

def from_collections(kind):
    module = sys.modules.get("collections")
    return module is not None and getattr(module, kind.__name__, None) is kind

def is_mapping(kind):
    return kind is dict or kind.__name__ in MAPPINGS and from_collections(kind)

SEQUENCES = (list, tuple)
MAPPINGS = ("OrderedDict", "defaultdict", "Counter")
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
BASES = (
    (str, lambda value: "".join([value])), (int, int.__int__), (float, float.__float__),
    (tuple, lambda value: tuple(tuple.__iter__(value))), (list, lambda value: list(list.__iter__(value))),
    (dict, lambda value: {k: v for k, v in dict.items(value)}),
)

def number(value):
    text = float.__repr__(value)
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text, text)

def key(value):
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is bool or value is None:
        return quote({True: "true", False: "false", None: "null"}[value])
    if kind is int:
        return quote(int.__repr__(value))
    if kind is float:
        return quote(number(value))
    raise NotPlain(kind.__name__ + " as a key")

def plain(value):
    kind = type(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return int.__repr__(value)
    if kind is float:
        return number(value)
    if kind is str:
        return quote(value)
    if kind in SEQUENCES:
        return "[" + ",".join([plain(item) for item in kind.__iter__(value)]) + "]"
    if is_mapping(kind):
        return "{" + ",".join([key(k) + ":" + plain(v) for k, v in dict.items(value)]) + "}"
    raise NotPlain(kind.__name__)

def names_of(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if type(constant) is type(code):
            names |= names_of(constant)
    return names

def load(source, fail, typed=False):
    try:
        code = compile(source, "sol.py", "exec", dont_inherit=True)
    except BaseException as error:
        fail("C", describe(error))
    module = ModuleType("solution")
    module.__file__ = "sol.py"
    space = module.__dict__
    space["__builtins__"] = builtins
    if typed and any(name[:1].isupper() and name not in KEPT for name in names_of(code)):
        import typing
        space.update({name: getattr(typing, name) for name in typing.__all__})
    sys.modules["solution"] = module
    sys.argv = ["sol.py"]
    try:
        exec(code, space)
    except BaseException as error:
        fail("X", describe(error))
    return space

def is_sequence(entry, arguments):
    """A class is asked for: names of calls, the class's own first, and the arguments of each."""
    if len(arguments) != 2 or not all([type(one) is list for one in arguments]):
        return False
    names, calls = arguments
    return (len(names) == len(calls) > 0 and names[0] == entry
            and all([type(name) is str for name in names]) and all([type(one) is list for one in calls]))

def call_in_turn(space, names, calls):
    kind = space.get(names[0])
    if type(kind) is not type:
        failure("M", names[0])
    results = []
    try:
        one = kind(*calls[0])
        results.append(None)
        for name, arguments in zip(names[1:], calls[1:]):
            # Asked of the class: what has no such method is in another form, what lost it on the way has failed.
            if not hasattr(kind, name) and not hasattr(one, name):
                failure("M", names[0] + "." + name)
            results.append(copied(getattr(one, name)(*arguments)))
    except BaseException as error:
        failure("X", describe(error))
    return results

def copied(value):
    """As it is now, where a later call may change it."""
    return [copied(item) for item in value] if type(value) is list else value

def call(job):
    arguments = [decode(text) for text in job["arguments"]]
    named = {name: decode(text) for name, text in job["named"].items()}
    space = load(job["program"], failure, True)
    entry = job["entry"]
    if not named and is_sequence(entry, arguments):
        tell_value(call_in_turn(space, *arguments))
    solution = space.get("Solution")
    if entry in space:
        function = space[entry]
    elif type(solution) is type and hasattr(solution, entry):
        try:
            function = getattr(solution(), entry)
        except BaseException as error:
            failure("X", describe(error))
    else:
        failure("M", entry)
    try:
        value = function(*arguments, **named)
        if job["inPlace"] is not None:
            value = arguments[job["inPlace"]]
    except BaseException as error:
        failure("X", describe(error))
    tell_value(value)

def tell_value(value):
    try:
        text = plain(value)
    except NotPlain as error:
        failure("N", str(error))
    except BaseException as error:
        failure("N", describe(error))
    tell("V", text)

def pack(value):
    kind = type(value)
    if value is None or kind is bool or kind is str or kind is int or kind is float:
        return value
    if kind is list:
        return ["l", [pack(item) for item in value]]
    if kind is tuple:
        return ["t", [pack(item) for item in value]]
    if kind is dict:
        return ["d", [[pack(k), pack(v)] for k, v in value.items()]]
    if kind is set or kind is frozenset:
        return [kind.__name__, [pack(item) for item in value]]
    if kind is bytes or kind is bytearray:
        return [kind.__name__, list(value)]
    if kind is complex:
        return ["complex", value.real, value.imag]
    if kind is range:
        return ["range", value.start, value.stop, value.step]
    if is_mapping(kind):
        return [kind.__name__, [[pack(k), pack(v)] for k, v in dict.items(value)]]
    if kind.__name__ == "deque" and from_collections(kind):
        return ["deque", [pack(item) for item in value]]
    if kind in VIEWS:
        return [kind.__name__, [pack(item) for item in value]]
    if (kind is type or kind is BuiltinType) and KEPT.get(value.__name__) is value:
        return ["builtin", value.__name__]
    if hasattr(kind, "__next__"):
        items = [pack(item) for item in islice(value, 100001)]
        return ["iterator", items] if len(items) <= 100000 else ["opaque", kind.__name__]
    for base, plain_value in BASES:
        if issubclass(kind, base) and kind.__eq__ is base.__eq__:
            return pack(plain_value(value))
    return ["opaque", kind.__name__]

class Opaque:
    __slots__ = ("name",)
    def __init__(self, name):
        self.name = name
    def __repr__(self):
        return "<" + self.name + " of the program>"

def unpack(data):
    if type(data) is not list:
        return data
    kind, rest = data[0], data[1]
    if kind == "l":
        return [unpack(item) for item in rest]
    if kind == "t":
        return tuple([unpack(item) for item in rest])
    if kind == "d":
        return {unpack(k): unpack(v) for k, v in rest}
    if kind == "complex":
        return complex(rest, data[2])
    if kind == "range":
        return range(rest, data[2], data[3])
    if kind in ("set", "frozenset"):
        return {"set": set, "frozenset": frozenset}[kind]([unpack(item) for item in rest])
    if kind == "deque":
        return __import__("collections").deque([unpack(item) for item in rest])
    if kind in ("bytes", "bytearray"):
        return {"bytes": bytes, "bytearray": bytearray}[kind](rest)
    if kind in ("OrderedDict", "Counter"):
        return getattr(__import__("collections"), kind)({unpack(k): unpack(v) for k, v in rest})
    if kind == "defaultdict":
        return __import__("collections").defaultdict(None, {unpack(k): unpack(v) for k, v in rest})
    if kind == "dict_keys":
        return {unpack(item): None for item in rest}.keys()
    if kind == "dict_items":
        return dict([unpack(item) for item in rest]).items()
    if kind == "dict_values":
        return dict(enumerate([unpack(item) for item in rest])).values()
    if kind == "builtin":
        return KEPT[rest]
    if kind == "iterator":
        return iter([unpack(item) for item in rest])
    return Opaque(str(rest))

def encode(value):
    """JSON of what pack gives, and of messages: plain values, lists, and objects with text keys."""
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is list:
        return "[" + ",".join([encode(item) for item in value]) + "]"
    if kind is dict:
        return "{" + ",".join([quote(name) + ":" + encode(item) for name, item in value.items()]) + "}"
    return plain(value)

def send(fd, message):
    data = encode(message).encode("ascii")
    data = b"%016d" % len(data) + data
    while data:
        data = data[write(fd, data):]

def receive(fd):
    def exactly(size):
        parts = []
        while size > 0:
            part = read(fd, min(size, 1 << 20))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
    head = exactly(16)
    body = exactly(int(head)) if head else None
    return None if body is None else decode(body.decode("ascii"))

def serve(source, inbox, outbox):
    def fail(letter, what):
        send(outbox, {"failed": [letter, what[:2000]]})
        leave(0)
    space = load(source, fail)
    names = {}
    for name, value in list(space.items()):
        if type(name) is not str or (name.startswith("__") and name.endswith("__")):
            continue
        if type(value) is ModuleType:
            names[name] = ["module", value.__name__]
        elif callable(value):
            names[name] = ["callable", None]
        else:
            try:
                names[name] = ["value", pack(value)]
            except BaseException:
                pass
    send(outbox, {"names": names})
    while True:
        request = receive(inbox)
        if request is None:
            leave(0)
        try:
            arguments = [unpack(item) for item in request["arguments"]]
            named = {name: unpack(item) for name, item in request["named"].items()}
            value = pack(space[request["name"]](*arguments, **named))
            after = [pack(item) for item in arguments]
            answer = {"value": value}
            if after != request["arguments"]:
                answer["arguments"] = after
        except BaseException as error:
            known = [base.__name__ for base in type.mro(type(error)) if getattr(builtins, base.__name__, None) is base]
            answer = {"raised": [type(error).__name__, known[0] if known else "Exception", describe(error)[:2000]]}
        send(outbox, answer)

def stand_in(name, inbox, outbox):
    def call_program(*arguments, **named):
        packed = [pack(item) for item in arguments]
        send(outbox, {"name": name, "arguments": packed, "named": {key: pack(item) for key, item in named.items()}})
        answer = receive(inbox)
        if answer is None:
            failure("X", "the program ended while it was called")
        if "raised" in answer:
            shown, known, text = answer["raised"]
            kind = KEPT.get(known)
            if not (isinstance(kind, type) and issubclass(kind, Exception)):
                kind = RuntimeError
            prefix = str(shown) + ": "
            try:
                error = kind(text[len(prefix):] if text.startswith(prefix) else text)
            except TypeError:
                error = RuntimeError(text)
            raise error
        for argument, data in zip(arguments, answer.get("arguments", ())):
            changed = unpack(data)
            if type(argument) is list and type(changed) is list:
                argument[:] = changed
            elif type(argument) in (dict, set) and type(changed) is type(argument):
                argument.clear()
                argument.update(changed)
        return unpack(answer["value"])
    call_program.__name__ = call_program.__qualname__ = name
    return call_program

def asserts(job):
    if not job["apart"]:
        job.update(decode(take(int(take(16))).decode("utf-8")))
        code = compiled(job["tests"])
        space = load(job["program"], failure)
        vars(builtins).update(KEPT)
        return run_tests(job["tests"], code, space)
    to_program, to_tests = os.pipe(), os.pipe()
    import _signal
    # The program shares the process ids: it must not be able to interrupt the tests into a fault of theirs.
    _signal.signal(2, _signal.SIG_IGN)
    if os.fork() == 0:
        _signal.signal(2, _signal.default_int_handler)
        for fd in (7, 8, to_program[1], to_tests[0]):
            os.close(fd)
        serve(job["program"], to_program[0], to_tests[1])
    os.close(to_program[0])
    os.close(to_tests[1])
    job.update(decode(take(int(take(16))).decode("utf-8")))
    code = compiled(job["tests"])
    hello = receive(to_tests[0])
    if hello is None:
        failure("X", "the program ended before it could be called")
    if "failed" in hello:
        failure("C" if hello["failed"][0] == "C" else "X", str(hello["failed"][1]))
    space = {"__name__": "tests"}
    for name, (kind, data) in hello["names"].items():
        if type(name) is not str or (name.startswith("__") and name.endswith("__")):
            continue
        if name in KEPT and name != job["entry"]:
            continue
        if kind == "callable":
            space[name] = stand_in(name, to_tests[0], to_program[1])
        elif kind == "module":
            if data in getattr(sys, "stdlib_module_names", ()):
                __import__(data)
                space[name] = sys.modules[data]
        else:
            space[name] = unpack(data)
    space["__builtins__"] = dict(KEPT)
    run_tests(job["tests"], code, space)

def compiled(tests):
    try:
        return compile(tests, "tests.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        failure("B", describe(error))

def run_tests(tests, code, space):
    try:
        exec(code, space)
    except BaseException as error:
        import ast
        statements = [node for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.stmt)]
        assertions = sorted(node.lineno for node in statements if isinstance(node, ast.Assert))
        lines = tests.split("\n")
        line, inside = None, False
        trace = error.__traceback__
        while trace is not None:
            inside = trace.tb_frame.f_code.co_filename == "tests.py"
            if inside:
                line = trace.tb_lineno
            trace = trace.tb_next
        around = [node for node in statements if line is not None and node.lineno <= line <= (node.end_lineno or line)]
        node = max(around, key=lambda one: (one.lineno, -(one.end_lineno or one.lineno))) if around else None
        statement = "\n".join(lines[node.lineno - 1:node.end_lineno]).strip() if node is not None else ""
        if type(error) is AssertionError and inside:
            number = assertions.index(node.lineno) + 1 if isinstance(node, ast.Assert) else 0
            failure("A", "assertion %d of %d" % (number, len(assertions)) if number else "an assertion", statement)
        if isinstance(error, NameError) and inside and getattr(error, "name", None) not in space:
            failure("M", str(getattr(error, "name", "") or describe(error)))
        failure("X", describe(error), statement)
    tell("P", take(64).decode("ascii", "replace"))

def check(job):
    space = load(job["program"], failure)
    import base64
    texts = [base64.b64decode(job[name]).decode("utf-8", "replace") for name in ("input", "output", "expected")]
    try:
        answer = space["check"](*texts)
    except BaseException as error:
        failure("X", describe(error))
    tell("T" if answer is True or answer == 1 else "F")

def compiles(job):
    try:
        compile(job["program"], "sol.py", "exec", dont_inherit=True)
    except BaseException as error:
        failure("C", describe(error))
    tell("K")

job = decode(take(int(take(16))).decode("utf-8"))
{"call": call, "asserts": asserts, "check": check, "compile": compiles}[job["kind"]](job)
`;
