"""A batch of delivered files, read as a whole."""

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.reports import batches, discovery, judge, manifest
from ratinglist.tables import DELIVERED, FILE_FINDING
from tests.trf_text import HEAD, players, report

TWO_GAMES = (("   2 w 1", "   2 b ="), ("   1 b 0", "   1 w ="))


DAY = date(2025, 6, 20)


def read(text: str, encoding: str = "utf-8", **stated: object) -> judge.ReadBatch:
    """What is read of one report that arrived on :data:`DAY`, with these facts of a manifest."""
    builder = batches._BatchBuilder(DAY, DAY)
    facts = manifest.ManifestFacts(**stated)
    builder.add(discovery.DeliveredFile("a.trf", Path("a.trf"), 1, facts=facts), "1" * 64, text.encode(encoding))
    batch = builder.build()
    return judge.read(batch.delivered, batch.findings)


def rules(batch: judge.ReadBatch, effect: str = "refused") -> list[str]:
    return sorted(batch.findings.filter(effect=effect)["rule"])


def dated(start: str, end: str) -> str:
    return report(head=tuple({"042": f"042 {start}", "052": f"052 {end}"}.get(line[:3], line) for line in HEAD))


@pytest.mark.parametrize("unset", ["2126-02-01", "1899/12/30", "2200/01/01", "9999/12/31", "2025/06/21"])
def test_a_date_that_was_never_set_does_not_contradict_the_manifest(unset):
    days = {"start_date": date(2025, 6, 2), "end_date": date(2025, 6, 6)}
    stated = read(dated(unset, unset), **days)
    assert rules(stated) == []
    assert stated.reports.select("start_date", "end_date").row(0) == tuple(days.values())
    assert rules(read(dated(unset, unset)))


def test_a_date_of_another_year_still_contradicts_the_manifest():
    days = {"start_date": date(2025, 6, 2), "end_date": date(2025, 6, 6)}
    assert rules(read(dated("2024/06/02", "2024/06/06"), **days)) == ["dates_contradicted"]


NO_CELLS, BYES, ANNOUNCED = (
    ((),) * 4,
    (("0000 - H",), ("0000 - Z",), (), ("0000 - U",)),
    (("   2 w",), ("   1 b",), (), ()),
)


@pytest.mark.parametrize("cells", [NO_CELLS, BYES, ANNOUNCED])
def test_a_report_without_a_game_and_a_forfeit_is_refused_for_that(cells):
    empty = read(report(players(cells)))
    assert (rules(empty), empty.reports["accepted"].to_list()) == (["no_games"], [False])


@pytest.mark.parametrize("cells", [(("   2 w +",), ("   1 b -",), (), ()), (("   2 w =",), ("   1 b =",), (), ())])
def test_a_report_with_a_game_or_a_forfeit_is_not_empty(cells):
    assert rules(read(report(players(cells)))) == []


def test_a_report_that_is_refused_for_something_else_is_not_said_to_be_empty():
    assert rules(read(report(players((("   9 w 1",), (), (), ()))))) == ["opponent_unknown"]


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("Чемпионат города", "cp1251"),
        ("Открытый турнир 2025", "cp1251"),
        ("Memoriał Śląska w Łodzi", "iso8859_2"),
        ("Přebor mládeže", "iso8859_2"),
        ("Šachový turnaj Žilina", "iso8859_2"),
        ("Πρωτάθλημα", "iso8859_7"),
    ],
)
def test_a_name_in_another_code_page_is_noted_as_it_is_read(name, encoding):
    batch = read(report().replace("Spring Open", name), encoding)
    (noted,) = batch.findings.filter(rule="name_assumed")["value"]
    assert noted == batch.reports["name"].item() != name


@pytest.mark.parametrize("name", ["Öpen de Besançon", "L’Étoile d´Or 1ª «Ñandú»", "Spring Open"])
def test_a_name_in_windows_1252_is_not_noted(name):
    text = report().replace("Spring Open", name).replace("Riverton", "Málaga")
    assert "name_assumed" not in rules(read(text, "cp1252"), "noted")


def test_a_name_that_the_manifest_states_is_not_guessed():
    batch = read(report().replace("Spring Open", "Чемпионат"), "cp1251", event_name="Championship")
    assert "name_assumed" not in rules(batch, "noted")


@pytest.mark.parametrize(("event_type", "more"), [("swiss", 1), ("match", 0), ("double_roundrobin", 0)])
def test_findings_that_are_expected_have_no_number_of_further_ones(event_type, more):
    cells = tuple(
        (f"{number + 1 if number % 2 else number - 1:>4} {'w' if number % 2 else 'b'} =",) * 2
        for number in range(1, 51)
    )
    text = report(players(cells))
    assert rules(read(text, event_type=event_type), "noted").count("more_findings") == more


def notes(event_type: str) -> list[str]:
    return findings(TWO_GAMES, event_type, "pair_repeated")


def findings(cells: tuple[tuple[str, ...], ...], event_type: str, rule: str) -> list[str]:
    text = report(players(cells), HEAD)
    row = {
        "file_no": 1,
        "file_name": "1.trf",
        "sha256": "1" * 64,
        "text": text,
        "received_on": date(2024, 4, 5),
        "event_type": event_type,
    }
    read = judge.read(pl.DataFrame([row], schema=DELIVERED.schema), FILE_FINDING.empty())
    return read.findings.filter(pl.col("rule") == rule)["value"].to_list()


@pytest.mark.parametrize("event_type", ["swiss", "roundrobin", "team"])
def test_two_players_who_meet_again_are_noted(event_type):
    assert notes(event_type) == ["1 and 2"]


@pytest.mark.parametrize("event_type", ["match", "double_roundrobin"])
def test_where_all_meet_again_nothing_is_noted(event_type):
    assert notes(event_type) == []


ALL_PLAY_ALL = (
    ("   4 w 1", "   2 w 1", "   3 b 1"),
    ("   3 w 1", "   1 b 0", "   4 w 1"),
    ("   2 b 0", "   4 b 1", "   1 w 0"),
    ("   1 b 0", "   3 w 0", "   2 b 0"),
)
"""Four players with colours as the rules have them."""
EXCHANGED = ((*ALL_PLAY_ALL[0][:2], "   3 w 1"), ALL_PLAY_ALL[1], (*ALL_PLAY_ALL[2][:2], "   1 b 0"), ALL_PLAY_ALL[3])
"""Those of the last game of 1 and 3 are exchanged on both lines."""
IN_TURNS = (("   6 w 1", "   6 b 1", "   6 w 1"), ("   5 b 0", "   5 w 0", "   5 b 0"))
"""Two more players, so that not everybody meets everybody."""
ALSO_WRONG = (*EXCHANGED, ("   6 w 1",) * 3, ("   5 b 0",) * 3)


@pytest.mark.parametrize(
    ("cells", "event_type", "noted"),
    [
        ((*ALL_PLAY_ALL, *IN_TURNS), "swiss", []),
        ((*EXCHANGED, *IN_TURNS), "swiss", ["1 and 3"]),
        ((*EXCHANGED, *IN_TURNS), "roundrobin", []),
        (EXCHANGED, "swiss", []),
        (ALSO_WRONG, "swiss", []),
    ],
)
def test_a_game_whose_colours_alone_break_the_rules_is_noted(cells, event_type, noted):
    """Where players of other games break the rules too, or all meet all, the rules did not choose the colours."""
    assert findings(cells, event_type, "colours_exchanged") == noted


def test_two_players_whom_no_exchange_makes_right_are_not_noted():
    of_two = (("   2 b 0", "   3 w 1", "   4 w 1", "   5 w 1"), ("   1 w 1", "   6 b 0", "   7 b 0", "   8 b 0"))
    others = [("",) * number + (f"   {one} {cell}",) for one, cell in ((1, "b 0"), (2, "w 1")) for number in (1, 2, 3)]
    assert findings((*of_two, *others), "swiss", "colours_exchanged") == []
