"""Compare two revisions of a list: which players differ, by how much and why, back to the correction that caused it.

A player's row can differ from the revision before for one of five causes. The first that applies is given:

- ``game``: the player's own games differ: a result was corrected, or a game was added or removed;
- ``list_before``: the player's rating, K, games or data differ on an earlier list;
- ``opponent``: the result is the same, but the opponent's rating differs, because an earlier list changed it;
- ``data``: the player's birth, name, federation or another column differs;
- ``rules``: the list was calculated by a rule file of the same name with other contents.

The diff of each list names the cause on that list only, so a chain of causes ends at the list where a correction
changed a game or a player's data, or where a rule file changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.period import Period
from ratinglist.schemas import CHANGE, DIFF, EVENT, GAME, LISTED

KEY = ["time_control", "fide_id"]
_SIDE = [*KEY, "event_id", "round"]
_PLAYED = ("opponent_id", "colour", "score_halves")
_NUMBERS = ("rating", "games", "k")
_DATA = {
    "name": "name",
    "federation": "federation",
    "sex": "sex",
    "title": "title",
    "women_title": "women's title",
    "other_titles": "other titles",
    "birth_year": "birth year",
    "flag": "flag",
}
"""The columns of a list with a player's data, and how the text of a cause names each."""

MOVED = {
    "time_control": pl.String(),
    "fide_id": pl.Int64(),
    "month": pl.String(),
    "correction_no": pl.Int32(),
    "rule_file": pl.String(),
    "old_rating": pl.Int32(),
    "rating": pl.Int32(),
}
"""The players who differ on earlier lists: a row per list, and per correction and rule file behind it (null: none).

``rating`` is the player's rating on the new revision of that list, ``old_rating`` that on the one before.
"""

_ORIGIN = ["correction_no", "rule_file"]


@dataclass(frozen=True, slots=True)
class ListTables:
    """The published tables of one revision that a diff compares."""

    lists: pl.DataFrame
    games: pl.DataFrame
    changes: pl.DataFrame
    events: pl.DataFrame

    @classmethod
    def of(cls, tables: Mapping[str, pl.DataFrame]) -> ListTables:
        """Return them from published tables by file stem."""
        return cls(
            lists=lists_of(tables),
            games=GAME.conform(tables["games"]),
            changes=CHANGE.conform(tables["changes"]),
            events=EVENT.conform(tables["events"]),
        )


def lists_of(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the lists among published tables (by file stem) as one frame (``LISTED``)."""
    lists = [LISTED.conform(tables[stem]) for stem in ("standard", "rapid", "blitz") if stem in tables]
    return pl.concat([LISTED.empty(), *lists])


def compare(
    before: ListTables,
    after: ListTables,
    touched: pl.DataFrame,
    moved: pl.DataFrame,
    rule_files: Collection[str] = (),
) -> pl.DataFrame:
    """Return every player with a column that differs between two revisions of one month's list, with the cause.

    In: ``touched`` (:data:`~ratinglist.schemas.TOUCHED`); ``moved`` (:data:`MOVED`) of the lists before;
    ``rule_files``: the names of those changed since the revision before was calculated. Out: :data:`DIFF`, in order.
    """
    differing = _differing(before.lists, after.lists)
    causes = pl.concat(
        [
            _own_games(before.games, after.games, touched, rule_files),
            _opponents(before, after, moved),
            _lists_before(differing, moved),
            _data(differing, touched),
            _rules(differing, rule_files),
        ]
    ).join(differing.select(KEY), on=KEY, how="semi")
    ends = causes.group_by(KEY).agg(
        pl.col(name).drop_nulls().unique().sort().cast(pl.String).str.join(", ").alias(column)
        for name, column in (("correction_no", "corrections"), ("rule_file", "rule_files"))
    )
    nearest = (
        causes.sort("order", "because", *_ORIGIN, nulls_last=True)
        .group_by(KEY, maintain_order=True)
        .agg(pl.col("cause", "because").first())
    )
    rows = (
        differing.join(nearest, on=KEY, how="left")
        .join(ends, on=KEY, how="left")
        .with_columns(
            # Where no game and no list before explains the difference, the player's data do: the birth date decides K.
            pl.col("cause").fill_null("data"),
            pl.col("because").fill_null(pl.col("data_changed")),
            pl.col("corrections", "rule_files").fill_null(""),
        )
    )
    return DIFF.sorted(DIFF.conform(rows))


def moved_by(diff: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return a list's diff as :data:`MOVED`, for the diffs of later lists."""
    return (
        diff.select(
            "time_control",
            "fide_id",
            pl.lit(str(period)).alias("month"),
            pl.col("corrections").str.split(", ").alias("correction_no"),
            pl.col("rule_files").str.split(", ").alias("rule_file"),
            "old_rating",
            pl.col("new_rating").alias("rating"),
        )
        .explode("correction_no", empty_as_null=True, keep_nulls=True)
        .explode("rule_file", empty_as_null=True, keep_nulls=True)
        .with_columns(pl.col("correction_no").replace("", None).cast(pl.Int32), pl.col("rule_file").replace("", None))
    )


def _differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the players with a column that differs: ``DIFF`` without the cause, ``same_numbers``, ``data_changed``.

    ``data_changed`` is the text of the cause ``data``, should it apply.
    """
    facts = [name for name in LISTED.columns if name not in (*KEY, "list_month")]
    both = before.with_columns(pl.lit(value=True).alias("was")).join(
        after.with_columns(pl.lit(value=True).alias("is")), on=KEY, how="full", coalesce=True, suffix="_new"
    )
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_new")) for name in facts)
    numbers = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_new")) for name in _NUMBERS)
    present = pl.col("was").is_not_null() & pl.col("is").is_not_null()
    data = pl.concat_str(
        [
            pl.when(pl.col(name).ne_missing(pl.col(f"{name}_new"))).then(pl.lit(label))
            for name, label in _DATA.items()
            if name in facts
        ],
        separator=", ",
        ignore_nulls=True,
    )
    data_changed = (
        pl.when(pl.col("is").is_null())
        .then(pl.lit("no longer on the list under this FIDE ID"))
        .when(pl.col("was").is_null())
        .then(pl.lit("now on the list under this FIDE ID"))
        .when(data == "")
        .then(pl.lit("data that the list does not show, such as the birth date"))
        .otherwise(data)
    )
    return both.filter(~(same & present)).select(
        *KEY,
        pl.coalesce("name_new", "name").alias("name"),
        pl.coalesce("federation_new", "federation").alias("federation"),
        pl.col("rating").alias("old_rating"),
        pl.col("rating_new").alias("new_rating"),
        (pl.col("rating_new") - pl.col("rating")).alias("difference"),
        pl.col("games").alias("old_games"),
        pl.col("games_new").alias("new_games"),
        pl.col("k").alias("old_k"),
        pl.col("k_new").alias("new_k"),
        (numbers & present).alias("same_numbers"),
        pl.format("player data changed: {}", data_changed).alias("data_changed"),
    )


def _cause(rows: pl.DataFrame, order: int, cause: str, because: pl.Expr) -> pl.DataFrame:
    return rows.select(
        *KEY,
        pl.lit(order, dtype=pl.Int8).alias("order"),
        pl.lit(cause).alias("cause"),
        because.alias("because"),
        *(pl.col(name).cast(MOVED[name]) for name in _ORIGIN),
    )


def _sides(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return every side of a game in either revision; the columns of the later one end in ``_new``."""
    return before.with_columns(pl.lit(value=True).alias("was")).join(
        after.with_columns(pl.lit(value=True).alias("is")), on=_SIDE, how="full", coalesce=True, suffix="_new"
    )


def _own_games(
    before: pl.DataFrame, after: pl.DataFrame, touched: pl.DataFrame, rule_files: Collection[str]
) -> pl.DataFrame:
    """Return the sides that explain a difference by the player's own game.

    The result or the opponent differs, the game was added or removed, or it is rated in one revision only. A game that
    is rated differently because of a changed rule file is left to the cause ``rules``.
    """
    sides = _sides(before, after)
    one_is_missing = pl.col("was").is_null() | pl.col("is").is_null()
    other_result = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_new")) for name in _PLAYED)
    same_ratings = pl.all_horizontal(
        pl.col(name).eq_missing(pl.col(f"{name}_new")) for name in ("rating", "opponent_rating")
    )
    other_verdict = same_ratings & (
        pl.col("reason").ne_missing(pl.col("reason_new")) | pl.col("rule_set").ne_missing(pl.col("rule_set_new"))
    )
    differing = sides.filter(one_is_missing | other_result | other_verdict).with_columns(
        # The ID of a slice, and of another event under the same code, is longer than the registration code.
        pl.col("event_id").str.split_exact("/", 1).struct[0].str.split_exact("#", 1).struct[0].alias("code")
    )
    of_event = differing.join(
        touched.filter(pl.col("event_id").is_not_null()).select("correction_no", code="event_id"), on="code"
    )
    people = _people(touched)
    of_player = differing.join(people, on="fide_id")
    of_opponent = pl.concat(
        differing.join(people.rename({"fide_id": other}), on=other) for other in ("opponent_id", "opponent_id_new")
    )
    named = pl.concat([rows.select(*_SIDE, "correction_no") for rows in (of_event, of_player, of_opponent)]).unique()
    by_rules = ~(one_is_missing | other_result) & pl.col("time_control").is_in(_time_controls(rule_files))
    found = (
        differing.join(named, on=_SIDE, how="left")
        .filter(~by_rules | pl.col("correction_no").is_not_null())
        .with_columns(pl.lit(None).alias("rule_file"))
    )
    because = pl.concat_str(pl.format("round {} of {}: ", "round", "event_id"), _what_happened())
    return _cause(found, 1, "game", because)


def _what_happened() -> pl.Expr:
    """Return what happened to a player's game between two revisions: ``result corrected from 0 to 1``."""
    result, result_new = (
        pl.col(name).replace_strict({0: "0", 1: "½", 2: "1"}, return_dtype=pl.String)
        for name in ("score_halves", "score_halves_new")
    )
    verdict, verdict_new = (
        pl.when(pl.col(name) == "").then(pl.lit("rated")).otherwise(pl.format("not rated ({})", name))
        for name in ("reason", "reason_new")
    )
    return (
        pl.when(pl.col("is").is_null())
        .then(pl.lit("game removed"))
        .when(pl.col("was").is_null())
        .then(pl.lit("game added"))
        .when(pl.col("score_halves").ne_missing(pl.col("score_halves_new")))
        .then(pl.format("result corrected from {} to {}", result, result_new))
        .when(pl.col("opponent_id").ne_missing(pl.col("opponent_id_new")))
        .then(pl.format("opponent corrected from {} to {}", "opponent_id", "opponent_id_new"))
        .when(pl.col("colour").ne_missing(pl.col("colour_new")))
        .then(pl.format("colour corrected from {} to {}", "colour", "colour_new"))
        .when(pl.col("reason").ne_missing(pl.col("reason_new")))
        .then(pl.format("{}, was {}", verdict_new, verdict))
        .otherwise(
            pl.format(
                "rated by {}, was rated by {}",
                pl.col("rule_set_new").fill_null("no rule set"),
                pl.col("rule_set").fill_null("no rule set"),
            )
        )
    )


def _people(touched: pl.DataFrame) -> pl.DataFrame:
    """Return ``fide_id`` and ``correction_no`` of every player that a correction names, under each of their IDs."""
    return pl.concat(
        touched.filter(pl.col(name).is_not_null()).select("correction_no", fide_id=name)
        for name in ("fide_id", "new_id")
    ).unique()


def _opponents(before: ListTables, after: ListTables, moved: pl.DataFrame) -> pl.DataFrame:
    """Return the sides that are the same except for the opponent's rating at the start of the event."""
    sides = _sides(before.games, after.games).filter(
        pl.col("was").is_not_null() & pl.col("is").is_not_null(),
        pl.col("opponent_id") == pl.col("opponent_id_new"),
        pl.col("opponent_rating").ne_missing(pl.col("opponent_rating_new")),
    )
    starts = after.events.select("event_id", pl.col("start_date").dt.strftime("%Y-%m").alias("start"))
    behind = _latest(
        sides.join(starts, on="event_id", how="left").select(*_SIDE, "start", opponent="opponent_id"), moved
    )
    found = sides.join(behind.select(*_SIDE, *_ORIGIN), on=_SIDE, how="left")
    because = pl.format(
        "round {} of {}: rating of the opponent {} corrected from {} to {}",
        "round",
        "event_id",
        "opponent_id",
        _rating_text("opponent_rating"),
        _rating_text("opponent_rating_new"),
    )
    return _cause(found, 3, "opponent", because)


def _latest(sides: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Return ``sides`` with the origin of the opponent's move on the last list, up to the event's start, that has one.

    The time control is not compared: a standard rating may have stood in.
    """
    behind = sides.join(moved.select("month", *_ORIGIN, opponent="fide_id"), on="opponent").filter(
        pl.col("month") <= pl.col("start")
    )
    return behind.filter(pl.col("month") == pl.col("month").max().over(_SIDE)).unique([*_SIDE, *_ORIGIN])


def _rating_text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).fill_null("unrated")


def _lists_before(differing: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Return the players who differ on a list before, with the last such list."""
    behind = differing.select(KEY).join(moved, on=KEY)
    behind = behind.filter(pl.col("month") == pl.col("month").max().over(KEY))
    because = (
        pl.when(pl.col("rating").eq_missing(pl.col("old_rating")))
        .then(pl.format("K, games or player data on the {} list corrected", "month"))
        .when(pl.col("rating").is_null())
        .then(pl.format("removed from the {} list", "month"))
        .otherwise(pl.format("rating on the {} list corrected to {}", "month", "rating"))
    )
    return _cause(behind, 2, "list_before", because)


def _data(differing: pl.DataFrame, touched: pl.DataFrame) -> pl.DataFrame:
    """Return the players whom a correction names."""
    named = (
        differing.select(*KEY, "data_changed")
        .join(_people(touched), on="fide_id")
        .with_columns(pl.lit(None).alias("rule_file"))
    )
    return _cause(named, 4, "data", pl.col("data_changed"))


def _rules(differing: pl.DataFrame, rule_files: Collection[str]) -> pl.DataFrame:
    """Return the players on a list of a time control whose rule file changed."""
    files = pl.DataFrame({"rule_file": sorted(rule_files)}, schema={"rule_file": pl.String}).with_columns(
        pl.col("rule_file").str.split("/").list.get(1, null_on_oob=True).alias("time_control"),
        pl.lit(None).alias("correction_no"),
    )
    found = differing.select(KEY).join(files, on="time_control")
    return _cause(found, 5, "rules", pl.format("rule file {} changed", "rule_file"))


def _time_controls(rule_files: Collection[str]) -> list[str]:
    """Return the time controls of rule files, named ``family/time control/day``."""
    return sorted({name.split("/")[1] for name in rule_files})
