"""Calculate a list: the events of the month one after another, each from the ratings after the one before."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.rating.systems.month import (
    COUNTS,
    SystemMonth,
    SystemResult,
    as_sides,
    changes_of,
    next_state,
    with_seats,
)
from ratinglist.rating.systems.system import OwnState, RatingSystem
from ratinglist.tables import SYSTEM_STATE, Column
from ratinglist_nations.uschess import event
from ratinglist_nations.uschess.event import (
    LOSSES,
    MILLION,
    MIXED,
    WINS,
    FirstRules,
    UschessRules,
    listed,
    shown_hundredths,
)

_NUMBER, _WIDE = pl.Int32(), pl.Int64()
_UNITS = 1_000_000_000
"""The units of an expected score while it is summed for publication."""
NOT_RATED = "match_not_rated"

STATE = OwnState(
    1,
    {
        "fide_id": Column(_WIDE, "the player"),
        "rating": Column(_WIDE, "rating in units of 0.000001"),
        "credited": Column(_NUMBER, "games that the rating rests on"),
        "wins": Column(_NUMBER, "rated games won"),
        "draws": Column(_NUMBER, "rated games drawn"),
        "losses": Column(_NUMBER, "rated games lost"),
        "long_events": Column(_NUMBER, "rated events with at least three games"),
        "highest": Column(_NUMBER, "highest established rating; null: never established", null=True),
    },
)
"""A row for each rated player."""

LIST_COLUMNS = {
    "provisional_games": Column(_NUMBER, "games of a provisional rating, as in 1480P3; null: established", null=True),
    "floor": Column(_NUMBER, "lowest rating that the player may fall to, by the results so far", null=True),
}
CHANGE_COLUMNS = {
    "events": Column(_NUMBER, "rated events of the period", null=True),
    "old_rated_games": Column(_NUMBER, "games that the rating rested on before; of a FIDE rating, those it is worth"),
    "new_rated_games": Column(_NUMBER, "games that the rating rests on after", null=True),
    "old_highest": Column(_NUMBER, "highest established rating before; null: never established", null=True),
}
GAME_COLUMNS = {
    "event_place": Column(
        _NUMBER, "number of the event among the player's of the period, in the order rated", null=True
    ),
    "is_dual": Column(pl.Boolean(), "whether the event counts for two ratings, which lowers K", null=True),
    "rated_games": Column(_NUMBER, "games that the player's rating rested on before the event", null=True),
    "earlier_results": Column(pl.String(), "wins or losses: all earlier games were; else mixed", null=True),
    "effective_games_ten_thousandths": Column(
        _NUMBER, "effective games before the event, in units of 0.0001", null=True
    ),
    "k_ten_thousandths": Column(_NUMBER, "K, in units of 0.0001; null: special formula", null=True),
    "expected_ten_thousandths": Column(
        _NUMBER, "expected score in the event, in units of 0.0001; null: special formula", null=True
    ),
    "bonus_hundredths": Column(_NUMBER, "bonus of the event, in hundredths; null: special formula", null=True),
    "event_floor": Column(_NUMBER, "lowest rating that the event could give; null: a match", null=True),
    "formula_hundredths": Column(
        _NUMBER,
        "what the formula gives, at least 100, before floor or limit; as ``rating_after_hundredths``",
        null=True,
    ),
    "rating_after_hundredths": Column(
        _NUMBER,
        "rating after the event, what is beyond hundredths cut off; in whole points while the player is provisional, "
        "or won or lost every game",
        null=True,
    ),
}

FACTS = ("rating", "credited", "wins", "draws", "losses", "long_events", "highest")
"""What is kept of a player, as the columns of :data:`STATE`."""


@dataclass(frozen=True, slots=True)
class RatedPeriod:
    """What rating the events of a period gave.

    ``events``: the players of each rated event, with ``event_rank`` and the columns of
    :func:`~ratinglist_nations.uschess.event.rate_events`. ``games``: ``row``, ``event_no``, ``fide_id``,
    ``new_reason``, ``used_rating`` and ``used_in_whole``, whether that is published in whole points
    (null: not rated). ``players``: ``fide_id`` and :data:`FACTS` after the last event.
    """

    events: pl.DataFrame
    games: pl.DataFrame
    players: pl.DataFrame


def rate(month: SystemMonth, rules: UschessRules) -> SystemResult:
    """Calculate the list of ``month``, each event by the rules in force when it started.

    Events that share no player are rated together (:meth:`SystemMonth.waves`).
    """
    sides = month.sides.with_row_index("row")
    apart = (pl.col("rating").cast(pl.Int64) - pl.col("opponent_rating")).abs() > rules.match.most_difference
    counted = sides.filter(pl.col("reason") == COUNTS).with_columns(apart.fill_null(value=True).alias("is_apart"))
    before = known_players(
        month.before.select(
            "fide_id", "rating", "games_played", pl.max_horizontal("highest_imported", "rating").alias("highest")
        ),
        month.own_state,
        rules,
    )
    rated = rate_period(month, counted, before)
    computed = changes_of_period(rated, before)
    players = pl.concat([rated.players, before.join(rated.players, on="fide_id", how="anti")])
    state = next_state(month, computed, pl.lit(None, _NUMBER), "counted_games")
    return SystemResult(
        sides=as_sides(_published(sides, rated), GAME_COLUMNS),
        changes=changes_of(month, computed, CHANGE_COLUMNS),
        list_state=state,
        system_state=_of_list(state, players, rules),
        own_state=STATE.table.conform(players.filter(pl.col("rating").is_not_null())),
    )


def known_players(listed_before: pl.DataFrame, own_state: pl.DataFrame, rules: UschessRules) -> pl.DataFrame:
    """Return the listed players before the first event: ``fide_id`` and :data:`FACTS`.

    In: ``listed_before``: ``fide_id``, ``rating``, ``games_played`` and ``highest``, which count for players whom
    ``own_state`` does not have: those of an imported list, without results.
    """
    kept = own_state.rename({name: f"kept_{name}" for name in FACTS})
    players = listed_before.join(kept, on="fide_id", how="left", maintain_order="left")
    credited = pl.coalesce("kept_credited", "games_played", 0)
    imported = pl.when(pl.col("kept_rating").is_null(), credited > rules.provisional.established_above).then("highest")
    counts = (pl.col(f"kept_{name}").fill_null(0).alias(name) for name in ("wins", "draws", "losses", "long_events"))
    return players.select(
        "fide_id",
        pl.coalesce("kept_rating", pl.col("rating").cast(pl.Int64) * MILLION).alias("rating"),
        credited.alias("credited"),
        *counts,
        pl.coalesce("kept_highest", imported).alias("highest"),
    ).cast(dict.fromkeys(FACTS, pl.Int64))


# ------------------------------------------------------------------------------------------------------- the events


def rate_period(month: SystemMonth, sides: pl.DataFrame, before: pl.DataFrame) -> RatedPeriod:
    """Rate the events of a period one after another.

    In: ``month``: the events, players, references and rule sets; ``sides`` that count so far, with ``row`` and
    ``is_apart`` (whether the listed ratings are too far apart for a match); ``before``: of :func:`known_players`.
    """
    players = (
        sides.select("fide_id").unique().sort("fide_id").join(before, on="fide_id", how="left", maintain_order="left")
    )
    players = players.with_columns(pl.col("credited", "wins", "draws", "losses", "long_events").fill_null(0))
    first = _FirstRatings(month)
    events, games = [], []
    # The figures have their columns even where no event has a game.
    nothing = (month.rule_sets[0][1], month.ranked_events().clear())
    for own, of_rules in [*month.waves_of_rules(sides, "start_date")] or [nothing]:
        of_wave = sides.join(
            of_rules.select("event_no", "event_rank", "end_date", "minutes_per_60_moves"), on="event_no"
        )
        rated, used = _rate_wave(of_wave.sort("row"), players, first, own)
        events.append(rated)
        games.append(used)
        after = rated.select("fide_id", *event.after_event(own))
        players = players.update(after, on="fide_id")
    return RatedPeriod(pl.concat(events), pl.concat(games), players)


def _rate_wave(
    sides: pl.DataFrame, players: pl.DataFrame, first: _FirstRatings, rules: UschessRules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rate events that share no player."""
    of = rules.development
    minutes = pl.col("minutes_per_60_moves")
    people = (
        sides.group_by("event_no", "event_rank", "end_date", "fide_id")
        .agg(
            minutes.first()
            .is_between(of.dual_least_minutes, of.dual_most_minutes)
            .fill_null(value=False)
            .alias("is_dual"),
            pl.col("is_apart").any(),
        )
        .sort("fide_id")
        .join(players, on="fide_id", how="left", maintain_order="left")
    )
    in_event = pl.col("fide_id").count().over("event_no")
    is_established = pl.col("rating").is_not_null() & (pl.col("credited") > rules.provisional.established_above)
    people = people.with_columns((in_event == 2).alias("is_match")).with_columns(
        (pl.col("is_match") & ~(is_established & ~pl.col("is_apart")).all().over("event_no")).alias("is_out")
    )
    out = people.filter("is_out").select("event_no").unique()
    people = first.of(people.filter(~pl.col("is_out")), rules)
    rated_sides = with_seats(sides.join(out, on="event_no", how="anti", maintain_order="left"), people)
    rated, used = event.rate_events(rated_sides, people, rules)
    whole = rated.select(pl.col("is_uncertain") | pl.col("is_new").any().over("event_no")).to_series()
    columns = ("row", "event_no", "fide_id")
    games = [
        rated_sides.select(
            *columns,
            pl.lit(COUNTS).alias("new_reason"),
            used,
            whole.gather(rated_sides["opponent"]).alias("used_in_whole"),
        ),
        sides.join(out, on="event_no", how="semi").select(*columns, pl.lit(NOT_RATED).alias("new_reason")),
    ]
    return rated, pl.concat(games, how="diagonal")


class _FirstRatings:
    """The births and FIDE ratings that unrated players begin from."""

    def __init__(self, month: SystemMonth) -> None:
        of_year = pl.date(pl.col("birth_year"), 7, 1)
        self._born = month.players.select("fide_id", pl.coalesce("birth_date", of_year).alias("born"))
        self._references = month.references_in(month.events["end_date"])

    def of(self, people: pl.DataFrame, rules: UschessRules) -> pl.DataFrame:
        """Add ``start``, ``is_new``, ``is_by_age`` and ``history``, and ``credited`` of players with a FIDE rating."""
        of = rules.first_rating
        is_unrated = pl.col("rating").is_null()
        unrated = people.filter(is_unrated).select("fide_id", "end_date").join(self._born, on="fide_id", how="left")
        blended = blended_references(unrated, self._references, of).rename({"seat": "fide_id", "credited": "of_fide"})
        days = (pl.col("end_date") - pl.col("born")).dt.total_days()
        known = pl.when(days / event.DAYS_OF_YEAR >= of.unknown_below).then(days)
        by_age = unrated.select("fide_id", event.by_age(known, of).alias("by_age"))
        joined = people.join(blended, on="fide_id", how="left", maintain_order="left").join(
            by_age, on="fide_id", how="left", maintain_order="left"
        )
        credited = pl.coalesce("of_fide", "credited")
        return joined.with_columns(
            pl.coalesce(pl.col("rating") / MILLION, "first", "by_age").alias("start"),
            credited.alias("credited"),
            (is_unrated & (credited == 0)).alias("is_new"),
            pl.when(credited == 0)
            .then(pl.lit(MIXED))
            .when(pl.col("wins") == credited)
            .then(pl.lit(WINS))
            .when(pl.col("losses") == credited)
            .then(pl.lit(LOSSES))
            .otherwise(pl.lit(MIXED))
            .alias("history"),
        ).drop("first", "of_fide", "by_age")


def blended_references(unrated: pl.DataFrame, references: pl.DataFrame, of: FirstRules) -> pl.DataFrame:
    """Return the first ratings of players on the FIDE list in force when their event ended.

    In: ``fide_id``, ``end_date``, ``born``; :meth:`SystemMonth.references_in` of the ends. Out: as
    :func:`~ratinglist_nations.uschess.event.blended`.
    """
    ended = unrated.with_columns(pl.col("end_date").dt.strftime("%Y-%m").alias("in_month"))
    own = ended.join(references, on=["in_month", "fide_id"])
    source, worth = event.by_fide(pl.col("reference").cast(pl.Int64), of)
    listed_on = pl.col("month").str.to_date("%Y-%m")
    return event.blended(
        own.select(
            pl.col("fide_id").alias("seat"),
            source.alias("source"),
            worth.alias("games"),
            event.by_age((listed_on - pl.col("born")).dt.total_days(), of).alias("age_rating"),
            (pl.col("end_date") - listed_on).dt.total_days().alias("days"),
        ),
        of,
    )


# --------------------------------------------------------------------------------------------------------- the list


def changes_of_period(rated: RatedPeriod, before: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each player with a rated event, as the new list and the changes need it."""
    old = before.select("fide_id", pl.col("rating").alias("old"), pl.col("highest").alias("old_highest"))
    after = rated.players.select("fide_id", pl.col("rating").alias("new"), pl.col("credited").alias("new_rated_games"))
    return (
        rated.events.sort("event_rank")
        .group_by("fide_id")
        .agg(
            pl.len().cast(_NUMBER).alias("events"),
            pl.col("played").sum().alias("games"),
            pl.col("credited").first().alias("old_rated_games"),
            pl.col("stays_uncertain").last(),
        )
        .join(old, on="fide_id", how="left")
        .join(after, on="fide_id", how="left")
        .with_columns(
            listed(pl.col("old")).cast(_NUMBER).alias("old_rating"),
            listed(pl.col("new")).cast(_NUMBER).alias("new_rating"),
            shown_hundredths(pl.col("new"), pl.col("stays_uncertain")).alias("rating_hundredths"),
            # What a FIDE rating is worth counts too, from the first list on.
            pl.when(pl.col("old").is_null()).then("new_rated_games").otherwise("games").alias("counted_games"),
        )
        .with_columns((pl.col("new_rating") - pl.col("old_rating")).alias("change"))
        .sort("fide_id")
    )


def figures_of_games(rated: RatedPeriod) -> pl.DataFrame:
    """Return the published figures of the rated games: ``row``, and the columns that the system gives them.

    What could tell a day of birth is in whole points (:func:`shown_hundredths`): the ratings of an uncertain player,
    and those of opponents in an event in which somebody begins by the age. K and the expected score are those of the
    ratings as they are shown.
    """
    events = rated.events.sort("fide_id", "event_rank").with_columns(
        pl.int_range(1, pl.len() + 1, dtype=_NUMBER).over("fide_id").alias("event_place")
    )
    used = (pl.col("used_rating") * MILLION).round().cast(_WIDE)
    stays = pl.col("stays_uncertain")
    bonus_parts = pl.when("is_uncertain").then(1).otherwise(100)
    own, opponent = pl.col("rating_hundredths"), pl.col("opponent_rating_hundredths")
    # In whole numbers, so that the order of the games does not matter.
    units = (event.expected(own / 100, opponent / 100) * _UNITS).round().cast(_WIDE).sum().over("event_no", "fide_id")
    return (
        rated.games.filter(pl.col("new_reason") == COUNTS)
        .join(events, on=["event_no", "fide_id"], how="left")
        .with_columns(
            pl.when(~pl.col("is_new")).then("shown").alias("rating_hundredths"),
            shown_hundredths(used, pl.col("used_in_whole")).alias("opponent_rating_hundredths"),
        )
        .select(
            "row",
            listed(pl.col("rating")).alias("own_rating"),
            listed(used).alias("used_rating"),
            own,
            opponent,
            "event_place",
            "is_dual",
            pl.col("credited").alias("rated_games"),
            pl.col("history").alias("earlier_results"),
            *(
                (pl.col(f"shown_{name}") * 10_000 + 0.5).floor().cast(_WIDE).alias(f"{name}_ten_thousandths")
                for name in ("effective_games", "k")
            ),
            pl.when(pl.col("k").is_not_null())
            .then((2 * units + _UNITS // 10_000) // (2 * _UNITS // 10_000))
            .alias("expected_ten_thousandths"),
            ((pl.col("bonus") * bonus_parts + 0.5).floor().cast(_WIDE) * (100 // bonus_parts)).alias(
                "bonus_hundredths"
            ),
            pl.col("floor").alias("event_floor"),
            shown_hundredths(pl.col("formula"), stays).alias("formula_hundredths"),
            shown_hundredths(pl.col("after"), stays).alias("rating_after_hundredths"),
        )
        .sort("row")
    )


def _published(sides: pl.DataFrame, rated: RatedPeriod) -> pl.DataFrame:
    """Return all sides, those of rated games with their figures."""
    reasons = rated.games.select("row", pl.col("new_reason").cast(sides.schema["reason"]))
    joined = sides.join(reasons, on="row", how="left", maintain_order="left").join(
        figures_of_games(rated), on="row", how="left", maintain_order="left"
    )
    counts = pl.col("new_reason") == COUNTS
    return joined.with_columns(
        pl.coalesce("new_reason", "reason").alias("reason"),
        pl.when(counts).then("own_rating").otherwise("rating").alias("rating"),
        pl.when(counts).then("used_rating").otherwise("opponent_rating").alias("opponent_rating"),
    )


def _of_list(state: pl.DataFrame, players: pl.DataFrame, rules: UschessRules) -> pl.DataFrame:
    """Return the system's columns of the list for every listed player."""
    floor = event.personal_floor(rules, pl.col("wins"), pl.col("draws"), pl.col("long_events"))
    is_provisional = pl.col("credited") <= rules.provisional.established_above
    facts = players.select(
        "fide_id",
        shown_hundredths(pl.col("rating"), event.is_uncertain(rules, "credited", "wins", "losses")).alias(
            "rating_hundredths"
        ),
        pl.when(is_provisional).then("credited").alias("provisional_games"),
        floor.alias("floor"),
    )
    of_list = state.select("time_control", "fide_id").join(facts, on="fide_id", how="left", maintain_order="left")
    return SYSTEM_STATE.extended(LIST_COLUMNS).completed(of_list, blank_texts=True)


SYSTEM = RatingSystem(
    UschessRules,
    rate,
    state=STATE,
    list_columns=LIST_COLUMNS,
    change_columns=CHANGE_COLUMNS,
    game_columns=GAME_COLUMNS,
    reads_references=True,
)
"""The system as the program knows it."""
