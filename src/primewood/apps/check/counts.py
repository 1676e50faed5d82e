"""What many checks say, counted, and several tools side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from primewood.fields import of_type, several
from primewood.questions.sufficiency import VERDICTS, Check, Judgement
from primewood.render import text
from primewood.render.brief import Brief
from primewood.visible import join_lines


@dataclass(frozen=True, repr=False)
class Tally(Brief):
    """How many claims have each verdict.

    Attributes
    ----------
    claims : int
    sufficient, insufficient : int
        The remaining claims were not decided in time.
    verdicts : dict
        How often each verdict occurs.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> from primewood import tally
    >>> counts = tally(explainer.check(x, ["pw"]) for x in X[::30])
    >>> counts.claims, counts.sufficient
    (5, 3)
    """

    claims: int
    sufficient: int
    insufficient: int
    verdicts: dict[Judgement, int]

    def to_dict(self) -> dict[str, int]:
        """The counts in plain types."""
        return {
            "claims": self.claims,
            "sufficient": self.sufficient,
            "insufficient": self.insufficient,
            **{str(verdict): count for verdict, count in self.verdicts.items()},
        }

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import tally

        return tally(self.to_dict())

    def __str__(self) -> str:
        parts = [f"{count} {verdict}" for verdict, count in self.verdicts.items() if count]
        return f"{self.claims} claims, {self.sufficient} of them sufficient: {', '.join(parts) or 'none'}"


def tally(checks: Iterable[Check]) -> Tally:
    """Count the verdicts of many checks.

    Parameters
    ----------
    checks
        The results of `Explainer.check`.

    Returns
    -------
    Tally
        How many claims are sufficient, and how often each verdict occurs.

    Raises
    ------
    InvalidInput
        If `checks` is not a list of checks.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> from primewood import tally
    >>> print(tally(explainer.check(x, ["pw"]) for x in X[::30]))
    5 claims, 3 of them sufficient: 3 exact, 2 optimistic
    >>> print(tally([]))
    0 claims, 0 of them sufficient: none
    """
    every = [of_type(Check, "a list of checks")(one, "checks") for one in several(checks, "checks")]
    counted = Counter(one.verdict for one in every)
    found = Counter(one.sufficient for one in every)
    return Tally(len(every), found[True], found[False], {verdict: counted[verdict] for verdict in VERDICTS})


def comparison(tallies: Mapping[str, Tally]) -> str:
    """A table in Markdown: one line per tool, shares in percent.

    >>> print(comparison({"Anchors": Tally(4, 1, 3, {"exact": 1, "optimistic": 3})}))
    | | claims | sufficient | exact | optimistic |
    |---|---|---|---|---|
    | Anchors | 4 | 25.0% | 25.0% | 75.0% |
    """
    shown = [v for v in VERDICTS if any(one.verdicts.get(v) for one in tallies.values())]
    lines = [
        f"| {' | '.join(['', 'claims', 'sufficient', *shown]).strip()} |",
        "|---" * (3 + len(shown)) + "|",
    ]
    for name, one in tallies.items():
        counts = [one.sufficient, *(one.verdicts.get(v, 0) for v in shown)]
        shares = [text.write_share(count / max(1, one.claims)) for count in counts]
        lines.append(f"| {' | '.join([name, str(one.claims), *shares])} |")
    return join_lines(lines)
