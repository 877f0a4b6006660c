"""Read our exports with programs of others, and compare what they read with the published list.

Each program runs with its own code in a process of its own; a script under ``programs/`` calls it and prints the rows
as JSON. ``make test-readers`` installs the libraries into ``.venv-readers``, by locks with digests, and names that
folder in RATINGLIST_READERS; without it only the light readers of the machine run: Ruby, PHP and Perl. What is missing
is skipped, and named.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anyascii import anyascii

from ratinglist.tables import LISTS

PROGRAMS = Path(__file__).parent / "programs"
INSTALLED = Path(os.environ.get("RATINGLIST_READERS") or PROGRAMS / "not-installed")
Row = dict[str, str]

FIDE_NAMES = {
    "fideid": "fide_id",
    "country": "federation",
    "w_title": "women_title",
    "o_title": "other_titles",
    "birthday": "birth_year",
    "rating": "standard_rating",
    "games": "standard_games",
    "k": "standard_k",
}
"""The columns of FIDE's layouts that are named otherwise here."""
_FIGURES = ("rating", "games", "k")


@dataclass(frozen=True, slots=True)
class Reader:
    """A program: its name, how it is run on a file, and what has to be there for that.

    ``command``: the words of the command. ``needs``: paths or programs. ``as_csv``: it converts the file to CSV.
    """

    name: str
    command: Callable[[Path], Sequence[str]]
    needs: tuple[str, ...]
    as_csv: bool = False


def _python(library: str, folder: str = "", name: str = "read_tables.py") -> Callable[[Path], Sequence[str]]:
    def command(file: Path) -> Sequence[str]:
        path = f"PYTHONPATH={INSTALLED / folder if folder else ''}"
        script = str(PROGRAMS / name)
        return ["env", path, str(INSTALLED / "bin" / "python"), script, library, str(file)]

    return command


def _node(library: str) -> Callable[[Path], Sequence[str]]:
    return lambda file: [
        *("env", f"READERS_NODE={INSTALLED / 'node'}", "node", str(PROGRAMS / "read_tables.mjs"), library, str(file))
    ]


def _script(program: str, name: str) -> Callable[[Path], Sequence[str]]:
    return lambda file: [program, str(PROGRAMS / name), str(file)]


_IN_ORDER = (
    "select * from rating_list order by case time_control when 'standard' then 0 when 'rapid' then 1 else 2 end, "
    "rating desc, fide_id"
)
_VENV, _NODE = str(INSTALLED / "bin" / "python"), str(INSTALLED / "node" / "node_modules")
READERS = {
    reader.name: reader
    for reader in (
        Reader("Ruby, SAX (REXML)", _script("ruby", "read_xml.rb"), ("ruby",)),
        Reader("PHP, SAX", _script("php", "read_xml.php"), ("php",)),
        Reader("fast-xml-parser", _node("fast-xml-parser"), ("node", _NODE)),
        Reader("Perl, unpack", _script("perl", "read_text.pl"), ("perl",)),
        Reader("Java, substring", _script("java", "ReadText.java"), ("java",)),
        Reader("Go, slices", lambda file: ["go", "run", str(PROGRAMS / "read_text.go"), str(file)], ("go",)),
        Reader("R, read.fwf", _script("Rscript", "read_text.R"), ("Rscript",)),
        Reader("sqlite3", lambda file: ["sqlite3", "-json", str(file), _IN_ORDER], ("sqlite3",)),
        Reader("sqlite3, .import", lambda file: _imported(file), ("sqlite3",)),
        Reader("pandas 2.1, read_fwf", _python("pandas, text"), (_VENV,)),
        Reader("pandas 2.1, read_csv", _python("pandas, CSV"), (_VENV,)),
        Reader("pandas 2.1, read_sql", _python("pandas, SQL"), (_VENV,)),
        Reader("DuckDB 0.9, read_csv", _python("duckdb, CSV"), (_VENV,)),
        Reader("sql.js", _node("sql.js"), ("node", _NODE)),
        Reader("gacrux", _python("gacrux", name="read_events.py"), (_VENV,)),
        Reader("caissify-pairings", _python("caissify_pairings", name="read_events.py"), (_VENV,)),
        Reader("PapaParse", _node("papaparse"), ("node", _NODE)),
        Reader("SheetJS", _node("xlsx"), ("node", _NODE)),
        Reader("openpyxl", _python("openpyxl"), (_VENV,)),
        Reader("Gnumeric", lambda file: _sheets_converted(file), ("ssconvert",), as_csv=True),
        Reader("LibreOffice", lambda file: _converted(file), ("soffice", str(INSTALLED)), as_csv=True),
        Reader("DuckDB 0.9", _python("duckdb"), (_VENV,)),
        Reader("DuckDB 1.0", _python("duckdb", "duckdb-1"), (_VENV, str(INSTALLED / "duckdb-1"))),
        Reader("Polars 0.20", _python("polars"), (_VENV,)),
        Reader("pyarrow 14", _python("pyarrow"), (_VENV,)),
        Reader("hyparquet", _node("hyparquet"), ("node", _NODE)),
    )
}
"""Every program by its name."""


def _imported(file: Path) -> Sequence[str]:
    """Return the command that imports a table of text into SQLite and prints it."""
    separator = ";" if ";" in file.read_text(encoding="utf-8-sig").split("\n", 1)[0] else ","
    orders = (".mode csv", f".separator {separator}", f".import '{file}' list", ".mode json", "select * from list")
    return ["sqlite3", ":memory:", *orders]


def missing(reader: Reader) -> str:
    """Return what the reader needs and the machine does not have; empty where nothing is missing."""
    absent = [
        need for need in reader.needs if not (Path(need).exists() if os.sep in need else shutil.which(need) is not None)
    ]
    reasons = ["make test-readers installs it" if os.sep in need else f"no {need} here" for need in absent]
    return ", ".join(dict.fromkeys(reasons))


def read(reader: Reader, file: Path) -> list[dict[str, object]]:
    """Return the rows of a file as a program reads them."""
    done = subprocess.run([*reader.command(file)], capture_output=True, text=True, check=False, timeout=180)
    if done.returncode:
        raise AssertionError(f"{reader.name} stopped at {file.name}: {done.stderr[-800:]}")
    if reader.as_csv:
        head, *lines = csv.reader(done.stdout.splitlines())
        # Every sheet of a workbook has its heading.
        return [dict(zip(head, line, strict=True)) for line in lines if line != head]
    return json.loads(done.stdout)


def _sheets_converted(file: Path) -> Sequence[str]:
    """Return the command that lets Gnumeric convert every sheet of a workbook to CSV and prints them in their order."""
    into = 'folder=$(mktemp -d) && ssconvert -S -T Gnumeric_stf:stf_csv "$1" "$folder/sheet" 2>/dev/null'
    return ["sh", "-c", f'{into} && cat "$folder"/sheet.*; status=$?; rm -r "$folder"; exit $status', "sh", str(file)]


def _converted(file: Path) -> Sequence[str]:
    """Return the command that converts every sheet of a file to CSV in UTF-8 and prints it."""
    separator = 59 if file.suffix == ".csv" and b";" in file.read_bytes().split(b"\r\n", 1)[0] else 44
    folder = tempfile.mkdtemp()
    # Separator, quotation mark, UTF-8, first line; behind them: texts as they are, numbers found.
    into = f"{separator},34,76,1,,0,false,true,false" if file.suffix == ".csv" else ""
    infilter = [f"--infilter=CSV:{into}"] if into else []
    command = [
        *("soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", *infilter, "--convert-to"),
        *(
            "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1",
            "--outdir",
            folder,
            str(file),
        ),
    ]
    quoted = " ".join(f"'{word}'" for word in command)
    order = [f"*-{name}*.csv" for name in LISTS] if file.suffix == ".xlsx" else ["*.csv"]
    printed = " ".join(f"'{folder}'/{pattern}" for pattern in order)
    return ["sh", "-c", f"{quoted} >/dev/null && cat {printed}; status=$?; rm -r '{folder}'; exit $status"]


def wrong(reader: Reader, file: Path, expected: Sequence[Row], names: Mapping[str, str]) -> list[str]:
    """Compare what a program reads with the rows that are expected, in their order; return the differences.

    ``names``: the names here of the columns that the file names otherwise. All fields of ``expected`` are compared, as
    text; a number with a fraction of zero is the integer.
    """
    rows = [{names.get(name, name): _text(cell) for name, cell in row.items()} for row in read(reader, file)]
    return [f"{len(rows)} rows for {len(expected)}"] * (len(rows) != len(expected)) + [
        f"row {at}, {name}: {row.get(name)!r} for {value!r}"
        for at, (row, right) in enumerate(zip(rows, expected, strict=False), 1)
        for name, value in right.items()
        if row.get(name) != value
    ]


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


# ------------------------------------------------------------------------------------------- what has to be read


def of_fide(
    lists: Mapping[str, Sequence[Mapping[str, object]]], *, unknown_year: str, name_length: int | None
) -> list[Row]:
    """Return the players of all lists as FIDE's combined list has them, by name and FIDE ID.

    In: the rows of each published list by time control; what an unknown year is; the characters of a name that are
    kept, None: all.
    """
    players: dict[int, Row] = {}
    for rows in lists.values():
        for row in rows:
            players.setdefault(int(str(row["fide_id"])), _person(row, unknown_year, name_length))
    for name in LISTS:
        of_list = {row["fide_id"]: row for row in lists.get(name, ())}
        for fide_id, player in players.items():
            own = of_list.get(fide_id, {})
            player |= {f"{name}_{part}": str(own.get(part, 0)) for part in _FIGURES}
    return sorted(players.values(), key=lambda row: (row["name"], int(row["fide_id"])))


def _person(row: Mapping[str, object], unknown_year: str, name_length: int | None) -> Row:
    title, of_women = str(row["title"]), str(row["women_title"])
    return {
        "fide_id": str(row["fide_id"]),
        "name": anyascii(str(row["name"]))[:name_length].strip(),
        **{name: str(row[name]) for name in ("federation", "sex", "other_titles", "flag")},
        "title": title or of_women,
        "women_title": of_women or (title if title.startswith("W") else ""),
        "birth_year": str(row["birth_year"] or unknown_year),
    }


def of_tables(lists: Mapping[str, Sequence[Mapping[str, object]]]) -> list[Row]:
    """Return the rows of all lists in the published order, every published column as text."""
    return [{name: _text(cell) for name, cell in row.items()} for rows in lists.values() for row in rows]
