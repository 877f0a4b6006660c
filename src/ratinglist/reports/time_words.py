"""The words of time controls as arbiters write them, by language: what kind of word each is.

A kind is one letter, so that the words of a text make a string that patterns are compared with
(:mod:`~ratinglist.reports.time_control`). Words are compared without accents and in lower case, so they may stand here
with or without them. To read another language, add its words to :data:`_LANGUAGES`.
"""

from __future__ import annotations

import unicodedata
from typing import Final

MINUTES, SECONDS, HOURS, MOVES = "M", "S", "H", "V"
PREPOSITION = "P"
"""A word between a time and what it is for: 90 minutes *for* 40 moves."""
IN = "i"
"""A word between moves and their time, in this order only: 40 moves *in* 90 minutes."""
AFTER = "A"
"""A word for the moves after which a time is added; in Slavic languages also *each* and *per*."""
INCREMENT, FROM, FIRST = "I", "F", "1"
REST = "R"
"""The game, or what is left of it."""
ALL = "a"
PLAYER, ROUNDS, JOINS, NOTHING = "y", "r", "+", ""

_LANGUAGES: Final[dict[str, dict[str, str]]] = {
    "English": {
        MINUTES: "m mn min mins minute minutes",
        SECONDS: "s sec secs second seconds",
        HOURS: "h hr hrs hour hours",
        MOVES: "move moves mv mvs mov movs",
        PREPOSITION: "per a for to until till on at",
        IN: "in",
        AFTER: "after",
        INCREMENT: "inc incr incs increment increments incremental bonus d delay bronstein",
        FROM: "from starting since beginning",
        FIRST: "first one start",
        REST: "g game rest remainder remaining finish end sd sudden death suddendeath k ko qpf",
        ALL: "all whole entire",
        PLAYER: "player players side",
        ROUNDS: "round rounds",
        JOINS: "and then plus with followed",
        NOTHING: "the of by fide time control controls rate play thinking each every cumulative fischer add "
        "added adding extra additional st nd rd th or tc",
    },
    "German": {
        MINUTES: "minuten",
        SECONDS: "sek sekunde sekunden",
        HOURS: "std stunde stunden",
        MOVES: "zug züge zügen zuege zuegen",
        PREPOSITION: "pro je für fuer auf bis zum",
        AFTER: "nach",
        INCREMENT: "inkrement zugabe zeitgutschrift zeitzuschlag bonifikation",
        FROM: "ab von",
        FIRST: "erste ersten beginn",
        REST: "ende partie partieende",
        PLAYER: "spieler",
        ROUNDS: "runde runden",
        JOINS: "und dann danach mit anschließend",
        NOTHING: "bedenkzeit spielzeit zeit der die das den dem zur jeder jeden jede restliche restlichen ganze",
    },
    "French": {
        SECONDS: "seconde secondes",
        HOURS: "heure heures",
        MOVES: "coup coups cp cps",
        PREPOSITION: "à pour par en au aux jusqu",
        AFTER: "après",
        INCREMENT: "incrémentation incrément",
        FROM: "dès des depuis partir",
        FIRST: "premier première début",
        REST: "partie reste fin",
        PLAYER: "joueur joueurs",
        ROUNDS: "ronde rondes",
        JOINS: "et puis avec",
        NOTHING: "cadence le la les de du l d'un chaque joué er re ère",
    },
    "Italian": {
        MINUTES: "minuti minuto",
        SECONDS: "secondo secondi",
        HOURS: "ora ore",
        MOVES: "mossa mosse tratto tratti",
        PREPOSITION: "ad fino su",
        AFTER: "dopo",
        INCREMENT: "incremento incrementi abbuono ricarica",
        FROM: "dal dalla",
        FIRST: "primo prima inizio",
        REST: "resto partita fine termine",
        PLAYER: "giocatore testa",
        ROUNDS: "turni turno",
        JOINS: "poi più piu e",
        NOTHING: "tempo di riflessione il lo alla alle della dello del dei ogni con cadenza gioco ciascuno cadauno",
    },
    "Spanish": {
        MINUTES: "minutos",
        SECONDS: "seg segs segundo segundos",
        HOURS: "hora horas",
        MOVES: "jugada jugadas jug movimiento movimientos",
        PREPOSITION: "por para hasta",
        AFTER: "después tras",
        INCREMENT: "bonificación",
        FROM: "desde",
        FIRST: "primer primera primero inicio",
        REST: "partida final",
        PLAYER: "jugador jugadores",
        ROUNDS: "rondas ronda",
        JOINS: "y luego más mas",
        NOTHING: "ritmo juego el los las cada tiempo",
    },
    "Portuguese": {
        MOVES: "lance lances jogada jogadas",
        PREPOSITION: "até em",
        AFTER: "após depois",
        INCREMENT: "acréscimo acréscimos",
        FIRST: "primeira primeiro",
        REST: "fim jogo nocaute xeque",
        PLAYER: "jogador",
        ROUNDS: "rodada rodadas",
        JOINS: "mais com",
        NOTHING: "da dos o tempos",
    },
    "Catalan": {
        MINUTES: "minuts minut",
        SECONDS: "segons segon",
        HOURS: "hores",
        MOVES: "jugades moviment moviments",
        PREPOSITION: "fins",
        AFTER: "després",
        INCREMENT: "increment",
        FIRST: "primera",
        REST: "resta acabar",
        JOINS: "i més",
        NOTHING: "ritme joc temps amb",
    },
    "Basque": {
        MINUTES: "minutu minutuko",
        SECONDS: "segundu segunduko segundoko",
        HOURS: "ordu",
        MOVES: "jokaldi jokaldiko jokaldika mugimendu mugimenduko",
        FIRST: "lehen lehenengo",
        REST: "partida partidako partidarako",
        PLAYER: "jokalari jokalariko",
        JOINS: "eta gehi",
        NOTHING: "bakoitzeko denbora",
    },
    "Romanian": {
        SECONDS: "secunde secundă",
        HOURS: "oră",
        MOVES: "mutare mutări mutarea",
        PREPOSITION: "pe pentru până",
        AFTER: "după",
        FROM: "începând dela",
        FIRST: "prima",
        REST: "restul partidei partidă sfârșit sfârșitul",
        PLAYER: "jucător",
        ROUNDS: "runde",
        JOINS: "apoi și cu plus",
        NOTHING: "fiecare timp gândire cadență",
    },
    "Dutch": {
        MINUTES: "minuut",
        SECONDS: "seconden",
        HOURS: "uur",
        MOVES: "zet zetten",
        PREPOSITION: "voor tot",
        FROM: "vanaf",
        FIRST: "eerste",
        REST: "partij einde",
        PLAYER: "speler",
        JOINS: "daarna dan met",
        NOTHING: "bedenktijd speeltempo tempo elke iedere het de van",
    },
    "Swedish": {
        MINUTES: "minuter",
        SECONDS: "sekunder sekund",
        HOURS: "tim timme timmar",
        MOVES: "drag draget dragen",
        PREPOSITION: "på för per",
        AFTER: "efter",
        INCREMENT: "tillägg inkrement",
        FROM: "från",
        FIRST: "första",
        REST: "parti partiet resten slut slutet",
        PLAYER: "spelare",
        ROUNDS: "ronder",
        JOINS: "och sedan därefter därpå med",
        NOTHING: "betänketid varje",
    },
    "Danish and Norwegian": {
        MINUTES: "minutter",
        SECONDS: "sekunder",
        HOURS: "timer",
        MOVES: "træk trækket trækkene trekk trekket trekkene",
        PREPOSITION: "pr til",
        AFTER: "etter efter",
        INCREMENT: "tillæg tillegg",
        FROM: "fra",
        FIRST: "første",
        REST: "partiet",
        PLAYER: "spiller",
        ROUNDS: "runder",
        JOINS: "og derefter deretter så",
        NOTHING: "betænkningstid betenkningstid hver hvert af av resterende",
    },
    "Finnish and Estonian": {
        MINUTES: "minuuttia minuutti minutit",
        SECONDS: "sekuntia sekuntti sekundit",
        HOURS: "tunti tuntia tundi",
        MOVES: "siirto siirtoa siirrolta käik käiku käigule",
        AFTER: "jälkeen",
        REST: "peli partii",
        JOINS: "ja sekä",
        NOTHING: "lisäys",
    },
    "Hungarian": {
        MINUTES: "perc perces",
        SECONDS: "mp másodperc",
        HOURS: "óra",
        MOVES: "lépés lépésre lépésenként",
        AFTER: "után",
        INCREMENT: "bónusz többletidő",
        FROM: "kezdve",
        FIRST: "első",
        REST: "játszma játszmára parti",
        PLAYER: "játékos játékosonként",
        ROUNDS: "forduló",
        JOINS: "és majd plusz",
        NOTHING: "az gondolkodási idő minden",
        ALL: "teljes",
    },
    "Turkish": {
        MINUTES: "dk dakika",
        SECONDS: "sn saniye",
        HOURS: "saat",
        MOVES: "hamle hamlede hamleye hamlesi hamleden",
        PREPOSITION: "için",
        AFTER: "sonra",
        INCREMENT: "eklemeli artış artırım",
        FROM: "itibaren",
        FIRST: "ilk",
        REST: "oyun oyuna sonu bitiş",
        PLAYER: "oyuncu",
        ROUNDS: "tur",
        JOINS: "ve artı",
        NOTHING: "her süre temposu tempo ilave ek kişi başına",
    },
    "Greek": {
        MINUTES: "λ λεπτά λεπτό λεπτών λεπτα",
        SECONDS: "δευτερόλεπτα δευτερολέπτων δευτ δλ δ",
        HOURS: "ώρα ώρες",
        MOVES: "κίνηση κινήσεις κινήσεων κιν",
        PREPOSITION: "ανά για σε",
        AFTER: "μετά",
        INCREMENT: "προσαύξηση",
        FROM: "από",
        FIRST: "πρώτη 1η",
        REST: "παρτίδα τέλος υπόλοιπο",
        PLAYER: "παίκτη παίκτης",
        ROUNDS: "γύροι γύρος",
        JOINS: "και με συν",
        NOTHING: "κάθε την τη τις το χρόνος σκέψης",
    },
    "Polish": {
        MINUTES: "minut minuty",
        SECONDS: "sekund sekundy",
        HOURS: "godz godzina godziny godzin",
        MOVES: "ruch ruchy ruchów ruchu ruchach posunięcie posunięcia posunięć posunięciach",
        PREPOSITION: "na za do",
        AFTER: "po",
        INCREMENT: "dodatkowo bonus",
        FROM: "od",
        FIRST: "pierwszego początku",
        REST: "partia partię partii koniec końca reszta resztę",
        PLAYER: "zawodnik zawodnika gracz gracza",
        ROUNDS: "runda rund rundy",
        JOINS: "następnie potem i oraz z",
        NOTHING: "każdy każde każdego tempo gry czas",
    },
    "Czech and Slovak": {
        MINUTES: "minuta minút minúty",
        SECONDS: "sekunda sekúnd sekúnda sekund vteřin",
        HOURS: "hod hodina hodiny hodín hodin",
        MOVES: "tah tahy tahů tahu tazích ťah ťahy ťahov ťahu ťahoch",
        PREPOSITION: "pre",
        INCREMENT: "prídavok prírastok přídavek přírůstek",
        FIRST: "prvého prvej první prvního začiatku začátku",
        REST: "partiu partie partia konca konec konce koniec dohranie dohrání dohranie zvyšok zbytek",
        PLAYER: "hráč hráča hráče",
        ROUNDS: "kolo kola kôl kol",
        JOINS: "potom",
        NOTHING: "každý každého hrací hracie hry čas",
        ALL: "celú celou",
    },
    "Serbian, Croatian, Slovene": {
        MINUTES: "minuta minuti minute минута минути",
        SECONDS: "sekundi sekunde секунди секунде",
        HOURS: "sat sata sati ura ur ure сат сата сати",
        MOVES: "potez poteza potezu potezom potezi potezo poteze потез потеза потезу потези потезом",
        AFTER: "nakon posle poslije по после",
        INCREMENT: "dodatak dodatka dodatek inkrement додатак",
        FROM: "počevši од",
        FIRST: "prvog prve prvi početka првог почетка",
        REST: "partija partije partiji partiju partijo kraja kraj ostatak konca партија партије партији партију "
        "краја крај",
        ROUNDS: "rundi",
        PLAYER: "igrač igraču igrača igralec igralca играч играчу играча",
        JOINS: "zatim nato те и",
        NOTHING: "svaki svakom vsak vsako tempo igre сваки",
        ALL: "celu целу",
    },
    "Russian": {
        MINUTES: "мин м минут минуты минуту",
        SECONDS: "сек секунд секунды секунда секунду",
        HOURS: "ч час часа часов",
        MOVES: "х ход хода ходов ходы ходу",
        PREPOSITION: "на за до",
        INCREMENT: "добавление добавлением добавления прибавка инкремент",
        FROM: "начиная",
        FIRST: "первого первый начала",
        REST: "конца партии партию партия остаток",
        PLAYER: "игрока игроку участнику",
        ROUNDS: "тур тура туров рунди",
        JOINS: "затем плюс",
        NOTHING: "го контроль времени каждый каждому каждого всю всей посто постоянно",
    },
    "Ukrainian": {
        MINUTES: "хвилин хвилини хвилина хв",
        HOURS: "год година години годин",
        MOVES: "хід ходи ходів",
        AFTER: "після",
        INCREMENT: "додавання додаванням приріст",
        FROM: "з від починаючи",
        FIRST: "першого",
        REST: "партію партії кінця кінець решту",
        PLAYER: "гравцю гравця",
        JOINS: "та потім",
        NOTHING: "кожен кожний кожному контроль часу",
    },
}

_NAMES: Final = {
    "standard": "standard classical classic klassisch classico classique clásico clàssic klassik klasyczne klasik "
    "классика классические класика långpartier langsjakk",
    "rapid": "rapid rapidplay rapide rapidchess schnellschach semilampo snabbschack hurtigsjakk hurtigskak szybkie "
    "rychlé рапид рапід",
    "blitz": "blitz blitzschach lampo blixt lyn lynsjakk lynskak błyskawiczne bleskové блиц бліц",
}

_WITHOUT_MARKS = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "æ": "ae", "đ": "d", "ß": "ss"})


def without_accents(text: str) -> str:
    """Return ``text`` in lower case without accents, as the words of this module are compared."""
    letters = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).translate(_WITHOUT_MARKS)


KINDS: Final = {
    word: kind
    for words_by_kind in reversed(_LANGUAGES.values())
    for kind, words in reversed(words_by_kind.items())
    for word in without_accents(words).split()
}
"""The kind of every word. Where languages differ, the language that comes first above decides."""

NAMES: Final = {word: name for name, words in _NAMES.items() for word in without_accents(words).split()}
"""The time control that a word names."""
