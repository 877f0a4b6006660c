"""Refused characters and sizes of reports, manifests, lists, corrections and settings, each with its place."""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist import office, strict_toml
from ratinglist.corrections import parser
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.findings import RULES
from ratinglist.limits import LINE_LENGTH, PLAYERS, REPORT_LINES
from ratinglist.lists import list_reader, official_rows
from ratinglist.period import Period
from ratinglist.reports import delivered_tables, discovery, judge, trf
from ratinglist.reports.encoding import Decoded, decode_report
from tests.trf_text import CELLS, HEAD, delivered, player, players, report

MONTH = Period.parse("2026-10")
BIDI = "\u202e"
DAY = date(2025, 11, 1)


def refused(decoded: Decoded) -> tuple[str, int | None, int | None, str]:
    assert decoded.text == ""
    text = RULES[decoded.rule].sentence + RULES[decoded.rule].remedy
    assert len(text.format(value=decoded.value, detail=decoded.detail)) > 40
    return decoded.rule, decoded.line, decoded.column, decoded.value


def refusal(path: Path) -> str:
    with pytest.raises(list_reader.OfficialListError) as error:
        list(list_reader.read(path, month=MONTH))
    return str(error.value)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# -------------------------------------------------------------------------------------------------------- reports


def test_a_report_of_the_most_lines_is_read_and_one_more_refuses_it():
    whole = report()
    most = whole + "###\n" * (REPORT_LINES - whole.count("\n"))
    beyond = REPORT_LINES + 1
    assert decode_report(most.encode()).text == most
    assert refused(decode_report((most + "###\n").encode())) == ("too_many_lines", beyond, None, str(beyond))


def test_a_league_of_4_000_players_is_read_and_one_of_more_than_start_numbers_refused_at_the_first_too_many():
    crowd = [player(number, cells=CELLS[0], fide_id=900000 + number) for number in range(1, 4001)]
    assert decode_report(report(crowd).encode()).rule == ""
    text = "012 League\n" + "001\n" * (PLAYERS + 1)
    assert refused(decode_report(text.encode())) == ("too_many_players", PLAYERS + 2, None, str(PLAYERS + 1))


@pytest.mark.parametrize("before", [0, 1, LINE_LENGTH // 2 - 1, LINE_LENGTH // 2, LINE_LENGTH // 2 + 1, LINE_LENGTH])
@pytest.mark.parametrize("after", [0, 1, LINE_LENGTH])
def test_a_line_that_is_too_long_is_refused_wherever_it_is(before, after):
    text = "x" * before + "\n" + "y" * (LINE_LENGTH + 1) + "\n" + "z" * after
    assert refused(decode_report(text.encode())) == ("endless_line", 2, LINE_LENGTH + 1, str(LINE_LENGTH + 1))
    assert decode_report(text.replace("yy", "y", 1).encode()).rule == ""


def test_a_report_refused_for_its_characters_has_no_other_finding(tmp_path):
    written(tmp_path, "a.trf", report().replace("Alder", f"Al{BIDI}der"))
    (batch,) = discovery.read_batches(discovery.find([tmp_path]), DAY, DAY)
    findings = judge.read(batch.delivered, batch.findings).findings
    assert findings.select("rule", "line", "column", "value").rows() == [("control_character", 11, 17, "U+202E")]


def test_a_name_of_wide_letters_only_does_not_stop_the_batch():
    # Found by the fuzzer: more bytes of accents in a line than a name has columns.
    lines = players()
    lines[0] = lines[0][:14] + "é" * 200
    parsed = trf.parse(delivered(report(lines), report()))
    assert "columns_shifted" in parsed.findings.filter(pl.col("file_no") == 0)["rule"].to_list()
    assert parsed.players.filter(pl.col("file_no") == 1).height == 4


def test_a_lost_line_is_unreadable_in_the_rounds_in_which_another_line_names_it():
    lines = players()
    lines[0] = lines[0].replace(" 1800", "\t1800")
    cells = trf.parse(delivered(report(lines))).cells
    assert cells.filter(pl.col("start_number") == 1).select("round", "code").rows() == [(1, "?"), (2, "?"), (3, "?")]


def test_a_long_line_is_shown_by_its_beginning():
    parsed = trf.parse(delivered(report(head=("012 " + "x" * 9000, "012 " + "y" * 9000, *HEAD[1:]))))
    (finding,) = parsed.findings.filter(pl.col("rule") == "code_repeated").to_dicts()
    assert (finding["value"], len(finding["detail"])) == ("y" * 80, len("012 on line 1: ''") + 80)


# ------------------------------------------------------------------------------------------------------- manifests


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,version\n" + "a.trf,1\n" * 10, "m.csv has more than 10 rows"),
        (",".join(["file", *map(str, range(70))]), "m.csv, row 1: 71 columns; at most 64 are read."),
    ],
)
def test_a_manifest_beyond_its_limits_is_not_used(text, message, monkeypatch):
    monkeypatch.setattr(delivered_tables, "MANIFEST_ROWS", 10)
    assert delivered_tables.read_manifest("m.csv", text.encode()).refusal.startswith(message)


def test_a_path_or_a_code_that_is_too_long_is_not_compared():
    (problem,) = delivered_tables.read_manifest("m.csv", ("file\n" + "a\u0315" * 600 + "\n").encode()).problems
    assert re.fullmatch(r"m\.csv, line 2, column file.*at most 1024 characters", problem)
    read = delivered_tables.read_manifest("m.csv", b"file,event_id\na.trf," + b"A" * 101 + b"\n")
    (of_code,) = read.facts["a.trf"]["problems"]
    assert (of_code["rule"], len(of_code["value"])) == ("manifest_value", 83)


def test_a_control_character_in_a_cell_of_a_manifest_refuses_the_report_of_its_row(tmp_path):
    written(tmp_path, "a.trf", report())
    written(tmp_path, "b.trf", report() + "\n")
    written(tmp_path, "manifest.csv", f"file,event_id\na.trf,A{BIDI}B\nb.trf,C\n{BIDI}.trf,D\n")
    delivery = discovery.find([tmp_path])
    (batch,) = discovery.read_batches(delivery, DAY, DAY)
    (finding,) = batch.findings.to_dicts()
    assert (finding["file_no"], finding["rule"], finding["value"]) == (1, "manifest_value", "A\\u202eB")
    assert BIDI not in "".join([*delivery.problems, finding["detail"]])


# ------------------------------------------------------------------------------------------------- official lists

LISTED = "fide_id,name,time_control\n"
# A character that is hidden in a reference.
HIDDEN = "<playerslist><player><fideid>7</fideid><name>A&#x202e;B</name></player></playerslist>"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *(
            ("a.csv", f"{LISTED}7,A{character}B,blitz\n", f"'A\\u{ord(character):04x}B' holds a character")
            for character in ("\x1b", "\x9b", BIDI, "\u2028")
        ),
        ("standard_rating_list.xml", HIDDEN, "<name>: 'A\\u202eB' holds a character"),
        ("a.csv", f"{LISTED}7,{'A' * 501},blitz\n", f"column name: '{'A' * 80}...' has more than 500 characters"),
        (
            "a.csv",
            "fide_id,name," + ",".join(f"c{n}" for n in range(300)) + "\n",
            "it has 302 columns, and at most 200",
        ),
        (
            "a.csv",
            "fide_id,name," + "c" * 20_000 + "\n",
            "line 1: it has 20013 characters, and the header at most 10000",
        ),
        ("a.csv", "fide_id,name,time_control,list_month\n7,A\n", "'7,A' does not have the 4 cells of the header"),
        (
            "a.csv",
            "fide_id,name,time_control,rating\n7,A,blitz,1233666134830702190\n",
            "column rating: '1233666134830702190' is not a rating from 0 to 4000",
        ),
        # The long s is an s to a pattern that ignores case.
        ("a.txt", "ID Number Name \u017fex OCT26 B-day\n", "the heading '\u017fex' is not known"),
        ("standard_rating_list.txt", "\nID Number      Name      OCT26 B-day Flag", "it holds no players"),
        ("a.xml", "<playerslist><player><fideid>" + "7" * 20_001, "line 1: a player has more than 20000 bytes"),
        ("a.xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "its XML begins with '<!DOCTYPE"),
    ],
)
def test_a_list_beyond_its_limits_is_refused(tmp_path, name, content, message):
    said = refusal(written(tmp_path, name, content))
    assert message in said
    assert len(said) < 500
    assert not {"\x1b", "\x9b", BIDI, "\u2028"} & set(said)


def test_a_tag_that_does_not_end_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("ratinglist.lists.fide_lists.READ_BYTES", 1000)
    monkeypatch.setattr("ratinglist.lists.fide_lists.XML_PLAYER_BYTES", 5000)
    said = refusal(written(tmp_path, "a.xml", '<playerslist>\n<player a="' + "a" * 10_000))
    assert "line 1: a player has more than 5000 bytes" in said


def test_a_line_that_does_not_end_does_not_block(tmp_path, monkeypatch):
    monkeypatch.setattr(official_rows, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(official_rows, "LIST_LINE_BYTES", 2000)
    said = refusal(written(tmp_path, "a.csv", 'fide_id,name,time_control\n7,"' + "a" * 10_000))
    assert "line 2: it has more than 2000 bytes; end every line, and close every quotation" in said


# ------------------------------------------------------------------------------------- corrections and settings


def correction(cells: str) -> str:
    return f'[[correction]]\n{cells}\nreason = "seen in the hall"\nwho = "arbiter"\nreported_on = 2025-11-03\n'


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            'action = "withdraw_event"\nmatch = { event_id = "A\\u001bB" }',
            "'match.event_id' holds the character U+001B",
        ),
        ('action = "withdraw_event"\nmatch = { event_id = "A\\nB" }', "'match.event_id' holds the character U+000A"),
        (
            'action = "withdraw_event"\nmatch = { event_id = "' + "A" * 501 + '" }',
            "has 501 characters; at most 500 are allowed",
        ),
        ('action = "undo"\nmatch = { correction = -1 }', "'match.correction' is -1; it must be at least 0"),
        ('action = "undo"\nmatch = { correction = 9223372036854775808 }', "it must be at most 99999999999"),
        ('action = ["undo"]\nmatch = { correction = 1 }', "the action is ['undo']"),
        *(
            (f'action = "replace_report"\nmatch = {{ event_id = "A" }}\nfile = {path}', "is not in the folder of the")
            for path in ("'/etc/passwd'", "'../a.trf'", "'x/../../a.trf'", "'C:a.trf'", "'..\\a.trf'", "'\\\\host\\a'")
        ),
    ],
)
def test_a_hostile_correction_is_refused_at_its_line(cells, message):
    with pytest.raises(NothingReadError) as error:
        parser.parse_corrections(correction(cells), "c.toml")
    assert str(error.value).startswith("c.toml, line 1: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a = " + "9" * 5000, "digits"),
        ("a = 1\nb = 'x\u202ey'", "line 2, column 7: the character U+202E is not allowed"),
        ("#" * 2_000_000, "it has 2000000 bytes, and at most 1048576 are read"),
    ],
)
def test_a_hostile_toml_text_is_refused(text, message):
    with pytest.raises(ValueError, match=message.replace("+", r"\+")):
        strict_toml.parse(text)


def test_an_office_file_that_is_a_pipe_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "office.toml")
    with pytest.raises(CommandLineError, match="not an ordinary file"):
        office.read(tmp_path)
