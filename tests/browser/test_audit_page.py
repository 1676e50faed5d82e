"""The page of an audit report in a browser: whole at every width, in both colour schemes, and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps import audit_records as records
from browser.page_checks import Browser, overflows, printed, problems
from primewood.apps.report.page import SECTIONS, render_page


def written(folder: Path, name: str) -> Path:
    path = folder / "audit.html"
    path.write_text(render_page(records.MADE[name]()), "utf-8")
    return path


def sheets(browser: Browser) -> list[str]:
    """The text of each sheet, with single spaces."""
    return [" ".join(sheet.extract_text().split()) for sheet in printed(browser).pages]


def test_a_page_has_no_problems(browser: Browser, tmp_path: Path) -> None:
    assert problems(browser, written(tmp_path, "odd names")) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stated", "iris", "stopped", "small", "no rows"])
def test_more_pages_have_no_problems(browser: Browser, tmp_path: Path, name: str) -> None:
    assert problems(browser, written(tmp_path, name)) == []


@pytest.mark.parametrize("name", records.MADE)
def test_a_page_fits_on_a_small_telephone(browser: Browser, tmp_path: Path, name: str) -> None:
    browser.open(written(tmp_path, name), width=320, unfold=True)
    assert overflows(browser) == []


def test_the_contents_lead_to_every_section(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, "small")
    for anchor in ("at-a-glance", *SECTIONS):
        browser.open(path, width=1400)
        browser.run("document.querySelector(`nav a[href='#${arguments[0]}']`).click()", anchor)
        place = "const box = document.getElementById(arguments[0]).getBoundingClientRect()"
        seen = browser.run(f"{place}; return box.top < innerHeight && box.bottom > 0", anchor)
        assert seen, anchor


def test_the_contents_stay_beside_the_text_on_a_wide_screen_only(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, "small")
    sides = []
    for width in (800, 1600):
        browser.open(path, width=width)
        sides.append(
            browser.run(
                "const box = name => document.querySelector(name).getBoundingClientRect();"
                "return box('nav').right <= box('main').left"
            )
        )
    assert sides == [False, True]


def test_paper_has_numbered_sheets_and_no_card_is_cut(browser: Browser, tmp_path: Path) -> None:
    browser.open(written(tmp_path, "iris"))
    told = sheets(browser)
    for number, sheet in enumerate(told, 1):
        assert f"{number} / {len(told)}" in sheet
    for item in records.iris()["cases"]["items"]:
        (begun,) = [sheet for sheet in told if f"Row {item['label']} {item['chosen'].capitalize()}" in sheet]
        card = begun.partition(f"Row {item['label']} {item['chosen'].capitalize()}")[2]
        assert "none can be relaxed" in card


def test_what_is_folded_is_left_out_on_paper_and_printed_when_opened(
    browser: Browser, tmp_path: Path
) -> None:
    path = written(tmp_path, "small")
    browser.open(path)
    folded = " ".join(sheets(browser))
    browser.open(path, unfold=True)
    opened = " ".join(sheets(browser))
    for words in ("the rest of both rows", "What would change it"):
        assert words not in folded and words in opened
    for item in records.small()["cases"]["items"]:
        whole = [f"{entry['feature']} = {entry['shown']}" for entry in item["why"]["instance"]]
        assert all(words in folded for words in whole)
