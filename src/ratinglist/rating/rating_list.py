"""The new list: the last one, the changes of the period and the newcomers; floor, inactivity, state for K."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.development_coefficient import development_coefficient, is_junior
from ratinglist.rating.model import by_fide_id
from ratinglist.rating.participants import gather_columns
from ratinglist.rating.rules import DevelopmentCoefficientRules, ListRules, RuleSet
from ratinglist.schemas import CHANGE, LIST_STATE, LISTED, dictionary_encode


def after_one_time_step(rating: pl.Expr, rules: ListRules, period: Period) -> pl.Expr:
    """``rating`` after the one-time step of this list, if it has one.

    ``two_fifths_towards_2000``: R + 0.40 × (2000 − R) below 2000, rounded half up once (1 March 2024).
    """
    if rules.one_time_step == "none" or rules.one_time_step_month != str(period):
        return rating
    return pl.when(rating < 2000).then((60 * rating + 40 * 2000 + 50) // 100).otherwise(rating)


def next_list(
    before: pl.DataFrame,
    changes: pl.DataFrame,
    entries: pl.DataFrame,
    players: pl.DataFrame,
    period: Period,
    time_control: str,
    rule_set: RuleSet,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The new list's state and everybody whose rating was computed.

    In: ``before``: state on the newest list (:data:`~ratinglist.schemas.LIST_STATE`); ``changes``: ``fide_id``,
    ``old_rating``, ``games``, ``k``, ``change_hundredths``, ``change`` of players with rated games; ``entries``:
    players who enter, with ``fide_id``, ``computed_rating``, ``games`` (of the period) and ``pooled_games``;
    ``players``: ``fide_id``, ``birth_date``, ``birth_year``. Out: (``LIST_STATE``, ``CHANGE``).
    """
    rules = rule_set.list
    k_rules = rule_set.development_coefficient
    entering = entries.select(
        "fide_id",
        pl.col("computed_rating").alias("entry_rating"),
        pl.col("games").alias("entry_games"),
        "pooled_games",
    )
    everybody = (
        _beside(before.select("fide_id", "rating", *_HISTORY), changes, entering)
        .with_columns(pl.coalesce("old_rating", "rating").alias("old_rating"))
        .with_columns((pl.col("old_rating") + pl.col("change").fill_null(0)).alias("carried"))
        .with_columns(
            pl.coalesce(after_one_time_step(pl.col("carried"), rules, period), "entry_rating").alias("new_rating")
        )
        .with_columns((pl.col("new_rating") < rules.floor).fill_null(value=False).alias("delisted"))
        .with_columns(pl.when(~pl.col("delisted")).then("new_rating").alias("new_rating"))
    )
    computed = everybody.filter(
        pl.col("games").is_not_null() | pl.col("entry_rating").is_not_null() | pl.col("delisted")
    ).with_columns(
        pl.lit(time_control).alias("time_control"),
        pl.coalesce("games", "entry_games", pl.lit(0)).alias("games"),
        pl.when("delisted")
        .then(pl.lit("delisted"))
        .when(pl.col("entry_rating").is_not_null())
        .then(pl.lit("entered"))
        .otherwise(pl.lit("rated"))
        .alias("status"),
        *[
            pl.when(pl.col("entry_rating").is_null()).then(pl.col(name).fill_null(0)).alias(name)
            for name in ("change_hundredths", "change")
        ],
    )
    state = _state(everybody, players, period, time_control, k_rules)
    if rules.delisted_state == "dropped":
        state = state.filter(pl.col("rating").is_not_null())
    return LIST_STATE.conform(state), CHANGE.conform(computed)


_HISTORY = ("games_played", "reached_2400", "reached_2300", "last_played")


def _beside(before: pl.DataFrame, *news: pl.DataFrame) -> pl.DataFrame:
    """``before`` with the columns of every frame of ``news`` beside it, and a row for whom only they speak of.

    What a full join gives, sorted by FIDE ID: frames that are sorted and know it are joined at a tenth of the cost.
    """
    everybody = by_fide_id(before)
    for new in map(by_fide_id, news):
        listed = everybody.select("fide_id", is_listed=pl.lit(value=True))
        strangers = new.join(listed, on="fide_id", how="left").filter(pl.col("is_listed").is_null()).select("fide_id")
        if len(strangers):
            everybody = pl.concat([everybody, strangers], how="diagonal").sort("fide_id")
        everybody = everybody.join(new, on="fide_id", how="left", maintain_order="left")
    return everybody


def _state(
    everybody: pl.DataFrame,
    players: pl.DataFrame,
    period: Period,
    time_control: str,
    k_rules: DevelopmentCoefficientRules,
) -> pl.DataFrame:
    """What the next list's K depends on, for everybody with a rating or a history."""
    rating = pl.col("new_rating")
    first_day = pl.lit(period.first_day)
    born = {"birth_date": pl.col("birth_date"), "birth_year": pl.col("birth_year")}
    juniors = players.lazy().filter(is_junior(k_rules, judged_on=first_day, **born)).select("fide_id").collect()
    played = pl.col("games").is_not_null() | pl.col("entry_rating").is_not_null()

    def reached(mark: str, least: int) -> pl.Expr:
        return (pl.col(mark).fill_null(value=False) | (rating >= least).fill_null(value=False)).alias(mark)

    return everybody.with_columns(
        (
            pl.col("games_played").fill_null(0) + pl.col("games").fill_null(0) + pl.col("pooled_games").fill_null(0)
        ).alias("games_played"),
        reached("reached_2400", k_rules.master_from),
        reached("reached_2300", k_rules.junior_below),
        pl.when(played).then(first_day).otherwise("last_played").alias("last_played"),
        pl.coalesce("games", "entry_games", pl.lit(0)).alias("games"),
    ).select(
        pl.lit(str(period)).alias("month"),
        pl.lit(time_control).alias("time_control"),
        "fide_id",
        rating.alias("rating"),
        "games",
        pl.when(rating.is_not_null())
        .then(
            development_coefficient(
                k_rules,
                games_played=pl.col("games_played"),
                reached_2400=pl.col("reached_2400"),
                reached_2300=pl.col("reached_2300"),
                junior=pl.col("fide_id").is_in(juniors["fide_id"].implode()),
            )
        )
        .alias("k"),
        "games_played",
        "reached_2400",
        "reached_2300",
        "last_played",
        pl.lit("").alias("inferred"),
    )


class PlayerLookup:
    """``players`` (``PLAYER``) ready to be told of by the million.

    ``row_numbers``: ``fide_id`` and ``player_row``, the row among the players, sorted by FIDE ID. ``encoded``: the players, in
    their order, words of few as numbers of words.
    """

    def __init__(self, players: pl.DataFrame) -> None:
        self.row_numbers = by_fide_id(players.select("fide_id").with_row_index("player_row"))
        self.encoded = players.with_columns(dictionary_encode(players[name]) for name in _LOW_CARDINALITY)


_LOW_CARDINALITY = ("federation", "sex", "title", "women_title", "other_titles")
"""What is said of a player in words that are said of thousands."""


def published_list(state: pl.DataFrame, players: pl.DataFrame, period: Period, rule_set: RuleSet) -> pl.DataFrame:
    """The list as it is published (:data:`~ratinglist.schemas.LISTED`): one row per rated player.

    In: ``state`` of ``period`` and of the time control of ``rule_set``, ``players`` as known.
    """
    told = PlayerLookup(players)
    numbers = encode_list(state, told, period, rule_set.list)
    return LISTED.conform(decode_list(numbers, told, period, rule_set.time_control))


def encode_list(state: pl.DataFrame, players: PlayerLookup, period: Period, rules: ListRules) -> pl.DataFrame:
    """Who stands on the list, in its published order, and what his line says in numbers.

    In: ``state`` of ``period`` and of one time control, ``players`` as known. Out: one row per rated player:
    ``fide_id``, ``rating``, ``games``, ``k``, ``inactive`` and ``player_row``, his row among the ``players`` (null:
    unknown). Inactive: no rated game on ``inactive_after_lists`` lists in a row (7.2.2); he keeps his rating and his
    place. A notice may have changed that number from a list on, between two texts of the regulations.
    """
    is_changed = rules.inactive_changed_from_list != "" and str(period) >= rules.inactive_changed_from_list
    lists = rules.inactive_changed_after_lists if is_changed else rules.inactive_after_lists
    active_from = (period - (lists - 1)).first_day
    inactive = (pl.col("last_played") < active_from).fill_null(value=False).alias("inactive")
    rated = state.filter(pl.col("rating").is_not_null()).select("fide_id", "rating", "games", "k", inactive)
    # By rating alone, who have the same staying as they stand, which costs a third of a sort by both.
    return (
        by_fide_id(rated)
        .join(players.row_numbers, on="fide_id", how="left", maintain_order="left")
        .sort("rating", descending=True, maintain_order=True)
    )


def decode_list(numbers: pl.DataFrame, players: PlayerLookup, period: Period, time_control: str) -> pl.DataFrame:
    """The list with the columns of :data:`~ratinglist.schemas.LISTED`, words of few as numbers of words.

    The birth date stays behind. In: ``numbers``: rows of :func:`encode_list`, with the same ``players``. Flag:
    ``i`` inactive, ``w`` woman, ``wi`` both.
    """
    told = [name for name in players.encoded.columns if name != "fide_id"]
    woman, inactive = pl.col("sex") == "F", pl.col("inactive")
    flag = pl.when(woman & inactive).then(3).when(woman).then(2).when(inactive).then(1).otherwise(0)
    return LISTED.conform_encoded(
        gather_columns(numbers, "player_row", players.encoded, *told).with_columns(
            pl.lit(str(period), dtype=pl.Enum([str(period)])).alias("list_month"),
            pl.lit(time_control, dtype=pl.Enum([time_control])).alias("time_control"),
            pl.coalesce(pl.col("birth_date").dt.year(), "birth_year").alias("birth_year"),
            pl.lit(_FLAGS).gather(flag).alias("flag"),
        )
    )


_FLAGS = dictionary_encode(pl.Series(["", "i", "w", "wi"]))
