"""Readings, sheets and rulings on a terminal, with rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text as Line

from companion.figures import Block, Figure, blocks_of
from companion.i18n import N_, say, say_many
from companion.labels import CardFace, capital, face
from companion.referee import Reading, Scored, game_kit, open_questions
from companion.report import table_line
from companion.sentences import finding_sentence
from engines.core import Kit, Option, Question, Ruling, Verdict, as_measured
from vision.types import Finding, Kind, Observation, Placement

SUIT_STYLES = {
    "hearts": "bold red",
    "diamonds": "bold red",
    "clubs": "bold",
    "spades": "bold",
    "joker": "bold magenta",
}
VERDICTS = {
    Verdict.UPHELD: ("✓", "green"),
    Verdict.REJECTED: ("✗", "red"),
    Verdict.UNDECIDED: ("?", "yellow"),
}
MOST_QUESTIONS = 5
MOST_OPTIONS = 8
KIND_NAMES = {
    Kind.BACK: N_("face down"),
    Kind.DISC: N_("disc"),
    Kind.HAND: N_("hand"),
}


def console(*, stderr: bool = False) -> Console:
    """Return a console on the present standard output, or on the error stream."""
    return Console(highlight=False, soft_wrap=False, stderr=stderr)


def show_reading(reading: Reading, language: str) -> None:
    """Print what lies where."""
    out = console()
    observation = reading.observation
    out.print(_placements(observation, language))
    print_findings(out, reading.findings, language)
    print_footer(out, observation, language)


def show_scored(scored: Scored, language: str) -> None:
    """Print the sheet, the rulings and what is still to be asked."""
    out = console()
    kit = game_kit(scored.terms.game)
    cards = _card_list(scored.reading.observation, language, kit)
    out.print(Line.assemble((say(language, N_("Cards")) + ": ", "bold"), cards))
    out.print(block_columns(blocks_of(scored.sheet, language, kit)))
    for ruling in scored.sheet.rulings:
        out.print(ruling_line(ruling, language))
    print_findings(out, scored.reading.findings, language, kit)
    for finding in scored.sheet.findings:
        out.print(Line("! " + capital(finding.text.render(language)), "yellow"))
    for panel in question_panels(open_questions(scored), language):
        out.print(panel)
    print_footer(out, scored.reading.observation, language)


def ruling_line(ruling: Ruling, language: str, indent: int = 0) -> RenderableType:
    """Return a ruling as the sign of its verdict, the claim, reason and rule."""
    sign, style = VERDICTS[ruling.verdict]
    line = Line.assemble(
        (f"{sign} ", style),
        (capital(ruling.claim.render(language)), "bold"),
        ": ",
        ruling.reason.render(language),
        (f"  [{ruling.rule}]", "dim"),
    )
    if (margin := ruling.margin) is not None:
        line.append(f"  {margin.written(language)}", "dim")
    grounds = [ruling_line(item, language, 2) for item in ruling.grounds]
    return Padding(Group(line, *grounds), (0, 0, 0, indent), expand=False)


def card_text(label: str, language: str, kit: Kit | None = None) -> Line:
    """Return the short form of a card in the colour of its suit."""
    return _card(face(label, language, kit))


def _placements(observation: Observation, language: str) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(say(language, N_("Card")))
    table.add_column(say(language, N_("Sure")), justify="right")
    table.add_column(say(language, N_("Seen")), justify="right")
    table.add_column(say(language, N_("Where (px)")), justify="right")
    table.add_column(say(language, N_("Where (mm)")), justify="right")
    table.add_column(say(language, N_("Perhaps")))
    for placement in observation.placements:
        table.add_row(*_cells_of(placement, language))
    return table


def _cells_of(placement: Placement, language: str) -> Iterable[RenderableType]:
    label, candidates = placement.identity.label, placement.identity.candidates
    if placement.kind in KIND_NAMES:
        name = Line(say(language, KIND_NAMES[placement.kind]), "dim")
    elif label is None:
        name = Line(say(language, N_("unread")), "yellow")
    else:
        name = card_text(label, language)
    sure = f"{candidates[0][1]:.0%}" if label and candidates else ""
    xs, ys = zip(*placement.quad_px, strict=True)
    where_px = f"{sum(xs) / 4:.0f}, {sum(ys) / 4:.0f}"
    where_mm = ""
    if (position := placement.position) is not None:
        _, sigma = as_measured(0.0, position.sigma_mm)
        sigma_mm = sigma.render(language)
        where_mm = f"{position.x_mm:.0f}, {position.y_mm:.0f} ± {sigma_mm}"
    others = [pair for pair in candidates if pair[0] != label and pair[1] >= 0.05]
    perhaps = Line(" ").join(
        Line.assemble(card_text(other, language), f" {share:.0%}")
        for other, share in others[:3]
    )
    return name, sure, f"{placement.visible:.0%}", where_px, where_mm, perhaps


def _card_list(observation: Observation, language: str, kit: Kit | None) -> Line:
    named = [p for p in observation.placements if p.kind is Kind.CARD]
    words = [
        card_text(p.identity.label, language, kit)
        if p.identity.label
        else Line("?", "yellow")
        for p in named
    ]
    backs = sum(p.kind is Kind.BACK for p in observation.placements)
    if backs:
        counted = say_many(
            language, "%(count)s face down", "%(count)s face down", backs
        )
        words.append(Line(f"({counted})", "dim"))
    return Line(" ").join(words) if words else Line("-")


def block_columns(blocks: Sequence[Block]) -> Columns:
    """Return blocks of figures as panels side by side."""
    panels = [
        Panel(_grid(block), title=block.title, title_align="left", padding=(0, 1))
        for block in blocks
    ]
    return Columns(panels, padding=(0, 1))


def _grid(block: Block) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    for figure in block.figures:
        grid.add_row(figure.title, _value(figure))
    return grid


def _value(figure: Figure) -> Line:
    if not figure.is_known:
        return Line("?", "yellow")
    if figure.form == "cards":
        plays = [Line(" ").join(map(_card, group)) for group in figure.groups]
        return Line(", ", "dim").join(plays) if plays else Line("-", "dim")
    return Line(figure.text, "bold" if figure.form == "number" else "")


def _card(shown: CardFace) -> Line:
    return Line(shown.short, SUIT_STYLES.get(shown.suit, "bold"))


def question_panels(questions: Sequence[Question], language: str) -> Iterable[Panel]:
    """Yield the first open questions and how to answer them."""
    shown = questions[:MOST_QUESTIONS]
    for question in shown:
        yield _question(question, language)
    if more := more_questions(len(questions) - len(shown), language):
        yield Panel(more, border_style="cyan")


def more_questions(left: int, language: str) -> str:
    """Return how many questions are not shown; empty if none."""
    if left <= 0:
        return ""
    return say_many(
        language,
        "and one more question; --json tells all",
        "and %(count)s more questions; --json tells all",
        left,
    )


def options_line(question: Question, language: str) -> str:
    """Return what may be answered, in one line: many options by their values."""
    if len(question.options) > MOST_OPTIONS:
        return " ".join(option.value for option in question.options)
    return ", ".join(option.text.render(language) for option in question.options)


def _question(question: Question, language: str) -> Panel:
    asked = (
        say(language, N_("to the referee"))
        if question.to is None
        else say(language, N_("to player %(number)s"), number=question.to + 1)
    )
    text = capital(question.text.render(language))
    lines = [Line(f"{text} ({asked})", "bold")]
    if len(question.options) > MOST_OPTIONS:
        values = options_line(question, language)
        lines.append(Line.assemble((f"--answer {question.id}=", "dim"), values))
    else:
        lines += [_option(question, option, language) for option in question.options]
    title = say(language, N_("Question"))
    return Panel(Group(*lines), title=title, title_align="left", border_style="cyan")


def _option(question: Question, option: Option, language: str) -> Line:
    mark = " *" if option.value == question.default else ""
    return Line.assemble(
        f"  {option.text.render(language)}{mark}  ",
        (f"--answer {question.id}={option.value}", "dim"),
    )


def print_findings(
    out: Console, findings: Iterable[Finding], language: str, kit: Kit | None = None
) -> None:
    """Print what vision noticed; cards are called as in the game's `kit`."""
    for finding in findings:
        out.print(Line("! " + finding_sentence(finding, language, kit), "yellow"))


def print_footer(out: Console, observation: Observation, language: str) -> None:
    """Print what the picture was, and what the millimetres rest on."""
    spent_ms = sum(ms for _, ms in observation.timings_ms)
    size = f"{observation.width_px} x {observation.height_px}"
    parts = [observation.source, size, f"{spent_ms:.0f} ms"]
    if located := table_line(observation, language):
        parts.append(located)
    out.print(Line("  ".join(part for part in parts if part), "dim"))
