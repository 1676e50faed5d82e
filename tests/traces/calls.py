"""The calls of a trace: which there are, and what their options are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from primewood.errors import InvalidInput, TooLarge
from traces import adverse, contrasts, states, what_if, whole, why
from traces.session import Session

LANGUAGES = ("sets", "intervals", "values")
LIMITS = (1, 3, 10, 50, 1e-9, 1e-4)
"""Numbers of nodes, and seconds below 1."""
PLACES = ((0,), (1,), (2,), (0, 1), (1, 3), (0, 2, 3))
TARGETS = (0, 1, 2)
WEIGHTS = ((3.0, 1.0, 0.5), (0.1, 0.2, 0.3, 0.7), (1.0, 2.0))
ROW = tuple(range(40))
FORMS = (0, 1, 2, 3)
Options = dict[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Kind:
    """A kind of call: who asks and judges, how often it is drawn, and what its options are drawn from."""

    run: Callable[..., None]
    weight: int
    options: Options = field(default_factory=dict)


KINDS: dict[str, Kind] = {
    "decide": Kind(why.decide, 2, {"row": ROW, "form": FORMS}),
    "score": Kind(why.score, 1, {"row": ROW}),
    "engines": Kind(why.engines, 2, {"row": ROW, "literals": LANGUAGES, "order": ((1, 0), (2, 1, 0))}),
    "explain": Kind(
        why.explain,
        20,
        {
            "row": ROW,
            "form": FORMS,
            "literals": LANGUAGES,
            "goal": ("readable", "shortest", "wide", "widest"),
            "measure": ("rows", "volume", "values"),
            "weights": WEIGHTS,
            "order": ((1, 0), (2, 1, 0), (3,)),
            "steps": ((3, 4, 5), (0, 7, 2, 9), (11,)),
            "fix": PLACES,
            "avoid": PLACES,
            "only": PLACES,
            "also": (1, 3),
            "limit": LIMITS,
            "look": (True,),
        },
    ),
    "loosened": Kind(why.loosened, 2, {"row": ROW, "literals": LANGUAGES}),
    "as_intervals": Kind(why.as_intervals, 2, {"row": ROW}),
    "sample": Kind(why.sample, 2, {"row": ROW, "literals": LANGUAGES}),
    "explanations": Kind(why.explanations, 8, {"row": ROW, "literals": LANGUAGES}),
    "relevance": Kind(why.relevance, 3, {"row": ROW, "literals": LANGUAGES, "limit": LIMITS}),
    "attribution": Kind(why.attribution, 3, {"row": ROW, "literals": LANGUAGES, "limit": LIMITS}),
    "complete_reason": Kind(why.complete_reason, 3, {"row": ROW, "other": ROW}),
    "check": Kind(why.check, 3, {"row": ROW, "features": PLACES, "limit": LIMITS}),
    "claim": Kind(why.claim, 3, {"row": ROW, "literals": LANGUAGES, "wider": (0, 1)}),
    "counterfactual": Kind(
        what_if.counterfactual,
        8,
        {
            "row": ROW,
            "form": FORMS,
            "target": TARGETS,
            "norm": ("l0", "linf"),
            "relative": (True, False),
            "weights": WEIGHTS,
            "immutable": PLACES,
            "increase": PLACES,
            "decrease": PLACES,
            "limit": LIMITS,
            "count": (1, 2, 4),
        },
    ),
    "robustness": Kind(
        what_if.robustness, 4, {"row": ROW, "norm": ("l0",), "relative": (True,), "limit": LIMITS}
    ),
    "contrast": Kind(
        contrasts.contrast, 5, {"row": ROW, "target": TARGETS, "literals": LANGUAGES, "limit": LIMITS}
    ),
    "contrasts": Kind(contrasts.contrasts, 5, {"row": ROW, "target": TARGETS, "literals": LANGUAGES}),
    "reasons": Kind(
        contrasts.reasons, 4, {"row": ROW, "target": TARGETS, "literals": LANGUAGES, "limit": LIMITS}
    ),
    "what_if": Kind(what_if.what_if, 3, {"row": ROW, "feature": (0, 1, 2)}),
    "decision_map": Kind(what_if.decision_map, 2, {"row": ROW, "feature": (0, 1), "other": (1, 2, 3)}),
    "adverse_action": Kind(
        adverse.adverse_action,
        5,
        {"row": ROW, "target": TARGETS, "protected": PLACES, "most": (1, 2), "limit": LIMITS},
    ),
    "rule": Kind(
        whole.rule,
        3,
        {
            "feature": (0, 1, 2),
            "sign": ("<", ">", ">=", "<="),
            "cut": (0, 1, 2),
            "other": (0, 1, 2),
            "decision": TARGETS,
            "negated": (True,),
            "limit": LIMITS,
        },
    ),
    "never": Kind(whole.never, 1, {"decision": TARGETS, "limit": LIMITS}),
    "monotone": Kind(
        whole.monotone,
        3,
        {"feature": (0, 1, 2), "direction": ("decreasing",), "target": TARGETS, "limit": LIMITS},
    ),
    "independent": Kind(whole.independent, 2, {"features": PLACES, "limit": LIMITS}),
    "robust_at": Kind(
        whole.robust_at, 2, {"row": ROW, "radius": (0.0, 0.3, 1.0, 2.0), "norm": ("l0",), "limit": LIMITS}
    ),
    "output": Kind(whole.output, 1, {"share": (0.1, 0.9, 1.0), "limit": LIMITS}),
    "rules": Kind(whole.rules, 2, {"literals": LANGUAGES, "coverage": (0.5, 1.0), "limit": LIMITS}),
    "compiled": Kind(whole.compiled, 4, {"row": ROW, "literals": LANGUAGES, "decision": TARGETS}),
    "bias": Kind(whole.bias, 1, {"row": ROW, "protected": PLACES}),
    "batch": Kind(
        whole.batch,
        2,
        {"rows": (1, 3, 9), "jobs": (2,), "reuse": (True,), "literals": LANGUAGES, "limit": LIMITS},
    ),
    "stream": Kind(whole.stream, 1, {"rows": (1, 3, 9), "literals": LANGUAGES}),
    "robust_everywhere": Kind(whole.robust_everywhere, 1, {"radius": (0.0, 1e-9, 0.3, 2.0), "limit": LIMITS}),
    "importance": Kind(whole.importance, 1, {"rows": (1, 3, 9), "literals": LANGUAGES}),
    "compare": Kind(whole.compare, 2, {"seed": (0, 1000, 2000), "limit": LIMITS}),
    "save": Kind(states.save, 2, {"row": ROW}),
    "pickled": Kind(states.pickled, 2, {"row": ROW}),
    "saved_answer": Kind(states.saved_answer, 1, {"row": ROW, "literals": LANGUAGES}),
    "saved_diagram": Kind(states.saved_diagram, 1, {"row": ROW}),
    "interrupt": Kind(
        states.interrupt, 2, {"row": ROW, "after": (1e-4, 1e-3, 5e-3), "goal": ("prime", "shortest")}
    ),
    "threads": Kind(
        states.threads,
        1,
        {"row": ROW, "first": ("explanations", "contrast"), "second": ("explain", "relevance")},
    ),
}
UNPRICED = ("does not price changes",)
DOCUMENTED = {"bdd": UNPRICED, "sat": UNPRICED, "diagram": ("outgrew the time limit",)}
"""What an engine that was asked for by name refuses, as the documentation says: no failure."""
OFTEN = {"row": 1.0, "literals": 0.7, "goal": 0.5}
"""How likely an option is drawn, if not as usual."""
USUALLY = 0.2


class Call:
    """One call: its name and its options, plain data."""

    def __init__(self, name: str, **options: Any) -> None:
        self.name, self.options = name, options

    def __repr__(self) -> str:
        told = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Call({self.name!r}{told})"

    def run(self, session: Session) -> None:
        """Ask, and raise `Wrong` for an answer that brute force refutes."""
        try:
            KINDS[self.name].run(session, **self.options)
        except (InvalidInput, TooLarge) as problem:
            if not any(words in str(problem) for words in DOCUMENTED.get(session.engine, ())):
                raise


def draw_call(random: Random) -> Call:
    """A random call."""
    (name,) = random.choices(list(KINDS), [kind.weight for kind in KINDS.values()])
    drawn = {
        option: random.choice(choices)
        for option, choices in KINDS[name].options.items()
        if random.random() < OFTEN.get(option, USUALLY)
    }
    return Call(name, **drawn)
