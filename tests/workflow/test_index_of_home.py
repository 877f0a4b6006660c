"""Every change of what readers see has its index: decided with it, stated by the log, and put back where it is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ratinglist.errors import BeingPublishedError, CheckError, CommandLineError, HomeError, NothingReadError
from ratinglist.files.durable_files import digest_of
from ratinglist.home.log import Entry, Log
from ratinglist.period import Period
from ratinglist.publication import settle
from ratinglist.publication.manifest import Index, read_public_key
from ratinglist.publication.published_files import verify
from ratinglist.workflows import doctor, load, publish, replay, undo
from ratinglist.workflows.opening import open_to_write
from tests.conftest import MONTHS, SAMPLE, office, published_bytes
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


def test_a_command_that_changes_nothing_writes_no_index(home: Path) -> None:
    signing(home)
    published_again(home)
    before = published_bytes(home)
    published_again(home)
    load.load(office(home), [SAMPLE / "reports" / MONTHS[1]])
    publish.preview(office(home), FIRST)
    assert published_bytes(home) == before


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


def test_a_rollback_is_signed_and_an_index_of_another_day_is_found_and_replaced(signed: tuple[Path, str]) -> None:
    home, key = signed
    file = home / "published" / INDEX
    older = file.read_bytes()
    undo.rollback(office(home), FIRST, "K was wrong")
    index, newest = index_of(home), file.read_bytes()
    assert (index.counter, index.signers, index.published) == (2, {f"{FIRST}/r2": key}, stated(home / "published"))
    assert index.published[f"{FIRST}/latest"] == "r1"
    assert verify(home / "published", key).wrong == []
    file.write_bytes(older)
    (problem,) = doctor.check(office(home)).problems
    assert (Path(problem.file).name, problem.remedy) == (INDEX, doctor.REBUILD)
    with pytest.raises(CheckError, match=r"(?s)index\.json: was altered: .*doctor --rebuild"):
        publish.publish(office(home), FIRST)
    rebuild.rebuild(office(home))
    assert file.read_bytes() == newest


def test_a_key_that_cannot_sign_stops_a_rollback(signed: tuple[Path, str]) -> None:
    home, _ = signed
    before = published_bytes(home)
    (home / "office-1.pem").unlink()
    with pytest.raises(CommandLineError, match="the signing key cannot be read"):
        undo.rollback(office(home), FIRST, "K was wrong")
    assert published_bytes(home) == before
    assert not (home / "drafts").exists()


# --------------------------------------------------------------------------- an older state is never shown as today's


class Killed(BaseException):
    """The end of the process, simulated: nothing in the program may catch it."""


@pytest.mark.parametrize("moves", range(4))
def test_what_an_interrupted_change_leaves_is_read_again_later(signed: tuple[Path, str], moves: int) -> None:
    home, key = signed
    move, done = settle._move, 0

    def counted(source: Path, target: Path) -> None:
        nonlocal done
        if done == moves:
            raise Killed
        done += 1
        move(source, target)

    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        patch.setattr(settle, "_move", counted)
        undo.rollback(office(home), FIRST, "K was wrong")
    if moves < 3:
        with pytest.raises(BeingPublishedError):
            verify(home / "published", key)
    with open_to_write(office(home)):
        pass
    assert verify(home / "published", key, seen=2).wrong == []


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


# ------------------------------------------------------------------------------- what was published before the key


def test_a_month_is_signed_and_no_byte_of_it_changes(homes: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(homes / "2025-10", tmp_path / "home"))
    key, before = signing(home), published_bytes(home)
    settings = office(home)
    done = publish.sign(settings, FIRST)
    assert (done.values["signed"], done.values["key"]) == (["r1"], key)
    now = published_bytes(home)
    assert {name for name in now if before.get(name) != now[name]} == {f"{FIRST}/r1/manifest.json.sig", INDEX}
    found = verify(settings.published, key)
    assert found.wrong == []
    assert {one.month: bool(one.signed_by) for one in found.revisions.values()} == {"2025-09": True, "2025-10": False}
    again = publish.sign(settings, FIRST)
    assert (again.values["signed"], again.values["index"]) == ([], False)
    # A list that has to be calculated again is made from a log in which a month was signed.
    (settings.published / f"{FIRST}/r1/standard.csv").unlink()
    assert rebuild.rebuild(settings).values["put_back"] == [f"published/{FIRST}/r1/standard.csv"]
    assert published_bytes(home) == now
    assert doctor.check(settings).problems == []


def test_an_office_without_a_key_and_a_month_without_a_list_sign_nothing(home: Path) -> None:
    with pytest.raises(CommandLineError, match="has no key to sign with"):
        publish.sign(office(home), FIRST)
    signing(home)
    with pytest.raises(NothingReadError, match="Nothing of 2026-02 was published"):
        publish.sign(office(home), Period.parse("2026-02"))
