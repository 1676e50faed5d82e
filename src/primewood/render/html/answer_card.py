"""The card of an answer that is not an explanation: a heading, a few figures, a short table and remarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from primewood.render.html.card import BADGES, Fact, Frame
from primewood.render.html.environment import render, style
from primewood.render.records import ScoreRecord

MOST_LINES = 12
"""The most lines of a table that are shown."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The top of a card.

    Attributes
    ----------
    label : str
        What the card is about, shown above the title.
    title, lead : str
        The title, and the text after it.
    status, badge : str
        The colour and the text of the badge; the default text is that of the status.
    """

    label: str
    title: str
    lead: str = ""
    status: str = "proved"
    badge: str = ""


@dataclass(frozen=True, slots=True)
class CardTable:
    """The table of a card. Only the first lines are shown.

    Attributes
    ----------
    caption : str
    head : sequence of str
        The names of the columns.
    rows : sequence of sequences
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Remarks:
    """The remarks below the figures of a card.

    Attributes
    ----------
    notes, asides : iterables of str
        What to be careful about, and what else is worth knowing.
    score : ScoreRecord or None
        What the decision is based on.
    model : object
        The digest of the model; None if it is not shown.
    """

    notes: Iterable[str] = ()
    asides: Iterable[str] = ()
    score: ScoreRecord | None = None
    model: object = None


NO_TABLE, NO_REMARKS = CardTable("", (), ()), Remarks()


def render_card(
    heading: Heading,
    table: CardTable = NO_TABLE,
    *,
    facts: Sequence[Fact] = (),
    remarks: Remarks = NO_REMARKS,
) -> str:
    """Render a card with figures and one table."""
    more = len(table.rows) - MOST_LINES
    left = [f"{more} further lines are in to_dict()."] if more > 1 else []
    score = [f"{remarks.score['text']}."] if remarks.score else []
    frame = Frame(
        label=f"{heading.label}: {heading.title}",
        eyebrow=heading.label,
        title=heading.title,
        lead=heading.lead,
        status=heading.status,
        badge=heading.badge or BADGES[heading.status],
        level=2,
        notes=[*remarks.notes][:MOST_LINES],
        asides=[*left, *score, *remarks.asides],
        foot=[] if remarks.model is None else [("model", remarks.model)],
    )
    shown = table.rows if more <= 1 else table.rows[:MOST_LINES]
    return style() + render(
        "table.html.j2", frame=frame, caption=table.caption, head=table.head, rows=shown, facts=list(facts)
    )
