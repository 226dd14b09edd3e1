"""What goes wrong in real streams: problems that must not come through as they are, and records that are no records.

The programs under `unsafe` are harmless by design (loopback only, a bounded number of processes, reading only), but they
are still meant for a sandbox: `build.py` never runs them.
"""

NAMESPACE = "tidemark-sample"


def problem(id, statement, tests=None, references=(), **more):
    record = {"format": "tidemark.problem.v1", "namespace": NAMESPACE, "id": id, "statement": statement}
    record.update({"language": "python", "licence": "Apache-2.0"})
    record["origin"] = {"kind": "unknown"}
    if tests is not None:
        record["tests"] = tests
    if references:
        record["references"] = [{"language": "python", "code": code} for code in references]
    record.update(more)
    return record


def stdin(*cases):
    return {"form": "stdin", "cases": [{"input": i, "expected": e} for i, e in cases]}


# A set of four problems that stands for a public benchmark.
BENCHMARK = [
    problem(
        "bench/lighthouse",
        "Along a straight coast stand n lighthouses. The light of lighthouse i reaches every point whose distance from "
        "it is at most r_i kilometres. A captain wants to sail along the coast from kilometre 0 to kilometre L without "
        "ever leaving the light. Print the least number of lighthouses that must be lit so that every point of the "
        "voyage is covered, or -1 when even all of them together leave a dark gap.\n\nInput: the first line holds n and "
        "L (1 ≤ n ≤ 10^5, 1 ≤ L ≤ 10^9). Each of the next n lines holds the position and the reach of one lighthouse.",
        stdin(("2 10\n2 1\n7 3\n", "-1\n"), ("3 10\n2 2\n8 2\n5 2\n", "3\n"), ("1 4\n2 2\n", "1\n")),
        [
            "n, L = map(int, input().split())\n"
            "spans = sorted((p - r, p + r) for p, r in (map(int, input().split()) for _ in range(n)))\n"
            "lit = at = i = 0\n"
            "while at < L:\n"
            "    best = at\n"
            "    while i < n and spans[i][0] <= at:\n"
            "        best = max(best, spans[i][1])\n"
            "        i += 1\n"
            "    if best == at:\n"
            "        lit = -1\n"
            "        break\n"
            "    at, lit = best, lit + 1\n"
            "print(lit)\n"
        ],
    ),
    problem(
        "bench/anchor-chain",
        "An anchor chain is made of links, each painted in one of 26 colours written as a small letter. The chain is "
        "beautiful when no colour appears in two places with another colour between them. Read the chain as one line of "
        "at most 100000 letters and print YES when it is beautiful and NO when it is not.",
        stdin(("aabbb\n", "YES\n"), ("aba\n", "NO\n"), ("x\n", "YES\n")),
        [
            "from itertools import groupby\n"
            "runs = [letter for letter, _ in groupby(input().strip())]\n"
            "print('YES' if len(runs) == len(set(runs)) else 'NO')\n"
        ],
    ),
    problem(
        "bench/moon-phases",
        "A calendar counts the days from the first new moon of its era. The moon needs exactly p days and q hours from "
        "one new moon to the next, where a day has 24 hours. Given p, q and a day number d, print how many new moons "
        "have been seen up to the end of day d, counting the one in the first hour of day 0.",
        stdin(("29 12 59\n", "3\n"), ("1 0 5\n", "6\n"), ("30 0 0\n", "1\n")),
        ["p, q, d = map(int, input().split())\nprint(((d + 1) * 24 - 1) // (p * 24 + q) + 1)\n"],
    ),
    problem(
        "bench/net-mending",
        "A fishing net is a grid of h rows and w columns of meshes, of which k are torn. A patch is a square of meshes "
        "whose side may be chosen once and then is the same for all patches. Patches may overlap and may hang over the "
        "rim. Given b, the number of patches in the box, print the least side with which all the torn meshes can be "
        "covered when every patch must have its upper left corner on a torn mesh.",
        stdin(("3 3 1 1\n0 0\n", "1\n"), ("3 3 2 1\n0 0\n1 1\n", "2\n"), ("4 4 2 2\n0 3\n3 0\n", "1\n")),
        [
            "from itertools import combinations\n"
            "h, w, k, b = map(int, input().split())\n"
            "torn = [tuple(map(int, input().split())) for _ in range(k)]\n"
            "def covers(side):\n"
            "    return any(\n"
            "        all(any(0 <= y - p < side and 0 <= x - q < side for p, q in chosen) for y, x in torn)\n"
            "        for chosen in combinations(torn, min(b, k))\n"
            "    )\n"
            "print(next((side for side in range(1, max(h, w) + 1) if covers(side)), -1))\n"
        ],
    ),
]


# One that was taken over from the benchmark with a new first sentence, and one that quotes a benchmark problem whole.
CONTAMINATED = [
    problem(
        "contaminated/coast-guard",
        "The coast guard of a small country has to save electricity. Along a straight coast stand n lighthouses. The "
        "light of lighthouse i reaches every point whose distance from it is at most r_i kilometres. A captain wants to "
        "sail along the coast from kilometre 0 to kilometre L without ever leaving the light. Print the least number of "
        "lighthouses that must be lit so that every point of the voyage is covered, or -1 when even all of them together "
        "leave a dark gap. Read n and L from the first line and one lighthouse from each further line.",
        stdin(("1 4\n2 2\n", "1\n"), ("2 10\n2 1\n7 3\n", "-1\n")),
        BENCHMARK[0]["references"][0]["code"],
    )
]
CONTAMINATED[0]["references"] = BENCHMARK[0]["references"]

# Equal to other records once line ends, trailing blanks and composed characters are normalised.
DUPLICATE_OF_STDIN = "stdin/ferry-trips"
DUPLICATE_OF_CALL = "call/flatten"
SAME_STATEMENT_OTHER_TESTS = "stdin/tallest-wave"

BROKEN_REFERENCES = [
    problem(
        "broken/wrong-answer",
        "A crate is a box of whole-number sides a, b and c on one line. Print its surface area.",
        stdin(("1 2 3\n", "22\n"), ("1 1 1\n", "6\n"), ("2 2 2\n", "24\n")),
        ["a, b, c = map(int, input().split())\nprint(a * b + b * c + a * c)\n"],
    ),
    problem(
        "broken/runtime-error",
        "Print the average of the whole numbers on one line, rounded down. The line may be empty; then print 0.",
        stdin(("1 2 4\n", "2\n"), ("\n", "0\n")),
        ["numbers = list(map(int, input().split()))\nprint(sum(numbers) // len(numbers))\n"],
    ),
    problem(
        "broken/too-slow",
        "Print the number of whole numbers from 1 to n whose decimal form holds no digit 7 (1 ≤ n ≤ 10^12).",
        stdin(("10\n", "9\n"), ("1000000000000\n", "282429536481\n")),
        ["n = int(input())\nprint(sum('7' not in str(i) for i in range(1, n + 1)))\n"],
        limits={"cpu_ms": 1000, "wall_ms": 3000},
    ),
    problem(
        "broken/syntax",
        "Write `half(n)`: n divided by two, rounded down.",
        {"form": "call", "cases": [{"args": [7], "expected": 3}]},
        ["def half(n)\n    return n // 2\n"],
        entry_point="half",
    ),
]

MISSING_TESTS = [
    problem(
        "untested/with-reference",
        "A rope of n metres is cut in the middle again and again until the pieces are shorter than one metre. Print the "
        "number of cuts along one of the pieces. Input: one whole number n (1 ≤ n ≤ 10^9).",
        None,
        ["n = int(input())\nprint(n.bit_length())\n"],
    ),
    problem(
        "untested/without-reference",
        "A fleet of n ships sails in a triangle formation. Print the number of ships in the last row.",
    ),
    problem(
        "untested/picture-only",
        "![the figure](figure-3.png)",
        None,
        (),
    ),
]

# Tests that are there, and no reference: nothing shows that the problem can be solved.
UNSOLVED = [
    problem(
        "unproven/no-reference",
        "Print the number of ways to tile a board of 2 rows and n columns (1 ≤ n ≤ 50) with dominoes.",
        stdin(("1\n", "1\n"), ("3\n", "3\n"), ("10\n", "89\n")),
    )
]

UNSAFE = [
    problem(
        "unsafe/network",
        "Print the answer that the harbour master's server at 127.0.0.1 gives.",
        stdin(("\n", "42\n")),
        [
            "import socket\n"
            "with socket.create_connection(('127.0.0.1', 80), timeout=2) as line:\n"
            "    line.sendall(b'GET /answer HTTP/1.0\\r\\n\\r\\n')\n"
            "    print(line.recv(100).split()[-1].decode())\n"
        ],
    ),
    problem(
        "unsafe/processes",
        "Print the number of the one thousandth process.",
        stdin(("\n", "1000\n")),
        [
            "import os, time\n"
            "for number in range(1, 1001):\n"
            "    if os.fork() == 0:\n"
            "        time.sleep(20)\n"
            "        os._exit(0)\n"
            "print(number)\n"
        ],
    ),
    problem(
        "unsafe/files",
        "Print the first name of the user who owns this machine.",
        stdin(("\n", "root\n")),
        [
            "import glob, os\n"
            "for path in ['/etc/passwd', '/proc/1/environ', *glob.glob('/**/expected*')]:\n"
            "    print(open(path).read())\n"
        ],
    ),
    problem(
        "unsafe/memory",
        "Print the length of a list of one billion numbers.",
        stdin(("\n", "1000000000\n")),
        ["held = []\nwhile len(held) < 1000000000:\n    held.extend(bytes(8) for _ in range(100000))\nprint(len(held))\n"],
        limits={"cpu_ms": 2000, "wall_ms": 4000, "memory_bytes": 134217728},
    ),
]

# Lines that ingest must refuse, each with its line number, field and reason; the valid ones between them go in.
NOISE_LINES = [
    '{"format": "tidemark.problem.v1", "namespace": "tidemark-sample", "id": "noise/cut-off", "statement": "A line that ends in the mid',
    '{"format": "tidemark.problem.v1", "namespace": "tidemark-sample", "id": "noise/no-statement", "tests": {"form": "stdin", "cases": []}}',
    '{"format": "tidemark.problem.v1", "namespace": "tidemark-sample", "id": "noise/statement-is-a-number", "statement": 42}',
    '{"format": "tidemark.problem.v1", "namespace": "tidemark-sample", "id": "noise/unknown-form", "statement": "Print 1.", "tests": {"form": "telepathy", "cases": [{"input": "", "expected": "1"}]}}',
    '{"format": "tidemark.problem.v1", "namespace": "tidemark-sample", "id": "noise/call-without-entry-point", "statement": "Return 1.", "tests": {"form": "call", "cases": [{"args": [], "expected": 1}]}}',
    '{"format": "tidemark.problem.v1", "namespace": "tidemark-sample", "id": "noise/twice", "id": "noise/twice-again", "statement": "Print 1."}',
    '{"format": "tidemark.problem.v7", "namespace": "tidemark-sample", "id": "noise/from-the-future", "statement": "Print 1."}',
    '{"format": "tidemark.problem.v1", "namespace": "tidemark-sample", "id": "noise/nul", "statement": "Print \\u0000."}',
    '{"format": "tidemark.problem.v1", "namespace": "tidemark-sample", "id": "noise/limit", "statement": "Print 1.", "limits": {"cpu_ms": -5}}',
    '{"task_id": 77, "text": "Write a function that was never written.", "code": 5, "test_list": []}',
    "just a line of a log file that ended up here",
    '["a", "list"]',
    "{'single': 'quotes'}",
]
NOISE_SURVIVORS = [
    problem(
        "noise/survivor-one",
        "Print the number 1 and nothing else.",
        stdin(("\n", "1\n")),
        ["print(1)\n"],
    ),
    problem(
        "noise/survivor-two",
        "Read a whole number n (0 ≤ n ≤ 100) and print n minus 1.",
        stdin(("1\n", "0\n"), ("0\n", "-1\n")),
        ["print(int(input()) - 1)\n"],
    ),
]
