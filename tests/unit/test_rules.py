"""Rule sets: every value with its article, checked strictly, found by date."""

import csv
import json
import re
import tomllib
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError, RulesError
from ratinglist.files import resources
from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook, last_list, parse_rule_set, parse_table
from ratinglist.store import rule_files

FOLDER = resources.data("rules")
FILES = sorted(FOLDER.rglob("*.toml"))
BROKEN = sorted((Path(__file__).parent / "broken_rules").glob("*.toml"))
BOOK = rule_files.rule_book()


def name_of(path: Path) -> str:
    return path.relative_to(FOLDER).with_suffix("").as_posix()


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


TEXT_2024 = text_of("fide/standard/2024-03-01")
every_file = pytest.mark.parametrize("path", FILES, ids=name_of)


def values(name: str) -> dict[str, int | str | bool]:
    return parse_rule_set(text_of(name), name).values()


def differences(name: str, other: str) -> set[str]:
    """Keys of the values in which two rule sets differ."""
    return {key for key, value in values(name).items() if values(other)[key] != value}


# -------------------------------------------------------------------------------------------------- every file


@every_file
def test_every_file_is_read_as_it_stands_named_by_what_it_says_and_says_where_it_comes_from(path):
    text, name = path.read_text(encoding="utf-8"), name_of(path)
    content, rule_set = tomllib.loads(text), parse_rule_set(text, name)
    read = rule_set.values()
    assert read == {key: content[key.split(".")[0]][key.split(".")[1]]["value"] for key in read}
    assert rule_set.name == name
    assert rule_set.source.strip()


def test_the_two_readings_of_the_course_differ_in_the_tranche_only():
    keys = differences("course/standard/2000-01-01", "course-tranche/standard/2000-01-01")
    assert keys == {"entry.tranche_min_games", "entry.tranche_min_halves"}


@pytest.mark.parametrize(
    ("key", "course", "fide"),
    [
        ("list.floor", 1000, 1400),
        ("list.closing_days_before", 3, 3),
        ("list.official_closing_days_before", 1, 1),
        ("list.inactive_after_lists", 12, 12),
        ("event.registration_days", 7, 3),
        ("event.middle_game_from", 1600, 1800),
        ("event.long_game_from", 2200, 2400),
        ("event.last_list_after_end", 0, 3),
        ("expected_score.cap", 400, 400),
        ("development_coefficient.period_limit", 700, 700),
        ("entry.min_games", 5, 5),
        ("entry.window_lists", 26, 26),
        ("entry.maximum", 0, 2200),
    ],
)
def test_the_values_that_everybody_knows(key, course, fide):
    assert values("course/standard/2000-01-01")[key] == course
    assert values("fide/standard/2024-03-01")[key] == fide
    assert values("fide/standard/2025-10-01")[key] == fide


# ----------------------------------------------------------------------------------------------- strict reading


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_a_broken_rule_set_is_refused_with_file_key_and_what_is_wrong(path):
    """Each file breaks the text of 2024 in one place and has the message, up to a … where the message continues."""
    fault = tomllib.loads(path.read_text(encoding="utf-8"))
    text = re.sub(" +", " ", TEXT_2024)
    assert text.count(fault["instead_of"]) == 1
    with pytest.raises(RulesError) as refused:
        parse_rule_set(text.replace(fault["instead_of"], fault["write"]), "fide/standard/2024-03-01")
    message, continues, _ = f"Rule set fide/standard/2024-03-01: {fault['says']}".partition("…")
    assert str(refused.value).startswith(message) if continues else str(refused.value) == message


@pytest.mark.parametrize("missing", ["expected_score", "performance"])
def test_a_rule_set_that_names_an_unknown_table_is_refused(missing):
    tables = {path.stem: path.read_text(encoding="utf-8") for path in resources.data("tables").glob("*.csv")}
    del tables[missing]
    message = rf"^Rule set fide/standard/2024-03-01: there is no table '{missing}'\.$"
    with pytest.raises(RulesError, match=message):
        RuleBook.parse({"fide/standard/2024-03-01": TEXT_2024}, tables).of("fide")


# ------------------------------------------------------------------------------------------------------- tables

SCORES = "difference_from,difference_to,higher_hundredths,lower_hundredths\n"


def test_expected_scores_are_spread_over_their_ranges():
    assert parse_table(SCORES + "0,1,50,50\n2,3,60,40\n4,,100,0\n", "t").to_list() == [50, 50, 60, 60, 100]


@pytest.mark.parametrize(
    ("table", "unit", "whole"),
    [("expected_score", "hundredths", 100), ("logistic_thousandths", "thousandths", 1000)],
)
def test_the_ranges_of_expected_scores_follow_each_other_and_both_sides_add_up(table: str, unit: str, whole: int):
    rows = list(csv.DictReader((resources.data("tables") / f"{table}.csv").read_text(encoding="utf-8").splitlines()))
    ranges = [(int(row["difference_from"]), row["difference_to"]) for row in rows]
    assert ranges[-1][1] == ""
    assert [first for first, _ in ranges] == [0, *(int(last) + 1 for _, last in ranges[:-1])]
    assert {int(row[f"higher_{unit}"]) + int(row[f"lower_{unit}"]) for row in rows} == {whole}


def test_the_differences_by_share_of_the_points_have_no_gap():
    text = (resources.data("tables") / "performance.csv").read_text(encoding="utf-8")
    assert [int(row["p_hundredths"]) for row in csv.DictReader(text.splitlines())] == list(range(101))
    assert len(parse_table(text, "t")) == 101


# -------------------------------------------------------------------------------------------------- by the date


@pytest.mark.parametrize(
    ("day", "effective_from"),
    [("2024-03-01", "2024-03-01"), ("2025-09-30", "2024-03-01"), ("2025-10-01", "2025-10-01"), ("2099-01-01", None)],
)
def test_the_newest_rule_set_not_after_the_day_is_in_force(day, effective_from):
    rule_set = BOOK.on("fide", "standard", date.fromisoformat(day))
    newest = BOOK.of("fide")[-1].effective_from
    assert rule_set.effective_from == (newest if effective_from is None else date.fromisoformat(effective_from))


def test_one_rule_set_a_time_control_is_in_force_and_none_before_the_first():
    in_force = BOOK.in_force("course", date(2025, 10, 1))
    assert [rule_set.name for rule_set in in_force] == ["course/standard/2000-01-01"]
    assert BOOK.on("course", "standard", date(1999, 12, 31)) is None
    assert BOOK.closing_dates("fide", Period.parse("2025-11")) == [date(2025, 10, 29)]


def test_until_when_an_event_counts_and_on_which_list_last():
    november = BOOK.deadlines([("fide", Period.parse("2025-11")), ("course", Period.parse("1999-12"))])
    assert november["time_control"].to_list() == ["blitz", "rapid", "standard"]
    assert november.drop("time_control").unique().row(0) == (
        *("2025-11", Period.parse("2025-11").index),
        *(date(2025, 10, 29), date(2025, 10, 31), 3),
    )
    events = pl.DataFrame({"end_date": [date(2025, 10, 31), date(2025, 11, 1), None], "last_list_after_end": 3})
    last = [None if index is None else str(Period(index)) for index in events.select(last_list()).to_series()]
    assert last == ["2026-01", "2026-02", None]
    assert events.with_columns(last_list_after_end=0).select(last_list()).to_series().to_list() == [None] * 3


def test_asking_before_the_first_rule_set_says_when_it_begins():
    with pytest.raises(RulesError) as refused:
        BOOK.in_force("course", date(1999, 12, 31))
    assert str(refused.value) == (
        "The family 'course' has no rule set in force on 1999-12-31: its first is of 2000-01-01."
    )


FAMILIES = [
    *("club", "course", "course-tranche", "dwz", "ecf", "ffe", "fide", "fsi", "fsi-1998", "glicko"),
    *("uscf", "uschess", "wcc"),
]


def test_an_unknown_family_is_refused_with_the_known_ones():
    with pytest.raises(CommandLineError) as refused:
        BOOK.of("ingo")
    assert str(refused.value) == f"There is no rule family 'ingo': choose one of {', '.join(FAMILIES)}."


def test_rule_sets_of_a_family_go_by_time_control_and_date_and_have_a_row_each():
    order = [(rule_set.time_control, rule_set.effective_from) for rule_set in BOOK.of("fide")]
    assert order == sorted(order)
    assert sorted(BOOK.frame("fide")["rule_set"]) == [rule_set.name for rule_set in BOOK.of("fide")]


def test_the_frame_of_a_family_holds_what_belongs_to_events():
    frame = BOOK.frame("course")
    wanted = [key for key in values("course/standard/2000-01-01") if key.startswith(("event.", "expected_score."))]
    assert frame.columns == ["rule_set", "time_control", "effective_from", *[key.split(".")[1] for key in wanted]]
    assert frame.row(0, named=True)["rounds_per_day"] == 3


# ------------------------------------------------------------------------------------------------------- shown


def test_every_value_is_shown_with_its_article():
    rule_set = BOOK.on("fide", "standard", date(2025, 9, 30))
    lines = [re.split(r"\s{2,}", line.strip()) for line in rule_set.text().splitlines()]
    shown = {line[0]: (line[1], line[2]) for line in lines if len(line) == 3}
    assert len(shown) == len(rule_set.values())
    assert shown["floor"] == ("1400", "7.1.2, 7.2.1")
    assert shown["standard_rating_stands_in"] == ("false", "rapid and blitz only")


def test_an_empty_value_is_shown_as_a_dash():
    (line,) = [line for line in BOOK.of("course")[0].text().splitlines() if "one_time_step_month" in line]
    assert line.split() == ["one_time_step_month", "-", "not", "in", "the", "course"]


def test_a_rule_set_can_be_written_as_json():
    written = json.loads(json.dumps(BOOK.of("course")[0].as_dict()))
    assert written["values"]["list.floor"] == {"value": 1000, "article": "arbiters’ course, the list"}


@pytest.mark.parametrize(
    ("old", "new", "is_the_same"),
    [("value = 1400", "value = 1401", False), ('"7.1.2, 7.2.1"', '"7.1.2"', False), ("  ", " ", True)],
    ids=["a value", "an article", "the layout"],
)
def test_the_digest_changes_with_a_value_and_an_article_and_not_with_the_layout(old, new, is_the_same):
    name = "fide/standard/2024-03-01"
    changed = parse_rule_set(TEXT_2024.replace(old, new), name)
    assert (changed.digest == parse_rule_set(TEXT_2024, name).digest) is is_the_same
