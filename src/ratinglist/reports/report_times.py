"""The time control and the thinking time of each report: from the manifest, its records, or the office's default.

A report that states no time control, or one that is not understood, waits: its ``time_control`` is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.findings import finding
from ratinglist.reports import time_control
from ratinglist.reports.time_control import TOO_SHORT_UP_TO, by_seconds, thinking_seconds
from ratinglist.reports.time_text import parse_text

_MOST_ROUNDS_A_DAY = 4
"""More rounds of standard chess in a day are noted."""
_ONE_A_DAY, _FREE_DAYS = 5, 2
"""So many rounds of rapid or blitz chess, or more, are noted on as many days, or so many days more."""
_UNDERSTOOD = pl.Schema({"time_text": pl.String(), "text_seconds": pl.Int32(), "text_names": pl.List(pl.String())})


@dataclass(frozen=True, slots=True)
class TimeReading:
    """How the time control of reports is determined.

    ``default``: the office's, for reports that state none; empty where there is none. ``as_recorded``: the manifest
    repeats what was known of each report, so a blank cell stays blank. ``unstated``: with it, the digests of the
    reports whose times were those of their records: a manifest did not state them, so it does not overrule record 222.
    """

    default: str = ""
    as_recorded: bool = False
    unstated: frozenset[str] = frozenset()


NEWEST = TimeReading()
"""In an office without a default."""


def with_times(files: pl.DataFrame, times: TimeReading) -> pl.DataFrame:
    """Add the time control and the thinking time of each report.

    In: the manifest's ``time_control`` and ``minutes_per_60_moves``, and the header's ``time_text`` (122),
    ``type_text`` (092) and ``time_code`` (222). Out: ``time_control`` (empty: the report waits) and
    ``minutes_per_60_moves``. Where the two players have different times, the shorter one counts.

    For the findings: ``seconds`` and the two players' ``white_seconds`` and ``black_seconds`` of record 222;
    ``minutes_from_text`` of record 122, where neither manifest nor record 222 gives a time; ``text_is_short``;
    ``is_contradictory``: records 092, 122 and 222, or manifest and report (``two_times``: both), state different time
    controls; ``two_minutes``: those of the report, where the manifest has others; ``time_stated``: the manifest gives
    the time control or the minutes; ``time_assumed``: it is a default, of which ``by_office`` is the office's.
    """
    codes = files["time_code"].drop_nulls().unique().to_list()
    coded = pl.DataFrame(
        [(code, *(thinking_seconds(code) or (None, None))) for code in codes],
        schema={"time_code": pl.String, "white_seconds": pl.Int32, "black_seconds": pl.Int32},
        orient="row",
    )
    is_stated = pl.col("time_control").is_not_null() | pl.col("minutes_per_60_moves").is_not_null()
    if times.unstated:
        is_stated &= ~pl.col("sha256").is_in(list(times.unstated))
    stated = files.join(coded, on="time_code", how="left").with_columns(
        pl.min_horizontal("white_seconds", "black_seconds").alias("seconds"),
        is_stated.alias("time_stated"),
    )
    texts = files["time_text"].drop_nulls().unique().to_list()
    read = [parse_text(text) for text in texts]
    understood = pl.DataFrame(
        [(text, one.seconds, sorted(one.names)) for text, one in zip(texts, read, strict=True)],
        schema=_UNDERSTOOD,
        orient="row",
    )
    return _settled(stated.join(understood, on="time_text", how="left"), times)


def _settled(files: pl.DataFrame, times: TimeReading) -> pl.DataFrame:
    """Add the times ; records that contradict each other state no time control."""
    minutes = pl.col("minutes_per_60_moves")
    from_text = pl.when(minutes.is_null() & pl.col("seconds").is_null()).then("text_seconds")
    by_code, by_text = by_seconds(pl.col("seconds")), by_seconds(pl.col("text_seconds"))
    of_report = pl.lit(None, dtype=pl.Int32) if times.as_recorded else pl.coalesce("seconds", "text_seconds")
    named, several = _names()
    # The coded time control goes before words.
    contradictory = by_code.is_null() & (several | (by_text != named).fill_null(value=False))
    of_records = pl.coalesce(by_code, pl.when(~contradictory).then(pl.coalesce(by_text, named)))
    # A manifest that contradicts its report states no time control either: nobody knows which of them is right.
    is_overruled = (pl.col("time_control") != of_records).fill_null(value=False)
    known = pl.when(~is_overruled).then(pl.coalesce("time_control", by_seconds(minutes * 60), of_records))
    default = pl.lit(times.default or None, dtype=pl.String)
    thinking_minutes = pl.coalesce(minutes, pl.col("seconds") // 60, from_text // 60)
    if times.as_recorded:
        known = pl.when(~is_overruled).then("time_control")
        default, thinking_minutes = pl.lit(None, dtype=pl.String), minutes
    return files.with_columns(
        known.alias("time_control"),
        pl.when(is_overruled).then(pl.format("{}, and the report {}", "time_control", of_records)).alias("two_times"),
        pl.when(minutes != of_report // 60).then(of_report // 60).alias("two_minutes"),
        (from_text // 60).alias("minutes_from_text"),
        (from_text <= TOO_SHORT_UP_TO).fill_null(value=False).alias("text_is_short"),
        thinking_minutes.alias("minutes_per_60_moves"),
        (contradictory | is_overruled).alias("is_contradictory"),
    ).with_columns(
        pl.col("time_control").is_null().alias("time_assumed"),
        (pl.col("time_control").is_null() & ~pl.col("is_contradictory") & default.is_not_null()).alias("by_office"),
        pl.coalesce("time_control", pl.when(~pl.col("is_contradictory")).then(default), pl.lit("")).alias(
            "time_control"
        ),
    )


def _names() -> tuple[pl.Expr, pl.Expr]:
    """Return the time control named by records 092 and 122, and whether they name several.

    A number in record 122 that is not understood may be another time than the name's: then no name counts.
    """
    number_is_open = (pl.col("text_seconds").is_null() & pl.col("time_text").str.contains(r"[0-9]")).fill_null(
        value=False
    )
    names = pl.col("text_names")
    of_type = time_control.by_text(pl.col("type_text"))
    of_text = pl.when(names.list.len() == 1).then(names.list.first())
    several = (names.list.len() > 1).fill_null(value=False) | (of_text != of_type).fill_null(value=False)
    return pl.when(~number_is_open & ~several).then(pl.coalesce(of_text, of_type)), several


def time_findings(files: pl.DataFrame) -> pl.DataFrame:
    """Return the findings on the times of :func:`with_times`; the manifest overrides records 122 and 222."""
    code = pl.col("time_code")
    coded = files.filter(code.is_not_null() & (code.str.strip_chars() != "") & ~pl.col("time_stated"))
    differ = (pl.col("white_seconds") != pl.col("black_seconds")) & (pl.col("time_control") != "standard")
    short = pl.col("seconds") <= TOO_SHORT_UP_TO
    is_short = short.fill_null(value=False) | pl.col("text_is_short")
    text, line = pl.col("time_text"), pl.col("time_text_line")
    waits = pl.col("time_control") == ""
    why_unknown = (
        pl.when("is_contradictory")
        .then(pl.lit("records 092, 122 and 222 contradict each other"))
        .otherwise(pl.lit("neither the manifest nor the report states it in a form that is understood"))
    )
    return pl.concat(
        [
            finding(
                "time_in_words",
                files.filter(pl.col("minutes_from_text").is_not_null() & ~waits),
                value=pl.col("time_text"),
                detail=pl.col("minutes_from_text"),
            ),
            finding("time_code_unreadable", coded.filter(pl.col("seconds").is_null()), value=code),
            finding("time_too_short", coded.filter(short), value=code, detail=pl.col("seconds")),
            finding(
                "time_too_short",
                files.filter(pl.col("text_is_short") & ~pl.col("time_stated")),
                line=line,
                column=5,
                value=text,
                detail=pl.col("minutes_from_text") * 60,
            ),
            finding("different_times", coded.filter(differ & ~short), value=code),
            finding(
                "time_control_contradicted",
                files.filter(pl.col("two_times").is_not_null()),
                line=line,
                value=pl.coalesce("time_code", "time_text", "type_text"),
                detail=pl.col("two_times"),
            ),
            finding(
                "minutes_differ",
                files.filter(pl.col("two_minutes").is_not_null() & pl.col("two_times").is_null()),
                line=line,
                value=pl.col("minutes_per_60_moves"),
                detail=pl.col("two_minutes"),
            ),
            finding(
                "time_control_unknown",
                files.filter(waits & ~is_short & pl.col("two_times").is_null()),
                line=line,
                column=5,
                value=text,
                detail=why_unknown,
            ),
            finding("office_time_control", files.filter("by_office"), detail=pl.col("time_control")),
            finding("default_minutes", files.filter(pl.col("minutes_per_60_moves").is_null() & ~waits)),
            *_unusual_pace(files),
        ]
    )


def _unusual_pace(files: pl.DataFrame) -> list[pl.DataFrame]:
    """Return the findings on events whose rounds and days are those of another time control."""
    rounds, name = pl.col("rounds"), pl.col("time_control")
    days = (pl.col("end_date") - pl.col("start_date")).dt.total_days() + 1
    return [
        finding(
            "many_rounds_a_day",
            files.filter(name == "standard", days > 0, rounds > _MOST_ROUNDS_A_DAY * days),
            value=rounds,
            detail=pl.when(days == 1).then(pl.lit("a day")).otherwise(pl.format("{} days", days)),
        ),
        finding(
            "one_round_a_day",
            files.filter(
                name.is_in(["rapid", "blitz"]), rounds >= _ONE_A_DAY, days.is_between(rounds, rounds + _FREE_DAYS)
            ),
            value=rounds,
            detail=pl.format("{} chess within {} days", name, days),
        ),
    ]
