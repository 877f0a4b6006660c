"""The command `ratinglist lab report`: scores, calibration and lists of the replayed systems side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from ratinglist.concurrency import map_ordered, prefetch
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.atomic_file import check_output_folder, output_path, write_atomically, write_text_atomically
from ratinglist.laboratory import list_movement, scores
from ratinglist.laboratory.frozen_months import FrozenMonths, frozen_months, held_laboratory
from ratinglist.laboratory.game_groups import game_groups, known_players
from ratinglist.laboratory.list_movement import AlignedRatings
from ratinglist.laboratory.predictions import side_by_side
from ratinglist.laboratory.replay_folder import Replay, Start, replay_command, replays_of
from ratinglist.laboratory.report_document import CHARTS, chart_figures, percent, report_document
from ratinglist.laboratory.scores import Scores
from ratinglist.pages.document import Code, Document, Entries, Figure
from ratinglist.pages.html_pages import as_page
from ratinglist.pages.markdown import as_markdown, linked
from ratinglist.pages.plain_text import text_table
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_table
from ratinglist.summaries import Summary
from ratinglist.tables import Table
from ratinglist.text import counted, grouped

REPORT = "report.md"
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

_GAMES_AT_ONCE = 10_000_000
"""Predictions of all systems that are in memory together, unless one month has more."""


@dataclass(frozen=True, slots=True)
class ReportSummary(Summary):
    """What was written.

    ``reference``: the system that the others differ from; ``changes``: what each what-if among the systems changed;
    ``tables``: the rows by the stem of the file.
    """

    digest: str
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
            lines.append(f"without a list every month, so not in this table: {', '.join(without)}; see {REPORT}")
        head = f"Report of {self.digest}: {counted(len(self.files), 'file')} in {self.folder}"
        return "\n".join([head, *(f"  {line}" for line in lines)])


def report(
    settings: Settings,
    names: Sequence[str] = (),
    *,
    start: Start = "list",
    digest: str | None = None,
    time_control: str = "standard",
    out: Path | None = None,
) -> ReportSummary:
    """Compare replayed systems and write the report: a page, Markdown, charts and tables.

    ``names``: the systems, the first one the reference; default: all that were replayed, compared with the office's
    family. Raises :class:`NothingReadError` where one was not replayed, :class:`CommandLineError` for a folder that
    cannot be used.
    """
    with held_laboratory(settings.home, writes=False):
        frozen = frozen_months(settings.home, digest)
        compared = _chosen(replays_of(frozen, start, time_control, names), names, frozen, start, time_control)
        folder = output_folder(settings, out)
        for one in compared:
            one.check()
        if not any(one.facts["predicted"] for one in compared):
            raise NothingReadError(
                f"No game is predicted from {frozen.months[0]} to {frozen.months[-1]} by "
                f"{', '.join(one.name for one in compared)}: there is nothing to report. Freeze more months, or "
                "replay other systems."
            )
        changes = {one.name: one.changes for one in compared if one.changes}
        steps = {one.name: one.one_time_steps for one in compared}
        tables = study(settings, frozen, compared, time_control)
    facts = [
        f"Months {frozen.months[0]} to {frozen.months[-1]} of this office, {time_control}, from {_STARTS[start]}; "
        f"frozen as {frozen.digest}.",
    ]
    charts = chart_figures(tables, steps)
    reference = compared[0].name
    changed = [Entries.of([(Code(line),) for line in changes_lines(changes)])]
    document = report_document("Systems side by side", facts, reference, tables, charts, changed)
    files = write_report(folder, document, charts, tables, TABLES)
    return ReportSummary(frozen.digest, reference, str(folder), files, changes, tables)


def _chosen(
    replays: Sequence[Replay], names: Sequence[str], frozen: FrozenMonths, start: Start, time_control: str
) -> list[Replay]:
    """Return the replays to compare, the reference first.

    Raises :class:`NothingReadError` where a system was not replayed, :class:`CommandLineError` where there is none of
    that name.
    """
    by_name = {one.name: one for one in replays}
    if missing := [name for name in names if name not in by_name]:
        families = rule_book().families
        if unknown := [name for name in missing if name not in families and "+" not in name]:
            raise CommandLineError(
                f"No system was replayed as '{unknown[0]}', and no rule family has that name. The families: "
                f"{', '.join(families)}. A class is replayed as FILE.py:Class, and reported by its name."
            )
        command = replay_command(missing, time_control, start)
        raise NothingReadError(f"Not replayed: {', '.join(missing)}. Replay it first: {command}")
    chosen = names or sorted(by_name, key=lambda name: (name != frozen.family, name))
    if not chosen:
        raise NothingReadError("No system was replayed. Replay some: ratinglist lab replay --systems fide,club,glicko")
    return [by_name[name] for name in chosen]


def changes_lines(changes: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a line for each what-if: its name and what it changed."""
    return [f"{name}: {', '.join(changed)}" for name, changed in changes.items()]


_STARTS = {"list": "the office's list before them", "scratch": "scratch: no player was rated"}


def study(
    settings: Settings, frozen: FrozenMonths, replays: Sequence[Replay], time_control: str
) -> dict[str, pl.DataFrame]:
    """Return the tables of a comparison, by name; common games are those of the systems with a list every month."""
    systems = tuple(one.name for one in replays)
    births = frozen.last_players(("fide_id", "birth_year"))
    before = frozen.official(frozen.months[0] - 1, time_control)
    listed = before if before is not None else pl.DataFrame(schema={"fide_id": pl.Int64, "rating": pl.Int32})
    known = known_players(listed, births)
    monthly = tuple(one.name for one in replays if one.facts["lists"] == len(frozen.months))
    found = Scores(systems, monthly or systems, map_ordered)
    parts = _parts(replays)
    # The next part is read while one is scored.
    for done, (games, predictions) in enumerate(prefetch(_side_by_side(replays, months) for months in parts)):
        settings.progress("scoring", done, len(parts))
        found.add(predictions, game_groups(games, known, frozen.months[0].first_day.year))
        del games, predictions
    lists = [frozen.months[0] - 1, *frozen.months]
    official = AlignedRatings(births)
    for month in lists:
        if (rows := frozen.official(month, time_control)) is not None:
            official.add(month, rows)
    movement = []

    def movement_of(one: Replay) -> pl.DataFrame:
        ratings = ((month, one.ratings(month)) for month in lists)
        of_system = ((month, rows) for month, rows in ratings if rows is not None)
        return list_movement.movement_rows(one.name, of_system, official)

    for done, rows in enumerate(map_ordered(movement_of, replays)):
        settings.progress("comparing lists", done, len(replays))
        movement.append(rows)
    return {
        "scores": found.score_rows(),
        "differences": found.difference_rows(),
        "calibration": found.calibration_rows(),
        "movement": list_movement.MOVEMENT_TABLE.sorted(pl.concat(movement)),
    }


def _side_by_side(replays: Sequence[Replay], months: Sequence[str]) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Return the games of the events that ended in some months, and what each system expects of them."""
    return side_by_side({one.name: one.predictions(events_of=months) for one in replays})


def _parts(replays: Sequence[Replay]) -> list[list[str]]:
    """Return the months in which events ended, in parts with few enough games; an event is in one part."""
    games: Counter[str] = Counter()
    for one in replays:
        games.update(one.facts["games_by_month_of_event"])
    parts: list[list[str]] = []
    in_part = _GAMES_AT_ONCE
    for month in sorted(games):
        if in_part + games[month] > _GAMES_AT_ONCE:
            parts.append([])
            in_part = 0
        parts[-1].append(month)
        in_part += games[month]
    return parts


def output_folder(settings: Settings, out: Path | None) -> Path:
    """Return the folder to write to; raise :class:`CommandLineError` where it cannot be used."""
    folder = OUT if out is None else out
    check_output_folder(folder, settings.home)
    if folder.is_dir():
        output_path(folder, REPORT, settings.home)
    return folder


def write_report(
    folder: Path,
    document: Document,
    charts: Mapping[str, Figure],
    tables: dict[str, pl.DataFrame],
    schemas: dict[str, Table],
) -> list[str]:
    """Write the report, its charts and tables, and return the names of the files.

    Of an earlier report in the folder, the charts and tables that this one has not are deleted.
    """
    folder.mkdir(exist_ok=True)
    if (folder / REPORT).is_file():
        tables_of_all = (*TABLES, list_movement.MOVED_TABLE.name, list_movement.LARGEST_TABLE.name)
        earlier = [f"{name}.parquet" for name in tables_of_all if name not in tables]
        earlier += [f"{name}.svg" for name in CHARTS if name not in charts]
        for name in earlier:
            (folder / name).unlink(missing_ok=True)
    for name, rows in tables.items():
        write_atomically(folder / f"{name}.parquet", partial(write_table, table=schemas[name], rows=rows))
    texts = {
        REPORT: as_markdown(document, linked),
        PAGE: as_page(document),
        **{f"{name}.svg": one.svg for name, one in charts.items()},
    }
    for name, text in texts.items():
        write_text_atomically(folder / name, text)
    return [*(f"{name}.parquet" for name in tables), *texts]
