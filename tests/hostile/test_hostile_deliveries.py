"""Hostile folders and archives: no link is followed, no pipe blocks, no size in an archive is trusted."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from datetime import date
from pathlib import Path

import pytest

from ratinglist.errors import NothingReadError
from ratinglist.lists import list_reader
from ratinglist.period import Period
from ratinglist.reports import discovery
from tests.hostile.bombs import archive_of, ending, entry, local, one_kernel
from tests.trf_text import report

REPORT = report().encode()
DAY = date(2025, 11, 1)
BIDI = "\u202e"


def raw(path: Path, *parts: bytes) -> Path:
    path.write_bytes(b"".join(parts))
    return path


def texts(path: Path) -> list[str]:
    return [
        text for batch in discovery.read_batches(discovery.find([path]), DAY, DAY) for text in batch.delivered["text"]
    ]


def problems(path: Path) -> list[str]:
    delivery = discovery.find([path])
    batches = discovery.read_batches(delivery, DAY, DAY)
    return [*delivery.unread.values(), *(sentence for batch in batches for sentence in batch.unread.values())]


# --------------------------------------------------------------------------------------------------------- folders


def test_a_pipe_in_a_folder_is_skipped_and_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "a.trf")
    raw(tmp_path / "b.trf", REPORT)
    assert len(texts(tmp_path)) == 1
    assert list(discovery.find([tmp_path]).skipped.values()) == ["not an ordinary file"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        *(
            (f"a{character}b.trf", f"its name holds the character U+{ord(character):04X}, which no name may")
            for character in ("\x1b", "\n", BIDI, "\x9b", "\u2028")
        ),
        (f"x{BIDI}/a.trf", "x\\u202e/a.trf was not read: its name holds the character U+202E, which no name may"),
    ],
)
def test_a_control_character_in_the_name_of_a_file_or_a_folder_refuses_it_escaped(tmp_path, name, says):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    raw(tmp_path / name, REPORT)
    (problem,) = problems(tmp_path)
    assert says in problem
    assert not {"\x1b", "\n", BIDI, "\x9b", "\u2028"} & set(problem)


def test_a_path_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(discovery, "PATH_LENGTH", len(str(tmp_path)) + 10)
    raw(tmp_path / "a-long-name.trf", REPORT)
    assert "characters, and at most" in problems(tmp_path)[0]


def test_what_holds_too_many_files_is_no_delivery(tmp_path, monkeypatch):
    monkeypatch.setattr(discovery, "DELIVERY_FILES", 3)
    for number in range(4):
        raw(tmp_path / f"{number}.trf", REPORT)
    with pytest.raises(NothingReadError, match="holds more than 3 files, which is no delivery: name the folder"):
        discovery.find([tmp_path])


@pytest.mark.parametrize("name", ["a" * 5000, "a\x00b"])
def test_a_path_that_no_file_can_have_does_not_exist(name):
    with pytest.raises(NothingReadError, match="does not exist"):
        discovery.find([Path(name)])


# -------------------------------------------------------------------------------------------------------- archives


def stored(name: bytes) -> bytes:
    """An archive of one entry of this name, written byte by byte."""
    crc = zlib.crc32(b"012")
    head, table = local(name, 3, 3, method=0, crc=crc), entry(name, 3, 3, 0, method=0, crc=crc)
    return head + b"012" + table + ending(1, len(table), len(head) + 3)


def strange(kind: int) -> zipfile.ZipInfo:
    """An entry that says to be a pipe, a device or a socket."""
    info = zipfile.ZipInfo("a.trf")
    info.external_attr = kind << 16
    return info


METHOD = "its method of packing is not read"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (archive_of({f"a{BIDI}b.trf": REPORT, "good.trf": REPORT}), "its name holds the character U+202E"),
        (archive_of({"a\x1b[2Jb.trf": REPORT, "good.trf": REPORT}), "its name holds the character U+001B"),
        (archive_of({"x/" * 40 + "a.trf": REPORT, "good.trf": REPORT}), "it is too many folders deep"),
        (archive_of({"x" * 2000 + ".trf": REPORT, "good.trf": REPORT}), "characters, and at most 1024 are accepted"),
        # The characters behind a NUL in a name are checked too.
        (stored(b"a.trf\0.exe"), "holds the character U+0000"),
        # Found by the fuzzer: the standard library asks for the last character of the name.
        (stored(b""), "it has no name"),
        *(
            (archive_of({strange(kind): REPORT, "good.trf": REPORT}), "a.zip/a.trf was not read: it is not an ordinary")
            for kind in (0o010644, 0o020644, 0o060644, 0o140644)
        ),
        *((archive_of({"a.trf": REPORT}, method), METHOD) for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)),
        (one_kernel(3), "more than 200 times its size"),
    ],
)
def test_an_entry_that_may_do_harm_is_refused(tmp_path, content, why):
    (problem, *_) = problems(raw(tmp_path / "a.zip", content))
    assert why in problem
    assert not {BIDI, "\x1b"} & set(problem)


@pytest.mark.parametrize("claimed", [0, 10])
def test_a_wrong_size_gives_no_report(tmp_path, claimed):
    packed = raw(tmp_path / "a.zip", archive_of({"a.trf": REPORT, "good.trf": REPORT + b"\n"}))
    data = bytearray(packed.read_bytes())
    struct.pack_into("<L", data, data.index(b"PK\x01\x02") + 24, claimed)
    raw(packed, data)
    assert texts(packed) == [report() + "\n"]
    assert "a.zip/a.trf" in problems(packed)[0]


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
def test_a_broken_stream_is_a_problem_of_its_report(tmp_path, at):
    packed = raw(tmp_path / "a.zip", archive_of({"a.trf": REPORT * 3, "good.trf": REPORT}))
    data = bytearray(packed.read_bytes())
    start, end = data.index(b"a.trf") + 5, data.index(b"PK\x03\x04", 4)
    place = start + int((end - start) * at)
    data[place : place + 8] = b"\xff" * 8
    raw(packed, data)
    assert texts(packed) == [report()]
    assert len(problems(packed)) == 1


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (f"a{BIDI}.csv", "its name holds the character U\\+202E"),
        ("../a.csv", "its name leads out of the archive"),
    ],
)
def test_a_zipped_list_is_judged_like_any_archive(tmp_path, member, message):
    path = raw(tmp_path / "a.zip", archive_of({member: b"fide_id,name,time_control\n7,A,blitz\n"}))
    with pytest.raises(list_reader.OfficialListError, match=message):
        list(list_reader.read(path, month=Period.parse("2026-10")))


def test_a_pipe_is_no_list_and_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(list_reader.OfficialListError, match="this is not an ordinary file"):
        list(list_reader.read(tmp_path / "a.csv", month=Period.parse("2026-10")))


def test_an_archive_with_data_before_it_is_read(tmp_path):
    assert texts(raw(tmp_path / "a.zip", b"#!/bin/sh\n", archive_of({"a.trf": REPORT}))) == [report()]
