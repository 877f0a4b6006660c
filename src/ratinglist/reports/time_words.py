"""The words of time controls as arbiters write them, by language: what kind of word each is.

A kind is one letter, so that the words of a text make a string that patterns are compared with
(:mod:`~ratinglist.reports.time_text`). Words are compared without accents and in lower case, so they may stand here
with or without them; a word with a star stands for all that begin so. To read another language, add its words to
:data:`_LANGUAGES`.
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
PLAYER, ROUNDS, NOTHING = "y", "r", ""
AND, THEN = "&", "+"
"""Words between times: 1 hour *and* 30 minutes may be one time, 1 hour *then* 30 minutes are two."""
WITHOUT = "n"
"""A word that denies an increment."""
OTHER = "!"
"""A word for another time than a player's for a game: how long one waits, of a play-off, of both players together."""

BY_PLACE: Final[dict[str, tuple[tuple[str, ...], str, str | None]]] = {
    "s": (("N",), SECONDS, "+"),
    "с": (("N",), SECONDS, FROM),
    "u": (("N",), HOURS, IN),
    "p": (("N",), MINUTES, None),
    "t": (("N",), HOURS, MOVES),
    "m": (("S/", "F"), MOVES, MINUTES),
    "z": (("N", "/"), MOVES, "+"),
    "c": (("N", "/"), MOVES, None),
    "j": (("N", "/"), MOVES, None),
    "second": (("N",), SECONDS, NOTHING),
    "fischer": (("M", "y"), INCREMENT, NOTHING),
    "en": (("M", "H"), AND, PREPOSITION),
    "uz": (("S", "M", "I"), PREPOSITION, "+"),
    "no": (("V", "F"), FROM, WITHOUT),
}
"""The kind of a word after these kinds, and anywhere else.

``s`` is seconds after a number, else *with* in Czech; ``с`` *from* or *with* in Russian; ``u`` hours in Dutch, *in*
in Croatian; ``t`` hours in Danish, moves in Slovak; ``p`` minutes in Hungarian; ``z`` moves in German, *with* in
Polish; ``m`` moves in 30 s/m, ``c`` in 40 c; *second* is a unit or counts; ``fischer`` names an increment after a
time; ``en`` *and* in Dutch, *in* in French; ``uz`` *for* in Lithuanian and Latvian, *with* in Croatian; ``no`` *from*
in Latvian.
"""
_LANGUAGES: Final[dict[str, dict[str, str]]] = {
    "words of several languages": {
        MINUTES: "mnt* minut* minuut* mínút* мин минут* хвилин* хв",
        SECONDS: "scnd* δευτερ* second* secund* segund* sekund* sekúnd* sekun* секунд* сек",
        HOURS: "hour* hor* stund* valand*",
        MOVES: "movim* jugad* jogad* siirto* siirr* käik* käig* leik* gājien* ėjim* tah* potez* потез* потег* ход* "
        "ruch* posunię* lépés* hamle* mutar* κινησ* træk* trekk* jokald*",
        INCREMENT: "bonus* increment* inkrement* инкремент* bonif* lisäaika* lisäy* lisaaeg* lisaaja* lisand* "
        "tillæg* tillegg* tilläg* viðbót* dodat* додат* добавлен* добавян* добавк* прибавк* додаван* приріст* "
        "prídav* přírůst* prírast* pried* prided* pridėj* papild* pievien* acréscim* cumulativ* acumulativ* "
        "artırım* eklem*",
        REST: "befejez* parti* игра finir terminar terminer terminare парти* парті* peli* loppu* pabaig* galo",
        PLAYER: "player* joueur* jugador* jogador* jokalari* spelar* spelaar* spiller* spieler* pelaaj* mängij* "
        "keppand* spēlētāj* žaidėj* zawodni* gracz* hráč* igrač* igralec* igralc* играч* игрок* участник* "
        "гравц* giocator* játékos* fő",
        FIRST: "prv* перв* перш* първ* прв* pierwsz* premi* primei* primer* erst* först* først* fyrst* esime* ensimm*",
        OTHER: "toler* toller* pauz* paus* wart* wait* karenz* default* forfeit* late latecomer* retard* ritard* "
        "espera* atraso* spozn* opozn* zpozd* cekac* cakac* oneskor* kasn* kesés* várakoz* опозд* ожидан* "
        "запізн* закъсн* кашњ* forsink* försen* myohast* hiline* gecik* reserv* rezerv* резерв* armag* армаг* "
        "play-off* playoff* off tie tiebreak* break tajbr* тай брейк тайбр* stich* stech* sparegg* desempat* "
        "depart* barrage dogryw* rozstr* дополнит* плей both together total total* totaal* beid* zusammen "
        "insgesamt ensemble deux insieme ambos ambas juntos łącznie obaj obu oba обоих оба вместе zajedno "
        "skupaj összes* együtt handicap odds day* week* hourglass* sanduhr*",
        NOTHING: "idő* ritm* turnier* turniej* turnering* turnyr* turnīr* torne* tournament tournoi турнир* темп* "
        "регламент spielmodus schweizer herní игре katr* kiekvien* každ* kazd* кажд* кожн* hver* jokai* "
        "miettimisaik* mietintäaik* umhugsunartím* betänketid* betænkningstid* betenkningstid* bedenk* "
        "mõtlemisa* ajakontroll* laik* kontrol* izdarīt* izpildīt* atlikt* сделан* зроблен* vykonan* "
        "proveden* tehtud apdomas",
    },
    "English": {
        MINUTES: "m mn min mins minute minutes minuts",
        SECONDS: "s sec secs",
        HOURS: "h hr hrs",
        MOVES: "move moves mv mvs mov movs",
        PREPOSITION: "per a for to until till on at",
        IN: "in",
        AFTER: "after",
        INCREMENT: "inc incr incs bonus d delay bronstein increament",
        FROM: "from starting commencing since beginning",
        FIRST: "first one start",
        REST: "g game rest remainder remaining finish end sd sudden death suddendeath k ko qpf knockout quick "
        "quickplay qp",
        ALL: "all whole entire",
        PLAYER: "each side person persons",
        ROUNDS: "round rounds rds",
        WITHOUT: "no without",
        AND: "and",
        THEN: "then plus with followed",
        NOTHING: "the of by an fide time control controls rate play thinking every add added adding addition "
        "extra additional st nd rd th tc next limit modified throughout has have rated open action "
        "chess swiss system",
    },
    "German": {
        SECONDS: "sek",
        HOURS: "std",
        MOVES: "zug züge zügen zuege zuegen zg",
        PREPOSITION: "pro je für fuer auf bis zum",
        AFTER: "nach",
        INCREMENT: "zugabe zeitgutschrift zeitzuschlag fischerzeit",
        FROM: "ab von vom",
        FIRST: "erste ersten beginn",
        REST: "ende",
        ALL: "gesamte",
        ROUNDS: "runde runden",
        WITHOUT: "ohne kein keine",
        AND: "und",
        THEN: "dann danach mit anschließend zzgl",
        NOTHING: "spielzeit zeit der die das den dem zur jeder jeden jede restliche restlichen ganze kurz modus "
        "zuzüglich lang",
    },
    "French": {
        HOURS: "heure heures",
        MOVES: "coup coups cp cps",
        PREPOSITION: "pour par en au aux jusqu",
        AFTER: "après",
        INCREMENT: "ajout ajoutées ajoutés",
        FROM: "dès depuis partir",
        FIRST: "premier première début",
        REST: "reste fin",
        ROUNDS: "ronde rondes",
        WITHOUT: "sans",
        AND: "et",
        THEN: "puis avec",
        NOTHING: "toute cadence le la les de du l d'un chaque joué er re ère rythme jeu",
    },
    "Italian": {
        HOURS: "ora ore",
        MOVES: "mossa mosse tratto tratti",
        PREPOSITION: "ad fino su",
        AFTER: "dopo",
        INCREMENT: "abbuono ricarica",
        FROM: "dal dalla partire",
        FIRST: "primo prima inizio",
        REST: "resto fine termine finire",
        PLAYER: "testa",
        ROUNDS: "turni turno",
        WITHOUT: "senza",
        AND: "e",
        THEN: "poi più",
        NOTHING: "tempo di riflessione il lo alla alle della dello del dei ogni con cadenza gioco ciascuno cadauno",
    },
    "Spanish, Portuguese, Catalan, Basque": {
        SECONDS: "seg segs segons segon",
        HOURS: "ordu",
        MOVES: "jug movida movidas xogada xogadas lance lances mugimendu mugimenduko",
        PREPOSITION: "por para hasta até em fins",
        AFTER: "después tras após depois després",
        FROM: "desde",
        FIRST: "primer primera primero inicio primeira primeiro lehen lehenengo",
        REST: "final fim jogo nocaute xeque resta acabar caída caiguda bandera muerte súbita",
        PLAYER: "xogador xogadores bando",
        ROUNDS: "rondas ronda rodada rodadas",
        WITHOUT: "sin sense sem",
        AND: "y i eta",
        THEN: "luego más mais com més gehi",
        NOTHING: "ritmo juego el los las cada tiempo partidas da dos o tempos ritme joc temps amb bakoitzeko denbora",
    },
    "Romanian": {
        PREPOSITION: "pe pentru până",
        AFTER: "după",
        FROM: "începând dela",
        REST: "restul sfârșit sfârșitul",
        ALL: "toată",
        PLAYER: "jucător",
        WITHOUT: "fără",
        AND: "și",
        THEN: "apoi cu",
        NOTHING: "fiecare timp gândire cadență",
    },
    "Dutch": {
        HOURS: "uur",
        MOVES: "zet zetten",
        PREPOSITION: "voor tot",
        FROM: "vanaf",
        FIRST: "eerste",
        REST: "einde",
        PLAYER: "speler persoon",
        WITHOUT: "zonder geen",
        THEN: "daarna dan met",
        NOTHING: "speeltempo elke iedere het van",
    },
    "Swedish, Danish, Norwegian, Icelandic": {
        HOURS: "tim timme timmar timer klst klukkustund*",
        MOVES: "drag draget dragen",
        PREPOSITION: "på pr til fyrir",
        AFTER: "efter etter eftir",
        FROM: "från fra",
        FIRST: "första ett början første fyrsta",
        REST: "resten slut slutet skák klára ljúka skákina",
        ALL: "hele hela",
        PLAYER: "mann",
        ROUNDS: "ronder runder",
        WITHOUT: "utan uden uten ingen",
        AND: "och með og auk",
        THEN: "sedan därefter därpå med derefter deretter så",
        NOTHING: "varje af av resterende að tímamörk",
    },
    "Finnish and Estonian": {
        HOURS: "tunti tuntia tunnin tundi tund",
        AFTER: "jälkeen pärast",
        INCREMENT: "lisa ajalisa",
        FROM: "alkaen alates",
        FIRST: "ensimmäi* esime*",
        FROM + FIRST: "alusta alust",
        REST: "lõpuni",
        ALL: "kogu",
        ROUNDS: "kierrosta kierros vooru",
        WITHOUT: "ilman ilma",
        AND: "ja sekä",
        THEN: "seejärel",
        NOTHING: "kohti kohta iga eest mängutempo joka",
    },
    "Hungarian": {
        MINUTES: "perc perces",
        SECONDS: "mp másodperc",
        INCREMENT: "bónusz többletidő",
        FROM: "kezdve lépéstől",
        FIRST: "első",
        REST: "játszma játszmára befejezésre befejezéséig végéig",
        ALL: "teljes",
        ROUNDS: "forduló",
        WITHOUT: "nélkül",
        AND: "és",
        THEN: "majd plusz",
        NOTHING: "játékidő az gondolkodási idő minden",
    },
    "Turkish": {
        MINUTES: "dk dakika",
        SECONDS: "sn saniye",
        HOURS: "saat",
        PREPOSITION: "için",
        AFTER: "sonra",
        INCREMENT: "artış",
        FROM: "itibaren",
        FIRST: "ilk",
        REST: "oyun oyuna sonu bitiş",
        PLAYER: "oyuncu",
        ROUNDS: "tur",
        AND: "ve",
        THEN: "artı",
        NOTHING: "her süre temposu ilave ek kişi başına başı",
    },
    "Greek": {
        MINUTES: "λ λεπτά λεπτό λεπτών",
        SECONDS: "δευτερόλεπτα δευτερολέπτων δευτ δλ δ",
        HOURS: "ώρα ώρες",
        MOVES: "κιν",
        PREPOSITION: "ανά για σε",
        AFTER: "μετά",
        INCREMENT: "προσαύξηση",
        FROM: "από",
        FIRST: "πρώτη",
        REST: "παρτίδα τέλος υπόλοιπο",
        PLAYER: "παίκτη παίκτης",
        ROUNDS: "γύροι γύρος",
        AND: "και",
        THEN: "με συν",
        NOTHING: "κάθε την τη τις το χρόνος σκέψης η όλη",
    },
    "Polish": {
        HOURS: "godz godzina godziny godzin",
        MOVES: "pos",
        PREPOSITION: "na za do dla",
        AFTER: "po",
        INCREMENT: "dodaniem",
        FROM: "od",
        FIRST: "pierwszego początku",
        REST: "koniec końca reszta resztę dokończenie dogranie",
        ROUNDS: "runda rund rundy",
        WITHOUT: "bez brez",
        AND: "oraz",
        THEN: "następnie potem z",
        NOTHING: "gry czas",
    },
    "Czech and Slovak": {
        SECONDS: "vteřin",
        HOURS: "hod hodina hodiny hodín",
        MOVES: "tazích",
        PREPOSITION: "pre",
        FIRST: "prvého prvej první prvního začiatku začátku",
        REST: "konec konce dohranie dohrání zvyšok zbytek",
        ALL: "celú celou",
        ROUNDS: "kolo kola kôl",
        THEN: "potom",
        NOTHING: "hrací hracie hry čas",
    },
    "Serbian, Croatian, Slovene": {
        HOURS: "sat sata sati ura ur ure сат сата сати",
        IN: "v",
        AFTER: "nakon posle poslije по после",
        FROM: "počevši од",
        FIRST: "prvog prve prvi početka првог почетка",
        REST: "kraja kraj ostatak краја крај",
        ALL: "целу",
        ROUNDS: "rundi",
        AND: "те и",
        THEN: "zatim nato",
        NOTHING: "svaki svakom vsak vsako igre сваки igralni",
    },
    "Russian and Ukrainian": {
        MINUTES: "м",
        HOURS: "ч час часа часов год година години годин",
        MOVES: "х хід",
        PREPOSITION: "на за до",
        AFTER: "після",
        FROM: "начиная от з від починаючи",
        FIRST: "первого первый начала първия першого",
        REST: "конца остаток края кінця кінець решту закінчення",
        ROUNDS: "тур тура туров рунди",
        WITHOUT: "без",
        AND: "та",
        THEN: "затем плюс потім",
        NOTHING: "го контроль времени всю всей посто постоянно кожен часу",
    },
    "Latvian and Lithuanian": {
        MINUTES: "minuč*",
        HOURS: "val",
        PREPOSITION: "līdz iki",
        AFTER: "pēc",
        FROM: "sākot nuo",
        FIRST: "pirm*",
        REST: "beigām atlik*",
        ALL: "visai",
        WITHOUT: "be",
        AND: "un ir",
        NOTHING: "ar",
    },
    "others": {
        MINUTES: "menit phút daqiqa dəqiqə دقيقة دقيقه دقائق دقیقه דקות דק րոպե წუთი 分钟* 分* дақиқа 분*",
        SECONDS: "sekonda detik giây soniya saniyə ثانية ثانيه ثواني ثانیه שניות שנ վայրկյան წამი 秒* сония 초*",
        MOVES: "lëvizje langkah nước نقلة حرکت למהלך 步 每步 每步加",
        PREPOSITION: "cho لكل",
        PLAYER: "lojtar pemain 每方",
        NOTHING: "mỗi",
    },
}

_NAMES: Final = {
    "standard": "standard normal classical classic klassisch classico classique clásico clàssic klassik klasyczne "
    "klasik turnierpartie klassísk классика классические класика långpartier langsjakk kappskák",
    "rapid": "rapid rapidplay rapide rapidchess schnellschach semilampo snabbschack hurtigsjakk hurtigskak atskák "
    "быстрые швидкі nopeashakki kiirmale szybkie hızlı rychlé рапид рапід",
    "blitz": "brzopotezno blitz lampo blixt lyn lynsjakk lynskak hraðskák pikashakki välkmale yıldırım błyskawiczne "
    "bleskové блиц бліц",
}

_WITHOUT_MARKS = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "æ": "ae", "đ": "d", "ß": "ss"})


def without_accents(text: str) -> str:
    """Return ``text`` in lower case without accents and with plain digits, as the words of this module are compared."""
    letters = unicodedata.normalize("NFKD", text.lower())
    plain = (str(unicodedata.decimal(letter, letter)) for letter in letters if not unicodedata.combining(letter))
    return "".join(plain).translate(_WITHOUT_MARKS)


_WORDS: Final = {
    word: kind
    for words_by_kind in reversed(_LANGUAGES.values())
    for kind, words in reversed(words_by_kind.items())
    for word in without_accents(words).split()
}
KINDS: Final = {word: kind for word, kind in _WORDS.items() if not word.endswith("*")}
"""The kind of every whole word. Where languages differ, the language that comes first above decides."""

STEMS: Final = {word.removesuffix("*"): kind for word, kind in _WORDS.items() if word.endswith("*")}
"""The kind of the words that begin with these letters, in languages that change the ends of words."""

_NAME_OF: Final = {word: name for name, words in _NAMES.items() for word in without_accents(words).split()}
_LONG_NAME: Final = 5


def name_of(word: str) -> str | None:
    """Return the time control that a word names, by itself or by a part: *Blitzturnier*."""
    parts = (name for part, name in _NAME_OF.items() if len(part) >= _LONG_NAME and part in word)
    return _NAME_OF.get(word) or next(parts, None)
