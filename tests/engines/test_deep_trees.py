"""Trees as deep as they have nodes: the core walks them without recursion."""

from __future__ import annotations

import subprocess
import sys

# In a process of its own: a stack that overflows ends the process.
SCRIPT = """
import sys
import numpy as np
from primewood.core import _native

depth = int(sys.argv[1])
nodes = 2 * depth + 1
inner = np.arange(nodes) % 2 == 0
inner[-1] = False
at = np.arange(nodes)
# Each node tests the next larger value: what is below it ends in a leaf, the rest goes on down.
variables = _native.VariableArrays()
variables.ordered, variables.has_missing = np.array([depth + 1], np.int32), np.zeros(1, np.uint8)
trees = _native.TreeArrays()
trees.root = np.zeros(1, np.int32)
trees.variable = np.where(inner, 0, -1).astype(np.int32)
trees.prefix = np.where(inner, at // 2 + 1, -1).astype(np.int32)
trees.left = np.where(inner, at + 1, -1).astype(np.int32)
trees.right = np.where(inner, at + 2, -1).astype(np.int32)
trees.missing_left = trees.forbidden = np.zeros(nodes, np.uint8)
vote = _native.VoteArrays()
vote.n_classes = 2
vote.weight = np.stack([at % 3 == 0, at % 3 != 0], axis=1).astype(np.int64).ravel()
vote.value = np.stack([at % 3 == 0, at % 3 != 0], axis=1).astype(float).ravel()
vote.exact = np.ones(nodes, np.uint8)
vote.group_size, vote.group_weight, vote.start = np.ones(1, np.int32), np.ones(1), np.zeros(2)

core = _native.Forest(variables, trees, vote)
budget = _native.Budget(seconds=5.0)
everything = np.ones(core.atoms, np.uint8)
found = core.find(everything, _native.Question(core.decide([0])), budget)
assert core.decide(list(found.point)) != core.decide([0]), found.point
weakening = _native.Weakening()
weakening.steps, weakening.order, weakening.language = [[(0, -1)]], [0], _native.Language.INTERVALS
weakening.fixed = weakening.nominal = [0]
assert not core.grow([0], weakening, budget).interrupted
plan = _native.JointPlan()
plan.variables, plan.paired, plan.twins = variables, True, True
assert _native.join([core, core], [[0], [0]], plan, budget).joint.nodes == nodes
if depth <= 5000:
    options = _native.CompileOptions(order=[0], find_order=False, most_nodes=10**6, most_states=10**6,
                                     order_work=0.0, final_work=0.0)
    assert isinstance(_native.compile(core, options, seconds=5.0, watcher=None), _native.Compilation)
print("walked")
"""


def walk(depth):
    """What a process that walks a chain of this depth prints."""
    command = [sys.executable, "-c", SCRIPT, str(depth)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.strip()


def test_a_chain_of_fifty_thousand_tests_is_searched_grown_and_joined():
    assert walk(50_000) == "walked"


def test_a_chain_of_five_thousand_tests_is_compiled():
    assert walk(5_000) == "walked"
