"""Write a simulated world into a folder.

```
OUT/simulated.json                    its parameters
OUT/list-<month before>.csv           the starting list
OUT/players-<month>.csv               registrations, to be imported before the month's reports
OUT/reports/<month>/manifest.csv      and the reports, in the same folder
```
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.files.durable_files import TEMPORARY_PREFIX, remove
from ratinglist.names.folding import to_ascii
from ratinglist.settings import Progress, silent
from ratinglist.simulation.months import SimulateSummary, months_of
from ratinglist.simulation.opening_lists import starting_list
from ratinglist.simulation.plan import World
from ratinglist.simulation.report_texts import manifest, texts_of
from ratinglist.store.rule_files import rule_book

MARK = "simulated.json"
MANIFEST = "manifest.csv"
_TABLE = "expected_score"
_WRITTEN = ("file", "text", "is_cp1252", "has_mark", "is_crlf")
_BATCH = 500
"""Reports whose text is in memory at once."""


Encoding = Literal["utf-8", "ascii"]
"""One encoding of all reports. Otherwise encodings and line ends take turns, as those of real senders."""
_TEXTS_OF_EVENT = ("name", "city", "arbiter")


def simulate(
    out: Path, world: World, count: int, progress: Progress = silent, encoding: Encoding | None = None
) -> SimulateSummary:
    """Write ``count`` months of ``world`` into ``out`` and return the counts.

    ``encoding``: write the reports as pairing engines and checkers read them. All are in this encoding, without a byte
    order mark and with today's titles, and a bye of a team names the team.

    The folder is created. Raises :class:`CommandLineError` for less than one month, and where it is there already.
    """
    if count < 1:
        raise CommandLineError(f"--months is {count}: at least 1 is needed.")
    check_not_in_an_office(out, f"{out}")
    if os.path.lexists(out):
        raise CommandLineError(f"{out} is there already: name a new folder.")
    # Renamed at the end: what an interrupted run has left is deleted by the next one.
    made = out.with_name(f"{TEMPORARY_PREFIX}{out.name}")
    remove(made)
    made.mkdir(parents=True)
    _write_parameters(made, world, count, encoding)
    progress("making the starting list", 0, count)
    listed = starting_list(world)
    listed.write_csv(made / f"list-{world.period(0)}.csv")
    rated = listed.filter(pl.col("rating").is_not_null())["time_control"].value_counts().sort("time_control")
    summary = SimulateSummary(str(out), world.players, {str(name): number for name, number in rated.iter_rows()})
    del listed
    for number, month in enumerate(months_of(world, count, rule_book().expected_score[_TABLE]), 1):
        month.registrations.write_csv(made / f"players-{month.period}.csv")
        due, entrants = (
            (month.due, month.entrants) if encoding is None else _for_engines(month.due, month.entrants, encoding)
        )
        folder = made / "reports" / str(month.period)
        write_reports(folder, due, entrants, month.cells, world.seed, byes_of_teams=encoding is not None)
        summary.add(month, world.newcomers)
        progress("playing and reporting months", number, count)
    made.rename(out)
    return summary


def _for_engines(due: pl.DataFrame, entrants: pl.DataFrame, encoding: Encoding) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the reports and the entrants in one encoding, before any text is made of them."""
    due = due.with_columns(pl.lit(value=False).alias(name) for name in ("is_cp1252", "has_mark", "has_old_titles"))
    if encoding == "utf-8":
        return due, entrants
    plain = [to_ascii(due.select(name=name))[0]["name"].alias(name) for name in _TEXTS_OF_EVENT]
    return due.with_columns(plain), to_ascii(entrants)[0]


def write_reports(
    folder: Path,
    due: pl.DataFrame,
    entrants: pl.DataFrame,
    cells: pl.DataFrame,
    seed: int,
    *,
    byes_of_teams: bool = False,
) -> None:
    """Write the manifest and the reports ``due`` into ``folder``, which is created.

    ``due``, ``entrants`` and ``cells`` are those of a :class:`~ratinglist.simulation.months.Month`; ``seed`` is the
    world's. ``byes_of_teams``: a bye of a team names the team.
    """
    folder.mkdir(parents=True)
    manifest(due).write_csv(folder / MANIFEST)
    for part in due.iter_slices(_BATCH):
        events = part["event_no"].unique().implode()
        entrants_of_part, cells_of_part = (
            frame.filter(pl.col("event_no").is_in(events)) for frame in (entrants, cells)
        )
        texts = texts_of(part, entrants_of_part, cells_of_part, seed, byes_of_teams=byes_of_teams)
        written = part.join(texts, on="delivery", maintain_order="left")
        for file, text, is_cp1252, has_mark, is_crlf in written.select(_WRITTEN).iter_rows():
            ended = text.replace("\n", "\r\n") if is_crlf else text
            # A letter that the code page lacks becomes a question mark, as in programs that use the code page.
            encoding = "cp1252" if is_cp1252 else "utf-8-sig" if has_mark else "utf-8"
            (folder / file).write_bytes(ended.encode(encoding, "replace"))


def _write_parameters(out: Path, world: World, count: int, encoding: Encoding | None) -> None:
    parameters = {
        "made_by": "ratinglist simulate",
        "players": world.players,
        "first": str(world.first),
        "months": count,
        "seed": world.seed,
        "reports": world.reports,
        "federations": list(world.federations),
        **({"encoding": encoding} if encoding else {}),
    }
    (out / MARK).write_text(json.dumps(parameters, indent=2) + "\n", encoding="utf-8")
