"""The facts of each report: from the manifest, else from its header, else a default that is recorded as a note.

The time control has no default (:mod:`ratinglist.reports.time_control`).

A report is one version of one event. It is identified by its bytes and its facts, never by its file name or the day of
arrival, so delivering it again changes nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date

import polars as pl

from ratinglist.findings import RULES, finding, refused_files
from ratinglist.limits import SHOWN_LENGTH
from ratinglist.reports.delivered_tables import FORMAT as TABLE, cells_of_rows, is_canonical
from ratinglist.reports.games import Parsed
from ratinglist.reports.time_control import time_findings, with_times
from ratinglist.reports.trf import parse, read_trf
from ratinglist.tables import FILE_FINDING, REPORT

# Rules by which encoding.decode_report refuses a file, which then has no text.
_WITHOUT_TEXT = ("control_character", "too_many_lines", "too_many_players", "endless_line")
# Rules by which an event of a table is refused whose facts are not known.
_WITHOUT_ROW = ("event_row_missing", "event_row")
# Rules of files that could not be read at all; their facts get no findings.
_UNREAD = ("not_a_report", "empty_file", "binary_file", *_WITHOUT_TEXT, *_WITHOUT_ROW)
_FIRST_DAY = date(1970, 1, 1)
_LAST_DAY = date(2099, 12, 31)
_LONGEST = pl.duration(days=5 * 366)
_FAR = pl.duration(days=183)
_NEAR = pl.duration(days=7)
"""Dates of a manifest and of its report that are farther apart are those of two years."""
_BLANK_DATE = r"^[\s./0-]*$"
CODE_DIGITS = 16
"""How many digits of a digest are the code of an event that has none."""
_UNLIKELY_NAME = r"[À-ÿ]{2}|\pL[¢£¤¥¦¨©¬®¯±²³µ¶¸¹¼½¾×÷\ufffd]|[¢£¤¥¦¨©¬®¯±³µ¶¸¹¼¾\ufffd]\pL"
IDENTITY = (
    *("sha256", "event_id", "version", "event_type", "time_control", "official", "federation", "start_date"),
    *("end_date", "registered_on", "minutes_per_60_moves"),
)
"""The columns that make two deliveries of the same bytes two reports: ``report_id`` is their digest, in this order."""
_MANIFEST_FACTS = (*IDENTITY[1:], "file_no", "file_name", "sha256", "received_on", "event_name", "player_ids")
# Each line of a table is a pattern and its event type. The first pattern that fits decides, so special patterns come
# before general ones.
# Codes of the type table of TRF26. A team event has TEAM in its code; Gn repeats the schedule n times.
_TYPE_CODES = (
    (r"TEAM|SCHILLER|SCHEVENINGEN", "team"),
    (r"DOUBLE_?ROUND_?ROBIN|ROUND_?ROBIN_G0*([2-9]|1[0-9])", "double_roundrobin"),
    (r"ROUND_?ROBIN|BERGER", "roundrobin"),
    (r"SWISS|DUTCH|DUBOV|BURSTEIN", "swiss"),
    (r"(^|_)MATCH(_|$)", "match"),
)

_ROUND_ROBIN = (
    r"round ?robin|rundenturnier|vollrund|berger|all ?play ?all|all'italiana|toutes rondes|todos contra todos"
)
_DOUBLE = r"double|doppel|doppio|doble"
_TYPE_TEXTS = (
    (r"\bteams?\b|\bleague\b|liga\b|mannschaft|squadre|[ée]quipes?\b|equipos|scheveningen", "team"),
    (rf"({_DOUBLE}).*({_ROUND_ROBIN})|({_ROUND_ROBIN}).*({_DOUBLE})|doppelrund", "double_roundrobin"),
    (_ROUND_ROBIN, "roundrobin"),
    (r"swiss|schweizer|svizzer|suisse|suizo|\bdutch\b", "swiss"),
    (r"\bmatch\b|\bduel\b|zweikampf", "match"),
)


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """A batch as ``REPORT``, ``REPORT_PLAYER``, ``REPORT_GAME`` and ``FINDING``, with those of refused reports.

    ``reports`` have their ``file_no`` too, and its order.
    In ``players`` and ``games`` the ``report_id`` is an Enum.
    """

    reports: pl.DataFrame
    players: pl.DataFrame
    games: pl.DataFrame
    findings: pl.DataFrame


def cells_of(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the round cells of kept reports (``file_no``, ``text``), of those delivered as tables too.

    Out: ``file_no``, ``start_number``, ``round``, ``opponent_number`` and ``code``, by file, player and round.
    """
    texts = texts.with_columns(pl.col("file_no").cast(pl.Int32))
    is_table = is_canonical(pl.col("text"))
    columns = ("file_no", "start_number", "round", "opponent_number", pl.col("code").cast(pl.String))
    parts = [
        parse(texts.filter(~is_table)).cells.select(columns),
        cells_of_rows(texts.filter(is_table)).select(columns),
    ]
    return pl.concat(parts).sort("file_no", "start_number", "round")


def read(
    delivered: pl.DataFrame, findings: pl.DataFrame, default_time: str = "", parsed: Parsed | None = None
) -> ReadBatch:
    """Read the files of a batch (``DELIVERED``), and judge them with what the manifest says.

    ``findings`` (``FILE_FINDING``): those of its decoding. ``default_time``: the office's time control, for reports
    that state none. ``parsed``: what events delivered as tables say.
    """
    parsed = parsed or read_trf(delivered)
    assumed = _assumed_names(findings, delivered, parsed.header)
    findings = pl.concat([findings, parsed.findings, assumed])
    findings = pl.concat([findings, _without_games(parsed.counts, findings)])
    described, added = describe(delivered, parsed.header, parsed.counts, findings, default_time)
    keys = described.select("file_no", "report_id").sort("file_no")
    games = _dated(parsed.games, described)
    played = games.group_by("file_no").agg(first_round=pl.col("round").min(), last_round=pl.col("round").max())
    reports = (
        described.join(played, on="file_no", how="left")
        .join(games_digest(parsed.games), on="file_no", how="left")
        .with_columns(pl.col("games_digest").fill_null(""))
        .select("file_no", *REPORT.columns)
        .sort("file_no")
    )
    effects = {name: rule.effect for name, rule in RULES.items()}
    all_findings = (
        pl.concat([_without_expected(findings, described), added])
        .join(keys, on="file_no")
        .with_columns(pl.col("rule").replace_strict(effects, return_dtype=pl.String).alias("effect"))
    )
    return ReadBatch(reports, _with_report_ids(parsed.players, keys), _with_report_ids(games, keys), all_findings)


def _assumed_names(findings: pl.DataFrame, delivered: pl.DataFrame, header: pl.DataFrame) -> pl.DataFrame:
    """Return a note on each name of a tournament that was decoded as Windows-1252 and is hardly in it.

    Letters of another code page become other letters, several in a row, or signs within a word.
    """
    guessed = findings.filter(pl.col("rule") == "encoding_assumed").select("file_no")
    own = header.join(guessed, on="file_no", how="semi").join(
        delivered.filter(pl.col("event_name").is_null()), on="file_no", how="semi"
    )
    unlikely = own.filter(pl.col("name").str.contains(_UNLIKELY_NAME))
    return finding("name_assumed", unlikely, value=pl.col("name").str.slice(0, SHOWN_LENGTH))


def _without_games(counts: pl.DataFrame, findings: pl.DataFrame) -> pl.DataFrame:
    """Return a refusal of each report that nothing else refuses and that has no game and no forfeit."""
    is_empty = pl.col("games") + pl.col("forfeits") == 0
    return finding("no_games", counts.filter(is_empty, ~pl.col("file_no").is_in(refused_files(findings).implode())))


def _without_expected(findings: pl.DataFrame, described: pl.DataFrame) -> pl.DataFrame:
    """Return ``findings`` without repeated pairs in a match or double round robin."""
    repeating = described.filter(pl.col("event_type").is_in(["match", "double_roundrobin"]))
    # Where more were found than are listed, the last finding says so of its rule.
    rule = pl.when(pl.col("rule") == "more_findings").then("detail").otherwise("rule")
    return findings.filter((rule != "pair_repeated") | ~pl.col("file_no").is_in(repeating["file_no"].implode()))


def _with_report_ids(rows: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """Return the ``rows`` of the files in ``keys``, each with its ``report_id``.

    The ids are dictionary-encoded as an Enum: a text of 64 letters is stored once, not in every row.
    """
    of_file = keys.with_columns(pl.col("report_id").cast(pl.Enum(keys["report_id"])))
    return rows.join(of_file, on="file_no", maintain_order="left")


def _dated(games: pl.DataFrame, described: pl.DataFrame) -> pl.DataFrame:
    """Return the games with their date; without a round date it is that of the event, if the event has one day."""
    one_day = described.filter(pl.col("start_date") == pl.col("end_date")).select("file_no", "start_date")
    dated = games.join(one_day, on="file_no", how="left")
    return dated.with_columns(pl.coalesce("date", "start_date").alias("date")).drop("start_date")


def describe(
    delivered: pl.DataFrame,
    header: pl.DataFrame,
    counts: pl.DataFrame,
    findings: pl.DataFrame,
    default_time: str = "",
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Determine the facts of every report of a batch, whose rows may have any order.

    In: ``delivered`` (``DELIVERED``), ``header`` (``HEADER``), ``counts`` (``file_no``, ``players``, ``games``,
    ``forfeits``, ``byes``; a file may be missing), ``findings`` (``FILE_FINDING``) of delivery, reading and pairing.

    ``event_id`` defaults to the first 16 hex digits of the SHA-256 of name, start date and federation, each on a line;
    without a name, to those of the bytes. A report is accepted where no finding, passed in or added here, refuses it.
    ``default_time``: the office's time control, for reports that state none; empty where there is none.

    Out: ``file_no`` and the columns of :data:`~ratinglist.tables.REPORT` that are not made from games, one row per
    ``report_id``, sorted by it, without a file that repeats another one of the batch under another name; and what is
    noted and refused here (:data:`~ratinglist.tables.FILE_FINDING`), without the findings passed in.
    """
    facts = _with_event_id(with_times(_with_types(_with_dates(_joined(delivered, header, counts))), default_time))
    unread = findings.filter(pl.col("rule").is_in(_UNREAD))
    judged = facts.join(unread, on="file_no", how="anti")
    added = pl.concat([_date_findings(judged), time_findings(judged), _fact_findings(judged)])
    all_findings = pl.concat([FILE_FINDING.conform(findings), added])
    reports = _with_report_id(facts, findings)
    # The same report twice in a batch, under two names: the earlier day of arrival is kept.
    kept = (
        reports.with_columns((~pl.col("file_no").is_in(refused_files(all_findings).implode())).alias("accepted"))
        .sort("report_id", "received_on", "file_name", "file_no")
        .unique("report_id", keep="first", maintain_order=True)
    )
    return kept, added.sort("file_no", "rule", "line", "value", nulls_last=True)


def games_digest(games: pl.DataFrame) -> pl.DataFrame:
    """Return a digest of each file's played games, equal for the same games in any order.

    In: ``file_no``, ``round``, ``white_id``, ``black_id``, ``white_halves``, ``black_halves``. Out: ``file_no``,
    ``games_digest`` (SHA-256 in hex) for every file with games.
    """
    cells = ("round", "white_id", "black_id", "white_halves", "black_halves")
    game = pl.concat_str([pl.col(name).cast(pl.String).fill_null("") for name in cells], separator=" ")
    of_file = games.select("file_no", game.alias("game")).group_by("file_no")
    texts = of_file.agg(pl.col("game").sort().str.join("\n")).sort("file_no")
    return texts.select("file_no", _digests(texts["game"]).alias("games_digest"))


def _digests(texts: pl.Series) -> pl.Series:
    return pl.Series([hashlib.sha256(text).hexdigest() for text in texts.cast(pl.Binary)], dtype=pl.String)


def _joined(delivered: pl.DataFrame, header: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Return one row per file: the manifest's columns, and as ``header_*`` the header's columns of the same name."""
    shared = {name: f"header_{name}" for name in header.columns if name in _MANIFEST_FACTS and name != "file_no"}
    numbers = ("rounds", "players", "games", "forfeits", "byes", "teams")
    return (
        delivered.select(_MANIFEST_FACTS)
        .join(header.rename(shared), on="file_no", how="left")
        .join(counts.select("file_no", "players", "games", "forfeits", "byes"), on="file_no", how="left")
        .with_columns(
            # The name and the FIDE IDs that a manifest states as text; empty where it states none.
            pl.concat_str(
                pl.format(f"\n{name}={{}}", pl.col(name)).fill_null("") for name in ("event_name", "player_ids")
            ).alias("additions"),
            pl.col("name").fill_null("").str.replace_all(r"\s+", " ").str.strip_chars(),
            pl.col("report_format").fill_null("TRF16"),
            *(pl.col(name).fill_null(0) for name in numbers),
        )
    )


def _with_dates(files: pl.DataFrame) -> pl.DataFrame:
    """Add ``start_date`` and ``end_date``, with the line of each; a date from the manifest has no line.

    ``two_dates``: those of the manifest, where they contradict the report's. Then the report's are taken, so that the
    report is the same one once the manifest is corrected.
    """
    # A day that no event can have, or after the day of receipt, is no date: programs write one that was never set.
    dated = files.with_columns(
        pl.when(
            pl.col(day).is_null()
            | pl.col(f"header_{day}").is_between(_FIRST_DAY, pl.min_horizontal(pl.lit(_LAST_DAY), "received_on"))
        )
        .then(f"header_{day}")
        .alias(f"header_{day}")
        for day in ("start_date", "end_date")
    ).with_columns(
        expression
        for day in ("start_date", "end_date")
        for expression in (
            pl.coalesce(day, f"header_{day}").alias(day),
            pl.when(pl.col(day).is_null()).then(f"{day}_line").alias(f"{day}_line"),
        )
    )
    start, end, first, last = (pl.col(f"{of}{day}_date") for of in ("", "header_") for day in ("start", "end"))
    # The dates of a slice are inside those of the whole event, which its report may have.
    is_far = (start < first - _FAR) | (end > last + _FAR) | (start > last + _FAR) | (end < first - _FAR)
    is_far = is_far.fill_null(value=False)
    return dated.with_columns(
        pl.when(is_far).then(pl.format("{} to {}", start, end)).alias("two_dates"),
        *(pl.when(is_far).then(f"header_{day}").otherwise(day).alias(day) for day in ("start_date", "end_date")),
    )


def _with_types(files: pl.DataFrame) -> pl.DataFrame:
    """Add ``event_type`` from the manifest, 192, 092 or the presence of teams; else swiss and ``type_assumed``.

    ``reported_type``: what 192 or 092 of the report has.
    """
    reported = event_type_of(pl.col("type_code"), pl.col("type_text"))
    known = pl.coalesce("event_type", reported, pl.when(pl.col("teams") > 0).then(pl.lit("team")))
    return files.with_columns(known.alias("event_type"), reported.alias("reported_type")).with_columns(
        pl.col("event_type").fill_null("swiss"), pl.col("event_type").is_null().alias("type_assumed")
    )


def _with_event_id(files: pl.DataFrame) -> pl.DataFrame:
    """Add ``federation``, ``version``, ``official``, ``event_id``; ``unregistered`` lists the defaults in use."""
    federation = pl.col("header_federation").str.strip_chars().str.to_uppercase()
    registration = {
        "event_id": "the event code is made from name, start date and federation",
        "version": "the version is 1",
        "official": "the event is not an official one",
        "registered_on": "the day of registration is not known",
    }
    defaults = pl.concat_str(
        [pl.when(pl.col(name).is_null()).then(pl.lit(default)) for name, default in registration.items()],
        separator="; ",
        ignore_nulls=True,
    )
    reported = pl.when(federation.str.contains(r"^[A-Z]{3}$")).then(federation)
    settled = files.with_columns(
        defaults.alias("unregistered"),
        reported.alias("reported_federation"),
        pl.coalesce("federation", reported).fill_null("").alias("federation"),
        pl.col("version").fill_null(1),
        pl.col("official").fill_null(value=False),
    )
    identity = pl.concat_str(
        [pl.col("name"), pl.col("start_date").cast(pl.String).fill_null(""), pl.col("federation")], separator="\n"
    )
    digests = _digests(settled.select(identity).to_series())
    default_id = pl.when(pl.col("name") != "").then(digests).otherwise("sha256").str.head(CODE_DIGITS)
    return settled.with_columns(pl.coalesce("event_id", default_id))


def _with_report_id(facts: pl.DataFrame, findings: pl.DataFrame) -> pl.DataFrame:
    """Add ``report_id``: the digest of the bytes, the facts, and the manifest cells that could not be understood.

    The cells make a report with an unusable manifest differ from the same report without one. So do the name of the
    tournament and the FIDE IDs that a manifest states, which are no columns of a report.
    """
    misunderstood = (
        findings.filter(pl.col("rule").str.starts_with("manifest_"))
        .group_by("file_no")
        .agg(pl.format("{}={}", "rule", "value").unique().sort().str.join("\n").alias("misunderstood"))
    )
    joined = facts.join(misunderstood, on="file_no", how="left")
    texts = joined.select(
        pl.concat_str(
            [pl.col(name).cast(pl.String).fill_null("") for name in (*IDENTITY, "misunderstood")], separator="\n"
        )
        + pl.col("additions")
    )
    return joined.with_columns(_digests(texts.to_series()).alias("report_id"))


def _date_findings(files: pl.DataFrame) -> pl.DataFrame:
    """Return what is wrong with the dates of events; that a table lacks one is found in its rows."""
    start, end = pl.col("start_date"), pl.col("end_date")
    by_rule = []
    for day in ("start_date", "end_date"):
        unknown = files.filter(pl.col(day).is_null())
        text = pl.col(f"{day}_text")
        written = text.is_not_null() & ~text.str.contains(_BLANK_DATE)
        line = pl.col(f"{day}_line")
        by_rule += [
            finding(f"{day}_missing", unknown.filter(~written & (pl.col("report_format") != TABLE)), line=line),
            finding(f"{day}_unreadable", unknown.filter(written), line=line, column=5, value=text),
            finding(
                "date_implausible",
                files.filter(~pl.col(day).is_between(_FIRST_DAY, _LAST_DAY)),
                line=line,
                value=pl.col(day),
                detail=pl.lit(f"it is not between {_FIRST_DAY} and {_LAST_DAY}"),
            ),
        ]
    # Of two dates out of order, the one after the day of receipt is wrong; that day is not.
    is_later = pl.col("received_on") < start
    wrong_line = pl.when(is_later).then("start_date_line").otherwise("end_date_line")
    for rule, broken in (("dates_reversed", end < start), ("event_too_long", end > start + _LONGEST)):
        by_rule.append(finding(rule, files.filter(broken), line=wrong_line, value=end, detail=start))
    first, last = pl.col("header_start_date"), pl.col("header_end_date")
    # The dates of a slice are inside those of the whole event. A day or two matter where the month is another one.
    is_early = (start < first) & ((start < first - _NEAR) | (start.dt.month() != first.dt.month()))
    is_late = (end > last) & ((end > last + _NEAR) | (end.dt.month() != last.dt.month()))
    is_outside = (is_early | is_late).fill_null(value=False)
    played = (pl.col("first_round_date"), pl.col("last_round_date"))
    own = (pl.coalesce(first, start), pl.coalesce(last, end))
    by_rule += [
        finding(
            "dates_outside",
            files.filter(is_outside, pl.col("two_dates").is_null()),
            value=pl.format("{} to {}", start, end),
            detail=pl.format("{} to {}", first, last),
        ),
        finding(
            "days_without_rounds",
            files.filter(
                (start < played[0] - _NEAR) | (end > played[1] + _NEAR), ~is_outside, pl.col("two_dates").is_null()
            ),
            value=pl.format("{} to {}", start, end),
            detail=pl.format("{} to {}", *played),
        ),
        # Of the report's own days: a slice of a league may have all rounds so far.
        finding(
            "rounds_outside",
            files.filter((played[0] < own[0]) | (played[1] > own[1]), own[0].is_not_null(), own[1].is_not_null()),
            value=pl.format("{} to {}", *played),
            detail=pl.format("{} to {}", *own),
        ),
        finding(
            "dates_contradicted",
            files.filter(pl.col("two_dates").is_not_null()),
            value=pl.col("two_dates"),
            detail=pl.format("{} to {}", start, end),
        ),
        finding(
            "received_before_start",
            files.filter(is_later, (end >= start).fill_null(value=True), pl.col("two_dates").is_null()),
            value=pl.col("received_on"),
            detail=start,
        ),
    ]
    return pl.concat(by_rule)


def _fact_findings(files: pl.DataFrame) -> pl.DataFrame:
    """Return the defaults in use, and where the manifest has another event type or federation than the report.

    A round robin of teams is a team event too, and a match is the round robin of two.
    """
    type_text = pl.coalesce("type_code", "type_text")
    stated, reported = pl.col("event_type"), pl.col("reported_type")
    is_team = (stated == "team") | (reported == "team")
    is_of_two = (stated == "match") & reported.str.ends_with("roundrobin")
    other_federation = files.filter(pl.col("federation") != pl.col("reported_federation"))
    return pl.concat(
        [
            finding("default_event_type", files.filter("type_assumed"), value=type_text, detail=stated),
            finding("default_federation", files.filter(pl.col("federation") == ""), value=pl.col("header_federation")),
            finding("official_event", files.filter("official")),
            finding("default_registration", files.filter(pl.col("unregistered") != ""), detail=pl.col("unregistered")),
            finding(
                "event_type_differs",
                files.filter(stated != reported, ~is_team, ~is_of_two),
                value=stated,
                detail=reported,
            ),
            finding(
                "federation_differs",
                other_federation,
                value=pl.col("federation"),
                detail=pl.col("reported_federation"),
            ),
        ]
    )


def event_type_of(code: pl.Expr, text: pl.Expr) -> pl.Expr:
    """Return the event type of a code of record 192, else the one that the free text of record 092 names; else null.

    Any other code, such as that of a knockout, has none.
    """
    written = (code.str.to_uppercase().str.replace_all("-", "_", literal=True), _TYPE_CODES)
    named = (text.str.to_lowercase().str.replace_all(r"[-_]", " "), _TYPE_TEXTS)
    return pl.coalesce(
        pl.when(words.str.contains(pattern)).then(pl.lit(event_type))
        for words, patterns in (written, named)
        for pattern, event_type in patterns
    )
