"""What a study measures: how well systems predict, how their lists move, and who moves between two lists.

Of a game, e is White's expected score and y White's score. Log loss is −[y ln e + (1−y) ln(1−e)] with e limited to
[.01, .99]; deviance is the same with log10, so that a constant ½ gives .30103; Brier is (e − y)². Every loss is rounded
to 1e-9 and summed in whole numbers: the same on any number of threads. A table holds means in millionths.

Each table is the query of its name in ``sql/measures``.

What a family predicts of a game is White's expected score from the ratings in force when the event began.

Such a list is older than the one that the game counts for, so no system has seen a game that it predicts. A game of a
player without a rating then is counted, and not predicted. White's expected score is that of the family's regulations:

- the table, cut as the rule set says (FIDE's families, ``fsi``, ``fsi-1998``), by White's own difference;
- the thousandths of the logistic curve (``club``, ``uscf``);
- the logistic curve where the regulations have none (``ffe``);
- the logistic curve with the deviations of both players and White's advantage (``glicko``, ``wcc``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import duckdb
import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_output_folder, output_path, write_atomically, write_text_atomically
from ratinglist.pages.document import Document
from ratinglist.pages.html_pages import as_page
from ratinglist.rating.change import expected_units
from ratinglist.rating.rules import ExpectedScoreRules, RuleBook, RuleSet, SystemRuleSet, TableRules, ThousandthsRules
from ratinglist.rating.systems.glicko import logistic
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.store.table_files import write_table
from ratinglist.tables import Column, Table

PREDICTION_TABLE = Table(
    "prediction",
    "game of a replayed month, played over the board and counted",
    {
        "event_id": Column(pl.String(), "registration code of the event"),
        "round": Column(pl.Int32(), "from 1"),
        "white_id": Column(pl.Int64(), "FIDE ID of White"),
        "black_id": Column(pl.Int64(), "FIDE ID of Black"),
        "list_month": Column(pl.String(), "the list that the game counts for"),
        "score_halves": Column(pl.Int32(), "White's score in half points"),
        "expected_billionths": Column(
            pl.Int32(), "White's expected score in units of 1e-9; null: a player has no rating", null=True
        ),
        "difference": Column(
            pl.Int32(), "White's rating less Black's, both in force when the event began; null as above", null=True
        ),
    },
    key=("event_id", "round", "white_id", "black_id"),
)


def predicted(games: pl.DataFrame, family: str, rules: RuleBook) -> pl.DataFrame:
    """Return what a family predicts of games (:data:`PREDICTION_TABLE`); in: as ``sql/measures/games.sql``."""
    by_rule_set = [
        pl.when(pl.col("rule_set") == rule_set.name).then(_in_units(expected_of_white(rule_set, rules)))
        for rule_set in rules.of(family)
    ]
    rows = games.with_columns(
        pl.coalesce(by_rule_set).alias("expected_billionths"),
        (pl.col("white_rating") - pl.col("black_rating")).alias("difference"),
    )
    return PREDICTION_TABLE.sorted(PREDICTION_TABLE.conform(rows))


def expected_of_white(rule_set: RuleSet, book: RuleBook) -> pl.Expr:
    """Return White's expected score by a rule set, of ``white_rating``, ``black_rating`` and the other columns."""
    difference = (pl.col("white_rating") - pl.col("black_rating")).cast(pl.Int32)
    rules = getattr(rule_set.own if isinstance(rule_set, SystemRuleSet) else rule_set, "expected_score", None)
    if isinstance(rule_set, SystemRuleSet) and (of_system := SYSTEMS[rule_set.system].expected_of_white):
        return of_system(rule_set.own)
    if isinstance(rules, ThousandthsRules):
        return expected_units(difference, book.tables[rules.table], 1000) / 1000
    if not isinstance(rules, TableRules | ExpectedScoreRules):
        return logistic(difference)
    capped = difference.clip(-rules.cap, rules.cap) if rules.cap else difference
    if isinstance(rules, ExpectedScoreRules) and rules.cap_applies_to == "players_below":
        capped = pl.when(pl.col("white_rating") < rules.cap_players_below).then(capped).otherwise(difference)
    return expected_units(capped, book.tables[rules.table], 100) / 100


def from_elsewhere(path: Path, games: pl.DataFrame) -> pl.DataFrame:
    """Return ``games`` (:data:`PREDICTION_TABLE`) as the predictions of a file have them.

    In: the file has the key of the games and ``expected``, White's expected score from 0 to 1. Raises
    :class:`CommandLineError` where it has none.
    """
    key = list(PREDICTION_TABLE.key)
    expected = _in_units(pl.col("expected").cast(pl.Float64).clip(0, 1)).alias("expected_billionths")
    try:
        rows = pl.read_parquet(path, glob=False).select(*key, expected).cast(games.select(key).schema)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise CommandLineError(
            f"{path} has no predictions ({str(error).splitlines()[0]}): write a Parquet file with the columns "
            f"{', '.join(key)} and expected, White's expected score from 0 to 1."
        ) from None
    known = games.drop("expected_billionths", "difference")
    return PREDICTION_TABLE.completed(known.join(rows.unique(key), on=key, how="left", maintain_order="left"))


def _in_units(share: pl.Expr) -> pl.Expr:
    return (share * 1_000_000_000).round().cast(pl.Int32)


def measured(
    tables: Sequence[Table], made_first: str, frames: Mapping[str, pl.DataFrame], **parameters: object
) -> dict[str, pl.DataFrame]:
    """Return the ``tables`` by name, in the order of their queries, as these give them of ``frames``.

    ``made_first``: the query that makes a table which they read. Columns that a query lacks are null.
    """
    queries = {file.stem: file.read_text(encoding="utf-8") for file in resources.sql("measures").glob("*.sql")}
    used = {
        name: {key: value for key, value in parameters.items() if f"${key}" in query} for name, query in queries.items()
    }
    with duckdb.connect(config={"temp_directory": ""}) as connection:
        for name, frame in frames.items():
            connection.register(name, frame.to_arrow())
        connection.execute(queries["means"])
        connection.execute(queries[made_first], used[made_first])
        return {
            table.name: table.completed(connection.sql(queries[table.name], params=used[table.name]).pl())
            for table in tables
        }


LIST_INDEX = 12 * pl.col("list_month").str.head(4).cast(pl.Int64) + pl.col("list_month").str.tail(2).cast(pl.Int64)
"""The place of a list on the axis of a chart."""


def queried(query: Path, frames: Mapping[str, pl.DataFrame], **parameters: object) -> pl.DataFrame:
    """Return what the query in a file gives of ``frames``, which it names."""
    with duckdb.connect(config={"temp_directory": ""}) as connection:
        for name, frame in frames.items():
            connection.register(name, frame.to_arrow())
        rows: pl.DataFrame = connection.sql(query.read_text(encoding="utf-8"), params=parameters).pl()
    return rows


LOSSES = ("log_loss", "deviance", "brier")

SCORE_TABLE = Table(
    "scores",
    "system and set of games",
    {
        "system": Column(pl.String(), "the system"),
        "games_of": Column(
            pl.String(), "own: all it predicts; common: those that every system with a list each month predicts"
        ),
        "games": Column(pl.Int64(), "games scored"),
        "unrated": Column(pl.Int64(), "counted games that it does not predict, a player having no rating", null=True),
        **{f"{name}_millionths": Column(pl.Int64(), f"mean {name.replace('_', ' ')}", null=True) for name in LOSSES},
        "decisive": Column(pl.Int64(), "games with a winner, of which the system expected more of one player"),
        "won_by_favourite": Column(pl.Int64(), "of these, games that this player won"),
        "accuracy_millionths": Column(pl.Int64(), "the share of the favourite in the decisive games", null=True),
        "drawn": Column(pl.Int64(), "drawn games"),
    },
    key=("games_of", "system"),
)

DIFFERENCE_TABLE = Table(
    "differences",
    "pair of systems, measure and group of games",
    {
        "system": Column(pl.String(), "the system"),
        "reference": Column(pl.String(), "the system it is compared with"),
        "measure": Column(pl.String(), "log_loss, deviance, brier"),
        "grouping": Column(pl.String(), "all, rating_band, newcomers, age"),
        "value": Column(pl.String(), "the group; empty for all"),
        "games": Column(pl.Int64(), "games that both predict"),
        "events": Column(pl.Int64(), "events of these games"),
        "difference_millionths": Column(pl.Int64(), "mean loss of the system less that of the reference"),
        "error_millionths": Column(pl.Int64(), "standard error, clustered by event"),
        "low_millionths": Column(pl.Int64(), "lower end of the interval of 95 %"),
        "high_millionths": Column(pl.Int64(), "upper end; where both ends are below 0 the system predicts better"),
    },
    key=("reference", "system", "measure", "grouping", "value"),
)

CALIBRATION_TABLE = Table(
    "calibration",
    "system and group of games",
    {
        "system": Column(pl.String(), "the system"),
        "grouping": Column(
            pl.String(),
            "all; difference: White's rating less Black's in bands of 50; rating_band: bands of 200 of the mean rating "
            "of both; newcomers: whether one is not on the list that the study starts with; age: that of the younger",
        ),
        "value": Column(pl.String(), "the group; of a band its lower end"),
        "games": Column(pl.Int64(), "games"),
        "expected_millionths": Column(pl.Int64(), "mean expected score of White"),
        "score_millionths": Column(pl.Int64(), "mean score of White"),
        "log_loss_millionths": Column(pl.Int64(), "mean log loss"),
        "error_millionths": Column(
            pl.Int64(), "standard error of score less expected score, game by game; null for one game", null=True
        ),
    },
    key=("system", "grouping", "value"),
)

MOVEMENT_TABLE = Table(
    "movement",
    "system and list",
    {
        "system": Column(pl.String(), "the system"),
        "list_month": Column(pl.String(), "the list; the first is the one that the replay starts from"),
        "players": Column(pl.Int32(), "players on it"),
        "mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "same_players": Column(pl.Int32(), "players on every list of the system"),
        "same_mean_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "top_players": Column(pl.Int32(), "the best players: 100, or all where there are fewer"),
        "top_mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "cohort_players": Column(pl.Int32(), "players on every list, 35 to 45 years old with the first one"),
        "cohort_mean_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "entered": Column(pl.Int32(), "players who were not on the list before", null=True),
        "entered_mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "entered_12_before": Column(pl.Int32(), "players who entered 12 lists before and are on this one", null=True),
        "mean_at_entry_hundredths": Column(pl.Int32(), "their mean rating when they entered", null=True),
        "mean_now_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "busy_players": Column(pl.Int32(), "players with 10 games or more, on the list before too", null=True),
        "busy_change_hundredths": Column(pl.Int32(), "their mean change, without its sign", null=True),
        "changed_twice": Column(pl.Int32(), "players whose rating changed on this list and the one before", null=True),
        "reversals": Column(pl.Int32(), "of these, changes in the other direction", null=True),
        "official_players": Column(pl.Int32(), "players on the office's list too", null=True),
        "official_difference_hundredths": Column(pl.Int32(), "their mean rating less that of the office", null=True),
        "rank_correlation_millionths": Column(pl.Int64(), "Spearman's, with the office's list", null=True),
    },
    key=("system", "list_month"),
)

MOVED_TABLE = Table(
    "moved",
    "group of players",
    {
        "grouping": Column(pl.String(), "all, band (of 200 points of the rating as it is), federation"),
        "value": Column(pl.String(), "the group; empty for all; of a band its lower end"),
        "players": Column(pl.Int32(), "players on both lists"),
        "moved": Column(pl.Int32(), "of these, players with another rating"),
        "entering": Column(pl.Int32(), "players on the changed list alone, by their rating there"),
        "leaving": Column(pl.Int32(), "players on the list as it is alone"),
        "mean_hundredths": Column(pl.Int32(), "mean difference of the players on both lists", null=True),
        "lower_hundredths": Column(pl.Int32(), "difference that 5 % of them stay below", null=True),
        "median_hundredths": Column(pl.Int32(), "median of the differences", null=True),
        "upper_hundredths": Column(pl.Int32(), "difference that 5 % of them exceed", null=True),
    },
    key=("grouping", "value"),
)

LARGEST_TABLE = Table(
    "largest",
    "player with one of the hundred largest differences",
    {
        "fide_id": Column(pl.Int64(), "the player"),
        "name": Column(pl.String(), "name"),
        "federation": Column(pl.String(), "three letters"),
        "rating": Column(pl.Int32(), "rating on the list as it is"),
        "changed_rating": Column(pl.Int32(), "rating on the changed list"),
        "difference": Column(pl.Int32(), "the changed rating less the one as it is"),
    },
    key=("fide_id",),
)


def check_folder(folder: Path, page: str) -> None:
    """Raise :class:`CommandLineError` where a page and its tables cannot be written to a folder."""
    check_output_folder(folder)
    output_path(folder if folder.is_dir() else folder.parent, page)


def write_measured(
    folder: Path, page: str, document: Document, tables: Mapping[str, pl.DataFrame], of: Sequence[Table]
) -> list[str]:
    """Write a document as a page and its tables, and return the names of the files."""
    folder.mkdir(exist_ok=True)
    for table in of:
        write_atomically(folder / f"{table.name}.parquet", partial(write_table, table=table, rows=tables[table.name]))
    write_text_atomically(folder / page, as_page(document))
    return [*(f"{table.name}.parquet" for table in of), page]
