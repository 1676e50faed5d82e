"""The command that measures the speed of answers on a user's own model and rows.

Each question is asked about the same rows in the same order, and has an equal part of the budget. Time that one
question does not use goes to the next ones. Only the call of the library is timed, not reading files or printing.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from primewood.cli import output
from primewood.cli.help import LIMITS
from primewood.cli.options import Json, OptionalModel, OptionalRows, ReadingOptions, Train, question_option
from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from primewood.explainer import Explainer

TREES = 100
"""The number of trees of the forest that is measured when no model is given."""


def bench(
    model: OptionalModel = None,
    rows: OptionalRows = None,
    *,
    train: Train = None,
    reading: ReadingOptions,
    count: Annotated[
        int, question_option("--rows", min=1, help="At most this many rows, drawn at random.", metavar="N")
    ] = 100,
    seed: Annotated[int, question_option("--seed", min=0, help="Of the draw.", metavar="N")] = 0,
    budget: Annotated[
        float,
        typer.Option("--budget", min=0.0, help="For all of it.", metavar="SECONDS", rich_help_panel=LIMITS),
    ] = 20.0,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit", min=0.001, help="For one answer.", metavar="SECONDS", rich_help_panel=LIMITS
        ),
    ] = 2.0,
    as_json: Json = False,
) -> None:
    """Measure the speed of answers on your own model and rows.

    Prints per question about how many rows it was asked, the median and the worst time of an answer, that of the
    first (which prepares what the others share, and counts with them), and how many were settled within the time
    limit. Without a model, a forest of 100 trees on the included credit data is measured.

    Examples
    --------
    primewood bench forest.skops rows.csv --rows 5 --budget 5
    primewood bench --rows 3 --budget 3 --json
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import draw_rows, load_with_rows

    start = time.perf_counter()
    if model is None:
        if (train, reading) != (None, ReadingOptions()):
            raise InvalidInput("options for reading a model need one; pass MODEL and ROWS")
        explainer, X = _train_credit_forest()
    elif rows is None:
        raise InvalidInput("pass ROWS (a CSV or JSON file, or - for stdin), or leave out the model too")
    else:
        explainer, X = load_with_rows(model, rows, train, collect_settings(reading, "bench"))
    loaded = time.perf_counter() - start
    with CommandProgress("measuring") as progress:
        found = measure(explainer, draw_rows(X, count, seed), budget, time_limit, progress.say)
    facts = _collect_facts(explainer, loaded, time_limit, found)
    output.write_record(facts) if as_json else output.write_line(_format_table(facts))


class TimingRecord(TypedDict):
    """How long the answers to one question took, in seconds, and how many were proved."""

    question: str
    rows: int
    median: float
    worst: float
    first: float
    proved: int


class BenchRecord(TypedDict):
    """What was measured of a model."""

    model: str
    digest: str
    trees: int
    leaves: int
    loaded: float
    time_limit: float
    questions: list[TimingRecord]


@dataclass(frozen=True)
class Timing:
    """How long the answers to one question took.

    Attributes
    ----------
    question : str
    seconds : tuple of float
        Per row, in the order of the questions.
    settled : int
        The number of answers that were proved within the time limit.
    """

    question: str
    seconds: tuple[float, ...]
    settled: int

    def to_dict(self) -> TimingRecord:
        """The figures in plain types."""
        return {
            "question": self.question,
            "rows": len(self.seconds),
            "median": statistics.median(self.seconds),
            "worst": max(self.seconds),
            "first": self.seconds[0],
            "proved": self.settled,
        }


def list_questions(explainer: Explainer, limit: float) -> dict[str, Callable[[NDArray[np.float64]], Any]]:
    """List the questions that are measured, each a function of a row."""

    def explain(literals: Any) -> Callable[[NDArray[np.float64]], Any]:
        return lambda x: explainer.explain(x, literals=literals, time_limit=limit)

    return {
        "explain, values": explain("values"),
        "explain, intervals": explain("intervals"),
        "explain, sets": explain("sets"),
        "counterfactual": lambda x: explainer.counterfactual(x, time_limit=limit),
        "robustness": lambda x: explainer.robustness(x, time_limit=limit),
    }


def measure(
    explainer: Explainer,
    rows: NDArray[np.float64],
    budget: float,
    limit: float,
    say: Callable[[str], None],
) -> list[Timing]:
    """Ask each question about as many rows as its part of the budget allows; about one row at least."""
    from primewood.questions.status import Status

    end = time.perf_counter() + budget
    found: list[Timing] = []
    asked = list_questions(explainer, limit)
    for place, (question, ask) in enumerate(asked.items()):
        start = time.perf_counter()
        until = start + max(0.0, end - start) / (len(asked) - place)
        seconds: list[float] = []
        settled = 0
        for x in rows:
            say(f"{question}: row {len(seconds) + 1} of {len(rows)}")
            before = time.perf_counter()
            answer = ask(x)
            after = time.perf_counter()
            seconds.append(after - before)
            settled += answer.status is not Status.INTERRUPTED
            if after > until:
                break
        found.append(Timing(question, tuple(seconds), settled))
    return found


def _train_credit_forest() -> tuple[Explainer, NDArray[np.float64]]:
    """Train a forest on the included credit data."""
    from sklearn.ensemble import RandomForestClassifier

    from primewood.data.credit import load_credit
    from primewood.explainer import Explainer

    credit = load_credit()
    forest = RandomForestClassifier(TREES, random_state=0).fit(credit.X, credit.y)
    explainer = Explainer(
        forest,
        credit.X,
        feature_names=credit.feature_names,
        class_names=credit.class_names,
        domain=credit.domain,
    )
    return explainer, credit.X


def _collect_facts(explainer: Explainer, loaded: float, limit: float, found: list[Timing]) -> BenchRecord:
    from primewood.cli.inputs import get_ensemble

    ensemble = get_ensemble(explainer)
    return {
        "model": ensemble.source,
        "digest": ensemble.digest,
        "trees": len(ensemble.trees),
        "leaves": sum(int(tree.is_leaf.sum()) for tree in ensemble.trees),
        "loaded": loaded,
        "time_limit": limit,
        "questions": [each.to_dict() for each in found],
    }


def _format_table(facts: BenchRecord) -> str:
    loaded = _format_time(facts["loaded"])
    lines = [
        f"{facts['model']}: {facts['trees']} trees, {facts['leaves']} leaves; loaded in {loaded}",
        f"one answer has {facts['time_limit']:g} s; times of the calls, one after the other",
        "",
        f"{'question':<20}{'rows':>5}{'median':>10}{'worst':>10}{'first':>10}{'proved':>12}",
    ]
    for each in facts["questions"]:
        times = "".join(f"{_format_time(x):>10}" for x in (each["median"], each["worst"], each["first"]))
        proved = f"{each['proved']} of {each['rows']}"
        lines.append(f"{each['question']:<20}{each['rows']:>5}{times}{proved:>12}")
    return "\n".join(lines)


def _format_time(seconds: float) -> str:
    """Write a time in two or three digits.

    >>> _format_time(0.00042), _format_time(0.0153), _format_time(1.234)
    ('0.42 ms', '15 ms', '1.2 s')
    """
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.2f} ms"
