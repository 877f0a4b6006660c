"""Delivery: what is taken, what is passed over, what is refused, and how originals are kept."""

import hashlib
import os
import shutil
import stat
import time
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from ratinglist.errors import CommandLineError, NothingReadError, NotKeptError
from ratinglist.files import durable_files, zip_files as archive
from ratinglist.home import originals
from ratinglist.home.log import Log, path_of
from ratinglist.reports import Batch, discovery
from ratinglist.reports.delivered_tables import ALLOWED
from ratinglist.reports.encoding import decode
from ratinglist.settings import Settings
from ratinglist.tables import DELIVERED, FILE_FINDING
from ratinglist.workflows import load
from ratinglist.workflows.opening import open_to_read
from tests import conftest
from tests.conftest import MONTHS, SAMPLE

DAY = date(2025, 10, 5)
REPORT = b"012 Oslo Open\n042 2025/10/01\n001    1      Berg, Anna\n"


def write(folder: Path, **files: bytes) -> Path:
    for name, data in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def pack(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def names(found: discovery.Delivery, folder: Path) -> list[str]:
    return [file.name.removeprefix(f"{folder.as_posix()}/") for file in found.files]


def read(*paths: Path) -> Batch:
    (batch,) = discovery.read_batches(discovery.find(paths), DAY, DAY)
    return batch


def rules(batch: Batch) -> list[str]:
    return batch.findings["rule"].to_list()


# ------------------------------------------------------------------------------------------------------- finding


def test_folders_are_walked_and_sorted(tmp_path):
    write(tmp_path, b_trf=REPORT, a__c_tab=REPORT, a__b_txt=REPORT)
    assert names(discovery.find([tmp_path]), tmp_path) == ["a/b.txt", "a/c.tab", "b.trf"]


def test_a_file_reached_by_two_paths_is_found_once(tmp_path):
    write(tmp_path, a_trf=REPORT)
    assert len(discovery.find([tmp_path, tmp_path / "a.trf"]).files) == 1


@pytest.mark.parametrize(
    "start",
    [b"012 Oslo", b"### made by hand\r\n012 Oslo", b"\xef\xbb\xbf012 Oslo", "012 Oslo".encode("utf-16"), b"\r001    1"],
)
def test_other_files_are_reports_by_their_first_lines(tmp_path, start):
    write(tmp_path, report_dat=start)
    assert names(discovery.find([tmp_path]), tmp_path) == ["report.dat"]


def test_other_files_are_passed_over_and_listed(tmp_path):
    write(tmp_path, photo_jpg=b"\xff\xd8\xff\xe0", a_trf=REPORT)
    skipped = discovery.find([tmp_path]).skipped
    assert skipped == {(tmp_path / "photo.jpg").as_posix(): "it does not look like a tournament report"}


@pytest.mark.parametrize(
    ("name", "data", "remedy"),
    [
        ("cross-table.xlsx", b"PK\x03\x04", "events.csv and games.csv"),
        ("games.pgn", b'[Event "Oslo"]', "events.csv and games.csv"),
    ],
)
def test_a_file_that_is_no_report_is_passed_over_with_the_way_to_deliver_it(tmp_path, name, data, remedy):
    (tmp_path / name).write_bytes(data)
    (why,) = discovery.find([tmp_path]).skipped.values()
    assert remedy in why


def test_a_txt_file_that_is_no_report_is_still_delivered_so_that_it_is_refused_aloud(tmp_path):
    write(tmp_path, notes_txt=b"Dear office, ...")
    assert names(discovery.find([tmp_path]), tmp_path) == ["notes.txt"]


def test_hidden_and_temporary_files_are_skipped(tmp_path):
    for name in (".a.trf", "b.trf.tmp", "c.trf~", ".git/d.trf", "__MACOSX/e.trf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(REPORT)
    found = discovery.find([tmp_path])
    assert found.files == ()
    assert len(found.skipped) == 5


def test_the_home_of_an_office_in_the_folder_is_not_read_again(tmp_path):
    write(tmp_path, a_trf=REPORT, office__reports__b_trf=REPORT, other__log__c_trf=REPORT)
    first = path_of(tmp_path / "office", 1)
    first.parent.mkdir()
    first.touch()
    found = discovery.find([tmp_path])
    assert names(found, tmp_path) == ["a.trf", "other/log/c.trf"]
    assert list(found.skipped.values()) == ["the home of an office: what it holds was delivered before"]


def test_what_file_managers_leave_in_folders_is_nothing(tmp_path):
    write(tmp_path, a_trf=REPORT)
    for name in (".DS_Store", "Thumbs.db", "desktop.ini", "north/.DS_Store", "north/Desktop.ini", "thumbs.db"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"012 not a report")
    pack(tmp_path / "oct.zip", {"b.trf": REPORT + b"\n", ".DS_Store": b"", "x/Thumbs.db": b"012 "})
    found = discovery.find([tmp_path])
    assert names(found, tmp_path) == ["a.trf", "oct.zip/b.trf"]
    assert (found.skipped, found.unread) == ({}, {})


def test_links_are_not_followed(tmp_path):
    write(tmp_path, outside__a_trf=REPORT, inside__b_trf=REPORT)
    (tmp_path / "inside" / "link.trf").symlink_to(tmp_path / "outside" / "a.trf")
    (tmp_path / "inside" / "folder").symlink_to(tmp_path / "outside")
    found = discovery.find([tmp_path / "inside"])
    assert names(found, tmp_path / "inside") == ["b.trf"]
    assert list(found.skipped.values()) == ["a link is not followed"] * 2


def test_a_name_that_is_not_utf_8_can_be_printed(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/M\xe1laga.trf")).write_bytes(REPORT)
    assert read(tmp_path).delivered["file_name"].to_list() == [f"{tmp_path.as_posix()}/M\ufffdlaga.trf"]


def test_a_path_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(NothingReadError, match=r"lost\.trf does not exist"):
        discovery.find([tmp_path / "lost.trf"])


# ------------------------------------------------------------------------------------------------------ archives


def test_archives_are_read_with_their_manifest(tmp_path):
    path = pack(tmp_path / "oct.zip", {"n/a.trf": REPORT, "manifest.csv": b"file,version\nn/a.trf,3\n"})
    delivered = read(path).delivered
    assert delivered.select("file_name", "version", "sha256").rows() == [
        (f"{path.as_posix()}/n/a.trf", 3, hashlib.sha256(REPORT).hexdigest())
    ]


def encrypted(path: Path) -> None:
    data = bytearray(pack(path, {"a.trf": REPORT, "good.trf": REPORT}).read_bytes())
    # The general purpose flags of the first entry of the central directory: bit 0 says encrypted.
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(data))


def linked(path: Path) -> None:
    link = zipfile.ZipInfo("a.trf")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("good.trf", REPORT)


def twice(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (("a.trf", REPORT), ("a.trf", b"012 Other\n"), ("good.trf", REPORT)):
            archive.writestr(name, data)


def nested(path: Path) -> None:
    inner = pack(path.with_name("inner.zip"), {"a.trf": REPORT})
    pack(path, {"inner.zip": inner.read_bytes(), "good.trf": REPORT})


ARCHIVES: dict[str, tuple[Callable[[Path], object], str]] = {
    **{
        name: (lambda path, name=name: pack(path, {name: REPORT, "good.trf": REPORT}), "leads out of the archive")
        for name in ("../a.trf", "x/../../a.trf", "/etc/a.trf", "..\\a.trf", "C:\\a.trf", "C:a.trf")
    },
    "encrypted": (encrypted, "it is encrypted"),
    "a link": (linked, "it is not an ordinary file"),
    "one name twice": (twice, "another file of the archive has the same name"),
    "an archive in it": (nested, ""),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("what", ARCHIVES)
def test_of_an_archive_only_what_is_a_report_is_read(tmp_path, what):
    make, why = ARCHIVES[what]
    make(tmp_path / "oct.zip")
    found = discovery.find([tmp_path / "oct.zip"])
    assert [Path(file.name).name for file in found.files] == ["good.trf"]
    assert why in next(iter(found.unread.values()))


@pytest.mark.parametrize(("limit", "value"), [("ARCHIVE_ENTRIES", 1), ("ARCHIVE_BYTES", 20)])
def test_archives_over_the_limits_are_refused_whole(tmp_path, monkeypatch, limit, value):
    monkeypatch.setattr(discovery if limit == "ARCHIVE_BYTES" else archive, limit, value)
    write(tmp_path, good_trf=REPORT)
    pack(tmp_path / "oct.zip", {"a.trf": REPORT, "b.trf": REPORT})
    found = discovery.find([tmp_path])
    assert names(found, tmp_path) == ["good.trf"]
    assert list(found.unread) == [(tmp_path / "oct.zip").as_posix()]


@pytest.mark.parametrize("to", ["outside", "outside/a.trf", "nowhere", "/"])
def test_a_link_named_by_hand_is_refused(tmp_path, to):
    write(tmp_path, outside__a_trf=b"012 a")
    (tmp_path / "link.trf").symlink_to(tmp_path / to)
    with pytest.raises(NothingReadError, match=r"link\.trf is a link, and links are not followed"):
        discovery.find([tmp_path / "link.trf"])


def test_a_folder_above_what_is_named_may_be_a_link(tmp_path):
    write(tmp_path, outside__a_trf=b"012 a")
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    assert len(discovery.find([tmp_path / "link" / "a.trf"]).files) == 1


# ----------------------------------------------------------------------------------------------------- manifests


def test_facts_reach_the_delivered_frame(tmp_path):
    write(tmp_path, manifest_csv=b"\xef\xbb\xbffile;official;received_on\r\na.trf;1;2025-09-30\r\n", a_trf=REPORT)
    batch = read(tmp_path)
    assert batch.delivered.select("official", "received_on", "event_id").rows() == [(True, date(2025, 9, 30), None)]


def test_a_wrong_cell_refuses_its_report_only(tmp_path):
    write(
        tmp_path,
        manifest_csv=b"file,start_date\na.trf,1/10/2025\nb.trf,2025-10-01\n",
        a_trf=REPORT,
        b_trf=b"012 Bergen\n",
    )
    found = read(tmp_path).findings
    assert found.select("file_no", "line", "column", "value", "rule").rows() == [
        (1, None, None, "1/10/2025", "manifest_value")
    ]
    assert f"manifest.csv, line 2, column start_date (allowed: {ALLOWED['start_date']})" in found["detail"][0]


def test_an_unusable_manifest_refuses_every_report_in_its_folder_and_below(tmp_path):
    write(tmp_path, x__manifest_csv=b"name\na.trf\n", x__a_trf=REPORT, x__y__b_trf=b"012 B\n", c_trf=b"012 C\n")
    batch = read(tmp_path)
    refused = batch.delivered.join(batch.findings, on="file_no", how="semi")["text"].to_list()
    assert rules(batch) == ["manifest_unreadable"] * 2
    assert refused == [REPORT.decode(), "012 B\n"]


def test_two_manifests_that_speak_of_one_report_refuse_it(tmp_path):
    write(tmp_path, manifest_csv=b"file\nx/a.trf\n", x__manifest_csv=b"file\na.trf\n", x__a_trf=REPORT)
    assert rules(read(tmp_path)) == ["manifest_twice"]


def test_a_row_naming_a_file_that_is_not_there_is_listed(tmp_path):
    write(tmp_path, manifest_csv=b"file\nlost.trf\na.trf\n", a_trf=REPORT)
    (problem,) = discovery.find([tmp_path]).problems
    assert problem.endswith(f"line 2, column file: '{tmp_path.as_posix()}/lost.trf' is not among the files delivered.")


def test_what_a_manifest_names_is_a_candidate_whatever_it_is_called(tmp_path):
    write(tmp_path, manifest_csv=b"file\na.dat\n", a_dat=b"not like a report\n")
    assert names(discovery.find([tmp_path]), tmp_path) == ["a.dat"]


# ------------------------------------------------------------------------------------------------------- batches


def test_batches_also_end_when_they_are_heavy(tmp_path, monkeypatch):
    # Each line counts at least 64 bytes.
    monkeypatch.setattr(discovery, "BATCH_BYTES", 100)
    for number in range(4):
        (tmp_path / f"{number}.trf").write_bytes(b"012 Event %d\n" % number)
    assert [len(batch.delivered) for batch in discovery.read_batches(discovery.find([tmp_path]), DAY, DAY)] == [2, 2]


def test_the_same_bytes_with_other_facts_are_both_kept(tmp_path):
    write(tmp_path, a_trf=REPORT, b_trf=REPORT, manifest_csv=b"file,event_id\na.trf,ONE\nb.trf,TWO\n")
    batch = read(tmp_path)
    assert batch.delivered["event_id"].to_list() == ["ONE", "TWO"]
    assert len(batch.originals) == 1


def test_a_file_that_vanished_is_a_problem_not_a_crash(tmp_path):
    write(tmp_path, a_trf=REPORT, b_trf=b"012 Bergen\n")
    found = discovery.find([tmp_path])
    (tmp_path / "a.trf").unlink()
    (batch,) = discovery.read_batches(found, DAY, DAY)
    assert batch.delivered["text"].to_list() == ["012 Bergen\n"]
    assert "a.trf could not be read: No such file or directory" in next(iter(batch.unread.values()))


def test_a_file_that_grew_beyond_the_limit_is_not_read(tmp_path, monkeypatch):
    found = discovery.find([write(tmp_path, a_trf=REPORT)])
    monkeypatch.setattr(discovery, "REPORT_BYTES", len(REPORT))
    (tmp_path / "a.trf").write_bytes(REPORT + b"x")
    (batch,) = discovery.read_batches(found, DAY, DAY)
    assert (len(batch.delivered), len(batch.unread)) == (0, 1)


def test_an_empty_file_is_delivered_and_refused(tmp_path):
    write(tmp_path, a_trf=b" \r\n\x1a")
    batch = read(tmp_path)
    assert (batch.delivered["text"].to_list(), rules(batch)) == ([""], ["empty_file"])


# ----------------------------------------------------------------------------------------------------- encodings


def test_windows_1252_is_assumed_and_noted():
    decoded = decode("012 Málaga €\n".encode("cp1252"))
    assert (decoded.text, decoded.rule, decoded.detail) == ("012 Málaga €\n", "encoding_assumed", "Windows-1252")


def test_a_byte_that_windows_1252_does_not_have_spoils_one_letter():
    decoded = decode(b"012 M\xe1laga \x81\n")
    assert (decoded.text, decoded.detail) == ("012 Málaga \ufffd\n", "Windows-1252")


@pytest.mark.parametrize("character", "\x01\x0b\x0c\x1b\x7f\x85\x9b\u2028\u202e\u2066")
def test_a_character_that_controls_what_shows_it_refuses_the_report_at_its_place(character):
    decoded = decode(f"012 Oslo\n022 Os{character}lo\n".encode())
    found = (decoded.text, decoded.rule, decoded.line, decoded.column, decoded.value)
    assert found == ("", "control_character", 2, 7, f"U+{ord(character):04X}")


@pytest.mark.parametrize("data", [b"012 Os\x00lo\n", "012 Oslo\n".encode("utf-16-le"), b"\xff\xfe0\x001"])
def test_what_is_not_text_is_refused(data):
    decoded = decode(data)
    assert (decoded.text, decoded.rule) == ("", "binary_file")


# ------------------------------------------------------------------------------------------------- the originals

SHA = hashlib.sha256(REPORT).hexdigest()


def keeping(*originals: bytes) -> Batch:
    by_digest = {hashlib.sha256(data).hexdigest(): data for data in originals}
    return Batch(DELIVERED.empty(), by_digest, FILE_FINDING.empty())


BATCH = keeping(REPORT)


def test_originals_are_kept_by_their_digest(tmp_path):
    discovery.archive_all(tmp_path / "reports", BATCH)
    assert [(path.name, path.read_bytes()) for path in (tmp_path / "reports").iterdir()] == [(SHA, REPORT)]


@pytest.mark.parametrize("altered", [REPORT[:5], REPORT[:-1] + b"x"], ids=["cut", "one byte"])
def test_an_altered_original_is_replaced(tmp_path, altered):
    (tmp_path / SHA).write_bytes(altered)
    discovery.archive_all(tmp_path, BATCH)
    assert (tmp_path / SHA).read_bytes() == REPORT


def test_a_death_while_writing_leaves_no_file_of_that_name_and_a_repeat_heals(tmp_path, monkeypatch):
    def dies(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", dies)
        # A kill leaves the temporary file behind; so does this one.
        patched.setattr("ratinglist.files.durable_files.shutil.rmtree", lambda *_arguments, **_named: None)
        with pytest.raises(KeyboardInterrupt):
            discovery.archive_all(tmp_path, BATCH)
    (remaining,) = tmp_path.rglob(SHA)
    assert remaining.parent.name == durable_files.UNFINISHED
    discovery.archive_all(tmp_path, BATCH)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(SHA, REPORT)]


def test_a_failure_to_write_leaves_nothing_behind_and_says_what_to_do(tmp_path, monkeypatch):
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    # The exit code of 1 is that of a defect of the program.
    assert NotKeptError.exit_code == 3
    with pytest.raises(NotKeptError, match=r"No space left on device\. Free space"):
        discovery.archive_all(tmp_path, BATCH)
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
    discovery.archive_all(tmp_path, BATCH)
    assert steps == [f"{len(REPORT)} bytes", "named", "folder"]


@pytest.mark.parametrize(
    "data",
    [
        "012 Århus\n001 Ž\n".encode(),
        "012 Århus\n001 Ž\n".encode("utf-8-sig"),
        "012 Århus\n001 Ž\n".encode("utf-16"),
        "012 Århus\r\n001 Ž\r\n".encode(),
        "012 Århus\n001 Ž\n\x1a".encode(),
        "012 Århus\n001 Ž\n".encode("cp1252"),
    ],
)
def test_the_text_of_a_report_is_the_same_however_it_was_written(tmp_path, data):
    write(tmp_path, a_trf=data)
    assert read(tmp_path).delivered["text"].to_list() == ["012 Århus\n001 Ž\n"]


@pytest.mark.parametrize("lost", [b"", b"PK\x03\x04 and no more", b"PK\x05\x06" + b"\x00" * 10])
def test_a_file_that_could_not_be_read_is_recorded(tmp_path, lost):
    write(tmp_path / "in", a_trf=REPORT, north_zip=lost, manifest_csv=b"file\na.trf\nb.trf\n")
    settings = conftest.office(tmp_path / "home")
    load.load(settings, [tmp_path / "in"], DAY)
    with open_to_read(settings) as store:
        delivered = originals.delivery(store.home, store.log.entries[-1])
    assert [Path(name).name for name in delivered["unread"]] == ["north.zip"]
    assert [Path(name).name for name in delivered["absent"]] == ["b.trf"]


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
    monkeypatch.setattr(discovery.read_batches, "__defaults__", (1,))
    summary = load.load(conftest.office(tmp_path / "home"), [SAMPLE / "reports" / MONTHS[0]])
    assert summary.accepted == 8
