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
forest = dict(
    n_classes=2, ordered=np.array([depth + 1], np.int32), has_missing=np.zeros(1, np.uint8),
    root=np.zeros(1, np.int32), variable=np.where(inner, 0, -1).astype(np.int32),
    prefix=np.where(inner, at // 2 + 1, -1).astype(np.int32), left=np.where(inner, at + 1, -1).astype(np.int32),
    right=np.where(inner, at + 2, -1).astype(np.int32), missing_left=np.zeros(nodes, np.uint8),
    weight=np.stack([at % 3 == 0, at % 3 != 0], axis=1).astype(np.int64).ravel(),
    value=np.stack([at % 3 == 0, at % 3 != 0], axis=1).astype(float).ravel(),
    exact=np.ones(nodes, np.uint8), band=0, any_order=False, group_size=np.ones(1, np.int32),
    group_weight=np.ones(1), divisor=1.0, start=np.zeros(2), single=False, link=0, cuts=np.zeros(0), n_rules=0,
    forbidden=np.zeros(nodes, np.uint8),
)
core = _native.make_forest(**forest)
everything = np.ones(core.atoms, np.uint8)
found = core.find(everything, core.decide([0]), True, 5.0, -1)
assert core.decide(list(found)) != core.decide([0]), found
grown = core.grow([0], [[(0, -1)]], [0], [0], [0], 1, -1, 5.0, -1)
assert grown["box"]
empty = [np.zeros(0, np.int32)] * 5
joint = _native.join([core, core], [[0], [0]], [depth + 1], [0], True, True, *empty, np.zeros(0, np.uint8),
                     np.zeros(0, np.uint8), 10**7, 5.0)
assert joint.nodes == nodes
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
