from __future__ import annotations

import pytest

from ratinglist.errors import CommandLineError
from ratinglist.lists.formats import ExportRequest, check_options, file_name
from tests.unit.exports.lists import MONTH

OFFICIAL = {
    ("fide-txt", None): "players_list_foa.txt",
    ("fide-txt", "rapid"): "rapid_rating_list.txt",
    ("fide-xml", None): "players_list_xml_foa.xml",
    ("fide-xml", "blitz"): "blitz_rating_list.xml",
}
FORBIDDEN = {
    "zip for parquet": {"format": "parquet", "zipped": True},
}


@pytest.mark.parametrize("layout", OFFICIAL, ids=str)
def test_a_file_in_fides_layout_has_fides_name(layout):
    format_name, time_control = layout
    assert file_name(ExportRequest(MONTH, format_name, time_control=time_control)) == OFFICIAL[layout]


@pytest.mark.parametrize(
    ("requested", "name"),
    [
        (ExportRequest(MONTH, "csv"), "rating_list_2025-11.csv"),
        (ExportRequest(MONTH, "csv", time_control="rapid"), "rapid_2025-11.csv"),
        (ExportRequest(MONTH, "csv-spreadsheet"), "rating_list_2025-11_spreadsheet.csv"),
        (ExportRequest(MONTH, "xlsx", federation="ITA", top=100), "rating_list_2025-11_ITA_top100.xlsx"),
        (ExportRequest(MONTH, "swiss-manager-csv"), "smanager_standard_2025-11.csv"),
        (ExportRequest(MONTH, "vega-csv", time_control="blitz"), "vega_blitz_2025-11.csv"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_part_of_a_list_does_not_take_the_name_of_the_whole(requested, name):
    assert file_name(requested) == name


@pytest.mark.parametrize("options", FORBIDDEN.values(), ids=FORBIDDEN)
def test_what_does_not_go_together_is_refused(options):
    with pytest.raises(CommandLineError):
        check_options(ExportRequest(**{"period": MONTH, **options}))
