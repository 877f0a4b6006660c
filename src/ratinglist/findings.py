"""The catalogue of rules that a report can break, and the frames of findings.

A finding is a row: file, line, column, value, the code of the rule and a detail. The modules that read reports decide
*that* a rule is broken; the catalogue has the sentence, the remedy and the source that an arbiter reads. A rule either
*refuses* the whole report, because half a tournament is worse than none, lets it *wait* until a fact is stated, or
*notes* something and accepts the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import polars as pl

from ratinglist.tables import FILE_FINDING


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule that a report can break.

    ``sentence`` and ``remedy`` may use ``{value}`` and ``{detail}`` of a finding. ``summary``, of every noted rule,
    is the sentence about several reports: it may use ``{reports}`` (``2 reports``) and ``{are}`` or ``{have}``, the
    verb in the same number. Findings that differ in the value or detail it uses are summarised apart.
    """

    effect: Literal["refused", "waits", "noted"]
    sentence: str
    remedy: str
    source: str
    summary: str = ""


FINDINGS_PER_RULE: Final = 20
_ORDER: Final = ("file_no", "line", "column", "rule", "value", "detail")
_LOOKED_UP: Final = ("fide_id_missing", "fide_id_unreadable", "fide_id_repeated")
_NONE: Final = FILE_FINDING.empty()

_MANIFEST = "manifest.csv in the report's folder, in the row of the report, and load both again"
_WRITE_DATE = f"write it as YYYY-MM-DD under {{column}} of {_MANIFEST}; or write {{record}} YYYY/MM/DD in the report"
_WRITE_ID = (
    "write the number in a row of manifest.csv in the report's folder (file, start_number {detail}, fide_id), and load "
    "both again; or write it in columns 58-68"
)

RULES: dict[str, Rule] = {
    # the file as a whole
    "unknown_player": Rule(
        "refused",
        "the FIDE ID {value} ({detail}) is not registered",
        "register the player with `ratinglist import-players`, or have the ID corrected; the next run rates the report",
        "Arbiters' Manual, note to B.02",
    ),
    "not_a_report": Rule(
        "refused",
        "this is not a tournament report: {detail}",
        "send the TRF16 or TRF26 file that the pairing program exports (lines 012, 042, 052 and one 001 per player), "
        "or deliver its results as events.csv and games.csv",
        "C.04 Annex 2",
    ),
    "no_games": Rule(
        "refused",
        "the report has no game and no forfeit: it may have been written before the first round",
        "load the report that the pairing program exports after the last round; this one needs no other version",
        "C.04 Annex 2, record 001",
    ),
    # delivery and encoding
    "empty_file": Rule("refused", "the file is empty", "export the report again and deliver it", "C.04 Annex 2"),
    "binary_file": Rule(
        "refused",
        "the file is not text: {detail}",
        "export the report again as text, best in UTF-8, and deliver it",
        "C.04 Annex 2, remark 1",
    ),
    "control_character": Rule(
        "refused",
        "the text holds the character {value}, which controls a terminal or a printer, changes the direction of "
        "writing, or says what no reader sees",
        "delete it, or export the report again; a name needs letters only",
        "C.04 Annex 2, remark 1",
    ),
    "unseen_character": Rule(
        "noted",
        "'{detail}' is written with the character {value}, which is not seen: it was left out",
        "nothing; report it to the makers of the pairing program",
        "C.04 Annex 2, remark 1",
        summary="{reports} {have} the character {value}, which is not seen, in a name or a text; it was left out",
    ),
    "too_many_lines": Rule(
        "refused",
        "the file has {value} lines, a report at most {detail}",
        "export the report again; every tournament has a file of its own",
        "limits of the program",
    ),
    "too_many_players": Rule(
        "refused",
        "the report has {value} player lines, and the highest start number is {detail}",
        "export the report again; every tournament has a file of its own",
        "C.04 Annex 2, record 001",
    ),
    "endless_line": Rule(
        "refused",
        "a line has {value} characters, and at most {detail} are read",
        "export the report again; every line ends with CR, LF or both",
        "limits of the program",
    ),
    "encoding_assumed": Rule(
        "noted",
        "the file is not UTF-8; it was read as {detail}",
        "nothing for the ratings; if names look wrong, export the report as UTF-8",
        "C.04 Annex 2 names no encoding",
        summary="{reports} {are} not UTF-8, read as {detail}",
    ),
    "name_assumed": Rule(
        "noted",
        "the letters of the tournament's name were guessed, because the file is not UTF-8: '{value}'",
        "nothing, if it reads so; else export the report as UTF-8, or write the name under name in manifest.csv, and "
        "load it again",
        "C.04 Annex 2 names no encoding",
        summary="{reports} {have} the name '{value}', of which letters were guessed; does it read so?",
    ),
    # manifest
    "manifest_value": Rule(
        "refused",
        "the manifest has '{value}' in {detail}",
        "correct the cell, or leave it blank, and deliver the report again",
        "manifest.csv",
    ),
    "manifest_row": Rule(
        "refused",
        "the manifest's row has a cell too many, '{value}', in {detail}",
        "put text that holds a separator between double quotes, and deliver the report again",
        "manifest.csv",
    ),
    "manifest_twice": Rule(
        "refused",
        "more than one row of a manifest names this report: {detail}",
        "leave one row per report, and for a player a further row with file, start_number and fide_id alone; then "
        "deliver the report again",
        "manifest.csv",
    ),
    "fide_id_of_nobody": Rule(
        "refused",
        "the manifest has the FIDE ID {detail} for start number {value}, and the report has no such player",
        "correct start_number in manifest.csv, or take the row out, and deliver both again",
        "manifest.csv",
    ),
    "fide_ids_stated": Rule(
        "noted",
        "the manifest gives {value} FIDE IDs that are not in the report, and they count; the first is {detail}",
        "nothing, if they are the players'; else correct the rows in manifest.csv, and deliver both again",
        "manifest.csv",
        summary="{reports} {have} FIDE IDs from manifest.csv in the place of the report's, or where it has none",
    ),
    "received_in_the_future": Rule(
        "refused",
        "the manifest has received_on {value}, a day that has not come yet",
        "correct received_on, or leave the cell blank, and deliver the report again",
        "manifest.csv",
    ),
    "manifest_unreadable": Rule(
        "refused",
        "the manifest for this report cannot be used: {detail}",
        "correct the manifest, or remove it, and deliver the report again",
        "manifest.csv",
    ),
    "birth_date_in_code": Rule(
        "refused",
        "the event_id has the date of birth of a player, and codes of events are published",
        "give the event a code without that date, and deliver the report again",
        "privacy: no date of birth is published",
    ),
    # events and games delivered as tables
    "event_row_missing": Rule(
        "refused",
        "the event '{value}' has games and no row in {detail}",
        "add the event's row, or correct event_id in the rows of its games, and deliver the tables again",
        "tables of events and games",
    ),
    "event_row_twice": Rule(
        "refused",
        "the event '{value}' has more than one row: {detail}",
        "leave one row for each event, and deliver the tables again; another version or slice of it is a delivery of "
        "its own",
        "tables of events and games",
    ),
    "event_without_games": Rule(
        "refused",
        "the event '{value}' has no row in the table of games",
        "add its games, or delete its row, and deliver the tables again",
        "tables of events and games",
    ),
    "event_value": Rule(
        "refused",
        "the table of events has '{value}' in {detail}",
        "correct the cell, or leave it blank, and deliver the tables again",
        "tables of events and games",
    ),
    "event_date_missing": Rule(
        "refused",
        "the table of events has no {value} for this event ({detail})",
        "write it as YYYY-MM-DD, and deliver the tables again",
        "tables of events and games",
    ),
    "event_row": Rule(
        "refused",
        "the event's row has {value} cells, {detail}",
        "put a text that holds a separator between double quotes, and deliver the tables again",
        "tables of events and games",
    ),
    "game_row": Rule(
        "refused",
        "the row has {value} cells, and the header of the table has {detail}",
        "put a text that holds a separator between double quotes, and deliver the tables again",
        "tables of events and games",
    ),
    "game_value": Rule(
        "refused",
        "the table of games has '{value}' in the column {detail}",
        "correct the cell, and deliver the tables again",
        "tables of events and games",
    ),
    "game_without_players": Rule(
        "refused",
        "the row names neither White nor Black",
        "write white_id and black_id, or only one of them for a bye, and deliver the tables again",
        "tables of events and games",
    ),
    "game_second_in_round": Rule(
        "refused",
        "player {value} has a second game or bye in {detail}",
        "delete the row, or correct its round or its player, and deliver the tables again",
        "tables of events and games",
    ),
    # facts of the event
    "start_date_missing": Rule(
        "refused",
        "the report does not say when the event began: record 042 is missing or blank",
        _WRITE_DATE.format(record="042", column="start_date"),
        "C.04 Annex 2, record 042",
    ),
    "end_date_missing": Rule(
        "refused",
        "the report does not say when the event ended: record 052 is missing or blank",
        _WRITE_DATE.format(record="052", column="end_date"),
        "C.04 Annex 2, record 052",
    ),
    "start_date_unreadable": Rule(
        "refused",
        "the date in record 042 cannot be read: '{value}'",
        _WRITE_DATE.format(record="042", column="start_date"),
        "C.04 Annex 2, record 042",
    ),
    "end_date_unreadable": Rule(
        "refused",
        "the date in record 052 cannot be read: '{value}'",
        _WRITE_DATE.format(record="052", column="end_date"),
        "C.04 Annex 2, record 052",
    ),
    "date_implausible": Rule(
        "refused",
        "{value} cannot be a day of this event: {detail}",
        "correct record 042 or 052 of the report, or start_date or end_date of the manifest",
        "C.04 Annex 2, records 042 and 052",
    ),
    "dates_reversed": Rule(
        "refused",
        "the event ends on {value}, before it begins on {detail}",
        "correct record 042 or 052 of the report, or start_date or end_date of the manifest",
        "C.04 Annex 2, records 042 and 052",
    ),
    "event_too_long": Rule(
        "refused",
        "the event lasts from {detail} to {value}, more than five years",
        "correct record 042 or 052 of the report, or start_date or end_date of the manifest",
        "C.04 Annex 2, records 042 and 052",
    ),
    "dates_contradicted": Rule(
        "refused",
        "the manifest has the event from {value}, and the report from {detail}: more than half a year apart",
        "find out which is right; correct start_date and end_date in manifest.csv, or leave them blank where the "
        "report is right, or have the report corrected; then load it again",
        "manifest.csv; C.04 Annex 2, records 042 and 052",
    ),
    "name_differs": Rule(
        "noted",
        "the manifest names the tournament '{value}', and the report '{detail}'; that of the manifest counts",
        "nothing, if it is the tournament's name; else correct name in manifest.csv, or leave it blank where the "
        "report is right; then load it again",
        "manifest.csv; C.04 Annex 2, record 012",
        summary="{reports} {have} the name '{detail}', and manifest.csv has '{value}', which counts",
    ),
    "dates_outside": Rule(
        "noted",
        "the manifest has the event from {value}, and the report from {detail}",
        "find out which is right; correct start_date and end_date in manifest.csv, or leave them blank where the "
        "report is right; then load it again",
        "manifest.csv; C.04 Annex 2, records 042 and 052",
        summary="{reports} {have} the days {detail}, and manifest.csv has {value}, which counts",
    ),
    "days_without_rounds": Rule(
        "noted",
        "the event lasts from {value}, and its rounds were played from {detail}",
        "find out which days are right; correct records 042 and 052 of the report, or start_date and end_date in "
        "manifest.csv; then load it again",
        "C.04 Annex 2, records 042, 052 and 132",
        summary="{reports} {have} the days {value}, and rounds from {detail} alone; are the days of the event right?",
    ),
    "rounds_outside": Rule(
        "noted",
        "rounds were played from {value}, and the event lasts from {detail}",
        "find out which days are right; correct record 132 of the report, or records 042 and 052 (of tables: the "
        "column date, or start_date and end_date); then load it again",
        "C.04 Annex 2, records 042, 052 and 132",
        summary="{reports} {have} rounds from {value}, outside of the days of the event, {detail}; which are right?",
    ),
    "minutes_differ": Rule(
        "noted",
        "the manifest has {value} minutes for 60 moves, and the report {detail}",
        "find out which is right; correct minutes_per_60_moves in manifest.csv, or leave it blank where the report is "
        "right; then load it again",
        "manifest.csv; C.04 Annex 2, records 122 and 222",
        summary="{reports} {have} {detail} minutes for 60 moves, and manifest.csv has {value}, which counts",
    ),
    "event_type_differs": Rule(
        "noted",
        "the manifest has the event type {value}, and the report {detail}",
        "find out which is right; correct event_type in manifest.csv, or leave it blank where the report is right; "
        "then load it again",
        "manifest.csv; C.04 Annex 2, records 092 and 192",
        summary="{reports} {have} the event type {detail}, and manifest.csv has {value}, which counts",
    ),
    "federation_differs": Rule(
        "noted",
        "the manifest has the federation {value}, and the report {detail}",
        "find out which is right; correct federation in manifest.csv, or leave it blank where the report is right; "
        "then load it again",
        "manifest.csv; C.04 Annex 2, record 032",
        summary="{reports} {have} the federation {detail}, and manifest.csv has {value}, which counts",
    ),
    "many_rounds_a_day": Rule(
        "noted",
        "{value} rounds of standard chess within {detail}",
        "if the event was rapid or blitz, correct time_control in manifest.csv; if its dates are wrong, correct "
        "start_date and end_date; then load it again",
        "B.02 1.1, RB 1.1",
        summary="{reports} {have} {value} rounds of standard chess within {detail}; are the time control and the dates "
        "right?",
    ),
    "one_round_a_day": Rule(
        "noted",
        "{value} rounds of {detail}",
        "if the event was standard, correct time_control in manifest.csv or the report; if its dates are wrong, "
        "correct start_date and end_date; then load it again",
        "B.02 1.1, RB 1.1",
        summary="{reports} {have} {value} rounds of {detail}; are the time control and the dates right?",
    ),
    "received_before_start": Rule(
        "refused",
        "the day of receipt, {value}, is before the event began, on {detail}",
        "correct received_on in manifest.csv or --received, or the dates of the event; then load it again",
        "manifest.csv",
    ),
    "time_too_short": Rule(
        "refused",
        "a thinking time of {detail} seconds for 60 moves is shorter than any that is rated (time control '{value}')",
        "if that is not what was played, write time_control in the manifest; else do not send the event for rating",
        "RB 1.1",
    ),
    "different_times": Rule(
        "refused",
        "White and Black have different thinking times ('{value}'): rapid and blitz games like that are not rated",
        "if that is not what was played, write time_control in the manifest; else do not send these games for rating",
        "RB 1.2",
    ),
    "time_in_words": Rule(
        "noted",
        "the thinking time is taken from record 122: '{value}' is read as {detail} minutes for 60 moves",
        "if it is another, write minutes_per_60_moves in manifest.csv, or record 222 in the report",
        "C.04 Annex 2",
        summary="{reports} {have} the thinking time '{value}' in record 122, read as {detail} minutes for 60 moves",
    ),
    "time_code_unreadable": Rule(
        "noted",
        "record 222 is not a coded time control for 60 moves: '{value}'",
        "write it as seconds+increment, moves before a slash, periods joined by colons: 40/6000+30:900+30",
        "C.04 Annex 2 (2026), record 222",
        summary="{reports} {have} '{value}' in record 222, which is not a coded time control for 60 moves",
    ),
    "default_event_type": Rule(
        "noted",
        "neither the manifest nor the report says how the event was played ('{value}'): taken as {detail}",
        "write event_type in the manifest",
        "C.04 Annex 2, records 092 and 192",
        summary="{reports} {have} no known event type in the manifest or the report, taken as {detail}",
    ),
    "time_control_unknown": Rule(
        "waits",
        "it is not known whether the event was standard, rapid or blitz, so no list takes it: {detail} (record 122: "
        "'{value}')",
        "write time_control in manifest.csv, of tables in events.csv, or record 222 in the report, or time_control "
        "under [reports] in office.toml; then load it again",
        "C.04 Annex 2, records 122 and 222; B.02 1.1, RB 1.1",
    ),
    "time_control_contradicted": Rule(
        "waits",
        "the manifest and the report contradict each other, so no list takes the event: time_control of the manifest "
        "is {detail} ('{value}')",
        "find out which is right; correct time_control in manifest.csv, or leave it blank where the report is right, "
        "or have the report corrected; then load it again",
        "manifest.csv; C.04 Annex 2, records 092, 122 and 222",
    ),
    "office_time_control": Rule(
        "noted",
        "neither the manifest nor the report says whether the event was standard, rapid or blitz: taken as {detail}, "
        "which office.toml sets",
        "if it was another, write time_control in manifest.csv",
        "office.toml",
        summary="{reports} {have} no time control in the manifest or the report, taken as {detail} by office.toml",
    ),
    "default_minutes": Rule(
        "noted",
        "the thinking time for 60 moves is not known: the limits of the regulations on it cannot be tested",
        "write minutes_per_60_moves in the manifest, or record 222 in the report",
        "B.02 1.1",
        summary="{reports} {have} no thinking time that is understood in the manifest or the report, so its limits "
        "cannot be tested",
    ),
    "default_federation": Rule(
        "noted",
        "neither the manifest nor record 032 ('{value}') names the federation by three letters: left empty",
        "write record 032 in the report, or federation in the manifest",
        "C.04 Annex 2, record 032",
        summary="{reports} {have} no federation of three letters in the manifest or record 032, left empty",
    ),
    "official_event": Rule(
        "noted",
        "the manifest says that the event is an official one of FIDE or a continent: its registration and its report "
        "may come later than others",
        "nothing if it is one; else write official 0 in manifest.csv, and load it with the next version",
        "manifest.csv; B.02 0.2 and 7.1.3",
        summary="{reports} {are} of an official event of FIDE or a continent, as manifest.csv says; is it one?",
    ),
    "default_registration": Rule(
        "noted",
        "the manifest does not say everything about the registration: {detail}",
        "write event_id, version, official and registered_on in the manifest where it matters",
        "manifest.csv",
        summary="{reports} {have} no complete registration in the manifest ({detail})",
    ),
    # lines and columns of a report
    "unknown_code": Rule(
        "noted",
        "lines with the code '{value}' are not read ({detail} of them)",
        "nothing; if they hold results, write them in the player lines (001)",
        "C.04 Annex 2",
        summary="{reports} {have} lines with the code '{value}', which are not read",
    ),
    "unknown_text": Rule(
        "noted",
        "text that belongs to no code is not read ({detail} lines), the first is '{value}'",
        "nothing; begin lines meant as remarks with ###",
        "C.04 Annex 2",
        summary="{reports} {have} text that belongs to no code and is not read",
    ),
    "player_line_misplaced": Rule(
        "refused",
        "a player line does not begin in column 1 with 001 and a blank: '{value}'",
        "move the line so that 001 is in columns 1-3 and the start number in columns 5-8",
        "C.04 Annex 2, record 001",
    ),
    "tab_in_line": Rule(
        "refused",
        "a player line holds a tab behind '{value}', so its columns cannot be counted",
        "replace each tab (column {detail} of the line) by blanks so that every field is in its columns, or export the "
        "report again",
        "C.04 Annex 2, record 001",
    ),
    "line_too_long": Rule(
        "refused",
        "a player line has {value} characters: more than 200 rounds",
        "export the report again; each player has one line",
        "C.04 Annex 2, record 001",
    ),
    "columns_shifted": Rule(
        "refused",
        "the line is out of its columns: '{value}' is where a blank must be ({detail})",
        "put every field back in its columns, or export the report again without editing it by hand",
        "C.04 Annex 2, record 001",
    ),
    "padded_by_bytes": Rule(
        "noted",
        "names with accents were padded by bytes, not by characters ({detail} lines): the columns were corrected",
        "nothing; report it to the makers of the pairing program",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} names with accents padded by bytes, not by characters; the columns were corrected",
    ),
    # the tournament's own lines
    "event_name_missing": Rule(
        "refused",
        "the report does not name the tournament: record 012 is missing or blank",
        f"write it under name of {_MANIFEST}; or write it behind 012, from column 5 on",
        "C.04 Annex 2, record 012",
    ),
    "birth_date_in_name": Rule(
        "refused",
        "the name of the tournament has the date of birth of a player of this report, and names of tournaments are "
        "published",
        "write the name behind 012 without that date, or under name in manifest.csv, and deliver the report again",
        "privacy: no date of birth is published",
    ),
    "arbiter_missing": Rule(
        "noted",
        "the report does not name the chief arbiter: record 102 is missing or blank",
        "write the name behind 102, from column 5 on",
        "C.04 Annex 2, record 102",
        summary="{reports} {have} no chief arbiter in record 102",
    ),
    "two_digit_year": Rule(
        "noted",
        "the date '{value}' has a year of two digits: read as {detail}",
        "write YYYY/MM/DD, or the dates in the manifest, if that is not the day",
        "C.04 Annex 2, records 042 and 052",
        summary="{reports} {have} the date '{value}' with a year of two digits, read as {detail}",
    ),
    "month_or_day_first": Rule(
        "noted",
        "the date '{value}' may have the day or the month first: read as {detail}",
        "write YYYY/MM/DD, or the dates in the manifest, if that is not the day",
        "C.04 Annex 2, records 042 and 052",
        summary="{reports} {have} the date '{value}', which may have the day or the month first, read as {detail}",
    ),
    "round_date_unreadable": Rule(
        "noted",
        "the date of round {detail} cannot be read: '{value}'",
        "write YY/MM/DD at columns 92-99 of record 132, ten columns further for each round",
        "C.04 Annex 2, record 132",
        summary="{reports} {have} dates of rounds in record 132 that cannot be read",
    ),
    "rounds_unreadable": Rule(
        "noted",
        "the number of rounds is not a number: '{value}'; the last round with a result counts instead",
        "write the number of rounds behind 142, from column 5 on",
        "C.04 Annex 2 (2026), record 142",
        summary="{reports} {have} '{value}' as the number of rounds; the last round with a result counts instead",
    ),
    "more_rounds": Rule(
        "noted",
        "the report announces {value} rounds, but has results up to round {detail}",
        "correct record 142 or XXR if the event had more rounds",
        "C.04 Annex 2 (2026), record 142",
        summary="{reports} {have} results after the last round that record 142 or XXR announces",
    ),
    "code_repeated": Rule(
        "noted",
        "a second line has '{value}'; the first one counts ({detail})",
        "leave one line of each; do not put two tournaments in one file",
        "C.04 Annex 2",
        summary="{reports} {have} a second line of a code that differs from the first; the first one counts",
    ),
    "player_count_differs": Rule(
        "noted",
        "record 062 announces {value} players, the report has {detail} player lines",
        "check that the file is complete",
        "C.04 Annex 2, record 062",
        summary="{reports} {have} another number of player lines than record 062 announces",
    ),
    # players
    "player_line_cut": Rule(
        "refused",
        "the player line ends before the start number and the name: the file may have been cut off here",
        "export the report again, or copy the whole file, and deliver it",
        "C.04 Annex 2, record 001",
    ),
    "start_number_unreadable": Rule(
        "refused",
        "the start number '{value}' of {detail} is not a whole number from 1",
        "write the start number in columns 5-8",
        "C.04 Annex 2, record 001",
    ),
    "start_number_repeated": Rule(
        "refused",
        "start number {value} is already on line {detail}",
        "give each player a different start number, or delete the second line",
        "C.04 Annex 2, record 001",
    ),
    "fide_id_missing": Rule(
        "refused",
        "{value} (start number {detail}) has no FIDE identification number, and without it the event is not rated",
        f"ask the player's federation; {_WRITE_ID}",
        "B.02 9.1, C.04 Annex 2, record 001",
    ),
    "fide_id_unreadable": Rule(
        "refused",
        "the FIDE identification number '{value}' of start number {detail} is not a number; a national number is not "
        "accepted",
        f"ask the player's federation; {_WRITE_ID}",
        "B.02 9.1, C.04 Annex 2, record 001",
    ),
    "fide_id_repeated": Rule(
        "refused",
        "the FIDE identification number {value} is already on line {detail}",
        "find out which of the two players has this number; "
        + _WRITE_ID.replace("the number", "that of the other one").replace(" {detail}", ""),
        "B.02 9.1, C.04 Annex 2, record 001",
    ),
    "sex_unknown": Rule(
        "noted",
        "'{value}' is not a sex: read as not known",
        "write m or w in column 10",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} players with the sex '{value}', read as not known",
    ),
    "title_unknown": Rule(
        "noted",
        "'{value}' is not a FIDE title: read as none",
        "write GM, IM, FM, CM, WGM, WIM, WFM or WCM in columns 11-13, or leave them blank",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} players with the title '{value}', read as none",
    ),
    "birth_unreadable": Rule(
        "noted",
        "the birth '{value}' cannot be read: taken as not known",
        "write YYYY/MM/DD in columns 70-79, or YYYY/00/00",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} births that cannot be read, taken as not known",
    ),
    "points_unreadable": Rule(
        "noted",
        "the points '{value}' are not a number; the results count",
        "nothing for the ratings; the points are in columns 81-84",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} points that are not a number; the results count",
    ),
    "colours_exchanged": Rule(
        "noted",
        "in round {detail} the players {value} have colours with which both, and no other player, have a colour three "
        "times running or three times more than the other",
        "check who had White; the colour changes no rating",
        "C.04.1, f and g",
        summary="{reports} {have} colours of one game with which its two players alone break the rules on colours; are "
        "they exchanged?",
    ),
    "points_differ": Rule(
        "noted",
        "the player has {value} points, but the results add up to {detail}",
        "check the player's results round by round",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} players whose points are not the sum of their results",
    ),
    # round cells
    "opponent_unreadable": Rule(
        "refused",
        "the opponent '{value}' in round {detail} is not a start number",
        "write the opponent's start number, or 0000 for none",
        "C.04 Annex 2, record 001",
    ),
    "colour_unreadable": Rule(
        "refused",
        "'{value}' in round {detail} is not a colour",
        "write w or b, or - where there was no game",
        "C.04 Annex 2, record 001",
    ),
    "result_unreadable": Rule(
        "refused",
        "'{value}' in round {detail} is not a result",
        "write 1 = 0 for a game played, + - for a forfeit, W D L for a game of less than one move, H F U Z for a bye",
        "C.04 Annex 2, record 001",
    ),
    "old_bye": Rule(
        "noted",
        "'{value}' is a bye in the form of TRF06 or of an older program: read as {detail}",
        "nothing, if no game was played; otherwise write the opponent's start number and the colour",
        "TRF06, record 001",
        summary="{reports} {have} byes in the form of older programs, such as '{value}': they were read as byes",
    ),
    "small_result": Rule(
        "noted",
        "the small letter '{value}' is read as {detail}: a game of less than one move, which is not rated",
        "write 1, = or 0 on both lines if the game was played; nothing otherwise",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} results in small letters, such as '{value}', read as games of less than one move, "
        "which are not rated; were they played?",
    ),
    # games
    "opponent_missing": Rule(
        "refused",
        "round {detail} has the result '{value}' of a game played, but no opponent",
        "write the opponent's start number and the colour, or 0000 - and + - H F U Z if no game was played",
        "C.04 Annex 2, record 001",
    ),
    "opponent_self": Rule(
        "refused",
        "player {value} is named as their own opponent in round {detail}",
        "write the start number of the opponent",
        "C.04 Annex 2, record 001",
    ),
    "opponent_unknown": Rule(
        "refused",
        "no player has the start number {value}, the opponent in round {detail}",
        "write the opponent's start number, or add the opponent's player line",
        "C.04 Annex 2, record 001",
    ),
    "not_reciprocated": Rule(
        "refused",
        "the player claims a game against {value}, but {detail}",
        "correct one of the two lines so that they agree on this round",
        "C.04 Annex 2, record 001",
    ),
    "results_disagree": Rule(
        "refused",
        "the two results of one game do not agree: '{value}' here, {detail}",
        "correct one of the two results: both must report a game played, or both none",
        "C.04 Annex 2, record 001; B.02 5.1",
    ),
    "results_exceed": Rule(
        "refused",
        "one game gives more than one point: '{value}' here, {detail}",
        "correct one of the two results",
        "C.04 Annex 2, record 001",
    ),
    "forfeit_won_twice": Rule(
        "refused",
        "both players win the same game by forfeit: '{value}' here, {detail}",
        "write + for the player who was present and - for the other, or - for both",
        "C.04 Annex 2, record 001",
    ),
    "result_missing": Rule(
        "refused",
        "the result of the game is blank here, but {detail}",
        "write the results of both players",
        "C.04 Annex 2, record 001",
    ),
    "colours_equal": Rule(
        "refused",
        "both players have the colour '{value}' in one game: {detail}",
        "write w on one line and b on the other",
        "C.04 Annex 2, record 001",
    ),
    "colours_missing": Rule(
        "refused",
        "neither player has a colour in a game played: {detail}",
        "write w on one line and b on the other",
        "C.04 Annex 2, record 001",
    ),
    "bye_played": Rule(
        "refused",
        "the bye '{value}' names an opponent who reports a game: {detail}",
        "write the result of the game, or a bye without an opponent (0000 in a report) for each player",
        "C.04 Annex 2, record 001",
    ),
    "forfeit_not_agreed": Rule(
        "noted",
        "the unplayed results of the two players do not agree: '{value}' here, {detail}",
        "nothing for the ratings: no game was played",
        "B.02 5.1",
        summary="{reports} {have} unplayed results on which the two players do not agree",
    ),
    "bye_with_opponent": Rule(
        "noted",
        "the bye '{value}' names an opponent, {detail}: taken as a bye",
        "write 0000 as the opponent of a bye",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} byes that name an opponent, taken as byes",
    ),
    "pairing_without_result": Rule(
        "noted",
        "the pairing with {value} in round {detail} has no result: not a game",
        "write both results if the game was played",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} pairings without a result, which are not games",
    ),
    "pair_repeated": Rule(
        "noted",
        "the players {value} met more than once: {detail}",
        "nothing where the event has more than one cycle; else check the rounds",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} two players who met more than once",
    ),
    "bye_allocated_twice": Rule(
        "noted",
        "round {value} has {detail} pairing-allocated byes (U); there is at most one",
        "write H, F or Z for requested byes and + for forfeits",
        "C.04 Annex 2, record 001",
        summary="{reports} {have} more than one pairing-allocated bye (U) in a round",
    ),
    "more_findings": Rule(
        "noted",
        "{value} more findings like those on the lines before are not listed",
        "correct the ones shown; the others most likely have the same cause",
        "C.04 Annex 2",
        summary="{reports} {have} more findings of one kind than are listed",
    ),
}


def refuses(rule: str) -> bool:
    """Return whether breaking ``rule`` refuses the whole report."""
    return RULES[rule].effect == "refused"


def finding(
    rule: str,
    rows: pl.DataFrame,
    *,
    line: pl.Expr | None = None,
    column: pl.Expr | int | None = None,
    value: pl.Expr | None = None,
    detail: pl.Expr | None = None,
) -> pl.DataFrame:
    """Return one finding of ``rule`` for each of ``rows``, as :data:`ratinglist.tables.FILE_FINDING`.

    ``rows`` must have ``file_no``. The expressions are evaluated on ``rows``; ``line`` and ``column`` default to null,
    ``value`` and ``detail`` to empty text. Raises ``KeyError`` for a rule that is not in the catalogue.
    """
    RULES[rule]
    if rows.is_empty():
        return _NONE
    where = pl.lit(column) if not isinstance(column, pl.Expr) else column
    return FILE_FINDING.conform(
        rows.select(
            "file_no",
            (pl.lit(None) if line is None else line).alias("line"),
            where.alias("column"),
            (pl.lit("") if value is None else value.cast(pl.String).fill_null("")).alias("value"),
            pl.lit(rule).alias("rule"),
            (pl.lit("") if detail is None else detail.cast(pl.String).fill_null("")).alias("detail"),
        )
    )


def limit_per_rule(findings: pl.DataFrame) -> pl.DataFrame:
    """Return the first 20 ``findings`` (:data:`ratinglist.tables.FILE_FINDING`) of each file and rule, by line.

    Where there were more, a last finding ``more_findings`` has their number: one mistake of a pairing program repeats
    on every line, and twenty findings are enough to act on. Players without a usable FIDE ID are all named: each of
    them is looked up.
    """
    ordered = findings.sort(_ORDER, nulls_last=True).with_columns(
        pl.int_range(pl.len()).over("file_no", "rule").alias("place"),
        pl.len().over("file_no", "rule").alias("all"),
    )
    is_cut = ~pl.col("rule").is_in(_LOOKED_UP) & (pl.col("all") > FINDINGS_PER_RULE)
    kept = ordered.filter(~is_cut | (pl.col("place") < FINDINGS_PER_RULE))
    cut = kept.filter(is_cut & (pl.col("place") == FINDINGS_PER_RULE - 1))
    omitted = pl.col("all") - FINDINGS_PER_RULE
    more = finding("more_findings", cut, line=pl.col("line"), value=omitted, detail=pl.col("rule"))
    return pl.concat([kept.select(findings.columns), more]).sort(_ORDER, nulls_last=True)
