"""A page as a tree of elements, for tests that ask what stands where."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "link"}


class Element:
    """An element with its attributes, and with elements and text in it."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag, self.attributes = tag, attributes
        self.inside: list[Element | str] = []

    def __iter__(self) -> Iterator[Element]:
        """All elements in it, in the order of the page."""
        for one in self.inside:
            if isinstance(one, Element):
                yield one
                yield from one

    def all(self, tag: str = "", style: str = "", **attributes: str) -> list[Element]:
        """The elements in it of a tag, of a style class, and with these attributes."""
        return [
            one
            for one in self
            if tag in ("", one.tag)
            and (not style or style in one.attributes.get("class", "").split())
            and all(one.attributes.get(name) == value for name, value in attributes.items())
        ]

    def one(self, tag: str = "", style: str = "", **attributes: str) -> Element:
        """The only such element."""
        (found,) = self.all(tag, style, **attributes)
        return found

    @property
    def text(self) -> str:
        """Its text with single spaces; that of style elements aside."""
        return " ".join("".join(self._pieces()).split())

    def _pieces(self) -> Iterator[str]:
        for one in self.inside:
            if isinstance(one, str):
                yield one
            elif one.tag != "style":
                yield from one._pieces()

    def rows(self) -> list[list[str]]:
        """The cells of the rows of the tables in it."""
        return [[cell.text for cell in row if cell.tag in ("th", "td")] for row in self.all("tr")]


def read(page: str) -> Element:
    """The document; every element must be closed, the last that was opened first."""
    document = Element("", {})
    open_ = [document]

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            element = Element(tag, {name: value or "" for name, value in attrs})
            open_[-1].inside.append(element)
            if tag not in VOID:
                open_.append(element)

        def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            open_[-1].inside.append(Element(tag, {name: value or "" for name, value in attrs}))

        def handle_endtag(self, tag: str) -> None:
            assert open_[-1].tag == tag, f"{tag} is closed and was not opened last"
            open_.pop()

        def handle_data(self, data: str) -> None:
            open_[-1].inside.append(data)

    reader = Reader(convert_charrefs=True)
    reader.feed(page)
    reader.close()
    assert len(open_) == 1, f"not closed: {open_[-1].tag}"
    return document
