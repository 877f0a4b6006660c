"""A month calculated again from what can have moved has the bytes that it has when all of it is calculated."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from ratinglist.config import Settings
from ratinglist.files.durable_files import sha256_of
from ratinglist.period import Period
from ratinglist.simulation import World
from ratinglist.store import moved
from ratinglist.workflows import correct as correct_workflow
from ratinglist.workflows import import_files, rate, rerate, run, simulate
from ratinglist.workflows.opening import open_to_write
from tests.conftest import asks_nothing, copied, made_once, office

FIRST = Period.parse("2025-07")
MONTHS = [FIRST + number for number in range(5)]
SEVERAL = ("1-0", "0-1", "1/2-1/2")
OF_HALVES = {2: "1-0", 1: "1/2-1/2", 0: "0-1"}


def _federation(home: Path) -> None:
    """Five months of a made-up federation, with newcomers, mistakes and all time controls."""
    made = home.with_name("moved-world")
    simulate.simulate(made, World(260, FIRST, 7, 7, ("AAA", "BBB")), len(MONTHS))
    asks_nothing(home)
    there = office(home)
    import_files.import_list(there, made / f"list-{FIRST - 1}.csv", FIRST - 1)
    for month in MONTHS:
        import_files.import_players(there, made / f"players-{month}.csv")
        run.run(there, month, [made / "reports" / str(month)])


@pytest.fixture(scope="session")
def federation(for_all_workers: Path) -> Path:
    return made_once(for_all_workers / "moved-federation", _federation)


@pytest.fixture
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small months, and those of which much moves, be calculated from what moved too."""
    monkeypatch.setattr(moved, "FEWEST_SIDES", 0)
    monkeypatch.setattr(moved, "_LARGEST_SHARE", 1)


def games_of(home: Path, month: Period) -> pl.DataFrame:
    """The games of a month, White's side, of events that were rated."""
    folder = home / "published" / str(month)
    revision = folder / (folder / "latest").read_text(encoding="utf-8").strip()
    rated = pl.read_parquet(revision / "events.parquet").filter(pl.col("status") == "rated")
    games = pl.read_parquet(revision / "games.parquet").filter(pl.col("colour") == "w", pl.col("reason") != "same_game")
    return games.join(rated, on="event_id", how="semi").sort("event_id", "round", "fide_id")


def correct(there: Settings, *chosen: tuple[Period, int, str]) -> None:
    """Correct a game of each month, by its place among all of them, to another result."""
    texts, named = [], set()
    for month, place, result in chosen:
        games = games_of(there.home, month)
        game = games.row(place % len(games), named=True)
        if (month, place % len(games)) in named:
            continue
        named.add((month, place % len(games)))
        if OF_HALVES[game["score_halves"]] == result:
            result = SEVERAL[SEVERAL.index(result) - 1]
        texts.append(
            f'[[correction]]\naction = "change_result"\nresult = "{result}"\n'
            f'match = {{ event_id = "{game["event_id"]}", round = {game["round"]}, white = {game["fide_id"]}, '
            f"black = {game['opponent_id']} }}\n"
            'reason = "score sheets compared"\nwho = "chief arbiter"\nreported_on = 2025-12-01\n'
        )
    file = there.home / "corrections.toml"
    file.write_text("\n".join(texts), encoding="utf-8")
    correct_workflow.correct(there, file)


def calculated_again(there: Settings, start: Period, *, whole: bool) -> tuple[dict[str, dict[str, str]], int]:
    """The digests of all files of every month from ``start`` on, and how many were calculated from what moved."""
    found, made = {}, []
    with pytest.MonkeyPatch.context() as patch, open_to_write(there) as store, store.trial():
        noted = rate._calculate_moved
        patch.setattr(
            rate, "_calculate_moved", (lambda *_: None) if whole else lambda *of: made.append(noted(*of)) or made[-1]
        )
        moves = moved.Moves()
        for month in (one for one in MONTHS if one >= start):
            rerate._rate_again(store, there, month, moves)
            newest = store.log.history.newest_calculations()[str(month)]
            folder = store.folder(month, newest.number)
            stated = folder.stated()
            assert {name: sha256_of(folder.path / name) for name in stated} == stated
            found[str(month)] = {**stated, "id": newest.facts["calculation_id"], "lists": str(newest.facts["lists"])}
    return found, sum(one is not None for one in made)


_DRAWN = st.lists(
    st.tuples(st.sampled_from(MONTHS[:-1]), st.integers(0, 10_000), st.sampled_from(SEVERAL)), min_size=1, max_size=4
)


def check_drawn(federation: Path, folder: Path, chosen: list[tuple[Period, int, str]]) -> int:
    """Compare both ways after the first correction, and again after the others; return the months by what moved."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    there, by_moved = copied(federation, folder), 0
    correct(there, chosen[0])
    for more in (chosen[1:], []):
        start = min(month for month, _, _ in chosen)
        as_moved, months = calculated_again(there, start, whole=False)
        assert as_moved == calculated_again(there, start, whole=True)[0]
        by_moved += months
        if more:
            rerate.rerate(there, start)
            correct(there, *more)
    return by_moved


_DRAW = {"deadline": None, "phases": [Phase.generate], "suppress_health_check": list(HealthCheck)}


@budget(max_examples=2, derandomize=True, **_DRAW)
@given(chosen=_DRAWN)
def test_what_moved_gives_the_bytes_of_the_whole_month(federation, of_any_size, tmp_path, chosen):
    assert check_drawn(federation, tmp_path / "drawn", chosen) > 0


@pytest.mark.thorough
@budget(max_examples=40, **_DRAW)
@given(chosen=_DRAWN)
def test_whatever_is_corrected_what_moved_gives_the_bytes_of_the_whole_month(federation, of_any_size, tmp_path, chosen):
    check_drawn(federation, tmp_path / "drawn", chosen)
