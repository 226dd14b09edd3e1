"""Offers a file of problems, and tells what became of each: python3 producer.py problems.jsonl

The records have a namespace and an id of their own, by which they are asked for.
"""

import json
import sys

from tidemark import lines

SETTLED = {"ready", "rejected", "withdrawn", "dead_lettered"}

path = sys.argv[1]
with open(path, "rb") as file:
    content = file.read()
records = [json.loads(line) for line in content.splitlines() if line.strip()]

# An answer to each line; the summary says that the upload came to its end. Sending it again changes nothing.
for answer in lines("POST", "/v1/problems", content, query={"source_file": path}):
    if answer["outcome"] == "refused":
        print(f"line {answer['line']}: {answer['field']} {answer['reason']}. {answer['do']}")
    elif answer["outcome"] == "summary":
        print(f"{answer['accepted']} of {answer['records']} taken")

# What the stream finds out takes longer: a stream of states, until each record has come to its end.
names = [{"namespace": record["namespace"], "record_id": record["id"]} for record in records]
states = {}
for state in lines("POST", "/v1/submissions/watch", {"records": names}):
    states[state["record_id"]] = state
    if state["state"] in SETTLED:
        held_out = ", held out for evaluation" if state["held_out"] else ""
        print(f"{state['record_id']}: {state['state']} {state['reason']}{held_out}".rstrip())
    if len(states) == len(names) and all(one["state"] in SETTLED for one in states.values()):
        break
