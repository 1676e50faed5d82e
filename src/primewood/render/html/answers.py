"""The cards of answers that are not explanations: a title with a badge, a few figures, a short table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from primewood.render import text
from primewood.render.html.card import BADGES, Fact, Frame, assume, check_heading, show_value
from primewood.render.html.environment import render, style
from primewood.render.numbers import amount, few, format_count, short
from primewood.render.records import (
    AttributionRecord,
    CheckRecord,
    ComparisonRecord,
    ContrastRecord,
    DecisionMapRecord,
    DifferenceRecord,
    RegionRecord,
    RelevanceRecord,
    RobustnessRecord,
    ScoreRecord,
    WhatIfRecord,
)
from primewood.render.text import Record

MOST_LINES = 12
"""The most lines of a table that are shown."""


def simple(
    label: str,
    title: str,
    *,
    lead: str = "",
    status: str = "proved",
    badge: str = "",
    notes: Iterable[str] = (),
    asides: Iterable[str] = (),
    facts: Sequence[Fact] = (),
    caption: str = "",
    head: Sequence[str] = (),
    rows: Sequence[Sequence[object]] = (),
    score: ScoreRecord | None = None,
    model: object = None,
    level: int = 2,
) -> str:
    """A card with figures and one table, of which the first lines are shown.

    Parameters
    ----------
    label
        What the card is about; it stands above the title.
    status, badge
        The colour and the words of the badge.
    score
        The record of what the decision was taken by, if there is one.
    """
    more = len(rows) - MOST_LINES
    shown = rows if more <= 1 else rows[:MOST_LINES]
    left = [f"{more} further lines are in to_dict()."] if more > 1 else []
    frame = Frame(
        label=f"{label}: {title}",
        eyebrow=label,
        title=title,
        lead=lead,
        status=status,
        badge=badge or BADGES[status],
        level=check_heading(level),
        notes=[*notes][:MOST_LINES],
        asides=[*left, *([f"{score['text']}."] if score else []), *asides],
        foot=[] if model is None else [("model", model)],
    )
    return style() + render(
        "table.html.j2", frame=frame, caption=caption, head=head, rows=shown, facts=list(facts)
    )


def contrast(record: ContrastRecord, words: str) -> str:
    """The card of a contrast: `Contrast.to_dict`, and its words."""
    found = record["other"] is not None
    minimal = "Fewest, proved" if record["fewest"] else "Minimal, proved"
    return simple(
        f"Instead of {record['decision']}",
        str(record["other"]) if found else "nothing else",
        lead=f"may follow when {format_count(len(record['lets_go']), 'feature changes', 'features change')}"
        if found
        else words,
        status=record["status"],
        badge=minimal if record["status"] == "proved" else "",
        caption="What changes",
        head=["Feature", "May become"],
        rows=[[x["feature"], x["text"]] for x in record["lets_go"]],
        score=record["score"],
        model=record["model"],
    )


def robustness(record: RobustnessRecord, words: str) -> str:
    """The card of a robustness: `Robustness.to_dict`, and its words."""
    near, first = record["nearest"], words.split("\n", 1)[0]
    facts = [("Safe radius, proved", record["radius"]), ("A change is known at", record["upper"])]
    return simple(
        "Robustness",
        str(record["decision"]),
        lead="how far the row can move before the decision may change",
        asides=[f"{first[:1].upper()}{first[1:]}."],
        score=record["score"],
        status="proved" if record["status"] == "impossible" else record["status"],
        badge={"proved": "Largest radius, proved", "impossible": "Never changes"}.get(record["status"], ""),
        facts=[Fact(f"{name} ({record['norm']})", short(x)) for name, x in facts if x is not None],
        caption=f"The nearest change found: {near['other']}",
        head=["Feature", "Now", "Then"],
        rows=[[name, show_value(old), show_value(new)] for name, (old, new) in near["changes"].items()],
        model=record["model"],
    )


def relevance(record: RelevanceRecord, decision: object = None) -> str:
    """The card of which features a decision rests on: `Relevance.to_dict`."""
    undecided = record.get("undecided", [])
    kinds = {
        "In every explanation (necessary)": record["necessary"],
        "In some explanation (relevant)": record["relevant"],
        "In no explanation (irrelevant)": record["irrelevant"],
        "Undecided in time": undecided,
    }
    return simple(
        "Relevance",
        "What the decision rests on" if decision is None else f"What {decision} rests on",
        lead=f"{format_count(len(record['relevant']), 'feature')} of "
        f"{len(record['relevant']) + len(record['irrelevant']) + len(undecided)}",
        status="interrupted" if undecided else "proved",
        caption="Features",
        head=["", "How many", "Which"],
        rows=[
            [kind, len(names), few(names) or "none"]
            for kind, names in kinds.items()
            if names or undecided is not names
        ],
        model=record.get("model"),
    )


def attribution(record: AttributionRecord) -> str:
    """The card of an attribution: `Attribution.to_dict`."""
    ranked = sorted(record["shares"].items(), key=lambda item: -sum(item[1]))
    low, high = record["count"]
    return simple(
        "Attribution",
        "How many explanations mention a feature",
        lead=f"of {amount(low)} explanations"
        if low == high
        else f"of {amount(low)} to {amount(high)} explanations",
        status="proved" if record["complete"] else "interrupted",
        badge="Exact" if record["complete"] else "Bounds so far",
        caption="Share of the explanations",
        head=["Feature", "Share"],
        rows=[[name, between(*ends)] for name, ends in ranked],
    )


def between(low: float, high: float) -> str:
    """A share that lies between two bounds.

    >>> between(0.25, 0.25), between(0.1, 0.5)
    ('25.0%', '10.0% to 50.0%')
    """
    return text.write_share(low) if low == high else f"{text.write_share(low)} to {text.write_share(high)}"


def check(record: CheckRecord, sufficiency: str, meaning: str) -> str:
    """The card of a check: `Check.to_dict`, and its verdict in words."""
    repaired, needless = record["repaired"], set(record["redundant"])
    instead = (
        []
        if repaired is None or record["verdict"] == "exact"
        else [f"Proved instead: {text.write_rule(repaired)}"]
    )
    good = record["sufficient"] and record["contains_row"]
    return simple(
        "Claim" if record["source"] == "claim" else f"Claim of {record['source']}",
        record["verdict"],
        lead=sufficiency,
        status="undecided" if record["sufficient"] is None else "holds" if good else "fails",
        badge={True: "Sufficient", False: "Not sufficient", None: "Undecided"}[record["sufficient"]],
        notes=record["notes"],
        asides=[f"{meaning[:1].upper()}{meaning[1:]}.", *instead, *assume(record["assumptions"])],
        caption=f"The claim for {record['decision']}",
        head=["Condition", "Needed"],
        rows=[[words, "no" if words in needless else "yes" if good else ""] for words in record["claim"]],
        score=record["score"],
        model=record["model"],
    )


def tally(record: Mapping[str, int]) -> str:
    """The card of many checks: `Tally.to_dict`."""
    total = record["claims"]
    verdicts = {
        name: count for name, count in record.items() if name not in ("claims", "sufficient", "insufficient")
    }
    share = [f" ({text.write_share(record['sufficient'] / total)})"] if total else [""]
    return simple(
        "Claims",
        format_count(total, "claim"),
        lead=f"{record['sufficient']} sufficient{share[0]}, {record['insufficient']} not",
        badge="Checked",
        caption="Verdicts",
        head=["Verdict", "Claims"],
        rows=[[name, count] for name, count in verdicts.items() if count],
    )


def adverse_action(record: Record, lead: str) -> str:
    """The card of the reasons for an adverse action: `AdverseAction.to_dict`."""
    return simple(
        f"Instead of {record['favourable']}",
        str(record["decision"]),
        lead=lead,
        status=record["status"],
        caption="Principal reasons",
        head=["", "Reason", f"{record['favourable']} with"],
        rows=[
            [x["rank"], f"{x['code']} {x['text']}" if x["code"] else x["text"], x["helps"]]
            for x in record["reasons"]
        ],
        asides=[record["letter"]],
        score=record["score"],
        model=record["model"],
    )


def what_if(record: WhatIfRecord) -> str:
    """The card of a what-if strip: `WhatIf.to_dict`."""
    pieces = record["pieces"]
    others = len({piece["decision"] for piece in pieces} - {record["decision"], None})
    return simple(
        f"What if only {record['feature']} changes",
        str(record["decision"]),
        lead=f"with {record['feature']} {record['shown']}; "
        + ("another value changes the decision" if others else "no other value changes the decision"),
        score=record["score"],
        badge="Exact",
        caption=f"{record['feature']} alone, everything else unchanged",
        head=["Value", "Decision", "Proved whatever the free features are"],
        rows=[
            [
                piece["text"],
                "no such row" if piece["decision"] is None else piece["decision"],
                "yes" if piece["proved"] else "",
            ]
            for piece in pieces
        ],
    )


def decision_map(record: DecisionMapRecord, cells: Mapping[object, int]) -> str:
    """The card of a map of two features: `DecisionMap.to_dict`, and how many cells get which decision."""
    first, second = (axis["feature"] for axis in record["axes"])
    total = sum(cells.values())
    return simple(
        f"What if only {first} and {second} change",
        str(record["decision"]),
        lead="plot() draws the map",
        score=record["score"],
        badge="Exact",
        facts=[Fact(f"{name}, of {total:,} cells", f"{n:,}", n / total) for name, n in cells.items() if n][
            :MOST_LINES
        ],
    )


def compiled(facts: Record, decisions: Sequence[object]) -> str:
    """The card of a compiled model."""
    seconds = facts.get("seconds")
    figures = [Fact("Nodes", f"{facts['nodes']:,}"), Fact("Levels", f"{len(facts['levels']):,}")]
    figures += [] if seconds is None else [Fact("Compiled in", f"{seconds:.2f} s")]
    return simple(
        "Compiled model",
        "A decision diagram",
        lead=f"decides between {few(decisions)}",
        badge="Exact",
        facts=figures,
        caption="Features, from the top",
        head=["Feature", "Nodes"],
        rows=[[level["feature"], f"{level['nodes']:,}"] for level in facts["levels"]],
    )


def family(name: str, words: str, sizes: Mapping[int, int] | None) -> str:
    """The card of all explanations or all contrasts of a decision; with their sizes, if they are compiled."""
    if sizes is None:
        return simple(
            name, "Not listed yet", lead=f"{words}: iterate to list, count() to count", badge="Lazy"
        )
    return simple(
        name,
        f"{amount(sum(sizes.values()))} in all",
        lead=words,
        badge="Compiled",
        caption="By the number of features that they mention",
        head=["Features", "How many"],
        rows=[[size, amount(count)] for size, count in sizes.items()],
    )


def lines(label: str, title: str, words: Sequence[str], *, badge: str, status: str = "proved") -> str:
    """The card of something that is said in a few lines."""
    return simple(
        label, title, asides=[line[:2000] for line in words[:MOST_LINES]], badge=badge, status=status
    )


def comparison(record: ComparisonRecord) -> str:
    """The card of a comparison of two models: `Comparison.to_dict`."""
    status = {True: "holds", False: "fails", None: "undecided"}[record["equivalent"]]
    badges = {"holds": "Equivalent, proved", "fails": "Different", "undecided": "Undecided"}
    rows, affected = record["rows"], len(record["affected"])
    return simple(
        "Comparison of two models",
        {"holds": "equivalent", "fails": "different", "undecided": "undecided"}[status],
        lead=record["words"],
        status=status,
        badge=badges[status],
        notes=[record["note"]] if record["note"] else [],
        asides=[*_both_scores(record), *_regions(record["regions"]), *assume(record["assumptions"])],
        facts=[Fact("Rows decided differently", f"{affected:,} of {rows:,}", affected / rows)]
        if rows and affected
        else [],
        caption="Your rows that the two decide differently",
        head=["First model", "Second model", "Rows", "Which"],
        rows=[[x["first"], x["second"], x["count"], few(x["ids"])] for x in record["directions"]],
        model=record["model"],
    )


def _both_scores(record: ComparisonRecord) -> list[str]:
    """What the two decisions about the row that shows it are taken by."""
    if record["witness"] is None:
        return []
    told = [score["text"] for score in record["scores"]] or [str(x) for x in record["decisions"]]
    held = few(f"{name} = {value}" for name, value in record["shown"].items())
    return [f"For instance: first model {told[0]}; second model {told[-1]}; for {held}."]


def _regions(regions: Sequence[RegionRecord]) -> list[str]:
    return [
        f"Proved to differ throughout: {region['first']} -> {region['second']} if "
        f"{few((x['text'] for x in region['literals']), between=' and ') or 'anything'}."
        for region in regions[:MOST_LINES]
    ]


def difference(record: DifferenceRecord) -> str:
    """The card of the difference of two compiled models: `Difference.to_dict`."""
    status = "holds" if record["equivalent"] else "fails"
    return simple(
        "Difference of two models",
        "equivalent" if record["equivalent"] else "different",
        lead="Proved: the two models decide alike on every row." if record["equivalent"] else "",
        status=status,
        badge="Equivalent, proved" if record["equivalent"] else "Different",
        asides=assume(record["assumptions"]),
        facts=[]
        if record["equivalent"]
        else [Fact("Cells decided differently", text.write_share(record["share"]), record["share"])],
        caption="How they differ",
        head=["First model -> second model", "Cells"],
        rows=[[kind, f"{count:,}"] for kind, count in record["kinds"].items()],
    )
