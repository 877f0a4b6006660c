"""Splitting of reports into lines, and the code of each line.

A line belongs to a code only where the code is in columns 1-3 and a blank, or nothing, follows: the column rulers that
arbiters leave in their files (``0123456...``, ``DDD SSSS ...``) are not data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.schemas import FILE_FINDING

PLAYER_CODE: Final = "001"
_TRF16: Final = ("012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132", "013")
_TRF26: Final = (
    *("142", "152", "162", "172", "182", "192", "202", "212", "222", "240", "250", "260", "299"),
    *("300", "310", "320", "330", "352", "362", "801", "802"),
)
_NATIONAL: Final = "NRS"
#: Extensions of pairing programs to TRF16: XXR, XXC, ... and BBW, BBD, ...
_EXTENSION: Final = r"^(?:XX|BB)[A-Z]$"
_SCORING: Final = r"^(?:162|299|XXS|BB[A-Z])$"
_CODED: Final = r"^[0-9A-Za-z]{3}(?:\s|$)"
_RULER: Final = r"^[\d\s+\-=_*.|]*$"
_MISPLACED: Final = r"^(?:\s+001(?:\s|$)|001[^\d\s])"

#: What a file without player lines seems to be, by its beginning in lower case; the first pattern that fits decides.
_LOOKS_LIKE: Final = (
    (r"^\s*$", "it holds no text"),
    (r"^\s*\"?(?:id[ _]?number|fide[ _]?id|fideid)", "it looks like a rating list: read it with import-list"),
    (r"<(?:playerslist|player)>", "it looks like a FIDE rating list in XML: read it with import-list"),
    (r"^\s*<(?:!doctype|html)", "it is a web page"),
    (r"^%pdf", "it is a PDF document"),
    (r"^(?:pk\x03\x04|\{\\rtf)", "it is an office document"),
)


@dataclass(frozen=True, slots=True)
class ReportLines:
    """The lines of a batch of reports.

    ``players``: ``file_no``, ``line``, ``text`` of every 001 line. ``coded``: ``file_no``, ``line``, ``code`` (upper
    case; ``NRS`` for a line of a national list), ``value`` (the text from column 5, outer blanks trimmed) and
    ``text`` of every other line with a code the formats know. ``files``: ``file_no``, ``report_format`` (``TRF16``,
    ``TRF26``) and ``own_scoring`` (a record gives points other than 1, ½, 0) of every file that is a report at all.
    ``findings``: :data:`~ratinglist.schemas.FILE_FINDING`.
    """

    players: pl.DataFrame
    coded: pl.DataFrame
    files: pl.DataFrame
    findings: pl.DataFrame


def split(delivered: pl.DataFrame) -> ReportLines:
    """Split the texts into lines and classify each line.

    ``delivered`` needs ``file_no`` and ``text`` (decoded). A byte order mark, CR line ends and NUL or 0x1A at the
    end, as old programs write them, are removed. Sources: TRF16 and TRF26, section 4 of the formats.
    """
    players, remaining = _players(_lines(delivered))
    others = _others(remaining)
    reports = players.select("file_no").unique()
    not_reports = delivered.join(reports, on="file_no", how="anti")
    others_of_reports = others.join(reports, on="file_no", how="semi")
    coded = others_of_reports.filter("known")
    files = (
        reports.join(
            coded.group_by("file_no").agg(
                pl.col("code").is_in([*_TRF26, _NATIONAL]).any().alias("newer"),
                pl.col("code").str.contains(_SCORING).any().alias("own_scoring"),
            ),
            on="file_no",
            how="left",
        )
        .select(
            "file_no",
            pl.when("newer").then(pl.lit("TRF26")).otherwise(pl.lit("TRF16")).alias("report_format"),
            pl.col("own_scoring").fill_null(value=False),
        )
        .sort("file_no")
    )
    return ReportLines(
        players,
        coded.select("file_no", "line", "code", "value", "text").sort("file_no", "line"),
        files,
        pl.concat([_not_report_findings(not_reports, others), _unread_findings(others_of_reports)]),
    )


def _lines(delivered: pl.DataFrame) -> pl.DataFrame:
    text = pl.col("text")
    has_mark, has_end_mark, has_returns = delivered.select(
        text.str.starts_with("\ufeff").any().alias("has_mark"),
        pl.any_horizontal(text.str.contains(end, literal=True) for end in "\x00\x1a").any().alias("has_end_mark"),
        text.str.contains("\r", literal=True).any().alias("has_returns"),
    ).row(0)
    # Copying all texts costs more than these searches. Line ends at the end only make blank lines, which are skipped.
    if has_mark or has_end_mark:
        text = text.str.strip_chars_start("\ufeff").str.strip_chars_end("\x00\x1a\n")
    if has_returns:
        text = text.str.replace_all("\r\n", "\n", literal=True).str.replace_all("\r", "\n", literal=True)
    return (
        delivered.select("file_no", text.str.split("\n"))
        .with_columns(pl.int_ranges(1, pl.col("text").list.len() + 1, dtype=pl.Int32).alias("line"))
        .explode("text", "line")
        .select("file_no", "line", "text")
    )


def _players(lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the 001 lines among ``lines``, then all other lines."""
    # White space other than a space may follow the code: it is searched only in lines without that space.
    usual = lines["text"].str.starts_with(f"{PLAYER_CODE} ")
    players, others = lines.filter(usual), lines.filter(~usual)
    text = pl.col("text")
    unusual = others["text"].str.starts_with(PLAYER_CODE)
    unusual &= others.select(text.str.slice(3, 1).str.strip_chars() == "").to_series()
    if unusual.any():
        players = pl.concat([players, others.filter(unusual)]).sort("file_no", "line")
        others = others.filter(~unusual)
    return players, others


def _others(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the lines that are no player lines, not blank, no comments and no rulers, with the code or empty text."""
    text, code, coded, letters = (pl.col(name) for name in ("text", "code", "coded", "letters"))
    first, second, third = (code.str.slice(at, 1) for at in range(3))
    # DDD SSSS sTTT NNNN...: no federation and no record has a code of three equal letters.
    ruler = (letters & (first == second) & (second == third)) | (~coded & text.str.contains(_RULER))
    national = (
        letters
        & ~code.str.contains(_EXTENSION)
        & (text.str.slice(4, 4).str.strip_chars().cast(pl.Int32, strict=False) > 0).fill_null(value=False)
        & text.str.slice(14, 33).str.contains(r"\pL")
    )
    known = code.is_in([*_TRF16, *_TRF26]) | (code.eq(_NATIONAL) & pl.col("national")) | code.str.contains(_EXTENSION)
    return (
        lines.filter(~text.str.contains(r"^(?:\s*$|#)"))
        .with_columns(text.str.slice(0, 3).str.to_uppercase().alias("code"), text.str.contains(_CODED).alias("coded"))
        .with_columns(code.str.contains(r"^[A-Z]{3}$").alias("letters"))
        .filter(~ruler)
        .with_columns(national.alias("national"), text.str.slice(4).str.strip_chars().alias("value"))
        .with_columns(
            pl.when(~coded).then(pl.lit("")).when("national").then(pl.lit(_NATIONAL)).otherwise(code).alias("code")
        )
        .with_columns(known.alias("known"), text.str.contains(_MISPLACED).alias("misplaced"))
    )


def _not_report_findings(not_reports: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Return one finding for each file without a 001 line, with what it seems to be."""
    seen = others.group_by("file_no").agg(pl.col("known").any(), pl.col("misplaced").any())
    begin = pl.col("text").str.strip_chars_start("\ufeff").str.slice(0, 400).str.to_lowercase()
    detail = pl.coalesce(
        pl.when(pl.col("misplaced")).then(pl.lit("its 001 lines do not begin in column 1")),
        *(pl.when(begin.str.contains(shape)).then(pl.lit(description)) for shape, description in _LOOKS_LIKE),
        pl.when(pl.col("known")).then(pl.lit("it has no player lines (001)")),
        pl.lit("none of its lines begins with a code such as 012 or 001"),
    )
    return finding("not_a_report", not_reports.join(seen, on="file_no", how="left"), detail=detail)


def _unread_findings(others: pl.DataFrame) -> pl.DataFrame:
    """Return a refusing finding for each misplaced player line, and a note per file for unknown codes and texts."""
    misplaced = others.filter("misplaced")
    unknown = others.filter(~pl.col("known") & ~pl.col("misplaced"))
    codes = unknown.filter(pl.col("code") != "").group_by("file_no", "code").agg(pl.col("line").min(), pl.len())
    texts = (
        unknown.filter(pl.col("code") == "")
        .group_by("file_no")
        .agg(pl.col("text").sort_by("line").first().str.strip_chars().str.slice(0, 40), pl.col("line").min(), pl.len())
    )
    return pl.concat(
        [
            FILE_FINDING.empty(),
            finding(
                "player_line_misplaced",
                misplaced,
                line=pl.col("line"),
                column=1,
                value=pl.col("text").str.strip_chars().str.slice(0, 40).str.strip_chars_end(),
            ),
            finding("unknown_code", codes, line=pl.col("line"), column=1, value=pl.col("code"), detail=pl.col("len")),
            finding("unknown_text", texts, line=pl.col("line"), column=1, value=pl.col("text"), detail=pl.col("len")),
        ]
    )
