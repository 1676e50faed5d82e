"""Pictures say what the arrays say, in few words, and nothing in a name can break out of them."""

from __future__ import annotations

import itertools
import math
import os
import re
import stat
import sys
import xml.etree.ElementTree as ElementTree
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primewood.errors import InvalidInput, MissingDependency
from primewood.logic.variable import Variable
from primewood.render.answer_pictures import (
    Picture,
    diagram_picture,
    edge_label,
    reason_picture,
    tree_picture,
)
from primewood.visible import visible

SVG = "{http://www.w3.org/2000/svg}"
RIGHT = Variable.numeric("X", cuts=[2.4500000476837163, 4.8, 6], closed="right", missing=True)
LEFT = Variable.numeric("X", cuts=[2, 6], closed="left")
MANY = Variable.numeric("X", cuts=range(10), closed="right", missing=True)
PURPOSE = Variable.categorical("purpose", ["car", "tv", "boat", "house", "other"], missing=True)
FLAG = Variable.categorical("flag", [0.0, 1.0, 2.5])
ONLY_MISSING = Variable.numeric("X", cuts=[], missing=True)


@pytest.fixture
def drawing():
    pytest.importorskip("pygraphviz")


class TestEdgeLabels:
    @pytest.mark.parametrize(
        ("variable", "mask", "unit", "text"),
        [
            (RIGHT, 0b00001, "", "≤ 2.45"),
            (RIGHT, 0b00010, "", "2.45 < · ≤ 4.8"),
            (RIGHT, 0b01100, "cm", "> 4.8 cm"),
            (RIGHT, 0b01001, "cm", "≤ 2.45 cm or > 6 cm"),
            (RIGHT, 0b10000, "cm", "missing"),
            (RIGHT, 0b10001, "", "≤ 2.45 or missing"),
            (RIGHT, 0b01111, "", "not missing"),
            (RIGHT, 0b11111, "", "any"),
            (LEFT, 0b001, "", "< 2"),
            (LEFT, 0b010, "", "2 ≤ · < 6"),
            (LEFT, 0b110, "", "≥ 2"),
            (LEFT, 0b101, "", "< 2 or ≥ 6"),
            (MANY, 0b00000010101, "", "≤ 0 or 1 < · ≤ 2 or 3 < · ≤ 4"),
            (MANY, 0b10101010101, "", "≤ 0 or 1 < · ≤ 2 or 3 < · ≤ 4 and 3 more"),
            (MANY, 0b110101010101, "", "≤ 0 or 1 < · ≤ 2 or 3 < · ≤ 4 and 3 more or missing"),
            (ONLY_MISSING, 0b01, "", "not missing"),
            (ONLY_MISSING, 0b10, "", "missing"),
            (PURPOSE, 0b000001, "", "car"),
            (PURPOSE, 0b000011, "", "car or tv"),
            (PURPOSE, 0b011111, "", "not missing"),
            (PURPOSE, 0b111101, "", "not tv"),
            (PURPOSE, 0b001111, "", "car or tv or boat and 1 more"),
            (PURPOSE, 0b100001, "", "car or missing"),
            (FLAG, 0b001, "", "0"),
            (FLAG, 0b011, "", "not 2.5"),
            (Variable("B", ["r", "b"]), 0b01, "", "r"),
            (Variable.boolean("x"), 0b10, "", "yes"),
            (Variable.boolean("x"), 0b01, "", "no"),
            (Variable.categorical("x", [False, True], missing=True), 0b110, "", "yes or missing"),
        ],
    )
    def test_a_set_of_values_has_a_short_text(self, variable, mask, unit, text):
        assert edge_label(variable, mask, unit) == text

    @pytest.mark.parametrize("mask", [0, -1, 0b1000])
    def test_what_is_no_set_of_values_is_refused(self, mask):
        with pytest.raises(InvalidInput, match="not a set of values of X"):
            edge_label(LEFT, mask)

    @pytest.mark.parametrize(
        ("cut", "closed", "text"),
        [
            (51.50000190734863, "right", "≤ 51.5"),
            (51.49999809265137, "right", "≤ 51.5"),
            (0.800000011920929, "left", "< 0.8"),
            (-0.75, "right", "≤ -0.75"),
            (0.0, "right", "≤ 0"),
            (1e-9, "right", "≤ 1e-09"),
            (1e20, "right", "≤ 1e+20"),
            # Whole numbers fall on the side on which the true cut has them.
            (2234571.5, "right", "≤ 2234571"),
            (2234571.5, "left", "< 2234572"),
        ],
    )
    def test_cuts_lose_what_rounding_brought_in(self, cut, closed, text):
        assert edge_label(Variable.numeric("X", [cut], closed), 1) == text

    def test_neighbouring_cuts_never_look_alike(self):
        close = Variable.numeric("X", [0.9999999, 1.0000001, 1.0000002], "right")
        assert [edge_label(close, 1 << k) for k in range(4)] == [
            "≤ 0.9999999",
            "0.9999999 < · ≤ 1.0000001",
            "1.0000001 < · ≤ 1.0000002",
            "> 1.0000002",
        ]

    @given(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5, unique=True),
        st.sampled_from(["left", "right"]),
        st.booleans(),
    )
    def test_shown_cuts_are_in_order_and_close(self, cuts, closed, crowded):
        cuts = sorted({c for x in cuts for c in ((x, math.nextafter(x, math.inf)) if crowded else (x,))})
        variable = Variable.numeric("X", [c for c in cuts if math.isfinite(c)], closed)
        shown = [float(edge_label(variable, (2 << k) - 1)[2:]) for k in range(len(variable.cuts))]
        assert all(a < b for a, b in itertools.pairwise(shown))
        assert all(abs(a - b) <= 1e-6 * abs(b) for a, b in zip(shown, variable.cuts, strict=True))


def parsed(picture):
    return ElementTree.fromstring(picture.svg)


def lines(group):
    return ["".join(text.itertext()) for text in group.findall(f"{SVG}text")]


def groups(picture, kind):
    """Titles (what hovering shows) and visible lines of the nodes or edges."""
    found = parsed(picture).iter(f"{SVG}g")
    return [(g.findtext(f"{SVG}title"), " ".join(lines(g))) for g in found if g.get("class") == kind]


def texts(picture, kind="node"):
    return sorted(text for _, text in groups(picture, kind))


def heading(picture):
    return next(lines(g) for g in parsed(picture).iter(f"{SVG}g") if g.get("class") == "graph")


Levels = namedtuple("Levels", "variables order levels root")
Nodes = namedtuple("Nodes", "variable lo hi root")
COLOUR = Variable("colour", ["red", "green", "blue"])
SIZE = Variable.numeric("size", [2.5, 7.5], "right")
OLD = Variable.boolean("old")
# colour=red: by size; green and blue: at size nothing is decided, the decision is by old.
LEVELS = [
    np.array([[0, 1, 1], [1, 1, 1]]),
    np.array([[0, 0, 2], [1, 1, 1]]),
    np.array([[0, 0], [0, 1], [1, 1]]),
]


@pytest.mark.usefixtures("drawing")
class TestDiagrams:
    def draw(self, **options):
        return diagram_picture(
            Levels([OLD, COLOUR, SIZE], [1, 2, 0], LEVELS, 0), ["no loan", "loan"], **options
        )

    def test_nodes_at_which_nothing_is_decided_are_left_out(self):
        assert texts(self.draw()) == sorted(["colour", "size", "old", "no loan", "loan", "no loan", "loan"])

    def test_one_edge_for_all_values_that_lead_to_the_same_place(self):
        labels = ["red", "not red", "≤ 7.5 cm", "> 7.5 cm", "no", "yes"]
        assert texts(self.draw(units={"size": "cm"}), "edge") == sorted(labels)

    def test_hovering_tells_the_variable(self):
        assert ("size: ≤ 7.5", "≤ 7.5") in groups(self.draw(), "edge")

    def test_a_picture_that_is_whole_has_no_note(self):
        assert self.draw().note is None and "shown" not in self.draw().svg

    def test_a_large_diagram_is_cut_and_says_so(self):
        picture = self.draw(most_nodes=2, title="Loans")
        assert picture.note == "2 of 3 nodes shown"
        assert [line for line in heading(picture) if line.strip()] == ["Loans", "2 of 3 nodes shown"]
        assert texts(picture) == sorted(["colour", "size", "no loan", "loan", "…"])
        assert "not red" in texts(picture, "edge")

    def test_all_that_is_cut_below_a_test_is_one_box(self):
        picture = self.draw(most_nodes=1)
        assert texts(picture) == ["colour", "…"] and texts(picture, "edge") == [""]

    def test_no_more_than_asked_for_is_drawn_of_a_huge_one(self):
        digits = [Variable(f"d{k}", range(10)) for k in range(5)]
        levels = [np.arange(10 ** (k + 1)).reshape(-1, 10) for k in range(4)] + [
            np.arange(10**5).reshape(-1, 10) % 7
        ]
        picture = diagram_picture(Levels(digits, range(5), levels, 0), list("abcdefg"))
        assert picture.note == "60 of 11,111 nodes shown"
        assert sum(text.startswith("d") for text in texts(picture) if text not in "abcdefg") == 60

    def test_nodes_of_one_variable_stand_on_one_rank(self):
        levels = [np.array([[0, 1, 2]]), np.array([[0, 1], [1, 0], [1, 1]])]
        picture = diagram_picture(Levels([COLOUR, OLD], [0, 1], levels, 0), ["a", "b"])
        heights = [
            g.find(f"{SVG}text").get("y")
            for g in parsed(picture).iter(f"{SVG}g")
            if g.get("class") == "node" and lines(g) == ["old"]
        ]
        assert len(heights) == 2 and len(set(heights)) == 1

    def test_only_what_the_root_leads_to_is_drawn(self):
        picture = diagram_picture(Levels([OLD, COLOUR, SIZE], [1, 2, 0], LEVELS, 1), ["no loan", "loan"])
        assert texts(picture) == ["loan", "no loan", "old"]

    @pytest.mark.parametrize(
        ("order", "levels", "root"),
        [([], [], 1), ([0], [np.array([[0, 1], [1, 1]])], 1)],
        ids=["no levels", "an idle root"],
    )
    def test_a_constant_is_its_decision(self, order, levels, root):
        picture = diagram_picture(Levels([OLD], order, levels, root), ["no loan", "loan"])
        assert texts(picture) == ["loan"] and picture.note is None

    @given(st.data())
    def test_following_the_edges_gives_the_decision(self, data):
        variables = [Variable(name, ["u", "v", "w"]) for name in "ABC"]
        sizes = [data.draw(st.integers(1, 3)) for _ in variables] + [2]
        levels = [
            np.array(
                data.draw(
                    st.lists(
                        st.lists(st.integers(0, below - 1), min_size=3, max_size=3), min_size=n, max_size=n
                    )
                )
            )
            for n, below in itertools.pairwise(sizes)
        ]
        order = data.draw(st.permutations(range(3)))
        dot = diagram_picture(Levels(variables, order, levels, 0), ["no", "yes"]).dot
        boxes = dict(re.findall(r'^  (\w+) \[id=\w+, label="(\w+)"', dot, re.MULTILINE))
        edges = re.findall(r'^  (\w+) -> (\w+) \[id=\w+, label="([^"]+)"', dot, re.MULTILINE)
        masks = {edge_label(variables[0], mask): mask for mask in range(1, 7)}
        for point in itertools.product(range(3), repeat=3):
            place = 0
            for j, level in zip(order, levels, strict=True):
                place = level[place, point[j]]
            box = next(iter(boxes))
            while boxes[box] in "ABC":
                value = point["ABC".index(boxes[box])]
                (box,) = [end for start, end, text in edges if start == box and masks[text] >> value & 1]
            assert boxes[box] == ["no", "yes"][place]

    def test_a_cap_below_one_is_refused(self):
        with pytest.raises(InvalidInput, match="most_nodes must be at least 1, not 0"):
            self.draw(most_nodes=0)


TREE = [
    {"text": "petal width ≤ 0.8", "left": 1, "right": 2},
    {"decision": 0, "share": 1.0},
    {"text": "petal length ≤ 4.95", "left": 3, "right": 4},
    {"decision": 1, "share": 0.979},
    {"decision": 2, "share": None},
]
SPECIES = ["setosa", "versicolor", "virginica"]


@pytest.mark.usefixtures("drawing")
class TestTrees:
    def test_leaves_say_their_decision_and_share(self):
        inner = ["petal width ≤ 0.8", "petal length ≤ 4.95"]
        leaves = ["setosa 100.0%", "versicolor 97.9%", "virginica"]
        assert texts(tree_picture(TREE, SPECIES)) == sorted(inner + leaves)

    @pytest.mark.parametrize(("left", "right"), [(1, 2), (2, 1)])
    def test_yes_is_left_of_no(self, left, right):
        nodes = [{"text": "t", "left": left, "right": right}, {"decision": 0}, {"decision": 1}]
        edges = [g for g in parsed(tree_picture(nodes, SPECIES)).iter(f"{SVG}g") if g.get("class") == "edge"]
        places = {lines(g)[0]: float(g.find(f"{SVG}text").get("x")) for g in edges}
        assert places["yes"] < places["no"]

    def test_a_large_tree_is_cut_and_says_so(self):
        picture = tree_picture(TREE, SPECIES, most_nodes=3)
        assert picture.note == "3 of 5 nodes shown"
        assert texts(picture) == sorted(["petal width ≤ 0.8", "setosa 100.0%", "petal length ≤ 4.95", "…"])

    def test_a_tree_may_be_a_leaf(self):
        assert texts(tree_picture(TREE[3:4], SPECIES)) == ["versicolor 97.9%"]

    def test_no_tree_is_refused(self):
        with pytest.raises(InvalidInput, match="at least one node"):
            tree_picture([], SPECIES)


@pytest.mark.usefixtures("drawing")
class TestReasons:
    # a and (b or c), with a at the top.
    ARRAYS = ([0, 0, 2, 1, 0], [0, 0, 0, 2, 0], [0, 0, 1, 1, 3])

    def draw(self, root=4, **options):
        return reason_picture(Nodes(*self.ARRAYS, root), ["a > 1", "b ≤ 2", "c"], **options)

    def test_restrictions_and_what_follows(self):
        ends = ["decision certain"] * 2 + ["decision open"] * 2
        assert texts(self.draw()) == sorted(["a > 1", "b ≤ 2", "c", *ends])

    def test_dashed_edges_are_restrictions_that_do_not_hold(self):
        picture = self.draw()
        dashed = [
            g.findtext(f"{SVG}title")
            for g in parsed(picture).iter(f"{SVG}g")
            if g.get("class") == "edge" and g.find(f"{SVG}path").get("stroke-dasharray")
        ]
        assert sorted(dashed) == [f"{text}: does not hold" for text in ("a > 1", "b ≤ 2", "c")]
        assert "solid: the restriction holds, dashed: it does not" in heading(picture)

    def test_a_large_reason_is_cut_and_says_so(self):
        picture = self.draw(most_nodes=1)
        assert picture.note == "1 of 3 nodes shown" and texts(picture) == ["a > 1", "decision open", "…"]

    @pytest.mark.parametrize(("root", "text"), [(0, "decision open"), (1, "decision certain")])
    def test_a_constant_is_one_box(self, root, text):
        assert texts(self.draw(root)) == [text]

    def test_a_part_counts_only_its_own_nodes(self):
        assert self.draw(3, most_nodes=1).note == "1 of 2 nodes shown"


NASTY = [
    '"quoted"',
    '"; evil [label="x"]; n0 -> evil [label="',
    "<b>bold</b>",
    "a & b &amp; c &#60;",
    "back\\slash\\n\\N\\G\\",
    "charset=",
    'charset="utf-7"',
    "</title></svg><script>alert(1)</script>",
    "<!-- a --> ]]>",
    "é ≤ 日本 🙂",
    "two\nlines\r\n\tand a tab",
    "\x00\x1b\ud800\uffff",
    "%s {} \\1",
    "",
]


@pytest.mark.usefixtures("drawing")
class TestTexts:
    @pytest.mark.parametrize("text", NASTY)
    def test_no_text_can_break_out(self, text):
        picture = tree_picture([{"text": text, "left": 1, "right": 2}, *TREE[3:]], [text] * 3, title=text)
        shown = " ".join(visible(text).replace("\uffff", "\ufffd").split())
        assert len(groups(picture, "node")) == 3 and len(groups(picture, "edge")) == 2
        # Lines are broken inside long words, so blanks do not count.
        assert sorted(line.replace(" ", "") for line in texts(picture)) == sorted(
            line.replace(" ", "") for line in (shown, shown + "97.9%", shown)
        )
        assert parsed(picture).get("aria-label") == "Decision tree" + (f"; {shown}" if shown else "")

    def test_values_and_units_cannot_break_out(self):
        colour = Variable('"]; x', ['"]; y', "<i>", "&"])
        picture = diagram_picture(
            Levels([colour, SIZE], [0, 1], [[[0, 1, 1]], [[0, 0, 1], [1, 1, 0]]], 0),
            ["<", '"'],
            units={"size": '"];'},
        )
        assert '"]; x' in texts(picture)
        by_size = ['≤ 7.5 "];', '> 7.5 "];'] * 2
        assert texts(picture, "edge") == sorted(['"]; y', 'not "]; y', *by_size])

    def test_long_texts_are_shortened_and_hovering_shows_them(self):
        name = "a very long name " * 20
        picture = tree_picture([{"decision": 0}], [name])
        ((title, text),) = groups(picture, "node")
        assert title == name.strip() and len(text) < 100 and text.endswith("…")

    def test_the_drawing_says_what_it_is(self):
        root = parsed(tree_picture(TREE, SPECIES, most_nodes=1, title="Iris"))
        assert root.tag == f"{SVG}svg" and root.get("role") == "img"
        assert (
            root.get("aria-label")
            == root.findtext(f"{SVG}title")
            == "Decision tree; Iris; 1 of 5 nodes shown"
        )

    def test_the_drawing_can_stand_in_a_page(self):
        svg = tree_picture(TREE, SPECIES).svg
        assert svg.startswith("<svg ") and " id=" not in svg and "<!--" not in svg

    def test_decisions_can_be_read_and_told_apart(self):
        names = [f"c{k}" for k in range(20)]
        looks = r'id=n0,.* fillcolor="(#\w+)",.* fontcolor="(#\w+)"'
        pairs = [re.search(looks, tree_picture([{"decision": k}], names).dot).groups() for k in range(20)]
        assert len({fill for fill, _ in pairs}) == 20
        assert all(contrast(fill, ink) >= 4.5 for fill, ink in pairs)


def contrast(a, b):
    """The contrast ratio of WCAG 2."""

    def luminance(colour):
        channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return np.dot(linear, [0.2126, 0.7152, 0.0722])

    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


class TestSaving:
    PICTURE = Picture("<svg>≤</svg>", "digraph { a }", None)

    @pytest.mark.parametrize(
        ("name", "content"), [("a.svg", PICTURE.svg), ("a.dot", PICTURE.dot), ("A.SVG", PICTURE.svg)]
    )
    def test_texts_are_written_as_they_are(self, tmp_path, name, content):
        assert self.PICTURE.save(tmp_path / name) == tmp_path / name
        assert (tmp_path / name).read_text(encoding="utf-8") == content

    @pytest.mark.usefixtures("drawing")
    @pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
    def test_other_formats_are_drawn(self, tmp_path, name, start):
        self.PICTURE.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)

    @pytest.mark.parametrize("name", ["a.txt", "a", "svg"])
    def test_other_endings_are_refused(self, tmp_path, name):
        with pytest.raises(InvalidInput, match=r"\.svg, \.dot, \.png or \.pdf"):
            self.PICTURE.save(tmp_path / name)
        assert not list(tmp_path.iterdir())

    def test_a_folder_that_does_not_exist_is_named(self, tmp_path):
        with pytest.raises(InvalidInput, match=r"no folder .*nowhere"):
            self.PICTURE.save(tmp_path / "nowhere" / "a.svg")

    def test_a_failure_leaves_the_old_file_and_nothing_else(self, tmp_path, monkeypatch):
        (tmp_path / "a.svg").write_text("old")

        def fail(*_):
            raise OSError("the disk is full")

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="the disk is full"):
            self.PICTURE.save(tmp_path / "a.svg")
        assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]
        assert (tmp_path / "a.svg").read_text() == "old"

    @pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
    def test_the_file_has_ordinary_permissions(self, tmp_path):
        (tmp_path / "plain").touch()
        self.PICTURE.save(tmp_path / "a.svg")
        modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "a.svg")]
        assert modes[0] == modes[1]

    def test_a_notebook_shows_the_drawing_and_a_terminal_does_not(self):
        assert self.PICTURE._repr_svg_() == self.PICTURE.svg
        assert repr(self.PICTURE) == "Picture(note=None)"


def test_without_pygraphviz_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(MissingDependency, match=r"drawing needs pygraphviz: pip install 'primewood\[draw\]'"):
        tree_picture(TREE, SPECIES)
