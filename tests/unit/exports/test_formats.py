from __future__ import annotations

import pytest

from ratinglist.errors import CommandLineError
from ratinglist.lists.formats import ExportRequest, check_options, file_name
from tests.unit.exports.lists import MONTH


@pytest.mark.parametrize(
    ("requested", "name"),
    [
        (ExportRequest(MONTH, "fide-txt"), "players_list_foa.txt"),
        (ExportRequest(MONTH, "fide-txt", time_control="rapid"), "rapid_rating_list.txt"),
        (ExportRequest(MONTH, "fide-xml"), "players_list_xml_foa.xml"),
        (ExportRequest(MONTH, "fide-xml", time_control="blitz"), "blitz_rating_list.xml"),
        (ExportRequest(MONTH, "csv"), "rating_list_2025-11.csv"),
        (ExportRequest(MONTH, "csv", time_control="rapid"), "rapid_2025-11.csv"),
        (ExportRequest(MONTH, "csv-spreadsheet"), "rating_list_2025-11_spreadsheet.csv"),
        (ExportRequest(MONTH, "xlsx", federation="ITA"), "rating_list_2025-11_ITA.xlsx"),
        (ExportRequest(MONTH, "swiss-manager-csv"), "smanager_standard_2025-11.csv"),
        (ExportRequest(MONTH, "vega-csv", time_control="blitz"), "vega_blitz_2025-11.csv"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_name_of_a_file_is_fides_or_says_which_part_it_holds(requested, name):
    assert file_name(requested) == name


def test_an_option_is_for_its_format():
    with pytest.raises(CommandLineError, match="--separator is for csv-spreadsheet"):
        check_options(ExportRequest(MONTH, "parquet", semicolons=True))
