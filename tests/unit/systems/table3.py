"""The event of ten players that the systems are compared with: five of them are listed, with 100 games each."""

from __future__ import annotations

from tests.months import Event, Month, Office, Player

RATINGS = {1: 1872, 2: 1600, 3: 1500, 4: 1467, 5: 1440}
NAMES = [f"P{number}" for number in range(1, 11)]
LINES = """
1: +5 +4 +9 +3 =2
2: +6 -3 +5 +9 =1
3: +7 +2 +4 -1 +8
4: +8 -1 -3 +5 -6
5: -1 +7 -2 -4 +10
6: -2 -9 +8 +10 +4
7: -3 -5 +10 +8 -9
8: -4 +10 -6 -7 -3
9: +10 +6 -1 -2 +7
10: -9 -8 -7 -6 -5
"""
SCORES = {"+": "1", "=": "½", "-": "0"}
OTHER = {"1": "0", "½": "½", "0": "1"}


def games() -> str:
    """The 25 games round by round; the player with the lower number has White."""
    rounds: dict[int, list[str]] = {}
    for line in LINES.split("\n"):
        number, _, results = line.partition(": ")
        for round_no, result in enumerate(results.split(), start=1):
            opponent = int(result[1:])
            if int(number) < opponent:
                own = SCORES[result[0]]
                rounds.setdefault(round_no, []).append(f"P{number} {own}-{OTHER[own]} P{opponent}")
    return "\n".join(f"{round_no}. {', '.join(games)}" for round_no, games in sorted(rounds.items()))


def office(family: str, on: str = "2025-10", **players: Player) -> Office:
    """An office with the five listed players and the five others."""
    listed = [players.get(f"P{number}", Player(f"P{number}", rating)) for number, rating in RATINGS.items()]
    office = Office(*listed, family=family, on=on)
    office.register(*[players.get(name, Player(name)) for name in NAMES[5:]])
    return office


def event(**more: object) -> Event:
    """The event, one round a day."""
    days = tuple(f"2025-10-{day:02d}" for day in range(4, 9))
    return Event("Table", games(), start="2025-10-04", end="2025-10-08", days=days, **more)  # type: ignore[arg-type]


def ratings(month: Month) -> list[int | None]:
    return [month.rating(name) for name in NAMES]
