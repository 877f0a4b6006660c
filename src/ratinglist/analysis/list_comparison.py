"""Compare our list of a month with an official one: equal, explained by a reading or an event, or unexplained.

A value is explained only where a cause gives exactly the official value: the month is calculated again under each
changed rule, and with each event more or less (:mod:`~ratinglist.analysis.changed_months`). Where none does, but the
two lists count different numbers of games, that difference is the cause, provided that so many games can move a rating
so far.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.analysis.changed_months import ALTERNATIVE, alternatives
from ratinglist.analysis.column_readings import DESCRIPTIVE_COLUMNS, causes_of_description, causes_of_flag, causes_of_k
from ratinglist.analysis.our_month import OurMonth
from ratinglist.lists.selection import with_both_titles
from ratinglist.names.folding import NAME_LENGTH, to_ascii
from ratinglist.rating.rules import FIDE_SYSTEM
from ratinglist.reasons import EVENT_REASONS
from ratinglist.tables import Column, Table

CLASSES = ("equal", "reading", "event", "unexplained")
"""The classes of a player, or of one column of a player."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause: its ``kind`` (``reading`` or ``event``) and what the official list does differently.

    ``narrow``: it can only concern the few players to whom a special rule applies.
    """

    kind: str
    description: str
    narrow: bool = False


CAUSES: dict[str, Cause] = {
    # the list
    "one_time_step": Cause("reading", "the one-time step of the list is taken on one side alone", narrow=True),
    "floor": Cause("reading", "another floor is applied", narrow=True),
    "newcomer_games": Cause(
        "reading", "a newcomer is shown with all the games of the pool, not those of the period", narrow=True
    ),
    "games_against_unrated": Cause("reading", "games against unrated opponents are shown too", narrow=True),
    # games that count by one reading alone
    "standard_stands_in": Cause("reading", "a standard rating does not stand in for a missing one", narrow=True),
    "time_limit": Cause("reading", "the limit on the thinking time is read differently", narrow=True),
    "same_game": Cause("reading", "a game that came in two reports counts twice", narrow=True),
    "rating_gap": Cause("reading", "the rule on gaps of 600 is read differently", narrow=True),
    "opponent_rated_since": Cause("reading", "an opponent counts who was rated after the event had begun", narrow=True),
    "zero_first_event": Cause("reading", "a first event without a point counts for an entry", narrow=True),
    "tranche_too_small": Cause("reading", "a small partial result counts for an entry", narrow=True),
    "entry_window": Cause("reading", "results count longer for an entry", narrow=True),
    # rounding
    "halves_up": Cause("reading", "half a point is rounded up, also where points are lost"),
    "halves_towards_zero": Cause("reading", "half a point is rounded towards zero"),
    "halves_to_even": Cause("reading", "half a point is rounded to the even number"),
    "rounded_per_event": Cause("reading", "the change is rounded for every event, not once"),
    "rounded_per_period": Cause("reading", "the change is rounded once, not for every event"),
    # events
    "extra_event": Cause("event", "an event of ours does not count"),
    "missing_event": Cause("event", "an event counts that we know and did not rate"),
    "event_not_received": Cause("event", "games count that are in no report of ours"),
    # large differences
    "cap_every_game": Cause("reading", "a difference above 400 is cut in every game"),
    "cap_once": Cause("reading", "of the differences in a player's favour only the largest of an event is cut"),
    "cap_below_2650": Cause("reading", "the difference of a player rated 2650 or more is not cut"),
    "no_cap": Cause("reading", "no difference is cut"),
    # ratings used
    "newest_ratings": Cause("reading", "the ratings of the newest list are used, not those at the start of the event"),
    # K
    "k_limit": Cause("reading", "the limit of 700 on K × games is read differently"),
    "k_junior_until": Cause("reading", "a junior's K ends on another day"),
    "k_junior_judged_on": Cause("reading", "a junior's age is judged on another day"),
    "k_state": Cause("reading", "K is judged on the new list, not on the one before, or the other way round"),
    "k_fixed": Cause("reading", "K is fixed in rapid and blitz on one side alone"),
    "k_inferred": Cause("reading", "our K rests on a state inferred from an imported list"),
    # entries
    "entry_method": Cause("reading", "the initial rating is computed by the other method"),
    "entry_maximum": Cause("reading", "the highest initial rating is another"),
    # descriptive columns
    "follows_rating": Cause("reading", "follows from the difference of rating or games"),
    "inactive_after": Cause("reading", "a player becomes inactive after another number of lists"),
    "last_game_inferred": Cause("reading", "our last game is inferred from an imported list"),
    "transliteration": Cause("reading", "the same name, written with other letters"),
    "another_version": Cause("reading", "the player's data as the store knew them on another day"),
}
"""Code to cause. ``follows_rating`` takes the kind of the cause that it follows from."""

UNEXPLAINED = "unexplained"
"""The class where no cause gives the official number."""


DIFFERENCE = Table(
    "difference",
    "value in which our list and the official one differ",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "fide_id": Column(pl.Int64(), "the player"),
        "name": Column(pl.String(), "the player's name, ours where the player is on our list"),
        "column": Column(pl.String(), "what differs; rating also where the player is on one list only"),
        "ours": Column(pl.String(), "our value; empty: none, or not listed"),
        "official": Column(pl.String(), "the official value; empty: none, or not listed"),
        "class": Column(pl.String(), "reading, event, unexplained"),
        "cause": Column(pl.String(), "a code from the glossary; empty where unexplained"),
        "detail": Column(pl.String(), "the event with its status, or the value of the reading; may be empty"),
        "also": Column(pl.String(), "other causes that give the same number, comma-separated"),
    },
    key=("time_control", "fide_id", "column"),
)

FIGURES = pl.Schema({"time_control": pl.String(), "column": pl.String()} | dict.fromkeys(CLASSES, pl.Int64()))
"""The number of players in each class, by column. The rows ``rating`` count every player on either list."""

COLUMNS = ("rating", "games", "k", "flag", *DESCRIPTIVE_COLUMNS)
MAX_CHANGE_PER_GAME = 40
"""The most points by which one game can move a rating."""


@dataclass(frozen=True, slots=True)
class ListComparison:
    """The result of a comparison.

    ``figures`` (:data:`FIGURES`), ``differences`` (:data:`DIFFERENCE`), and ``not_compared``, the columns that the
    official list does not have.
    """

    figures: pl.DataFrame
    differences: pl.DataFrame
    not_compared: list[str]


def compare_lists(ours: OurMonth, official: pl.DataFrame) -> ListComparison:
    """Compare one time control of our month with the rows of the official list of it (``OFFICIAL_ROW``).

    Unrated players are on neither list. A column that is empty in all official rows is not compared, nor is a blank
    federation, sex, name, K or number of games of one player, nor a flag that is null. Names are equal where they are
    in ASCII, cut to the width of FIDE's column.
    """
    theirs = official.filter(pl.col("rating").is_not_null())
    both = _join_lists(ours, theirs)
    compared = [name for name in COLUMNS if name == "rating" or _has_values(theirs, name)]
    differing = {name: both.filter(_differs(name, with_sex="sex" in compared)) for name in compared}
    numbers = [differing[name] for name in ("rating", "games", "k") if name in compared]
    possible = alternatives(ours, pl.concat(numbers)["fide_id"].unique().sort())
    players = pl.concat([rows for rows in numbers if rows is not differing.get("k")]).unique("fide_id").sort("fide_id")
    causes = _causes_of_rating(ours, players, possible, min(theirs["rating"].to_list(), default=0))
    found = [
        _differences(_with_causes(rows, name, causes, ours, possible), name, ours) for name, rows in differing.items()
    ]
    differences = DIFFERENCE.sorted(pl.concat(found))
    players_compared = {name: len(both) if name == "rating" else int(both["on_both"].sum()) for name in compared}
    return ListComparison(
        _figures(differences, players_compared, ours.time_control),
        differences,
        [name for name in COLUMNS if name not in compared],
    )


def _join_lists(ours: OurMonth, official: pl.DataFrame) -> pl.DataFrame:
    """Join the players of both lists: our columns, the official ones as ``official_...``, and ``on_both``.

    ``ascii_name`` is the name as FIDE's text has it. A woman's only title is in both columns of titles.
    """
    own = _comparable(ours.listed)
    theirs = _comparable(official).rename(lambda name: name if name == "fide_id" else f"official_{name}")
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


def _comparable(rows: pl.DataFrame) -> pl.DataFrame:
    plain, _letters = to_ascii(rows.select("name"))
    names = plain["name"].str.replace_all(" +", " ").str.head(NAME_LENGTH).str.strip_chars().alias("ascii_name")
    return with_both_titles(rows.select("fide_id", *COLUMNS)).with_columns(names)


def _has_values(official: pl.DataFrame, name: str) -> bool:
    """Return whether the official list has any value in this column."""
    column = official[name]
    return bool((column != "").any()) if column.dtype == pl.String() else column.null_count() < len(column)


def _differs(name: str, *, with_sex: bool) -> pl.Expr:
    own, official = pl.col(name), pl.col(f"official_{name}")
    if name == "rating":
        return own.ne_missing(official)
    if name == "flag" and with_sex:  # the letter w repeats the sex
        own, official = own.str.replace("w", "", literal=True), official.str.replace("w", "", literal=True)
    differs = own.ne_missing(official)
    if name == "name":
        differs = pl.col("ascii_name").ne_missing(pl.col("official_ascii_name"))
    if name == "flag":
        differs &= official.is_not_null()
    if name in ("name", "federation", "sex"):
        differs &= official != ""
    if name in ("games", "k"):
        differs &= official.is_not_null()
    return pl.col("on_both") & differs


_UNKNOWN = {"cause": "", "kind": UNEXPLAINED, "detail": "", "also": ""}


def _causes_of_rating(ours: OurMonth, players: pl.DataFrame, possible: pl.DataFrame, lowest: int) -> pl.DataFrame:
    """Find the causes of differences in rating or games: ``fide_id``, ``kind``, ``cause``, ``detail``, ``also``.

    ``possible``: what the month gives with each thing changed; of another system than FIDE's nothing, and its
    differences have causes by the number of games alone. ``lowest``: the lowest rating of the official list. A floor
    above it is not the floor of that list, so it is no cause.
    """
    played = _played(ours, players)
    possible = pl.concat([possible, _other_counts(ours, played, players)]).filter(
        (pl.col("cause") != "floor") | (pl.col("detail").cast(pl.Int64, strict=False).fill_null(0) <= lowest)
    )
    wanted = players.select("fide_id", "official_rating", "official_games")
    exact = _preferred(
        possible.join(wanted, on="fide_id").filter(
            pl.col("rating").eq_missing(pl.col("official_rating"))
            & (pl.col("official_games").is_null() | (pl.col("games") == pl.col("official_games")))
        )
    )
    by_count = _by_count(ours, played, players.join(exact, on="fide_id", how="anti"))
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
    """Choose one cause for each player: ``cause`` and ``detail``; the other causes that fit are in ``also``.

    A cause that explains many players is the likelier one for each of them, unless a narrow cause fits the player.
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


def _played(ours: OurMonth, players: pl.DataFrame) -> pl.DataFrame:
    """Return the games of ``players`` by event: ``fide_id``, ``event_id``, ``status``, ``played`` and ``rated``."""
    return (
        ours.games.join(players.select("fide_id"), on="fide_id", how="semi")
        .join(ours.events.select("event_id", "status"), on="event_id")
        .group_by("fide_id", "event_id", "status")
        .agg(pl.len().cast(pl.Int32).alias("played"), pl.col("rated").sum().cast(pl.Int32).alias("rated"))
    )


def _other_counts(ours: OurMonth, played: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Return our ratings with the games counted by another reading (:data:`ALTERNATIVE`)."""
    pooled = ours.entries.filter("published").select("fide_id", pl.col("games").alias("shown"))
    in_rated = played.filter(pl.col("status") == "rated").group_by("fide_id").agg(pl.col("played").sum().alias("shown"))
    return pl.concat(
        players.join(counted, on="fide_id")
        .with_columns(pl.lit(cause).alias("cause"), pl.lit("").alias("detail"), pl.col("shown").alias("games"))
        .select(pl.col(name).cast(kind) for name, kind in ALTERNATIVE.items())
        for cause, counted in (("newcomer_games", pooled), ("games_against_unrated", in_rated))
    )


def _by_count(ours: OurMonth, played: pl.DataFrame, players: pl.DataFrame) -> pl.DataFrame:
    """Explain players by the number of games alone: the official list counts more of them, or fewer.

    ``detail`` names the events with exactly the missing number of games, else all events that are possible.
    """
    more = pl.col("official_games") - pl.col("games")
    reach = (pl.col("official_rating") - pl.col("rating")).abs() <= MAX_CHANGE_PER_GAME * more.abs()
    counted = players.with_columns(more.alias("more")).filter((pl.col("more") != 0) & reach.fill_null(value=True))
    open_to = (
        counted.select("fide_id", "more")
        .join(played, on="fide_id")
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
    """Return ``detail``, the code of an event, and ``event``, the code with its status for a difference."""
    sentences = {code: reason.sentence for code, reason in EVENT_REASONS.items()}
    says = pl.col("reason").replace(sentences)
    why = pl.when(pl.col("reason") != "").then(pl.format("{}: {}", "status", says)).otherwise("status")
    return ours.events.select(pl.col("event_id").alias("detail"), pl.format("{} ({})", "event_id", why).alias("event"))


def _with_causes(
    rows: pl.DataFrame, name: str, causes: pl.DataFrame, ours: OurMonth, possible: pl.DataFrame
) -> pl.DataFrame:
    """Add ``kind``, ``cause``, ``detail`` and ``also`` to ``rows``, in which the column ``name`` differs."""
    if name in ("rating", "games"):
        return rows.join(causes, on="fide_id", how="left")
    of_rating = causes.select("fide_id", pl.col("kind").alias("rating_kind"), pl.col("cause").alias("rating_cause"))
    joined = rows.join(of_rating, on="fide_id", how="left")
    if name == "k" and ours.rules is not None and ours.rules.system == FIDE_SYSTEM:
        joined = causes_of_k(joined, ours, ours.rules.development_coefficient, possible)
    elif name == "flag":
        joined = causes_of_flag(joined, ours)
    elif name in DESCRIPTIVE_COLUMNS:
        joined = causes_of_description(joined, name, ours)
    else:
        joined = joined.with_columns(pl.lit(None, dtype=pl.String).alias("cause"))
    kinds = {code: cause.kind for code, cause in CAUSES.items()}
    follows = pl.col("cause") == "follows_rating"
    return joined.with_columns(
        pl.when(follows)
        .then("rating_kind")
        .otherwise(pl.col("cause").replace_strict(kinds, default=None, return_dtype=pl.String))
        .alias("kind"),
        pl.when(follows).then("rating_cause").otherwise(pl.lit("")).alias("detail"),
        pl.lit("").alias("also"),
    )


def _differences(rows: pl.DataFrame, name: str, ours: OurMonth) -> pl.DataFrame:
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


def _figures(differences: pl.DataFrame, players_compared: dict[str, int], time_control: str) -> pl.DataFrame:
    """Count the players of each class by column (:data:`FIGURES`)."""
    counted = differences.group_by("column", "class").agg(pl.len().cast(pl.Int64).alias("rows"))
    times = {(column, kind): rows for column, kind, rows in counted.iter_rows()}
    rows = []
    for column, players in players_compared.items():
        explained = {kind: times.get((column, kind), 0) for kind in CLASSES[1:]}
        equal = players - sum(explained.values())
        rows.append({"time_control": time_control, "column": column, "equal": equal, **explained})
    return pl.DataFrame(rows, schema=FIGURES)
