"""Small valid files of every kind the program reads, made by the program and its tests; a mutant starts from one."""

from __future__ import annotations

import io
import zipfile
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist.home.log import Log
from ratinglist.publication import manifest
from ratinglist.publication.manifest import Index
from ratinglist.tables import LISTED
from tests.hostile.bombs import archive_of
from tests.published_sample import ANNA, BRUNO, NOVEMBER, listed, rows
from tests.trf_text import CELLS, HEAD, players, report

ROOT = Path(__file__).resolve().parents[2]


def reports() -> list[bytes]:
    """Reports: the small event in both formats, every broken report, and the smallest of the sample."""
    newer = (*HEAD, "142 3", "192 FIDE_DUTCH_2025", "222 90/5400+30:900+30", "162 W 1.0 D 0.5", "013 Team One   1   2")
    national = "ITA    1 m FM Alder, Jon                         1800 ITA     900001 1990/05/17"
    byes = (("0000 - U", *CELLS[0][1:]), ("0000 - H", *CELLS[1][1:]), *CELLS[2:])
    sound_reports = [report(), report(head=newer), report([*players(), national]), report(players(byes))]
    broken = sorted((ROOT / "tests" / "unit" / "broken").glob("*.trf"))
    sample = sorted((ROOT / "data" / "sample" / "reports").rglob("*.trf"), key=lambda path: path.stat().st_size)
    # Sound reports are repeated, because a mutant of a sound report reaches more code than one of a broken report.
    return [
        *(text.encode() for text in sound_reports),
        *(path.read_bytes() for path in [*broken, *sample[:6], *sample[:12]]),
    ]


def corpus(kind: str) -> list[bytes]:
    """The files of ``corpus/KIND``: every column, few columns, other separators, encodings and alphabets."""
    return [path.read_bytes() for path in sorted((Path(__file__).parent / "corpus" / kind).iterdir())]


def archives() -> list[bytes]:
    """Archives of reports: packed and not, with a manifest, a folder, and one inside another."""
    small = report(head=HEAD[:5]).encode()
    members = {"a.trf": small, "north/b.trf": small + b"\n", "manifest.csv": corpus("manifests")[0]}
    inner = archive_of({"a.trf": small})
    return [
        archive_of(members),
        archive_of(members, zipfile.ZIP_STORED),
        archive_of({"inner.zip": inner, "x/": b"", "c.trf": small}),
        archive_of({"a.trf": small}, zipfile.ZIP_BZIP2),
    ]


def parquet_lists() -> list[bytes]:
    """Lists as Parquet: texts, numbers and dates, packed in three ways, with a nested and a binary column."""
    csv = corpus("csv_lists")[0]
    frame, texts = (
        pl.read_csv(csv, infer_schema_length=None, try_parse_dates=True),
        pl.read_csv(csv, infer_schema=False),
    )
    nested = frame.with_columns(flag=pl.concat_list("sex"), k=pl.lit(b"\xff"))
    many = pl.DataFrame({"fide_id": range(1, 400), "name": "A", "time_control": "blitz"})
    written = []
    for rows_of, method in ((frame, "zstd"), (texts, "uncompressed"), (nested, "snappy"), (many, "gzip")):
        content = io.BytesIO()
        rows_of.write_parquet(content, compression=method, row_group_size=100)
        written.append(content.getvalue())
    return written


def rule_sets() -> list[bytes]:
    """The rule sets of the program, one of each time control."""
    folder = ROOT / "data" / "rules" / "fide"
    return [max((folder / control).glob("*.toml")).read_bytes() for control in ("standard", "rapid", "blitz")]


def published_manifests() -> list[bytes]:
    """The manifest of a published revision."""
    table = rows(LISTED, listed(NOVEMBER, "standard", ANNA, 1822), listed(NOVEMBER, "standard", BRUNO, 1500))
    entry = {"sha256": "0a" * 32, "bytes": table.height, "rows": 2}
    facts = {"family": "fide", "inputs": ["0a" * 32], "made_on": str(date(2025, 11, 1))}
    return [manifest.encode(NOVEMBER, 1, facts, {"standard.csv": entry, "changes.parquet": entry})]


DIGEST = "0a" * 32
CHANGES: list[tuple[str, dict[str, object]]] = [
    (
        "import-list",
        {
            "file": "list.csv",
            "sha256": DIGEST,
            "month": "2025-08",
            "time_control": None,
            "family": "fide",
        },
    ),
    ("load", {"received_on": "2025-10-20", "delivery": DIGEST, "reports": 7, "readings": 3}),
    ("correct", {"file": "a.toml", "sha256": DIGEST, "files": [], "rows": DIGEST, "numbers": [1]}),
    (
        "calculate",
        {
            "month": "2025-11",
            "calculation": 1,
            "calculation_id": DIGEST,
            "before_id": "",
            "family": "fide",
            "rule_sets": [{"name": "fide/standard/2025-10-01", "sha256": DIGEST}],
            "one_time_step": "",
            "lists": ["standard"],
            "written": {"private/state.parquet": {"sha256": DIGEST, "bytes": 1, "rows": 1}},
            "rated_from": "2025-11",
        },
    ),
    (
        "publish",
        {
            "answers": [
                {"month": "2025-11", "question": "fewer_players", "found_digest": DIGEST, "reason": "a merger"}
            ],
            "placed": {"2025-11/r1/manifest.json": DIGEST, "2025-11/latest": DIGEST, "index.json": DIGEST},
            "signers": {"2025-11/r1": {"key": DIGEST, "signature": "x"}},
            "published": [{"month": "2025-11", "revision": 1, "manifest": DIGEST}],
            "index": {
                "office": "Orvania",
                "counter": 1,
                "before": "",
                "digest": DIGEST,
                "signed_by": DIGEST,
                "signature": "x",
            },
        },
    ),
    (
        "rollback",
        {
            "month": "2025-11",
            "from_revision": 2,
            "to_revision": 0,
            "from_digest": DIGEST,
            "to_digest": "",
            "reason": "K was wrong",
            "who": "Rossi",
            "placed": {"2025-11/rollbacks.csv": DIGEST},
        },
    ),
    ("preview", {"previews": [{"month": "2025-11", "revision": 1, "calculation_id": DIGEST, "manifest": DIGEST}]}),
    ("approve", {"approvals": [{"month": "2025-11", "digest": DIGEST, "name": "Rossi"}]}),
    ("dismiss", {"report_id": DIGEST, "reason": "never played"}),
    ("retract", {"entry_retracted": 1, "reason": "the wrong file"}),
]


def entries() -> list[bytes]:
    """The first entry of a log, of every kind but those that have the keys of another."""
    log = Log(Path("home"), "Rossi", is_written=False)
    return [log.next(kind, date(2025, 11, 1), facts).encode() for kind, facts in CHANGES]


def indexes() -> list[bytes]:
    """The index of an office that signs."""
    published = {"2025-11/r1": DIGEST, "2025-11/latest": "r1", "events.parquet": DIGEST}
    return [Index("Orvania", 1, "2025-11-01", "", DIGEST, published, {"2025-11/r1": DIGEST}, "x").encode()]
