"""The parser of tournament reports (TRF16, TRF26): frames of headers, players, round cells and findings.

The lines are split and classified here, and those of the tournament read: name, dates, arbiter, rounds and the date of
every round.

A batch of files is parsed in one pass of column operations, never line by line. All faults of a file are reported at
once.

Columns are counted in characters, as the format defines. Programs that count bytes shift everything behind a name with
accents to the left; where that reading fits the file better, it is used and noted.

A line belongs to a code only where the code is in columns 1-3 and a blank, or nothing, follows: the column rulers that
arbiters leave in their files (``0123456...``, ``DDD SSSS ...``) are not data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import BIRTH, FIDE_ID, finding, limit_per_rule
from ratinglist.limits import ROUNDS, SHOWN_LENGTH
from ratinglist.reports import dates, games
from ratinglist.reports.dates import dates_in, was_born
from ratinglist.reports.encoding import leave_out
from ratinglist.reports.games import GAME, Parsed
from ratinglist.tables import DELIVERED, FILE_FINDING, HEADER, PLAYER_LINE

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
_MONTHS: Final = 12
_LONGEST_EVENT_DAYS: Final = 366
_DAY_AND_MONTH: Final = r"^\d{1,2}\s*[-/]\s*\d{1,2}\s*[-/]\s*\d{4}$"
_TWO_DIGIT_YEAR: Final = r"^\d{1,2}\D+\d{1,2}\D+\d{2}$"

ROUND_DATE: Final = pl.Schema({"file_no": pl.Int32(), "round": pl.Int32(), "date": pl.Date()})

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
    """A batch of reports, parsed.

    ``header``: :data:`~ratinglist.tables.HEADER`, one row for every file delivered.
    ``players``: :data:`~ratinglist.tables.PLAYER_LINE`. ``cells``: :data:`~ratinglist.tables.CELL`.
    ``findings``: :data:`~ratinglist.tables.FILE_FINDING`; a file with a refusing one is refused whole.
    """

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
    player_lines, coded, files, of_lines = _split(texts)
    names = stated.select("file_no", "event_name").drop_nulls()
    tournament, round_dates, of_header = _read_header(files, coded, names)
    players, player_texts, of_players = _read_players(player_lines, _stated_ids(stated))
    cells, sums, of_cells = games.read_cells(player_texts, round_dates)
    header = (
        texts.select("file_no")
        .join(tournament, on="file_no", how="left")
        .join(files, on="file_no", how="left")
        .join(cells.group_by("file_no").agg(pl.col("round").max().alias("last_round")), on="file_no", how="left")
        .sort("file_no")
    )
    compared = _comparisons(header, players, sums, files)
    return ParsedReports(
        HEADER.conform(
            header.with_columns(
                pl.max_horizontal(pl.coalesce("rounds", "last_round", 0), "dated_rounds").alias("rounds"),
                pl.col("teams").fill_null(0),
                pl.col("report_format").fill_null("TRF16"),
            )
        ),
        players,
        cells,
        limit_per_rule(pl.concat([of_lines, of_header, of_players, of_cells, compared])),
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

    ``sums``: as in :func:`games.read_cells`. Another number of players than 062 announces: the file may be truncated.
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
    days = dates_in(header["name"])
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


def _split(delivered: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Split the texts (``file_no``, ``text``) into lines and classify each line.

    Out: ``file_no``, ``line``, ``text`` of every 001 line; ``file_no``, ``line``, ``code`` (upper case; ``NRS`` for a
    line of a national list), ``value`` (the text from column 5, outer blanks trimmed) and ``text`` of every other line
    with a code the formats know; ``file_no``, ``report_format`` (``TRF16``, ``TRF26``) and ``own_scoring`` (a record
    gives points other than 1, ½, 0) of every file that is a report at all; :data:`~ratinglist.tables.FILE_FINDING`.
    Sources: TRF16 and TRF26, section 4 of the formats.
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
    findings = pl.concat([_not_report_findings(not_reports, others), _unread_findings(others_of_reports)])
    return players, coded.select("file_no", "line", "code", "value", "text").sort("file_no", "line"), files, findings


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


def _read_header(
    files: pl.DataFrame, coded: pl.DataFrame, names: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Parse the tournament lines of ``coded`` (see :func:`_split`).

    ``names``: ``file_no`` and ``event_name`` of the files whose name a manifest states; such a name has no line.

    Out: one row for each of ``files`` (``file_no``), with the columns of :data:`~ratinglist.tables.HEADER` without
    ``report_format``, ``rounds`` being null where neither 142 nor XXR gives it, ``dated_rounds``, the last round with a
    date in 132, and ``players_announced``, the number in 062; :data:`ROUND_DATE`;
    :data:`~ratinglist.tables.FILE_FINDING`. A name that is missing refuses the file; a missing or unreadable date is
    left null with its text, because the manifest may have it. Source: TRF16 and TRF26,
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
            # Of two records that announce rounds the greater number: an unfinished event may be cut in one of them.
            pl.max_horizontal(pl.col("rounds_text", "rounds_extension").cast(pl.Int32, strict=False)).alias("rounds"),
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
        pl.col("date").min().alias("first_round_date"),
        pl.col("date").max().alias("last_round_date"),
        pl.col("round").max().alias("dated_rounds"),
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
    return header, round_dates, findings


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
    in_place = pl.col("text").str.slice(3, games.CELLS_START - 3).str.strip_chars() == ""
    by_column = first.filter(in_place).with_columns(
        pl.col("text").str.slice(games.CELLS_START).str.extract_all(r".{1,10}").alias("date_text"),
        pl.lit(games.CELLS_START + 1).alias("start"),
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
        column=pl.col("start") + games.CELL_WIDTH * (pl.col("round") - 1),
        value=pl.col("date_text"),
        detail=pl.col("round"),
    )
    dated = read.filter(pl.col("date").is_not_null())
    return dated.select(pl.col(name).cast(dtype) for name, dtype in ROUND_DATE.items()), unread


def _repeated(single: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """Return a note where a second line of a code differs from the first."""
    again = (
        single.filter(pl.col("value") != "")
        .join(first, on=["file_no", "code"], suffix="_first")
        .filter((pl.col("line") != pl.col("line_first")) & (pl.col("value") != pl.col("value_first")))
    )
    return finding(
        "code_repeated",
        again,
        line=pl.col("line"),
        column=5,
        value=pl.col("value").str.slice(0, SHOWN_LENGTH),
        # Shortened before the join repeats it: a long first line, repeated for many others, would fill the memory.
        detail=pl.format("{} on line {}: '{}'", "code", "line_first", pl.col("value_first").str.slice(0, SHOWN_LENGTH)),
    )


# -------------------------------------------------------------------------------------- the players, columns 1 to 90

_NAME_START: Final = 14
_NAME_END: Final = 47
#: Columns of a line with the most rounds; a longer line is no player line.
_MAX_COLUMNS: Final = games.CELLS_START + ROUNDS * games.CELL_WIDTH
#: First and last column of the fields up to the name, and of those behind it.
_FIELDS: Final = {"start_text": (5, 8), "name": (15, _NAME_END)}
_FIELDS_BEHIND: Final = {
    "rating_text": (49, 52),
    "federation": (54, 56),
    "fide_id_text": FIDE_ID,
    "birth_text": BIRTH,
    "points_text": (81, 84),
}
#: Offset, from 0, of the sex (column 10).
_SEX: Final = 9
#: Offsets, from 0, of the columns between two fields that must be blank: 53, 57, 69, 80, 85, 90 and 91.
_BETWEEN: Final = (52, 56, FIDE_ID[1], BIRTH[1], 84, 89, 90)
#: The text from column 48 on where every field is in its columns.
_LAYOUT: Final = (
    r"^ [ \d]{4} .{3} [ \d]{11} .{10} [ \d.,]{4} [ \d]{4}  (?:[ \d]{4} [ WBSwbs\-] [ 1=0+\-WDLHFUZwdlhfuz]  )* *$"
)
_SEXES: Final = {"": "", "-": "", "M": "M", "W": "F", "F": "F"}


def _read_players(lines: pl.DataFrame, stated_ids: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Parse 001 lines (``file_no``, ``line``, ``text``, in order). Source: TRF16 and TRF26, record 001.

    ``stated_ids``: ``file_no``, ``start_number`` and ``stated_id`` of the players whose FIDE ID a manifest states.

    Out: :data:`~ratinglist.tables.PLAYER_LINE`, sorted by file and line; ``file_no``, ``line``, ``start_number``,
    ``text`` (with its columns corrected) and ``damaged`` of the same lines in the same order, of a damaged line only
    the start number being used; :data:`~ratinglist.tables.FILE_FINDING`.
    """
    repaired, notes = _with_columns_in_characters(lines)
    # Slicing counts characters from the left, so the fields behind the name are sliced from a shorter text.
    behind = pl.col("behind")
    fields = (
        repaired.with_columns(pl.col("text").str.slice(_NAME_END, games.CELLS_START - _NAME_END).alias("behind"))
        .with_columns(
            pl.col("text").str.contains("\t", literal=True).alias("tab"),
            (pl.col("text").str.slice(_MAX_COLUMNS).str.strip_chars() != "").alias("endless"),
            pl.any_horizontal(behind.str.slice(at - _NAME_END, 1) > " " for at in _BETWEEN).alias("shifted"),
            *(_field("text", 0, *columns).alias(name) for name, columns in _FIELDS.items()),
            *(_field("behind", _NAME_END, *columns).alias(name) for name, columns in _FIELDS_BEHIND.items()),
            pl.col("text").str.slice(_SEX, 1).str.strip_chars().str.to_uppercase().alias("sex_text"),
        )
        .with_columns(pl.any_horizontal("tab", "endless", "shifted").alias("damaged"), *_player_values())
    )
    fields, unseen = leave_out(fields, "name", _FIELDS["name"][0])
    fields, stated = _with_stated_ids(fields, stated_ids)
    births = dates.read(fields["birth_text"])
    # A year of two digits leaves the century open, which is not guessed for a birth.
    births = births.with_columns(
        pl.when(pl.col("text").str.contains(r"\d{4}")).then(name).alias(name) for name in ("date", "year")
    ).rename({"text": "birth_text", "date": "birth_date", "year": "birth_year"})
    fields = fields.join(births, on="birth_text", how="left", maintain_order="left")
    sound = fields.filter(~pl.col("damaged"))
    faults = [_damages(fields.filter("damaged")), _faults(sound), _numbers_repeated(fields, sound)]
    texts = fields.select("file_no", "line", "start_number", "text", "damaged")
    return PLAYER_LINE.conform(fields), texts, pl.concat([notes, unseen, stated, *faults])


def _with_columns_in_characters(lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``lines`` with the columns behind the name corrected, and a note for every file that counted bytes.

    Both readings are tried on the lines that have more bytes than characters. The reading that fits more lines of a
    file is used; where both fit the same number, that of the format.
    """
    extra = (pl.col("text").str.len_bytes() - pl.col("text").str.len_chars()).cast(pl.Int32).alias("extra")
    wide = lines.with_columns(extra).filter(pl.col("extra") > 0)
    # A line may have more such bytes than a name can have; then the name is not what shifted it.
    behind = (_NAME_END - pl.col("extra")).clip(_NAME_START)
    # A shifted line can only fit where the column behind the FIDE ID is then blank: in most files none is.
    may_fit = pl.col("text").str.slice(behind + (FIDE_ID[1] - _NAME_END), 1).is_in(["", " "])
    wide = wide.join(wide.filter(may_fit), on="file_no", how="semi", maintain_order="left")
    wide = wide.with_columns(_fits("text").alias("text_fits"))
    # Where every line fits as it is, the other reading cannot fit more of them.
    wide = wide.join(wide.filter(~pl.col("text_fits")), on="file_no", how="semi")
    if wide.is_empty():
        return lines, finding("padded_by_bytes", lines.clear())
    moved = pl.col("text").str.slice(0, behind).str.pad_end(_NAME_END) + pl.col("text").str.slice(behind)
    wide = wide.with_columns(moved.alias("moved")).with_columns(_fits("moved").alias("moved_fits"))
    by_bytes = (
        wide.group_by("file_no")
        .agg(
            pl.len().alias("lines"),
            (pl.col("moved_fits").sum() > pl.col("text_fits").sum()).alias("by_bytes"),
            pl.col("line").min(),
        )
        .filter("by_bytes")
    )
    shifted = wide.join(by_bytes.select("file_no"), on="file_no", how="semi").select("file_no", "line", "moved")
    repaired = lines.join(shifted, on=["file_no", "line"], how="left", maintain_order="left").select(
        "file_no", "line", pl.coalesce("moved", "text").alias("text")
    )
    return repaired, finding("padded_by_bytes", by_bytes, line=pl.col("line"), column=15, detail=pl.col("lines"))


def _fits(text: str) -> pl.Expr:
    """Return whether the text behind the name has the layout; blanks trimmed from the end of a line are restored."""
    behind = pl.col(text).str.slice(_NAME_END).str.pad_end(games.CELLS_START - _NAME_END)
    return (behind + " " * games.CELL_WIDTH).str.contains(_LAYOUT)


def _field(text: str, before: int, first: int, last: int) -> pl.Expr:
    """Return columns ``first`` to ``last`` of a line, trimmed; ``text`` lacks its first ``before`` columns."""
    return pl.col(text).str.slice(first - 1 - before, last - first + 1).str.strip_chars()


def _player_values() -> list[pl.Expr]:
    """Return the values of the texts of :data:`_FIELDS`; null, or empty, where a text is not valid."""

    def positive(text: str, dtype: type[pl.DataType]) -> pl.Expr:
        number = pl.col(text).cast(dtype, strict=False)
        return pl.when(number > 0).then(number)

    points = pl.col("points_text").str.replace(",", ".", literal=True).cast(pl.Decimal(6, 1), strict=False)
    return [
        positive("start_text", pl.Int32).alias("start_number"),
        pl.col("rating_text").cast(pl.Int32, strict=False).alias("rating"),
        pl.col("federation").str.to_uppercase(),
        positive("fide_id_text", pl.Int64).alias("fide_id"),
        (points * 10).cast(pl.Int32, strict=False).alias("points_tenths"),
        pl.col("sex_text").replace_strict(_SEXES, default="").alias("sex"),
    ]


def _with_stated_ids(fields: pl.DataFrame, stated: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``fields`` with the FIDE IDs that a manifest states, a note for each file, and a refusal for nobody's."""
    if stated.is_empty():
        return fields, FILE_FINDING.empty()
    keys = ["file_no", "start_number"]
    joined = fields.join(stated, on=keys, how="left", maintain_order="left")
    there = pl.when(pl.col("fide_id_text").str.contains("^0*$")).then(pl.lit("none")).otherwise("fide_id_text")
    taken = (
        joined.filter(pl.col("stated_id").is_not_null() & pl.col("stated_id").ne_missing(pl.col("fide_id")))
        .with_columns(there.alias("there"))
        .group_by("file_no")
        .agg(pl.len(), pl.col("line", "name", "stated_id", "there").sort_by("line").first())
    )
    nobody = stated.join(fields, on=keys, how="anti").sort(keys)
    findings = [
        finding(
            "fide_ids_stated",
            taken,
            line=pl.col("line"),
            column=FIDE_ID[0],
            value=pl.col("len"),
            detail=pl.format("{}, {} (the report has {})", "name", "stated_id", "there"),
        ),
        finding("fide_id_of_nobody", nobody, value=pl.col("start_number"), detail=pl.col("stated_id")),
    ]
    text = pl.coalesce(pl.col("stated_id").cast(pl.String), "fide_id_text").alias("fide_id_text")
    fields = joined.with_columns(text, pl.coalesce("stated_id", "fide_id").alias("fide_id")).drop("stated_id")
    return fields, pl.concat(findings)


def _damages(lines: pl.DataFrame) -> pl.DataFrame:
    """Return one finding for each line whose columns cannot be trusted; such a line gets no other finding."""
    text = pl.col("text")
    tabbed = lines.filter("tab").with_columns(text.str.find("\t", literal=True).cast(pl.Int32).alias("first_tab"))
    tabs = [", ".join(str(at) for at, letter in enumerate(line, 1) if letter == "\t") for line in tabbed["text"]]
    first_wrong = pl.coalesce(pl.when(text.str.slice(at, 1) > " ").then(pl.lit(at + 1)) for at in _BETWEEN)
    shifted = lines.filter(pl.col("shifted") & ~pl.col("tab") & ~pl.col("endless")).with_columns(
        first_wrong.alias("column")
    )
    return pl.concat(
        [
            finding(
                "tab_in_line",
                tabbed.with_columns(pl.Series("tabs", tabs, dtype=pl.String).str.slice(0, SHOWN_LENGTH)),
                line=pl.col("line"),
                column=pl.col("first_tab") + 1,
                # The text behind a tab may be a birth.
                value=text.str.slice(0, pl.min_horizontal("first_tab", _NAME_END)).str.strip_chars(),
                detail=pl.col("tabs"),
            ),
            finding(
                "line_too_long",
                lines.filter(pl.col("endless") & ~pl.col("tab")),
                line=pl.col("line"),
                column=_MAX_COLUMNS + 1,
                value=text.str.strip_chars_end().str.len_chars(),
            ),
            finding(
                "columns_shifted",
                shifted,
                line=pl.col("line"),
                column=pl.col("column"),
                value=text.str.slice(pl.col("column") - 1, 1),
                # Digits in the place of a name may be a birth.
                detail=text.str.slice(14, 33).str.replace(r"[0-9].*", "").str.strip_chars(),
            ),
        ]
    )


def _faults(fields: pl.DataFrame) -> pl.DataFrame:
    """Return the findings of sound lines: wrong numbers refuse the file, fields that no rating needs are noted."""
    name, line = pl.col("name"), pl.col("line")
    blank_id = pl.col("fide_id_text").str.contains(r"^0*$")
    is_cut = (pl.col("start_text") == "") & (name == "")
    cut, whole = fields.filter(is_cut), fields.filter(~is_cut)
    no_id = whole.filter(pl.col("fide_id").is_null())
    return pl.concat(
        [
            finding("player_line_cut", cut, line=line),
            finding(
                "start_number_unreadable",
                whole.filter(pl.col("start_number").is_null()),
                line=line,
                column=5,
                value=pl.col("start_text"),
                detail=name,
            ),
            finding(
                "fide_id_missing",
                no_id.filter(blank_id),
                line=line,
                column=FIDE_ID[0],
                value=name,
                detail=pl.col("start_text"),
            ),
            finding(
                "fide_id_unreadable",
                no_id.filter(~blank_id),
                line=line,
                column=FIDE_ID[0],
                value=pl.col("fide_id_text"),
                detail=pl.col("start_text"),
            ),
            finding(
                "sex_unknown",
                fields.filter(~pl.col("sex_text").is_in(list(_SEXES))),
                line=line,
                column=10,
                value=pl.col("text").str.slice(9, 1),
            ),
            finding(
                "birth_unreadable",
                fields.filter(pl.col("birth_year").is_null() & ~pl.col("blank")),
                line=line,
                column=BIRTH[0],
                value=pl.col("birth_text"),
            ),
            finding(
                "points_unreadable",
                fields.filter(pl.col("points_tenths").is_null() & (pl.col("points_text") != "")),
                line=line,
                column=81,
                value=pl.col("points_text"),
            ),
        ]
    )


def _numbers_repeated(fields: pl.DataFrame, sound: pl.DataFrame) -> pl.DataFrame:
    """Return a finding for each further line of a start number or of a FIDE ID."""

    def again(number: str, lines: pl.DataFrame) -> pl.DataFrame:
        first = (
            lines.drop_nulls(number).group_by("file_no", number).agg(pl.col("line").min().alias("earlier"), pl.len())
        )
        repeated = lines.join(first.filter(pl.col("len") > 1), on=["file_no", number])
        return repeated.filter(pl.col("line") > pl.col("earlier"))

    return pl.concat(
        finding(
            rule,
            again(number, lines),
            line=pl.col("line"),
            column=column,
            value=pl.col(number),
            detail=pl.col("earlier"),
        )
        for rule, number, column, lines in (
            ("start_number_repeated", "start_number", 5, fields),
            ("fide_id_repeated", "fide_id", FIDE_ID[0], sound),
        )
    )
