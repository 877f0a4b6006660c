"""A file of a delivery that is replaced after the folder was walked is not read: a link could lead anywhere."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from ratinglist.reports import batches
from tests.trf_text import report

DAY = date(2025, 11, 1)
SECRET = report().replace("Spring Open", "Secret").encode()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder outside the delivery, with files that the account may read and the sender may not."""
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "a.trf").write_bytes(SECRET)
    packed(folder / "a.zip", SECRET)
    return folder


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox" / "arbiter"
    folder.mkdir(parents=True)
    (folder / "a.trf").write_bytes(report().encode())
    packed(folder / "a.zip", report().encode() + b"\n")
    return folder


def packed(path: Path, data: bytes) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner.trf", data)


def problems_after(inbox: Path, change: Callable[[], None]) -> list[str]:
    """What is said of the delivery where ``change`` happens between the walk and the reading; no secret is read."""
    found = batches.find([inbox.parent])
    change()
    problems = []
    for batch in batches.read_batches(found, DAY, DAY):
        assert not [text for text in batch.delivered["text"] if "Secret" in text]
        problems += batch.problems
    return problems


@pytest.mark.parametrize("name", ["a.trf", "a.zip"])
def test_a_link_in_the_place_of_a_file_is_not_followed(inbox, secret, name):
    def change() -> None:
        (inbox / name).unlink()
        (inbox / name).symlink_to(secret / name)

    (problem,) = problems_after(inbox, change)
    assert "could not be read: a link has taken its place since it was found, and links are not followed" in problem


def test_a_link_in_the_place_of_a_folder_is_not_followed(inbox, secret):
    def change() -> None:
        inbox.rename(inbox.with_name("before"))
        inbox.symlink_to(secret)

    problems = problems_after(inbox, change)
    assert len(problems) == 2
    assert all("another file has taken its place since it was found. Deliver it again." in one for one in problems)


def test_a_link_in_the_place_of_a_manifest_is_not_followed(inbox, secret):
    (inbox / "manifest.csv").write_text("file,event_id\na.trf,OWN\n", encoding="utf-8")
    (secret / "manifest.csv").write_text("file,event_id\na.trf,SECRET\n", encoding="utf-8")
    walked = batches.walk

    def replaced(paths):
        found = walked(paths)
        (inbox / "manifest.csv").unlink()
        (inbox / "manifest.csv").symlink_to(secret / "manifest.csv")
        return found

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batches, "walk", replaced)
        found = batches.find([inbox.parent])
    assert [file.facts.event_id for file in found.files if file.member is None] == [None]
    assert "manifest.csv could not be read: a link has taken its place" in found.problems[0]
