"""Time controls as arbiters write them: the minutes for 60 moves and the class, or that they are not understood."""

from itertools import repeat
from pathlib import Path

import polars as pl
import pytest

from ratinglist.reports.time_control import by_seconds, parse_text


def time_control(seconds: int) -> str | None:
    return pl.select(by_seconds(pl.lit(seconds, dtype=pl.Int32))).item()


@pytest.mark.parametrize(
    ("text", "minutes", "of_class"),
    [
        ("3+2", 5, "blitz"),
        ("15+10", 25, "rapid"),
        ("5 min", 5, "blitz"),
        ("G/15;+10", 25, "rapid"),
        ("15m+10s", 25, "rapid"),
        ("15 minutes + 10 seconds/move from move 1", 25, "rapid"),
        ("90 min/40 moves + 30 min + 30 sec/move", 150, "standard"),
        ("90'+30\"", 120, "standard"),
        ("90' + 30''", 120, "standard"),
        ("５ min + ３ sec", 8, "blitz"),
        ("90 minutes for 60 moves", 90, "standard"),
        ("G/60", 60, "standard"),
        ("G60", 60, "standard"),
        ("Game in 60", 60, "standard"),
        ("G/30 inc 5", 35, "rapid"),
        ("40/90, SD/30; +30", 150, "standard"),
        ("40 moves in 2 hours, then 60 min to the end", 180, "standard"),
        ("40 moves in 90 minutes + 30 min for the rest of the game + 30 sec per move from move one", 150, "standard"),
        ("100 min/40 moves + 50 min/20 moves + 15 min + 30 sec/move from move 1", 180, "standard"),
        ("2h/40 + 1h/20 + 30min", 180, "standard"),
        ("1 h 15 min + 30 s", 105, "standard"),
        ("1.5 h", 90, "standard"),
        ("2 h", 120, "standard"),
        ("60 min KO", 60, "standard"),
        ("10'/KO", 10, "blitz"),
        ("5'+3\"", 8, "blitz"),
        ("3'+2''", 5, "blitz"),
        ("All moves in 90 minutes, plus 10 seconds per move", 100, "standard"),
        ("25 min. + 10 sec. from the first move", 35, "rapid"),
        ("60 minutes per player", 60, "standard"),
        ("8 min + 3 s inc", 11, "rapid"),
        ("15+10 sec", 25, "rapid"),
        ("Rapid 15+10", 25, "rapid"),
        ("Blitz 3+2, 9 rounds", 5, "blitz"),
        ("FIDE rapid: 15'+10''", 25, "rapid"),
        ("10 min", 10, "blitz"),
        ("11 min", 11, "rapid"),
        ("59 min", 59, "rapid"),
        ("15 Minuten + 10 Sekunden/Zug", 25, "rapid"),
        ("15 min + 5 sec Zugabe", 20, "rapid"),
        ("60 Min. pro Spieler", 60, "standard"),
        ("1,5 Stunden", 90, "standard"),
        ("40 Züge in 90 Minuten, 30 Minuten für den Rest, 30 Sekunden pro Zug ab dem 1. Zug", 150, "standard"),
        ("90 Minuten für 40 Züge + 30 Minuten für den Rest der Partie, 30 Sekunden je Zug ab Zug 1", 150, "standard"),
        ("Bedenkzeit: 2 Stunden für 40 Züge + 30 Minuten", 150, "standard"),
        ("1h30 + 30s/coup", 120, "standard"),
        ("50 min + 10 s par coup dès le premier coup", 60, "standard"),
        ("1h30 pour 40 coups + 30 min ko + 30 sec par coup", 150, "standard"),
        ("90 min/40 coups + 30 min/fin + 30 sec/coup", 150, "standard"),
        ("10 minuti", 10, "blitz"),
        ("2 ore", 120, "standard"),
        ("90 minuti + 30 secondi a mossa", 120, "standard"),
        ("90 minuti per 40 mosse + 30 minuti + 30 secondi per mossa dalla prima mossa", 150, "standard"),
        ("25'+10'' cadauno", 35, "rapid"),
        ("25 minutos + 10 segundos por jugada", 35, "rapid"),
        ("3 minutos más 2 segundos de incremento", 5, "blitz"),
        ("90 minutos para 40 jugadas + 30 minutos + 30 segundos por movimiento desde la jugada 1", 150, "standard"),
        (
            "40 jugadas en 90 minutos + 30 minutos finish, incremento 30 segundos por jugada desde la primera jugada",
            150,
            "standard",
        ),
        ("15 минут + 10 секунд на ход", 25, "rapid"),
        ("15 мин. с добавлением 10 сек. на каждый ход", 25, "rapid"),
        ("3 мин + 2 сек", 5, "blitz"),
        ("1 ч 30 мин + 30 сек", 120, "standard"),
        (
            "90 минут на 40 ходов + 30 минут до конца партии + 30 секунд на каждый ход начиная с первого хода",
            150,
            "standard",
        ),
        ("90’/40+30’/end with incr. 30”/move, starting from move 1", 150, "standard"),
        ("90 мин +30 с/х", 120, "standard"),
        ("1 hour and 30 minutes + 30 seconds per move", 120, "standard"),
        ("120 min sans incrément", 120, "standard"),
        ("60 minutes, no increment", 60, "standard"),
        ("G/60 d5", 65, "standard"),
        ("G/60; d5", 65, "standard"),
        ("G/25; d5", 30, "rapid"),
        ("G/90;d5", 95, "standard"),
        ("G/45 d/5", 50, "rapid"),
        ("G/90 inc30", 120, "standard"),
        ("G90+30", 120, "standard"),
        ("game/60;d5", 65, "standard"),
        ("Game in 45 minutes, 5 second delay", 50, "rapid"),
        ("40/80;SD/30;d10", 120, "standard"),
        ("30/60, SD/30 d5", 95, "standard"),
        ("40/120 then 60 min", 180, "standard"),
        ("40/90+30+30", 150, "standard"),
        ("40 in 90, all in 30, + increment 30 sec /move", 150, "standard"),
        ("40 in 120 then all in 60", 180, "standard"),
        ("40 moves in 2 hours followed by 1 hour", 180, "standard"),
        ("35 moves in 75 minutes then all remaining moves in 15 minutes", 90, "standard"),
        ("2 x 15 min + 5 s", 20, "rapid"),
        ("2 × 30 min", 30, "rapid"),
        ("2x1h", 60, "standard"),
        ("100'x40+15'+30\"", 145, "standard"),
        ("5m + 3s Bronstein", 8, "blitz"),
        ("10 min + 5 sec delay", 15, "rapid"),
        ("15'/10''", 25, "rapid"),
        ("15 min with 10 sec", 25, "rapid"),
        ("30-second increment; 90 minutes", 120, "standard"),
        ("90 mins for all moves with 30 sec increment from move 1", 120, "standard"),
        ("1 ½ hours with 30 second increments from move 1", 120, "standard"),
        ("1½ h + 30 s", 120, "standard"),
        ("½ h", 30, "rapid"),
        ("1:30 h + 30 sec", 120, "standard"),
        ("20 minutes on game", 20, "rapid"),
        ("120 minutos all game", 120, "standard"),
        ("7 rounds 15+10", 25, "rapid"),
        ("1 uur + 15 sec per zet", 75, "standard"),
        ("1 час 30 минут + 30 секунд на ход, начиная с первого", 120, "standard"),
        ("90λ+30δ", 120, "standard"),
        ("90 dk + 30 sn (ilk hamleden itibaren)", 120, "standard"),
        ("Snabbschack 15 min + 10 sek", 25, "rapid"),
        ("Qwertz: 15 min + 10 s for the qwertz game", 25, "rapid"),
        ("40 moves in 2 hours then 30 min", 150, "standard"),
        ("1:30 Std. + 30 s", 120, "standard"),
        ("60 min, from the 1st move 30 s", 90, "standard"),
        ("٩٠ min + ٣٠ s", 120, "standard"),
    ],
)
def test_a_text_gives_the_minutes_for_60_moves_and_the_class(text, minutes, of_class):
    thinking_time = parse_text(text)
    assert thinking_time.seconds == minutes * 60
    assert time_control(thinking_time.seconds) == of_class


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a" * 300,
        "90",
        "90 min/40",
        "40/90",
        "15/10",
        "90-30",
        "1:30",
        "300+3",
        "5400+30",
        "0+1",
        "15+10 min",
        "15 + 10 + 5",
        "3 min 2 sec",
        "90 min + 30 min + 30 sec",
        "2 h + 30 min",
        "15 min + 10 sec + 5 sec",
        "W 5 min B 4 min",
        "see regulations",
        "60/30",
        "60/15 +10",
        "10 min+",
        "10 min and",
        "15 min plus",
        "Rest 5 min",
        "final 10 min",
        "after 10 min",
        "every 15 min",
        "plus 10 min",
        "1800",
        "Fischer Random 15+10",
        "start at 10:00",
        "99999999 min",
        "9 rounds",
        "40/2, SD/1",
        "40/90 +30",
        "120",
        "60 min for 30 moves then 30 min after move 40",
        "30 min after move 40",
        "90 min + 30 min after move 70",
        "15-10 min",
        "2 time controls",
        "3 x 15 min",
        "15 min qwertz",
        "90 qwertz + 30 s",
        "60 min qwertz 30 min",
        "15 min tolerance, 90 min + 30 s",
        "90 min + 30 min after move 40 + 30 sec",
        "120 min/40 moves + 60 min/20 moves + 15 min + 30 sec from move 61",
        "15-15 min",
    ],
)
def test_a_text_that_may_be_read_in_two_ways_is_not_understood(text):
    assert parse_text(text).seconds is None


def test_headers_in_many_languages_are_read_or_wait():
    """92 of 100 clear texts are read, of six languages and of others in abbreviations, and unclear ones wait."""
    lines = Path(__file__).with_name("time_controls.tsv").read_text(encoding="utf-8").splitlines()[1:]
    texts = [
        (text, int(minutes) * 60 if minutes.isdigit() else None)
        for _, minutes, text in map(str.split, lines, repeat("\t"))
    ]
    read = {text: parse_text(text).seconds for text, _ in texts}
    wrong = [(text, seconds, read[text]) for text, seconds in texts if read[text] not in (seconds, None)]
    clear = [text for text, seconds in texts if seconds is not None]
    assert wrong == []
    assert len(clear) >= 1000
    assert sum(read[text] is not None for text in clear) >= 0.92 * len(clear)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Individual: Swiss-System (Standard)", {"standard"}),
        ("RAPID", {"rapid"}),
        ("Schnellschach", {"rapid"}),
        ("Campionato semilampo", {"rapid"}),
        ("Torneo lampo", {"blitz"}),
        ("Rapid & Blitz", {"rapid", "blitz"}),
        ("Individual: Swiss-System", set()),
        ("Rapid 15+10", {"rapid"}),
        ("Rapid, then Blitz", {"rapid", "blitz"}),
        ("Blitzturnier 3+2", {"blitz"}),
        ("Torneo valido per la classifica", set()),
        ("90'", set()),
        ("no blitz", set()),
        ("not rapid", set()),
        ("non-standard", set()),
        ("nonstandard", set()),
        ("abnormal", set()),
        ("Grand Rapids", set()),
        ("handicap blitz", set()),
        ("rapid, no increment, 15 min", {"rapid"}),
    ],
)
def test_the_names_of_time_controls_are_found(text, names):
    assert parse_text(text).names == names


def test_a_time_that_no_list_takes_is_understood_as_such():
    assert (parse_text("2+1").seconds, time_control(180)) == (180, None)
