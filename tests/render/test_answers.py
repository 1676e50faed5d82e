"""The cards of answers that are not explanations: each says what the answer says, escaped, in the shared frame."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.data.credit import load_credit
from primewood.render import text as words
from primewood.render.html import answers
from primewood.render.html.environment import style
from render.test_card import Read


@pytest.fixture(scope="module")
def asked():
    credit = load_credit()
    model = RandomForestClassifier(8, max_depth=3, random_state=0).fit(credit.X, credit.y)
    explainer = pw.Explainer(
        model,
        credit.X,
        feature_names=credit.feature_names,
        class_names=credit.class_names,
        domain=credit.domain,
    )
    return explainer, next(row for row in credit.X if explainer.decide(row) == "declined"), credit


def said(answer):
    card = answer._repr_html_()
    assert card.startswith(style())
    return Read(card).text


def test_a_contrast_says_what_may_change(asked):
    explainer, x, _ = asked
    found = explainer.contrast(x, "approved", literals="intervals")
    shown = said(found)
    assert shown.startswith("Instead of declined approved may follow when")
    assert all(name in shown for name in found.features)
    assert repr(found) == f"<Contrast: {found}>"


def test_a_rule_of_missing_values_has_no_share_of_the_feature_space():
    X = np.array([[np.nan, 2.0], [10.0, 1.0], [20.0, 2.0], [30.0, 3.0]])
    tree = DecisionTreeClassifier(random_state=0).fit(X, ["no", "yes", "yes", "yes"])
    explainer = pw.Explainer(tree, X, feature_names=["income", "age"])
    missing, present = explainer.explain(X[0]), explainer.explain(X[1])
    assert missing.rule == "IF income is missing THEN no" and missing.volume == 0
    assert "Covers 25.0% of the training rows." in str(missing)
    assert "Training rows covered" in said(missing) and "Feature space" not in said(missing)
    assert "of the training rows, 100.0% of the feature space." in str(present)
    assert "Feature space covered" in said(present)


def test_robustness_says_its_radius_and_the_nearest_change(asked):
    explainer, x, _ = asked
    found = explainer.robustness(x)
    shown = said(found)
    first, score = str(found).splitlines()
    assert "Largest radius, proved" in shown and first[1:] in shown and score.strip() in shown
    assert all(name in shown for name in found.nearest.features)


def test_relevance_and_the_complete_reason_say_which_features(asked):
    explainer, x, _ = asked
    relevance, reason = explainer.relevance(x, literals="sets"), explainer.complete_reason(x)
    assert "In every explanation (necessary)" in said(relevance)
    assert "What declined rests on" in said(reason)
    for name in relevance.relevant:
        assert name in said(relevance) and name in said(reason)


def test_an_attribution_says_the_shares_the_largest_first(asked):
    explainer, x, _ = asked
    found = explainer.attribution(x)
    shown = said(found)
    first, last = max(found.shares, key=found.shares.get), min(found.shares, key=found.shares.get)
    assert shown.index(first) < shown.index(last)
    assert answers.between(*found.shares[first]) in shown


def test_checks_say_their_verdict(asked):
    explainer, x, _ = asked
    why = explainer.explain(x, literals="values")
    exact, wrong = explainer.check(x, why.features), explainer.check(x, ["age"])
    assert said(exact).startswith("Claim exact sufficient: every row") and "Not sufficient" in said(wrong)
    assert "Proved instead: IF" in said(wrong)
    tally = pw.tally([exact, wrong])
    assert "2 claims 1 sufficient (50.0%), 1 not" in said(tally)


def test_adverse_action_gives_the_reasons_and_the_letter(asked):
    explainer, x, _ = asked
    found = explainer.adverse_action(x, "approved")
    shown = said(found)
    assert all(reason.text in shown for reason in found.reasons)
    assert " ".join(found.letter.split()) in shown


def test_what_if_and_maps_are_told_in_words(asked):
    explainer, x, _ = asked
    strip, around = explainer.what_if(x, "amount"), explainer.decision_map(x, ("amount", "age"))
    assert all(piece["text"] in said(strip) for piece in strip.pieces[:12])
    assert "What if only amount and age change declined" in said(around)


def test_families_say_how_many_there_are_only_if_that_is_cheap(asked):
    explainer, x, _ = asked
    family = explainer.compile().explanations(x)
    assert f"{family.count()} in all" in said(family)
    listed = answers.family("Explanations", "over 3 features", None)
    assert "iterate to list, count() to count" in Read(listed).text


def test_a_compiled_model_and_a_report_have_cards(asked):
    explainer, _, credit = asked
    compiled = explainer.compile()
    assert f"{compiled.diagram.size:,}" in said(compiled) and "decides between declined, approved" in said(
        compiled
    )
    report = explainer.report(credit.X[:5], explain=1, sample=2, time_limit=None, work_limit=50)
    assert report.title in said(report) and "save(path)" in said(report)


def test_a_folder_of_explanations_has_a_card(asked, tmp_path):
    explainer, _, credit = asked
    lines = [",".join(credit.feature_names), *(",".join(map(str, row)) for row in credit.X[:4])]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    written = explainer.explain_file(tmp_path / "rows.csv", tmp_path / "answers", format="jsonl")
    assert "4 rows" in said(written) and "Finished" in said(written)
    assert "4 rows" in said(pw.overview(tmp_path / "answers")) and "4 explanations" in repr(
        pw.overview(tmp_path / "answers")
    )


def test_an_explainer_says_what_it_decides_and_by_what(asked):
    explainer, _, _ = asked
    shown = said(explainer)
    assert "Explainer scikit-learn RandomForestClassifier" in shown
    assert "decides declined, approved as model.predict does" in shown
    assert f"Verified against the model on {explainer.fidelity.rows:,} rows: identical." in shown
    assert "Trees 8" in shown and "Features 11" in shown and "Training rows 1,000" in shown
    assert "Assumes: " in shown
    assert repr(explainer).startswith(
        "<Explainer of scikit-learn RandomForestClassifier: 8 trees, 11 features; "
    )
    assert "1,000 training rows; verified against the model on" in repr(explainer)
    bare = pw.Explainer(explainer.model)
    assert "no training rows" in repr(bare)


def test_an_explainer_names_its_cut_off_and_the_class_it_speaks_of(asked):
    explainer, _, credit = asked
    model = explainer.model
    cut = pw.Explainer(model, credit.X, class_names=credit.class_names, threshold=0.7, positive="declined")
    assert "decides declined if P(declined) >= 0.7, else approved" in repr(cut)
    assert "decides declined if P(declined) >= 0.7, else approved" in said(cut)
    majority = pw.Explainer(model, credit.X, vote="majority")
    assert "by the majority of the trees" in repr(majority)


def test_explainers_of_regressors_and_expressions_say_what_they_are(asked):
    _, _, credit = asked
    model = RandomForestRegressor(3, max_depth=2, random_state=0).fit(credit.X, credit.X[:, 0])
    assert "predicts a number, and decides with threshold= or between=" in repr(pw.Explainer(model, credit.X))
    assert "whether the prediction is at least 1.5" in repr(pw.Explainer(model, credit.X, threshold=1.5))
    assert "with cut-offs 1 and 2" in repr(pw.Explainer(model, credit.X, between=(1, 2)))
    delta = pw.parse("A & B", [pw.Variable.boolean(name) for name in "AB"])
    assert repr(pw.Explainer(delta)) == "<Explainer of an expression: 2 variables; literals sets>"
    assert "Expression over 2 variables" in said(pw.Explainer(delta))


def test_what_an_answer_holds_is_escaped(asked):
    _, _, credit = asked
    names = ["<b>x</b>", *credit.feature_names[1:]]
    model = RandomForestClassifier(4, max_depth=3, random_state=0).fit(credit.X, credit.y)
    explainer = pw.Explainer(model, credit.X, feature_names=names, class_names=["<i>no</i>", "yes"])
    x = next(row for row in credit.X if explainer.decide(row) == "<i>no</i>")
    for answer in (explainer, explainer.relevance(x), explainer.contrast(x), explainer.robustness(x)):
        card = answer._repr_html_()
        assert "<b>x</b>" not in card and "<i>no</i>" not in card


def test_a_batch_card_puts_choices_in_parentheses(asked):
    explainer, _, credit = asked
    batch = explainer(credit.X[:10], literals="sets")
    shown = said(batch).replace(" ", "")
    chosen = [x["text"] for why in batch for x in why.to_dict()["literals"] if " or " in x["text"]]
    assert chosen
    texts = [text.replace("<=", "≤").replace(">=", "≥").replace(" ", "") for text in chosen]
    assert all(f"({text.strip('()')})" in shown for text in texts)


def test_one_more_is_shown_and_more_are_counted_without_a_doubt():
    assert words.join_pieces(["x <= 1", "2 <= x <= 3", "4 <= x <= 5", "x >= 8"]).count(" or ") == 3
    assert words.write_choice("day", list("abcd"), list("efghi")) == "day is a or b or c or d"
    assert words.write_choice("day", list("abcde"), list("fghijk")) == "day is a or b or c or 2 other values"


def test_bias_fewest_changes_and_audits_have_cards(asked):
    explainer, x, _ = asked
    compiled = explainer.compile()
    bias, fewest = compiled.bias(x, ["age"]), compiled.robustness(x)
    assert str(bias) in said(bias) and str(fewest) in said(fewest)
    assert f"{fewest.features} {fewest.features} feature" in said(fewest)
    A, B = pw.Variable("A", [1, 2, 3]), pw.Variable("B", ["r", "b", "g"])
    audit = pw.audit((A == 1) | (B != "g"))
    assert f"{audit.primes} prime implicants" in said(audit) and "one-hot" in said(audit)
