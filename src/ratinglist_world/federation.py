"""A made-up world as it goes on: its players, and month by month what the office receives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ratinglist.period import Period
from ratinglist_world.dice import Dice
from ratinglist_world.events import Calendar, Event
from ratinglist_world.people import Player, first_player, list_rows, newcomer, renamed
from ratinglist_world.plan import World
from ratinglist_world.play import Games
from ratinglist_world.reports import Report, reports_of


@dataclass(frozen=True, slots=True)
class Month:
    """A month as the office receives it.

    ``registrations``: rows of new players and of those with other data, before the reports.
    ``held``: the events that began in the month before the list of ``period``, whenever they are reported.
    ``due``: the reports that arrive for this list, by the names of their files.
    """

    period: Period
    registrations: list[tuple[object, ...]]
    held: list[Event]
    due: list[Report]


class Federation:
    """The players of a world, who grow older as its months are played.

    ``expected``: the higher rated player's expected score in hundredths by rating difference from 0 on (8.1.2).
    ``coming``: reports of events that were held which have not arrived.
    """

    def __init__(self, world: World, expected: Sequence[int]) -> None:
        self.world, self.expected = world, expected
        dice = Dice(f"{world.seed} players")
        self.players = [first_player(world, number, dice) for number in range(world.players)]
        self.coming: list[Report] = []
        self._period = world.first
        self._strangers = self._newcomers(dice)

    def starting_list(self) -> Iterator[tuple[object, ...]]:
        """Yield the rows of the list before the first month; it is asked for before any month is played."""
        dice = Dice(f"{self.world.seed} starting list")
        for player in self.players:
            yield from list_rows(player, self.world, dice)

    def next_month(self) -> Month:
        """Play a month. It does not depend on the months after it."""
        world, period = self.world, self._period
        dice = Dice(f"{world.seed} {period}")
        for player in self.players:
            player.is_new = False
            player.grow(dice, period)
        changed = [player for player in self.players if dice.chance(world.plan.changes)]
        for player in changed:
            self._change(player, dice)
        new, self._period = self._strangers, period + 1
        self.players += new
        self._strangers = self._newcomers(dice)
        games = Games(self.expected, dice)
        held = Calendar(world, period, self.players, dice).hold(self._strangers, games)
        reports = [*self.coming, *(report for event in held for report in reports_of(event, dice))]
        self.coming = [report for report in reports if report.period > period]
        due = sorted((report for report in reports if report.period <= period), key=lambda report: report.file)
        return Month(period, [player.row() for player in [*changed, *new]], held, due)

    def _newcomers(self, dice: Dice) -> list[Player]:
        """Return the players who are registered for the next month to be played."""
        numbers = range(len(self.players), len(self.players) + self.world.newcomers)
        return [newcomer(self.world, number, self._period, dice) for number in numbers]

    def _change(self, player: Player, dice: Dice) -> None:
        """Give a player another federation or another surname."""
        if len(self.world.federations) > 1 and dice.chance(500):
            player.federation = dice.pick(self.world.federations)
        else:
            player.name = renamed(player.name, dice)
