"""Thinking time for 60 moves by a coded time control (record 222), and the time control that it makes.

The regulations measure every time control by 60 moves: ``5400+30`` is 90 minutes and 60 times 30 seconds, 120 minutes.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding

COUNTED_MOVES = 60
_SIDES = re.compile(r"W([0-9/+:]+)-B([0-9/+:]+)")
_PERIOD = re.compile(r"(?:([1-9][0-9]{0,2})/)?([0-9]{1,6})(?:\+([0-9]{1,5}))?")

# RB 1.1.1 and 1.1.2, in seconds for 60 moves.
RAPID_BELOW = 60 * 60
BLITZ_UP_TO = 10 * 60
TOO_SHORT_UP_TO = 3 * 60


def thinking_seconds(code: str) -> tuple[int, int] | None:
    """Return the seconds for 60 moves of White and Black under the coded time control ``code``.

    Periods follow one another, and an increment counts for the moves of its own period. ``None`` where the text is not
    a coded time control, or its periods end before move 60.
    """
    text = re.sub(r"\s", "", code).upper()
    sides = _SIDES.fullmatch(text)
    white, black = (_seconds_of_code(side) for side in (sides.groups() if sides else (text, text)))
    return None if white is None or black is None else (white, black)


def _seconds_of_code(periods: str) -> int | None:
    seconds = played = 0
    for text in periods.split(":"):
        period = _PERIOD.fullmatch(text)
        if period is None:
            return None
        moves, allotted, increment = (int(part) if part else 0 for part in period.groups())
        if played < COUNTED_MOVES:
            counted = min(moves or COUNTED_MOVES, COUNTED_MOVES - played)
            seconds += allotted + increment * counted
            played += counted
    return seconds if played == COUNTED_MOVES else None


def by_seconds(seconds: pl.Expr) -> pl.Expr:
    """Return the time control of a thinking time in ``seconds`` for 60 moves (RB 1.1); null where it is too short."""
    return (
        pl.when(seconds >= RAPID_BELOW)
        .then(pl.lit("standard"))
        .when(seconds > BLITZ_UP_TO)
        .then(pl.lit("rapid"))
        .when(seconds > TOO_SHORT_UP_TO)
        .then(pl.lit("blitz"))
    )


_MOST_ROUNDS_A_DAY = 4
"""More rounds of standard chess in a day are noted."""
_ONE_A_DAY, _FREE_DAYS = 5, 2
"""Rapid or blitz chess of at least five rounds is noted where it took as many days, or up to two days more."""
_UNDERSTOOD: Final = pl.Schema(
    {"time_text": pl.String(), "text_seconds": pl.Int32(), "text_names": pl.List(pl.String())}
)
_CODED: Final = pl.Schema(
    {"time_code": pl.String(), **dict.fromkeys(("seconds", "white_seconds", "black_seconds"), pl.Int32())}
)


def with_times(files: pl.DataFrame, default_time: str) -> pl.DataFrame:
    """Add the time control and the thinking time of each report.

    In: the manifest's ``time_control`` and ``minutes_per_60_moves``, and the header's ``time_text`` (122),
    ``type_text`` (092) and ``time_code`` (222). Out: ``time_control`` (empty: the report waits) and
    ``minutes_per_60_moves``. Where the two players have different times, the shorter one counts. Records that
    contradict each other, or the manifest, state no time control: nobody knows which of them is right.

    For the findings: ``seconds`` and the two players' ``white_seconds`` and ``black_seconds`` of record 222;
    ``minutes_from_text`` of record 122, where neither manifest nor record 222 gives a time; ``text_is_short``;
    ``is_contradictory``: records 092, 122 and 222, or manifest and report (``two_times``: both), state different time
    controls; ``two_minutes``: those of the report, where the manifest has others; ``time_stated``: the manifest gives
    the time control or the minutes; ``time_assumed``: it is a default, of which ``by_office`` is the office's.
    """
    texts = {text: parse_text(text) for text in files["time_text"].drop_nulls().unique()}
    understood = [(text, read.seconds, sorted(read.names)) for text, read in texts.items()]
    types = {text: parse_text(text).names for text in files["type_text"].drop_nulls().unique()}
    type_time = {text: next(iter(names)) for text, names in types.items() if len(names) == 1}
    times = {code: thinking_seconds(code) for code in files["time_code"].drop_nulls().unique()}
    coded = [(code, min(sides), *sides) for code, sides in times.items() if sides is not None]
    files = (
        files.join(pl.DataFrame(understood, schema=_UNDERSTOOD, orient="row"), on="time_text", how="left")
        .join(pl.DataFrame(coded, schema=_CODED, orient="row"), on="time_code", how="left")
        .with_columns(
            by_seconds(pl.col("seconds")).alias("coded_time"),
            by_seconds(pl.col("text_seconds")).alias("text_time"),
            pl.col("type_text").replace_strict(type_time, default=None, return_dtype=pl.String).alias("type_time"),
            by_seconds(pl.col("minutes_per_60_moves") * 60).alias("minutes_time"),
            (pl.col("time_control").is_not_null() | pl.col("minutes_per_60_moves").is_not_null()).alias("time_stated"),
        )
    )
    own_name, minutes = pl.col("text_names").list.first(), pl.col("minutes_per_60_moves")
    # A number in record 122 that is not understood may be another time than the name's: then no name counts.
    is_open = pl.col("text_seconds").is_null() & pl.col("time_text").str.contains("[0-9]").fill_null(value=False)
    is_twofold = (pl.col("text_names").list.len() > 1) | (own_name != pl.col("type_time"))
    named = pl.when(~is_open & ~is_twofold.fill_null(value=False)).then(pl.coalesce(own_name, "type_time"))
    differ = is_twofold | (pl.col("text_time") != named)
    # The coded time control goes before words.
    contradictory = pl.col("coded_time").is_null() & differ.fill_null(value=False)
    of_records = pl.coalesce("coded_time", pl.when(~contradictory).then(pl.coalesce("text_time", named)))
    files = files.with_columns(
        of_records.alias("of_records"),
        pl.when(minutes.is_null() & pl.col("seconds").is_null()).then("text_seconds").alias("from_text"),
        pl.when(pl.col("time_control") != of_records)
        .then(pl.format("{}, and the report {}", "time_control", of_records))
        .alias("two_times"),
        (contradictory | (pl.col("time_control") != of_records).fill_null(value=False)).alias("is_contradictory"),
    )
    known = pl.coalesce("time_control", "minutes_time", "of_records")
    known = pl.when(pl.col("two_times").is_null()).then(known)
    default = pl.when(~pl.col("is_contradictory")).then(pl.lit(default_time or None, pl.String))
    report_minutes = pl.coalesce("seconds", "text_seconds") // 60
    return files.with_columns(
        pl.when(minutes != report_minutes).then(report_minutes).alias("two_minutes"),
        (pl.col("from_text") // 60).alias("minutes_from_text"),
        (pl.col("from_text") <= TOO_SHORT_UP_TO).fill_null(value=False).alias("text_is_short"),
        pl.coalesce(minutes, pl.col("seconds") // 60, pl.col("from_text") // 60).alias("minutes_per_60_moves"),
        known.is_null().alias("time_assumed"),
        (known.is_null() & default.is_not_null()).alias("by_office"),
        pl.coalesce(known, default, pl.lit("")).alias("time_control"),
    )


def time_findings(files: pl.DataFrame) -> pl.DataFrame:
    """Return the findings on the times of :func:`with_times`; the manifest overrides records 122 and 222."""
    code = pl.col("time_code")
    coded = files.filter(code.is_not_null() & (code.str.strip_chars() != "") & ~pl.col("time_stated"))
    differ = (pl.col("white_seconds") != pl.col("black_seconds")) & (pl.col("time_control") != "standard")
    short = pl.col("seconds") <= TOO_SHORT_UP_TO
    is_short = short.fill_null(value=False) | pl.col("text_is_short")
    text, line = pl.col("time_text"), pl.col("time_text_line")
    rounds, name = pl.col("rounds"), pl.col("time_control")
    days = (pl.col("end_date") - pl.col("start_date")).dt.total_days() + 1
    waits = name == ""
    why_unknown = (
        pl.when("is_contradictory")
        .then(pl.lit("records 092, 122 and 222 contradict each other"))
        .otherwise(pl.lit("neither the manifest nor the report states it in a form that is understood"))
    )
    return pl.concat(
        [
            finding(
                "time_in_words",
                files.filter(pl.col("minutes_from_text").is_not_null() & ~waits),
                value=pl.col("time_text"),
                detail=pl.col("minutes_from_text"),
            ),
            finding("time_code_unreadable", coded.filter(pl.col("seconds").is_null()), value=code),
            finding("time_too_short", coded.filter(short), value=code, detail=pl.col("seconds")),
            finding(
                "time_too_short",
                files.filter(pl.col("text_is_short") & ~pl.col("time_stated")),
                line=line,
                column=5,
                value=text,
                detail=pl.col("minutes_from_text") * 60,
            ),
            finding("different_times", coded.filter(differ & ~short), value=code),
            finding(
                "time_control_contradicted",
                files.filter(pl.col("two_times").is_not_null()),
                line=line,
                value=pl.coalesce("time_code", "time_text", "type_text"),
                detail=pl.col("two_times"),
            ),
            finding(
                "minutes_differ",
                files.filter(pl.col("two_minutes").is_not_null() & pl.col("two_times").is_null()),
                line=line,
                value=pl.col("minutes_per_60_moves"),
                detail=pl.col("two_minutes"),
            ),
            finding(
                "time_control_unknown",
                files.filter(waits & ~is_short & pl.col("two_times").is_null()),
                line=line,
                column=5,
                value=text,
                detail=why_unknown,
            ),
            finding("office_time_control", files.filter("by_office"), detail=pl.col("time_control")),
            finding("default_minutes", files.filter(pl.col("minutes_per_60_moves").is_null() & ~waits)),
            # The rounds and days are those of another time control.
            finding(
                "many_rounds_a_day",
                files.filter(name == "standard", days > 0, rounds > _MOST_ROUNDS_A_DAY * days),
                value=rounds,
                detail=pl.when(days == 1).then(pl.lit("a day")).otherwise(pl.format("{} days", days)),
            ),
            finding(
                "one_round_a_day",
                files.filter(
                    name.is_in(["rapid", "blitz"]), rounds >= _ONE_A_DAY, days.is_between(rounds, rounds + _FREE_DAYS)
                ),
                value=rounds,
                detail=pl.format("{} chess within {} days", name, days),
            ),
        ]
    )


_LONGEST_TEXT: Final = 200
_MOST_BARE_MINUTES: Final = 150
"""The largest number without a unit that is read as minutes; above it, it may be seconds."""
_MOST_MINUTES, _MOST_INCREMENT = 180, 180
"""The longest period in minutes, and the longest increment in seconds."""
_FEWEST_AMERICAN_MINUTES: Final = 10
"""The smallest number that is minutes in 40/90: the 2 of 40/2 is two hours."""
_NAMES: Final = {
    "standard": r"\b(?:standard|normal|classic|classique|klassik|klassisch|clasico)",
    "rapid": r"rapid(?!s\b)|schnellschach|semilampo",
    "blitz": r"blitz|\blampo",
}
_OPEN: Final = re.compile(
    # A time that is no player's for a game, a choice between times, several events, and what is no game of chess.
    r"\b(?:toll?er|paus|wart|wait|karenz|default|forfeit|late|retard|ritard|espera|atraso|reserv|armag|play-?off|tie|"
    r"break|stich|stech|desempat|depart|barrage|both|together|total|beid|zusammen|ensemble|deux|insieme|ambos|juntos|"
    r"handicap|odds|day|week|till|until|bis\b|to move|or\b|ou\b|oder|half|team|boards|from round|round [0-9]|"
    r"no\b|non|not\b|without|kein|ohne|sans|senza|sin\b|без|random|freestyle|shuffle)"
)
_SIGNS: Final = str.maketrans(";-–×*|", ",,,xx+")
_HOURS: Final = r"(?:h|hrs?|hours?|heures?|std|stunden?|or[ae]|horas?|ч|час\w*|uur)\b"
_PLAINER: Final = (
    (rf"[^\W\d_]*(?:{'|'.join(_NAMES.values())})[^\W\d_]*", " "),
    (r"(?:no|without|ohne|sans|senza|sin|без) (?:increment\w*|inkrement|delay|bonus|добавлен\w*)", " "),
    (r"['’‘´`′]{2}|[\"“”„″]", "sec "),
    (r"(?<=[0-9]) ?['’‘´`′]", "min "),
    (r"\b[dl]['’]", " "),
    (rf"(?<![0-9.,])([0-9]{{1,2}}) ?[.,]5 ?{_HOURS}", r"\1h30m "),
    (rf"(?<![0-9.,])\.5 ?{_HOURS}", "30m "),
    (rf"\b([0-9]{{1,2}}):([0-9]{{2}}) ?{_HOURS}", r"\1h\2m "),
    (r"\b[0-9]+ (?:rds|rounds|runden|rondes|turni)\b|\btime (?:control|limit)|\bp[./]p\b|\bt[./]c\b", " "),
    # Both players have 15 minutes.
    (r"\b2 ?[x×*] ?(?=[0-9]{1,3} ?(?:m|h))", ""),
    (r"\b1-?(?:st|er|re|ere|a|o|го|и)\b|\b1\.(?= [^\W\d_])", "1"),
    (r"(?<=[0-9])-(?=[^\W\d_])", " "),
)
_WORDS: Final = {
    # Units and moves as any language shortens them, and the words of seven languages.
    "M": "m mn mnt mins? minut* minuut* мин* м хв* perc dk λ",
    "S": "s secs? second* secund* sek* segs? segu* сек* с mp sn δ",
    "H": "h hrs? hours? heures? std stunden? or[ae] horas? ч час* uur",
    "V": "moves? mvs? mov movimientos? zuge?n? zug zg z coups? cps? c moss[ae] jug jugadas? j jogadas? lances? ход* х",
    # The game and what is left of it.
    "G": "g game sd sudden death k ko knockout nocaute qpf all finish partie?n? partid[ao]s? partita партии партию",
    "L": "end rest reste fin fine finir finire final конца",
    "I": "inc incr increment* inkrement* bonus d delay bronstein zugabe zeitgutschrift zeitzuschlag ajout acrescimo* "
    "abbuono добавлен*",
    "F": "from starting ab von depuis des dal dalla desde do partir partire начиная",
    "+": "plus then with followed dann danach mit puis avec poi con piu luego mas mais com depois затем",
    "&": "and und et e y и",
    "/": "in en",
    "1": "first one ersten premier premiere prima primera primer primeiro первого",
    # What adds nothing.
    "": "per a an for to on the of by each players? rate play chess fide fischer limit remaining pro je fur "
    "den die der dem zum jede[nr]? spieler bedenkzeit par pour joueur le la les du de da au o chaque por para el los "
    "cada jugador jogador di il alla ogni cadauno giocatore на каждыи до за",
}
"""The letter for each word, without accents and in small letters; a star stands for any end."""
_LETTERS: Final = tuple(
    (re.compile(rf"(?<![^\W\d_])(?:{'|'.join(words.split())})(?![^\W\d_])"), letter)
    for letter, words in ((letter, words.replace("*", r"[^\W\d_]*")) for letter, words in _WORDS.items())
)


@dataclass(frozen=True, slots=True)
class TimeText:
    """What a text states: the ``seconds`` for 60 moves, and the ``names`` of time controls in it."""

    seconds: int | None
    names: frozenset[str]


def parse_text(text: str) -> TimeText:
    """Return the thinking time that ``text`` states; ``seconds`` is None where it is not understood.

    Understood are numbers with units and separators, and the words of :data:`_WORDS`. An unknown word may stand in
    front of a time with an increment, or behind the increment: nothing else is guessed.
    """
    small = " ".join(text.lower().split()).replace("½", ".5") if len(text) <= _LONGEST_TEXT else ""
    letters = (letter for letter in unicodedata.normalize("NFKD", small) if not unicodedata.combining(letter))
    plain = "".join(str(unicodedata.decimal(letter, letter)) for letter in letters)
    names = frozenset(name for name, words in _NAMES.items() if re.search(words, plain))
    plainer = plain
    for pattern, replacement in _PLAINER:
        plainer = re.sub(pattern, replacement, plainer)
    is_open = _OPEN.search(plainer) is not None
    seconds = None if is_open else _seconds(plainer)
    # A name alone decides only where no word denies it: no blitz.
    return TimeText(seconds, frozenset() if is_open and len(names) == 1 else names)


def _time(part: re.Match[str]) -> str:
    """Return the minutes of a text, or its hours and minutes, as a time in seconds."""
    hours, minutes = part.groupdict().get("hours"), part["minutes"]
    return f"{int(hours or 0) * 3600 + int(minutes or 0) * 60}T"


def _american(part: re.Match[str]) -> str:
    """Return ``40/90``, moves and minutes; 60/30 is 60 moves in 30 minutes, or 60 minutes and 30 seconds a move."""
    moves, minutes = int(part[1]), int(part[2])
    return f"{moves}V{minutes * 60}T" if moves < COUNTED_MOVES and minutes >= _FEWEST_AMERICAN_MINUTES else "?"


_BARE = r"(?![0-9TVSHMs])"
_ITEMS: Final = tuple(
    (re.compile(pattern), item)
    for pattern, item in (
        # What is unknown in front of all, and behind the increment.
        (r"^[^\W\dA-Z]+(?=.*S)|(?<=S)[^0-9+,]*[^\W\dA-Z][^0-9]*$", ""),
        # Russian has one word for "from" and "with", and begins that of seconds with it.
        (r"(?:F+S?|(?<![0-9])S)(?:V1(?![0-9])|1V?)(?![0-9]*[HM])|(?<![0-9])S", ""),
        (r"(?P<hours>[0-9]+)H&?(?P<minutes>[0-9]+)M", _time),
        (rf"(?P<hours>[0-9]+)H(?P<minutes>[0-9]{{2}}{_BARE})?", _time),
        (r"(?P<minutes>[0-9]+)M", _time),
        (rf"G/?(?P<minutes>[0-9]+){_BARE}", _time),
        (r"(?P<minutes>[0-9]+)/G", _time),
        (r"/?[GL]/?", ""),
        # An increment: with a word for it, of every move, behind a sign; without a unit at the end.
        (r"I/?([0-9]+)(?:S|(?![0-9TV]))V?|([0-9]+)(?:SV?I|I|S/?V(?![0-9]))", r"+\1\2s"),
        (r"([+,/&])([0-9]+)S", r"\1\2s"),
        ("&", "+"),
        # 40/120, 60; 40 moves in 90; 90 min/40; 40/90 min; 40/90.
        (r"^([1-9][0-9]/[0-9]{2,3},)(?P<minutes>[1-9][0-9])$", lambda part: part[1] + _time(part)),
        (rf"V/?(?P<minutes>[0-9]+){_BARE}", lambda part: f"V{_time(part)}"),
        (rf"T[/x]([0-9]+){_BARE}", r"T\1V"),
        (r"([0-9]+)/(?=[0-9]+T)", r"\1V"),
        (rf"([0-9]+)/([0-9]+){_BARE}", _american),
        # 40/90+30; 40/90+30+30; also where every period has the increment.
        (r"([+,][0-9]+)s?(?=[+,].*\1s?$)", ""),
        (r"(?<=T)\+(?P<minutes>[0-9]+)(?=\+[0-9]+$)", lambda part: f"+{_time(part)}"),
        (r"(?<=T)([^s]*)\++([0-9]+)$", r"\1+\2s"),
        (r"[+,/V]*([0-9]+s)[+,/IV]*", r",\1,"),
        (r"(?<=T)[/x,](?=[0-9]+V(?![0-9/]))|(?<=V)/|[+,]+$|^[+,]+|I|(?<![0-9])V", ""),
    )
)
"""The parts of a text in letters: T is a time in seconds, V moves to play, s an increment."""
_TWO_NUMBERS: Final = re.compile(r"G?([0-9]{1,3}),*\+([0-9]{1,2})S?/?V?I?")
_PERIOD_IN_LETTERS: Final = re.compile(r"([0-9]+)T([0-9]+)V|([0-9]+)V([0-9]+)T")


def _seconds(plain: str) -> int | None:
    """Return the seconds for 60 moves of a text, written as record 222 has it; None where that is not possible."""
    for word, letter in _LETTERS:
        plain = word.sub(letter, plain)
    # Where a word that adds nothing stood between two numbers, they stay two.
    apart = re.sub("(?<=[0-9])  +(?=[0-9])", ",", plain.translate(_SIGNS))
    letters = re.sub(r"[\s.:()\[\]]", "", apart).strip(",")
    if re.search(r"[0-9][.,:][0-9]|[0-9] [0-9]", plain) or re.search(r"^[+L]|[+&]$", letters):
        return None
    if part := _TWO_NUMBERS.fullmatch(letters):
        minutes, increment = int(part[1]), int(part[2])
        is_plain = 1 <= minutes <= _MOST_BARE_MINUTES and increment <= COUNTED_MOVES
        return minutes * 60 + increment * COUNTED_MOVES if is_plain else None
    for pattern, item in _ITEMS:
        letters = pattern.sub(item, letters)
    increments = {int(number) for number in re.findall("([0-9]+)s", letters)}
    periods = re.split("[+,]+", re.sub("[0-9]+s", ",", letters).strip("+,"))
    coded = ":".join(
        _PERIOD_IN_LETTERS.sub(lambda part: f"{part[2] or part[3]}/{part[1] or part[4]}", period) for period in periods
    )
    # A time of no stated moves is the last.
    if len(increments) > 1 or not re.fullmatch("(?:[0-9]+/[0-9]+:)*(?:[0-9]+T|[0-9]+/[0-9]+)", coded):
        return None
    times = [int(time) for time in re.findall("[0-9]+(?![0-9/])", coded)]
    time, increment = _seconds_of_code(coded.rstrip("T")), max(increments, default=0)
    is_likely = all(0 < time <= _MOST_MINUTES * 60 for time in times) and increment <= _MOST_INCREMENT
    return time + increment * COUNTED_MOVES if time and is_likely else None
