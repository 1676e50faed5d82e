"""Drawing: statements in the language of Graphviz become a picture, by the Graphviz that comes inside pygraphviz."""

from __future__ import annotations

import html
import importlib
import itertools
import re
import secrets
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from primewood.errors import InvalidInput, MissingDependency
from primewood.fields import file_path
from primewood.visible import visible

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
"""Okabe and Ito's colours, which people with any kind of colour vision can distinguish."""
OPEN = "#E4E7EB"
# The charset comes first: pygraphviz uses the first text that looks like one, even in a feature's name.
STYLE = """\
  graph [charset="UTF-8", bgcolor="white", pad=0.2, nodesep=0.3, ranksep=0.5, labelloc=t, outputorder=edgesfirst,
         fontname="Helvetica,Arial,sans-serif", fontsize=13, fontcolor="#323F4B"]
  node [shape=box, style="rounded,filled", fillcolor="#F3F5F8", color="#9AA5B1", fontcolor="#000000", height=0.36,
        margin="0.14,0.07", fontname="Helvetica,Arial,sans-serif", fontsize=12]
  edge [color="#A9B2BD", arrowsize=0.6, fontcolor="#323F4B", fontname="Helvetica,Arial,sans-serif", fontsize=10]
"""
CUT = 'shape=plaintext, style="", fontsize=14, width=0.3, height=0.2, margin=0'
# Characters that XML does not allow, besides those that are escaped.
FORBIDDEN = re.compile("[\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing; a notebook shows it.

    Attributes
    ----------
    svg, dot : str
        The drawing, and its source in the language of Graphviz.
    note : str or None
        What was left out, if anything.
    """

    svg: str = field(repr=False)
    dot: str = field(repr=False)
    note: str | None = None

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the picture to a .svg, .dot, .png or .pdf file: all of it, or nothing."""
        path = file_path(path)
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
            return beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


class Sketch:
    """Statements in the language of Graphviz: names are our own, and every text goes through `_quoted`."""

    def __init__(self, labels: Sequence[object], colours: Sequence[str] | None = None) -> None:
        self.labels = labels
        self.colours = colours or [_colour(place) for place in range(len(labels))]
        self.statements: list[str] = []
        self.hovers: dict[str, str] = {}
        self.ranks: dict[int, list[str]] = {}
        self.depths: dict[str, int] = {}

    def test(self, node: int, text: str, rank: int | None = None) -> None:
        self._box(f"n{node}", [text])
        if rank is not None:
            self.ranks.setdefault(rank, []).append(f"n{node}")

    def decision(self, name: str, place: int, extra: str = "") -> None:
        fill = self.colours[place]
        looks = f'fillcolor="{fill}", color="{fill}", fontcolor="{_ink(fill)}"'
        self._box(name, [str(self.labels[place]), *([extra] if extra else [])], looks)

    def cut(self, name: str) -> str:
        if name not in self.hovers:
            self._box(name, ["…"], CUT, "not shown")
        return name

    def target(self, node: int, target: int, kept: Mapping[int, None]) -> str:
        """The name of the box that an edge from `node` leads to; placeholders for nodes below are made here."""
        if target >= len(self.labels):
            return f"n{target}" if target in kept else self.cut(f"c{node}")
        if (name := f"d{target}_{node}") not in self.hovers:
            self.decision(name, target)
        return name

    def _box(self, name: str, texts: Sequence[str], looks: str = "", hover: str = "") -> None:
        self.hovers[name] = hover or " ".join(texts)
        self._statement(name, name, texts, looks)

    def edge(self, node: int, target: str, pieces: Sequence[str], hover: str, dashed: bool = False) -> None:
        name = f"e{len(self.hovers)}"
        self.hovers[name] = hover
        # Boxes are added from the top, so the depth of `node` is known if it has one.
        self.depths.setdefault(target, self.depths.get(f"n{node}", 0) + 1)
        label = " ".join(pieces)
        texts = [label] if len(label) <= 18 else pieces
        self._statement(f"n{node} -> {target}", name, texts, "style=dashed" if dashed else "")

    def _statement(self, what: str, name: str, texts: Sequence[str], looks: str) -> None:
        attributes = [f"id={name}", f"label={_quote(texts)}", *([looks] if looks else [])]
        self.statements.append(f"{what} [{', '.join(attributes)}]")

    def picture(
        self,
        kind: str,
        title: str | None,
        shown: int,
        total: int,
        caption: str = "",
        *,
        ordered: bool = False,
    ) -> Picture:
        note = f"{shown:,} of {total:,} nodes shown" if shown < total else None
        heads = [head for head in (_clean(title or ""), caption, note) if head]
        # An empty line keeps the heading off the boxes.
        lines = [f'label={_quote(heads, 80)[:-1]}\\n "'] if heads else []
        lines += ["ordering=out"] if ordered else []
        lines += ["rankdir=LR"] if self._is_wide() else []
        body = "".join(f"  {line}\n" for line in [*lines, *self.statements, *self._rank_tests()])
        dot = f"digraph {{\n{STYLE}{body}}}\n"
        spoken = "; ".join([kind, *heads])
        return Picture(_accessible(_drawn(dot, "svg").decode(), spoken, self.hovers), dot, note)

    def _is_wide(self) -> bool:
        """Whether it reads better from left to right: text is wide, and boxes side by side take more room."""
        widest = max(Counter(self.depths.values()).values(), default=0)
        return widest > max(8, 2 * max(self.depths.values(), default=0))

    def _rank_tests(self) -> list[str]:
        """Statements that put the tests of a variable side by side, and the variables below each other."""
        ranks = [names for _, names in sorted(self.ranks.items())]
        same = [f"{{ rank=same; {'; '.join(names)} }}" for names in ranks]
        return same + [f"{a[0]} -> {b[0]} [style=invis, weight=0]" for a, b in itertools.pairwise(ranks)]


def _colour(place: int) -> str:
    """The colour of a decision: the palette, then the palette again, ever paler."""
    strength = 0.5 ** (place // len(PALETTE))
    channels = [int(PALETTE[place % len(PALETTE)][k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - (255 - c) * strength):02X}" for c in channels)


def _ink(fill: str) -> str:
    """Black or white, whichever is better read on a colour; the contrast is at least 4.5 to 1 on any.

    >>> _ink("#0072B2"), _ink("#F0E442")
    ('#FFFFFF', '#000000')
    """
    channels = [int(fill[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05
    return "#FFFFFF" if 1.05 / light > light / 0.05 else "#000000"


def _clean(text: str) -> str:
    """A text on one line, without control or invisible characters, or characters that XML does not allow."""
    return " ".join(FORBIDDEN.sub("\ufffd", visible(text)).split())


def _lines(text: str, width: int) -> list[str]:
    """A text in at most three lines; a comparison stays beside its number."""
    glued = re.sub(r"(?<=[<>=≤≥·]) | (?=[<≤] ·)|(?<=\bor) ", "\u00a0", _clean(text))
    lines = textwrap.wrap(glued, width, max_lines=3, placeholder=" …")
    return [line.replace("\u00a0", " ") for line in lines]


def _quote(texts: Sequence[str], width: int = 30) -> str:
    r"""Texts as one quoted string of Graphviz, in which only our line breaks have a special meaning.

    >>> print(_quote(['a "b"', r"c\d & e"]))
    "a \"b\"\nc\\d &amp; e"
    """
    lines = [line for text in texts for line in _lines(text, width)]
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
    try:
        drawn: bytes = graph.draw(format=kind, prog="dot")
    except (
        TypeError,
        ValueError,
    ):  # pygraphviz stumbles over the code that Graphviz returns for "no such format"
        raise InvalidInput(f"the Graphviz in this pygraphviz cannot draw .{kind}; try .svg") from None
    finally:
        graph.close()
    return drawn


def _accessible(svg: str, spoken: str, hovers: Mapping[str, str]) -> str:
    """An accessible drawing for use in a page: no prolog, and no ids that might occur twice."""
    said = html.escape(_clean(spoken))

    def add_hover(group: re.Match[str]) -> str:
        text = html.escape(_clean(hovers.get(group[1], "")))
        return f'<g class="{group[2]}"{group[3]}' + (f"<title>{text}</title>" if text else "")

    svg = re.sub(r"<!--.*?-->\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'<g id="(\w+)" class="(\w+)"([^>]*>\s*)<title>[^<]*</title>', add_hover, svg)
    start, rest = svg.removeprefix("<svg").replace(' id="graph0"', "", 1).split(">", 1)
    return f'<svg role="img" aria-label="{said}"{start}>\n<title>{said}</title>{rest}'
