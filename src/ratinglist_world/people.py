"""A made-up world and its players: its sizes, what they are called, how strong they are, and what a list says of them.

The shares of a world are in thousandths; the default is a world like the real one, with enough problems to test an
office. A strength, in rating points, is the sum of talent, age and form: juniors rise, veterans decline, form goes up
and down. Names are made up: a surname of a stem and an ending, and a given name. They have letters of three kinds:
those of Windows-1252, Latin letters that it lacks, and Cyrillic ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import NamedTuple, TypeVar

from ratinglist.errors import CommandLineError
from ratinglist.period import Period

FEWEST_PLAYERS, MOST_PLAYERS = 60, 2_000_000
MOST_REPORTS = 99_999
"""Events of one month; the number of an event in its month has five digits."""
FEDERATIONS = (
    *("ORV", "KEL", "ZYM", "QUA", "WEX", "YST", "OXB", "KRV", "DRU", "VAX", "FJO", "HYL", "ULQ", "ZEB", "GWY", "TOV"),
    *("BQA", "CYX", "EZU", "IXA", "JYR", "LQO", "MZE", "NYX", "PZO", "RQI", "SVY", "UXA", "VEQ", "WUZ", "XAN", "YOL"),
)
"""Codes that no real federation uses."""
_PLAYERS_A_FEDERATION = 20_000
_FEWEST_REPORTS = 4

SYSTEMS = ("swiss", "roundrobin", "team")
"""The event types of ``manifest.csv``."""
TIME_CONTROLS = ("standard", "rapid", "blitz")
PROBLEMS = ("late", "repeated", "corrected", "other code", "broken", "unregistered")
"""What may be wrong with the report of an event.

It arrives late, twice, or under another code too; a second version corrects a result; it cannot be accepted; or it
names a player who is registered a month later.
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """Shares in thousandths, and sizes, of a world.

    ``unrated``: of the first players, whatever their strength; those below the floor are unrated too. ``rapid``,
    ``blitz``: of the players with a standard rating. ``newcomers``: each month, of the first players. ``changes``: of
    the players, each month, those who get another federation or surname. ``systems``, ``time_controls``: of the events,
    in the order of :data:`SYSTEMS` and :data:`TIME_CONTROLS`. ``swiss_field``: the fewest and the most players of a
    Swiss event, of which most are small. ``long_leagues``: of the standard team events those that last a season, with a
    round a week, and are reported month by month. ``problems``: of the events, those with a planted problem of
    :data:`PROBLEMS`.
    """

    unrated: int = 120
    rapid: int = 450
    blitz: int = 300
    newcomers: int = 4
    changes: int = 1
    systems: tuple[int, int, int] = (750, 150, 100)
    time_controls: tuple[int, int, int] = (600, 270, 130)
    swiss_field: tuple[int, int] = (24, 320)
    long_leagues: int = 500
    problems: dict[str, int] = field(default_factory=lambda: dict(zip(PROBLEMS, (60, 20, 25, 10, 15, 10), strict=True)))


@dataclass(frozen=True, slots=True)
class World:
    """One made-up world. Equal arguments give the same world, however many months of it are written.

    ``first`` is the first list to be rated; the starting list is that of the month before. ``reports``: events a month.
    """

    players: int
    first: Period
    seed: int
    reports: int
    federations: tuple[str, ...]
    plan: Plan

    @property
    def newcomers(self) -> int:
        """The number of players registered each month."""
        return max(1, self.players * self.plan.newcomers // 1000)


def world_of(
    players: int,
    first: Period,
    seed: int = 1,
    reports: int | None = None,
    federations: tuple[str, ...] = (),
    plan: Plan | None = None,
) -> World:
    """Return the world with these parameters.

    By default the events a month and the number of federations follow from ``players``: 60 events for 20,000 players
    and 5,010 for 2,000,000; one federation for every 20,000 players. Raises :class:`CommandLineError` for too few or
    too many players or events, and for a wrong or repeated federation code.
    """
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise CommandLineError(f"--players is {players:,}: from {FEWEST_PLAYERS} to {MOST_PLAYERS:,} can be made.")
    a_month = _reports_a_month(players) if reports is None else reports
    if not 1 <= a_month <= MOST_REPORTS:
        raise CommandLineError(f"--reports is {a_month:,}: from 1 to {MOST_REPORTS:,} events a month can be held.")
    wrong = next((code for code in federations if not re.fullmatch("[A-Z]{3}", code)), None)
    if wrong is not None:
        raise CommandLineError(f"--federation is '{wrong}': write three capital letters, such as ORV.")
    if len(set(federations)) < len(federations):
        raise CommandLineError("--federation names one federation twice.")
    codes = federations or FEDERATIONS[: 1 + (players - 1) // _PLAYERS_A_FEDERATION]
    return World(players, first, seed, a_month, codes, plan or Plan())


def _reports_a_month(players: int) -> int:
    if players <= _PLAYERS_A_FEDERATION:
        return max(_FEWEST_REPORTS, players * 3 // 1000)
    return 60 + (players - _PLAYERS_A_FEDERATION) // 400


T = TypeVar("T")


class Dice:
    """A sequence of numbers drawn by lot; ``seed`` is any text."""

    def __init__(self, seed: str) -> None:
        # Of Python's generator only the bits are used: they are the same in all versions, and how `sample` or
        # `choice` make numbers of them may change.
        self._bits = Random(seed).getrandbits  # noqa: S311 - a game of chance, and no secret

    def roll(self, sides: int) -> int:
        """Return a whole number from 0 to ``sides`` − 1, each equally likely."""
        return self._bits(32) * sides >> 32

    def chance(self, per_thousand: int) -> bool:
        """Return true with a probability of ``per_thousand`` in a thousand."""
        return self.roll(1000) < per_thousand

    def pick(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.roll(len(values))]

    def by_shares(self, shares: Sequence[int]) -> int:
        """Return the place in ``shares`` of the share that is drawn; a larger share is drawn more often."""
        drawn = self.roll(sum(shares))
        place = 0
        while drawn >= shares[place]:
            drawn -= shares[place]
            place += 1
        return place

    def draw(self, values: Sequence[T], count: int) -> list[T]:
        """Return ``count`` different places' values in the order of the draw."""
        drawn = list(values)
        for place in range(count):
            other = place + self.roll(len(drawn) - place)
            drawn[place], drawn[other] = drawn[other], drawn[place]
        return drawn[:count]


FIRST_FIDE_ID = 900_000_000
"""Made-up FIDE IDs have nine digits, more than any real one."""
FLOOR = 1400
PLAYER_COLUMNS = ("fide_id", "name", "federation", "sex", "title", "women_title", "birth_date")
STATE_COLUMNS = (
    *("birth_year", "time_control", "rating", "k", "games_played", "reached_2400", "reached_2300", "last_played"),
    "flag",
)
"""What a list adds: the rating and what K depends on."""
_ACTIVITY = (600, 250, 120, 30)
"""Of a thousand players: those who play rarely, sometimes, often and most often."""
_WOMEN, _JUNIORS, _YOUNG_NEWCOMERS = 120, 300, 650
"""Of a thousand players, first players and newcomers."""
_YOUNGEST, _ADULT, _OLDEST = 7, 18, 85
_RISES_UNTIL, _DECLINES_FROM = 22 * 12, 45 * 12
"""Months of age."""
_FORM_STEP, _MOST_FORM = 10, 60
_RATING_ERROR, _OTHER_RATING_ERROR = 80, 130
_TITLES = ((2500, "GM"), (2400, "IM"), (2300, "FM"), (2200, "CM"))
_WOMEN_TITLES = ((2300, "WGM"), (2200, "WIM"), (2100, "WFM"), (2000, "WCM"))
_GAMES_TO_ENTER, _GAMES_TO_SETTLE = 5, 30
_GAMES_A_YEAR = (4, 12, 30, 70)
_MONTHS_AWAY = (60, 16, 4, 2)
"""By activity: the most games in a year, and the number of months within which the last game was."""
_INACTIVE_FROM = 12


@dataclass(slots=True)
class Player:
    """A player as they are in the month that is played.

    ``activity``: from 0, rarely, to 3, most often. ``talent``: the strength of their best years. ``rating``: what is
    assumed and written in reports, 0 for a player who was unrated on the starting list.
    """

    fide_id: int
    name: str
    federation: str
    woman: bool
    birth: date
    activity: int
    talent: int
    form: int
    strength: int = 0
    rating: int = 0
    title: str = ""
    is_new: bool = False

    def grow(self, dice: Dice, period: Period) -> None:
        """Bring form, strength and assumed rating to the month before the list of ``period``."""
        step = dice.roll(2 * _FORM_STEP + 1) - _FORM_STEP
        self.form = min(_MOST_FORM, max(-_MOST_FORM, self.form + step))
        self.strength = self.talent + _age_effect(self.age_months(period)) + self.form
        if self.rating:
            self.rating = max(FLOOR, self.rating + (self.strength - self.rating) // 8)

    def age_months(self, period: Period) -> int:
        """Return the age in whole months on the first day of ``period``; the day of birth is ignored."""
        return period.index - (self.birth.year * 12 + self.birth.month - 1)

    def row(self) -> tuple[object, ...]:
        """Return the values of :data:`PLAYER_COLUMNS`."""
        sex = "F" if self.woman else "M"
        titles = ("", self.title) if self.title.startswith("W") else (self.title, "")
        return (self.fide_id, self.name, self.federation, sex, *titles, self.birth)


def first_player(world: World, number: int, dice: Dice) -> Player:
    """Return a player of the starting list; ``number`` counts from 0."""
    before = world.first - 1
    player = _born(world, number, _JUNIORS, before, dice)
    rating = player.strength + dice.roll(2 * _RATING_ERROR + 1) - _RATING_ERROR
    if rating >= FLOOR and not dice.chance(world.plan.unrated):
        player.rating = rating
        steps = (*_TITLES, *(_WOMEN_TITLES if player.woman else ()))
        player.title = next((title for least, title in steps if rating >= least), "")
    return player


def newcomer(world: World, number: int, period: Period, dice: Dice) -> Player:
    """Return a player who is registered for the list of ``period``; most are children."""
    player = _born(world, number, _YOUNG_NEWCOMERS, period, dice)
    player.is_new = True
    return player


def _born(world: World, number: int, young: int, period: Period, dice: Dice) -> Player:
    """Return an unrated player; ``young``: the chance of less than 18 years, in thousandths."""
    if dice.chance(young):
        age = _YOUNGEST + dice.roll(_ADULT - _YOUNGEST)
    else:
        age = _ADULT + min(dice.roll(_OLDEST - _ADULT + 1) for _ in range(2))
    woman = dice.chance(_WOMEN)
    # Few players are strong: only the lowest of six dice counts.
    talent = 1300 + dice.roll(300) + min(dice.roll(1500) for _ in range(6))
    player = Player(
        FIRST_FIDE_ID + number,
        name_of(dice, woman=woman),
        # The k-th federation has a k-th part of the players of the first.
        world.federations[dice.by_shares([1000 // place for place in range(1, len(world.federations) + 1)])],
        woman,
        period.first_day - timedelta(days=age * 365 + dice.roll(365)),
        dice.by_shares(_ACTIVITY),
        talent,
        dice.roll(2 * _MOST_FORM + 1) - _MOST_FORM,
    )
    player.grow(dice, period)
    return player


def _age_effect(months: int) -> int:
    """Return the effect of an age on the talent: −720 at ten, −80 at eighteen, −75 at sixty, −408 at eighty."""
    to_rise, declined = max(0, _RISES_UNTIL - months), max(0, months - _DECLINES_FROM)
    return -(to_rise * to_rise // 29) - declined * declined // 432


def list_rows(player: Player, world: World, dice: Dice) -> list[tuple[object, ...]]:
    """Return the rows of a player on the starting list, one for each time control in which they are rated.

    The values are those of :data:`PLAYER_COLUMNS` and :data:`STATE_COLUMNS`. An unrated player has one row, standard
    without a rating.
    """
    before = world.first - 1
    flag = "w" if player.woman else ""
    described = (*player.row(), player.birth.year)
    if not player.rating:
        return [(*described, "standard", None, None, 0, 0, 0, None, flag)]
    years = max(0, player.age_months(before) // 12 - _YOUNGEST)
    games = _GAMES_TO_ENTER + dice.roll(1 + years * _GAMES_A_YEAR[player.activity])
    away = dice.roll(_MONTHS_AWAY[player.activity])
    tail = (str((before - away).first_day), flag + "i" * (away >= _INACTIVE_FROM))
    rows = [(*described, "standard", player.rating, *_state(player, player.rating, games, before), *tail)]
    for time_control, share in (("rapid", world.plan.rapid), ("blitz", world.plan.blitz)):
        rating = player.strength + dice.roll(2 * _OTHER_RATING_ERROR + 1) - _OTHER_RATING_ERROR
        if dice.chance(share) and rating >= FLOOR:
            state = _state(player, rating, _GAMES_TO_ENTER + games // 3, before)
            rows.append((*described, time_control, rating, *state, *tail))
    return rows


def _state(player: Player, rating: int, games: int, period: Period) -> tuple[int, int, int, int]:
    """Return K (B.02 8.3.3), the games, and whether the player has reached 2400 and 2300."""
    junior = period.first_day.year - player.birth.year <= _ADULT and rating < 2300
    k = 10 if rating >= 2400 else 40 if junior or games < _GAMES_TO_SETTLE else 20
    return k, games, int(rating >= 2400), int(rating >= 2300)


def _parts(words: str) -> list[str]:
    return words.split()


class _Style(NamedTuple):
    stems: list[str]
    endings: list[str]
    men: list[str]
    women: list[str]


_STYLES = (
    _Style(
        _parts(
            "Abel Bränt Castr Dorv Éstel Fjor Grün Halv Ibar Jönk Kalm Lérid Mand Nørr Oliv Pérr Quen Rosm Søndr Tärn "
            "Ulv Vald Wint Xim Yarr Zell Ånd Ñer Çel Öst Moss Fent Garv Hest Pell Trev Blom Dask Evr Lund"
        ),
        _parts(
            "ana ell ström berg aldo enez wick ford holm by gård ière eau otte ansen ado eira ique unda elli ossi atti "
            "enfels bach mann dal erson thorp ley combe ård önen ães aña"
        ),
        _parts(
            "Aldo Baptiste Conrad Dário Émile Fabian Gonzalo Hjalmar Iñigo João Kaspar Léo Matthías Niels Orso Pål "
            "Quentin Ramón Søren Tobias Ulrich Vítor Wendel Yann Zeno Åke Björn César Dirk Elías"
        ),
        _parts(
            "Adélaïde Brigit Clàudia Dagmar Élise Frøydis Greta Hélène Inés Jutta Karin Lucía Maïa Noor Odile Pía "
            "Quirina Rocío Solveig Thaïs Ursula Violante Wilma Ximena Yvonne Zoë Åsa Märta Núria Saga"
        ),
    ),
    _Style(
        _parts("Łask Świer Čern Řez Šim Žel Őrs Ğöz Şahin Ţur Bród Gyűr Hołow Kóv Ľub Mędr Ňuk Piąt Rőz Stőr Wąs Zıl"),
        _parts("owicz ěnka ović ęcki ścik ősi ğlu țescu ák űvári ařík ņš ūnas ėnas ščuk łowski ićki ınar"),
        _parts("Łukasz Ctirad Gergő Đorđe Šimon Bálint Ümit Ştefan Jānis Ąžuolas Żegota Ondřej İlker Mihály Kęstas"),
        _parts("Zofia Řehoňa Ildikó Đurđa Šárka Żaneta Ülkü Ștefana Līga Ugnė Bożena Květa İpek Réka Jūratė Ľubica"),
    ),
    _Style(
        _parts("Верд Залем Курб Лозов Мирят Олен Пешк Рудож Сувал Тархун Улеб Фесол Чарус Шумил Ярем"),
        _parts("ников аев инский енко ович уров ельян ашвин"),
        _parts("Велемир Гордей Захар Любим Мирон Остап Прохор Савелий Тихон Ярослав"),
        _parts("Варвара Глафира Зоряна Ксения Любава Милена Олеся Пелагея Стефания Ульяна"),
    ),
)
_STYLE_SHARES = (760, 220, 20)
_TOWNS = (
    _parts("Alder Brack Calm Dun Elm Fenn Grün Hal Iver Kings Lang Mühl"),
    _parts("bury haven mouth stad hausen vik ford église mar port"),
)


def name_of(dice: Dice, *, woman: bool) -> str:
    """Return the name of a person, ``Surname, Given``."""
    style = _STYLES[dice.by_shares(_STYLE_SHARES)]
    first_name = dice.pick(style.women if woman else style.men)
    return f"{dice.pick(style.stems)}{dice.pick(style.endings)}, {first_name}"


def renamed(name: str, dice: Dice) -> str:
    """Return the name of a person who has another surname, of the same language, from now on."""
    first_name = name.split(", ")[1]
    style = next(style for style in _STYLES if first_name in (*style.men, *style.women))
    return f"{dice.pick(style.stems)}{dice.pick(style.endings)}, {first_name}"


def town_of(dice: Dice) -> str:
    """Return the name of a town; it may be a surname too."""
    return dice.pick(_TOWNS[0]) + dice.pick(_TOWNS[1])
