"""Follow differences from list to list: who differs on an earlier list, in what, and which correction is behind it."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.tables import DIFF

LIST_KEY = ["time_control", "fide_id"]

MOVED = {
    "time_control": pl.String(),
    "fide_id": pl.Int64(),
    "month": pl.String(),
    "correction_no": pl.Int32(),
    "rule_file": pl.String(),
    "old_rating": pl.Int32(),
    "rating": pl.Int32(),
    "k_moved": pl.Boolean(),
    "games_moved": pl.Boolean(),
    "pool_moved": pl.Boolean(),
    "hundredths_moved": pl.Boolean(),
}
"""The players who differ on earlier lists: a row per list, and per correction and rule file behind it (null: none).

``rating`` is the player's rating on the new revision of that list, ``old_rating`` that on the one before. The state of
the player differs too, which only later lists show: ``k_moved``: the K from that list on; ``games_moved``: the games
counted for K, or the last game; ``pool_moved``: the results that wait for a first rating; ``hundredths_moved``: the
hundredths of rating and deviation, where a system has them.
"""

ORIGIN = ["correction_no", "rule_file"]
_STATE = ("games_played", "reached_2400", "reached_2300", "last_played")


def no_moves() -> pl.DataFrame:
    """Return an empty frame of :data:`MOVED`."""
    return pl.DataFrame(schema=MOVED)


def moved_by(diff: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return the published diff of a list as :data:`MOVED`; of the state it has what the list shows."""
    rows = diff.select(
        *LIST_KEY,
        pl.lit(str(period)).alias("month"),
        "corrections",
        "rule_files",
        "old_rating",
        pl.col("new_rating").alias("rating"),
        pl.col("old_k").ne_missing(pl.col("new_k")).alias("k_moved"),
        pl.col("old_games").ne_missing(pl.col("new_games")).alias("games_moved"),
        (pl.col("old_rating").is_null() | pl.col("new_rating").is_null()).alias("pool_moved"),
        hundredths_differ(diff).alias("hundredths_moved"),
    )
    return with_origins(rows)


def hundredths_differ(diff: pl.DataFrame) -> pl.Expr:
    """Return whether the hundredths of rating or deviation, or a system's own columns, differ in a row of a diff.

    False where it has none of these.
    """
    names = [name.removeprefix("old_") for name in diff.columns if name.startswith("old_") and name not in DIFF.columns]
    differ = [
        pl.col(f"old_{name}").ne_missing(pl.col(f"new_{name}")) for name in names if f"new_{name}" in diff.columns
    ]
    return pl.any_horizontal(differ) if differ else pl.lit(value=False)


def with_origins(rows: pl.DataFrame) -> pl.DataFrame:
    """Return :data:`MOVED` of rows with the origins as texts, ``corrections`` and ``rule_files``."""
    exploded = rows.with_columns(
        pl.col("corrections").str.split(", ").alias("correction_no"),
        pl.col("rule_files").str.split(", ").alias("rule_file"),
    )
    for name in ORIGIN:
        exploded = exploded.explode(name, empty_as_null=True, keep_nulls=True)
    return exploded.with_columns(pl.col(name).replace("", None) for name in ORIGIN).select(
        pl.col(name).cast(dtype) for name, dtype in MOVED.items()
    )


def without_equal_rows(before: pl.DataFrame, after: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return one table by two calculations without the rows that are equal in the same place: what is left is compared.

    No two rows of a table have one key, so a row that is left out would find its equal and no other. Tables of
    different heights are returned as they are.
    """
    if before.height != after.height or before.schema != after.schema:
        return before, after
    differs = pl.any_horizontal(pl.col(name).ne_missing(after.get_column(name)) for name in before.columns)
    is_other = before.select(is_other=differs)["is_other"]
    return before.filter(is_other), after.filter(is_other)


def states_differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the players whose state on a list differs: the key, ``was``, ``is``, ``k_moved`` and ``games_moved``.

    In: ``LIST_STATE`` of one month by two calculations. ``was`` and ``is`` are the ratings.
    """
    columns = ["rating", "k", *_STATE]
    before, after = without_equal_rows(before, after)
    both = before.select(*LIST_KEY, *columns).join(
        after.select(*LIST_KEY, *columns), on=LIST_KEY, how="full", coalesce=True, suffix="_new"
    )
    games = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_new")) for name in _STATE)
    k = pl.col("k").ne_missing(pl.col("k_new"))
    return both.select(
        *LIST_KEY,
        pl.col("rating").alias("was"),
        pl.col("rating_new").alias("is"),
        k.alias("k_moved"),
        games.alias("games_moved"),
    ).filter(pl.col("was").ne_missing(pl.col("is")) | pl.col("k_moved") | pl.col("games_moved"))


def carried_on(moved: pl.DataFrame, base: str, states: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return :data:`MOVED` of a list of which no table differs: what is carried through it, from the ``base`` list.

    ``states``: :func:`states_differing` of the list. Waiting results are a table, so none differ.
    """
    rows = moved.filter(pl.col("month") == base).select(*LIST_KEY, *ORIGIN).join(states, on=LIST_KEY)
    return rows.select(
        *LIST_KEY,
        pl.lit(str(period)).alias("month"),
        *ORIGIN,
        pl.col("was").alias("old_rating"),
        pl.col("is").alias("rating"),
        "k_moved",
        "games_moved",
        pl.lit(value=False).alias("pool_moved"),
        pl.lit(value=False).alias("hundredths_moved"),
    ).select(*MOVED)


def origins_of_ratings(rows: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Return the list on which each rating came to differ, and what is behind it.

    In: ``row``, ``time_control``, ``player`` (FIDE ID), ``was`` and ``is`` (the ratings used), ``until`` (the last
    month whose list may be in force). Out: ``row``, ``month``, ``stands_in`` (it is the standard rating), the origin:
    a row per origin. The values are compared: a move explains a difference where it leads from ``was`` to ``is``;
    where the standard rating stood in on one side only, it has to have one of the two.
    """
    found = rows.join(moved.rename({"time_control": "of_control"}), left_on="player", right_on="fide_id").filter(
        (pl.col("of_control") == pl.col("time_control")) | (pl.col("of_control") == "standard"),
        pl.col("month") <= pl.col("until"),
        pl.col("old_rating").ne_missing(pl.col("rating")),
    )
    was = pl.col("old_rating").eq_missing(pl.col("was"))
    is_now = pl.col("rating").eq_missing(pl.col("is"))
    stands_in = pl.col("of_control") != pl.col("time_control")
    ranked = found.filter(was | is_now).with_columns(
        stands_in=stands_in, rank=2 * (~(was & is_now)).cast(pl.Int8) + stands_in.cast(pl.Int8)
    )
    best = ranked.sort("rank", "month", descending=[False, True]).group_by("row", maintain_order=True)
    chosen = best.agg(pl.col("rank", "month").first())
    return (
        ranked.join(chosen, on=["row", "rank", "month"], how="semi")
        .select("row", "month", "stands_in", *ORIGIN)
        .unique()
        .sort("row", *ORIGIN)
    )


def at_base(moved: pl.DataFrame, base: str) -> pl.DataFrame:
    """Return what each player brings from the list before, where it differs, without the origins."""
    return (
        moved.filter(pl.col("month") == base)
        .select(
            *LIST_KEY,
            pl.col("old_rating").ne_missing(pl.col("rating")).alias("rating_moved"),
            pl.col("rating").alias("rating_before"),
            *(pl.col(f"{name}_moved").alias(f"base_{name}_moved") for name in ("k", "games", "pool", "hundredths")),
        )
        .unique(LIST_KEY, keep="first", maintain_order=True)
    )


def from_the_list_before(players: pl.DataFrame, moved: pl.DataFrame, base: str) -> pl.DataFrame:
    """Return the players whose own rating, K, games or waiting results differ because the list before differs."""
    other_base = pl.col("base").ne_missing(pl.col("base_new"))
    by_rating = pl.col("rating_moved") & other_base
    by_k = pl.col("base_k_moved") & pl.col("side_k") & (pl.col("base_games_moved") | pl.col("rating_moved"))
    by_games = pl.col("base_games_moved") & (pl.col("k_differs") | pl.col("flag_differs") | pl.col("games_moved"))
    by_pool = pl.col("base_pool_moved") & (pl.col("pool_moved") | pl.col("entry_differs"))
    by_hundredths = pl.col("base_hundredths_moved") & pl.col("hundredths_differ") & ~by_rating
    month = pl.lit(base)
    because = (
        pl.when(by_rating & pl.col("rating_before").is_null())
        .then(pl.format("removed from the {} list", month))
        .when(by_rating)
        .then(pl.format("rating on the {} list corrected to {}", month, "rating_before"))
        .when(by_pool)
        .then(pl.format("results that wait since the {} list, or before, corrected", month))
        .when(by_hundredths)
        .then(pl.format("figures next to the rating on the {} list corrected", month))
        .otherwise(pl.format("games counted up to the {} list corrected", month))
    )
    origins = moved.filter(pl.col("month") == base).select(*LIST_KEY, *ORIGIN).unique()
    return (
        players.filter(by_rating | by_k | by_games | by_pool | by_hundredths)
        .select(*LIST_KEY, because.alias("because"))
        .join(origins, on=LIST_KEY)
    )


def from_deviations_of_opponents(
    players: pl.DataFrame, games: pl.DataFrame, moved: pl.DataFrame, base: str
) -> pl.DataFrame:
    """Return the players with a game against an opponent whose hundredths differ on the list before.

    In: ``games`` as now known (``GAME``). The whole ratings of such opponents are the same; where they are not, the
    sides of the games differ (:mod:`~ratinglist.corrections.side_causes`).
    """
    by_opponent = moved.filter(
        pl.col("month") == base, pl.col("hundredths_moved"), pl.col("old_rating").eq_missing(pl.col("rating"))
    ).select("time_control", *ORIGIN, opponent_id="fide_id")
    because = pl.format(
        "figures next to the rating of opponent {} on the {} list corrected", "opponent_id", pl.lit(base)
    )
    return (
        games.join(players.filter("hundredths_differ").select(LIST_KEY), on=LIST_KEY, how="semi")
        .filter("rated")
        .select(*LIST_KEY, "opponent_id")
        .unique()
        .join(by_opponent, on=["time_control", "opponent_id"])
        .select(*LIST_KEY, because.alias("because"), *ORIGIN)
    )


def from_players_of_the_event(players: pl.DataFrame, found: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return the players without an origin in events with a player who has one, from event to event.

    In: ``players``: the key; ``found``: the causes so far, with the key and the origin; ``games`` as now known
    (``GAME``).
    """
    seats = games.filter("rated").select(*LIST_KEY, "event_id").unique()
    known = found.filter(~pl.all_horizontal(pl.col(ORIGIN).is_null())).select(*LIST_KEY, *ORIGIN).unique()
    rest = players.select(LIST_KEY).join(known, on=LIST_KEY, how="anti").join(seats, on=LIST_KEY)
    because = pl.format("another player of event {} has another rating", "event_id").alias("because")
    reached = [rest.join(known, on=LIST_KEY).select(*LIST_KEY, because, *ORIGIN)]
    while not known.is_empty():
        of_events = seats.join(known, on=LIST_KEY).select("time_control", "event_id", *ORIGIN).unique()
        reached.append(rest.join(of_events, on=["time_control", "event_id"]).select(*LIST_KEY, because, *ORIGIN))
        rest = rest.join(reached[-1], on=LIST_KEY, how="anti")
        known = reached[-1].select(*LIST_KEY, *ORIGIN).unique()
    return pl.concat(reached)


def from_the_standard_list(players: pl.DataFrame, moved: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return the players whose change is added to another standard rating, which stands in for their own."""
    other_base = pl.col("base").ne_missing(pl.col("base_new"))
    candidates = players.filter(other_base & ~pl.col("rating_moved") & (pl.col("time_control") != "standard"))
    candidates = candidates.select(*LIST_KEY, "base", "base_new").with_row_index("row")
    rows = candidates.select(
        "row", "time_control", pl.col("fide_id").alias("player"), pl.col("base").alias("was"),
        pl.col("base_new").alias("is"), pl.lit(str(period)).alias("until"),
    )  # fmt: skip
    found = origins_of_ratings(rows, moved).filter("stands_in").join(candidates, on="row")
    return found.select(*LIST_KEY, rating_sentence("base", "base_new").alias("because"), *ORIGIN)


def rating_sentence(was: str, is_now: str) -> pl.Expr:
    """Return the sentence for a rating used; in: the list that gave it (``month``), ``stands_in``, the two ratings."""
    return (
        pl.when(pl.col("month").is_null())
        .then(pl.format("rating used corrected from {} to {}", rating_text(was), rating_text(is_now)))
        .when(pl.col("stands_in"))
        .then(
            pl.format(
                "standard rating that stands in, of the {} list, corrected from {} to {}",
                "month",
                rating_text(was),
                rating_text(is_now),
            )
        )
        .when(pl.col(is_now).is_null())
        .then(pl.format("removed from the {} list", "month"))
        .otherwise(pl.format("rating on the {} list corrected to {}", "month", is_now))
    )


def rating_text(column: str) -> pl.Expr:
    """Return a rating as text; ``unrated`` for null."""
    return pl.col(column).cast(pl.String).fill_null("unrated")
