"""Misspelt names are told at once, with the nearest one, before a command begins to work."""

from __future__ import annotations

import pytest

ROW = ("rows.csv", "--row", 3)


@pytest.fixture
def idle(monkeypatch):
    """Let nothing be searched or proved."""

    def begun(*_, **__):
        raise AssertionError("the work has begun")

    for name in ("verify", "explain", "contrast", "counterfactuals", "adverse_action", "rules", "check"):
        monkeypatch.setattr(f"primewood.explainer.Explainer.{name}", begun)


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (
            ["verify", "forest.skops", "--rule", "never approved", "--rule", "agee < 18 -> not approved"],
            "age",
        ),
        (
            ["verify", "forest.skops", "--rule", "never approved", "--rule", "age < 18 -> not aproved"],
            "approved",
        ),
        (["verify", "forest.skops", "--monotone", "incme", "--target", "approved"], "income"),
        (["verify", "forest.skops", "--monotone", "income", "--target", "aproved"], "approved"),
        (["verify", "forest.skops", "--independent-of", "shoo"], "shoe"),
        (["explain", "forest.skops", *ROW, "--avoid", "agee"], "age"),
        (["contrast", "forest.skops", *ROW, "--immutable", "agee"], "age"),
        (["contrast", "forest.skops", *ROW, "--target", "aproved"], "approved"),
        (["flip", "forest.skops", *ROW, "--increase", "incme"], "income"),
        (["adverse-action", "forest.skops", *ROW, "--favourable", "aproved"], "approved"),
        (["rules", "forest.skops", "train.csv", "--decision", "aproved"], "approved"),
        (["check", "forest.skops", *ROW, "--features", "incme"], "income"),
    ],
)
def test_a_typo_is_told_before_any_work(files, call, idle, arguments, near):
    done = call(*arguments)
    assert done.code == 2 and f"did you mean {near}?" in done.err and not done.out, done.err
