"""What the discard pile asks of the next card, read from one look without history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engines.core import Option, Question, RuleRef, Ruling, Text
from engines.frantic.cards import FY, NUMBERS, Colour, PlayCard, Special
from engines.frantic.doubts import read_card, which_card
from engines.frantic.options import Options
from engines.frantic.rules import fit, fits_top, models, not_curse
from engines.frantic.snapshot import Seen
from engines.frantic.state import State, Top
from engines.frantic.wishes import NUMBER_WISHES
from engines.frantic.words import NONE, card_name, colour_name

UNWISHED = "none"


@dataclass(slots=True)
class Reading:
    """Reads a pile from the top; what it cannot know it asks."""

    options: Options
    answers: Mapping[str, str]
    questions: list[Question] = field(default_factory=list)

    def top_of(self, pile: Sequence[Seen]) -> Top | None:
        """Return what the next card must match, `None` while it is asked."""
        if not pile:
            return self._below()
        *rest, seen = pile
        card = read_card(seen, self.answers)
        if card is None:
            self.questions.append(which_card(seen, starred=self.options.starred))
            return None
        if card.special is Special.MIMICRY:
            card = self._model(seen)
        return None if card is None else self._asked_by(card, seen, rest)

    def _asked_by(self, card: PlayCard, seen: Seen, rest: Sequence[Seen]) -> Top | None:
        if card.special is Special.SWAP:
            return self._swap(card, seen)
        if not card.is_neutral:
            colour = card.colours[0] if card.colours else None
            return Top(colour, card.number, card.special, black=card.is_black)
        if card == FY:
            return self.top_of(rest)
        match self._answer(_wish_question(card, seen, self.options)):
            case None:
                return None
            case answer if answer == UNWISHED:
                return self.top_of(rest)
            case answer if answer in set(Colour):
                return Top(colour=Colour(answer))
            case answer:
                return Top(number=int(answer))

    def _answer(self, question: Question) -> str | None:
        answer = self.answers.get(question.id)
        if answer in {option.value for option in question.options}:
            return answer
        self.questions.append(question)
        return None

    def _swap(self, card: PlayCard, seen: Seen) -> Top | None:
        question = Question(
            id=f"colour.{seen.id}",
            to=None,
            text=Text.of("frantic.ask_colour", card=card_name(card)),
            options=tuple(Option(c, colour_name(c)) for c in card.colours),
            rule=RuleRef("4.2"),
            pieces=(seen.id,),
        )
        answer = self._answer(question)
        return Top(Colour(answer), symbol=Special.SWAP) if answer else None

    def _model(self, seen: Seen) -> PlayCard | None:
        free = State(self.options, self.options.dealer, (), ())
        question = Question(
            id=f"mimicry.{seen.id}",
            to=None,
            text=Text.of("frantic.ask_mimicry"),
            options=tuple(Option(card, card_name(card)) for card in models(free)),
            rule=RuleRef("F-22"),
            pieces=(seen.id,),
        )
        answer = self._answer(question)
        return PlayCard(answer) if answer else None

    def _below(self) -> Top | None:
        """What is asked by cards that cannot be seen."""
        options = [
            Option("any", Text.of("frantic.top_any")),
            *(Option(colour, colour_name(colour)) for colour in Colour),
            *(
                Option(str(number), Text.of("frantic.number", number=number))
                for number in NUMBERS
            ),
            *(
                Option(f"{colour}{number}", card_name(PlayCard(f"{colour}{number}")))
                for colour in Colour
                for number in NUMBERS
            ),
        ]
        question = Question(
            id="below",
            to=None,
            text=Text.of("frantic.ask_below"),
            options=tuple(options),
            rule=RuleRef("4.2"),
        )
        match self._answer(question):
            case None:
                return None
            case "any":
                return Top(any=True)
            case answer if answer in set(Colour):
                return Top(colour=Colour(answer))
            case answer if len(answer) == 1:
                return Top(number=int(answer))
            case answer:
                card = PlayCard(answer)
                return Top(card.colours[0], card.number)


def _wish_question(card: PlayCard, seen: Seen, options: Options) -> Question:
    wishes = [Option(colour, colour_name(colour)) for colour in Colour]
    if card.special in NUMBER_WISHES:
        wishes += [
            Option(str(number), Text.of("frantic.number", number=number))
            for number in NUMBERS
        ]
    if not options.wish_compulsory:
        wishes.append(Option(UNWISHED, NONE))
    return Question(
        id=f"wish.{seen.id}",
        to=None,
        text=Text.of("frantic.ask_wish", card=card_name(card)),
        options=tuple(wishes),
        rule=RuleRef("4.2"),
        pieces=(seen.id,),
    )


def playable_on(top: Top, cards: Iterable[PlayCard]) -> tuple[str, ...]:
    """Return the labels of the faces that may go on `top`; Fuck You needs ten cards
    besides."""
    return tuple(
        str(card)
        for card in cards
        if not_curse(card) is None and fit(card, top) is not None
    )


def pile_rulings(
    pile: Sequence[Seen], options: Options, answers: Mapping[str, str]
) -> tuple[Ruling, ...]:
    """Return a ruling for each visible card that lies on a card whose requirement
    needs no question."""
    rulings: list[Ruling] = []
    for at in range(1, len(pile)):
        card = read_card(pile[at], answers)
        below = read_card(pile[at - 1], answers)
        top = Reading(options, answers).top_of(pile[:at])
        if card is None or below is None or top is None or card.special is Special.FY:
            continue
        claim = Text.of(
            "frantic.claim_lies_on", card=card_name(card), below=card_name(below)
        )
        refused = not_curse(card) or fits_top(card, top)
        reason = fit(card, top)
        if refused is not None:
            rulings.append(Ruling.refused(claim, refused))
        elif reason is not None:
            rulings.append(Ruling.upheld(claim, reason.reason, RuleRef("4.2")))
    return tuple(rulings)
