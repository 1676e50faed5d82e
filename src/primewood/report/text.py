"""Explanations in words, from their plain record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from primewood.logic.interval import number
from primewood.report.decimals import End

Record = Mapping[str, Any]
"""What an answer says, in plain types: the dictionary that its `to_dict` returns."""


def rule(record: Record) -> str:
    """The rule of an explanation: IF ... AND ... THEN decision.

    >>> rule({"decision": "approved", "literals": [{"text": "income >= 51.51"}], "status": "proved"})
    'IF income >= 51.51 THEN approved'
    """
    conditions = [literal["text"] for literal in record["literals"]]
    return f"IF {' AND '.join(conditions) or 'anything'} THEN {record['decision']}"


def explanation(record: Record) -> str:
    """The rule, and on the lines below it what it rests on."""
    lines = [rule(record), f"  {status(record)}"]
    if record.get("coverage") is not None:
        lines.append(
            f"  covers {share(record['coverage'])} of the training rows, "
            f"{share(record['volume'])} of the volume of their ranges"
        )
    lines += [f"  note: {note}" for note in record["notes"]]
    if record["assumptions"]:
        lines.append("  holds for rows where " + "; ".join(record["assumptions"]))
    return "\n".join(lines)


def share(part: float) -> str:
    """A share in percent.

    >>> share(0.213), share(0.00041), share(0.0), share(2.5e-9)
    ('21.3%', '0.041%', '0%', '2.5e-07%')
    """
    return f"{part:.1%}" if part >= 0.001 else f"{100 * part:.2g}%"


def exclusions(record: Record) -> str:
    """What an explanation excludes, one line per run of values, each with a row that is decided otherwise."""
    lines = []
    for item in record["excludes"]:
        changed = [f"{name} = {'missing' if x is None else number(x)}" for name, x in item["changed"].items()]
        lines.append(f"{item['text']}: {item['decision']}, for example with {', '.join(changed)}")
    return "\n".join(lines)


def status(record: Record) -> str:
    """What is proved, in words."""
    vote = " by majority vote" if record.get("vote") == "majority" else ""
    if record["status"] == "proved":
        prime = f"prime ({record['language']})"
        return f"{prime}: it entails the decision{vote}, and its exact bounds cannot be weakened"
    if record["status"] == "impossible":
        return "what was asked for does not exist; the note says why"
    return f"entails the decision{vote}; stopped early, so perhaps not prime ({record['language']})"


def condition(name: str, pieces: Sequence[tuple[End, End]], *, missing: bool, unit: str = "") -> str:
    """A numeric literal: its pieces by their bounds, and "missing".

    >>> condition("age", [(None, ("<=", "25")), ((">", "60"), None)], missing=False)
    '(age <= 25 or age > 60)'
    """
    words = [f"{_between(name, low, high)} {unit}".rstrip() for low, high in pieces]
    if missing:
        words.append(f"{name} is missing")
    return words[0] if len(words) == 1 else f"({' or '.join(words)})"


def _between(name: str, low: End, high: End) -> str:
    if low and high:
        if low[1] == high[1]:
            return f"{name} = {low[1]}"
        return f"{low[1]} {low[0].replace('>', '<')} {name} {high[0]} {high[1]}"
    if low or high:
        operator, bound = low or high or ("", "")
        return f"{name} {operator} {bound}"
    return f"{name} is a number"


def choice(name: str, values: Sequence[object], absent: Sequence[object]) -> str:
    """A literal over values without an order.

    >>> choice("purpose", ["car", "tv"], ["boat", "house", "other"])
    'purpose is car or tv'
    >>> choice("purpose", ["car", "tv", "boat"], ["house"])
    'purpose is not house'
    """
    if len(absent) == 1 and len(values) > 1:
        return f"{name} is not {absent[0]}"
    return f"{name} is {' or '.join(map(str, values))}"
