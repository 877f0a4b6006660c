"""A month of a large federation: thousands of reports and the list they are rated with.

``python benchmarks/reports.py OUT --reports 5000 --players 500000 --seed 1 --month 2025-11`` writes

``OUT/list-<month before>.csv``: the starting list, with ``--players`` players, one in twenty of them unrated;
``OUT/reports/manifest.csv`` and ``OUT/reports/<nn>/<event>.trf``: Swiss opens of about 100 players and 9 rounds.

The same arguments give the same bytes. Both lines of a game agree; three results in a hundred are byes or forfeits,
every third file is Windows-1252. Everything is drawn and added up in integers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random

from ratinglist.period import Period

ROUNDS = 9
SIZES = (80, 90, 100, 110, 120)
FIRST_ID = 70_000_000
FEDERATIONS = ("ORV", "KEL", "ZYM", "QUA", "WEX", "YST", "OXB", "KRV")
SURNAMES = (
    *("Abernathy", "Bäckström", "Castellane", "D'Amorim", "Eklöf", "Ferrandis", "Grünwald", "Haverkamp", "Iwatani"),
    *("Jørgensby", "Krogsgård", "Lindeqvist", "Mac Aodha", "Nakamba", "Ó Conaill", "Peñalver", "Quesnel", "Rwigara"),
    *("Strandvold", "Thorbjörnsson", "Underhill", "von Treskau", "Whitlock", "Ximénez", "Yamaguchi-Berg", "Žitnik"),
)
GIVEN_NAMES = (
    *("Adélaïde", "Baptiste", "Clàudia", "Dimo", "Émile", "Faustin", "Gonzalo", "Hedvika", "Ingrid", "João", "Kwame"),
    *(
        "Lucía",
        "Matthias",
        "Noor",
        "Orhan",
        "Prudence",
        "Rocío",
        "Søren",
        "Tiago",
        "Ursula",
        "Veera",
        "Wolfgang",
        "Zoë",
    ),
)
TITLES = ((2500, "GM"), (2400, "IM"), (2300, "FM"), (2200, "CM"), (0, ""))
LIST_HEADER = (
    "fide_id,name,federation,sex,title,women_title,other_titles,birth_date,birth_year,time_control,rating,k,"
    "games_played,reached_2400,reached_2300,last_played,flag\n"
)
MANIFEST_HEADER = "file,event_id,version,received_on,event_type,time_control,registered_on,minutes_per_60_moves\n"
HALVES = {"1": 2, "+": 2, "=": 1, "H": 1, "0": 0, "-": 0, "Z": 0}


@dataclass(frozen=True, slots=True)
class Player:
    """One player. ``rating`` is 0 without one."""

    fide_id: int
    name: str
    federation: str
    sex: str
    title: str
    birth: str
    rating: int


def write_month(out: Path, reports: int, players: int, seed: int, month: str) -> None:
    """Write a starting list of ``players`` players and ``reports`` reports for the list of ``month`` into ``out``.

    Raises ``ratinglist.errors.CommandLineError`` for a bad month and ``ValueError`` for too few players.
    """
    period = Period.parse(month)
    if players < 2 * max(SIZES):
        raise ValueError(
            f"{players} players are too few for events of {max(SIZES)}: at least {2 * max(SIZES)} are needed"
        )
    chance = Random(seed)
    rated, unrated = _people(chance, players)
    folder = out / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*/BM*.trf"):
        stale.unlink()
    starting_list = out / f"list-{period - 1}.csv"
    with starting_list.open("w", encoding="utf-8", newline="") as file:
        file.write(LIST_HEADER)
        file.writelines(_list_rows([*rated, *unrated], period - 1))
    with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as manifest:
        manifest.write(MANIFEST_HEADER)
        for number in range(1, reports + 1):
            start, end = _days(period, number)
            entrants = _entrants(chance, rated, unrated, SIZES[number % len(SIZES)])
            text = _header(number, start, end, entrants) + _player_lines(chance, entrants)
            name = f"{number // 1000:02d}/BM{number:05d}.trf"
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(text.encode("utf-8" if number % 3 else "cp1252"))
            received, registered = end + timedelta(days=1), start - timedelta(days=14)
            manifest.write(f"{name},BM{number:05d},1,{received},swiss,standard,{registered},120\n")


def _people(chance: Random, players: int) -> tuple[list[Player], list[Player]]:
    """The rated players, weakest first, and the unrated ones."""
    numbers = list(range(players))
    chance.shuffle(numbers)
    unrated = players // 20
    # the lowest of three dice: many club players, few grandmasters, nobody outside 1400 to 2700
    ratings = sorted(1400 + min(chance.choices(range(1301), k=3)) for _ in range(players - unrated))
    people = [_player(number, rating) for number, rating in zip(numbers, [0] * unrated + ratings, strict=True)]
    return people[unrated:], people[:unrated]


def _player(number: int, rating: int) -> Player:
    surname, given = SURNAMES[number % len(SURNAMES)], GIVEN_NAMES[number // len(SURNAMES) % len(GIVEN_NAMES)]
    return Player(
        fide_id=FIRST_ID + number,
        name=f"{surname}, {given} {number // (len(SURNAMES) * len(GIVEN_NAMES))}",
        federation=FEDERATIONS[number % len(FEDERATIONS)],
        sex="MMMMF"[number % 5],
        title=next(title for least, title in TITLES if rating >= least),
        birth=f"{1945 + number % 71}-{number % 12 + 1:02d}-{number % 28 + 1:02d}",
        rating=rating,
    )


def _list_rows(people: list[Player], month: Period) -> Iterator[str]:
    for one in people:
        year = int(one.birth[:4])
        games = one.fide_id % 97 * 5 if one.rating else 0
        master, strong = one.rating >= 2400, one.rating >= 2300
        junior = month.first_day.year - year <= 18 and not strong
        k = 10 if master else 40 if junior or games < 30 else 20
        state = f"{one.rating},{k},{games}" if one.rating else ",,0"
        last_played = month.first_day if one.rating else ""
        yield (
            f'{one.fide_id},"{one.name}",{one.federation},{one.sex},{one.title},,,{one.birth},{year},standard,'
            f"{state},{master:d},{strong:d},{last_played},{'w' if one.sex == 'F' else ''}\n"
        )


def _days(period: Period, number: int) -> tuple[date, date]:
    """First and last day of an event that ends and arrives before the closing date of ``period``."""
    first = (period - 1).first_day
    spare = (period.days_before(3) - first).days - ROUNDS
    start = first + timedelta(days=number % spare)
    return start, start + timedelta(days=ROUNDS - 1)


def _entrants(chance: Random, rated: list[Player], unrated: list[Player], size: int) -> list[Player]:
    """Players of a like strength, strongest first, and one in twenty without a rating at the end."""
    newcomers = size // 20
    width = max(size, len(rated) // 8)
    lowest = chance.randrange(len(rated) - width + 1)
    known = sorted(chance.sample(range(lowest, lowest + width), size - newcomers), reverse=True)
    return [rated[at] for at in known] + chance.sample(unrated, newcomers)


def _rounds(players: int) -> list[list[tuple[int, int]]]:
    """Pairs (White, Black) of positions from 0: the first rounds of the Berger table, so nobody meets twice."""
    last, half = players - 1, players // 2
    rounds = []
    for turn in range(ROUNDS):
        move = [(at + turn * half) % last for at in range(last)]
        first = (last, move[0]) if turn % 2 else (move[0], last)
        rounds.append([first, *((move[at], move[last - at]) for at in range(1, half))])
    return rounds


SCHEDULES = {size: _rounds(size) for size in SIZES}


def _outcomes() -> list[bytes]:
    """For a lead of White from −800 to 800: what each of 256 throws gives, as an index into ``CODES``."""
    table = []
    for lead in range(-800, 801):
        expected = min(235, max(10, 128 + lead * 10 // 25))
        draws = max(8, 90 - abs(lead) // 6)
        win = max(1, expected - draws // 2)
        table.append(bytes(0 if throw < win else 1 if throw < win + draws else 2 for throw in range(256)))
    return table


CODES = (("1", "0"), ("=", "="), ("0", "1"))
OUTCOMES = _outcomes()


def _player_lines(chance: Random, entrants: list[Player]) -> str:
    """The 001 records of an event."""
    size = len(entrants)
    cells: list[list[str]] = [[] for _ in entrants]
    halves = [0] * size
    strength = [one.rating or 1600 for one in entrants]
    for pairs in SCHEDULES[size]:
        throws = chance.randbytes(2 * len(pairs))
        for at, (white, black) in enumerate(pairs):
            throw = throws[2 * at]
            # 7 throws of 256 are no game: forfeits, and pairs where neither came
            if throw >= 7:
                lead = max(-800, min(800, strength[white] - strength[black]))
                first, second = CODES[OUTCOMES[lead + 800][throws[2 * at + 1]]]
            elif throw >= 3:
                first, second = ("+", "-") if throw % 2 else ("-", "+")
            else:
                cells[white].append("  0000 - H")
                cells[black].append("  0000 - Z")
                halves[white] += 1
                continue
            cells[white].append(f"  {black + 1:>4} w {first}")
            cells[black].append(f"  {white + 1:>4} b {second}")
            halves[white] += HALVES[first]
            halves[black] += HALVES[second]
    rank = {at: place for place, at in enumerate(sorted(range(size), key=lambda at: (-halves[at], at)), 1)}
    lines = [
        f"001 {at + 1:>4} {one.sex.lower()}{one.title:>3} {one.name:<33} {one.rating or '':>4} {one.federation} "
        f"{one.fide_id:>11} {one.birth.replace('-', '/')} {halves[at] // 2:>2}.{halves[at] % 2 * 5} {rank[at]:>4}"
        f"{''.join(cells[at])}\n"
        for at, one in enumerate(entrants)
    ]
    return "".join(lines)


def _header(number: int, start: date, end: date, entrants: list[Player]) -> str:
    days = "".join(f"{start + timedelta(days=turn):%y/%m/%d}  " for turn in range(ROUNDS))
    coded = f"142 {ROUNDS}\n192 CUSTOM_SWISS\n222 5400+30\n" if number % 2 else f"XXR {ROUNDS}\n"
    return (
        f"012 Benchmark Open {number}\n022 Grünhafen\n032 {FEDERATIONS[number % len(FEDERATIONS)]}\n"
        f"042 {start:%Y/%m/%d}\n052 {end:%Y/%m/%d}\n062 {len(entrants)}\n"
        f"072 {sum(one.rating > 0 for one in entrants)}\n092 Individual: Swiss System\n102 Åke Fenwick\n"
        f"122 90 min. + 30 sec. per move\n{'132':<91}{days.rstrip()}\n{coded}"
    )


def main() -> None:
    """Write a month as the command line asks."""
    reader = argparse.ArgumentParser(description="Write a month of a large federation.")
    reader.add_argument("out", type=Path)
    reader.add_argument("--reports", type=int, default=5_000)
    reader.add_argument("--players", type=int, default=500_000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--month", default="2025-11")
    options = reader.parse_args()
    write_month(options.out, options.reports, options.players, options.seed, options.month)


if __name__ == "__main__":
    main()
