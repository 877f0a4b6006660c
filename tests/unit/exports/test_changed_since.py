from __future__ import annotations

import pytest

from ratinglist.errors import NothingReadError
from ratinglist.lists.changed_since import COLUMNS, changed_since
from tests.unit.exports.lists import BEFORE, export, listed, player, publish

OLD = {"standard": listed(player(1), player(2), player(3, federation="ITA"), month=BEFORE)}
NEW = {
    "standard": listed(player(1, rating=2010, games=4), player(3, federation="ORV"), player(9)),
    "rapid": listed(player(2), time_control="rapid"),
}


def summarised(rows):
    return rows.select("time_control", "fide_id", "status", "changed_columns").rows()


def test_every_difference_has_its_columns():
    assert summarised(changed_since(NEW, OLD)) == [
        ("standard", 1, "changed", "rating,games"),
        ("standard", 2, "removed", ""),
        ("standard", 3, "changed", "federation"),
        ("standard", 9, "added", ""),
        ("rapid", 2, "added", ""),
    ]


def test_nothing_differs_from_itself():
    assert changed_since(NEW, NEW).height == 0


def test_old_and_new_values_are_side_by_side():
    rows = changed_since(NEW, OLD)
    assert rows.columns == list(COLUMNS)
    values = rows.select("old_rating", "new_rating", "old_federation", "new_federation").rows()
    assert values[0] == (2000, 2010, "ORV", "ORV")
    assert values[1] == (2000, None, "ORV", None)
    assert values[3] == (None, 2000, None, "ORV")


def test_a_blank_that_stays_blank_is_no_change():
    unknown = {"standard": listed(player(1, birth_year=None))}
    assert changed_since(unknown, unknown).height == 0


def test_a_federation_sees_players_who_left_it():
    assert summarised(changed_since(NEW, OLD, "ITA")) == [("standard", 3, "changed", "federation")]


def test_the_summary_counts(tmp_path):
    publish(tmp_path / "home", OLD["standard"], month=BEFORE)
    summary = export(publish(tmp_path / "home", *NEW.values()), "changes-since", since=BEFORE)
    assert summary.counts == {"added": 2, "removed": 1, "changed": 2}


def test_a_month_that_is_not_published_is_named(tmp_path):
    office = publish(tmp_path / "home", *NEW.values())
    with pytest.raises(NothingReadError, match=r"list of 2025-10 is not published. Published are: 2025-11"):
        export(office, "changes-since", since=BEFORE)
