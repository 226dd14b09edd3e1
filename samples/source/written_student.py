"""The written student: which of its attempts are right, group by group. Verdicts come from running the attempts.

It is not a model. Its attempts are the reference solutions and the mistaken programs of this sample, put together so
that it visibly changes between its two checkpoints. Numbers are right attempts of eight, one number a group.
"""

TARGET = "written-student"
CHECKPOINTS = ("first-week", "sixth-week")

# problem (namespace of the file, record id): groups at the first checkpoint, groups at the second
PLAN = {
    # mastered soon
    ("humaneval", "sample/add"): ([8, 8], [8, 8]),
    ("humaneval", "sample/square"): ([8, 7], [8, 8, 8]),
    ("mbpp", 1): ([8, 8], [8]),
    ("stdin", "stdin/sum-of-two"): ([7, 8], [8, 8, 8]),
    # learned between the two checkpoints
    ("humaneval", "sample/count_vowels"): ([5, 6], [8, 8, 8, 8]),
    ("humaneval", "sample/is_prime"): ([3, 4], [8, 8, 7, 8]),
    ("humaneval", "sample/is_palindrome"): ([2, 3], [7, 6, 7]),
    ("humaneval", "sample/pack_runs"): ([0, 0], [3, 4, 4]),
    ("humaneval", "sample/well_nested"): ([1, 2], [6, 7, 6]),
    ("humaneval", "sample/join_shifts"): ([0, 1], [4, 5, 4]),
    ("mbpp", 13): ([4, 3], [8, 8, 8, 8]),
    ("mbpp", 14): ([2, 2], [6, 6, 7]),
    ("mbpp", 15): ([0, 0], [4, 3, 5]),
    ("mbpp", 16): ([1, 1], [5, 6, 6]),
    ("stdin", "stdin/ferry-trips"): ([3, 3], [8, 7, 8]),
    ("stdin", "stdin/tide-window"): ([0, 0], [2, 3, 3]),
    ("call", "call/flatten"): ([1, 2], [6, 5, 6]),
    # in the middle both times
    ("mbpp", 17): ([3, 4], [4, 3]),
    ("mbpp", 20): ([4, 3], [4, 5]),
    # not solved yet
    ("humaneval", "sample/edit_steps"): ([0, 0], [0, 0]),
    ("mbpp", 23): ([0, 0], [1, 0]),
    ("stdin", "stdin/toll-routes"): ([0], [0, 0]),
    ("stdin", "stdin/out-of-order"): ([0, 0], [0, 0]),
    # forgotten
    ("humaneval", "sample/word_count"): ([7, 7], [3, 2, 3]),
}

LEAD_INS = (
    "",
    "Here is my solution.\n\n",
    "This should work:\n\n",
    "I go through the input once.\n\n",
)
NO_CODE = "I am not sure how to begin. One would have to look at the examples more closely first."
