#!/usr/bin/env python3
"""Writes the sample's JSON Lines from `source/`, and runs every program that it writes down.

    python3 samples/build.py          write the files
    python3 samples/build.py --check  write nothing; fail when a file would change

Every reference solution must pass its tests (those of `source/troubles.py` are wrong on purpose and are not run), every
`brute` solution must agree with the reference, and every `wrong` program must fail. Outputs of stdin tests are what
the reference solution printed. Needs Python 3.9 or later and nothing else.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "source"
sys.path.insert(0, str(SOURCE))
sys.dont_write_bytecode = True

import troubles  # noqa: E402
import written_student  # noqa: E402

NAMESPACE = troubles.NAMESPACE
WRONG_PROGRAM_SECONDS = 3
REFERENCE_SECONDS = 20
HUMANEVAL_NAMESPACE = "tidemark-sample-humaneval"
MBPP_NAMESPACE = "tidemark-sample-mbpp"


# --- reading the sources ---------------------------------------------------------------------------------------------


def read_source(name):
    """A list of (header words, text before the first part, {part name: [texts]})."""
    problems = []
    for block in ("\n" + (SOURCE / name).read_text(encoding="utf-8")).split("\n===== ")[1:]:
        header, _, body = block.partition("\n")
        first, *parts = ("\n" + body).split("\n----- ")
        named = {}
        for part in parts:
            kind, _, text = part.partition("\n")
            named.setdefault(kind.strip(), []).append(text.rstrip("\n") + "\n")
        problems.append((header.split(), first.strip("\n"), named))
    return problems


# --- running ---------------------------------------------------------------------------------------------------------


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_NPROC, (4096, 4096))


def run(program, stdin="", seconds=REFERENCE_SECONDS):
    """(what became of it, standard output): ok, failed or slow."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(program, encoding="utf-8")
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(path)],
                input=stdin.encode(), capture_output=True, timeout=seconds, cwd=folder, preexec_fn=limit,
            )
        except subprocess.TimeoutExpired:
            return "slow", ""
        return ("ok" if done.returncode == 0 else "failed"), done.stdout.decode(errors="replace")


class Problem:
    """One problem with the record that is written, its solution and its mistaken programs."""

    def __init__(self, kind, record, solution, wrong, verdict):
        self.kind, self.record, self.solution, self.wrong = kind, record, solution, wrong
        self.verdict = verdict  # program, seconds -> ok | failed | slow
        self.slow = set()

    @property
    def id(self):
        return self.record["task_id"] if "task_id" in self.record else self.record["id"]

    def check(self):
        complaints = []
        became = self.verdict(self.solution, REFERENCE_SECONDS)
        if became != "ok":
            complaints.append(f"{self.kind} {self.id}: the reference solution {became}")
        for number, program in enumerate(self.wrong):
            became = self.verdict(program, WRONG_PROGRAM_SECONDS)
            if became == "ok":
                complaints.append(f"{self.kind} {self.id}: wrong program {number + 1} passes")
            if became == "slow":
                self.slow.add(number)
        return complaints


def same_tokens(a, b):
    return a.split() == b.split()


def humaneval_problems():
    for (name,), prompt, parts in read_source("humaneval.txt"):
        prompt += "\n"
        record = {
            "task_id": f"sample/{name}",
            "prompt": prompt,
            "entry_point": name,
            "canonical_solution": parts["solution"][0],
            "test": "\n\n" + parts["test"][0],
        }

        def verdict(program, seconds, test=record["test"], name=name):
            return run(f"{program}\n{test}\ncheck({name})\n", seconds=seconds)[0]

        wrong = [prompt + body for body in parts.get("wrong", [])]
        yield Problem("humaneval", record, prompt + parts["solution"][0], wrong, verdict)


def mbpp_problems():
    for (number, _name), text, parts in read_source("mbpp.txt"):
        record = {
            "text": text,
            "code": parts["solution"][0].rstrip("\n"),
            "task_id": int(number),
            "test_setup_code": "",
            "test_list": parts["test"][0].strip("\n").split("\n"),
            "challenge_test_list": [],
        }

        def verdict(program, seconds, tests=record["test_list"]):
            return run(program + "\n" + "\n".join(tests) + "\n", seconds=seconds)[0]

        yield Problem("mbpp", record, parts["solution"][0], parts.get("wrong", []), verdict)


def stdin_problems():
    for (id, cpu_ms, memory_mib), statement, parts in read_source("stdin.txt"):
        inputs = [eval(text[2:].strip()) + "\n" if text.startswith("#!") else text for text in parts["input"]]
        solution = parts["solution"][0]
        cases = []
        for position, text in enumerate(inputs):
            became, output = run(solution, text)
            if became != "ok":
                raise SystemExit(f"{id}: the reference solution {became} on input {position + 1}")
            if "brute" in parts and not (text.strip() == "1000000"):
                if not same_tokens(output, run(parts["brute"][0], text)[1]):
                    raise SystemExit(f"{id}: the plain solution disagrees on input {position + 1}")
            cases.append({"input": text, "expected": output, **({"example": True} if position == 0 else {})})
        record = troubles.problem(
            id, statement, {"form": "stdin", "cases": cases}, [solution],
            title=id.split("/")[1].replace("-", " ").capitalize(), kind="program", checker={"kind": "tokens"},
            limits={"cpu_ms": int(cpu_ms), "memory_bytes": int(memory_mib) << 20},
        )

        def verdict(program, seconds, cases=cases):
            for case in cases:
                became, output = run(program, case["input"], seconds)
                if became != "ok":
                    return became
                if not same_tokens(output, case["expected"]):
                    return "failed"
            return "ok"

        yield Problem("stdin", record, solution, parts.get("wrong", []), verdict)


def call_problems():
    for (id, cpu_ms, entry_point), statement, parts in read_source("calls.txt"):
        limits = {"cpu_ms": int(cpu_ms)}
        title = id.split("/")[1].replace("-", " ").capitalize()
        if "case" in parts:
            cases = []
            for line in parts["case"][0].strip().split("\n"):
                args, expected = line.removeprefix("example ").split(" -> ")
                case = {"args": json.loads(args), "expected": json.loads(expected)}
                cases.append({**case, "example": True} if line.startswith("example ") else case)
            record = troubles.problem(
                id, statement, {"form": "call", "cases": cases}, parts["solution"],
                title=title, kind="function", entry_point=entry_point, limits=limits,
            )
            scripts = [f"assert {entry_point}(*{case['args']!r}) == {case['expected']!r}" for case in cases]
        else:
            scripts = parts["script"]
            record = troubles.problem(
                id, statement, {"form": "assert", "cases": [{"script": script} for script in scripts]},
                parts["solution"], title=title, kind="class", limits=limits,
            )

        def verdict(program, seconds, scripts=scripts):
            for script in scripts:
                became, _ = run(f"{program}\n{script}\n", seconds=seconds)
                if became != "ok":
                    return became
            return "ok"

        yield Problem("call", record, parts["solution"][0], parts.get("wrong", []), verdict)


# --- records made from others ----------------------------------------------------------------------------------------


def duplicates(own):
    """Two records that say the same with other line ends and blanks, and one equal statement with other tests."""
    by_id = {problem.id: problem.record for problem in own}
    again = json.loads(json.dumps(by_id[troubles.DUPLICATE_OF_STDIN]))
    again["id"] = "duplicate/ferry-trips-again"
    again["statement"] = again["statement"].replace("\n", "  \r\n") + "\r\n"
    call = json.loads(json.dumps(by_id[troubles.DUPLICATE_OF_CALL]))
    call["id"] = "duplicate/flatten-again"
    other = json.loads(json.dumps(by_id[troubles.SAME_STATEMENT_OTHER_TESTS]))
    other["id"] = "duplicate/tallest-wave-other-tests"
    other["tests"]["cases"] = [{"input": "3\n1 2 2\n", "expected": "2 2\n"}, {"input": "2\n5 1\n", "expected": "5 1\n"}]
    return [again, call, other]


def noise():
    lines = list(troubles.NOISE_LINES)
    survivors = [json.dumps(record, ensure_ascii=False) for record in troubles.NOISE_SURVIVORS]
    return lines[:4] + survivors[:1] + lines[4:9] + [""] + survivors[1:] + lines[9:]


# --- the written student ---------------------------------------------------------------------------------------------


def written_rollouts(problems):
    """Groups of eight in the order of time: the whole first checkpoint, then the second. Seeded, so always the same."""
    by_key = {(problem.kind, problem.id): problem for problem in problems}
    namespaces = {"humaneval": HUMANEVAL_NAMESPACE, "mbpp": MBPP_NAMESPACE, "stdin": NAMESPACE, "call": NAMESPACE}
    slow_used = set()
    for position, checkpoint in enumerate(written_student.CHECKPOINTS):
        for (kind, id), plan in written_student.PLAN.items():
            problem = by_key[kind, id]
            for number, right in enumerate(plan[position]):
                chance = random.Random(f"{checkpoint} {id} {number}")
                kinds = ["right"] * right + ["wrong"] * (8 - right)
                chance.shuffle(kinds)
                attempts = [attempt(problem, kind, chance, slow_used) for kind in kinds]
                yield {
                    "format": "tidemark.rollouts.v1",
                    "group": f"{written_student.TARGET}/{checkpoint}/{id}/{number + 1}",
                    "target": written_student.TARGET,
                    "checkpoint": checkpoint,
                    "namespace": namespaces[kind],
                    "id": str(id),
                    "purpose": "train",
                    "attempts": attempts,
                }


def check_attempts(problems, groups):
    """Runs every program of the written student: as many attempts of each group must pass as the plan says."""
    by_key = {(problem.kind, str(problem.id)): problem for problem in problems}
    kinds = {HUMANEVAL_NAMESPACE: ("humaneval",), MBPP_NAMESPACE: ("mbpp",), NAMESPACE: ("stdin", "call")}
    verdicts, complaints = {}, []
    for group in groups:
        found = [(kind, group["id"]) for kind in kinds[group["namespace"]] if (kind, group["id"]) in by_key]
        problem = by_key[found[0]]
        passed = 0
        for one in group["attempts"]:
            program = one["output"].partition("```python\n")[2].partition("```")[0]
            key = (problem.id, program)
            if key not in verdicts:
                verdicts[key] = program != "" and problem.verdict(program, WRONG_PROGRAM_SECONDS) == "ok"
            passed += verdicts[key]
        plan_id = int(group["id"]) if problem.kind == "mbpp" else group["id"]
        position = written_student.CHECKPOINTS.index(group["checkpoint"])
        number = int(group["group"].rpartition("/")[2])
        wanted = written_student.PLAN[problem.kind, plan_id][position][number - 1]
        if passed != wanted:
            complaints.append(f"{group['group']}: {passed} attempts pass, {wanted} are planned")
    return complaints


def attempt(problem, kind, chance, slow_used):
    lead = chance.choice(written_student.LEAD_INS)
    if kind == "right":
        return {"output": f"{lead}```python\n{problem.solution}```\n"}
    way = chance.random()
    if way < 0.06:
        return {"output": written_student.NO_CODE}
    if way < 0.12:  # stopped by the token limit in the middle of a line
        return {"output": f"{lead}```python\n{problem.solution[: len(problem.solution) * 2 // 3]}", "truncated": True}
    if way < 0.18:  # does not compile
        spoilt = problem.solution.replace(":", "", 1) if ":" in problem.solution else problem.solution[:-1] + ")\n"
        return {"output": f"{lead}```python\n{spoilt}```\n"}
    fast = [n for n in range(len(problem.wrong)) if n not in problem.slow]
    unused = [n for n in problem.slow if (problem.id, n) not in slow_used]
    if unused:  # a program that runs into the time limit is costly: each one is used once
        slow_used.add((problem.id, unused[0]))
        return {"output": f"{lead}```python\n{problem.wrong[unused[0]]}```\n"}
    if not fast:
        return {"output": written_student.NO_CODE}
    return {"output": f"{lead}```python\n{problem.wrong[chance.choice(fast)]}```\n"}


# --- writing ---------------------------------------------------------------------------------------------------------


def lines_of(records):
    return [json.dumps(record, ensure_ascii=False) for record in records]


def main():
    functions, small = list(humaneval_problems()), list(mbpp_problems())
    own = list(stdin_problems()) + list(call_problems())
    problems = functions + small + own
    with ThreadPoolExecutor(2) as pool:
        complaints = [line for lines in pool.map(Problem.check, problems) for line in lines]
    for proven in troubles.BENCHMARK + troubles.CONTAMINATED + troubles.NOISE_SURVIVORS:
        for case in proven["tests"]["cases"]:
            became, output = run(proven["references"][0]["code"], case["input"])
            if became != "ok" or not same_tokens(output, case["expected"]):
                complaints.append(f"{proven['id']}: the reference gives {output!r} for {case['input']!r}")
    written = list(written_rollouts(problems))
    complaints += check_attempts(problems, written)
    if complaints:
        raise SystemExit("\n".join(complaints))

    broken = troubles.BROKEN_REFERENCES + troubles.MISSING_TESTS + troubles.UNSOLVED + troubles.UNSAFE
    files = {
        "humaneval.jsonl": lines_of(p.record for p in functions),
        "mbpp.jsonl": lines_of([p.record for p in small] + [{**small[3].record, "task_id": 29}]),
        "tidemark.jsonl": lines_of(p.record for p in own),
        "troubles.jsonl": lines_of(duplicates(own) + troubles.CONTAMINATED + broken),
        "noise.jsonl": noise(),
        "benchmark.jsonl": lines_of(troubles.BENCHMARK),
        "written-student.rollouts.jsonl": lines_of(written),
    }
    stale = []
    for name, lines in files.items():
        text = "\n".join(lines) + "\n"
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
        print(f"{name}: {len(lines)} lines, {len(text.encode())} bytes")
    print(f"{len(problems)} reference solutions pass, {sum(len(p.wrong) for p in problems)} mistaken programs fail")
    if stale and "--check" in sys.argv:
        raise SystemExit("out of date: " + ", ".join(stale))


main()
