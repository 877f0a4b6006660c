"""Find the causes in a player's own games: which side of a game changed what it adds to the rating, and why.

A side explains a difference only where its part differs: whether it counts, its expected score, its K. An opponent
whose rating moved by a point without moving the expected score explains nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from ratinglist.corrections import carried
from ratinglist.corrections.carried import LIST_KEY, ORIGIN
from ratinglist.reasons import EVENT_REASONS, GAME_REASONS, sentence

_SIDE = [*LIST_KEY, "event_id", "round"]
_COMPARED = (
    *("opponent_id", "score_halves", "rating", "opponent_rating", "expected_hundredths", "k", "change_hundredths"),
    *("rule_set", "rated", "reason"),
)
_RANKS = {
    "withdraw_event": 0,
    "change_result": 1,
    "change_player": 2,
    "merge": 3,
    "change_report": 4,
    "replace_report": 5,
}
"""The narrower a correction matches, the sooner it is the one: a result before a whole report."""
_DUPLICATES = ("same_game", "same_games")
_WITHDRAWN = "withdrawn"
_HALVES = {0: "0", 1: "½", 2: "1"}


@dataclass(frozen=True, slots=True)
class SideCauses:
    """The causes found in games, a row per cause and origin: the key, ``because`` and the origin.

    ``games``: the player's own game; ``ratings``: the rating used for the player (``is_own``) or for the opponent, with
    its ``part``, by how many hundredths the side adds something else (null where it is not known); ``rules``: a side
    with the same ratings and result, calculated by another rule file, with the key alone.
    ``coefficients``: the key of the players with another K on some side.
    """

    games: pl.DataFrame
    ratings: pl.DataFrame
    rules: pl.DataFrame
    coefficients: pl.DataFrame


def find(
    before: pl.DataFrame,
    after: pl.DataFrame,
    starts: pl.DataFrame,
    touched: pl.DataFrame,
    moved: pl.DataFrame,
    waiting: pl.DataFrame,
    changed_rules: Collection[str],
) -> SideCauses:
    """Return the causes in the games of one list.

    In: ``before`` and ``after``: ``GAME`` of two calculations; ``starts``: ``event_id`` and ``start``, the month;
    ``touched`` (:data:`~ratinglist.tables.TOUCHED`); ``moved`` (:data:`~ratinglist.corrections.carried.MOVED`) of the
    lists before; ``waiting``: the key of the players whose waiting results differ on the list before;
    ``changed_rules``: the time controls with a changed rule file.
    """
    sides = _differing_sides(before, after).join(starts, on="event_id", how="left").with_row_index("row")
    both = pl.col("was").is_not_null() & pl.col("is").is_not_null()
    same_game = both & ~pl.col("is_played_otherwise")
    played = sides.filter(pl.col("is_played_otherwise") | ~both | pl.col("is_withdrawal"))
    own_ratings = sides.filter(same_game & pl.col("rating").ne_missing(pl.col("rating_new")))
    opponents = sides.filter(same_game & pl.col("opponent_rating").ne_missing(pl.col("opponent_rating_new")))
    explained = pl.concat([played, own_ratings, opponents]).select("row")
    rest = sides.join(explained, on="row", how="anti")
    # Another K alone may have other causes.
    by_rules = rest.filter(
        pl.col("time_control").is_in(list(changed_rules)),
        _differs("expected_hundredths") | pl.col("is_judged_otherwise"),
    )
    # A verdict on a tranche follows from its other results, and from the results that wait.
    verdicts = (
        rest.join(by_rules, on="row", how="anti")
        .filter(pl.col("is_judged_otherwise"))
        .join(played, on=[*LIST_KEY, "event_id"], how="anti")
        .join(waiting, on=LIST_KEY, how="anti")
    )
    games = [_by_correction(played, touched), _by_verdict(verdicts, before, after, touched, moved)]
    return SideCauses(
        games=pl.concat(games),
        ratings=pl.concat([_by_own_rating(own_ratings, moved), _by_opponent(opponents, moved)]),
        rules=by_rules.select(LIST_KEY).unique(),
        coefficients=sides.filter(pl.col("k").is_not_null() & pl.col("k_new").is_not_null())
        .filter(pl.col("k") != pl.col("k_new"))
        .select(LIST_KEY)
        .unique(),
    )


def reaching(
    games: tuple[pl.DataFrame, pl.DataFrame], events: tuple[pl.DataFrame, pl.DataFrame], touched: pl.DataFrame
) -> set[int]:
    """Return the corrections that reach a game or an event with any difference, whether or not it moves a rating.

    In: ``GAME`` and ``EVENT``, each of two calculations, and ``touched`` (:data:`~ratinglist.tables.TOUCHED`).
    """
    sides = _of_sides(_compared_sides(*games), touched)
    before, after = carried.without_equal_rows(*events)
    columns = before.columns
    differ = [
        one.join(other, on=columns, how="anti", nulls_equal=True).select(code=_code_of())
        for one, other in ((before, after), (after, before))
    ]
    of_event = _of_events(touched).join(pl.concat(differ), on="code", how="semi")
    return {*sides["correction_no"].to_list(), *of_event["correction_no"].to_list()}


def _compared_sides(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the sides with any difference; the columns of the later calculation end in ``_new``."""
    columns = [*_SIDE, *_COMPARED]
    before, after = carried.without_equal_rows(before, after)
    rows = (
        before.select(*columns, pl.lit(value=True).alias("was"))
        .join(
            after.select(*columns, pl.lit(value=True).alias("is")), on=_SIDE, how="full", coalesce=True, suffix="_new"
        )
        .filter(pl.any_horizontal(_differs(name) for name in _COMPARED))
    )
    one_is_missing = pl.col("was").is_null() | pl.col("is").is_null()
    return rows.with_columns(
        is_played_otherwise=~one_is_missing & (_differs("opponent_id") | _differs("score_halves")),
        is_judged_otherwise=_differs("reason") | _differs("rule_set"),
        is_withdrawal=(pl.col("reason") == _WITHDRAWN).fill_null(value=False)
        != (pl.col("reason_new") == _WITHDRAWN).fill_null(value=False),
    )


def _differing_sides(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the sides of :func:`_compared_sides` that add something else to a rating, or to a first rating."""
    rows = _compared_sides(before, after)
    waits = pl.col("reason") == "counts_for_entry"
    waits_new = pl.col("reason_new") == "counts_for_entry"
    counted = (pl.col("rated") | waits).fill_null(value=False)
    counted_new = (pl.col("rated_new") | waits_new).fill_null(value=False)
    one_is_missing = pl.col("was").is_null() | pl.col("is").is_null()
    other_game = one_is_missing | _differs("opponent_id") | _differs("score_halves")
    # Where the office leaves these columns out, every rated side with another rating may add something else.
    unknown = pl.all_horizontal(
        pl.col(name).is_null()
        for name in ("expected_hundredths", "expected_hundredths_new", "change_hundredths", "change_hundredths_new")
    )
    other_part = (
        pl.when(waits & waits_new)
        .then(_differs("opponent_rating"))
        .otherwise(unknown | _differs("expected_hundredths") | _differs("change_hundredths") | _differs("k"))
    )
    return rows.filter((counted | counted_new) & ((counted != counted_new) | other_game | other_part))


def _differs(name: str) -> pl.Expr:
    return pl.col(name).ne_missing(pl.col(f"{name}_new"))


def _cause(rows: pl.DataFrame, because: pl.Expr, *others: pl.Expr) -> pl.DataFrame:
    origin = [pl.col(name).cast(carried.MOVED[name]) for name in ORIGIN]
    return rows.select(*LIST_KEY, because.alias("because"), *origin, *others)


_PART = (pl.col("change_hundredths_new") - pl.col("change_hundredths")).alias("part")
"""Null for a side that counts for a first rating, and where the office leaves the column out."""


def _by_correction(sides: pl.DataFrame, touched: pl.DataFrame) -> pl.DataFrame:
    reached = _of_sides(sides, touched)
    found = sides.join(reached, on=_SIDE, how="left").with_columns(rule_file=pl.lit(None, dtype=pl.String))
    return _cause(found, _sentence(_what_happened()))


def _by_verdict(
    sides: pl.DataFrame, before: pl.DataFrame, after: pl.DataFrame, touched: pl.DataFrame, moved: pl.DataFrame
) -> pl.DataFrame:
    """Return the causes of games that are the same and are judged otherwise.

    The games of an event counted elsewhere, or count elsewhere now: a correction of another event of the player is
    behind it. Else it is a correction of the event; else a participant whose rating moved.
    """
    if sides.is_empty():
        return _cause(sides.with_columns(correction_no=None, rule_file=None), pl.lit(""))
    events = _of_events(touched)
    elsewhere = (
        pl.concat([before, after])
        .select("fide_id", code=_code_of())
        .unique()
        .join(events, on="code")
        .select("fide_id", "correction_no")
        .unique()
    )
    is_duplicate = pl.col("reason").is_in(_DUPLICATES) | pl.col("reason_new").is_in(_DUPLICATES)
    duplicates = sides.filter(is_duplicate).select(*_SIDE).join(elsewhere, on="fide_id")
    rest = sides.filter(~is_duplicate.fill_null(value=False))
    of_event = _of_sides(rest, touched)
    participants = (
        after.select("event_id", player="fide_id")
        .unique()
        .join(rest.select("event_id", "start").unique(), on="event_id")
        .join(moved.filter(pl.col("old_rating").ne_missing(pl.col("rating"))), left_on="player", right_on="fide_id")
        .filter(pl.col("month") <= pl.col("start"))
        .select("event_id", *ORIGIN)
        .unique()
    )
    by_rating = rest.join(of_event, on=_SIDE, how="anti").select(_SIDE).join(participants, on="event_id")
    no_file = pl.lit(None, dtype=pl.String).alias("rule_file")
    origins = pl.concat(
        [
            duplicates.select(*_SIDE, "correction_no", no_file),
            of_event.select(*_SIDE, "correction_no", no_file),
            by_rating.select(*_SIDE, *ORIGIN),
        ]
    )
    return _cause(sides.join(origins, on=_SIDE, how="left"), _sentence(_what_happened()))


def _with_origins(sides: pl.DataFrame, player: str, rating: str, moved: pl.DataFrame) -> pl.DataFrame:
    rows = sides.select("row", "time_control", player=player, was=rating, **{"is": f"{rating}_new"}, until="start")
    return sides.join(carried.origins_of_ratings(rows, moved), on="row", how="left")


def _by_own_rating(sides: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    found = _with_origins(sides, "fide_id", "rating", moved)
    return _cause(found, carried.rating_sentence("rating", "rating_new"), _PART, pl.lit(value=True).alias("is_own"))


def _by_opponent(sides: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    found = _with_origins(sides, "opponent_id", "opponent_rating", moved)
    rating = pl.format(
        "rating of the opponent {} corrected from {} to {}",
        "opponent_id",
        carried.rating_text("opponent_rating"),
        carried.rating_text("opponent_rating_new"),
    )
    return _cause(found, _sentence(rating), _PART, pl.lit(value=False).alias("is_own"))


def _sentence(what: pl.Expr) -> pl.Expr:
    return pl.concat_str(pl.format("round {} of {}: ", "round", "event_id"), what)


def _what_happened() -> pl.Expr:
    """Return what happened to a player's game between two revisions: ``result corrected from 0 to 1``."""
    result, result_new = (
        pl.col(name).replace_strict(_HALVES, return_dtype=pl.String) for name in ("score_halves", "score_halves_new")
    )
    sentences = {code: sentence(code) for code in (*EVENT_REASONS, *GAME_REASONS)}
    verdict, verdict_new = (
        pl.when(pl.col(name) == "")
        .then(pl.lit("rated"))
        .otherwise(pl.format("not rated ({})", pl.col(name).replace(sentences)))
        for name in ("reason", "reason_new")
    )
    return (
        pl.when(pl.col("is").is_null())
        .then(pl.lit("game removed"))
        .when(pl.col("was").is_null())
        .then(pl.lit("game added"))
        .when(pl.col("is_withdrawal"))
        .then(pl.format("{}, was {}", verdict_new, verdict))
        .when(_differs("score_halves"))
        .then(pl.format("result corrected from {} to {}", result, result_new))
        .when(_differs("opponent_id"))
        .then(pl.format("opponent corrected from {} to {}", "opponent_id", "opponent_id_new"))
        .when(_differs("reason"))
        .then(pl.format("{}, was {}", verdict_new, verdict))
        .otherwise(
            pl.format(
                "rated by {}, was rated by {}",
                pl.col("rule_set_new").fill_null("no rule set"),
                pl.col("rule_set").fill_null("no rule set"),
            )
        )
    )


# ------------------------------------------------------------------------------------ what a correction reaches


def _code_of() -> pl.Expr:
    """Return the registration code of an event: the ID of a slice, and of another event of the code, is longer."""
    return pl.col("event_id").str.split_exact("/", 1).struct[0].str.split_exact("#", 1).struct[0]


def _of_sides(sides: pl.DataFrame, touched: pl.DataFrame) -> pl.DataFrame:
    """Return the correction that reaches each side: the columns of its key and ``correction_no``.

    In: ``sides``: the key of a side, ``opponent_id``, ``opponent_id_new``, and ``is_withdrawal``: the side differs
    because its event is withdrawn, or is so no longer. ``touched``: :data:`~ratinglist.tables.TOUCHED`.
    """
    own = sides.with_columns(code=_code_of())
    other = touched.rename({"round": "of_round", "fide_id": "old_id"})
    of_event = own.join(
        other.filter(pl.col("event_id").is_not_null()).rename({"event_id": "code"}), on="code", how="inner"
    )
    merges = own.join(other.filter(pl.col("action") == "merge").drop("event_id"), how="cross")
    reached = pl.concat([of_event, merges.select(of_event.columns)]).filter(_is_reached())
    return (
        reached.with_columns(rank=pl.col("action").replace_strict(_RANKS, return_dtype=pl.Int8))
        .sort("rank", "decided_no", descending=[False, True])
        .group_by(_SIDE, maintain_order=True)
        .agg(pl.col("correction_no").first())
    )


def _is_reached() -> pl.Expr:
    def plays(corrected: str) -> pl.Expr:
        # Comparisons with null are null: a filter takes them as no.
        return pl.any_horizontal(
            (pl.col(corrected) == pl.col(name)).fill_null(value=False)
            for name in ("fide_id", "opponent_id", "opponent_id_new")
        )

    action = pl.col("action")
    return (
        pl.when(pl.col("is_withdrawal") | (action == "withdraw_event"))
        .then(pl.col("is_withdrawal") & (action == "withdraw_event"))
        .when(action == "change_result")
        .then((pl.col("of_round") == pl.col("round")) & (plays("white_id") | plays("black_id")))
        .when(action.is_in(["change_player", "merge"]))
        .then(plays("old_id") | plays("new_id"))
        .otherwise(action.is_in(["replace_report", "change_report"]))
    )


def _of_events(touched: pl.DataFrame) -> pl.DataFrame:
    """Return ``code`` and ``correction_no`` of every correction that may make another event's games count or not."""
    return touched.filter(pl.col("event_id").is_not_null(), pl.col("action") != "change_result").select(
        "correction_no", code="event_id"
    )


def of_data(touched: pl.DataFrame) -> pl.DataFrame:
    """Return the newest correction of each of a player's data: ``fide_id``, ``data``, ``correction_no``."""
    return (
        touched.filter(pl.col("action") == "change_data")
        .explode("data")
        .sort("decided_no", descending=True)
        .group_by("fide_id", "data", maintain_order=True)
        .agg(pl.col("correction_no").first())
    )


def of_identities(touched: pl.DataFrame) -> pl.DataFrame:
    """Return the newest merge of each FIDE ID, that of both players: ``fide_id``, ``correction_no``."""
    merges = touched.filter(pl.col("action") == "merge")
    return (
        pl.concat(merges.select("correction_no", "decided_no", fide_id=name) for name in ("fide_id", "new_id"))
        .sort("decided_no", descending=True)
        .group_by("fide_id", maintain_order=True)
        .agg(pl.col("correction_no").first())
    )
