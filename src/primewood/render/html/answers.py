"""The cards of answers that are not explanations: a title with a badge, a few figures, a short table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from primewood.render import text
from primewood.render.html.answer_card import MOST_LINES, CardTable, Heading, Remarks, render_card
from primewood.render.html.card import Fact, assume, show_value
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
    WhatIfRecord,
)
from primewood.render.text import Record


def contrast(record: ContrastRecord, words: str) -> str:
    """The card of a contrast: `Contrast.to_dict`, and its text."""
    found = record["other"] is not None
    minimal = "Fewest, proved" if record["fewest"] else "Minimal, proved"
    return render_card(
        Heading(
            f"Instead of {record['decision']}",
            str(record["other"]) if found else "nothing else",
            lead=f"may follow when {format_count(len(record['lets_go']), 'feature changes', 'features change')}"
            if found
            else words,
            status=record["status"],
            badge=minimal if record["status"] == "proved" else "",
        ),
        CardTable(
            "What changes", ["Feature", "May become"], [[x["feature"], x["text"]] for x in record["lets_go"]]
        ),
        remarks=Remarks(score=record["score"], model=record["model"]),
    )


def robustness(record: RobustnessRecord, words: str) -> str:
    """The card of a robustness: `Robustness.to_dict`, and its text."""
    near, first = record["nearest"], words.split("\n", 1)[0]
    facts = [("Safe radius, proved", record["radius"]), ("A change is known at", record["upper"])]
    return render_card(
        Heading(
            "Robustness",
            str(record["decision"]),
            lead="how far the row can move before the decision may change",
            status="proved" if record["status"] == "impossible" else record["status"],
            badge={"proved": "Largest radius, proved", "impossible": "Unlimited radius, proved"}.get(
                record["status"], ""
            ),
        ),
        CardTable(
            f"The nearest change found: {near['other']}",
            ["Feature", "Now", "Then"],
            [[name, show_value(old), show_value(new)] for name, (old, new) in near["changes"].items()],
        ),
        facts=[Fact(f"{name} ({record['norm']})", short(x)) for name, x in facts if x is not None],
        remarks=Remarks(
            asides=[f"{first[:1].upper()}{first[1:]}."], score=record["score"], model=record["model"]
        ),
    )


def relevance(record: RelevanceRecord, decision: object = None) -> str:
    """The card of the features that a decision depends on: `Relevance.to_dict`."""
    undecided = record.get("undecided", [])
    kinds = {
        "In every explanation (necessary)": record["necessary"],
        "In some explanation (relevant)": record["relevant"],
        "In no explanation (irrelevant)": record["irrelevant"],
        "Undecided in time": undecided,
    }
    return render_card(
        Heading(
            "Relevance",
            "What the decision rests on" if decision is None else f"What {decision} rests on",
            lead=f"{format_count(len(record['relevant']), 'feature')} of "
            f"{len(record['relevant']) + len(record['irrelevant']) + len(undecided)}",
            status="interrupted" if undecided else "proved",
        ),
        CardTable(
            "Features",
            ["", "How many", "Which"],
            [
                [kind, len(names), few(names) or "none"]
                for kind, names in kinds.items()
                if names or undecided is not names
            ],
        ),
        remarks=Remarks(model=record.get("model")),
    )


def attribution(record: AttributionRecord) -> str:
    """The card of an attribution: `Attribution.to_dict`."""
    ranked = sorted(record["shares"].items(), key=lambda item: -sum(item[1]))
    low, high = record["count"]
    return render_card(
        Heading(
            "Attribution",
            "How many explanations mention a feature",
            lead=f"of {amount(low)} explanations"
            if low == high
            else f"of {amount(low)} to {amount(high)} explanations",
            status="proved" if record["complete"] else "interrupted",
            badge="Exact" if record["complete"] else "Bounds so far",
        ),
        CardTable(
            "Share of the explanations",
            ["Feature", "Share"],
            [[name, between(*ends)] for name, ends in ranked],
        ),
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
    return render_card(
        Heading(
            "Claim" if record["source"] == "claim" else f"Claim of {record['source']}",
            record["verdict"],
            lead=sufficiency,
            status="undecided" if record["sufficient"] is None else "holds" if good else "fails",
            badge={True: "Sufficient", False: "Not sufficient", None: "Undecided"}[record["sufficient"]],
        ),
        CardTable(
            f"The claim for {record['decision']}",
            ["Condition", "Needed"],
            [[words, "no" if words in needless else "yes" if good else ""] for words in record["claim"]],
        ),
        remarks=Remarks(
            notes=record["notes"],
            asides=[f"{meaning[:1].upper()}{meaning[1:]}.", *instead, *assume(record["assumptions"])],
            score=record["score"],
            model=record["model"],
        ),
    )


def tally(record: Mapping[str, int]) -> str:
    """The card of many checks: `Tally.to_dict`."""
    total = record["claims"]
    verdicts = {
        name: count for name, count in record.items() if name not in ("claims", "sufficient", "insufficient")
    }
    share = [f" ({text.write_share(record['sufficient'] / total)})"] if total else [""]
    return render_card(
        Heading(
            "Claims",
            format_count(total, "claim"),
            lead=f"{record['sufficient']} sufficient{share[0]}, {record['insufficient']} not",
            badge="Checked",
        ),
        CardTable(
            "Verdicts", ["Verdict", "Claims"], [[name, count] for name, count in verdicts.items() if count]
        ),
    )


def adverse_action(record: Record, lead: str) -> str:
    """The card of the reasons for an adverse action: `AdverseAction.to_dict`."""
    return render_card(
        Heading(
            f"Instead of {record['favourable']}", str(record["decision"]), lead=lead, status=record["status"]
        ),
        CardTable(
            "Principal reasons",
            ["", "Reason", f"{record['favourable']} with"],
            [
                [x["rank"], f"{x['code']} {x['text']}" if x["code"] else x["text"], x["helps"]]
                for x in record["reasons"]
            ],
        ),
        remarks=Remarks(asides=[record["letter"]], score=record["score"], model=record["model"]),
    )


def what_if(record: WhatIfRecord) -> str:
    """The card of a what-if strip: `WhatIf.to_dict`."""
    pieces = record["pieces"]
    others = len({piece["decision"] for piece in pieces} - {record["decision"], None})
    return render_card(
        Heading(
            f"What if only {record['feature']} changes",
            str(record["decision"]),
            lead=f"with {record['feature']} {record['shown']}; "
            + ("another value changes the decision" if others else "no other value changes the decision"),
            badge="Exact",
        ),
        CardTable(
            f"{record['feature']} alone, everything else unchanged",
            ["Value", "Decision", "Proved whatever the free features are"],
            [
                [
                    piece["text"],
                    "no such row" if piece["decision"] is None else piece["decision"],
                    "yes" if piece["proved"] else "",
                ]
                for piece in pieces
            ],
        ),
        remarks=Remarks(score=record["score"]),
    )


def decision_map(record: DecisionMapRecord, cells: Mapping[object, int]) -> str:
    """The card of a map of two features: `DecisionMap.to_dict`, and how many cells get which decision."""
    first, second = (axis["feature"] for axis in record["axes"])
    total = sum(cells.values())
    return render_card(
        Heading(
            f"What if only {first} and {second} change",
            str(record["decision"]),
            lead="plot() draws the map",
            badge="Exact",
        ),
        facts=[Fact(f"{name}, of {total:,} cells", f"{n:,}", n / total) for name, n in cells.items() if n][
            :MOST_LINES
        ],
        remarks=Remarks(score=record["score"]),
    )


def compiled(facts: Record, decisions: Sequence[object]) -> str:
    """The card of a compiled model."""
    seconds = facts.get("seconds")
    figures = [Fact("Nodes", f"{facts['nodes']:,}"), Fact("Levels", f"{len(facts['levels']):,}")]
    figures += [] if seconds is None else [Fact("Compiled in", f"{seconds:.2f} s")]
    return render_card(
        Heading(
            "Compiled model", "A decision diagram", lead=f"decides between {few(decisions)}", badge="Exact"
        ),
        CardTable(
            "Features, from the top",
            ["Feature", "Nodes"],
            [[level["feature"], f"{level['nodes']:,}"] for level in facts["levels"]],
        ),
        facts=figures,
    )


def family(name: str, words: str, sizes: Mapping[int, int] | None) -> str:
    """The card of all explanations or all contrasts of a decision; with their sizes, if they are compiled."""
    if sizes is None:
        return render_card(
            Heading(name, "Not listed yet", lead=f"{words}: iterate to list, count() to count", badge="Lazy")
        )
    return render_card(
        Heading(name, f"{amount(sum(sizes.values()))} in all", lead=words, badge="Compiled"),
        CardTable(
            "By the number of features that they mention",
            ["Features", "How many"],
            [[size, amount(count)] for size, count in sizes.items()],
        ),
    )


def lines(label: str, title: str, words: Sequence[str], *, badge: str, status: str = "proved") -> str:
    """The card of a text of a few lines."""
    return render_card(
        Heading(label, title, status=status, badge=badge),
        remarks=Remarks(asides=[line[:2000] for line in words[:MOST_LINES]]),
    )


def comparison(record: ComparisonRecord) -> str:
    """The card of a comparison of two models: `Comparison.to_dict`."""
    status = {True: "holds", False: "fails", None: "undecided"}[record["equivalent"]]
    badges = {"holds": "Equivalent, proved", "fails": "Different", "undecided": "Undecided"}
    rows, affected = record["rows"], len(record["affected"])
    return render_card(
        Heading(
            "Comparison of two models",
            {"holds": "equivalent", "fails": "different", "undecided": "undecided"}[status],
            lead=record["words"],
            status=status,
            badge=badges[status],
        ),
        CardTable(
            "Your rows that the two decide differently",
            ["First model", "Second model", "Rows", "Which"],
            [[x["first"], x["second"], x["count"], few(x["ids"])] for x in record["directions"]],
        ),
        facts=[Fact("Rows decided differently", f"{affected:,} of {rows:,}", affected / rows)]
        if rows and affected
        else [],
        remarks=Remarks(
            notes=[record["note"]] if record["note"] else [],
            asides=[*_both_scores(record), *_regions(record["regions"]), *assume(record["assumptions"])],
            model=record["model"],
        ),
    )


def _both_scores(record: ComparisonRecord) -> list[str]:
    """What the two decisions on the witness are based on."""
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
    return render_card(
        Heading(
            "Difference of two models",
            "equivalent" if record["equivalent"] else "different",
            lead="Proved: the two models decide alike on every row." if record["equivalent"] else "",
            status=status,
            badge="Equivalent, proved" if record["equivalent"] else "Different",
        ),
        CardTable(
            "How they differ",
            ["First model -> second model", "Cells"],
            [[kind, f"{count:,}"] for kind, count in record["kinds"].items()],
        ),
        facts=[]
        if record["equivalent"]
        else [Fact("Cells decided differently", text.write_share(record["share"]), record["share"])],
        remarks=Remarks(asides=assume(record["assumptions"])),
    )
