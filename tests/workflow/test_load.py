"""Delivery: what is taken, what is passed over, what is refused, and how originals are kept."""

import hashlib
import io
import os
import shutil
import stat
import time
import zipfile
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CommandLineError, NothingReadError, system_error_text
from ratinglist.files import durable_files, zip_files as archive
from ratinglist.home import originals
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.publication import doubts
from ratinglist.reports import Batch, discovery
from ratinglist.reports.encoding import decode
from ratinglist.settings import Settings
from ratinglist.tables import DELIVERED, FILE_FINDING
from ratinglist.workflows import load
from ratinglist.workflows.opening import open_to_read
from tests import conftest
from tests.conftest import MONTHS, SAMPLE

DAY = date(2025, 10, 5)
REPORT = b"012 Oslo Open\n042 2025/10/01\n001    1      Berg, Anna\n"
SHA = hashlib.sha256(REPORT).hexdigest()
BATCH = Batch(DELIVERED.empty(), {SHA: REPORT}, FILE_FINDING.empty())


def read(*paths: Path) -> Batch:
    (batch,) = discovery.read_batches(discovery.find(paths), DAY, DAY)
    return batch


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members:
            packed.writestr(name, data)
    return content.getvalue()


def by_name(texts: Mapping[str, str], folder: Path) -> dict[str, str]:
    return {name.removeprefix(f"{folder.as_posix()}/"): text for name, text in texts.items()}


# ------------------------------------------------------------------------------------------------------- finding


LIKE_A_REPORT = [
    *(b"012 Oslo", b"### made by hand\r\n012 Oslo", b"\xef\xbb\xbf012 Oslo", "012 Oslo".encode("utf-16")),
    b"\r001    1",
]
NO_REPORT = "it does not look like a tournament report"
AS_TABLES = (
    f"{NO_REPORT}; results in a table are delivered as events.csv and games.csv, players with ratinglist import-players"
)
HIDDEN = (".a.trf", "b.trf.tmp", "c.trf~", ".git/d.trf", "__MACOSX/e.trf")
OF_FILE_MANAGERS = (".DS_Store", "Thumbs.db", "desktop.ini", "north/.DS_Store", "north/Desktop.ini", "thumbs.db")
FOUND: dict[str, tuple[dict[str, bytes], list[str], dict[str, str]]] = {
    "folders, in order": (
        dict.fromkeys(("b.trf", "a/c.tab", "a/b.txt"), REPORT),
        ["a/b.txt", "a/c.tab", "b.trf"],
        {},
    ),
    **{f"begins like {start!r}": ({"report.dat": start}, ["report.dat"], {}) for start in LIKE_A_REPORT},
    "a picture": ({"photo.jpg": b"\xff\xd8\xff\xe0", "a.trf": REPORT}, ["a.trf"], {"photo.jpg": NO_REPORT}),
    "a workbook": ({"table.xlsx": b"PK\x03\x04"}, [], {"table.xlsx": AS_TABLES}),
    "games": ({"games.pgn": b'[Event "Oslo"]'}, [], {"games.pgn": AS_TABLES}),
    "a text, so that it is refused aloud": ({"notes.txt": b"Dear office, ..."}, ["notes.txt"], {}),
    "hidden and temporary files": (
        dict.fromkeys(HIDDEN, REPORT),
        [],
        dict.fromkeys((".a.trf", "b.trf.tmp", "c.trf~", ".git", "__MACOSX"), ""),
    ),
    "the home of an office": (
        dict.fromkeys(("a.trf", "office/reports/b.trf", "office/log/000001.json", "other/log/c.trf"), REPORT),
        ["a.trf", "other/log/c.trf"],
        {"office": "the home of an office: what it holds was delivered before"},
    ),
    "what file managers leave": (
        {
            "a.trf": REPORT,
            **dict.fromkeys(OF_FILE_MANAGERS, b"012 not a report"),
            "oct.zip": zipped(("b.trf", REPORT + b"\n"), (".DS_Store", b""), ("x/Thumbs.db", b"012 ")),
        },
        ["a.trf", "oct.zip/b.trf"],
        {},
    ),
    "what a manifest names": ({"manifest.csv": b"file\na.dat\n", "a.dat": b"no report\n"}, ["a.dat"], {}),
}


@pytest.mark.parametrize(("files", "names", "skipped"), FOUND.values(), ids=FOUND)
def test_reports_are_found_and_other_files_are_passed_over(tmp_path, files, names, skipped):
    delivery = discovery.find([written(tmp_path, files)])
    assert [file.name.removeprefix(f"{tmp_path.as_posix()}/") for file in delivery.files] == names
    reasons = by_name(delivery.skipped, tmp_path)
    assert reasons == {name: reason or reasons[name] for name, reason in skipped.items()}
    assert delivery.unread == {}


def test_links_are_not_followed_and_a_file_reached_by_two_paths_is_found_once(tmp_path):
    written(tmp_path, {"outside/a.trf": REPORT, "inside/b.trf": REPORT})
    inside = tmp_path / "inside"
    (inside / "link.trf").symlink_to(tmp_path / "outside" / "a.trf")
    (inside / "folder").symlink_to(tmp_path / "outside")
    delivery = discovery.find([inside, inside / "b.trf"])
    assert [Path(file.name).name for file in delivery.files] == ["b.trf"]
    assert by_name(delivery.skipped, inside) == dict.fromkeys(("folder", "link.trf"), "a link is not followed")
    # A folder above what is named may be a link.
    assert len(discovery.find([inside / "folder" / "a.trf"]).files) == 1


@pytest.mark.parametrize("to", ["outside", "outside/a.trf", "nowhere", "/"])
def test_a_link_named_by_hand_is_refused(tmp_path, to):
    written(tmp_path, {"outside/a.trf": b"012 a"})
    (tmp_path / "link.trf").symlink_to(tmp_path / to)
    with pytest.raises(NothingReadError, match=r"link\.trf is a link, and links are not followed"):
        discovery.find([tmp_path / "link.trf"])


def test_a_name_that_is_not_utf_8_can_be_printed(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/M\xe1laga.trf")).write_bytes(REPORT)
    assert read(tmp_path).delivered["file_name"].to_list() == [f"{tmp_path.as_posix()}/M\ufffdlaga.trf"]


# ------------------------------------------------------------------------------------------------------ archives


def test_archives_are_read_with_their_manifest(tmp_path):
    path = tmp_path / "oct.zip"
    path.write_bytes(zipped(("n/a.trf", REPORT), ("manifest.csv", b"file,version\nn/a.trf,3\n")))
    delivered = read(path).delivered
    assert delivered.select("file_name", "version", "sha256").rows() == [(f"{path.as_posix()}/n/a.trf", 3, SHA)]


def encrypted() -> bytes:
    data = bytearray(zipped(("a.trf", REPORT), GOOD))
    # The general purpose flags of the first entry of the central directory: bit 0 says encrypted.
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def linked() -> bytes:
    link = zipfile.ZipInfo("a.trf")
    link.external_attr = 0o120777 << 16
    return zipped((link, b"/etc/passwd"), GOOD)


GOOD = ("good.trf", REPORT)
ARCHIVES: dict[str, tuple[Callable[[], bytes], str]] = {
    **{
        name: (partial(zipped, (name, REPORT), GOOD), "leads out of the archive")
        for name in ("../a.trf", "x/../../a.trf", "/etc/a.trf", "..\\a.trf", "C:\\a.trf", "C:a.trf")
    },
    "encrypted": (encrypted, "it is encrypted"),
    "a link": (linked, "it is not an ordinary file"),
    "one name twice": (
        partial(zipped, ("a.trf", REPORT), ("a.trf", b"012 Other\n"), GOOD),
        "another file of the archive has the same name",
    ),
    "an archive in it": (partial(zipped, ("inner.zip", zipped(("a.trf", REPORT))), GOOD), ""),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("make", "why"), ARCHIVES.values(), ids=ARCHIVES)
def test_of_an_archive_only_what_is_a_report_is_read(tmp_path, make, why):
    delivery = discovery.find([written(tmp_path, {"oct.zip": make()}) / "oct.zip"])
    assert [Path(file.name).name for file in delivery.files] == ["good.trf"]
    assert why in next(iter(delivery.unread.values()))


@pytest.mark.parametrize(
    ("module", "limit", "value"), [(archive, "ARCHIVE_ENTRIES", 1), (discovery, "ARCHIVE_BYTES", 20)]
)
def test_archives_over_the_limits_are_refused_whole(tmp_path, monkeypatch, module, limit, value):
    monkeypatch.setattr(module, limit, value)
    delivery = discovery.find([written(tmp_path, {"good.trf": REPORT, "oct.zip": zipped(("a.trf", REPORT), GOOD)})])
    assert [Path(file.name).name for file in delivery.files] == ["good.trf"]
    assert list(by_name(delivery.unread, tmp_path)) == ["oct.zip"]


# ------------------------------------------------------------------------------------- manifests, batches, encodings

BERGEN = b"012 Bergen\n"
STATED: dict[str, tuple[dict[str, bytes], list[tuple[str, str | None]], list[tuple[str, str]]]] = {
    "two codes for the same bytes": (
        {"a.trf": REPORT, "b.trf": REPORT, "manifest.csv": b"file,event_id\na.trf,ONE\nb.trf,TWO\n"},
        [("a.trf", "ONE"), ("b.trf", "TWO")],
        [],
    ),
    "a wrong cell refuses its report": (
        {"a.trf": REPORT, "b.trf": BERGEN, "manifest.csv": b"file,start_date\na.trf,1/10/2025\nb.trf,2025-10-01\n"},
        [("a.trf", None), ("b.trf", None)],
        [("a.trf", "manifest_value")],
    ),
    "an unusable one refuses its folder": (
        {"c.trf": b"012 C\n", "x/a.trf": REPORT, "x/manifest.csv": b"name\na.trf\n", "x/y/b.trf": b"012 B\n"},
        [("c.trf", None), ("x/a.trf", None), ("x/y/b.trf", None)],
        [("x/a.trf", "manifest_unreadable"), ("x/y/b.trf", "manifest_unreadable")],
    ),
    "two of one report": (
        {"manifest.csv": b"file\nx/a.trf\n", "x/manifest.csv": b"file\na.trf\n", "x/a.trf": REPORT},
        [("x/a.trf", None)],
        [("x/a.trf", "manifest_twice")],
    ),
    "an empty file": ({"a.trf": b" \r\n\x1a"}, [("a.trf", None)], [("a.trf", "empty_file")]),
}


@pytest.mark.parametrize(("files", "delivered", "findings"), STATED.values(), ids=STATED)
def test_what_is_stated_of_reports_is_delivered_with_them(tmp_path, files, delivered, findings):
    batch = read(written(tmp_path, files))
    names = batch.delivered.with_columns(pl.col("file_name").str.strip_prefix(f"{tmp_path.as_posix()}/"))
    assert names.select("file_name", "event_id").rows() == delivered
    assert names.join(batch.findings, on="file_no").select("file_name", "rule").rows() == findings
    assert len(batch.originals) == len({data for name, data in files.items() if name.endswith(".trf")})


def test_facts_reach_the_delivered_frame_and_a_file_that_is_not_there_is_listed(tmp_path):
    sheet = b"\xef\xbb\xbffile;official;received_on\r\na.trf;1;2025-09-30\r\nlost.trf;;\r\n"
    written(tmp_path, {"manifest.csv": sheet, "a.trf": REPORT})
    assert read(tmp_path).delivered.select("official", "received_on").rows() == [(True, date(2025, 9, 30))]
    (problem,) = discovery.find([tmp_path]).problems
    assert problem.endswith(f"line 3, column file: '{tmp_path.as_posix()}/lost.trf' is not among the files delivered.")


def test_batches_also_end_when_they_are_heavy(tmp_path, monkeypatch):
    # Each line counts at least 64 bytes.
    monkeypatch.setattr(discovery, "BATCH_BYTES", 100)
    for number in range(4):
        (tmp_path / f"{number}.trf").write_bytes(b"012 Event %d\n" % number)
    assert [len(batch.delivered) for batch in discovery.read_batches(discovery.find([tmp_path]), DAY, DAY)] == [2, 2]


def test_a_file_that_vanished_or_grew_is_a_problem_not_a_crash(tmp_path, monkeypatch):
    delivery = discovery.find([written(tmp_path, {"a.trf": REPORT, "b.trf": BERGEN, "c.trf": b"012 C\n"})])
    monkeypatch.setattr(discovery, "REPORT_BYTES", len(REPORT))
    (tmp_path / "a.trf").write_bytes(REPORT + b"x")
    (tmp_path / "b.trf").unlink()
    (batch,) = discovery.read_batches(delivery, DAY, DAY)
    assert batch.delivered["text"].to_list() == ["012 C\n"]
    assert list(by_name(batch.unread, tmp_path)) == ["a.trf", "b.trf"]
    assert "b.trf could not be read: No such file or directory" in [*batch.unread.values()][1]


WINDOWS = {"rule": "encoding_assumed", "detail": "Windows-1252"}
DECODED: list[tuple[bytes, str, dict[str, object]]] = [
    *(
        (text.encode(encoding), "012 Århus\n001 Ž\n", {"rule": ""})
        for encoding in ("utf-8", "utf-8-sig", "utf-16")
        for text in ("012 Århus\n001 Ž\n", "012 Århus\r\n001 Ž\r\n", "012 Århus\n001 Ž\n\x1a")
    ),
    ("012 Århus\n001 Ž\n".encode("cp1252"), "012 Århus\n001 Ž\n", WINDOWS),
    ("012 Málaga €\n".encode("cp1252"), "012 Málaga €\n", WINDOWS),
    # A byte that Windows-1252 does not have spoils one letter.
    (b"012 M\xe1laga \x81\n", "012 Málaga \ufffd\n", WINDOWS),
    *(
        (
            f"012 Oslo\n022 Os{character}lo\n".encode(),
            "",
            {"rule": "control_character", "line": 2, "column": 7, "value": f"U+{ord(character):04X}"},
        )
        for character in "\x01\x0b\x0c\x1b\x7f\x85\x9b\u2028\u202e\u2066"
    ),
    *(
        (data, "", {"rule": "binary_file"})
        for data in (b"012 Os\x00lo\n", "012 Oslo\n".encode("utf-16-le"), b"\xff\xfe0\x001")
    ),
]


@pytest.mark.parametrize(("data", "text", "finding"), DECODED)
def test_a_report_is_decoded_or_refused_at_the_place_of_its_character(data, text, finding):
    decoded = decode(data)
    assert decoded.text == text
    assert {name: getattr(decoded, name) for name in finding} == finding


# ------------------------------------------------------------------------------------------------- the originals


def test_originals_are_kept_by_their_digest_and_an_altered_one_is_replaced(tmp_path):
    for altered in (None, REPORT[:5], REPORT[:-1] + b"x"):
        if altered:
            (tmp_path / SHA).write_bytes(altered)
        durable_files.keep_all(tmp_path, BATCH.originals)
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(SHA, REPORT)]


def test_a_failure_to_write_leaves_nothing_behind_and_says_what_to_do(tmp_path, monkeypatch):
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left on device") as refused:
        durable_files.keep_all(tmp_path, BATCH.originals)
    assert system_error_text(refused.value).startswith(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_an_original_gets_its_name_when_it_is_on_the_disk_and_its_folder_last(tmp_path, monkeypatch):
    steps = []
    renames = Path.replace

    def replaced(path: Path, target: Path) -> Path:
        steps.append("named")
        return renames(path, target)

    def synced(handle: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else f"{os.fstat(handle).st_size} bytes")

    monkeypatch.setattr(Path, "replace", replaced)
    monkeypatch.setattr(os, "fsync", synced)
    durable_files.keep_all(tmp_path, BATCH.originals)
    assert steps == [f"{len(REPORT)} bytes", "named", "folder"]


@pytest.mark.parametrize("lost", [b"", b"PK\x03\x04 and no more", b"PK\x05\x06" + b"\x00" * 10])
def test_a_file_that_could_not_be_read_is_recorded(tmp_path, lost):
    written(tmp_path / "in", {"a.trf": REPORT, "north.zip": lost, "manifest.csv": b"file\na.trf\nb.trf\n"})
    settings = conftest.office(tmp_path / "home")
    load.load(settings, [tmp_path / "in"], DAY)
    with open_to_read(settings) as store:
        delivered = originals.delivery(store.home, store.log.entries[-1])
    assert [Path(name).name for name in delivered["unread"]] == ["north.zip"]
    assert [Path(name).name for name in delivered["absent"]] == ["b.trf"]


@pytest.mark.parametrize("name", ["manifest.csv", "Manifest.CSV"])
def test_a_file_that_a_manifest_names_and_nobody_delivered_is_a_question(tmp_path, name):
    written(tmp_path / "in", {"a.trf": REPORT, name: b"file\na.trf\nb.trf\n"})
    settings = conftest.office(tmp_path / "home")
    load.load(settings, [tmp_path / "in"], DAY)
    asked = [doubts.named("unread_file")]
    with open_to_read(settings) as store:
        (raised,) = doubts.doubts_about(store, settings, Period.of(DAY), asked=asked)
    assert [Path(row["file"]).name for row in raised.rows] == ["b.trf"]


def test_a_home_is_not_loaded_and_neither_is_a_part_of_one(first_month: Settings, tmp_path: Path) -> None:
    other = Path(shutil.copytree(first_month.home, tmp_path / "other"))
    entries = len(Log.open(first_month.home).entries)
    for folder in (first_month.home, first_month.reports, other, other / "reports", other / "published" / MONTHS[0]):
        with pytest.raises(CommandLineError, match="is the home of an office, or is in it"):
            load.load(first_month, [folder])
    inbox = Path(shutil.copytree(SAMPLE / "reports" / MONTHS[1], first_month.home / "inbox"))
    assert len(Log.open(first_month.home).entries) == entries
    assert load.load(first_month, [inbox]).accepted


def test_the_bytes_of_one_batch_are_kept_at_a_time(homes, tmp_path, monkeypatch):
    """Two batches at once would delete each other's unfinished files."""
    shutil.copytree(homes / "2025-08", tmp_path / "home")
    keep, running = durable_files.keep_all, []

    def kept(folder, files):
        running.append(files)
        time.sleep(0.02)
        assert len(running) == 1
        written = keep(folder, files)
        running.pop()
        return written

    monkeypatch.setattr(durable_files, "keep_all", kept)
    monkeypatch.setattr(discovery, "FILES_PER_BATCH", 1)
    summary = load.load(conftest.office(tmp_path / "home"), [SAMPLE / "reports" / MONTHS[0]])
    assert summary.accepted == 8
