"""The questions: each function draws its options from a seed, asks, and returns the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import pandas as pd

import primewood as pw
from records.models import Kind

T = TypeVar("T")
LANGUAGES = ("intervals", "sets", "values")
WORK = (60, 500, 3000)
"""Search nodes per run: some questions end at the limit."""


class Draw:
    """One question's choices, drawn from a seed and written down.

    Attributes
    ----------
    kind : Kind
    options : dict
        What was drawn so far, by name.
    """

    def __init__(self, kind: Kind, seed: Sequence[int]) -> None:
        self.kind, self.options = kind, dict[str, Any]()
        self._generator = np.random.default_rng(seed)

    def pick(self, name: str, choices: Sequence[T]) -> T:
        """One of the choices."""
        chosen = choices[self._generator.integers(len(choices))]
        self.options[name] = chosen
        return chosen

    def pick_some(self, name: str, choices: Sequence[T], count: int) -> list[T]:
        """Several different choices."""
        places = self._generator.permutation(len(choices))[:count]
        self.options[name] = [choices[place] for place in places.tolist()]
        return list(self.options[name])

    def row(self) -> pd.DataFrame:
        """A row to ask about."""
        return self.kind.rows.iloc[[self.pick("row", range(len(self.kind.rows)))]]

    def rows(self, count: int) -> pd.DataFrame:
        """Several rows to ask about."""
        return self.kind.rows.iloc[self.pick_some("rows", range(len(self.kind.rows)), count)]

    def small(self) -> pw.Explainer:
        """The small model, with one of the engines that can answer about it."""
        return self.kind.small[self.pick("engine", tuple(self.kind.small))]

    def form(self) -> pw.Explainer:
        """The large model, or the small one."""
        forms = {"large": self.kind.large, "small": self.kind.small["auto"]}
        return forms[self.pick("form", tuple(forms))]

    def language(self) -> str:
        return self.pick("literals", LANGUAGES)

    def feature(self) -> str:
        return self.pick("feature", tuple(self.kind.rows.columns))

    def number(self) -> str:
        """A numeric feature."""
        return self.pick("feature", tuple(self.kind.rows.select_dtypes("number").columns))

    def features(self, name: str, count: int) -> list[str]:
        return self.pick_some(name, tuple(self.kind.rows.columns), count)

    def target(self, explainer: pw.Explainer, x: Any) -> Any:
        """Another decision than the row has; of two, perhaps none by name."""
        others = [name for name in explainer.class_names if name != explainer.decide(x)]
        return self.pick("target", [None, *others])

    def limits(self, work: Sequence[int] = WORK) -> dict[str, Any]:
        """Work alone ends a question, never time."""
        return {"time_limit": None, "work_limit": self.pick("work_limit", work)}


def explain(draw: Draw) -> Any:
    return draw.kind.large.explain(draw.row(), literals=draw.language(), **draw.limits())


def explain_by_engine(draw: Draw) -> Any:
    return draw.small().explain(draw.row(), literals=draw.language(), **draw.limits())


def explain_fixed(draw: Draw) -> Any:
    fixed, avoided = draw.features("fixed, avoided", 2)
    return draw.kind.large.explain(
        draw.row(), literals=draw.language(), fix=[fixed], avoid=[avoided], **draw.limits()
    )


def explain_only(draw: Draw) -> Any:
    only = draw.features("only", 9)
    return draw.kind.large.explain(draw.row(), literals=draw.language(), only=only, **draw.limits())


def explain_in_order(draw: Draw) -> Any:
    order = draw.features("order", len(draw.kind.rows.columns))
    return draw.kind.large.explain(draw.row(), literals=draw.language(), order=order, **draw.limits())


def explain_together(draw: Draw) -> Any:
    also = draw.rows(3)
    return draw.kind.large.explain(draw.row(), literals=draw.language(), also=also, **draw.limits())


def shortest(draw: Draw) -> Any:
    weights = dict(zip(draw.features("weights", 3), (2.0, 3.0, 0.5), strict=True))
    weighed = draw.pick("weighed", (False, True))
    return draw.kind.large.explain(
        draw.row(),
        literals=draw.language(),
        goal="shortest",
        weights=weights if weighed else None,
        **draw.limits((60, 300)),
    )


def widest(draw: Draw) -> Any:
    measure = draw.pick("measure", ("rows", "volume", "values"))
    literals = draw.language()
    return draw.small().explain(
        draw.row(), literals=literals, goal="widest", measure=measure, **draw.limits((60, 300))
    )


def as_intervals(draw: Draw) -> Any:
    return draw.small().explain(draw.row(), literals="sets", **draw.limits()).as_intervals(time_limit=None)


def explanations(draw: Draw) -> Any:
    found = draw.small().explanations(draw.row(), literals=draw.language())
    return list(islice(found, 8))


def count(draw: Draw) -> Any:
    found = draw.kind.small["diagram"].explanations(draw.row(), literals=draw.language())
    return {"count": found.count(), "sizes": found.sizes(), "shortest": found.shortest()}


def reasons(draw: Draw) -> Any:
    x, asked = draw.row(), draw.kind.large
    found = asked.reasons(x, target=draw.target(asked, x), literals="values", **draw.limits((60, 300)))
    return {"first": list(islice(found, 5)), "complete": found.complete}


def reasons_by_engine(draw: Draw) -> Any:
    found = draw.small().reasons(draw.row(), literals=draw.language(), **draw.limits())
    return {"first": list(islice(found, 5)), "complete": found.complete}


def complete_reason(draw: Draw) -> Any:
    return draw.kind.small["diagram"].complete_reason(draw.row())


def contrast(draw: Draw) -> Any:
    x, asked = draw.row(), draw.kind.large
    return asked.contrast(x, draw.target(asked, x), literals=draw.language(), **draw.limits())


def contrasts(draw: Draw) -> Any:
    x, asked = draw.row(), draw.small()
    return list(islice(asked.contrasts(x, draw.target(asked, x), literals=draw.language()), 8))


def counterfactual(draw: Draw) -> Any:
    x, asked = draw.row(), draw.kind.large
    return asked.counterfactual(
        x,
        draw.target(asked, x),
        norm=draw.pick("norm", ("l1", "linf", "l0")),
        relative=draw.pick("relative", (None, False, True)),
        immutable=draw.features("immutable", 2),
        **draw.limits(),
    )


def counterfactual_one_way(draw: Draw) -> Any:
    up, down, weighed = draw.pick_some("up, down, weighed", ("income", "savings", "debt", "limit"), 3)
    return draw.kind.large.counterfactual(
        draw.row(), increase=[up], decrease=[down], weights={weighed: 2.5}, **draw.limits()
    )


def counterfactuals(draw: Draw) -> Any:
    norm = draw.pick("norm", ("l1", "linf", "l0"))
    return draw.kind.large.counterfactuals(draw.row(), count=2, norm=norm, **draw.limits((60, 500)))


def robustness(draw: Draw) -> Any:
    norm, relative = draw.pick("norm", ("linf", "l0")), draw.pick("relative", (False, True))
    return draw.kind.large.robustness(draw.row(), norm, relative=relative, **draw.limits())


def relevance(draw: Draw) -> Any:
    return draw.kind.large.relevance(draw.row(), literals="values", **draw.limits((60, 300)))


def relevance_by_engine(draw: Draw) -> Any:
    return draw.small().relevance(draw.row(), literals=draw.language(), **draw.limits())


def attribution(draw: Draw) -> Any:
    asked = draw.kind.small[draw.pick("engine", ("auto", "search", "diagram"))]
    return asked.attribution(draw.row(), literals=draw.language(), **draw.limits())


def importance(draw: Draw) -> Any:
    return draw.small().importance(draw.rows(4), literals=draw.language(), time_limit=None)


def what_if(draw: Draw) -> Any:
    x = draw.row()
    why = draw.kind.large.explain(x, literals=draw.language(), **draw.limits())
    return draw.kind.large.what_if(x, draw.feature(), why=why)


def decision_map(draw: Draw) -> Any:
    x = draw.row()
    why = draw.kind.small["search"].explain(x, literals=draw.language(), **draw.limits())
    return draw.kind.small["search"].decision_map(x, tuple(draw.features("features", 2)), why=why)


def rules(draw: Draw) -> Any:
    return draw.small().rules(literals=draw.language(), most_rules=2, **draw.limits((60, 300)))


def verify_rule(draw: Draw) -> Any:
    decision = draw.pick("decision", draw.kind.large.class_names)
    feature, sign = draw.number(), draw.pick("sign", ("<", ">"))
    bound = float(draw.kind.rows[feature].quantile(draw.pick("quantile", (0.05, 0.5, 0.95))))
    other = draw.pick("other", ("income < 5", "income > 100", "debt > 40", "savings > 90", "loans > 0"))
    rule = f"{feature} {sign} {bound!r} and {other} -> not {decision}"
    return draw.kind.large.verify(rule, **draw.limits((60, 200)))


def verify_monotone(draw: Draw) -> Any:
    direction = draw.pick("direction", ("increasing", "decreasing"))
    decision = draw.pick("decision", draw.kind.large.class_names)
    return draw.form().verify(pw.monotone(draw.number(), direction, decision), **draw.limits((60, 200)))


def verify_independent(draw: Draw) -> Any:
    return draw.form().verify(pw.independent_of(draw.feature()), **draw.limits((60, 200)))


def verify_robust(draw: Draw) -> Any:
    radius, norm = draw.pick("radius", (1, 2)), draw.pick("norm", ("linf", "l0"))
    return draw.kind.large.verify(pw.robust_at(draw.row(), radius, norm), **draw.limits())


def verify_robust_everywhere(draw: Draw) -> Any:
    radius = draw.pick("radius", (0.01, 0.1))
    asked, confidence = draw.kind.small["search"], draw.pick("confidence", (None, 0.9))
    claim = pw.robust_everywhere(radius, relative=True, confidence=confidence)
    return asked.verify(claim, **draw.limits((60, 200)))


def compare(draw: Draw) -> Any:
    return draw.kind.large.compare(draw.kind.other, regions=1, **draw.limits((60, 200)))


def compile_model(draw: Draw) -> Any:
    compiled = draw.kind.small[draw.pick("engine", ("auto", "diagram"))].compile()
    decision = draw.pick("decision", draw.kind.large.class_names)
    primes = compiled.prime_implicants(decision, literals=draw.language())
    return {"info": compiled.info(), "share": compiled.share("rows"), "primes": list(islice(primes, 5))}


def compiled_answers(draw: Draw) -> Any:
    x, compiled = draw.row(), draw.kind.small["diagram"].compile()
    biased, fewest = compiled.bias(x, draw.features("protected", 2)), compiled.robustness(x)
    return {"bias": str(biased), "changed": biased.changed, "fewest": fewest.features, "by": fewest.contrast}


def adverse_action(draw: Draw) -> Any:
    x, asked = draw.row(), draw.kind.large
    favourable = next(name for name in reversed(asked.class_names) if name != asked.decide(x))
    return asked.adverse_action(
        x, favourable, protected=draw.features("protected", 1), **draw.limits((60, 300))
    )


def check_features(draw: Draw) -> Any:
    return draw.kind.large.check(draw.row(), draw.features("claim", 4), **draw.limits())


def check_ranges(draw: Draw) -> Any:
    x = draw.row()
    numbers = x.select_dtypes("number").dropna(axis=1)
    names = draw.pick_some("claim", tuple(numbers.columns), 3)
    claim = " and ".join(f"{name} >= {float(numbers[name].iloc[0])!r}" for name in names)
    return draw.kind.large.check(x, claim, **draw.limits((60, 300)))


def batch(draw: Draw) -> Any:
    jobs, reuse = draw.pick("n_jobs", (1, 2)), draw.pick("reuse", (False, True))
    return draw.kind.large(
        draw.rows(4), n_jobs=jobs, reuse=reuse, literals=draw.language(), **draw.limits((60, 500))
    )


def decide(draw: Draw) -> Any:
    x = draw.row()
    return {form: asked.decide(x) for form, asked in draw.kind.small.items()} | {
        "large": draw.kind.large.decide(x)
    }


QUESTIONS: tuple[Callable[[Draw], Any], ...] = (
    explain,
    explain_by_engine,
    explain_fixed,
    explain_only,
    explain_in_order,
    explain_together,
    shortest,
    widest,
    as_intervals,
    explanations,
    count,
    reasons,
    reasons_by_engine,
    complete_reason,
    contrast,
    contrasts,
    counterfactual,
    counterfactual_one_way,
    counterfactuals,
    robustness,
    relevance,
    relevance_by_engine,
    attribution,
    importance,
    what_if,
    decision_map,
    rules,
    verify_rule,
    verify_monotone,
    verify_independent,
    verify_robust,
    verify_robust_everywhere,
    compare,
    compile_model,
    compiled_answers,
    adverse_action,
    check_features,
    check_ranges,
    batch,
    decide,
)
"""Asked in turn of each kind of model, again and again with other choices."""
