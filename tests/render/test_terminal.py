"""Explanations in a terminal: readable at 60 columns, without colours, and in plain ASCII."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from primewood.render import terminal
from primewood.render.lanes import MARGIN, Bar, Lane, Scale
from render import card_records as records
from render.snapshot import check_snapshot

WIDTHS = (60, 80, 120)


def printed(thing, width=60, encoding="utf-8", colour=False):
    """What a terminal of this width and encoding gets."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    Console(
        file=file, width=width, force_terminal=colour, color_system="truecolor" if colour else None
    ).print(thing)
    file.flush()
    return file.buffer.getvalue().decode(encoding)


def letters(words):
    return "".join(str(words).replace("\x1b", r"\x1b").split())


def squeezed(text):
    """The letters of a panel, without its frame, spaces and line breaks."""
    return letters(" ".join(line[1:-1] for line in text.splitlines()))


@pytest.fixture(params=[*records.MADE, *records.live()])
def record(request):
    make = records.MADE.get(request.param)
    return make() if make else records.live()[request.param]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_too_long_and_nothing_is_cut_off(record, width):
    text = printed(terminal.explanation(record), width)
    assert {cell_len(line) for line in text.splitlines()} == {width}
    assert "…" not in text
    shown = squeezed(text)
    for literal in record["literals"]:
        pieces = literal["shown"] if "intervals" in literal else [literal["text"]]
        pieces = [records.unquoted(piece, literal["feature"]) for piece in pieces]
        if len(pieces) <= 3:
            assert all(letters(piece) in shown for piece in pieces) or width >= terminal.SIDE_BY_SIDE
    for line in [*record["notes"], *record["assumptions"]]:
        assert letters(line) in shown
    assert f"{'THEN' if record['literals'] else 'ALWAYS'}{letters(record['decision'])}" in shown


def test_colours_add_nothing_but_colour(record):
    plain = printed(terminal.explanation(record))
    coloured = printed(terminal.explanation(record), colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_what_a_terminal_cannot_encode_is_written_as_its_code(record, encoding):
    text = printed(terminal.explanation(record), encoding=encoding)
    assert {len(line) for line in text.splitlines()} == {60}
    assert not set(text) & set("█░◆◂▸")


def test_names_are_no_markup_and_may_hold_anything():
    text = squeezed(printed(terminal.explanation(records.odd_names()), 80))
    assert "[boldred]loud[/]" in text
    assert r"\x1b[31mred\x1b[0m" in text
    assert "🌳height" in text
    assert "β(βάρος)" in text
    assert "<i>maybe</i>" in text
    assert r"\U0001f333height" in squeezed(printed(terminal.explanation(records.odd_names()), 80, "ascii"))


def test_free_and_untested_features_are_counted():
    text = squeezed(printed(terminal.explanation(records.sixty_features()), 120))
    assert "32featuresdon'tmatterhere:feature1,feature2" in text
    assert "16featuresareinnotree:feature41" in text


def test_pieces_beyond_three_are_counted():
    text = squeezed(printed(terminal.explanation(records.many_pieces())))
    assert "(12<=hour<13hor14<=hour<15hor16<=hour<17hor9otherranges)" in text
    assert "4moreallowed,20moreexcluded" in text


def test_a_narrower_width_can_be_asked_for():
    text = printed(terminal.explanation(records.loan(), width=70), 120)
    assert {cell_len(line.rstrip()) for line in text.splitlines()} == {70}


@pytest.mark.parametrize("name", records.MADE)
def test_explanations_look_as_before(name):
    check_snapshot(f"{name}.txt", printed(terminal.explanation(records.MADE[name]())))


def test_a_wide_terminal_and_a_plain_one_look_as_before():
    check_snapshot("loan_wide.txt", printed(terminal.explanation(records.loan()), 110))
    check_snapshot("loan_ascii.txt", printed(terminal.explanation(records.loan()), encoding="ascii"))


def test_a_batch_looks_as_before():
    check_snapshot("batch.txt", printed(terminal.batch(records.batch()), 80))
    check_snapshot("batch_summary.txt", printed(terminal.batch(records.batch()["summary"])))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_batch_fits_and_says_its_counts(width):
    text = printed(terminal.batch(records.batch()), width)
    assert {cell_len(line) for line in text.splitlines()} == {width}
    assert "4 rows: 3 proved, 1 interrupted" in text
    assert "2024-01-31" in text


def test_a_live_explanation_and_a_live_batch_print_themselves():
    explainer, flower = records.iris()
    why = explainer.explain(flower)
    assert printed(why) == printed(terminal.explanation(why.to_dict()))
    lender, frame = records.credit()
    many = lender(frame.iloc[:12]).to_dict()
    assert "12 rows: 12 proved" in printed(terminal.batch(many), 80)
    assert "and 2 more" in printed(terminal.batch(many), 80)


places = st.floats(0, 1)


@given(places, places, places, st.integers(8, 40))
def test_a_lane_has_its_length_and_shows_the_row_where_it_is(start, end, mark, count):
    start, mark, end = sorted((start, mark, end))
    line = terminal.cells(Lane(Scale(0.0, 1.0), (Bar(start, end),), mark, (), ()), terminal.PLAIN, count)
    assert len(line) == count + 2
    place = line.index(terminal.PLAIN.row)
    expected = 0 if mark < MARGIN else (mark - MARGIN) / (1 - 2 * MARGIN) * count + 0.5
    assert abs(place - min(expected, count + 1)) <= 1


@given(places, places, st.integers(8, 40))
@example(0.0, 0.09375, 8)
def test_every_bar_is_seen_on_its_lane(start, end, count):
    start, end = sorted((start, end))
    line = terminal.cells(Lane(Scale(0.0, 1.0), (Bar(start, end),), None, (), ()), terminal.PLAIN, count)
    inside = end >= MARGIN and start <= 1 - MARGIN
    assert ("=" in line) or not inside or end - start < 1e-9
