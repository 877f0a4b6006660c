"""Which reports a list looks at: versions of an event, slices of a long one, and strangers under a code not theirs.

Reports under one registration code are told apart by their rounds, games and dates. Two of them hold the *same game* if
the same two players met with the same colours in the same round, whatever the result, unless they met on two different
days (:func:`slices.on_two_days`): leagues may count their rounds anew. A *place* is a player in a round; it
is filled by both reports if he has a game in that round in both, not on two different days.

- A *later slice* starts later than another report of the code, and either its last played round is later too, or it
  begins after the other has ended and has no game in common with it (4.1: long events are reported while they last).
- Two reports are *akin* if they have a game in common, or a day in common and at least half of the places of the
  smaller one: nobody plays two games in one round of one event. Where they have a day in common and their version
  numbers differ, two days are no matter: the one puts right the dates of the other. So it does with no day in common,
  if the version numbers differ and the one holds every game of the other, some on another day.
- A report that is akin to another one, begins with the same round and starts later *corrects* it, whatever its last
  round: it belongs to the same slice. But where it begins after the other has ended, only if it puts dates right; and
  not if it goes on to a later round and holds every game of the other, on the same days: that is a slice in a file with
  all rounds so far, and the repeated games count once.
- Any other report is a *version* of the event, or of the slice with its start date, if it is akin to the version looked
  at; if not, it is a *stranger*: another event under the same code. It is refused, for nothing received may vanish.
"""

from __future__ import annotations

import polars as pl

from ratinglist.rating.duplicate_games import on_two_days
from ratinglist.rating.model import MonthInputs

_CODED = ["event_id", "report_id", "version", "start_date", "end_date", "first_round", "last_round"]


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
    compared = _compared(coded, inputs.report_games)
    slices = _slices(coded, compared)
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
    strangers = _strangers(ranked, compared, coded)
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


def _compared(coded: pl.DataFrame, report_games: pl.DataFrame) -> pl.DataFrame:
    """Two reports of one code each, both ways, where somebody has a game in the same round in both.

    Out: ``report_id``, ``report_id_other``, ``has_common_game``, ``is_akin`` and ``corrects`` (the other one).
    """
    several = coded.filter(pl.col("event_id").is_duplicated())
    games = report_games.select("report_id", "round", "date", "white_id", "black_id").join(several, on="report_id")
    games = games.with_columns(pl.len().over("report_id").alias("games"))
    places = pl.concat(
        games.select(
            pl.exclude("white_id", "black_id"),
            pl.col(f"{own}_id").alias("fide_id"),
            pl.col(f"{other}_id").alias("opponent_id"),
            pl.lit(value=own == "white").alias("is_white"),
        )
        for own, other in (("white", "black"), ("black", "white"))
    )
    both = places.join(places, on=["event_id", "round", "fide_id"], suffix="_other").filter(
        pl.col("report_id") != pl.col("report_id_other")
    )
    # Two players share a game; it is counted once, at White's place.
    same_pair = pl.col("is_white") & pl.col("is_white_other") & (pl.col("opponent_id") == pl.col("opponent_id_other"))
    of_report = [name for name in (*_CODED, "games") if name not in ("event_id", "report_id")]
    pairs = both.group_by("report_id", "report_id_other").agg(
        pl.col(*of_report, *(f"{name}_other" for name in of_report)).first(),
        same_pair.sum().alias("pairings"),
        (same_pair & ~on_two_days("_other")).sum().alias("same_games"),
        pl.len().alias("places"),
        (~on_two_days("_other")).sum().alias("same_places"),
    )
    return pairs.with_columns(_is_akin().alias("is_akin")).select(
        "report_id",
        "report_id_other",
        (pl.col("same_games") > 0).alias("has_common_game"),
        "is_akin",
        _corrects().alias("corrects"),
    )


_HAVE_A_DAY_IN_COMMON = (pl.col("start_date") <= pl.col("end_date_other")) & (
    pl.col("end_date") >= pl.col("start_date_other")
)
_ARE_RENUMBERED = pl.col("version") != pl.col("version_other")
_FEWER_GAMES = pl.min_horizontal("games", "games_other")


def _is_akin() -> pl.Expr:
    """Whether two reports tell of the same games: needs what :func:`_compared` has counted of both."""
    dates_matter = ~(_HAVE_A_DAY_IN_COMMON & _ARE_RENUMBERED)
    games = pl.when(dates_matter).then("same_games").otherwise("pairings")
    places = pl.when(dates_matter).then("same_places").otherwise("places")
    # A game has two places: half of the places are as many as there are games.
    return (games > 0) | (_HAVE_A_DAY_IN_COMMON & (places >= _FEWER_GAMES)) | _dates_put_right()


def _dates_put_right() -> pl.Expr:
    """Whether one of two versions holds every game of the other, but some on another day."""
    return _ARE_RENUMBERED & (pl.col("pairings") == _FEWER_GAMES) & (pl.col("same_games") < pl.col("pairings"))


def _corrects() -> pl.Expr:
    """Whether the first of two reports corrects the other: needs ``is_akin`` besides."""
    goes_on = (pl.col("last_round") > pl.col("last_round_other")) & (pl.col("same_games") == pl.col("games_other"))
    return (
        (pl.col("start_date") > pl.col("start_date_other"))
        & (pl.col("first_round") == pl.col("first_round_other"))
        & pl.when(_HAVE_A_DAY_IN_COMMON).then(pl.col("is_akin") & ~goes_on).otherwise(_dates_put_right())
    )


def _slices(coded: pl.DataFrame, compared: pl.DataFrame) -> pl.DataFrame:
    """``report_id`` and ``slice``: empty for a whole event or its first slice, else the start date of a later one."""
    played = coded.filter(pl.col("first_round").is_not_null())
    pairs = (
        played.join(played, on="event_id", suffix="_other")
        .filter(pl.col("start_date") > pl.col("start_date_other"))
        .join(compared.filter("has_common_game"), on=["report_id", "report_id_other"], how="left")
    )
    goes_on = pl.col("last_round") > pl.col("last_round_other")
    apart = (pl.col("start_date") > pl.col("end_date_other")) & pl.col("has_common_game").is_null()
    later = (
        pairs.filter(goes_on | apart)
        .select("report_id", pl.col("start_date").dt.to_string("%Y-%m-%d").alias("slice"))
        .unique()
    )
    slices = (
        coded.select("report_id").join(later, on="report_id", how="left").with_columns(pl.col("slice").fill_null(""))
    )
    return _with_corrected(slices, compared.filter("corrects").select("report_id", "report_id_other"))


def _with_corrected(slices: pl.DataFrame, corrections: pl.DataFrame) -> pl.DataFrame:
    """``slices`` with each correction in the slice of what it corrects, in the first one where there are several.

    What is corrected starts earlier and may be a correction itself, so this ends after the longest chain of them.
    """
    while True:
        first = (
            corrections.join(slices, left_on="report_id_other", right_on="report_id")
            .group_by("report_id")
            .agg(pl.col("slice").min().alias("first"))
        )
        placed = slices.join(first, on="report_id", how="left", maintain_order="left").select(
            "report_id", pl.coalesce("first", "slice").alias("slice")
        )
        if placed.equals(slices):
            return slices
        slices = placed


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


def _strangers(ranked: pl.DataFrame, compared: pl.DataFrame, coded: pl.DataFrame) -> pl.DataFrame:
    """Accepted reports with games that are not akin to the version looked at, which has games too."""
    played = coded.filter(pl.col("first_round").is_not_null())["report_id"].implode()
    return ranked.filter(
        pl.col("accepted"),
        pl.col("report_id") != pl.col("looked_at"),
        pl.col("report_id").is_in(played),
        pl.col("looked_at").is_in(played),
    ).join(
        compared.filter("is_akin"),
        left_on=["report_id", "looked_at"],
        right_on=["report_id", "report_id_other"],
        how="anti",
    )


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
        pl.when(is_later).then(of_slice).when(came_late).then(of_start).otherwise("event_id").alias("pool_id"),
    )
