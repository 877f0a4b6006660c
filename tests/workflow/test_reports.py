"""The facts of a report: manifest, else header, else a default that is noted."""

from datetime import date

import polars as pl
import pytest

from ratinglist.findings import finding
from ratinglist.reports import judge
from ratinglist.tables import DELIVERED, FILE_FINDING, HEADER

NOTHING = FILE_FINDING.empty()


def delivered(*files: dict) -> pl.DataFrame:
    rows = [
        {
            "file_no": number,
            "file_name": f"{number}.trf",
            "sha256": f"{number:064d}",
            "text": "012",
            "received_on": ARRIVED,
        }
        | file
        for number, file in enumerate(files, start=1)
    ]
    return pl.DataFrame(rows, schema=DELIVERED.schema)


def header(*files: dict) -> pl.DataFrame:
    rows = [
        {
            "file_no": number,
            "name": "Oslo Open",
            "federation": "NOR",
            "start_date": date(2025, 10, 1),
            "end_date": date(2025, 10, 5),
            "rounds": 7,
            "teams": 0,
            "report_format": "TRF16",
            "start_date_line": 4,
            "end_date_line": 5,
            "start_date_text": "2025/10/01",
            "end_date_text": "2025/10/05",
        }
        | file
        for number, file in enumerate(files, start=1)
    ]
    return pl.DataFrame(rows, schema=HEADER.schema)


def counts(*numbers: int) -> pl.DataFrame:
    return pl.DataFrame(
        [(number, 10, 30, 2, 1) for number in numbers],
        schema=dict.fromkeys(("file_no", "players", "games", "forfeits", "byes"), pl.Int32),
        orient="row",
    )


def described(
    stated: dict | None = None, in_header: dict | None = None, findings: pl.DataFrame = NOTHING
) -> tuple[pl.DataFrame, pl.DataFrame]:
    return judge.describe(delivered(stated or {}), header(in_header or {}), counts(1), findings)


def report(stated: dict | None = None, in_header: dict | None = None, findings: pl.DataFrame = NOTHING) -> dict:
    (row,) = described(stated, in_header, findings)[0].to_dicts()
    return row


def findings_of(rule: str, stated: dict | None = None, in_header: dict | None = None) -> list[dict]:
    return described(stated, in_header)[1].filter(pl.col("rule") == rule).drop("file_no", "rule").to_dicts()


ARRIVED = date(2025, 10, 6)
UNKNOWN = {"start_date": None, "start_date_line": None, "start_date_text": None}


# --------------------------------------------------------------------------------------------------------- facts


def test_the_header_gives_the_facts_where_no_manifest_does():
    read = report(in_header={"type_code": "FIDE_ROUNDROBIN", "time_code": "600+5"})
    assert {name: read[name] for name in ("name", "federation", "start_date", "event_type", "time_control")} == {
        "name": "Oslo Open",
        "federation": "NOR",
        "start_date": date(2025, 10, 1),
        "event_type": "roundrobin",
        "time_control": "rapid",
    }
    assert read["minutes_per_60_moves"] == 15


def test_the_manifest_overrules_the_header():
    stated = {
        "event_type": "team",
        "time_control": "blitz",
        "federation": "SWE",
        "start_date": date(2025, 9, 1),
        "end_date": date(2025, 9, 2),
        "minutes_per_60_moves": 5,
    }
    read = report(stated, {"type_code": "FIDE_DUTCH_2026", "time_code": "240+3"})
    assert {name: read[name] for name in stated} == stated


@pytest.mark.parametrize(
    ("first", "last", "is_noted"),
    [
        (date(2025, 10, 1), date(2025, 10, 5), False),
        (date(2025, 10, 8), date(2025, 10, 12), False),
        (date(2025, 10, 9), date(2025, 10, 12), True),
        (date(2025, 9, 24), date(2025, 9, 28), False),
        (date(2025, 9, 24), date(2025, 9, 27), True),
        (date(2024, 10, 1), date(2024, 10, 5), True),
        (date(2026, 10, 1), date(2026, 10, 5), True),
    ],
)
def test_days_of_an_event_more_than_a_week_from_its_rounds_are_noted(first, last, is_noted):
    played = {"first_round_date": first, "last_round_date": last}
    stated = [(note["value"], note["detail"]) for note in findings_of("days_without_rounds", in_header=played)]
    assert stated == ([("2025-10-01 to 2025-10-05", f"{first} to {last}")] if is_noted else [])
    assert report(in_header=played)["accepted"]


@pytest.mark.parametrize(
    ("first", "last", "is_noted"),
    [
        (date(2025, 10, 1), date(2025, 10, 5), False),
        (date(2025, 10, 1), date(2025, 10, 6), True),
        (date(2025, 9, 30), date(2025, 10, 5), True),
        (date(2025, 10, 3), date(2025, 12, 4), True),
    ],
)
def test_a_round_outside_of_the_days_of_its_report_is_noted(first, last, is_noted):
    stated = [
        (note["value"], note["detail"])
        for note in findings_of("rounds_outside", in_header={"first_round_date": first, "last_round_date": last})
    ]
    assert stated == ([(f"{first} to {last}", "2025-10-01 to 2025-10-05")] if is_noted else [])


def test_days_that_a_manifest_contradicts_are_one_note():
    played = {"first_round_date": date(2025, 10, 1), "last_round_date": date(2025, 10, 5)}
    days = {"start_date": date(2025, 9, 1), "end_date": date(2025, 10, 5)}
    assert len(findings_of("dates_outside", days, played)) == 1
    assert findings_of("days_without_rounds", days, played) == []


@pytest.mark.parametrize(
    ("time_control", "rounds", "last", "is_noted"),
    [
        ("blitz", 5, 5, True),
        ("rapid", 5, 7, True),
        ("rapid", 5, 8, False),
        ("rapid", 5, 4, False),
        ("rapid", 4, 4, False),
        ("standard", 5, 5, False),
    ],
)
def test_rapid_chess_with_a_round_a_day_is_noted(time_control, rounds, last, is_noted):
    in_manifest = {"time_control": time_control, "start_date": date(2025, 10, 1), "end_date": date(2025, 10, last)}
    stated = [
        (note["value"], note["detail"]) for note in findings_of("one_round_a_day", in_manifest, {"rounds": rounds})
    ]
    assert stated == ([(str(rounds), f"{time_control} chess within {last} days")] if is_noted else [])


UNCLEAR = {"time_text": "90 min x 40", "time_text_line": 9}
CONTRADICTING = [
    {"type_text": type_text, "time_text": time_text}
    for type_text, time_text in [
        ("Individual: Swiss-System (Rapid)", "blitz"),
        ("Swiss", "Blitz 15+10"),
        ("Swiss (Rapid)", "3+2"),
        ("Swiss", "rapid or blitz"),
        ("Swiss (Blitz)", "90 min x 40"),
    ]
]
UNREADABLE = {"start_date": None, "start_date_text": "first of May"}
RAPID = {"type_text": "Individual: Swiss-System (Rapid)", "time_text": "rapid"}
OCTOBER_1 = date(2025, 10, 1)

# What the manifest states, what the header has, and a fact of the report.
FACTS: list[tuple[dict, dict, str, object]] = [
    ({}, {"teams": 4}, "event_type", "team"),
    ({}, {"teams": 4, "type_text": "Individual: Swiss-System"}, "event_type", "swiss"),
    ({}, {"type_text": "Festival"}, "event_type", "swiss"),
    ({}, {"type_code": "CUSTOM_KNOCKOUT", "type_text": "Match"}, "event_type", "match"),
    ({}, {}, "time_control", ""),
    ({}, UNCLEAR, "time_control", ""),
    *(({}, in_header, "time_control", "") for in_header in CONTRADICTING),
    ({"time_control": "blitz"}, {"time_code": "5400+30"}, "time_control", ""),
    ({}, RAPID, "time_control", "rapid"),
    ({}, {**RAPID, "time_text": None}, "time_control", "rapid"),
    ({}, {"type_text": "Swiss", "time_text": "Blitz 3+2"}, "time_control", "blitz"),
    ({}, {"time_code": "180+2", "type_text": "Standard"}, "time_control", "blitz"),
    ({}, {"time_code": "90 minutes", "type_text": "Rapid"}, "time_control", "rapid"),
    ({"minutes_per_60_moves": 15}, {"time_code": "5400+30"}, "time_control", "rapid"),
    ({}, {}, "minutes_per_60_moves", None),
    ({}, {"time_code": "719"}, "minutes_per_60_moves", 11),
    ({}, {"time_code": "W7200-B5400"}, "minutes_per_60_moves", 90),
    ({}, {"federation": "LICHESS"}, "federation", ""),
    ({}, {}, "accepted", True),
    ({"time_control": "blitz"}, {"time_code": "5400+30"}, "accepted", True),
    ({}, {"time_code": "W7200-B5400"}, "accepted", True),
    ({}, {"time_code": "W300-B240"}, "accepted", False),
    ({}, {"time_code": "180"}, "accepted", False),
    ({"time_control": "blitz"}, {"time_code": "180"}, "accepted", True),
    ({}, UNKNOWN, "accepted", False),
    ({}, UNREADABLE, "accepted", False),
    ({"start_date": OCTOBER_1}, UNREADABLE, "accepted", True),
    ({"start_date": OCTOBER_1}, {"start_date": None, "start_date_text": None}, "accepted", True),
    ({}, {"end_date": date(2025, 9, 30)}, "accepted", False),
    ({}, {"end_date": date(2030, 10, 1)}, "accepted", True),
    ({}, {"end_date": date(2031, 10, 1)}, "accepted", False),
]


@pytest.mark.parametrize(("stated", "in_header", "fact", "value"), FACTS)
def test_a_fact_is_that_of_manifest_header_or_neither(stated, in_header, fact, value):
    assert report(stated, in_header)[fact] == value


NOT_REGISTERED = "the event is not an official one; the day of registration is not known"
FINDINGS: list[tuple[dict, dict, str, dict]] = [
    ({}, {"type_text": "Festival"}, "default_event_type", {"value": "Festival", "detail": "swiss"}),
    ({}, {}, "time_control_unknown", {"value": ""}),
    ({}, UNCLEAR, "time_control_unknown", {"line": 9, "column": 5, "value": "90 min x 40"}),
    *(({}, in_header, "time_control_unknown", {}) for in_header in CONTRADICTING),
    (
        {"time_control": "blitz"},
        {"time_code": "5400+30"},
        "time_control_contradicted",
        {"value": "5400+30", "detail": "blitz, and the report standard"},
    ),
    ({}, {"time_text": "2+1", "time_text_line": 9}, "time_too_short", {"line": 9, "value": "2+1", "detail": "180"}),
    ({}, {"time_code": "180"}, "time_too_short", {"detail": "180"}),
    ({}, {"time_code": "90 minutes", "type_text": "Rapid"}, "time_code_unreadable", {"value": "90 minutes"}),
    ({"time_control": "standard"}, {}, "default_minutes", {}),
    ({"event_id": "NOR-1", "version": 2}, {}, "default_registration", {"detail": NOT_REGISTERED}),
    ({}, {"federation": "LICHESS"}, "default_federation", {"value": "LICHESS"}),
    ({}, UNKNOWN, "start_date_missing", {"line": None}),
    *(
        ({}, {"end_date": None, "end_date_text": text}, "end_date_missing", {"line": 5})
        for text in ("", "  .  .", "0000/00/00")
    ),
    ({}, UNREADABLE, "start_date_unreadable", {"line": 4, "column": 5, "value": "first of May", "detail": ""}),
    (
        {},
        {"end_date": date(2025, 9, 30)},
        "dates_reversed",
        {"line": 5, "column": None, "value": "2025-09-30", "detail": "2025-10-01"},
    ),
]


@pytest.mark.parametrize(("stated", "in_header", "rule", "says"), FINDINGS)
def test_what_is_wrong_or_assumed_is_found_once(stated, in_header, rule, says):
    (row,) = findings_of(rule, stated, in_header)
    assert {name: row[name] for name in says} == says


@pytest.mark.parametrize(
    ("stated", "in_header", "rule"),
    [
        ({}, {"teams": 4}, "default_event_type"),
        ({}, {"time_text": "2+1"}, "time_control_unknown"),
        ({"time_control": "blitz"}, {"time_code": "5400+30"}, "time_control_unknown"),
    ],
)
def test_what_is_known_or_found_otherwise_is_not_found(stated, in_header, rule):
    assert findings_of(rule, stated, in_header) == []


def test_nothing_is_noted_where_everything_is_said():
    stated = {"event_id": "NOR-1", "version": 2, "official": False, "registered_on": date(2025, 9, 1)}
    assert described(stated, {"type_code": "FIDE_DUTCH", "time_code": "5400+30"})[1].is_empty()


# --------------------------------------------------------------------------------------------------------- dates


@pytest.mark.parametrize(
    ("stated", "in_header", "contradicts"),
    [
        # 183 days and 184 before the first day, and after the last one.
        ({"start_date": date(2025, 4, 1), "end_date": date(2025, 10, 5)}, {}, False),
        ({"start_date": date(2025, 3, 31), "end_date": date(2025, 10, 5)}, {}, True),
        ({"end_date": date(2026, 4, 6)}, {}, False),
        ({"end_date": date(2026, 4, 7)}, {}, True),
        ({"start_date": date(2024, 10, 1), "end_date": date(2024, 10, 5)}, {}, True),
        # The last slice of a long event.
        ({"start_date": date(2025, 9, 1)}, {"start_date": date(2024, 10, 1)}, False),
        ({"start_date": date(2024, 10, 1)}, UNKNOWN, False),
    ],
)
def test_dates_half_a_year_from_those_of_the_header_are_refused(stated, in_header, contradicts):
    assert [refusal["detail"] for refusal in findings_of("dates_contradicted", stated, in_header)] == (
        ["2025-10-01 to 2025-10-05"] if contradicts else []
    )
    if contradicts:
        read = report(stated, in_header)
        assert (read["start_date"], read["end_date"], read["accepted"]) == (date(2025, 10, 1), date(2025, 10, 5), False)


@pytest.mark.parametrize("day", [date(1969, 12, 31), date(2100, 1, 1)])
def test_an_impossible_day_refuses(day):
    in_header = {"start_date": day, "end_date": day}
    assert [refusal["value"] for refusal in findings_of("date_implausible", in_header=in_header)] == [str(day)] * 2


# ------------------------------------------------------------------------------------------------------ identity


def test_the_event_code_is_that_of_the_page():
    # printf 'Oslo Open\n2025-10-01\nNOR' | sha256sum | cut -c1-16
    assert [report()["event_id"], report({"sha256": "f" * 64})["event_id"]] == ["25c7d3863f734ac2"] * 2
    # Without a name it comes from the bytes.
    assert report({"sha256": "ab" * 32}, {"name": None})["event_id"] == "ab" * 8


@pytest.mark.parametrize(
    "stated", [{"received_on": date(2025, 12, 1), "file_name": "x.trf"}, {"version": 1, "federation": "NOR"}]
)
def test_the_day_the_name_and_what_the_header_says_make_no_other_report(stated):
    assert report(stated)["report_id"] == report()["report_id"]


@pytest.mark.parametrize(
    "stated",
    [
        {"sha256": "f" * 64},
        {"event_id": "NOR-1"},
        {"version": 2},
        {"event_type": "match"},
        {"time_control": "rapid"},
        {"official": True},
        {"federation": "SWE"},
        {"start_date": date(2025, 9, 30)},
        {"end_date": date(2025, 10, 6)},
        {"registered_on": date(2025, 9, 1)},
        {"minutes_per_60_moves": 120},
    ],
)
def test_every_other_fact_makes_another_report(stated):
    assert report(stated)["report_id"] != report()["report_id"]


def test_a_misunderstood_manifest_makes_another_report_which_is_refused_and_a_note_does_not():
    file = pl.DataFrame({"file_no": [1]})
    wrong = report(findings=finding("manifest_value", file, value=pl.lit("maybe")))
    noted = report(findings=finding("encoding_assumed", file, detail=pl.lit("Latin-1")))
    assert [(row["report_id"] == report()["report_id"], row["accepted"]) for row in (wrong, noted)] == [
        (False, False),
        (True, True),
    ]


def test_a_refusal_concerns_its_own_file_only():
    refusal = finding("empty_file", pl.DataFrame({"file_no": [2]}))
    kept, _ = judge.describe(delivered({}, {}), header({}, {}), counts(1, 2), refusal)
    assert kept.sort("file_name")["accepted"].to_list() == [True, False]


@pytest.mark.parametrize("rule", ["not_a_report", "empty_file", "binary_file"])
def test_of_a_file_that_could_not_be_read_nothing_more_is_said(rule):
    refusal = finding(rule, pl.DataFrame({"file_no": [1]}))
    assert described(in_header={"name": None, **UNKNOWN}, findings=refusal)[1].is_empty()


def test_the_same_report_under_two_names_is_one_with_the_earlier_day():
    twice = delivered({"sha256": "a" * 64}, {"sha256": "a" * 64, "received_on": date(2025, 10, 5)})
    once, _ = judge.describe(twice, header({}, {}), counts(1, 2), NOTHING)
    assert once["received_on"].to_list() == [date(2025, 10, 5)]
    assert once["file_no"].to_list() == [2]


def test_the_order_of_the_rows_does_not_matter():
    files = [{"version": number % 3 + 1, "sha256": f"{number % 7:064d}"} for number in range(30)]
    in_header = [{"time_code": ("5400+30", "180", None)[number % 3], "teams": number % 2} for number in range(30)]
    inputs = [delivered(*files), header(*in_header), counts(*range(1, 31))]
    reports, findings = judge.describe(*inputs, NOTHING)
    other_reports, other_findings = judge.describe(
        *(frame.sample(fraction=1, shuffle=True, seed=5) for frame in inputs), NOTHING
    )
    assert reports.equals(other_reports)
    assert findings.equals(other_findings)


# ------------------------------------------------------------------------------------------------- games_digest

GAMES = pl.DataFrame(
    [(1, 1, 100, 200, 2, 0), (1, 1, 300, 400, 1, 1), (1, 2, 200, 300, 0, 2), (2, 1, 100, 200, 2, 0)],
    schema=["file_no", "round", "white_id", "black_id", "white_halves", "black_halves"],
    orient="row",
)


def test_the_digest_does_not_depend_on_the_order_of_the_games_or_on_the_file():
    first = GAMES.filter(pl.col("file_no") == 1)
    copy = first.reverse().with_columns(pl.lit(7, pl.Int64).alias("file_no"))
    assert judge.games_digest(pl.concat([first, copy]))["games_digest"].n_unique() == 1


@pytest.mark.parametrize("column", ["round", "white_id", "black_id", "white_halves", "black_halves"])
def test_another_game_has_another_digest(column):
    game = GAMES.filter(pl.col("file_no") == 2)
    other = game.with_columns(pl.col(column) + 1)
    assert judge.games_digest(game)["games_digest"].item() != judge.games_digest(other)["games_digest"].item()
