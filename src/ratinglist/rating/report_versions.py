"""The report that a list uses of each event, among versions, slices of a long event, and other events under its code.

Reports under one registration code are distinguished by their rounds, games and dates. Two reports contain the *same
game* if the same two players met with the same colours in the same round, whatever the result, unless they met on two
different days: a league may number its rounds from 1 again. A *place* is a player in a round. Two reports have a place
in common if both contain a game of that player in that round, not on two different days.

- A *later slice* starts later than another report of the code, and either its last played round is later too, or it
  begins after the other has ended and has no game in common with it (4.1: long events are reported while they last).
- Two reports are *related* if they have a game in common, or a day in common and at least half of the places of the
  smaller one: a player has one game in a round of an event. Where they have a day in common and different version
  numbers, dates are ignored: the one corrects the dates of the other. The same holds without a day in common, if the
  version numbers differ and the one contains every game of the other, some on another day.
- A report *corrects* another one, whatever its last round, if they are related, begin with the same round, and it
  starts later: it belongs to the same slice. Two exceptions: a report that begins after the other has ended corrects it
  only if it corrects dates; a report that goes on to a later round and contains every game of the other, on the same
  days, is a slice in a file with all rounds so far, and the repeated games count once.
- Any other report is a *version* of the event, or of the slice with its start date, if it is related to the version
  selected. If not, it is *another event* under the same code. It is refused, so that nothing received is lost.
"""

from __future__ import annotations

import polars as pl

from ratinglist.rating.duplicate_games import on_two_days
from ratinglist.rating.model import MonthInputs
from ratinglist.rating.rules import RuleBook, due_on

_CODED = ["event_id", "report_id", "version", "start_date", "end_date", "first_round", "last_round"]


def newest_versions(inputs: MonthInputs) -> pl.DataFrame:
    """Return one report of every event known to the period, sorted by event.

    Out: the columns of :func:`choose_versions`, ``event_id`` as an Enum; those of the rule set in force on the start
    date (:func:`join_rule_sets`); and ``base_month`` and ``standard_month``, the lists in force at the start.
    """
    chosen = choose_versions(inputs)
    reports = _with_lists_in_force(join_rule_sets(chosen, inputs.rules, inputs.family), inputs.lists_there)
    # As an Enum the code joins and sorts as a number, in the published order.
    in_order = reports.sort("time_control", "event_id")["event_id"]
    return reports.with_columns(pl.col("event_id").cast(pl.Enum(in_order)))


def choose_versions(inputs: MonthInputs) -> pl.DataFrame:
    """Choose one version of each event, or of each slice of it, and find other events under its code.

    Out: the reports chosen and the other events, with ``closing_date`` (the last day to be received
    and to end; null without a rule set), ``settled`` (``rated`` where an earlier list rated the event, or null),
    ``is_other_event``, ``event_code`` (the registration code), ``first_received_on`` (the day of its first report),
    ``event_id`` (unique in the list) and ``pool_id`` (unique over time).

    An accepted version precedes a refused one, one received in time precedes a later one, then the higher version
    precedes, then the one received later (readings: a new version before the closing date replaces the old). Of a
    settled event, only a higher version, or the same version received later, is chosen. ``is_disputed``: another report
    of its version, in time too, has other games; which of them is right is not for a program to decide.
    """
    deadlines = inputs.rules.deadlines([(inputs.family, inputs.period)])
    closing = deadlines.select("time_control", "closing_date", "official_closing_date")
    coded = pl.concat([inputs.reports.select(_CODED), inputs.earlier_events.select(_CODED)]).unique("report_id")
    compared = _compare_reports(coded, inputs.report_games)
    slices = _assign_slices(coded, compared)
    settled = _settled_reports(inputs.earlier_events.join(slices, on="report_id", how="left"))
    ranked = (
        inputs.reports.join(slices, on="report_id", how="left")
        .join(closing, on="time_control", how="left")
        .with_columns(due_on().alias("closing_date"))
        .with_columns((pl.col("received_on") <= pl.col("closing_date")).fill_null(value=False).alias("in_time"))
        .drop("official_closing_date")
        .join(settled, on=["event_id", "slice"], how="left")
        .sort(
            *("event_id", "accepted", "in_time", "version", "received_on", "sha256", "report_id"),
            descending=[False] + [True] * 6,
        )
    )
    # Selected: the settled version where there is one, else the best of those received.
    best = pl.col("report_id").first().over("event_id", "slice")
    ranked = ranked.with_columns(pl.coalesce("settled_report", best).alias("selected_report"))
    other_events = _other_events(ranked, compared, coded)
    of_event = ranked.join(other_events.select("report_id"), on="report_id", how="anti")
    of_event = of_event.with_columns(_is_disputed().alias("is_disputed"))
    is_new = pl.col("settled_report").is_null() | (
        (pl.col("version") > pl.col("settled_version"))
        | ((pl.col("version") == pl.col("settled_version")) & (pl.col("received_on") > pl.col("settled_received")))
    )
    chosen = of_event.filter(is_new).unique(["event_id", "slice"], keep="first", maintain_order=True)
    events = pl.concat(
        [
            chosen.with_columns(pl.lit(value=False).alias("is_other_event")),
            other_events.with_columns(
                pl.lit(value=False).alias("is_disputed"), pl.lit(value=True).alias("is_other_event")
            ),
        ]
    )
    received = pl.concat(frame.select("event_id", "received_on") for frame in (inputs.reports, inputs.earlier_events))
    first_received_on = received.group_by("event_id").agg(pl.col("received_on").min().alias("first_received_on"))
    events = events.join(first_received_on, on="event_id", how="left")
    return _assign_ids(events, inputs.earlier_events).drop(
        "settled_version", "settled_received", "settled_report", "selected_report", "in_time"
    )


def _is_disputed() -> pl.Expr:
    """Return whether another report in time has other games under the same code and version, in the same slice."""
    games = pl.when("accepted", "in_time").then("games_digest")
    return games.is_not_null() & (games.drop_nulls().n_unique().over("event_id", "slice", "version") > 1)


def _compare_reports(coded: pl.DataFrame, report_games: pl.DataFrame) -> pl.DataFrame:
    """Compare the reports of each code in pairs, both ways, where a player has a game in the same round in both.

    Out: ``report_id``, ``report_id_other``, ``has_common_game``, ``is_related`` and ``corrects`` (the other one).
    """
    several = coded.filter(pl.col("event_id").is_duplicated())
    ids = several.select(pl.col("report_id").cast(report_games.schema["report_id"], strict=False))
    games = report_games.select("report_id", "round", "date", "white_id", "black_id").join(
        ids, on="report_id", how="semi"
    )
    games = games.with_columns(pl.col("report_id").cast(pl.String)).join(several, on="report_id")
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
    # A game has two places; it is counted once, at White's.
    same_pair = pl.col("is_white") & pl.col("is_white_other") & (pl.col("opponent_id") == pl.col("opponent_id_other"))
    report_columns = [name for name in (*_CODED, "games") if name not in ("event_id", "report_id")]
    pairs = both.group_by("report_id", "report_id_other").agg(
        pl.col(*report_columns, *(f"{name}_other" for name in report_columns)).first(),
        same_pair.sum().alias("pairings"),
        (same_pair & ~on_two_days("_other")).sum().alias("same_games"),
        pl.len().alias("places"),
        (~on_two_days("_other")).sum().alias("same_places"),
    )
    return pairs.with_columns(_is_related().alias("is_related")).select(
        "report_id",
        "report_id_other",
        (pl.col("same_games") > 0).alias("has_common_game"),
        "is_related",
        _corrects().alias("corrects"),
    )


_HAVE_A_DAY_IN_COMMON = (pl.col("start_date") <= pl.col("end_date_other")) & (
    pl.col("end_date") >= pl.col("start_date_other")
)
_VERSIONS_DIFFER = pl.col("version") != pl.col("version_other")
_FEWER_GAMES = pl.min_horizontal("games", "games_other")


def _is_related() -> pl.Expr:
    """Return whether two reports are related, from the counts of :func:`_compare_reports`."""
    dates_matter = ~(_HAVE_A_DAY_IN_COMMON & _VERSIONS_DIFFER)
    games = pl.when(dates_matter).then("same_games").otherwise("pairings")
    places = pl.when(dates_matter).then("same_places").otherwise("places")
    # A game has two places, so half of a report's places are as many as its games.
    return (games > 0) | (_HAVE_A_DAY_IN_COMMON & (places >= _FEWER_GAMES)) | _corrects_dates()


def _corrects_dates() -> pl.Expr:
    """Return whether one of two versions contains every game of the other, but some on another day."""
    return _VERSIONS_DIFFER & (pl.col("pairings") == _FEWER_GAMES) & (pl.col("same_games") < pl.col("pairings"))


def _corrects() -> pl.Expr:
    """Return whether the first of two reports corrects the other; needs ``is_related`` too."""
    goes_on = (pl.col("last_round") > pl.col("last_round_other")) & (pl.col("same_games") == pl.col("games_other"))
    return (
        (pl.col("start_date") > pl.col("start_date_other"))
        & (pl.col("first_round") == pl.col("first_round_other"))
        & pl.when(_HAVE_A_DAY_IN_COMMON).then(pl.col("is_related") & ~goes_on).otherwise(_corrects_dates())
    )


def _assign_slices(coded: pl.DataFrame, compared: pl.DataFrame) -> pl.DataFrame:
    """Return ``report_id`` and ``slice``: a later slice's start date, empty for the first slice or a whole event."""
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
    return _apply_corrections(slices, compared.filter("corrects").select("report_id", "report_id_other"))


def _apply_corrections(slices: pl.DataFrame, corrections: pl.DataFrame) -> pl.DataFrame:
    """Give each correction the slice of the report it corrects, the first slice where there are several.

    A corrected report starts earlier and may be a correction itself. So the loop ends after the longest chain of them.
    """
    while True:
        first = (
            corrections.join(slices, left_on="report_id_other", right_on="report_id")
            .group_by("report_id")
            .agg(pl.col("slice").min().alias("first"))
        )
        corrected = slices.join(first, on="report_id", how="left", maintain_order="left").select(
            "report_id", pl.coalesce("first", "slice").alias("slice")
        )
        if corrected.equals(slices):
            return slices
        slices = corrected


def _settled_reports(earlier: pl.DataFrame) -> pl.DataFrame:
    """Return, per event and slice that an earlier list settled, the newest report and whether one was rated."""
    newest = pl.struct("version", "received_on", "report_id")
    return earlier.group_by("event_id", "slice").agg(
        pl.col("version").max().alias("settled_version"),
        pl.col("received_on").sort_by(newest).last().alias("settled_received"),
        # Other reports are compared with the games of the rated one.
        pl.col("report_id").sort_by(pl.col("status") == "rated", newest).last().alias("settled_report"),
        pl.when((pl.col("status") == "rated").any()).then(pl.lit("rated")).alias("settled"),
    )


def _other_events(ranked: pl.DataFrame, compared: pl.DataFrame, coded: pl.DataFrame) -> pl.DataFrame:
    """Return accepted reports with games that are not related to the version selected, which has games too."""
    played = coded.filter(pl.col("first_round").is_not_null())["report_id"].implode()
    return ranked.filter(
        pl.col("accepted"),
        pl.col("report_id") != pl.col("selected_report"),
        pl.col("report_id").is_in(played),
        pl.col("selected_report").is_in(played),
    ).join(
        compared.filter("is_related"),
        left_on=["report_id", "selected_report"],
        right_on=["report_id", "report_id_other"],
        how="anti",
    )


def _assign_ids(reports: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """Add ``event_code``, ``event_id`` and ``pool_id``, which distinguish the reports received under one code.

    The ``event_id`` of a later slice is the code alone, unless the same list has another slice. Its ``pool_id`` never
    is, nor that of a first slice received after a later one was settled: the pool may hold results of both. The
    ``event_id`` of another event under the code has a part of its report's digest.
    """
    came_late = pl.col("settled_report").is_null() & pl.col("event_id").is_in(earlier["event_id"].unique().implode())
    of_start = pl.concat_str("event_id", pl.col("start_date").dt.to_string("%Y-%m-%d"), separator="/")
    of_slice = pl.concat_str("event_id", "slice", separator="/")
    of_other_event = pl.concat_str("event_id", pl.col("report_id").str.slice(0, 12), separator="#")
    is_later = pl.col("slice") != ""
    # Other events have ids of their own, so they do not make a slice share its code.
    shared = (~pl.col("is_other_event")).sum().over("event_id") > 1
    return reports.with_columns(
        pl.col("event_id").alias("event_code"),
        pl.when("is_other_event")
        .then(of_other_event)
        .when(is_later & shared)
        .then(of_slice)
        .otherwise("event_id")
        .alias("event_id"),
        pl.when(is_later).then(of_slice).when(came_late).then(of_start).otherwise("event_id").alias("pool_id"),
    )


def join_rule_sets(events: pl.DataFrame, rules: RuleBook, family: str) -> pl.DataFrame:
    """Return ``events`` with the values of the rule set in force on their start date; null where there is none.

    The rules of some systems are those in force on the end date. In: ``event_id``, ``time_control`` and both dates.
    Out: also ``rule_set`` and the keys of the sections ``event``
    and ``expected_score``; sorted by ``event_id``.
    """
    # A refused report may have no start date, and an as-of join requires every key to be sorted.
    day = rules.day_of_event(family)
    dated = events.filter(pl.col(day).is_not_null()).sort(day, "event_id")
    undated = events.filter(pl.col(day).is_null())
    joined = dated.join_asof(
        rules.frame(family),
        left_on=day,
        right_on="effective_from",
        by="time_control",
        strategy="backward",
        check_sortedness=False,  # sorted above; Polars cannot see it within groups
    )
    return pl.concat([joined, undated], how="diagonal").sort("event_id")


def _with_lists_in_force(chosen: pl.DataFrame, lists_there: pl.DataFrame) -> pl.DataFrame:
    """Add ``base_month`` and ``standard_month``, the lists in force on the start date.

    ``base_month`` is the newest list of the event's time control. ``standard_month`` is the newest standard list where
    the event's rule set lets a standard rating stand in, else null.
    """
    by_day = lists_there.sort("first_day", "time_control")
    dated = chosen.filter(pl.col("start_date").is_not_null()).sort("start_date", "event_id")
    joined = dated.join_asof(
        by_day.rename({"month": "base_month"}),
        left_on="start_date",
        right_on="first_day",
        by="time_control",
        strategy="backward",
        check_sortedness=False,  # sorted above; Polars cannot see it within groups
    ).drop("first_day")
    standard = by_day.filter(pl.col("time_control") == "standard").drop("time_control")
    joined = joined.join_asof(
        standard.rename({"month": "standard_month"}), left_on="start_date", right_on="first_day"
    ).with_columns(pl.when("standard_rating_stands_in").then("standard_month").alias("standard_month"))
    undated = chosen.filter(pl.col("start_date").is_null())
    return pl.concat([joined, undated], how="diagonal").sort("event_id")
