"""What an explainer is about, in a line and as a card."""

from __future__ import annotations

from primewood.logic.interval import number
from primewood.model.model import Model, TreeModel
from primewood.render.html.card import Fact, assume
from primewood.render.numbers import few, format_count


def describe_in_a_line(model: Model) -> str:
    """The explainer of a model in one line: what it decides, the language of its answers, and what it was tried on."""
    literals = f"literals {model.context.literals}"
    if not isinstance(model, TreeModel):
        return f"<Explainer of an expression: {format_count(len(model.context.variables), 'variable')}; {literals}>"
    ensemble = model.ensemble
    size = f"{format_count(len(ensemble.trees), 'tree')}, {format_count(ensemble.n_features, 'feature')}"
    parts = [size, describe_decisions(model), literals, _describe_training(model)]
    parts += [] if model.fidelity is None else [str(model.fidelity)]
    return f"<Explainer of {ensemble.source}: {'; '.join(parts)}>"


def describe_decisions(model: TreeModel) -> str:
    """The decisions, and by what they are taken."""
    ensemble, rule = model.ensemble, model.rule
    names = [str(name) for name in model.context.class_names]
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
    positive = str(model.positive)
    other = next(name for name in names if name != positive)
    return f"decides {positive} if P({positive}) >= {number(rule.threshold)}, else {other}"


def _describe_training(model: TreeModel) -> str:
    rows = 0 if model.context.rows is None else len(model.context.rows)
    return f"{rows:,} training row{'' if rows == 1 else 's'}" if rows else "no training rows"


def show_card(model: Model) -> str:
    """The explainer of a model as a card, for notebooks."""
    from primewood.render.html.answer_card import Heading, Remarks, render_card

    if not isinstance(model, TreeModel):
        lead = f"over {format_count(len(model.context.variables), 'variable')}"
        return render_card(Heading("Explainer", "Expression", lead=lead, badge="Ready"))
    ensemble, fidelity, rows = model.ensemble, model.fidelity, model.context.rows
    facts = [
        Fact("Trees", f"{len(ensemble.trees):,}"),
        Fact("Features", f"{ensemble.n_features:,}"),
        Fact("Training rows", "none" if rows is None else f"{len(rows):,}"),
        Fact("Literals of answers", model.context.literals),
    ]
    verified = [] if fidelity is None else [f"{str(fidelity)[:1].upper()}{str(fidelity)[1:]}."]
    return render_card(
        Heading(
            "Explainer",
            str(ensemble.source),
            lead=describe_decisions(model),
            badge="Verified" if fidelity is not None and not fidelity.differ else "Ready",
        ),
        facts=facts,
        remarks=Remarks(
            notes=model.notes, asides=[*verified, *assume(model.domain.assumptions)], model=ensemble.digest
        ),
    )
