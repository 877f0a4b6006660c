"""Write a simulated world into a folder.

```
OUT/simulated.json                    its parameters; marks a folder that `simulate` may replace
OUT/list-<month before>.csv           the starting list
OUT/players-<month>.csv               registrations, to be imported before the month's reports
OUT/reports/<month>/manifest.csv      and the reports, in the same folder
```
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.lists.transliteration import to_ascii
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

    The folder is created, or an earlier simulation in it is deleted. Raises :class:`CommandLineError` for less than one
    month, and for a folder that contains anything but a simulation.
    """
    if count < 1:
        raise CommandLineError(f"--months is {count}: at least 1 is needed.")
    if out.is_symlink():
        raise CommandLineError(f"{out} is a link: name the folder it leads to.")
    check_not_in_an_office(out, f"{out}")
    _delete_simulation(out)
    out.mkdir(parents=True, exist_ok=True)
    _write_parameters(out, world, count, encoding)
    progress("making the starting list", 0, count)
    listed = starting_list(world)
    listed.write_csv(out / f"list-{world.period(0)}.csv")
    rated = listed.filter(pl.col("rating").is_not_null())["time_control"].value_counts().sort("time_control")
    summary = SimulateSummary(str(out), world.players, {str(name): number for name, number in rated.iter_rows()})
    del listed
    for number, month in enumerate(months_of(world, count, rule_book().expected_score[_TABLE]), 1):
        month.registrations.write_csv(out / f"players-{month.period}.csv")
        due, entrants = (
            (month.due, month.entrants) if encoding is None else _for_engines(month.due, month.entrants, encoding)
        )
        folder = out / "reports" / str(month.period)
        write_reports(folder, due, entrants, month.cells, world.seed, byes_of_teams=encoding is not None)
        summary.add(month, world.newcomers)
        progress("playing and reporting months", number, count)
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
    # Written first: the next run deletes only reports that a manifest names, also after a run that was interrupted.
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


def _delete_simulation(out: Path) -> None:
    """Delete the files of an earlier simulation in ``out``.

    Raises :class:`CommandLineError` if ``out`` contains any other file; then nothing is deleted.
    """
    if out.is_dir() and not any(out.iterdir()):
        return
    if not out.exists():
        return
    if not (out / MARK).is_file():
        raise CommandLineError(
            f"{out} is not empty, and simulate did not write it: name a new folder, or an empty one."
        )
    simulated = _simulated_files(out)
    foreign = [
        path for path in sorted(out.rglob("*")) if path not in simulated and (path.is_symlink() or not path.is_dir())
    ]
    if foreign:
        raise CommandLineError(
            f"{out} also contains {foreign[0].relative_to(out)}, which simulate did not write: "
            "move it, or name another folder."
        )
    for path in sorted(simulated):
        path.unlink()
    for folder in sorted((path for path in out.rglob("*") if path.is_dir()), reverse=True):
        folder.rmdir()


def _simulated_files(out: Path) -> set[Path]:
    """Return every file in ``out`` that a simulation wrote; its reports are those that the manifests name.

    A manifest names files of its own folder alone: a changed one must not lead to the deletion of other files.
    """
    manifests = sorted(out.glob(f"reports/*/{MANIFEST}"))
    simulated = {out / MARK, *out.glob("list-????-??.csv"), *out.glob("players-????-??.csv"), *manifests}
    for path in manifests:
        files = pl.read_csv(path, columns=["file"], infer_schema=False)["file"].to_list()
        simulated.update(path.parent / file for file in files if file and Path(file).name == file)
    return {path for path in simulated if path.is_file() and not path.is_symlink() and not path.parent.is_symlink()}
