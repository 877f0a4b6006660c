"""Small files that are expensive to read: each is at most some 10 MB and made to cost a reader time or memory.

``python -m tests.hostile.bombs FOLDER`` lets the readers at all of them, one after the other, in a process of its own,
and prints a JSON line for each: what came of it, CPU seconds, and the most memory the process ever had.
"""

from __future__ import annotations

import hashlib
import io
import json
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
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


def reports_of(number: int, text: Callable[[], str]) -> Bomb:
    """Return ``number`` reports of this text, no two with the same bytes."""

    def made(folder: Path) -> Path:
        same = text()
        for one in range(number):
            (folder / f"{one}.trf").write_text(f"### {one}\n{same}", encoding="utf-8")
        return folder

    return made


def file_of(name: str, content: Callable[[], bytes]) -> Bomb:
    """One file."""

    def made(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content())
        return path

    return made


def archive_of(members: Callable[[], dict[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> Callable[[], bytes]:
    """A zip archive."""

    def made() -> bytes:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", method) as archive:
            for name, data in members().items():
                archive.writestr(name, data)
        return content.getvalue()

    return made


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


def publication_of(content: Callable[[], bytes], rows: int) -> Bomb:
    """A revision whose manifest is in order, with this file for its list of standard chess."""

    def made(folder: Path) -> Path:
        data = content()
        sha256 = hashlib.sha256(data).hexdigest()
        entry = {"sha256": sha256, "bytes": len(data), "rows": rows, "logical_sha256": sha256}
        (folder / "standard.parquet").write_bytes(data)
        (folder / "manifest.json").write_bytes(manifest.encode(MONTH, 1, {}, {"standard.parquet": entry}))
        return folder

    return made


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
    "lines without anything": file_of("a.trf", lambda: b"001 " + b"\n" * 8_000_000),
    "many lines in many reports": reports_of(33, lambda: report() + "012 x\n" * 49_000),
    "damaged lines and one of 200 rounds": reports_of(90, lambda: report([LONG, DAMAGED])),
    "one start number for all players": reports_of(90, lambda: report([LONG, "001    1\t\n" * 9_990])),
    "a line without an end": file_of("a.trf", lambda: b"012 " + b"A" * 8_000_000),
    "a long first line said again": reports_of(30, lambda: report(head=("012 " + "x" * 9_000, *["012 y"] * 45_000))),
    "4,000 players over 200 rounds": reports_of(1, lambda: report([crowd()])[: 8 * MB]),
    "dates of rounds without an end": reports_of(1_000, lambda: "132 " + "24/04/01  " * 990 + "\n" + report()),
    "accents upon accents": reports_of(10, lambda: report(head=("012 " + "a" + "\u0315\u0300" * 4_000,) * 40)),
    "unknown codes, all different": reports_of(20, lambda: "\n".join(f"Q{n:05d}"[:3] + f" {n}" for n in range(45_000))),
    "entries that share their bytes": file_of("a.zip", lambda: one_kernel(73)),
    "a size that lies, deflated": file_of("a.zip", lambda: lying_size(zipfile.ZIP_DEFLATED)),
    "a size that lies, by bzip2": file_of("a.zip", lambda: lying_size(zipfile.ZIP_BZIP2)),
    "a size that lies, by lzma": file_of("a.zip", lambda: lying_size(zipfile.ZIP_LZMA)),
    "many manifests": file_of("a.zip", archive_of(many_manifests)),
    "a manifest of one report": file_of("manifest.csv", lambda: b"file\n" + b"a.trf\n" * 1_200_000),
    "a manifest of columns": file_of("manifest.csv", lambda: b",".join(b"c%d" % n for n in range(900_000))),
    "a manifest of one cell": file_of("manifest.csv", lambda: b'file\n"' + b"a" * 8_000_000),
    "a manifest of accents": file_of("manifest.csv", lambda: b"file\n" + "\u0315\u0300".encode() * 30_000 + b"\n"),
    "a manifest of cells too many": file_of("manifest.csv", lambda: b"file\n" + b"a," * 4_000_000),
}

WIDE = b"fide_id,name,time_control," + b",".join(b"c%d" % n for n in range(190)) + b"\n"
SHORT_HEADER = b"ID Number      Name      OCT26 B-day Flag\n"

LISTS: dict[str, Bomb] = {
    "a billion laughs": file_of("a.xml", laughs),
    "elements in elements": file_of("a.xml", lambda: player_of(b"<a>" * 3_000_000)),
    "a text without an end": file_of("a.xml", lambda: player_of(b"<name>" + b"a" * 10 * MB)),
    "lines without an end in a text": file_of("a.xml", lambda: player_of(b"<name>" + b"a&#10;" * 1_600_000)),
    "an attribute without an end": file_of("a.xml", lambda: player_of(b'<name a="' + b"a" * 10 * MB)),
    "a remark without an end": file_of("a.xml", lambda: player_of(b"<!--" + b"a" * 10 * MB)),
    "many attributes": file_of(
        "a.xml", lambda: player_of(b"<name " + b" ".join(b"a%d=''" % n for n in range(800_000)))
    ),
    "many kinds of element": file_of("a.xml", lambda: player_of(b"".join(b"<a%d/>" % n for n in range(900_000)))),
    "many columns": file_of("a.csv", lambda: b"fide_id,name," + b",".join(b"c%d" % n for n in range(1_000_000))),
    "one quoted cell": file_of("a.csv", lambda: b'fide_id,name\n7,"' + b"a" * 10 * MB),
    "one quoted cell of many lines": file_of("a.csv", lambda: b'fide_id,name\n7,"' + b"a\n" * 5_000_000),
    "the same player again": file_of("a.csv", lambda: b"fide_id,name,time_control\n" + b"7,A,blitz\n" * 1_000_000),
    "a header without an end": file_of("a.txt", lambda: b"ID Number " + b"SRtng " * 1_700_000),
    "lines of text too short": file_of("standard_rating_list.txt", lambda: SHORT_HEADER + b"7\n" * 1_900_000),
    "a list of blank lines": file_of("standard_rating_list.txt", lambda: SHORT_HEADER + b"\n" * 10 * MB),
    "many rows in few bytes": file_of("a.parquet", lambda: parquet_of(3 * MB)),
    "more rows than bytes": file_of("a.parquet", lambda: parquet_of(100_000)),
    "lists in lists": file_of("a.parquet", nested_parquet),
    "a long text in every row": file_of("a.parquet", lambda: long_text(100_000, 50_000)),
    "a text in every row": file_of("a.parquet", lambda: long_text(150_000, 2_000)),
    "texts that share their beginning": file_of("a.parquet", shared_beginnings),
    "20,000 columns": file_of("a.parquet", many_parquet_columns),
    "a long text in a zip": file_of("a.zip", archive_of(lambda: {"a.parquet": long_text(100_000, 50_000)}, 0)),
    "commas": file_of("a.csv", lambda: WIDE + (b"7,A,blitz" + b"," * 190 + b"\n") * 50_000),
}

PUBLICATIONS: dict[str, Bomb] = {
    "a table of one value": publication_of(lambda: one_value(30 * MB), 30 * MB),
    "a table of one value, as long as it may be": publication_of(lambda: one_value(MB), MB),
    "a published text in every row": publication_of(lambda: long_text(100_000, 5 * MB // 4), 100_000),
    "a published text that may be": publication_of(lambda: long_text(2_000, MB), 2_000),
    "a manifest of lists": file_of("manifest.json", deep_manifest),
}

TEXTS: dict[str, Callable[[], str]] = {
    "arrays in arrays": lambda: "a=" + "[" * MB,
    "tables in tables": lambda: "a=" + "{a=" * 300_000,
    "a key of many parts": lambda: "a." * 500_000 + "a=1",
    "a quoted key of many parts": lambda: '"a".' * 250_000 + "a=1",
    "a number without an end": lambda: "a=" + "9" * MB,
    "many tables": lambda: "\n".join(f"[a{n}.b.c.d.e.f.g.h]" for n in range(40_000)),
    "ten megabytes": lambda: "#" * 10 * MB,
}


def read_reports(path: Path) -> str:
    """Everything that ``load`` does with a delivery before the store."""
    found = discovery.find([path])
    accepted = refused = 0
    problems = len(found.problems) + len(found.unread)
    for batch in discovery.read_batches(found, date(2025, 11, 1), date(2025, 11, 1)):
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
    found = verify(path if path.is_dir() else path.parent)
    return "; ".join(one.description for one in found.wrong) or "whole"


def read_text(text: str) -> str:
    """A TOML text."""
    try:
        return f"{len(strict_toml.parse(text))} tables"
    except ValueError as error:
        return str(error)


def measured(name: str, read: Callable[[], str]) -> dict[str, object]:
    """Return the result and the cost of one bomb: of this process, and of one that it started to read it."""
    started = processor_seconds()
    try:
        came = read()
    except RatinglistError as error:
        came = f"{type(error).__name__}: {error}"
    memory = sum(resource.getrusage(who).ru_maxrss // 1024 for who in WHO)
    cost = round(processor_seconds() - started, 2)
    return {"name": name, "came": came[:300], "seconds": cost, "megabytes": memory}


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it started and that have ended."""
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime for who in WHO)


READERS = {
    **{name: (bomb, read_reports) for name, bomb in REPORTS.items()},
    **{name: (bomb, read_list) for name, bomb in LISTS.items()},
    **{name: (bomb, read_publication) for name, bomb in PUBLICATIONS.items()},
}


def say(line: object) -> None:
    """Print a line at once: the processes of this module share standard output."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Read all bombs, or those named after the folder, and print a JSON line for each; each file is deleted again.

    With ``made`` or ``read`` before one name: make its file and print where, or read the file named after it.
    """
    folder, *only = sys.argv[1:]
    if only[:1] == ["made"]:
        say(READERS[only[1]][0](Path(folder)))
    elif only[:1] == ["read"]:
        name, path = only[1:]
        say(json.dumps(measured(name, lambda: READERS[name][1](Path(path)))))
    else:
        for name in only or [*READERS, *TEXTS]:
            if name in TEXTS:
                text = TEXTS[name]()
                say(json.dumps(measured(name, lambda text=text: read_text(text))))
                continue
            # To make a file may take more memory than to read it.
            command = [sys.executable, "-m", "tests.hostile.bombs"]
            with tempfile.TemporaryDirectory(dir=folder) as own:
                made = subprocess.run([*command, own, "made", name], check=True, capture_output=True, text=True)
                subprocess.run([*command, own, "read", name, made.stdout.strip()], check=True)


if __name__ == "__main__":
    main()
