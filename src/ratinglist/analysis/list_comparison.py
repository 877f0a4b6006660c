"""Our list of a month against an official one: equal, explained by a reading or an event, or unexplained.

A number counts as explained only where a cause gives exactly the official one: the player's period is computed anew by
every other reading and with every event more or less (:mod:`~alternatives`). Where none does, but the two
lists count different numbers of games, that difference is the explanation, as long as so many games can move a rating
so far.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.analysis.alternatives import ALTERNATIVE, alternatives
from ratinglist.analysis.column_readings import DESCRIPTION, causes_of_description, causes_of_flag, causes_of_k
from ratinglist.analysis.difference_causes import CAUSES, CLASSES, UNEXPLAINED
from ratinglist.analysis.entry_alternatives import entry_alternatives
from ratinglist.analysis.our_month import OurMonth, select_sides
from ratinglist.rating.rules import RuleBook
from ratinglist.schemas import Column, Table

DIFFERENCE = Table(
    "difference",
    "value in which our list and the official one differ",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "fide_id": Column(pl.Int64(), "the player"),
        "name": Column(pl.String(), "his name, as we have it where we list him"),
        "column": Column(pl.String(), "what differs; rating also where only one of the two lists him"),
        "ours": Column(pl.String(), "our value; empty: none, or not listed"),
        "official": Column(pl.String(), "the official value; empty: none, or not listed"),
        "class": Column(pl.String(), "reading, event, unexplained"),
        "cause": Column(pl.String(), "a code from the glossary; empty where unexplained"),
        "detail": Column(pl.String(), "the event with what became of it, or the value read; may be empty"),
        "also": Column(pl.String(), "other causes that give the same number, comma-separated"),
    },
    key=("time_control", "fide_id", "column"),
)

FIGURES = pl.Schema({"time_control": pl.String(), "column": pl.String()} | dict.fromkeys(CLASSES, pl.Int64()))
"""How many players are in which class, by column. The rows ``rating`` cover everybody on either list."""

COLUMNS = ("rating", "games", "k", "flag", *DESCRIPTION)
MAX_CHANGE_PER_GAME = 40
"""Points that one game can move a rating by, at the most."""


@dataclass(frozen=True, slots=True)
class ListComparison:
    """``figures`` (:data:`FIGURES`), ``differences`` (:data:`DIFFERENCE`), columns the official list does not have."""

    figures: pl.DataFrame
    differences: pl.DataFrame
    not_compared: list[str]


def compare_lists(ours: OurMonth, official: pl.DataFrame, book: RuleBook) -> ListComparison:
    """Compare a time control of ours with the rows of an official list (``OFFICIAL_ROW``) of that time control.

    Unrated players are on neither list. A column that is empty all through the official list is not compared; a blank
    federation, sex, name, K or number of games of one player says nothing either.
    """
    theirs = official.filter(pl.col("rating").is_not_null())
    both = _beside(ours, theirs)
    compared = [name for name in COLUMNS if name == "rating" or _is_said(theirs, name)]
    differing = {name: both.filter(_differs(name, with_sex="sex" in compared)) for name in compared}
    asked = pl.concat([differing[name] for name in ("rating", "games") if name in compared]).unique("fide_id")
    causes = _causes_of_rating(ours, asked.sort("fide_id"), book)
    found = [_told(_with_causes(rows, name, causes, ours, book), name, ours) for name, rows in differing.items()]
    differences = DIFFERENCE.sorted(pl.concat(found))
    everybody = {name: len(both) if name == "rating" else int(both["on_both"].sum()) for name in compared}
    return ListComparison(
        _figures(differences, everybody, ours.time_control),
        differences,
        [name for name in COLUMNS if name not in compared],
    )


def _beside(ours: OurMonth, official: pl.DataFrame) -> pl.DataFrame:
    """Everybody on either list: our columns, the official ones as ``official_...``, and ``on_both``."""
    own = ours.listed.select("fide_id", *COLUMNS)
    theirs = official.select("fide_id", *(pl.col(name).alias(f"official_{name}") for name in COLUMNS))
    counted = ours.changes.select("fide_id", pl.col("games").alias("games_of_period"))
    return (
        own.join(theirs, on="fide_id", how="full", coalesce=True)
        .join(counted, on="fide_id", how="left")
        .with_columns(
            (pl.col("rating").is_not_null() & pl.col("official_rating").is_not_null()).alias("on_both"),
            pl.coalesce("games", "games_of_period", pl.lit(0)).alias("games"),
        )
        .sort("fide_id")
    )


def _is_said(official: pl.DataFrame, name: str) -> bool:
    """Whether the official list has this column: something stands in it."""
    column = official[name]
    return bool((column != "").any()) if column.dtype == pl.String() else column.null_count() < len(column)


def _differs(name: str, *, with_sex: bool) -> pl.Expr:
    own, official = pl.col(name), pl.col(f"official_{name}")
    if name == "rating":
        return own.ne_missing(official)
    if name == "flag" and with_sex:  # w says no more than the sex does
        own, official = own.str.replace("w", "", literal=True), official.str.replace("w", "", literal=True)
    differs = own.ne_missing(official)
    if name in ("name", "federation", "sex"):
        differs &= official != ""
    if name in ("games", "k"):
        differs &= official.is_not_null()
    return pl.col("on_both") & differs


_UNKNOWN = {"cause": "", "kind": UNEXPLAINED, "detail": "", "also": ""}


def _causes_of_rating(ours: OurMonth, asked: pl.DataFrame, book: RuleBook) -> pl.DataFrame:
    """The cause of each of ``asked`` that has one: ``fide_id``, ``kind``, ``cause``, ``detail``, ``also``."""
    sides = select_sides(ours, book, asked)
    possible = pl.concat(
        [
            alternatives(ours, sides, asked, book),
            entry_alternatives(ours, sides, asked, book),
            _other_counts(ours, sides, asked),
        ]
    )
    wanted = asked.select("fide_id", "official_rating", "official_games")
    exact = _preferred(
        possible.join(wanted, on="fide_id").filter(
            pl.col("rating").eq_missing(pl.col("official_rating"))
            & (pl.col("official_games").is_null() | (pl.col("games") == pl.col("official_games")))
        )
    )
    by_count = _by_count(ours, sides, asked.join(exact, on="fide_id", how="anti"))
    kinds = {code: cause.kind for code, cause in CAUSES.items()}
    found = pl.concat([exact, by_count]).join(_events(ours), on="detail", how="left")
    return found.select(
        "fide_id",
        pl.col("cause").replace_strict(kinds, return_dtype=pl.String).alias("kind"),
        "cause",
        pl.coalesce("event", "detail").alias("detail"),
        "also",
    )


def _preferred(exact: pl.DataFrame) -> pl.DataFrame:
    """Of the causes that give a player's number the one that is named: ``cause``, ``detail``; the others in ``also``.

    A cause that explains a thousand players is the likelier one for the next, too, unless a rule names just him.
    """
    order = {cause: place for place, cause in enumerate(CAUSES)}
    narrow = [code for code, cause in CAUSES.items() if cause.narrow]
    return (
        exact.with_columns(
            pl.col("cause").is_in(narrow).alias("narrow"),
            pl.col("fide_id").n_unique().over("cause").alias("explained"),
            pl.col("cause").replace_strict(order, return_dtype=pl.Int32).alias("place"),
        )
        .sort("fide_id", "narrow", "explained", "place", "detail", descending=[False, True, True, False, False])
        .group_by("fide_id", maintain_order=True)
        .agg(pl.col("cause", "detail").first(), pl.col("cause").unique(maintain_order=True).slice(1).alias("also"))
        .with_columns(pl.col("also").list.join(","))
    )


def _other_counts(ours: OurMonth, sides: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Our ratings with the games counted by another reading."""
    pooled = ours.entries.filter("published").select("fide_id", pl.col("games").alias("shown"))
    played = sides.filter(pl.col("status") == "rated").group_by("fide_id").agg(pl.len().alias("shown"))
    return pl.concat(
        asked.join(counted, on="fide_id")
        .with_columns(pl.lit(cause).alias("cause"), pl.lit("").alias("detail"), pl.col("shown").alias("games"))
        .select(pl.col(name).cast(kind) for name, kind in ALTERNATIVE.items())
        for cause, counted in (("newcomer_games", pooled), ("games_against_unrated", played))
    )


def _by_count(ours: OurMonth, sides: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Who is explained by the number of games alone: the official list counts more of them, or fewer.

    The events named are those with as many games as are missing, else all that come into question.
    """
    more = pl.col("official_games") - pl.col("games")
    reach = (pl.col("official_rating") - pl.col("rating")).abs() <= MAX_CHANGE_PER_GAME * more.abs()
    counted = asked.with_columns(more.alias("more")).filter((pl.col("more") != 0) & reach.fill_null(value=True))
    per_event = sides.group_by("fide_id", "event_id", "status").agg(
        pl.len().cast(pl.Int32).alias("played"), pl.col("rated").sum().cast(pl.Int32).alias("rated")
    )
    open_to = (
        counted.select("fide_id", "more")
        .join(per_event, on="fide_id")
        .filter(pl.when(pl.col("more") > 0).then(pl.col("status") != "rated").otherwise(pl.col("rated") > 0))
    )
    fits = pl.when(pl.col("more") > 0).then("played").otherwise("rated") == pl.col("more").abs()
    chosen = open_to.filter(fits | ~fits.any().over("fide_id"))
    events = (
        chosen.join(_events(ours), left_on="event_id", right_on="detail", how="left")
        .group_by("fide_id")
        .agg(pl.col("event").sort().alias("events"))
    )
    return counted.join(events, on="fide_id", how="left").select(
        "fide_id",
        pl.when(pl.col("more") < 0)
        .then(pl.lit("extra_event"))
        .when(pl.col("events").is_not_null())
        .then(pl.lit("missing_event"))
        .otherwise(pl.lit("event_not_received"))
        .alias("cause"),
        pl.col("events").list.join("; ").fill_null("").alias("detail"),
        pl.lit("").alias("also"),
    )


def _events(ours: OurMonth) -> pl.DataFrame:
    """Every event as it is named in a difference: ``detail`` its code, ``event`` with what became of it."""
    why = pl.when(pl.col("reason") != "").then(pl.format("{}, {}", "status", "reason")).otherwise("status")
    return ours.events.select(pl.col("event_id").alias("detail"), pl.format("{} ({})", "event_id", why).alias("event"))


def _with_causes(rows: pl.DataFrame, name: str, causes: pl.DataFrame, ours: OurMonth, book: RuleBook) -> pl.DataFrame:
    """``rows`` in which the column ``name`` differs, with ``kind``, ``cause``, ``detail`` and ``also``."""
    if name in ("rating", "games"):
        return rows.join(causes, on="fide_id", how="left")
    of_rating = causes.select("fide_id", pl.col("kind").alias("rating_kind"), pl.col("cause").alias("rating_cause"))
    known = rows.join(of_rating, on="fide_id", how="left")
    rule_set = book.on(ours.family, ours.time_control, ours.period.first_day)
    if name == "k" and rule_set is not None:
        known = causes_of_k(known, ours, rule_set)
    elif name == "flag":
        known = causes_of_flag(known, ours, book)
    elif name in DESCRIPTION:
        known = causes_of_description(known, name, ours)
    else:
        known = known.with_columns(pl.lit(None, dtype=pl.String).alias("cause"))
    kinds = {code: cause.kind for code, cause in CAUSES.items()}
    follows = pl.col("cause") == "follows_rating"
    return known.with_columns(
        pl.when(follows)
        .then("rating_kind")
        .otherwise(pl.col("cause").replace_strict(kinds, default=None, return_dtype=pl.String))
        .alias("kind"),
        pl.when(follows).then("rating_cause").otherwise(pl.lit("")).alias("detail"),
        pl.lit("").alias("also"),
    )


def _told(rows: pl.DataFrame, name: str, ours: OurMonth) -> pl.DataFrame:
    """``rows`` as :data:`DIFFERENCE`."""
    return DIFFERENCE.conform(
        rows.with_columns(pl.col(column).fill_null(value) for column, value in _UNKNOWN.items()).select(
            pl.lit(ours.time_control).alias("time_control"),
            "fide_id",
            pl.coalesce("name", "official_name").alias("name"),
            pl.lit(name).alias("column"),
            pl.col(name).cast(pl.String).fill_null("").alias("ours"),
            pl.col(f"official_{name}").cast(pl.String).fill_null("").alias("official"),
            pl.col("kind").alias("class"),
            "cause",
            "detail",
            "also",
        )
    )


def _figures(differences: pl.DataFrame, everybody: dict[str, int], time_control: str) -> pl.DataFrame:
    counted = differences.group_by("column", "class").agg(pl.len().cast(pl.Int64).alias("rows"))
    times = {(column, kind): rows for column, kind, rows in counted.iter_rows()}
    rows = []
    for column, players in everybody.items():
        explained = {kind: times.get((column, kind), 0) for kind in CLASSES[1:]}
        equal = players - sum(explained.values())
        rows.append({"time_control": time_control, "column": column, "equal": equal, **explained})
    return pl.DataFrame(rows, schema=FIGURES)
