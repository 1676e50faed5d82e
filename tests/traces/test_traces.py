"""Random traces have no wrong answer; and planted bugs are found, so that this means something."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import primewood as pw
from primewood.questions import best
from primewood.questions.explanations import Explanations
from primewood.questions.families import BoxFamily
from primewood.questions.necessity import count_excluded
from rotation import digest_sources, find_commit
from traces import Call, Recipe, Trace, replay, running
from traces.calls import KINDS
from traces.drawing import draw_trace
from traces.running import fails_apart, run
from traces.shrink import script_of, shrink
from traces.trace import failure_of
from traces.wrong import Wrong

ROOT = Path(__file__).parents[2]
SEEDS = 100_000_000
"""Commits begin at a seed below this."""


def first_seed() -> int:
    """The seed that the commit begins with."""
    return int(find_commit(ROOT) or digest_sources(ROOT), 16) % SEEDS


def check_seeds(first: int, count: int) -> None:
    for seed in range(first, first + count):
        assert failure_of(draw_trace(seed)) is None, f"seed {seed}: {draw_trace(seed)}"


def test_a_few_traces_of_this_commit_have_no_wrong_answer() -> None:
    check_seeds(first_seed(), 20)


CLAUSES = (("clause", 2, 0, 3, 0), ("clause", 1, 1, 2, 1))
FAILED_ONCE = {
    "a widest box that was not prime": Trace(
        Recipe(kind="forest", rows=12, columns="bbhi", classes=3, trees=2, depth=4, constraints=CLAUSES),
        [Call("explain", row=20, goal="widest", only=(0, 1), limit=2)],
    ),
    "a rule that the order of summation breaks": Trace(
        Recipe(kind="hand", seed=152034, classes=3, trees=2, rows=4, jobs=2, asked=(("engine", "diagram"),)),
        [Call("rule", negated=True)],
    ),
    "a nearest row under an order that was not the nearest": Trace(
        Recipe(
            kind="hist",
            seed=300915,
            rows=60,
            columns="cwnbn",
            trees=5,
            missing=True,
            constraints=(("order", 4, 2, -0.5, False),),
        ),
        [Call("robustness", row=17, relative=True)],
    ),
    "an infinite move in a record": Trace(
        Recipe(rows=5, columns="nnnn", number=True), [Call("adverse_action", limit=1)]
    ),
}


@pytest.mark.parametrize("name", FAILED_ONCE)
def test_what_failed_once_does_not_fail_again(name) -> None:
    assert failure_of(FAILED_ONCE[name]) is None


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_many_traces_of_this_commit_have_no_wrong_answer(block: int) -> None:
    check_seeds(first_seed() + 1000 * (block + 1), 500)


LIMITLESS = {"literals": "sets", "time_limit": None}
MODEL = Recipe(kind="hand", seed=54, columns="nno", trees=4, depth=3)


def failures(
    monkeypatch: pytest.MonkeyPatch, name: str, owner: object, wrong: object, **options: object
) -> list[str]:
    """What the judge says about many rows, with a bug in one place."""
    assert [failure_of(Trace(MODEL, [Call(name, row=row, **options)])) for row in range(8)] == [None] * 8
    with monkeypatch.context() as patched:
        patched.setattr(owner, *wrong)  # type: ignore[misc]
        found = [failure_of(Trace(MODEL, [Call(name, row=row, **options)])) for row in range(8)]
    return [failure for failure in found if failure is not None]


def with_term(change):
    """`explain` with a change made to its term."""
    honest = pw.Explainer.explain

    def explain(self, x, **options):
        why = honest(self, x, **options)
        return replace(why, term=change(why.term))

    return "explain", explain


def test_an_explanation_that_lost_a_literal_is_found(monkeypatch) -> None:
    found = failures(monkeypatch, "explain", pw.Explainer, with_term(lambda term: pw.Term(term.literals[1:])))
    assert any("does not entail" in failure for failure in found)


def test_an_explanation_that_keeps_too_much_is_found(monkeypatch) -> None:
    honest = pw.Explainer.explain

    def explain(self, x, **options):
        return replace(
            honest(self, x, fix=[self._model.subject.variables[0].name], **LIMITLESS), status=pw.Status.PROVED
        )

    found = failures(monkeypatch, "explain", pw.Explainer, ("explain", explain), literals="sets")
    assert any("is not prime" in failure for failure in found)


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_an_interrupted_explanation_that_calls_everything_necessary_is_found(monkeypatch, literals) -> None:
    honest = pw.Explainer.explain

    def explain(self, x, **options):
        why = honest(self, x, **options)
        return replace(why, known_necessity=count_excluded(why.term, necessary=True))

    options = {"literals": literals, "limit": 1e-9}
    found = failures(monkeypatch, "explain", pw.Explainer, ("explain", explain), **options)
    assert any("necessity" in failure for failure in found)


@pytest.mark.parametrize("goal", ["shortest", "widest"])
def test_an_explanation_that_is_not_the_best_is_found(monkeypatch, goal) -> None:
    honest = pw.Explainer.explain

    def explain(self, x, **options):
        worst = min(self.explanations(x), key=lambda why: (-len(why.features), why.volume))
        return replace(honest(self, x, **options), term=worst.term)

    options = {"literals": "intervals", "goal": goal, "measure": "values"}
    found = failures(monkeypatch, "explain", pw.Explainer, ("explain", explain), **options)
    assert any(failure.startswith(goal) for failure in found)


def without_the_last(self):
    boxes = list(self._family)
    return map(self._make, boxes[:-1] or boxes)


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_a_listing_that_lost_an_explanation_is_found(monkeypatch, literals) -> None:
    wrong = ("__iter__", without_the_last)
    found = failures(monkeypatch, "explanations", BoxFamily, wrong, literals=literals)
    assert any("not listed" in failure for failure in found)


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_a_listing_that_lost_a_contrast_is_found(monkeypatch, literals) -> None:
    found = failures(monkeypatch, "contrasts", BoxFamily, ("__iter__", without_the_last), literals=literals)
    assert any("not listed" in failure for failure in found)


def test_a_counterfactual_one_step_too_far_is_found(monkeypatch) -> None:
    honest = pw.Explainer.counterfactual

    def counterfactual(self, x, target=None, **options):
        found = honest(self, x, target, **options)
        if found.row is None:
            return found
        moved = [a if a == b else b + (b - a) for a, b in zip(found.asked, found.row, strict=True)]
        cost = found.moves.measure(self._model.context, np.array(found.asked), np.array(moved))
        return replace(found, row=tuple(moved), cost=cost)

    found = failures(
        monkeypatch, "counterfactual", pw.Explainer, ("counterfactual", counterfactual), norm="linf"
    )
    assert found


def test_a_witness_that_leaves_the_box_elsewhere_is_found(monkeypatch) -> None:
    honest = pw.Explainer.explain

    def explain(self, x, **options):
        why = honest(self, x, **options)
        whole = dict.fromkeys(range(len(why.row)), 0.0)
        rows = [[row if k != j else v for k, v in whole.items()] for j, row in enumerate(why.row)]
        object.__setattr__(
            why, "witnesses", tuple(replace(w, row=tuple(x - 9 for x in rows[0])) for w in why.witnesses)
        )
        return why

    found = failures(monkeypatch, "explain", pw.Explainer, ("explain", explain), look=True, literals="sets")
    assert any(failure.startswith("witnesses") for failure in found)


def test_a_wrong_radius_is_found(monkeypatch) -> None:
    found = failures(
        monkeypatch,
        "robustness",
        pw.answers.Robustness,
        ("radius", property(lambda self: self.nearest.lower * 1.5)),
    )
    assert found


def test_a_property_that_holds_too_often_is_found(monkeypatch) -> None:
    honest = pw.Explainer.verify

    def verify(self, stated, **options):
        found = honest(self, stated, **options)
        return replace(found, outcome=pw.answers.Outcome.HOLDS, witnesses=(), decisions=(), breaking=None)

    monkeypatch.setattr(pw.Explainer, "verify", verify)
    for name in ("monotone", "independent", "never", "robust_at", "robust_everywhere", "rule"):
        found = [failure_of(Trace(MODEL, [call])) for call in calls_of(name)]
        assert any(failure is not None and "holds" in failure for failure in found), name


def calls_of(name: str) -> list[Call]:
    """A kind of call with each of its options, and with several rows."""
    choices = KINDS[name].options
    single = [Call(name, **{option: value}) for option, values in choices.items() for value in values[:8]]
    return [Call(name), *(call for call in single if "limit" not in call.options)]


def change(method: str, **changes):
    """A method of the explainer whose answer has some fields changed."""
    honest = getattr(pw.Explainer, method)

    def ask(self, *args, **options):
        found = honest(self, *args, **options)
        return replace(found, **{name: how(getattr(found, name)) for name, how in changes.items()})

    return method, ask


def lose(things):
    return things[1:]


def lose_literal(term):
    return pw.Term(term.literals[1:]) if len(term.literals) > 1 else term


def flip_first(labels):
    return (1 - labels[0], *labels[1:])


PLANTED = {
    "contrast": change("contrast", term=lambda term: pw.Term(term.literals[1:])),
    "adverse_action": change("adverse_action", reasons=lose),
    "what_if": change("what_if", labels=flip_first),
    "relevance": change("relevance", necessary=lambda names: ("a", *names)),
    "attribution": change("attribution", count=lambda counts: (counts[0] + 1, counts[1] + 1)),
    "importance": change("importance", flips_alone=lambda counts: dict.fromkeys(counts, 0)),
    "check": change("check", sufficient=lambda sufficient: not sufficient),
    "rules": change("rules", rules=lambda rules: tuple(replace(r, term=lose_literal(r.term)) for r in rules)),
    "compare": change("compare", outcome=lambda _: pw.answers.Outcome.HOLDS, witness=lambda _: None),
    "robustness": change("robustness", nearest=lambda near: replace(near, lower=near.lower * 2 + 1)),
    "counterfactual": change("counterfactual", lower=lambda lower: lower * 2 + 1),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_found(monkeypatch, name) -> None:
    calls = calls_of(name)
    assert [failure_of(Trace(MODEL, [call])) for call in calls] == [None] * len(calls)
    monkeypatch.setattr(pw.Explainer, *PLANTED[name])
    found = {failure_of(Trace(MODEL, [call])) for call in calls} - {None}
    assert found and not any(failure.startswith("raised") for failure in found)


def test_a_compiled_model_that_miscounts_is_found(monkeypatch) -> None:
    honest = pw.answers.Compiled.count
    monkeypatch.setattr(
        pw.answers.Compiled, "count", lambda self: {k: n + 1 for k, n in honest(self).items()}
    )
    assert "cells of" in (failure_of(Trace(MODEL, [Call("compiled")])) or "")


def test_a_batch_that_mixes_up_rows_is_found(monkeypatch) -> None:
    honest = pw.Explainer.__call__

    def ask(self, X, **options):
        return list(honest(self, X, **options))[::-1]

    monkeypatch.setattr(pw.Explainer, "__call__", ask)
    assert (failure_of(Trace(MODEL, [Call("batch", rows=9)])) or "").startswith("batch")


def test_a_file_that_forgets_options_is_found(monkeypatch) -> None:
    honest = pw.load

    def load(path):
        found = honest(path)
        context = replace(found._model.context, literals="values")
        found._model = replace(found._model, context=context)
        return found

    monkeypatch.setattr(pw, "load", load)
    found = [failure_of(Trace(MODEL, [Call("save", row=row)])) for row in range(8)]
    assert any(failure is not None and failure.startswith("save") for failure in found)


def test_a_foreign_exception_is_a_failure(monkeypatch) -> None:
    def explain(self, x, **options):
        raise KeyError("x")

    monkeypatch.setattr(pw.Explainer, "explain", explain)
    assert failure_of(Trace(MODEL, [Call("explain")])) == "raised: KeyError: 'x'"


def die(*_args: object, **_options: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_crash_is_a_failure(monkeypatch) -> None:
    monkeypatch.setattr(pw.Explainer, "explain", die)
    assert fails_apart(Trace(MODEL, [Call("explain")])) == "crashes: exit code -9"


def test_a_hang_is_a_failure(monkeypatch) -> None:
    monkeypatch.setattr(pw.Explainer, "explain", lambda *_args, **_options: time.sleep(60))
    assert fails_apart(Trace(MODEL, [Call("explain")]), patience=0.5) == "hangs: no answer in time"


def lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Widest explanations lose their first literal."""
    honest = best.Best.widest

    def widest(self, measure):
        found = honest(self, measure)
        return None if found is None else replace(found, term=pw.Term(found.term.literals[1:]))

    monkeypatch.setattr(best.Best, "widest", widest)


def test_what_fails_is_made_small_and_its_script_fails_only_with_the_bug(monkeypatch) -> None:
    long = Trace(
        replace(MODEL, missing=True, columns="nnob", asked=(("engine", "search"),)),
        [
            Call("decide", row=3),
            Call("explanations", row=1),
            Call("explain", row=7, goal="widest", literals="sets", measure="values", look=True),
            Call("robustness", row=2, norm="l0"),
        ],
    )
    with monkeypatch.context() as patched:
        lossy(patched)
        small = shrink(long, failure_of, seconds=20)
        script = script_of(small, failure_of(small) or "")
        assert [call.name for call in small.calls] == ["explain"]
        assert len(small.calls[0].options) <= 2
        assert small.recipe.trees == 1 and not small.recipe.asked and not small.recipe.missing
        assert len(script.splitlines()) <= 14
        with pytest.raises(Wrong):
            exec(compile(script, "script", "exec"), {})
    exec(compile(script, "script", "exec"), {})


def test_a_run_writes_what_fails_and_goes_on(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(pw.Explainer, "decide", die)
    monkeypatch.setattr(running, "import_libraries", lambda: None)
    monkeypatch.setattr(running, "shrink", lambda trace, fails, seconds: trace)
    seeds = [seed for seed in range(300) if any(call.name == "decide" for call in draw_trace(seed).calls)]
    tally = run(seeds[0], 2, tmp_path)
    assert tally.failures["crashes"] >= 1
    assert "Call('decide'" in (tmp_path / f"{seeds[0]}.py").read_text()


def test_a_trace_is_the_same_every_time() -> None:
    assert repr(draw_trace(17)) == repr(draw_trace(17))
    replay(MODEL, Call("explain", row=1))


def test_counts_are_judged(monkeypatch) -> None:
    found = failures(monkeypatch, "explanations", Explanations, ("count", lambda self: -1))
    assert any("count" in failure for failure in found)
