"""The parser of manifest.csv refuses what it does not understand."""

import json
from datetime import date

import pytest

from ratinglist.reports import delivered_tables
from ratinglist.reports.delivered_tables import ALLOWED, ManifestFacts

IDS = "file,name,start_number,fide_id\n"


def only(text: str) -> ManifestFacts:
    (stated,) = delivered_tables.read_manifest("office/manifest.csv", text.encode()).facts.values()
    return stated


def test_every_column_is_read():
    stated = only(
        "file,event_id,version,received_on,event_type,time_control,official,federation,start_date,end_date,"
        "registered_on,minutes_per_60_moves\n"
        "a.trf,NOR-7,2,2025-10-05,team,rapid,1,nor,2025-10-01,2025-10-04,2025-09-01,40\n"
    )
    assert stated == {
        "received_on": date(2025, 10, 5),
        "event_id": "NOR-7",
        "version": 2,
        "event_type": "team",
        "time_control": "rapid",
        "official": True,
        "federation": "NOR",
        "start_date": date(2025, 10, 1),
        "end_date": date(2025, 10, 4),
        "registered_on": date(2025, 9, 1),
        "minutes_per_60_moves": 40,
    }


@pytest.mark.parametrize(
    ("rows", "noted"),
    [
        ("A1.trf,A1\nA2.trf,A2\n", []),
        ("A1.trf,A1\nA2.trf,B7\n", []),
        ("cup.trf,A1\nopen.trf,A2\n", []),
        (
            "A1.trf,A2\nin/A2.trf,A1\n",
            [
                "manifest.csv: A1.trf has the event_id A2, and in/A2.trf has A1; were the codes moved to other rows? 2 "
                "such reports"
            ],
        ),
        (
            "A1.trf,A9\nA2.trf,A1\n",
            [
                "manifest.csv: A1.trf has the event_id A9, and A2.trf has A1; were the codes moved to other rows? 1 "
                "such report"
            ],
        ),
    ],
)
def test_codes_that_are_the_names_of_other_files_are_noted(rows, noted):
    assert list(delivered_tables.read_manifest("manifest.csv", f"file,event_id\n{rows}".encode()).notes) == noted


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("file,version,official\na.trf,, \n", {}),
        # 0 is not the same as a blank cell.
        ("file,official\na.trf,0\n", {"official": False}),
        ("file;event_id\na.trf;Oslo, open\n", {"event_id": "Oslo, open"}),
        ('file,event_id\n"a, b.trf","Oslo ""B"", open"\n', {"event_id": 'Oslo "B", open'}),
        ("File , Event_Type\na.trf, Double_RoundRobin \n", {"event_type": "double_roundrobin"}),
        # A row may lack its last cells.
        ("file,event_id,version,official\na.trf,Oslo\n", {"event_id": "Oslo"}),
        # A row with a start number states the FIDE ID of a player; a column of the office's own may be filled in it.
        (
            f"{IDS}a.trf,,12,900012\na.trf,Oslo Open,,\na.trf,,3,900003\na.trf,,4,\n",
            {"event_name": "Oslo Open", "player_ids": "3=900003 12=900012"},
        ),
        (
            "file,version,start_number,fide_id,player\na.trf,2,,,\na.trf,,3,900003,Prova\na.trf,,4,900004,Esempio\n",
            {"version": 2, "player_ids": "3=900003 4=900004"},
        ),
        # Spreadsheets write the same cells in their own ways.
        (
            "file,version,received_on,official\na.trf,2.0,5.10.2025,TRUE\n",
            {"version": 2, "received_on": date(2025, 10, 5), "official": True},
        ),
    ],
)
def test_a_row_states_the_facts_of_its_cells(text, facts):
    assert only(text) == facts


@pytest.mark.parametrize(
    ("name", "file"),
    [
        # Relative to the manifest, and with accents written by another system.
        ("./north\\a.trf", "office/north/a.trf"),
        ("Mu\u0308nster.trf", "office/M\u00fcnster.trf"),
    ],
)
def test_a_report_is_named_relative_to_the_manifest(name, file):
    assert list(delivered_tables.read_manifest("office/manifest.csv", f"file\n{name}\n".encode()).facts) == [file]


@pytest.mark.parametrize(
    ("column", "cell", "allowed"),
    [
        ("received_on", "05/10/2025", ALLOWED["start_date"]),
        ("received_on", "31.11.2025", ALLOWED["start_date"]),
        ("start_date", "2025-02-30", ALLOWED["start_date"]),
        ("end_date", "20251005", ALLOWED["start_date"]),
        ("end_date", "0000-01-01", ALLOWED["start_date"]),
        ("end_date", "1969-12-31", ALLOWED["start_date"]),
        ("end_date", "1.1.0000", ALLOWED["start_date"]),
        ("registered_on", "2025-W40-1", ALLOWED["start_date"]),
        ("version", "0", "a whole number from 1 to 9999"),
        ("version", "1.5", "a whole number from 1 to 9999"),
        ("minutes_per_60_moves", "90+30", "a whole number from 1 to 9999"),
        ("event_type", "knockout", "swiss, roundrobin, double_roundrobin, team, match"),
        ("time_control", "classical", "standard, rapid, blitz"),
        ("official", "yes", "0, 1"),
        ("federation", "NO", "three letters"),
    ],
)
def test_a_wrong_cell_names_manifest_line_column_and_what_is_allowed(column, cell, allowed):
    (problem,) = only(f"file,{column}\na.trf,{cell}\n")["problems"]
    place = f"office/manifest.csv, line 2, column {column} (allowed: {allowed})"
    assert (problem["rule"], problem["value"], problem["detail"]) == ("manifest_value", cell, place)


@pytest.mark.parametrize(
    ("text", "rule", "detail"),
    [
        *(
            (f"file,event_id\n{row}\n", "manifest_row", "line 2; its header has 2")
            for row in ("a.trf,Oslo, open", 'a.trf,"Oslo" open', "a.trf,Oslo,")
        ),
        ("file,start_number,fide_id\na.trf,3,900003,open\n", "manifest_row", "line 2; its header has 3"),
        ("file,version\na.trf,1\n./a.trf,2\n", "manifest_twice", "line 2 and line 3"),
        # Two rows of a report with more than the ID of a player.
        (f"{IDS}a.trf,Oslo Open,3,900003\na.trf,Oslo Open,4,900004\n", "manifest_twice", "line 2 and line 3"),
    ],
)
def test_a_row_that_does_not_fit_refuses_its_report_and_states_nothing(text, rule, detail):
    stated = only(text)
    (problem,) = stated["problems"]
    assert (problem["rule"], problem["detail"]) == (rule, f"office/manifest.csv, {detail}")
    assert stated == {"problems": [problem]}


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (
            "name,version\na.trf,1\n",
            "m.csv, row 1: the column 'file' is missing; found: name, version",
        ),
        (",,\n", "m.csv, row 1: the column 'file' is missing"),
        ("", "m.csv: the file is empty"),
        ("file,version,Version\na.trf,1,2\n", "m.csv, row 1: the column 'version' appears twice"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused_with_the_reason(text, refusal):
    read = delivered_tables.read_manifest("m.csv", text.encode())
    assert read.refusal.startswith(refusal)
    assert not read.facts


def test_an_unknown_column_is_noted_and_not_read():
    read = delivered_tables.read_manifest("m.csv", b"file,colour,version\na.trf,red,3\n")
    assert read.facts["a.trf"] == {"version": 3}
    assert [note.split(" is not")[0] for note in read.notes] == ["m.csv: the column 'colour'"]


def test_a_row_without_a_file_is_listed():
    (problem,) = delivered_tables.read_manifest("m.csv", b"file,version\n,2\n").problems
    assert problem.startswith("m.csv, line 2, column file")


@pytest.mark.parametrize("name", ["../a.trf", "/a.trf", "C:\\a.trf", "x/../../a.trf"])
def test_a_row_cannot_name_files_elsewhere(name):
    read = delivered_tables.read_manifest("office/manifest.csv", f"file\n{name}\n".encode())
    assert not read.facts
    assert read.problems[0].startswith("office/manifest.csv, line 2, column file")


def test_blank_lines_do_not_shift_line_numbers():
    read = delivered_tables.read_manifest("m.csv", b"file,version\n\na.trf,1\n,,\nb.trf,x\n")
    assert read.facts["b.trf"]["problems"][0]["detail"].startswith("m.csv, line 5, column version")


@pytest.mark.parametrize(
    ("rows", "value", "place"),
    [
        ("a.trf,,0,900003\n", "0", "line 2, column start_number (allowed: a whole number from 1 to 9999)"),
        ("a.trf,,,900003\n", "", "line 2, column start_number (allowed: a whole number from 1 to 9999)"),
        ("a.trf,,3,ITA9\n", "ITA9", "line 2, column fide_id (allowed: the digits of a FIDE ID)"),
        ("a.trf,,3,0\n", "0", "line 2, column fide_id (allowed: the digits of a FIDE ID)"),
        (
            "a.trf,,3,9\na.trf,,3,8\n",
            "3",
            "line 3, column start_number (allowed: once)",
        ),
    ],
)
def test_a_row_of_a_player_that_cannot_be_understood_refuses_the_report(rows, value, place):
    (problem,) = only(IDS + rows)["problems"]
    assert (problem["rule"], problem["value"], problem["detail"]) == (
        "manifest_value",
        value,
        f"office/manifest.csv, {place}",
    )


def test_facts_are_the_same_after_they_were_recorded():
    stated = only(f"{IDS}a.trf,Oslo Open,,\na.trf,,3,900003\n")
    recorded = json.loads(json.dumps(delivered_tables.recorded_report("a.trf", "0", stated)))
    assert recorded["name"] == "a.trf"
    assert delivered_tables.facts_of_recorded(recorded) == stated
