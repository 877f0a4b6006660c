"""Which reports a list looks at: versions of an event, slices of a long one, and strangers under a code not theirs.

Reports under one registration code are told apart by their games and dates:

- a *later slice* starts later than another report of the code, and either its last played round is later too, or it
  begins after the other has ended and has no game in common with it (4.1: long events are reported while they last);
- any other report is a *version* of the event, or of the slice with its start date, if it has a game in common with the
  version looked at (the same two players with the same colours in the same round, whatever the result);
- without one it is a *stranger*: another event under the same code. It is refused, for nothing received may vanish.
"""

from __future__ import annotations

import polars as pl

from ratinglist.month import MonthInputs

_CODED = ["event_id", "report_id", "start_date", "end_date", "first_round", "last_round"]


def choose_versions(inputs: MonthInputs, closing: pl.DataFrame) -> pl.DataFrame:
    """One version of each event, or of each slice of it, with the day it had to be received and finished by.

    In: ``closing``: ``time_control``, ``closing_days_before``, ``official_closing_days_before``; no row where no rule
    set is in force. Out: the reports chosen and the strangers, with ``closing_date`` (null without a rule set),
    ``settled`` (``rated`` where an earlier list rated the event, or null), ``is_stranger``, ``event_code`` (the
    registration code), ``event_id`` (unique in the list) and ``pool_id`` (unique over time).

    An accepted version goes before a refused one, one received in time before a later one, then the higher version,
    then the one received later (readings: a new version before the closing date replaces the old). Of an event that is
    settled only a higher version, or the same version received later, is looked at.
    """
    first_day = pl.lit(inputs.period.first_day)
    days = pl.when("official").then("official_closing_days_before").otherwise("closing_days_before")
    reports = inputs.reports.filter(pl.col("received_on") < first_day)
    coded = pl.concat([reports.select(_CODED), inputs.earlier_events.select(_CODED)]).unique("report_id")
    common = _with_common_games(coded, inputs.report_games)
    slices = _slices(coded, common)
    settled = _settled(inputs.earlier_events.join(slices, on="report_id", how="left"))
    ranked = (
        reports.filter(~pl.col("report_id").is_in(inputs.earlier_events["report_id"].implode()))
        .join(slices, on="report_id", how="left")
        .join(closing, on="time_control", how="left")
        .with_columns((first_day - pl.duration(days=days)).cast(pl.Date).alias("closing_date"))
        .with_columns((pl.col("received_on") <= pl.col("closing_date")).fill_null(value=False).alias("in_time"))
        .drop("closing_days_before", "official_closing_days_before")
        .join(settled, on=["event_id", "slice"], how="left")
        .sort(
            *("event_id", "accepted", "in_time", "version", "received_on", "sha256", "report_id"),
            descending=[False] + [True] * 6,
        )
    )
    # What is looked at: the settled version where there is one, else the best of those that came.
    best = pl.col("report_id").first().over("event_id", "slice")
    ranked = ranked.with_columns(pl.coalesce("settled_report", best).alias("looked_at"))
    strangers = _strangers(ranked, common, coded)
    ours = ranked.join(strangers.select("report_id"), on="report_id", how="anti")
    is_new = pl.col("settled_report").is_null() | (
        (pl.col("version") > pl.col("settled_version"))
        | ((pl.col("version") == pl.col("settled_version")) & (pl.col("received_on") > pl.col("settled_received")))
    )
    chosen = ours.filter(is_new).unique(["event_id", "slice"], keep="first", maintain_order=True)
    named = pl.concat(
        [
            chosen.with_columns(pl.lit(value=False).alias("is_stranger")),
            strangers.with_columns(pl.lit(value=True).alias("is_stranger")),
        ]
    )
    return _named(named, inputs.earlier_events).drop(
        "settled_version", "settled_received", "settled_report", "looked_at", "in_time"
    )


def _with_common_games(coded: pl.DataFrame, report_games: pl.DataFrame) -> pl.DataFrame:
    """Pairs of reports of one code with a game in common: ``report_id`` and ``other_id``, both ways."""
    several = coded.filter(pl.col("event_id").is_duplicated()).select("event_id", "report_id")
    games = report_games.select("report_id", "round", "white_id", "black_id").join(several, on="report_id")
    return (
        games.join(games, on=["event_id", "round", "white_id", "black_id"], suffix="_other")
        .select("report_id", pl.col("report_id_other").alias("other_id"))
        .unique()
    )


def _slices(coded: pl.DataFrame, common: pl.DataFrame) -> pl.DataFrame:
    """``report_id`` and ``slice``: empty for a whole event or its first slice, else the start date of a later one."""
    pairs = (
        coded.join(coded, on="event_id", suffix="_other")
        .filter(
            pl.col("start_date") > pl.col("start_date_other"),
            pl.col("first_round").is_not_null() & pl.col("first_round_other").is_not_null(),
        )
        .join(
            common.with_columns(pl.lit(value=True).alias("in_common")),
            left_on=["report_id", "report_id_other"],
            right_on=["report_id", "other_id"],
            how="left",
        )
    )
    goes_on = pl.col("last_round") > pl.col("last_round_other")
    apart = (pl.col("start_date") > pl.col("end_date_other")) & pl.col("in_common").is_null()
    later = (
        pairs.filter(goes_on | apart)
        .select("report_id", pl.col("start_date").dt.to_string("%Y-%m-%d").alias("slice"))
        .unique()
    )
    return coded.select("report_id").join(later, on="report_id", how="left").with_columns(pl.col("slice").fill_null(""))


def _settled(earlier: pl.DataFrame) -> pl.DataFrame:
    """Per event and slice that an earlier list settled: the report it settled last, and whether it was rated."""
    newest = pl.struct("version", "received_on", "report_id")
    return earlier.group_by("event_id", "slice").agg(
        pl.col("version").max().alias("settled_version"),
        pl.col("received_on").sort_by(newest).last().alias("settled_received"),
        # The games of a rated report are what others are compared with.
        pl.col("report_id").sort_by(pl.col("status") == "rated", newest).last().alias("settled_report"),
        pl.when((pl.col("status") == "rated").any()).then(pl.lit("rated")).alias("settled"),
    )


def _strangers(ranked: pl.DataFrame, common: pl.DataFrame, coded: pl.DataFrame) -> pl.DataFrame:
    """Accepted reports with games, none of them in common with the version looked at, which has games too."""
    played = coded.filter(pl.col("first_round").is_not_null())["report_id"].implode()
    return ranked.filter(
        pl.col("accepted"),
        pl.col("report_id") != pl.col("looked_at"),
        pl.col("report_id").is_in(played),
        pl.col("looked_at").is_in(played),
    ).join(common, left_on=["report_id", "looked_at"], right_on=["report_id", "other_id"], how="anti")


def _named(reports: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """Names that tell apart what came under one code: ``event_code``, ``event_id`` and ``pool_id``.

    A later slice goes by the code alone, unless the first stands in the same list. In the pool it never does, nor does
    a first slice that comes after a later one was settled: results of both may wait there. A stranger goes by code and
    report.
    """
    came_late = pl.col("settled_report").is_null() & pl.col("event_id").is_in(earlier["event_id"].unique().implode())
    of_start = pl.concat_str("event_id", pl.col("start_date").dt.to_string("%Y-%m-%d"), separator="/")
    of_slice = pl.concat_str("event_id", "slice", separator="/")
    of_stranger = pl.concat_str("event_id", pl.col("report_id").str.slice(0, 12), separator="#")
    is_later = pl.col("slice") != ""
    # Strangers have a name of their own, so they do not make a slice share its code.
    shared = (~pl.col("is_stranger")).sum().over("event_id") > 1
    return reports.with_columns(
        pl.col("event_id").alias("event_code"),
        pl.when("is_stranger")
        .then(of_stranger)
        .when(is_later & shared)
        .then(of_slice)
        .otherwise("event_id")
        .alias("event_id"),
        pl.when(is_later | came_late).then(of_start).otherwise("event_id").alias("pool_id"),
    )
