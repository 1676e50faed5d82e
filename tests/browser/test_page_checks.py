"""The checks of pages find what they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser.page_checks import (
    Browser,
    Check,
    badly_printed,
    complaints,
    headings,
    missing_glyphs,
    overflows,
    poor_contrast,
    problems,
    requests,
    unnamed,
    unreachable,
)

LONG = "word" * 60
SOUND = """
<main><h1>A page</h1><h2>With ≤, ≥, é, Ω and Ж</h2>
<svg role="img" aria-label="a line" width="40" height="9"><line x1="0" x2="40" y1="4" y2="4" stroke="black"/></svg>
<details><summary>more</summary><p>folded away</p></details></main>
"""


def written(folder: Path, body: str, head: str = "<title>t</title>") -> Path:
    path = folder / "page.html"
    path.write_text(
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8>{head}<body>{body}</body></html>", "utf-8"
    )
    return path


def test_a_sound_page_has_no_problems(browser: Browser, tmp_path: Path) -> None:
    assert problems(browser, written(tmp_path, SOUND)) == []


@pytest.mark.parametrize(
    ("check", "body", "said"),
    [
        (complaints, "<script>throw Error('oops')</script>", "oops"),
        (requests, "<img alt='' src='http://127.0.0.1:9/x.png'>", "127.0.0.1:9/x.png"),
        (requests, "<img alt='' src='other.png'>", "other.png"),
        (overflows, f"<p>{LONG}</p>", "the page is"),
        (overflows, f"<p style='width:99px;overflow:hidden'>{LONG}</p>", "cut off: wordword"),
        (overflows, f"<div style='width:200px;border:1px solid'>{LONG}</div>", "cut off: wordword"),
        (missing_glyphs, "<p>a\uf3a1b</p>", "U+F3A1"),
        (missing_glyphs, "<p style='font-family:monospace;font-weight:700'>\U0010abcd</p>", "U+10ABCD"),
        (poor_contrast, "<p style='color:#888;background:#fff'>grey</p>", "contrast 3.54: grey"),
        (poor_contrast, "<p style='opacity:.4'>faint</p>", "faint"),
        (poor_contrast, "<svg width=90 height=30><text y=20 fill='#aaa'>light</text></svg>", "light"),
        (unreachable, "<details inert><summary>never</summary>x</details>", "never"),
        (unreachable, "<details><summary tabindex=-1>passed by</summary>x</details>", "passed by"),
        (unnamed, "<div role=img><p>x</p></div>", "a picture has no name"),
        (unnamed, "<svg><path d='M0 0h9'/></svg>", "a picture has no name"),
        (unnamed, "<p aria-hidden=true><span role=img aria-label='a lane'></span></p>", "a lane"),
        (headings, "<h1>a</h1><h3>b</h3>", "level 3 follows one of level 1"),
        (headings, "<h2>a</h2>", "0 headings of the first level"),
        (badly_printed, "<p>here</p><p style='position:absolute;left:-400px'>gone</p>", "gone"),
        (badly_printed, "<style>@media print{b{display:none}}</style>a <b>lost</b>", "not printed: lost"),
    ],
)
def test_a_check_finds_what_is_wrong(
    browser: Browser, tmp_path: Path, check: Check, body: str, said: str
) -> None:
    browser.open(written(tmp_path, body))
    found = check(browser)
    assert any(said in line for line in found), found


def test_what_a_policy_forbids_is_reported(browser: Browser, tmp_path: Path) -> None:
    policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
    browser.open(written(tmp_path, "<script>1</script>", policy))
    assert any("Content Security Policy" in line for line in complaints(browser))


def test_a_page_says_its_title_and_language(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "bare.html"
    path.write_text("<!DOCTYPE html><h1>a</h1>", "utf-8")
    browser.open(path)
    assert headings(browser) == ["the page has no title", "the page does not say its language"]
