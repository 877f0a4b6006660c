"""The parser of tournament reports (TRF16, TRF26): frames of headers, players, round cells and findings.

A batch of files is parsed in one pass of column operations, never line by line. All faults of a file are reported at
once.

A line belongs to a code only where the code is in columns 1-3 and a blank, or nothing, follows: the column rulers that
arbiters leave in their files (``0123456...``, ``DDD SSSS ...``) are not data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding, limit_per_rule
from ratinglist.reports import games, trf_header, trf_players
from ratinglist.reports.dates import Circle, dates_in, was_born
from ratinglist.reports.games import GAME, Parsed
from ratinglist.tables import DELIVERED, FILE_FINDING, HEADER

_NOTHING_STATED: Final = DELIVERED.empty()
_PLAYER_CODE: Final = "001"
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
class ParsedReports:
    """A batch of reports. ``header``: :data:`~ratinglist.tables.HEADER`, one row for every file delivered.
    ``players``: :data:`~ratinglist.tables.PLAYER_LINE`. ``cells``: :data:`~ratinglist.tables.CELL`.
    ``findings``: :data:`~ratinglist.tables.FILE_FINDING`; a file with a refusing one is refused whole.
    """  # noqa: D205 - four frames, four sentences

    header: pl.DataFrame
    players: pl.DataFrame
    cells: pl.DataFrame
    findings: pl.DataFrame


def read_trf(delivered: pl.DataFrame) -> Parsed:
    """Read a batch of reports (:data:`~ratinglist.tables.DELIVERED`): parse them, and pair the cells to games."""
    # A file without text is refused already; the finding that it has no players would add nothing.
    parsed = parse(delivered.filter(pl.col("text") != ""), delivered)
    paired = games.pair(parsed.players, parsed.cells)
    ids = parsed.players.drop_nulls("start_number").unique(
        ["file_no", "start_number"], keep="first", maintain_order=True
    )
    with_ids = paired.games
    for side in ("white", "black"):
        of_side = ids.select("file_no", *(pl.col(name).alias(f"{side}_{to}") for name, to in _NUMBER_AND_ID))
        with_ids = with_ids.join(of_side, on=["file_no", f"{side}_number"], how="left", maintain_order="left")
    findings = pl.concat([parsed.findings, paired.findings])
    return Parsed(parsed.header, parsed.players, with_ids.select(GAME), paired.counts, findings)


_NUMBER_AND_ID: Final = (("start_number", "number"), ("fide_id", "id"))


def parse(delivered: pl.DataFrame, stated: pl.DataFrame = _NOTHING_STATED) -> ParsedReports:
    """Parse a batch of reports.

    ``delivered`` needs ``file_no`` and ``text`` (decoded; see :data:`~ratinglist.tables.DELIVERED`), in any order.
    A batch of some hundred files keeps memory low. A file that is no report has a header of nulls and the finding
    ``not_a_report``. Missing or unreadable dates are left null with their text, because the manifest may have them.
    ``stated``: the name of a tournament and the FIDE IDs of players as a manifest has them (``file_no``,
    ``event_name``, ``player_ids`` of :data:`~ratinglist.tables.DELIVERED`); they count before the report's own.
    Source: C.04 Annex 2 (TRF16) and TRF26.
    """
    texts = delivered.select(pl.col("file_no").cast(pl.Int32), "text").sort("file_no")
    lines = split(texts)
    tournament = trf_header.read(lines.files, lines.coded, stated.select("file_no", "event_name").drop_nulls())
    players = trf_players.read(lines.players, _stated_ids(stated))
    rounds = games.read_cells(players.texts, tournament.round_dates)
    header = (
        texts.select("file_no")
        .join(tournament.header, on="file_no", how="left")
        .join(lines.files, on="file_no", how="left")
        .join(rounds.cells.group_by("file_no").agg(pl.col("round").max().alias("last_round")), on="file_no", how="left")
        .sort("file_no")
    )
    compared = _comparisons(header, players.players, rounds.sums, lines.files)
    return ParsedReports(
        HEADER.conform(
            header.with_columns(
                pl.coalesce("rounds", "last_round", 0).alias("rounds"),
                pl.col("teams").fill_null(0),
                pl.col("report_format").fill_null("TRF16"),
            )
        ),
        players.players,
        rounds.cells,
        limit_per_rule(pl.concat([lines.findings, tournament.findings, players.findings, rounds.findings, compared])),
    )


def _stated_ids(stated: pl.DataFrame) -> pl.DataFrame:
    """Return ``file_no``, ``start_number`` and ``stated_id`` of the players whose FIDE ID a manifest states."""
    stated = stated.select("file_no", pl.col("player_ids").str.split(" ")).drop_nulls().explode("player_ids")
    pair = pl.col("player_ids").str.split_exact("=", 1)
    return stated.select(
        "file_no",
        pair.struct.field("field_0").cast(pl.Int32).alias("start_number"),
        pair.struct.field("field_1").cast(pl.Int64).alias("stated_id"),
    )


def _comparisons(header: pl.DataFrame, players: pl.DataFrame, sums: pl.DataFrame, files: pl.DataFrame) -> pl.DataFrame:
    """Return what the records of the tournament and its players' lines, or two parts of a line, state differently.

    ``sums``: as in :class:`games.RoundCells`. Another number of players than 062 announces: the file may be truncated.
    Points (81-84) that are not the sum of the results: unless the event has its own scoring. The name of the event has
    the birth date of one of its players: a refusal. A date in the :data:`~ratinglist.reports.dates.YOUNGEST` years
    before the event, or later, is a day of play. A day and a year with a word that is like no month are no reason to
    refuse a report: the event is published with its code in the place of such a name.
    """
    counted = header.join(players.group_by("file_no").len(), on="file_no", how="left")
    compared = (
        players.join(sums, on=["file_no", "line"], how="left", maintain_order="left")
        .with_columns(pl.col("halves").fill_null(0) * 5, pl.col("unreadable").fill_null(value=False))
        .filter(~pl.col("unreadable") & (pl.col("halves") != pl.col("points_tenths")))
        .join(files.filter(~pl.col("own_scoring")), on="file_no", how="semi")
    )
    points, sum_of_results = (
        pl.format("{}.{}", of // 10, of % 10) for of in (pl.col("points_tenths"), pl.col("halves"))
    )
    days = dates_in(header["name"]).filter(pl.col("circle") <= Circle.OFFICE)
    births = players.select(pl.col("file_no").cast(pl.Int32), day="birth_date")
    named = header.select("file_no", "name_line", "start_date", text="name").join(days, on="text")
    born = named.filter(was_born(pl.col("day"), pl.col("start_date"))).join(births, on=["file_no", "day"], how="semi")
    return pl.concat(
        [
            finding(
                "more_rounds",
                header.filter(pl.col("last_round") > pl.col("rounds")),
                line=pl.col("rounds_line"),
                column=5,
                value=pl.col("rounds"),
                detail=pl.col("last_round"),
            ),
            finding(
                "player_count_differs",
                counted.filter(pl.col("players_announced") != pl.col("len")),
                line=pl.col("players_line"),
                column=5,
                value=pl.col("players_announced"),
                detail=pl.col("len"),
            ),
            finding("birth_date_in_name", born.unique("file_no").sort("file_no"), line=pl.col("name_line"), column=5),
            finding("points_differ", compared, line=pl.col("line"), column=81, value=points, detail=sum_of_results),
        ]
    )


@dataclass(frozen=True, slots=True)
class ReportLines:
    """The lines of a batch of reports.

    ``players``: ``file_no``, ``line``, ``text`` of every 001 line. ``coded``: ``file_no``, ``line``, ``code`` (upper
    case; ``NRS`` for a line of a national list), ``value`` (the text from column 5, outer blanks trimmed) and
    ``text`` of every other line with a code the formats know. ``files``: ``file_no``, ``report_format`` (``TRF16``,
    ``TRF26``) and ``own_scoring`` (a record gives points other than 1, ½, 0) of every file that is a report at all.
    ``findings``: :data:`~ratinglist.tables.FILE_FINDING`.
    """

    players: pl.DataFrame
    coded: pl.DataFrame
    files: pl.DataFrame
    findings: pl.DataFrame


def split(delivered: pl.DataFrame) -> ReportLines:
    """Split the texts into lines and classify each line.

    ``delivered`` needs ``file_no`` and ``text`` (decoded). Sources: TRF16 and TRF26, section 4 of the formats.
    """
    lines = (
        delivered.select("file_no", pl.col("text").str.split("\n"))
        .with_columns(pl.int_ranges(1, pl.col("text").list.len() + 1, dtype=pl.Int32).alias("line"))
        .explode("text", "line")
        .select("file_no", "line", "text")
    )
    is_player = lines["text"].str.contains(rf"^{_PLAYER_CODE}(?:\s|$)")
    players, others = lines.filter(is_player), _others(lines.filter(~is_player))
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
    begin = pl.col("text").str.slice(0, 400).str.to_lowercase()
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
