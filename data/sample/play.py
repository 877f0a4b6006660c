"""Playing a tournament: results that look like the players' strength, with the story's own twists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

from pairing import Standing, berger, swiss_round
from people import Person
from report_text import POINTS_HALVES, Cell, Team, Tournament

WHITE_ADVANTAGE = 30


@dataclass(frozen=True, slots=True)
class Twist:
    """What the story asks of an event.

    ``away``: player to the rounds he misses and their code (H, F, Z). ``results``: (player, opponent) to the codes of
    both, whenever they meet. ``form``: points a player is stronger here than elsewhere. ``meet``: pairs of round 1.
    """

    away: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    results: Mapping[tuple[str, str], str] = field(default_factory=dict)
    form: Mapping[str, int] = field(default_factory=dict)
    meet: tuple[tuple[str, str], ...] = ()


def absent(code: str, *rounds: int) -> dict[int, str]:
    """The same code for several rounds."""
    return dict.fromkeys(rounds, code)


def play_swiss(event: Tournament, twist: Twist, chance: Random) -> None:
    """Fill ``event.cells`` round by round, pairing each round from the standings before it."""
    standings = {number: Standing(number) for number in event.cells}
    for turn in range(1, len(event.days) + 1):
        away = {n: twist.away.get(event.players[n - 1].key, {}).get(turn) for n in event.cells}
        present = [one for number, one in standings.items() if away[number] is None]
        pairs, bye = _first_round(event, twist, present) if turn == 1 else swiss_round(present)
        for number, code in away.items():
            if code is not None:
                event.cells[number].append(Cell(0, "-", code))
        if bye:
            event.cells[bye].append(Cell(0, "-", "U"))
            standings[bye].had_bye = True
        for white, black in pairs:
            _play(event, twist, chance, white, black)
        for number, one in standings.items():
            cell = event.cells[number][-1]
            if cell is None:
                raise AssertionError(f"{event.name}: number {number} has no cell in round {turn}")
            one.halves += POINTS_HALVES.get(cell.code, 0)
            if cell.opponent:
                one.opponents.add(cell.opponent)
            # a game that was not played gave nobody a colour
            if cell.code in "1=0":
                one.colours += cell.colour


def _first_round(event: Tournament, twist: Twist, present: list[Standing]) -> tuple[list[tuple[int, int]], int | None]:
    numbers = {person.key: number for number, person in enumerate(event.players, 1)}
    fixed = [(numbers[white], numbers[black]) for white, black in twist.meet]
    taken = {number for pair in fixed for number in pair}
    pairs, bye = swiss_round([one for one in present if one.number not in taken])
    return fixed + pairs, bye


def play_round_robin(event: Tournament, twist: Twist, chance: Random) -> None:
    """Fill ``event.cells`` from the Berger table; with twice as many days as the table has rounds, in both colours."""
    table = berger(len(event.players))
    if len(event.days) == 2 * len(table):
        table += [[(black, white) for white, black in pairs] for pairs in table]
    for pairs in table:
        for white, black in pairs:
            _play(event, twist, chance, white, black)


def play_contest(event: Tournament, chance: Random) -> None:
    """Fill ``event.cells`` of two players who meet in every round."""
    for turn in range(len(event.days)):
        _play(event, Twist(), chance, 1 + turn % 2, 2 - turn % 2)


def play_league(event: Tournament, twist: Twist, chance: Random, first_round: int, boards: int) -> None:
    """Fill the cells and points of a team league from ``first_round`` of its Berger table on.

    Every team leaves one of its players at home; the first team of a pair has White on the odd boards.
    """
    for pairs in berger(len(event.teams))[first_round - 1 :][: len(event.days)]:
        for home, guest in ((event.teams[a - 1], event.teams[b - 1]) for a, b in pairs):
            line_ups = [_line_up(event, team, twist, chance, boards) for team in (home, guest)]
            before = home.halves
            for board, (a, b) in enumerate(zip(*line_ups, strict=True), 1):
                white, black = (a, b) if board % 2 else (b, a)
                _play(event, twist, chance, white, black)
                home.halves += _points(event, a)
                guest.halves += _points(event, b)
            won = home.halves - before
            home.match_points += 2 * (won > boards) + (won == boards)
            guest.match_points += 2 * (won < boards) + (won == boards)
        rounds = max(len(cells) for cells in event.cells.values())
        for cells in event.cells.values():
            cells.extend([None] * (rounds - len(cells)))


def _line_up(event: Tournament, team: Team, twist: Twist, chance: Random, boards: int) -> list[int]:
    wanted = [number for number in team.numbers if event.players[number - 1].key in twist.form]
    others = [number for number in team.numbers if number not in wanted]
    return sorted(wanted + chance.sample(others, boards - len(wanted)))


def _points(event: Tournament, number: int) -> int:
    cell = event.cells[number][-1]
    return POINTS_HALVES.get(cell.code, 0) if cell else 0


def _play(event: Tournament, twist: Twist, chance: Random, white: int, black: int) -> None:
    first, second = event.players[white - 1], event.players[black - 1]
    codes = twist.results.get((first.key, second.key)) or twist.results.get((second.key, first.key), "")[::-1]
    if not codes:
        lead = first.strength + twist.form.get(first.key, 0) - second.strength - twist.form.get(second.key, 0)
        codes = result(chance, lead + WHITE_ADVANTAGE)
    event.cells[white].append(Cell(black, "w", codes[0]))
    event.cells[black].append(Cell(white, "b", codes[1]))


def result(chance: Random, lead: int) -> str:
    """Codes of White and Black for a White who is ``lead`` points stronger: integers only, so the same everywhere."""
    # about what the regulations' table says, as a straight line, in hundredths; the better side draws less
    expected = min(98, max(2, 50 + lead // 8))
    draws = max(2, 36 - abs(lead) // 12)
    win = max(1, expected - draws // 2)
    drawn = chance.randrange(100)
    if drawn < win:
        return "10"
    return "==" if drawn < win + draws else "01"


def renumbered(event: Tournament, order: list[int]) -> Tournament:
    """The same event with other start numbers: ``order`` lists the old ones in their new order."""
    new = {old: number for number, old in enumerate(order, 1)}
    moved = {
        new[old]: [replace(cell, opponent=new.get(cell.opponent, 0)) if cell else None for cell in cells]
        for old, cells in event.cells.items()
    }
    players: list[Person] = [event.players[old - 1] for old in order]
    return replace(event, players=players, cells=dict(sorted(moved.items())))


def recoded(event: Tournament, changes: Mapping[tuple[str, str], str]) -> Tournament:
    """The same event with other codes in single cells: (player, opponent) to the player's own code."""
    keys = [person.key for person in event.players]
    cells: dict[int, list[Cell | None]] = {}
    for number, row in event.cells.items():
        against = {opponent: code for (player, opponent), code in changes.items() if player == keys[number - 1]}
        cells[number] = [
            replace(cell, code=against.get(keys[cell.opponent - 1], cell.code)) if cell and cell.opponent else cell
            for cell in row
        ]
    return replace(event, cells=cells)
