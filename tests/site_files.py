"""Read the data files of a site as the browser does, without its script."""

from __future__ import annotations

import json
import re
import zlib
from datetime import date
from itertools import accumulate
from pathlib import Path
from typing import Any

PLAYER_KINDS = "hdcsentpxrbagqu"
GAME_COLUMNS = ["r", "d", "w", "b", *(side + letter for side in "wb" for letter in "qsrofdekc")]
LEFT_OUT = object()
_FIRST_DAY = date(1970, 1, 1).toordinal()


def decoded(site: Path, name: str) -> Any:
    """Return the content of a data file of a site."""
    (file,) = site.glob(f"data/*/{name}.js")
    line, _, columns = unpacked(name, file.read_bytes()).partition(b"\n")
    head = json.loads(line)
    if not columns:
        return head
    tables = tables_of(head, columns)
    if name[0] == "h":
        return _players(tables, int(name.removeprefix("h/"), 16), decoded(site, "meta")["playerFiles"])
    if name[0] == "g":
        return _events(tables, decoded(site, "meta")["computed"])
    return _rows(tables["rows"])


def unpacked(name: str, script: bytes) -> bytes:
    """Return the content of the script ``name``."""
    assert script[:2] == b"\xff\xfe"
    call = re.fullmatch(r'RL\("(.*)","[0-9a-f]{12}",(\d+),"([^"\\\n\r\0]*)"\);\n', script[2:].decode("utf-16-le"))
    assert call
    assert call[1] == name
    text = re.sub(" (.)", lambda found: chr(ord(found[1]) ^ 0x8000), call[3], flags=re.DOTALL)
    packed, length = text.encode("utf-16-le", "surrogatepass"), int(call[2])
    assert len(packed) == length + length % 2
    return zlib.decompress(packed[:length], -15)


def tables_of(head: dict[str, Any], content: bytes) -> dict[str, list[list[Any]]]:
    """Return the columns of each table."""
    tables: dict[str, list[list[Any]]] = {}
    start = 0
    for name, (rows, signs) in head.items():
        columns = tables[name] = []
        for sign in signs:
            width = sign if isinstance(sign, int) else rows * (ord(sign) % 16)
            own = content[start : start + width]
            start += width
            columns.append(_texts(own) if isinstance(sign, int) else _numbers(own, rows, sign))
            assert len(columns[-1]) == rows
    assert start == len(content)
    return tables


def _texts(content: bytes) -> list[str | None]:
    *texts, rest = content.decode().split("\0")
    assert rest == ""
    return [None if text == "\1" else text for text in texts]


def _numbers(content: bytes, rows: int, sign: str) -> list[Any]:
    codes = [int.from_bytes(content[row::rows], "little") for row in range(rows)]
    missing = LEFT_OUT if "@" <= sign < "`" else None
    numbers = [
        (1 - code) // 2 if code % 2 and code > 1 else code // 2 - 1 if code > 1 else None if code else missing
        for code in codes
    ]
    return list(accumulate(numbers)) if sign >= "`" else numbers


def _rows(columns: list[list[Any]]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns, strict=True)]


def _players(tables: dict[str, list[list[Any]]], number: int, files: int) -> list[dict[str, Any]]:
    """Return the players of a file: ``id``, and the rows of each kind that a player has."""
    players: list[dict[str, Any]] = [{"id": one * files + number} for one in tables["id"][0]]
    for kind in PLAYER_KINDS:
        for seat, *row in _rows(tables.get(kind, [])):
            if kind == "c":
                carried = None if row[2] is None or row[6] is None else row[2] + row[6]
                row[7] = carried if row[7] is LEFT_OUT else row[7]
                row.insert(9, carried)
            players[seat].setdefault(kind, []).append(row)
    return players


def _events(tables: dict[str, list[list[Any]]], computed: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a file, with the results of the players."""
    of_event: dict[str, dict[int, list[list[Any]]]] = {name: {} for name in "pgu"}
    for name, groups in of_event.items():
        for event, *row in _rows(tables.get(name, [])):
            groups.setdefault(event, []).append(row)
    events = []
    for at, row in enumerate(_rows(tables["e"])):
        event = dict(zip(("id", "n", "f", "c", "y", "s", "e", "st", "re", "rs"), row, strict=True))
        seats = of_event["p"].get(at, [])
        event["p"] = [[*one[:5], 0, one[5], 0, None, one[6]] for one in seats]
        if any(one[7] is not None for one in seats):
            event |= {"o": [one[7] for one in seats], "u": of_event["u"].get(at, [])}
        games = of_event["g"].get(at)
        event["g"] = games and _games(event["p"], games, computed)
        events.append(event)
    return events


def _games(players: list[list[Any]], rows: list[list[Any]], computed: dict[str, Any]) -> dict[str, list[Any]]:
    games = dict(zip(GAME_COLUMNS, map(list, zip(*rows, strict=True)), strict=True))

    def value(what: Any, at: int) -> Any:
        if isinstance(what, list):
            left, right = value(what[1], at), value(what[2], at)
            if left is None or right is None:
                return None
            return left - right if what[0] == "-" else left * right
        if what in ("wp", "bp"):
            return players[games[what[0]][at]][4]
        return games[what][at] if isinstance(what, str) else what

    for name, what in computed.items():
        games[name] = [value(what, at) if one is LEFT_OUT else one for at, one in enumerate(games[name])]
    games["d"] = [None if day is None else str(date.fromordinal(_FIRST_DAY + day)) for day in games["d"]]
    for side in "wb":
        for seat, score, change in zip(games[side], games[f"{side}s"], games[f"{side}c"], strict=True):
            players[seat][5] += score or 0
            if change is not None:
                players[seat][7] += 1
                players[seat][8] = (players[seat][8] or 0) + change
    return games
