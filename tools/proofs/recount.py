#!/usr/bin/env python3
"""Counts every posterior and bin again, from the topics alone, by other code than the service's.

    tidemark dump ... > dump.ndjson
    python3 tools/proofs/recount.py dump.ndjson [more.ndjson ...] [--target NAME]

Input: NDJSON, one record a line, the files in any order:

    {"topic": …, "partition": 0, "offset": "17", "key": …, "headers": {…}, "value": <protobuf JSON, null for a tombstone>}

It needs rollouts.graded.v1, problems.unique.v1, problems.scored.v1, calibrations.published.v1 and
evaluations.recorded.v1, and checks difficulty.estimated.v1 against them. Read too where they are there: checkpoints.advanced.v1 (ages of evidence from
several checkpoints), problems.withdrawn.v1, rollouts.graded.v1.calibrate.dlq.v1 (groups refused as late). Other topics
are skipped.

What is checked, for each evaluation point in the order of its numbers, with the evidence below its cut alone:
  - the groups counted;
  - the posterior, the counts, the bin, the prediction mark and the bin before, of every estimate that it published;
  - the interval: that it holds its level of the posterior and that both ends are equally likely (or at 0 or 1);
  - the masses of the bins;
  - how many problems moved, and how many stand in each bin;
and at the end that every problem with evidence has an estimate, equal to what the last evaluation comes to.

Only Python's standard library. The incomplete beta function is the classical continued fraction with lgamma; the service
uses another expansion. Ends with 0 when all is equal, 1 when something differs, 2 when the input does not carry it.
"""

import argparse
import collections
import json
import math
import sys

# Tolerances: relative for sums of weights, absolute for probabilities.
SAME = 1e-9
SAME_MASS = 1e-7

FAILURES = {
    "VERDICT_WRONG_ANSWER",
    "VERDICT_TIME_LIMIT",
    "VERDICT_MEMORY_LIMIT",
    "VERDICT_OUTPUT_LIMIT",
    "VERDICT_RUNTIME_ERROR",
    "VERDICT_COMPILE_ERROR",
    "VERDICT_NO_CODE",
    "VERDICT_WRONG_FORM",
}
ENVIRONMENT = {
    "VERDICT_SANDBOX_FAILURE",
    "VERDICT_CHECKER_FAILURE",
    "VERDICT_MACHINE_OVERLOADED",
    "VERDICT_LANGUAGE_MISSING",
    "VERDICT_CANCELLED",
}
IN_POSTERIOR = {"PURPOSE_TRAIN", "PURPOSE_CALIBRATE"}
PURPOSES = IN_POSTERIOR | {"PURPOSE_EVALUATE", "PURPOSE_CANARY"}
RANGES = ("mastered", "easy", "medium", "hard")


class CannotRecount(Exception):
    """The dump does not hold what a recount needs."""


# ---------------------------------------------------------------- the Beta distribution


def incomplete_beta(x, a, b):
    """I_x(a, b) = P(p <= x) under Beta(a, b): Abramowitz and Stegun 26.5.8, by Lentz's method."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - incomplete_beta(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    total = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            total *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * total / a


def log_density(p, a, b):
    """Up to a constant."""
    return (a - 1) * math.log(p) + (b - 1) * math.log1p(-p)


def interval_fault(low, high, level, a, b):
    held = incomplete_beta(high, a, b) - incomplete_beta(low, a, b)
    if abs(held - level) > 1e-6:
        return f"the interval {low} … {high} holds {held}, not {level}"
    # Where the density falls or rises all the way, the shortest interval begins at 0 or ends at 1; where it is flat or
    # heaped at both ends, none is shortest.
    if a > 1 and b > 1:
        if 0 < low and high < 1:
            apart = abs(log_density(low, a, b) - log_density(high, a, b))
            if apart > 1e-3 and high - low > 1e-9:
                return f"the ends of {low} … {high} are not equally likely"
    elif a <= 1 < b and low != 0 or b <= 1 < a and high != 1:
        return f"the interval {low} … {high} does not reach the end where the density is highest"
    return None


# ---------------------------------------------------------------- bins


class Cuts:
    def __init__(self, value):
        self.mastered = value["mastered"]
        self.easy = value["easy"]
        self.medium = value["medium"]
        self.enter = value["enter"]
        self.unsolved_attempts = int(value["unsolvedAttempts"])

    def bin_of_rate(self, rate):
        if rate >= self.mastered:
            return "mastered"
        if rate >= self.easy:
            return "easy"
        return "medium" if rate >= self.medium else "hard"

    def masses(self, a, b):
        hard = incomplete_beta(self.medium, a, b)
        below_easy = incomplete_beta(self.easy, a, b)
        below_mastered = incomplete_beta(self.mastered, a, b)
        return {
            "hard": hard,
            "medium": below_easy - hard,
            "easy": below_mastered - below_easy,
            "mastered": 1.0 - below_mastered,
        }


def place(standing, prior, masses, attempts, passes, cuts):
    """The bin after an evaluation and whether it is predicted. `standing` is the same pair from before, or None."""
    entered = [name for name in RANGES if masses[name] > cuts.enter]
    if entered:
        name, predicted = entered[0], False
    elif standing is None or standing[1]:
        name, predicted = cuts.bin_of_rate(prior[0] / (prior[0] + prior[1])), True
    else:
        name, predicted = ("hard" if standing[0] == "unsolved" else standing[0]), False
    if name == "hard" and passes == 0 and attempts >= cuts.unsolved_attempts:
        name = "unsolved"
    return name, predicted


def too_close(masses, cuts):
    """A mass so near `enter` that rounding decides: the recount then takes either side."""
    return any(abs(mass - cuts.enter) < SAME_MASS for mass in masses.values())


# ---------------------------------------------------------------- reading


class Dump:
    def __init__(self, paths):
        self.graded = []
        self.refused = set()
        self.scored = {}
        self.unique = {}
        self.withdrawn = {}
        self.checkpoints = collections.defaultdict(dict)
        self.calibrations = {}
        self.evaluations = {}
        self.estimates = []
        for path in paths:
            with open(path, encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        try:
                            self.take(json.loads(line))
                        except (ValueError, KeyError, TypeError) as error:
                            raise CannotRecount(f"{path}:{number}: {error!r}") from error

    def take(self, record):
        topic, value = record["topic"], record["value"]
        if topic == "rollouts.graded.v1":
            if value is not None:
                self.graded.append((int(record["partition"]), int(record["offset"]), value))
        elif topic == "rollouts.graded.v1.calibrate.dlq.v1":
            if value is not None:
                self.refused.add((int(value.get("partition", 0)), int(value.get("offset", 0))))
        elif topic == "problems.scored.v1":
            self.newest(self.scored, record, value and value["problemId"])
        elif topic == "problems.unique.v1":
            self.newest(self.unique, record, value and value["problemId"])
        elif topic == "problems.withdrawn.v1":
            self.newest(self.withdrawn, record, record["key"])
        elif topic == "checkpoints.advanced.v1":
            if value is not None:
                self.checkpoints[value["target"]][value["checkpoint"]] = int(value.get("ordinal", 0))
        elif topic == "calibrations.published.v1":
            if value is not None:
                self.calibrations[value["target"], int(value["version"])] = value
        elif topic == "evaluations.recorded.v1":
            if value is not None:
                self.evaluations[value["target"], int(value["number"])] = value
        elif topic == "difficulty.estimated.v1":
            self.estimates.append(record)

    @staticmethod
    def newest(known, record, key):
        """Events of one key replace each other; the higher revision stands, whatever the order of the files."""
        key = key or record["key"]
        value = record["value"]
        if value is None:
            known.pop(key, None)
            return
        before = known.get(key)
        if before is None or int(before.get("revision", 0)) <= int(value.get("revision", 0)):
            known[key] = value


# ---------------------------------------------------------------- counting


Bucket = collections.namedtuple("Bucket", "version suite checkpoint target_version in_posterior")


class Counts:
    def __init__(self):
        self.attempts = self.passes = self.truncated = self.environment = 0

    def add(self, verdicts, times=1):
        for verdict in verdicts:
            if verdict["verdict"] in ENVIRONMENT:
                self.environment += times
                continue
            self.attempts += times
            if verdict.get("truncated", False):
                self.truncated += times
            elif verdict["verdict"] == "VERDICT_ACCEPTED":
                self.passes += times


def is_refused(value):
    group = value.get("group", {})
    verdicts = value.get("verdicts", [])
    incomplete = not (
        group.get("groupId")
        and group.get("target")
        and group.get("problemId")
        and group.get("version")
        and group.get("targetVersion")
    )
    return incomplete or not verdicts or any("verdict" not in verdict for verdict in verdicts)


def is_parked(value):
    """A verdict or a purpose that this script does not know either."""
    known = FAILURES | ENVIRONMENT | {"VERDICT_ACCEPTED"}
    purpose = value["group"].get("purpose", "PURPOSE_TRAIN")
    return purpose not in PURPOSES or any(verdict["verdict"] not in known for verdict in value["verdicts"])


class Evidence:
    """The evidence of one target, grown from cut to cut."""

    def __init__(self, target, dump):
        self.problems = collections.defaultdict(lambda: collections.defaultdict(Counts))
        self.ids = collections.defaultdict(set)
        self.unnamed = {}
        self.groups = 0
        self.parked = 0
        self.by_partition = collections.defaultdict(list)
        for partition, offset, value in dump.graded:
            if value.get("group", {}).get("target") == target and (partition, offset) not in dump.refused:
                self.by_partition[partition].append((offset, value))
        for records in self.by_partition.values():
            records.sort(key=lambda record: record[0])
        self.read = collections.Counter()

    def advance(self, cut):
        nexts = {int(p.get("partition", 0)): int(p.get("nextOffset", 0)) for p in cut.get("positions", [])}
        for partition, records in self.by_partition.items():
            while self.read[partition] < len(records):
                offset, value = records[self.read[partition]]
                if offset >= nexts.get(partition, 0):
                    break
                self.read[partition] += 1
                self.count(value)

    def count(self, value):
        if is_refused(value):
            return
        if is_parked(value):
            self.parked += 1
            return
        group = value["group"]
        suite = value.get("suiteHash", "")
        # A group is its submitter's, of one problem.
        identity = (group["problemId"], group["groupId"], value.get("submitter", {}).get("name", ""))
        suites = self.ids[identity]
        if suite in suites:
            return
        suites.add(suite)
        named = {name for name in suites if name}
        if not suite and named:
            return
        if suite and "" in suites and len(named) == 1:
            # What a submitter graded without naming a suite counts only as long as no suite graded it.
            bucket, verdicts = self.unnamed.pop(identity)
            self.problems[group["problemId"]][bucket].add(verdicts, -1)
            self.groups -= 1
        self.groups += 1
        purpose = group.get("purpose", "PURPOSE_TRAIN")
        bucket = Bucket(
            int(group["version"]),
            suite,
            group.get("checkpoint", ""),
            int(group["targetVersion"]),
            purpose in IN_POSTERIOR and not value.get("heldOut", False),
        )
        self.problems[group["problemId"]][bucket].add(value["verdicts"])
        if not suite:
            self.unnamed[identity] = (bucket, value["verdicts"])


def in_force(problem, buckets, evaluation, dump):
    """Version, suite and counts by checkpoint of what a posterior reads."""
    target_version = int(evaluation["targetVersion"])
    scored = dump.scored.get(problem)
    mine = [bucket for bucket in buckets if bucket.target_version == target_version]
    version = int(scored["version"]) if scored else max((bucket.version for bucket in mine), default=None)
    suite = scored.get("suiteHash", "") if scored else ""
    by_checkpoint = collections.defaultdict(Counts)
    for bucket in mine:
        if bucket.version != version or not bucket.in_posterior:
            continue
        if suite and bucket.suite not in ("", suite):
            continue
        counts, total = buckets[bucket], by_checkpoint[bucket.checkpoint]
        total.attempts += counts.attempts
        total.passes += counts.passes
        total.truncated += counts.truncated
        total.environment += counts.environment
    return version, by_checkpoint


def ages(target, evaluation, dump):
    """Age of a checkpoint's evidence in checkpoints, at an evaluation."""
    line = {
        name: ordinal
        for name, ordinal in dump.checkpoints[target].items()
        if ordinal <= int(evaluation.get("checkpointOrdinal", 0))
    }
    ordinals = sorted(set(line.values()), reverse=True)

    def age(name):
        if name == evaluation.get("checkpoint", ""):
            return 0
        if name in line:
            return ordinals.index(line[name])
        if not dump.checkpoints[target] and evaluation.get("checkpoint") != "base":
            raise CannotRecount(f"evidence of checkpoint {name!r}: checkpoints.advanced.v1 is needed")
        return len(ordinals)

    return age


def is_withdrawn(problem, version, dump):
    return any(
        value["problemId"] == problem and int(value["version"]) >= version and not value.get("takenBack", False)
        for value in dump.withdrawn.values()
    )


def is_held_out(problem, dump):
    """Whatever is not plainly on the trainers' side belongs to the exam."""
    return dump.unique.get(problem, {}).get("split") != "SPLIT_TRAIN"


# ---------------------------------------------------------------- comparing


class Report:
    def __init__(self):
        self.differences = []
        self.estimates = 0
        self.evaluations = 0
        self.groups = 0
        self.close = 0

    def differ(self, where, what, found, expected):
        self.differences.append(f"{where}: {what} is {found!r}, the recount says {expected!r}")

    def same_number(self, where, what, found, expected):
        if not math.isclose(found, expected, rel_tol=SAME, abs_tol=SAME):
            self.differ(where, what, found, expected)

    def same(self, where, what, found, expected):
        if found != expected:
            self.differ(where, what, found, expected)


def bin_name(value):
    return (value or "BIN_UNSPECIFIED").removeprefix("BIN_").lower()


class Expected:
    """What the recount comes to for one problem at one evaluation."""

    def __init__(self, version, alpha, beta, counts, name, predicted, masses, before, close, newest):
        self.version, self.alpha, self.beta, self.counts = version, alpha, beta, counts
        self.bin, self.predicted, self.masses, self.before, self.close = name, predicted, masses, before, close
        self.newest = newest


def recount_target(target, dump, report):
    numbers = sorted(number for name, number in dump.evaluations if name == target)
    if numbers != list(range(1, len(numbers) + 1)):
        raise CannotRecount(f"evaluations of {target} are not 1 … {len(numbers)}: {numbers[:20]}")
    published = collections.defaultdict(dict)
    newest = {}
    tombstoned = set()
    for record in sorted(dump.estimates, key=lambda r: (int(r["partition"]), int(r["offset"]))):
        value = record["value"]
        if value is None:
            if str(record["key"]).startswith(f"{target}:"):
                tombstoned.add(str(record["key"]).split(":", 1)[1])
                newest.pop(str(record["key"]).split(":", 1)[1], None)
        elif value["target"] == target:
            published[int(value["evaluation"])][value["problemId"]] = value
            newest[value["problemId"]] = value
            tombstoned.discard(value["problemId"])

    evidence = Evidence(target, dump)
    standings = {}
    expected = {}
    for number in numbers:
        evaluation = dump.evaluations[target, number]
        where = f"{target}, evaluation {number}"
        evidence.advance(evaluation.get("cut", {}))
        report.evaluations += 1
        report.same(where, "the number of counted groups", int(evaluation["cut"].get("groups", 0)), evidence.groups)
        report.same(where, "the number of waiting groups", int(evaluation["cut"].get("waitingGroups", 0)), evidence.parked)
        expected = evaluate(target, evaluation, evidence, standings, dump)
        standings = {problem: (e.bin, e.predicted, e.version, int(evaluation["targetVersion"])) for problem, e in expected.items()}
        for problem, value in published[number].items():
            if problem not in expected:
                report.differ(where, f"an estimate of {problem}", "published", "no evidence in force")
                continue
            adopt_if_close(expected[problem], value, standings, problem, report)
            compare_estimate(f"{where}, problem {problem}", value, expected[problem], report)
        compare_evaluation(where, evaluation, expected, report)
    report.groups += evidence.groups

    for problem, e in expected.items():
        where = f"{target}, problem {problem}"
        if problem not in newest:
            report.differ(where, "its estimate", "tombstoned" if problem in tombstoned else "missing", (e.alpha, e.beta, e.bin))
        else:
            compare_estimate(where, newest[problem], e, report, last=True)
    for problem in newest.keys() - expected.keys():
        version = int(newest[problem].get("version", 0))
        if not is_withdrawn(problem, version, dump):
            report.differ(f"{target}, problem {problem}", "its estimate", "there", "no evidence in force")


def evaluate(target, evaluation, evidence, standings, dump):
    calibration = dump.calibrations.get((target, int(evaluation["calibrationVersion"])))
    if calibration is None:
        raise CannotRecount(f"calibration {evaluation['calibrationVersion']} of {target} is not in the dump")
    if calibration.get("curve"):
        raise CannotRecount(f"calibration {evaluation['calibrationVersion']} of {target} has a curve: not supported yet")
    prior = (calibration["priorAlpha"], calibration["priorBeta"])
    retention = evaluation["retention"]
    cuts = Cuts(evaluation["cuts"])
    age = ages(target, evaluation, dump)
    expected = {}
    for problem, buckets in evidence.problems.items():
        version, by_checkpoint = in_force(problem, buckets, evaluation, dump)
        total = Counts()
        alpha, beta = prior
        for name, counts in by_checkpoint.items():
            weight = retention ** age(name)
            alpha += weight * counts.passes
            beta += weight * (counts.attempts - counts.passes)
            for field in vars(total):
                setattr(total, field, getattr(total, field) + getattr(counts, field))
        if total.attempts == 0 or is_withdrawn(problem, version, dump) or is_held_out(problem, dump):
            continue
        known = standings.get(problem)
        same_question = known and known[2] == version and known[3] == int(evaluation["targetVersion"])
        standing = known[:2] if same_question else None
        masses = cuts.masses(alpha, beta)
        name, predicted = place(standing, prior, masses, total.attempts, total.passes, cuts)
        measured = [name for name, counts in by_checkpoint.items() if counts.attempts > 0]
        newest = {each for each in measured if age(each) == min(age(other) for other in measured)}
        before, close = standing[0] if standing else None, too_close(masses, cuts)
        expected[problem] = Expected(version, alpha, beta, total, name, predicted, masses, before, close, newest)
    return expected


def adopt_if_close(e, value, standings, problem, report):
    """Where rounding decides, go on from what the service decided, and say so."""
    found = bin_name(value.get("bin"))
    if e.close and (found, value.get("predicted", False)) != (e.bin, e.predicted):
        report.close += 1
        e.bin, e.predicted = found, value.get("predicted", False)
        standings[problem] = (e.bin, e.predicted, *standings[problem][2:])


def compare_estimate(where, value, e, report, last=False):
    if not last:
        report.estimates += 1
        report.same(where, "the bin before", bin_name(value.get("previousBin")), e.before or "unspecified")
    report.same(where, "the version", int(value.get("version", 0)), e.version)
    report.same_number(where, "alpha", value.get("alpha", 0.0), e.alpha)
    report.same_number(where, "beta", value.get("beta", 0.0), e.beta)
    report.same_number(where, "the mean", value.get("mean", 0.0), e.alpha / (e.alpha + e.beta))
    for field, name in (
        ("attempts", "attempts"),
        ("passes", "passes"),
        ("truncated", "truncated"),
        ("environmentFailures", "environment"),
    ):
        report.same(where, field, int(value.get(field, 0)), getattr(e.counts, name))
    report.same(where, "the bin", bin_name(value.get("bin")), e.bin)
    if value.get("evidenceCheckpoint", "") not in e.newest:
        report.differ(where, "the newest checkpoint of the evidence", value.get("evidenceCheckpoint", ""), sorted(e.newest))
    report.same(where, "the mark predicted", value.get("predicted", False), e.predicted)
    for name, mass in e.masses.items():
        found = value.get("masses", {}).get(name, 0.0)
        if abs(found - mass) > SAME_MASS:
            report.differ(where, f"the mass of {name}", found, mass)
    interval = value.get("interval", {})
    fault = interval_fault(
        interval.get("low", 0.0), interval.get("high", 0.0), interval.get("level", 0.0), e.alpha, e.beta
    )
    if fault:
        report.differences.append(f"{where}: {fault}")


def compare_evaluation(where, evaluation, expected, report):
    bins = collections.Counter(e.bin for e in expected.values())
    found = {name: int(problems) for name, problems in evaluation.get("bins", {}).items() if int(problems) > 0}
    report.same(where, "the number of problems by bin", found, dict(bins))
    moved = sum(1 for e in expected.values() if e.before is not None and e.before != e.bin)
    report.same(where, "the number of moves", int(evaluation.get("movedCount", 0)), moved)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", nargs="+")
    parser.add_argument("--target", help="only this target; default all that were evaluated")
    parser.add_argument("--show", type=int, default=20, help="differences to print (default 20)")
    options = parser.parse_args(arguments)
    report = Report()
    try:
        dump = Dump(options.dump)
        targets = sorted({name for name, _ in dump.evaluations if options.target in (None, name)})
        if not targets:
            raise CannotRecount("no evaluation point in the dump")
        if not dump.unique:
            raise CannotRecount("no problems.unique.v1 in the dump: which problems are held out is not known")
        for target in targets:
            recount_target(target, dump, report)
    except CannotRecount as reason:
        print(f"recount: {reason}", file=sys.stderr)
        return 2
    print(
        f"recount: {len(targets)} targets, {report.evaluations} evaluation points, {report.groups} groups counted, "
        f"{report.estimates} estimates compared, {report.close} too close to call, {len(report.differences)} differences"
    )
    for difference in report.differences[: options.show]:
        print(f"  {difference}")
    if len(report.differences) > options.show:
        print(f"  … and {len(report.differences) - options.show} more")
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
