"""Events and games delivered as tables: what becomes a report, and what is refused in which row and column."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

from ratinglist.limits import LINE_LENGTH, PLAYERS
from ratinglist.reports import delivered_tables, discovery, judge
from ratinglist.reports.delivered_tables import ALLOWED, UnreadableTableError
from ratinglist.reports.games import Batch
from ratinglist.reports.judge import ReadBatch
from ratinglist.tables import FILE_FINDING

DAY = date(2025, 11, 1)
EVENTS = "event_id,name,start_date,end_date,time_control,federation\n"
OPEN = "A1,Oslo Open,2025-10-01,2025-10-03,standard,NOR\n"
OTHER = "B2,Bergen Open,2025-10-01,2025-10-03,standard,NOR\n"
GAMES = "event_id,round,date,white_id,black_id,white_result,black_result\n"
SOUND = "A1,1,2025-10-01,11,12,1,0\n"
SOUND_OTHER = "B2,1,2025-10-01,21,22,=,=\n"


def delivery(events: str | bytes, games: str | bytes, ending: str = ".csv") -> Batch:
    names = (f"in/events{ending}", f"in/games{ending}")
    data = [text.encode() if isinstance(text, str) else text for text in (events, games)]
    return delivered_tables.read_tables(dict(zip(names, data, strict=True)), *names, DAY, DAY)


def read(events: str | bytes, games: str | bytes, ending: str = ".csv") -> ReadBatch:
    tables = delivery(events, games, ending)
    return judge.read(tables.delivered, FILE_FINDING.empty(), parsed=tables.parsed)


def refusals(batch: ReadBatch) -> list[tuple[object, ...]]:
    ids = batch.reports.select("report_id", "event_id")
    refused = batch.findings.filter(effect="refused").join(ids, on="report_id")
    return sorted(refused.select("event_id", "line", "column", "value", "rule").rows())


def parquet(frame: pl.DataFrame | pa.Table) -> bytes:
    target = io.BytesIO()
    pq.write_table(frame if isinstance(frame, pa.Table) else frame.to_arrow(), target)
    return target.getvalue()


def as_parquet(text: str) -> bytes:
    return parquet(pl.read_csv(text.encode(), try_parse_dates=True))


def digests(batch: ReadBatch) -> dict[str, tuple[str, str]]:
    return {code: rest for code, *rest in batch.reports.select("event_id", "sha256", "report_id").iter_rows()}


# ------------------------------------------------------------------------------------------------------------ reading


def test_an_event_becomes_a_report_with_its_facts_players_and_games():
    batch = read(EVENTS + OPEN, GAMES + SOUND + "A1,2,2025-10-02,13,11,=,0\nA1,1,,13,,U,\nA1,2,,12,14,+,-\n")
    (report,) = batch.reports.to_dicts()
    assert (report["file_name"], report["event_id"], report["name"]) == ("in/games.csv/A1", "A1", "Oslo Open")
    assert [report[name] for name in ("players", "games", "forfeits", "byes", "rounds")] == [4, 2, 1, 1, 2]
    assert (report["accepted"], report["report_format"], report["federation"]) == (True, "table", "NOR")
    names = ("round", "date", "white_id", "black_id", "white_halves", "black_halves", "white_line", "black_line")
    assert batch.games.select(names).rows() == [
        (1, date(2025, 10, 1), 11, 12, 2, 0, 2, 2),
        (2, date(2025, 10, 2), 13, 11, 1, 0, 3, 3),
    ]
    assert batch.players.select("fide_id", "line").rows() == [(11, 2), (12, 2), (13, 3), (14, 5)]


def test_each_game_has_the_date_of_its_own_row_where_a_round_has_several():
    batch = read(EVENTS + OPEN, GAMES + SOUND + "A1,1,2025-10-02,13,14,0,1\nA1,1,,15,16,0,1\n")
    assert batch.games["date"].to_list() == [date(2025, 10, 1), date(2025, 10, 2), None]


def test_the_bytes_of_a_report_do_not_depend_on_the_order_of_the_rows_or_on_the_format():
    rows = [SOUND, SOUND_OTHER, "A1,2,2025-10-02,12,11,0,1\n", "A1,2,2025-10-03,13,14,0,1\n"]
    first = digests(read(EVENTS + OPEN + OTHER, GAMES + "".join(rows)))
    assert digests(read(EVENTS + OTHER + OPEN, GAMES + "".join(reversed(rows)))) == first
    both = (as_parquet(EVENTS + OPEN + OTHER), as_parquet(GAMES + "".join(rows)))
    assert digests(read(*both, ending=".parquet")) == first
    alone = digests(read(EVENTS + OPEN, GAMES + rows[0] + rows[2] + rows[3]))
    assert alone["A1"] == first["A1"]


def test_spreadsheets_and_databases_write_the_same_cells_in_their_own_ways():
    events = EVENTS.replace(",", ";") + '"A1";"Oslo; Open";2025-10-01;2025-10-03;Standard;nor\r\n'
    games = "\ufeff" + GAMES.upper().replace(",", ";") + "A1;1.0;;11.0;0;u;\r\n\r\nA1;2;;11;12;1;0\r\n;;;;;;\r\n"
    batch = read(events, games.encode("utf-16"))
    (report,) = batch.reports.to_dicts()
    assert (report["name"], report["games"], report["byes"], report["accepted"]) == ("Oslo; Open", 1, 1, True)
    assert batch.games["white_line"].to_list() == [4]


def test_types_of_a_database_are_read():
    events = pl.DataFrame(
        {
            "event_id": pl.Series(["A1"], dtype=pl.Categorical),
            "name": ["Oslo Open"],
            "official": [True],
            "version": pl.Series([2.0], dtype=pl.Float64),
            "start_date": pl.Series([date(2025, 10, 1)], dtype=pl.Datetime),
            "end_date": [date(2025, 10, 3)],
        }
    )
    games = pl.DataFrame(
        {
            "event_id": ["A1", "A1"],
            "round": pl.Series([1, 2], dtype=pl.Int8),
            "white_id": pl.Series([11.0, 11.0]),
            "black_id": pl.Series([12.0, None]),
            "white_result": ["1", "H"],
            "black_result": ["0", None],
        }
    )
    (report,) = read(parquet(events), parquet(games), ".parquet").reports.to_dicts()
    assert [report[name] for name in ("official", "version", "start_date", "end_date", "games", "byes")] == [
        *(True, 2, date(2025, 10, 1), date(2025, 10, 3), 1, 1)
    ]


# ----------------------------------------------------------------------------------------------------------- refusals


BOTH, OF_BOTH = EVENTS + OPEN + OTHER, GAMES + SOUND + SOUND_OTHER
CROWD = "".join(f"A1,1,,{2 * number + 1000},{2 * number + 1001},1,0\n" for number in range(PLAYERS // 2 + 1))
LONG = f"{'0' * 40}11"
MISPLACED = "a misplaced quotation mark in its"
OUT_OF_COLUMN = f"in/events.csv, row 2, column start_date (allowed: {ALLOWED['start_date']})"

# Events, games, and event, line, column, value, rule and, where it matters, detail of each refusal.
REFUSED: list[tuple[str, str, list[tuple[object, ...]]]] = [
    # The two results of one row are said to be in one row.
    (
        BOTH,
        OF_BOTH + "A1,2,,31,32,1,1\n",
        [("A1", 4, 6, "1", "results_exceed", "'1' in the same row (round 2, player 32)")],
    ),
    # A number has digits alone.
    (BOTH, OF_BOTH + "A1,+1,2025-10-01,13,14,1,0\n", [("A1", 4, 2, "+1", "game_value")]),
    (BOTH, OF_BOTH + "A1,1,2025-10-01,+13,14,1,0\n", [("A1", 4, 4, "+13", "game_value")]),
    (BOTH, OF_BOTH + "A1,1,2025-10-01,13\u2028,14,1,0\n", [("A1", 4, 4, "13\ufffd", "game_value")]),
    # A misplaced quotation mark refuses its event and no other one.
    *(
        (BOTH, f"{OF_BOTH}{row}\n", [("A1", 4, None, MISPLACED, "game_row")])
        for row in ('A1,1,,"11"7,12,1,0', 'A1,1,,x"1,1"2,12,1,0', 'A1,1,,"11,12,1,0')
    ),
    (BOTH, GAMES + SOUND, [("B2", None, None, "B2", "event_without_games")]),
    (EVENTS + OPEN, GAMES + CROWD, [("A1", None, None, str(PLAYERS + 1), "too_many_players")]),
    # A cell or a line that is too long is never taken for another value.
    (BOTH, OF_BOTH + f"A1,2,,{LONG},12,1,0\n", [("A1", 4, 4, LONG, "game_value")]),
    (BOTH, OF_BOTH + f"A1,2,,11,12,1,0{' ' * (LINE_LENGTH + 1_000)}\n", [("A1", 4, None, "7", "game_row")]),
    (BOTH, OF_BOTH + f"A1,2,,11,12,1,0{' ' * (LINE_LENGTH - 1_000)}\n", []),
    # A date is missing only where the cell is blank.
    (
        EVENTS + OPEN.replace("2025-10-01", "2025-13-40") + OTHER.replace("2025-10-03", ""),
        OF_BOTH,
        [
            ("A1", None, None, "2025-13-40", "event_value", OUT_OF_COLUMN),
            ("B2", None, None, "end_date", "event_date_missing", "in/events.csv, row 3"),
        ],
    ),
    (EVENTS + OPEN, GAMES + SOUND.replace("2025-10-01", "31.02.2025", 1), [("A1", 2, 3, "31.02.2025", "game_value")]),
]


@pytest.mark.parametrize(("events", "games", "refused"), REFUSED)
def test_a_fault_refuses_its_event_alone_and_names_its_place(events, games, refused):
    batch = read(events, games)
    details = batch.findings.filter(effect="refused")["detail"].to_list()
    assert refusals(batch) == [finding[:5] for finding in refused]
    assert [detail for finding in refused for detail in finding[5:] if detail not in details] == []
    codes = {code for code, *_ in refused}
    assert set(batch.reports.filter("accepted")["event_id"]) == set(batch.reports["event_id"]) - codes


def test_a_table_has_no_more_rows_than_the_limit():
    table = (GAMES + SOUND + "\n" + SOUND_OTHER).encode()
    assert len(delivered_tables.read_cells("games.csv", table, ["event_id"], most_rows=4).rows) == 2
    with pytest.raises(UnreadableTableError, match="more than 4 rows"):
        delivered_tables.read_cells("games.csv", table + b"\n", ["event_id"], most_rows=4)


@given(st.lists(st.text('",a ', max_size=9), min_size=1, max_size=20))
def test_a_line_is_sound_where_each_of_its_cells_is_quoted_wholly_or_not_at_all(texts: list[str]):
    lines = pl.DataFrame({"row": range(len(texts)), "text": texts}, schema={"row": pl.UInt32, "text": pl.String})
    sound, broken = delivered_tables.split_lines(lines, ["event_id", "round"], ",", "event_id")
    cell = '(?:"(?:[^"]|"")*"|[^",]*)'
    expected = [text for text in texts if re.fullmatch(f"{cell},{cell}", text) and text.strip(" ,")]
    assert sound["cells"].to_list() == list(csv.reader(expected))
    blank = [text for text in texts if not text.strip(" ,") and text.count(",") == 1]
    assert len(broken) == len(texts) - len(expected) - len(blank)


def test_an_event_whose_rows_are_all_bad_keeps_its_name_and_its_facts():
    batch = read(EVENTS + OPEN, GAMES + "A1,1,,11,12,1,1\n")
    facts = batch.reports.select("name", "federation", "start_date", "players", "accepted").rows()
    assert facts == [("Oslo Open", "NOR", date(2025, 10, 1), 0, False)]


def test_games_without_a_code_are_kept_as_a_refused_report():
    batch = read(EVENTS + OPEN, GAMES + SOUND + ",2,,31,32,1,0\n")
    refused = batch.reports.filter(~pl.col("accepted"))
    assert refused["file_name"].to_list() == ["in/games.csv/(no event_id)"]


def test_a_row_that_names_no_event_is_a_problem_of_the_delivery():
    batch = delivery(EVENTS + OPEN + ",Nowhere,,,,\n", GAMES + SOUND)
    (problem,) = batch.problems
    assert problem.startswith("in/events.csv, row 3, column event_id: ''")


def test_what_is_odd_is_noted_with_its_row():
    rows = SOUND + "A1,2,,12,11,0,1\nA1,3,,11,12,,\nA1,4,,11,12,W,-\n"
    notes = read(EVENTS + OPEN, GAMES + rows).findings.filter(effect="noted")
    noted = notes.filter(~pl.col("rule").str.starts_with("default")).select("line", "rule").sort("line").rows()
    assert noted == [
        (2, "pair_repeated"),
        (4, "pairing_without_result"),
        (5, "forfeit_not_agreed"),
    ]


def test_the_canonical_rows_alone_have_every_result_of_the_event():
    rows = SOUND + "A1,2,2025-10-02,13,11,=,=\nA1,1,,13,,U,\nA1,2,,12,14,+,-\n"
    tables = delivery(EVENTS + OPEN, GAMES + rows)
    (text,) = tables.delivered["text"]
    assert text == (
        "round\tdate\twhite_id\tblack_id\twhite_result\tblack_result\n"
        "1\t\t13\t\tU\t\n1\t2025-10-01\t11\t12\t1\t0\n2\t\t12\t14\t+\t-\n2\t2025-10-02\t13\t11\t=\t=\n"
    )
    assert list(tables.originals.values()) == [text.encode()]
    cells = judge.cells_of(pl.DataFrame({"file_no": [7], "text": [text]}))
    assert cells.rows() == [
        *((7, 1, 1, 2, "1"), (7, 1, 2, 3, "=")),
        *((7, 2, 1, 1, "0"), (7, 2, 2, 4, "+")),
        *((7, 3, 1, None, "U"), (7, 3, 2, 1, "=")),
        (7, 4, 2, 2, "-"),
    ]


# -------------------------------------------------------------------------------------------------- whole tables


def repeated(text: str, rows: int) -> bytes:
    """A small Parquet file of games that unpacks to a text in every row."""
    names = GAMES.strip().split(",")
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))
    return parquet(pa.table(dict.fromkeys(names, column)))


@pytest.mark.parametrize(
    ("games", "ending", "reason"),
    [
        ("event_id,round,white_id,black_id,white_result\nA1,1,11,12,1\n", ".csv", "'black_result' is missing"),
        (GAMES.replace("date", "round"), ".csv", "'round' appears twice"),
        ("", ".csv", "the file is empty"),
        (b"\xef\xbb\xbf", ".csv", "is empty"),
        (b"\xef\xbb\xbf\xef\xbb\xbf\n", ".csv", "is empty"),
        (b"\x00\x01\x02", ".csv", "is not text"),
        ("x" * 20_000, ".csv", "the header at most"),
        (b"PAR1 and no more", ".parquet", "not a readable Parquet file"),
        (repeated("x" * 3_000, 10), ".parquet", "a text of 3000 bytes"),
        (repeated("x", 2_000_000), ".parquet", "claims 2000000 rows"),
        (parquet(pa.table({name: [[1]] for name in GAMES.strip().split(",")})), ".parquet", "its type is list"),
    ],
)
def test_a_table_that_cannot_be_used_names_the_reason(games, ending, reason):
    events = EVENTS + OPEN if ending == ".csv" else as_parquet(EVENTS + OPEN)
    with pytest.raises(UnreadableTableError, match=reason):
        delivery(events, games, ending)


def test_a_cell_of_parquet_that_is_too_long_refuses_its_event_alone():
    events = EVENTS + OPEN + OTHER.replace("Bergen", " " * 600 + "Bergen")
    games = GAMES + SOUND + f"A1,2,,{LONG},12,1,0\n" + SOUND_OTHER
    tables = [parquet(pl.read_csv(text.encode(), infer_schema=False)) for text in (events, games)]
    batch = read(*tables, ".parquet")
    assert refusals(batch) == [("A1", 2, 4, LONG, "game_value")]
    assert batch.games["white_id"].to_list() == [21]


def test_a_table_of_games_has_no_more_events_than_the_limit(monkeypatch):
    monkeypatch.setattr(delivered_tables, "TABLE_EVENTS", 1)
    with pytest.raises(UnreadableTableError, match="more than 1 events"):
        delivery(EVENTS + OPEN, GAMES + SOUND + SOUND_OTHER)


def test_days_that_no_calendar_has_refuse_the_event_alone():
    days = pa.array([2**31 - 1, 20_000], pa.int32()).cast(pa.date32())
    columns: dict[str, Sequence[object] | pa.Array] = {
        "event_id": ["A1", "B2"],
        "round": [1, 1],
        "date": days,
        "white_id": [11, 21],
        "black_id": [12, 22],
        "white_result": ["1", "1"],
        "black_result": ["0", "0"],
    }
    batch = read(as_parquet(EVENTS + OPEN + OTHER), parquet(pa.table(columns)), ".parquet")
    assert refusals(batch) == [
        ("A1", 1, 3, "a date outside the years 1 to 9999 (day 2147483647 from 1970-01-01)", "game_value")
    ]


def test_a_day_as_spreadsheets_save_it_is_read():
    def dotted(text: str) -> str:
        return re.sub("2025-10-0([0-9])", r"\1.10.2025", text)

    assert dotted(OPEN + SOUND).count("1.10.2025") == 2
    turned = read(EVENTS + dotted(OPEN), GAMES + dotted(SOUND))
    assert digests(turned) == digests(read(EVENTS + OPEN, GAMES + SOUND))


def test_tables_are_found_by_their_names_and_only_as_a_pair(tmp_path: Path):
    for folder, names in {
        "pair": ("events.csv", "Games.CSV"),
        "mixed": ("events.parquet", "games.csv"),
        "alone": ("events.csv",),
        "doubtful": ("events.csv", "games.csv", "games.parquet"),
    }.items():
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).write_text(GAMES)
    delivered_files = discovery.find([tmp_path])
    assert [Path(games.name).parent.name for _, games in delivered_files.tables] == ["mixed", "pair"]
    assert [Path(name).parent.name for name in delivered_files.skipped] == ["alone"]
    (names,) = delivered_files.unread
    assert [Path(name).parent.name for name in names.split(" and ")] == ["doubtful"] * 3


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_table_read_in_slices_gives_the_same_reports_and_findings(monkeypatch: pytest.MonkeyPatch, ending: str):
    rows = [SOUND, "A1,2,,11,13,1,1\n", "B2,1,,21,,9,0\n", "B2,1,x,21,22,=,=\n"]
    rows += ["C3,1,,31,32,1,0\n", "C3,2,,31,32,1,\n"]
    tables = [text.encode() for text in (EVENTS + OPEN + OTHER, GAMES + "\n".join(rows * 3))]
    if ending == ".parquet":
        tables = [parquet(pl.read_csv(text, infer_schema=False)) for text in tables]
    whole = read(*tables, ending)
    monkeypatch.setattr(delivered_tables, "_ROWS_AT_ONCE", 2)
    sliced = read(*tables, ending)
    for name in ("reports", "players", "games", "findings"):
        assert getattr(sliced, name).equals(getattr(whole, name)), name
    assert whole.findings.filter(effect="refused").height > 3
