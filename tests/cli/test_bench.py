"""`primewood bench` times the calls that it names, and nothing else."""

from __future__ import annotations

import json
import statistics
import time

import numpy as np
import pandas as pd
import pytest

from primewood.cli.commands import bench
from primewood.cli.inputs import draw_rows
from primewood.questions.status import Status

QUESTIONS = ["explain, values", "explain, intervals", "explain, sets", "counterfactual", "robustness"]


class Answered:
    def __init__(self, status):
        self.status = status


class Slow:
    """An explainer whose answers take known times; every third explanation is not proved."""

    def __init__(self, seconds):
        self.seconds, self.asked = seconds, []

    def explain(self, x, *, literals, time_limit):
        self.asked.append((literals, x, time_limit))
        time.sleep(self.seconds[literals])
        return Answered(Status.INTERRUPTED if len(self.asked) % 3 == 0 else Status.PROVED)

    def counterfactual(self, x, *, time_limit):
        return Answered(Status.IMPOSSIBLE)

    def robustness(self, x, *, time_limit):
        return Answered(Status.PROVED)


def test_the_times_are_those_of_the_calls():
    slow = Slow({"values": 0.02, "intervals": 0.05, "sets": 0.001})
    before = time.perf_counter()
    found = bench.measure(slow, list(range(6)), 60.0, 1.5, lambda _: None)
    whole = time.perf_counter() - before
    assert [each.question for each in found] == QUESTIONS
    assert all(len(each.seconds) == 6 for each in found)
    values, intervals = found[0].to_dict(), found[1].to_dict()
    assert 0.02 <= values["median"] <= values["worst"] < 0.2 and 0.05 <= intervals["median"]
    assert sum(sum(each.seconds) for each in found) <= whole
    assert [each.settled for each in found] == [4, 4, 4, 6, 6]
    assert {limit for *_, limit in slow.asked} == {1.5}
    assert [x for literals, x, _ in slow.asked if literals == "sets"] == list(range(6))


def test_the_budget_is_kept_and_each_question_is_asked():
    slow = Slow({"values": 0.001, "intervals": 0.3, "sets": 0.3})
    before = time.perf_counter()
    found = bench.measure(slow, list(range(50)), 1.0, 1.5, lambda _: None)
    assert time.perf_counter() - before < 1.0 + 3 * 0.3 + 0.5
    assert len(found[0].seconds) == 50 and all(1 <= len(each.seconds) < 50 for each in found[1:3])
    assert len(found[3].seconds) == len(found[4].seconds) == 50


def test_figures_are_those_of_the_times():
    times = (0.5, 0.1, 0.3, 0.2)
    assert bench.Timing("q", times, 3).to_dict() == {
        "question": "q",
        "rows": 4,
        "median": statistics.median(times),
        "worst": 0.5,
        "first": 0.5,
        "proved": 3,
    }


def test_a_model_is_measured_on_its_rows(files, call):
    asked = ("bench", "forest.json", "rows.csv", "--rows", 4, "--budget", 5)
    facts = json.loads(call(*asked, "--json").out)
    assert [each["question"] for each in facts["questions"]] == QUESTIONS
    assert facts["trees"] == 7 and facts["loaded"] > 0
    for each in facts["questions"]:
        assert each["rows"] == each["proved"] == 4 and 0 < each["median"] <= each["worst"] < 2
    told = call(*asked).out.splitlines()
    assert told[0].startswith("scikit-learn RandomForestClassifier: 7 trees")
    assert [line[:20].strip() for line in told[-5:]] == QUESTIONS and told[-1].endswith("4 of 4")
    assert max(map(len, told)) <= 80


def test_rows_are_drawn_and_a_seed_draws_the_same(files):
    rows = pd.read_csv("rows.csv").to_numpy()
    some = draw_rows(rows, 5, 3)
    assert np.array_equal(some, draw_rows(rows, 5, 3)) and not np.array_equal(some, draw_rows(rows, 5, 4))
    assert all(any(np.array_equal(x, row) for row in rows) for x in some)
    assert len(draw_rows(rows, 1000, 0)) == len(rows)


@pytest.mark.parametrize(("seconds", "words"), [(0.00042, "0.42 ms"), (0.0153, "15 ms"), (1.234, "1.2 s")])
def test_times_are_short(seconds, words):
    assert bench._format_time(seconds) == words
