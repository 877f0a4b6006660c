"""The events of a month: what they are, who plays in them, and their games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

from ratinglist.period import Period
from ratinglist.result_codes import POINT_HALVES
from ratinglist_world.people import PROBLEMS, SYSTEMS, TIME_CONTROLS, Dice, Player, World, town_of

_WHITE_ADVANTAGE = 35
_DRAWS_AT_1000, _POINTS_PER_DRAW, _FEWEST_DRAWS, _MOST_DRAWS = 150, 4, 80, 600
"""Draws in a thousand games of equal players, and how they grow with the strength."""
_FORFEITS, _REQUESTED_BYES = 12, 25
"""Of a thousand games, and of a thousand entrants of a Swiss event."""


class Cell(NamedTuple):
    """A round of an entrant: the opponent's start number (0: none), ``w``, ``b`` or ``-``, and the result's code."""

    opponent: int
    colour: str
    code: str


ABSENT = Cell(0, "-", "Z")
_ALLOCATED, _REQUESTED = Cell(0, "-", "U"), Cell(0, "-", "H")


@dataclass(slots=True, eq=False)
class Seat:
    """An entrant while the event is played.

    ``number``: the start number, from 1. The player attends the rounds from ``enters`` to ``leaves`` and has a
    half-point bye in ``bye_round`` (0: in none). ``balance``: the games with White less those with Black.
    """

    number: int
    strength: int
    enters: int
    leaves: int
    bye_round: int = 0
    cells: list[Cell] = field(default_factory=list)
    halves: int = 0
    balance: int = 0
    met: set[int] = field(default_factory=set)

    def enter(self, cell: Cell) -> None:
        """Add a round."""
        self.cells.append(cell)
        self.halves += POINT_HALVES[cell.code]
        self.balance += {"w": 1, "b": -1, "-": 0}[cell.colour]
        if cell.opponent:
            self.met.add(cell.opponent)

    def attends(self, round_no: int) -> bool:
        """Return whether the player is there in a round."""
        return self.enters <= round_no <= self.leaves


Pair = tuple[Seat, Seat]
"""White and Black."""


class Games:
    """Games that end as the strengths, the dice and the table of expected scores say.

    ``expected``: the higher rated player's expected score in hundredths by rating difference from 0 on (8.1.2).
    """

    def __init__(self, expected: Sequence[int], dice: Dice) -> None:
        self.expected, self.dice = expected, dice

    def play(self, pairs: Iterable[Pair]) -> None:
        """Play the games of a round, and enter them for both players."""
        for white, black in pairs:
            code, answer = self._codes(white.strength + _WHITE_ADVANTAGE - black.strength, white.strength)
            white.enter(Cell(black.number, "w", code))
            black.enter(Cell(white.number, "b", answer))

    def _codes(self, difference: int, strength: int) -> tuple[str, str]:
        if self.dice.chance(_FORFEITS):
            return self.dice.pick((("+", "-"), ("-", "+")))
        higher = self.expected[min(abs(difference), len(self.expected) - 1)]
        white = higher if difference >= 0 else 100 - higher
        equal = min(_MOST_DRAWS, max(_FEWEST_DRAWS, _DRAWS_AT_1000 + (strength - 1000) // _POINTS_PER_DRAW))
        # A draw gives both players half a point, so the weaker player's expected score limits the draws.
        draws = min(equal * white * (100 - white) // 2500, 20 * white, 20 * (100 - white))
        drawn = self.dice.roll(2000)
        if drawn < 20 * white - draws:
            return "1", "0"
        return ("=", "=") if drawn < 20 * white + draws else ("0", "1")


def play_swiss(seats: Sequence[Seat], rounds: int, games: Games) -> None:
    """Play a Swiss event."""
    for seat in seats:
        if games.dice.chance(_REQUESTED_BYES):
            seat.bye_round = 1 + games.dice.roll(max(1, rounds - 1))
    for round_no in range(1, rounds + 1):
        there = (seat for seat in seats if seat.attends(round_no) and seat.bye_round != round_no)
        playing = sorted(there, key=lambda seat: (-seat.halves, seat.number))
        if len(playing) % 2:
            last = next((seat for seat in reversed(playing) if _ALLOCATED not in seat.cells), playing[-1])
            playing.remove(last)
            last.enter(_ALLOCATED if _ALLOCATED not in last.cells else ABSENT)
        games.play(_with_colours(*pair, round_no) for pair in swiss_pairs(playing))
        for seat in seats:
            if len(seat.cells) < round_no:
                seat.enter(_REQUESTED if seat.bye_round == round_no and seat.attends(round_no) else ABSENT)


def swiss_pairs(ranked: Sequence[Seat]) -> list[Pair]:
    """Return the pairs of a round; a player for whom no opponent remains is in none.

    ``ranked``: an even number of players, the highest score first.
    """
    pairs: list[Pair] = []
    floating: list[Seat] = []
    for _, group in groupby(ranked, key=lambda seat: seat.halves):
        bracket = [*floating, *group]
        upper, lower = bracket[: len(bracket) // 2], bracket[len(bracket) // 2 :]
        floating = []
        for seat in upper:
            unmet = [other for other in lower if other.number not in seat.met]
            # Two players who both need the same colour are kept apart where that is possible.
            other = next((other for other in unmet if seat.balance * other.balance < 2), unmet[0] if unmet else None)
            if other is None:
                floating.append(seat)
            else:
                lower.remove(other)
                pairs.append((seat, other))
        floating += lower
    while len(floating) > 1:
        _seat_last(floating.pop(), floating.pop(), pairs)
    return pairs


def _seat_last(left: Seat, other: Seat, pairs: list[Pair]) -> None:
    """Pair two players who are left over, by an exchange with the nearest board above if they have met."""
    if other.number not in left.met:
        pairs.append((other, left))
        return
    for at in range(len(pairs) - 1, -1, -1):
        for first, second in (pairs[at], pairs[at][::-1]):
            if first.number not in left.met and second.number not in other.met:
                pairs[at] = (first, left)
                pairs.append((second, other))
                return


def _with_colours(first: Seat, second: Seat, round_no: int) -> Pair:
    """Return White and Black: White for who has had it less often, else for the one who had Black last."""
    if first.balance != second.balance:
        return (first, second) if first.balance < second.balance else (second, first)
    last = next(
        (cell.colour for cell in reversed(first.cells) if cell.colour != "-"), "wb"[(first.number + round_no) % 2]
    )
    return (first, second) if last == "b" else (second, first)


def play_by_table(teams: Sequence[Sequence[Seat]], games: Games) -> None:
    """Play a round robin of an even number of teams, each with its players by board; alone, a player is a team of one.

    White on the odd boards is Black on the even ones.
    """
    last, half = len(teams) - 1, len(teams) // 2
    for turn in range(last):
        circle = [(at + turn * half) % last for at in range(last)]
        meetings = [(last, circle[0]) if turn % 2 else (circle[0], last)]
        meetings += [(circle[at], circle[-at]) for at in range(1, half)]
        for first, second in meetings:
            boards = zip(teams[first], teams[second], strict=True)
            games.play((rival, own) if board % 2 else (own, rival) for board, (own, rival) in enumerate(boards))


SLOTS = 3
"""Parts of a month, of eight days each. A player enters one event in a slot at most."""
_SLOT_DAYS, _DAYS_PAST_THE_LAST_SLOT = 8, 4
_CHANCES = (60, 200, 500, 900)
"""By activity: to enter an event of a slot, in thousandths. Unrated players enter a quarter as often."""
_ENTRANTS_AN_EVENT = 200
"""Where there are fewer players for each event, they enter more often."""
_TRAVELS, _IN_A_CLASS, _LATE_ENTRIES, _WITHDRAWALS = 60, 450, 25, 30
"""Of a thousand entries, events, and entrants (twice)."""
_FEWEST, _FEWEST_IN_A_SWISS, _FEWEST_IN_A_CLASS = 4, 10, 24
_CLASS_WIDTH = 150
_MOST_SWISS_ROUNDS = 9
_ROUND_ROBINS = (8, 10, 10, 12)
_TEAMS, _BOARDS = (4, 6, 6, 8), 4
_CLOCKS = {
    "standard": (("5400+30", 120), ("5400+30", 120), ("40/5400+30:1800+30", 150)),
    "rapid": (("900+10", 25), ("1500+10", 35), ("900+5", 20)),
    "blitz": (("180+2", 5), ("300+3", 8), ("180+2", 5)),
}
_KINDS = dict(zip(SYSTEMS, ("Open", "Masters", "League"), strict=True))


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player as they were when an event began, their team (from 1; 0: none), and their start number and games."""

    player: Player
    team: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Event:
    """An event that was held.

    ``number``: in its month, from 1. ``clock``: record 222, and the minutes that it gives for 60 moves. ``dates``: of
    each round. ``is_long``: a round a week, reported month by month. ``teams``: 0 where there are none. ``problem``: of
    :data:`~ratinglist_world.people.PROBLEMS`, or empty.
    """

    number: int
    code: str
    name: str
    city: str
    federation: str
    arbiter: str
    system: str
    time_control: str
    clock: tuple[str, int]
    dates: list[date]
    registered_on: date
    is_long: bool
    teams: int
    entrants: list[Entrant]
    problem: str


class Calendar:
    """The events of the calendar month before the list of ``period``."""

    def __init__(self, world: World, period: Period, players: Sequence[Player], dice: Dice) -> None:
        self.world, self.period, self.dice = world, period, dice
        self.pools = self._pools(players)

    def _pools(self, players: Sequence[Player]) -> dict[tuple[str, int], list[Player]]:
        """Return who enters an event, by federation and slot."""
        more = max(1, _ENTRANTS_AN_EVENT * self.world.reports // len(players))
        pools: dict[tuple[str, int], list[Player]] = {}
        for player in players:
            chance = more * _CHANCES[3 if player.is_new else player.activity]
            for slot in range(SLOTS):
                if self.dice.chance(chance if player.rating or player.is_new else chance // 4):
                    travels = self.dice.chance(_TRAVELS)
                    federation = self.dice.pick(self.world.federations) if travels else player.federation
                    pools.setdefault((federation, slot), []).append(player)
        return pools

    def hold(self, strangers: Sequence[Player], games: Games) -> list[Event]:
        """Hold the month's events; those with too few players are cancelled.

        ``strangers``: players who are registered a month later, for events with that problem.
        """
        # More events are held where more players are.
        where = [key for key, pool in self.pools.items() for _ in pool]
        held = []
        for ordinal in range(1, self.world.reports + 1):
            federation, slot = self.dice.pick(where)
            event = self._event(ordinal, federation, slot, strangers, games)
            if event is not None:
                held.append(event)
        return held

    def _event(
        self, ordinal: int, federation: str, slot: int, strangers: Sequence[Player], games: Games
    ) -> Event | None:
        dice, pool = self.dice, self.pools[federation, slot]
        if len(pool) < _FEWEST:
            return None
        section, may_enter = self._section(pool)
        # Some players are left for the other events of the slot.
        system, size, teams = self._size(max(_FEWEST, len(may_enter) * 2 // 3))
        field = dice.draw(may_enter, size)
        taken = {player.fide_id for player in field}
        self.pools[federation, slot] = [player for player in pool if player.fide_id not in taken]
        time_control = TIME_CONTROLS[dice.by_shares(self.world.plan.time_controls)]
        is_long = system == "team" and time_control == "standard" and dice.chance(self.world.plan.long_leagues)
        # A long league is reported in parts, which have no problems.
        problem = "" if is_long else self._problem()
        if problem == "unregistered":
            field[-1] = dice.pick(strangers)
        rounds = _rounds(system, teams or size)
        dates = self._dates(rounds, slot, time_control, is_long=is_long)
        city = town_of(dice)
        event = Event(
            ordinal,
            f"{federation}{dates[0]:%y%m}{ordinal:05}",
            f"{city} {_KINDS[system]}{section} {ordinal}",
            city,
            federation,
            f"{dice.pick('ABCDEFGHIJKLMNOPRSTUVWZ')}. {town_of(dice)}",
            system,
            time_control,
            dice.pick(_CLOCKS[time_control]),
            dates,
            dates[0] - timedelta(days=31 + dice.roll(60)),
            is_long,
            teams,
            self._entrants(field, teams, rounds, may_leave=system == "swiss"),
            problem,
        )
        seats = [entrant.seat for entrant in event.entrants]
        if system == "swiss":
            play_swiss(seats, rounds, games)
        else:
            # Start numbers go round the teams: every n-th player is of one team, the strongest on the first board.
            sides = teams or size
            play_by_table([seats[at::sides] for at in range(sides)], games)
        return event

    def _problem(self) -> str:
        shares = [self.world.plan.problems.get(problem, 0) for problem in PROBLEMS]
        return (*PROBLEMS, "")[self.dice.by_shares([*shares, 1000 - sum(shares)])]

    def _size(self, most: int) -> tuple[str, int, int]:
        """Return the system, the number of players and that of teams (0: none) of an event of ``most`` players at most.

        An event for which there are too few players is a smaller one of another system.
        """
        dice, plan = self.dice, self.world.plan
        system = SYSTEMS[dice.by_shares(plan.systems)]
        teams = min(dice.pick(_TEAMS), most // _BOARDS // 2 * 2)
        if system == "team" and teams >= _FEWEST:
            return system, teams * _BOARDS, teams
        if system == "roundrobin" or most < _FEWEST_IN_A_SWISS:
            return "roundrobin", min(dice.pick(_ROUND_ROBINS), most // 2 * 2), 0
        fewest, largest = plan.swiss_field
        return "swiss", min(fewest + min(dice.roll(largest - fewest + 1) for _ in range(2)), most), 0

    def _section(self, pool: list[Player]) -> tuple[str, list[Player]]:
        """Return the name of an event's section, and who may enter it: all, or players of like strength."""
        if self.dice.chance(_IN_A_CLASS):
            centre = self.dice.pick(pool).strength
            section = [player for player in pool if abs(player.strength - centre) <= _CLASS_WIDTH]
            if len(section) >= _FEWEST_IN_A_CLASS:
                return " Class", section
        return "", pool

    def _dates(self, rounds: int, slot: int, time_control: str, *, is_long: bool) -> list[date]:
        """Return the date of every round."""
        first = (self.period - 1).first_day
        if is_long:
            start = self.dice.roll(_SLOT_DAYS)
            return [first + timedelta(days=start + 7 * at) for at in range(rounds)]
        days = min(rounds, _SLOT_DAYS) if time_control == "standard" else 1
        spare = _SLOT_DAYS + 1 - days + (_DAYS_PAST_THE_LAST_SLOT if slot == SLOTS - 1 else 0)
        start = slot * _SLOT_DAYS + self.dice.roll(spare)
        return [first + timedelta(days=start + at * days // rounds) for at in range(rounds)]

    def _entrants(self, field: list[Player], teams: int, rounds: int, *, may_leave: bool) -> list[Entrant]:
        """Return the entrants by their start numbers: the highest rating first."""
        entrants = []
        for number, player in enumerate(sorted(field, key=_by_rating), 1):
            enters, leaves = 1, rounds
            if may_leave and self.dice.chance(_LATE_ENTRIES):
                enters = 2
            elif may_leave and self.dice.chance(_WITHDRAWALS):
                leaves = 1 + self.dice.roll(rounds)
            team = (number - 1) % teams + 1 if teams else 0
            entrants.append(Entrant(replace(player), team, Seat(number, player.strength, enters, leaves)))
        return entrants


def _by_rating(player: Player) -> tuple[int, int]:
    return -player.rating, player.fide_id


def _rounds(system: str, size: int) -> int:
    """Return the rounds of an event of so many players or teams.

    Swiss: two more than are needed to leave one player without a loss, at most half the players, so that every player
    always finds a new opponent.
    """
    if system == "swiss":
        return min((size - 1).bit_length() + 2, size // 2, _MOST_SWISS_ROUNDS)
    return size - 1
