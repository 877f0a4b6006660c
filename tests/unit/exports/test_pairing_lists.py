from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.unit.exports.lists import export, listed, player, publish

ROWS = [
    player(99900027, "Castellane, Émile", title="GM", rating=2559, k=10, birth_year=2000, federation="ITA"),
    player(5, "Corti, Carla", sex="F", women_title="WFM", rating=1900, birth_year=None),
]


def exported(folder: Path, format_name: str, family: str = "fide", rows=ROWS) -> tuple[str, dict[str, int]]:
    summary = export(publish(folder / "home", listed(*rows), family=family), format_name)
    data = Path(summary.values["file"]).read_bytes()
    assert data.isascii()
    return data.decode("ascii"), summary.values["counts"]


def test_each_program_gets_its_columns(tmp_path):
    assert exported(tmp_path / "national", "swiss-manager-csv")[0].split("\r\n") == [
        "ID_No,Name,Sex,Fed,Clubnumber,ClubName,Birthday,Rtg_Nat,Fide_No,Rtg_Int",
        "99900027,Castellane Emile,,ITA,,,2000,2559,99900027,2559",
        "5,Corti Carla,f,ORV,,,,1900,5,1900",
        "",
    ]
    assert exported(tmp_path / "archive", "vega-csv")[0].split("\r\n") == [
        "NAME;COUNTRY;BIRTHDAY;GENDER;TITLE;IDFIDE;ELOFIDE;IDNAT;ELONAT;KCOEFF",
        "Castellane Emile;ITA;00002000;m;GM;99900027;2559;0;0;10",
        "Corti Carla;ORV;00000000;f;WFM;5;1900;0;0;20",
        "",
    ]


@pytest.mark.parametrize(
    ("format_name", "separator", "national", "international"),
    [("swiss-manager-csv", ",", "Rtg_Nat", "Rtg_Int"), ("vega-csv", ";", "ELONAT", "ELOFIDE")],
)
def test_a_rating_by_a_federations_own_rules_is_a_national_one(
    tmp_path, format_name, separator, national, international
):
    text, _ = exported(tmp_path, format_name, family="course")
    rows = list(csv.DictReader(text.splitlines(), delimiter=separator))
    assert [(row[national], row[international]) for row in rows] == [("2559", "0"), ("1900", "0")]


def test_vega_gets_a_long_name_cut_and_counted_and_one_without_its_separator(tmp_path):
    text, counts = exported(
        tmp_path, "vega-csv", rows=[player(1, "Semi;c, A"), player(2, "x" * 31), player(3, "y" * 30)]
    )
    assert [line.split(";")[:2] for line in text.splitlines()[1:]] == [
        ["Semi c A", "ORV"],
        ["x" * 30, "ORV"],
        ["y" * 30, "ORV"],
    ]
    assert counts["texts_cut"] == 1
