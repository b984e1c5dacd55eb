"""A language that nobody speaks: longer by 40 %, with accents, and with marked ends.

It takes the place of Italian. A text without marks was never given to a catalogue; a
page that breaks under it would break under German. What the marks enclose may hold
values; places, tags and entities stay as they are.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from companion import i18n, rulebook
from companion.i18n import DOMAIN, FOLDER
from companion.tables.boards import frantic
from companion.web import language as web_language
from companion.web import markdown
from engines.core import house, kit, text

OPEN, CLOSE = "⟦", "⟧"
LONGER = 0.4
KEPT = re.compile(r"%\(\w+\)[sd]|%%|\{[^}]*\}|<[^>]*>|&\w+;")
ACCENTS = str.maketrans("aceinouyACEINOUY", "àçéîñöûýÀÇÉÎÑÖÛÝ")
MARKUP = re.compile(
    r"`[^`\n]*`|^#+ (?:[\w.-]*\d[\w.-]* |F-[A-I] )?|^ *[-*] |^\d+\. |[|*\\\n]",
    re.MULTILINE,
)
"""What is not said, in the rules of a game: code, numbers of rules, marks of lists."""
SHOWN = ("aria-label", "alt", "placeholder", "title", "content", "data-offline")
SILENT = {"script", "style", "code", "pre", "textarea"}


def pseudo(message: str) -> str:
    """Return a message in the language.

    >>> pseudo("Take %(count)s photos")
    '⟦Tàké %(count)s phötös ~~ ~⟧'
    """
    if not message.strip():
        return message
    shown, at = "", 0
    for found in KEPT.finditer(message):
        shown += message[at : found.start()].translate(ACCENTS) + found[0]
        at = found.end()
    shown += message[at:].translate(ACCENTS)
    more = round(LONGER * len(KEPT.sub("", message)))
    # Breaks as words do: a line of one long word would prove nothing.
    tail = "".join(" " if place % 3 == 0 else "~" for place in range(more))
    return f"{OPEN}{shown}{tail.rstrip()}{CLOSE}"


def pseudo_rules(rules: str) -> str:
    """Return the rules of a game in the language.

    >>> pseudo_rules("## 4.2 What fits `R5`")
    '## 4.2 ⟦Whàt fîts  ~~⟧`R5`'
    """
    said, at = "", 0
    for found in MARKUP.finditer(rules):
        said += pseudo(rules[at : found.start()]) + found[0]
        at = found.end()
    return said + pseudo(rules[at:])


@contextmanager
def pseudo_locale(patch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Let Italian be that language, in the page, the games and the kits.

    Enter it before the application is made.
    """
    place = folder / "it" / "LC_MESSAGES"
    place.mkdir(parents=True)
    known = read_po(io.BytesIO((FOLDER / f"{DOMAIN}.pot").read_bytes()))
    made = Catalog(locale="it", fuzzy=False)
    for message in known:
        if message.id:
            ids = (message.id,) if isinstance(message.id, str) else message.id
            one, *others = (pseudo(one) for one in ids)
            made.add(
                message.id, (one, *others * (made.num_plurals - 1)) if others else one
            )
    with (place / f"{DOMAIN}.mo").open("wb") as file:
        write_mo(file, made)
    catalogue = text._catalogue
    shown = kit.Face.name

    def marked(room: str) -> Mapping[str, Mapping[str, str]]:
        return {
            key: dict(texts) | {"it": pseudo(texts["en"])}
            for key, texts in catalogue(room).items()
        }

    rules = rulebook.rules_markdown

    def rules_of(game: str, language: str) -> str:
        said = rules(game, language)
        return pseudo_rules(said) if language == "it" else said

    def face_name(self: kit.Face, language: str) -> str:
        name = shown(self, language)
        return pseudo(name) if language == "it" else name

    def ruling_words(self: house.Words, language: str) -> str:
        english = dict(self.texts)["en"]
        return pseudo(english) if language == "it" else english

    event_text = frantic.event_text

    def event_words(label: str, language: str) -> str:
        return pseudo(event_text(label, "en")) if language == "it" else ""

    patch.setattr(frantic, "event_text", event_words)
    patch.setattr(markdown, "rules_markdown", rules_of)
    patch.setattr(rulebook, "rules_markdown", rules_of)
    patch.setattr(i18n, "FOLDER", folder)
    patch.setattr(web_language, "FOLDER", folder)
    patch.setattr(text, "_catalogue", marked)
    patch.setattr(kit.Face, "name", face_name)
    patch.setattr(house.Words, "render", ruling_words)
    caches = (i18n._catalogue, markdown.rules_html, markdown.section_html)
    for cache in caches:
        cache.cache_clear()
    try:
        yield
    finally:
        for cache in caches:
            cache.cache_clear()


class Texts(HTMLParser):
    """Every text of a page that people read or hear, with where it stands."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._within: list[str] = []
        self._kept: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the texts of a tag."""
        said = dict(attrs)
        if tag == "meta" and said.get("name") != "description":
            return
        is_own = said.get("translate") == "no" or said.get("lang") not in (None, "it")
        if tag not in VOID:
            self._within.append("code" if is_own and tag != "html" else tag)
        if is_own and tag != "html":
            return
        self.found += [str(said[name]) for name in SHOWN if said.get(name)]

    def handle_endtag(self, tag: str) -> None:
        """Leave a tag."""
        if self._within:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        """Take a text."""
        if not SILENT & set(self._within):
            self.found.append(data)


VOID = {
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta"),
    *("source", "track", "wbr"),
}


def unmarked(page: str, known: re.Pattern[str]) -> list[str]:
    """Return the texts of a page that came from no catalogue; `known` ones aside."""
    reader = Texts()
    reader.feed(page)
    left = []
    for found in reader.found:
        rest = html.unescape(found)
        while True:  # marks may stand within marks
            inner = re.sub(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", " ", rest)
            if inner == rest:
                break
            rest = inner
        rest = known.sub(" ", rest)
        if re.search(r"[^\W\d_]{2,}", rest):
            left.append(" ".join(rest.split()))
    return left
