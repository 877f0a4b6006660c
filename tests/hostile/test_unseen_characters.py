"""Characters that no reader sees: refused where they can say something, else left out of a name with a note."""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path

import polars as pl
import pytest

from ratinglist.corrections import parser
from ratinglist.errors import NothingReadError
from ratinglist.lists import list_reader
from ratinglist.pages.document import cell, paragraph
from ratinglist.period import Period
from ratinglist.publication.doubts import checked_text
from ratinglist.reports import delivered_tables, trf
from ratinglist.reports.encoding import decode_report
from ratinglist.text import FORBIDDEN, UNSEEN, first_forbidden_in_written_text, visible
from tests.trf_text import HEAD, delivered, players, report

TELLING = {
    "tag": "\U000e0041",
    "isolate": "\u2068",
    "old format": "\u206a",
    "annotation": "\ufff9",
    "private": "\ue000",
    "private of plane 16": "\U00100000",
    "no character": "\ufdd0",
    "last code point": "\U0010ffff",
}
HARMLESS = {
    "soft hyphen": "\u00ad",
    "zero-width space": "\u200b",
    "joiner": "\u200d",
    "direction mark": "\u200f",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "selector": "\ufe0f",
    "ideographic selector": "\U000e0100",
    "filler": "\u3164",
    "filler of a beginning": "\u115f",
    "filler of a middle": "\u1160",
    "narrow filler": "\uffa0",
    "blank of Braille": "\u2800",
    "place of a pasted object": "\ufffc",
    "control of music": "\U0001d173",
    "control of shorthand": "\U0001bca3",
}


def lines_with(name: str) -> list[str]:
    """The player lines of a report, the first player of another name."""
    first, *rest = players()
    return [first[:14] + name.ljust(33) + first[47:], *rest]


@pytest.mark.parametrize("character", TELLING.values(), ids=TELLING)
def test_a_report_with_a_character_that_says_something_unseen_is_refused_whole(character):
    decoded = decode_report(report(lines_with(f"Al{character}der, Jon")).encode())
    assert (decoded.text, decoded.rule, decoded.column) == ("", "control_character", 17)
    assert decoded.value == f"U+{ord(character):04X}"


@pytest.mark.parametrize("character", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_one_is_left_out_of_a_name_with_a_note(character):
    parsed = trf.parse(delivered(report(lines_with(f"Al{character}der, Jon"))))
    assert parsed.players["name"][0] == "Alder, Jon"
    (note,) = parsed.findings.filter(pl.col("rule") == "unseen_character").to_dicts()
    assert (note["line"], note["column"]) == (11, 15)
    assert (note["value"], note["detail"]) == (f"U+{ord(character):04X}", "Alder, Jon")
    assert "refused" not in parsed.findings["rule"].to_list()


def test_no_format_character_is_in_a_written_text():
    every = [character for character in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(character) == "Cf"]
    assert len(every) > 150
    assert [character for character in every if not first_forbidden_in_written_text(f"a{character}b")] == []


def test_it_is_left_out_of_the_name_of_an_event_and_two_that_look_the_same_are_one():
    head = ("012 Spring\u200b\u00a0Open\u2060", *HEAD[1:])
    parsed = trf.parse(delivered(report(head=head), report()))
    assert parsed.header["name"].to_list() == ["Spring Open", "Spring Open"]
    assert parsed.findings.filter(pl.col("rule") == "unseen_character").select("line", "column", "value").rows() == [
        (1, 5, "U+200B")
    ]


def test_a_blank_of_another_width_is_a_blank_without_a_note():
    parsed = trf.parse(delivered(report(lines_with("Alder,\u00a0Jon"))))
    assert parsed.players["name"][0] == "Alder, Jon"
    assert "unseen_character" not in parsed.findings["rule"].to_list()


def test_files_that_were_put_together_keep_their_lines():
    decoded = decode_report(report().replace("001    2", "\ufeff001    2").encode())
    assert (decoded.rule, decoded.text) == ("", report())


def test_every_refused_character_refuses_a_report_after_a_byte_order_mark():
    for code in [*range(0x80, 0x3000), *range(0xE000, 0x10000), *range(0xE0000, 0xE0200), 0xF0000, 0x10FFFF]:
        if re.match(FORBIDDEN, chr(code)):
            refused = decode_report(b"\xef\xbb\xbf" + f"a{chr(code)}b".encode())
            assert refused.rule in ("control_character", "binary_file"), hex(code)


def test_polars_and_python_refuse_the_same_characters():
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
    for pattern in (FORBIDDEN, UNSEEN):
        of_python = [character for character in characters if re.match(pattern, character)]
        of_polars = pl.Series(characters).filter(pl.Series(characters).str.contains(pattern)).to_list()
        assert of_python == of_polars


# ------------------------------------------------------------------------------------------- lists and manifests


def listed(folder: Path, name: str) -> Path:
    (folder / "a.csv").write_text(f'fide_id,name,time_control,rating\n7,"{name}",blitz,1500\n', encoding="utf-8")
    return folder / "a.csv"


@pytest.mark.parametrize("character", TELLING.values(), ids=TELLING)
def test_a_list_with_such_a_character_in_a_name_is_refused(tmp_path, character):
    with pytest.raises(list_reader.OfficialListError, match=r"line 2, column name: .* or says what no reader sees"):
        list(list_reader.read(listed(tmp_path, f"A{character}B"), month=Period.parse("2026-10")))


@pytest.mark.parametrize("character", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_one_is_left_out_of_a_name_of_a_list_with_a_note(tmp_path, character):
    (batch,) = list_reader.read(listed(tmp_path, f"Alb{character}a,\u00a0Anna"), month=Period.parse("2026-10"))
    assert batch.rows["name"].to_list() == ["Alba, Anna"]
    (note,) = [note for note in batch.notes if note.kind == "odd_character"]
    assert note.count == 1
    assert character not in note.example


def test_an_event_code_that_looks_like_another_one_is_refused():
    read = delivered_tables.read_manifest("m.csv", "file,event_id\na.trf,ORV\u200b25\n".encode())
    (problem,) = read.facts["a.trf"]["problems"]
    assert (problem["rule"], problem["value"]) == ("manifest_value", "ORV\\u200b25")
    assert "all of them seen" in problem["detail"]


# -------------------------------------------------------------------------------------------------- written texts

CORRECTION = """
[[correction]]
action = "withdraw_event"
match = {{ event_id = "E" }}
reason = "{reason}"
who = "{who}"
reported_on = 2025-11-03
"""


@pytest.mark.parametrize("character", [*TELLING.values(), *HARMLESS.values()], ids=[*TELLING, *HARMLESS])
@pytest.mark.parametrize("key", ["reason", "who"])
def test_neither_is_taken_in_a_correction_however_it_is_written(key, character):
    texts = {"reason": "seen in the hall", "who": "arbiter", key: f"a\\U{ord(character):08X}b"}
    with pytest.raises(NothingReadError, match=rf"c.toml, line 2: '{key}' holds the character U\+"):
        parser.parse_corrections(CORRECTION.format(**texts), "c.toml")


def test_other_blanks_of_a_correction_are_blanks():
    (correction,) = parser.parse_corrections(CORRECTION.format(reason="a\u00a0b", who="c\u2009d"), "c.toml")
    assert (correction.reason, correction.who) == ("a b", "c d")


# ------------------------------------------------------------------------------------------------- what is shown


def test_what_is_printed_shows_them_and_a_text_of_an_option_is_one_line_in_plain_blanks():
    assert visible("a\u200bb\U000e0041c") == "a\\u200bb\\udb40\\udc41c"
    assert cell("a\u200bb") == "a\\\\u200bb"
    assert checked_text("\u3000a\u00a0b ", "--by", "a name") == "a b"


def test_a_paragraph_of_markdown_shows_its_lines_and_nothing_else():
    text = "# Preview\n\n  - name [x](http://x) <b>|`y`\n1. Anna\n12) Bo\n=== \n+ c\n\u2028d"
    assert paragraph(text) == "  \n".join(
        [
            "\\# Preview",
            "\\- name \\[x\\](http\\://x) \\<b\\>\\|\\`y\\`",
            "1\\. Anna",
            "12\\) Bo",
            "\\===",
            "\\+ c",
            "d",
        ]
    )
