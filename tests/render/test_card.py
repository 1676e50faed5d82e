"""Cards and pages: what they say, that it is escaped, and that they need nothing else."""

from __future__ import annotations

import math
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from primewood.errors import InvalidInput
from primewood.render import lanes, text
from primewood.render.html import card as cards
from primewood.render.html.conditions import MOST_DRAWN
from primewood.render.html.environment import style
from primewood.render.html.page import page
from primewood.render.lanes import MARGIN, Chips, Lane, Scale
from primewood.visible import visible, visible_record
from render import card_records as records
from render.snapshot import check_snapshot


def tracks(record):
    return lanes.tracks(record["literals"], record["instance"])


VOID = {"meta", "br", "img", "input", "link"}
OTHERS = {
    "batch": lambda: cards.batch(records.batch()),
    "summary": lambda: cards.batch(records.batch()["summary"]),
    "holds": lambda: cards.verification(records.verification("holds")),
    "fails": lambda: cards.verification(records.verification("fails")),
    "undecided": lambda: cards.verification(records.verification("undecided")),
    "counterfactual": lambda: cards.counterfactual(records.counterfactual()),
    "counterfactual, impossible": lambda: cards.counterfactual(records.counterfactual("impossible")),
    "counterfactual, stopped": lambda: cards.counterfactual(records.counterfactual("interrupted")),
    "rules": lambda: cards.rule_list(records.rule_list()),
}


class Read(HTMLParser):
    """A fragment as a browser reads it: its elements with their attributes, and its text; elements must be closed."""

    def __init__(self, fragment: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.pieces: list[str] = []
        self.feed(fragment)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"{tag} is closed and was not opened last"

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.pieces.append(data)

    @property
    def text(self) -> str:
        """All text, with single spaces."""
        return " ".join(" ".join(self.pieces).split())

    def attributes(self, name: str) -> list[str]:
        return [held[name] for _, held in self.elements if name in held]


def words(line: str) -> str:
    """A line as it stands on a card: comparisons have their signs, and spaces are single."""
    return " ".join(line.replace("<=", "≤").replace(">=", "≥").split())


@pytest.fixture(params=[*records.MADE, *records.live()])
def record(request):
    make = records.MADE.get(request.param)
    return make() if make else records.live()[request.param]


@pytest.fixture(params=[*records.MADE, *OTHERS])
def fragment(request):
    return OTHERS[request.param]() if request.param in OTHERS else cards.card(records.MADE[request.param]())


def test_a_card_says_all_that_the_record_says(record):
    read = Read(cards.card(record))
    record = visible_record(record)
    shown = words(read.text)
    assert str(record["decision"]) in read.text
    for literal in record["literals"]:
        for piece in literal["shown"] if "intervals" in literal else [literal["text"]]:
            assert words(records.unquoted(piece, literal["feature"])) in shown
    for entry in record["instance"]:
        assert entry["tested"] is False or words(entry["shown"]) in shown
    for line in [*record["notes"], *record["assumptions"]]:
        assert words(line) in shown
    for item in record.get("excludes", []):
        assert all(words(str(piece)) in shown for piece in text.split_at_name(item["literal"]))
        assert all(words(name) in shown for name in item["changed"])
    if record["coverage"] is not None:
        assert text.write_share(record["coverage"]) in shown
        assert text.write_share(record["volume"]) in shown


def test_every_picture_is_also_told_in_words(record):
    labels = Read(cards.card(record)).attributes("aria-label")
    pictures = [held for _, held in Read(cards.card(record)).elements if held.get("role") == "img"]
    record = visible_record(record)
    for literal in record["literals"][:MOST_DRAWN]:
        assert any(literal["text"] in label for label in labels)
    mentioned = [literal["feature"] for literal in record["literals"]]
    entries = {entry["feature"]: entry for entry in record["instance"] if entry["tested"]}
    free = [name for name in entries if name not in mentioned]
    for name in [*mentioned[:MOST_DRAWN], *free[:MOST_DRAWN]]:
        own = entries.get(name)
        told = [records.unquoted(label, name) for label in labels]
        assert own is None or any(name in x and f"this row: {own['shown']}" in x for x in told)
    assert len(pictures) == min(MOST_DRAWN, len(mentioned)) + min(MOST_DRAWN, len(free))


@pytest.mark.parametrize(
    ("status", "badge"),
    [("proved", "Proved"), ("interrupted", "Stopped early"), ("impossible", "Not possible")],
)
def test_the_status_is_said_not_only_coloured(status, badge):
    record = {**records.stopped(), "status": status}
    shown = Read(cards.card(record)).text
    assert badge in shown
    assert text.write_status(record)[1:] in shown


def test_a_fragment_needs_nothing_and_runs_nothing(fragment):
    read = Read(fragment)
    tags = {tag for tag, _ in read.elements}
    assert not tags & {"script", "link", "iframe", "img", "object", "base", "form", "image", "use"}
    names = {name for _, held in read.elements for name in held}
    assert not names & {"src", "href", "id", "style", "xlink:href"}
    assert not any(name.startswith("on") for name in names)
    assert "url(" not in fragment
    assert "@import" not in fragment
    assert "http" not in fragment


def test_odd_names_are_shown_as_they_are_or_as_escapes():
    read = Read(cards.card(records.odd_names()))
    for name in records.ODD_NAMES:
        assert " ".join(visible(name).split()) in read.text
    for said in ("<i>maybe</i>", "<img src=x>", "</article>", "<b>Köln</b>", 'say "no"', "東京"):
        assert said in read.text


def test_headings_take_the_level_that_is_asked_for():
    found = [
        tag
        for tag, _ in Read(cards.batch(records.batch(), level=3)).elements
        if tag[0] == "h" and tag[1:].isdigit()
    ]
    assert found[0] == "h3"
    assert set(found[1:]) == {"h4"}
    with pytest.raises(InvalidInput, match="from 1 to 5, not 6"):
        cards.card(records.loan(), level=6)


def test_a_page_carries_the_style_once_and_forbids_the_rest():
    document = page("A & <B>", [cards.card(records.loan()), cards.batch(records.batch()), "<p>by hand</p>"])
    read = Read(document.removeprefix("<!DOCTYPE html>"))
    assert document.count(style()) == 1
    assert document.count("<style>") == 1
    assert "<title>A &amp; &lt;B&gt;</title>" in document
    assert "<p>by hand</p>" in document
    policy = next(held["content"] for _, held in read.elements if held.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "script" not in policy
    assert {"charset": "utf-8"} in [held for tag, held in read.elements if tag == "meta"]
    assert ("html", {"lang": "en"}) in read.elements


def test_what_is_free_is_folded_away_and_counted():
    shown = Read(cards.card(records.sixty_features())).text
    assert "32 features don't matter here" in shown
    assert "16 features are in no tree: feature 41, feature 42" in shown
    assert "and 4 others." in shown


def test_many_pieces_are_counted_and_all_there():
    shown = Read(cards.card(records.many_pieces())).text
    assert "12 ≤ hour < 13 h or 14 ≤ hour < 15 h or 16 ≤ hour < 17 h all 12 pieces" in shown
    assert "and 4 more that are allowed and 20 more that are not" in shown


def test_a_rule_of_a_list_is_about_no_row():
    shown = Read(cards.rule_list(records.rule_list())).text
    assert "this row" not in shown
    assert "80 training rows, 10 of them new" in shown


def test_the_best_possible_is_told_by_its_bounds():
    for bounds, said in [([2.0, 2.0], "proved 2 "), ([1.0, 3.0], "1 to 3"), ([46.0, None], "at least 46")]:
        assert said in Read(cards.card({**records.always(), "goal": "widest", "bounds": bounds})).text
    assert "best possible" not in Read(cards.card(records.always())).text


@pytest.mark.parametrize("name", [*records.MADE, *OTHERS])
def test_fragments_look_as_before(name):
    made = OTHERS[name]() if name in OTHERS else cards.card(records.MADE[name]())
    assert made.startswith(style())
    check_snapshot(f"{name.replace(', ', '_')}.html", made.removeprefix(style()))


def test_a_page_looks_as_before():
    check_snapshot("page.html", page("Why declined", [cards.card(records.loan())]))


def test_live_answers_have_cards():
    """Whatever the records of live answers hold, their cards can be made, and say the main thing."""
    import primewood as pw

    flowers, flower = records.iris()
    lender, frame = records.credit()
    found = lender(frame.iloc[:3]).to_dict()
    assert "3 rows" in Read(cards.batch(found)).text
    rules = flowers.rules().to_dict()
    assert f"{len(rules['rules'])} rules" in Read(cards.rule_list(rules)).text
    verdict = pw.verify(flowers, pw.monotone("petal width (cm)")).to_dict()
    assert "Fails" in Read(cards.verification(verdict)).text
    other = flowers.counterfactual(flower, "versicolor").to_dict()
    assert "Instead of virginica versicolor" in Read(cards.counterfactual(other)).text


def test_an_explanation_shows_itself_as_a_card_and_as_a_page(tmp_path):
    explainer, flower = records.iris()
    why = explainer.explain(flower)
    assert why._repr_html_() == cards.card(why.to_dict(witnesses=True, distribution=True))
    document = why.to_html(tmp_path / "why.html")
    assert document == (tmp_path / "why.html").read_text("utf-8")
    assert (
        cards.card(why.to_dict(witnesses=True, distribution=True)).removeprefix(style()).strip() in document
    )


def typeset(literal):
    return [
        (piece.before, piece.name, piece.after)
        for piece in map(text.Piece.typeset, text.split_at_name(literal))
    ]


def test_a_name_that_looks_like_a_comparison_keeps_its_letters():
    assert typeset(records.numbers("a <= b", records.part(3.0, 4.0))) == [("3 ≤", "a <= b", "< 4")]
    assert typeset(records.numbers("e", records.part(1e-05, 3.0, "right"))) == [("1e-05 <", "e", "≤ 3")]
    assert typeset(records.names("size", ["<= 5"])) == [("", "size", "is <= 5")]


def test_a_condition_is_divided_whatever_its_feature_is_called():
    for name in ("is", "or", "3 <", "x is missing", "a b"):
        literal = records.numbers(name, records.part(None, 1.0), records.part(3.0, 4.0), missing=True)
        assert [piece.name for piece in text.split_at_name(literal)] == [name] * 3
        shown = [records.unquoted(piece, name) for piece in literal["shown"]]
        assert [str(piece) for piece in text.split_at_name(literal)] == shown


numbers = st.floats(allow_nan=False)
finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite, st.lists(numbers, min_size=2))
@example(0.0, 5e-324, [-1.0, 0.0, 5e-324, 1.0])
@example(-1.7e308, 1.7e308, [-1.79e308, 0.0, 1.79e308])
@example(1.79e308, 1.79e308, [0.0, 1.79e308])
@example(-1.79e308, -1.79e308, [-math.inf, 0.0])
def test_places_on_a_lane_keep_the_order_of_numbers(low, high, others):
    scale = Scale.over(min(low, high), max(low, high))
    places = [scale.place(x) for x in sorted(others)]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)
    assert scale.place(-math.inf) == 0
    assert scale.place(math.inf) == 1
    assert MARGIN <= scale.place(low) <= 1 - MARGIN + 1e-12


@given(finite, finite, finite, finite, finite)
def test_a_row_inside_a_condition_is_drawn_inside_its_bar(low, high, start, end, value):
    start, value, end = sorted((start, value, end))
    literal = records.numbers("x", records.part(start, end, "both"))
    entry = records.number_entry("x", value, min(low, high), max(low, high))
    lane = lanes.track(entry, literal).picture
    assert isinstance(lane, Lane)
    assert lane.bars[0].start <= lane.mark <= lane.bars[0].end


def test_without_bounds_a_bar_reaches_the_ends_and_a_row_outside_is_told():
    drawn = {track.feature: track for track in tracks(records.beyond()).conditions}
    assert drawn["above"].picture.bars[0].end == 1.0
    assert drawn["below"].picture.bars[0].start == 0.0
    assert drawn["above"].picture.mark > 1 - MARGIN
    assert drawn["above"].beyond == "above the training range"
    assert drawn["below"].beyond == "below the training range"
    assert drawn["far"].beyond == ""
    assert [tick.text for tick in drawn["one number"].picture.ticks] == ["7"]


def test_columns_of_a_histogram_are_put_together_and_keep_their_mass():
    counts = list(range(1, 46))
    entry = records.number_entry("x", 1.0, 0.0, 45.0, counts=counts)
    columns = lanes.track(entry).picture.columns
    assert len(columns) <= lanes.MOST_COLUMNS
    assert max(column.height for column in columns) == 1.0
    mass = [column.height * column.width for column in columns]
    assert sum(mass[:5]) / sum(mass) == pytest.approx(sum(counts[:15]) / sum(counts))


def test_of_many_categories_the_own_and_the_allowed_are_shown_first():
    chips = tracks(records.many_pieces()).conditions[1].picture
    assert isinstance(chips, Chips)
    assert len(chips.shown) == lanes.MOST_CHIPS
    assert all(chip.allowed for chip in chips.shown)
    assert [chip.name for chip in chips.shown if chip.own] == ["city 38"]
    assert (chips.more_allowed, chips.more_excluded) == (4, 20)


def test_missing_is_a_chip_of_its_own():
    drawn = {track.feature: track for track in tracks(records.missing_values()).conditions}
    assert (drawn["age"].missing.allowed, drawn["age"].missing.own) == (True, True)
    assert drawn["age"].picture.mark is None
    assert drawn["job"].missing is None
    assert drawn["income"].missing is None
    free = tracks(records.missing_values()).free
    assert [(track.feature, track.missing.own) for track in free] == [("height", True)]
