"""Nothing that people read is left untranslated."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

import companion
from companion.failure import IMAGE_STATUS
from companion.i18n import DOMAIN, FOLDER, NAMES, language_of_environment, say
from companion.labels import STANDARD_LABELS, face
from companion.sentences import FINDINGS, IMAGE_ERRORS, TABLE_REASONS, finding_sentence
from engines.core.text import LANGUAGES
from vision.types import Finding

PACKAGE = Path(companion.__file__).parent
PLACE = re.compile(r"%\((\w+)\)[sd]")
SAME_IN_BOTH = {"%(file)s: %(reason)s", "no"}


@cache
def extracted() -> frozenset[str]:
    """Return every sentence of code and templates (the first of a plural)."""
    found = extract_from_dir(
        PACKAGE,
        method_map=[("**.py", "python"), ("templates/**.html", "jinja2")],
        options_map={"templates/**.html": {"trim_blocks": "1", "lstrip_blocks": "1"}},
        keywords={
            **{"_": None, "gettext": None, "N_": None},
            **{"ngettext": (1, 2), "say_many": (2, 3)},
        },
    )
    return frozenset(
        message if isinstance(message, str) else message[0]
        for _, _, message, _, _ in found
    )


def catalogue(language: str) -> Catalog:
    with (FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file)


def forms(message: Message) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts in English and in the other language."""
    ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    texts = message.string
    return ids, (texts,) if isinstance(texts, str) else tuple(texts or ())


@pytest.mark.parametrize("language", [item for item in LANGUAGES if item != "en"])
def test_every_sentence_is_translated_and_none_is_left_over(language: str) -> None:
    messages = {forms(message)[0][0]: message for message in catalogue(language)}
    messages.pop("")
    assert set(messages) == extracted()
    for key, message in messages.items():
        ids, texts = forms(message)
        assert len(texts) == len(ids), key
        assert not message.fuzzy, key
        assert all(text.strip() for text in texts), f"untranslated: {key}"


@pytest.mark.parametrize("language", [item for item in LANGUAGES if item != "en"])
def test_translations_keep_the_places_and_edges(language: str) -> None:
    for message in catalogue(language):
        ids, texts = forms(message)
        if not ids[0]:
            continue
        for text in texts:
            assert set(PLACE.findall(text)) <= set(PLACE.findall(ids[-1])), text
            assert text[:1].isspace() == ids[0][:1].isspace(), text
        assert set(PLACE.findall(texts[-1])) == set(PLACE.findall(ids[-1])), ids[0]


@pytest.mark.parametrize("language", [item for item in LANGUAGES if item != "en"])
def test_the_compiled_catalogue_is_that_of_the_text(language: str) -> None:
    with (FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.mo").open("rb") as file:
        compiled = {forms(item)[0]: forms(item)[1] for item in read_mo(file)}
    written = {forms(item)[0]: forms(item)[1] for item in catalogue(language)}
    compiled.pop(("",), None)
    written.pop(("",), None)
    assert compiled == written


def test_every_code_of_vision_has_a_sentence_in_every_language() -> None:
    finding_codes = {
        *("blurred", "dark", "overexposed", "low_resolution"),
        *("nothing_found", "screen", "scale_assumed", "not_known_by_sight"),
        *("lens_unknown", "colourless", "mirrored", "swapped_back"),
    }
    assert set(FINDINGS) == finding_codes
    assert set(IMAGE_ERRORS) == set(IMAGE_STATUS)
    for message in (
        *FINDINGS.values(),
        *IMAGE_ERRORS.values(),
        *TABLE_REASONS.values(),
    ):
        assert say("it", message) != message


def test_findings_fill_their_places() -> None:
    twice = Finding("duplicate", (("label", "10h"),))
    assert finding_sentence(twice, "en").startswith("Ten of hearts was seen more than")
    assert finding_sentence(twice, "it").startswith("Dieci di cuori si vede")
    for count, told in ((1, "Una carta non si"), (3, "3 carte non si")):
        unread = Finding("unread", (("count", count),))
        assert finding_sentence(unread, "it").startswith(told)
    assert finding_sentence(Finding("new_code"), "it") == "new_code"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_its_own_name(language: str) -> None:
    names = [face(label, language).name for label in STANDARD_LABELS]
    assert len(set(names)) == 53
    assert face("10c", "it").name == "dieci di fiori"
    assert face("X", "it").short == "Jolly"


def test_every_language_of_the_product_has_a_name() -> None:
    assert set(NAMES) == set(LANGUAGES)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "it_IT.UTF-8"}, "it"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "it_CH"}, "it"),
        ({"LANGUAGE": "it:en", "LANG": "C"}, "it"),
        ({"LANG": "de_DE"}, "en"),
        ({}, "en"),
    ],
)
def test_the_environment_chooses_the_language(
    environment: dict[str, str], language: str
) -> None:
    assert language_of_environment(environment) == language
