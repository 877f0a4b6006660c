"""Signing the revisions that were published before the office had a key."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication.manifest import read_public_key
from ratinglist.publication.published_files import verify
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, publish, replay
from tests.conftest import office, published_bytes
from tests.workflow.test_verify import key_files

SEPTEMBER, OCTOBER = Period.parse("2025-09"), Period.parse("2025-10")


@pytest.fixture
def settings(homes: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    """An office that has published unsigned until October, or the month of the parameter, and has a key now."""
    shutil.copytree(homes / getattr(request, "param", "2025-10"), tmp_path / "home")
    private, _ = key_files(tmp_path)
    private.chmod(0o600)
    (tmp_path / "home" / "office.toml").write_text(f'[publication]\nsigning_key = "{private}"\n', encoding="utf-8")
    return office(tmp_path / "home")


def key(settings: Settings) -> str:
    return read_public_key(key_files(settings.home.parent)[1])


def test_a_month_is_signed_and_no_byte_of_it_changes(settings: Settings) -> None:
    before = published_bytes(settings.home)
    done = publish.sign(settings, SEPTEMBER)
    assert (done.values["signed"], done.values["key"]) == (["r1"], key(settings))
    now = published_bytes(settings.home)
    assert {name for name in now if before.get(name) != now[name]} == {
        "2025-09/r1/manifest.json.sig",
        "index.json",
    }
    found = verify(settings.published, key(settings))
    assert found.wrong == []
    assert {one.month: bool(one.signed_by) for one in found.revisions.values()} == {"2025-09": True, "2025-10": False}
    again = publish.sign(settings, SEPTEMBER)
    assert (again.values["signed"], again.values["index"]) == ([], False)
    assert doctor.check(settings).problems == []


def test_a_revision_from_before_the_key_that_was_altered_is_distinguished(settings: Settings) -> None:
    publish.sign(settings, SEPTEMBER)
    file = settings.published / "2025-10" / "r1" / "standard.csv"
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"1", b"2", 1))
    assert [one.description for one in verify(settings.published, key(settings)).wrong] == [
        "was altered: its digest is not the one recorded"
    ]
    with pytest.raises(CheckError, match=r"(?s)Nothing was changed.*standard\.csv: was altered"):
        publish.sign(settings, OCTOBER)
    assert not (settings.published / "2025-10" / "r1" / "manifest.json.sig").exists()


@pytest.mark.parametrize("settings", ["2025-09"], indirect=True)
def test_a_rebuild_keeps_the_signatures(settings: Settings) -> None:
    publish.sign(settings, SEPTEMBER)
    before = published_bytes(settings.home)
    assert replay.rebuild(settings).values["put_back"] == []
    assert published_bytes(settings.home) == before
    assert publish.sign(settings, SEPTEMBER).values["signed"] == []
    # A list that has to be calculated again is made from a log in which a month was signed.
    (settings.published / "2025-09" / "r1" / "standard.csv").unlink()
    assert replay.rebuild(settings).values["put_back"] == ["published/2025-09/r1/standard.csv"]
    assert published_bytes(settings.home) == before


def test_an_office_without_a_key_signs_nothing(settings: Settings) -> None:
    with pytest.raises(NothingReadError, match="Nothing of 2026-02 was published"):
        publish.sign(settings, Period.parse("2026-02"))
    (settings.home / "office.toml").write_text("[publication]\napprovals = 0\n", encoding="utf-8")
    with pytest.raises(CommandLineError, match="has no key to sign with"):
        publish.sign(office(settings.home), SEPTEMBER)
