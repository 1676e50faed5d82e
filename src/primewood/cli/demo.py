"""The demo: a small forest decides about credit, and one applicant learns why."""

from __future__ import annotations

import itertools
from typing import Any

from primewood.cli import output
from primewood.data.credit import Credit, load_credit
from primewood.explainer import Explainer

APPLICANT = 1
SHOWN = 3


def run_demo(*, as_json: bool) -> None:
    """Train, decide, explain, print."""
    from sklearn.ensemble import RandomForestClassifier

    credit = load_credit()
    model = RandomForestClassifier(n_estimators=11, max_depth=3, class_weight="balanced", random_state=0).fit(
        credit.X, credit.y
    )
    explainer = Explainer(
        model,
        credit.X,
        feature_names=credit.feature_names,
        class_names=credit.class_names,
        units=credit.units,
        domain=credit.domain,
    )
    x = credit.X[APPLICANT]
    found = sorted(explainer.explanations(x), key=lambda why: (len(why.features), -(why.coverage or 0)))
    if as_json:
        for why in found:
            output.record(why.to_dict())
        return
    score = model.predict_proba(x[None, :])[0].max()
    output.data(f"A forest of {len(model.estimators_)} trees has learned from 1,000 credit applications")
    output.data("(Statlog German Credit, H. Hofmann, UCI, CC BY 4.0).")
    output.data()
    output.data(f"Application no. {APPLICANT}:")
    for name, value in answers(credit, x):
        output.data(f"  {name:<17} {value}")
    output.data()
    decision = found[0].decision
    output.data(f"Decision: {decision} (the forest gives it {score:.0%}).")
    output.data()
    output.data(f"Why? There are {len(found)} PI-explanations. Each is enough by itself: while its")
    output.data("conditions hold, no other answer on the form can change the decision, and its")
    output.data("conditions cannot be weakened (shown bounds are rounded inwards). The shortest ones:")
    for place, why in enumerate(itertools.islice(found, SHOWN), start=1):
        output.data()
        output.data(f"{place}. The credit is {decision} because")
        for i, literal in enumerate(why.to_dict()["literals"]):
            output.data(f"     {'and ' if i else ''}{literal['text']}")
        output.data(f"   (true of {why.coverage:.1%} of all applications)")
    output.data()
    output.data("Proved for every possible application, not sampled. Next: the README's example,")
    output.data("or `primewood --help`.")


def answers(credit: Credit, x: Any) -> list[tuple[str, str]]:
    """The applicant's answers in words."""
    found = []
    for name, value in zip(credit.feature_names, x, strict=True):
        words = credit.domain[name][int(value)] if name in credit.domain else f"{value:,.0f}"
        unit = credit.units.get(name, "")
        found.append((name, f"{words} {unit}".rstrip()))
    return found
