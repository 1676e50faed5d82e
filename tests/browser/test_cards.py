"""Cards and their pages in a browser: calm, readable and whole at every width, in both colour schemes, and on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser.page_checks import Browser, missing_glyphs, overflows, poor_contrast, printed, problems
from primewood.render.html import card as cards
from primewood.render.html.conditions import MOST_DRAWN
from primewood.render.html.page import page
from render import card_records as records

PAGES = {
    "loan": ("loan",),
    "small": ("stopped", "impossible", "always", "no_training_rows", "without_a_model"),
    "edges": ("many_pieces", "missing_values", "beyond"),
    "odd names": ("odd_names",),
    "sixty features": ("sixty_features",),
    "live": ("iris", "credit, missing"),
    "thirty features": ("cancer",),
}
"""Which records are on a page."""


def every_answer() -> list[Any]:
    """One answer of each kind, about iris."""
    explainer, x = records.iris()
    rows = explainer.rows[::10]
    return [
        explainer,
        explainer.importance(rows),
        explainer.contrast(x),
        explainer.robustness(x),
        explainer.relevance(x),
        explainer.attribution(x),
        explainer.check(x, [explainer.ensemble.feature_names[0]]),
        explainer.what_if(x, explainer.ensemble.feature_names[3]),
        explainer.decision_map(x, explainer.ensemble.feature_names[2:4]),
        explainer.adverse_action(x, "versicolor"),
        explainer.compile(),
        explainer.explanations(x),
        explainer.complete_reason(x),
        explainer.fidelity,
    ]


def document(name: str) -> str:
    if name == "other answers":
        verified = [
            cards.verification(records.verification(outcome)) for outcome in ("holds", "fails", "undecided")
        ]
        other = [cards.counterfactual(records.counterfactual()), cards.rule_list(records.rule_list())]
        return page("Other answers", [cards.batch(records.batch()), *verified, *other])
    if name == "every answer":
        return page("Every answer", [answer._repr_html_() for answer in every_answer()])
    found = [records.MADE[x]() if x in records.MADE else records.live()[x] for x in PAGES[name]]
    return page(f"Why: {name}", map(cards.card, found))


def written(folder: Path, text: str) -> Path:
    path = folder / "page.html"
    path.write_text(text, "utf-8")
    return path


LARGE = ("sixty features", "thirty features", "edges", "live", "every answer")
"""Pages that take long; the others have what they have, on a smaller scale."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(x, marks=pytest.mark.slow) if x in LARGE else x
        for x in (*PAGES, "other answers", "every answer")
    ],
)
def test_a_page_has_no_problems(browser: Browser, tmp_path: Path, name: str) -> None:
    # Not every system has fonts for all letters of the odd names.
    left_out = (missing_glyphs,) if name in ("odd names", "other answers") else ()
    assert problems(browser, written(tmp_path, document(name)), leave_out=left_out) == []


def test_a_card_fits_on_a_small_telephone(browser: Browser, tmp_path: Path) -> None:
    for name in (*PAGES, "other answers", "every answer"):
        browser.open(written(tmp_path, document(name)), width=320, unfold=True)
        assert overflows(browser) == []


def test_lanes_are_aligned_and_the_row_lies_in_its_bar(browser: Browser, tmp_path: Path) -> None:
    browser.open(written(tmp_path, document("thirty features")), unfold=True)
    lanes = browser.run("""
      return [...document.querySelectorAll('.pw-lane')].map(lane => {
        const box = lane.getBoundingClientRect(), mark = lane.querySelector('.pw-mark').getBoundingClientRect();
        const bars = [...lane.querySelectorAll('.pw-bar')].map(bar => bar.getBoundingClientRect());
        const middle = (mark.left + mark.right) / 2;
        return [box.left, box.right, bars.some(bar => bar.left - 1 <= middle && middle <= bar.right + 1)];
      })""")
    record = records.live()["cancer"]
    conditions, tested = len(record["literals"]), sum(entry["tested"] for entry in record["instance"])
    assert len(lanes) == min(MOST_DRAWN, conditions) + min(MOST_DRAWN, tested - conditions)
    assert len({(left, right) for left, right, _ in lanes}) == 1
    assert all(inside for _, _, inside in lanes)


def test_a_long_card_prints_on_several_sheets_without_cutting_a_lane(
    browser: Browser, tmp_path: Path
) -> None:
    browser.open(written(tmp_path, document("thirty features")), unfold=True)
    sheets = printed(browser).pages
    assert len(sheets) > 1
    told = "".join("".join(sheet.extract_text().split()) for sheet in sheets)
    for entry in records.live()["cancer"]["instance"]:
        assert "".join(entry["feature"].split()) in told


NOTEBOOK = """
.jp-RenderedHTMLCommon { color: tomato; font: 17px/2 serif; padding-right: 20px; }
.jp-RenderedHTMLCommon :is(h1, h2, h3) { font-size: 30px; line-height: 3; font-weight: 200; margin: 20px 0; }
.jp-RenderedHTMLCommon :is(h1, h2, h3):first-child { margin-top: 15px; }
.jp-RenderedHTMLCommon :is(h1, h2, h3):last-child { margin-bottom: 15px; }
.jp-RenderedHTMLCommon :is(ul, ol):not(.list-inline) { padding-left: 2em; }
.jp-RenderedHTMLCommon :is(ul, ol) { list-style: disc; margin-bottom: 1em; }
.jp-RenderedHTMLCommon ul ul ul { list-style: circle; }
.jp-RenderedHTMLCommon p { margin: 0 0 1em; }
.jp-RenderedHTMLCommon table { table-layout: fixed; margin: 0 auto 1em; color: tomato; font-size: 9px; }
.jp-RenderedHTMLCommon :is(td, th, tr) { vertical-align: middle; padding: .5em; line-height: normal; border: none; }
.jp-RenderedHTMLCommon th { font-weight: bold; }
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon :is(td, th, tr) { text-align: right; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: tomato; }
.jp-RenderedHTMLCommon tbody tr:nth-child(even) { background: gold; }
.jp-RenderedHTMLCommon svg { max-width: 100%; height: auto; }
.jp-ThemedContainer .jp-RenderedHTMLCommon :not(pre) > code { background: tomato; padding: 1px 5px; font: 20px serif; }
"""
"""As specific as what JupyterLab says about HTML in outputs (packages/rendermime/style/base.css), and louder."""
LOOKS = """
const names = ['color', 'backgroundColor', 'fill', 'fontSize', 'fontWeight', 'lineHeight', 'textAlign', 'verticalAlign',
  'listStyleType', 'tableLayout', 'height', 'width', 'marginTop', 'marginRight', 'marginBottom', 'marginLeft',
  'paddingTop', 'paddingRight', 'paddingBottom', 'paddingLeft', 'borderTopWidth', 'borderBottomWidth'];
return [...document.querySelectorAll('.pw-card, .pw-card *')].map(element => {
  const style = getComputedStyle(element);
  const called = `${element.tagName} ${element.className.baseVal ?? element.className}`;
  return [called, ...names.map(name => `${name} ${style[name]}`)];
})"""


def in_a_notebook(theme: str, fragment: str, style: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>t</title><style>{style}</style>'
        f'<body class="jp-ThemedContainer" {theme} style="margin:0"><div style="width:900px">'
        f'<div class="jp-RenderedHTMLCommon">{fragment}</div></div></body></html>'
    )


@pytest.mark.parametrize(
    "make", [lambda: cards.card(records.loan()), lambda: cards.rule_list(records.rule_list())]
)
def test_a_notebook_s_own_style_does_not_change_a_card(browser: Browser, tmp_path: Path, make) -> None:
    found = []
    for style in (".jp-RenderedHTMLCommon { padding-right: 20px; }", NOTEBOOK):
        browser.open(written(tmp_path, in_a_notebook("", make(), style)), unfold=True)
        found.append(browser.run(LOOKS))
    changed = [
        (set(styled) - set(plain), plain[0]) for plain, styled in zip(*found, strict=True) if plain != styled
    ]
    assert changed == []


@pytest.mark.parametrize(
    ("theme", "system", "ink"),
    [
        ('data-jp-theme-light="false"', "light", "dark"),
        ('data-jp-theme-light="true"', "dark", "light"),
        ('class="vscode-dark"', "light", "dark"),
        ('class="vscode-light"', "dark", "light"),
        ('data-theme="dark"', "light", "dark"),
        ("", "dark", "dark"),
        ("", "light", "light"),
    ],
)
def test_colours_follow_the_notebook_before_the_system(
    browser: Browser, tmp_path: Path, theme: str, system: str, ink: str
) -> None:
    text = in_a_notebook("", cards.card(records.loan()), NOTEBOOK).replace("<html", f"<html {theme}")
    browser.open(written(tmp_path, text), scheme=system, unfold=True)
    light = (
        browser.run("return getComputedStyle(document.querySelector('.pw-card')).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    assert light == (ink == "light")
    assert poor_contrast(browser) == []


def test_two_cards_side_by_side_are_both_whole(browser: Browser, tmp_path: Path) -> None:
    body = "".join(
        f'<div style="width:430px;float:left">{cards.card(records.loan())}</div>' for _ in range(2)
    )
    browser.open(written(tmp_path, page("Two", [body])), width=1000, unfold=True)
    assert overflows(browser) == []
    assert poor_contrast(browser) == []
