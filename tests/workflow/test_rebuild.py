"""A home is rebuilt from its log and its originals: the same published bytes, the same rows in the store."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import AlteredError, HomeError, NotApprovedError, NothingReadError
from ratinglist.files.durable_files import sha256_of
from ratinglist.home import log, originals
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, load, publish, replay, rerate, run, status, undo
from tests.command_line import ratinglist
from tests.conftest import MONTHS, SAMPLE, asking_only, copied, published_bytes, unpublish
from tests.parameters import long_but
from tests.workflow.test_rerate import correct, correction
from tests.workflow.test_store import facts

pytestmark = pytest.mark.asks_only()

FIRST, SECOND = Period.parse(MONTHS[0]), Period.parse(MONTHS[1])


@pytest.fixture(scope="module")
def eventful(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a month in which every kind of change was made; look, do not touch."""
    settings = copied(homes / MONTHS[0], tmp_path_factory.mktemp("eventful"))
    with asking_only():
        (settings.home / "office.toml").write_text("[publication]\napprovals = 1\n", encoding="utf-8")
        correct(settings, correction("withdraw_event", 'event_id = "ORV25081"'))
        december = replace(settings, today=date(2025, 12, 4))
        with pytest.raises(NotApprovedError):
            rerate.rerate(december, FIRST)
        publish.approve(december, FIRST, "Ada")
        rerate.rerate(december, FIRST)
        undo.rollback(december, FIRST, "neither list was right", "Ada", to="none")
        undo.rollback(december, FIRST, "the second was", "Ada", to="r2")
        undo.rollback(december, FIRST, "the first list was right", "Ada")
        undo.rollback(december, FIRST, "it was not", "Ada")
    return settings.home


def test_after_every_kind_of_change_a_lost_store_and_lost_calculations_are_rebuilt(
    eventful: Path, tmp_path: Path
) -> None:
    settings = copied(eventful, tmp_path)
    expected = {"import-list", "import-players", "load", "correct", "calculate", "publish"}
    kinds = [entry.kind for entry in Log.open(eventful).entries]
    assert set(kinds) == expected | {"preview", "approve", "revise", "rollback"}
    before, rows = published_bytes(settings.home), facts(settings.store)
    calculated = {path.relative_to(eventful): path.read_bytes() for path in eventful.glob("calculations/*/*/*.*")}
    settings.store.unlink()
    shutil.rmtree(settings.home / "calculations")
    done = replay.rebuild(settings)
    assert done.values["entries"] == len(kinds)
    assert {name.partition("/")[0] for name in done.values["put_back"]} == {"calculations"}
    assert published_bytes(settings.home) == before
    assert facts(settings.store) == rows
    assert {path: (settings.home / path).read_bytes() for path in calculated} == calculated
    assert doctor.check(settings).problems == []
    assert not list(settings.home.rglob(".tmp-*"))


def test_an_altered_publication_is_put_back_and_the_altered_one_kept(first_month: Settings) -> None:
    before = published_bytes(first_month.home)
    revision = first_month.published / MONTHS[0] / "r1"
    for name in ("games.parquet", "manifest.json", "standard.csv"):
        path = revision / name
        # A file of its own: what is written here is not written to the calculation.
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data[:-9] + b"x" * 9)
    (revision / "pool.parquet").unlink()
    (revision.parent / "latest").write_text("r7\n")
    (first_month.published / "events.parquet").write_bytes(b"PAR1")
    wrong = {Path(problem.file).name for problem in doctor.check(first_month).problems}
    assert wrong >= {"manifest.json", "latest", "events.parquet"}
    done = replay.rebuild(first_month)
    assert len(done.values["put_back"]) == 6
    assert published_bytes(first_month.home) == before
    assert (Path(done.values["kept"]) / f"published/{MONTHS[0]}/r1/standard.csv").read_bytes().endswith(b"x" * 9)
    assert doctor.check(first_month).problems == []


def test_an_altered_original_is_named_and_replaced_by_the_original(first_month: Settings) -> None:
    report = next(iter(sorted(first_month.reports.iterdir())))
    players = first_month.home / originals.FOLDER / sha256_of(SAMPLE / f"players-{MONTHS[0]}.csv")
    contents = {path: path.read_bytes() for path in (report, players)}
    for path, data in contents.items():
        path.write_bytes(b"x" + data[1:])
    named = {problem.file for problem in doctor.check(first_month).problems}
    assert named == {str(report), str(players)}
    with pytest.raises(AlteredError, match=rf"{players} was altered|{report} was altered"):
        replay.rebuild(first_month)
    load.load(first_month, [SAMPLE / "reports" / MONTHS[0]])
    import_files.import_players(first_month, SAMPLE / f"players-{MONTHS[0]}.csv")
    assert {path: path.read_bytes() for path in contents} == contents


def test_the_original_of_a_reference_list_is_never_deleted(first_month: Settings, tmp_path: Path) -> None:
    reference = tmp_path / "reference.csv"
    reference.write_text("fide_id,name,time_control,rating\n90000001,A,standard,2000\n", encoding="utf-8")
    import_files.import_reference(first_month, reference, SECOND)
    doctor.tidy(first_month)
    assert (first_month.home / originals.FOLDER / sha256_of(reference)).read_bytes() == reference.read_bytes()


@pytest.mark.parametrize("name", ["index.json", f"{SECOND}"])
@pytest.mark.parametrize("make", long_but([Path.mkdir, os.mkfifo, Path.touch], os.mkfifo))
def test_what_was_published_without_an_entry_is_named_and_stays(
    first_month: Settings, make: Callable[[Path], None], name: str
) -> None:
    file = first_month.published / name
    make(file)
    (problem,) = doctor.check(first_month).problems
    assert (problem.file, problem.remedy.startswith(doctor.REMOVE)) == (str(file), True)
    assert replay.rebuild(first_month).values["foreign"] == [f"published/{name}"]
    assert os.path.lexists(file)


@pytest.mark.parametrize("damage", [b"", None])
def test_no_publication_is_to_be_removed_where_the_log_is_damaged(first_month: Settings, damage: bytes | None) -> None:
    file = log.path_of(first_month.home, 4)
    file.unlink() if damage is None else file.write_bytes(damage)
    remedies = {problem.part: problem.remedy for problem in doctor.check(first_month).problems}
    assert remedies["log"] == doctor.RESTORE
    assert remedies["published"] == doctor.RESTORE


def test_another_result_is_not_put_in_place(first_month: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    before = first_month.store.read_bytes()
    next(first_month.home.glob("calculations/*/*/pool.parquet")).unlink()
    infer = import_files.infer_state
    higher = pl.col("rating") + 1
    monkeypatch.setattr(import_files, "infer_state", lambda *inputs, **by: infer(*inputs, **by).with_columns(higher))
    with pytest.raises(HomeError, match=r"Entry \d+ of the log \(.*gives another result"):
        replay.rebuild(first_month)
    assert first_month.store.read_bytes() == before


# ------------------------------------------------------------------------------------------------ the log


def altered(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"2025-12-01", b"2025-12-02"))


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def of_another_home(path: Path) -> None:
    path.write_bytes(log.path_of(path.parent.parent, int(path.stem) + 1).read_bytes())


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "altered": (altered, "cannot be used"),
    "lost": (Path.unlink, "is missing"),
    "a pipe": (a_pipe, "cannot be used"),
    "another entry": (of_another_home, "does not continue the entry before it"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_entry_stops_every_command_and_is_named(first_month: Settings, name: str) -> None:
    damage, message = DAMAGES[name]
    third = log.path_of(first_month.home, 3)
    data, before = third.read_bytes(), first_month.store.read_bytes()
    damage(third)
    for command in (replay.rebuild, status.status, lambda settings: run.rate(settings, FIRST)):
        with pytest.raises(HomeError, match=rf"{third} {message}.*restore"):
            command(first_month)
    assert first_month.store.read_bytes() == before
    assert (str(third), "log") in {(problem.file, problem.part) for problem in doctor.check(first_month).problems}
    third.unlink(missing_ok=True)
    third.write_bytes(data)
    assert doctor.check(first_month).problems == []


# --------------------------------------------------------------------------------------------------------------- doctor


def names(home: Path) -> set[str]:
    """Everything in a home."""
    return {path.relative_to(home).as_posix() for path in home.rglob("*")}


def test_a_whole_home_is_not_changed_and_what_is_wrong_is_printed_with_its_remedy(
    first_month: Settings,
) -> None:
    before = {name: (first_month.home / name).stat().st_mtime_ns for name in names(first_month.home)}
    shown = ratinglist("doctor", "--json", home=first_month.home)
    assert (shown.returncode, json.loads(shown.stdout)["whole"]) == (0, True)
    assert {name: (first_month.home / name).stat().st_mtime_ns for name in names(first_month.home)} == before
    (first_month.published / MONTHS[0] / "latest").unlink()
    shown = ratinglist("doctor", home=first_month.home)
    assert shown.returncode == 4
    assert f"{first_month.published}/{MONTHS[0]}/latest" in shown.stdout
    assert "remedy: ratinglist doctor --rebuild" in shown.stdout
    assert shown.stderr.endswith(f": 1 problem found in {first_month.home}\n")


def test_what_nothing_needs_is_deleted_and_named(first_month: Settings) -> None:
    whole, before = names(first_month.home), published_bytes(first_month.home)
    publish.preview(first_month, FIRST)
    for name in ("reports/.tmp-abc", f"published/{MONTHS[0]}/.tmp-latest", "originals/" + "0" * 64):
        (first_month.home / name).touch()
    with pytest.raises(NothingReadError):
        import_files.import_players(first_month, SAMPLE / "README.md")
    done = doctor.tidy(first_month)
    assert [line.partition(": ")[2] for line in done.values["removed"]] == [
        "an old preview",
        *["an original that was not imported"] * 2,
    ]
    preview_entry = {"log/000006.json"}
    assert names(first_month.home) - {"previews"} - preview_entry == whole
    assert doctor.tidy(first_month).values["removed"] == []
    replay.rebuild(first_month)
    assert published_bytes(first_month.home) == before


def test_a_preview_that_can_be_published_is_kept(first_month: Settings) -> None:
    unpublish(first_month, MONTHS[0])
    publish.preview(first_month, FIRST)
    assert doctor.tidy(first_month).values["removed"] == []
    publish.publish(first_month, FIRST)
    assert doctor.tidy(first_month).values["removed"] == [f"previews/{FIRST}: an old preview"]
