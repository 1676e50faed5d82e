"""All plots: on the axes that are given, with words that do not overlap; what they refuse; live answers."""

from __future__ import annotations

import itertools
import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.errors import InvalidInput, MissingDependency
from primewood.render import plots
from primewood.render.plots.drawing import measure_text, wrap
from render.plots import records
from render.plots.cases import CASES, SUMMARY, boxes, decision_at, drawn, says, strip, words
from render.plots.records import LONG

every = pytest.mark.parametrize("case", CASES)


@pytest.fixture(scope="module", params=CASES)
def picture(request):
    """A case on a new figure, with the numbers of the figures that are open, and the places of its words."""
    display = drawn(request.param)
    return display, plt.get_fignums(), boxes(display)


class TestAxes:
    def test_a_new_figure_is_made_and_named(self, picture):
        display, numbers, _ = picture
        assert display.ax_.figure is display.figure_ and display.figure_.axes == [display.ax_]
        assert numbers == [display.figure_.number]

    @every
    def test_axes_that_are_given_are_used_and_no_others(self, case):
        figure, (left, right) = plt.subplots(1, 2, figsize=(14, 7))
        plt.sca(right)
        settings, untouched = dict(matplotlib.rcParams), len(right.get_children())
        place = right.get_position().bounds
        display = drawn(case, ax=left)
        assert display.ax_ is left and display.figure_ is figure
        assert plt.get_fignums() == [figure.number] and plt.gca() is right
        assert figure.axes == [left, right] and len(right.get_children()) == untouched
        assert right.get_position().bounds == place
        assert not right.has_data() and len(figure.get_children()) == 3
        assert dict(matplotlib.rcParams) == settings

    @pytest.mark.parametrize("case", ["credit", "what if of names", "map", "use", "coverage", "growth"])
    @pytest.mark.parametrize("layout", ["constrained", "tight", None])
    def test_figures_without_pyplot(self, case, layout):
        ax = Figure(figsize=(9, 7), layout=layout).add_subplot()
        assert drawn(case, ax=ax).ax_ is ax and not plt.get_fignums()

    def test_axes_in_a_subfigure(self):
        ax = Figure(figsize=(12, 6)).subfigures(1, 2)[0].add_subplot()
        display = plots.ranges(records.credit(), ax=ax)
        assert display.figure_ is ax.figure

    @pytest.mark.parametrize(
        "case", ["odd", "odd side by side", "what if", "map of names", "coverage", "growth"]
    )
    @pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
    def test_it_can_be_saved(self, case, kind, tmp_path):
        drawn(case).figure_.savefig(tmp_path / f"plot.{kind}", dpi=40)
        assert (tmp_path / f"plot.{kind}").stat().st_size > 1000

    def test_something_else_than_axes_is_refused(self):
        with pytest.raises(
            InvalidInput, match=r"ax must be an Axes of matplotlib, or None .* this is a Figure"
        ):
            plots.ranges(records.credit(), ax=Figure())
        assert not plt.get_fignums()

    def test_nothing_appears_in_a_legend_of_the_user(self):
        display = plots.ranges(records.credit())
        assert display.ax_.get_legend_handles_labels() == ([], [])

    def test_the_height_follows_the_number_of_lanes(self):
        heights = [plots.ranges(records.wide(9, used)).figure_.get_figheight() for used in (1, 3, 9)]
        assert heights == sorted(heights) and heights[-1] > heights[0] + 1

    def test_matplotlib_is_loaded_late_and_pyplot_only_for_new_figures(self):
        code = (
            "import sys, primewood.render.plots as plots;"
            "assert 'matplotlib' not in sys.modules;"
            "from matplotlib.figure import Figure;"
            "plots.feature_use({'rows': 3, 'decisions': {}, 'features': {'a': 2}}, ax=Figure().add_subplot());"
            "assert 'matplotlib.pyplot' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", code], check=True)

    @every
    def test_without_matplotlib_the_error_says_what_to_install(self, case, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(
            MissingDependency, match=r"plots need matplotlib: pip install 'primewood\[plots\]'"
        ):
            drawn(case)


class TestWords:
    def test_no_two_texts_overlap(self, picture):
        for (a, first, turned), (b, second, _) in itertools.combinations(picture[2], 2):
            if not turned:
                assert not (first.padded(-0.7).overlaps(second.padded(-0.7))), (a, b)

    @every
    @pytest.mark.parametrize("size", [(9, 6), (5, 4)])
    def test_no_two_texts_overlap_on_axes_that_are_given_nor_are_they_cut_off(self, case, size):
        figure = Figure(figsize=size, dpi=200)
        found = boxes(drawn(case, ax=figure.add_subplot()))
        for name, place, _ in found:
            assert place.x0 >= 0 and place.x1 <= figure.bbox.x1, name
            assert place.y0 >= 0 and place.y1 <= figure.bbox.y1, name
        for (a, first, turned), (b, second, _) in itertools.combinations(found, 2):
            if not turned:
                assert not (first.padded(-1.5).overlaps(second.padded(-1.5))), (a, b)

    def test_nothing_is_cut_off(self, picture):
        whole = picture[0].figure_.bbox
        for name, place, _ in picture[2]:
            assert place.x0 >= whole.x0 and place.x1 <= whole.x1, name
            assert place.y0 >= whole.y0 and place.y1 <= whole.y1, name

    def test_dollars_are_no_formulas(self, picture):
        assert not any(text.get_parse_math() and "$" in text.get_text() for text in words(picture[0]))

    @pytest.mark.parametrize(
        "name", [LONG, "a b c d e f g h i j k l m n o p q r s t u v w", "x" * 90, "äöü/é-1.25"]
    )
    def test_lines_keep_every_letter_and_their_width(self, name):
        lines = wrap(name, 1.0, 9, most=99).split("\n")
        assert "".join(lines).replace(" ", "") == name.replace(" ", "")
        assert all(measure_text(line, 9) <= 1.0 for line in lines)

    def test_numbers_are_not_broken(self):
        assert "1.25" in wrap("between 1.25 and 3.75 percent", 0.6, 9, most=99).split()

    def test_too_many_lines_end_with_dots(self):
        lines = wrap(LONG * 5, 1.0, 9, most=2).split("\n")
        assert len(lines) == 2 and lines[1].endswith("…") and measure_text(lines[1], 9) <= 1.0


class TestOtherThings:
    @pytest.mark.parametrize(
        ("plot", "given", "message"),
        [
            (plots.ranges, 3, r"ranges takes an explanation, or its to_dict\(\); this int is not one"),
            (
                plots.ranges,
                {"decision": 1},
                r"this dict is not one: it has no status, literal_language, literals",
            ),
            (plots.ranges, strip(), "this is a what-if strip, which is drawn by what_if"),
            (
                plots.ranges,
                {"summary": {}, "explanations": []},
                r"this is a batch.*pass one explanation, such as batch\[0\]",
            ),
            (plots.growth, SUMMARY, "this is a summary of a batch, which is drawn by feature_use"),
            (plots.what_if, records.credit(), "what_if takes a what-if strip.*which is drawn by ranges"),
            (plots.what_if, None, "this NoneType is not one"),
            (plots.decision_map, strip(), "decision_map takes a decision map.*drawn by what_if"),
            (plots.feature_use, records.credit(), "feature_use takes a summary of a batch.*drawn by ranges"),
            (
                plots.side_by_side,
                records.credit(),
                "side_by_side takes several explanations.*drawn by ranges",
            ),
            (plots.side_by_side, "text", "side_by_side takes several explanations.*this str is not one"),
            (plots.side_by_side, [], "side_by_side takes at least one explanation; there is none"),
            (plots.side_by_side, [records.credit(), 4], "each of the explanations in side_by_side takes"),
            (plots.coverage_by_size, 7, "coverage_by_size takes several explanations.*this int is not one"),
        ],
    )
    def test_a_message_says_what_is_taken(self, plot, given, message):
        with pytest.raises(InvalidInput, match=message):
            plot(given)
        assert not plt.get_fignums()


@pytest.fixture(scope="module")
def flowers():
    """A model, its explainer and a row."""
    iris = load_iris()
    forest = RandomForestClassifier(n_estimators=10, max_depth=3, random_state=0).fit(iris.data, iris.target)
    options = {"feature_names": iris.feature_names, "class_names": iris.target_names}
    return forest, pw.Explainer(forest, iris.data, **options), iris.data[113]


class TestLiveAnswers:
    """The pictures agree with the model itself."""

    def test_ranges(self, flowers):
        _, explainer, row = flowers
        why = explainer.explain(row)
        display = plots.ranges(why)
        record = why.to_dict(distribution=True)
        for literal, track in zip(record["literals"], display.tracks, strict=False):
            lane = track.picture
            places = [
                (
                    0.0 if x["low"] is None else lane.scale.place(x["low"]),
                    1.0 if x["high"] is None else lane.scale.place(x["high"]),
                )
                for x in literal["intervals"]
            ]
            assert [(bar.start, bar.end) for bar in lane.bars] == places
            assert lane.columns and says(display, literal["text"])
        assert display.tracks == plots.ranges(record).tracks
        assert why.plot().tracks == display.tracks

    @pytest.mark.parametrize("feature", range(4))
    def test_what_if(self, flowers, feature):
        forest, explainer, row = flowers
        name = load_iris().feature_names[feature]
        display = plots.what_if(explainer.what_if(row, name))
        scale = display.scale
        numbers = np.linspace(scale.low - 1, scale.high + 1, 200)
        rows = np.tile(row, (len(numbers), 1))
        rows[:, feature] = numbers
        decisions = load_iris().target_names[forest.predict(rows)]
        for x, decision in zip(numbers, decisions, strict=True):
            place = scale.place(x)
            found = {p.decision for p in display.stretches if p.bar and p.bar.start <= place <= p.bar.end}
            assert decision in found

    def test_decision_map(self, flowers):
        forest, explainer, row = flowers
        display = plots.decision_map(explainer.decision_map(row, ("petal length (cm)", "petal width (cm)")))
        (low, high), (bottom, top) = display.ax_.get_xlim(), display.ax_.get_ylim()
        rng = np.random.default_rng(0)
        rows = np.tile(row, (300, 1))
        rows[:, 2], rows[:, 3] = rng.uniform(low, high, 300), rng.uniform(bottom, top, 300)
        decisions = load_iris().target_names[forest.predict(rows)]
        for x, y, decision in zip(rows[:, 2], rows[:, 3], decisions, strict=True):
            assert decision_at(display, x, y) == decision

    def test_batches_and_searches(self, flowers):
        _, explainer, row = flowers
        batch = explainer(load_iris().data[::10])
        display = plots.feature_use(batch)
        used = [name for why in batch for name in why.features]
        assert display.counts == {name: used.count(name) for name in display.counts} and display.rows == 15
        assert sum(plots.coverage_by_size(batch).dots.values()) == 15
        assert len(plots.side_by_side(explainer.explanations(row)).columns) == 3
        why = explainer.explain(row, goal="shortest")
        assert why.history
        display = plots.growth(why)
        assert list(zip(display.seconds, display.lower, display.upper, strict=True)) == list(why.history)
