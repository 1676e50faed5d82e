"""What is checked of every page that we write, in a real browser.

Each check takes a `Browser` in which a page is open, and returns what is wrong with it, in words; nothing is wrong if
the list is empty. `problems` runs them all, in all widths and colours. The tests of the checks themselves are in
`test_page_checks.py`: a check that cannot fail is worth nothing.
"""

from __future__ import annotations

import base64
import io
import json
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WIDTHS = (360, 800, 1400)
SCHEMES = ("light", "dark")
PRINTED_WIDTH = 688
"""The width of a sheet of A4 inside margins of 14 mm, in CSS pixels."""
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


@dataclass(frozen=True)
class Installed:
    """Where the browser and its driver are."""

    browser: str
    driver: str


def installed() -> Installed | None:
    """The browser and the driver of this machine, if there are both; nothing is downloaded."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    return Installed(browser, driver) if browser and driver else None


class Browser:
    """A browser without a window.

    Attributes
    ----------
    driver : selenium.webdriver.Chrome
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(
        self, path: Path, *, width: int = 1000, scheme: str = "light", media: str = "", unfold: bool = False
    ) -> None:
        """Open a file as if on a screen (or, with media="print", on paper) of some width and colours.

        With `unfold`, all that is folded away is opened.
        """
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media=media, features=features)
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(path.resolve().as_uri())
        if unfold:
            self.run("document.querySelectorAll('details').forEach(folded => { folded.open = true; })")

    def command(self, name: str, **arguments: Any) -> dict[str, Any]:
        """A command of the DevTools protocol."""
        found: dict[str, Any] = self.driver.execute_cdp_cmd(name, arguments)
        return found

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script, which runs beside the page's own policy."""
        return self.driver.execute_script(script, *arguments)

    def press(self, key: str) -> None:
        """Press a key, wherever the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(key).perform()


@contextmanager
def browsing(found: Installed, folder: Path) -> Iterator[Browser]:
    """A browser with an empty profile in a folder."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = found.browser
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found.driver))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


def complaints(browser: Browser) -> list[str]:
    """What the browser wrote to its console: errors, and what the page's policy forbade."""
    return [f"console: {entry['message']}" for entry in browser.driver.get_log("browser")]


def requests(browser: Browser) -> list[str]:
    """What the page asked for beside itself."""
    page = browser.driver.current_url.split("#")[0]
    found = []
    for entry in browser.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        # The browser's own first page may still be asking for things.
        if message["method"] == "Network.requestWillBeSent" and message["params"]["documentURL"] == page:
            found.append(message["params"]["request"]["url"].split("#")[0])
    found += browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)")
    own = ("data:", "about:")
    return [f"asked for {url}" for url in dict.fromkeys(found) if url != page and not url.startswith(own)]


VISIBLE_TEXT = """
const shownText = () => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({checkVisibilityCSS: true})) continue;
    if (element.closest('style, script, title')) continue;
    let spoken = false;
    for (let e = element; e; e = e.parentElement) {
      const box = e.getBoundingClientRect();
      spoken ||= getComputedStyle(e).clipPath !== 'none' && box.width <= 1;
    }
    if (!spoken) found.push([node, element]);
  }
  return found;
};
"""
"""Text that can be seen: not folded away, and not there only to be heard."""

OVERFLOWS = (
    VISIBLE_TEXT
    + """
const found = [], width = document.documentElement.clientWidth;
if (document.scrollingElement.scrollWidth > width)
  found.push(`the page is ${document.scrollingElement.scrollWidth} wide, the window ${width}`);
for (const [node, element] of shownText()) {
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    let outside = box.right > width + 1 || box.left < -1;
    for (let e = element; e && e !== document.body; e = e.parentElement) {
      const style = getComputedStyle(e), own = e.getBoundingClientRect();
      const bounds = style.overflowX !== 'visible' || style.borderLeftStyle !== 'none';
      const folded = e.tagName.toLowerCase() === 'svg' && style.overflowX === 'visible';
      if (bounds && !folded && own.width > 1) outside ||= box.right > own.right + 1 || box.left < own.left - 1;
    }
    if (outside) { found.push(`cut off: ${node.data.trim().slice(0, 60)}`); break; }
  }
}
return found;
"""
)


def overflows(browser: Browser) -> list[str]:
    """Text that leaves the window, or the box around it."""
    found: list[str] = browser.run(OVERFLOWS)
    return found


GLYPHS = (
    VISIBLE_TEXT
    + r"""
const canvas = document.createElement('canvas');
canvas.width = canvas.height = 48;
const pen = canvas.getContext('2d', {willReadFrequently: true});
const drawn = (font, letter) => {
  pen.clearRect(0, 0, 48, 48);
  pen.font = font;
  pen.fillText(letter, 4, 36);
  return pen.getImageData(0, 0, 48, 48).data.join();
};
const tofu = {}, found = new Set();
for (const [node, element] of shownText()) {
  const style = getComputedStyle(element);
  const font = `${style.fontStyle} ${style.fontWeight} 24px ${style.fontFamily}`;
  tofu[font] ??= ['\u{10FFFD}', '\u{F1234}', '\u{E0FF}'].map(letter => drawn(font, letter));
  for (const letter of new Set(node.data))
    if (!/[\s\p{M}\p{Cf}]/u.test(letter) && tofu[font].includes(drawn(font, letter)))
      found.add(`no glyph for ${letter} (U+${letter.codePointAt(0).toString(16).toUpperCase()})`);
}
return [...found];
"""
)
"""A letter that looks like letters that no font has is shown as a box."""


def missing_glyphs(browser: Browser) -> list[str]:
    """Letters for which no font has a picture."""
    found: list[str] = browser.run(GLYPHS)
    return found


CONTRAST = (
    VISIBLE_TEXT
    + r"""
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const colour = text => {  // any notation of CSS, as red, green, blue (0 to 255) and alpha (0 to 1)
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const data = canvas.getImageData(0, 0, 1, 1).data;
  return [data[0], data[1], data[2], data[3] / 255];
};
const over = (top, below) => [0, 1, 2].map(k => top[k] * top[3] + below[k] * (1 - top[3])).concat(1);
const light = c => [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => {
  const x = c[k] / 255;
  return sum + weight * (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
}, 0);
const found = new Set();
for (const [node, element] of shownText()) {
  const style = getComputedStyle(element), layers = [];
  let opacity = 1;
  for (let e = element; e; e = e.parentElement) {
    layers.push(colour(getComputedStyle(e).backgroundColor));
    opacity *= Number(getComputedStyle(e).opacity);
  }
  const canvasColour = matchMedia('(prefers-color-scheme: dark)').matches &&
    getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const below = layers.reduceRight((base, layer) => over(layer, base), canvasColour);
  const ink = colour(element.closest('svg') ? style.fill : style.color);
  const text = over([...ink.slice(0, 3), ink[3] * opacity], below);
  const [a, b] = [light(text), light(below)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) found.add(`contrast ${ratio.toFixed(2)}: ${node.data.trim().slice(0, 60)}`);
}
return [...found];
"""
)
"""WCAG 2's contrast ratio of each text and what lies below it."""


def poor_contrast(browser: Browser) -> list[str]:
    """Text that is hard to tell from its background."""
    found: list[str] = browser.run(CONTRAST)
    return found


def unreachable(browser: Browser) -> list[str]:
    """What is folded away and cannot be opened by the Tab and the Enter key alone."""
    from selenium.webdriver.common.keys import Keys

    folded = browser.run("return document.querySelectorAll('details').length")
    if not folded:
        return []
    browser.run("window.getSelection().removeAllRanges(); document.activeElement.blur()")
    state = "const at = document.activeElement, box = at.closest('details');"
    for _ in range(4 * folded + 400):
        browser.press(Keys.TAB)
        where = browser.run(f"{state} return at === document.body ? 'end' : at.tagName")
        if where == "end":
            break
        if where == "SUMMARY":
            was = browser.run(f"{state} return box.open")
            browser.press(Keys.ENTER)
            if browser.run(f"{state} return box.open") == was:
                continue
            browser.run(f"{state} box.open = true; box.dataset.reached = ''")
    return browser.run(
        "return [...document.querySelectorAll('details:not([data-reached])')]"
        ".map(box => `not opened by keyboard: ${box.querySelector('summary').textContent.trim()}`)"
    )


NAMES = """
const words = ids => ids.split(/\\s+/).map(id => document.getElementById(id)?.textContent ?? '').join(' ');
const name = picture => picture.hasAttribute('aria-labelledby') ? words(picture.getAttribute('aria-labelledby'))
  : picture.getAttribute('aria-label') ?? picture.alt ?? picture.querySelector(':scope > title')?.textContent ?? '';
return [...document.querySelectorAll('[role=img], img:not([alt=""]), svg:not([aria-hidden=true]):not([role=img] *)')]
  .filter(picture => picture.checkVisibility()).map(picture => name(picture).trim());
"""
"""What the pictures that can be seen are called."""


def unnamed(browser: Browser) -> list[str]:
    """Pictures that have no name in the accessibility tree, or are not in it."""
    browser.command("Accessibility.enable")
    nodes = browser.command("Accessibility.getFullAXTree")["nodes"]
    names = [
        node.get("name", {}).get("value", "")
        for node in nodes
        if not node["ignored"] and node.get("role", {}).get("value") in ("image", "img")
    ]
    wanted = browser.run(NAMES)
    absent = [name for name in wanted if name not in names]
    return [
        *("a picture has no name" for name in [*names, *wanted] if not name.strip()),
        *(f"not in the accessibility tree: {name[:60]}" for name in absent if name),
    ]


def headings(browser: Browser) -> list[str]:
    """Headings that leave out a level; and pages without exactly one first heading, a title or a language."""
    levels = browser.run("return [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => +h.tagName[1])")
    found = [] if levels.count(1) == 1 else [f"{levels.count(1)} headings of the first level"]
    for before, level in zip([0, *levels], levels, strict=False):
        if level > before + 1:
            found.append(f"a heading of level {level} follows one of level {before}")
    if not browser.run("return document.title.trim()"):
        found.append("the page has no title")
    if not browser.run("return document.documentElement.lang"):
        found.append("the page does not say its language")
    return found


PRINT_ATTEMPTS = 4


def printed(browser: Browser) -> Any:
    """The page as a PDF on A4, read by pypdf."""
    from pypdf import PdfReader
    from selenium.common.exceptions import WebDriverException

    sheet = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True, "printBackground": True}
    for attempt in range(1, PRINT_ATTEMPTS + 1):
        try:
            document = browser.command("Page.printToPDF", **sheet)
            break
        except WebDriverException as problem:  # on a busy machine Chromium's printing process may be late
            if "Printing failed" not in str(problem) or attempt == PRINT_ATTEMPTS:
                raise
    return PdfReader(io.BytesIO(base64.b64decode(document["data"])))


def badly_printed(browser: Browser) -> list[str]:
    """Words that are on the screen and not on paper, or that begin beyond a sheet's edge; sheets without words.

    Words in letters that no font has are left to `missing_glyphs`.
    """
    found, told = [], ""
    for number, sheet in enumerate(printed(browser).pages, 1):
        width, height = float(sheet.mediabox.width), float(sheet.mediabox.height)
        beyond: list[str] = []

        def look(
            words: str,
            outer: Any,
            inner: Any,
            *_: Any,
            beyond: list[str] = beyond,
            size: Any = (width, height),
        ) -> None:
            x = outer[0] * inner[4] + outer[2] * inner[5] + outer[4]
            y = outer[1] * inner[4] + outer[3] * inner[5] + outer[5]
            if words.strip() and not (0 <= x <= size[0] and 0 <= y <= size[1]):
                beyond.append(words.strip())

        here = sheet.extract_text(visitor_text=look)
        told += here
        found += [f"sheet {number}: beyond the edge: {words[:60]}" for words in beyond]
        if not here.strip():
            found.append(f"sheet {number} is empty")
    letters = unicodedata.normalize("NFKC", "".join(told.split()))
    words = dict.fromkeys(
        " ".join(browser.run(f"{VISIBLE_TEXT} return shownText().map(([node]) => node.data)")).split()
    )
    boxes = {line.split()[3] for line in missing_glyphs(browser)}
    lost = [x for x in words if not boxes & set(x) and unicodedata.normalize("NFKC", x) not in letters]
    return [*found, *(f"not printed: {word}" for word in lost)]


Check = Callable[[Browser], list[str]]
EVERYWHERE: tuple[Check, ...] = (complaints, requests, overflows, poor_contrast)
ONCE: tuple[Check, ...] = (headings, unnamed, missing_glyphs, unreachable, badly_printed)


def problems(browser: Browser, path: Path, *, leave_out: tuple[Check, ...] = ()) -> list[str]:
    """All that is wrong with a page, at all widths and in both colour schemes, folded and unfolded, and on paper.

    Parameters
    ----------
    leave_out
        Checks that do not apply; `missing_glyphs` where the words are in letters that this machine has no font for.
    """
    found = []
    views: list[dict[str, Any]] = [{"width": width, "unfold": True} for width in WIDTHS]
    views += [{"scheme": scheme, "unfold": unfold} for scheme in SCHEMES for unfold in (False, True)]
    views += [{"width": PRINTED_WIDTH, "media": "print", "scheme": "dark", "unfold": True}]
    for view in views:
        browser.open(path, **view)
        found += [f"{view}: {x}" for check in EVERYWHERE if check not in leave_out for x in check(browser)]
    for check in ONCE:
        if check not in leave_out:
            browser.open(path, unfold=check is not unreachable)
            found += check(browser)
    return found
