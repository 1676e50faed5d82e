"""Explanations in words, from their plain record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from primewood.logic.interval import Interval
from primewood.logic.lexicon import CUT, write_name, write_value
from primewood.render.decimals import End, whole_ends
from primewood.render.numbers import few, format_count
from primewood.render.records import (
    CoverageRecord,
    ExplanationRecord,
    InShortOverSpaceRecord,
    InShortRecord,
    IntervalRecord,
    LiteralRecord,
    NearRecord,
    StretchRecord,
    SummaryRecord,
)
from primewood.visible import join_lines, visible, visible_record

Record = Mapping[str, Any]
"""An answer in plain types: the dictionary that its `to_dict` returns."""


MOST_PIECES = 3
"""The most pieces of a literal that are shown; the others are counted."""
MOST_CONDITIONS = 12
"""The most conditions of a rule that are shown; the others are counted."""


MOST_EXCLUSIONS = 24
"""The most runs of values for which a change of the decision is shown: both ends of a dozen features."""
MOST_CHANGES = 12
"""The most changes of an example row that are shown; the others are counted."""
LONGEST = 18_000
"""About how many characters a text for people has at most."""
REST = "all are in to_dict(witnesses=True)"
"""Where to find the exclusions that are not shown."""


def write_rule(record: Record, *, exact: bool = False, full: bool = False) -> str:
    """The rule of an explanation: IF ... AND ... THEN decision.

    A long rule is shortened, and says so. With `full`, it has all conditions, with all their pieces. With
    `exact`, it is full, and bounds have all their digits.

    >>> write_rule({"decision": "approved", "literals": [{"text": "income >= 51.51"}], "status": "proved"})
    'IF income >= 51.51 THEN approved'
    >>> write_rule({"decision": "approved", "literals": [], "status": "proved"})
    'always approved'

    What holds only near a row says so first: 'near this row: always approved'.
    """
    if record["status"] == "failed":
        return f"not explained: {'; '.join(record['notes'])}"
    literals = record["literals"]
    decision = visible(str(record["decision"]))
    where = "near this row: " if "near" in record else ""
    if not literals:
        return f"{where}always {decision}"
    shown = literals if full or exact else literals[: count_shown(len(literals))]
    write = write_exactly if exact else write_completely
    conditions = [write(literal) if full or exact else literal["text"] for literal in shown]
    more = len(literals) - len(shown)
    conditions += [f"{more} more conditions"] if more else []
    return f"{where}IF {' AND '.join(conditions)} THEN {decision}"


def count_shown(count: int) -> int:
    """How many conditions of a rule are shown: all, or only the first ones if there are many.

    >>> count_shown(3), count_shown(13), count_shown(272)
    (3, 13, 12)
    """
    return count if count <= MOST_CONDITIONS + 1 else MOST_CONDITIONS


def write_short_rule(record: InShortRecord | InShortOverSpaceRecord) -> str:
    """The rule of a decision in short, which holds usually and not always."""
    conditions = " AND ".join(literal["text"] for literal in record["literals"] or [])
    decision = visible(str(record["decision"]))
    return f"IF {conditions} THEN usually {decision}" if conditions else f"usually {decision}"


def write_in_short(record: InShortRecord) -> str:
    """A decision in short, with its counts.

    >>> write_in_short({"decision": "spam", "literals": [{"text": "remainder <= 0.05"}], "precision": 0.95,
    ...                 "matching": 418, "same": 412, "rows": 4000, "is_sample": False, "lower": 0.97,
    ...                 "promised": True, "mixed_matching": 900, "mixed_same": 890, "exceptions": []})
    'In short: remainder <= 0.05. Holds for 412 of 418 training rows that match (98.6%).'
    """
    asked = f"{100 * record['precision']:.6g}%"
    if record["literals"] is None:
        return f"In short: no short rule holds for {asked} of the rows that match it."
    matching, same = record["matching"], record["same"]
    conditions = " and ".join(literal["text"] for literal in record["literals"])
    among = f" in a sample of {record['rows']:,}" if record["is_sample"] else ""
    counted = (
        f"Holds for {same:,} of {matching:,} training rows that match{among} ({write_share(same / matching)})"
    )
    doubt = "" if record["promised"] else f"; too few rows to promise {asked}"
    return f"In short: {conditions or 'always so'}. {counted}{doubt}."


def write_in_short_over_space(record: InShortOverSpaceRecord) -> str:
    """A decision in short over the feature space, with its share.

    >>> write_in_short_over_space({"decision": "spam", "literals": [{"text": "remainder <= 0.05"}], "precision": 0.95,
    ...                            "over": "space", "lower": 0.973, "upper": 0.973, "is_exact": True, "coverage": 0.1,
    ...                            "assumptions": []})
    'In short: remainder <= 0.05. Holds for 97.3% of the feature space inside (exact).'
    """
    space = "the feature space" if record["over"] == "space" else "rows with the training frequencies"
    if record["literals"] is None or record["lower"] is None or record["upper"] is None:
        return f"In short: no short rule found that holds for {100 * record['precision']:.6g}% of {space} inside."
    conditions = " and ".join(literal["text"] for literal in record["literals"])
    share = (
        _write_exact(record["upper"])
        if record["is_exact"]
        else _write_bounds(record["lower"], record["upper"])
    )
    assumed = f" Assumes: {'; '.join(record['assumptions'])}." if record["assumptions"] else ""
    return f"In short: {conditions or 'always so'}. Holds for {share[0]} of {space} inside ({share[1]}).{assumed}"


def _write_exact(share: float) -> tuple[str, str]:
    """A share that is known; one that is not all is not rounded to 100%."""
    return write_share(share) if share == 1 or share < 0.9995 else "more than 99.9%", "exact"


def _write_bounds(lower: float, upper: float) -> tuple[str, str]:
    """Two bounds, rounded outwards."""
    return f"{math.floor(1000 * lower) / 10:.1f}% to {math.ceil(1000 * upper) / 10:.1f}%", "proved bounds"


def write_explanation(record: ExplanationRecord, *, exact: bool = False, full: bool = False) -> str:
    """The rule, and below it what is proved and what is assumed."""
    record = visible_record(record)
    if record["status"] == "failed":
        return write_rule(record)
    short = record.get("in_short")
    lines = [*([write_in_short(short)] if short else []), write_rule(record, exact=exact, full=full)]
    count, shown = len(record["literals"]), count_shown(len(record["literals"]))
    if shown < count and not (exact or full):
        lines.append(f"  {shown} of {count} conditions; all with to_text(full=True)")
    return "\n".join([*lines, *(f"  {line}" for line in list_circumstances(record))])


def list_circumstances(record: ExplanationRecord) -> list[str]:
    """What is proved, the coverage, the notes and the assumptions of an explanation, in lines of text."""
    score = record.get("score")
    lines = [*([score["text"]] if score else []), *list_proved(record), *_best(record)]
    if "near" in record:
        lines.append(describe_near(record["near"]))
    elif record["coverage"] is not None and record["volume"] is not None:
        volume = f", {write_share(record['volume'])} of the feature space" if has_volume(record) else ""
        lines.append(f"Covers {write_share(record['coverage'])} of the training rows{volume}.")
    lines += [f"Note: {note}" for note in record["notes"]]
    if record["assumptions"]:
        lines.append("Assumes: " + "; ".join(record["assumptions"]))
    return lines


def describe_near(near: NearRecord) -> str:
    """Which rows are near, in a sentence.

    >>> describe_near({"share": 0.05, "features": None, "bounds": []}).split("; ")[0]
    'Near this row: each number differs by at most 5% of its training range'
    >>> print(describe_near({"share": None, "features": 2, "bounds": []}))
    Near this row: at most 2 features differ.
    """
    kept = []
    if near["share"] is not None:
        kept.append(f"each number differs by at most {100 * near['share']:.6g}% of its training range")
        kept.append("categories, yes-or-no features and gaps stay the same")
    if near["features"] is not None:
        kept.append(f"at most {format_count(near['features'], 'feature differs', 'features differ')}")
    return f"Near this row: {'; '.join(kept)}."


def has_volume(record: ExplanationRecord) -> bool:
    """Whether the covered share of the feature space says something: missing values have no share in it."""
    return not any(
        literal["missing"] and not (literal.get("intervals") or literal.get("values"))
        for literal in record["literals"]
    )


def _best(record: ExplanationRecord) -> list[str]:
    """How near an explanation is to the best one, if that was its goal."""
    if record["bounds"] is None:
        return []
    low, high = (None if bound is None else f"{bound:.6g}" for bound in record["bounds"])
    if record["goal"] == "shortest":
        counted = record["bounds"][1] == len(record["literals"])
        more, of = ("fewer than", "features") if counted else ("less than", "in weight")
        if low == high:
            return [f"Shortest: no explanation has {more} {high} {of}."]
        return [f"{high} {of}; no explanation has {more} {low}."]
    if low == high:
        return [f"Widest: it covers {low}, and no explanation covers more."]
    return [
        f"It covers {low}; "
        + (
            "how much others cover is not known."
            if high is None
            else f"no explanation covers more than {high}."
        )
    ]


def write_summary(record: SummaryRecord) -> str:
    """A summary of many explanations, in a few lines."""
    rows = record["rows"]
    lines = [
        f"{rows} explanation{'' if rows == 1 else 's'}: {_counts(record['statuses'])}",
        f"decisions: {_counts(record['decisions'])}",
        f"features per explanation: {_counts(record['sizes'])}",
    ]
    if record["coverage"] is not None:
        covers = [write_share(part) for _, part in name_coverage(record["coverage"])]
        lines.append(f"coverage of the training rows: {covers[0]} to {covers[2]}, median {covers[1]}")
    used = {name: count for name, count in record["features"].items() if count}
    lines.append("features used: " + (_counts(used) or "none"))
    never = len(record["features"]) - len(used)
    if never:
        lines.append(f"never used: {never} of the {len(record['features'])} features that the model looks at")
    return join_lines(lines)


def name_coverage(coverage: CoverageRecord) -> list[tuple[str, float]]:
    """The least, the median and the largest coverage of a batch, with their names."""
    return [
        ("least", coverage["least"]),
        ("median", coverage["median"]),
        ("largest", coverage["largest"]),
    ]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counts.items())


def write_share(part: float) -> str:
    """A share in percent.

    >>> write_share(0.213), write_share(0.00041), write_share(0.0), write_share(2.5e-9)
    ('21.3%', '0.041%', '0%', '2.5e-07%')
    """
    return f"{part:.1%}" if part >= 0.001 else f"{100 * part:.2g}%"


def write_exclusions(record: ExplanationRecord) -> str:
    """What an explanation excludes, one line per run of values, each with a row that gets a different decision."""
    lines: list[str] = []
    size = 0
    for item in record["excludes"]:
        line = f"{item['text']}: {item['decision']}, for example with {_changes(item['shown'])}"
        size += len(line)
        if lines and size > LONGEST:
            break
        lines.append(line)
    rest = note_left_out(record, len(lines))
    return join_lines([*lines, rest] if rest else lines)


def note_left_out(record: ExplanationRecord, shown: int) -> str:
    """How many exclusions are shown of how many, and where the rest is; "" if all are shown."""
    there = len(record.get("excludes", []))
    total = record.get("excludes_total", there)
    if shown >= total:
        return ""
    note = REST if shown < there else record.get("excludes_note", REST)
    return f"({shown:,} of {total:,} shown; {note})"


def _changes(shown: Mapping[str, str]) -> str:
    """The first differences of an example row."""
    changed = [f"{name} = {words}" for name, words in shown.items()]
    more = len(changed) - MOST_CHANGES
    return ", ".join(changed[:MOST_CHANGES]) + (f", and {more} more changes" if more > 0 else "")


def list_proved(record: ExplanationRecord) -> list[str]:
    """What is proved; of an explanation that was interrupted also how much of it is shown to be necessary."""
    counts = record.get("necessity", [])
    undecided = [x["feature"] for x in counts if x["undecided"]]
    if not undecided:
        return [write_status(record)]
    total, shown = (sum(x[key] for x in counts) for key in ("excluded", "necessary"))
    values = "excluded value is" if total == 1 else "excluded values are"
    where = few(undecided, MOST_CONDITIONS)
    return [
        write_status(record),
        f"{shown:,} of {total:,} {values} shown necessary; {total - shown:,} undecided (in {where}).",
    ]


def write_status(record: ExplanationRecord) -> str:
    """What is proved, in words."""
    vote = " by majority vote" if record.get("vote") == "majority" else ""
    language = record["literal_language"]
    if record["status"] == "impossible":
        return "What was asked for does not exist; the note says why."
    relaxed = "dropped" if language == "values" else "relaxed"
    if record["status"] != "proved":
        if _cannot_be_relaxed(record):
            stopped = f"and none can be {relaxed} ({language}); time ran out before the search was complete"
            return f"These conditions guarantee the decision{vote}, {stopped}."
        stopped = f"time ran out before each was shown to be needed ({language})"
        return f"These conditions guarantee the decision{vote}; {stopped}."
    if not record["literals"]:
        return f"Proved: every row{' near this one' if 'near' in record else ''} gets this decision{vote}."
    return f"Proved: these conditions guarantee the decision{vote}, and none can be {relaxed} ({language})."


def _cannot_be_relaxed(record: ExplanationRecord) -> bool:
    """Whether everything that an explanation excludes is shown to be necessary."""
    return "necessity" in record and not any(x["undecided"] for x in record["necessity"])


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a condition, split at the feature's name.

    Attributes
    ----------
    name : str
        The feature.
    after, before : str
        The text after the name, and the text before it.
    brief : str
        The piece in a few words, without the name.
    compares : bool
        Whether the words are comparisons with numbers.

    >>> print(Piece("age", "< 4", "2 <="))
    2 <= age < 4
    """

    name: str
    after: str
    before: str = ""
    brief: str = ""
    compares: bool = False

    def __str__(self) -> str:
        return " ".join(filter(None, (self.before, self.name, self.after)))

    def typeset(self) -> Piece:
        """The piece with mathematical symbols; names keep their letters, even if they look like comparisons."""
        if not self.compares:
            return self
        before, after = (words.replace("<=", "≤").replace(">=", "≥") for words in (self.before, self.after))
        return replace(self, before=before, after=after)


def split_at_name(literal: LiteralRecord) -> list[Piece]:
    """The pieces of a literal's record (one of them must hold), each split at the feature's name."""
    name = literal["feature"]
    if "values" in literal:
        return [Piece(name, literal["condition"], brief=literal["condition"])]
    pieces = [_divide_interval(name, *ends, literal["unit"]) for ends in read_bounds(literal)]
    return pieces + ([Piece(name, "is missing", brief="missing")] if literal["missing"] else [])


def read_bounds(literal: LiteralRecord) -> list[tuple[End, End]]:
    """The lower and the upper bound of each interval of a literal's record, as they are shown."""
    return [(_as_end(ends["low"]), _as_end(ends["high"])) for ends in literal["ends"]]


def _as_end(bound: Sequence[str] | None) -> End:
    return None if bound is None else (bound[0], bound[1])


def write_piece(name: str, low: End, high: End, unit: str = "") -> str:
    """One interval of a numeric literal by its bounds.

    >>> write_piece("age", None, ("<=", "25"), "years"), write_piece("age", (">", "60"), ("<", "70"))
    ('age <= 25 years', '60 < age < 70')
    """
    return str(_divide_interval(write_name(name), low, high, visible(unit)))


def write_missing(name: str) -> str:
    """The piece of a literal that allows a missing value."""
    return f"{write_name(name)} is missing"


def _divide_interval(name: str, low: End, high: End, unit: str) -> Piece:
    brief = _shorten_bounds(low, high)
    if low and high and low[1] != high[1]:
        before = f"{low[1]} {low[0].replace('>', '<')}"
        return Piece(name, _add_unit(high, unit), before, brief, compares=True)
    if low and high:
        return Piece(name, _add_unit(("=", low[1]), unit), brief=brief, compares=True)
    return Piece(name, _add_unit(low or high, unit), brief=brief, compares=True)


def _add_unit(end: End, unit: str) -> str:
    """A bound with its unit."""
    return f"{end[0]} {end[1]} {unit}".rstrip() if end else "is a number"


def _shorten_bounds(low: End, high: End) -> str:
    """Both bounds of an interval.

    >>> _shorten_bounds((">=", "31"), ("<=", "35")), _shorten_bounds((">", "31"), None)
    ('31 to 35', '> 31')
    """
    if low and high and (low[0], high[0]) == (">=", "<="):
        return low[1] if low[1] == high[1] else f"{low[1]} to {high[1]}"
    return ", ".join(" ".join(end) for end in (low, high) if end) or "any number"


def join_pieces(pieces: Sequence[str], here: int = 0) -> str:
    """A literal from its pieces; if there are many, three, including the one at `here`.

    >>> join_pieces(["age <= 25", "age > 60"])
    '(age <= 25 or age > 60)'
    >>> join_pieces(["x <= 1", "2 <= x <= 3", "4 <= x <= 5", "6 <= x <= 7", "x >= 8"], 4)
    '(4 <= x <= 5 or 6 <= x <= 7 or x >= 8 or 2 other ranges)'
    """
    if len(pieces) == 1:
        return pieces[0]
    return f"({' or '.join(_shorten(pieces, here, 'ranges'))})"


def _shorten(pieces: Sequence[str], here: int, noun: str) -> list[str]:
    """Some neighbouring pieces with the one at `here`, and then how many others there are, in words."""
    shown = pieces[choose_pieces(len(pieces), here)]
    more = len(pieces) - len(shown)
    return [*shown, *([f"{more} other {noun}"] if more else [])]


def choose_pieces(count: int, here: int) -> slice:
    """Which of several pieces are shown: all, or, if there are many, three neighbours, including the one at `here`.

    A single piece is never left out, because a note about it would be as long as the piece.

    >>> choose_pieces(4, 0), choose_pieces(9, 8)
    (slice(0, 4, None), slice(6, 9, None))
    """
    if count <= MOST_PIECES + 1:
        return slice(0, count)
    first = min(max(0, here - 1), count - MOST_PIECES)
    return slice(first, first + MOST_PIECES)


def write_choice(name: str, values: Sequence[object], absent: Sequence[object], here: int = 0) -> str:
    """A literal over values without an order.

    >>> write_choice("purpose", ["car", "tv"], ["boat", "house", "other"])
    'purpose is car or tv'
    """
    return f"{write_name(name)} {write_condition(values, absent, here)}"


def write_condition(values: Sequence[object], absent: Sequence[object], here: int = 0) -> str:
    """The condition of a literal over values without an order; lists the excluded values if that is shorter.

    >>> write_condition(["car", "tv", "boat"], ["house"])
    'is not house'
    >>> write_condition(["car", "tv", "boat", "art", "debt"], ["house", "other"])
    'is neither house nor other'
    >>> write_condition([1, 2, 3, 4, 5, 6], [7, 8, 9, 10], here=5)
    'is 4 or 5 or 6 or 3 other values'
    """
    known = [str(value) for value in (*values, *absent)]
    values, absent = ([write_value(str(x), known) for x in part] for part in (values, absent))
    if len(absent) == 1 and len(values) > 1:
        return f"is not {absent[0]}"
    if len(values) > MOST_PIECES and 1 < len(absent) <= MOST_PIECES and len(absent) < len(values):
        return f"is neither {' nor '.join(absent)}"
    return f"is {' or '.join(_shorten(values, here, 'values'))}"


def write_completely(literal: LiteralRecord) -> str:
    """A literal as it is shown, with all its pieces or values.

    >>> write_completely({"feature": "x", "text": "x is 1 or 2 other values", "values": [1, 2, 3], "missing": False})
    'x is 1 or 2 or 3'
    """
    if not CUT.search(literal["text"]):
        return literal["text"]
    return _list_values(literal) if "values" in literal else f"({' or '.join(literal['shown'])})"


def _list_values(literal: LiteralRecord) -> str:
    """A literal over values with all allowed values."""
    values = [*literal["values"], *(["missing"] if literal["missing"] else [])]
    return f"{write_name(literal['feature'])} is {' or '.join(write_value(str(value)) for value in values)}"


def write_exactly(literal: LiteralRecord) -> str:
    """A literal with all digits of its bounds and all its pieces.

    >>> write_exactly({"feature": "age", "unit": "years", "missing": True,
    ...          "intervals": [{"low": 24.5, "high": None, "closed": "neither"}]})
    '(age > 24.5 years or age is missing)'
    """
    if "values" in literal:
        return _list_values(literal)
    name = literal["feature"]
    unit, parts = visible(literal.get("unit", "")), [read_interval(part) for part in literal["intervals"]]
    if literal.get("whole"):
        pieces = [write_piece(name, *whole_ends(part), unit) for part in parts]
    else:
        pieces = [_exact_piece(part, write_name(name), unit) for part in parts]
    pieces += [write_missing(name)] if literal["missing"] else []
    return pieces[0] if len(pieces) == 1 else f"({' or '.join(pieces)})"


def _exact_piece(exact: Interval, name: str, unit: str) -> str:
    if math.isinf(exact.low) and math.isinf(exact.high):
        return f"{name} is a number"
    return f"{exact.condition(name)} {unit}".rstrip()


def read_interval(part: IntervalRecord | StretchRecord) -> Interval:
    """The interval of a record."""
    low, high = part["low"], part["high"]
    return Interval(-math.inf if low is None else low, math.inf if high is None else high, part["closed"])
