"""Find the event and the game that a command names, by code and FIDE ID or by any part of a name."""

from __future__ import annotations

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.names.folding import folded
from ratinglist.names.name_search import query_words
from ratinglist.store.database import Store
from ratinglist.text import on_one_line

_SHOWN = 20


def event_named(store: Store, text: str) -> str:
    """Return the code of the event with this code, or with this part of a name that no other event has.

    Raises :class:`CommandLineError`, naming them, where several have it, and where ``text`` is blank or a FIDE ID;
    :class:`NothingReadError` where none has.
    """
    if not text.strip():
        raise CommandLineError("Name the event by its code, or by a part of its name: what was given is blank.")
    events = store.read(
        """
        select event_id, any_value(name order by version desc, report_id) as name, min(start_date) as start_date
        from report_now group by event_id order by start_date desc, event_id
        """
    )
    if text in events["event_id"]:
        return text
    found = _having(events, text)
    if found.is_empty():
        if text.isdecimal() and (player := _registered(store, int(text))):
            raise CommandLineError(
                f"{text} is the FIDE ID of {player}, and not an event: name the event by its code, or by a part of its "
                f"name. The player's events: ratinglist explain {text}"
            )
        raise NothingReadError(f"No report of an event '{text}' was received: check the code, or load its report.")
    if len(found) > 1:
        lines = [
            f"  {code}    {on_one_line(name)}{f' ({start})' if start else ''}"
            for code, name, start in found.head(_SHOWN).iter_rows()
        ]
        more = [f"  and {len(found) - _SHOWN:,} more"] if len(found) > _SHOWN else []
        raise CommandLineError(
            "\n".join(
                [
                    f"several events have '{text}' in their names. Write the code of the one that is meant:",
                    *lines,
                    *more,
                ]
            )
        )
    return str(found.item(0, "event_id"))


def _registered(store: Store, fide_id: int) -> str:
    """Return the name registered for a FIDE ID; empty where there is none."""
    found = store.read("select name from registered_person where fide_id = $id", id=fide_id)
    return on_one_line(found.item()) if len(found) else ""


def game_named(store: Store, event: str, round_number: int, white: str, black: str) -> tuple[str, int, int]:
    """Return the code of the event and the FIDE IDs of the two players of a game, in the order they were named.

    ``white`` and ``black``: FIDE IDs, or parts of names. Of several players with such a name, the one who played the
    other in this round is meant. Raises what :func:`event_named` raises, :class:`CommandLineError` where several games
    of the round fit, :class:`NothingReadError` where none does; both name the games.
    """
    code = event_named(store, event)
    if white.isdigit() and black.isdigit():
        return code, int(white), int(black)
    games = store.read(
        """
        select distinct game.white_id, game.black_id
        from current_report_game as game join current_report as report using (report_no)
        where report.event_id = $code and game.round = $round
        order by all
        """,
        code=code,
        round=round_number,
    )
    names = store.read(
        """
        select distinct line.fide_id, line.name from current_report_player as line
        join current_report as report using (report_no) where report.event_id = $code
        union
        select fide_id, name from player_now semi join (
            select line.fide_id from current_report_player as line
            join current_report as report using (report_no) where report.event_id = $code
        ) using (fide_id)
        order by all
        """,
        code=code,
    )
    one, other = (_ids(names, text) for text in (white, black))
    in_order = games.filter(pl.col("white_id").is_in(one), pl.col("black_id").is_in(other))
    exchanged = games.filter(pl.col("black_id").is_in(one), pl.col("white_id").is_in(other))
    if len(in_order) + len(exchanged) == 1:
        # Whether White is named first is judged by what corrects the game.
        return (code, *in_order.row(0)) if len(in_order) else (code, *reversed(exchanged.row(0)))
    fitting = pl.concat([in_order, exchanged])
    known = dict(names.iter_rows())
    lines = [
        "  " + " - ".join(f"{fide_id} {on_one_line(known.get(fide_id) or '')}" for fide_id in row)
        for row in (fitting if len(fitting) else games).head(_SHOWN).iter_rows()
    ]
    if len(fitting):
        raise CommandLineError(
            "\n".join([f"several games of round {round_number} of {code} fit. Write the FIDE IDs:", *lines])
        )
    raise NothingReadError(
        "\n".join(
            [
                f"round {round_number} of {code} has no game of '{white}' and '{black}'.",
                *(["The games of the round:", *lines] if lines else [f"{code} has no game in that round."]),
            ]
        )
    )


def _ids(names: pl.DataFrame, text: str) -> list[int]:
    """Return the FIDE IDs of the players that ``text`` may name."""
    return [int(text)] if text.isdigit() else _having(names, text)["fide_id"].unique().sort().to_list()


def _having(rows: pl.DataFrame, text: str) -> pl.DataFrame:
    """Return the rows whose ``name`` has a word that begins with each word of ``text``, whatever the accents."""
    words = [one.word for one in query_words(text)]
    if not words:
        return rows.clear()
    plain = rows.with_columns(folded=folded(pl.col("name")))
    return plain.filter(pl.col("folded").str.contains(f"(^|[ ,]){word}") for word in words).drop("folded")
