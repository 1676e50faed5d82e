"""The command of the demo: a forest decides about credit; one decision is explained in the terminal and on a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from primewood.cli import output
from primewood.cli.options import Json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sklearn.ensemble import RandomForestClassifier

    from primewood.explainer import Explainer
    from primewood.questions.counterfactual import Counterfactual
    from primewood.questions.explanation import Explanation

APPLICANT = 1
SHOWN = 3
WHOLE = ("duration", "amount", "age")
"""The columns that contain whole numbers."""


def demo(
    to: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Where the page goes; an existing file is replaced.", metavar="FILE"
        ),
    ] = Path("primewood-demo.html"),
    as_json: Json = False,
) -> None:
    """Train a small forest and explain one of its decisions.

    Prints why one application was declined and what would change that, and writes the same as a page with pictures.
    With --json, all explanations and no page.

    Examples
    --------
    primewood demo
    primewood demo --json
    """
    model, explainer, x = _train()
    found = sorted(explainer.explanations(x), key=lambda why: (len(why.features), -(why.coverage or 0)))
    if as_json:
        for why in found:
            output.write_record(why.to_dict())
        return
    flip = explainer.counterfactual(x, "approved", immutable=["age"])
    _tell(found, flip, f"{model.predict_proba(x[None, :])[0].max():.0%}", len(model.estimators_))
    _write(to, found, flip)
    output.write_line()
    output.write_line(f"The same as a page with pictures: {to}")
    output.write_line("Next: the README's example, or `primewood --help`.")


def _train() -> tuple[RandomForestClassifier, Explainer, NDArray[np.float64]]:
    """A forest that is trained on the credit data, its explainer, and the row of one applicant."""
    from sklearn.ensemble import RandomForestClassifier

    from primewood.data.credit import load_credit
    from primewood.domain.declarations import Number
    from primewood.explainer import Explainer

    credit = load_credit()
    model = RandomForestClassifier(n_estimators=11, max_depth=3, class_weight="balanced", random_state=0)
    explainer = Explainer(
        model.fit(credit.X, credit.y),
        credit.X,
        feature_names=credit.feature_names,
        class_names=credit.class_names,
        units=credit.units,
        domain=credit.domain | {name: Number(whole=True) for name in WHOLE},
    )
    return model, explainer, credit.X[APPLICANT]


def _tell(found: list[Explanation], flip: Counterfactual, score: str, trees: int) -> None:
    first, *others = found
    output.write_line(f"A forest of {trees} trees has learned from 1,000 credit applications")
    output.write_line("(Statlog German Credit, H. Hofmann, UCI, CC BY 4.0). About one of them it says:")
    output.write_line(f"{first.decision}, with {score}. Why?")
    output.write_line()
    output.draw(first)
    output.write_line()
    output.write_line(
        f"That is one of {len(found)} PI-explanations. Each is enough by itself, and none can be weakened."
    )
    for why in others[: SHOWN - 1]:
        output.write_line(f"Another one: {why.rule}")
    output.write_line()
    output.write_line(
        f"The nearest way to {flip.other}, at this age: {flip.advice}; everything else unchanged."
    )
    output.write_line("Proved for every possible application, not sampled.")


def _write(page: Path, found: list[Explanation], flip: Counterfactual) -> None:
    from primewood.files import write_whole
    from primewood.render.html.card import card, counterfactual
    from primewood.render.html.page import page as document

    cards = [card(why.to_dict(witnesses=True, distribution=True)) for why in found[:SHOWN]]
    whole = document("Why was this credit declined?", [*cards, counterfactual(flip.to_dict())])
    page.parent.mkdir(parents=True, exist_ok=True)
    write_whole(page, lambda file: file.write(whole.encode()))
