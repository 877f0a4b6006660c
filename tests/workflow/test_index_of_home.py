"""Every change of what readers see has its index: decided with it, stated by the log, and put back where it is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ratinglist.errors import BeingPublishedError, CheckError, CommandLineError, HomeError
from ratinglist.files.durable_files import digest_of
from ratinglist.home.log import Entry, Log
from ratinglist.period import Period
from ratinglist.publication import settle
from ratinglist.publication.manifest import PUBLISHING, Index, read_public_key
from ratinglist.publication.published_files import verify
from ratinglist.workflows import doctor, load, publish, replay, undo
from ratinglist.workflows.opening import open_to_write
from tests.conftest import MONTHS, SAMPLE, office, published_bytes, run_sample
from tests.parameters import long_but
from tests.workflow.test_signed_index import stated
from tests.workflow.test_verify import key_files

FIRST = Period.parse(MONTHS[0])
NAME = "Federazione di prova"
NARROW = '\n[fields.without]\nlists = ["sex"]\n'
INDEX = "index.json"


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    """An office that has published one month and has never signed."""
    return Path(shutil.copytree(homes / MONTHS[0], tmp_path / "home"))


def signing(home: Path, seed: int = 1, more: str = "") -> str:
    """Let the office sign with a key from now on, and return the fingerprint."""
    private, public = key_files(home, seed)
    text = f'name = "{NAME}"\n[publication]\nsigning_key = "{private.name}"\n{more}'
    (home / "office.toml").write_text(text, encoding="utf-8")
    return read_public_key(public)


def published_again(home: Path, because: dict[str, str] | None = None) -> Index:
    """Publish the month again; return the index."""
    publish.publish(office(home), FIRST, because)
    return index_of(home)


def index_of(home: Path) -> Index:
    return Index.read((home / "published" / INDEX).read_bytes())


def test_an_office_that_does_not_sign_has_no_index(homes: Path) -> None:
    assert list((homes / MONTHS[-1] / "published").glob("index*")) == []


def test_a_command_that_changes_nothing_writes_no_index(home: Path) -> None:
    signing(home)
    published_again(home)
    before = published_bytes(home)
    published_again(home)
    load.load(office(home), [SAMPLE / "reports" / MONTHS[1]])
    publish.preview(office(home), FIRST)
    assert published_bytes(home) == before


def test_a_rollback_is_signed(home: Path) -> None:
    key = signing(home, more=NARROW)
    published_again(home)
    undo.rollback(office(home), FIRST, "K was wrong")
    index = index_of(home)
    assert (index.counter, index.signers) == (2, {f"{FIRST}/r2": key})
    assert index.published == stated(home / "published")
    assert index.published[f"{FIRST}/latest"] == "r1"
    assert verify(home / "published", key).wrong == []


def test_a_key_that_cannot_sign_stops_a_rollback(home: Path) -> None:
    signing(home, more=NARROW)
    published_again(home)
    before = published_bytes(home)
    (home / "office-1.pem").unlink()
    with pytest.raises(CommandLineError, match="the signing key cannot be read"):
        undo.rollback(office(home), FIRST, "K was wrong")
    assert published_bytes(home) == before
    assert not (home / "drafts").exists()


@pytest.fixture(scope="module")
def _signed(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path_factory.mktemp("signed") / "home"))
    key = signing(home, more=NARROW)
    published_again(home)
    return home, key


@pytest.fixture
def signed(_signed: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    """An office with a revision that is not signed, and a second one that is; and the fingerprint of its key."""
    home, key = _signed
    return Path(shutil.copytree(home, tmp_path / "signed")), key


# ------------------------------------------------------------------------------------------------ damage and rebuild


def altered(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data.replace(b"signature", b"Signature"))


@pytest.mark.parametrize("name", [INDEX, pytest.param(f"{FIRST}/r2/manifest.json.sig", marks=pytest.mark.long)])
@pytest.mark.parametrize("damage", long_but([Path.unlink, altered], altered))
def test_what_is_signed_is_put_back_without_the_key(
    signed: tuple[Path, str], name: str, damage: Callable[[Path], None]
) -> None:
    home, key = signed
    before = published_bytes(home)
    (home / "office-1.pem").rename(home.parent / "key.pem")
    damage(home / "published" / name)
    (problem,) = doctor.check(office(home)).problems
    assert (problem.file, problem.remedy) == (str(home / "published" / name), "ratinglist doctor --rebuild")
    assert replay.rebuild(office(home)).values["put_back"] == [f"published/{name}"]
    assert published_bytes(home) == before
    assert verify(home / "published", key, seen=1).wrong == []
    (home.parent / "key.pem").rename(home / "office-1.pem")
    assert published_again(home).counter == 1
    assert doctor.check(office(home)).problems == []


def test_a_revision_that_was_signed_is_made_again_with_its_signature(signed: tuple[Path, str]) -> None:
    home, _ = signed
    before = published_bytes(home)
    (home / "office-1.pem").unlink()
    shutil.rmtree(home / "published" / str(FIRST) / "r2")
    replay.rebuild(office(home))
    assert published_bytes(home) == before


def test_an_index_of_another_day_is_found_and_a_rebuild_puts_todays_back(signed: tuple[Path, str]) -> None:
    home, _ = signed
    older = (home / "published" / INDEX).read_bytes()
    undo.rollback(office(home), FIRST, "K was wrong")
    newest = (home / "published" / INDEX).read_bytes()
    (home / "published" / INDEX).write_bytes(older)
    (problem,) = doctor.check(office(home)).problems
    assert Path(problem.file).name == INDEX
    assert (problem.description, problem.remedy) == (
        "was altered: its digest is not the one recorded",
        doctor.REBUILD,
    )
    with pytest.raises(CheckError, match=r"(?s)index\.json: was altered: .*doctor --rebuild"):
        publish.publish(office(home), FIRST)
    (home / "published" / INDEX).unlink()
    with pytest.raises(CheckError, match=r"(?s)index\.json: is missing.*doctor --rebuild"):
        publish.publish(office(home), FIRST)
    replay.rebuild(office(home))
    assert (home / "published" / INDEX).read_bytes() == newest


# --------------------------------------------------------------------------- an older state is never shown as today's


class Killed(BaseException):
    """The end of the process, simulated: nothing in the program may catch it."""


def rolled_back(home: Path, *, killed_after: int | None = None) -> None:
    """Roll the month back to r1; ``killed_after``: end after so many moves of finished files."""
    move, moves = settle._move, 0

    def counted(source: Path, target: Path) -> None:
        nonlocal moves
        if moves == killed_after:
            raise Killed
        moves += 1
        move(source, target)

    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        patch.setattr(settle, "_move", counted)
        undo.rollback(office(home), FIRST, "K was wrong")


@pytest.mark.parametrize("moves", range(4))
def test_what_an_interrupted_change_leaves_is_read_again_later(signed: tuple[Path, str], moves: int) -> None:
    home, key = signed
    rolled_back(home, killed_after=moves)
    if moves < 3:
        with pytest.raises(BeingPublishedError):
            verify(home / "published", key)
    with open_to_write(office(home)):
        pass
    assert verify(home / "published", key, seen=2).wrong == []


def test_a_first_publication_that_is_interrupted_is_read_again_later(homes: Path, tmp_path: Path) -> None:
    """Readers are not told that what they have is wrong, at whatever move the office was interrupted."""
    for moves in range(4):
        home = Path(shutil.copytree(homes / "2025-08", tmp_path / str(moves)))
        key = signing(home)
        move, left = settle._move, moves

        def counted(source: Path, target: Path, move=move) -> None:
            nonlocal left
            if not left:
                raise Killed
            left -= 1
            move(source, target)

        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            patch.setattr(settle, "_move", counted)
            run_sample(office(home), MONTHS[0])
        if (home / "published" / PUBLISHING).exists():
            with pytest.raises(BeingPublishedError):
                verify(home / "published", key)
        with open_to_write(office(home)):
            pass
        assert verify(home / "published", key, seen=1).wrong == []


def test_a_log_that_lost_its_newest_entry_is_refused(signed: tuple[Path, str]) -> None:
    home, _ = signed
    max((home / "log").glob("*.json")).unlink()
    with pytest.raises(CheckError, match="the log and what is published do not agree"), open_to_write(office(home)):
        pass


def test_a_log_that_was_written_again_is_not_that_of_the_index(signed: tuple[Path, str]) -> None:
    home, _ = signed
    before = ""
    for path in sorted((home / "log").glob("*.json")):
        content = {**json.loads(path.read_bytes()), "by": "somebody else", "before": before}
        before = digest_of(content)
        path.chmod(0o644)
        path.write_bytes(Entry.of({**content, "digest": before}).encode())
    with pytest.raises(HomeError):
        Log.open(home)


# -------------------------------------------------------------------------------------------- the name of the office


def test_manifest_and_index_name_the_office_and_another_one_does_not_verify_in_its_place(
    signed: tuple[Path, str], tmp_path: Path
) -> None:
    home, key = signed
    assert f'"office": "{NAME}"' in (home / "published" / str(FIRST) / "r2" / "manifest.json").read_text("utf-8")
    assert index_of(home).office == NAME
    assert verify(home / "published", key, office=NAME).wrong == []
    other = Path(shutil.copytree(home, tmp_path / "other"))
    text = (other / "office.toml").read_text(encoding="utf-8")
    (other / "office.toml").write_text(text.replace(NAME, "Circolo di prova"), encoding="utf-8")
    publish.publish(office(other), FIRST, {"office_settings": "another office"})
    assert verify(other / "published", key).wrong == []
    assert [one.description for one in verify(other / "published", key, office=NAME).wrong] == [
        "is the index of another office, Circolo di prova"
    ]
