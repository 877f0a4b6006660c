"""The events of a month: place, pairing system, number of entrants, time control and days."""

from __future__ import annotations

from datetime import date

import polars as pl

from ratinglist.simulation import participation
from ratinglist.simulation.keyed_random import by_shares, per_thousand, roll
from ratinglist.simulation.matches import MATCH, PLAYERS, with_two_players
from ratinglist.simulation.people import city
from ratinglist.simulation.plan import EVENT_TYPES, SYSTEMS, TIME_CONTROLS, World
from ratinglist.simulation.play import rounds_needed

EVENT = pl.col("event_no")
EVENTS_OF_A_MONTH = 100_000
_FEWEST_PLAYERS = 4
_SMALLEST_SWISS = 10
_ROUND_ROBIN_FIELDS = (8, 9, 10, 10, 10, 10, 12, 12)
_DOUBLE_FIELD = 6
_TEAMS, _BOARDS = (5, 6, 6, 8, 8, 10), (4, 4, 6, 8)
_FEWEST_TEAMS = 3
_GAMES_OF_A_MATCH = (4, 4, 6, 6, 6, 8)
_SLOT_STARTS = (0, 8, 16)
"""Days from the first of the month to the start of each slot."""
_LONGEST_DAYS = 8
_STRADDLING_FROM = 23
_WEEK = 7
_CLOCKS = {
    "standard": (("5400+30", 120), ("5400+30", 120), ("40/5400+30:1800+30", 150), ("3600+30", 90)),
    "rapid": (("900+10", 25), ("1500+10", 35), ("900+5", 20), ("600+5", 15)),
    "blitz": (("180+2", 5), ("300+3", 8), ("180+2", 5), ("240+2", 6)),
}
"""Record 222, and the minutes it gives for 60 moves. The last one only where all players are weak (B.02 1.1)."""
_KINDS = {
    "swiss": "Open",
    "round_robin": "Masters",
    "double_round_robin": "Challenge",
    "team": "League",
    "match": "Match",
}
_SECTIONS = ("", " of Youth", " D", " C", " B", " A")
_LETTERS = tuple("ABCDEFGHIJKLMNOPRSTUVWZ")


def events_of(world: World, month: int, requests: pl.DataFrame) -> pl.DataFrame:
    """Return the events that begin in the calendar month before the list of ``month``, sorted by ``event_no``.

    ``requests`` comes from :func:`ratinglist.simulation.participation.entry_requests`. Each event has the group of one
    request drawn by lot, so there are more events where there are more players.

    Out: ``event_no``, ``ordinal`` (from 1 in the month), ``event_id``, ``group``, ``system``, ``event_type``,
    ``time_control``, ``clock``, ``minutes``, ``size``, ``teams``, ``boards`` (0 for none), ``rounds``, ``name``,
    ``city``, ``federation`` (code), ``arbiter``, ``official``, ``is_long``, ``start_date``, ``days`` and
    ``registered_on``.
    """
    events = _with_groups(world, month, requests)
    events = with_two_players(world, month, _with_sizes(events, world), requests)
    return _with_dates(_with_descriptions(_with_time_controls(events, world), world, month), world, month)


def round_day(rounds: pl.Expr) -> pl.Expr:
    """Return the days from the start of an event to the round ``rounds``.

    The frame needs the columns ``rounds``, ``days`` and ``is_long``.
    """
    return pl.when("is_long").then((rounds - 1) * _WEEK).otherwise((rounds - 1) * pl.col("days") // pl.col("rounds"))


def _with_groups(world: World, month: int, requests: pl.DataFrame) -> pl.DataFrame:
    """Return numbered events, each in the group of a request drawn by lot."""
    groups = requests["group"].value_counts().sort("group").with_columns(pl.col("count").cum_sum().alias("end"))
    first = world.period(month).index * EVENTS_OF_A_MONTH
    events = pl.DataFrame({"ordinal": pl.int_range(1, world.reports + 1, dtype=pl.Int64, eager=True)}).with_columns(
        (first + pl.col("ordinal")).cast(pl.UInt32).alias("event_no")
    )
    drawn = events.select(roll(world.seed, "where", EVENT, sides=requests.height)).to_series()
    at = groups["end"].cast(pl.Int64).search_sorted(drawn, side="right")
    return events.with_columns(groups["group"].gather(at), supply=groups["count"].gather(at).cast(pl.Int64))


def _with_sizes(events: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return ``events`` with ``system``, ``size``, ``teams``, ``boards`` and ``rounds``.

    Events of groups with too few players are dropped.
    """
    seed, plan = world.seed, world.plan
    drawn = roll(seed, "system", EVENT, sides=sum(plan.systems))
    system = by_shares(drawn, SYSTEMS, plan.systems)
    smallest, largest = plan.swiss_field
    span = largest - smallest + 1
    swiss = smallest + pl.min_horizontal(roll(seed, f"field {die}", EVENT, sides=span) for die in range(2))
    teams, boards = _one_of(seed, "teams", _TEAMS), _one_of(seed, "boards", _BOARDS)
    round_robin = _one_of(seed, "round robin", _ROUND_ROBIN_FIELDS)
    sized = (
        # The events of a group share its players evenly, and no event gets more than half of them.
        events.with_columns((pl.col("supply") // pl.len().over("group").clip(2)).alias("most"))
        .filter(pl.col("most") >= _FEWEST_PLAYERS)
        .with_columns(system.alias("system"), boards.alias("boards"))
        .with_columns(pl.min_horizontal(teams, pl.col("most") // pl.col("boards")).alias("teams"))
        .with_columns(
            pl.when((pl.col("system") == "team") & (pl.col("teams") < _FEWEST_TEAMS))
            .then(pl.lit("swiss"))
            .otherwise("system")
            .alias("system")
        )
        .with_columns(
            pl.when((pl.col("system") == "swiss") & (pl.col("most") < _SMALLEST_SWISS))
            .then(pl.lit("round_robin"))
            .otherwise("system")
            .alias("system")
        )
    )
    is_match = pl.col("system") == MATCH
    by_system = (
        pl.when(pl.col("system") == "team")
        .then(pl.col("teams") * pl.col("boards"))
        .when(pl.col("system") == "round_robin")
        .then(round_robin)
        .when(pl.col("system") == "double_round_robin")
        .then(_DOUBLE_FIELD)
        .when(is_match)
        .then(PLAYERS)
        .otherwise(swiss)
    )
    is_team = pl.col("system") == "team"
    entering = pl.when(is_team).then("teams").otherwise("size")
    return (
        sized.with_columns(pl.min_horizontal(by_system, "most").alias("size"))
        .with_columns(pl.when(is_team).then(name).otherwise(0).alias(name) for name in ("teams", "boards"))
        .with_columns(
            pl.when(is_match)
            .then(_one_of(seed, "games of a match", _GAMES_OF_A_MATCH).cast(pl.Int32))
            .otherwise(rounds_needed(pl.col("system"), entering))
            .alias("rounds")
        )
        .drop("most", "supply")
    )


def _with_time_controls(events: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return ``events`` with ``time_control``, ``clock``, ``minutes``, ``is_long`` and ``days``."""
    seed, plan = world.seed, world.plan
    drawn = roll(seed, "time control", EVENT, sides=sum(plan.time_controls))
    drawn_control = by_shares(drawn, TIME_CONTROLS, plan.time_controls)
    is_match = pl.col("system") == MATCH
    # A player with a standard rating may lack the others, and a match is rated only if both players are rated (6.1).
    control = pl.when(is_match).then(pl.lit("standard")).otherwise(drawn_control)
    section = participation.section_of(pl.col("group"))
    # Juniors and the two weakest classes may play with the fastest clock of each time control.
    clocks = pl.when(section.is_between(1, 3)).then(4).otherwise(3)
    clock = roll(seed, "clock", EVENT, sides=clocks)
    is_standard = pl.col("time_control") == "standard"
    texts, minutes = (
        pl.coalesce(
            pl.when(pl.col("time_control") == name).then(pl.lit(pl.Series([one[at] for one in kinds])).gather(clock))
            for name, kinds in _CLOCKS.items()
        )
        for at in range(2)
    )
    long = (
        (pl.col("system") == "team") & is_standard & per_thousand(seed, "long league", EVENT, chance=plan.long_leagues)
    )
    weekend = per_thousand(seed, "two rounds a day", EVENT, chance=400)
    days = pl.when(weekend & ~is_match).then((pl.col("rounds") + 1) // 2).otherwise("rounds").clip(1, _LONGEST_DAYS)
    return (
        events.with_columns(control.alias("time_control"))
        .with_columns(texts.alias("clock"), minutes.cast(pl.Int32).alias("minutes"), long.alias("is_long"))
        .with_columns(pl.when(is_standard).then(days).otherwise(1).cast(pl.Int64).alias("days"))
    )


def _with_descriptions(events: pl.DataFrame, world: World, month: int) -> pl.DataFrame:
    """Return ``events`` with their code, type, name, city, federation and arbiter, and whether they are official."""
    seed, period = world.seed, world.period(month) - 1
    kind = pl.col("system").replace_strict(_KINDS)
    section = pl.lit(pl.Series(_SECTIONS)).gather(participation.section_of(pl.col("group")))
    letter = pl.lit(pl.Series(_LETTERS)).gather(roll(seed, "arbiter's letter", EVENT, sides=len(_LETTERS)))
    code = pl.lit(pl.Series(world.federations)).gather(participation.federation_of(pl.col("group")))
    stamp = f"{period.first_day:%y%m}"
    return events.with_columns(code.alias("federation"), city(seed, EVENT).alias("city")).with_columns(
        pl.col("system").replace_strict(EVENT_TYPES).alias("event_type"),
        pl.concat_str("federation", pl.lit(stamp), pl.col("ordinal").cast(pl.String).str.zfill(5)).alias("event_id"),
        pl.format("{} {}{} {}", "city", kind, section, "ordinal").alias("name"),
        pl.concat_str(letter, pl.lit(". "), city(seed, EVENT, pl.lit(1, dtype=pl.Int64))).alias("arbiter"),
        per_thousand(seed, "official", EVENT, chance=world.plan.official).alias("official"),
    )


def _with_dates(events: pl.DataFrame, world: World, month: int) -> pl.DataFrame:
    """Return ``events`` with ``start_date`` and ``registered_on``, early enough for every player (B.02 0.2)."""
    seed = world.seed
    first: date = (world.period(month) - 1).first_day
    slot = pl.lit(pl.Series(_SLOT_STARTS, dtype=pl.Int64)).gather(participation.slot_of(pl.col("group")))
    spare = pl.when("is_long").then(1).otherwise(_LONGEST_DAYS + 1 - pl.col("days"))
    straddles = (participation.slot_of(pl.col("group")) == participation.SLOTS - 1) & per_thousand(
        seed, "straddling", EVENT, chance=world.plan.straddling * participation.SLOTS
    )
    day = pl.when(straddles).then(_STRADDLING_FROM).otherwise(slot + roll(seed, "start", EVENT, sides=spare))
    notice = 31 + roll(seed, "notice", EVENT, sides=60)
    start = (pl.lit(first) + pl.duration(days=day)).cast(pl.Date)
    return events.with_columns(start.alias("start_date")).with_columns(
        (pl.col("start_date") - pl.duration(days=notice)).cast(pl.Date).alias("registered_on")
    )


def _one_of(seed: int, what: str, values: tuple[int, ...]) -> pl.Expr:
    return pl.lit(pl.Series(values, dtype=pl.Int64)).gather(roll(seed, what, EVENT, sides=len(values)))
