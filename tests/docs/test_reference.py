"""The reference is complete: every public name, every question of an explainer, and every field of a record."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.data.credit import load_credit

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md")))
MODULES = {name for name in pw.__all__ if inspect.ismodule(getattr(pw, name))}


def names_of(module: ModuleType) -> set[str]:
    """The full names of what a module offers."""
    own = [
        name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__
    ]
    return {f"{module.__name__}.{name}" for name in getattr(module, "__all__", own)}


def documented(text: str) -> set[str]:
    """The full names that autodoc directives document; `currentmodule` says what they begin with."""
    found, module = set(), ""
    directive = re.compile(r"^\.\. (currentmodule|auto\w+):: (\S+)((?:\n   :\S.*)*)", re.MULTILINE)
    for kind, name, options in directive.findall(text):
        if kind == "currentmodule":
            module = name
        elif kind == "automodule":
            left_out = re.findall(r":exclude-members: (.*)", options)
            every = names_of(importlib.import_module(name)) if ":members:" in options else set()
            found |= {
                each for each in every if each.rpartition(".")[2] not in ", ".join(left_out).split(", ")
            }
        else:
            found.add(name if name.startswith("primewood.") else f"{module}.{name}")
    return found


def test_every_public_name_is_documented():
    missing = {f"primewood.{name}" for name in pw.__all__ if name not in MODULES} - documented(TEXT)
    assert not missing


@pytest.mark.parametrize("name", sorted(MODULES))
def test_every_public_name_of_a_module_is_documented(name):
    public = {f"primewood.{name}.{each.rpartition('.')[2]}" for each in names_of(getattr(pw, name))}
    for_messages = {
        f"primewood.errors.{each}" for each in ("brief", "first_line", "listing", "meant", "told")
    }
    assert not public - documented(TEXT) - for_messages


def test_every_question_of_an_explainer_is_documented():
    asked = {name for name in dir(pw.Explainer) if not name.startswith("_")} | {"__call__"}
    assert not {f"primewood.Explainer.{name}" for name in asked} - documented(TEXT)


def fields_of(title: str) -> set[str]:
    """The fields that the page about records lists under a title."""
    page = (REFERENCE / "records.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^##+ {re.escape(title)}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """By the titles of the page: real records, one or several, whose fields together are all that there are."""
    credit = load_credit()
    forest, other = (
        RandomForestClassifier(10, max_depth=4, random_state=i).fit(credit.X, credit.y) for i in (0, 1)
    )
    names = {"feature_names": credit.feature_names, "class_names": credit.class_names, "units": credit.units}
    explainer = pw.Explainer(forest, credit.X, domain=credit.domain, **names)
    whole = pw.Explainer(forest, credit.X.astype(int), **names).explain(credit.X[1]).to_dict()
    x = next(row for row in credit.X if explainer.decide(row) == "declined")
    why = explainer.explain(x).to_dict(witnesses=True, distribution=True)
    early = explainer.explain(x, time_limit=1e-9).to_dict()
    near = explainer.explain(x, near=0.1).to_dict()
    short = explainer.explain(x, precision=0.95).to_dict()
    adverse = explainer.adverse_action(x, "approved").to_dict()
    compared = explainer.compare(other, regions=1).to_dict()
    batch = explainer(credit.X[:2]).to_dict()
    folder = tmp_path_factory.mktemp("batch")
    pd.DataFrame(credit.X[:2], columns=credit.feature_names).to_csv(folder / "rows.csv", index=False)
    explainer.explain_file(folder / "rows.csv", folder / "answers", format="jsonl")
    written = pw.overview(folder / "answers").to_dict()
    report = explainer.report(
        credit.X[:2], answers=folder / "answers", explain=1, sample=2, time_limit=None, work_limit=100
    ).to_dict()
    return {
        "Explanation": [why, early, near, {"in_short": short}, *batch["explanations"]],
        "Neighbourhood": [near["near"]],
        "In short": [short],
        "Necessity": early["necessity"],
        "Score": [why["score"]],
        "Literal": [*why["literals"], *whole["literals"]],
        "Feature of the instance": why["instance"],
        "Exclusion": why["excludes"],
        "Counterfactual": [explainer.counterfactual(x, "approved").to_dict()],
        "Contrast": [explainer.contrast(x).to_dict()],
        "Robustness": [explainer.robustness(x).to_dict()],
        "Adverse action": [adverse],
        "Reason": adverse["reasons"],
        "Check": [explainer.check(x, ["age"]).to_dict()],
        "Verification": [explainer.verify(pw.independent_of("age")).to_dict()],
        "Breaking rows": [explainer.verify(pw.independent_of("age")).to_dict()["breaking"]],
        "Comparison": [compared],
        "Direction": compared["directions"],
        "Region": compared["regions"],
        "Rule list": [explainer.rules(["declined"], most_rules=2).to_dict()],
        "What-if strip": [explainer.what_if(x, "amount").to_dict()],
        "Two-feature map": [explainer.decision_map(x, ("amount", "age")).to_dict()],
        "Batch": [batch],
        "Summary": [batch["summary"]],
        "Overview": [{name: x for name, x in written.items() if name not in batch["summary"]}],
        "Importance": [explainer.importance(credit.X[:2]).to_dict()],
        "Report": [report],
        "Feature use": [report["features"]],
        "Settings of a report": [report["made"]["settings"]],
    }


def test_every_field_of_a_record_is_described(records):
    for title, found in records.items():
        assert found, title
        assert {name for record in found for name in record} == fields_of(title), title
