"""The sheet of a fight from one look at the table.

Row and cell keys (they are listed in RULES.md 3 as well):

* ``enemy``: ``card``, ``attack``, ``hit_points``, ``damage``, ``at_least`` (what is
  certain of the damage), ``left``, ``shield``, ``suffer`` (what whoever is attacked
  now must cover), ``immune_suit``, ``immune``, ``defeated``, ``exact``.
* ``suits``: ``hearts``, ``diamonds``, ``clubs``, ``spades``: whether that power acts
  now.
* ``seat.0`` and so on: ``cards``, ``plays`` (one text per play, lowest card first).
* ``piles``: ``castle``, ``tavern`` (a face-down pile was seen), ``discard`` (labels,
  topmost last), ``jokers`` (solo: still unused).

`None` is "not known", here always because a question is open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from engines.core import (
    Card,
    Cell,
    Finding,
    Kind,
    Row,
    RuleRef,
    Ruling,
    Scalar,
    Seat,
    Sheet,
    Suit,
    Text,
    label_text,
)
from engines.regicide.cards import (
    attack_of,
    hit_points_of,
    seat_name,
    spoken,
    spoken_all,
)
from engines.regicide.doubts import ask, open_readings
from engines.regicide.effects import ANY_EFFECT, Effect, Judging, whole_effect
from engines.regicide.fight import Fight, Strike, copies_allowed, read_fight
from engines.regicide.options import Options
from engines.regicide.sets import joker_in_game, together
from engines.regicide.snapshot import Snapshot, card_of

Figure: TypeAlias = "Scalar | Text | tuple[str, ...]"


def score(snapshot: Snapshot, options: Options, answers: Mapping[str, str]) -> Sheet:
    """Return the sheet; what a question leaves open is `None` in its cells."""
    fight = read_fight(snapshot, options, answers)
    judging = None
    effect = ANY_EFFECT
    if fight.enemy is not None:
        judging = Judging(fight.enemy, fight.jokers, options, answers)
        effect = whole_effect(fight, judging)
    return Sheet(
        game="regicide",
        rows=(
            _enemy_row(fight, effect),
            _suits_row(fight),
            *(_seat_row(fight, judging, Seat(s)) for s in range(options.players)),
            _piles_row(fight.snapshot, options),
        ),
        rulings=tuple(_rulings(fight, judging, effect, options)),
        questions=tuple(ask(fight, judging, options, answers)),
        findings=tuple(_findings(snapshot, fight, options)),
    )


def _cell(key: str, value: Figure, title: str = "") -> Cell:
    return Cell(key, Text.of(f"regicide.title_{title or key}"), value)


def is_immune(fight: Fight) -> bool | None:
    """Return whether the enemy's immunity stands; `None` where that is not known."""
    if fight.enemy is None or fight.jokers is None:
        return None
    return not fight.jokers


def _enemy_row(fight: Fight, effect: Effect) -> Row:
    enemy = fight.enemy
    attack = None if enemy is None else attack_of(enemy)
    hit_points = None if enemy is None else hit_points_of(enemy)
    damage = effect.damage.value
    suit = None if enemy is None or enemy.suit is None else enemy.suit.value
    return Row(
        "enemy",
        Text.of("regicide.title_enemy"),
        (
            _cell("card", None if enemy is None else str(enemy)),
            _cell("attack", attack),
            _cell("hit_points", hit_points),
            _cell("damage", damage),
            _cell("at_least", None if enemy is None else effect.damage.low),
            _cell("left", _left(hit_points, damage, _is_defeated(fight, effect))),
            _cell("shield", effect.shield.value),
            _cell("suffer", _suffer(fight, effect)),
            _cell("immune_suit", suit),
            _cell("immune", is_immune(fight)),
            _cell("defeated", _is_defeated(fight, effect)),
            _cell("exact", _is_exact(fight, effect)),
        ),
    )


def _left(
    hit_points: int | None, damage: int | None, defeated: bool | None
) -> int | None:
    if defeated:
        return 0
    return None if hit_points is None or damage is None else hit_points - damage


def _suffer(fight: Fight, effect: Effect) -> int | None:
    """Return what is left of the attack; a defeated enemy does not attack."""
    if fight.enemy is None:
        return None
    if _is_defeated(fight, effect):
        return 0
    attack = attack_of(fight.enemy)
    if effect.shield.low >= attack:
        return 0
    shield = effect.shield.value
    return None if shield is None else attack - shield


def _is_defeated(fight: Fight, effect: Effect) -> bool | None:
    if fight.enemy is None:
        return None
    hit_points = hit_points_of(fight.enemy)
    if effect.damage.low >= hit_points:
        return True
    if effect.damage.high is not None and effect.damage.high < hit_points:
        return False
    return None


def _is_exact(fight: Fight, effect: Effect) -> bool | None:
    if fight.enemy is None:
        return None
    hit_points = hit_points_of(fight.enemy)
    low, high = effect.damage.low, effect.damage.high
    if low > hit_points or (high is not None and high < hit_points):
        return False
    return True if low == high else None


def _suits_row(fight: Fight) -> Row:
    return Row(
        "suits",
        Text.of("regicide.title_suits"),
        tuple(
            _cell(suit.name.lower(), _acts(fight, suit))
            for suit in (Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS, Suit.SPADES)
        ),
    )


def _acts(fight: Fight, suit: Suit) -> bool | None:
    if fight.enemy is None:
        return None
    if suit is not fight.enemy.suit or fight.jokers:
        return True
    return None if fight.jokers is None else False


def _seat_row(fight: Fight, judging: Judging | None, seat: Seat) -> Row:
    heaps = [heap for heap in fight.heaps if seat in heap.seats]
    pieces = [piece for heap in heaps for piece in heap.pieces]
    cards = tuple(str(card) for p in pieces if (card := card_of(p)) is not None)
    strikes = [strike for strike in fight.strikes if strike.seat == seat]
    settled = [_settled_plays(strike, judging) for strike in strikes]
    is_open = (
        any(len(heap.seats) > 1 for heap in heaps)
        or any(plays is None for plays in settled)
        or any(p in fight.unread for p in pieces)
    )
    plays = tuple(text for some in settled if some is not None for text in some)
    return Row(
        f"seat.{seat}",
        seat_name(seat),
        (
            _cell("cards", None if any(len(h.seats) > 1 for h in heaps) else cards),
            _cell("plays", None if is_open else plays),
        ),
    )


def _settled_plays(strike: Strike, judging: Judging | None) -> tuple[str, ...] | None:
    readings = open_readings(strike, judging)
    if len(readings) > 1 or strike.is_doubtful or strike.clump.is_cut_short:
        return None
    return tuple(" ".join(map(str, play)) for play in readings[0].plays)


def _piles_row(snapshot: Snapshot, options: Options) -> Row:
    labels = tuple(p.label for p in snapshot.discard if p.label is not None)
    cells = [
        _cell("castle", bool(snapshot.castle)),
        _cell("tavern", bool(snapshot.tavern)),
        _cell("discard", labels),
    ]
    if options.players == 1:
        cells.append(_cell("jokers", len(snapshot.jokers)))
    return Row("piles", Text.of("regicide.title_piles"), tuple(cells))


def _rulings(
    fight: Fight, judging: Judging | None, effect: Effect, options: Options
) -> list[Ruling]:
    rulings: list[Ruling] = []
    if fight.enemy is not None and fight.snapshot.deduced:
        rulings.append(_highest_is_enemy(fight.enemy))
    for strike in fight.strikes:
        readings = open_readings(strike, judging)
        if len(readings) > 1 or strike.is_doubtful:
            continue
        rulings += [
            _on_play(cards, options)
            for cards in readings[0].plays
            if len(cards) > 1 or (cards[0].is_joker and not options.tavern_jokers)
        ]
    if fight.enemy is not None:
        rulings += _on_defeat(fight, fight.enemy, effect)
    return rulings


def _highest_is_enemy(enemy: Card) -> Ruling:
    return Ruling.upheld(
        Text.of("regicide.claim_enemy", card=spoken(enemy)),
        Text.of("regicide.highest_royal"),
        RuleRef("2"),
    )


def _on_play(cards: tuple[Card, ...], options: Options) -> Ruling:
    claim = Text.of("regicide.claim_one_play", cards=spoken_all(cards))
    objection = joker_in_game(cards, options) or together(cards)
    if objection is not None:
        return Ruling.refused(claim, objection)
    return Ruling.upheld(claim, Text.of("regicide.legal_set"), RuleRef("4.1"))


def _on_defeat(fight: Fight, enemy: Card, effect: Effect) -> list[Ruling]:
    """Rule on the enemy's end where the damage settles it."""
    if not _is_defeated(fight, effect):
        return []
    exact = _is_exact(fight, effect)
    reason = Text.of(
        "regicide.defeated_exactly" if exact else "regicide.defeated_more",
        damage=effect.damage.low,
        hit_points=hit_points_of(enemy),
    )
    if effect.damage.value is None:
        reason = Text.of("regicide.defeated_anyhow", damage=effect.damage.low)
    claim = Text.of("regicide.claim_defeated", card=spoken(enemy))
    return [Ruling.upheld(claim, reason, RuleRef("5.6"))]


def _findings(snapshot: Snapshot, fight: Fight, options: Options) -> list[Finding]:
    findings: list[Finding] = []
    seen: dict[str, list[str]] = {}
    for piece in snapshot.pieces:
        card = card_of(piece)
        if card is not None:
            seen.setdefault(str(card), []).append(piece.id)
    for label, ids in seen.items():
        allowed = copies_allowed(Card.parse(label), options)
        if label == "X" and not allowed:
            text = Text.of("regicide.jokers_not_in_game", players=options.players)
            findings.append(Finding(text, tuple(ids)))
        elif len(ids) > allowed:
            text = Text.of(
                "core.too_many_copies",
                label=label_text(label),
                seen=len(ids),
                copies=allowed,
            )
            findings.append(Finding(text, tuple(ids)))
    foreign = [
        p.id
        for p in snapshot.pieces
        if p.kind is Kind.CARD and p.label is not None and card_of(p) is None
    ]
    if foreign:
        findings.append(Finding(Text.of("regicide.foreign_card"), tuple(foreign)))
    if fight.snapshot.strange:
        ids = [p.id for p in fight.snapshot.strange]
        findings.append(Finding(Text.of("regicide.strange_thing"), tuple(ids)))
    return findings
