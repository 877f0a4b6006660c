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
from ratinglist.errors import CheckError
from ratinglist.files.durable_files import sha256_of
from ratinglist.period import Period
from ratinglist.simulation import World
from ratinglist.store import moved, replaced_rows
from ratinglist.workflows import correct as correct_workflow
from ratinglist.workflows import import_files, rate, rebuild, rerate, run, simulate
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


@pytest.mark.long
@budget(max_examples=40, **_DRAW)
@given(chosen=_DRAWN)
def test_whatever_is_corrected_what_moved_gives_the_bytes_of_the_whole_month(federation, of_any_size, tmp_path, chosen):
    check_drawn(federation, tmp_path / "drawn", chosen)


CHOSEN = (MONTHS[0], 40, "0-1")


@pytest.fixture
def corrected(federation: Path, of_any_size: None, tmp_path: Path) -> Settings:
    """The federation with a corrected result of its first month."""
    there = copied(federation, tmp_path)
    correct(there, CHOSEN)
    return there


def test_a_published_rerating_has_the_files_of_one_that_calculates_all(corrected, monkeypatch):
    other = copied(corrected.home, corrected.home.parent / "other")
    rerate.rerate(corrected, FIRST)
    monkeypatch.setattr(moved, "FEWEST_SIDES", 10**9)
    rerate.rerate(other, FIRST)
    assert files_of(corrected.home) == files_of(other.home)


def files_of(home: Path) -> dict[str, bytes]:
    """What is published, calculated and in the log, by path."""
    paths = (path for name in ("published", "calculations", "log") for path in (home / name).rglob("*"))
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in paths if path.is_file()}


def test_a_table_of_which_no_row_moved_is_linked_and_outlives_the_calculation_before(corrected):
    before = {path.stat().st_ino for path in (corrected.home / "calculations").rglob("*.parquet")}
    rerate.rerate(corrected, FIRST)
    now = [path for path in (corrected.home / "calculations").rglob("*.parquet") if path.stat().st_ino in before]
    assert {path.stem for path in now} >= {"events", "entries"}


def test_everything_made_again_from_the_log_is_what_was_calculated_from_what_moved(corrected):
    rerate.rerate(corrected, FIRST)
    published = files_of(corrected.home)
    shutil.rmtree(corrected.home / "calculations")
    rebuild.rebuild(corrected)
    assert (
        files_of(corrected.home).items()
        >= {name: data for name, data in published.items() if not name.startswith("calculations/")}.items()
    )


def _opponents_are_forgotten(made, ids, _events):
    return ids


def _games_stay(stem, rows, *of):
    return rows if stem == "games" else replaced(stem, rows, *of)


def _state_stays(rows, *of):
    return rows if "month" in rows.columns else spliced(rows, *of)


replaced, spliced = replaced_rows._replaced, replaced_rows._spliced


@pytest.mark.parametrize(
    ("module", "name", "fault"),
    [
        (moved, "_reached", _opponents_are_forgotten),
        (replaced_rows, "_replaced", _games_stay),
        (replaced_rows, "_spliced", _state_stays),
    ],
)
def test_a_row_that_is_not_replaced_stops_the_publication(corrected, monkeypatch, module, name, fault):
    monkeypatch.setattr(module, name, fault)
    with pytest.raises(CheckError):
        rerate.rerate(corrected, FIRST)


def _another_office(there: Settings) -> None:
    file = there.home / "office.toml"
    file.write_text(file.read_text(encoding="utf-8") + "\n# another\n", encoding="utf-8")


def _another_name(there: Settings) -> None:
    player = games_of(there.home, FIRST).item(0, "fide_id")
    file = there.home / "corrections.toml"
    file.write_text(
        f'[[correction]]\naction = "change_data"\nmatch = {{ fide_id = {player} }}\nname = "Other, Name"\n'
        'reason = "misspelt"\nwho = "chief arbiter"\nreported_on = 2025-12-01\n',
        encoding="utf-8",
    )
    correct_workflow.correct(there, file)


def _damage(there: Settings) -> None:
    for file in (there.home / "calculations").rglob("standard.csv"):
        file.chmod(0o644)
        file.write_bytes(file.read_bytes() + b"\n")


def _fewer_columns(there: Settings) -> None:
    """The office leaves out a column, and all lists were calculated since."""
    file = there.home / "office.toml"
    file.write_text(file.read_text(encoding="utf-8") + '\n[fields.without]\nlists = ["sex"]\n', encoding="utf-8")
    rerate.rerate(there, FIRST)
    correct(there, (MONTHS[0], 41, "0-1"))


def test_tables_in_parts_are_replaced_and_linked_too(corrected):
    file = corrected.home / "office.toml"
    parts = "\n[publication]\nrows_per_part = 1000\n"
    file.write_text(file.read_text(encoding="utf-8") + parts, encoding="utf-8")
    rerate.rerate(corrected, FIRST)
    correct(corrected, (MONTHS[0], 41, "0-1"))
    as_moved, months = calculated_again(corrected, FIRST, whole=False)
    assert months == len(MONTHS)
    assert as_moved == calculated_again(corrected, FIRST, whole=True)[0]


@pytest.mark.parametrize("change", [_another_office, _another_name, _damage, _fewer_columns])
def test_a_month_is_calculated_as_a_whole_where_anything_else_may_be_another(corrected, change):
    change(corrected)
    assert calculated_again(corrected, FIRST, whole=False)[1] == 0
