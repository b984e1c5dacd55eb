"""The evidence of one moment at a table: before and after, ruling, what was around it.

Everything in it is cut to what the person who takes it away may know: a hidden move is
told as hidden, here too.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from reportlab.platypus import Flowable, Spacer, Table

from companion.about import our_version
from companion.evidence import packed
from companion.evidence.calibration import calibration_of
from companion.evidence.page import (
    HEAD,
    SECTION,
    SOFT,
    as_document,
    fitted,
    game_title,
    line,
    rulings_table,
)
from companion.evidence.result import models_used
from companion.i18n import N_, say
from companion.ledger import Event, TableRecord
from companion.ledger.signing import SigningKey, fingerprint
from companion.report import ruling_json
from companion.tables.gear import Gear
from companion.tables.story import Told
from engines.core import Ruling
from vision.types import Observation

WINDOW = 4
"""So many events before and after are shown with it."""
PICTURE_MM = (86.0, 74.0)
NAMES = ("before.jpg", "after.jpg")


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One event with all that shows what happened."""

    table: TableRecord
    event: Event
    told: Told
    around: tuple[Told, ...]
    ruling: Ruling | None
    """`None` where nothing was ruled, or the move is hidden from who asks."""
    pictures: tuple[bytes, ...]
    """JPEG, the table before and after it; only the last where there is one."""
    gear: Gear
    seen: Observation | None
    """What was last seen of the table: by what map it is measured."""
    key: SigningKey
    language: str

    def file_name(self, ending: str) -> str:
        """Return what the file is called."""
        return f"arbitro-{self.table.code}-{self.event.seq}.{ending}"


def moment_pack(moment: Moment) -> bytes:
    """Return the signed pack that `arbitro verify` accepts."""
    files = {
        "ruling.pdf": moment_pdf(moment),
        "moment.json": _json(_told(moment.told)),
        "around.json": _json([_told(one) for one in moment.around]),
        "calibration.json": _json(calibration_of(moment.gear, moment.seen)),
    }
    if moment.ruling is not None:
        files["ruling.json"] = _json(ruling_json(moment.ruling, moment.language))
    names = NAMES[-len(moment.pictures) :] if moment.pictures else ()
    files |= dict(zip(names, moment.pictures, strict=False))
    return packed(files, facts_of(moment), moment.key)


def moment_pdf(moment: Moment) -> bytes:
    """Return one A4 page."""
    title = f"Arbitro {moment.table.code} {moment.event.seq}"
    return as_document(title, list(_content(moment)))


def facts_of(moment: Moment) -> dict[str, Any]:
    """Return what the manifest says: what it is about, and by what it was ruled."""
    event, table = moment.event, moment.table
    return {
        "table": table.id,
        "code": table.code,
        "game": table.game,
        "options": hashlib.sha256(_json(dict(table.options))).hexdigest(),
        "gear": asdict(moment.gear),
        "seq": event.seq,
        "digest": event.digest,
        "taken_at": event.taken_at.isoformat(),
        "recorded_at": event.recorded_at.isoformat(),
        "engine": event.engine,
        "arbitro": our_version(),
        "models": models_used(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _content(moment: Moment) -> Iterator[Flowable]:
    language, told = moment.language, moment.told
    names = " \u2013 ".join(name or "?" for name in moment.table.seats)
    number = say(language, N_("Moment %(number)s"), number=told.seq)
    yield line(f"{game_title(moment.table.game)}: {number}", HEAD)
    taken = told.taken_at.strftime("%Y-%m-%d %H:%M:%S UTC")
    yield line(f"{moment.table.title} {names}. {taken}. {told.source}", SOFT)
    yield Spacer(0, 4)
    if moment.pictures:
        shown = [fitted(jpeg, PICTURE_MM) for jpeg in moment.pictures[-2:]]
        yield Table([shown])
        words = (N_("before"), N_("after"))[-len(shown) :]
        yield line(", ".join(say(language, word) for word in words), SOFT)
    yield line(told.text, SECTION)
    if told.reason:
        yield line(told.reason)
    if moment.ruling is not None:
        yield line(say(language, N_("Rulings")), SECTION)
        yield rulings_table((moment.ruling, *moment.ruling.grounds), language)
    yield line(say(language, N_("Around it")), SECTION)
    for one in moment.around:
        undone = f" ({say(language, N_('taken back'))})" if one.is_undone else ""
        actor = f", {one.actor}" if one.actor else ""
        yield line(f"{one.seq}  {one.taken_at:%H:%M:%S}  {one.text}{undone}{actor}")
    yield Spacer(0, 6)
    yield from (line(words, SOFT) for words in _provenance(moment))


def _provenance(moment: Moment) -> Iterator[str]:
    language = moment.language
    yield f"Arbitro {our_version()}, {moment.table.id}, {moment.event.seq}"
    yield say(
        language,
        N_("Digest of the record up to this moment: %(digest)s"),
        digest=moment.event.digest,
    )
    yield say(
        language,
        N_("Signed, as part of an evidence pack, with the key %(key)s"),
        key=fingerprint(moment.key.public),
    )


def _told(one: Told) -> dict[str, Any]:
    return asdict(one) | {"taken_at": one.taken_at.isoformat()}


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode()
