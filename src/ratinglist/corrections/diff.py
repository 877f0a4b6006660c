"""Who a new revision of a list moves, by how much and why: the chain of causes, link by link, back to a correction.

A player's number on a list can differ from the revision before for one of five reasons, and the first that applies is
told:

- ``game``: his own results differ: one was corrected, came, or was withdrawn;
- ``list_before``: his own rating, K or games differ on an earlier list;
- ``opponent``: a result is the same and the opponent's rating differs, since an earlier list moved the opponent;
- ``data``: his birth, name, federation or another column differs;
- ``rules``: the list was calculated by a rule file of the same name that says something else.

Each link is told by the diff of the list it happened on, so the chain ends where a correction touched a game or a
person, or at a rule file.
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

MOVED = {
    "time_control": pl.String(),
    "fide_id": pl.Int64(),
    "month": pl.String(),
    "correction_no": pl.Int32(),
    "rule_file": pl.String(),
    "rating": pl.Int32(),
}
"""Who was moved on earlier lists, once per correction and rule file behind it (null: none); his new rating there."""

_ORIGIN = ["correction_no", "rule_file"]


@dataclass(frozen=True, slots=True)
class ListTables:
    """The published tables of one revision that a diff looks at."""

    lists: pl.DataFrame
    games: pl.DataFrame
    changes: pl.DataFrame
    events: pl.DataFrame

    @classmethod
    def of(cls, tables: Mapping[str, pl.DataFrame]) -> ListTables:
        """From published tables by file stem."""
        return cls(
            lists=lists_of(tables),
            games=GAME.conform(tables["games"]),
            changes=CHANGE.conform(tables["changes"]),
            events=EVENT.conform(tables["events"]),
        )


def lists_of(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The lists (``LISTED``) among published tables, as one; a list that is not there has no players."""
    lists = [LISTED.conform(tables[stem]) for stem in ("standard", "rapid", "blitz") if stem in tables]
    return pl.concat([LISTED.empty(), *lists])


def compare(
    before: ListTables,
    after: ListTables,
    touched: pl.DataFrame,
    moved: pl.DataFrame,
    rule_files: Collection[str] = (),
) -> pl.DataFrame:
    """Every player of whom a column differs between two revisions of one month's list, with the cause.

    In: ``touched`` (:data:`~ratinglist.schemas.TOUCHED`), ``moved`` (:data:`MOVED`) of the lists before, and the
    names of the ``rule_files`` that say something else than when the
    revision before was calculated. Out: :data:`DIFF`, in order.
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
        pl.col(name).drop_nulls().unique().sort().cast(pl.String).str.join(", ").alias(told)
        for name, told in (("correction_no", "corrections"), ("rule_file", "rule_files"))
    )
    nearest = (
        causes.sort("order", "because", *_ORIGIN, nulls_last=True)
        .group_by(KEY, maintain_order=True)
        .agg(pl.col("cause", "because").first())
    )
    told = (
        differing.join(nearest, on=KEY, how="left")
        .join(ends, on=KEY, how="left")
        .with_columns(
            # What no list before and no game explains is known of the player otherwise: his birth, say, decides K.
            pl.col("cause").fill_null("data"),
            pl.col("because").fill_null("what is known of the player differs"),
            pl.col("corrections", "rule_files").fill_null(""),
        )
    )
    return DIFF.sorted(DIFF.conform(told))


def moved_by(diff: pl.DataFrame, period: Period) -> pl.DataFrame:
    """A list's diff as :data:`MOVED`, for the diffs of later lists."""
    return (
        diff.select(
            "time_control",
            "fide_id",
            pl.lit(str(period)).alias("month"),
            pl.col("corrections").str.split(", ").alias("correction_no"),
            pl.col("rule_files").str.split(", ").alias("rule_file"),
            pl.col("new_rating").alias("rating"),
        )
        .explode("correction_no", empty_as_null=True, keep_nulls=True)
        .explode("rule_file", empty_as_null=True, keep_nulls=True)
        .with_columns(pl.col("correction_no").replace("", None).cast(pl.Int32), pl.col("rule_file").replace("", None))
    )


def _differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Both rows of everybody of whom a column differs: ``DIFF`` without the cause, and ``same_numbers``."""
    facts = [name for name in LISTED.columns if name not in (*KEY, "list_month")]
    both = before.with_columns(pl.lit(value=True).alias("was")).join(
        after.with_columns(pl.lit(value=True).alias("is")), on=KEY, how="full", coalesce=True, suffix="_new"
    )
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_new")) for name in facts)
    numbers = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_new")) for name in _NUMBERS)
    present = pl.col("was").is_not_null() & pl.col("is").is_not_null()
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
    """Every side of a game in either revision; the later one's columns end in ``_new``."""
    return before.with_columns(pl.lit(value=True).alias("was")).join(
        after.with_columns(pl.lit(value=True).alias("is")), on=_SIDE, how="full", coalesce=True, suffix="_new"
    )


def _own_games(
    before: pl.DataFrame, after: pl.DataFrame, touched: pl.DataFrame, rule_files: Collection[str]
) -> pl.DataFrame:
    """Sides whose result differs, is gone or is new, or which count now and did not, or the other way round.

    What counts otherwise by another rule file is not the game's doing.
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
        # Slices and strangers go by more than the registration code.
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
    because = (
        pl.when(pl.col("is").is_null())
        .then(pl.format("his game in round {} of {} is gone", "round", "event_id"))
        .when(pl.col("was").is_null())
        .then(pl.format("his game in round {} of {} is new", "round", "event_id"))
        .when(pl.col("score_halves").ne_missing(pl.col("score_halves_new")))
        .then(
            pl.format(
                "his score in round {} of {} was {} and is {} half points",
                "round",
                "event_id",
                "score_halves",
                "score_halves_new",
            )
        )
        .when(pl.col("opponent_id").ne_missing(pl.col("opponent_id_new")))
        .then(
            pl.format(
                "his opponent in round {} of {} was {} and is {}", "round", "event_id", "opponent_id", "opponent_id_new"
            )
        )
        .otherwise(pl.format("his game in round {} of {} counts otherwise", "round", "event_id"))
    )
    return _cause(found, 1, "game", because)


def _people(touched: pl.DataFrame) -> pl.DataFrame:
    """``fide_id`` and ``correction_no``: everybody a correction names, under each of his IDs."""
    return pl.concat(
        touched.filter(pl.col(name).is_not_null()).select("correction_no", fide_id=name)
        for name in ("fide_id", "new_id")
    ).unique()


def _opponents(before: ListTables, after: ListTables, moved: pl.DataFrame) -> pl.DataFrame:
    """Sides that are the same, against an opponent who was rated otherwise when the event started."""
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
        "his opponent {} in {} had {} and has {}",
        "opponent_id",
        "event_id",
        _rating_in_words("opponent_rating"),
        _rating_in_words("opponent_rating_new"),
    )
    return _cause(found, 3, "opponent", because)


def _latest(sides: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """``sides`` with what moved the ``opponent`` on the last list, up to the event's start, that moved him.

    A standard rating may have stood in, so the time control is not asked.
    """
    behind = sides.join(moved.select("month", *_ORIGIN, opponent="fide_id"), on="opponent").filter(
        pl.col("month") <= pl.col("start")
    )
    return behind.filter(pl.col("month") == pl.col("month").max().over(_SIDE)).unique([*_SIDE, *_ORIGIN])


def _rating_in_words(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).fill_null("no rating")


def _lists_before(differing: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Players who were moved on a list before: the last such list."""
    behind = differing.select(KEY).join(moved, on=KEY)
    behind = behind.filter(pl.col("month") == pl.col("month").max().over(KEY))
    because = pl.format("the list of {} is another for him: {}", "month", _rating_in_words("rating"))
    return _cause(behind, 2, "list_before", because)


def _data(differing: pl.DataFrame, touched: pl.DataFrame) -> pl.DataFrame:
    """Players whom a correction names themselves."""
    named = differing.select(KEY).join(_people(touched), on="fide_id").with_columns(pl.lit(None).alias("rule_file"))
    return _cause(named, 4, "data", pl.lit("what is known of the player differs"))


def _rules(differing: pl.DataFrame, rule_files: Collection[str]) -> pl.DataFrame:
    """Players on a list of a time control of which a rule file says something else."""
    files = pl.DataFrame({"rule_file": sorted(rule_files)}, schema={"rule_file": pl.String}).with_columns(
        pl.col("rule_file").str.split("/").list.get(1, null_on_oob=True).alias("time_control"),
        pl.lit(None).alias("correction_no"),
    )
    found = differing.select(KEY).join(files, on="time_control")
    return _cause(found, 5, "rules", pl.format("the rule file {} says something else than it did", "rule_file"))


def _time_controls(rule_files: Collection[str]) -> list[str]:
    """The time controls of rule files: ``family/time control/day``."""
    return sorted({name.split("/")[1] for name in rule_files})
