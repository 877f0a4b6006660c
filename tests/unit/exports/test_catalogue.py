from __future__ import annotations

import pytest

from ratinglist.cli.export import export as command
from ratinglist.errors import CommandLineError
from ratinglist.lists.export_formats import COLUMNS, FORMATS, Wish, check, file_name, zip_name
from tests.unit.exports.lists import BEFORE, MONTH

OFFICIAL = {
    ("fide-txt", None, False): ("players_list_foa.txt", "players_list.zip"),
    ("fide-txt", None, True): ("players_list.txt", "players_list_legacy.zip"),
    ("fide-txt", "rapid", False): ("rapid_rating_list.txt", "rapid_rating_list.zip"),
    ("fide-xml", None, False): ("players_list_xml_foa.xml", "players_list_xml.zip"),
    ("fide-xml", None, True): ("players_list_xml.xml", "players_list_xml_legacy.zip"),
    ("fide-xml", "blitz", False): ("blitz_rating_list.xml", "blitz_rating_list_xml.zip"),
}
FORBIDDEN = {
    "legacy for csv": {"format": "csv", "legacy": True},
    "zip for parquet": {"format": "parquet", "zipped": True},
    "since for csv": {"format": "csv", "since": BEFORE},
    "changes without since": {"format": "changes-since"},
    "changes since a later list": {"format": "changes-since", "since": MONTH + 1},
    "changes of the first players": {"format": "changes-since", "since": BEFORE, "top": 10},
    "a path for a federation": {"format": "csv", "federation": "../etc"},
}


@pytest.mark.parametrize("asked", OFFICIAL, ids=str)
def test_a_file_in_fides_layout_has_fides_name(asked):
    format_name, time_control, legacy = asked
    wish = Wish(MONTH, format_name, time_control=time_control, legacy=legacy)
    assert (file_name(wish), zip_name(wish)) == OFFICIAL[asked]


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        (Wish(MONTH, "csv"), "rating_list_2025-11.csv"),
        (Wish(MONTH, "csv", time_control="rapid"), "rapid_2025-11.csv"),
        (Wish(MONTH, "csv-spreadsheet"), "rating_list_2025-11_spreadsheet.csv"),
        (Wish(MONTH, "xlsx", federation="ITA", top=100), "rating_list_2025-11_ITA_top100.xlsx"),
        (Wish(MONTH, "swiss-manager-csv"), "smanager_standard.csv"),
        (Wish(MONTH, "vega-csv", time_control="blitz"), "vega_blitz.csv"),
        (Wish(MONTH, "changes-since", since=BEFORE), "changes_2025-10_2025-11.csv"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_part_of_a_list_does_not_take_the_name_of_the_whole(wish, name):
    assert file_name(wish) == name


@pytest.mark.parametrize("asked", FORBIDDEN.values(), ids=FORBIDDEN)
def test_what_does_not_go_together_is_refused(asked):
    with pytest.raises(CommandLineError):
        check(Wish(**{"period": MONTH, **asked}))


def test_no_format_may_carry_a_birth_date():
    assert [name for name, columns in COLUMNS.items() if any("birth_date" in column for column in columns)] == []


def test_every_format_says_what_it_may_carry():
    assert set(COLUMNS) == set(FORMATS)


def test_the_command_offers_every_format():
    offered = next(option for option in command.params if option.name == "format_name")
    assert set(offered.type.choices) == set(FORMATS)
