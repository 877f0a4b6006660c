"""Small made-up rating offices, crowded with the cases that are easy to get wrong.

One generator serves both uses: given a seeded ``random.Random`` it makes thousands of offices quickly; given the one
Hypothesis steers, a failing office shrinks.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from hypothesis import strategies as st

from tests.reference.formulas import first_day_of, month_number, number_of
from tests.reference.leagues import described, league, under_another_code
from tests.reference.office import Game, Player, Report, Standing

RATINGS: list[int | None] = [None] * 5 + [1003, 1400, 1421, 1599, 1600, 1799, 1800, 1999, 2000, 2199, 2200]
RATINGS += [2299, 2300, 2399, 2400, 2500, 2501, 2600, 2601, 2649, 2650, 2700, 2701]
LOW_RATINGS: list[int | None] = [None, None, None, 1003, 1010, 1390, 1400, 1401, 1408, 1421, 1475, 1599]
SCORES = [(2, 0), (2, 0), (0, 2), (0, 2), (1, 1), (1, 1), (2, 1), (0, 0)]
MINUTES = [None] * 6 + [120] * 6 + [59, 60, 89, 90, 119]
NOTICE = [None] * 6 + [60] * 6 + [2, 3, 6, 7, 29, 30]
EVENT_TYPES = ["swiss", "swiss", "swiss", "team", "roundrobin", "double_roundrobin", "match"]


@dataclass(frozen=True)
class World:
    """Consecutive lists of one office, and all that ever reached it."""

    family: str
    months: tuple[str, ...]
    lists: tuple[Standing, ...]
    players: tuple[Player, ...]
    known_from: dict[int, str]
    reports: tuple[Report, ...]


def make_world(random: Random, eras: tuple[tuple[str, str], ...], time_controls: tuple[str, ...]) -> World:
    """A world of one of ``eras``: a family of rules and the first month that is computed."""
    family, first = random.choice(eras)
    number = number_of(first)
    months = [number + n for n in range(random.choice([1, 2, 2, 3, 4]))]
    if random.randrange(6) == 0:
        months.append(months[-1] + random.choice([24, 25, 26]))
    ids = random.sample(range(100, 200), random.randint(4, 14))
    players = tuple(_player(random, fide_id, number) for fide_id in ids)
    ratings = random.choice([RATINGS, RATINGS, LOW_RATINGS])
    lists = []
    for time_control in time_controls:
        for back in (6, 1):
            for fide_id in ids:
                lists += _standing(random, month_number(number - back), time_control, fide_id, ratings)
    # In a third of the worlds nothing is wrong with the events, so that many games a month are rated.
    clean = random.randrange(3) == 0
    # In half of the worlds there are no leagues; in some there is little else.
    leagues = random.choice([0, 0, 0, 1, 2, 3])
    reports: list[Report] = []
    for n, month in enumerate(months):
        for m in range(random.choice([1, 2] if leagues == 3 else [1, 2, 2, 3, 4, 6])):
            # Now and then two events, sections of one tournament perhaps, come under one code.
            code = f"E{n}{m}" if random.randrange(15) else f"E{n}0"
            size = random.randint(3, 11)
            reports += _reports(random, code, month, ids, random.choice(time_controls), size, clean)
    for n in range(leagues):
        size = random.randint(4, 10)
        reports += league(random, f"L{n}", random.choice(months[:2]), ids, random.choice(time_controls), size)
    if leagues:
        reports += [under_another_code(random, report) for report in reports if random.randrange(8) == 0]
    return _world(random, family, months, lists, players, reports)


def make_large_world(
    random: Random,
    era: tuple[str, str],
    time_controls: tuple[str, ...],
    *,
    players: int = 2000,
    months: int = 12,
    events: int = 45,
) -> World:
    """A federation: ``players`` for ``months`` in sequence, with so many ``events`` a month, some of them in slices."""
    family, first = era
    number = number_of(first)
    numbers = [number + n for n in range(months)]
    ids = random.sample(range(100, 100 + 2 * players), players)
    known = tuple(_player(random, fide_id, number + random.randrange(months)) for fide_id in ids)
    ratings = [None] * 400 + list(range(1000, 2780)) + RATINGS
    lists = []
    for time_control in time_controls:
        for back in (6, 1):
            for fide_id in ids:
                lists += _standing(random, month_number(number - back), time_control, fide_id, ratings)
    reports: list[Report] = []
    for n, month in enumerate(numbers):
        clean = n % 2 == 0
        for m in range(events):
            size = random.randint(8, 70)
            reports += _reports(random, f"E{n}-{m}", month, ids, random.choice(time_controls), size, clean)
        for m in range(events // 10):
            size = random.randint(8, 40)
            reports += league(random, f"L{n}-{m}", month, ids, random.choice(time_controls), size)
    reports += [under_another_code(random, report) for report in reports if random.randrange(20) == 0]
    return _world(random, family, numbers, lists, known, reports)


def _world(
    random: Random,
    family: str,
    months: list[int],
    lists: list[Standing],
    players: tuple[Player, ...],
    reports: list[Report],
) -> World:
    named = []
    # The same bytes may come with two manifests; the same report is one report, however often it comes.
    for report in dict.fromkeys(reports):
        sha256 = hashlib.sha256(repr((report.event_id, report.version, report.received_on, report.games)).encode())
        named.append(replace(report, sha256=sha256.hexdigest(), report_id=f"R-{len(named):04d}"))
    listed = {state.fide_id for state in lists}
    late = [-9, -9, -9, 1, 99] if len(players) < 100 else [-9, -9, -9, 1, 2]
    return World(
        family,
        tuple(month_number(month) for month in months),
        tuple(lists),
        players,
        {
            # A list registers its players; others may still be unknown when their first report comes.
            player.fide_id: month_number(months[0] - 9 if player.fide_id in listed else months[0] + random.choice(late))
            for player in players
        },
        tuple(named),
    )


def _player(random: Random, fide_id: int, month: int) -> Player:
    """A player; many turn 18 about when the lists of the world are computed."""
    turns_18 = first_day_of(month_number(month - 12 * 18 + random.choice([-3, -2, -1, 0, 1, 2])))
    year = month // 12
    kind = random.randrange(6)
    born: date | None = None
    if kind <= 1:
        born = turns_18 + timedelta(days=random.choice([0, 1, 14, 26]))
    elif kind == 2:
        born = random.choice([date(2008, 2, 29), date(2000, 2, 29), date(year - 19, 12, 31), date(year - 17, 1, 1)])
    elif kind == 3:
        return Player(fide_id, birth_year=year - random.choice([17, 18, 19, 40]))
    return Player(fide_id, random.choice(["M", "M", "F"]), born, born.year if born else None)


def _standing(random: Random, month: str, time_control: str, fide_id: int, ratings: list[int | None]) -> list[Standing]:
    rating = random.choice(ratings)
    if rating is None and random.randrange(4):
        return []
    played = random.choice([0, 4, 22, 29, 30, 200, 200])
    # The mark of a high rating may still be missing: a list can reach it for the first time.
    marked = random.randrange(3) > 0
    return [
        Standing(
            month,
            time_control,
            fide_id,
            rating,
            games_played=played,
            reached_2400=(marked and (rating or 0) >= 2400) or (played == 200 and random.randrange(4) == 0),
            reached_2300=(marked and (rating or 0) >= 2300) or (played == 200 and random.randrange(2) == 0),
            last_played=random.choice([None, first_day_of(month)]),
        )
    ]


def _reports(
    random: Random, event_id: str, month: int, ids: list[int], time_control: str, size: int, clean: bool
) -> list[Report]:
    """One event: usually one report, sometimes a corrected one, sometimes the same games under another code."""
    first_day = first_day_of(month_number(month))
    end = first_day - timedelta(days=random.choice([1, 2, 3, 4, 4, 4, 5, 9, 16, 16, 17, 18, 25, 27, 35, 62, 110, 140]))
    start = end - timedelta(days=random.choice([0, 1, 1, 2, 8, 30, 33]))
    received = first_day - timedelta(days=random.choice([-20, -1, 0, 1, 2, *[3] * 12]))
    event_type = "swiss" if clean else random.choice(EVENT_TYPES)
    notice = None if clean else random.choice(NOTICE)
    players = random.sample(ids, 2 if event_type == "match" else min(len(ids), size))
    games = _games(random, players, start, 0 if random.randrange(15) == 0 else random.randint(1, 9))
    report = Report(
        event_id=event_id,
        version=1,
        received_on=max(received, end),
        start_date=start,
        end_date=end,
        games=games,
        players=tuple(players),
        event_type=event_type,
        time_control=time_control,
        official=random.randrange(7) == 0,
        registered_on=None if notice is None else start - timedelta(days=notice),
        minutes_per_60_moves=None if clean else random.choice(MINUTES),
        accepted=random.randrange(25) > 0,
        name=random.choice(["Open", event_id]),
    )
    reports = [report]
    if random.randrange(6) == 0:
        corrected = tuple(replace(game, white_halves=game.black_halves, black_halves=2) for game in games[:-1])
        reports.append(
            replace(
                report,
                version=random.choice([2, 2, 1]),
                received_on=report.received_on + timedelta(days=random.choice([-5, 0, 1, 2, 31])),
                games=corrected,
                accepted=random.randrange(4) > 0,
            )
        )
    if random.randrange(6) == 0:
        reports.append(
            replace(
                report,
                event_id=random.choice(["A", "Z"]) + event_id,
                received_on=report.received_on + timedelta(days=random.choice([-1, 0, 1, 31])),
                end_date=end + timedelta(days=random.choice([0, 0, 1])),
                accepted=True,
            )
        )
    return [described(random, report) for report in reports]


def _games(random: Random, players: list[int], start: date, rounds: int) -> tuple[Game, ...]:
    games = []
    rounds_a_day = random.choice([0, 0, 1, 2, 3, 4])
    for number in range(1, rounds + 1):
        order = random.sample(players, len(players))
        played_on = start + timedelta(days=(number - 1) // rounds_a_day) if rounds_a_day else None
        for white, black in zip(order[::2], order[1::2], strict=False):
            games.append(Game(number, white, black, *random.choice(SCORES), played_on))
    return tuple(games)


def worlds(eras: tuple[tuple[str, str], ...], time_controls: tuple[str, ...]) -> st.SearchStrategy[World]:
    """Worlds that Hypothesis makes and shrinks."""
    return st.builds(make_world, st.randoms(use_true_random=False), st.just(eras), st.just(time_controls))
