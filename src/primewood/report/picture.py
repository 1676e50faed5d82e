"""Diagrams, trees and reasons as pictures, drawn by the Graphviz that comes inside pygraphviz.

What is too large to be read is cut, and the picture says so. Numbers on edges are rounded to be read, not to be
computed with: a label stays within a millionth of the cut that it stands for, and no two cuts look alike.
"""

from __future__ import annotations

import bisect
import html
import importlib
import itertools
import math
import os
import re
import secrets
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from primewood.errors import InvalidInput, MissingDependency
from primewood.logic.expression import Literal
from primewood.logic.interval import MISSING, Interval, number
from primewood.logic.variable import Variable
from primewood.report.decimals import shortest
from primewood.report.text import share

Ints = NDArray[np.int64]

MOST_RUNS = 3
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
"""Okabe and Ito's colours, which people with any kind of colour vision can tell apart."""
OPEN = "#E4E7EB"
STYLE = """\
  graph [ordering=out, charset="UTF-8", bgcolor="white", pad=0.2, nodesep=0.35, ranksep=0.55, labelloc=t, outputorder=edgesfirst,
         fontname="Helvetica,Arial,sans-serif", fontsize=13, fontcolor="#3E4C59"]
  node [shape=box, style="rounded,filled", fillcolor="#F3F5F8", color="#9AA5B1", fontcolor="#111111", height=0.36,
        margin="0.14,0.07", fontname="Helvetica,Arial,sans-serif", fontsize=12]
  edge [color="#A9B2BD", arrowsize=0.6, fontcolor="#323F4B", fontname="Helvetica,Arial,sans-serif", fontsize=10]
"""
# What neither XML nor a C string can hold.
FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing; a notebook shows it.

    Attributes
    ----------
    svg, dot : str
        The drawing, and what it was drawn from in the language of Graphviz.
    note : str or None
        What was left out, if anything.
    """

    svg: str
    dot: str
    note: str | None = None

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file, by its ending as .svg, .dot, .png or .pdf: whole, or not at all."""
        path = Path(path)
        kind = path.suffix.lower().removeprefix(".")
        if kind not in ("svg", "dot", "png", "pdf"):
            raise InvalidInput(f"{path.name}: a picture is saved as .svg, .dot, .png or .pdf")
        if not path.parent.is_dir():
            raise InvalidInput(f"there is no folder {path.parent}")
        texts = {"svg": self.svg, "dot": self.dot}
        data = texts[kind].encode() if kind in texts else _drawn(self.dot, kind)
        beside = path.with_name(f".primewood-{secrets.token_hex(8)}")
        try:
            beside.write_bytes(data)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
        return path


def edge_label(variable: Variable, mask: int, unit: str = "") -> str:
    """The values in a bit mask as a short text without the variable's name.

    >>> X = Variable.numeric("X", cuts=[2.4500000476837163, 4.8], closed="right", missing=True)
    >>> edge_label(X, 0b0001), edge_label(X, 0b0010, "cm"), edge_label(X, 0b1101)
    ('≤ 2.45', '2.45 < · ≤ 4.8 cm', '≤ 2.45 or > 4.8 or missing')
    >>> edge_label(Variable("B", ["r", "b", "g"]), 0b011), edge_label(Variable.boolean("x"), 0b10)
    ('not g', 'yes')
    """
    return " ".join(_pieces(variable, mask, unit))


def _pieces(variable: Variable, mask: int, unit: str) -> list[str]:
    """The label in parts that lines may be broken between."""
    if not 0 < mask <= variable.everything:
        raise InvalidInput(f"{mask} is no set of values of {variable.name}, which has {len(variable)}")
    literal = variable.of_mask(mask)
    if not isinstance(literal, Literal):
        return ["any"]
    absent = [x for i, x in enumerate(variable.values) if not mask >> i & 1]
    if absent == [MISSING] or (len(absent) == 1 and len(variable) > 2 and _has_plain_names(variable)):
        return [f"not {_word(absent[0])}"]
    if variable.is_numeric:
        words = [f"{_between(variable, run)} {unit}".rstrip() for run in literal.intervals]
    else:
        words = [_word(x) for x in literal.values if x is not MISSING]
    shown, more = words[:MOST_RUNS], len(words) - MOST_RUNS
    parts = [*(shown[:1] or ["missing"]), *(f"or {word}" for word in shown[1:])]
    parts += [f"and {more} more"] if more > 0 else []
    return parts + (["or missing"] if words and MISSING in literal.values else [])


def _has_plain_names(variable: Variable) -> bool:
    return not variable.is_numeric and not any(isinstance(x, bool) for x in variable.values)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float) else str(value)


def _between(variable: Variable, run: Interval) -> str:
    above, below = ("≥", "<") if variable.closed == "left" else (">", "≤")
    if math.isinf(run.low):
        return f"{below} {_short(variable, run.high)}"
    if math.isinf(run.high):
        return f"{above} {_short(variable, run.low)}"
    return (
        f"{_short(variable, run.low)} {'≤' if above == '≥' else '<'} · {below} {_short(variable, run.high)}"
    )


def _short(variable: Variable, cut: float) -> str:
    """A cut in few digits: within a millionth of it, and nearer to it than to half way to the next cut."""
    cuts = variable.cuts or ()
    place = bisect.bisect_left(cuts, cut)
    gaps = [abs(cut - cuts[k]) for k in (place - 1, place + 1) if 0 <= k < len(cuts)]
    room = min([abs(cut) * 1e-6, *(0.49 * gap for gap in gaps)])
    # Whole digits are kept, and of two equally short numbers the one is taken that puts whole numbers on their side.
    digits = max(1, Decimal(cut).adjusted() + 1)
    down, up = shortest(cut, cut - room, digits), shortest(cut, cut + room, digits)
    return min((up, down) if variable.closed == "left" else (down, up), key=len)


def diagram_picture(
    variables: Sequence[Variable],
    order: Sequence[int],
    levels: Sequence[ArrayLike],
    root: int,
    labels: Sequence[object],
    *,
    units: Mapping[str, str] | None = None,
    most_nodes: int = 60,
    title: str | None = None,
) -> Picture:
    """A multi-valued decision diagram, without the nodes at which nothing is decided.

    Cost: linear in the entries, and a drawing of `most_nodes`.

    Parameters
    ----------
    order
        The variable of each level, as a place in `variables`.
    levels
        Per level one row per node and one column per value: a place on the next level, below the last in `labels`.
    root
        A row of the first level; without levels a place in `labels`.
    units
        Units by name of variable.
    most_nodes
        How many tests are drawn, from the top; what would lie below is drawn as "…".
    """
    diagram = _Reduced.of(levels, root, len(labels))
    sketch = _Sketch([str(label) for label in labels])
    kept = _from_the_top(diagram.root, diagram.below, most_nodes) if diagram.root >= len(labels) else {}
    for node in kept:
        level = diagram.level(node)
        x = variables[order[level]]
        sketch.test(node, x.name, rank=level)
        masks: dict[str, int] = {}
        for value, target in enumerate(diagram.row(node)):
            name = sketch.target(node, target, kept)
            masks[name] = masks.get(name, 0) | 1 << value
        for name, mask in masks.items():
            sketch.edge(f"n{node}", name, _pieces(x, mask, (units or {}).get(x.name, "")), hover=x.name)
    if not kept:
        sketch.decision("root", diagram.root)
    return sketch.picture("Decision diagram", title, len(kept), diagram.tests)


def tree_picture(
    nodes: Sequence[Mapping[str, Any]],
    labels: Sequence[object],
    *,
    most_nodes: int = 60,
    title: str | None = None,
) -> Picture:
    """A decision tree.

    Parameters
    ----------
    nodes
        Root first: tests ``{"text": "age ≤ 30", "left": 1, "right": 2}``, whose left branch is "yes", and leaves
        ``{"decision": place in labels, "share": 0.97 or None}``.
    most_nodes
        How many tests and leaves are drawn, from the top; what would lie below is drawn as "…".
    """
    sketch = _Sketch([str(label) for label in labels])

    def below(node: int) -> list[int]:
        return [nodes[node][side] for side in ("left", "right") if side in nodes[node]]

    kept = _from_the_top(0, below, most_nodes)
    for node in kept:
        record = nodes[node]
        if "decision" in record:
            part = record.get("share")
            sketch.decision(f"n{node}", record["decision"], "" if part is None else share(part))
            continue
        sketch.test(node, record["text"])
        for word, child in zip(("yes", "no"), below(node), strict=True):
            name = f"n{child}" if child in kept else sketch.cut(f"c{node}{word}")
            sketch.edge(f"n{node}", name, [word], hover=record["text"])
    return sketch.picture("Decision tree", title, len(kept), len(_from_the_top(0, below, len(nodes))))


def reason_picture(
    texts: Sequence[str],
    variable: ArrayLike,
    lo: ArrayLike,
    hi: ArrayLike,
    root: int,
    *,
    most_nodes: int = 60,
    title: str | None = None,
) -> Picture:
    """A monotone binary decision diagram over restrictions: the reason of a decision.

    Parameters
    ----------
    texts
        The restrictions in words.
    variable, lo, hi
        Per node its restriction, and the nodes below if it does not hold and if it holds; node 0 stands for
        "decision open" and node 1 for "decision certain".
    most_nodes
        How many tests are drawn, from the top; what would lie below is drawn as "…".
    """
    which, no, yes = (np.asarray(array, dtype=np.int64) for array in (variable, lo, hi))
    sketch = _Sketch(["decision open", "decision certain"], [OPEN, PALETTE[0]])

    def below(node: int) -> list[int]:
        return [int(child) for child in (yes[node], no[node]) if child > 1]

    kept = _from_the_top(root, below, most_nodes) if root > 1 else {}
    for node in kept:
        sketch.test(node, texts[which[node]], rank=int(which[node]))
        for target, dashed in ((int(yes[node]), False), (int(no[node]), True)):
            word = "does not hold" if dashed else "holds"
            sketch.edge(f"n{node}", sketch.target(node, target, kept), [], hover=word, dashed=dashed)
    if not kept:
        sketch.decision("root", root)
    caption = "solid: the restriction holds, dashed: it does not" if kept else ""
    return sketch.picture("Reason", title, len(kept), _reachable(no, yes, root), caption)


@dataclass(frozen=True, slots=True)
class _Reduced:
    """A diagram without idle nodes: decisions are 0, 1, ...; the nodes follow, level by level from the bottom.

    Attributes
    ----------
    rows : list of arrays
        Per level, from the bottom: where each node's values lead.
    starts : list of int
        Per level, from the bottom: the number of its first node.
    root : int
    tests : int
        How many nodes can be reached from the root.
    """

    rows: list[Ints]
    starts: list[int]
    root: int
    tests: int

    @classmethod
    def of(cls, levels: Sequence[ArrayLike], root: int, labels: int) -> _Reduced:
        rows, starts, goal = [], [], np.arange(labels)
        for level in reversed(levels):
            starts.append(labels + sum(map(len, rows)))
            rows.append(goal[np.asarray(level)])
            idle = (rows[-1] == rows[-1][:, :1]).all(axis=1)
            goal = np.where(idle, rows[-1][:, 0], starts[-1] + np.arange(len(idle)))
        reached = np.zeros(labels + sum(map(len, rows)), dtype=bool)
        reached[goal[root]] = True
        for start, row in zip(reversed(starts), reversed(rows), strict=True):
            reached[row[reached[start : start + len(row)]]] = True
        return cls(rows, starts, int(goal[root]), int(reached[labels:].sum()))

    def level(self, node: int) -> int:
        """The level of a node, counted from the top."""
        return len(self.starts) - bisect.bisect_right(self.starts, node)

    def row(self, node: int) -> list[int]:
        """Where the values of a node lead."""
        k = bisect.bisect_right(self.starts, node) - 1
        return [int(target) for target in self.rows[k][node - self.starts[k]]]

    def below(self, node: int) -> list[int]:
        """The nodes just below a node."""
        return [target for target in dict.fromkeys(self.row(node)) if target >= self.starts[0]]


def _from_the_top(root: int, below: Callable[[int], Iterable[int]], most: int) -> dict[int, None]:
    """The nodes that are drawn, breadth first."""
    if most < 1:
        raise InvalidInput(f"most_nodes is at least 1, not {most}")
    kept = {root: None}
    queue = [root]
    for node in queue:
        fresh = [child for child in dict.fromkeys(below(node)) if child not in kept][: most - len(kept)]
        kept.update(dict.fromkeys(fresh))
        queue += fresh
    return kept


def _reachable(lo: Ints, hi: Ints, root: int) -> int:
    """How many nodes a binary diagram has that are no decisions."""
    reached, fresh = np.zeros(len(lo), dtype=bool), np.array([root] if root > 1 else [], dtype=np.int64)
    while fresh.size:
        reached[fresh] = True
        targets = np.unique(np.concatenate([lo[fresh], hi[fresh]]))
        fresh = targets[(targets > 1) & ~reached[targets]]
    return int(reached.sum())


class _Sketch:
    """Statements in the language of Graphviz. Names are our own, and every text goes through `_quoted`."""

    def __init__(self, labels: Sequence[str], colours: Sequence[str] | None = None) -> None:
        self.labels = labels
        self.colours = colours or [colour(place) for place in range(len(labels))]
        self.statements: list[str] = []
        self.hovers: dict[str, str] = {}
        self.ranks: dict[int, list[str]] = {}

    def test(self, node: int, text: str, rank: int | None = None) -> None:
        self._node(f"n{node}", [text])
        if rank is not None:
            self.ranks.setdefault(rank, []).append(f"n{node}")

    def decision(self, name: str, place: int, extra: str = "") -> None:
        fill = self.colours[place]
        looks = f'fillcolor="{fill}", color="{fill}", fontcolor="{ink(fill)}"'
        self._node(name, [self.labels[place], *([extra] if extra else [])], looks)

    def target(self, node: int, target: int, kept: Mapping[int, None]) -> str:
        """The name of the box that an edge from `node` leads to; a decision gets one of its own below each test."""
        if target >= len(self.labels):
            return f"n{target}" if target in kept else self.cut(f"c{node}")
        if (name := f"d{target}_{node}") not in self.hovers:
            self.decision(name, target)
        return name

    def cut(self, name: str) -> str:
        if name not in self.hovers:
            looks = 'shape=plaintext, style="", fontsize=14, width=0.3, height=0.2, margin=0'
            self._node(name, ["…"], looks, hover="not shown")
        return name

    def _node(self, name: str, texts: Sequence[str], looks: str = "", hover: str = "") -> None:
        lines = [line for text in texts for line in _lines(text)]
        self.hovers[name] = hover or " ".join(map(_clean, texts))
        self.statements.append(f"{name} [id={name}, label={_quoted(lines)}{', ' * bool(looks)}{looks}]")

    def edge(self, source: str, target: str, parts: Sequence[str], hover: str, dashed: bool = False) -> None:
        name = f"e{len(self.hovers)}"
        self.hovers[name] = _clean(" ".join([hover, *parts]))
        lines = [" ".join(parts)] if sum(map(len, parts)) < 18 else parts
        looks = ", style=dashed" if dashed else ""
        self.statements.append(
            f"{source} -> {target} [id={name}, label={_quoted([l for x in lines for l in _lines(x)])}{looks}]"
        )

    def picture(self, kind: str, title: str | None, shown: int, total: int, caption: str = "") -> Picture:
        note = f"{shown:,} of {total:,} nodes shown" if shown < total else None
        heads = [line for line in (title or "", caption, note or "") if line]
        lines = [f"label={_quoted([l for head in heads for l in _lines(head, 80)])}"] if heads else []
        same = [f"{{ rank=same; {'; '.join(names)} }}" for _, names in sorted(self.ranks.items())]
        tops = [names[0] for _, names in sorted(self.ranks.items())]
        chain = [f"{a} -> {b} [style=invis, weight=0]" for a, b in itertools.pairwise(tops)]
        body = "".join(f"  {line}\n" for line in [*lines, *self.statements, *same, *chain])
        dot = f"digraph {{\n{STYLE}{body}}}\n"
        spoken = "; ".join(_clean(head) for head in (title or kind, caption, note or "") if head)
        return Picture(_accessible(_drawn(dot, "svg").decode(), spoken, self.hovers), dot, note)


def colour(place: int) -> str:
    """The colour of a decision: the palette, and then again ever paler."""
    strength = 0.5 ** (place // len(PALETTE))
    channels = [int(PALETTE[place % len(PALETTE)][k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - (255 - c) * strength):02X}" for c in channels)


def ink(fill: str) -> str:
    """Black or white, whichever is easier to read on a colour; the contrast is at least 4.5 to 1.

    >>> ink("#0072B2"), ink("#F0E442")
    ('#FFFFFF', '#000000')
    """
    parts = [int(fill[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#FFFFFF" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


def _clean(text: object) -> str:
    """A text on one line, without characters that XML does not allow."""
    return " ".join(FORBIDDEN.sub("\ufffd", str(text)).split())


def _lines(text: object, width: int = 30) -> list[str]:
    return textwrap.wrap(_clean(text), width, max_lines=3, placeholder=" …") or [""]


def _quoted(lines: Iterable[str]) -> str:
    r"""Lines as one quoted string of Graphviz, in which nothing has a meaning of its own.

    >>> print(_quoted(['a "b"', "c\\d & e"]))
    "a \"b\"\nc\\\\d &amp; e"
    """
    escaped = [line.replace("\\", r"\\").replace('"', r"\"").replace("&", "&amp;") for line in lines]
    return '"' + r"\n".join(escaped) + '"'


def _drawn(dot: str, kind: str) -> bytes:
    try:
        pygraphviz = importlib.import_module("pygraphviz")
    except ImportError:
        raise MissingDependency("drawing needs pygraphviz: pip install 'primewood[draw]'") from None
    graph = pygraphviz.AGraph(string=dot)
    if kind == "png":
        graph.graph_attr["dpi"] = "144"
    drawn: bytes = graph.draw(format=kind, prog="dot")
    graph.close()
    return drawn


def _accessible(svg: str, spoken: str, hovers: Mapping[str, str]) -> str:
    """A drawing that says what it is, and can stand inside a page: no prolog, no ids that could occur twice."""
    said = html.escape(spoken)
    svg = re.sub(r"<!--.*?-->\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)

    def title(group: re.Match[str]) -> str:
        hover = hovers.get(group[1])
        return f'<g class="{group[2]}"' + group[3] + (f"<title>{html.escape(hover)}</title>" if hover else "")

    svg = re.sub(r'<g id="(\w+)" class="(\w+)"([^>]*>\s*)<title>[^<]*</title>', title, svg)
    return re.sub(
        r"<svg([^>]*)>", rf'<svg role="img" aria-label="{said}"\1>\n<title>{said}</title>', svg, count=1
    )
