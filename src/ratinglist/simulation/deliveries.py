"""The reports of the events: when each arrives at the office, and what is wrong with some of them.

An event is reported once, a long league once for every month it lasts. In some events a problem is planted, ``plant``:
the report arrives late, twice, under another code, with a wrong result that a second version corrects, with a line
that cannot be read, or with a player who is not registered yet.
"""

from __future__ import annotations

import polars as pl

from ratinglist.simulation.events import EVENT, round_day
from ratinglist.simulation.keyed_random import by_shares, per_thousand, roll
from ratinglist.simulation.matches import MATCH
from ratinglist.simulation.plan import World

LATE, REPEATED, CORRECTED, OTHER_CODE, BROKEN, UNREGISTERED = (
    *("late", "repeated", "corrected", "other code"),
    *("broken", "unregistered"),
)
PLANTS = (LATE, REPEATED, CORRECTED, OTHER_CODE, BROKEN, UNREGISTERED)
NO_ID, SHIFTED, TAB, BOTH_WON = 1, 2, 3, 4
"""``damage``: a line without a FIDE ID, a line with shifted columns, a line with a tab, a game won by both players."""
_NOT_IN_A_MATCH = (CORRECTED, UNREGISTERED)
"""A match may have no win that could be reported wrongly, and it is not rated with an unregistered player."""
_USUAL_DAYS = 3
_LATE_FROM, _LATE_DAYS = 10, 36
_SECOND_FROM, _SECOND_DAYS = 1, 20


def with_plants(events: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return ``events`` with ``plant``, one of :data:`PLANTS` or empty, and ``has_unregistered``.

    Long leagues have no plant; matches have neither a wrong result nor an unregistered player.
    """
    plan = world.plan
    shares = (
        *(plan.late_reports, plan.repeated_reports, plan.corrected_reports, plan.other_codes),
        *(plan.broken_reports, plan.unregistered),
    )
    drawn = roll(world.seed, "plant", EVENT, sides=1000)
    plant = by_shares(drawn, PLANTS, shares)
    exempt = pl.col("is_long") | ((pl.col("system") == MATCH) & plant.is_in(_NOT_IN_A_MATCH))
    return events.with_columns(
        pl.when(exempt).then(pl.lit("")).otherwise(plant.fill_null("")).alias("plant")
    ).with_columns((pl.col("plant") == UNREGISTERED).alias("has_unregistered"))


def deliveries_of(world: World, events: pl.DataFrame) -> pl.DataFrame:
    """Return every report of ``events`` (after :func:`with_plants`), sorted by event and day of arrival.

    Out: ``event_no``, ``file`` (name without folder), ``event_id`` (the code in the report), ``version``, ``part``
    (from 1), ``first_round``, ``last_round`` (the rounds it reports), ``start_date``, ``end_date``, ``received_on``,
    ``plant``, ``is_extra`` (not the first report of these rounds), ``is_altered`` (one result is wrong), ``damage`` (0:
    none), ``month`` (the world's month whose list it arrives for), and how it is written: ``is_trf26``, ``is_cp1252``,
    ``is_crlf``, ``has_mark``, ``is_trimmed`` and ``has_old_titles``.
    """
    first = _first_reports(world, events)
    extra = _extra_reports(world, first)
    both = pl.concat([first, extra], how="diagonal").with_columns(_file_name().alias("file"), *_file_style())
    received = pl.col("received_on")
    month = received.dt.year().cast(pl.Int64) * 12 + received.dt.month() + 1 - world.first.index
    return both.with_columns(month.alias("month")).sort("event_no", "received_on", "file").drop("ordinal")


def _first_reports(world: World, events: pl.DataFrame) -> pl.DataFrame:
    """Return one report for each event, and one for each calendar month of a long league."""
    rounds = events.select(
        *("event_no", "ordinal", "event_id", "plant", "is_long", "days", "rounds", "start_date"),
        pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int64).alias("round"),
    ).explode("round")
    dated = rounds.with_columns(
        (pl.col("start_date") + pl.duration(days=round_day(pl.col("round")))).cast(pl.Date).alias("date")
    )
    by_month = pl.when("is_long").then(pl.col("date").dt.year() * 12 + pl.col("date").dt.month().cast(pl.Int32))
    parts = (
        dated.group_by("event_no", "ordinal", "event_id", "plant", by_month.alias("calendar_month"))
        .agg(
            pl.col("round").min().alias("first_round"),
            pl.col("round").max().alias("last_round"),
            pl.col("date").min().alias("start_date"),
            pl.col("date").max().alias("end_date"),
        )
        .sort("event_no", "first_round")
        .with_columns((pl.int_range(pl.len(), dtype=pl.Int64).over("event_no") + 1).alias("part"))
    )
    keys = EVENT, pl.col("part")
    delay = (
        pl.when(pl.col("plant") == LATE)
        .then(_LATE_FROM + roll(world.seed, "days late", *keys, sides=_LATE_DAYS))
        .otherwise(1 + roll(world.seed, "days under way", *keys, sides=_USUAL_DAYS))
    )
    damage = NO_ID + roll(world.seed, "damage", *keys, sides=BOTH_WON)
    return parts.with_columns(
        (pl.col("end_date") + pl.duration(days=delay)).cast(pl.Date).alias("received_on"),
        pl.lit(1, dtype=pl.Int64).alias("version"),
        pl.lit(value=False).alias("is_extra"),
        (pl.col("plant") == CORRECTED).alias("is_altered"),
        pl.when(pl.col("plant") == BROKEN).then(damage).otherwise(0).alias("damage"),
    ).drop("calendar_month")


def _extra_reports(world: World, first: pl.DataFrame) -> pl.DataFrame:
    """Return the reports that follow a first one: the same again, a second version, or the same under another code."""
    resent = (pl.col("plant") == BROKEN) & per_thousand(world.seed, "mended", EVENT, chance=world.plan.resent)
    later = _SECOND_FROM + roll(world.seed, "days to the next", EVENT, sides=_SECOND_DAYS)
    is_second = pl.col("plant").is_in([CORRECTED, BROKEN])
    other_code = pl.concat_str("event_id", pl.lit("X"))
    return first.filter(pl.col("plant").is_in([REPEATED, CORRECTED, OTHER_CODE]) | resent).with_columns(
        (pl.col("received_on") + pl.duration(days=later)).cast(pl.Date).alias("received_on"),
        pl.when(is_second).then(2).otherwise(1).cast(pl.Int64).alias("version"),
        pl.when(pl.col("plant") == OTHER_CODE).then(other_code).otherwise("event_id").alias("event_id"),
        pl.lit(value=True).alias("is_extra"),
        pl.lit(value=False).alias("is_altered"),
        pl.lit(0, dtype=pl.Int64).alias("damage"),
    )


def _file_name() -> pl.Expr:
    part = pl.when(pl.col("part").max().over("event_no") > 1).then(pl.format("-{}", "part")).otherwise(pl.lit(""))
    version = pl.when(pl.col("version") > 1).then(pl.format("-v{}", "version")).otherwise(pl.lit(""))
    again = pl.when(pl.col("is_extra") & (pl.col("plant") == REPEATED)).then(pl.lit("-again")).otherwise(pl.lit(""))
    return pl.concat_str("event_id", part, version, again, pl.lit(".trf"))


def _file_style() -> list[pl.Expr]:
    """Return the columns that describe how the sender's program writes the file.

    The formats take turns, and so do encodings and line ends. Some files begin with a byte order mark, some lack the
    blanks at the ends of lines, some write titles by their old letters.
    """
    newer = (pl.col("ordinal") + pl.col("version")) % 2 == 1
    return [
        newer.alias("is_trf26"),
        (pl.col("ordinal") % 3 == 0).alias("is_cp1252"),
        (pl.col("ordinal") % 6 == 1).alias("has_mark"),
        (pl.col("ordinal") % 7 == 2).alias("is_trimmed"),
        ((pl.col("ordinal") % 4 == 1) & ~newer).alias("has_old_titles"),
        (pl.col("ordinal") % 5 == 0).alias("is_crlf"),
    ]
