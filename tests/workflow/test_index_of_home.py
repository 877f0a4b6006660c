"""Every change of what readers see has its index: written with it, kept by the store, and put back where it is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from ratinglist.errors import CheckError, CommandLineError, HomeError
from ratinglist.period import Period
from ratinglist.publication import index_change, policy, published_index
from ratinglist.publication.published_index import PublishedIndex
from ratinglist.publication.signature import read_public_key
from ratinglist.publication.verify import verify
from ratinglist.workflows import doctor, load, publish, rebuild, rollback, sign
from ratinglist.workflows.opening import open_to_write
from tests.conftest import MONTHS, SAMPLE, office, published_bytes, run_sample
from tests.stores import open_store
from tests.workflow.test_signed_index import stated
from tests.workflow.test_verify import key_files

FIRST = Period.parse(MONTHS[0])
NARROW = '\n[fields.without]\nlists = ["sex"]\n'


@pytest.fixture(scope="module")
def _indexed(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path_factory.mktemp("indexed") / "home"))
    settings = office(home)
    with open_store(settings.store) as store:
        data = index_change._next(store, settings, {}, None, None).encode()
        index_change.insert(store, data, b"")
    (settings.published / published_index.INDEX).write_bytes(data)
    return home


@pytest.fixture
def home(_indexed: Path, tmp_path: Path) -> Path:
    """An office that has published one month and has an index that is not signed, as one that signs no more."""
    return Path(shutil.copytree(_indexed, tmp_path / "home"))


def signing(home: Path, seed: int = 1, more: str = "") -> str:
    """Let the office sign with a key from now on, and return the fingerprint."""
    private, public = key_files(home, seed)
    (home / "office.toml").write_text(f'[publication]\nsigning_key = "{private.name}"\n{more}', encoding="utf-8")
    return read_public_key(public)


def published_again(home: Path) -> tuple[PublishedIndex, list[str]]:
    """Publish the month again; return the index and the warnings."""
    warnings: list[str] = []
    publish.publish(replace(office(home), warn=warnings.append), FIRST)
    return index_of(home), warnings


def index_of(home: Path) -> PublishedIndex:
    return published_index.read((home / "published" / "index.json").read_bytes())


def test_an_office_that_does_not_sign_has_no_index(homes: Path) -> None:
    assert list((homes / MONTHS[-1] / "published").glob("index*")) == []


@pytest.mark.thorough
def test_each_publication_adds_one_to_the_counter_and_states_what_is_there(home: Path) -> None:
    first = index_of(home)
    run_sample(office(home), MONTHS[1])
    second = index_of(home)
    assert (first.counter, first.before, second.counter, second.before) == (1, "", 2, first.digest)
    assert second.published == stated(home / "published")


@pytest.mark.thorough
def test_a_command_that_changes_nothing_writes_no_index(home: Path) -> None:
    before = published_bytes(home)
    published_again(home)
    load.load(office(home), [SAMPLE / "reports" / MONTHS[1]])
    publish.preview(office(home), FIRST)
    assert published_bytes(home) == before


@pytest.mark.thorough
def test_a_key_that_is_new_signs_what_is_published_already(home: Path) -> None:
    key = signing(home)
    index, warnings = published_again(home)
    assert (index.counter, index.signed_by, [one.fingerprint for one in index.keys]) == (2, key, [key])
    assert warnings == []
    found = verify(home / "published", key)
    assert (found.wrong, found.notes) == ([], [f"{FIRST}/r1: not signed, and the index names it as published"])


@pytest.mark.thorough
def test_a_rollback_is_signed(home: Path) -> None:
    key = signing(home, more=NARROW)
    published_again(home)
    rollback.rollback(office(home), FIRST, "K was wrong")
    index = index_of(home)
    assert (index.counter, index.signers) == (3, {f"{FIRST}/r2": key})
    assert index.published == stated(home / "published")
    assert index.published[f"{FIRST}/latest"] == "r1"
    assert verify(home / "published", key).wrong == []


@pytest.mark.thorough
def test_no_index_has_an_earlier_day_than_the_one_before(home: Path) -> None:
    signing(home, more=NARROW)
    published_again(home)
    before = published_bytes(home)
    yesterday = replace(office(home), today=date.fromisoformat(index_of(home).day) - timedelta(days=1))
    with pytest.raises(CheckError, match=r"was last changed on .*Nothing was changed\. Set the clock"):
        rollback.rollback(yesterday, FIRST, "a wrong result")
    assert published_bytes(home) == before


def test_a_changed_key_is_named_to_the_officer_and_to_readers(home: Path) -> None:
    old = signing(home)
    published_again(home)
    new = signing(home, 2)
    index, (warning,) = published_again(home)
    assert [(one.fingerprint, one.since) for one in index.keys] == [(old, 2), (new, 3)]
    assert warning.startswith(
        f"what is published is now signed by another key, {new}; before it was by key {old}, which has signed since "
        "2025-12-01."
    )
    assert verify(home / "published", new).wrong == []
    (problem,) = [one for one in verify(home / "published", old).wrong if one.file.endswith("index.json")]
    assert problem.description == f"is signed by another key: {new}, since counter 3 (2025-12-01)"


def test_an_office_that_signs_no_more_is_warned(home: Path) -> None:
    key = signing(home)
    published_again(home)
    (home / "office.toml").unlink()
    index, (warning,) = published_again(home)
    assert (index.counter, index.signed_by) == (3, "")
    assert warning.startswith(f"what is published is not signed any more; before it was by key {key}")
    assert not (home / "published" / "index.json.sig").exists()
    assert verify(home / "published").wrong == []


def test_a_key_that_cannot_sign_stops_a_rollback(home: Path) -> None:
    signing(home, more=NARROW)
    published_again(home)
    before = published_bytes(home)
    (home / "office-1.pem").unlink()
    with pytest.raises(CommandLineError, match="the signing key cannot be read"):
        rollback.rollback(office(home), FIRST, "K was wrong")
    assert published_bytes(home) == before
    assert not (home / "drafts").exists()


def forget_index(home: Path) -> None:
    with open_store(home / "ratinglist.duckdb") as store:
        store.execute("delete from published_index")


@pytest.mark.thorough
def test_a_home_of_an_earlier_version_gets_its_index_with_the_next_publication(home: Path) -> None:
    forget_index(home)
    (home / "published" / "index.json").unlink()
    signing(home)
    index, _ = published_again(home)
    assert (index.counter, index.before) == (1, "")
    assert index.published == stated(home / "published")


@pytest.mark.thorough
def test_the_index_of_a_rebuilt_store_goes_on_from_the_published_one(home: Path) -> None:
    before = index_of(home)
    forget_index(home)
    signing(home)
    index, _ = published_again(home)
    assert (index.counter, index.before) == (2, before.digest)


@pytest.mark.thorough
def test_a_rebuild_keeps_the_signed_index_or_puts_it_back(home: Path) -> None:
    key = signing(home)
    published_again(home)
    before = published_bytes(home)
    assert doctor.check(office(home)).problems == []
    (home / "published" / "index.json").write_bytes(b"{}")
    (home / "published" / "index.json.sig").unlink()
    wrong = {Path(one.file).name: one.remedy for one in doctor.check(office(home)).problems}
    assert wrong == dict.fromkeys(("index.json", "index.json.sig"), "ratinglist doctor --rebuild")
    done = rebuild.rebuild(office(home))
    assert (done.put_back, done.lost_index) == (["published/index.json.sig", "published/index.json"], False)
    assert published_bytes(home) == before
    (home / "ratinglist.duckdb").unlink()
    assert not rebuild.rebuild(office(home)).lost_index
    assert published_bytes(home) == before
    assert verify(home / "published", key, seen=2).wrong == []
    index, _ = published_again(home)
    assert index.counter == 2


@pytest.fixture(scope="module")
def _signed(_indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    home = Path(shutil.copytree(_indexed, tmp_path_factory.mktemp("signed") / "home"))
    key = signing(home, more=NARROW)
    published_again(home)
    return home, key


@pytest.fixture
def signed(_signed: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    """An office with a revision that is not signed, and a second one that is; and the fingerprint of its key."""
    home, key = _signed
    return Path(shutil.copytree(home, tmp_path / "signed")), key


def lose_index(home: Path) -> None:
    """Damage every copy of the index."""
    (home / "published" / "index.json").write_bytes(b"{}")
    (home / "ratinglist.duckdb").unlink()


@pytest.mark.thorough
def test_an_index_that_is_lost_is_made_again_and_signed(signed: tuple[Path, str]) -> None:
    home, key = signed
    before = index_of(home)
    lose_index(home)
    done = rebuild.rebuild(office(home))
    assert (done.lost_index, done.not_signed) == (True, "")
    assert f"it is signed, and its counter, {done.counter}, is higher than any before" in done.text()
    index = index_of(home)
    assert (index.published, index.signers) == (before.published, before.signers)
    assert index.counter == done.counter > before.counter
    assert verify(home / "published", key, seen=before.counter).wrong == []
    assert doctor.check(office(home)).problems == []
    rollback.rollback(office(home), FIRST, "K was wrong")
    assert index_of(home).counter == index.counter + 1
    assert verify(home / "published", key, seen=index.counter).wrong == []


@pytest.mark.thorough
def test_keys_and_counter_are_taken_from_a_copy_that_states_something_else(signed: tuple[Path, str]) -> None:
    home, key = signed
    before = index_of(home)
    forged = replace(before, counter=70, published={}, signers={}).encode()
    (home / "published" / "index.json").write_bytes(forged)
    (home / "published" / "index.json.sig").write_bytes(policy.signer_of(office(home)).sign(forged))
    forget_index(home)
    assert rebuild.rebuild(office(home)).counter == 71
    assert (index_of(home).keys, index_of(home).published) == (before.keys, before.published)
    assert verify(home / "published", key, seen=70).wrong == []


@pytest.mark.thorough
def test_an_index_that_is_made_again_without_the_key_is_signed_by_sign(signed: tuple[Path, str]) -> None:
    home, key = signed
    before = index_of(home)
    lose_index(home)
    (home / "office-1.pem").rename(home.parent / "key.pem")
    done = rebuild.rebuild(office(home))
    assert done.lost_index
    assert "the signing key cannot be read" in done.not_signed
    assert "it is not signed" in done.text()
    assert "ratinglist sign YYYY-MM" in done.text()
    assert verify(home / "published").wrong == []
    assert verify(home / "published", key).wrong != []
    (home.parent / "key.pem").rename(home / "office-1.pem")
    assert sign.sign(office(home), FIRST).text().endswith(f"the index of what is published: signed by key {key}")
    assert verify(home / "published", key, seen=before.counter).wrong == []
    assert sign.sign(office(home), FIRST).text().endswith("Nothing was changed: every revision is signed.")


def altered(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data.replace(b"signature", b"Signature"))


@pytest.mark.parametrize(
    ("damage", "has_index"),
    [
        (Path.unlink, True),
        pytest.param(altered, False, marks=pytest.mark.thorough),
        pytest.param(Path.unlink, False, marks=pytest.mark.thorough),
        pytest.param(altered, True, marks=pytest.mark.thorough),
    ],
)
def test_a_signature_that_was_altered_or_lost_is_put_back(
    signed: tuple[Path, str], damage: Callable[[Path], None], has_index: bool
) -> None:
    home, key = signed
    before = published_bytes(home)
    signature = home / "published" / str(FIRST) / "r2" / "manifest.json.sig"
    damage(signature)
    if not has_index:
        lose_index(home)
    with pytest.raises((CheckError, HomeError)):
        load.load(office(home), [SAMPLE / "reports" / MONTHS[1]])
    (home / "office-1.pem").rename(home.parent / "key.pem")
    without_key = rebuild.rebuild(office(home))
    assert f"lost, and not made again: published/{FIRST}/r2/manifest.json.sig" in without_key.text()
    assert ("ratinglist doctor --rebuild" if has_index else "ratinglist sign") in without_key.text()
    load.load(office(home), [SAMPLE / "reports" / MONTHS[1]])
    (home.parent / "key.pem").rename(home / "office-1.pem")
    if has_index:
        assert rebuild.rebuild(office(home)).put_back == [f"published/{FIRST}/r2/manifest.json.sig"]
        assert published_bytes(home) == before
    else:
        sign.sign(office(home), FIRST)
        assert signature.read_bytes() == before[f"{FIRST}/r2/manifest.json.sig"]
    assert verify(home / "published", key).wrong == []


@pytest.mark.thorough
def test_a_revision_that_the_journal_says_was_signed_is_signed_again(signed: tuple[Path, str]) -> None:
    home, key = signed
    before, counter = published_bytes(home), index_of(home).counter
    shutil.rmtree(home / "published" / str(FIRST) / "r2")
    lose_index(home)
    done = rebuild.rebuild(office(home))
    assert (done.signed_again, done.lost_signatures) == ([f"published/{FIRST}/r2/manifest.json.sig"], [])
    assert [name for name in done.put_back if "index" in name] == []
    after = published_bytes(home)
    assert {name for name in before if after.get(name) != before[name]} == {"index.json", "index.json.sig"}
    assert index_of(home).signers == {f"{FIRST}/r2": key}
    assert verify(home / "published", key, seen=counter).wrong == []


def test_each_change_of_the_index_is_in_the_journal(home: Path) -> None:
    counts = []
    for seed in (1, 2):
        signing(home, seed)
        index, _ = published_again(home)
        published_again(home)
        counts.append((index.counter, len(list((home / "archive" / "journal").iterdir()))))
    (first, second) = counts
    assert (second[0] - first[0], second[1] - first[1]) == (1, 1)
    assert rebuild.rebuild(office(home)).put_back == []


@pytest.mark.thorough
def test_an_office_that_never_signed_has_no_index_after_a_rebuild(homes: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path / "unsigned"))
    (home / "ratinglist.duckdb").unlink()
    done = rebuild.rebuild(office(home))
    assert (done.lost_index, done.counter, done.not_signed) == (False, 0, "")
    assert not list((home / "published").glob("index*"))


def test_doctor_finds_an_index_of_another_day_than_the_store(home: Path) -> None:
    older = (home / "published" / "index.json").read_bytes()
    signing(home)
    published_again(home)
    (home / "published" / "index.json").write_bytes(older)
    (home / "published" / "index.json.sig").unlink()
    assert verify(home / "published").wrong == []
    assert [(Path(one.file).name, one.description) for one in doctor.check(office(home)).problems] == [
        ("index.json", "is not the one that the store keeps"),
        ("index.json.sig", "is missing"),
    ]


@pytest.mark.thorough
def test_a_lost_index_is_put_back(home: Path) -> None:
    signing(home)
    published_again(home)
    before = published_bytes(home)
    for name in ("index.json", "index.json.sig"):
        (home / "published" / name).unlink()
    warnings: list[str] = []
    load.load(replace(office(home), warn=warnings.append), [SAMPLE / "reports" / MONTHS[1]])
    assert published_bytes(home) == before
    assert [one.rpartition("/")[2] for one in warnings] == [
        "index.json.sig was missing; it was put back.",
        "index.json was missing; it was put back.",
    ]


@pytest.mark.parametrize("is_known", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_an_altered_index_stops_a_command_that_writes(home: Path, is_known: bool) -> None:
    index = index_of(home)
    forged = replace(index, published={**index.published, f"{FIRST}/r2": "0a" * 32})
    (home / "published" / "index.json").write_bytes(forged.encode())
    if not is_known:
        forget_index(home)
    with pytest.raises(CheckError, match=r"index\.json: was altered\. Move it out of the way"):
        publish.publish(office(home), FIRST)
    (home / "published" / "index.json").unlink()
    signing(home)
    published_again(home)
    assert verify(home / "published").wrong == []


def test_a_next_index_that_no_change_needs_is_deleted(home: Path) -> None:
    (home / "published" / "index.next.json").write_bytes(b"")
    load.load(office(home), [SAMPLE / "reports" / MONTHS[1]])
    assert not (home / "published" / "index.next.json").exists()


def test_a_file_that_the_index_does_not_state_stops_a_command_that_writes(home: Path) -> None:
    other = home / "published" / str(FIRST) / "both_numbers.parquet"
    other.write_bytes((home / "published" / "events.parquet").read_bytes())
    (home / "published" / "events.parquet").write_bytes(b"PAR1")
    with pytest.raises(CheckError) as refused, open_to_write(office(home)):
        pass
    assert f"{other}: was not published" in str(refused.value)
    assert "events.parquet: was altered: its digest is not the one it was published with" in str(refused.value)
