"""Small files that are expensive to read: each is at most some 10 MB and made to cost a reader time or memory.

``python -m tests.hostile.bombs NAME PATH`` reads one of them in a process of its own, and prints as JSON what came of
it, CPU seconds, and the most memory the process ever had.
"""

from __future__ import annotations

import hashlib
import io
import json
import resource
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ratinglist import strict_toml
from ratinglist.errors import RatinglistError
from ratinglist.lists import list_reader
from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.publication.published_files import verify
from ratinglist.reports import discovery, judge
from tests.trf_text import player, report

MB = 10**6
WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
MONTH = Period.parse("2026-10")
Bomb = Callable[[Path], Path]


def reports_of(folder: Path, number: int, text: str) -> Path:
    """Make ``number`` reports of this text, no two with the same bytes."""
    for place in range(number):
        (folder / f"{place}.trf").write_text(f"### {place}\n{text}", encoding="utf-8")
    return folder


def file_of(folder: Path, name: str, content: bytes | str) -> Path:
    """Make one file."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def archive_of(members: Mapping[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def entry(name: bytes, packed: int, unpacked: int, offset: int, method: int = 8, crc: int = 0) -> bytes:
    """Return an entry of an archive's table of contents with these numbers, true or not."""
    fixed = (b"PK\x01\x02", 20, 20, 0, method, 0, 0x21, crc, packed, unpacked, len(name), 0, 0, 0, 0, 0, offset)
    return struct.pack("<4s6H3L5H2L", *fixed) + name


def local(name: bytes, packed: int, unpacked: int, method: int = 8, crc: int = 0) -> bytes:
    """Return the local header before the bytes of an entry."""
    return struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, method, 0, 0x21, crc, packed, unpacked, len(name), 0) + name


def ending(entries: int, table: int, offset: int) -> bytes:
    """Return the end record of an archive."""
    return struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, entries & 0xFFFF, entries & 0xFFFF, table, offset, 0)


def one_kernel(entries: int) -> bytes:
    """Return an archive of many entries that share one compressed block of blank lines."""
    data = zlib.compress(b"\n" * 7 * MB, 9)[2:-4]
    names = [b"%d.trf" % number for number in range(entries)]
    head = local(names[0], len(data), 7 * MB, crc=zlib.crc32(b"\n" * 7 * MB))
    table = b"".join(entry(name, len(data), 7 * MB, 0, crc=zlib.crc32(b"\n" * 7 * MB)) for name in names)
    return head + data + table + ending(entries, len(table), len(head) + len(data))


def lying_size(method: int) -> bytes:
    """Return an archive whose entry is larger than its table of contents states."""
    packer = zipfile.ZipFile(io.BytesIO(), "w", method)
    content = packer.fp
    assert content is not None
    with packer.open("a.trf", "w") as member:
        for _ in range(1000):
            member.write(b"\n" * MB)
    packer.close()
    content.seek(0)
    data = bytearray(content.read())
    place = data.rindex(b"PK\x01\x02")
    packed = struct.unpack_from("<L", data, place + 20)[0]
    struct.pack_into("<L", data, place + 24, min(packed * 100, 8 * MB))
    return bytes(data)


def many_manifests() -> dict[str, bytes]:
    """Return unusable manifests, each in a folder with a report."""
    folders = range(9_999)
    return {f"{folder}/manifest.csv": b"name\n" for folder in folders} | {
        f"{folder}/a.trf": b"012 A" for folder in folders
    }


def parquet_of(rows: int) -> bytes:
    """A Parquet file of the same row over and over."""
    content = io.BytesIO()
    frame = pl.select(fide_id=pl.repeat(7, rows), name=pl.repeat("A", rows), time_control=pl.repeat("blitz", rows))
    frame.write_parquet(content, row_group_size=rows)
    return content.getvalue()


def table_of(columns: dict[str, pa.Array], **options: object) -> bytes:
    """A Parquet file of one row group and one page for each column."""
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content, **options)
    return content.getvalue()


def repeated(text: str, rows: int) -> pa.Array:
    """The same text in every row, once in a dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), [text])


def long_text(rows: int, size: int) -> bytes:
    """A Parquet file of some kilobytes whose every row has a text of ``size`` bytes."""
    columns = {"fide_id": pa.array(range(rows)), "name": repeated("A" * size, rows)}
    return table_of({**columns, "time_control": repeated("blitz", rows)})


def shared_beginnings() -> bytes:
    """A Parquet file whose texts share their first half a megabyte, which is written once."""
    texts = pa.array([f"{'A' * MB}{number}" for number in range(100)])
    columns = {"fide_id": pa.array(range(100)), "name": texts}
    return table_of(columns, use_dictionary=False, column_encoding={"name": "DELTA_BYTE_ARRAY"})


def many_parquet_columns() -> bytes:
    """A Parquet file of 20,000 columns."""
    return table_of({f"c{number}": pa.array([1]) for number in range(20_000)})


def publication_of(folder: Path, data: bytes, rows: int) -> Path:
    """Make a revision whose manifest is in order, with this file for its list of standard chess."""
    sha256 = hashlib.sha256(data).hexdigest()
    entry = {"sha256": sha256, "bytes": len(data), "rows": rows, "logical_sha256": sha256}
    (folder / "standard.parquet").write_bytes(data)
    (folder / "manifest.json").write_bytes(manifest.encode(MONTH, 1, {}, {"standard.parquet": entry}))
    return folder


def one_value(rows: int) -> bytes:
    """A Parquet file of some hundred bytes, of the same number over and over."""
    return table_of({"k": pa.array([20]).take(pa.array([0] * rows, pa.int32()))}, data_page_size=2**31 - 1)


def deep_manifest() -> bytes:
    """A manifest of lists alone."""
    return b"[" + b"[]," * 20_000_000 + b"[]]"


def nested_parquet() -> bytes:
    """A Parquet file whose names are lists of lists."""
    content = io.BytesIO()
    pl.DataFrame({"fide_id": [7], "name": [[["A"] * MB]]}).write_parquet(content)
    return content.getvalue()


def laughs() -> bytes:
    """Return a document whose entities expand to a billion words."""
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a0 "ha">{entities}]><a>&a9;</a>'.encode()


def player_of(inner: bytes) -> bytes:
    """An XML list with this inside its one player."""
    return b"<playerslist><player><fideid>7</fideid>" + inner + b"</player></playerslist>"


ROUNDS = tuple(f"{number % 4000 + 1:>4} w 1" for number in range(200))
LONG = player(1, cells=ROUNDS, fide_id=7)
DAMAGED = "\n".join(f"001 {number:>4}\t" for number in range(2, 9_998))


def crowd() -> str:
    """Return the lines of 3,999 players over 200 rounds."""
    return "\n".join(player(number, cells=ROUNDS, fide_id=900000 + number) for number in range(1, 4_000))


REPORTS: dict[str, Bomb] = {
    "lines without anything": lambda f: file_of(f, "a.trf", b"001 " + b"\n" * 8_000_000),
    "many lines in many reports": lambda f: reports_of(f, 33, report() + "012 x\n" * 49_000),
    "damaged lines and one of 200 rounds": lambda f: reports_of(f, 90, report([LONG, DAMAGED])),
    "one start number for all players": lambda f: reports_of(f, 90, report([LONG, "001    1\t\n" * 9_990])),
    "a line without an end": lambda f: file_of(f, "a.trf", b"012 " + b"A" * 8_000_000),
    "a long first line said again": lambda f: reports_of(
        f, 30, report(head=("012 " + "x" * 9_000, *["012 y"] * 45_000))
    ),
    "4,000 players over 200 rounds": lambda f: reports_of(f, 1, report([crowd()])[: 8 * MB]),
    "dates of rounds without an end": lambda f: reports_of(f, 1_000, "132 " + "24/04/01  " * 990 + "\n" + report()),
    "accents upon accents": lambda f: reports_of(f, 10, report(head=("012 " + "a" + "\u0315\u0300" * 4_000,) * 40)),
    "unknown codes, all different": lambda f: reports_of(
        f, 20, "\n".join(f"Q{n:05d}"[:3] + f" {n}" for n in range(45_000))
    ),
    "entries that share their bytes": lambda f: file_of(f, "a.zip", one_kernel(73)),
    "a size that lies, deflated": lambda f: file_of(f, "a.zip", lying_size(zipfile.ZIP_DEFLATED)),
    "a size that lies, by bzip2": lambda f: file_of(f, "a.zip", lying_size(zipfile.ZIP_BZIP2)),
    "a size that lies, by lzma": lambda f: file_of(f, "a.zip", lying_size(zipfile.ZIP_LZMA)),
    "many manifests": lambda f: file_of(f, "a.zip", archive_of(many_manifests())),
    "a manifest of one report": lambda f: file_of(f, "manifest.csv", b"file\n" + b"a.trf\n" * 1_200_000),
    "a manifest of columns": lambda f: file_of(f, "manifest.csv", b",".join(b"c%d" % n for n in range(900_000))),
    "a manifest of one cell": lambda f: file_of(f, "manifest.csv", b'file\n"' + b"a" * 8_000_000),
    "a manifest of accents": lambda f: file_of(f, "manifest.csv", b"file\n" + "\u0315\u0300".encode() * 30_000 + b"\n"),
    "a manifest of cells too many": lambda f: file_of(f, "manifest.csv", b"file\n" + b"a," * 4_000_000),
}

WIDE = b"fide_id,name,time_control," + b",".join(b"c%d" % n for n in range(190)) + b"\n"
SHORT_HEADER = b"ID Number      Name      OCT26 B-day Flag\n"

LISTS: dict[str, Bomb] = {
    "a billion laughs": lambda f: file_of(f, "a.xml", laughs()),
    "elements in elements": lambda f: file_of(f, "a.xml", player_of(b"<a>" * 3_000_000)),
    "a text without an end": lambda f: file_of(f, "a.xml", player_of(b"<name>" + b"a" * 10 * MB)),
    "lines without an end in a text": lambda f: file_of(f, "a.xml", player_of(b"<name>" + b"a&#10;" * 1_600_000)),
    "an attribute without an end": lambda f: file_of(f, "a.xml", player_of(b'<name a="' + b"a" * 10 * MB)),
    "a remark without an end": lambda f: file_of(f, "a.xml", player_of(b"<!--" + b"a" * 10 * MB)),
    "many attributes": lambda f: file_of(
        f, "a.xml", player_of(b"<name " + b" ".join(b"a%d=''" % n for n in range(800_000)))
    ),
    "many kinds of element": lambda f: file_of(f, "a.xml", player_of(b"".join(b"<a%d/>" % n for n in range(900_000)))),
    "many columns": lambda f: file_of(f, "a.csv", b"fide_id,name," + b",".join(b"c%d" % n for n in range(1_000_000))),
    "one quoted cell": lambda f: file_of(f, "a.csv", b'fide_id,name\n7,"' + b"a" * 10 * MB),
    "one quoted cell of many lines": lambda f: file_of(f, "a.csv", b'fide_id,name\n7,"' + b"a\n" * 5_000_000),
    "the same player again": lambda f: file_of(f, "a.csv", b"fide_id,name,time_control\n" + b"7,A,blitz\n" * 1_000_000),
    "a header without an end": lambda f: file_of(f, "a.txt", b"ID Number " + b"SRtng " * 1_700_000),
    "lines of text too short": lambda f: file_of(f, "standard_rating_list.txt", SHORT_HEADER + b"7\n" * 1_900_000),
    "a list of blank lines": lambda f: file_of(f, "standard_rating_list.txt", SHORT_HEADER + b"\n" * 10 * MB),
    "many rows in few bytes": lambda f: file_of(f, "a.parquet", parquet_of(3 * MB)),
    "more rows than bytes": lambda f: file_of(f, "a.parquet", parquet_of(100_000)),
    "lists in lists": lambda f: file_of(f, "a.parquet", nested_parquet()),
    "a long text in every row": lambda f: file_of(f, "a.parquet", long_text(100_000, 50_000)),
    "a text in every row": lambda f: file_of(f, "a.parquet", long_text(150_000, 2_000)),
    "texts that share their beginning": lambda f: file_of(f, "a.parquet", shared_beginnings()),
    "20,000 columns": lambda f: file_of(f, "a.parquet", many_parquet_columns()),
    "a long text in a zip": lambda f: file_of(f, "a.zip", archive_of({"a.parquet": long_text(100_000, 50_000)}, 0)),
    "commas": lambda f: file_of(f, "a.csv", WIDE + (b"7,A,blitz" + b"," * 190 + b"\n") * 50_000),
}

PUBLICATIONS: dict[str, Bomb] = {
    "a table of one value": lambda f: publication_of(f, one_value(30 * MB), 30 * MB),
    "a table of one value, as long as it may be": lambda f: publication_of(f, one_value(MB), MB),
    "a published text in every row": lambda f: publication_of(f, long_text(100_000, 5 * MB // 4), 100_000),
    "a published text that may be": lambda f: publication_of(f, long_text(2_000, MB), 2_000),
    "a manifest of lists": lambda f: file_of(f, "manifest.json", deep_manifest()),
}

TEXTS: dict[str, Bomb] = {
    "arrays in arrays": lambda f: file_of(f, "a.toml", "a=" + "[" * MB),
    "tables in tables": lambda f: file_of(f, "a.toml", "a=" + "{a=" * 300_000),
    "a number without an end": lambda f: file_of(f, "a.toml", "a=" + "9" * MB),
    "many tables": lambda f: file_of(f, "a.toml", "\n".join(f"[a{n}.b.c.d.e.f.g.h]" for n in range(40_000))),
    "a key of many parts": lambda f: file_of(f, "a.toml", "a." * 400_000 + "a = 1"),
    "ten megabytes": lambda f: file_of(f, "a.toml", "#" * 10 * MB),
}


def read_reports(path: Path) -> str:
    """Everything that ``load`` does with a delivery before the store."""
    delivery = discovery.find([path])
    accepted = refused = 0
    problems = len(delivery.problems) + len(delivery.unread)
    for batch in discovery.read_batches(delivery, date(2025, 11, 1), date(2025, 11, 1)):
        read = judge.read(batch.delivered, batch.findings)
        accepted += int(read.reports["accepted"].sum())
        refused += int((~read.reports["accepted"]).sum())
        problems += len(batch.problems) + len(batch.unread)
    return f"{accepted} accepted, {refused} refused, {problems} problems"


def read_list(path: Path) -> str:
    """Everything that ``import-list`` does with a list before the store."""
    return f"{sum(batch.rows.height for batch in list_reader.read(path, month=MONTH, time_control=None))} rows"


def read_publication(path: Path) -> str:
    """Everything that ``verify`` does with the revision of somebody else."""
    verified = verify(path if path.is_dir() else path.parent)
    return "; ".join(difference.description for difference in verified.wrong) or "whole"


def read_text(path: Path) -> str:
    """A TOML text."""
    try:
        return f"{len(strict_toml.parse(path.read_text(encoding='utf-8')))} tables"
    except ValueError as error:
        return str(error)


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it started and that have ended."""
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime for who in WHO)


READERS = {
    **{name: (bomb, read_reports) for name, bomb in REPORTS.items()},
    **{name: (bomb, read_list) for name, bomb in LISTS.items()},
    **{name: (bomb, read_publication) for name, bomb in PUBLICATIONS.items()},
    **{name: (bomb, read_text) for name, bomb in TEXTS.items()},
}


def main() -> None:
    """Read one bomb, named with its path, and print what came of it and what it cost."""
    name, path = sys.argv[1:]
    started = processor_seconds()
    try:
        came = READERS[name][1](Path(path))
    except RatinglistError as error:
        came = f"{type(error).__name__}: {error}"
    memory = sum(resource.getrusage(who).ru_maxrss // 1024 for who in WHO)
    cost = {"came": came[:300], "seconds": round(processor_seconds() - started, 2), "megabytes": memory}
    sys.stdout.write(json.dumps(cost))


if __name__ == "__main__":
    main()
