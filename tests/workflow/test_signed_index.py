"""The index finds what no manifest does: a setback, a removed month, a forged rollback; and it tells keys apart."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import BeingPublishedError, CheckError, CommandLineError, HomeError, NothingReadError
from ratinglist.files.durable_files import digest_of, sha256_of
from ratinglist.home.log import Entry, Log
from ratinglist.period import Period
from ratinglist.publication import published_files, revisions, settle
from ratinglist.publication.manifest import Index, NotAManifestError, Signer, read_key, read_public_key
from ratinglist.publication.published_files import Verified, verify
from ratinglist.tables import BOTH_NUMBERS, DIFF, EVENT_STATUS
from ratinglist.workflows import doctor, load, publish, replay, undo
from ratinglist.workflows.opening import open_to_write
from tests.command_line import did
from tests.conftest import MONTHS, SAMPLE, office, published_bytes
from tests.parameters import long_but
from tests.published_sample import FACTS, NOVEMBER, OCTOBER, november, october, publish_tables, replace_parquet, rows
from tests.workflow.test_verify import DIFF_ROW, key_files, writable_copy

pytestmark = pytest.mark.asks_only("office_settings")

DAY = "2025-11-30"
KEYS = ("office", "counter", "day", "log", "signed_by", "published", "signers")
OFFICE = "Federazione di prova"
ROLLBACK = {
    "rollback_no": 1,
    "month": "2025-11",
    "from_revision": 2,
    "to_revision": 1,
    "from_digest": "0a" * 32,
    "to_digest": "0b" * 32,
    "reason": "K was wrong",
    "who": "",
}
EVENT = {"event_id": "100", "version": 1, "received_on": date(2025, 11, 3)}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Path, Path]]:
    """The office's first key, its second one, and one of somebody else: private and public."""
    folder = tmp_path_factory.mktemp("keys")
    return {seed: key_files(folder, seed) for seed in (1, 2, 3)}


@pytest.fixture(scope="module")
def signers(keys: dict[int, tuple[Path, Path]]) -> dict[int, Signer]:
    return {seed: read_key(private) for seed, (private, _) in keys.items()}


@pytest.fixture(scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory, signers: dict[int, Signer]) -> Path:
    """October, unsigned; November signed, in two revisions, of which the first is current after a rollback."""
    folder = tmp_path_factory.mktemp("made") / "published"
    signer = signers[1]
    publish_tables(folder, OCTOBER, october(), FACTS)
    publish_tables(folder, NOVEMBER, november(), FACTS, signer=signer)
    corrected = {**november(), "pool": october()["pool"], "diff": rows(DIFF, DIFF_ROW)}
    publish_tables(folder, NOVEMBER, corrected, FACTS, {"DIFF.md": "# What changed\n"}, signer=signer)
    (folder / "2025-11" / "latest").write_text("r1\n", encoding="utf-8")
    replace_parquet(folder / "events.parquet", EVENT_STATUS, EVENT_STATUS.empty())
    replace_parquet(folder / "2025-11" / "both_numbers.parquet", BOTH_NUMBERS, BOTH_NUMBERS.empty())
    write_rollbacks(folder / "2025-11")
    write_index(folder, index_of(folder, signers[1], 7), signers[1])
    return folder


@pytest.fixture
def folder(_made: Path, tmp_path: Path) -> Path:
    return writable_copy(_made, tmp_path / "published")


def write_rollbacks(month: Path, /, **other: object) -> None:
    day = pl.Series("rolled_back_on", ["2025-11-20"]).str.to_date()
    revisions.write_rollbacks(month / "rollbacks.csv", pl.DataFrame([{**ROLLBACK, **other}]).with_columns(day))


def stated(folder: Path) -> dict[str, str]:
    """What is in a published folder, by the names of an index; written plainly, to compare the program with."""
    entries = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.name == "latest":
            entries[name] = path.read_text(encoding="utf-8").strip()
        elif path.name == "manifest.json":
            entries[name.removesuffix("/manifest.json")] = json.loads(path.read_bytes())["digest"]
        elif path.name in ("events.parquet", "both_numbers.parquet", "rollbacks.csv") and name.count("/") < 2:
            entries[name] = sha256_of(path)
    return entries


def index_of(folder: Path, signer: Signer | None, counter: int, **other: object) -> Index:
    signed = {"2025-11/r1", "2025-11/r2"} & set(stated(folder))
    key = signer.fingerprint if signer else ""
    index = Index(OFFICE, counter, DAY, "", key, stated(folder), {name: key for name in signed if key})
    return replace(index, **other)


def write_index(folder: Path, index: Index, by: Signer | None = None) -> Index:
    """Write an index, signed by a key where one is given, and return it."""
    signed = replace(index, signature="").signed(by)
    (folder / "index.json").write_bytes(signed.encode())
    return signed


def read_index(folder: Path) -> Index:
    return Index.read((folder / "index.json").read_bytes())


def complaints(verdict: Verified) -> list[str]:
    return [f"{complaint.path.name}: {complaint.description}" for complaint in verdict.wrong]


# ------------------------------------------------------------------------------------------------------- forgeries


def _both_numbers_altered(folder: Path) -> None:
    row = {"list_month": "2025-11", "time_control": "standard", "fide_id": 1, "name": "X", "as_now_known": 2800}
    replace_parquet(folder / "2025-11" / "both_numbers.parquet", BOTH_NUMBERS, rows(BOTH_NUMBERS, row))


def _revision_added(folder: Path) -> None:
    publish_tables(folder, NOVEMBER, {**november(), "diff": rows(DIFF, DIFF_ROW)}, FACTS)
    (folder / "2025-11" / "latest").write_text("r1\n", encoding="utf-8")


def _revision_replaced(folder: Path) -> None:
    shutil.rmtree(folder / "2025-10")
    publish_tables(folder, OCTOBER, october(), {**FACTS, "code_version": "6.6.6"})


FORGERIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "latest set back": (lambda folder: (folder / "2025-11" / "latest").write_text("r2\n"), "latest"),
    "newest revision removed": (lambda folder: shutil.rmtree(folder / "2025-11" / "r2"), "r2"),
    "newest month removed": (lambda folder: shutil.rmtree(folder / "2025-11"), "2025-11"),
    "rollbacks forged": (lambda folder: write_rollbacks(folder / "2025-11", reason="he cheated"), "rollbacks.csv"),
    "rollbacks removed": (lambda folder: (folder / "2025-11" / "rollbacks.csv").unlink(), "rollbacks.csv"),
    "rollbacks added": (lambda folder: write_rollbacks(folder / "2025-10", month="2025-10"), "rollbacks.csv"),
    "both numbers altered": (_both_numbers_altered, "both_numbers.parquet"),
    "events altered": (
        lambda folder: replace_parquet(folder / "events.parquet", EVENT_STATUS, rows(EVENT_STATUS, EVENT)),
        "events.parquet",
    ),
    "events removed": (lambda folder: (folder / "events.parquet").unlink(), "events.parquet"),
    "revision replaced": (_revision_replaced, "r1"),
    "signature removed": (lambda folder: (folder / "2025-11/r1/manifest.json.sig").unlink(), "manifest.json.sig"),
    **{
        f"another index as {name}": (
            lambda folder, name=name: shutil.copy(folder / "index.json", folder / name),
            name.rpartition("/")[2],
        )
        for name in ("index.json.sig", "index.next.json", "index-8.json", "2025-11/index.json")
    },
}


@pytest.mark.parametrize(("forge", "name"), FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_is_found_and_named(folder, signers, forge, name):
    forge(folder)
    for key in (signers[1].fingerprint, None):
        # The revision that replaced another one has no signature either.
        assert [complaint.path.name for complaint in verify(folder, key).wrong] == [name]


def test_a_revision_that_was_added_is_found(folder, signers):
    _revision_added(folder)
    assert any(
        complaint.endswith("is not in the index: it was not published") for complaint in complaints(verify(folder))
    )
    assert verify(folder, signers[1].fingerprint).wrong


def test_what_is_published_is_what_the_index_states(folder, signers):
    verdict = verify(folder, signers[1].fingerprint)
    assert (verdict.wrong, verdict.notes) == ([], [])
    assert verdict.index is not None
    assert (verdict.index.counter, verdict.index.day) == (7, DAY)
    assert signers_of(verdict)["2025-10/r1"] == ""


def test_a_revision_is_compared_with_the_index_above(folder, signers, monkeypatch):
    key = signers[1].fingerprint
    write_rollbacks(folder / "2025-11", reason="he cheated")
    assert [verify(folder / name, key).wrong for name in ("2025-10/r1", "2025-11/r1")] == [[], []]
    _revision_replaced(folder)
    monkeypatch.chdir(folder / "2025-10" / "r1")
    for path in (folder / "2025-10" / "r1", Path()):
        assert any("has the digest" in complaint for complaint in complaints(verify(path, key)))


def test_a_month_without_a_current_list_is_whole_where_the_index_states_it(folder, signers):
    (folder / "2025-11" / "latest").unlink()
    assert len(verify(folder).wrong) == 1
    published = {**stated(folder), "2025-11/latest": ""}
    write_index(folder, index_of(folder, signers[1], 8, published=published), signers[1])
    assert verify(folder, signers[1].fingerprint).wrong == []
    (folder / "2025-11" / "latest").write_text("r2\n")
    assert complaints(verify(folder)) == ["latest: was not published: no command wrote it"]


# ------------------------------------------------------------------------------------------------------- the index


def _altered(folder: Path) -> None:
    data = (folder / "index.json").read_bytes()
    (folder / "index.json").write_bytes(data.replace(b'"r1"', b'"r2"'))


def _linked(folder: Path) -> None:
    (folder / "index.json").rename(folder.parent / "elsewhere")
    (folder / "index.json").symlink_to(folder.parent / "elsewhere")


def _forged(folder: Path) -> None:
    (folder / "index.json").write_bytes(replace(read_index(folder), counter=9).encode())


def _other_signature(text: str) -> Callable[[Path], object]:
    """Write another text in the place of the signature."""

    def forged(folder: Path) -> None:
        (folder / "index.json").write_bytes(replace(read_index(folder), signature=text).encode())

    return forged


@pytest.mark.parametrize(
    ("forgery", "message"),
    [
        (_altered, "index.json: is not as it was written: its digest is not that of its content"),
        (_linked, "index.json: is a link, too large, or cannot be read"),
        (_forged, "index.json: its signature proves nothing: it is not a signature of this index by the key"),
        (_other_signature(""), "index.json: its signature proves nothing: it is not a signature and a public key"),
        (_other_signature("x"), "index.json: its signature proves nothing: it is not a signature and a public key"),
        (lambda folder: (folder / "index.json").write_bytes(b"{}"), "index.json: is not as it was written: it does"),
        (lambda folder: (folder / "index.json").write_bytes(b"[" * 9999), "index.json: is not as it was written: it"),
    ],
)
def test_a_wrong_index_is_found(folder, forgery, message):
    forgery(folder)
    (complaint,) = complaints(verify(folder))
    assert complaint.startswith(message)


def test_an_index_of_another_key_or_of_none_is_found(folder, signers):
    own, other = signers[1].fingerprint, signers[3].fingerprint
    write_index(folder, index_of(folder, None, 8, signers=index_of(folder, signers[1], 7).signers))
    assert verify(folder).wrong == []
    assert "index.json: is not signed" in complaints(verify(folder, own))
    write_index(folder, index_of(folder, signers[3], 8), signers[3])
    assert f"index.json: is signed by another key: {other}" in complaints(verify(folder, own))
    write_index(folder, index_of(folder, signers[1], 7), signers[3])
    assert complaints(verify(folder)) == [
        f"index.json: its signature proves nothing: it is of key {other}, and the index names key {own}"
    ]


def test_a_lost_index_is_noted_and_with_the_key_it_is_wrong(folder, signers):
    key = signers[1].fingerprint
    (folder / "index.json").unlink()
    verdict = verify(folder)
    assert (verdict.wrong, verdict.index) == ([], None)
    assert verdict.notes[0].startswith(f"{folder / 'index.json'}: there is none")
    assert {complaint.path.name for complaint in verify(folder, key).wrong} == {"manifest.json.sig", "index.json"}
    assert verify(folder / "2025-11" / "r1", key).wrong == []


@pytest.mark.parametrize("key", [*KEYS, "digest"])
@pytest.mark.parametrize("value", [None, 0, True, -1, "x", [], [{}], {"x": 1}, {"../x": "r1"}])
def test_an_index_with_any_other_value_is_no_index(folder, key, value):
    content = json.loads((folder / "index.json").read_bytes())
    if content[key] == value:
        return
    content[key] = value
    if key != "digest":
        content["digest"] = digest_of({name: content[name] for name in KEYS})
    data = (json.dumps(content, indent=2) + "\n").encode()
    if (key, value) == ("office", "x"):
        assert Index.read(data).encode() == data
        return
    with pytest.raises(NotAManifestError):
        Index.read(data)


def test_a_change_that_is_made_while_the_folder_is_read_is_no_alarm(folder, signers, monkeypatch):

    before = read_index(folder)
    published = {**before.published, "2025-11/latest": "r2"}
    after = replace(before, counter=8, log="0c" * 32, published=published)
    compare = published_files.differences

    def changed(*arguments: object, **named: object) -> object:
        write_index(folder, after, signers[1])
        (folder / "2025-11" / "latest").write_text("r2\n")
        return compare(*arguments, **named)

    with monkeypatch.context() as changing:
        changing.setattr(published_files, "differences", changed)
        with pytest.raises(BeingPublishedError):
            verify(folder, signers[1].fingerprint)
    assert verify(folder, signers[1].fingerprint).wrong == []


# ------------------------------------------------------------------------------------------------------------ keys


@pytest.fixture
def rekeyed(folder: Path, signers: dict[int, Signer]) -> Path:
    """The office has signed with its second key since counter 8."""
    index = replace(read_index(folder), counter=8, signed_by=signers[2].fingerprint)
    write_index(folder, index, signers[2])
    return folder


def signers_of(verdict):
    """The key that signed each revision, by month and number; empty where none did."""
    return {f"{revision.month}/{revision.revision}": revision.signed_by for revision in verdict.revisions.values()}


def test_with_a_changed_key_each_revision_has_the_key_of_its_day(rekeyed, signers):
    old_key, new_key = signers[1].fingerprint, signers[2].fingerprint
    verdict = verify(rekeyed, new_key)
    assert verdict.wrong == []
    assert signers_of(verdict) == {"2025-10/r1": "", "2025-11/r1": old_key, "2025-11/r2": old_key}
    assert f"index.json: is signed by another key: {new_key}" in complaints(verify(rekeyed, old_key))


def test_with_the_new_key_a_forged_signature_is_found(rekeyed, signers):
    for month in ("2025-11", "2025-10"):
        path = rekeyed / month / "r1" / "manifest.json.sig"
        path.write_bytes(signers[3].sign((path.parent / "manifest.json").read_bytes()))
        assert path in [complaint.path for complaint in verify(rekeyed, signers[2].fingerprint).wrong]


# ---------------------------------------------------------------------------------------------------- command line


def test_the_command_prints_office_counter_and_day(folder, keys):
    words = ("verify", folder, "--key", keys[1][1])
    index = json.loads((folder / "index.json").read_bytes())
    stated = f"{OFFICE}, counter 7 of {DAY}, digest {index['digest']}, signed by key {read_public_key(keys[1][1])}"
    assert f"{folder / 'index.json'}: {stated}" in did(folder, *words).splitlines()
    assert json.loads(did(folder, *words, "--json"))["index"]["counter"] == 7


# -------------------------------------------------------------------------------------------------- the index of a home


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
    return index_at(home)


def index_at(home: Path) -> Index:
    return Index.read((home / "published" / INDEX).read_bytes())


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


def test_a_command_that_changes_nothing_writes_no_index(signed: tuple[Path, str]) -> None:
    home, _ = signed
    before = published_bytes(home)
    published_again(home)
    load.load(office(home), [SAMPLE / "reports" / MONTHS[1] / "KEL250900002.trf"])
    publish.preview(office(home), FIRST)
    assert published_bytes(home) == before


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
    assert verify(home / "published", key).wrong == []
    (home.parent / "key.pem").rename(home / "office-1.pem")
    assert published_again(home).counter == 1
    assert doctor.check(office(home)).problems == []


def test_a_rollback_is_signed_and_an_index_of_another_day_is_found_and_replaced(signed: tuple[Path, str]) -> None:
    home, key = signed
    file = home / "published" / INDEX
    older = file.read_bytes()
    undo.rollback(office(home), FIRST, "K was wrong")
    index, newest = index_at(home), file.read_bytes()
    assert (index.counter, index.signers, index.published) == (2, {f"{FIRST}/r2": key}, stated(home / "published"))
    assert index.published[f"{FIRST}/latest"] == "r1"
    assert verify(home / "published", key).wrong == []
    file.write_bytes(older)
    (problem,) = doctor.check(office(home)).problems
    assert (Path(problem.file).name, problem.remedy) == (INDEX, doctor.REBUILD)
    with pytest.raises(CheckError, match=r"(?s)index\.json: was altered: .*doctor --rebuild"):
        publish.publish(office(home), FIRST)
    replay.rebuild(office(home))
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
    assert verify(home / "published", key).wrong == []


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


def test_manifest_and_index_name_the_office(signed: tuple[Path, str]) -> None:
    home, _ = signed
    assert f'"office": "{NAME}"' in (home / "published" / str(FIRST) / "r2" / "manifest.json").read_text("utf-8")
    assert index_at(home).office == NAME


# ------------------------------------------------------------------------------- what was published before the key


def test_a_month_is_signed_and_no_byte_of_it_changes(homes: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(homes / "2025-10", tmp_path / "home"))
    key, before = signing(home), published_bytes(home)
    settings = office(home)
    done = publish.sign(settings, FIRST)
    assert (done.values["signed"], done.values["key"]) == (["r1"], key)
    now = published_bytes(home)
    assert {name for name in now if before.get(name) != now[name]} == {f"{FIRST}/r1/manifest.json.sig", INDEX}
    verdict = verify(settings.published, key)
    assert verdict.wrong == []
    assert {revision.month: bool(revision.signed_by) for revision in verdict.revisions.values()} == {
        "2025-09": True,
        "2025-10": False,
    }
    again = publish.sign(settings, FIRST)
    assert (again.values["signed"], again.values["index"]) == ([], False)
    # A list that has to be calculated again is made from a log in which a month was signed.
    (settings.published / f"{FIRST}/r1/standard.csv").unlink()
    assert replay.rebuild(settings).values["put_back"] == [f"published/{FIRST}/r1/standard.csv"]
    assert published_bytes(home) == now
    assert doctor.check(settings).problems == []


def test_an_office_without_a_key_and_a_month_without_a_list_sign_nothing(home: Path) -> None:
    with pytest.raises(CommandLineError, match="has no key to sign with"):
        publish.sign(office(home), FIRST)
    signing(home)
    with pytest.raises(NothingReadError, match="Nothing of 2026-02 was published"):
        publish.sign(office(home), Period.parse("2026-02"))
