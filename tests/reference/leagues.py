"""Leagues that are reported in slices, and events whose games several reports contain."""

import hashlib
from dataclasses import replace
from datetime import date, timedelta
from random import Random

from tests.reference.formulas import first_day_of, month_number
from tests.reference.office import Game, Report

DAYS_LATE = [0, 0, 1, 3, 12, 33, 64]
RESULTS = [(2, 0), (0, 2), (1, 1)]


def league(random: Random, code: str, month: int, ids: list[int], time_control: str, size: int) -> list[Report]:
    """A league in two to four slices from the month before the list ``month`` on, and what may go wrong with them."""
    players = random.sample(ids, min(len(ids), size))
    monthly = random.randrange(3) > 0
    # Where no slice of it has round dates, only the name shows that two codes are one league.
    dated = random.choice([True, True, False, None])
    own_codes = random.randrange(3) == 0
    numbered = random.randrange(4) == 0
    new_rounds = random.randrange(4) == 0
    start = first_day_of(month_number(month - 1)) + timedelta(days=random.choice([0, 0, 3, 20]))
    template = Report(
        event_id=code,
        version=1,
        received_on=start,
        start_date=start,
        end_date=start,
        games=(),
        players=tuple(players),
        event_type="team",
        time_control=time_control,
        name="League",
    )
    slices: list[Report] = []
    rounds = 0
    for number in range(random.choice([2, 2, 3, 4])):
        end = start + timedelta(days=random.choice([0, 5, 20, 24] if monthly else [0, 2, 9]))
        with_dates = random.randrange(2) == 0 if dated is None else dated
        games = _rounds(random, players, rounds + 1, random.randint(1, 3), start if with_dates else None)
        rounds = 0 if new_rounds else games[-1].round
        slices.append(
            replace(
                template,
                event_id=f"{code}{'abcd'[number]}" if own_codes else code,
                version=number + 1 if numbered else 1,
                received_on=end + timedelta(days=random.choice(DAYS_LATE)),
                start_date=start,
                end_date=end,
                games=games,
                accepted=random.randrange(15) > 0,
            )
        )
        start = end + timedelta(days=random.choice([1, 1, 4, 0, -1]))
        if monthly:
            start = max(start, first_day_of(month_number(month + number)))
    # A player has one game a round in a report: where rounds start from 1 again, no report holds those of two slices.
    reports = [
        report if new_rounds else _repeating(random, slices[:place], report) for place, report in enumerate(slices)
    ]
    reports += [_corrected(random, report) for report in reports if random.randrange(5) == 0]
    if not new_rounds and random.randrange(4) == 0:
        reports.append(_whole(random, slices, code))
    return [described(random, report) for report in reports]


def _rounds(random: Random, players: list[int], first: int, number: int, day: date | None) -> tuple[Game, ...]:
    games = []
    for round_number in range(first, first + number):
        order = random.sample(players, len(players))
        played_on = None if day is None else day + timedelta(days=round_number - first)
        for white, black in zip(order[::2], order[1::2], strict=False):
            games.append(Game(round_number, white, black, *random.choice(RESULTS), played_on))
    return tuple(games)


def _repeating(random: Random, before: list[Report], report: Report) -> Report:
    """The slice as it is, or with rounds of the slices before: the last one or all, perhaps with other results."""
    kind = random.randrange(5)
    if not before or kind > 1:
        return report
    repeated = [game for earlier in before for game in earlier.games]
    if kind == 0:
        last = before[-1].games[-1].round
        repeated = [game for game in repeated if game.round == last]
    if random.randrange(3) == 0:
        repeated = [_decided(random, game) for game in repeated]
    return replace(report, games=(*repeated, *report.games))


def _corrected(random: Random, report: Report) -> Report:
    """The same slice sent again: another result, a game less, other pairings, another day, a round more."""
    games = list(report.games)
    place = random.randrange(len(games))
    games[place] = _decided(random, games[place])
    if random.randrange(3) == 0:
        del games[random.randrange(len(games))]
    if games and random.randrange(3) == 0:
        games = _paired_otherwise(random, games, report.players)
    if random.randrange(6) == 0:
        last = games[-1] if games else report.games[-1]
        day = last.played_on and last.played_on + timedelta(days=1)
        games += _rounds(random, list(report.players), last.round + 1, 1, day)
    shift = timedelta(days=random.choice([0, 0, 0, 0, 1, 1, -1]))
    start = report.start_date + shift
    if random.randrange(2) == 0:
        games = [replace(game, played_on=game.played_on and game.played_on + shift) for game in games]
    return replace(
        report,
        version=report.version + random.choice([0, 1, 1, 2]),
        received_on=report.received_on + timedelta(days=random.choice([-2, 0, 1, 9, 31])),
        start_date=start,
        end_date=max(start, report.end_date + random.choice([timedelta(), shift])),
        games=tuple(games),
        accepted=random.randrange(8) > 0,
    )


def _paired_otherwise(random: Random, games: list[Game], players: tuple[int, ...]) -> list[Game]:
    """Somebody else played Black, or two games of a round exchange the players of Black."""
    place = random.randrange(len(games))
    original = games[place]
    others = [number for number, game in enumerate(games) if game.round == original.round and number != place]
    playing = {fide_id for game in games if game.round == original.round for fide_id in (game.white_id, game.black_id)}
    idle = [fide_id for fide_id in players if fide_id not in playing]
    changed = list(games)
    if idle and (not others or random.randrange(2)):
        changed[place] = replace(original, black_id=random.choice(idle))
    elif others:
        other = random.choice(others)
        changed[place] = replace(original, black_id=games[other].black_id)
        changed[other] = replace(games[other], black_id=original.black_id)
    return changed


def _decided(random: Random, game: Game) -> Game:
    white, black = random.choice(RESULTS)
    return replace(game, white_halves=white, black_halves=black)


def _whole(random: Random, slices: list[Report], code: str) -> Report:
    """The whole league in one report, after the slices or before, under the code of them or another."""
    games = tuple(game for part in slices for game in part.games)
    end = slices[-1].end_date
    return replace(
        slices[0],
        event_id=random.choice([code, code, f"A{code}", f"Z{code}"]),
        version=random.choice([1, 1, 2, 5]),
        received_on=random.choice([end, end + timedelta(days=31), slices[0].received_on]),
        end_date=end,
        games=games,
        accepted=True,
    )


def under_another_code(random: Random, report: Report) -> Report:
    """The same games in an event that is not quite the same: other days, no round dates, a game less, another name."""
    games = list(report.games)
    shift = random.choice([0, 0, 1])
    if random.randrange(3) == 0:
        games = [replace(game, played_on=None) for game in games]
    if len(games) > 1 and random.randrange(2) == 0:
        del games[random.randrange(len(games))]
    if games and random.randrange(4) == 0:
        games[0] = _decided(random, games[0])
    if games and random.randrange(4) == 0:
        games[-1] = with_another_pairing(random, games)
    start = report.start_date + timedelta(days=shift)
    copy = replace(
        report,
        event_id=random.choice(["A", "Z"]) + report.event_id,
        received_on=report.received_on + timedelta(days=random.choice([-1, 0, 1, 31])),
        start_date=start,
        end_date=max(start, report.end_date + timedelta(days=random.choice([0, 0, 40]))),
        games=tuple(games),
        accepted=True,
        name=report.name if random.randrange(4) else "Another",
        federation=report.federation if random.randrange(8) else "FRA",
    )
    return described(random, copy)


def with_another_pairing(random: Random, games: list[Game]) -> Game:
    """The last game with a corrected pairing: the colours exchanged, or another opponent who has no game that round."""
    last = games[-1]
    taken = {fide_id for game in games if game.round == last.round for fide_id in (game.white_id, game.black_id)}
    free = sorted({fide_id for game in games for fide_id in (game.white_id, game.black_id)} - taken)
    if free and random.randrange(2) == 0:
        return replace(last, black_id=random.choice(free))
    return replace(last, white_id=last.black_id, black_id=last.white_id)


def described(random: Random, report: Report) -> Report:
    """The report with what the program writes down about its games when it is loaded.

    Of a refused report nothing may be known: then it is no slice of anything.
    """
    unread = not report.accepted and random.randrange(2) == 0
    rounds = [] if unread else [game.round for game in report.games]
    return replace(
        report,
        first_round=min(rounds, default=None),
        last_round=max(rounds, default=None),
        games_digest=digest(report.games),
    )


def digest(games: tuple[Game, ...]) -> str:
    """The games whatever their order."""
    if not games:
        return ""
    played = sorted((game.round, game.white_id, game.black_id, game.white_halves, game.black_halves) for game in games)
    return hashlib.sha256(repr(played).encode()).hexdigest()
