"""The commands that ask about decisions and about whole models: answers as the library gives them, and exit codes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

import primewood as pw
from primewood.cli import main
from primewood.cli.call_settings import read_assignments
from primewood.cli.main import app
from primewood.errors import InvalidInput
from primewood.properties.group_explanation import NOT_REACHED, UncoveredRow
from primewood.properties.wording import Claim

ROW = 4


class Bank:
    """A forest that decides about credit, a tree beside it, the rows, and their files."""

    def __init__(self, folder):
        generator = np.random.default_rng(0)
        self.X = pd.DataFrame(
            {
                "income": generator.integers(10, 100, 300).astype(float),
                "debt": generator.integers(0, 50, 300).astype(float),
                "age": generator.integers(18, 80, 300).astype(float),
                "shoe": generator.integers(36, 47, 300).astype(float),
            }
        )
        y = np.where((self.X.income - self.X.debt > 30) & (self.X.age >= 30), "approved", "denied")
        seen = self.X.assign(shoe=40.0)
        forest = RandomForestClassifier(7, max_depth=3, max_features=None, random_state=0).fit(seen, y)
        tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(seen, y)
        self.model, self.other, self.rows = (
            folder / name for name in ("forest.json", "tree.json", "rows.csv")
        )
        pw.read(forest).save(self.model)
        pw.read(tree).save(self.other)
        self.X.to_csv(self.rows, index=False)
        self.explainer = pw.Explainer(self.model, self.X.to_numpy())
        self.x = self.X.to_numpy()[ROW]
        self.decision = self.explainer.decide(self.x)
        self.wanted = {"approved": "denied", "denied": "approved"}[self.decision]

    def ask(self, command, *arguments, code=0):
        """Ask about the row; the output of the command."""
        return ask(command, self.model, self.rows, "--row", ROW, *arguments, code=code)


def ask(*arguments, code=0):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def plain(answer):
    """The document of an answer as JSON gives it back; when bounds were found differs from run to run."""
    if not isinstance(answer, pw.Explanation):
        return json.loads(json.dumps(answer.to_dict()))
    return timeless(json.loads(answer.to_json()))


def timeless(record):
    return record | {"history": []}


def refused(capsys, *arguments, code=2):
    """The one message on stderr of a call that is refused."""
    with pytest.raises(SystemExit) as stopped:
        main.run([str(argument) for argument in arguments])
    told = capsys.readouterr()
    assert stopped.value.code == code, told.err
    assert told.out == ""
    return told.err


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return Bank(tmp_path_factory.mktemp("bank"))


@pytest.mark.parametrize("goal", ["prime", "shortest", "widest"])
def test_explanations_have_goals(bank, goal):
    (record,) = records(bank.ask("explain", "--goal", goal, "--json"))
    assert timeless(record) == plain(bank.explainer.explain(bank.x, goal=goal))
    assert record["status"] == "proved"


def test_the_widest_is_measured_as_asked(bank):
    for measure in ("rows", "volume", "values"):
        (record,) = records(bank.ask("explain", "--goal", "widest", "--set", f"measure={measure}", "--json"))
        assert timeless(record) == plain(bank.explainer.explain(bank.x, goal="widest", measure=measure))


def test_explanations_keep_to_wishes(bank):
    why = bank.explainer.explain(bank.x)
    heavy = why.features[0]
    (record,) = records(bank.ask("explain", "--set", f"weights.{heavy}=9", "--goal", "shortest", "--json"))
    assert timeless(record) == plain(bank.explainer.explain(bank.x, goal="shortest", weights={heavy: 9.0}))
    (fixed,) = records(bank.ask("explain", "--fix", "age", "--avoid", "shoe", "--json"))
    assert timeless(fixed) == plain(bank.explainer.explain(bank.x, fix=["age"], avoid=["shoe"]))
    only = [part for name in ("income", "debt", "age") for part in ("--only", name)]
    assert records(bank.ask("explain", *only, "--json"))[0]["status"] == "proved"


def test_a_wish_that_cannot_be_met_fails_with_what_shows_it(bank):
    told = bank.ask("explain", "--only", "shoe", code=1)
    assert "no explanation avoids" in told and f"the decision is {bank.wanted}" in told


def test_contrasts_are_those_of_the_library(bank):
    fewest = bank.explainer.contrast(bank.x, bank.wanted)
    assert bank.ask("contrast", "--target", bank.wanted) == f"{fewest}\n"
    assert records(bank.ask("contrast", "--json")) == [plain(fewest)]
    every = records(bank.ask("contrast", "--all", "--literals", "values", "--json"))
    assert every == [plain(one) for one in bank.explainer.contrasts(bank.x, literals="values")]
    assert len(every) > 1
    assert len(bank.ask("contrast", "--all", "--limit", 1, "--literals", "intervals").splitlines()) == 1


def test_contrasts_hold_what_is_immutable(bank):
    (first,) = bank.explainer.contrast(bank.x).features[:1]
    (record,) = records(bank.ask("contrast", "--immutable", first, "--json"))
    assert first not in [literal["feature"] for literal in record["lets_go"]]


def test_counterfactuals_are_those_of_the_library(bank):
    told = bank.ask("flip", "--target", bank.wanted)
    nearest = bank.explainer.counterfactual(bank.x, bank.wanted)
    assert told == f"{nearest}\n" and nearest.advice in told
    for norm in ("l0", "l1", "linf"):
        for relative in (True, False):
            (record,) = records(
                bank.ask("flip", "--norm", norm, "--relative" if relative else "--absolute", "--json")
            )
            assert record == plain(bank.explainer.counterfactual(bank.x, norm=norm, relative=relative))
            other = bank.explainer.decide([np.nan if x is None else x for x in record["row"]])
            assert other == record["other"] == bank.wanted


def test_counterfactuals_keep_to_what_can_be_done(bank):
    freely = bank.explainer.counterfactuals(bank.x, count=2)
    assert [list(one.changes) for one in freely] == [["income"], ["debt"]]
    (down,) = records(bank.ask("flip", "--decrease", "income", "--json"))
    assert down == plain(bank.explainer.counterfactual(bank.x, decrease=["income"]))
    assert list(down["changes"]) == ["debt"]
    (up,) = records(bank.ask("flip", "--immutable", "income", "--increase", "debt", "--json", code=1))
    assert up["status"] == "impossible"
    name = "income"
    (held,) = records(bank.ask("flip", "--immutable", name, "--json"))
    assert name not in held["changes"]
    (weighed,) = records(bank.ask("flip", "--set", f"weights.{name}=50", "--json"))
    assert weighed == plain(bank.explainer.counterfactual(bank.x, weights={name: 50.0}))


def test_several_ways_to_another_decision(bank):
    found = records(bank.ask("flip", "--count", 3, "--json"))
    assert found == [plain(one) for one in bank.explainer.counterfactuals(bank.x, count=3)]
    assert 1 < len(found) <= 3


@pytest.mark.parametrize("several", [[], ["--count", 2]])
def test_no_way_to_another_decision_fails(bank, several):
    held = [part for name in ("income", "debt", "age") for part in ("--immutable", name)]
    (record,) = records(bank.ask("flip", *held, *several, "--json", code=1))
    assert record["status"] == "impossible" and record["row"] is None


def test_the_robust_radius(bank):
    (record,) = records(bank.ask("flip", "--robustness", "--json"))
    assert record == plain(bank.explainer.robustness(bank.x))
    assert bank.ask("flip", "--robustness", "--norm", "l0") == f"{bank.explainer.robustness(bank.x, 'l0')}\n"
    (shares,) = records(bank.ask("flip", "--robustness", "--relative", "--json"))
    assert shares == plain(bank.explainer.robustness(bank.x, relative=True)) and shares["relative"]


def test_claims_are_checked(bank):
    why = bank.explainer.explain(bank.x, literals="values")
    kept = [part for name in why.features for part in ("--features", name)]
    (record,) = records(bank.ask("check", *kept, "--json"))
    assert record["sufficient"] and record["verdict"] == "exact"
    (fewer,) = records(bank.ask("check", *kept[2:], "--features", "shoe", "--json", code=1))
    other = [np.nan if x is None else x for x in fewer["counterexample"]["row"]]
    assert bank.explainer.decide(other) == bank.wanted
    claim = f"income >= {bank.x[0]} and age <= {bank.x[2]}"
    code = 0 if bank.explainer.check(bank.x, claim).sufficient else 1
    assert bank.ask("check", claim, code=code) == f"{bank.explainer.check(bank.x, claim)}\n"


def test_properties_hold_or_fail_with_a_row(bank):
    told = ask("verify", bank.model, bank.rows, "--rule", "income < 20 -> denied", "--independent-of", "shoe")
    assert told.count("holds: ") == 2
    (record,) = records(ask("verify", bank.model, bank.rows, "--rule", "never approved", "--json", code=1))
    assert record["outcome"] == "fails" and record["decisions"] == ["approved"]
    assert bank.explainer.decide(record["witnesses"][0]) == "approved"
    assert record == plain(bank.explainer.verify("never approved"))


def test_properties_that_are_options(bank):
    target = ("--target", "approved")
    asked = (
        *("--monotone", "income", "--monotone", "debt:decreasing", *target),
        *("--independent-of", "age", "--independent-of", "shoe"),
        *("--never", "denied", "--never", "approved", "--at-least", 0, "--at-most", 1, "--robust", 0.001),
    )
    found = records(ask("verify", bank.model, bank.rows, *asked, "--json", code=1))
    stated = [
        pw.monotone("income", target="approved"),
        pw.monotone("debt", "decreasing", "approved"),
        pw.independent_of("age", "shoe"),
        pw.never("denied", "approved"),
        pw.output(at_least=0, at_most=1),
        pw.robust_everywhere(0.001),
    ]
    assert found == [plain(bank.explainer.verify(each)) for each in stated]
    assert {record["outcome"] for record in found} == {"holds", "fails"}


def test_a_slip_in_the_last_rule_is_reported_before_the_first_is_proved(bank, monkeypatch, capsys):
    monkeypatch.setattr(pw.Explainer, "verify", lambda *_, **__: pytest.fail("something was proved"))
    for slip, words in (
        ("incme < 20 -> denied", "no feature 'incme' (did you mean income?)"),
        ("income < 20 -> deny", "(did you mean denied?)"),
    ):
        assert words in refused(
            capsys, "verify", bank.model, "--rule", "income < 20 -> denied", "--rule", slip
        )


def test_robustness_everywhere_is_measured_as_asked(bank):
    asked = ("verify", bank.model, bank.rows, "--robust", 0.001)
    confident = pw.robust_everywhere(0.001, relative=True, confidence=0.99)
    found = bank.explainer.verify(confident)
    told = ask(*asked, "--relative", "--confidence", 0.99, code={True: 0, False: 1}[found.holds])
    assert told == f"{found}\n" and "of each feature's range" in told and "0.99" in told


def test_the_exit_code_is_that_of_the_worst_property(bank, monkeypatch):
    outcomes = {"a": "holds", "b": "fails", "c": "undecided"}

    def verify(self, stated, *, time_limit):
        claim = Claim(stated, stated, stated, stated)
        return pw.answers.Verification(claim, pw.answers.Outcome(outcomes[stated]), self._model.context)

    monkeypatch.setattr(pw.Explainer, "verify", verify)
    monkeypatch.setattr(pw.Explainer, "check_property", lambda *_: None)
    for stated, code in (("a", 0), ("ac", 3), ("ca", 3), ("acb", 1), ("bca", 1), ("aa", 0)):
        rules = [part for each in stated for part in ("--rule", each)]
        told = ask("verify", bank.model, *rules, "--json", code=code)
        assert [record["outcome"] for record in records(told)] == [outcomes[each] for each in stated]


def test_bounds_on_a_regressor(tmp_path):
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.random((200, 3)), columns=["a", "b", "c"])
    model = GradientBoostingRegressor(n_estimators=5).fit(X, X.a * 10 + X.b)
    path, rows = tmp_path / "model.json", tmp_path / "rows.csv"
    pw.read(model).save(path)
    X.to_csv(rows, index=False)
    assert "holds" in ask("verify", path, "--at-least", -100, "--at-most", 100)
    high = float(model.predict(X).max())
    (record,) = records(ask("verify", path, "--at-most", high - 0.01, "--json", code=1))
    assert record["decisions"][0] > high - 0.01
    about = (rows, "--row", 2)
    (near,) = records(ask("flip", path, *about, "--within", 0.5, "--json"))
    assert abs(model.predict(pd.DataFrame([near["row"]], columns=X.columns))[0] - model.predict(X)[2]) > 0.5
    (fewest,) = records(ask("contrast", path, *about, "--threshold", 5, "--json"))
    assert fewest["decision"] != fewest["other"]


def test_models_are_compared(bank):
    same = records(ask("compare", bank.model, bank.model, "--json"))
    assert same[0]["equivalent"] is True
    (record,) = records(ask("compare", bank.model, bank.other, bank.rows, "--regions", 2, "--json", code=1))
    assert record == plain(bank.explainer.compare(bank.other, regions=2))
    assert len(set(record["decisions"])) == 2 and len(record["regions"]) <= 2
    assert ask("compare", bank.model, bank.other, code=1).startswith("different")


def test_a_comparison_without_an_outcome_is_undecided(bank, monkeypatch):
    def compare(self, other, *, regions, time_limit):
        return pw.answers.Comparison(
            pw.answers.Outcome.UNDECIDED, self._model.context, note="no difference was found"
        )

    monkeypatch.setattr(pw.Explainer, "compare", compare)
    told = ask("compare", bank.model, bank.other, code=3)
    assert told.startswith("undecided\n   Not decided: whether the two models decide alike on every row.")
    assert "No difference was found." in told


def test_a_flip_that_was_not_found_in_time_is_undecided(bank, monkeypatch):
    near = bank.explainer.counterfactual(bank.x)
    unknown = replace(near, status=pw.Status.INTERRUPTED, row=None, box=None, cost=np.inf)
    monkeypatch.setattr(pw.Explainer, "counterfactuals", lambda *_, **__: [unknown])
    assert "was found in time" in bank.ask("flip", code=3)
    early = replace(near, status=pw.Status.INTERRUPTED, lower=0.0)
    monkeypatch.setattr(pw.Explainer, "counterfactuals", lambda *_, **__: [early])
    assert "none is nearer than 0" in bank.ask("flip")


def test_a_claim_that_was_not_decided_in_time_is_undecided(bank, monkeypatch):
    unknown = replace(bank.explainer.check(bank.x, ["age"]), sufficient=None, verdict="undecided")
    monkeypatch.setattr(pw.Explainer, "check", lambda *_, **__: unknown)
    (record,) = records(bank.ask("check", "--features", "age", "--json", code=3))
    assert record["sufficient"] is None


def test_a_contrast_that_may_not_be_the_shortest_is_said_so(bank, monkeypatch):
    early = replace(bank.explainer.contrast(bank.x), fewest=False)
    monkeypatch.setattr(pw.Explainer, "contrast", lambda *_, **__: early)
    done = CliRunner().invoke(app, ["contrast", str(bank.model), str(bank.rows)])
    assert done.exit_code == 0 and "time ran out before" in done.stderr


def test_rules_that_were_not_found_in_time_are_undecided(bank, monkeypatch):
    found = bank.explainer.rules(most_rules=1)
    none = replace(found, rules=(), status=pw.Status.INTERRUPTED)
    for answer, code in ((none, 3), (replace(found, status=pw.Status.INTERRUPTED), 0)):
        monkeypatch.setattr(pw.Explainer, "rules", lambda *_, answer=answer, **__: answer)
        ask("rules", bank.model, bank.rows, code=code)


def test_rules_of_a_decision(bank):
    asked = ("rules", bank.model, bank.rows)
    told = ask(*asked, "--decision", "approved", "--most", 2, "--coverage", 0.5)
    assert told == f"{bank.explainer.rules(['approved'], most_rules=2, coverage=0.5)}\n"
    (record,) = records(ask(*asked, "--literals", "sets", "--json"))
    assert {rule["decision"] for rule in record["rules"]} == {"approved", "denied"}
    assert all(each["covered"] >= 0.95 * each["rows"] for each in record["decisions"])


def test_a_group_of_rows_with_one_decision(bank, tmp_path, monkeypatch):
    asked = ("explain-group", bank.model, bank.rows)
    group = bank.explainer.explain_group(bank.X, decision="denied")
    assert ask(*asked, "--decision", "denied") == f"{group}\n"
    (record,) = records(ask(*asked, "--decision", "denied", "--json"))
    assert record == plain(group) and record["covered"] == record["rows"]
    short = ("--decision", "denied", "--kind", "in-short", "--precision", 0.8)
    assert "not proved" in ask(*asked, *short)
    ask(*asked, "--decision", "denied", "-o", tmp_path / "rules.csv")
    assert pd.read_csv(tmp_path / "rules.csv")["rows"].tolist() == [rule.rows for rule in group]
    ask(*asked, "--decision", "denied", "-o", tmp_path / "rules.json")
    assert json.loads((tmp_path / "rules.json").read_text()) == plain(group)
    late = replace(group, rules=(), uncovered=(UncoveredRow(0, 0, NOT_REACHED, (0.0,)),))
    monkeypatch.setattr(pw.Explainer, "explain_group", lambda *_, **__: late)
    ask(*asked, "--decision", "denied", code=3)


def test_decisions_that_are_numbers_are_named_as_they_are_written(tmp_path):
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.random((200, 2)), columns=["a", "b"])
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, (3 * X.a).astype(int))
    path, rows = tmp_path / "model.json", tmp_path / "rows.csv"
    pw.read(model).save(path)
    X.to_csv(rows, index=False)
    target = (model.predict(X)[0] + 1) % 3
    (record,) = records(ask("flip", path, rows, "--target", target, "--json"))
    assert model.predict(pd.DataFrame([record["row"]], columns=X.columns))[0] == record["other"] == target
    assert "fails" in ask("verify", path, "--never", 2, code=1)
    (ruled,) = records(ask("rules", path, rows, "--decision", 1, "--json"))
    assert {rule["decision"] for rule in ruled["rules"]} == {1}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["explain", "--all", "--goal", "shortest", "--set", "weights.age=2"],
            "--goal and --set weights are for one",
        ),
        (["explain", "--count", "--avoid", "age"], "--avoid is for one explanation"),
        (["explain", "--set", "weights=age"], "weights must be a table from features to numbers"),
        (["explain", "--set", "weights.age=0"], "positive number"),
        (["explain", "--set", "weights.age=nan"], "finite number"),
        (["explain", "--set", "measure=rows"], 'measure is for goal="widest"'),
        (["explain", "--goal", "best"], "shortest"),
        (["explain", "--avoid", "height"], "the features are income, debt, age, shoe"),
        (["contrast", "--target", "maybe"], "there are approved, denied"),
        (["contrast", "--row", 300], "rows 0 to 299"),
        (["flip", "--norm", "l2"], "linf"),
        (["flip", "--immutable", "height"], "the features are income"),
        (["flip", "--robustness", "--count", 2], "for counterfactuals"),
        (["explain", "--time-limit", 0], "positive number of seconds"),
        (["contrast", "--time-limit", 0], "positive number of seconds"),
        (["flip", "--time-limit", 0], "positive number of seconds"),
        (["flip", "--robustness", "--time-limit", 0], "positive number of seconds"),
        (["check", "--features", "age", "--time-limit", 0], "positive number of seconds"),
        (["verify", "--rule", "never denied", "--time-limit", 0], "positive number of seconds"),
        (["rules", "--time-limit", 0], "positive number of seconds"),
        (["check"], "pass what is claimed"),
        (["check", "age < 30", "--features", "age"], "either CLAIM or --features"),
        (["check", "height < 30"], "height"),
        (["verify"], "pass what to verify"),
        (["verify", "--rule", "age < 18"], "is not a rule"),
        (["verify", "--monotone", "income:sideways"], "income:sideways"),
        (["verify", "--independent-of", "height"], "height"),
        (["verify", "--target", "approved", "--rule", "age < 18 -> denied"], "goes with --monotone"),
        (["verify", "--relative", "--rule", "age < 18 -> denied"], "go with --robust"),
        (["verify", "--never", "maybe"], "there are approved, denied"),
        (["rules", "--decision", "maybe"], "there are approved, denied"),
        (["rules", "--coverage", 2], "coverage must be a share"),
        (["explain-group"], "must have one decision, and these have 2"),
        (["explain-group", "--decision", "maybe"], "there are approved, denied"),
        (["explain-group", "--decision", "denied", "--precision", 0.9], "precision is for kind"),
        (["explain-group", "--decision", "denied", "-o", "rules.html"], "should end with .csv or .json"),
    ],
)
def test_bad_questions_are_one_clear_error(bank, capsys, arguments, words):
    command, *rest = arguments
    assert words in refused(capsys, command, bank.model, bank.rows, *rest)


def test_comparing_needs_two_models_over_the_same_columns(bank, capsys, tmp_path):
    assert "no file none.json" in refused(capsys, "compare", bank.model, "none.json")
    assert "seconds" in refused(capsys, "compare", bank.model, bank.other, "--time-limit", 0)
    fewer = bank.X[["income", "age"]]
    tree = DecisionTreeClassifier(max_depth=2).fit(fewer, bank.X.income > 50)
    pw.read(tree).save(tmp_path / "fewer.json")
    assert "different columns" in refused(capsys, "compare", bank.model, tmp_path / "fewer.json")


def test_exit_codes_reach_the_shell(bank, capsys):
    for stated, code in (("never approved", 1), ("income < 20 -> denied", 0)):
        with pytest.raises(SystemExit) as ended:
            main.run(["verify", str(bank.model), "--rule", stated])
        told = capsys.readouterr()
        assert ended.value.code == code and told.out and not told.err


def test_weights_are_read():
    read = read_assignments(["weights.age=5", "weights.'a=b'=0.5"], ["weights"])
    assert read == {"weights": {"age": 5, "a=b": 0.5}}
    for wrong in (["weights.=3"], ["weights.age=much"], ["weights.age=1", "weights.age=2"], ["weights=3"]):
        with pytest.raises(InvalidInput):
            read_assignments(wrong, ["weights"])


def test_contrasts_that_are_not_there_have_their_codes(bank, monkeypatch):
    held = [part for name in ("income", "debt", "age") for part in ("--immutable", name)]
    (record,) = records(bank.ask("contrast", *held, "--json", code=1))
    assert record["status"] == "impossible"
    explainer = pw.Explainer(bank.model, bank.X.to_numpy(), immutable=["income", "debt", "age"])
    unknown = replace(explainer.contrast(bank.x), status=pw.Status.INTERRUPTED)
    monkeypatch.setattr(pw.Explainer, "contrast", lambda *_, **__: unknown)
    bank.ask("contrast", code=3)


def test_the_worst_row_decides_the_exit_code(bank, monkeypatch):
    verdicts = {0: True, 1: None, 2: False}
    known = bank.explainer.check(bank.x, ["age"])

    def check(self, x, claim, *, time_limit):
        row = next(i for i in verdicts if np.array_equal(x, bank.X.to_numpy()[i]))
        return replace(known, sufficient=verdicts[row])

    monkeypatch.setattr(pw.Explainer, "check", check)
    for rows, code in (([0], 0), ([0, 1], 3), ([1, 0], 3), ([0, 1, 2], 1), ([2, 1], 1)):
        chosen = [part for row in rows for part in ("--row", row)]
        ask("check", bank.model, bank.rows, "--features", "age", *chosen, "--json", code=code)


def test_an_explanation_that_was_cut_short_is_done(bank, monkeypatch):
    early = replace(bank.explainer.explain(bank.x), status=pw.Status.INTERRUPTED)
    monkeypatch.setattr(pw.Explainer, "explain", lambda *_, **__: early)
    assert records(bank.ask("explain", "--json"))[0]["status"] == "interrupted"
