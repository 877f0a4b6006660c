"""A tournament as TRF16 or TRF26 text, column by column."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta

from people import Person

POINTS_HALVES = {"1": 2, "+": 2, "W": 2, "F": 2, "U": 2, "=": 1, "D": 1, "H": 1}
OLD_TITLES = {"GM": "g", "IM": "m", "FM": "f", "CM": "c", "WGM": "wg", "WIM": "wm", "WFM": "wf", "WCM": "wc"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One round of one player: start number of the opponent (0: none), colour and result code."""

    opponent: int
    colour: str
    code: str


@dataclass(slots=True)
class Team:
    """One team of a league: start numbers in board order, match points and game points in halves."""

    name: str
    numbers: list[int]
    match_points: int = 0
    halves: int = 0


@dataclass(slots=True)
class Tournament:
    """One event as it was played. ``cells`` holds for each start number one cell, or none, per round."""

    name: str
    city: str
    federation: str
    event_type: str
    days: list[date]
    clock: str
    arbiter: str
    players: list[Person]
    cells: dict[int, list[Cell | None]]
    teams: list[Team] = field(default_factory=list)

    @property
    def minutes(self) -> int:
        """Thinking time per player for 60 moves: base minutes plus one minute per second of increment."""
        base, increment = self.clock.split("+")
        return int(base) + int(increment)


@dataclass(frozen=True, slots=True)
class Style:
    """How the sender's program writes a report."""

    trf26: bool = False
    encoding: str = "utf-8"
    line_end: str = "\n"
    trimmed: bool = False
    old_titles: bool = False
    dotted_dates: bool = False


TYPE_TEXT = {
    "swiss": ("Individual: Swiss System", "CUSTOM_SWISS"),
    "roundrobin": ("Individual: Round Robin", "BERGER_ROUNDROBIN"),
    "double_roundrobin": ("Individual: Double Round Robin", "BERGER_DOUBLEROUNDROBIN"),
    "team": ("Team: Round Robin", "FIDE_TEAM_ROUNDROBIN"),
    "match": ("Individual: Match", "CUSTOM_MATCH"),
}


def report_bytes(event: Tournament, style: Style) -> bytes:
    """The report of ``event`` as ``style`` writes it; a letter the encoding lacks becomes a question mark."""
    lines = [*_header(event, style), *_coded(event, style), *_player_lines(event, style), *_team_lines(event, style)]
    if style.trimmed:
        lines = [line.rstrip() for line in lines]
    return "".join(line + style.line_end for line in lines).encode(style.encoding, "replace")


def halves(cells: list[Cell | None]) -> int:
    """A player's points in half points, byes and forfeits included."""
    return sum(POINTS_HALVES.get(cell.code, 0) for cell in cells if cell)


def _header(event: Tournament, style: Style) -> list[str]:
    written = "%d.%m.%Y" if style.dotted_dates else "%Y/%m/%d"
    base, increment = event.clock.split("+")
    rated = sum(one.rating is not None for one in event.players)
    dates = "".join(f"{day:%y/%m/%d}  " for day in event.days)
    return [
        f"012 {event.name}",
        f"022 {event.city}",
        f"032 {event.federation}",
        f"042 {event.days[0].strftime(written)}",
        f"052 {event.days[-1].strftime(written)}",
        f"062 {len(event.players)}",
        f"072 {rated}",
        f"082 {len(event.teams)}",
        f"092 {TYPE_TEXT[event.event_type][0]}",
        f"102 {event.arbiter}",
        f"122 {base} min. + {increment} sec. per move",
        f"{'132':<91}{dates}".rstrip(),
    ]


def _coded(event: Tournament, style: Style) -> list[str]:
    rounds = len(event.days)
    if not style.trf26:
        return [] if style.trimmed else [f"XXR {rounds}"]
    base, increment = event.clock.split("+")
    coded = ["### sent by the arbiter of the event", f"142 {rounds}", "152 W", f"192 {TYPE_TEXT[event.event_type][1]}"]
    if event.event_type == "swiss":
        coded.append("202 BH,SB")
    coded.append(f"222 {int(base) * 60}+{increment}")
    coded += [
        f"240 {cell.code} {turn:>3} {number:>4}"
        for number, row in event.cells.items()
        for turn, cell in enumerate(row, 1)
        if cell and cell.code in "HFZ"
    ]
    return [*coded, "362 TW 2.0   TD 1.0   TL 0.0"] if event.teams else coded


def _player_lines(event: Tournament, style: Style) -> list[str]:
    places = sorted(event.cells, key=lambda number: (-halves(event.cells[number]), number))
    rank = {number: place for place, number in enumerate(places, 1)}
    lines = []
    for number, person in enumerate(event.players, 1):
        cells = event.cells[number]
        title = person.title.split("/")[0]
        points = halves(cells)
        head = (
            f"001 {number:>4} {person.sex.lower()}{OLD_TITLES.get(title, '') if style.old_titles else title:>3} "
            f"{person.name[:33]:<33} {person.rating or '':>4} {person.federation:<3} {person.fide_id:>11} "
            f"{person.birth:%Y/%m/%d} {f'{points // 2}.{points % 2 * 5}':>4} {rank[number]:>4}"
        )
        lines.append(head + "".join(_cell_text(cell, style) for cell in cells))
    return lines


def _cell_text(cell: Cell | None, style: Style) -> str:
    # a program that trims blanks writes a known absence as a blank cell, which means the same
    if cell is None or (style.trimmed and cell.code == "Z"):
        return " " * 10
    return f"  {cell.opponent or '0000':>4} {cell.colour} {cell.code}"


def _team_lines(event: Tournament, style: Style) -> list[str]:
    places = sorted(event.teams, key=lambda team: (-team.match_points, -team.halves, team.name))
    lines = []
    for number, team in enumerate(event.teams, 1):
        if style.trf26:
            numbers = " ".join(f"{one:>4}" for one in team.numbers)
            game_points = f"{team.halves // 2}.{team.halves % 2 * 5}"
            lines.append(
                f"310 {number:>3} {team.name:<32} {team.name[:5].upper():<5} {'':>6} {team.match_points:>4}.0 "
                f"{game_points:>6} {places.index(team) + 1:>3}  {numbers}"
            )
        else:
            lines.append(f"013 {team.name:<32}" + " ".join(f"{one:>4}" for one in team.numbers))
    return lines


def daily(first: str, rounds: int, per_day: int = 1) -> list[date]:
    """The days of ``rounds`` rounds from ``first`` on, ``per_day`` of them a day."""
    start = date.fromisoformat(first)
    return [start + timedelta(days=number // per_day) for number in range(rounds)]
