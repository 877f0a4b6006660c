"""Small valid files of every kind the program reads, made by the program and its tests; a mutant starts from one."""

from __future__ import annotations

import io
import zipfile
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist.home.log import Log
from ratinglist.publication import manifest
from ratinglist.publication.manifest import Index, KeyUse
from ratinglist.tables import LISTED
from tests.published_sample import ANNA, BRUNO, NOVEMBER, listed, rows
from tests.trf_text import CELLS, HEAD, players, report

ROOT = Path(__file__).resolve().parents[2]


def reports() -> list[bytes]:
    """Reports: the small event in both formats, every broken report, and the smallest of the sample."""
    newer = (*HEAD, "142 3", "192 FIDE_DUTCH_2025", "222 90/5400+30:900+30", "162 W 1.0 D 0.5", "013 Team One   1   2")
    national = "ITA    1 m FM Alder, Jon                         1800 ITA     900001 1990/05/17"
    byes = (("0000 - U", *CELLS[0][1:]), ("0000 - H", *CELLS[1][1:]), *CELLS[2:])
    made = [report(), report(head=newer), report([*players(), national]), report(players(byes))]
    broken = sorted((ROOT / "tests" / "unit" / "broken").glob("*.trf"))
    sample = sorted((ROOT / "data" / "sample" / "reports").rglob("*.trf"), key=lambda path: path.stat().st_size)
    # Sound reports are repeated, because a mutant of a sound report reaches more code than one of a broken report.
    return [*(text.encode() for text in made), *(path.read_bytes() for path in [*broken, *sample[:6], *sample[:12]])]


def manifests() -> list[bytes]:
    """Manifests with every column, with few, and with the other separator."""
    full = (
        "file,event_id,version,received_on,event_type,time_control,official,federation,start_date,end_date,"
        "registered_on,minutes_per_60_moves\n"
        "a.trf,A1,1,2025-10-01,swiss,standard,0,ITA,2025-09-01,2025-09-05,2025-08-01,120\n"
        'north/b.trf,"B 2",2,,team,rapid,1,fra,,,,\n'
    )
    return [full.encode(), b"file;version;note\r\nx/a.trf;3;a remark\r\n\r\nb.trf;;\r\n", b"\xef\xbb\xbffile\na.trf\n"]


def archives() -> list[bytes]:
    """Archives of reports: packed and not, with a manifest, a folder, a remark, and one inside another."""

    def packed(members: dict[str, bytes], method: int, remark: bytes = b"") -> bytes:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", method) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
            archive.comment = remark
        return content.getvalue()

    small = report(head=HEAD[:5]).encode()
    members = {"a.trf": small, "north/b.trf": small + b"\n", "manifest.csv": manifests()[0]}
    inner = packed({"a.trf": small}, zipfile.ZIP_DEFLATED)
    return [
        packed(members, zipfile.ZIP_DEFLATED),
        packed(members, zipfile.ZIP_STORED, b"of October"),
        packed({"inner.zip": inner, "x/": b"", "c.trf": small}, zipfile.ZIP_DEFLATED),
        packed({"a.trf": small}, zipfile.ZIP_BZIP2),
    ]


_PERSON = (("ID Number", 15), ("Name", 61), ("Fed", 4), ("Sex", 4), ("Tit", 5), ("WTit", 5), ("OTit", 15), ("FOA", 4))
_THREE = (("SRtng", 6), ("SGm", 4), ("SK", 3), ("RRtng", 6), ("RGm", 4), ("Rk", 3), ("BRtng", 6), ("BGm", 4), ("BK", 3))
_ONE = (("OCT26", 6), ("Gms", 4), ("K", 3))
_LAST = (("B-day", 6), ("Flag", 4))


def text_lists() -> list[bytes]:
    """Lists in FIDE's fixed columns: of three time controls, and of one."""

    def written(layout: tuple[tuple[str, int], ...], numbers: tuple[str, ...]) -> bytes:
        def line(cells: tuple[str, ...]) -> str:
            return "".join(cell.ljust(width) for cell, (_, width) in zip(cells, layout, strict=True)) + "\r\n"

        people = (
            ("700001", "Prova, Anna", "ITA", "F", "WIM", "WIM", "FI,LSI", "AFM", *numbers, "1990", "w"),
            ("700002", "Prova, Bruno", "FRA", "M", "", "", "", "", *numbers, "0000", ""),
            ("700003", "Prova, Carla", "FRA", "F", "", "", "IA,FT,SI,FI,LSI", "", *numbers, "2001", "wi"),
        )
        return "".join(line(cells) for cells in (tuple(name for name, _ in layout), *people)).encode()

    three = written((*_PERSON, *_THREE, *_LAST), ("1822", "7", "20", "1801", "0", "20", "0", "0", "0"))
    return [three, written((*_PERSON, *_ONE, *_LAST), ("1822", "7", "20"))]


def xml_lists() -> list[bytes]:
    """Lists as XML: of three time controls, and of one."""
    person = (
        "<fideid>{id}</fideid><name>{name}</name><country>ITA</country><sex>F</sex><title>WIM</title>"
        "<w_title>WIM</w_title><o_title>FI,LSI</o_title><foa_title></foa_title><rating>1822</rating>"
        "<games>7</games><k>20</k>{more}<birthday>1990</birthday><flag>w</flag>"
    )
    rapid = "<rapid_rating>1801</rapid_rating><rapid_games>0</rapid_games><rapid_k>20</rapid_k>"
    three = f"{rapid}<blitz_rating></blitz_rating>"

    def written(more: str, encoding: str) -> bytes:
        people = "".join(
            f"<player>\n{person.format(id=700000 + number, name=f'Prova, {name} &amp; &#233;', more=more)}\n</player>\n"
            for number, name in enumerate(("Anna", "Bruno", "Carla"))
        )
        return f'<?xml version="1.0" encoding="{encoding}"?>\n<playerslist>\n{people}</playerslist>\n'.encode(encoding)

    return [written(three, "utf-8"), written("", "iso-8859-1")]


CSV = (
    "fide_id,name,federation,sex,title,women_title,other_titles,birth_date,birth_year,time_control,rating,k,"
    "games_played,reached_2400,reached_2300,last_played,flag\n"
    '700001,"Prova, Anna",ITA,F,WIM,WIM,"FI,LSI",1990-04-05,1990,standard,1822,20,35,0,0,2026-08-01,w\n'
    '700001,"Prova, Anna",ITA,F,WIM,WIM,"FI,LSI",1990-04-05,1990,rapid,,,,,,,w\n'
    '700002,"Bassi, Bruno ""Bobo""",FRA,M,,,,,1980,blitz,1500,40,7,0,0,,\n'
)


def csv_lists() -> list[bytes]:
    """Lists as CSV: with every column, with few, and with semicolons."""
    return [
        CSV.encode(),
        b"fide_id,name\n7,A\n8,B\n",
        b"fide_id;name;rating;time_control;list_month\r\n7;A, B;1500;blitz;2026-10\r\n",
    ]


def player_tables() -> list[bytes]:
    """Tables of players: below lines of text, with short lines, with names in parts, and in other alphabets."""
    return [
        b"Open\r\n\r\nNo.;;Name;FideID;FED;sex;Birth\r\n1;GM;Prova, Anna;100011;ITA;w;03.05.1980\r\n2;;B\r\n",
        b"FIDE-nummer,Voornaam,Tussenvoegsel,Achternaam,Geboren\n100011,Jan,van der,Berg,5/3/1990\n",
        "ФИДЕ id\tФамилия\tИмя\tДата рождения\n100011\tПроба\tАнна\t32996\n".encode(),
    ]


def parquet_lists() -> list[bytes]:
    """Lists as Parquet: texts, numbers and dates, packed in three ways, with a nested and a binary column."""
    frame = pl.read_csv(CSV.encode(), infer_schema_length=None, try_parse_dates=True)
    texts = pl.read_csv(CSV.encode(), infer_schema=False)
    nested = frame.with_columns(flag=pl.concat_list("sex"), k=pl.lit(b"\xff"))
    many = pl.DataFrame({"fide_id": range(1, 400), "name": "A", "time_control": "blitz"})
    written = []
    for rows_of, method in ((frame, "zstd"), (texts, "uncompressed"), (nested, "snappy"), (many, "gzip")):
        content = io.BytesIO()
        rows_of.write_parquet(content, compression=method, row_group_size=100)
        written.append(content.getvalue())
    return written


def corrections() -> list[bytes]:
    """A corrections file with every action."""
    account = 'reason = "score sheets compared"\nwho = "chief arbiter"\nreported_on = 2025-11-03\n'
    cells = {
        "replace_report": 'match = { event_id = "A" }\nfile = "new.trf"',
        "withdraw_event": 'match = { event_id = "A" }',
        "change_result": 'match = { event_id = "A", round = 3, white = 990001, black = 990002 }\nresult = "0-1"',
        "change_player": 'match = { event_id = "A", fide_id = 990001 }\nfide_id = 990002',
        "change_data": 'match = { fide_id = 990001 }\nname = "Prova, Anna"\nbirth_date = 1990-04-05',
        "merge": "match = { fide_id = 990001 }\ninto = 990002",
        "undo": "match = { correction = 1 }",
    }
    each = [f'[[correction]]\naction = "{action}"\n{cell}\n{account}\n' for action, cell in cells.items()]
    return [one.encode() for one in [*each, "".join(each)]]


def offices() -> list[bytes]:
    """An ``office.toml``."""
    return [b'[corrections]\nland = "revisions"\n', b""]


def rule_sets() -> list[bytes]:
    """The rule sets of the program, one of each time control."""
    folder = ROOT / "data" / "rules" / "fide"
    return [max((folder / control).glob("*.toml")).read_bytes() for control in ("standard", "rapid", "blitz")]


STATEMENTS = (
    "select name, rating from lists where list_month = newest_list() order by rating desc limit 10",
    "from games select count(*) filter (where rated) as games, event_id group by all having games > 1",
    "with best as (select max(rating) as top from lists group by federation) select * from best union all select 1",
    "pivot lists on time_control using avg(rating) group by federation",
    "explain analyze select * from read_parquet('x.parquet')",
    "select * from (values (1, 'a'), (2, 'b')) as t(x, y) join lists on fide_id = x where y like '%a'",
    "copy (select 1) to 'x.csv'",
    "select unnest([1, 2, 3]), {'a': 1}.a, list_transform([1], lambda x: x + 1), x -> 1 from range(10) as r(x)",
    "summarize lists",
)


def statements() -> list[bytes]:
    """SQL statements of analysts, allowed and not."""
    return [text.encode() for text in STATEMENTS]


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
    ("correct", {"file": "a.toml", "sha256": DIGEST, "files": [], "rows": DIGEST, "first_months": ["2025-11"]}),
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
    ("approve", {"approvals": [{"month": "2025-11", "digest": DIGEST, "name": "Rossi", "remark": ""}]}),
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
    keys = (KeyUse(DIGEST, 1, "2025-11-01"),)
    return [Index("Orvania", 1, "2025-11-01", "", DIGEST, keys, published, {"2025-11/r1": DIGEST}, "x").encode()]
