"""Find the correction that reaches a game or a player's data: the one that matches exactly this, or nothing."""

from __future__ import annotations

import polars as pl

_SIDE = ["time_control", "fide_id", "event_id", "round"]
_WITHDRAWAL, _RESULT, _PLAYER, _MERGE, _REPORT = range(5)
"""The narrower a correction matches, the sooner it is the one: a result before a whole report."""
_RANK = {
    "withdraw_event": _WITHDRAWAL,
    "change_result": _RESULT,
    "change_player": _PLAYER,
    "merge": _MERGE,
    "replace_report": _REPORT,
}


def code_of() -> pl.Expr:
    """Return the registration code of an event: the ID of a slice, and of another event of the code, is longer."""
    return pl.col("event_id").str.split_exact("/", 1).struct[0].str.split_exact("#", 1).struct[0]


def of_sides(sides: pl.DataFrame, touched: pl.DataFrame) -> pl.DataFrame:
    """Return the correction that reaches each side: the columns of its key and ``correction_no``.

    In: ``sides``: the key of a side, ``opponent_id``, ``opponent_id_new``, and ``is_withdrawal``: the side differs
    because its event is withdrawn, or is so no longer. ``touched``: :data:`~ratinglist.schemas.TOUCHED`.
    """
    own = sides.with_columns(code=code_of())
    other = touched.rename({"round": "of_round", "fide_id": "old_id"})
    of_event = own.join(
        other.filter(pl.col("event_id").is_not_null()).rename({"event_id": "code"}), on="code", how="inner"
    )
    merges = own.join(other.filter(pl.col("action") == "merge").drop("event_id"), how="cross")
    reached = pl.concat([of_event, merges.select(of_event.columns)]).filter(_is_reached())
    return (
        reached.with_columns(rank=pl.col("action").replace_strict(_RANK, return_dtype=pl.Int8))
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
        .otherwise(action == "replace_report")
    )


def of_events(touched: pl.DataFrame) -> pl.DataFrame:
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
