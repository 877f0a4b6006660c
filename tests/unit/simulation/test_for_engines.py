"""Reports in one encoding, as pairing engines and checkers read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ratinglist.reports import find, read, read_batches
from ratinglist.simulation.plan import world_of
from ratinglist.workflows.simulate import Encoding, simulate
from tests.unit.simulation.worlds import FIRST

PLAYERS, EVENTS = 1500, 40


def texts(folder: Path, encoding: str) -> dict[str, str]:
    return {path.name: path.read_bytes().decode(encoding) for path in sorted(folder.rglob("*.trf"))}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[Encoding, Path]:
    folders: dict[Encoding, Path] = {}
    for encoding in ("utf-8", "ascii"):
        folders[encoding] = tmp_path_factory.mktemp("engines") / encoding
        simulate(folders[encoding], world_of(PLAYERS, FIRST, 4, EVENTS), 1, encoding=encoding)
    return folders


def test_every_report_is_in_the_encoding_without_a_byte_order_mark(written):
    ascii_texts, texts_of_utf_8 = texts(written["ascii"], "ascii"), texts(written["utf-8"], "utf-8")
    assert list(ascii_texts) == list(texts_of_utf_8)
    assert not any(text.startswith("\ufeff") for text in texts_of_utf_8.values())
    assert any(not text.isascii() for text in texts_of_utf_8.values())
    assert not any("?" in text for text in texts_of_utf_8.values())


def test_a_letter_that_becomes_two_moves_no_column(written):
    found = texts(written["ascii"], "ascii").values()
    players = [line for text in found for line in text.splitlines() if line.startswith("001")]
    assert len(players) > 500
    assert {bool(re.fullmatch(r"[0-9 ]{10} \d{4}/\d\d/\d\d", line[58:79].rjust(21))) for line in players} <= {True}


def test_titles_are_those_of_today(written):
    found = texts(written["utf-8"], "utf-8").values()
    titles = {line[10:13].strip() for text in found for line in text.splitlines() if line.startswith("001")}
    assert titles - {""} <= {"GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM"}


def test_a_bye_of_a_team_event_names_the_team(written):
    found = [text for text in texts(written["ascii"], "ascii").values() if re.search("^310", text, re.MULTILINE)]
    named = [line.split()[3:] for text in found for line in text.splitlines() if line.startswith("240")]
    assert named
    assert {len(teams) for teams in named} == {1}
    for text in found:
        teams = {line.split()[1] for line in text.splitlines() if line.startswith("310")}
        byes = {number for line in text.splitlines() if line.startswith("240") for number in line.split()[3:]}
        assert byes <= teams


def test_our_reader_reads_the_same_games_in_both_encodings(written):
    games = []
    for folder in written.values():
        found = [
            read(one.delivered, one.findings)
            for one in read_batches(find([folder / "reports"]), FIRST.first_day, FIRST.first_day)
        ]
        games.append([one.games.drop("report_id").rows() for one in found])
    assert sorted(games[0][0]) == sorted(games[1][0])
    assert len(games[0][0]) > 1000
