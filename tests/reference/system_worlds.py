"""Made-up offices of the other systems, each rated by the program and by the second calculation, list after list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Any

import polars as pl

from tests.months import Event, Month, Office, Player
from tests.reference.dwz_rater import PlainOffice, Rated
from tests.reference.ecf_rater import English, EnglishOffice, number
from tests.reference.system_rater import MINIMA, RATERS, Listed, PlainEvent, PlainGame, PlainMonth
from tests.reference.uschess_rater import AmericanOffice, Rated as RatedAmerican

LISTS = {
    "fsi-1998": ("2025-01", "2025-07", "2026-01", "2026-07"),
    "ffe": ("2025-01", "2025-05", "2025-09", "2026-01"),
}
MONTHLY = ("2025-09", "2025-10", "2025-11", "2026-01")
TITLES = ("", "", "", "", "FM", "IM", "GM", "CM")
RESULTS = [(2, 0), (0, 2), (1, 1), (2, 0), (0, 2), (0, 0), (1, 0)]
HALVES = "0½1"


class World:
    """An office with random players and the events that they play, some of them dated and some reported late.

    ``months``: the list that the office begins with, and those that it makes. ``always``: who plays in the first event
    of each list.
    """

    def __init__(self, family: str, months: tuple[str, ...], random: Random, players: Iterable[Player]) -> None:
        self.family, self.months, self.random = family, months, random
        self.players = {player.name: player for player in players}
        listed = [player for player in self.players.values() if player.rating is not None]
        self.office = Office(*listed, family=family, on=months[0])
        self.office.register(*self.players.values())
        self.last = date.fromisoformat(f"{months[0]}-01")
        self.always: tuple[str, ...] = ()

    def play(self, month: str) -> None:
        """Receive the events of a period."""
        random = self.random
        for count in range(random.choice([0, 1, 2, 5]) or len(self.always)):
            start = self.last + timedelta(days=random.choice([0, 1, 5, 9]))
            end = start + timedelta(days=random.choice([0, 3, 7, 14]))
            names = random.sample(list(self.players), random.randint(2, len(self.players)))
            if count == 0:
                names = list(dict.fromkeys([*names, *self.always]))
            lines = []
            for round_no in range(1, random.choice([1, 3, 6, 9]) + 1):
                order = random.sample(names, len(names))
                games = []
                for white, black in zip(order[::2], order[1::2], strict=False):
                    own, other = random.choice(RESULTS)
                    games.append(f"{white} {HALVES[own]}-{HALVES[other]} {black}")
                lines.append(f"{round_no}. {', '.join(games)}")
            days = sorted(start + timedelta(days=random.randint(0, (end - start).days)) for _ in range(9))
            late = 0 if count == 0 and self.always else random.choice([0, 1, 1, 40])
            self.office.receive(
                Event(
                    f"E{month}{count}",
                    "\n".join(lines),
                    start=str(start),
                    end=str(end),
                    received=str(end + timedelta(days=late)),
                    days=tuple(map(str, days)) if random.random() < 0.5 else (),
                    minutes=self.minutes(),
                )
            )
        self.last = date.fromisoformat(f"{month}-01")

    def minutes(self) -> int | None:
        """The thinking time of the next event."""
        return None

    def references(self, month: str, share: float, without: str = "") -> dict[int, int]:
        """Import a reference list of some players, and return it by FIDE ID; often none, or a list of nobody."""
        if self.random.random() > 0.4:
            return {}
        rated = {
            name: self.random.randint(1400, 2300)
            for name in self.players
            if self.random.random() < share and name != without
        }
        self.office.refer(month, **rated)
        return {self.office.number(name): rating for name, rating in rated.items()}

    def rated(self, month: str) -> Month:
        """Calculate a list by the program."""
        return self.office.rate(month, Random(self.random.randrange(100)))

    def events_of(self, rated: Month) -> list[PlainEvent]:
        """The events that the program rated, in order; a game that counts elsewhere is left out."""
        codes = set(rated.result.events.filter(status="rated")["event_id"])
        elsewhere = set(
            rated.result.games.filter(reason="same_game").select("event_id", "round", "fide_id").iter_rows()
        )
        who = self.office.number
        events = [
            PlainEvent(
                event.code,
                date.fromisoformat(event.start),
                date.fromisoformat(event.end),
                tuple(
                    PlainGame(
                        round_no,
                        who(white),
                        who(black),
                        own,
                        other,
                        date.fromisoformat(event.days[round_no - 1]) if event.days else None,
                    )
                    for round_no, white, black, own, other in event.played()
                    if (event.code, round_no, who(white)) not in elsewhere
                ),
            )
            for event in self.office.events
            if event.code in codes
        ]
        return sorted(events, key=lambda event: (event.end, event.start, event.code))

    def rate(self, month: str) -> tuple[int, list[str]]:
        """Calculate a list by both; return how many ratings were compared, and what differs."""
        raise NotImplementedError


def unlike(what: str, program: dict[Any, Any], due: dict[Any, Any]) -> list[str]:
    """A line for each key with another value."""
    return [
        f"{what} {key}: program {program.get(key)}, reference {due.get(key)}"
        for key in sorted({*program, *due})
        if program.get(key) != due.get(key)
    ]


def agree(world: World) -> int:
    """Compare a world, and return the number of ratings."""
    ratings = 0
    for month in world.months[1:]:
        world.play(month)
        compared, differences = world.rate(month)
        assert differences == [], "\n".join([month, *differences[:5]])
        ratings += compared
    return ratings


class SystemWorld(World):
    """A world of a system with one second rater, with titles and reference lists."""

    def __init__(self, family: str, random: Random) -> None:
        names = [f"P{at}" for at in range(random.choice([4, 8, 14]))]
        middle = random.choice([1450, 1550, 1650, 2150, 2350])
        spread, share = random.choice([40, 150, 450]), random.choice([0.2, 0.7])
        players = [
            Player(
                name,
                random.randint(middle - spread, middle + spread) if at == 0 or random.random() < share else None,
                games=random.choice([0, 3, 15, 19, 20, 25, 29, 30, 80]),
                title=random.choice(TITLES),
            )
            for at, name in enumerate(names)
        ]
        super().__init__(family, LISTS.get(family, MONTHLY), random, players)
        first = {
            self.office.number(player.name): Listed(
                player.rating,
                player.games or 0,
                highest=player.rating,
                titles=frozenset({player.title} & set(MINIMA)),
            )
            for player in players
            if player.rating is not None
        }
        self.plain = PlainMonth(self.months[0], self.months[0], {self.months[0]: first}, [])

    def play(self, month: str) -> None:
        super().play(month)
        if self.random.random() < 0.3:
            name = self.random.choice(list(self.players))
            self.players[name] = replace(self.players[name], title=self.random.choice(TITLES))
            self.office.register(self.players[name])
        # A list of nobody is no list: one listed player never has a FIDE rating, and so never leaves it.
        if self.family == "fsi" and (rated := self.references(month, 0.2, without="P0")):
            self.plain.reference[month] = rated

    def rate(self, month: str) -> tuple[int, list[str]]:
        rated = self.rated(month)
        self.plain.month = month
        self.plain.titles = {self.office.number(name): player.title for name, player in self.players.items()}
        self.plain.events = self.events_of(rated)
        new = RATERS[self.family](self.plain)
        state = {row["fide_id"]: row for row in rated.result.system_state.to_dicts()}
        listed = {
            row["fide_id"]: _listed(row, state.get(row["fide_id"], {})) for row in rated.result.list_state.to_dicts()
        }
        if self.family == "club":
            # A title on the first imported list was seen there: the state of the lists does not repeat it.
            imported = {player: {row["first_title"]} & set(MINIMA) for player, row in self.office.imported.items()}
            listed = {
                player: replace(standing, titles=standing.titles | imported.get(player, set()))
                for player, standing in listed.items()
            }
        differences = [*unlike("player", listed, new), *_inconsistent(rated, self.plain.before, new)]
        self.plain.lists[month] = new
        self.plain.before_month = month
        return len(new), differences


def _listed(row: dict[str, Any], state: dict[str, Any]) -> Listed:
    titles = frozenset(filter(None, (state.get("titles_seen") or "").split(",")))
    return Listed(
        row["rating"],
        row["games_played"],
        category=state.get("category") or "",
        titles=titles,
        hundredths=state.get("rating_hundredths"),
        deviation=state.get("deviation_hundredths"),
    )


def _inconsistent(rated: Month, before: dict[int, Listed], new: dict[int, Listed]) -> list[str]:
    """What the changes say against the lists: each moved, new or lapsed player has a row, and it adds up."""
    wrong = []
    changes = {row["fide_id"]: row for row in rated.result.changes.to_dicts()}
    for player in sorted({*before, *new}):
        old, now, row = before.get(player), new.get(player), changes.get(player)
        if row is None:
            if (old and old.rating) != (now and now.rating):
                wrong.append(f"player {player} has no change")
            continue
        status = "lapsed" if now is None else "entered" if old is None else "rated"
        expected = (old and old.rating, now and now.rating, status)
        if (row["old_rating"], row["new_rating"], row["status"]) != expected:
            wrong.append(f"player {player}: change {row}, expected {expected}")
        if status == "rated" and now and old and row["change"] != now.rating - old.rating:
            wrong.append(f"player {player}: change {row['change']}")
    return wrong


def national_players(random: Random, years: tuple[Any, ...], ratings: tuple[int, ...]) -> list[Player]:
    """Players of whom the first is listed, born in some of the years."""
    middle, spread = random.choice(ratings), random.choice([60, 250, 600])
    share = random.choice([0.3, 0.7, 1.0])
    return [
        Player(
            f"P{at}",
            random.randint(max(middle - spread, 100), middle + spread) if at == 0 or random.random() < share else None,
            games=random.choice([0, 1, 2, 3, 5, 8, 11, 40]),
            born=random.choice(years),
        )
        for at in range(random.choice([4, 9, 16]))
    ]


class DwzWorld(World):
    """A world of the German rating, on both sides of the change of rules."""

    def __init__(self, random: Random) -> None:
        years = (1950, 1980, 2000, 2001, 2003, 2005, 2006, 2010, 2016)
        months = ("2026-06", "2026-07", "2026-08", "2026-10", "2028-07")
        super().__init__("dwz", months, random, national_players(random, years, (900, 1250, 1600, 2050)))
        who = self.office.number
        self.plain = PlainOffice(
            {
                who(player.name): Rated(player.rating, player.games or 0)
                for player in self.players.values()
                if player.rating
            },
            {who(player.name): player.born for player in self.players.values() if isinstance(player.born, int)},
        )

    def rate(self, month: str) -> tuple[int, list[str]]:
        if reference := self.references(month, 0.3):
            self.plain.reference[month] = reference
        rated = self.rated(month)
        changed = {event.code: self.plain.rate(event) for event in self.events_of(rated)}
        state = rated.result.own_state
        index = dict(state.filter(event_id="").select("fide_id", "index").iter_rows())
        listed = dict(rated.result.list_state.select("fide_id", "rating").iter_rows())
        published = {player: (rating, index.get(player)) for player, rating in listed.items()}
        new = {player: (standing.rating, standing.index) for player, standing in self.plain.rated.items()}
        rows = state.filter(pl.col("event_id") != "").select(
            "fide_id", "event_id", "round", "opponent_rating", "score_halves", "end_date"
        )
        stored = {
            (player, game.code, game.round, game.opponent, int(2 * game.points), game.end)
            for player, kept in self.plain.stored.items()
            for game in kept
        }
        by_event = {
            (row["event_id"], row["fide_id"]): (row["rating"] or 0, row["rating_after"], row["performance"])
            for row in rated.result.games.filter(pl.col("rating_after").is_not_null()).to_dicts()
        }
        due = {(code, player): change for code, players in changed.items() for player, change in players.items()}
        differences = [*unlike("player", published, new), *unlike("event", by_event, due)]
        return len(new), [*differences, *(f"stored {game}" for game in stored ^ set(rows.iter_rows()))]


class AmericanWorld(World):
    """A world on both sides of the change of the bonus, with matches, dual events and FIDE lists."""

    def __init__(self, random: Random) -> None:
        years = (1950, 1980, 1999, "2000-11-30", "2006-02-28", 2010, "2014-07-09", 2018, "2022-12-20", 2023, None)
        months = ("2024-12", "2025-01", "2025-02", "2025-04", "2026-01")
        super().__init__("uschess", months, random, national_players(random, years, (400, 1250, 1700, 2100, 2500)))
        who = self.office.number
        rated = {}
        for player in self.players.values():
            if player.rating:
                games = player.games or 0
                rated[who(player.name)] = RatedAmerican(
                    player.rating * 10**6, games, peak=player.rating if games > 25 else None
                )
        born = {
            who(player.name): date(player.born, 7, 1)
            if isinstance(player.born, int)
            else date.fromisoformat(player.born)
            for player in self.players.values()
            if player.born
        }
        self.plain = AmericanOffice(rated, born)
        self.plain.publish()

    def minutes(self) -> int | None:
        return self.random.choice([None, 29, 30, 65, 66, 120])

    def rate(self, month: str) -> tuple[int, list[str]]:
        if reference := self.references(month, 0.3):
            self.plain.reference[month] = reference
        rated = self.rated(month)
        self.plain.minutes = {event.code: event.minutes for event in self.office.events}
        due = {
            (event.code, player): _shown(self.plain.rated[player])
            for event in self.events_of(rated)
            for player in self.plain.rate(event)
        }
        games = rated.result.games.filter(pl.col("reason") == "")
        ratings = {
            (row["event_id"], row["fide_id"]): row["rating_after_hundredths"]
            for row in games.select("event_id", "fide_id", "rating_after_hundredths").to_dicts()
        }
        facts = ("rating", "credited", "wins", "draws", "losses", "long_events", "highest")
        state = {row[0]: row[1:] for row in rated.result.own_state.select("fide_id", *facts).iter_rows()}
        new = {
            player: (
                standing.rating,
                standing.games,
                standing.wins,
                standing.draws,
                standing.losses,
                standing.long_events,
                standing.peak,
            )
            for player, standing in self.plain.rated.items()
        }
        listed = dict(rated.result.list_state.select("fide_id", "rating").iter_rows())
        differences = [*unlike("event", ratings, due), *unlike("player", state, new)]
        return len(due) + len(listed), [*differences, *unlike("listed", listed, self.plain.publish())]


def _shown(player: RatedAmerican) -> int:
    """The rating as it is published: in hundredths, or in whole points where it may be the rating of an age."""
    in_whole = player.games <= 25 or player.games in (player.wins, player.losses)
    return 100 * player.listed if in_whole else player.rating // 10_000


class EnglishWorld(World):
    """A world of the English rating; one player is in the first event of every list."""

    def __init__(self, random: Random) -> None:
        months = ("2023-01", "2023-02", "2023-03", "2023-05", "2024-02", "2026-02", "2026-04", "2027-05")
        years = (None, 1960, 1990, 2004, 2005, 2006, 2009, 2014)
        players = [
            replace(player, games=None, last_played=random.choice([None, "2020-03", "2022-06"]))
            for player in national_players(random, years, (1400, 1700, 2100))
        ]
        # A list of nobody is no list: this player plays too, and never leaves it.
        players.append(Player("Stays", 1600, last_played=months[0]))
        super().__init__("ecf", months, random, players)
        self.always = ("Stays",)
        self.plain = EnglishOffice(
            {self.office.number(player.name): self._english(player) for player in self.players.values()}
        )

    def _english(self, player: Player) -> English:
        born = player.born if isinstance(player.born, int) else None
        if player.rating is None:
            return English(born=born)
        year, month = (player.last_played or self.months[0]).split("-")
        last = number(int(year), int(month)) - 1
        return English(player.rating, full=True, last=last, last_full=player.rating, born=born)

    def rate(self, month: str) -> tuple[int, list[str]]:
        rated = self.rated(month)
        self.plain.rate(month, self.events_of(rated))
        state = {row["fide_id"]: row["rating_category"] for row in rated.result.system_state.to_dicts()}
        listed = {row["fide_id"]: (row["rating"], state[row["fide_id"]]) for row in rated.result.list_state.to_dicts()}
        due = self.plain.listed(month)
        return len(due), unlike("player", listed, due)
