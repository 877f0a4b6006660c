"""A copy of a regulation with changed values: what may be changed, and what a change says."""

from datetime import date

import pytest

from ratinglist.errors import CommandLineError
from ratinglist.store.rule_files import rule_book
from ratinglist_lab.replay import altered, described

NORMAL = "development_coefficient.normal"


def test_every_rule_set_of_the_family_gets_the_values_and_the_family_stays():
    book = rule_book()
    changed, values = altered(book, "fide", [f"{NORMAL}=24", "list.floor=1000"])
    assert values == {NORMAL: 24, "list.floor": 1000}
    assert len(changed.of("fide+2")) == len(book.of("fide"))
    for before, after in zip(book.of("fide"), changed.of("fide+2"), strict=True):
        assert after.values() == before.values() | values
        assert after.articles == {**before.articles, **dict.fromkeys(values, "what-if")}
    assert changed.of("fide") == book.of("fide")


def test_a_family_of_another_system_is_changed_in_its_own_sections():
    changed, _ = altered(rule_book(), "glicko", ["deviation.least=50", "list.closing_days_before=9"])
    (rule_set,) = changed.of("glicko+2")
    assert rule_set.values()["deviation.least"] == 50
    assert rule_set.list.closing_days_before == 9


def test_a_change_is_described_with_the_value_of_the_months_replayed():
    days = [date(2025, 9, 1), date(2025, 12, 1)]
    assert described(rule_book(), "fide", {NORMAL: 24}, days) == [f"{NORMAL}: 20 -> 24"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("list.flor=1", "list.floor"),
        ("list.floor", "list.floor"),
        ("floor=1", "section.key=value"),
        ("list.floor=high", "'list.floor' is 'high'"),
        ("list.floor=1000001", "list.floor=1000001"),
        ("list.floor=" + "9" * 5000, "list.floor=999"),
        ("change.halves=down", "'change.halves' is 'down'"),
        ("expected_score.table=other", "'other'"),
        (f"{NORMAL}=20", f"{NORMAL}=20"),
    ],
)
def test_a_change_that_is_wrong_is_refused_by_name(change, named):
    with pytest.raises(CommandLineError) as refused:
        altered(rule_book(), "fide", [change])
    assert named in str(refused.value)
    assert len(str(refused.value)) < 500
