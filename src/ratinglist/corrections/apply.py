"""Apply corrections: find what each one matches in the store and insert the rows that correct it.

Nothing received is changed: the views ``current_...`` overlay these rows on it. A correction sees the corrections
applied before it, those of its own file included.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any

import polars as pl

from ratinglist.corrections.parser import PLAYER_DATA, RESULTS, Correction
from ratinglist.errors import NothingReadError, UnansweredError
from ratinglist.names.alike import other_day, unlike_names
from ratinglist.store.database import Store
from ratinglist.summaries import AppliedCorrection
from ratinglist.text import counted, person_text

Replacement = tuple[str, pl.DataFrame]
"""A report read to replace others: its ``report_id``, and those (:func:`to_be_replaced`)."""
_NAMED = {halves: name for name, halves in RESULTS.items()}
"""Results by the half points of White and Black; a report may have one that no file of corrections can have."""


class NothingMatchedError(NothingReadError):
    """A correction matches nothing in the store; it is refused, so that a correction without effect is noticed."""


def apply_correction(
    store: Store,
    correction: Correction,
    *,
    known_on: date,
    source_no: int,
    replacement: Replacement | None,
    leaving: Collection[tuple[str, int]],
) -> AppliedCorrection:
    """Apply one correction, as a part of one change of the caller.

    ``source_no``: the corrections file among the sources. ``replacement``: the report of a ``replace_report`` (see
    :func:`to_be_replaced`). ``leaving``: event and FIDE ID of each player whom a ``change_player`` of the file puts
    another one in the place of, so that two FIDE IDs can be exchanged. Raises :class:`NothingMatchedError` where the
    correction matches nothing, changes nothing, or contradicts the store.
    """
    number = int(store.value("select coalesce(max(correction_no), 0) + 1 from correction"))
    if replacement is not None:
        report_id, replaced = replacement
        received_on = replaced.item(0, "received_on")
        replacements = [(number, report_id, other, received_on, False) for other in replaced["report_id"]]
        _insert(store, "corrected_report", replacements)
        description = _replaced_text(store, correction, replacement)
    else:
        is_free = (correction.match.get("event_id"), correction.says.get("fide_id")) in leaving
        description = _APPLY[correction.action](store, correction, number, source_no if is_free else 0)
    match, says = correction.match, correction.says
    row = {
        "correction_no": number,
        "source_no": source_no,
        "action": correction.action,
        "event_id": match.get("event_id"),
        "round": match.get("round"),
        "white_id": match.get("white"),
        "black_id": match.get("black"),
        "result": says.get("result"),
        "fide_id": match.get("fide_id"),
        "new_id": says.get("into", says.get("fide_id")),
        "undoes": match.get("correction"),
        "reason": correction.reason,
        "who": correction.who,
        "reported_on": correction.reported_on,
        "known_on": known_on,
    }
    # Before the insert: what a merge or an undo will move is found under the IDs that are valid without it.
    row["first_month"] = first_month = _first_month_of(store, row)
    if correction.action == "change_data" and "federation" in says and not says.get("past_federation"):
        _check_is_no_transfer(store, correction, description, first_month)
    insert_rows(store, {"correction": [row]})
    return AppliedCorrection(number, correction.action, description, first_month)


def _replaced_text(store: Store, correction: Correction, replacement: Replacement) -> str:
    """Return what a ``replace_report`` does, with the names of both events: another one is a slip."""
    names = "select string_agg(distinct name, ', ' order by name) from report where list_contains($ids, report_id)"
    report_id, replaced = replacement
    new, old = (store.value(names, ids=ids) for ids in ([report_id], replaced["report_id"].to_list()))
    file = f"{correction.match['event_id']}: report replaced by {correction.says['file']}"
    return file if new == old else f"{file}, a report of {new} in the place of one of {old}"


def players_listed_twice(store: Store) -> set[tuple[Any, ...]]:
    """Return event, player and other FIDE ID of each player whom corrections and merges put twice into a report."""
    query = """
        select event_id, person_id, raw_id
        from player_line_now join report using (report_no) semi join current_report using (report_id)
        where is_twice and raw_id <> person_id
    """
    return set(store.rows(query))


def to_be_replaced(store: Store, correction: Correction) -> pl.DataFrame:
    """Return the reports that a ``replace_report`` replaces: the one that counts first, then its other versions.

    Out: columns of ``REPORT``. Raises :class:`NothingMatchedError` where there is none, or where the event has slices
    and the correction names none of them.
    """
    code, start = correction.match["event_id"], correction.match.get("start_date")
    reports = store.read(
        """
        select current_report.*, coalesce(bool_or(event.status = 'rated'), false) as is_rated
        from current_report left join event using (report_id)
        where current_report.event_id = $code and current_report.accepted
            and ($start is null or current_report.start_date = $start)
        group by all
        order by is_rated desc, current_report.version desc, current_report.received_on desc, report_id
        """,
        code=code,
        start=start,
    )
    if reports.is_empty():
        on = f" that starts on {start}" if start else ""
        raise NothingMatchedError(f"no accepted report of the event {code}{on} is in the store")
    if reports["start_date"].n_unique() > 1:
        days = ", ".join(str(day) for day in reports["start_date"].unique().sort())
        raise NothingMatchedError(
            f"the event {code} came in slices ({days}): add start_date to match to name the slice"
        )
    return reports


def _insert(store: Store, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    columns = store.read(f"from {table} limit 0").columns
    insert_rows(store, {table: [dict(zip(columns, row, strict=True)) for row in rows]})


def _withdraw_event(store: Store, correction: Correction, number: int, _source: int) -> str:
    code = correction.match["event_id"]
    reports = store.read("select report_id, withdrawn, name from current_report where event_id = $code", code=code)
    if reports.is_empty():
        raise NothingMatchedError(f"no report of an event {code} is in the store")
    if reports["withdrawn"].all():
        raise NothingMatchedError(f"the event {code} is withdrawn already")
    _insert(
        store, "corrected_report", [(number, report_id, None, None, True) for report_id in reports["report_id"].sort()]
    )
    return ", ".join([f"{code}: withdrawn", *sorted({name for name in reports["name"] if name})])


def _change_result(store: Store, correction: Correction, number: int, _source: int) -> str:
    match, result = correction.match, correction.says["result"]
    games = store.read(
        """
        select report.report_id, game.* from current_report_game as game join current_report as report using (report_no)
        where report.event_id = $event_id and game.round = $round
            and (game.white_id, game.black_id) in (($white, $black), ($black, $white))
        order by report_id
        """,
        **match,
    )
    where = f"event {match['event_id']}, round {match['round']}"
    if games.is_empty():
        raise NothingMatchedError(
            f"no game of {match['white']} and {match['black']} was played in {where}; to add a game that the report "
            f"does not have, put a new report in its place: ratinglist correct report {match['event_id']} --file REPORT"
        )
    if not (games["white_id"] == match["white"]).all():
        raise NothingMatchedError(
            f"in {where}, {match['black']} had White against {match['white']}: exchange the two numbers"
        )
    halves = RESULTS[result]
    white, black = halves or (None, None)
    differs = games.filter((pl.col("white_halves") != white) | (pl.col("black_halves") != black)) if halves else games
    if differs.is_empty():
        raise NothingMatchedError(f"the game of {match['white']} and {match['black']} in {where} is {result} already")
    keys = ("report_id", "round", "raw_white", "raw_black")
    results = [(number, *(game[key] for key in keys), white, black) for game in games.iter_rows(named=True)]
    _insert(store, "corrected_game", results)
    played = games.select("white_halves", "black_halves").rows()
    before = ", ".join(sorted({_NAMED.get(halves, f"{halves[0]} to {halves[1]} half points") for halves in played}))
    return f"{where}, {match['white']} - {match['black']}: result corrected from {before} to {result}"


def _change_player(store: Store, correction: Correction, number: int, exchanged_by: int) -> str:
    """Put another player in the place of one; ``exchanged_by``: the file that moves the other one away, else 0."""
    code, old, new = correction.match["event_id"], correction.match["fide_id"], correction.says["fide_id"]
    players = store.read(
        """
        with moved as (
            select report_id, corrected_player.fide_id as raw_id
            from corrected_player join correction using (correction_no) where source_no = $source
        )
        select report.report_id, player.raw_id
        from current_report_player as player join current_report as report using (report_no)
        anti join moved using (report_id, raw_id)
        where report.event_id = $code and player.fide_id = $old
        order by all
        """,
        code=code,
        old=old,
        source=exchanged_by,
    )
    if players.is_empty():
        raise NothingMatchedError(f"no player {old} is in a report of the event {code}")
    _must_be_registered(store, new)
    _insert(store, "corrected_player", [(number, *row, new) for row in players.rows()])
    return f"{code}: player corrected from {old} to {new}"


def _change_report(store: Store, correction: Correction, number: int, _source: int) -> str:
    code, fields = correction.match["event_id"], correction.says
    columns = ", ".join(
        ("report_id", "start_date", "end_date", *(field for field in fields if not field.endswith("_date")))
    )
    reports = store.read(
        f"select distinct {columns} from current_report where event_id = $code and accepted order by report_id",  # noqa: S608 - names of our own
        code=code,
    )
    if reports.is_empty():
        raise NothingMatchedError(f"no accepted report of the event {code} is in the store")
    if reports["start_date"].n_unique() > 1:
        raise NothingMatchedError(
            f"the event {code} came in slices, which have dates of their own: put a new report in "
            "its place, with replace_report in a corrections file"
        )
    start, end = (fields.get(name, reports.item(0, name)) for name in ("start_date", "end_date"))
    if start is not None and end is not None and (start > end or end > correction.reported_on):
        raise NothingMatchedError(
            f"the event {code} would last from {start} to {end}: an event ends after it begins, and not after the day "
            f"on which the correction was reported ({correction.reported_on})"
        )
    if all((reports[name] == cell).fill_null(value=False).all() for name, cell in fields.items()):
        raise NothingMatchedError(f"the report of {code} says this already")
    corrected = [
        (number, report_id, name, str(cell)) for report_id in reports["report_id"] for name, cell in fields.items()
    ]
    _insert(store, "corrected_field", corrected)
    changed = [
        f"{name.replace('_', ' ')} corrected from {'none' if before in (None, '') else before} to {cell}"
        for name, cell in fields.items()
        for before in reports[name].head(1)
    ]
    return f"{code}: {'; '.join(changed)}"


def _change_data(store: Store, correction: Correction, number: int, _source: int) -> str:
    fide_id = correction.match["fide_id"]
    corrected = {key: cell for key, cell in correction.says.items() if key in PLAYER_DATA}
    _must_be_registered(store, fide_id)
    before = store.dicts("select * from player_now where fide_id = $id", id=fide_id)[0]
    if "birth_date" in corrected:
        year = corrected["birth_date"].year
        if corrected.setdefault("birth_year", year) != year:
            raise NothingMatchedError(
                f"birth_date is in {year} and birth_year is {corrected['birth_year']}: correct one of them"
            )
    elif "birth_year" in corrected and before["birth_date"]:
        # The day stored belongs to the wrong year: of the right birth date only the year is known.
        corrected["birth_date"] = before["birth_date"] if before["birth_date"].year == corrected["birth_year"] else None
    if all(before[key] == cell for key, cell in corrected.items()):
        raise NothingMatchedError(f"the player {fide_id} has these data already")
    _insert(store, "corrected_data", [(number, fide_id, *(corrected.get(key) for key in PLAYER_DATA))])
    return f"{fide_id} {before['name']}: {'; '.join(_data_changed(before, corrected))}"


def _check_is_no_transfer(store: Store, correction: Correction, description: str, first_month: str) -> None:
    """Raise :class:`UnansweredError` where published lists from ``first_month`` on would get another federation."""
    published = store.read(
        "select month from current_revision where $first <> '' and month >= $first order by month", first=first_month
    )
    if published.is_empty():
        return
    fide_id, federation = correction.match["fide_id"], correction.says["federation"]
    asked = f"Was the federation of {fide_id} wrong on lists that are published, and is this no transfer?"
    raise UnansweredError(
        f"Nothing was corrected: {description}. That changes {counted(len(published), 'published list')}, from "
        f"{published.item(0, 0)} on. A transfer is no correction: import a file with fide_id, name and federation, "
        "with the day of the transfer, and published lists stay as they are: ratinglist import-players FILE --from "
        "YYYY-MM-DD. If the federation was wrong all the time, write down why, in a corrections file as "
        f'past_federation = "...", or: ratinglist correct player {fide_id} federation={federation} '
        f'--because past_federation="..." --by {shlex.quote(correction.who)}',
        doubts=[_question("past_federation", asked, published.to_dicts())],
    )


def _question(code: str, sentence: str, rows: list[dict[str, Any]]) -> dict[str, object]:
    """Return a question that a correction raises, as doubts are printed (:mod:`~ratinglist.publication.doubts`)."""
    of_all = {"kind": "ask", "remedy": None, "answer": ""}
    return {"code": code, **of_all, "count": len(rows), "sentence": sentence, "rows": rows}


def _merge(store: Store, correction: Correction, _number: int, _source: int) -> str:
    old, new = correction.match["fide_id"], correction.says["into"]
    for fide_id in (old, new):
        _must_be_registered(store, fide_id)
    both = store.read(
        """
        select distinct report.event_id
        from current_report_player as one
        join current_report_player as other using (report_no)
        join current_report as report using (report_no)
        where one.fide_id = $old and other.fide_id = $new
        order by 1
        """,
        old=old,
        new=new,
    )
    if len(both):
        raise NothingMatchedError(
            f"{old} and {new} are both in the event {both.item(0, 0)}: two people. If one of the FIDE IDs is wrong "
            f"there, correct it first: ratinglist correct report {both.item(0, 0)} --id WRONG=RIGHT"
        )
    persons = store.dicts("select * from player_now where fide_id in ($old, $new)", old=old, new=new)
    player, other = ({row["fide_id"]: row for row in persons}[fide_id] for fide_id in (old, new))
    texts = [person_text(who["fide_id"], who["name"], who["federation"], _year_of(who)) for who in (player, other)]
    if (differ := differences_of(store, player, other)) and not correction.says.get("unlike_person"):
        asked = f"Are {old} and {new} one person, though these differ: {', '.join(differ)}?"
        raise UnansweredError(
            f"Nothing was corrected: {old} and {new} may be two people: {', '.join(differ)}.\n    {texts[0]}\n"
            f"    {texts[1]}\nIf they are two, leave them as they are. If they are one, write down why, "
            f'in a corrections file as unlike_person = "...", or: ratinglist correct merge {old} {new} '
            f'--because unlike_person="..." --by {shlex.quote(correction.who)}',
            doubts=[_question("unlike_person", asked, [{"player": text} for text in texts])],
        )
    return " merged into ".join(texts)


def _undo(store: Store, correction: Correction, _number: int, _source: int) -> str:
    undoes = correction.match["correction"]
    undone = store.read("select action, what from correction_described where correction_no = $no", no=undoes)
    if undone.is_empty():
        newest = store.value("select max(correction_no) from correction")
        known = "none was made yet" if newest is None else f"the newest is {newest}"
        raise NothingMatchedError(f"there is no correction {undoes}: {known}")
    if undone.item(0, "action") == "undo":
        raise NothingMatchedError(
            f"correction {undoes} is an undo and cannot be undone: repeat the correction that it undid"
        )
    if not store.rows("select 1 from correction_now where correction_no = $no", no=undoes):
        raise NothingMatchedError(f"correction {undoes} was undone already")
    return f"correction {undoes} ({undone.item(0, 'what')}) is undone"


def _must_be_registered(store: Store, fide_id: int) -> None:
    if not store.rows("select 1 from player where fide_id = $id limit 1", id=fide_id):
        raise NothingMatchedError(f"the player {fide_id} is not registered: ratinglist import-players first")
    for (now_id,) in store.rows("select now_id from current_identity where fide_id = $id", id=fide_id):
        raise NothingMatchedError(f"{fide_id} was merged into {now_id}: correct that FIDE ID, or undo the merge")


_APPLY: dict[str, Callable[[Store, Correction, int, int], str]] = {
    "withdraw_event": _withdraw_event,
    "change_result": _change_result,
    "change_player": _change_player,
    "change_data": _change_data,
    "change_report": _change_report,
    "merge": _merge,
    "undo": _undo,
}


def _data_changed(before: Mapping[str, Any], corrected: Mapping[str, Any]) -> list[str]:
    """Return what changes of a player's data, a text each. Of a date of birth only the year is shown."""
    changes = [
        f"{key.replace('_', ' ')} corrected from {before[key] or 'none'} to {corrected[key] or 'none'}"
        for key in PLAYER_DATA
        if key != "birth_date" and key in corrected and corrected[key] != before[key]
    ]
    is_another_year = corrected.get("birth_year", before["birth_year"]) != before["birth_year"]
    if not is_another_year and "birth_date" in corrected and corrected["birth_date"] != before["birth_date"]:
        changes.append(f"day of birth corrected, in {before['birth_year']}")
    return changes


_TABLES = (
    *("correction", "corrected_report", "corrected_game", "corrected_player", "corrected_data", "corrected_field"),
)
"""The tables that corrections insert rows into."""


def inserted_rows(store: Store, after: int) -> dict[str, list[dict[str, object]]]:
    """Return the rows of the corrections after the number ``after``, by table, as JSON values."""
    return {
        table: [
            {name: str(cell) if isinstance(cell, date) else cell for name, cell in row.items()}
            for row in store.dicts(
                f"select * from {table} where correction_no > $after order by all",  # noqa: S608 - names of our own
                after=after,
            )
        ]
        for table in _TABLES
    }


def insert_rows(store: Store, rows: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
    """Insert the rows that :func:`inserted_rows` returned."""
    for table, of_table in rows.items():
        for row in of_table:
            columns, values = ", ".join(row), ", ".join(f"${name}" for name in row)
            store.execute(f"insert into {table} ({columns}) values ({values})", **row)  # noqa: S608 - names of our own
    store.refresh()


def _first_month_of(store: Store, row: Mapping[str, object]) -> str:
    """Return the first calculated list that a correction can change; empty where there is none.

    A correction of an event can change lists from the one that first judged the event; a correction of a player, lists
    from the first with a game or a row of the player. A merge moves what was received under the first FIDE ID alone.
    """
    if row["undoes"] is not None:
        row = store.dicts("select * from correction where correction_no = $no", no=row["undoes"])[0]
        if row["first_month"]:
            # Not searched again: a list calculated since has no row of a FIDE ID that was merged into another.
            return str(row["first_month"])
    if row["event_id"] is not None:
        query = """
            select min(event.month) from event join report using (report_id)
            where report.event_id = $code and (event.status <> 'deferred' or $moves)
        """
        # With other dates, or another time control, the event may count on the list that left it to the next.
        month = store.value(query, code=row["event_id"], moves=row["action"] == "change_report")
    else:
        query = """
            select min(month) from (
                select game.month from game where fide_id = $id or opponent_id = $id
                union all
                -- The games of a FIDE ID that is merged have the other one.
                select event.month from event join report using (report_id) join report_player using (report_no)
                where fide_id = $id and event.status = 'rated'
                union all
                select month from calculation
                where is_standing and month in (select month from list_state where fide_id = $id)
            )
        """
        month = store.value(query, id=row["fide_id"])
    return str(month or "")


_NAMES = {
    "name": pl.String,
    "birth_year": pl.Int32,
    "birth_date": pl.Date,
    "registered": pl.String,
    "registered_year": pl.Int32,
    "registered_date": pl.Date,
}


def _year_of(player: Mapping[str, Any]) -> int | None:
    return player["birth_year"] or (player["birth_date"].year if player["birth_date"] else None)


def differences_of(store: Store, player: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return what tells two players apart, a sentence each; what is not known of one of them tells nothing."""
    years = (_year_of(player), _year_of(other))
    row = (player["name"], years[0], player["birth_date"], other["name"], years[1], other["birth_date"])
    named = pl.DataFrame([row], schema=_NAMES, orient="row").with_columns(
        is_other_day=other_day(pl.col("birth_date"), pl.col("registered_date"))
    )
    known = {"the federations": (player["federation"], other["federation"]), "the sexes": (player["sex"], other["sex"])}
    pairs = {"the years of birth": years, **known}
    unlike = ["the names are not alike"] if len(unlike_names(store, named)) else []
    if named["is_other_day"].item() and years[0] == years[1]:
        unlike.append("the days of birth differ")
    return unlike + [
        f"{what} are {before} and {after}"
        for what, (before, after) in pairs.items()
        if before and after and before != after
    ]
