"""Both sides of every played game: the ratings that count, why a side is not rated, and the change of one that is.

A month has millions of sides, so a side carries numbers: of its event (``event_row``, a row of the judged events) and of
its two players (``participant_row``, ``opponent_row``, rows of the participants), and takes of them what it needs when it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from ratinglist.rating import entry
from ratinglist.rating.change import change_hundredths
from ratinglist.rating.development_coefficient import development_coefficient, is_junior, limited_coefficient
from ratinglist.rating.event_verdicts import minutes_needed
from ratinglist.rating.expected import difference_used, expected_hundredths, is_gap_not_rated
from ratinglist.rating.participants import gather_columns, join_by_row_number
from ratinglist.rating.rules import RuleBook, RuleSet
from ratinglist.schemas import EARLIER_GAME, SIDE

REASON = SIDE.columns["reason"].dtype
"""Why a side of a rated event does not change a rating; empty where it does."""

TIME_LIMIT = (
    "minutes_per_60_moves",
    "long_game_from",
    "long_game_minutes",
    "middle_game_from",
    "middle_game_minutes",
    "short_game_minutes",
)
GAP = ("gap_not_rated", "gap_needs_player_above")
CAP = ("cap", "cap_applies_to", "cap_players_below", "table")

_PLACES_A_SIDE = 4
"""So many places a side may have in the table that puts them in order; where there would be more, they are sorted."""


def sides_of_games(known: pl.DataFrame, games: pl.DataFrame, participants: pl.DataFrame) -> pl.DataFrame:
    """Both sides of every played game of every event that this list looks at, in the published order.

    In: ``known``: the judged events, whose row number is the ``event_row`` of a side; ``games`` and ``participants`` as
    :mod:`~ratinglist.rating.participants` gives them. Out: two rows per game: ``event_row``, ``round``, ``participant_row``,
    ``opponent_row``, ``date``, ``is_white``, ``score_halves``, sorted by time control, event, round and player. A
    superseded event was looked at by an earlier list.
    """
    looked_at = known.lazy().select("report_row", "status").with_row_index("event_row")
    numbered = games.lazy().join(looked_at.filter(pl.col("status") != "superseded"), on="report_row").collect()
    both = pl.concat(
        numbered.select(
            "event_row",
            "round",
            pl.col(f"{own}_row").alias("participant_row"),
            pl.col(f"{other}_row").alias("opponent_row"),
            "date",
            pl.lit(own == "white").alias("is_white"),
            pl.col(f"{own}_halves").alias("score_halves"),
        )
        for own, other in (("white", "black"), ("black", "white"))
    )
    return both[_published_order(both, known, numbered, participants)]


def _published_order(
    both: pl.DataFrame, known: pl.DataFrame, games: pl.DataFrame, participants: pl.DataFrame
) -> pl.Series:
    """The row numbers of ``both`` sides of the ``games``, by event, round and player.

    Nearly everybody plays nearly every round, so a table with a place for each player in each round of each event has
    few left empty, and laying the sides into it costs half of what sorting them does. Participants stand in the order
    of their reports and FIDE IDs.
    """
    listed = participants.lazy().with_row_index("no").group_by("report_row")
    of_event = (
        known.lazy()
        .select("report_row")
        .with_row_index("event_row")
        .join(listed.agg(pl.col("no").min().alias("first"), pl.len().alias("players")), on="report_row", how="left")
        .join(games.lazy().group_by("report_row").agg(pl.col("round").max()), on="report_row", how="left")
        .sort("event_row")
        .select(pl.col("first", "players", "round").fill_null(0).cast(pl.Int64))
        .collect()
    )
    players, places = of_event["players"], of_event["players"] * of_event["round"]
    before = pl.lit(places.cum_sum() - places - players - of_event["first"])
    place = both.select(
        before.gather("event_row") + pl.lit(players).gather("event_row") * pl.col("round") + pl.col("participant_row")
    ).to_series()
    if places.sum() > _PLACES_A_SIDE * len(both):
        return place.arg_sort()
    table = pl.Series([None], dtype=pl.UInt32).new_from_index(0, int(places.sum()))
    order = table.scatter(place, pl.int_range(len(both), dtype=pl.UInt32, eager=True)).drop_nulls()
    # Two sides in one place, which no sound report has: then the table cannot tell them all.
    return order if len(order) == len(both) else place.arg_sort()


def find_possible_duplicates(
    known: pl.DataFrame, games: pl.DataFrame, participants: pl.DataFrame, earlier: pl.DataFrame
) -> pl.DataFrame:
    """The few games of rated events that may stand in another report, with what tells whether they do.

    In: ``earlier``: games that earlier lists rated (``EARLIER_GAME``). Out: the games whose players met with the same
    colours in the same round of another rated event, or of ``earlier``: what
    :func:`~ratinglist.rating.duplicate_games.find_duplicate_sides` looks at.
    """
    rated = known.lazy().with_row_index("event_row").filter(pl.col("status") == "rated")
    of_event = [name for name in EARLIER_GAME.columns if name in known.columns]
    player, fide_id = pl.lit(participants["fide_id"].rank("dense").cast(pl.Int64)), pl.lit(participants["fide_id"])
    pairing = (pl.col("round") * len(participants) + player.gather("white_row")) * len(participants) + player.gather(
        "black_row"
    )
    told = [fide_id.gather("white_row").alias("white_id"), fide_id.gather("black_row").alias("black_id")]
    met = games.lazy().join(rated.select("report_row"), on="report_row", how="semi")
    # Who stands in one report alone meets nobody in another: that leaves few games to compare.
    in_several = pl.lit(participants["fide_id"].is_duplicated())
    may_be = met.filter(in_several.gather("white_row") & in_several.gather("black_row"))
    repeated = may_be.with_columns(*told, pairing=pairing).collect().filter(pl.col("pairing").is_duplicated()).lazy()
    again = met.with_columns(*told, pairing=pairing).join(
        earlier.lazy(), on=["round", "white_id", "black_id"], how="semi"
    )
    return (
        pl.concat([repeated, again] if len(earlier) else [repeated])
        .unique(["report_row", "pairing"])
        .join(rated.select("report_row", "event_row", *of_event), on="report_row")
        .drop("pairing")
        .collect()
    )


def add_ratings(sides: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """``sides`` with ``rating`` and ``opponent_rating``, null where unrated.

    In: ``placed``: the participants with the ratings that count (:func:`~participants.join_ratings`).
    """
    own, opponents = placed["rating"].gather(sides["participant_row"]), placed["seen"].gather(sides["opponent_row"])
    return sides.with_columns(own.alias("rating"), opponents.alias("opponent_rating"))


def add_reasons(
    sides: pl.DataFrame, known: pl.DataFrame, placed: pl.DataFrame, elsewhere: pl.DataFrame
) -> pl.DataFrame:
    """Say of every side of a rated event why it does not change a rating (empty: it does); of the others nothing.

    ``sides`` have their ratings (:func:`add_ratings`); ``elsewhere`` are those that count in another event
    (:func:`~slices.find_duplicate_sides`). Out: ``sides`` with ``reason`` (:data:`REASON`), null where the
    event itself is not rated. Sides of unrated players have ``counts_for_entry``: :func:`judge_tranches` looks at them.
    """

    def of_event(one: pl.Expr) -> pl.Expr:
        return pl.lit(known.select(one.alias("of_event")).to_series()).gather("event_row")

    opponent = pl.col("opponent_rating")
    reason = pl.when(pl.col("rating").is_null()).then(_reason("counts_for_entry")).otherwise(_reason(""))
    if _may_be_too_short(known):
        limits = gather_columns(sides.select("event_row", opponent), "event_row", known, *TIME_LIMIT).with_columns(
            placed["seen"].gather(sides["participant_row"])
        )
        needed = minutes_needed(pl.max_horizontal("seen", "opponent_rating"))
        too_short = limits.select((pl.col("minutes_per_60_moves") < needed).fill_null(value=False)).to_series()
        by_game = of_event(pl.col("time_limit_applies_to") == "game")
        reason = pl.when(by_game & pl.lit(too_short)).then(_reason("time_limit")).otherwise(reason)
    if (known["gap_not_rated"] > 0).any():
        gap = is_gap_not_rated(
            pl.col("rating"),
            opponent,
            gap=of_event(pl.col("gap_not_rated")),
            needs_player_above=of_event(pl.col("gap_needs_player_above")),
        )
        reason = pl.when(gap.fill_null(value=False)).then(_reason("rating_gap")).otherwise(reason)
    reason = pl.when(opponent.is_null()).then(_reason("opponent_unrated")).otherwise(reason)
    if len(elsewhere):
        reason = pl.when(_is_among(elsewhere, placed)).then(_reason("same_game")).otherwise(reason)
    if (known["status"] != "rated").any():
        reason = pl.when(of_event(pl.col("status") == "rated")).then(reason)
    return sides.with_columns(reason.alias("reason"))


def _reason(code: str) -> pl.Expr:
    return pl.lit(code, dtype=REASON)


def _may_be_too_short(known: pl.DataFrame) -> bool:
    """Whether the thinking time of any rated event would not do for somebody, where it is looked at game by game."""
    most = pl.max_horizontal("long_game_minutes", "middle_game_minutes", "short_game_minutes")
    return not known.filter(
        pl.col("status") == "rated",
        pl.col("time_limit_applies_to") == "game",
        pl.col("minutes_per_60_moves") < most,
    ).is_empty()


def _is_among(elsewhere: pl.DataFrame, placed: pl.DataFrame) -> pl.Expr:
    """Whether a side is one of those: ``event_row``, ``round`` and ``fide_id``."""
    numbers = placed.select("event_row", "fide_id").with_row_index("participant_row")
    place = pl.col("round").cast(pl.Int64) * len(placed) + pl.col("participant_row")
    found = elsewhere.join(numbers, on=["event_row", "fide_id"]).select(place.alias("place")).unique()
    return place.is_in(found["place"].implode())


def judge_tranches(
    sides: pl.DataFrame,
    known: pl.DataFrame,
    placed: pl.DataFrame,
    waiting: pl.DataFrame,
    rules: Mapping[str, RuleSet],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Which results of unrated players count for an entry: ``sides`` with the reason of those that do not.

    In: ``waiting``: the pool that has not expired; ``rules``: the new list's rule set of each time control. Also
    returns the tranches that count: one row per unrated player and event.
    """
    sums = (
        sides.lazy()
        .filter(pl.col("reason") == "counts_for_entry")
        .group_by("participant_row")
        .agg(
            pl.len().cast(pl.Int32).alias("games"),
            pl.col("score_halves").sum(),
            pl.col("opponent_rating").sum().alias("opponent_rating_sum"),
        )
        .collect()
    )
    tranches = gather_columns(
        gather_columns(sums, "participant_row", placed, "fide_id", "event_row"),
        *("event_row", known, "time_control", "pool_id", "start_date", "end_date"),
    ).rename({"pool_id": "event_id"})
    parts = [tranches.clear().with_columns(pl.lit("").alias("reason"))]
    for time_control, rule_set in rules.items():
        here = pl.col("time_control") == time_control
        of_control = tranches.filter(here)
        verdicts = entry.judge_tranches(of_control, waiting.filter(here), rule_set.entry)
        parts.append(of_control.join(verdicts, on=["fide_id", "event_id"]))
    judged = pl.concat(parts)
    counts = pl.col("reason") == "counts_for_entry"
    refused = judged.filter(~counts)
    if len(refused):
        told = refused.select(pl.col("participant_row").alias("no"), pl.col("reason").cast(REASON).alias("verdict"))
        verdict = pl.lit(join_by_row_number(placed.select("fide_id"), told)["verdict"]).gather("participant_row")
        sides = sides.with_columns(
            pl.when(counts).then(pl.coalesce(verdict, "reason")).otherwise("reason").alias("reason")
        )
    return sides, judged.filter(counts)


def rate_sides(
    sides: pl.DataFrame, known: pl.DataFrame, placed: pl.DataFrame, rules: Mapping[str, RuleSet], book: RuleBook
) -> pl.DataFrame:
    """Difference, expected score, K and change of every rated side.

    In: ``sides`` with ``rating``, ``opponent_rating``, ``score_halves`` and ``reason``; ``known``: their events, with
    the values of the rule set of each; ``placed``: the participants with the state K is judged on; ``rules``: the new
    list's rule set of each time control, which says how K is found. Out: ``sides`` with ``difference_used``,
    ``expected_hundredths``, ``k`` and ``change_hundredths``, null where they are not rated.
    """
    is_rated = pl.col("reason") == ""
    choices = known.filter(pl.col("status") == "rated").select(CAP).unique().sort(CAP).with_row_index("choice")
    choice = known.join(choices, on=CAP, how="left", maintain_order="left")["choice"]
    k = pl.lit(_coefficients(sides, known, placed, rules)).gather("participant_row")
    return (
        sides.lazy()
        .with_columns(
            pl.when(is_rated).then(pl.col("rating") - pl.col("opponent_rating")).alias("difference"),
            pl.when(is_rated).then(k).alias("k"),
            pl.lit(choice).gather("event_row").alias("choice"),
        )
        .with_columns(_by_choice(choices, _difference_used).alias("difference_used"))
        .with_columns(
            _by_choice(
                choices, lambda one: expected_hundredths(pl.col("difference_used"), book.expected_score[one["table"]])
            ).alias("expected_hundredths")
        )
        .with_columns(
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths")).alias(
                "change_hundredths"
            )
        )
        .drop("difference", "choice")
        .collect()
    )


def _by_choice(choices: pl.DataFrame, expression: Callable[[dict[str, Any]], pl.Expr]) -> pl.Expr:
    """``expression`` of the values that hold for the event of each side; a month has one or two sets of them."""
    found = [pl.when(pl.col("choice") == number).then(expression(one)) for number, one in enumerate(choices.to_dicts())]
    return pl.coalesce(found) if found else pl.lit(None, dtype=pl.Int32)


def _difference_used(values: dict[str, Any]) -> pl.Expr:
    return difference_used(
        pl.col("difference"),
        rating=pl.col("rating"),
        cap=pl.lit(values["cap"], dtype=pl.Int32),
        applies_to=values["cap_applies_to"],
        players_below=pl.lit(values["cap_players_below"], dtype=pl.Int32),
        game_of_event=["participant_row"],
        order=["round", "opponent_row"],
    )


def _coefficients(
    sides: pl.DataFrame, known: pl.DataFrame, placed: pl.DataFrame, rules: Mapping[str, RuleSet]
) -> pl.Series:
    """K of every participant with rated games, the limit on K × games applied; null for the others."""
    playing = (
        sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by(pl.col("participant_row").alias("no"))
        .agg(pl.len().cast(pl.Int32).alias("games"))
    )
    state = placed.lazy().with_row_index("no").join(playing, on="no").collect()
    of_event = gather_columns(state, "event_row", known, "time_control", "start_date")
    parts = [pl.DataFrame(schema={"no": pl.UInt32(), "k": pl.Int32()})]
    for time_control, rule_set in rules.items():
        k_rules = rule_set.development_coefficient
        k = development_coefficient(
            k_rules,
            games_played=pl.col("games_played").fill_null(0),
            reached_2400=pl.col("reached_2400").fill_null(value=False),
            reached_2300=pl.col("reached_2300").fill_null(value=False),
            junior=is_junior(
                k_rules,
                judged_on=pl.col("start_date" if k_rules.junior_judged_on == "event_start" else "list_before"),
                birth_date=pl.col("birth_date"),
                birth_year=pl.col("birth_year"),
            ),
        )
        games = pl.col("games").sum().over("fide_id")
        of_control = of_event.filter(pl.col("time_control") == time_control)
        parts.append(of_control.select("no", limited_coefficient(k_rules, k, games).alias("k")))
    return join_by_row_number(placed.select("fide_id"), pl.concat(parts))["k"]
