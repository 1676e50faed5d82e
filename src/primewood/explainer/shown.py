"""What an explainer is about, in a line and as a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from primewood.logic.interval import number
from primewood.render.html.card import Fact, given
from primewood.render.numbers import counted, few

if TYPE_CHECKING:
    from primewood.explainer.model import Model


def line(explainer: Model) -> str:
    """The explainer in one line: the model, its decisions, the language of its answers, and what it was tried on."""
    ensemble = explainer.ensemble
    if ensemble is None:
        parts = [counted(len(explainer._context.variables), "variable"), f"literals {explainer.literals}"]
        return f"<Explainer of an expression: {'; '.join(parts)}>"
    size = f"{counted(len(ensemble.trees), 'tree')}, {counted(ensemble.n_features, 'feature')}"
    parts = [size, decision_words(explainer), f"literals {explainer.literals}", training_words(explainer)]
    parts += [] if explainer.fidelity is None else [str(explainer.fidelity)]
    return f"<Explainer of {ensemble.source}: {'; '.join(parts)}>"


def decision_words(explainer: Model) -> str:
    """The decisions, and by what they are taken."""
    ensemble, rule = explainer.ensemble, explainer.rule
    names = [str(name) for name in explainer.class_names]
    assert ensemble is not None
    if ensemble.is_regressor:
        return "predicts a number, and decides with threshold= or between="
    if rule.between is not None:
        low, high = rule.between
        return f"decides {few(names)} by the prediction, with cut-offs {number(low)} and {number(high)}"
    if rule.threshold is None:
        how = "by the majority of the trees" if ensemble.vote == "majority" else "as model.predict does"
        return f"decides {few(names)} {how}"
    if ensemble.predicts_number:
        return f"decides {few(names)}: whether the prediction is at least {number(rule.threshold)}"
    positive = str(explainer.positive)
    other = next(name for name in names if name != positive)
    return f"decides {positive} if P({positive}) >= {number(rule.threshold)}, else {other}"


def training_words(explainer: Model) -> str:
    """How many training rows there are."""
    rows = len(explainer.rows)
    return f"{rows:,} training row{'' if rows == 1 else 's'}" if rows else "no training rows"


def card(explainer: Model) -> str:
    """The explainer as a card, for notebooks."""
    from primewood.render.html.answers import simple

    ensemble, domain = explainer.ensemble, explainer.domain
    if ensemble is None or domain is None:
        lead = f"over {counted(len(explainer._context.variables), 'variable')}"
        return simple("Explainer", "Expression", lead=lead, badge="Ready")
    fidelity = explainer.fidelity
    facts = [
        Fact("Trees", f"{len(ensemble.trees):,}"),
        Fact("Features", f"{ensemble.n_features:,}"),
        Fact("Training rows", f"{len(explainer.rows):,}" if len(explainer.rows) else "none"),
        Fact("Literals of answers", explainer.literals),
    ]
    verified = [] if fidelity is None else [f"{str(fidelity)[:1].upper()}{str(fidelity)[1:]}."]
    return simple(
        "Explainer",
        str(ensemble.source),
        lead=decision_words(explainer),
        badge="Verified" if fidelity is not None and not fidelity.differ else "Ready",
        notes=explainer.notes,
        asides=[*verified, *given({"assumptions": domain.assumptions})],
        facts=facts,
        model=ensemble.digest,
    )
