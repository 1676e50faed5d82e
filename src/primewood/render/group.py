"""The rules of a group of rows in words, from their plain record."""

from __future__ import annotations

from collections import Counter

from primewood.render.numbers import few, format_count
from primewood.render.records import GroupRecord, GroupRuleRecord, LiteralRecord
from primewood.render.text import write_rule, write_share, write_short_rule
from primewood.visible import join_lines, visible_record

MOST_LETTERS = 16_000
"""The longest text of rules that is shown."""
MOST_APART = 12
"""The most rows that are named as the proof of a bound."""


def write_group(record: GroupRecord, *, full: bool = False) -> str:
    """How many rules cover how many rows, the rules, and what is left."""
    record = visible_record(record)
    lines = [sum_up(record)]
    for place, rule in enumerate(record["rules"]):
        line = f"  {write_group_rule(rule, full=full)}  ({count_covered(rule)})"
        if not full and sum(map(len, lines)) + len(line) > MOST_LETTERS:
            more = format_count(len(record["rules"]) - place, "further rule")
            lines.append(f"  {more}, all with to_text(full=True)")
            break
        lines.append(line)
    lines += note_group(record)
    lines += [f"Assumes: {'; '.join(record['assumptions'])}"] if record["assumptions"] else []
    return join_lines(lines)


def sum_up(record: GroupRecord) -> str:
    """The group in one sentence.

    >>> sum_up({"rules": [1, 2, 3], "rows": 9, "covered": 9, "decision": "declined", "kind": "proved", "lower": 2})
    '3 rules cover all 9 rows with the decision declined; fewer than 2 could not.'
    """
    rules, rows, covered = len(record["rules"]), record["rows"], record["covered"]
    kind = "short rule" if record["kind"] == "in_short" else "rule"
    covers = "covers" if rules == 1 else "cover"
    share = f"all {rows}" if covered == rows else f"{covered} of {rows}"
    of = f"{share} {'row' if rows == 1 else 'rows'} with the decision {record['decision']}"
    return f"{format_count(rules, kind)} {covers} {of}{_compare(record)}."


def _compare(record: GroupRecord) -> str:
    """Whether fewer rules could cover as many rows."""
    rules, lower = len(record["rules"]), record["lower"]
    if lower is None or rules < 2:
        return ""
    if lower == rules:
        return "; no fewer could"
    return "" if lower < 2 else f"; fewer than {lower} could not"


def write_group_rule(rule: GroupRuleRecord, *, full: bool = False) -> str:
    """A rule of a group: IF ... THEN ...; short rules have few conditions, and are always full."""
    if rule["proved"] is not None:
        return write_rule(rule["proved"], full=full)
    return "" if rule["in_short"] is None else write_short_rule(rule["in_short"])


def list_literals(rule: GroupRuleRecord) -> list[LiteralRecord]:
    """The conditions of a rule of a group."""
    found = rule["proved"] or rule["in_short"]
    return [] if found is None else found["literals"] or []


def count_covered(rule: GroupRuleRecord) -> str:
    """How many rows of the group a rule covers; of a short rule, also how often it holds."""
    more = f", {rule['new_rows']} of them new" if rule["new_rows"] < rule["rows"] else ""
    covered, short = f"{format_count(rule['rows'], 'row')}{more}", rule["in_short"]
    if short is None:
        return covered
    same, matching = short["same"], short["matching"]
    return f"{covered}; holds for {same:,} of {matching:,} training rows that match ({write_share(same / matching)})"


def note_group(record: GroupRecord) -> list[str]:
    """What is proved about the rules, about their number, and what is left."""
    lines = []
    if record["kind"] == "in_short":
        lines += [
            "Counted on the training rows, not proved. Whether fewer short rules could do is not known."
        ]
    elif record["rules"]:
        relaxed = ", and none of its conditions can be relaxed" if record["status"] == "proved" else ""
        lines += [f"Proved: each rule guarantees the decision{relaxed} ({record['literal_language']})."]
    if len(record["apart"]) > 1:
        named = few(record["apart"], MOST_APART)
        lines += [
            f"Proved: {len(record['apart'])} rows need a rule each (rows {named}); a rule for two of them would cover "
            "another decision too."
        ]
    if record["uncovered"]:
        reasons = Counter(row["reason"] for row in record["uncovered"])
        told = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        lines += [f"{format_count(len(record['uncovered']), 'row')} not covered: {told}."]
    if record["status"] == "interrupted":
        lines += ["Stopped early: more time may cover more rows, and conditions may be relaxed."]
    return lines
