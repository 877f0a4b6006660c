"""Calculate a list: the months of play one after another, then who leaves the list, and everybody's category."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.systems.month import COUNTS, SystemMonth, SystemResult, as_sides, changes_of, next_state
from ratinglist.rating.systems.system import OwnState, RatingSystem
from ratinglist.tables import SYSTEM_STATE, Column
from ratinglist_nations.ecf.passes import PLAYER, EcfRules, rate_months, with_nominal

_NUMBER = pl.Int32()
_FACTS = ("is_full", "stored_games", "stored_opponents", "stored_halves", "last_full")

STATE = OwnState(
    1,
    {
        "fide_id": Column(pl.Int64(), "the player, also one who left the list"),
        "month": Column(_NUMBER, "a month of play, counted from the year 0"),
        "games": Column(_NUMBER, "rated games of that month"),
        "is_full": Column(pl.Boolean(), "of the player's last month: whether the rating is full", null=True),
        "stored_games": Column(_NUMBER, "likewise: games of a partial player so far", null=True),
        "stored_opponents": Column(_NUMBER, "likewise: sum of the opponents' ratings in them, as used", null=True),
        "stored_halves": Column(_NUMBER, "likewise: the score in them in half points", null=True),
        "last_full": Column(_NUMBER, "likewise: the last full rating; null where there was none", null=True),
    },
    ("fide_id", "month"),
)
"""A row for each player and month of play of the last year, and for the last month; that one has the other columns."""

LIST_COLUMNS = {"rating_category": Column(pl.String(), "A: full and active; K: full; P: partial", null=True)}
CHANGE_COLUMNS = {
    "performance_opponents": Column(
        _NUMBER, "sum of the opponents' ratings in the games of the performance", null=True
    ),
    "performance_halves": Column(_NUMBER, "the score in these games in half points", null=True),
    "nominal_rating": Column(_NUMBER, "rating of the fictional opponent of the performance", null=True),
}
GAME_COLUMNS = {
    "month_of_play": Column(pl.String(), "the month of play that the game is rated with", null=True),
    "first_performance": Column(_NUMBER, "of a new or partial player: the result of the first pass", null=True),
    "performance_rating": Column(_NUMBER, "of a new or partial player: the rating after that month", null=True),
}


def rate(month: SystemMonth, rules: EcfRules) -> SystemResult:
    """Calculate the list of ``month``."""
    sides = month.sides.with_row_index("row")
    ends = month.events.select("event_no", "end_date")
    counted = (
        sides.filter(pl.col("reason") == COUNTS)
        .join(ends, on="event_no", how="left", maintain_order="left")
        .select("row", "fide_id", "opponent_id", "score_halves", month_of(pl.coalesce("date", "end_date")))
    )
    players = _players(month, counted, rules)
    scored, after = rate_months(counted, players, month.tables, rules)
    games = pl.concat(
        [_kept_games(month, players), counted.group_by("fide_id", "month").agg(pl.len().cast(_NUMBER).alias("games"))]
    )
    games = games.group_by("fide_id", "month").agg(pl.col("games").sum())
    earliest = month.period.index - rules.category.lapse_months
    played = pl.col("fide_id").is_in(counted["fide_id"].implode())
    # A late report may be of an older game: who has a game on this list stays on it.
    lapses = pl.col("rating").is_not_null() & (pl.col("last_month") < earliest) & ~played
    after = after.with_columns(lapses.alias("lapses")).with_columns(
        pl.when("lapses").then(None).otherwise("rating").alias("rating"),
        (pl.col("is_full") & ~pl.col("lapses")).alias("is_full"),
        *(pl.when("lapses").then(0).otherwise(name).alias(name) for name in _FACTS[1:4]),
    )
    computed = _computed(scored, players, after)
    list_state = _with_k(next_state(month, computed, pl.lit(None, _NUMBER)), after, rules)
    return SystemResult(
        sides=as_sides(_published(sides, scored), GAME_COLUMNS),
        changes=changes_of(month, computed, CHANGE_COLUMNS),
        list_state=list_state,
        system_state=_categories(list_state, after, games, month.period, rules),
        own_state=_state(after, games, month.period, rules),
    )


def month_of(day: pl.Expr) -> pl.Expr:
    """Return the month of a day as a number, named ``month``."""
    return (12 * day.dt.year().cast(pl.Int64) + day.dt.month() - 1).alias("month")


def known_players(
    before: pl.DataFrame,
    own_state: pl.DataFrame,
    playing: pl.Series,
    births: pl.DataFrame,
    period: Period,
    rules: EcfRules,
) -> pl.DataFrame:
    """Return the players before the first month of play (:data:`~ratinglist_nations.ecf.passes.PLAYER`).

    In: ``before``: ``fide_id``, ``rating`` and ``last_month`` (of a player without state) of the list before;
    ``own_state``: the table :data:`STATE` of that list; ``playing``: others who play; ``births``: ``fide_id``,
    ``birth_date`` and ``birth_year``. An imported player is full.
    """
    kept = own_state.filter(pl.col("is_full").is_not_null()).rename({"month": "kept_month", "is_full": "kept_full"})
    born = births.select("fide_id", pl.coalesce(pl.col("birth_date").dt.year(), "birth_year").alias("born"))
    every = pl.concat([before["fide_id"], kept["fide_id"], playing]).unique().sort().to_frame("fide_id")
    is_listed = pl.col("rating").is_not_null()
    players = (
        every.join(before, on="fide_id", how="left")
        .join(kept.drop("games"), on="fide_id", how="left")
        .join(born, on="fide_id", how="left")
        .with_columns(
            (is_listed & pl.col("kept_full").fill_null(value=True)).alias("is_full"),
            pl.coalesce("kept_month", "last_month").alias("last_month"),
            pl.when(pl.col("kept_full").is_null()).then("rating").otherwise("last_full").alias("last_full"),
            *(pl.col(name).fill_null(0) for name in _FACTS[1:4]),
        )
        .cast({name: kind for name, kind in PLAYER.items() if name not in ("is_junior", "nominal")})
    )
    return (
        with_nominal(players, period.first_day.year - pl.col("born"), rules).cast({"nominal": pl.Int64}).select(*PLAYER)
    )


def _players(month: SystemMonth, counted: pl.DataFrame, rules: EcfRules) -> pl.DataFrame:
    # The list that last counted a game rated those of the month before it.
    last = month_of(pl.col("last_played")).fill_null(month.month_before.index) - 1
    before = month.before.select("fide_id", "rating", last.alias("last_month"))
    return known_players(before, month.own_state, counted["fide_id"], month.players, month.period, rules)


def _kept_games(month: SystemMonth, players: pl.DataFrame) -> pl.DataFrame:
    """Return the rated games by player and month of play, with none for the last month of an imported player."""
    kept = month.own_state.select("fide_id", pl.col("month").cast(pl.Int64), "games")
    without = players.filter(pl.col("last_month").is_not_null()).join(kept, on="fide_id", how="anti")
    return pl.concat([kept, without.select("fide_id", pl.col("last_month").alias("month"), games=pl.lit(0, _NUMBER))])


def _computed(scored: pl.DataFrame, players: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the players with rated games, and those who leave the list."""
    by_performance = pl.col("performance_rating").is_not_null()
    is_one = ~by_performance.any() & (pl.col("k").n_unique() == 1)
    sums = scored.group_by("fide_id").agg(
        pl.len().cast(_NUMBER).alias("games"),
        pl.when((~by_performance).any()).then(pl.col("change_hundredths").sum()).alias("change_hundredths"),
        pl.when(is_one).then(pl.col("k").first()).alias("k"),
        by_performance.sum().cast(pl.Int64).alias("own_games"),
        pl.col("opponent_rating").filter(by_performance).sum().alias("own_opponents"),
        pl.col("score_halves").filter(by_performance).cast(pl.Int64).sum().alias("own_halves"),
    )
    before = players.select(
        "fide_id", "nominal", "stored_games", "stored_opponents", "stored_halves", old_rating="rating"
    )
    has_performance = pl.col("own_games") > 0
    stored = {"performance_games": "games", "performance_opponents": "opponents", "performance_halves": "halves"}
    return (
        after.filter(pl.col("lapses") | pl.col("fide_id").is_in(sums["fide_id"].implode()))
        .select("fide_id", "lapses", new_rating="rating")
        .join(before, on="fide_id")
        .join(sums, on="fide_id", how="left")
        .with_columns(
            pl.col("games").fill_null(0),
            (pl.col("new_rating") - pl.col("old_rating")).alias("change"),
            *(
                pl.when(has_performance).then(pl.col(f"stored_{of}") + pl.col(f"own_{of}")).alias(name)
                for name, of in stored.items()
            ),
            pl.when(has_performance).then("nominal").alias("nominal_rating"),
        )
        .drop("nominal")
    )


def _with_k(list_state: pl.DataFrame, after: pl.DataFrame, rules: EcfRules) -> pl.DataFrame:
    own = rules.development_coefficient
    k = pl.when("is_full").then(pl.when("is_junior").then(own.junior).otherwise(own.k)).cast(_NUMBER)
    of_players = after.select("fide_id", k.alias("own_k"))
    joined = list_state.join(of_players, on="fide_id", how="left", maintain_order="left")
    return joined.with_columns(pl.col("own_k").alias("k")).drop("own_k")


def _published(sides: pl.DataFrame, scored: pl.DataFrame) -> pl.DataFrame:
    """Return the sides with their figures: the ratings of one that counts are those of its month of play."""
    text = pl.format("{}-{}", pl.col("month") // 12, (pl.col("month") % 12 + 1).cast(pl.String).str.zfill(2))
    figures = scored.drop("fide_id", "score_halves").with_columns(text.alias("month_of_play")).drop("month")
    own = figures.rename({name: f"{name}_used" for name in ("rating", "opponent_rating")})
    counts = pl.col("reason") == COUNTS
    return sides.join(own, on="row", how="left", maintain_order="left").with_columns(
        pl.when(counts).then(f"{name}_used").otherwise(name).alias(name) for name in ("rating", "opponent_rating")
    )


def _categories(
    list_state: pl.DataFrame, after: pl.DataFrame, games: pl.DataFrame, period: Period, rules: EcfRules
) -> pl.DataFrame:
    """Return the category of every listed player, with the columns of ``SYSTEM_STATE``."""
    own = rules.category
    recent = games.filter(pl.col("month").is_between(period.index - own.active_months, period.index - 1))
    sums = recent.group_by("fide_id").agg(pl.col("games").sum().alias("recent"))
    active = pl.when(pl.col("recent").fill_null(0) >= own.active_games).then(pl.lit("A")).otherwise(pl.lit("K"))
    listed = (
        list_state.select("time_control", "fide_id")
        .join(after.select("fide_id", "is_full"), on="fide_id", how="left", maintain_order="left")
        .join(sums, on="fide_id", how="left", maintain_order="left")
        .with_columns(pl.when("is_full").then(active).otherwise(pl.lit("P")).alias("rating_category"))
    )
    return SYSTEM_STATE.extended(LIST_COLUMNS).completed(listed, blank_texts=True)


def _state(after: pl.DataFrame, games: pl.DataFrame, period: Period, rules: EcfRules) -> pl.DataFrame:
    """Return the rows of :data:`STATE`: what the next list needs."""
    kept = after.filter(pl.col("rating").is_not_null() | pl.col("last_full").is_not_null())
    newest = kept.select("fide_id", pl.col("last_month").alias("month"), *_FACTS)
    is_recent = pl.col("month") > period.index - rules.category.active_months
    months = games.join(kept.select("fide_id"), on="fide_id", how="semi").join(
        newest, on=["fide_id", "month"], how="left"
    )
    return STATE.table.conform(months.filter(is_recent | pl.col("is_full").is_not_null()))


SYSTEM = RatingSystem(
    EcfRules,
    rate,
    state=STATE,
    list_columns=LIST_COLUMNS,
    change_columns=CHANGE_COLUMNS,
    game_columns=GAME_COLUMNS,
)
"""The system as the program knows it."""
