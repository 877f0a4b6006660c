"""Verification finds every change of a published file, and no content of a file makes it fail."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import HealthCheck, given, settings, strategies as st

from ratinglist.errors import BeingPublishedError, NothingReadError
from ratinglist.files import durable_files
from ratinglist.publication import manifest, published_files
from ratinglist.publication.manifest import PUBLISHING, read_key, read_public_key
from ratinglist.publication.published_files import verify
from ratinglist.store.table_files import csv_text
from ratinglist.tables import DIFF, LISTS, PUBLISHED
from tests.command_line import did, ratinglist
from tests.published_sample import (
    ANNA,
    FACTS,
    NOVEMBER,
    OCTOBER,
    november,
    october,
    publish_tables,
    rows,
)

DIFF_ROW = {"time_control": "standard", "fide_id": ANNA, "name": "Àlba, Anna", "old_rating": 2000, "new_rating": 2008}


def key_files(folder: Path, seed: int = 1) -> tuple[Path, Path]:
    """A private and a public key as openssl would write them."""
    key = Ed25519PrivateKey.from_private_bytes(bytes([seed] * 32))
    private, public = folder / f"office-{seed}.pem", folder / f"office-{seed}.pub"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    private.chmod(0o600)
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return key_files(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="session")
def _published(tmp_path_factory: pytest.TempPathFactory, keys: tuple[Path, Path]) -> Path:
    folder = tmp_path_factory.mktemp("published")
    signer = read_key(keys[0])
    publish_tables(folder, OCTOBER, october(), FACTS, signer=signer)
    publish_tables(folder, NOVEMBER, november(), FACTS, signer=signer)
    corrected = {**november(), "pool": october()["pool"], "diff": rows(DIFF, DIFF_ROW)}
    publish_tables(folder, NOVEMBER, corrected, FACTS, {"DIFF.md": "# What changed\n\nAnna: +8\n"}, signer=signer)
    return folder


def writable_copy(folder: Path, copy: Path) -> Path:
    shutil.copytree(folder, copy)
    for path in copy.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return copy


@pytest.fixture
def folder(_published: Path, tmp_path: Path) -> Path:
    """Two months, three revisions, signed, one with its diff; a copy that a test may damage."""
    return writable_copy(_published, tmp_path / "published")


@pytest.fixture
def revision(folder: Path) -> Path:
    return folder / "2025-11" / "r2"


def complaints(path: Path, key: str | None = None) -> list[str]:
    return [f"{complaint.path.name}: {complaint.description}" for complaint in verify(path, key).wrong]


def wrong_names(path: Path, key: str | None = None) -> list[str]:
    return [complaint.path.name for complaint in verify(path, key).wrong]


# ---------------------------------------------------------------------------------------------------------- whole


@pytest.mark.parametrize("of", ["2025-11/r2", "2025-11/r2/manifest.json", ".", "..", "november"])
def test_what_was_published_is_whole_by_any_name(folder, of):
    shutil.copytree(folder / "2025-11" / "r2", folder.with_name("november"))
    verdict = verify(folder.with_name(of) if of == "november" else folder / of)
    assert verdict.wrong == []
    assert ("2025-11", "r2") in {(listed.month, listed.revision) for listed in verdict.revisions.values()}
    assert len(verdict.revisions) == (3 if of in (".", "..") else 1)


def test_the_digest_is_that_of_the_sorted_json_without_spaces(revision):
    content = json.loads((revision / "manifest.json").read_bytes())
    assert list(content)[-1] == "digest"
    digest = content.pop("digest")
    plain = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(plain.encode()).hexdigest() == digest


@pytest.mark.parametrize("stem", ["standard", "blitz", "changes", "games", "entries", "pool", "events", "diff"])
def test_duckdb_gives_the_logical_digest_of_a_table_that_another_program_wrote(revision, tmp_path, stem):
    # Another writer, other rows' order, another encoding: text as categories, ten rows a group.
    other = tmp_path / "other.parquet"
    pl.read_parquet(revision / f"{stem}.parquet").reverse().write_parquet(
        other, compression="gzip", row_group_size=10, use_pyarrow=False
    )
    table = PUBLISHED[stem]
    order = ", ".join(
        f"{name}{' desc' if falls else ''}"
        for name, falls in zip(table.order or table.key, table.descending or [False] * len(table.key), strict=True)
    )
    text = tmp_path / "text.csv"
    duckdb.sql(
        f"copy (select nullif(columns(*)::varchar, '') from (from '{other}' order by {order})) "
        f"to '{text}' (format csv, header, comment '')"
    )
    published = hashlib.sha256(csv_text(pl.read_parquet(revision / f"{stem}.parquet")).encode()).hexdigest()
    assert hashlib.sha256(text.read_bytes()).hexdigest() == published
    entry = json.loads((revision / "manifest.json").read_bytes())["files"][f"{stem}.parquet"]
    assert entry.get("logical_sha256") == (published if stem in LISTS else None)


def test_the_line_in_the_document_gives_the_logical_digest(revision, tmp_path):
    document = (Path(__file__).parents[2] / "docs" / "how-to" / "prove-a-list.md").read_text(encoding="utf-8")
    (statement,) = [line.split('"')[1] for line in document.splitlines() if line.startswith("duckdb -c ")]
    text = tmp_path / "text.csv"
    duckdb.sql(statement.replace("/dev/stdout", str(text)).replace("'standard", f"'{revision}/standard"))
    entry = json.loads((revision / "manifest.json").read_bytes())["files"]["standard.parquet"]
    assert hashlib.sha256(text.read_bytes()).hexdigest() == entry["logical_sha256"]


# -------------------------------------------------------------------------------------------------------- altered


@pytest.mark.parametrize(
    ("seed", "times"), [(2025, 100), pytest.param(1, 10_000, marks=pytest.mark.long)], ids=["hundred", "ten thousand"]
)
def test_every_bit_that_was_flipped_is_found(revision, seed, times):
    chance = random.Random(seed)
    paths = sorted(revision.iterdir())
    for number in range(times):
        # Every file as often as any other, or the long ones would be all that is ever tried.
        path = paths[number % len(paths)]
        whole = path.read_bytes()
        bit = chance.randrange(len(whole) * 8)
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        assert verify(revision).wrong, f"{path.name}: bit {bit}"
        path.write_bytes(whole)
    assert verify(revision).wrong == []


def moved(path: Path, *, link: bool = False) -> None:
    """Put an empty folder, or a link to where it is now, in the place of a file or folder."""
    elsewhere = path.rename(
        next(parent for parent in path.parents if parent.name == "published").with_name("elsewhere")
    )
    if link:
        path.symlink_to(elsewhere)
    else:
        path.mkdir()


def formatted(path: Path) -> None:
    path.write_text(json.dumps(json.loads(path.read_bytes())), encoding="utf-8")
    path.with_name("manifest.json.sig").unlink()


def renumbered(month: Path) -> None:
    shutil.rmtree(month / "r1")
    shutil.copytree(month.parent / "2025-10" / "r1", month / "r1")


R2, LATEST = "2025-11/r2", "2025-11/latest"
NO_FILE = "is a link, a folder or a device in the place of a file"
DAMAGES: dict[str, tuple[str, Callable[[Path], object], str]] = {
    **{f"{name} missing": (f"{R2}/{name}", Path.unlink, "is missing") for name in ("games.parquet", "manifest.json")},
    **{
        f"{name!a} added": (f"{R2}/{name}", Path.touch, "was not published")
        for name in ("standard.xlsx", ".tmp-9", "r3", "standard.csv\n")
    },
    **{
        f"{name} a link": (f"{R2}/{name}", lambda path: moved(path, link=True), "")
        for name in ("standard.csv", "manifest.json", "manifest.json.sig")
    },
    "file a folder": (f"{R2}/standard.csv", moved, NO_FILE),
    "manifest in another format": (f"{R2}/manifest.json", formatted, "it is not formatted as ratinglist writes it"),
    "manifest of brackets": (
        f"{R2}/manifest.json",
        lambda path: path.write_bytes(b"[" * 100_000),
        "is not as it was written",
    ),
    "signature of another": (
        f"{R2}/manifest.json.sig",
        lambda path: shutil.copy(path.parents[1] / "r1" / path.name, path),
        "proves nothing: it is not a signature of this manifest by the key it names",
    ),
    **{
        f"latest {text[:9]!r}": (LATEST, lambda path, text=text: path.write_bytes(text), "")
        for text in (b"", b"r3\n", b"r1", b"../2025-10/r1\n", b"r1\n" * 100)
    },
    "latest missing": (LATEST, Path.unlink, ""),
    "revision missing": ("2025-11/r1", shutil.rmtree, ""),
    "revision a link": ("2025-11/r1", lambda path: moved(path, link=True), ""),
    "revision of another month": (
        "2025-11/r1",
        lambda path: renumbered(path.parent),
        "is revision r1 of 2025-10 by its manifest: it was moved or renamed",
    ),
    **{
        f"{name!a} in a month": (f"2025-11/{name}", lambda path: path.symlink_to("/tmp"), "")
        for name in (".tmp-123", "r02", "R2", "r3 ", "LATEST", "latest~", "x\u202ey")
    },
    **{f"{name!a} beside": (name, Path.mkdir, "") for name in ("README", "2025-13", "evénts.parquet")},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_not_as_it_was_published_is_named(folder, name):
    place, damage, says = DAMAGES[name]
    damage(folder / place)
    (complaint,) = complaints(folder)
    assert complaint.startswith(f"{Path(place).name}: ")
    assert says in complaint


@pytest.mark.parametrize(("module", "read"), [(durable_files, "sha256_of"), (published_files, "read_regular_file")])
def test_what_this_account_may_not_read_is_not_called_altered(revision, monkeypatch, module, read):
    def refused(path: Path, *_: object) -> str:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(module, read, refused)
    with pytest.raises(PermissionError, match=str(revision.parents[1])):
        verify(revision)


# ------------------------------------------------------------------------------------------------ months and more


def test_a_list_calculated_from_another_one_than_it_names_is_found(tmp_path):
    names = {**FACTS, "lists_before": {"standard": "2025-10/r1"}}
    publish_tables(tmp_path / "a", OCTOBER, october(), FACTS)
    publish_tables(tmp_path / "a", NOVEMBER, november(), names)
    assert verify(tmp_path / "a").wrong == []
    publish_tables(tmp_path / "b", OCTOBER, october(), FACTS)
    changed = november()["changes"].with_columns(pl.col("old_rating").replace(1900, 1901))
    publish_tables(tmp_path / "b", NOVEMBER, {**november(), "changes": changed}, names)
    (wrong,) = verify(tmp_path / "b").wrong
    assert (wrong.path.name, "1901 in place of 1900" in wrong.description) == ("changes.parquet", True)


@pytest.mark.parametrize("lists", [{"standard": "../x"}, {"slow": "2025-10/r1"}, {"standard": 7}])
def test_a_manifest_that_names_no_list_before_is_found(tmp_path, lists):
    publish_tables(tmp_path, NOVEMBER, november(), {**FACTS, "lists_before": lists})
    assert "changes.parquet" in wrong_names(tmp_path)


@pytest.mark.parametrize(
    "name", ["published/2025-11/r2/games.parquet", "published/2025-11", "nothing", "empty", "file"]
)
def test_what_is_no_revision_and_no_folder_of_them_is_refused(folder, name):
    (folder.parent / "empty").mkdir()
    (folder.parent / "file").write_bytes(b"")
    with pytest.raises(NothingReadError):
        verify(folder.parent / name)


@pytest.mark.parametrize("name", [".DS_Store", "Thumbs.db", "desktop.ini"])
def test_what_a_file_manager_leaves_is_nothing(folder, name):
    for where in (folder, folder / "2025-11", folder / "2025-11" / "r1"):
        (where / name).write_bytes(b"icons")
    assert verify(folder).wrong == []
    assert verify(folder / "2025-11" / "r1").wrong == []


# -------------------------------------------------------------------------------------------------------- garbage


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=st.sampled_from(["month", "revision", "files", "digest", "family"]), value=JSON)
def test_any_other_value_of_a_key_of_the_manifest_is_found(revision, key, value):
    whole = (revision / "manifest.json").read_bytes()
    content = {**json.loads(whole), key: value}
    if key != "digest":
        content["digest"] = manifest.digest_of(content) if "\\ud" not in json.dumps(content) else content["digest"]
    data = (json.dumps(content, indent=2) + "\n").encode()
    (revision / "manifest.json").write_bytes(data)
    try:
        assert verify(revision).wrong
    finally:
        (revision / "manifest.json").write_bytes(whole)


# ------------------------------------------------------------------------------------------------------ signature


def test_openssl_alone_checks_the_signature_and_the_fingerprint(revision, keys, tmp_path):
    (line,) = [
        text for text in (revision / "manifest.json.sig").read_text().splitlines() if text.startswith("signature ")
    ]
    proof = tmp_path / "proof"
    proof.write_bytes(b64decode(line.split()[1]))
    check = ["-verify", "-pubin", "-inkey", keys[1], "-rawin", "-in", revision / "manifest.json", "-sigfile", proof]
    assert openssl("pkeyutl", *check) == b"Signature Verified Successfully\n"
    der = openssl("pkey", "-pubin", "-in", keys[1], "-outform", "DER")
    assert read_public_key(keys[1]) == hashlib.sha256(der).hexdigest()


def openssl(*words: str | Path) -> bytes:
    return subprocess.run(["openssl", *words], check=True, capture_output=True).stdout


def test_a_key_that_openssl_made_signs(tmp_path):
    private, public = tmp_path / "key.pem", tmp_path / "key.pub"
    openssl("genpkey", "-algorithm", "ed25519", "-out", private)
    openssl("pkey", "-in", private, "-pubout", "-out", public)
    private.chmod(0o600)
    done = publish_tables(tmp_path / "published", OCTOBER, october(), FACTS, signer=read_key(private))
    assert verify(done.folder, read_public_key(public)).wrong == []


# --------------------------------------------------------------------------------------------------- command line


def test_the_command_prints_whole_revisions_and_their_signers(revision, keys):
    shown = did(revision.parent, "verify", revision, "--key", keys[1])
    assert shown.startswith(f"{revision}: r2 of 2025-11, whole, digest ")
    assert f"signed by key {read_public_key(keys[1])}" in shown


def test_the_command_prints_all_problems_as_json(revision):
    (revision / "standard.csv").write_bytes(b"x")
    done = ratinglist("verify", revision, "--json", home=revision.parent)
    output = json.loads(done.stdout)
    assert (done.returncode, output["whole"]) == (4, False)
    assert [Path(complaint["file"]).name for complaint in output["wrong"]] == ["standard.csv"]


def test_a_folder_in_which_files_are_being_placed_is_read_again_later(folder):
    (folder / PUBLISHING).touch()
    for path in (folder, folder / "2025-11" / "r1"):
        with pytest.raises(BeingPublishedError):
            verify(path)
    assert BeingPublishedError.exit_code == 5
