"""Every registered rating system keeps the promises of ``ratinglist_world.testing``; one that breaks them is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratinglist.publication.doubts import doubts_about, named
from ratinglist.rating.systems import registry
from ratinglist.workflows import import_files
from ratinglist_world import testing as command
from ratinglist_world.testing import broken_promises, make_office, sample_of
from tests.conftest import made_once
from tests.stores import open_store
from tests.workflow.test_systems_of_packages import Package, package

__all__ = ["package"]


@pytest.fixture(scope="session")
def made_up(for_all_workers: Path) -> Path:
    return made_once(for_all_workers / "made-up-federation", make_office)


@pytest.mark.long
@pytest.mark.parametrize("system", list(registry.SYSTEMS))
def test_a_system_keeps_every_promise(system: str, made_up: Path) -> None:
    assert broken_promises(system, made_up=made_up) == []


def test_a_package_that_breaks_promises_learns_which(
    package: Package, made_up: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package.change("next_state(month, computed, k)", "next_state(month, computed, k).filter(pl.col('games') > 0)")
    monkeypatch.setattr(command, "make_office", lambda _: made_up)
    assert command.main(["plain-elo"]) == 1
    shown = capsys.readouterr().out
    assert "ok     plain-elo: the order of events, games and players does not matter" in shown
    assert "FAILED plain-elo: a month without games moves no rating\n         the change of player 9000000" in shown


def test_a_system_that_is_not_installed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert [command.main(words) for words in (["no-such"], [], ["--slow"])] == [2, 2, 2]
    assert "There is no rating system 'no-such'. There are club, dwz, ecf, ffe, fsi," in capsys.readouterr().err


def test_a_system_that_reads_reference_lists_is_stopped_by_a_later_one(made_up: Path, tmp_path: Path) -> None:
    asked = [named("reference_list_is_current")]
    month = (sample := sample_of(made_up, tmp_path / "dwz", "dwz", [])).first
    name = tmp_path / "reference.csv"
    name.write_text("fide_id,name,federation,rating,time_control\n900000001,Berg,ORV,1800,standard\n", "utf-8")
    with open_store(sample.settings.store) as store:
        assert doubts_about(store, sample.settings, month, asked=asked) == []
    import_files.import_reference(sample.settings, name, month)
    with open_store(sample.settings.store) as store:
        (doubt,) = doubts_about(store, sample.settings, month, asked=asked)
    assert doubt.code == "reference_list_is_current"
