"""What changed in the regulations between two days, as values and as text."""

from dataclasses import replace
from datetime import date

import pytest

from ratinglist.errors import CommandLineError, RulesError
from ratinglist.rating.rules import RuleBook
from ratinglist.store import rule_files
from ratinglist.workflows.systems import rule_changes, rule_changes_text

BOOK = rule_files.rule_book()


def between(first: str, second: str, family: str = "fide", book: RuleBook = BOOK) -> list[dict[str, object]]:
    return rule_changes(book, family, date.fromisoformat(first), date.fromisoformat(second))


def rapid_only_from_2017() -> RuleBook:
    """The program's rule sets without the first text for rapid."""
    return replace(BOOK, files={name: text for name, text in BOOK.files.items() if name != "fide/rapid/2014-07-01"})


# ------------------------------------------------------------------------------------------------------ values


def test_a_change_names_both_texts_the_value_before_and_after_and_the_article_of_the_later_text():
    found = {one["key"]: one for one in between("2025-09-30", "2025-10-01")}
    later = BOOK.on("fide", "standard", date(2025, 10, 1))
    assert found["expected_score.cap_applies_to"] == {
        "time_control": "standard",
        "from": "fide/standard/2024-03-01",
        "to": "fide/standard/2025-10-01",
        "key": "expected_score.cap_applies_to",
        "before": "every_game",
        "after": "players_below",
        "article": later.articles["expected_score.cap_applies_to"],
    }


def test_only_the_values_that_differ_are_returned():
    found = {one["key"]: (one["before"], one["after"]) for one in between("2025-09-30", "2025-10-01")}
    assert found == {
        "list.one_time_step": ("two_fifths_towards_2000", "none"),
        "list.one_time_step_month": ("2024-03", ""),
        "expected_score.cap_applies_to": ("every_game", "players_below"),
        "expected_score.cap_players_below": (0, 2650),
    }


def test_between_two_days_under_the_same_texts_nothing_changed():
    assert between("2025-11-01", "2025-12-01") == []


def test_every_time_control_has_its_own_changes():
    found = between("2022-12-31", "2023-01-01")
    assert [(one["time_control"], one["key"]) for one in found] == [
        ("blitz", "development_coefficient.fixed"),
        ("rapid", "development_coefficient.fixed"),
    ]


def test_where_no_text_was_in_force_before_there_is_one_entry_with_the_source():
    (found,) = between("1999-12-31", "2000-01-01", "course")
    assert found == {
        "time_control": "standard",
        "from": None,
        "to": "course/standard/2000-01-01",
        "key": "",
        "before": None,
        "after": None,
        "article": BOOK.on("course", "standard", date(2000, 1, 1)).source,
    }


def test_a_time_control_without_a_text_on_either_day_is_left_out():
    found = between("2014-06-30", "2014-07-01", book=rapid_only_from_2017())
    assert [one["time_control"] for one in found] == ["blitz", "standard"]


def test_without_a_rule_set_on_the_second_day_it_is_refused():
    with pytest.raises(RulesError) as refused:
        between("1998-01-01", "1999-12-31", "course")
    assert str(refused.value) == "The family 'course' has no rule set in force on 1999-12-31."


def test_an_unknown_family_is_refused():
    with pytest.raises(CommandLineError, match=r"^There is no rule family 'ingo': choose one of "):
        between("2025-09-30", "2025-10-01", "ingo")


# -------------------------------------------------------------------------------------------------------- text


def test_the_changes_are_a_table_with_the_values_as_rule_files_have_them():
    lines = rule_changes_text(between("2024-02-29", "2024-03-01")).splitlines()
    assert lines[0].split() == ["time", "control", "from", "to", "key", "before", "after", "article"]
    changed = {line.split()[3]: line.split()[4:6] for line in lines[2:]}
    assert changed["list.one_time_step_month"] == ["-", "2024-03"]
    assert changed["event.standard_rating_stands_in"] == ["false", "true"]


def test_no_change_is_a_sentence():
    assert rule_changes_text([]) == "Nothing changed between the two days."
