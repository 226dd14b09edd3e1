/**
 * The Python side of a function call, of an assertion script and of a checker; it runs inside the sandbox, in the
 * program's own process. Written for Python 3.8 and later.
 *
 * It reads `<16 digits: length><JSON>` from descriptor 7; for assertions a secret lies behind it and is read only
 * after the last assertion. It answers on descriptor 8 with one letter, text, and a line feed:
 * V value · P proof · A assertion failed · X raised · N not a plain value · M missing name · C does not compile ·
 * T checked right · F checked wrong · K compiles · B the tests do not compile.
 *
 * It keeps its own copy of the builtins, so that a program which replaces them does not change what is reported.
 */
export const PYTHON_HARNESS = String.raw`
import ast, base64, builtins, json, os, sys, types, typing
__builtins__ = dict(vars(builtins))

quote = json.encoder.encode_basestring_ascii
decode, parse = json.loads, ast.parse
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

SEQUENCES = (list, tuple)
MAPPINGS = (dict, __import__("collections").OrderedDict, __import__("collections").defaultdict, __import__("collections").Counter)

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
    if kind in MAPPINGS:
        return "{" + ",".join([key(k) + ":" + plain(v) for k, v in dict.items(value)]) + "}"
    raise NotPlain(kind.__name__)

def load(source, known):
    try:
        code = compile(source, "sol.py", "exec", dont_inherit=True)
    except BaseException as error:
        failure("C", describe(error))
    module = types.ModuleType("solution")
    module.__file__ = "sol.py"
    space = module.__dict__
    space["__builtins__"] = builtins
    space.update(known)
    sys.modules["solution"] = module
    sys.argv = ["sol.py"]
    try:
        exec(code, space)
    except BaseException as error:
        failure("X", describe(error))
    return space

def call(job):
    arguments = [decode(text) for text in job["arguments"]]
    named = {name: decode(text) for name, text in job["named"].items()}
    space = load(job["program"], {name: getattr(typing, name) for name in typing.__all__})
    entry = job["entry"]
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
    try:
        text = plain(value)
    except NotPlain as error:
        failure("N", str(error))
    except BaseException as error:
        failure("N", describe(error))
    tell("V", text)

def asserts(job):
    tests = job["tests"]
    try:
        tree = parse(tests, "tests.py")
        code = compile(tree, "tests.py", "exec", dont_inherit=True)
    except BaseException as error:
        failure("B", describe(error))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    assertions = sorted(node.lineno for node in statements if isinstance(node, ast.Assert))
    lines = tests.split("\n")
    space = load(job["program"], {})
    vars(builtins).update(KEPT)
    try:
        exec(code, space)
    except BaseException as error:
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
    space = load(job["program"], {})
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
