"""A batch of delivered files, read as a whole."""

from datetime import date
from pathlib import Path

import pytest

from ratinglist.reports import discovery, judge
from tests.trf_text import HEAD, players, report

TWO_GAMES = (("   2 w 1", "   2 b ="), ("   1 b 0", "   1 w ="))


DAY = date(2025, 6, 20)


def read(*texts: str, encoding: str = "utf-8", **stated: object) -> judge.ReadBatch:
    """What is read of reports that arrived on :data:`DAY`, each with these facts of a manifest."""
    file = discovery.DeliveredFile("a.trf", Path("a.trf"), facts=stated)
    batch = discovery._batch([(file, text.encode(encoding)) for text in texts], {}, DAY, DAY)
    return judge.read(batch.delivered, batch.findings)


def rules(batch: judge.ReadBatch, effect: str = "refused") -> list[str]:
    return sorted(batch.findings.filter(effect=effect)["rule"])


def dated(start: str, end: str) -> str:
    return report(head=tuple({"042": f"042 {start}", "052": f"052 {end}"}.get(line[:3], line) for line in HEAD))


def assert_contradict_nothing(days: dict[str, date], texts: list[str]) -> None:
    """Each report has the days of the manifest, and is refused without it."""
    stated = read(*texts, **days)
    assert rules(stated) == []
    assert stated.reports.select("start_date", "end_date").rows() == [tuple(days.values())] * len(texts)
    assert read(*texts).findings.filter(effect="refused")["file_no"].n_unique() == len(texts)


def test_a_date_that_was_never_set_does_not_contradict_the_manifest():
    unset = ("2126-02-01", "1899/12/30", "2200/01/01", "9999/12/31", "2025/06/21")
    days = {"start_date": date(2025, 6, 2), "end_date": date(2025, 6, 6)}
    assert_contradict_nothing(days, [dated(day, day) for day in unset])


def test_a_day_and_a_month_exchanged_do_not_contradict_the_manifest():
    exchanged = {
        "2025/09/06": "2025/10/06",
        "06/09/2025": "06/10/2025",
        "2025/13/06": "2025/17/06",
        "2025/02/31": "2025/09/06",
    }
    days = {"start_date": date(2025, 6, 9), "end_date": date(2025, 6, 10)}
    assert_contradict_nothing(days, [dated(*both) for both in exchanged.items()])


def test_of_two_dates_out_of_order_the_one_after_the_receipt_is_named():
    line_of = {
        ("2025/07/09", "2025/06/13"): 4,
        ("2025/08/02", "2025/06/06"): 4,
        ("2025/12/10", "2025/06/12"): 4,
        ("2025/06/09", "2025/05/13"): 5,
    }
    refused = read(*(dated(*days) for days in line_of)).findings.filter(effect="refused").sort("file_no")
    assert refused.select("rule", "line").rows() == [("dates_reversed", line) for line in line_of.values()]


def test_a_date_of_another_year_still_contradicts_the_manifest():
    days = {"start_date": date(2025, 6, 2), "end_date": date(2025, 6, 6)}
    assert rules(read(dated("2024/06/02", "2024/06/06"), **days)) == ["dates_contradicted"]


@pytest.mark.parametrize(
    ("cells", "refused"),
    [
        (((),) * 4, ["no_games"]),
        ((("0000 - H",), ("0000 - Z",), (), ("0000 - U",)), ["no_games"]),
        ((("   2 w",), ("   1 b",), (), ()), ["no_games"]),
        # A forfeit is something, and what is refused for something else is not said to be empty.
        ((("   2 w +",), ("   1 b -",), (), ()), []),
        ((("   2 w =",), ("   1 b =",), (), ()), []),
        ((("   9 w 1",), (), (), ()), ["opponent_unknown"]),
    ],
)
def test_a_report_without_a_game_and_a_forfeit_is_refused_for_that(cells, refused):
    batch = read(report(players(cells)))
    assert (rules(batch), batch.reports["accepted"].to_list()) == (refused, [not refused])


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
    batch = read(report().replace("Spring Open", name), encoding=encoding)
    (noted,) = batch.findings.filter(rule="name_assumed")["value"]
    assert noted == batch.reports["name"].item() != name


@pytest.mark.parametrize("name", ["Öpen de Besançon", "L’Étoile d´Or 1ª «Ñandú»", "Spring Open"])
def test_a_name_in_windows_1252_is_not_noted(name):
    text = report().replace("Spring Open", name).replace("Riverton", "Málaga")
    assert "name_assumed" not in rules(read(text, encoding="cp1252"), "noted")


def test_a_name_that_the_manifest_states_is_not_guessed():
    batch = read(report().replace("Spring Open", "Чемпионат"), encoding="cp1251", event_name="Championship")
    assert "name_assumed" not in rules(batch, "noted")


@pytest.mark.parametrize(("event_type", "more"), [("swiss", 1), ("match", 0), ("double_roundrobin", 0)])
def test_findings_that_are_expected_have_no_number_of_further_ones(event_type, more):
    cells = tuple(
        (f"{number + 1 if number % 2 else number - 1:>4} {'w' if number % 2 else 'b'} =",) * 2
        for number in range(1, 51)
    )
    text = report(players(cells))
    assert rules(read(text, event_type=event_type), "noted").count("more_findings") == more


@pytest.mark.parametrize(
    ("event_type", "noted"),
    [
        *((event_type, ["1 and 2"]) for event_type in ("swiss", "roundrobin", "team")),
        *((event_type, []) for event_type in ("match", "double_roundrobin")),
    ],
)
def test_two_players_who_meet_again_are_noted_where_not_all_do(event_type, noted):
    batch = read(report(players(TWO_GAMES)), event_type=event_type)
    assert batch.findings.filter(rule="pair_repeated")["value"].to_list() == noted
