"""The overlay picture of a measured board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from companion.i18n import N_, say
from companion.labels import capital
from companion.measure.lines import NearLine, near_lines
from companion.measure.score import Board, ScoredBoard, is_token
from engines.core import Ruling, Verdict, as_measured

if TYPE_CHECKING:
    from engines.warstones.mat import Area
    from vision.board import BoardKit
    from vision.overlay.board import MatLine
    from vision.overlay.closeup import CloseUp
    from vision.types import Array, Bgr, Placement

VERDICTS = {
    Verdict.UPHELD: N_("upheld"),
    Verdict.REJECTED: N_("rejected"),
    Verdict.UNDECIDED: N_("too close to call"),
}


def write_board(
    board: Board,
    path: Path,
    language: str,
    scored: ScoredBoard | None = None,
    dispute: tuple[NearLine | None, Ruling] | None = None,
) -> None:
    """Write the picture of a board; with a dispute, only that one is shown close."""
    from vision.images import to_jpeg, to_png  # noqa: PLC0415 - slow to import

    bgr = board_picture(board, language, scored, dispute)
    encode = to_png if path.suffix.lower() == ".png" else to_jpeg
    path.write_bytes(encode(bgr))


def board_picture(
    board: Board,
    language: str,
    scored: ScoredBoard | None = None,
    dispute: tuple[NearLine | None, Ruling] | None = None,
) -> Bgr:
    """Return the picture with lines, rims, tags and close-ups."""
    from vision.overlay.board import draw_board  # noqa: PLC0415 - slow to import

    nears = () if scored is None else near_lines(board.setup.mat.mat, scored.chips)
    shown = [(near, None) for near in nears] if dispute is None else [dispute]
    placements = {one.id: one for one in board.reading.observation.placements}
    kit = board.setup.kit.board_kit()
    heights = {id: _height_mm(kit, one) for id, one in placements.items()}
    closeups = [
        _closeup(placements[id], heights[id], near, ruling, language)
        for near, ruling in shown
        if near is not None
        for id in [near.chip.seen.piece]
    ]
    return draw_board(
        board.frame,
        board.reading.observation,
        board.table,
        mat_lines(board),
        heights_mm=heights,
        labels={id: _tag(board, one, language) for id, one in placements.items()},
        doubtful=[near.chip.seen.piece for near in nears if near.is_close],
        closeups=closeups,
    )


def mat_lines(board: Board) -> list[MatLine]:
    """Return the outlines of the mat as they are drawn."""
    from vision.overlay.board import MatLine  # noqa: PLC0415 - slow to import

    mat = board.setup.mat.mat
    plain = (mat.board, *mat.sectors, *mat.bases, *mat.reserves, *mat.cities)
    return [MatLine(ring) for area in plain for ring in rings(area)] + [
        MatLine(ring, is_terrain=True) for area in mat.terrains for ring in rings(area)
    ]


def rings(area: Area) -> list[Array]:
    """Return the closed outlines of an area, (N, 2) each."""
    import numpy as np  # noqa: PLC0415 - slow to import

    found: list[Array] = []
    ring: list[tuple[float, float]] = []
    for ax, ay, bx, by in area.zone.edges:
        if ring and ring[-1] != (ax, ay):
            found.append(np.array(ring[:-1]))
            ring = []
        ring += [(bx, by)] if ring else [(ax, ay), (bx, by)]
    return [*found, np.array(ring[:-1])]


def _closeup(
    placement: Placement,
    height_mm: float,
    near: NearLine,
    ruling: Ruling | None,
    language: str,
) -> CloseUp:
    from vision.overlay.closeup import CloseUp  # noqa: PLC0415 - slow to import

    assert placement.position is not None, "only measured discs are ruled on"
    disc = near.chip.seen.footing.disc
    outlines = rings(near.area)
    return CloseUp(
        placement.position,
        2 * disc.radius_mm,
        height_mm,
        min(outlines, key=lambda ring: _apart(ring, disc.x_mm, disc.y_mm)),
        near.line.sigma,
        _caption(placement.id, near, ruling, language),
    )


def _caption(
    id: str, near: NearLine, ruling: Ruling | None, language: str
) -> tuple[str, ...]:
    ruling = ruling or next(iter(near.rulings), None)
    name = capital(near.chip.name.render(language))
    lines = [f"{id}  {name}", distance(near, language)]
    if ruling is not None:
        sure = say(language, VERDICTS[ruling.verdict])
        lines += [capital(ruling.claim.render(language)), f"{sure}  [{ruling.rule}]"]
    return tuple(lines)


def distance(near: NearLine, language: str) -> str:
    """Return how far a chip's centre lies from the line, and how sure that is."""
    message = (
        N_("%(area)s: %(mm)s mm inside the line, ± %(sigma)s")
        if near.line.value >= 0
        else N_("%(area)s: %(mm)s mm outside the line, ± %(sigma)s")
    )
    area = capital(near.area.text.render(language))
    mm, sigma = as_measured(abs(near.line.value), near.line.sigma)
    return say(language, message, area=area, mm=mm, sigma=sigma)


def _tag(board: Board, placement: Placement, language: str) -> str:
    label = placement.identity.label
    if label is None:
        return f"{placement.id} ?"
    names = {
        face["label"]: face.get(language, face.get("en", face["label"]))
        for face in board.setup.kit.data["faces"]
    }
    return f"{placement.id} {names.get(label, label)}"


def _height_mm(kit: BoardKit, placement: Placement) -> float:
    """Return the height of a disc's face over the mat."""
    size = kit.token if is_token(placement) and kit.token else kit.chip
    return size.top_mm + placement.order * kit.chip.thickness_mm


def _apart(ring: Array, x: float, y: float) -> float:
    import numpy as np  # noqa: PLC0415 - slow to import

    start, way = ring, np.roll(ring, -1, axis=0) - ring
    away = np.array([x, y]) - start
    along = (away * way).sum(1) / np.maximum((way * way).sum(1), 1e-12)
    foot = start + np.clip(along, 0, 1)[:, None] * way
    return float(np.hypot(*(foot - [x, y]).T).min())
