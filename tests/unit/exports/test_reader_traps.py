from __future__ import annotations

import json

import pytest

from ratinglist.errors import ExportError
from ratinglist.lists.formats import FORMATS
from ratinglist.lists.reader_traps import TRAPS, find_traps
from tests.unit.exports.lists import export, listed, player, publish

SOUND = player(1001, "O'Nemo-Li, Na", sex="F", women_title="WGM")
TRAPPED = {
    "blank_sex": ("fide-xml", player(1002, sex="")),
    "unknown_title": ("fide-txt", player(1002, title="LM")),
    "missing_name": ("csv", player(1002, "NA, NA")),
    "blank_name": ("vega-csv", player(1002, "-,-")),
    "quotation_mark": ("fide-txt", player(1002, 'Nemo "Nick", N')),
    "escaped_sign": ("fide-xml", player(1002, "Nemo & Nemo, N")),
    "blank_federation": ("swiss-manager-csv", player(1002, federation="")),
    "unknown_birth_year": ("fide-xml", player(1002, birth_year=None)),
    "long_fide_id": ("fide-txt", player(9_000_000_000)),
    "fide_id_over_8_digits": ("vega-csv", player(123_456_789)),
    "fide_id_under_4_digits": ("swiss-manager-csv", player(7)),
}


def test_every_trap_is_for_formats_that_there_are_and_has_a_test():
    assert set(TRAPPED) == set(TRAPS)
    assert {name for trap in TRAPS.values() for name in trap.formats} <= set(FORMATS)


@pytest.mark.parametrize("code", TRAPS)
def test_a_value_that_readers_trip_over_is_found_and_only_that(code):
    format_name, trapped = TRAPPED[code]
    lists = [listed(SOUND, trapped), listed(trapped, time_control="rapid")]
    found = find_traps(lists, format_name)
    assert [(one.trap, one.players, one.listed[0]["fide_id"]) for one in found] == [(code, 1, trapped["fide_id"])]


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_sound_list_has_no_trap(format_name):
    assert find_traps([listed(SOUND)], format_name) == []


def test_a_warning_names_the_first_players_and_counts_all():
    (found,) = find_traps([listed(*(player(1000 + at, f"P{at}", title="LM") for at in range(7)))], "fide-txt")
    assert found.text().startswith(
        "unknown_title: a title is none of FIDE's eight, 7 players: 1000 P0 (LM); 1001 P1 (LM); 1002 P2 (LM); "
        "1003 P3 (LM); 1004 P4 (LM) and 2 more. Readers with a fixed set"
    )


def test_an_export_warns_before_it_writes_and_keeps_the_players_in_its_summary(tmp_path, capsys):
    office = publish(tmp_path / "home", listed(player(1001, "NA, NA", sex="")))
    summary = export(office, "fide-txt", tmp_path / "list.txt")
    warned = [line.split(":")[1].strip() for line in capsys.readouterr().err.splitlines()]
    assert warned == ["blank_sex", "missing_name"]
    warnings = json.loads(json.dumps(summary.as_dict()))["warnings"]
    assert warnings[1] == {
        "trap": "missing_name",
        "players": 1,
        "listed": [{"fide_id": 1001, "name": "NA, NA", "value": "NA, NA"}],
    }


def test_a_strict_export_is_refused(tmp_path):
    office = publish(tmp_path / "home", listed(player(1001, sex="")))
    with pytest.raises(ExportError, match=r"--strict, .*\n  blank_sex: .*1001 Nemo, Nora"):
        export(office, "fide-txt", tmp_path / "list.txt", strict=True)
    assert not (tmp_path / "list.txt").exists()
    assert export(office, "csv", strict=True).warnings == []
