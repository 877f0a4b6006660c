"""A regulation changed in memory: what may be changed, and what a change says."""

from datetime import date

import pytest

from ratinglist.errors import CommandLineError
from ratinglist.laboratory.altered_rules import altered, described, parse_changes
from ratinglist.store.rule_files import rule_book


def test_every_rule_set_of_the_family_gets_the_values_and_the_family_stays():
    book = rule_book()
    changes = parse_changes(("development_coefficient.normal=24", "list.floor=1000"))
    found = altered(book, "fide", changes)
    assert len(found.of("fide+2")) == len(book.of("fide"))
    assert {one.development_coefficient.normal for one in found.of("fide+2")} == {24}
    assert {one.list.floor for one in found.of("fide+2")} == {1000}
    assert found.of("fide") == book.of("fide")
    assert {one.articles["list.floor"] for one in found.of("fide+2")} == {"what-if"}


def test_a_family_of_another_system_is_changed_in_its_own_sections():
    found = altered(rule_book(), "glicko", {"deviation.least": "50", "list.closing_days_before": "9"})
    (one,) = found.of("glicko+2")
    assert one.values()["deviation.least"] == 50
    assert one.list.closing_days_before == 9


def test_a_change_is_described_with_the_value_of_the_months_replayed():
    days = [date(2025, 9, 1), date(2025, 12, 1)]
    assert described(rule_book(), "fide", {"development_coefficient.normal": "24"}, days) == [
        "development_coefficient.normal: 20 -> 24"
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"list.flor": "1"}, "has no such value. Did you mean list.floor"),
        ({"list.floor": "high"}, "'floor' is 'high'; it must be a whole number"),
        ({"list.floor": "1000001"}, "a whole number must be from -1,000,000 to 1,000,000"),
        ({"list.floor": "9" * 5000}, "a whole number must be from -1,000,000 to 1,000,000"),
        ({"change.halves": "down"}, "'halves' is 'down'"),
        ({"expected_score.table": "other"}, "there is no table 'other'"),
        ({"development_coefficient.normal": "20"}, "has these values already"),
    ],
)
def test_a_change_that_is_wrong_is_refused_by_name(changes, message):
    with pytest.raises(CommandLineError) as refused:
        altered(rule_book(), "fide", changes)
    assert message in str(refused.value)


@pytest.mark.parametrize("texts", [("floor=1",), ("list.floor",), ("list.floor=1", "list.floor=2")])
def test_a_change_that_is_no_change_is_refused(texts):
    with pytest.raises(CommandLineError):
        parse_changes(texts)


def test_no_other_command_knows_a_changed_family():
    with pytest.raises(CommandLineError, match="never published"):
        rule_book().of("fide+2")
