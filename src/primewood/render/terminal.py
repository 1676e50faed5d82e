"""Explanations in a terminal, drawn by `rich` from their plain records.

Everything is said in words and drawn in characters, so that it reads the same without colours; where the terminal
takes no Unicode, in plain ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from primewood.render import lanes, text
from primewood.render.lanes import MARGIN, Chip, Chips, Lane, Track
from primewood.render.numbers import few, format_count
from primewood.render.records import BatchRecord, ExplanationRecord, SummaryRecord
from primewood.visible import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table
    from rich.text import Text

CELLS = 24
"""Characters for the training range, where there is room."""
SIDE_BY_SIDE = 84
"""The fewest columns at which a condition and its lane are side by side."""
MOST_NAMES = 8
"""The most free features that are named."""
MOST_ROWS = 10
"""The most rows of a batch that are listed."""
MOST_FEATURES = 12
"""The most features of a batch that are drawn."""
COLOURS = {"proved": "green", "interrupted": "yellow", "impossible": "red", "failed": "red"}


@dataclass(frozen=True, slots=True)
class Signs:
    """The characters of a lane: allowed, not allowed, the row, and beyond the training range."""

    allowed: str
    excluded: str
    row: str
    below: str
    above: str
    nothing: str


BLOCKS = Signs("█", "░", "◆", "◂", "▸", "·")
PLAIN = Signs("=", ".", "O", "<", ">", ".")


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes to one console, only with characters that it can show."""

    signs: Signs
    encoding: str

    @classmethod
    def for_console(cls, options: ConsoleOptions) -> Pen:
        """The pen for a console."""
        plain = options.ascii_only or options.legacy_windows
        return cls(PLAIN if plain else BLOCKS, options.encoding)

    def text(self, words: object, style: str = "") -> Text:
        """A text as it is; characters that cannot be encoded, or that control a terminal, are escaped."""
        from rich.text import Text

        known = visible(str(words)).encode(self.encoding, "backslashreplace").decode(self.encoding)
        return Text(known, style)

    def style(self, sign: str) -> str:
        """The style of a sign, where colours are shown."""
        if sign == self.signs.row:
            return "bold"
        return "dim" if sign in (self.signs.excluded, self.signs.nothing) else "green"


@dataclass(frozen=True)
class Drawn:
    """A drawing that is made when the width and the characters of the console are known.

    Attributes
    ----------
    draw : callable
        Draws it with a pen, in a number of columns.
    width : int or None
        In columns; None for all columns.
    """

    draw: Callable[[Pen, int], RenderableType]
    width: int | None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        pen, width = Pen.for_console(options), min(self.width or options.max_width, options.max_width)
        yield self.draw(pen, width)


def explanation(record: ExplanationRecord, width: int | None = None) -> RenderableType:
    """An explanation for `rich.print`: the rule, one condition per line, each with its lane.

    Parameters
    ----------
    record
        What `Explanation.to_dict` returns.
    width
        In columns; by default all that the terminal has.
    """
    return Drawn(partial(_explanation, record), width)


def batch(record: BatchRecord | SummaryRecord, width: int | None = None) -> RenderableType:
    """The explanations of many rows for `rich.print`: a summary, and the first explanations."""
    return Drawn(partial(_batch, record), width)


def _explanation(record: ExplanationRecord, pen: Pen, width: int) -> RenderableType:
    from rich.console import Group
    from rich.panel import Panel

    shown = lanes.tracks(record["literals"], record["instance"], record.get("near"))
    drawn = shown.conditions[: text.count_shown(len(shown.conditions))]
    grid = _grid(len(_IF) if shown.conditions else len("ALWAYS "))
    wide = width >= SIDE_BY_SIDE
    room = _Room.of(drawn, width - 4 - len(_IF), wide)
    for place, track in enumerate(drawn):
        word = pen.text("AND" if place else "IF", "bold")
        condition, picture = _condition(track, pen), _picture(track, pen, room)
        if wide:
            grid.add_row(word, _side_by_side(condition, picture, room))
        else:
            grid.add_row(word, condition)
            grid.add_row("", picture)
    left = len(shown.conditions) - len(drawn)
    if left:
        grid.add_row(
            pen.text("AND", "bold"), pen.text(f"{left} more conditions; all with to_text(full=True)")
        )
    decided = "THEN" if shown.conditions else "ALWAYS"
    grid.add_row(pen.text(decided, "bold"), pen.text(record["decision"], f"bold {COLOURS[record['status']]}"))
    lines = [pen.text(line) for line in text.list_circumstances(record)]
    short = record.get("in_short")
    above = [pen.text(text.write_in_short(short)), pen.text("")] if short else []
    above += [pen.text("Near this row:")] if "near" in record else []
    parts: list[Any] = [*above, grid, *_legend(shown, pen), pen.text(""), *lines, *_others(shown, pen)]
    title = pen.text(f"{record['decision']}: {record['status']}", f"bold {COLOURS[record['status']]}")
    return Panel(Group(*parts), title=title, title_align="left", width=width, border_style="bright_black")


_IF = "THEN "


@dataclass(frozen=True, slots=True)
class _Room:
    """How much room there is for lanes, which are all aligned: in characters."""

    total: int
    low: int
    high: int
    value: int
    cells: int

    @classmethod
    def of(cls, tracks: Sequence[Track], width: int, wide: bool) -> _Room:
        scaled = [x for x in tracks if isinstance(x.picture, Lane)]
        ends = [[tick.text for tick in x.picture.ticks] for x in scaled if isinstance(x.picture, Lane)]
        low = max((len(texts[0]) for texts in ends if texts), default=0)
        high = max((len(texts[-1]) for texts in ends if texts), default=0)
        value = max((len(x.value) for x in scaled), default=0)
        total = width * 3 // 5 if wide else width
        # Spaces beside the labels, the sign of the row, and one cell at each end for what lies beyond the range.
        left = total - low - high - value - 8
        return cls(total, low, high, value, max(8, min(CELLS, left)))


def _grid(first: int) -> Table:
    from rich.table import Table

    grid = Table.grid(padding=0)
    grid.add_column(width=first, no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _side_by_side(condition: Text, picture: Text, room: _Room) -> Table:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_column(width=room.total, overflow="fold")
    grid.add_row(condition, picture)
    return grid


def _condition(track: Track, pen: Pen) -> Text:
    """Some pieces of a condition in words; in parentheses if they are joined by "or"."""
    more = len(track.pieces) - len(track.some_pieces)
    words = " or ".join([*map(str, track.some_pieces), *([f"{more} other ranges"] if more else [])])
    return pen.text(f"({words})" if len(track.pieces) > 1 else words)


def _picture(track: Track, pen: Pen, room: _Room) -> Text:
    if isinstance(track.picture, Chips):
        return _chips(track.picture, track.missing, pen, room.total)
    texts = [tick.text for tick in track.picture.ticks] or [""]
    drawn = pen.text("").append_text(pen.text(texts[0].rjust(room.low) + " ", "dim"))
    for sign, run in groupby(cells(track.picture, pen.signs, room.cells)):
        drawn.append_text(pen.text("".join(run), pen.style(sign)))
    drawn.append_text(pen.text(f" {texts[-1].ljust(room.high)}  ", "dim"))
    if track.value:
        drawn.append_text(pen.text(f"{pen.signs.row} {track.value}", "bold"))
    below = " " * (room.low + 1)
    if track.beyond:
        drawn.append("\n").append_text(pen.text(f"{below}this row is {track.beyond}"))
    if track.missing and not track.missing.own:
        sign = pen.signs.allowed if track.missing.allowed else pen.signs.excluded
        drawn.append("\n").append_text(pen.text(f"{below}{sign} missing"))
    return drawn


def cells(lane: Lane, signs: Signs, count: int) -> str:
    """A lane in characters: `count` for the training range, and one at each end for all that lies beyond it.

    >>> lane = Lane(lanes.Scale(0, 1), (lanes.Bar(0.5, 1.0),), 0.75, (), ())
    >>> cells(lane, PLAIN, 10)
    '......==O==>'
    """
    middles = [MARGIN + (1 - 2 * MARGIN) * (k + 0.5) / count for k in range(count)]
    drawn = [signs.excluded] * count
    for bar in lane.bars:
        for k in [k for k, x in enumerate(middles) if bar.start <= x <= bar.end] or _find_inside(bar, count):
            drawn[k] = signs.allowed
    ends = [
        signs.below if any(bar.start < MARGIN / 2 for bar in lane.bars) else signs.nothing,
        signs.above if any(bar.end > 1 - MARGIN / 2 for bar in lane.bars) else signs.nothing,
    ]
    line = [ends[0], *drawn, ends[1]]
    if lane.mark is not None:
        line[_cell(lane.mark, count) + 1] = signs.row
    return "".join(line)


def _find_inside(bar: lanes.Bar, count: int) -> list[int]:
    """The cell of a bar that is too short to contain the middle of a cell; none if it is beyond the range."""
    start, end = max(bar.start, MARGIN), min(bar.end, 1 - MARGIN)
    cell = _cell((start + end) / 2, count)
    return [cell] if start <= end and 0 <= cell < count else []


def _cell(place: float, count: int) -> int:
    """The cell of a place, from -1 for what lies below the range to `count` for what lies above it."""
    if place < MARGIN:
        return -1
    inside = (place - MARGIN) / (1 - 2 * MARGIN)
    return count if inside > 1 + 1e-9 else min(count - 1, int(inside * count))


def _chips(chips: Chips, missing: Chip | None, pen: Pen, width: int) -> Text:
    """Categories, each whole on one line if it fits there."""
    drawn, column = pen.text(""), 0
    for chip in [*chips.shown, *([missing] if missing else [])]:
        sign = pen.signs.row if chip.own else pen.signs.allowed if chip.allowed else pen.signs.excluded
        one = pen.text("").append_text(pen.text(f"{sign} ", pen.style(sign)))
        one.append_text(pen.text(f"{chip.name}  ", "" if chip.allowed else "dim"))
        if column and column + one.cell_len - 2 > width:
            drawn.append("\n")
            column = 0
        drawn.append_text(one)
        column += one.cell_len
    more = {"allowed": chips.more_allowed, "excluded": chips.more_excluded}
    told = ", ".join(f"{count} more {word}" for word, count in more.items() if count)
    drawn.append_text(pen.text(told, "dim"))
    return drawn


def _legend(shown: lanes.Tracks, pen: Pen) -> list[Text]:
    if not shown.conditions:
        return []
    row = f"{pen.signs.row} this row  " if any(track.value for track in shown.conditions) else ""
    words = f"{' ' * len(_IF)}{row}{pen.signs.allowed} allowed  {pen.signs.excluded} excluded"
    return [pen.text(words, "dim")]


def _others(shown: lanes.Tracks, pen: Pen) -> list[Text]:
    free = [track.feature for track in shown.free]
    untested = list(shown.untested)
    kept = list(shown.kept)
    told = (
        (format_count(len(free), "feature doesn't matter here", "features don't matter here"), free),
        (format_count(len(kept), "feature stays as it is", "features stay as they are"), kept),
        (format_count(len(untested), "feature is in no tree", "features are in no tree"), untested),
    )
    return [pen.text(f"{words}: {few(names, MOST_NAMES)}", "dim") for words, names in told if names]


def _batch(record: BatchRecord | SummaryRecord, pen: Pen, width: int) -> RenderableType:
    from rich.console import Group
    from rich.panel import Panel

    summary = record["summary"] if "summary" in record else record  # noqa: SIM401
    rows = summary["rows"]
    sizes = {format_count(int(size), "condition"): count for size, count in summary["sizes"].items()}
    used = dict([(name, count) for name, count in summary["features"].items() if count][:MOST_FEATURES])
    tallies = {"decisions": summary["decisions"], "conditions per row": sizes, "features used": used}
    parts: list[Any] = [_tally(tallies, rows, pen)]
    left = len(summary["features"]) - len(used)
    if left:
        parts.append(pen.text(f"{left} more, each in fewer explanations or in none", "dim"))
    if summary["coverage"] is not None:
        told = ", ".join(
            f"{name} {text.write_share(share)}" for name, share in text.name_coverage(summary["coverage"])
        )
        parts.append(pen.text(f"coverage of the training rows: {told}"))
    parts += _first(record, pen) if "summary" in record else []
    statuses = ", ".join(f"{count} {name}" for name, count in summary["statuses"].items())
    title = pen.text(f"{format_count(rows, 'row')}: {statuses}", "bold")
    return Panel(Group(*parts), title=title, title_align="left", width=width, border_style="bright_black")


def _tally(tallies: Mapping[str, Mapping[str, int]], whole: int, pen: Pen) -> Table:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(max_width=30, overflow="fold")
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    for title, counts in tallies.items():
        grid.add_row(pen.text(title, "bold"))
        for name, count in counts.items():
            filled = round(CELLS * count / whole) if whole else 0
            line = pen.text("").append_text(pen.text(pen.signs.allowed * filled, "green"))
            line.append_text(pen.text(pen.signs.excluded * (CELLS - filled), "dim"))
            grid.add_row(pen.text(name), line, pen.text(count))
        grid.add_row()
    return grid


def _first(record: BatchRecord, pen: Pen) -> list[Any]:
    whys = record["explanations"]
    if not whys:
        return []
    grid = _grid(max(len(str(label)) for label in record["index"][:MOST_ROWS]) + 2)
    for label, why in list(zip(record["index"], whys, strict=True))[:MOST_ROWS]:
        grid.add_row(pen.text(label, "dim"), pen.text(text.write_rule(why)))
    more = len(whys) - MOST_ROWS
    told = [pen.text(f"and {format_count(more, 'more row')}", "dim")] if more > 0 else []
    return [pen.text(""), grid, *told]
