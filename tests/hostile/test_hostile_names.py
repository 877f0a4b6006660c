"""Names that are SQL, a formula, HTML, a path or a pattern, followed from the report to every output.

One small office: its list, a delivery with a manifest, a refused report, a correction. Wherever a name comes out it is
the name that went in, and nothing it says was done.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from flows.refused import refused_as_markdown
from ratinglist.cli.main import main, program
from ratinglist.pages.document import cell, paragraph
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.summaries import MonthSummary, PreviewSummary
from ratinglist.workflows import correct, import_files, rerate, run, sql
from tests.trf_text import HEAD, players, report

pytestmark = pytest.mark.asks_only()

NAMES = (
    "Robert'); drop table player; --",
    '=cmd|"/C calc"!A0, <script>x</script>',
    "{value} {0.__class__} %s %n $1 ${x}",
    "[a](javascript:x) ../../etc/passwd",
)
EVENT = "Open'); delete from report; --"
NAME_OF_EVENT = "<img src=x> {detail} | `x` $id"
MAY = Period.parse("2024-05")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An office that has rated, published and corrected a month of such names."""
    folder = tmp_path_factory.mktemp("hostile")
    settings = Settings(home=folder / "it's a home", family="fide", today=date(2024, 4, 10))
    people = pl.DataFrame({"fide_id": [900001 + number for number in range(4)], "name": NAMES, "federation": "ITA"})
    rated = people.with_columns(time_control=pl.lit("standard"), rating=1800, k=20, games_played=30)
    rated.write_csv(folder / "list.csv")
    import_files.import_list(settings, folder / "list.csv", MAY - 1)

    inbox = folder / "in'box; --"
    inbox.mkdir()
    lines = [line[:14] + name[:33].ljust(33) + line[47:] for line, name in zip(players(), NAMES, strict=True)]
    head = (f"012 {NAME_OF_EVENT}", *HEAD[1:])
    (inbox / "a'b.trf").write_text(report(lines, head), encoding="utf-8")
    wrong = [lines[0][:99] + "'" + lines[0][100:], *lines[1:]]
    (inbox / "{value}.trf").write_text(report(wrong, head), encoding="utf-8")
    codes = f"file,event_id\na'b.trf,{EVENT}\n{{value}}.trf,REFUSED\n"
    (inbox / "manifest.csv").write_text(codes, encoding="utf-8")
    run.run(replace(settings, today=date(2024, 4, 30)), MAY, [inbox], date(2024, 4, 10))

    text = (
        f"[[correction]]\naction = 'change_result'\n"
        f'match = {{ event_id = "{EVENT}", round = 1, white = 900001, black = 900002 }}\nresult = "0-1"\n'
        'reason = "<b>seen</b> | [x](http://x.example)"\nwho = "`who`"\nreported_on = 2024-05-03\n'
    )
    (folder / "corrections.toml").write_text(text, encoding="utf-8")
    later = replace(settings, today=date(2024, 5, 4))
    correct.correct(later, folder / "corrections.toml")
    rerate.rerate(later, MAY)
    return later


def shown(settings: Settings, *arguments: str) -> str:
    done = CliRunner().invoke(program, [*arguments, "--home", str(settings.home)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_they_are_published_as_they_are(office):
    listed = sql.run(office.published, "select fide_id, name from lists where list_month = '2024-05' order by 1")
    assert listed["name"].to_list() == list(NAMES)
    assert (office.published / "2024-05" / "r1" / "standard.csv").read_text(encoding="utf-8").count(NAMES[0]) == 1


def test_the_tables_they_name_are_all_there(office):
    counted = sql.run(
        office.published, "select event_id, name, status, count(*) over () as events from event_status order by 1"
    )
    assert counted.rows() == [(EVENT, NAME_OF_EVENT, "rated", 2), ("REFUSED", "REFUSED", "refused", 2)]


def test_the_quarantine_fills_its_own_sentences_and_nothing_else(office):
    (row,) = json.loads(shown(office, "quarantine", "--json"))
    assert (Path(row["file"]).name, row["value"]) == ("{value}.trf", "'")
    assert row["says"].startswith("the line is out of its columns: ''' is where a blank must be (round 1")


def test_nothing_of_them_is_a_file(office):
    names = {path.name for path in office.home.rglob("*")}
    assert not [name for name in names if "'" in name or "etc" in name or "{" in name]


def test_in_a_diff_they_stay_in_their_cells(office):
    diff = (office.published / "2024-05" / "r2" / "DIFF.md").read_text(encoding="utf-8")
    rows = [line for line in diff.splitlines() if line.startswith("|")]
    assert "\\<b\\>seen\\</b\\> \\| \\[x\\](http\\://x.example)" in diff
    assert "<" not in diff.replace("\\<", "")
    assert {line.replace("\\|", "").count("|") for line in rows} == {6, 8}


def test_in_a_report_of_a_preview_they_stay_in_their_cells(office):
    # Two of the players moved, so that names are shown.
    shown(office, "publish", str(MAY), "--preview")
    text = (office.previews / str(MAY) / "REPORT.md").read_text(encoding="utf-8")
    assert "| {value} {0.\\__class_\\_} %s %n \\$1 \\${x} |" in text
    assert_markup_is_text(text)


def test_in_the_artifact_of_refused_reports_they_stay_in_their_cells():
    file = f"x/{NAME_OF_EVENT}\n# y"
    row = {"event_id": EVENT, "reason": "refused", "says": NAMES[1], "remedy": NAMES[3], "file": file}
    summary = MonthSummary("2024-05", "fide", [], {}, 0, 0, {}, {}, 0, {}, [row])
    text = refused_as_markdown(MAY, summary)
    assert "\\<img src=x\\> {detail} \\| \\`x\\` $id".replace("$", "\\$") in text
    assert_markup_is_text(text)
    assert len([line for line in text.splitlines() if line.startswith("#")]) == 1


def test_in_the_form_that_approves_a_list_they_are_text():
    lines = [f"  fide_id 900001, name {name}" for name in (*NAMES, NAME_OF_EVENT, "x\n# y", "x\n- y\n\n    z")]
    seen = PreviewSummary("2024-05", "r1", "p", "r", "d", True, [], ["large_change"], 1, [], "g", lines)
    text = paragraph(seen.text())
    assert "name \\[a\\](javascript:x)" in text
    assert "name \\<img src=x\\>" in text
    assert_markup_is_text(text)
    assert not [line for line in text.splitlines() if re.match(r"#|[-+*] |\s|$", line)]


def assert_markup_is_text(text: str) -> None:
    """Check that no sign of HTML, a link, code or a table in ``text`` is markup, but the tables and code of its own."""
    written = re.sub(r"\\[\\`*\[\]<>&|~$_:.@#+-]", "", text)
    assert not re.search(r"[<>\[\]&~$]", re.sub(r"`[^`]*`", "", written))
    rows = [line for line in written.splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in rows)


def test_a_control_character_of_a_statement_does_not_reach_the_terminal(office):
    output = shown(office, "sql", "select chr(27) || '[2J' as a, 'x' || chr(10) || 'y' as \"b\u202e\", chr(155) as c")
    assert output.splitlines() == [
        "a          b\\u202e  c",
        "---------  -------  ------",
        "\\u001b[2J  x\\ny     \\u009b",
    ]


def test_json_is_the_same_with_such_characters_escaped(office):
    output = shown(office, "sql", "select chr(27) || chr(8238) || chr(155) as a", "--json")
    assert json.loads(output) == [{"a": "\x1b\u202e\x9b"}]
    assert not {"\x1b", "\u202e", "\x9b"} & set(output)


def test_a_wrong_command_line_is_not_shown_raw(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["ratinglist", "rules", "--on", "2025\u202e"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "'2025\\u202e' cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("<script>", "\\<script\\>"),
        ("![x](http://x)", "!\\[x\\](http\\://x)"),
        ("www.example.org", "www\\.example.org"),
        ("a@b.c", "a\\@b.c"),
        ("`x` *y* ~z~ _w_ snake_case", "\\`x\\` \\*y\\* \\~z\\~ \\_w\\_ snake_case"),
        ("\\|", "\\\\\\|"),
        ("a\nb\x1bc", "a\\\\nb\\\\u001bc"),
        (None, ""),
        ("O'Neil, Anna-Maria (f.)", "O'Neil, Anna-Maria (f.)"),
    ],
)
def test_a_cell_of_markdown_shows_its_text(text, escaped):
    assert cell(text) == escaped
