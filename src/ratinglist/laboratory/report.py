"""The command `ratinglist lab report`: scores, calibration and lists of the replayed systems side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.atomic_file import check_output_folder, output_path, write_atomically, write_text_atomically
from ratinglist.laboratory import list_movement, scores
from ratinglist.laboratory.game_groups import game_groups, known_players
from ratinglist.laboratory.predictions import PREDICTION_TABLE, with_expected
from ratinglist.laboratory.replay import Replay, Start, replays_of
from ratinglist.laboratory.report_document import chart_figures, percent, report_document
from ratinglist.laboratory.study import Study, studied
from ratinglist.pages.document import Code, Document, Entries
from ratinglist.pages.html_pages import as_page
from ratinglist.pages.plain_text import text_table
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_table
from ratinglist.summaries import Summary
from ratinglist.tables import Table
from ratinglist.text import counted, grouped

PAGE = "report.html"
OUT = Path("laboratory")
TABLES = {
    table.name: table
    for table in (
        scores.SCORE_TABLE,
        scores.DIFFERENCE_TABLE,
        scores.CALIBRATION_TABLE,
        list_movement.MOVEMENT_TABLE,
    )
}
"""The tables that are written, by the stem of the file."""


@dataclass(frozen=True, slots=True)
class ReportSummary(Summary):
    """What was written.

    ``reference``: the system that the others differ from; ``changes``: what each what-if among the systems changed;
    ``tables``: the rows by the stem of the file.
    """

    reference: str
    folder: str
    files: list[str]
    changes: dict[str, list[str]]
    tables: dict[str, pl.DataFrame]

    def text(self) -> str:
        """Return the log loss of every system on common games, and its difference with the interval."""
        common = self.tables["scores"].filter(pl.col("games_of") == "common")
        differences = self.tables["differences"].filter(
            pl.col("reference") == self.reference, pl.col("measure") == "log_loss", pl.col("grouping") == "all"
        )
        joined = common.join(differences.drop("games"), on="system", how="left").sort("log_loss_millionths", "system")
        rows = [
            [
                row["system"],
                f"{row['games']:,}",
                *(grouped(row[f"{name}_millionths"], 6) for name in ("log_loss", "brier")),
                percent(row["accuracy_millionths"]),
                *(grouped(row[f"{name}_millionths"], 6) for name in ("difference", "low", "high")),
            ]
            for row in joined.iter_rows(named=True)
        ]
        header = ["system", "games", "log loss", "Brier", "accuracy", f"less {self.reference}", "from", "to"]
        lines = text_table(header, rows, [False, *[True] * 7])
        lines += changes_lines(self.changes)
        if len(rows) > 1:
            lines.append("games, log loss, Brier, accuracy: on the games that all of these systems predict")
            lines.append("accuracy: the share of the decisive games that the favourite won; draws are left out of it")
            lines.append(f"less {self.reference}: on all games that both predict; differences.parquet has their number")
        if without := sorted(set(self.tables["movement"]["system"]) - set(common["system"])):
            lines.append(f"without a list every month, so not in this table: {', '.join(without)}; see {PAGE}")
        head = f"Report: {counted(len(self.files), 'file')} in {self.folder}"
        return "\n".join([head, *(f"  {line}" for line in lines)])


def report(
    settings: Settings,
    names: Sequence[str] = (),
    *,
    months: tuple[Period | None, Period | None] = (None, None),
    start: Start = "list",
    time_control: str = "standard",
    out: Path | None = None,
) -> ReportSummary:
    """Compare replayed systems and write the report: a page with charts, and tables.

    ``names``: the systems, the first one the reference; default: all that were replayed, compared with the office's
    family. A name with the ending ``.parquet`` is a table of predictions from elsewhere. Raises
    :class:`NothingReadError` where one was not replayed, :class:`CommandLineError` for a folder or a table that cannot
    be used.
    """
    with studied(settings, months, time_control, writes=False) as study:
        compared = _chosen(replays_of(study, start), names, study, start)
        folder = output_folder(settings, out)
        if not any(one.predictions["expected_billionths"].count() for one in compared):
            raise NothingReadError(
                f"No game is predicted from {study.months[0]} to {study.months[-1]} by "
                f"{', '.join(one.name for one in compared)}: there is nothing to report. Name more months, or "
                "replay other systems."
            )
        replays = [one for one in compared if isinstance(one, Replay)]
        changes = {one.name: one.facts["changes"] for one in replays if one.facts["changes"]}
        steps = {one.name: one.facts["one_time_steps"] for one in replays}
        tables = study_tables(study, compared)
    facts = [
        f"Months {study.months[0]} to {study.months[-1]} of this office, {time_control}, from {_STARTS[start]}.",
    ]
    charts = chart_figures(tables, steps)
    reference = compared[0].name
    changed = [Entries.of([(Code(line),) for line in changes_lines(changes)])]
    document = report_document("Systems side by side", facts, reference, tables, charts, changed)
    files = write_report(folder, document, tables, TABLES)
    return ReportSummary(reference, str(folder), files, changes, tables)


@dataclass(frozen=True, slots=True)
class PredictionTable:
    """A file of predictions from elsewhere; ``games``: those that any replay counts, with White's score."""

    path: Path
    games: pl.DataFrame

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return self.path.stem

    @property
    def predictions(self) -> pl.DataFrame:
        """Return the predictions (``PREDICTION_TABLE``); raise :class:`CommandLineError` where the file has none."""
        try:
            return with_expected(self.games, pl.read_parquet(self.path, glob=False))
        except (OSError, pl.exceptions.PolarsError) as error:
            reason = f"{error}".partition("\n")[0]
            raise CommandLineError(
                f"{self.path} has no predictions ({reason}): write a Parquet file with the columns "
                f"{', '.join(PREDICTION_TABLE.key)} and expected, White's expected score from 0 to 1."
            ) from None


Compared = Replay | PredictionTable
"""What a report compares."""


def _chosen(replays: Sequence[Replay], names: Sequence[str], study: Study, start: Start) -> list[Compared]:
    """Return what is compared, the reference first.

    Raises :class:`NothingReadError` where a system was not replayed, or with other inputs; :class:`CommandLineError`
    where there is none of that name.
    """
    by_name = {one.name: one for one in replays}
    chosen = names or sorted(by_name, key=lambda name: (name != study.family, name))
    systems = [name for name in chosen if not name.endswith(".parquet")]
    if not systems:
        raise NothingReadError("No system was replayed. Replay some: ratinglist lab replay --systems fide,club,glicko")
    if missing := [name for name in systems if name not in by_name]:
        families = rule_book().families
        if unknown := [name for name in missing if name not in families and "+" not in name]:
            raise CommandLineError(
                f"No system was replayed as '{unknown[0]}', and no rule family has that name. The families: "
                f"{', '.join(families)}. A system with parameters is reported by the name that `lab replay` shows."
            )
        raise NothingReadError(f"Not replayed: {', '.join(missing)}. {_replay_again(study, start)}")
    entries = {by_name[name].facts["entry"] for name in systems}
    if len(entries) > 1:
        raise NothingReadError(
            f"The office changed between the replays of {', '.join(systems)}. {_replay_again(study, start)}"
        )
    games = pl.concat(by_name[name].predictions for name in systems).unique(PREDICTION_TABLE.key, maintain_order=True)
    return [PredictionTable(Path(name), games) if name.endswith(".parquet") else by_name[name] for name in chosen]


def _replay_again(study: Study, start: Start) -> str:
    options = "" if study.time_control == "standard" else f" --time-control {study.time_control}"
    options += "" if start == "list" else f" --start {start}"
    return f"Replay it first: ratinglist lab replay --systems SYSTEMS{options}"


def changes_lines(changes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a line for each what-if: its name and what it changed."""
    return [f"{name}: {', '.join(changed)}" for name, changed in changes.items()]


_STARTS = {"list": "the office's list before them", "scratch": "scratch: no player was rated"}


def study_tables(study: Study, compared: Sequence[Compared]) -> dict[str, pl.DataFrame]:
    """Return the tables of a comparison, by name; common games are those of the systems with a list every month."""
    births = study.players(study.months[-1]).select("fide_id", "birth_year")
    before = study.official(study.months[0] - 1)
    listed = before if before is not None else pl.DataFrame(schema={"fide_id": pl.Int64, "rating": pl.Int32})
    key = list(PREDICTION_TABLE.key)
    of_systems = {one.name: one.predictions for one in compared}
    games = pl.concat(rows.select(key) for rows in of_systems.values()).unique().sort(key)
    aligned = {name: games.join(rows, on=key, how="left", maintain_order="left") for name, rows in of_systems.items()}
    groups = game_groups(games, known_players(listed, births), study.months[0].first_day.year)
    of_games = {name: scores.scored(rows) for name, rows in aligned.items()}
    unrated = {name: rows["expected_billionths"].null_count() for name, rows in of_systems.items()}
    replays = [one for one in compared if isinstance(one, Replay)]
    few = {one.name for one in replays if one.facts["lists"] < len(study.months)}
    monthly = [name for name in of_systems if name not in few] or list(of_systems)
    lists = [study.months[0] - 1, *study.months]
    official = {month: rows for month in lists if (rows := study.official(month)) is not None}
    movement = []
    for one in replays:
        of_system = {month: rows for month in lists if (rows := one.ratings(month)) is not None}
        movement.append(list_movement.movement_rows(one.name, of_system, official, births))
    return {
        "scores": scores.score_rows(of_games, unrated, monthly),
        "differences": scores.difference_rows(of_games, groups),
        "calibration": scores.calibration_rows(of_games, groups),
        "movement": list_movement.MOVEMENT_TABLE.sorted(pl.concat(movement)),
    }


def output_folder(settings: Settings, out: Path | None) -> Path:
    """Return the folder to write to; raise :class:`CommandLineError` where it cannot be used."""
    folder = OUT if out is None else out
    check_output_folder(folder, settings.home)
    if folder.is_dir():
        output_path(folder, PAGE, settings.home)
    return folder


def write_report(
    folder: Path,
    document: Document,
    tables: dict[str, pl.DataFrame],
    schemas: dict[str, Table],
) -> list[str]:
    """Write the report as a page and its tables, and return the names of the files.

    The tables that a what-if alone has are deleted where an earlier one is in the folder.
    """
    folder.mkdir(exist_ok=True)
    for name in (list_movement.MOVED_TABLE.name, list_movement.LARGEST_TABLE.name):
        if name not in tables:
            (folder / f"{name}.parquet").unlink(missing_ok=True)
    for name, rows in tables.items():
        write_atomically(folder / f"{name}.parquet", partial(write_table, table=schemas[name], rows=rows))
    write_text_atomically(folder / PAGE, as_page(document))
    return [*(f"{name}.parquet" for name in tables), PAGE]
