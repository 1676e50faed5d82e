"""Names that would steer a terminal, turn a line around or forge one: people see escapes, programs the exact names."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from inspect import signature

import pytest

import primewood as pw
from every_answer import answers, explainer_of, rows
from primewood.errors import PrimewoodError, format_list
from primewood.logic.expression_parser import parse
from primewood.visible import HIDDEN_BUT_LINES, visible, visible_json

RED, TURN, LINE = "\x1b[31m", "\u202e", "\nFORGED"
NAMES = (f"am{RED}ount", f"a{TURN}ge[red]", f"hou\tsing{LINE}")
CATEGORIES = (f"o{RED}wn", f"re{TURN}nt", f"fr\x9bee{LINE}")
CLASSES = (f"declined{RED}", f"app{TURN}roved\u2028{LINE}")
ENGLAND = "\U0001f3f4" + "".join(chr(0xE0000 + ord(x)) for x in "gbeng\x7f")
ORDINARY = ("העברה", "الدخل", "年龄", "café", "👩‍🚀", ENGLAND, "می‌خواهم", "a\\b")


@pytest.fixture(scope="module")
def explainer():
    return explainer_of(NAMES, CLASSES, CATEGORIES, f"D{RED}M")


@pytest.fixture(scope="module")
def every(explainer):
    return {name: found for name, found in answers(explainer).items() if found is not None}


def check_visible(words, what=""):
    assert not (found := HIDDEN_BUT_LINES.search(words)), (what, found[0], words[:300])
    assert not re.search(r"^\s*FORGED", words, re.MULTILINE), (what, words[:300])


def test_all_that_steers_or_hides_is_escaped_and_nothing_else():
    for code in (
        *range(32),
        *range(0x7F, 0xA0),
        0x061C,
        0x200B,
        0x200E,
        0x200F,
        *range(0x2028, 0x202F),
        0xFEFF,
    ):
        assert re.fullmatch(r"\\(x..|u....|[nrt])", visible(chr(code))), code
    for code in (*range(0x2066, 0x206A), 0xD800, 0xDFFF, 0xE0041):
        assert visible(chr(code)).startswith("\\") and visible(chr(code)).isascii()
    for name in ORDINARY:
        assert visible(name) == name
    assert visible(visible(NAMES[0])) == visible(NAMES[0]) == r"am\x1b[31mount"


def test_json_says_the_same_with_escapes():
    for word in (*NAMES, "\U000e0001", "\x7f", *ORDINARY):
        shown = visible_json(json.dumps(word, ensure_ascii=False))
        assert json.loads(shown) == word and visible(shown) == shown


def test_every_answer_prints_escapes(every):
    for name, found in every.items():
        for words in (str(found), repr(found)):
            check_visible(words, name)
        if hasattr(found, "to_text"):
            can_be_full = "full" in signature(found.to_text).parameters
            check_visible(found.to_text(full=True) if can_be_full else found.to_text(), name)
    assert r"am\x1b[31mount" in "".join(map(str, every.values()))


def test_every_explanation_has_visible_words(explainer):
    for x in rows()[:6]:
        why = explainer.explain(x, literals="sets")
        for words in (
            why.rule,
            why.what_would_change_it,
            why.to_text(exact=True),
            str(explainer.counterfactual(x)),
        ):
            check_visible(words)


def test_every_card_shows_escapes(every):
    for name, found in every.items():
        if hasattr(found, "_repr_html_"):
            check_visible(unescape(found._repr_html_()), name)
    check_visible(unescape(every["report"].to_html()))
    check_visible(unescape(every["explanation"].to_html()))


def test_the_terminal_shows_escapes_and_no_markup(every):
    from rich.console import Console

    for name in ("explanation", "batch"):
        file = io.StringIO()
        Console(file=file, width=120).print(every[name])
        check_visible(file.getvalue(), name)
    why = every["explanation"]
    assert any("[red]" in line for line in (file.getvalue(), str(why), str(every["relevance"])))


def test_letters_show_escapes(every):
    check_visible(every["adverse action"].letter)


def test_plots_show_escapes(every):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.text import Text

    for make in (
        lambda: pw.plots.ranges(every["explanation"]),
        lambda: pw.plots.importance(every["importance"]),
        lambda: every["what if"].plot(),
        lambda: every["decision map"].plot(),
    ):
        display = make()
        for text in display.ax_.figure.findobj(Text):
            check_visible(text.get_text())
        pyplot.close("all")


def test_records_keep_the_exact_names(explainer, every):
    used = {x["feature"] for x in every["explanation"].to_dict()["instance"]}
    assert used == set(NAMES) and every["explanation"].decision in CLASSES
    record = json.loads(every["explanation"].to_json())
    assert {x["feature"] for x in record["instance"]} == set(NAMES) and record["decision"] in CLASSES
    assert (
        explainer.explain(dict(zip(NAMES, rows()[0], strict=True))).decision == every["explanation"].decision
    )


def test_errors_show_escapes(explainer):
    x = rows()[0]
    for ask in (
        lambda: explainer.explain(x, fix=[f"nothing{RED}{LINE}"]),
        lambda: explainer.explain(x[:2]),
        lambda: explainer.contrast(x, target=f"nobody{TURN}"),
        lambda: explainer.check(x, f"nothing{RED} < 3"),
        lambda: explainer.explain({**dict(zip(NAMES, x, strict=True)), NAMES[2]: f"no{RED}ne"}),
        lambda: pw.verify(explainer, f"nothing{RED} -> {CLASSES[0]}"),
        lambda: pw.Explainer(f"/no{RED}where/model.json"),
    ):
        with pytest.raises((PrimewoodError, TypeError)) as problem:
            ask()
        check_visible(str(problem.value))
    assert format_list([f"a{RED}", "b"]) == r"a\x1b[31m, b"


def test_printed_expressions_are_read_back():
    variables = [pw.Variable(name, [*CATEGORIES, "x", *ORDINARY]) for name in (*NAMES, *ORDINARY, 'a"\\n')]
    for x in variables:
        for value in x.values:
            text = str(x == value)
            assert visible(text) == text and parse(text, variables) == (x == value)


def test_printed_rules_are_read_back_as_claims(explainer):
    for x in rows()[:5]:
        why = explainer.explain(x)
        conditions = why.rule.removeprefix("IF ").rpartition(" THEN ")[0]
        assert explainer.check(x, conditions).sufficient


def test_the_command_line_shows_escapes(tmp_path, capsys, explainer):
    from primewood.cli import main

    explainer.save(tmp_path / "saved.explainer")
    explainer._model.as_read.save(tmp_path / f"mod{RED}el.json")
    with (tmp_path / f"rows{TURN}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([NAMES, *rows()[:3].tolist()])
    model, table = str(tmp_path / f"mod{RED}el.json"), str(tmp_path / f"rows{TURN}.csv")
    for call in (
        ["info", model],
        ["explain", model, table, "--row", "0"],
        ["explain", model, table, "--row", "0", "--json"],
        ["explain", model, table, "--row", "99"],
        ["contrast", model, table, "--row", "0"],
        ["flip", model, table, "--row", "0"],
        ["verify", model, f"nothing{RED} -> 1"],
        ["explain", model, table, "--nothing", f"x{RED}"],
        ["explain", model, f"nowhere{RED}.csv"],
    ):
        with pytest.raises(SystemExit):
            main.run(call)
        done = capsys.readouterr()
        check_visible(done.out, call)
        check_visible(done.err, call)
        assert done.out or done.err, call
