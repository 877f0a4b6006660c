"""The TRF parser on every line code, and on the faults of real files."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import polars as pl
import pytest

from ratinglist import findings
from ratinglist.findings import RULES
from ratinglist.reports import trf
from tests.trf_text import CELLS, HEAD, NAMES, ROUND_DATES, delivered, player, players, report

WITHOUT_COUNT = tuple(line for line in HEAD if not line.startswith("062"))


def parse(text: str) -> trf.ParsedReports:
    return trf.parse(delivered(text))


def parsed_together(texts: Iterable[str]) -> trf.ParsedReports:
    """Reports of one delivery, numbered from 0."""
    return trf.parse(delivered(*texts))


def with_lines(*lines: str) -> str:
    """The small report with lines of other codes between header and players."""
    return report([*lines, *players()])


def with_head(code: str, value: str) -> str:
    """The small report with another value behind ``code``, or the code added."""
    rest = tuple(line for line in HEAD if not line.startswith(code))
    return report(head=(*rest, f"{code} {value}"))


def with_first(**fields: object) -> str:
    """The small report with other fields of its first player."""
    lines = players()
    lines[0] = player(1, cells=CELLS[0], **{"fide_id": 900001, **fields})  # type: ignore[arg-type]
    return report(lines)


# ----------------------------------------------------------------------------------------------- a report without fault


def test_the_header_is_read():
    assert parse(report()).header.row(0, named=True) == {
        "file_no": 0,
        "name": "Spring Open",
        "city": "Riverton",
        "federation": "ITA",
        "start_date": date(2024, 4, 1),
        "end_date": date(2024, 4, 3),
        "type_text": "Individual: Swiss-System",
        "chief_arbiter": "Arbiter, Anna",
        "time_text": "90 minutes + 30 seconds",
        "type_code": None,
        "time_code": None,
        "rounds": 3,
        "teams": 0,
        "report_format": "TRF16",
        "start_date_line": 4,
        "end_date_line": 5,
        "start_date_text": "2024/04/01",
        "end_date_text": "2024/04/03",
        "first_round_date": date(2024, 4, 1),
        "last_round_date": date(2024, 4, 3),
        "time_text_line": 9,
    }


def test_a_player_is_read():
    row = parse(with_first(sex="w", rating=2345, points="2.5", name="Alder, Jo")).players.row(0, named=True)
    assert row == {
        "file_no": 0,
        "line": 11,
        "start_number": 1,
        "sex": "F",
        "name": "Alder, Jo",
        "rating": 2345,
        "federation": "ITA",
        "fide_id": 900001,
        "birth_date": date(1990, 5, 17),
        "birth_year": 1990,
        "points_tenths": 25,
    }


def test_a_cell_is_read():
    cells = parse(report()).cells
    assert cells.filter(pl.col("start_number") == 1, pl.col("round") == 2).row(0, named=True) == {
        "file_no": 0,
        "line": 11,
        "column": 102,
        "start_number": 1,
        "round": 2,
        "opponent_number": 3,
        "colour": "b",
        "code": "=",
        "date": date(2024, 4, 2),
    }


def test_the_order_of_the_files_changes_nothing():
    frame = delivered(report(), with_first(fide_id=0), with_head("142", "9"))
    forward, backward = trf.parse(frame), trf.parse(frame.reverse())
    for name in ("header", "players", "cells", "findings"):
        assert getattr(forward, name).equals(getattr(backward, name)), name


# ---------------------------------------------------------------------------------------------------- what is no report


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "it holds no text"),
        ("\n  \n", "it holds no text"),
        ("ID Number      Name           Fed\n900001  Alder, Jon  ITA\n", "rating list: read it with import-list"),
        ("fide_id,name,rating\n900001,Alder,1800\n", "rating list: read it with import-list"),
        ("<?xml version='1.0'?>\n<playerslist><player/></playerslist>", "FIDE rating list in XML"),
        ("<!DOCTYPE html><html></html>", "a web page"),
        ("%PDF-1.7\n", "a PDF document"),
        ("\n".join(HEAD), "it has no player lines"),
        ("Dear sirs,\nenclosed the report\n", "none of its lines begins with a code"),
        (report(head=()).replace("\n001", "\n 001").replace(ROUND_DATES, ""), "do not begin in column 1"),
    ],
)
def test_a_file_that_is_no_report_is_refused_once_with_what_it_seems_to_be(text, detail):
    findings = parse(text).findings
    assert findings["rule"].to_list() == ["not_a_report"]
    assert detail in findings["detail"].item()


def test_a_file_that_is_no_report_still_has_its_header_row():
    parsed = trf.parse(delivered("nothing", report()))
    assert parsed.header.select("file_no", "name", "rounds").rows() == [(0, None, 0), (1, "Spring Open", 3)]


# --------------------------------------------------------------------------------------------------------- line by line


def test_blank_lines_count_as_lines_and_the_last_one_may_lack_its_end():
    parsed = parse("\n\n" + report().rstrip("\n"))
    assert (parsed.players["line"].to_list(), parsed.cells.height) == ([13, 14, 15, 16], 12)


RULERS = [
    "0123456789012345678901234567890123456789",
    "12345678901234567890",
    "         1         2         3",
    "0011111111",
    "DDD SSSS sTTT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN RRRR FFF IIIIIIIIIII BBBB/BB/BB PPPP RRRR",
    "BBB T RRR PPP1 PPP2",
    "XXX 1 2 3",
    "--------------------",
    "### 012 a remark, not a name",
    "###",
]


def test_rulers_and_remarks_are_not_data():
    parsed = parsed_together(report(head=(ruler, *HEAD)) for ruler in RULERS)
    assert parsed.findings.to_dicts() == []
    assert set(parsed.header["name"]) == {"Spring Open"}


KNOWN_LINES = [
    "013 Riverton A".ljust(36) + "   1    2",
    "142 3",
    "152 W",
    "172 ITA FIDE",
    "182 Some pairing program",
    "192 FIDE_DUTCH_2026",
    "202 BH/C1,SB",
    "212 PTS,BH/C1",
    "222 5400+30",
    "240 H   1    3",
    "250  1.0        1   2    1    2",
    "260   1   3    1    2",
    "300   1   1   2    1    2",
    "310   1 Riverton A".ljust(73) + "   1    2",
    "320  1.0  2.0   1",
    "330 +-   1   1   2",
    "352 WBWB",
    "362 TW 2.0   TD 1.0   TL 0.0",
    "801   1 Riverton",
    "802   1 Riverton",
    "XXR 3",
    "XXC white1",
    "XXZ 4",
    "XXA    1 1.0",
    "XXP 1 2",
    "xxs W=1",
    "BBW 1.0",
    "bbd 0.5",
    "112 Deputy, Dan",
    "072 4",
    "082 0",
    "ITA   14 m  A Elm, Nia                          1700 LOM      L01854 1990/00/00",
]


def test_every_code_of_the_formats_is_known():
    assert parsed_together(map(with_lines, KNOWN_LINES)).findings.to_dicts() == []


def test_a_national_line_is_no_player():
    text = with_lines("ITA    1 m  A Alder, Jon                        1700 LOM      L01854 1990/00/00")
    assert parse(text).players["start_number"].to_list() == [1, 2, 3, 4]


# ----------------------------------------------------------------------------------------------------------- the header


DAYS = {
    "2024/04/01": date(2024, 4, 1),
    "2024-04-01": date(2024, 4, 1),
    "2024.04.01": date(2024, 4, 1),
    "2024/4/1": date(2024, 4, 1),
    "20240401": date(2024, 4, 1),
    "2024-04-01T10:00": date(2024, 4, 1),
    "24/09/2010": date(2010, 9, 24),
    "03/09/2010": date(2010, 9, 3),
    "09/24/2010": date(2010, 9, 24),
    "24-09-2010": date(2010, 9, 24),
    "28.07.2005": date(2005, 7, 28),
    "28. 07. 2005": date(2005, 7, 28),
    "May 29, 2020": date(2020, 5, 29),
    "29 May 2020": date(2020, 5, 29),
    "29. September 2020": date(2020, 9, 29),
    "1st Sep 2020": date(2020, 9, 1),
    "40430": date(2010, 9, 9),
    "10.09.13": date(2010, 9, 13),
    "10/09/13": date(2010, 9, 13),
    "99/12/31": date(1999, 12, 31),
}


def test_a_date_is_read_in_every_shape():
    headers = parsed_together(with_head("042", written) for written in DAYS).header
    assert dict(zip(DAYS, headers["start_date"], strict=True)) == DAYS


NO_DAYS = ["2024/02/30", "2024/00/00", "soon", "00.00.0000", "2024", "Lirpa 1, 2020", "32.12.2020", "٢٠٢٤/٠٢/٠١"]


def test_a_date_that_is_none_stays_null_with_its_text_and_line():
    parsed = parsed_together(with_head("042", written) for written in NO_DAYS)
    columns = ("start_date", "start_date_text", "start_date_line")
    assert parsed.header.select(columns).rows() == [(None, written, 9) for written in NO_DAYS]
    assert parsed.findings.height == 0


WITHOUT_DAYS = tuple(line for line in HEAD if line[:3] not in ("042", "052"))
DATES_OF_TWO_ORDERS = [
    # The other date has a month first for certain, or only month first makes an event.
    ("10/03/2025", "10/15/2025", (date(2025, 10, 3), date(2025, 10, 15)), []),
    ("09/30/2025", "10/03/2025", (date(2025, 9, 30), date(2025, 10, 3)), []),
    ("10/03/2025", "11/02/2025", (date(2025, 10, 3), date(2025, 11, 2)), []),
    # Nothing shows it: the day is first, and a note says so.
    ("10/03/2025", "10/05/2025", (date(2025, 3, 10), date(2025, 5, 10)), ["10/03/2025", "10/05/2025"]),
    ("03-10-2025", "2025/10/05", (date(2025, 10, 3), date(2025, 10, 5)), ["03-10-2025"]),
    # The day is first for certain, or with dots.
    ("03/10/2025", "24/10/2025", (date(2025, 10, 3), date(2025, 10, 24)), []),
    ("03.10.2025", "05.10.2025", (date(2025, 10, 3), date(2025, 10, 5)), []),
    ("05/05/2025", "05/05/2025", (date(2025, 5, 5), date(2025, 5, 5)), []),
]


def test_a_date_with_the_day_or_the_month_first_is_read_by_the_other_date_or_noted():
    parsed = parsed_together(
        report(head=(*WITHOUT_DAYS, f"042 {start}", f"052 {end}")) for start, end, _, _ in DATES_OF_TWO_ORDERS
    )
    assert parsed.header.select("start_date", "end_date").rows() == [days for _, _, days, _ in DATES_OF_TWO_ORDERS]
    ambiguous = parsed.findings.filter(rule="month_or_day_first").select("file_no", "value").rows()
    assert ambiguous == [
        (number, value) for number, (_, _, _, noted) in enumerate(DATES_OF_TWO_ORDERS) for value in noted
    ]


ROUNDS_TO_COME = report(players(tuple((*own, "0000 - H", "0000 - Z") for own in CELLS)))
# The text of a report, and what is read of its header.
HEADERS: list[tuple[str, dict[str, object]]] = [
    # Two digits are day first where only that makes an event.
    (
        report(head=(*WITHOUT_DAYS, "042 28.07.05", "052 31.07.05")),
        {"start_date": date(2005, 7, 28), "end_date": date(2005, 7, 31)},
    ),
    (with_head("032", "ita"), {"federation": "ITA"}),
    (with_head("032", "GER (Germany)"), {"federation": "GER"}),
    (with_head("032", "Somewhere"), {"federation": "SOMEWHERE"}),
    (with_head("032", ""), {"federation": None}),
    (
        with_lines("192 FIDE_DUTCH_2026", "222 40/6000+30:900+30"),
        {"type_code": "FIDE_DUTCH_2026", "time_code": "40/6000+30:900+30", "report_format": "TRF26"},
    ),
    # A code of 2026 makes it a TRF26, codes of 2016 and of programs do not.
    *((with_lines(line), {"report_format": "TRF26"}) for line in ("142 3", "240 H   1    3", "ITA   14 m  A Elm, Nia")),
    (with_lines("299 W  1.0  1.0   1    1"), {"report_format": "TRF26"}),
    *((with_lines(line), {"report_format": "TRF16"}) for line in ("013 Riverton", "XXR 3", "BBW 1.0", "999 something")),
    *((with_lines(f"{code} 9"), {"rounds": 9}) for code in ("142", "XXR", "xxr")),
    # Of records that announce other numbers of rounds, the greatest counts, and the rounds that have a cell.
    (with_lines("142 3", "XXR 7"), {"rounds": 7}),
    (with_lines("142 5", "XXR 3"), {"rounds": 5}),
    (with_lines("XXR 4", "142 2"), {"rounds": 4}),
    (with_lines("142 2"), {"rounds": 3}),
    (with_lines("XXR 2"), {"rounds": 3}),
    (with_lines("142 nine"), {"rounds": 3}),
    (ROUNDS_TO_COME, {"rounds": 5}),
    (report(players((("   2 w 1", "", "0000 - U"), ("   1 b 0",)))), {"rounds": 3}),
    *((with_lines(f"{code}   1 Riverton", f"{code}   2 Hillside"), {"teams": 2}) for code in ("013", "310")),
    (with_lines("012 Autumn Open"), {"name": "Spring Open"}),
]


def test_a_header_is_read_in_every_form():
    headers = parsed_together(text for text, _ in HEADERS).header.to_dicts()
    for (text, values), of_text in zip(HEADERS, headers, strict=True):
        assert {name: of_text[name] for name in values} == values, text


THREE_DAYS = [date(2024, 4, 1), date(2024, 4, 2), date(2024, 4, 3)]


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("132".ljust(91) + "24/04/01  24/04/02  24/04/03", THREE_DAYS),
        ("132".ljust(91) + "24.04.01  24.04.02  24.04.03  ", THREE_DAYS),
        ("132".ljust(91) + "2024/04/012024/04/022024/04/03", THREE_DAYS),
        ("132 24/04/01 24/04/02 24/04/03", THREE_DAYS),
        ("132 01.04.2024 02.04.2024 03.04.2024", THREE_DAYS),
        ("132".ljust(91) + "24/04/01  tomorrow  24/04/03", [date(2024, 4, 1), None, date(2024, 4, 3)]),
        ("132", [None, None, None]),
    ],
)
def test_the_dates_of_the_rounds_are_read(line, days):
    cells = parse(report().replace(ROUND_DATES, line)).cells
    assert cells.sort("start_number", "round")["date"].to_list() == days * 4


# -------------------------------------------------------------------------------------------------------------- players


PLAYERS: list[tuple[dict[str, object], dict[str, object]]] = [
    *(
        ({"sex": written}, {"sex": sex})
        for written, sex in (("m", "M"), ("M", "M"), ("w", "F"), ("W", "F"), ("f", "F"), (" ", ""))
    ),
    *(
        ({"points": written}, {"points_tenths": tenths})
        for written, tenths in (("2.5", 25), ("2,5", 25), ("11.5", 115), ("3", 30), (".5", 5), ("", None))
    ),
]


def test_sex_and_points_are_read_in_every_form():
    first_players = parsed_together(with_first(**written) for written, _ in PLAYERS).players.filter(start_number=1)
    for (written, values), of_text in zip(PLAYERS, first_players.to_dicts(), strict=True):
        assert {name: of_text[name] for name in values} == values, written


NO_BIRTHS = ["90/05/17", "unknown", "17.05.90", "１９９０/０５/１７"]
BIRTHS = [
    ("1990/05/17", date(1990, 5, 17), 1990),
    ("1990.05.17", date(1990, 5, 17), 1990),
    ("1990-05-17", date(1990, 5, 17), 1990),
    ("17.05.1990", date(1990, 5, 17), 1990),
    ("17/05/1990", date(1990, 5, 17), 1990),
    ("1990", None, 1990),
    ("1990/00/00", None, 1990),
    ("1990/05/00", None, 1990),
    ("00/00/1990", None, 1990),
    (".  .", None, None),
    ("0000/00/00", None, None),
    ("/  /", None, None),
    ("", None, None),
    *((written, None, None) for written in NO_BIRTHS),
]


def test_a_birth_is_read_in_every_shape_or_noted_and_never_guessed():
    parsed = parsed_together(with_first(birth=written) for written, _, _ in BIRTHS)
    births = parsed.players.filter(start_number=1).select("birth_date", "birth_year").rows()
    assert [(written, *birth) for (written, _, _), birth in zip(BIRTHS, births, strict=True)] == BIRTHS
    noted = [BIRTHS[number][0] for number in parsed.findings.filter(rule="birth_unreadable")["file_no"]]
    assert (noted, parsed.findings.height) == (NO_BIRTHS, len(NO_BIRTHS))


def test_every_player_without_a_fide_id_is_named():
    lines = [player(number, fide_id=0) for number in range(1, 31)]
    missing = parse(report(lines, WITHOUT_COUNT)).findings
    assert missing.select("rule", "detail").rows() == [("fide_id_missing", str(number)) for number in range(1, 31)]


# ------------------------------------------------------------------------------------------ names with accents, columns


def by_bytes(line: str, name: str) -> str:
    """``line`` as a program writes it that pads the name to 33 bytes instead of 33 characters."""
    extra = len(name.encode()) - len(name)
    return line.replace(name.ljust(33), name.ljust(33 - extra))


ACCENTS = ("Álder, Jón", "Bírch, Káy", "Çedar, Löü", "Dogwood, May")


def accented(pad: bool) -> str:
    lines = [
        player(number, name, cells, fide_id=900000 + number)
        for number, (name, cells) in enumerate(zip(ACCENTS, CELLS, strict=True), start=1)
    ]
    return report([by_bytes(line, name) if pad else line for line, name in zip(lines, ACCENTS, strict=True)])


def test_names_padded_by_bytes_read_as_the_others():
    padded, plain = parse(accented(pad=True)), parse(accented(pad=False))
    assert padded.players.equals(plain.players)
    assert padded.cells.equals(plain.cells)


# ------------------------------------------------------------------------------------------------- findings of a file

UNPLAYED = ("0000 - F", "0000 - H", "0000 - U", "   2 w +", "   2 b -", "0000 - Z", "0000 -  ")
TWO_UNPLAYED = [
    player(1, cells=UNPLAYED, fide_id=900001, points="3.5"),
    player(2, NAMES[1], fide_id=900002, points="0.0"),
]
WITH_GAPS = [
    player(3, NAMES[0], ("  12 w 1",), fide_id=900003),
    player(12, NAMES[1], ("   3 b 0",), fide_id=900012),
]
LONG_NAME = with_first(name="Alder-Birch-Cedar, Johannes Maria")
SEVERAL_FAULTS = [
    *players((("   2 w 1", "  x3 b =", "   4 w 1"),))[:1],
    player(2, NAMES[1], CELLS[1], fide_id=0),
    *players()[2:],
]
NEITHER_PADDING = accented(pad=True).replace("Káy ", "Káy   ")

# The text of a report, and what is found in it: the rule, and the line, column, value and detail that matter.
FOUND: dict[str, tuple[str, list[tuple[str, dict[str, object]]]]] = {
    "nothing": (report(), []),
    "rounds to come": (ROUNDS_TO_COME, []),
    "a line repeated": (with_lines("012 Spring Open", "112 Deputy, Dan", "112 Deputy, Eve"), []),
    "points of forfeits and byes": (report(TWO_UNPLAYED, WITHOUT_COUNT), []),
    **{
        f"points by {line[:3]}": (
            report([line, *players()[1:], player(1, cells=CELLS[0], fide_id=900001, points="9.0")]),
            [],
        )
        for line in ("162  W 3.0    D 1.0", "299 W  1.0  1.0   1    1", "XXS W=3", "BBW 3.0")
    },
    "gaps in the start numbers": (report(WITH_GAPS, WITHOUT_COUNT), []),
    "a long name": (LONG_NAME, []),
    "a name one letter too long": (LONG_NAME.replace("Johannes Maria ", "Johannes MariaX"), []),
    "accents by characters": (accented(pad=False), []),
    "a line that fits neither padding": (
        NEITHER_PADDING,
        [("padded_by_bytes", {"line": 11, "detail": "3"}), ("columns_shifted", {"line": 12})],
    ),
    "accents by bytes": (accented(pad=True), [("padded_by_bytes", {"line": 11, "detail": "3"})]),
    "no arbiter": (report(head=tuple(line for line in HEAD if line[:3] != "102")), [("arbiter_missing", {})]),
    "a name of blanks": (with_head("012", "   "), [("event_name_missing", {})]),
    "another sex": (with_first(sex="x"), [("sex_unknown", {})]),
    "points of another kind": (with_first(points="2½"), [("points_unreadable", {})]),
    "points of another sum": (
        with_first(points="3.0"),
        [("points_differ", {"line": 11, "column": 81, "value": "3.0", "detail": "2.5"})],
    ),
    "several faults": (
        report(SEVERAL_FAULTS, HEAD[1:]),
        [("opponent_unreadable", {}), ("fide_id_missing", {}), ("event_name_missing", {})],
    ),
    "unknown codes": (
        with_lines("999 one", "999 two", "ACC 1"),
        [
            ("unknown_code", {"line": 11, "value": "999", "detail": "2"}),
            ("unknown_code", {"line": 13, "value": "ACC", "detail": "1"}),
        ],
    ),
    "text without a code": (
        with_lines("Results of the open:", "(final)"),
        [("unknown_text", {"line": 11, "value": "Results of the open:", "detail": "2"})],
    ),
    "a year of two digits": (
        with_head("042", "24.04.01"),
        [("two_digit_year", {"line": 9, "column": 5, "value": "24.04.01", "detail": "2024-04-01"})],
    ),
    "an unreadable number of rounds": (with_lines("142 nine"), [("rounds_unreadable", {})]),
    "a second name": (with_lines("012 Autumn Open"), [("code_repeated", {})]),
    "a line that ends before the FIDE ID": (
        report([*players()[:3], players()[3][:40]]),
        [("fide_id_missing", {})],
    ),
    "an unreadable date of a round": (
        report().replace("24/04/02", "tomorrow"),
        [("round_date_unreadable", {"line": 10, "column": 102, "value": "tomorrow"})],
    ),
    "more rounds": (with_lines("142 2"), [("more_rounds", {"line": 11, "value": "2", "detail": "3"})]),
    "another number of players": (
        with_head("062", "5"),
        [("player_count_differs", {"line": 9, "value": "5", "detail": "4"})],
    ),
    # A small letter of an unrated result is noted, other letters are not.
    **{
        f"the result {written}": (
            report(players((("   2 w 1", written), ("   1 b 0",))), WITHOUT_COUNT),
            [("small_result", {"line": 10, "column": 109, "value": letter, "detail": f"{letter.upper()} in round 2"})],
        )
        for written, letter in (("   2 w d", "d"), ("   2 b l", "l"), ("   2 - w", "w"))
    },
    **{
        f"the result {written}": (report(players((("   2 w 1", written), ("   1 b 0",))), WITHOUT_COUNT), [])
        for written in ("   2 w D", "0000 - h", "   2 W L", "0000 - u")
    },
    "cells moved by a column": (
        report([players()[0].replace("  3 b =", "   3 b ="), *players()[1:]]),
        [("columns_shifted", {"line": 11, "column": 106})],
    ),
}


def test_a_file_has_the_findings_that_it_should_and_no_others():
    of_all = parsed_together(text for text, _ in FOUND.values()).findings
    for number, (what, (_, expected)) in enumerate(FOUND.items()):
        of_file = of_all.filter(file_no=number).to_dicts()
        assert [finding["rule"] for finding in of_file] == [rule for rule, _ in expected], what
        for finding, (_, says) in zip(of_file, expected, strict=True):
            assert {name: finding[name] for name in says} == says, what


# ---------------------------------------------------------------------------------------------------------------- cells


WRITTEN_CELLS = [
    ("   2 W 1", 2, "w", "1"),
    ("   2 B 0", 2, "b", "0"),
    ("   2 s =", 2, "b", "="),
    ("   2 S =", 2, "b", "="),
    ("   2   1", 2, "", "1"),
    ("   2 - +", 2, "", "+"),
    ("2    w 1", 2, "w", "1"),
    ("0002 w 1", 2, "w", "1"),
    ("0000 - h", None, "", "H"),
    ("0000 - u", None, "", "U"),
    ("0000 - +", None, "", "+"),
    ("0000 -", None, "", ""),
    ("       H", None, "", "H"),
    ("       -", None, "", "-"),
    ("     - Z", None, "", "Z"),
    ("   0 - F", None, "", "F"),
]


def test_a_cell_is_read_in_every_form():
    parsed = parsed_together(report(players((("   2 w 1", cell[0]), ("   1 b 0",)))) for cell in WRITTEN_CELLS)
    assert set(parsed.findings["rule"]) == {"player_count_differs"}
    cells = parsed.cells.filter(start_number=1, round=2).sort("file_no").select("opponent_number", "colour", "code")
    assert [(cell[0], *values) for cell, values in zip(WRITTEN_CELLS, cells.rows(), strict=True)] == WRITTEN_CELLS


@pytest.mark.parametrize(
    ("lines", "cells"),
    [
        # Blanks at the end of a line are no cells, and trimmed ones lose nothing.
        (players((("   2 w 1", "0000 -  "), ("   1 b 0", ""))), [(1, 1, 92, "1"), (1, 2, 102, ""), (2, 1, 92, "0")]),
        ([line.ljust(400) for line in players((("   2 w 1",), ("   1 b 0",)))], [(1, 1, 92, "1"), (2, 1, 92, "0")]),
        # A cell that cannot be read is marked.
        (players((("   2 w 7",), ("   1 b 0",))), [(1, 1, 92, "?"), (2, 1, 92, "0")]),
        (players((("   ٢ w 1",), ("   1 b 0",))), [(1, 1, 92, "?"), (2, 1, 92, "0")]),
        # Lines of different length are cut alike.
        (
            players((("0000 - H", *[""] * 5, "   2 w 1"), (*[""] * 6, "   1 b 0"))),
            [(1, 1, 92, "H"), (1, 7, 152, "1"), (2, 7, 152, "0")],
        ),
    ],
)
def test_a_line_is_cut_into_its_cells(lines, cells):
    cells_read = parse(report(lines)).cells.sort("start_number", "round")
    assert cells_read.select("start_number", "round", "column", "code").rows() == cells


# --------------------------------------------------------------------------------------------------------- real reports


@pytest.mark.parametrize(
    ("line", "column", "value", "detail"),
    [
        ("001\t1\tAlder, Jon\t1990/05/17", 4, "001", "4, 6, 17"),
        (player(1).replace("Alder, Jon", "Alder,\tJon"), 21, "001    1 m    Alder,", "21"),
        (player(1, fide_id=900001, cells=("   2\tw 1",)), 96, "001    1 m    Alder, Jon", "96"),
    ],
)
def test_each_tab_is_named_by_its_column(line, column, value, detail):
    tabs = parse(report([line, *players()[1:]])).findings.filter(rule="tab_in_line")
    assert tabs.select("column", "value", "detail").rows() == [(column, value, detail)]


@pytest.mark.parametrize("at", [53, 57, 69])
def test_what_is_out_of_its_columns_is_shown_without_a_date_of_birth(at):
    whole = player(1, fide_id=900001, cells=CELLS[0])
    report_findings = parse(report([whole[: at - 1] + "7" + whole[at - 1 :], *players()[1:]])).findings
    (row,) = report_findings.filter(rule="columns_shifted").to_dicts()
    shown = RULES["columns_shifted"].sentence.format(
        **{name: findings.of_finding("columns_shifted", row[name]) for name in ("value", "detail")}
    )
    assert (row["column"], row["value"], "[...]" in shown, "1990" in shown) == (at, "7", False, False)
