"""The schema of every table: what one row is, its columns with type and meaning, its key.

The DDL in ``sql/store`` and the published files are tested against this module, and ``make docs`` makes a page of it.
A frame that crosses a module boundary has exactly one of these schemas.

Units: a score is in half points (0, 1, 2), an expected score and a change in hundredths of a point. A month is text,
``YYYY-MM``, and means the list that takes effect on its first day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from ratinglist.messages import GAME_REASONS
from ratinglist.result_codes import CODES, COLOURS


@dataclass(frozen=True, slots=True)
class FideColumn:
    """Describe a column of FIDE's lists: its heading and its width in the text, and its element in the XML."""

    heading: str
    width: int
    element: str


@dataclass(frozen=True, slots=True)
class Column:
    """Declare one column: what writes, compares, shows or documents a column takes everything from here.

    ``dtype``: its Polars type; the end of its name is its unit. ``null``: whether it may be null. ``fide``: only of
    a column of the lists, its place in FIDE's lists; None where they do not have it. The formats for programs carry
    every column.
    """

    dtype: pl.DataType
    description: str
    null: bool = False
    fide: FideColumn | None = None


_UNITS = {
    "_halves": "half points",
    "_hundredths": "hundredths",
    "_ten_thousandths": "ten-thousandths",
    "_thousandths": "thousandths",
}
"""The unit of a column by the end of its name; the first that fits."""


_WORDS = {"fide_id": "FIDE ID", "k": "K", "women_title": "women's title"}


def words_of(name: str) -> str:
    """Return the words by which a sentence names a column of whichever table."""
    return _WORDS.get(name, name.replace("_", " "))


def unit_of(name: str) -> str:
    """Return the unit that the end of a column's name states; empty where a column has none."""
    return next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), "")


@dataclass(frozen=True, slots=True)
class Table:
    """Describe one table.

    ``key`` names the columns that identify a row. ``order`` names the columns a published file is sorted by (without
    it: the key), and ``descending`` which of them descend.
    """

    name: str
    one_row_per: str
    columns: dict[str, Column]
    key: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    descending: tuple[bool, ...] = ()

    @property
    def schema(self) -> pl.Schema:
        """Return the column names and Polars types, in order."""
        return pl.Schema({name: column.dtype for name, column in self.columns.items()})

    def empty(self) -> pl.DataFrame:
        """Return a frame of this table without rows."""
        return pl.DataFrame(schema=self.schema)

    def conform(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return ``frame`` with exactly this table's columns, in order and cast to their types.

        Raises ``polars.exceptions`` errors where a column is missing or a value does not fit: that is a defect of the
        program, never of the data.
        """
        return frame.select(pl.col(name).cast(column.dtype) for name, column in self.columns.items())

    def coded(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return ``frame`` as :meth:`conform` does, but keep texts that are numbers of an Enum as they are."""
        return frame.select(
            pl.col(name) if isinstance(frame.schema[name], pl.Enum) else pl.col(name).cast(column.dtype)
            for name, column in self.columns.items()
        )

    def completed(self, frame: pl.DataFrame, *, blank_texts: bool = False) -> pl.DataFrame:
        """Return ``frame`` as :meth:`conform` does; columns that it lacks are null, or with ``blank_texts`` empty."""
        missing = {name: column for name, column in self.columns.items() if name not in frame.columns}
        return self.conform(
            frame.with_columns(
                pl.lit("" if blank_texts and column.dtype == pl.String() else None).alias(name)
                for name, column in missing.items()
            )
        )

    def extended(self, columns: Mapping[str, Column]) -> Table:
        """Return the table with ``columns`` at the end; those it has already are replaced in their places."""
        return replace(self, columns={**self.columns, **columns})

    def sorted(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return ``frame`` in the published order."""
        return frame.sort(self.order or self.key, descending=list(self.descending) or False)


def dictionary_encode(texts: pl.Series) -> pl.Series:
    """Return low-cardinality text as an Enum: every value is a number in the sorted list of the different texts.

    Encoded values compare as the texts do, because that list is sorted, and are cheaper to gather by the million.
    """
    return texts.cast(pl.Enum(texts.drop_nulls().unique().sort()))


_text = partial(Column, pl.String())
_int = partial(Column, pl.Int32())
_fide_id = partial(Column, pl.Int64())
_date = partial(Column, pl.Date())
_flag = partial(Column, pl.Boolean())


def _of(table: Table, *names: str) -> dict[str, Column]:
    """Return columns that another table declares."""
    return {name: table.columns[name] for name in names}


_FILE_NO = _int("number of the file within one batch of deliveries")
_FINDING = {
    "line": _int("line in the report, from 1", null=True),
    "column": _int("column of the line, from 1", null=True),
    "value": _text("the value in that place"),
    "rule": _text("code of the rule broken, from the catalogue in findings"),
    "detail": _text("what the rule's sentence needs in addition to the value; may be empty"),
}

# ------------------------------------------------------------------------------------------------ reading reports

DELIVERED = Table(
    "delivered",
    "report file found in a delivery, decoded",
    {
        "file_no": _FILE_NO,
        "file_name": _text("path as delivered, with / between folders; 'archive.zip/path' inside an archive"),
        "sha256": _text("digest of the original bytes"),
        "text": _text("the decoded text, lines ended by LF only; of an event of tables its canonical rows"),
        "received_on": _date("the day the report arrived"),
        "event_id": _text("manifest: registration code", null=True),
        "version": _int("manifest: version of the report", null=True),
        "event_type": _text("manifest: swiss, roundrobin, double_roundrobin, team, match", null=True),
        "time_control": _text("manifest: standard, rapid, blitz", null=True),
        "official": _flag("manifest: official FIDE or continental event", null=True),
        "federation": _text("manifest: three letters", null=True),
        "start_date": _date("manifest", null=True),
        "end_date": _date("manifest", null=True),
        "registered_on": _date("manifest", null=True),
        "minutes_per_60_moves": _int("manifest: thinking time per player for 60 moves", null=True),
        "event_name": _text("manifest: name of the tournament", null=True),
        "player_ids": _text(
            "manifest: start numbers and FIDE IDs of players, such as 3=99900208 12=99900347", null=True
        ),
    },
    key=("file_no",),
)

HEADER = Table(
    "header",
    "report file, with the content of its tournament records",
    {
        "file_no": _FILE_NO,
        "name": _text("012", null=True),
        "city": _text("022", null=True),
        "federation": _text("032, upper case", null=True),
        "start_date": _date("042", null=True),
        "end_date": _date("052", null=True),
        "type_text": _text("092, free text", null=True),
        "chief_arbiter": _text("102", null=True),
        "time_text": _text("122, free text", null=True),
        "time_text_line": _int("line of 122", null=True),
        "type_code": _text("192", null=True),
        "time_code": _text("222", null=True),
        "rounds": _int("number of rounds: the greatest of 142 (or XXR, or the last with a cell) and 132"),
        "teams": _int("number of 013 or 310 records"),
        "report_format": _text("TRF16 or TRF26"),
        "start_date_line": _int("line of 042", null=True),
        "end_date_line": _int("line of 052", null=True),
        "start_date_text": _text("042 as written", null=True),
        "end_date_text": _text("052 as written", null=True),
        "first_round_date": _date("the first day of 132, and of games with a day of their own", null=True),
        "last_round_date": _date("the last day of 132, and of games with a day of their own", null=True),
    },
    key=("file_no",),
)

PLAYER_LINE = Table(
    "player_line",
    "001 record of a report",
    {
        "file_no": _FILE_NO,
        "line": _int("line in the report, from 1"),
        "start_number": _int("columns 5-8", null=True),
        "sex": _text("column 10: M, F or empty"),
        "name": _text("columns 15-47, blanks trimmed"),
        "rating": _int("columns 49-52 as written; never used to rate", null=True),
        "federation": _text("columns 54-56, upper case, may be empty"),
        "fide_id": _fide_id("columns 58-68", null=True),
        "birth_date": _date("columns 70-79 where the day is known", null=True),
        "birth_year": _int("columns 70-79", null=True),
        "points_tenths": _int("columns 81-84 in tenths of a point; never used to rate", null=True),
    },
    key=("file_no", "line"),
)

CELL = Table(
    "cell",
    "round cell of a player's line that is not wholly blank",
    {
        "file_no": _FILE_NO,
        "line": _int("line in the report, from 1"),
        "column": _int("first column of the cell: 92 + 10 × (round − 1)"),
        "start_number": _int("the player's own start number"),
        "round": _int("from 1"),
        "opponent_number": _int("start number of the opponent; null for 0000 or blank", null=True),
        "colour": Column(pl.Enum(COLOURS), "w, b or empty"),
        "code": Column(
            pl.Enum(CODES),
            "result code in upper case: 1 = 0 + - W D L H F U Z or empty; ? where the cell cannot be read",
        ),
        "date": _date("date of the round from record 132", null=True),
    },
    key=("file_no", "line", "round"),
)

PAIRED_GAME = Table(
    "paired_game",
    "game played over the board: both players' cells agree",
    {
        "file_no": _FILE_NO,
        "round": _int("from 1"),
        "date": _date("date of the round where the report gives it", null=True),
        "white_number": _int("start number of White"),
        "black_number": _int("start number of Black"),
        "white_halves": _int("score of White by White's own result code, in half points"),
        "black_halves": _int("score of Black by Black's own result code, in half points"),
        "white_line": _int("line of White's cell"),
        "black_line": _int("line of Black's cell"),
    },
    key=("file_no", "round", "white_number"),
)

FILE_FINDING = Table(
    "file_finding",
    "thing noticed in a file: what refuses it, or what is only noted",
    {"file_no": _FILE_NO, **_FINDING},
)

# ---------------------------------------------------------------------------------------------------- facts kept

REPORT = Table(
    "report",
    "version of an event's report ever received",
    {
        "report_id": _text("digest of the bytes and of everything the manifest states about them"),
        "sha256": _text(
            "digest of the original bytes, or of the rows of an event of tables: the name of the file in `reports/`"
        ),
        "file_name": _text("path as first delivered"),
        "received_on": _date("first day this version was received: when it was known"),
        "event_id": _text("registration code; default: digest of name, start date and federation"),
        "version": _int("a higher version replaces the lower"),
        "name": _text("name of the event; its code where the name must not be published"),
        "federation": _text("three letters, may be empty"),
        "start_date": _date("first day of the event", null=True),
        "end_date": _date("last day of the event", null=True),
        "event_type": _text("swiss, roundrobin, double_roundrobin, team, match"),
        "time_control": _text("standard, rapid, blitz; empty where it is not known and the report waits"),
        "official": _flag("official FIDE or continental event"),
        "registered_on": _date("day of registration", null=True),
        "minutes_per_60_moves": _int("thinking time per player for 60 moves", null=True),
        "report_format": _text("TRF16, TRF26 or table"),
        "rounds": _int("number of rounds"),
        "first_round": _int("first round with a played game", null=True),
        "last_round": _int("last round with a played game", null=True),
        "players": _int("player lines"),
        "games": _int("games played over the board"),
        "forfeits": _int("games decided without play"),
        "byes": _int("byes and absences"),
        "games_digest": _text("digest of the played games whatever their order; empty without any: finds duplicates"),
        "accepted": _flag("false: refused, see finding"),
    },
    key=("report_id",),
)

_NUMBERED = "the report; in the store its `report_no`, which the table `report` states"

REPORT_PLAYER = Table(
    "report_player",
    "player line of an accepted report",
    {
        "report_id": _text(_NUMBERED),
        **{name: column for name, column in PLAYER_LINE.columns.items() if name != "file_no"},
    },
    key=("report_id", "start_number"),
)

REPORT_GAME = Table(
    "report_game",
    "game played over the board of an accepted report",
    {
        "report_id": _text(_NUMBERED),
        "round": _int("from 1"),
        "date": _date("date of the round, else of a one-day event", null=True),
        "white_id": _fide_id("FIDE ID of White"),
        "black_id": _fide_id("FIDE ID of Black"),
        "white_halves": _int("score of White by White's own result code, in half points"),
        "black_halves": _int("score of Black by Black's own result code, in half points"),
        "white_line": _int("line of White's cell in the report"),
        "black_line": _int("line of Black's cell in the report"),
    },
    key=("report_id", "round", "white_id"),
)

EARLIER_EVENT = Table(
    "earlier_event",
    "report that an earlier list settled: rated, found late or a duplicate, or superseded",
    {
        "event_id": _text("registration code"),
        "status": _text("rated, late, duplicate, superseded"),
        **_of(REPORT, "report_id", "version", "received_on", "games_digest", "start_date", "end_date"),
        **_of(REPORT, "time_control", "first_round", "last_round"),
    },
)

EARLIER_GAME = Table(
    "earlier_game",
    "game that an earlier list rated, with the columns that identify it in another report",
    {
        "event_code": _text("registration code"),
        "report_id": _text("the report"),
        "games": _int("games played over the board in the report"),
        **_of(REPORT, "name", "federation"),
        "time_control": _text("standard, rapid, blitz"),
        "version": _int("version of the report"),
        "received_on": _date("day it was received"),
        "first_received_on": _date("day the first version of its code was received"),
        **_of(REPORT, "start_date", "end_date", "first_round", "last_round"),
        **_of(REPORT_GAME, "round", "date", "white_id", "black_id", "white_halves", "black_halves"),
    },
)

FINDING = Table(
    "finding",
    "thing noticed in a report: what refused it, or what was only noted",
    {"report_id": _text("the report"), **_FINDING, "effect": _text("refused, waits or noted")},
)

PLAYER = Table(
    "player",
    "version of a player's data: a change is a new row, nothing is overwritten",
    {
        "fide_id": _fide_id("identification number"),
        "name": _text("'Surname, Given'"),
        "federation": _text("three letters"),
        "sex": _text("M, F or empty"),
        "title": _text("GM, IM, FM, CM, WGM, WIM, WFM, WCM or empty"),
        "women_title": _text("WGM, WIM, WFM, WCM or empty"),
        "other_titles": _text("arbiter, organiser, trainer titles, comma-separated"),
        "birth_date": _date("where known; never leaves the store", null=True),
        "birth_year": _int("where known", null=True),
    },
    key=("fide_id",),
)

PLAYER_TEXTS = tuple(name for name, column in PLAYER.columns.items() if column.dtype == pl.String())
"""The texts of a player."""

MEMBERSHIP = Table(
    "membership",
    "version of a player's membership of a club: a change is a new row, nothing is overwritten",
    {
        "fide_id": _fide_id("identification number"),
        "club": _text("name of the club as the office writes it; empty: of none"),
        "member_until": _date("last day of the membership; null: no end is known", null=True),
    },
    key=("fide_id",),
)
"""Kept apart from ``PLAYER``: no list is calculated from it and none carries it, so that it changes none."""

MEMBER = Table(
    "members",
    "registered player who is of a club",
    {
        **_of(PLAYER, "fide_id", "name", "federation"),
        **_of(MEMBERSHIP, "club", "member_until"),
    },
    key=("fide_id",),
)

LIST_STATE = Table(
    "list_state",
    "player and time control on a list, with the state the development coefficient depends on",
    {
        "month": _text("the list"),
        "time_control": _text("standard, rapid, blitz"),
        "fide_id": _fide_id("identification number"),
        "rating": _int("null: known and unrated, or delisted", null=True),
        "games": _int("games rated in the period of this list"),
        "k": _int(
            "K from this list on, before the limit on K × games; null where unrated, or if an imported list lacks it",
            null=True,
        ),
        "games_played": _int("games counted towards the first 30, those of the entry included"),
        "reached_2400": _flag("a published rating ever was 2400 or more"),
        "reached_2300": _flag("a published rating ever was 2300 or more"),
        "last_played": _date("first day of the list that last counted a rated game", null=True),
        "inferred": _text("names of the columns above that an import had to infer, comma-separated"),
    },
    key=("month", "time_control", "fide_id"),
)

# ---------------------------------------------------------------------------------------------- what is published

EVENT = Table(
    "events",
    "event known to the period",
    {
        "event_id": _text("registration code"),
        "name": _text("name of the event; its code where the name must not be published"),
        "federation": _text("three letters, may be empty"),
        "time_control": _text("standard, rapid, blitz"),
        "event_type": _text("swiss, roundrobin, double_roundrobin, team, match"),
        "start_date": _date("first day", null=True),
        "end_date": _date("last day", null=True),
        "received_on": _date("day this version was received"),
        "version": _int("version of the report"),
        "status": _text("rated, deferred, late, duplicate, superseded, refused"),
        "reason": _text("why it is not rated: a code (page of reasons); empty where it is"),
        "report_sha256": _text("digest of the report's bytes"),
        "players": _int("player lines"),
        "games": _int("games played over the board"),
        "official": Column(pl.Boolean(), "official FIDE or continental event", null=True),
        **_of(REPORT, "registered_on", "minutes_per_60_moves"),
    },
    key=("event_id",),
)

GAME = Table(
    "games",
    "player and played game of every event considered, rated or not",
    {
        "time_control": _text("standard, rapid, blitz"),
        "event_id": _text("registration code"),
        "round": _int("from 1"),
        "fide_id": _fide_id("the player"),
        "date": _date("date of the round where the report gives it", null=True),
        "opponent_id": _fide_id("the opponent"),
        "colour": _text("w, b"),
        "score_halves": _int("the player's own score in half points"),
        "rating": _int("rating used for the player; null: unrated", null=True),
        "opponent_rating": _int("rating used for the opponent; null: unrated", null=True),
        "difference": _int("rating − opponent_rating", null=True),
        "difference_used": _int("the difference after the rule on large differences", null=True),
        "expected_hundredths": _int("expected score", null=True),
        "k": _int("K applied", null=True),
        "change_hundredths": _int("K × (score − expected score)", null=True),
        "rule_set": _text("family, time control and date of the rule set", null=True),
        "rated": _flag("the game changed the player's rating"),
        "reason": _text("why not: a code (page of reasons); empty where rated"),
    },
    key=("time_control", "event_id", "round", "fide_id"),
)

CHANGE = Table(
    "changes",
    "player whose rating was computed in the period",
    {
        "time_control": _text("standard, rapid, blitz"),
        "fide_id": _fide_id("the player"),
        "old_rating": _int("what the change is added to; null: unrated before", null=True),
        "games": _int("games rated in the period"),
        "k": _int("K applied; null where the period's events had different ones, or no game was rated", null=True),
        "change_hundredths": _int("exact change before rounding; null for a player who entered", null=True),
        "change": _int("the change after rounding; null for a player who entered", null=True),
        "new_rating": _int("null: no longer listed", null=True),
        "status": _text("rated, entered, delisted, lapsed"),
    },
    key=("time_control", "fide_id"),
)

ENTRY = Table(
    "entries",
    "unrated player with counted results",
    {
        "time_control": _text("standard, rapid, blitz"),
        "fide_id": _fide_id("the player"),
        "games": _int("counted games against rated opponents in the pool"),
        "score_halves": _int("points in them, in half points"),
        "opponent_average": Column(pl.Decimal(12, 2), "Ra, as the rule set defines it, half up to 2 places"),
        "p_hundredths": _int("share of the points, as the rule set defines it, half up to hundredths"),
        "dp": _int("what is added to Ra"),
        "computed_rating": _int("null: fewer games than the rule set asks for", null=True),
        "published": _flag("true: the player enters the list"),
        "reason": _text("why not: a code (page of reasons); empty where published"),
    },
    key=("time_control", "fide_id"),
)

POOL = Table(
    "pool",
    "unrated player and event whose results still wait",
    {
        "time_control": _text("standard, rapid, blitz"),
        "fide_id": _fide_id("the player"),
        "event_id": _text("registration code"),
        "games": _int("games against rated opponents"),
        "score_halves": _int("points in them, in half points"),
        "opponent_rating_sum": _int("sum of the opponents' ratings"),
        "counted_month": _text("the list that counted the result"),
        "expires_month": _text("the first list that no longer counts it; empty where results do not expire"),
    },
    key=("time_control", "fide_id", "event_id"),
)

LISTED = Table(
    "list",
    "rated player",
    {
        "list_month": _text("the list"),
        "time_control": _text("standard, rapid, blitz"),
        "fide_id": _fide_id("identification number", fide=FideColumn("ID Number", 15, "fideid")),
        "name": _text("'Surname, Given'", fide=FideColumn("Name", 61, "name")),
        "federation": _text("three letters", fide=FideColumn("Fed", 4, "country")),
        "sex": _text("M, F or empty", fide=FideColumn("Sex", 4, "sex")),
        "title": _text(
            "GM, IM, FM, CM, WGM, WIM, WFM, WCM or empty",
            fide=FideColumn("Tit", 5, "title"),
        ),
        "women_title": _text(
            "WGM, WIM, WFM, WCM or empty",
            fide=FideColumn("WTit", 5, "w_title"),
        ),
        "other_titles": _text(
            "arbiter, organiser, trainer titles, comma-separated",
            fide=FideColumn("OTit", 15, "o_title"),
        ),
        "rating": _int("the rating", fide=FideColumn("Rtng", 6, "rating")),
        "games": _int("games rated in the period", fide=FideColumn("Gm", 4, "games")),
        "k": _int(
            "development coefficient K from this list on",
            fide=FideColumn("K", 3, "k"),
        ),
        "birth_year": _int(
            "where known",
            null=True,
            fide=FideColumn("B-day", 6, "birthday"),
        ),
        "flag": _text(
            "empty, i (inactive), w (woman), wi (both)",
            fide=FideColumn("Flag", 4, "flag"),
        ),
    },
    key=("time_control", "fide_id"),
    order=("rating", "fide_id"),
    descending=(True, False),
)

FIGURES = ("rating", "games", "k")
"""The columns of a list that are calculated, and differ between the time controls of a player."""

LISTED_DATA = {
    name: column
    for name, column in LISTED.columns.items()
    if name not in (*LISTED.key, *FIGURES) and name != "list_month"
}
"""The columns of a list with a player's data."""

FIDE_COLUMNS = {name: column.fide for name, column in LISTED.columns.items() if column.fide is not None}
"""The columns of FIDE's lists, in their order."""


DIFF = Table(
    "diff",
    "player whom a revision changed, against the revision before",
    {
        "time_control": _text("standard, rapid, blitz"),
        **_of(PLAYER, "fide_id", "name", "federation"),
        "old_rating": _int("on the revision before; null: not on it", null=True),
        "new_rating": _int("on this revision; null: not on it", null=True),
        "difference": _int("new − old; null where one is missing", null=True),
        "old_games": _int("games rated in the period", null=True),
        "new_games": _int("games rated in the period", null=True),
        "old_k": _int("K from this list on", null=True),
        "new_k": _int("K from this list on", null=True),
        "cause": _text(
            "game, opponent, list_before, data, rules: the nearest link of the chain; unknown: none was found"
        ),
        "because": _text("that link as a sentence"),
        "corrections": _text("numbers of the corrections at the end of the chain, comma-separated; empty: none"),
        "rule_files": _text("rule files changed since, at the end of the chain, comma-separated; empty: none"),
    },
    key=("time_control", "fide_id"),
)

UNRATED = Table(
    "unrated",
    "player of the month's games, entries or pool who is on none of its lists",
    {
        **_of(PLAYER, "fide_id", "name", "federation"),
    },
    key=("fide_id",),
)

BOTH_NUMBERS = Table(
    "both_numbers",
    "player on a list, as it was first published or as it is now known",
    {
        "list_month": _text("the list"),
        "time_control": _text("standard, rapid, blitz"),
        **_of(PLAYER, "fide_id", "name", "federation"),
        "as_published": _int("the rating of the first revision, which never changes; null: not on it", null=True),
        "as_now_known": _int("the rating with every correction; null: not on the list", null=True),
    },
    key=("time_control", "fide_id"),
)

EVENT_STATUS = Table(
    "event_status",
    "report of an event ever received, with its status: where is my event?",
    {
        **_of(EVENT, "event_id", "name", "federation", "time_control", "start_date", "end_date"),
        "received_on": _date("day it was received; of a corrected report, that of the one it replaces"),
        **_of(EVENT, "version", "report_sha256"),
        "status": _text("rated, deferred, late, duplicate, superseded, refused, replaced; waiting: not judged yet"),
        "reason": _text("why it is not rated: a code (page of reasons); empty where it is"),
        "list_month": _text("the newest list that judged it; it rated the event where the status is rated", null=True),
        "missing": _text("what has to be done, as a sentence; empty where nothing has to be"),
        "last_list": _text("the last list that can rate it; null: no limit, or none is known", null=True),
        "rateable_until": _date("the day it has to be complete by, for that list", null=True),
    },
    key=("event_id", "report_sha256"),
)

ROLLED_BACK = Table(
    "rolled_back",
    "time that a month's current revision was changed by hand: also in `rollbacks.csv` of the month",
    {
        "rollback_no": _int("in the order they were made, over all months"),
        "month": _text("the list"),
        "from_revision": _int("the revision taken back"),
        "to_revision": _int("the revision that is current from then on"),
        "from_digest": _text("digest of the manifest of the one"),
        "to_digest": _text("digest of the manifest of the other"),
        "reason": _text("why, as given"),
        "who": _text("who decided it; empty where it was not given"),
        "rolled_back_on": _date("the day"),
    },
    key=("rollback_no",),
)

DISMISSAL = Table(
    "dismissal",
    "time that a refused report was set aside; the newest one of a report holds",
    {
        "dismissal_no": _int("in the order they were made"),
        "report_id": _text("the report"),
        "reason": _text("why it was set aside"),
        "known_on": _date("the day"),
    },
    key=("dismissal_no",),
)

LISTS = ("standard", "rapid", "blitz")
"""The time controls. Each has a list of its own where it has a rated player."""
EVENT_TYPES = ("swiss", "roundrobin", "double_roundrobin", "team", "match")
"""The types of events."""

PUBLISHED: dict[str, Table] = {
    **dict.fromkeys(LISTS, LISTED),
    "changes": CHANGE,
    "games": GAME,
    "entries": ENTRY,
    "pool": POOL,
    "events": EVENT,
    "unrated": UNRATED,
    "diff": DIFF,
}
"""The allow-list of published tables, by file stem."""

# ------------------------------------------------------------------------------- families that are not FIDE's

_OF_RATING = {
    "rating_hundredths": _int("the rating in hundredths; null where the system has none", null=True),
    "deviation_hundredths": _int("the deviation in hundredths; null where the system has none", null=True),
}
_IN_THOUSANDTHS = {
    "expected_thousandths": _int("expected score in thousandths; null where the system has none", null=True),
    "change_thousandths": _int("change in thousandths; null where the system has none", null=True),
}

SYSTEM_LISTED = LISTED.extended(
    {
        "k": replace(LISTED.columns["k"], description="K from this list on; null where the system has none", null=True),
        **_OF_RATING,
    }
)

SYSTEM_DIFF = DIFF.extended(
    {
        f"{when}_{name}": _int(f"{what}, in hundredths, {on}; null where the system has none", null=True)
        for name, what in (("rating_hundredths", "rating"), ("deviation_hundredths", "deviation"))
        for when, on in (("old", "on the revision before"), ("new", "on this revision"))
    }
)

SYSTEM_CHANGE = CHANGE.extended(
    {
        "change_hundredths": _int("exact change before rounding; null where it is not in hundredths", null=True),
        "change": _int("new rating − old rating, or − what an entering player counted as", null=True),
        "change_thousandths": _int("exact change before rounding, in thousandths", null=True),
        **_OF_RATING,
        "games_before": _int("games counted before this list"),
        "performance_games": _int("games whose performances are averaged; null where there are none", null=True),
        "performance_sum": _int("sum of the performances of these games", null=True),
    }
)

_OF_SIDE = {
    **_IN_THOUSANDTHS,
    **_OF_RATING,
    "opponent_rating_hundredths": _int("the opponent's rating in hundredths", null=True),
    "opponent_deviation_hundredths": _int("the opponent's deviation in hundredths, grown to this list", null=True),
    "weight_thousandths": _int("weight of the game in thousandths; null where all games weigh alike", null=True),
}
SYSTEM_SIDE = Table(
    "side",
    "player and played game of every event considered, as a system returns it",
    {
        "event_no": Column(pl.UInt32(), "number of the event"),
        **_of(GAME, "round", "fide_id", "date", "opponent_id"),
        "is_white": _flag("the player had White"),
        **_of(GAME, "score_halves", "rating", "opponent_rating", "difference_used", "expected_hundredths", "k"),
        "change_hundredths": _int("K × (score − expected score); null where the side is not rated", null=True),
        "reason": Column(
            pl.Enum(["", *GAME_REASONS]), "why the side is not rated; null where its event is not", null=True
        ),
        **_OF_SIDE,
    },
    key=("event_no", "round", "fide_id"),
)

SYSTEM_GAME = GAME.extended(_OF_SIDE)

SYSTEM_STATE = Table(
    "system_state",
    "player on a list of a system that keeps more of a player than rating and games",
    {
        "time_control": _text("standard, rapid, blitz"),
        "fide_id": _fide_id("the player"),
        **_OF_RATING,
        "category": _text("highest category ever listed; empty where there is none"),
        "titles_seen": _text("titles that a list has raised the player for, comma-separated"),
    },
    key=("time_control", "fide_id"),
)

POOLED_GAME = Table(
    "pooled_game",
    "game of an unlisted player that waits for an entry",
    {
        "fide_id": _fide_id("the player"),
        "event_id": _text("registration code, as the pool has it"),
        "round": _int("from 1"),
        "opponent_id": _fide_id("the opponent"),
        "score_halves": _int("the player's own score in half points"),
        "counted_month": _text("the list that counted the game"),
    },
)

REFERENCE_RATING = Table(
    "reference_list",
    "player rated on an imported reference list",
    {"month": _text("the list"), "fide_id": _fide_id("the player"), "rating": _int("the rating")},
    key=("month", "fide_id"),
)

IMPORTED_PLAYER = Table(
    "imported_player",
    "player on an imported list",
    {
        "time_control": _text("standard, rapid, blitz"),
        "fide_id": _fide_id("the player"),
        "highest_imported": _int("highest rating on any imported list", null=True),
        "first_title": _text("title on the first imported list; empty where the player has none there"),
    },
    key=("time_control", "fide_id"),
)

SYSTEM_PUBLISHED: dict[str, Table] = PUBLISHED | {
    **dict.fromkeys(LISTS, SYSTEM_LISTED),
    "changes": SYSTEM_CHANGE,
    "games": SYSTEM_GAME,
    "diff": SYSTEM_DIFF,
}
"""The published tables of a family that is not FIDE's: the same, some with more columns at the end."""


OWN_COLUMN_STEMS = (*LISTS, "changes", "games", "diff")
"""The published tables to whose end a system may add columns of its own."""


def published_table(stem: str, columns: Mapping[str, pl.DataType]) -> Table:
    """Return the table of a published file that has these ``columns``: with a system's columns where it has one.

    A system's own columns are those that no other table has; they stand at the end.
    """
    of_systems = SYSTEM_PUBLISHED[stem].columns.keys() - PUBLISHED[stem].columns.keys()
    if not of_systems & columns.keys():
        return PUBLISHED[stem]
    return SYSTEM_PUBLISHED[stem].extended(own_columns(columns) if stem in OWN_COLUMN_STEMS else {})


def own_columns(columns: Mapping[str, pl.DataType]) -> dict[str, Column]:
    """Return the columns that a system has of its own among some: those of no table of the program."""
    return {
        name: Column(dtype, "a column of the system's own", null=True)
        for name, dtype in columns.items()
        if name not in _OF_PROGRAM
    }


def of_diff(of_list: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns that a diff has of the columns that a system adds to its lists."""
    sides = (("old", "on the revision before"), ("new", "on this revision"))
    return {
        f"{side}_{name}": replace(column, description=f"{column.description}; {on}", null=True)
        for name, column in of_list.items()
        for side, on in sides
    }


def with_declared(table: Table, stem: str, own: Mapping[str, Mapping[str, Column]]) -> Table:
    """Return the table of a published file with a system's own columns as it declares them, and without others.

    ``own``: what the system declares, by file stem. Each may be null: only then are the bytes of a table the same when
    it is written from a calculation, which has a system's columns by their types alone, and when it is reproduced.
    """
    if stem not in OWN_COLUMN_STEMS:
        return table
    of_system, declared = own_columns(table.schema), own.get(stem, {})
    kept = {name: column for name, column in table.columns.items() if name not in of_system}
    of_list = {name: replace(column, null=True) for name, column in declared.items() if name in of_system}
    return replace(table, columns=kept | of_list)


_OF_PROGRAM = {
    *(name for table in (*SYSTEM_PUBLISHED.values(), SYSTEM_SIDE, SYSTEM_STATE) for name in table.columns),
    "inactive",
}
"""The columns of the tables that pass through the program."""


TOUCHED = {
    "correction_no": pl.Int32(),
    "decided_no": pl.Int32(),
    "action": pl.String(),
    "event_id": pl.String(),
    "round": pl.Int32(),
    "white_id": pl.Int64(),
    "black_id": pl.Int64(),
    "fide_id": pl.Int64(),
    "new_id": pl.Int64(),
    "data": pl.List(pl.String()),
}
"""What corrections made or took back since a revision was calculated: what each matches, and what it corrects.

An undo matches what the correction that it undoes does: ``decided_no`` and ``action`` are those of that correction.
``data``: of a player's data, the corrected ones: ``name``, ``federation``, ``sex``, ``birth``.
"""
