"""A ruling on one printable page: picture, verdicts, margins, and what was said."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.platypus import (
    Flowable,
    Image,
    KeepInFrame,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

from companion.about import our_version
from companion.decoding import decode_apart
from companion.figures import Block, blocks_of
from companion.i18n import N_, say
from companion.labels import capital
from companion.ledger.signing import fingerprint
from companion.referee import Scored, game_kit, open_questions
from companion.sentences import finding_sentence, table_sentence
from companion.store import RULING, Decision, Record
from engines.core import Ruling, Verdict, number
from vision.images import to_jpeg
from vision.types import TableFound

MARGIN_MM = 16.0
PICTURE_MM = (178.0, 118.0)
JPEG = b"\xff\xd8\xff"
SIGNS = {Verdict.UPHELD: "\u2714", Verdict.REJECTED: "\u2718", Verdict.UNDECIDED: "?"}
VERDICTS = {
    Verdict.UPHELD: N_("upheld"),
    Verdict.REJECTED: N_("rejected"),
    Verdict.UNDECIDED: N_("undecided"),
}
_DINGBATS = re.compile("([\u2660\u2663\u2665\u2666\u2714\u2718])")
PLAIN = ParagraphStyle("plain", fontName="Helvetica", fontSize=8.5, leading=11)
SOFT = ParagraphStyle("soft", PLAIN, textColor=colors.HexColor("#58615b"), fontSize=7)
HEAD = ParagraphStyle("head", PLAIN, fontName="Helvetica-Bold", fontSize=15, leading=19)
SECTION = ParagraphStyle(
    "section", PLAIN, fontName="Helvetica-Bold", fontSize=9.5, spaceBefore=5
)


@dataclass(frozen=True, slots=True)
class Page:
    """What the page shows."""

    record: Record
    scored: Scored
    overlay: bytes
    """JPEG."""
    key: str
    """Public key of the installation, in hex."""


def as_pdf(page: Page, language: str) -> bytes:
    """Return one A4 page; what does not fit is made smaller."""
    return as_document(f"Arbitro {page.record.id}", list(_content(page, language)))


def as_document(title: str, content: list[Flowable]) -> bytes:
    """Return one A4 page of this content."""
    out = io.BytesIO()
    document = SimpleDocTemplate(
        out,
        pagesize=A4,
        leftMargin=MARGIN_MM * mm,
        rightMargin=MARGIN_MM * mm,
        topMargin=MARGIN_MM * mm,
        bottomMargin=MARGIN_MM * mm,
        title=title,
        author="Arbitro",
        invariant=1,
    )
    room = document.width, document.height - 2 * 6  # reportlab pads its frames by 6 pt
    document.build([KeepInFrame(*room, content, mode="shrink")])
    return out.getvalue()


def _content(page: Page, language: str) -> Iterator[Flowable]:
    record, scored = page.record, page.scored
    title = game_title(record.game)
    taken = record.observation.taken_at.strftime("%Y-%m-%d %H:%M UTC")
    yield line(f"{title}: {say(language, N_('ruling from a picture'))}", HEAD)
    yield line(f"{record.observation.source}, {taken}. {_table(page, language)}", SOFT)
    yield Spacer(0, 4)
    yield fitted(page.overlay)
    yield line(say(language, N_("Score")), SECTION)
    blocks = blocks_of(scored.sheet, language, game_kit(record.game))
    yield from (line(words) for words in map(_block_line, blocks))
    if scored.sheet.rulings:
        yield line(say(language, N_("Rulings")), SECTION)
        yield rulings_table(scored.sheet.rulings, language)
    if said := list(_said(page, language)):
        yield line(say(language, N_("What people said")), SECTION)
        yield from (line(words) for words in said)
    if doubts := list(_doubts(scored, language)):
        yield line(say(language, N_("In doubt")), SECTION)
        yield from (line(words) for words in doubts)
    yield Spacer(0, 6)
    yield from (line(words, SOFT) for words in _provenance(page, language))


def game_title(game: str) -> str:
    """Return a game's name as people write it."""
    return capital(game)


def _table(page: Page, language: str) -> str:
    table = page.record.observation.table
    if isinstance(table, TableFound):
        residual = number(table.residual_mm, 1)
        words = say(language, N_("measured, residual %(mm)s mm"), mm=residual)
    else:
        reason = table_sentence(table.reason, language)
        words = say(language, N_("not measured: %(reason)s"), reason=reason)
    return f"{say(language, N_('Table'))}: {words}"


def fitted(jpeg: bytes, room_mm: tuple[float, float] = PICTURE_MM) -> Image:
    """Return a picture as large as it fits.

    A JPEG is put into the page as it is, by its header; what a table that was taken in
    from elsewhere may hold besides is opened by the child.
    """
    if not jpeg.startswith(JPEG):
        jpeg = to_jpeg(decode_apart(jpeg, "evidence").bgr)
    width, height = ImageReader(io.BytesIO(jpeg)).getSize()
    scale = min(room_mm[0] * mm / width, room_mm[1] * mm / height)
    return Image(io.BytesIO(jpeg), width * scale, height * scale)


def _block_line(block: Block) -> str:
    figures = (
        f"{figure.title}: {figure.text or _shown(figure.groups)}"
        for figure in block.figures
    )
    return f"{block.title}. " + "; ".join(figures)


def _shown(groups: Sequence[Sequence[object]]) -> str:
    shown = (
        " ".join(str(getattr(card, "short", card)) for card in group)
        for group in groups
    )
    return " + ".join(shown) or "\u2013"


def rulings_table(rulings: Sequence[Ruling], language: str) -> Table:
    """Return rulings as rows: verdict, claim, reason with its margin, rule."""
    rows = [_ruling_row(ruling, language) for ruling in rulings]
    table = Table(rows, colWidths=[20 * mm, 58 * mm, 76 * mm, 22 * mm])
    table.setStyle(
        [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LINEBELOW", (0, 0), (-1, -1), 0.3, colors.HexColor("#dbd7cb")),
            ("LEFTPADDING", (0, 0), (-1, -1), 1),
        ]
    )
    return table


def _ruling_row(ruling: Ruling, language: str) -> list[Paragraph]:
    verdict = f"{SIGNS[ruling.verdict]} {say(language, VERDICTS[ruling.verdict])}"
    reason = capital(ruling.reason.render(language))
    if ruling.margin is not None:
        reason += f" ({ruling.margin.written(language)})"
    rule = say(language, N_("Rule %(number)s"), number=str(ruling.rule))
    claim = capital(ruling.claim.render(language))
    return [line(verdict), line(claim), line(reason), line(rule, SOFT)]


def _said(page: Page, language: str) -> Iterator[str]:
    for event in page.record.events:
        at = event.taken_at.strftime("%H:%M:%S")
        if event.kind == RULING:
            yield f"{at}  {decision_words(Decision.of(event), language)}"
            continue
        yield f"{at}  {event.subject}: {event.value or say(language, N_('taken back'))}"


def decision_words(decision: Decision, language: str) -> str:
    """Return what a referee decided, in one line."""
    message = (
        N_("Referee %(who)s accepts: %(about)s")
        if decision.is_accepted
        else N_("Referee %(who)s overrules: %(about)s")
    )
    about = decision.about or say(language, N_("the whole picture"))
    words = say(language, message, who=decision.who, about=about)
    return f"{words} ({decision.reason})" if decision.reason else words


def _doubts(scored: Scored, language: str) -> Iterator[str]:
    kit = game_kit(scored.terms.game)
    for finding in scored.reading.findings:
        yield finding_sentence(finding, language, kit)
    for noticed in scored.sheet.findings:
        yield capital(noticed.text.render(language))
    for question in open_questions(scored):
        yield capital(question.text.render(language))


def _provenance(page: Page, language: str) -> Iterator[str]:
    digest = hashlib.sha256(page.overlay).hexdigest()
    yield f"Arbitro {our_version()}, {page.record.id}"
    yield say(language, N_("SHA-256 of the picture above: %(digest)s"), digest=digest)
    yield say(
        language,
        N_("Signed, as part of an evidence pack, with the key %(key)s"),
        key=fingerprint(page.key),
    )


def line(text: str, style: ParagraphStyle = PLAIN) -> Paragraph:
    """Return a paragraph; nothing in the text counts as markup."""
    marked = _DINGBATS.sub(r'<font name="ZapfDingbats">\1</font>', escape(text))
    return Paragraph(marked, style)
