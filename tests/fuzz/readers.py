"""Every reader of the program, behind one call: some inputs in, how many were accepted out.

A refusal is an answer. Anything else that is raised is a crash.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from ratinglist import office
from ratinglist.corrections import parser
from ratinglist.errors import RatinglistError
from ratinglist.files.durable_files import digest_of
from ratinglist.home import log
from ratinglist.lists import list_reader
from ratinglist.period import Period
from ratinglist.publication import manifest as published_manifest, published_files
from ratinglist.rating import rules
from ratinglist.reports import delivered_tables, discovery, judge
from ratinglist.reports.encoding import decode_report
from ratinglist.tables import DELIVERED, FILE_FINDING
from ratinglist.workflows import sql
from tests.fuzz import seeds
from tests.published_sample import FACTS, NOVEMBER, november, publish_tables

Refusals = (RatinglistError, UnicodeDecodeError)
DAY = date(2025, 11, 1)


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader under test.

    ``share``: inputs of a thousand, fewer where one costs more. ``together``: inputs given to one call of ``read``,
    which says how many were accepted. ``tokens``: tokens of the format.
    """

    name: str
    share: int
    together: int
    seeds: Callable[[], list[bytes]]
    tokens: tuple[bytes, ...]
    read: Callable[[Sequence[bytes]], int]


def _reports(inputs: Sequence[bytes]) -> int:
    decoded = [decode_report(data) for data in inputs]
    rows = [{"file_no": number, "text": report.text, "sha256": str(number)} for number, report in enumerate(decoded, 1)]
    common = {"file_name": "a.trf", "received_on": DAY}
    delivered = pl.DataFrame([{**row, **common} for row in rows], schema=DELIVERED.schema, orient="row")
    noticed = [
        {"file_no": number, **{name: getattr(report, name) for name in ("rule", "line", "column", "value", "detail")}}
        for number, report in enumerate(decoded, 1)
        if report.rule
    ]
    read = judge.read(delivered, pl.DataFrame(noticed, schema=FILE_FINDING.schema, orient="row"))
    return int(read.reports["accepted"].sum())


def _each(read: Callable[[bytes], object]) -> Callable[[Sequence[bytes]], int]:
    """Return a reader that reads one input after the other."""

    def reads(inputs: Sequence[bytes]) -> int:
        accepted = 0
        for data in inputs:
            try:
                accepted += read(data) is not False
            except Refusals:
                continue
        return accepted

    return reads


@cache
def _folder() -> Path:
    in_memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="ratinglist-fuzz-", dir=in_memory if in_memory.is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _file(name: str, data: bytes) -> Path:
    path = _folder() / name
    path.write_bytes(data)
    return path


def _manifest(data: bytes) -> bool:
    read = delivered_tables.read_manifest("north/manifest.csv", data)
    return not read.refusal and not read.problems


def _archive(data: bytes) -> bool:
    delivery = discovery.find([_file("delivery.zip", data)])
    read = [len(batch.delivered) for batch in discovery.read_batches(delivery, DAY, DAY)]
    return bool(sum(read)) and not delivery.unread and not delivery.problems


def _official(name: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        path = _file(name, data)
        if len(data) % 4:
            list(list_reader.read(path, month=Period.parse("2026-10"), time_control=None))
        else:
            list(list_reader.read_players(path, until=DAY))

    return read


def _rule_set(data: bytes) -> object:
    text = data.decode()
    control = next((name for name in ("rapid", "blitz") if f'"{name}"' in text), "standard")
    return rules.parse_rule_set(text, f"fide/{control}/2025-10-01")


@cache
def _session() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    connection.execute("create view lists as select 1 as fide_id, 'A' as name, 1500 as rating, 'ITA' as federation")
    return connection


def _statement(data: bytes) -> bool:
    try:
        statements = _session().extract_statements(data.decode())
        return len(statements) == 1 and sql.reads(_session(), statements[0])
    except duckdb.Error:
        return False


@cache
def _revision() -> Path:
    return publish_tables(_folder() / "published", NOVEMBER, november(), FACTS).folder


@cache
def _own_manifest() -> list[bytes]:
    return [(_revision() / published_manifest.MANIFEST).read_bytes(), *seeds.published_manifests()]


def _redigested(data: bytes, digest: Callable[[dict[str, Any]], str], indent: int | None = None) -> bytes:
    """The same with its digest, and in its form, where it is JSON."""
    try:
        contents = json.loads(data)
        covered = {name: value for name, value in contents.items() if name != "signature"}
        return f"{json.dumps({**contents, 'digest': digest(covered)}, ensure_ascii=False, indent=indent)}\n".encode()
    except (ValueError, TypeError, AttributeError, RecursionError):
        return data


def _published(data: bytes) -> bool:
    """Verify a revision with this manifest."""
    path = _revision() / published_manifest.MANIFEST
    path.chmod(0o644)
    path.write_bytes(_redigested(data, published_manifest.digest_of, indent=2))
    return not published_files.verify(_revision()).wrong


def _entry(data: bytes) -> bool:
    """Read a log of this entry alone."""
    (_folder() / log.LOG).mkdir(exist_ok=True)
    log.path_of(_folder(), 1).write_bytes(_redigested(data, digest_of))
    entry_log, problem = log.read(_folder())
    return bool(entry_log.entries) and not problem


def _index(data: bytes) -> bool:
    try:
        return bool(published_manifest.Index.read(_redigested(data, digest_of, indent=2)).counter)
    except published_manifest.NotAManifestError:
        return False


def _tokens(text: str) -> tuple[bytes, ...]:
    """Split the tokens of a format at the bars between them; every character is one byte."""
    return tuple(word.encode("latin-1") for word in text.split("¦"))


_TRF = _tokens(
    "001¦012 ¦042 ¦052 ¦132¦142 ¦162 ¦192 ¦222 ¦013 ¦310 ¦XXR 9¦BBW 3.0¦0000 - H¦   2 w 1¦   1 b =¦  99 w +¦2024/04/01"
    "¦24.04.01¦45000¦1st May 2024¦GM¦ITA¦5400+30¦40/6000+30:900+30¦W300-B180¦90 min + 30 sec¦Round Robin¦league"
)
_CELLS = _tokens('"¦""¦,,,,,,¦;¦\t¦standard¦rapid¦2026-10¦2400¦fide_id¦list_month¦name')
_TOML = _tokens(
    "[[correction]]¦[¦]¦{¦}¦ = ¦match¦true¦1979-05-27T07:32:00Z¦07:32:00¦0xff¦[[[[[[[[¦a.b.c.d¦land¦article"
)
_ZIP = _tokens("PK\x03\x04¦PK\x01\x02¦PK\x05\x06¦PK\x06\x07¦PK\x06\x06¦\xff\xff\xff\xff¦../")
_TEXT = _tokens("ID Number¦SRtng¦OCT26¦Flag¦B-day¦FI,LSI,IA,SI,FT")
_XML = _tokens(
    "<player>¦</player>¦<name>¦<!DOCTYPE x [<!ENTITY a 'b'>]>¦&a;¦&#x202e;¦<![CDATA[¦<!--¦<?x¦utf-7¦<rapid_rating>"
)
_SQL = _tokens("(¦)¦((((((((¦select ¦ from ¦copy ¦with ¦query('¦pragma ¦attach ¦/*¦--¦$$¦;¦explain analyze ")
_JSON = _tokens('"digest"¦"files"¦{¦}¦null¦1.5¦\\ud800')

_text = _each(_official("standard_rating_list.txt"))
_xml = _each(_official("standard_rating_list.xml"))
_csv = _each(_official("list.csv"))
_table = _each(lambda data: [*list_reader.read_players(_file("players.csv", data), until=DAY)])
_parquet = _each(_official("list.parquet"))
_corrections = _each(lambda data: parser.parse_corrections(data.decode(), "corrections.toml"))
_office = _each(lambda data: office.parse(data.decode()))

READERS = (
    Reader("reports (TRF)", 530, 1000, seeds.reports, _TRF, _reports),
    Reader(
        "manifest.csv",
        120,
        1000,
        partial(seeds.corpus, "manifests"),
        (*_CELLS, b"file", b"../a.trf", b"C:a"),
        _each(_manifest),
    ),
    Reader("archives (ZIP)", 60, 200, seeds.archives, _ZIP, _each(_archive)),
    Reader("lists as text", 8, 100, partial(seeds.corpus, "text_lists"), _TEXT, _text),
    Reader("lists as XML", 30, 100, partial(seeds.corpus, "xml_lists"), _XML, _xml),
    Reader("lists as CSV", 12, 100, partial(seeds.corpus, "csv_lists"), _CELLS, _csv),
    Reader("tables of players", 12, 100, partial(seeds.corpus, "player_tables"), _CELLS, _table),
    Reader("lists as Parquet", 40, 100, seeds.parquet_lists, (b"PAR1", b"\x15\x00", b"\xff" * 4), _parquet),
    Reader("corrections (TOML)", 80, 1000, partial(seeds.corpus, "corrections"), _TOML, _corrections),
    Reader("office.toml", 50, 1000, partial(seeds.corpus, "offices"), _TOML, _office),
    Reader("rule sets (TOML)", 20, 100, seeds.rule_sets, _TOML, _each(_rule_set)),
    Reader("statements (SQL)", 8, 100, partial(seeds.corpus, "statements"), _SQL, _each(_statement)),
    Reader("entries of the log", 20, 100, seeds.entries, _JSON, _each(_entry)),
    Reader("index", 20, 100, seeds.indexes, _JSON, _each(_index)),
    Reader("published manifest", 2, 100, _own_manifest, _JSON, _each(_published)),
)
