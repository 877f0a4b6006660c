"""A home is rebuilt from its archive and its journal: the same published bytes, the same rows in the store."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

import ratinglist
from ratinglist.config import Settings
from ratinglist.durable_files import sha256_of
from ratinglist.errors import CommandLineError, HomeError, NotApprovedError, StoreInUseError
from ratinglist.period import Period
from ratinglist.store import archive, baseline, journal
from ratinglist.store.home_lock import held_home
from ratinglist.store.table_scan import TableScan, scan
from ratinglist.summaries import ImportSummary, LoadSummary
from ratinglist.workflows import (
    correct,
    doctor,
    import_files,
    import_references,
    load,
    publish,
    rate,
    rebuild,
    rerate,
    rollback,
    run,
    status,
    tidy,
)
from tests.conftest import MONTHS, SAMPLE, office, published_bytes
from tests.stores import open_store

FIRST, SECOND = Period.parse(MONTHS[0]), Period.parse(MONTHS[1])
LAKESIDE = "ORV25081"


def copied(home: Path, folder: Path) -> Settings:
    """A copy of an office; yours to break."""
    shutil.copytree(home, folder / "home", symlinks=True)
    return office(folder / "home")


def scanned(settings: Settings) -> TableScan:
    found = scan(settings.store)
    assert found.wrong == []
    return found


def entry_kinds(settings: Settings) -> list[str]:
    entries, problem = journal.read_copies(settings.home)
    assert problem == ""
    return [entry.kind for entry in entries]


def withdraw(settings: Settings, event: str, day: date) -> None:
    """Withdraw an event by a file of corrections."""
    file = settings.home.parent / "corrections.toml"
    file.write_text(
        f'[[correction]]\naction = "withdraw_event"\nmatch = {{ event_id = "{event}" }}\nreason = "never played"\n'
        f'who = "chief arbiter"\nreported_on = {day}\n',
        encoding="utf-8",
    )
    correct.correct(replace(settings, today=day), file)


@pytest.fixture(scope="module")
def eventful(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a month in which every kind of change was made; look, do not touch."""
    settings = copied(homes / MONTHS[0], tmp_path_factory.mktemp("eventful"))
    (settings.home / "office.toml").write_text("[publication]\napprovals = 1\n", encoding="utf-8")
    withdraw(settings, LAKESIDE, date(2025, 12, 3))
    december = replace(settings, today=date(2025, 12, 4))
    with pytest.raises(NotApprovedError):
        rerate.rerate(december, FIRST)
    publish.approve(december, FIRST, "Ada", remark="looked at")
    rerate.rerate(december, FIRST)
    rollback.rollback(december, FIRST, "the first list was right", "Ada")
    rollback.rollback(december, FIRST, "it was not", "Ada")
    return settings.home


@pytest.mark.thorough
def test_every_kind_of_change_is_in_the_journal(eventful: Path) -> None:
    kinds = entry_kinds(office(eventful))
    expected = {"import-list", "import-players", "load", "correct", "calculate", "publish"}
    assert set(kinds) == expected | {"preview", "approve", "revise", "rollback"}


def test_a_lost_store_and_lost_calculations_are_rebuilt(eventful: Path, tmp_path: Path) -> None:
    settings = copied(eventful, tmp_path)
    before, rows = published_bytes(settings.home), scanned(settings)
    calculated = {path.relative_to(eventful): path.read_bytes() for path in eventful.glob("calculations/*/*/*.*")}
    settings.store.unlink()
    shutil.rmtree(settings.home / "calculations")
    done = rebuild.rebuild(settings)
    assert (done.put_back, done.entries) == ([], len(entry_kinds(settings)))
    assert published_bytes(settings.home) == before
    assert rows.differences(scanned(settings)) == []
    assert {path: (settings.home / path).read_bytes() for path in calculated} == calculated
    assert doctor.check(settings).problems == []
    revision = settings.published / MONTHS[0] / "r1"
    assert not list(settings.home.rglob(".tmp-*"))
    assert (
        any((revision / "games.parquet").samefile(path) for path in settings.home.glob("calculations/*/*/*")) is False
    )


@pytest.fixture
def small(homes: Path, tmp_path: Path) -> Settings:
    """An office that has published one month; yours to break."""
    return copied(homes / MONTHS[0], tmp_path)


def remove_calculations(settings: Settings) -> None:
    shutil.rmtree(settings.home / "calculations" / f"month={FIRST}")


def cut_store(settings: Settings) -> None:
    data = settings.store.read_bytes()
    settings.store.write_bytes(data[: len(data) // 2])


@pytest.mark.thorough
@pytest.mark.parametrize("damage", [remove_calculations, cut_store])
def test_a_command_goes_on_after_a_rebuild(small: Settings, damage: Callable[[Settings], None]) -> None:
    before = published_bytes(small.home)
    damage(small)
    done = rebuild.rebuild(small)
    assert Path(done.kept).is_dir()
    assert published_bytes(small.home) == before
    assert not run.run(small, FIRST).published.is_new
    assert published_bytes(small.home) == before


def test_an_altered_publication_is_put_back_and_the_altered_one_kept(small: Settings) -> None:
    before = published_bytes(small.home)
    revision = small.published / MONTHS[0] / "r1"
    for name in ("games.parquet", "manifest.json", "standard.csv"):
        path = revision / name
        # A file of its own: what is written here is not written to the calculation.
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data[:-9] + b"x" * 9)
    (revision / "pool.parquet").unlink()
    (revision.parent / "latest").write_text("r7\n")
    (small.published / "events.parquet").write_bytes(b"PAR1")
    wrong = {Path(one.file).name for one in doctor.check(small).problems}
    assert wrong >= {"manifest.json", "latest", "events.parquet"}
    done = rebuild.rebuild(small)
    assert len(done.put_back) == 6
    assert published_bytes(small.home) == before
    assert (Path(done.kept) / f"published/{MONTHS[0]}/r1/standard.csv").read_bytes().endswith(b"x" * 9)
    assert doctor.check(small).problems == []


@pytest.mark.thorough
def test_an_altered_original_is_named_and_replaced_by_the_original(small: Settings) -> None:
    report = next(iter(sorted(small.reports.iterdir())))
    players = archive.inputs(small.home) / sha256_of(SAMPLE / f"players-{MONTHS[0]}.csv")
    originals = {path: path.read_bytes() for path in (report, players)}
    for path, data in originals.items():
        path.write_bytes(b"x" + data[1:])
    named = {one.file for one in doctor.check(small).problems}
    assert named == {str(report), str(players)}
    with pytest.raises(HomeError, match=rf"(?s)cannot be rebuilt.*{players}: players-2025-09.*{report}: the report"):
        rebuild.rebuild(small)
    load.load(small, [SAMPLE / "reports" / MONTHS[0]])
    import_files.import_players(small, SAMPLE / f"players-{MONTHS[0]}.csv")
    assert {path: path.read_bytes() for path in originals} == originals


def test_originals_that_are_given_again_are_put_back_and_nothing_else_changes(small: Settings) -> None:
    official, players = SAMPLE / "list-2025-08.csv", SAMPLE / f"players-{MONTHS[0]}.csv"
    reports = SAMPLE / "reports" / MONTHS[0]
    given: list[tuple[Path, Callable[[], ImportSummary | LoadSummary]]] = [
        (official, lambda: import_files.import_list(small, official, Period.parse("2025-08"))),
        (official, lambda: import_references.import_reference(small, official, SECOND)),
        (players, lambda: import_files.import_players(small, players)),
        (reports / "manifest.csv", lambda: load.load(small, [reports])),
    ]
    import_references.import_reference(small, official, SECOND)
    before, rows = entry_kinds(small), scanned(small)
    for original, give in given:
        path = archive.inputs(small.home) / sha256_of(original)
        path.unlink()
        assert [one.file for one in doctor.check(small).problems] == [str(path)]
        done = give()
        assert done.put_back
        assert "put back; nothing else was changed" in done.text()
        assert path.read_bytes() == original.read_bytes()
    assert entry_kinds(small) == before
    assert rows.differences(scanned(small)) == []
    with pytest.raises(
        CommandLineError, match=r"was calculated from it; importing would invalidate it.*ratinglist correct"
    ):
        import_files.import_list(small, official, Period.parse("2025-08"))


def test_the_original_of_a_reference_list_is_never_deleted(small: Settings, tmp_path: Path) -> None:
    reference = tmp_path / "reference.csv"
    reference.write_text("fide_id,name,time_control,rating\n90000001,A,standard,2000\n", encoding="utf-8")
    import_references.import_reference(small, reference, SECOND)
    tidy.tidy(small)
    assert (archive.inputs(small.home) / sha256_of(reference)).read_bytes() == reference.read_bytes()


def test_what_was_published_without_the_journal_is_not_lost_silently(small: Settings) -> None:
    unknown = small.published / MONTHS[1] / "r1"
    shutil.copytree(small.published / MONTHS[0] / "r1", unknown)
    small.store.unlink()
    with pytest.raises(HomeError, match=rf"published/{MONTHS[1]}/r1 is published, and the journal does not record it"):
        rebuild.rebuild(small)
    assert not small.store.exists()
    assert [path.name for path in small.home.iterdir() if path.name.startswith(".tmp")] == []


def test_another_result_is_not_put_in_place(small: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    before = small.store.read_bytes()
    infer = import_files.infer_state
    higher = pl.col("rating") + 1
    monkeypatch.setattr(import_files, "infer_state", lambda *given, **by: infer(*given, **by).with_columns(higher))
    with pytest.raises(HomeError, match=r"Entry \d+ of the journal \(.*gives another result"):
        rebuild.rebuild(small)
    assert small.store.read_bytes() == before


@pytest.mark.long
def test_two_rebuilds_at_once_are_one(small: Settings) -> None:
    with held_home(small.home), pytest.raises(StoreInUseError, match="being copied or rebuilt"):
        rebuild.rebuild(small)


# ------------------------------------------------------------------------------------------------ the journal


def test_a_store_that_is_missing_stops_every_command(small: Settings) -> None:
    small.store.unlink()
    with pytest.raises(HomeError, match=r"is missing, and this home is not a new one.*doctor --rebuild.*restore DIR"):
        rate.rate(small, FIRST)
    assert not small.store.exists()


@pytest.mark.thorough
def test_a_store_that_is_older_than_its_home_stops_every_command(small: Settings, tmp_path: Path) -> None:
    shutil.copyfile(small.store, tmp_path / "older")
    import_players(small, "Newname, Nora")
    shutil.copyfile(tmp_path / "older", small.store)
    with pytest.raises(HomeError, match=r"is older than this home: .*00000\d.json records a change"):
        rate.rate(small, FIRST)
    rebuild.rebuild(small)
    rate.rate(small, FIRST)


def test_status_names_an_older_store_whose_calculation_was_replaced(small: Settings, tmp_path: Path) -> None:
    shutil.copyfile(small.store, tmp_path / "older")
    import_players(small, "Newname, Nora")
    shutil.copyfile(tmp_path / "older", small.store)
    next(small.home.glob("calculations/*/c1/private/events.parquet")).unlink()
    with pytest.raises(HomeError, match="is older than this home"):
        status.status(small)


def test_a_store_of_another_history_stops_every_command(small: Settings, tmp_path: Path) -> None:
    other = copied(small.home, tmp_path / "other")
    import_players(small, "Newname, Nora")
    import_players(other, "Othername, Olga")
    shutil.copyfile(other.store, small.store)
    with pytest.raises(HomeError, match="is not the store of this home"):
        rate.rate(small, FIRST)
    with pytest.raises(HomeError, match="are those of two homes"):
        rebuild.rebuild(small)


def import_players(settings: Settings, name: str) -> None:
    file = settings.home.parent / "players.csv"
    file.write_text(f'fide_id,name,federation\n99999901,"{name}",ORV\n', encoding="utf-8")
    import_files.import_players(settings, file)


@pytest.mark.thorough
def test_a_copy_that_was_not_written_is_written_by_the_next_command(small: Settings) -> None:
    newest = list(journal.copies(small.home).values())[-1]
    data = newest.read_bytes()
    newest.unlink()
    rate.rate(small, FIRST)
    assert newest.read_bytes() == data


@pytest.mark.thorough
def test_an_altered_copy_is_found_and_written_again(small: Settings) -> None:
    third = journal.path_of(small.home, 3)
    data = third.read_bytes()
    third.write_bytes(data.replace(b"2025-12-01", b"2025-12-02"))
    assert [one.file for one in doctor.check(small).problems] == [str(third)]
    rebuild.rebuild(small)
    assert third.read_bytes() == data


def test_a_lost_entry_is_named_where_the_store_is_lost_too(small: Settings) -> None:
    small.store.unlink()
    journal.path_of(small.home, 3).write_text("{}\n")
    with pytest.raises(HomeError, match=r"000003.json was altered.*Entries 3 to \d of the journal are lost"):
        rebuild.rebuild(small)


@pytest.mark.thorough
def test_a_refused_command_is_not_recorded(small: Settings) -> None:
    before = entry_kinds(small)
    with pytest.raises(Exception, match="was calculated here"):
        import_files.import_list(small, SAMPLE / "list-2025-08.csv", FIRST)
    rerate.rerate(small, FIRST, preview=True)
    assert entry_kinds(small) == before


GIVEN: dict[str, Callable[[Settings], object]] = {
    "list": lambda settings: import_files.import_list(settings, SAMPLE / "list-2025-08.csv", Period.parse("2025-08")),
    "players": lambda settings: import_files.import_players(settings, SAMPLE / f"players-{MONTHS[0]}.csv"),
    "reports": lambda settings: load.load(settings, [SAMPLE / "reports" / MONTHS[1]]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_an_import_given_again_is_recorded_once(
    homes: Path, tmp_path: Path, given: Callable[[Settings], object]
) -> None:
    settings = copied(homes / "2025-08", tmp_path)
    given(settings)
    before, rows = entry_kinds(settings), scanned(settings)
    given(settings)
    assert entry_kinds(settings) == before
    assert rows.differences(scanned(settings)) == []


# --------------------------------------------------------------------------------------------- homes of before


@pytest.fixture
def without_journal(small: Settings) -> Settings:
    """A home as a version without a journal left it."""
    with open_store(small.store) as store:
        store.execute("drop table journal")
        store.execute("delete from migration where name = '0010_journal.sql'")
    shutil.rmtree(small.home / "archive")
    return small


@pytest.mark.long
def test_a_home_of_before_gets_a_baseline_and_can_be_rebuilt(without_journal: Settings) -> None:
    settings = without_journal
    import_files.import_players(settings, SAMPLE / f"players-{MONTHS[1]}.csv")
    run.run(settings, SECOND, [SAMPLE / "reports" / MONTHS[1]])
    assert entry_kinds(settings)[:2] == [baseline.KIND, "import-players"]
    before, rows = published_bytes(settings.home), scanned(settings)
    settings.store.unlink()
    shutil.rmtree(settings.home / "calculations")
    rebuild.rebuild(settings)
    assert published_bytes(settings.home) == before
    assert rows.differences(scanned(settings)) == []
    assert doctor.check(settings).problems == []


def test_what_is_lost_of_a_home_of_before_is_named(without_journal: Settings) -> None:
    with open_store(without_journal.store):
        pass
    games = without_journal.published / MONTHS[0] / "r1" / "games.parquet"
    for path in without_journal.home.rglob(games.name):
        path.chmod(0o644)
        path.write_bytes(b"PAR1")
    assert str(games) in {one.file for one in doctor.check(without_journal).problems}
    with pytest.raises(HomeError, match=rf"(?s)older than the journal, and missing or altered.*{games}"):
        rebuild.rebuild(without_journal)


@pytest.mark.long
def test_another_version_of_the_program_begins_with_a_baseline(
    small: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratinglist, "__version__", "9.9")
    rate.rate(small, FIRST)
    assert entry_kinds(small)[-2:] == [baseline.KIND, "calculate"]
    before, rows = published_bytes(small.home), scanned(small)
    shutil.rmtree(small.home / "calculations")
    rebuild.rebuild(small)
    assert published_bytes(small.home) == before
    assert rows.differences(scanned(small)) == []
