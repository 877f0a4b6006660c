"""A small rating office in memory, so that a test reads like a rating officer's case.

    office = Office(Player("Anna", 1810))
    office.receive(Event("Open", "Anna: ½ 2050, 0 2100, 1 1900"))
    november = office.rate("2025-11")
    assert november.rating("Anna") == ...

Players are identified by name. A player whose name is a number, perhaps followed by a letter (``1900``, ``1900b``) and
perhaps after another number and a slash (``7/1900``), is an established opponent of that rating and needs no
registration. What a list settles is known to the lists after it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from typing import Any

import polars as pl

from ratinglist.files import resources
from ratinglist.period import Period
from ratinglist.rating.model import NO_STATE, MonthInputs, MonthResult
from ratinglist.rating.month import rate_month
from ratinglist.rating.rating_list import published_list
from ratinglist.rating.rules import RuleBook, SystemRuleSet
from ratinglist.store import rule_files
from ratinglist.tables import (
    EARLIER_EVENT,
    EARLIER_GAME,
    IMPORTED_PLAYER,
    LIST_STATE,
    PLAYER,
    POOL,
    POOLED_GAME,
    REFERENCE_RATING,
    REPORT,
    REPORT_GAME,
    SYSTEM_STATE,
    Table,
)

Row = dict[str, Any]

SETTLES = ("rated", "late", "duplicate", "superseded")
HALVES = {"0": 0, "½": 1, "1": 2}


@dataclass(frozen=True)
class Player:
    """A player with the state on the list. ``born`` is a year or a day; a rating of None is unrated.

    ``games`` are those counted towards the first 30 (by default 100, none where unrated), ``last_played`` is the list
    that last counted a game of the player (by default the list itself).
    """

    name: str
    rating: int | None = None
    games: int | None = None
    born: int | str | None = None
    woman: bool = False
    ever_2400: bool = False
    ever_2300: bool = False
    last_played: str | None = None
    title: str = ""


@dataclass(frozen=True)
class Event:
    """A report. ``games`` has lines, or parts between semicolons, of two kinds.

    ``3. Anna 1-0 Bert, Cora ½-½ Dora``: the games of round 3. ``Anna: ½ 2050, 0 2100``: a player's games from round 1
    on. ``absent`` are players listed without a game. ``days`` gives the round dates, in order.
    """

    code: str
    games: str = ""
    start: str = "2025-10-04"
    end: str = "2025-10-12"
    received: str = "2025-10-13"
    version: int = 1
    kind: str = "swiss"
    time_control: str = "standard"
    official: bool = False
    registered: str | None = None
    minutes: int | None = None
    accepted: bool = True
    absent: tuple[str, ...] = ()
    days: tuple[str, ...] = ()

    @property
    def report_id(self) -> str:
        return f"{self.code} v{self.version} of {self.received}"

    def played(self) -> list[tuple[int, str, str, int, int]]:
        """Return round, White, Black and their half points of every game."""
        played_games = []
        for line in filter(None, (part.strip() for part in re.split(r"[;\n]", self.games))):
            if of_round := re.fullmatch(r"(\d+)\. (.+)", line):
                for game in of_round[2].split(","):
                    white, result, black = game.split()
                    own, other = result.split("-")
                    played_games.append((int(of_round[1]), white, black, HALVES[own], HALVES[other]))
            else:
                name, games = line.split(":")
                for number, game in enumerate(games.split(","), start=1):
                    score, opponent = game.split()
                    played_games.append((number, name.strip(), opponent, HALVES[score], 2 - HALVES[score]))
        return played_games

    def names(self) -> list[str]:
        return list(dict.fromkeys([name for game in self.played() for name in game[1:3]] + list(self.absent)))


def day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def frame(table: Table, rows: Iterable[Row]) -> pl.DataFrame:
    blank: Row = dict.fromkeys(table.columns)
    return pl.DataFrame([{**blank, **row} for row in rows], schema=table.schema, orient="row")


@dataclass
class Month:
    """The computed list of one time control, queried by player's name; :meth:`of` selects another time control."""

    inputs: MonthInputs
    result: MonthResult
    numbers: dict[str, int]
    time_control: str = "standard"

    def of(self, time_control: str) -> Month:
        return replace(self, time_control=time_control)

    def _rows(self, table: pl.DataFrame, name: str) -> list[Row]:
        own = (pl.col("fide_id") == self.numbers[name]) & (pl.col("time_control") == self.time_control)
        return table.filter(own).to_dicts()

    def _row(self, table: pl.DataFrame, name: str) -> Row | None:
        rows = self._rows(table, name)
        assert len(rows) <= 1, f"{name} has {len(rows)} rows"
        return rows[0] if rows else None

    def state(self, name: str) -> Row | None:
        return self._row(self.result.list_state, name)

    def rating(self, name: str) -> int | None:
        state = self.state(name)
        return state and state["rating"]

    def change(self, name: str) -> Row | None:
        return self._row(self.result.changes, name)

    def changed(self, name: str) -> Row:
        """Return the change of a player who has one."""
        (row,) = self._rows(self.result.changes, name)
        return row

    def stated(self, name: str) -> Row:
        """Return the state of a player who is on the list."""
        (row,) = self._rows(self.result.list_state, name)
        return row

    def entry(self, name: str) -> Row | None:
        return self._row(self.result.entries, name)

    def games(self, name: str) -> list[Row]:
        return self._rows(self.result.games, name)

    def reasons(self, name: str) -> list[str]:
        """Return why the player's games were not rated, each reason once; empty text for rated ones."""
        return sorted({game["reason"] for game in self.games(name)})

    def waiting(self, name: str) -> list[str]:
        """Return the events whose results wait in the pool."""
        return [row["event_id"] for row in self._rows(self.result.pool, name)]

    def verdict(self, code: str) -> str:
        """Return ``rated``, or status and reason."""
        (row,) = self.result.events.filter(pl.col("event_id") == code).to_dicts()
        return f"{row['status']} {row['reason']}".strip()

    def told(self) -> list[str]:
        """The verdict on each event, each game with the reason why it is not rated, what differs, whose results wait.

        Another event under the code of one has its digest behind a ``#``, which is left out.
        """
        names = {number: name for name, number in self.numbers.items()}
        events, games = (
            table.with_columns(pl.col("event_id").str.replace("#.*", "#"))
            for table in (self.result.events, self.result.games.filter(colour="w").sort("event_id", "round", "fide_id"))
        )
        told = [f"{row['event_id']}: {row['status']} {row['reason']}" for row in events.to_dicts()]
        for game in games.to_dicts():
            points = ("0-1", "½-½", "1-0")[game["score_halves"]]
            players = f"{names[game['fide_id']]} {points} {names[game['opponent_id']]}"
            told.append(f"{game['event_id']} {game['round']}. {players} {game['reason']}")
        differs = self.result.coincidences.to_dicts()
        told += [f"{row['event_code']} {row['round']}. differs in {row['event_code_first']}" for row in differs]
        told += [f"{names[row['fide_id']]} waits: {row['event_id']}" for row in self.result.pool.to_dicts()]
        return [line.strip() for line in told]

    def published(self) -> pl.DataFrame:
        """Return the list as published."""
        rule_set = self.inputs.rules.on(self.inputs.family, self.time_control, self.inputs.period.first_day)
        assert rule_set is not None
        state = self.result.list_state.filter(pl.col("time_control") == self.time_control)
        own = self.result.system_state if isinstance(rule_set, SystemRuleSet) else None
        return published_list(state, self.inputs.players, self.inputs.period, rule_set, own)

    def flag(self, name: str) -> str:
        (row,) = self._rows(self.published(), name)
        return str(row["flag"])


class Office:
    """Everything a rating office knows; it grows with what is received, registered and rated.

    The ``players`` are on the list of the month ``on``, the first list of the office.
    """

    def __init__(
        self, *players: Player, family: str = "fide", on: str = "2025-10", rules: RuleBook | None = None
    ) -> None:
        self.family = family
        self.rules = rules or rule_files.rule_book()
        self.numbers: dict[str, int] = {}
        self.registered: dict[str, Player] = {}
        self.months: list[tuple[str, str]] = []
        self.lists: list[Row] = []
        self.events: list[Event] = []
        self.pool: list[Row] = []
        self.pooled_games: list[Row] = []
        self.system_state = SYSTEM_STATE.empty()
        self.own_state = NO_STATE
        self.references: list[Row] = []
        self.imported: dict[int, Row] = {}
        self.settled: list[Row] = []
        self.rated_games: list[Row] = []
        self.add_list(on, *players)

    def number(self, name: str) -> int:
        """Return the FIDE ID of a name, assigned at first mention."""
        return self.numbers.setdefault(name, 101 + len(self.numbers))

    def register(self, *players: Player) -> None:
        for player in players:
            self.number(player.name)
            self.registered[player.name] = player

    def add_list(self, month: str, *players: Player, time_control: str = "standard") -> None:
        """Import a list; an unrated player is registered too, and is on the list with a state and no rating."""
        self.months.append((month, time_control))
        self.register(*players)
        self.lists += [self._standing(month, time_control, player) for player in players]
        for player in players:
            facts = {"time_control": time_control, "fide_id": self.number(player.name)}
            known = {"highest_imported": None, "first_title": player.title if len(self.months) == 1 else ""}
            row = self.imported.setdefault(self.number(player.name), facts | known)
            ratings = [rating for rating in (row["highest_imported"], player.rating) if rating is not None]
            row["highest_imported"] = max(ratings, default=None)

    def _standing(self, month: str, time_control: str, player: Player) -> Row:
        return {
            "month": month,
            "time_control": time_control,
            "fide_id": self.number(player.name),
            "rating": player.rating,
            "games": 0,
            "games_played": (100 if player.rating else 0) if player.games is None else player.games,
            "reached_2400": player.ever_2400 or (player.rating or 0) >= 2400,
            "reached_2300": player.ever_2300 or (player.rating or 0) >= 2300,
            "last_played": Period.parse(player.last_played or month).first_day if player.rating else None,
            "inferred": "",
        }

    def refer(self, month: str, **ratings: int) -> None:
        """Import a reference list: the ratings of players by name."""
        self.references += [
            {"month": month, "fide_id": self.number(name), "rating": rating} for name, rating in ratings.items()
        ]

    def receive(self, *events: Event) -> None:
        self.events += events
        for name in (name for event in events for name in event.names()):
            if name not in self.numbers and (rating := re.fullmatch(r"(?:\d+/)?(\d+)[a-z]?", name)):
                opponent = Player(name, int(rating[1]))
                self.register(opponent)
                self.lists += [self._standing(month, time_control, opponent) for month, time_control in self.months]

    def wait(
        self,
        name: str,
        event: str,
        points: str,
        against: list[int],
        *,
        counted: str,
        time_control: str = "standard",
    ) -> None:
        """Results of an unrated player that the list ``counted`` has counted; ``points`` like ``1½``."""
        numeral = re.fullmatch(r"(\d*)(½?)", points)
        assert numeral, points
        self.pool.append(
            {
                "time_control": time_control,
                "fide_id": self.number(name),
                "event_id": event,
                "games": len(against),
                "score_halves": 2 * int(numeral[1] or 0) + len(numeral[2]),
                "opponent_rating_sum": sum(against),
                "counted_month": counted,
                "expires_month": str(Period.parse(counted) + 26),
            }
        )

    def rate(self, month: str, shuffle: Random | None = None) -> Month:
        """The list of ``month`` from what was received before it; what it settles is remembered."""
        inputs = self._inputs(Period.parse(month), shuffle)
        result = rate_month(inputs)
        result = replace(result, games=result.games.cast({pl.Enum: pl.String}))
        self.lists += result.list_state.to_dicts()
        self.months += [(month, name) for name in result.list_state["time_control"].unique().sort()]
        self.pool = result.pool.to_dicts()
        self.system_state = SYSTEM_STATE.conform(result.system_state)
        self.own_state = result.own_state
        self._pool_games(result, month)
        reports = {event.report_id: self._report(event) for event in self.events}
        games = {event.report_id: self._games(event) for event in self.events}
        for row in result.events.to_dicts():
            report = reports[row["report_id"]]
            if row["status"] in SETTLES:
                self.settled.append({**report, "status": row["status"]})
            if row["status"] == "rated":
                of_event = {**report, "event_code": report["event_id"]}
                self.rated_games += [{**of_event, **game} for game in games[row["report_id"]]]
        return Month(inputs, result, self.numbers)

    def last_of(self, lists: dict[str, tuple[Event, ...]]) -> Month:
        """The last of ``lists``, each calculated from what it names besides what was received before."""
        for month, received in lists.items():
            self.receive(*received)
            rated = self.rate(month)
        return rated

    def _pool_games(self, result: MonthResult, month: str) -> None:
        """Keep the games of the results that wait, found as in the store: by player and the list that counted them."""
        waiting = {(row["fide_id"], row["counted_month"]) for row in self.pool}
        counted = result.games.filter(pl.col("reason") == "counts_for_entry").to_dicts()
        known = self.pooled_games + [{**row, "counted_month": month} for row in counted]
        self.pooled_games = [row for row in known if (row["fide_id"], row["counted_month"]) in waiting]

    def _digest(self, event: Event) -> str:
        played = sorted(game[1:] for game in event.played())
        return hashlib.sha256(repr(played).encode()).hexdigest() if played else ""

    def _inputs(self, period: Period, shuffle: Random | None) -> MonthInputs:
        def rows(all_rows: list[Row]) -> list[Row]:
            return shuffle.sample(all_rows, len(all_rows)) if shuffle else all_rows

        known = [event for event in self.events if date.fromisoformat(event.received) < period.first_day]
        accepted = [event for event in known if event.accepted]
        settled = {row["report_id"] for row in self.settled}
        return MonthInputs(
            period=period,
            family=self.family,
            rules=self.rules,
            lists=frame(LIST_STATE, rows([row for row in self.lists if row["month"] < str(period)])),
            players=frame(PLAYER, rows([self._player(player) for player in self.registered.values()])),
            reports=frame(REPORT, rows([self._report(event) for event in known if event.report_id not in settled])),
            report_players=pl.DataFrame(
                rows([(event.report_id, self.number(name)) for event in accepted for name in event.names()]),
                schema={"report_id": pl.String(), "fide_id": pl.Int64()},
                orient="row",
            ),
            report_games=frame(REPORT_GAME, rows([row for event in accepted for row in self._games(event)])),
            pool=frame(POOL, rows(self.pool)),
            earlier_events=frame(EARLIER_EVENT, rows(self.settled)),
            earlier_games=frame(EARLIER_GAME, rows(self.rated_games)),
            system_state=self.system_state,
            own_state=self.own_state,
            pooled_games=frame(
                POOLED_GAME, rows([{name: row[name] for name in POOLED_GAME.columns} for row in self.pooled_games])
            ),
            references=frame(REFERENCE_RATING, rows(self.references)),
            imported=frame(IMPORTED_PLAYER, rows(list(self.imported.values()))),
        )

    def _player(self, player: Player) -> Row:
        born = player.born
        birth_date = day(born) if isinstance(born, str) else None
        return {
            "fide_id": self.number(player.name),
            "name": player.name,
            "federation": "NOR",
            "sex": "F" if player.woman else "M",
            "title": player.title,
            **dict.fromkeys(("women_title", "other_titles"), ""),
            "birth_date": birth_date,
            "birth_year": birth_date.year if birth_date else born,
        }

    def _report(self, event: Event) -> Row:
        return {
            "report_id": event.report_id,
            "sha256": hashlib.sha256(event.report_id.encode()).hexdigest(),
            "file_name": f"{event.code}.trf",
            "received_on": day(event.received),
            "event_id": event.code,
            "version": event.version,
            "name": event.code,
            "federation": "NOR",
            "start_date": day(event.start),
            "end_date": day(event.end),
            "event_type": event.kind,
            "time_control": event.time_control,
            "official": event.official,
            "registered_on": day(event.registered),
            "minutes_per_60_moves": event.minutes,
            "report_format": "TRF16",
            "rounds": max((game[0] for game in event.played()), default=0),
            "first_round": min((game[0] for game in event.played()), default=None),
            "last_round": max((game[0] for game in event.played()), default=None),
            "players": len(event.names()),
            "games": len(event.played()),
            "forfeits": 0,
            "byes": 0,
            "games_digest": self._digest(event),
            "accepted": event.accepted,
        }

    def _games(self, event: Event) -> list[Row]:
        return [
            {
                "report_id": event.report_id,
                "round": number,
                "date": day(event.days[number - 1]) if event.days else None,
                "white_id": self.number(white),
                "black_id": self.number(black),
                "white_halves": white_halves,
                "black_halves": black_halves,
                "white_line": 10,
                "black_line": 11,
            }
            for number, white, black, white_halves, black_halves in event.played()
        ]


def changed_book(family: str, *changes: tuple[str, str], time_control: str = "standard") -> RuleBook:
    """Return the program's rule sets, those of a family with ``changes`` of text, perhaps for another time control.

    Each change is the old text, with single blanks between its words, and the new one; the old text must be there.
    """
    rules, tables = resources.data("rules"), resources.data("tables")
    files = {
        path.relative_to(rules).with_suffix("").as_posix(): re.sub(" +", " ", path.read_text(encoding="utf-8"))
        for path in sorted(rules.rglob("*.toml"))
    }
    for name, text in list(files.items()):
        if not name.startswith(f"{family}/standard/"):
            continue
        for old, new in (*changes, ('time_control = "standard"', f'time_control = "{time_control}"')):
            assert old in text, f"{name} does not contain {old}"
            text = text.replace(old, new)
        files[name.replace("/standard/", f"/{time_control}/")] = text
    return RuleBook.parse(files, {path.stem: path.read_text(encoding="utf-8") for path in tables.glob("*.csv")})
