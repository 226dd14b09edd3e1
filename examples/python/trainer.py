"""A training loop against Tidemark: python3 trainer.py my-model [steps] [problems a step]

`solve` stands for the model. Everything else is what a trainer does: declare the target, lease the problems that are
worth most, have the attempts graded, tell the checkpoint.
"""

import json
import random
import sys
import time

from tidemark import ask, lines

target = sys.argv[1]
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2
count = int(sys.argv[3]) if len(sys.argv) > 3 else 8
GROUP = 8


def solve(problem, rng):
    """A model would answer the prompt. This one adds up, and forgets to now and then."""
    if rng.random() < 0.5:
        return "I am not sure."
    return "```python\nprint(sum(map(int, open(0).read().split())))\n```"


ask("PUT", f"/v1/targets/{target}", {"group_size": GROUP})
for step in range(steps):
    ask("POST", f"/v1/targets/{target}/checkpoints", {"checkpoint": f"step-{step}"})
    # The seed orders the batch; with its number it gives the same batch again after a crash.
    order = {"count": count, "lease_seconds": 600, "seed": step + 1}
    batch = ask("POST", f"/v1/targets/{target}/batches", order)
    while not batch["problems"]:
        # The working set is not there yet, or others hold all of it.
        time.sleep(1)
        batch = ask("POST", f"/v1/targets/{target}/batches", order)
    again = ask("GET", f"/v1/targets/{target}/batches/{batch['batch']}", query={"seed": step + 1})
    assert again["problems"] == batch["problems"] or again["withdrawn"]
    groups = {}
    for problem in batch["problems"]:
        rng = random.Random(f"{step} {problem['problem_id']}")
        groups[f"{target}-{step}-{problem['problem_id']}"] = {
            "target": target,
            "checkpoint": f"step-{step}",
            "problem": problem["problem_id"],
            "problem_version": problem["version"],
            "lease": problem["lease_id"],
            "attempts": [{"output": solve(problem, rng)} for _ in range(GROUP)],
        }
    body = "\n".join(json.dumps({"group": name, **group}) for name, group in groups.items()).encode()
    for verdict in lines("POST", "/v1/rollouts/grade", body, query={"wait": 300}):
        if verdict["outcome"] == "graded":
            # What failed on Tidemark's side says nothing about the model: it is no reward of 0.
            rewards = [1.0 if one == "accepted" else 0.0 for one in verdict["verdicts"]]
            print(f"step {step}: {verdict['group']} rewards {rewards}")
        else:
            print(f"step {step}: {verdict.get('group', verdict['line'])} {verdict['outcome']}")

# Follow the working set: what it is, then each change. A real trainer keeps the position and comes back with it.
for change in lines("GET", f"/v1/targets/{target}/curated/changes"):
    if change["change"] == "alive" and change["caught_up"]:
        break
    if change["change"] == "problem":
        problem = change["problem"]
        print(f"{problem['bin']:8} value {problem['value']:.2f} of {problem['attempts']} attempts: {problem['title']}")
