"""Games whose players met in the same round with the same colours elsewhere: the few that are compared as duplicates.

Each bucket of events gives the keys of its pairings, the keys are compared, and each bucket gives its games with a key
that occurs twice.
"""

from __future__ import annotations

import polars as pl

from ratinglist.schemas import EARLIER_GAME

_OF_WHITE, _OF_BLACK, _OF_ROUND = 67_108_859, 33_554_393, 1_000_003
"""Primes below 2**26: times a FIDE ID, which has at most 11 digits, they stay below 2**63."""


def pairing_keys(games: pl.DataFrame, participants: pl.DataFrame) -> pl.DataFrame:
    """Return a ``key`` of round, White and Black of every game, equal for equal pairings.

    Two different pairings may have one key: :func:`games_of_keys` only has to find all that may be equal.
    """
    return games.lazy().select(_key(pl.lit(participants["fide_id"])).alias("key")).collect()


def games_of_keys(
    judged_events: pl.DataFrame,
    games: pl.DataFrame,
    participants: pl.DataFrame,
    keys: pl.Series,
    earlier: pl.DataFrame,
) -> pl.DataFrame:
    """Return the games of rated events with one of ``keys``, or with players who met in that round in ``earlier``.

    In: ``earlier``: games that earlier lists rated (``EARLIER_GAME``). Out: with the columns that
    :func:`~ratinglist.rating.duplicate_games.find_duplicate_games` compares.
    """
    fide_id = pl.lit(participants["fide_id"])
    rated_games = _of_rated_events(games, judged_events).with_columns(*_players(fide_id))
    repeated = rated_games.filter(_key(fide_id).is_in(keys.implode()))
    found = pl.concat([repeated, _among(rated_games, earlier)]).unique(
        ["report_row", "round", "white_row", "black_row"]
    )
    return _with_event_columns(found, judged_events).collect()


def _key(fide_id: pl.Expr) -> pl.Expr:
    white, black = (fide_id.gather(f"{side}_row") for side in ("white", "black"))
    return (white * _OF_WHITE).xor(black * _OF_BLACK).xor(pl.col("round").cast(pl.Int64) * _OF_ROUND)


def _players(fide_id: pl.Expr) -> list[pl.Expr]:
    return [fide_id.gather(f"{side}_row").alias(f"{side}_id") for side in ("white", "black")]


def _of_rated_events(games: pl.DataFrame, judged_events: pl.DataFrame) -> pl.LazyFrame:
    return games.lazy().join(_rated_events(judged_events).select("report_row"), on="report_row", how="semi")


def _rated_events(judged_events: pl.DataFrame) -> pl.LazyFrame:
    return judged_events.lazy().with_row_index("event_row").filter(pl.col("status") == "rated")


def _among(games: pl.LazyFrame, earlier: pl.DataFrame) -> pl.LazyFrame:
    return games.join(earlier.lazy(), on=["round", "white_id", "black_id"], how="semi")


def _with_event_columns(games: pl.LazyFrame, judged_events: pl.DataFrame) -> pl.LazyFrame:
    event_columns = [name for name in EARLIER_GAME.columns if name in judged_events.columns]
    return games.join(_rated_events(judged_events).select("report_row", "event_row", *event_columns), on="report_row")
