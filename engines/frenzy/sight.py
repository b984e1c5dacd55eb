"""What one look tells of the piles, and what must be asked about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engines.core import Evidence, Option, Question, RuleRef, Ruling, Text, doubted
from engines.frenzy.cards import SEATS, ZONES, Card, Region
from engines.frenzy.options import Options
from engines.frenzy.snapshot import Doubt, Pile, Seen, Snapshot
from engines.frenzy.texts import name, player, region, say

NOTHING = "-"
"""The answer "no card lies there"."""


@dataclass(slots=True)
class Inquiry:
    """Answers given so far, and the questions that are still open."""

    answers: Mapping[str, str]
    questions: list[Question] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)

    def ask(self, question: Question) -> str | None:
        """Return the answer, else the default; an unanswered question stays open."""
        answer = self.answers.get(question.id)
        if answer in {option.value for option in question.options}:
            return answer
        if all(question.id != asked.id for asked in self.questions):
            self.questions.append(question)
        return question.default


@dataclass(frozen=True, slots=True)
class Top:
    """The top of a pile: a card, or nothing (`card` is `None`), or not known."""

    card: Card | None
    is_known: bool = True
    below: tuple[Seen, ...] = ()
    """Cards that are visible under it."""


UNKNOWN = Top(None, False)


def settled_piles(snapshot: Snapshot, inquiry: Inquiry) -> Snapshot:
    """Return the snapshot after the doubts about places are answered."""
    piles = {
        Region(seat, zone): snapshot.zone(seat, zone)
        for seat in SEATS
        for zone in ZONES
    }
    left = []
    for doubt in snapshot.doubts:
        answer = inquiry.ask(place_question(doubt))
        place = next((each for each in doubt.regions if str(each) == answer), None)
        if place is not None:
            piles[place] = joined(piles[place], doubt.seen)
        elif answer is None:
            left.append(doubt)
    first, second = (
        tuple(piles[Region(seat, zone)] for zone in ZONES) for seat in SEATS
    )
    return replace(snapshot, piles=(first, second), doubts=tuple(left))


def joined(pile: Pile, seen: Seen) -> Pile:
    """Return the pile with one more visible card in its place."""
    cards = sorted(
        (*pile.cards, seen), key=lambda each: (each.touched, each.order), reverse=True
    )
    return Pile(tuple(cards), pile.unclear)


def top_of(
    snapshot: Snapshot, place: Region, options: Options, inquiry: Inquiry
) -> Top:
    """Return the top card that counts now: what a hand touches does not (4.3)."""
    if any(place in doubt.regions for doubt in snapshot.doubts):
        return UNKNOWN
    pile = _sorted_out(snapshot.pile(place), place, inquiry)
    if pile is None:
        return UNKNOWN
    if pile.top is None:
        return Top(None)
    if pile.top.touched and _goes_back(pile.top, place, inquiry):
        return _under(pile, place, options, inquiry)
    return _read(pile.top, pile.cards[1:], place, options, inquiry)


def _sorted_out(pile: Pile, place: Region, inquiry: Inquiry) -> Pile | None:
    """Return the pile with the card on top that a person names, if that is unclear."""
    if not pile.unclear:
        return pile
    answer = inquiry.ask(top_question(pile, place))
    named = [seen for seen in pile.cards if seen.piece == answer]
    if not named:
        return None
    return Pile((*named, *(seen for seen in pile.cards if seen not in named)))


def _goes_back(seen: Seen, place: Region, inquiry: Inquiry) -> bool:
    question = Question(
        f"touched.{place}",
        None,
        say("ask_touched", card=_face(seen), region=region(place)),
        (Option("yes", say("yes_touched")), Option("no", say("no_touched"))),
        "yes",
        RuleRef("4.3"),
        (seen.piece,),
    )
    if inquiry.ask(question) == "no":
        return False
    claim = say("claim_touched", card=_face(seen), region=region(place))
    fact = Evidence(say("fact_touched"), f"piece:{seen.piece}")
    ruling = Ruling.upheld(claim, say("touched_goes_back"), RuleRef("4.3"))
    inquiry.rulings.append(replace(ruling, evidence=(fact,)))
    return True


def _under(pile: Pile, place: Region, options: Options, inquiry: Inquiry) -> Top:
    """Return what lies under a touched card; a card that sticks out is likely it."""
    lower = pile.cards[1:]
    question = face_question(
        f"under.{place}",
        say("ask_under", region=region(place)),
        place,
        options,
        default=lower[0].card if lower else None,
        is_optional=True,
        rule="4.3",
    )
    return _answered(inquiry.ask(question), lower[1:])


def _read(
    seen: Seen,
    below: tuple[Seen, ...],
    place: Region,
    options: Options,
    inquiry: Inquiry,
) -> Top:
    if seen.card is not None:
        return Top(seen.card, True, below)
    question = face_question(
        f"card.{place}",
        say("ask_card", region=region(place)),
        place,
        options,
        seen=seen,
        is_optional=True,
        rule="3",
    )
    return _answered(inquiry.ask(question), below)


def second_of(top: Top, place: Region, options: Options, inquiry: Inquiry) -> Top:
    """Return the second card of a Supply pile that a Knight takes (5.2).

    It is covered, so a person says what it is; a card that sticks out is likely it.
    """
    question = face_question(
        f"second.{place}",
        say("ask_second", region=region(place)),
        place,
        options,
        default=top.below[0].card if top.below else None,
        is_optional=True,
        rule="FZ-R17",
    )
    return _answered(inquiry.ask(question), ())


def _answered(answer: str | None, below: tuple[Seen, ...]) -> Top:
    if answer is None:
        return UNKNOWN
    return Top(None) if answer == NOTHING else Top(Card(answer), True, below)


def _face(seen: Seen) -> Text:
    return say("unread_card") if seen.card is None else name(seen.card)


def face_question(
    id: str,
    text: Text,
    place: Region,
    options: Options,
    *,
    rule: str,
    seen: Seen | None = None,
    default: Card | None = None,
    is_optional: bool = False,
    moves: Mapping[str, str] | None = None,
) -> Question:
    """Return the question which card it is, the likeliest first."""
    moves = moves or {}
    likely = sorted(seen.candidates, key=lambda pair: -pair[1]) if seen else []
    faces = dict.fromkeys([card for card, _ in likely])
    faces.update(dict.fromkeys(options.cards(place.seat)))
    if default is not None:
        faces.setdefault(default)
    choices = [Option(card.value, name(card), moves.get(card.value)) for card in faces]
    if is_optional:
        choices.append(Option(NOTHING, say("nothing"), moves.get(NOTHING)))
    return Question(
        id,
        None,
        doubted(text, [name(card) for card, _ in likely]),
        tuple(choices),
        None if default is None else default.value,
        RuleRef(rule),
        () if seen is None else (seen.piece,),
    )


def place_question(doubt: Doubt, moves: Mapping[str, str] | None = None) -> Question:
    """Return the question to which region a card belongs."""
    moves = moves or {}
    choices = [
        Option(str(place), region(place), moves.get(str(place)))
        for place in doubt.regions
    ]
    if doubt.may_be_off or moves:
        choices.append(Option("off", say("off_table"), moves.get("off")))
    text = say(
        "ask_place", card=_face(doubt.seen), player=player(doubt.regions[0].seat)
    )
    return Question(
        f"place.{doubt.seen.piece}",
        None,
        text,
        tuple(choices),
        rule=RuleRef("3"),
        pieces=(doubt.seen.piece,),
    )


def top_question(pile: Pile, place: Region) -> Question:
    """Return the question which of several cards was laid last."""
    choices = tuple(
        Option(seen.piece, _face(seen))
        for seen in pile.cards
        if seen.piece in pile.unclear
    )
    return Question(
        f"top.{place}",
        None,
        say("ask_top", region=region(place)),
        choices,
        rule=RuleRef("F-G"),
        pieces=pile.unclear,
    )
