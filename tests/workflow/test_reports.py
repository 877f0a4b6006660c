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
) -> judge.ReportMetadata:
    return judge.describe(delivered(stated or {}), header(in_header or {}), counts(1), findings)


def report(stated: dict | None = None, in_header: dict | None = None, findings: pl.DataFrame = NOTHING) -> dict:
    (row,) = described(stated, in_header, findings).reports.to_dicts()
    return row


def found(rule: str, stated: dict | None = None, in_header: dict | None = None) -> list[dict]:
    return described(stated, in_header).findings.filter(pl.col("rule") == rule).drop("file_no", "rule").to_dicts()


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


def test_the_counts_are_carried():
    assert [report()[name] for name in ("rounds", "players", "games", "forfeits", "byes")] == [7, 10, 30, 2, 1]


def test_teams_make_a_team_event_where_no_record_says_how_it_was_played():
    assert report(in_header={"teams": 4})["event_type"] == "team"
    assert not found("default_event_type", in_header={"teams": 4})


def test_a_swiss_with_teams_in_it_is_a_swiss():
    assert report(in_header={"teams": 4, "type_text": "Individual: Swiss-System"})["event_type"] == "swiss"


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
    stated = [(one["value"], one["detail"]) for one in found("days_without_rounds", in_header=played)]
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
        (one["value"], one["detail"])
        for one in found("rounds_outside", in_header={"first_round_date": first, "last_round_date": last})
    ]
    assert stated == ([(f"{first} to {last}", "2025-10-01 to 2025-10-05")] if is_noted else [])


def test_days_that_a_manifest_contradicts_are_one_note():
    played = {"first_round_date": date(2025, 10, 1), "last_round_date": date(2025, 10, 5)}
    days = {"start_date": date(2025, 9, 1), "end_date": date(2025, 10, 5)}
    assert len(found("dates_outside", days, played)) == 1
    assert found("days_without_rounds", days, played) == []


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
    given = {"time_control": time_control, "start_date": date(2025, 10, 1), "end_date": date(2025, 10, last)}
    stated = [(one["value"], one["detail"]) for one in found("one_round_a_day", given, {"rounds": rounds})]
    assert stated == ([(str(rounds), f"{time_control} chess within {last} days")] if is_noted else [])


def test_an_unknown_type_is_taken_as_swiss_and_noted():
    assert report(in_header={"type_text": "Festival"})["event_type"] == "swiss"
    assert [
        (one["value"], one["detail"]) for one in found("default_event_type", in_header={"type_text": "Festival"})
    ] == [("Festival", "swiss")]


def test_a_code_of_no_known_type_leaves_the_word_to_record_092():
    assert report(in_header={"type_code": "CUSTOM_KNOCKOUT", "type_text": "Match"})["event_type"] == "match"


def test_a_report_without_a_time_control_waits():
    assert (report()["time_control"], report()["accepted"]) == ("", True)
    assert [one["value"] for one in found("time_control_unknown")] == [""]


def test_a_text_that_is_not_understood_waits_with_its_line():
    header = {"time_text": "90 min x 40", "time_text_line": 9}
    assert report(in_header=header)["time_control"] == ""
    (one,) = found("time_control_unknown", in_header=header)
    assert (one["line"], one["column"], one["value"]) == (9, 5, "90 min x 40")


def test_the_words_of_record_092_give_the_time_control():
    header = {"type_text": "Individual: Swiss-System (Rapid)", "time_text": "rapid"}
    assert report(in_header=header)["time_control"] == "rapid"
    assert report(in_header={**header, "time_text": None})["time_control"] == "rapid"


@pytest.mark.parametrize(
    ("type_text", "time_text"),
    [
        ("Individual: Swiss-System (Rapid)", "blitz"),
        ("Swiss", "Blitz 15+10"),
        ("Swiss (Rapid)", "3+2"),
        ("Swiss", "rapid or blitz"),
        ("Swiss (Blitz)", "90 min x 40"),
    ],
)
def test_records_that_contradict_each_other_wait(type_text, time_text):
    header = {"type_text": type_text, "time_text": time_text}
    assert report(in_header=header)["time_control"] == ""
    assert len(found("time_control_unknown", in_header=header)) == 1


def test_a_text_with_a_time_that_no_list_takes_is_refused():
    (one,) = found("time_too_short", in_header={"time_text": "2+1", "time_text_line": 9})
    assert (one["line"], one["value"], one["detail"]) == (9, "2+1", "180")
    assert found("time_control_unknown", in_header={"time_text": "2+1"}) == []


def test_the_words_of_record_122_give_it_where_092_is_silent():
    assert report(in_header={"type_text": "Swiss", "time_text": "Blitz 3+2"})["time_control"] == "blitz"


def test_the_coded_time_control_goes_before_words():
    assert report(in_header={"time_code": "180+2", "type_text": "Standard"})["time_control"] == "blitz"


def test_the_minutes_of_the_manifest_give_the_time_control():
    assert report({"minutes_per_60_moves": 15}, {"time_code": "5400+30"})["time_control"] == "rapid"


def test_minutes_are_whole_and_never_too_many():
    assert report(in_header={"time_code": "719"})["minutes_per_60_moves"] == 11


def test_unknown_minutes_are_noted():
    assert report()["minutes_per_60_moves"] is None
    assert len(found("default_minutes", {"time_control": "standard"})) == 1


def test_unknown_registration_is_noted_in_one_sentence():
    (note,) = found("default_registration", {"event_id": "NOR-1", "version": 2})
    assert note["detail"] == "the event is not an official one; the day of registration is not known"


def test_nothing_is_noted_where_everything_is_said():
    stated = {"event_id": "NOR-1", "version": 2, "official": False, "registered_on": date(2025, 9, 1)}
    assert described(stated, {"type_code": "FIDE_DUTCH", "time_code": "5400+30"}).findings.is_empty()


def test_a_federation_that_is_no_code_is_left_empty_and_noted():
    assert report(in_header={"federation": "LICHESS"})["federation"] == ""
    assert [one["value"] for one in found("default_federation", in_header={"federation": "LICHESS"})] == ["LICHESS"]


# --------------------------------------------------------------------------------------------------------- dates


def test_a_time_control_that_contradicts_the_header_is_taken_from_neither():
    stated, in_header = {"time_control": "blitz"}, {"time_code": "5400+30"}
    read = report(stated, in_header)
    assert (read["time_control"], read["accepted"]) == ("", True)
    (one,) = found("time_control_contradicted", stated, in_header)
    assert (one["value"], one["detail"]) == ("5400+30", "blitz, and the report standard")
    assert found("time_control_unknown", stated, in_header) == []


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
    assert [one["detail"] for one in found("dates_contradicted", stated, in_header)] == (
        ["2025-10-01 to 2025-10-05"] if contradicts else []
    )
    if contradicts:
        read = report(stated, in_header)
        assert (read["start_date"], read["end_date"], read["accepted"]) == (date(2025, 10, 1), date(2025, 10, 5), False)


def test_a_missing_start_date_refuses():
    assert not report(in_header=UNKNOWN)["accepted"]
    assert [one["line"] for one in found("start_date_missing", in_header=UNKNOWN)] == [None]


@pytest.mark.parametrize("text", ["", "  .  .", "0000/00/00"])
def test_a_blank_date_is_missing(text):
    in_header = {"end_date": None, "end_date_text": text}
    assert [one["line"] for one in found("end_date_missing", in_header=in_header)] == [5]


def test_a_date_that_cannot_be_read_is_shown_with_its_line():
    in_header = {"start_date": None, "start_date_text": "first of May"}
    assert found("start_date_unreadable", in_header=in_header) == [
        {"line": 4, "column": 5, "value": "first of May", "detail": ""}
    ]
    assert not report(in_header=in_header)["accepted"]


@pytest.mark.parametrize("text", [None, "first of May"])
def test_the_manifest_heals_a_missing_or_unreadable_date(text):
    in_header = {"start_date": None, "start_date_text": text}
    assert report({"start_date": date(2025, 10, 1)}, in_header)["accepted"]


def test_an_end_before_the_start_refuses():
    in_header = {"end_date": date(2025, 9, 30)}
    assert found("dates_reversed", in_header=in_header) == [
        {"line": 5, "column": None, "value": "2025-09-30", "detail": "2025-10-01"}
    ]
    assert not report(in_header=in_header)["accepted"]


@pytest.mark.parametrize(("end", "accepted"), [(date(2030, 10, 1), True), (date(2031, 10, 1), False)])
def test_an_event_of_more_than_five_years_is_refused(end, accepted):
    assert report(in_header={"end_date": end})["accepted"] is accepted


@pytest.mark.parametrize("day", [date(1969, 12, 31), date(2100, 1, 1)])
def test_an_impossible_day_refuses(day):
    in_header = {"start_date": day, "end_date": day}
    assert [one["value"] for one in found("date_implausible", in_header=in_header)] == [str(day)] * 2


# --------------------------------------------------------------------------------------------------------- times


def test_a_time_shorter_than_any_that_is_rated_refuses():
    assert not report(in_header={"time_code": "180"})["accepted"]
    assert [one["detail"] for one in found("time_too_short", in_header={"time_code": "180"})] == ["180"]


def test_the_manifest_overrules_a_time_that_is_too_short():
    assert report({"time_control": "blitz"}, {"time_code": "180"})["accepted"]


def test_rapid_and_blitz_with_different_times_are_refused():
    assert not report(in_header={"time_code": "W300-B240"})["accepted"]


def test_standard_with_different_times_counts_the_shorter_one():
    read = report(in_header={"time_code": "W7200-B5400"})
    assert (read["minutes_per_60_moves"], read["accepted"]) == (90, True)


def test_a_time_code_that_cannot_be_read_is_noted():
    in_header = {"time_code": "90 minutes", "type_text": "Rapid"}
    assert [one["value"] for one in found("time_code_unreadable", in_header=in_header)] == ["90 minutes"]
    assert report(in_header=in_header)["time_control"] == "rapid"


# ------------------------------------------------------------------------------------------------------ identity


def test_the_event_code_is_documented():
    # printf 'Oslo Open\n2025-10-01\nNOR' | sha256sum | cut -c1-16
    assert report()["event_id"] == "25c7d3863f734ac2"


def test_a_corrected_report_of_an_event_has_the_same_event_code():
    assert report({"sha256": "f" * 64})["event_id"] == report()["event_id"]


def test_without_a_name_the_event_code_comes_from_the_bytes():
    assert report({"sha256": "ab" * 32}, {"name": None})["event_id"] == "ab" * 8


def test_the_day_and_the_file_name_do_not_make_another_report():
    assert report({"received_on": date(2025, 12, 1), "file_name": "x.trf"})["report_id"] == report()["report_id"]


def test_a_manifest_that_says_what_the_header_says_does_not_make_another_report():
    assert report({"version": 1, "federation": "NOR"})["report_id"] == report()["report_id"]


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


def test_a_misunderstood_manifest_makes_another_report_which_is_refused():
    wrong = finding("manifest_value", pl.DataFrame({"file_no": [1]}), value=pl.lit("maybe"))
    assert report(findings=wrong)["report_id"] != report()["report_id"]
    assert not report(findings=wrong)["accepted"]


def test_a_note_does_not_refuse():
    noted = finding("encoding_assumed", pl.DataFrame({"file_no": [1]}), detail=pl.lit("Latin-1"))
    assert report(findings=noted)["accepted"]
    assert report(findings=noted)["report_id"] == report()["report_id"]


def test_a_refusal_concerns_its_own_file_only():
    refusal = finding("empty_file", pl.DataFrame({"file_no": [2]}))
    kept = judge.describe(delivered({}, {}), header({}, {}), counts(1, 2), refusal).reports
    assert kept.sort("file_name")["accepted"].to_list() == [True, False]


@pytest.mark.parametrize("rule", ["not_a_report", "empty_file", "binary_file"])
def test_of_a_file_that_could_not_be_read_nothing_more_is_said(rule):
    refusal = finding(rule, pl.DataFrame({"file_no": [1]}))
    assert described(in_header={"name": None, **UNKNOWN}, findings=refusal).findings.is_empty()


def test_the_same_report_under_two_names_is_one_with_the_earlier_day():
    twice = delivered({"sha256": "a" * 64}, {"sha256": "a" * 64, "received_on": date(2025, 10, 5)})
    once = judge.describe(twice, header({}, {}), counts(1, 2), NOTHING)
    assert once.reports["received_on"].to_list() == [date(2025, 10, 5)]
    assert once.keys["file_no"].to_list() == [2]


def test_the_order_of_the_rows_does_not_matter():
    files = [{"version": number % 3 + 1, "sha256": f"{number % 7:064d}"} for number in range(30)]
    in_header = [{"time_code": ("5400+30", "180", None)[number % 3], "teams": number % 2} for number in range(30)]
    inputs = [delivered(*files), header(*in_header), counts(*range(1, 31))]
    straight = judge.describe(*inputs, NOTHING)
    shuffled = judge.describe(*(frame.sample(fraction=1, shuffle=True, seed=5) for frame in inputs), NOTHING)
    assert straight.reports.equals(shuffled.reports)
    assert straight.findings.equals(shuffled.findings)
    assert straight.keys.equals(shuffled.keys)


# ------------------------------------------------------------------------------------------------- games_digest

GAMES = pl.DataFrame(
    [(1, 1, 100, 200, 2, 0), (1, 1, 300, 400, 1, 1), (1, 2, 200, 300, 0, 2), (2, 1, 100, 200, 2, 0)],
    schema=["file_no", "round", "white_id", "black_id", "white_halves", "black_halves"],
    orient="row",
)


def test_the_digest_does_not_depend_on_the_order_of_the_games():
    assert judge.games_digest(GAMES.reverse()).equals(judge.games_digest(GAMES))


def test_the_same_games_in_another_file_have_the_same_digest():
    first = GAMES.filter(pl.col("file_no") == 1)
    copy = first.with_columns(pl.lit(7, pl.Int64).alias("file_no"))
    assert judge.games_digest(pl.concat([first, copy]))["games_digest"].n_unique() == 1


@pytest.mark.parametrize("column", ["round", "white_id", "black_id", "white_halves", "black_halves"])
def test_another_game_has_another_digest(column):
    game = GAMES.filter(pl.col("file_no") == 2)
    other = game.with_columns(pl.col(column) + 1)
    assert judge.games_digest(game)["games_digest"].item() != judge.games_digest(other)["games_digest"].item()
