"""What `arbitro print` knows: names, what they are, and the PDF of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import CompanionError, UsageError
from companion.i18n import N_, say
from companion.prints.paper import DEFAULT_PAPER, PAPERS, Paper

if TYPE_CHECKING:
    from engines.warstones.kit import WarKit

WHOLE = "sheet"
"""In file names, a mat on one sheet."""


class PrintError(CompanionError):
    """A sheet cannot be made or written."""

    code = "print"


@dataclass(frozen=True, slots=True)
class Print:
    """One thing to print."""

    what: str
    """Its name in words: ``deck frenzy``."""
    about: str
    """A sentence of the catalogue of sentences."""
    on_paper: Callable[[Paper, str], bytes]
    whole: Callable[[str], bytes] | None = None
    """On one sheet of its own size, where no paper is asked for."""
    beside: Callable[[], tuple[str, str]] | None = None
    """Ending and text of a file that belongs to it."""


@dataclass(frozen=True, slots=True)
class Written:
    """Files that were written."""

    pdf: Path
    pages: int
    beside: tuple[Path, ...] = ()


def prints(kit_file: Path | None = None) -> Iterator[Print]:
    """Yield everything there is, in the order of the list."""
    yield Print("charuco", N_("sheet to calibrate a camera with"), _charuco)
    yield Print("markers", N_("four markers for the corners of a table"), _markers)
    yield Print(
        "mat warstones",
        N_("the mat, 90 x 90 cm: on one sheet, or in tiles of a paper"),
        _mat_tiles,
        _mat_sheet,
        _mat_geojson,
    )
    yield Print("fiches", N_("the fiches of Warstones"), _of_kit("fiches", kit_file))
    yield Print(
        "tokens",
        N_("City tokens, counters and Fortresses of Warstones"),
        _of_kit("tokens", kit_file),
    )
    yield from _deck_prints()


def find_print(words: tuple[str, ...], kit_file: Path | None = None) -> Print:
    """Return the print of that name; raise `UsageError` with those there are."""
    wanted = " ".join(words).lower()
    known = {item.what: item for item in prints(kit_file)}
    if wanted in known:
        return known[wanted]
    alike = [item for name, item in known.items() if name.split()[0] == wanted]
    if len(alike) == 1:
        return alike[0]
    if alike:
        names = ", ".join(item.what for item in alike)
        raise UsageError(N_("Say which one: %(names)s."), names=names)
    message = N_("There is no %(what)s to print; `arbitro print` lists what there is.")
    raise UsageError(message, what=wanted)


def drawn(item: Print, paper: str | None, language: str) -> tuple[bytes, str]:
    """Return the PDF and the name of its size; raise `UsageError` for another paper."""
    if paper is None and item.whole is not None:
        return item.whole(language), WHOLE
    size = known_paper(paper or DEFAULT_PAPER)
    return item.on_paper(size, language), size.name


def known_paper(name: str) -> Paper:
    """Return the paper of that name; raise `UsageError` with those there are."""
    if name not in PAPERS:
        message = N_("There is no paper %(paper)s here, but %(known)s.")
        raise UsageError(message, paper=name, known=", ".join(PAPERS))
    return PAPERS[name]


def write_print(
    item: Print, paper: str | None, language: str, out: Path | None
) -> Written:
    """Write the PDF, and what belongs beside it; raise `PrintError`."""
    from companion.prints.raster import page_sizes_mm  # noqa: PLC0415 - slow

    pdf, size = drawn(item, paper, language)
    path = out or Path(f"arbitro-{item.what.replace(' ', '-')}-{size}.pdf")
    beside = []
    try:
        path.write_bytes(pdf)
        if item.beside is not None:
            ending, text = item.beside()
            beside.append(path.with_suffix(ending))
            beside[-1].write_text(text, "utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        message = N_("%(path)s cannot be written: %(why)s.")
        raise PrintError(message, path=str(path), why=why) from error
    return Written(path, len(page_sizes_mm(pdf)), tuple(beside))


def _charuco(paper: Paper, language: str) -> bytes:
    from companion.prints.boards import charuco_pdf  # noqa: PLC0415 - slow

    return charuco_pdf(paper, language)


def _markers(paper: Paper, language: str) -> bytes:
    from companion.prints.boards import markers_pdf  # noqa: PLC0415 - slow

    return markers_pdf(paper, language)


def _mat_tiles(paper: Paper, language: str) -> bytes:
    from companion.prints.tiles import mat_tiles_pdf  # noqa: PLC0415 - slow

    return mat_tiles_pdf(paper, language)


def _mat_sheet(language: str) -> bytes:
    from companion.prints.tiles import mat_sheet_pdf  # noqa: PLC0415 - slow

    return mat_sheet_pdf(language)


def _mat_geojson() -> tuple[str, str]:
    from companion.prints.mat_features import mat_geojson  # noqa: PLC0415 - slow

    return ".geojson", mat_geojson()


def _of_kit(what: str, kit_file: Path | None) -> Callable[[Paper, str], bytes]:
    def draw(paper: Paper, language: str) -> bytes:
        from companion.prints.fiche_sheets import fiches_pdf, tokens_pdf  # noqa: PLC0415

        pages = fiches_pdf if what == "fiches" else tokens_pdf
        return pages(_kit(kit_file), paper, language)

    return draw


def _kit(path: Path | None) -> WarKit:
    import tomllib  # noqa: PLC0415

    from engines.core import KitError  # noqa: PLC0415
    from engines.warstones import parse_warkit, sample_kit  # noqa: PLC0415

    if path is None:
        return sample_kit()
    try:
        return parse_warkit(tomllib.loads(path.read_text("utf-8")))
    except (OSError, ValueError, KitError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        message = N_("%(path)s is no kit to print: %(why)s.")
        raise PrintError(message, path=str(path), why=why or "") from error


def _deck_prints() -> Iterator[Print]:
    from companion.prints.decks import decks_of, own_decks  # noqa: PLC0415 - slow

    for game in dict.fromkeys(deck.game for deck in own_decks().values()):
        decks = decks_of(game)
        yield Print(f"deck {game}", _ABOUT[game], _decks(tuple(d.name for d in decks)))
        for deck in decks:
            if len(decks) > 1:
                yield Print(
                    f"deck {deck.name}", N_("one of these decks"), _decks((deck.name,))
                )


_ABOUT = {
    "brawl": N_("two characters of Brawl, 35 cards each"),
    "frantic": N_("Frantic with starred cards and events"),
    "frenzy": N_("four factions of Frenzy with advanced Heroes"),
}


def _decks(names: tuple[str, ...]) -> Callable[[Paper, str], bytes]:
    def draw(paper: Paper, language: str) -> bytes:
        from companion.prints.decks import decks_pdf, own_decks  # noqa: PLC0415

        return decks_pdf([own_decks()[name] for name in names], paper, language)

    return draw


def about(item: Print, language: str) -> str:
    """Return the sentence of the list."""
    return say(language, item.about)
