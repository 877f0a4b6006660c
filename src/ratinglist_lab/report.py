"""The command `ratinglist lab report`: scores, calibration and lists of the replayed systems side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.atomic_file import check_output_folder, output_path
from ratinglist.pages.document import Code, Entries
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary
from ratinglist.text import counted, grouped, text_table
from ratinglist_lab.measures import (
    CALIBRATION_TABLE,
    DIFFERENCE_TABLE,
    LARGEST_TABLE,
    MOVED_TABLE,
    MOVEMENT_TABLE,
    SCORE_TABLE,
    measured,
    write_measured,
)
from ratinglist_lab.predictions import PREDICTION_TABLE, with_expected
from ratinglist_lab.replay import Replay, Start, Study, replays_of, studied
from ratinglist_lab.report_document import percent, report_document

PAGE = "report.html"
OUT = Path("laboratory")
TABLES = (SCORE_TABLE, DIFFERENCE_TABLE, CALIBRATION_TABLE, MOVEMENT_TABLE)
"""The tables that are written, each as a file of its name."""
_STARTS = {"list": "the office's list before them", "scratch": "scratch: no player was rated"}


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
        lines += _changes_lines(self.changes)
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
    with studied(settings, months, time_control) as study:
        folder = output_folder(out or OUT)
        replays, elsewhere = _chosen(study, start, names)
        tables = study_tables(study, replays, elsewhere)
        if tables["scores"].is_empty():
            raise NothingReadError(
                f"No game is predicted from {study.months[0]} to {study.months[-1]} by "
                f"{', '.join(replay.name for replay in replays)}: there is nothing to report. Name more months, or "
                "replay other systems."
            )
        all_facts = {replay.name: replay.facts for replay in replays}
    changes = {name: facts["changes"] for name, facts in all_facts.items() if facts["changes"]}
    first, last = study.months[0], study.months[-1]
    about = [f"Months {first} to {last} of this office, {time_control}, from {_STARTS[start]}."]
    reference = Path(names[0]).stem if names and names[0].endswith(".parquet") else replays[0].name
    changed = [Entries([(Code(line),) for line in _changes_lines(changes)])]
    document = report_document("Systems side by side", about, reference, tables, changed)
    # What an earlier what-if left in the folder is of another study.
    for table in (MOVED_TABLE, LARGEST_TABLE):
        (folder / f"{table.name}.parquet").unlink(missing_ok=True)
    files = write_measured(folder, PAGE, document, tables, TABLES)
    return ReportSummary(reference, str(folder), files, changes, tables)


def _chosen(study: Study, start: Start, names: Sequence[str]) -> tuple[list[Replay], dict[str, pl.DataFrame]]:
    """Return the replays that are compared, in the order of their names, and the predictions from elsewhere by name.

    Raises :class:`NothingReadError` where a system was not replayed, or with other inputs; :class:`CommandLineError`
    where there is no family of that name either.
    """
    by_name = {replay.name: replay for replay in replays_of(study, start)}
    in_order = sorted(by_name, key=lambda name: (name != study.family, name))
    systems = [name for name in names if not name.endswith(".parquet")] if names else in_order
    options = "" if study.time_control == "standard" else f" --time-control {study.time_control}"
    options += "" if start == "list" else f" --start {start}"
    remedy = f"Replay first: ratinglist lab replay --systems {','.join(systems) or 'fide,club,glicko'}{options}"
    if missing := [name for name in systems if name not in by_name]:
        replayed = f" Replayed were {', '.join(in_order)}." if in_order else ""
        known = rule_book().families
        error = NothingReadError if all(name in known or "+" in name for name in missing) else CommandLineError
        raise error(f"Not replayed: {', '.join(missing)}.{replayed} {remedy}")
    if not systems:
        raise NothingReadError(f"No system was named that was replayed. {remedy}")
    replays = [by_name[name] for name in systems]
    if len({replay.facts["entry"] for replay in replays}) > 1:
        raise NothingReadError(f"The office changed between the replays of {', '.join(systems)}. {remedy}")
    games = pl.concat(replay.predictions for replay in replays).unique(PREDICTION_TABLE.key, maintain_order=True)
    paths = [Path(name) for name in names if name.endswith(".parquet")]
    return replays, {path.stem: _from_elsewhere(path, games) for path in paths}


def _from_elsewhere(path: Path, games: pl.DataFrame) -> pl.DataFrame:
    """Return the predictions of a file (``PREDICTION_TABLE``); ``games``: those that any replay counts.

    Raises :class:`CommandLineError` where the file has none.
    """
    try:
        return with_expected(games, pl.read_parquet(path, glob=False))
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = f"{error}".partition("\n")[0]
        raise CommandLineError(
            f"{path} has no predictions ({reason}): write a Parquet file with the columns "
            f"{', '.join(PREDICTION_TABLE.key)} and expected, White's expected score from 0 to 1."
        ) from None


def _changes_lines(changes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a line for each what-if: its name and what it changed."""
    return [f"{name}: {', '.join(changed)}" for name, changed in changes.items()]


def study_tables(
    study: Study, replays: Sequence[Replay], elsewhere: Mapping[str, pl.DataFrame] | None = None
) -> dict[str, pl.DataFrame]:
    """Return :data:`TABLES` of a comparison, by name.

    ``elsewhere``: predictions from elsewhere (``PREDICTION_TABLE``) by name. Common games are those of the systems with
    a list every month.
    """
    predictions = {replay.name: replay.predictions for replay in replays} | dict(elsewhere or {})
    few = {replay.name for replay in replays if replay.facts["lists"] < len(study.months)}
    monthly = [name for name in predictions if name not in few] or list(predictions)
    lists = [
        (replay.name, str(month), rows)
        for replay in replays
        for month in (study.months[0] - 1, *study.months)
        if (rows := replay.ratings(month)) is not None
    ]
    births = study.players(study.months[-1]).select("fide_id", "birth_year")
    frames = {
        "prediction": pl.concat(rows.with_columns(system=pl.lit(name)) for name, rows in predictions.items()),
        "monthly": pl.DataFrame({"system": monthly}),
        "known": study.list_before().join(births, on="fide_id", how="full", coalesce=True),
        "replayed_month": pl.DataFrame([row[:2] for row in lists], ["system", "list_month"], orient="row"),
        "replayed_list": pl.concat(
            rows.with_columns(system=pl.lit(name), list_month=pl.lit(month)) for name, month, rows in lists
        ),
        "official": study.official(),
    }
    return measured(TABLES, "scored", frames, year=study.months[0].first_day.year)


def output_folder(folder: Path) -> Path:
    """Return the folder to write to; raise :class:`CommandLineError` where it cannot be used."""
    check_output_folder(folder)
    if folder.is_dir():
        output_path(folder, PAGE)
    return folder
