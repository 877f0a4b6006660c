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


def by_text(text: pl.Expr) -> pl.Expr:
    """Return the time control that free text names; null where it names none, or more than one."""
    lower = text.str.to_lowercase()
    named = {
        "standard": lower.str.contains(r"standard|classical|klassisch"),
        "rapid": lower.str.contains(r"rapid|schnellschach|semilampo"),
        "blitz": lower.str.contains(r"blitz|\blampo"),
    }
    is_only = pl.sum_horizontal(named.values()) == 1
    return pl.coalesce(pl.when(is_only & contains).then(pl.lit(name)) for name, contains in named.items())


_MOST_ROUNDS_A_DAY = 4
"""More rounds of standard chess in a day are noted."""
_ONE_A_DAY, _FREE_DAYS = 5, 2
"""So many rounds of rapid or blitz chess, or more, are noted on as many days, or so many days more."""
_UNDERSTOOD = pl.Schema({"time_text": pl.String(), "text_seconds": pl.Int32(), "text_names": pl.List(pl.String())})


def with_times(files: pl.DataFrame, default_time: str) -> pl.DataFrame:
    """Add the time control and the thinking time of each report.

    In: the manifest's ``time_control`` and ``minutes_per_60_moves``, and the header's ``time_text`` (122),
    ``type_text`` (092) and ``time_code`` (222). Out: ``time_control`` (empty: the report waits) and
    ``minutes_per_60_moves``. Where the two players have different times, the shorter one counts.

    For the findings: ``seconds`` and the two players' ``white_seconds`` and ``black_seconds`` of record 222;
    ``minutes_from_text`` of record 122, where neither manifest nor record 222 gives a time; ``text_is_short``;
    ``is_contradictory``: records 092, 122 and 222, or manifest and report (``two_times``: both), state different time
    controls; ``two_minutes``: those of the report, where the manifest has others; ``time_stated``: the manifest gives
    the time control or the minutes; ``time_assumed``: it is a default, of which ``by_office`` is the office's.
    """
    codes = files["time_code"].drop_nulls().unique().to_list()
    coded = pl.DataFrame(
        [(code, *(thinking_seconds(code) or (None, None))) for code in codes],
        schema={"time_code": pl.String, "white_seconds": pl.Int32, "black_seconds": pl.Int32},
        orient="row",
    )
    is_stated = pl.col("time_control").is_not_null() | pl.col("minutes_per_60_moves").is_not_null()
    stated = files.join(coded, on="time_code", how="left").with_columns(
        pl.min_horizontal("white_seconds", "black_seconds").alias("seconds"),
        is_stated.alias("time_stated"),
    )
    texts = files["time_text"].drop_nulls().unique().to_list()
    read = [parse_text(text) for text in texts]
    understood = pl.DataFrame(
        [(text, one.seconds, sorted(one.names)) for text, one in zip(texts, read, strict=True)],
        schema=_UNDERSTOOD,
        orient="row",
    )
    return _settled(stated.join(understood, on="time_text", how="left"), default_time)


def _settled(files: pl.DataFrame, default_time: str) -> pl.DataFrame:
    """Add the times ; records that contradict each other state no time control."""
    files = files.with_columns(
        by_seconds(pl.col("seconds")).alias("coded_time"),
        by_seconds(pl.col("text_seconds")).alias("text_time"),
        by_text(pl.col("type_text")).alias("type_time"),
        by_seconds(pl.col("minutes_per_60_moves") * 60).alias("minutes_time"),
    ).with_columns(_names())
    minutes = pl.col("minutes_per_60_moves")
    # The coded time control goes before words.
    differ = (pl.col("text_time") != pl.col("named_time")).fill_null(value=False)
    contradictory = pl.col("coded_time").is_null() & (pl.col("names_several") | differ)
    of_records = pl.coalesce("coded_time", pl.when(~contradictory).then(pl.coalesce("text_time", "named_time")))
    files = files.with_columns(
        contradictory.alias("is_contradictory"),
        of_records.alias("of_records"),
        pl.when(minutes.is_null() & pl.col("seconds").is_null()).then("text_seconds").alias("from_text"),
        (pl.coalesce("seconds", "text_seconds") // 60).alias("report_minutes"),
        # A manifest that contradicts its report states no time control either: nobody knows which of them is right.
        (pl.col("time_control") != of_records).fill_null(value=False).alias("is_overruled"),
    )
    known = pl.coalesce("time_control", "minutes_time", "of_records")
    default = pl.lit(default_time or None, dtype=pl.String)
    return files.with_columns(
        pl.when(~pl.col("is_overruled")).then(known).alias("time_control"),
        pl.when("is_overruled")
        .then(pl.format("{}, and the report {}", "time_control", "of_records"))
        .alias("two_times"),
        pl.when(minutes != pl.col("report_minutes")).then("report_minutes").alias("two_minutes"),
        (pl.col("from_text") // 60).alias("minutes_from_text"),
        (pl.col("from_text") <= TOO_SHORT_UP_TO).fill_null(value=False).alias("text_is_short"),
        pl.coalesce(minutes, pl.col("seconds") // 60, pl.col("from_text") // 60).alias("minutes_per_60_moves"),
        (pl.col("is_contradictory") | pl.col("is_overruled")).alias("is_contradictory"),
    ).with_columns(
        pl.col("time_control").is_null().alias("time_assumed"),
        (pl.col("time_control").is_null() & ~pl.col("is_contradictory") & default.is_not_null()).alias("by_office"),
        pl.coalesce("time_control", pl.when(~pl.col("is_contradictory")).then(default), pl.lit("")).alias(
            "time_control"
        ),
    )


def _names() -> tuple[pl.Expr, pl.Expr]:
    """Return ``named_time``, the time control that records 092 and 122 name, and whether they name several.

    A number in record 122 that is not understood may be another time than the name's: then no name counts.
    """
    number_is_open = (pl.col("text_seconds").is_null() & pl.col("time_text").str.contains(r"[0-9]")).fill_null(
        value=False
    )
    names = pl.col("text_names")
    of_text = pl.when(names.list.len() == 1).then(names.list.first())
    several = (names.list.len() > 1).fill_null(value=False) | (of_text != pl.col("type_time")).fill_null(value=False)
    named = pl.when(~number_is_open & ~several).then(pl.coalesce(of_text, "type_time"))
    return named.alias("named_time"), several.alias("names_several")


def time_findings(files: pl.DataFrame) -> pl.DataFrame:
    """Return the findings on the times of :func:`with_times`; the manifest overrides records 122 and 222."""
    code = pl.col("time_code")
    coded = files.filter(code.is_not_null() & (code.str.strip_chars() != "") & ~pl.col("time_stated"))
    differ = (pl.col("white_seconds") != pl.col("black_seconds")) & (pl.col("time_control") != "standard")
    short = pl.col("seconds") <= TOO_SHORT_UP_TO
    is_short = short.fill_null(value=False) | pl.col("text_is_short")
    text, line = pl.col("time_text"), pl.col("time_text_line")
    waits = pl.col("time_control") == ""
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
            *_unusual_pace(files),
        ]
    )


def _unusual_pace(files: pl.DataFrame) -> list[pl.DataFrame]:
    """Return the findings on events whose rounds and days are those of another time control."""
    rounds, name = pl.col("rounds"), pl.col("time_control")
    days = (pl.col("end_date") - pl.col("start_date")).dt.total_days() + 1
    return [
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


_LONGEST_TEXT: Final = 200
_MOST_MINUTES: Final = 180
_MOST_INCREMENT: Final = 180
_MOST_BARE_MINUTES: Final = 150
"""The largest number without a unit that is read as minutes; above it, it may be seconds."""
_CODED_FROM: Final = 600
"""The smallest number without a unit that is read as seconds, as record 222 has them: no game has 600 minutes.

Alone it may be a rating or the time of day, as 1800.
"""
_FEWEST_AMERICAN_MINUTES: Final = 10
"""The smallest number that is minutes in 40/90: the 2 of 40/2 is two hours."""
_FEWEST_PLAIN_MINUTES: Final = 15
"""The shortest time after which seconds are an increment without a plus or a word: 3 min 2 s may be one time."""

_UNITS: Final = frozenset("MSH")
_WITH: Final = frozenset("sс")
"""The units that are words too, *with* and *from* in Slavic languages: no other stands without a number."""
_NAMES: Final = {
    "standard": r"\b(?:standard|normal|classic|classique|klassik|klassisch|clasico)",
    "rapid": r"rapid(?!s\b)|schnellschach|semilampo",
    "blitz": r"blitz|\blampo",
}
_NAMED_WORD = re.compile(rf"[^\W\d_]*(?:{'|'.join(_NAMES.values())})[^\W\d_]*")
_WORDS: Final = {
    # Units and moves, as any language shortens or begins them.
    "M": "m mn mnt min mins minut* minuut* minuc* мин минут* м хв хвилин* perc perces p dk dakika λ λεπτ* phut* "
    "menit 分 分钟 분 دقيقة דקות",
    "S": "s sec secs second* secund* sek sekun* seg segs segu* segon* с сек секун* сн mp masodperc* sn saniye δευτ* "
    "δ δλ scnd* detik giay 秒 초 ثانية שניות",
    "H": "h hr hrs hour* heure* stund* std ora ore hora horas uur u tim timme* timmar timer t godz* hod* "
    "ч час* saat ωρα ωρες tund* tunti* tunni* год* sat sata sati",
    "V": "move* mv mvs mov* zug zuge* zg z coup* cp cps c moss* jug jugad* j jogad* lance* zet zett* tah* ход* хід х "
    "drag* trek* traek* siir* kaik* kaig* leik* ejim* gajien* potez* потез* lepes* hamle* mutar* κινησ* κιν ruch* "
    "posuni* jokal*",
    # The game, what is left of it, and a player.
    "G": "game* g finish* sd sudden death k ko knockout quick* qpf qp all each side player* perso* "
    "partie* parti* spel* spiel* joueur* giocator* testa ciascuno cadauno nocaute uno "
    "jugador* jogador* xogador* bando* gesamte ganze* complete jatekos* jucator* igrac* zawodni* pelaaj* spelar* "
    "каждо* участ* парт*",
    "I": "bonus* inc incr* increment* inkrement* d delay bronstein fischer* zugabe zeitgutschrift ajout* abbuon* "
    "ricarica acrescim*",
    # What is left of a game, and what comes to a time: no single time is of these.
    "L": "rest* remain* end* reste fine termin* final fim",
    "E": "every add* extra start",
    "F": "from starting ab von vom des depuis dal dalla desde vanaf",
    "A": "after nach apres dopo tras despues apos depois",
    "W": "no not non without ohne kein* sans senza sin sem zonder geen bez fara utan uden",
    "R": "round* rds rund* rond* turni turno rodada* kol kola kierros*",
    "&": "and und et e y en",
    "/": "in",
    "+": "plus then with followed dann danach mit puis avec poi con piu luego mas mais com",
    # A time that is no player's for a game, a choice between times.
    "!": "toler* toller* paus* wart* wait* karenz* default* forfeit* late retard* ritard* espera* atraso* reserv* "
    "armag* playoff* off tie tiebreak* break* stich* stech* desempat* depart* barrage* both together total* beid* "
    "zusammen insgesamt ensemble deux insieme ambos ambas juntos handicap odds day* week* or ou oder until "
    # What is no game of chess.
    "random* fischerr* freestyle shuffle",
    # What adds nothing.
    ".": "per a for to on at the of by an fide time control* rate limit chess swiss play one first "
    "pro je fur auf bis zum der die das den jeder jede pour par au chaque la le les du de o il lo alla ogni "
    "di tempo por para el los las cada prim* um ao voor bedenkzeit na za do po dla",
}
"""The letter for each word; a word with a star stands for all that begin so. Without accents, in lower case."""
_LISTED: Final = [(word, letter) for letter, words in reversed(_WORDS.items()) for word in words.split()]
_WHOLE: Final = {word: letter for word, letter in _LISTED if not word.endswith("*")}
_STEMS: Final = {word[:-1]: letter for word, letter in _LISTED if word.endswith("*")}
_SIGNS: Final = (
    dict.fromkeys("+|", "+") | dict.fromkeys(",;&-_", ",") | dict.fromkeys(".:()[]", "") | {"/": "/", "x": "x"}
)

_TOKEN = re.compile(r"[0-9]+(?:[.,:-][0-9]+)+|[0-9]+|[^\W\d_]+|\S")
_LETTERS = str.maketrans(
    dict.fromkeys("’‘´`′", "'")
    | dict.fromkeys("“”„″", '"')
    | {"–": "-", "×": "x", "*": "x", "ł": "l", "ı": "i", "ø": "o", "æ": "ae", "đ": "d", "ß": "ss"}
)
_HOURS = r"(?:h\w*|st\w+|or[ae]|uur|tim\w*|ч\w*)\b"
_PLAINER: Final = (
    (r"''", '"'),
    # Both players have 15 minutes: 2 x 15 min, 15-15 min, 15'-15'.
    (r"\b2\s?x\s?(?=[0-9]{1,3}\s?(?:'|[^\W\d_x]))", ""),
    (r"\b([0-9]{1,3})(\s?(?:'|min)?)\s?-\s?\1\2(?![0-9])", r"\1\2"),
    (r"(?<=[0-9])-(?=[^\W\d_])", " "),
    # 1.5 hours; 1:30 h.
    (rf"(?<![0-9.,])([0-9]{{1,2}})[.,]5\s?{_HOURS}", r"\1h30m "),
    (r"\b([01]) time\b(?! control)", r"\1h "),
    (rf"\b([0-9]{{1,2}}):([0-9]{{2}})\s?{_HOURS}", r"\1h\2m "),
    (r"\b1-?(?:st|er|re|ere|a|o|го|й)\b", "1"),
    (r"\bp[./]?p\b\.?(?:p\.?p\b)?|\bt[./]c\b", " "),
    (r"(?<=[0-9])(\s?(?:s|\"|'')\s?/)\s?m\b", r"\1 move"),
    # What ends or begins with an apostrophe has no minutes: player's, l'inizio.
    (r"(?<=[^\W\d_])'s?(?!\w)|\b(?:[dl]|all|dall|dell)'(?=[^\W\d_])", " "),
    (r"'", "min "),
    (r'"', "sec "),
)


@dataclass(frozen=True, slots=True)
class TimeText:
    """What a text states: the ``seconds`` for 60 moves, and the ``names`` of time controls in it."""

    seconds: int | None
    names: frozenset[str]


def parse_text(text: str) -> TimeText:
    """Return the thinking time that ``text`` states; ``seconds`` is None where it is not understood."""
    plain = _plain(text) if len(text) <= _LONGEST_TEXT else ""
    letters = _in_letters(plain)
    names = frozenset(name for name, words in _NAMES.items() if re.search(words, plain))
    seconds = _coded_seconds(plain) or _seconds(letters, is_named=bool(names))
    if seconds is None and len(names) == 1 and re.search("[!W]", letters):
        # A name alone decides only where no word denies it: no blitz.
        names = frozenset()
    return TimeText(seconds, names)


def _plain(text: str) -> str:
    """Return a text in lower case without accents, with plain digits and signs."""
    halves = re.sub(r"([0-9]?)\s?½", lambda found: f"{found[1] or 0}.5", " ".join(text.lower().split()))
    letters = unicodedata.normalize("NFKD", halves.translate(_LETTERS))
    plain = "".join(str(unicodedata.decimal(letter, letter)) for letter in letters if not unicodedata.combining(letter))
    for pattern, plainer in _PLAINER:
        plain = re.sub(pattern, plainer, plain)
    return plain.strip()


def _coded_seconds(plain: str) -> int | None:
    """Return the seconds of a text such as ``5400+30``, a time control in the form of record 222."""
    times = [int(time) for time in re.findall(r"(?<![+0-9])[0-9]+(?![0-9/])", plain)]
    is_coded = (
        bool(times) and not plain.isdigit() and min(times) >= _CODED_FROM and all(time % 60 == 0 for time in times)
    )
    seconds = thinking_seconds(plain) if is_coded else None
    return None if seconds is None else seconds[0]


def _in_letters(plain: str) -> str:
    """Return a text with its numbers, and one letter for each word or sign: ``90M+30SV``."""
    letters = ""
    for token in _TOKEN.findall(_NAMED_WORD.sub(" ", plain)):
        letter = token if token.isdigit() else _letter(token)
        follows_number = letters[-1:].isdigit()
        # No unit stands by itself: "s" is "with" in Czech. No other word stands for the unit of a number.
        letter = ("?" if token in _WITH else "!") if letter in _UNITS and not follows_number else letter
        letters += f" {letter}" if token.isdigit() and follows_number else letter
    letters = re.sub(r"[+,]*[0-9]+R(?![/x])[+,]*", ",", re.sub(r"(?<=H[0-9]{2})\.", " ", letters))
    return re.sub(r"(?<![0-9])\.|(?<=[0-9])[.?](?=V)", "", letters)


def _letter(token: str) -> str:
    """Return the letter for a word or sign: its own, or that of its longest known beginning."""
    if token in _SIGNS or token in _WHOLE:
        return _SIGNS[token] if token in _SIGNS else _WHOLE[token]
    beginnings = (token[:length] for length in range(len(token), 0, -1))
    return next((_STEMS[word] for word in beginnings if word in _STEMS), "?" if token.isalpha() else "!")


def _minutes(found: re.Match[str]) -> str:
    """Return the minutes of a text, or its hours and minutes, as a time in seconds."""
    hours, minutes = found.groupdict().get("hours"), found["minutes"]
    return f"{int(hours or 0) * 3600 + int(minutes or 0) * 60}T"


def _american(found: re.Match[str]) -> str:
    """Return ``40/90`` as moves and their time; the minutes stand first where no period has so many moves."""
    moves, minutes = int(found[1]), int(found[2])
    if moves > COUNTED_MOVES:
        moves, minutes = minutes, moves
    # 60/30 is 60 moves in 30 minutes, or 60 minutes and 30 seconds a move.
    return "!" if minutes < _FEWEST_AMERICAN_MINUTES or moves == COUNTED_MOVES > minutes else f"{moves}V{minutes * 60}T"


_BARE = r"(?![0-9TVSHMsK])"
_ITEMS: Final = tuple(
    (re.compile(pattern), item)
    for pattern, item in (
        (r"WI|W?\?|E", ""),
        (r"L", "G"),
        # The seconds that are minutes in 180 s + 2 s.
        (r"^(?=[0-9]{3,4}S)([0-9]+)S(?=\+[0-9]{1,2}S$)", r"\1T"),
        (r"(?P<hours>[0-9]+)H&?(?P<minutes>[0-9]+)M", _minutes),
        (r"(?P<hours>[0-9]+)H(?:(?P<minutes>[0-9]{2})(?: |(?![0-9SHMV])))?", _minutes),
        (r"(?P<minutes>[0-9]+)M", _minutes),
        (rf"G/?(?P<minutes>[0-9]+){_BARE}", _minutes),
        (r"(?<=T) ", ""),
        (r"(?P<minutes>[0-9]+)/G", _minutes),
        (r"^([1-9][0-9]/[0-9]{2,3},)(?P<minutes>[1-9][0-9])$", lambda found: found[1] + _minutes(found)),
        # From the first move; from move 41 and after 40 moves.
        (r"F+(?:V1(?![0-9])|1V|V(?![0-9]))", ""),
        (r"F+V?([0-9]+)V?(?![0-9TSHM])", r"\1K"),
        (r"AV?([0-9]{2,})V?(?![0-9TSHM])", lambda found: f"{int(found[1]) + 1}K"),
        (r"V1(?![0-9])|(?<![0-9])1V", "V"),
        # An increment that a word shows to be one; and any other.
        (r"I/?([0-9]+)(?:S|(?![0-9TVHMK]))", r"+\1s"),
        (r"([0-9]+)(?:I|S(?=/?[VI](?![0-9])))", r"+\1s"),
        (r"([0-9]+)S", r"\1s"),
        # 40 moves in 90; 90 min/40; 40/90 min; 40/90.
        (rf"(?<=V)/?(?P<minutes>[0-9]+){_BARE}", _minutes),
        (rf"(?<=T)[/x]([0-9]+){_BARE}", r"\1V"),
        (r"([0-9]+)/(?=[0-9]+T)", r"\1V"),
        (rf"([0-9]+)/([0-9]+){_BARE}", _american),
        # 90+30: the number after the plus is the increment, also where every period has it.
        (r"\+([0-9]+)(?=[+,].*\+\1$)", ""),
        (r"(?<=T)\+(?P<minutes>[0-9]+)(?=\++[0-9]+s?$)", _minutes),
        (r"^(?P<minutes>[0-9]+)(?=\++[0-9]+s)", _minutes),
        (r"(?<=T)([^s]*)\+([0-9]+)$", r"\1+\2s"),
        (r"[GFAI/&x]|(?<![0-9])V", ""),
    )
)
"""The parts of a text in letters: T is a time in seconds, V moves to play, K the move from which, s an increment."""
_TWO_NUMBERS = re.compile(r"[,GI]*([0-9]+)[,+]*\+([0-9]+)(?:M?/?S)?[GVIF/,]*(?:F?V1|F1V)?")
_TIME_FIRST = "(?:[0-9]+T[0-9]+V|[0-9]+K[0-9]+T|[0-9]+T(?:[0-9]+K(?![0-9]+T))?)"
_MOVES_FIRST = "(?:[0-9]+V[0-9]+T|[0-9]+K[0-9]+T|[0-9]+T(?:[0-9]+K(?![0-9]+T))?)"
_INCREMENT = re.compile(r"([0-9]+)s(?:([0-9]+)K(?![+,]*[0-9]+T))?")
"""In "90 min + 30 s after move 40" the moves are those of the increment, where no other time follows."""


def _seconds(letters: str, *, is_named: bool) -> int | None:
    """Return the seconds for 60 moves of a text in letters, None where it has no order with one meaning."""
    if re.search(r"[0-9][.?]|!|VV[0-9]|H&(?![0-9])|[0-9]x[0-9]|(?<![0-9])1/2H|(?:\+|M&)$", letters):
        return None
    if found := _TWO_NUMBERS.fullmatch(re.sub(r"(?<=.)\?" if not is_named else r"\?", "", letters).strip(",")):
        minutes, seconds = int(found[1]), int(found[2])
        is_plain = 1 <= minutes <= _MOST_BARE_MINUTES and seconds <= COUNTED_MOVES
        return minutes * 60 + seconds * COUNTED_MOVES if is_plain else None
    items = letters
    for pattern, item in _ITEMS:
        items = pattern.sub(item, items)
    if not re.fullmatch(r"(?:[0-9]+[TVKs]|[+,])*", items) or not _is_increment_plain(items):
        return None
    # What a single time is for is not known where a word is not: 15 min tolerance, 10 min a move.
    is_single = re.fullmatch(r"[+,]*[0-9]+T[+,]*", items) is not None and not is_named
    if is_single and (re.search(r"^\+|[?LEA]", letters) or ("V" in letters and "G" not in letters)):
        return None
    increments = [(int(found[1]), int(found[2] or 1)) for found in _INCREMENT.finditer(items)]
    periods = _periods(_INCREMENT.sub("", items).strip("+,"))
    if len(set(increments)) > 1 or len(increments) not in (0, 1, len(periods)):
        return None
    seconds, first_move = increments[0] if increments else (0, 1)
    time = _for_60_moves(periods)
    return (
        None if time is None or seconds > _MOST_INCREMENT else time + seconds * max(COUNTED_MOVES + 1 - first_move, 0)
    )


def _is_increment_plain(items: str) -> bool:
    """Return whether seconds that follow a time at once are an increment, and no part of the time."""
    at_once = re.search(r"(?:([0-9]+)T|^)[0-9]+s", items)
    is_long = at_once is None or int(at_once[1] or 0) >= _FEWEST_PLAIN_MINUTES * 60
    return is_long and not re.search(r"s[0-9]+V", items)


def _periods(items: str) -> list[tuple[int, int, int]]:
    """Return the periods of ``5400T40V1800T``: seconds, moves to play, and the move from which; 0 where not said.

    The moves stand before every time or after it; empty in another order.
    """
    period = _MOVES_FIRST if re.match("[0-9]+V", items) else _TIME_FIRST
    if not re.fullmatch(rf"{period}(?:[+,]*{period})*", items):
        return []
    parts = (re.findall("([0-9]+)([TVK])", found[0]) for found in re.finditer(period, items))
    values = ({letter: int(number) for number, letter in pairs} for pairs in parts)
    return [(value["T"], value.get("V", 0), value.get("K", 0)) for value in values]


def _for_60_moves(periods: list[tuple[int, int, int]]) -> int | None:
    """Return the seconds for 60 moves, None where a period is out of order, or too short or long to be one."""
    total = played = 0
    for number, (seconds, moves, first_move) in enumerate(periods, start=1):
        is_last = number == len(periods)
        end = played + moves if moves else COUNTED_MOVES
        if not is_last:
            next_move = periods[number][2]
            end = end if moves else next_move - 1
            if next_move not in (0, end + 1) or end <= played:
                return None
        if not 0 < seconds <= _MOST_MINUTES * 60 or first_move not in (0, played + 1) or end > COUNTED_MOVES:
            return None
        # What comes after 60 moves does not matter.
        total += seconds if played < COUNTED_MOVES else 0
        played = end
    return total if played == COUNTED_MOVES else None
