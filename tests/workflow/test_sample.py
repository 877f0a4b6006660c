"""The sample federation: each report agrees with itself, and each scene ends as its page says."""

import csv
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
REPORTS = sorted(SAMPLE.glob("reports/*/*.trf"))
BROKEN = "vale-weekend.trf"
ANSWERS = {"1": "0", "0": "10", "=": "=", "+": "-", "-": "+-", "W": "L", "L": "W", "D": "D"}


@dataclass(frozen=True)
class Line:
    """One 001 line: round to opponent, colour and code."""

    cells: dict[int, tuple[int, str, str]]


def lines_of(path: Path, code: str) -> list[str]:
    raw = path.read_bytes()
    text = raw.decode("utf-8-sig" if is_utf_8(raw) else "cp1252")
    return [line for line in text.splitlines() if line.startswith(code)]


def is_utf_8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def player_lines(path: Path) -> dict[int, Line]:
    return {int(line[4:8]): read(line) for line in lines_of(path, "001")}


def read(line: str) -> Line:
    starts = [at for at in range(91, len(line), 10) if line[at : at + 8].strip()]
    cells = {(at - 91) // 10 + 1: (int(line[at : at + 4]), line[at + 5], line[at + 7]) for at in starts}
    return Line(cells)


def disagreements(lines: dict[int, Line]) -> list[tuple[int, int]]:
    """Start number and round of every cell that the opponent's line does not answer."""
    return [
        (number, turn)
        for number, line in lines.items()
        for turn, (opponent, colour, code) in line.cells.items()
        if opponent and not answered(lines, number, turn, opponent, colour, code)
    ]


def answered(lines: dict[int, Line], number: int, turn: int, opponent: int, colour: str, code: str) -> bool:
    other = lines[opponent].cells.get(turn)
    return other is not None and other[0] == number and {colour, other[1]} == {"w", "b"} and other[2] in ANSWERS[code]


def manifest(month: str) -> list[dict[str, str]]:
    with (SAMPLE / "reports" / month / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("path", [path for path in REPORTS if path.name != BROKEN], ids=lambda path: path.stem)
def test_both_lines_tell_the_same_game(path: Path) -> None:
    assert disagreements(player_lines(path)) == []


def test_the_broken_report_is_broken_in_one_game() -> None:
    (path,) = (path for path in REPORTS if path.name == BROKEN)
    assert len(disagreements(player_lines(path))) == 2


@pytest.mark.parametrize("month", ["2025-09", "2025-10", "2025-11", "2025-12"])
def test_the_manifest_names_every_report_of_its_month(month: str) -> None:
    assert sorted(row["file"] for row in manifest(month)) == sorted(p.name for p in REPORTS if p.parent.name == month)


@pytest.mark.parametrize(
    ("month", "event_id", "status"),
    [
        ("2025-10", "KEL25084", "duplicate same_games"),
        ("2025-10", "ORV25093", "refused report_refused"),
        ("2025-10", "ORV25094", "refused unknown_player"),
        ("2025-11", "ORV25094", "rated "),
        ("2025-10", "ORV25095", "deferred received_after_closing"),
        ("2025-11", "ORV25104", "deferred received_after_closing"),
        ("2025-12", "ORV25086", "late third_list_limit"),
        ("2025-12", "ORV25115", "rated "),
        ("2025-12", "ORV25117", "rated "),
    ],
)
def test_each_scene_ends_as_the_page_of_the_sample_says(
    published: Path, month: str, event_id: str, status: str
) -> None:
    events = pl.read_parquet(published / month / "r1" / "events.parquet").filter(event_id=event_id)
    assert [f"{one['status']} {one['reason']}" for one in events.to_dicts()] == [status]


@pytest.mark.parametrize(
    ("month", "fide_id", "expected"),
    [
        ("2025-09", 99900502, ("rated", 20, 2391)),
        ("2025-09", 99900305, ("rated", 35, 1741)),
        ("2025-09", 99900539, ("delisted", 20, 1409)),
        ("2025-10", 99900610, ("entered", None, None)),
        ("2025-11", 99900447, ("entered", None, None)),
    ],
)
def test_each_of_the_cast_fares_as_the_page_of_the_sample_says(
    published: Path, month: str, fide_id: int, expected: tuple[object, ...]
) -> None:
    changes = pl.read_parquet(published / month / "r1" / "changes.parquet").filter(fide_id=fide_id)
    assert changes.select("status", "k", "old_rating").rows() == [expected]
