"""The parser of tournament lines: name, dates, arbiter, rounds and the date of every round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.limits import SHOWN_LENGTH
from ratinglist.reports import dates
from ratinglist.reports.encoding import leave_out
from ratinglist.tables import FILE_FINDING

#: Codes whose first line counts, and their columns in the header.
_TEXTS: Final = {
    "012": "name",
    "022": "city",
    "032": "federation",
    "042": "start_date_text",
    "052": "end_date_text",
    "092": "type_text",
    "102": "chief_arbiter",
    "122": "time_text",
    "192": "type_code",
    "222": "time_code",
    "142": "rounds_text",
    "XXR": "rounds_extension",
    "062": "players_text",
}
_VALUE_COLUMN: Final = 5
_FIRST_ROUND_COLUMN: Final = 92
_COLUMNS_PER_ROUND: Final = 10
_MONTHS: Final = 12
_LONGEST_EVENT_DAYS: Final = 366
_DAY_AND_MONTH: Final = r"^\d{1,2}\s*[-/]\s*\d{1,2}\s*[-/]\s*\d{4}$"
_TWO_DIGIT_YEAR: Final = r"^\d{1,2}\D+\d{1,2}\D+\d{2}$"

ROUND_DATE: Final = pl.Schema({"file_no": pl.Int32(), "round": pl.Int32(), "date": pl.Date()})


@dataclass(frozen=True, slots=True)
class TournamentLines:
    """Headers of a batch.

    ``header``: the columns of :data:`~ratinglist.tables.HEADER` without ``report_format``; ``rounds`` is null where
    neither 142 nor XXR gives it; ``players_announced`` is the number in 062. ``round_dates``: :data:`ROUND_DATE`.
    ``findings``: :data:`~ratinglist.tables.FILE_FINDING`.
    """

    header: pl.DataFrame
    round_dates: pl.DataFrame
    findings: pl.DataFrame


def read(files: pl.DataFrame, coded: pl.DataFrame, names: pl.DataFrame) -> TournamentLines:
    """Parse the tournament lines of ``coded`` (see :class:`ratinglist.reports.trf.ReportLines`).

    ``names``: ``file_no`` and ``event_name`` of the files whose name a manifest states; such a name has no line.

    Returns one header row for each of ``files`` (``file_no``). A name that is missing refuses the file; a missing or
    unreadable date is left null with its text, because the manifest may have it. Source: TRF16 and TRF26,
    records 012-142, 192 and 222.
    """
    single, unseen = leave_out(coded.filter(pl.col("code").is_in(list(_TEXTS))), "value", _VALUE_COLUMN)
    first = single.sort("file_no", "code", pl.col("value") == "", "line").unique(
        ["file_no", "code"], keep="first", maintain_order=True
    )
    wide = first.group_by("file_no").agg(
        *(pl.col("value").filter(pl.col("code") == code).first().alias(name) for code, name in _TEXTS.items()),
        pl.col("line").filter(pl.col("code") == "012").first().alias("name_line"),
        pl.col("line").filter(pl.col("code") == "042").first().alias("start_date_line"),
        pl.col("line").filter(pl.col("code") == "052").first().alias("end_date_line"),
        pl.col("line").filter((pl.col("code") == "122") & (pl.col("value") != "")).first().alias("time_text_line"),
        pl.col("line").filter(pl.col("code") == "062").first().alias("players_line"),
        pl.col("line").filter(pl.col("code").is_in(["142", "XXR"])).min().alias("rounds_line"),
    )
    teams = coded.group_by("file_no").agg(
        pl.max_horizontal((pl.col("code") == "013").sum(), (pl.col("code") == "310").sum()).alias("teams")
    )
    federation = pl.col("federation")
    header = (
        files.select("file_no")
        .join(wide, on="file_no", how="left")
        .join(teams, on="file_no", how="left")
        .with_columns(
            pl.when(pl.col(name) != "").then(name)
            for name in _TEXTS.values()  # a code without a value counts as missing
        )
        .with_columns(
            pl.col("teams").fill_null(0),
            # Of "GER (Germany)" only the three letters.
            pl.coalesce(federation.str.extract(r"^([A-Z]{3})\W", 1), federation.str.to_uppercase()).alias("federation"),
            pl.coalesce(
                pl.col("rounds_text").cast(pl.Int32, strict=False),
                pl.col("rounds_extension").cast(pl.Int32, strict=False),
            ).alias("rounds"),
            pl.col("players_text").cast(pl.Int32, strict=False).alias("players_announced"),
        )
        .sort("file_no")
    )
    named = FILE_FINDING.empty()
    if not names.is_empty():
        header = header.join(names, on="file_no", how="left", maintain_order="left")
        named = finding(
            "name_differs",
            header.filter(pl.col("event_name") != pl.col("name")),
            line=pl.col("name_line"),
            column=_VALUE_COLUMN,
            value=pl.col("event_name").str.slice(0, SHOWN_LENGTH),
            detail=pl.col("name").str.slice(0, SHOWN_LENGTH),
        )
        header = header.with_columns(
            pl.coalesce("event_name", "name").alias("name"),
            pl.when(pl.col("event_name").is_null()).then("name_line").alias("name_line"),
        )
    header, two_digits = _with_dates(header)
    round_dates, unread = _round_dates(coded.filter(pl.col("code") == "132"))
    played = round_dates.group_by("file_no").agg(
        pl.col("date").min().alias("first_round_date"), pl.col("date").max().alias("last_round_date")
    )
    header = header.join(played, on="file_no", how="left", maintain_order="left")
    rounds_text = pl.coalesce("rounds_text", "rounds_extension")
    incomplete = [
        finding(
            "event_name_missing",
            header.filter(pl.col("name").is_null()),
            line=pl.col("name_line"),
            column=pl.when(pl.col("name_line").is_not_null()).then(5),
        ),
        finding("arbiter_missing", header.filter(pl.col("chief_arbiter").is_null())),
        finding(
            "rounds_unreadable",
            header.filter(pl.col("rounds").is_null() & rounds_text.is_not_null()),
            line=pl.col("rounds_line"),
            column=5,
            value=rounds_text,
        ),
    ]
    findings = pl.concat([named, *incomplete, two_digits, _repeated(single, first), unread, unseen])
    return TournamentLines(header, round_dates, findings)


def _with_dates(header: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``header`` with both dates, and a note on each that has two readings.

    The day is first in ``10/03/2025``, unless the month has to be first in the other date (``10/15/2025``), or only
    month first makes an event of at most a year. With a year of two digits the year is first, as in the dates of rounds
    (132), unless only day first makes such an event: ``28.07.05`` to ``31.07.05`` is July 2005, not 2028 to 2031.
    """
    read = dates.read(pl.concat([header["start_date_text"], header["end_date_text"]]))
    for end in ("start", "end"):
        column = f"{end}_date"
        header = header.join(
            read.select(
                pl.col("text").alias(f"{column}_text"),
                pl.col("date").alias(column),
                pl.coalesce("day_first", "date").alias(f"{column}_day_first"),
                pl.col("month_first").alias(f"{column}_month_first"),
            ),
            on=f"{column}_text",
            how="left",
            maintain_order="left",
        )
    day_first = _plausible("start_date_day_first", "end_date_day_first") & ~_plausible("start_date", "end_date")
    is_certain = pl.any_horizontal(
        (pl.col(column) == pl.col(f"{column}_month_first")) & (pl.col(column).dt.day() > _MONTHS)
        for column in ("start_date", "end_date")
    )
    by_month = [pl.coalesce(f"{column}_month_first", column) for column in ("start_date", "end_date")]
    is_month_first = is_certain | (_plausible(*by_month) & ~_plausible("start_date", "end_date"))
    header = header.with_columns(
        day_first.fill_null(value=False).alias("is_day_first"),
        is_month_first.fill_null(value=False).alias("is_month_first"),
    ).with_columns(
        pl.when("is_day_first")
        .then(f"{column}_day_first")
        .when("is_month_first")
        .then(pl.coalesce(f"{column}_month_first", column))
        .otherwise(column)
        .alias(column)
        for column in ("start_date", "end_date")
    )
    is_open = ~pl.col("is_month_first") & ~pl.any_horizontal(
        pl.col(f"{column}_text").str.contains(_DAY_AND_MONTH) & pl.col(f"{column}_month_first").is_null()
        for column in ("start_date", "end_date")
    ).fill_null(value=False)
    notes = [
        finding(
            "month_or_day_first",
            header.filter(is_open & (pl.col(column) != pl.col(f"{column}_month_first"))),
            line=pl.col(f"{column}_line"),
            column=5,
            value=pl.col(f"{column}_text"),
            detail=pl.col(column),
        )
        for column in ("start_date", "end_date")
    ]
    notes += [
        finding(
            "two_digit_year",
            header.filter(pl.col(f"{column}_text").str.contains(_TWO_DIGIT_YEAR) & pl.col(column).is_not_null()),
            line=pl.col(f"{column}_line"),
            column=5,
            value=pl.col(f"{column}_text"),
            detail=pl.col(column),
        )
        for column in ("start_date", "end_date")
    ]
    return header.select(pl.exclude("^.*_(day|month)_first$")), pl.concat(notes)


def _plausible(start: str | pl.Expr, end: str | pl.Expr) -> pl.Expr:
    first, last = (pl.col(day) if isinstance(day, str) else day for day in (start, end))
    return (last - first).dt.total_days().is_between(0, _LONGEST_EVENT_DAYS)


def _round_dates(lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the dates of record 132, and a note for each that cannot be read.

    They are in columns 92, 102, ...; where the line was edited by hand, the first date is of round 1, and so on.
    """
    first = lines.sort("file_no", "line").unique("file_no", keep="first", maintain_order=True)
    in_place = pl.col("text").str.slice(3, _FIRST_ROUND_COLUMN - 4).str.strip_chars() == ""
    by_column = first.filter(in_place).with_columns(
        pl.col("text").str.slice(_FIRST_ROUND_COLUMN - 1).str.extract_all(r".{1,10}").alias("date_text"),
        pl.lit(_FIRST_ROUND_COLUMN).alias("start"),
    )
    by_order = first.filter(~in_place).with_columns(
        pl.col("value").str.extract_all(r"\S+").alias("date_text"), pl.lit(None).alias("start")
    )
    cells = (
        pl.concat([by_column, by_order], how="vertical_relaxed")
        .filter(pl.col("date_text").list.len() > 0)
        .with_columns(pl.int_ranges(1, pl.col("date_text").list.len() + 1, dtype=pl.Int32).alias("round"))
        .explode("date_text", "round")
        .with_columns(pl.col("date_text").str.strip_chars())
    )
    read = cells.join(dates.read(cells["date_text"]), left_on="date_text", right_on="text", how="left")
    unread = finding(
        "round_date_unreadable",
        read.filter(pl.col("date").is_null() & ~pl.col("blank")),
        line=pl.col("line"),
        column=pl.col("start") + _COLUMNS_PER_ROUND * (pl.col("round") - 1),
        value=pl.col("date_text"),
        detail=pl.col("round"),
    )
    found = read.filter(pl.col("date").is_not_null())
    return found.select(pl.col(name).cast(dtype) for name, dtype in ROUND_DATE.items()), unread


def _repeated(single: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """Return a note where a second line of a code differs from the first."""
    again = (
        single.filter(pl.col("value") != "")
        .join(first, on=["file_no", "code"], suffix="_first")
        .filter((pl.col("line") != pl.col("line_first")) & (pl.col("value") != pl.col("value_first")))
    )
    if again.is_empty():
        return FILE_FINDING.empty()
    return finding(
        "code_repeated",
        again,
        line=pl.col("line"),
        column=5,
        value=pl.col("value").str.slice(0, SHOWN_LENGTH),
        # Shortened before the join repeats it: a long first line, repeated for many others, would fill the memory.
        detail=pl.format("{} on line {}: '{}'", "code", "line_first", pl.col("value_first").str.slice(0, SHOWN_LENGTH)),
    )
