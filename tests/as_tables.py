"""Reports as tables of events and games: what a federation with its results in a database delivers."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist.reports import discovery, judge, trf
from ratinglist.result_codes import BYES

LATER = date(2099, 1, 1)
FACTS = (
    *("event_id", "version", "received_on", "event_type", "time_control", "official", "federation"),
    *("start_date", "end_date", "registered_on", "minutes_per_60_moves"),
)


def deliver_as_tables(reports: Path, inbox: Path, ending: str = ".csv") -> None:
    """Write the accepted reports of a folder as tables to ``inbox``, and copy the refused ones with the manifest.

    Where several reports have one code, each further one is a delivery of its own in a folder inside.
    """
    (batch,) = discovery.read_batches(discovery.find([reports]), date(2025, 1, 1), LATER)
    read = judge.read(batch.delivered, batch.findings)
    names = dict(batch.delivered.select("file_no", "file_name").iter_rows())
    parsed = trf.parse(batch.delivered)
    accepted = read.reports.filter("accepted").sort("event_id", "version", "start_date", "report_id")
    again = pl.int_range(pl.len()).over("event_id").alias("again")
    for (number,), some in accepted.with_columns(again).group_by("again"):
        folder = inbox / f"tables-{number}"
        folder.mkdir(parents=True)
        events = some.select(*FACTS, "name")
        rows = [
            games_of(parsed, file_no).select(pl.lit(code).alias("event_id"), pl.all())
            for code, file_no in some.select("event_id", "file_no").iter_rows()
        ]
        # As a database would give them: in no order of events.
        games = pl.concat(rows).sort("round", "white_id", "black_id", nulls_last=True)
        write(folder / f"events{ending}", events.with_columns(pl.col("official").cast(pl.Int32)))
        write(folder / f"games{ending}", games)
    refused = [Path(names[file_no]) for file_no in read.reports.filter(~pl.col("accepted"))["file_no"]]
    if refused:
        (inbox / "refused").mkdir()
        manifest = pl.read_csv(reports / "manifest.csv", infer_schema=False)
        named = manifest.filter(pl.col("file").is_in([path.name for path in refused]))
        named.write_csv(inbox / "refused" / "manifest.csv")
    for path in refused:
        shutil.copy(path, inbox / "refused")


def write(path: Path, frame: pl.DataFrame) -> None:
    """Write a table in the format of its ending."""
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path)


def games_of(parsed: trf.ParsedReports, file_no: int) -> pl.DataFrame:
    """The rows of one report: a row for two lines that name each other, and one for any other cell."""
    ids = parsed.players.filter(file_no=file_no).select("start_number", "fide_id")
    cells = (
        parsed.cells.filter(file_no=file_no)
        .with_columns(pl.col("code", "colour").cast(pl.String))
        .join(ids, on="start_number")
    )
    other = cells.select(
        "round", opponent_number="start_number", back="opponent_number", opponent_id="fide_id", opponent_code="code"
    )
    both = cells.join(other, on=["round", "opponent_number"], how="left").with_columns(
        mutual=(pl.col("back") == pl.col("start_number")).fill_null(value=False)
    )
    lower = pl.col("start_number") < pl.col("opponent_number")
    first = pl.when(pl.col("colour") == "").then(lower).otherwise(pl.col("colour") == "w")
    pairs = both.filter(pl.col("mutual") & first).select(
        *("round", "date"),
        white_id="fide_id",
        black_id="opponent_id",
        white_result="code",
        black_result="opponent_code",
    )
    alone = both.filter(~pl.col("mutual") & pl.col("code").is_in([*BYES, "+", "-"])).select(
        *("round", "date"),
        white_id="fide_id",
        black_id=pl.lit(None, pl.Int64),
        white_result="code",
        black_result=pl.lit(""),
    )
    return pl.concat([pairs, alone])
