"""Known boxes against the obvious way to look for one: trying them one after the other."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from primewood.batch.known_boxes import KnownBoxes
from primewood.logic.variable import Variable

SIZES = st.lists(st.integers(2, 4), min_size=1, max_size=3)


@st.composite
def histories(draw):
    """The sizes of variables, and blocks of (label, box, source)."""
    sizes = draw(SIZES)
    box = st.tuples(*(st.integers(1, 2**size - 1) for size in sizes))
    entry = st.tuples(st.integers(0, 2), box)
    blocks = draw(st.lists(st.lists(entry, max_size=12), max_size=4))
    sources = itertools.count(draw(st.integers(0, 5)))
    return sizes, [[(label, box, next(sources)) for label, box in block] for block in blocks]


def holds(box, point):
    return all(mask >> value & 1 for mask, value in zip(box, point, strict=True))


@given(histories())
def test_the_boxes_that_hold_a_point(history):
    sizes, blocks = history
    known = KnownBoxes([Variable(f"x{j}", range(size)) for j, size in enumerate(sizes)])
    listed = []
    for block in [[], *blocks]:
        known.add(iter(block))
        listed += block
        assert len(known) == len({(label, box) for label, box, _ in listed})
        for label, point in itertools.product(range(4), itertools.product(*map(range, sizes))):
            around = [(source, box) for own, box, source in listed if own == label and holds(box, point)]
            first = {box: source for source, box in reversed(around)}
            assert list(known.find_around(label, point)) == [
                (source, box) for source, box in around if first.pop(box, None) == source
            ]


@given(histories())
def test_it_does_not_matter_how_boxes_are_divided_into_blocks(history):
    sizes, blocks = history
    one, other = (KnownBoxes([Variable(f"x{j}", range(size)) for j, size in enumerate(sizes)]) for _ in "ab")
    one.add([entry for block in blocks for entry in block])
    for block in blocks:
        other.add(block)
    for label, point in itertools.product(range(3), itertools.product(*map(range, sizes))):
        assert list(one.find_around(label, point)) == list(other.find_around(label, point))


def test_variables_with_many_values():
    """Masks and numbers of boxes beyond a machine word."""
    x = Variable("x", range(200))
    known = KnownBoxes([x])
    known.add((0, (1 << i | 1 << 199,), i) for i in range(199))
    every = [(i, (1 << i | 1 << 199,)) for i in range(199)]
    assert [list(known.find_around(0, (i,))) for i in range(199)] == [[one] for one in every]
    assert list(known.find_around(0, (199,))) == every and len(known) == 199


def test_no_variables_at_all():
    known = KnownBoxes([])
    assert list(known.find_around(0, ())) == []
    known.add([(0, (), 3), (0, (), 4)])
    assert (
        list(known.find_around(0, ())) == [(3, ())]
        and list(known.find_around(1, ())) == []
        and len(known) == 1
    )
