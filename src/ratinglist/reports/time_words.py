"""The words of time controls in the languages that arbiters write, each with its kind.

A kind is one letter: ``M`` minutes, ``S`` seconds, ``H`` hours, ``V`` a move, ``P`` a preposition between a time and
what it is for, ``I`` an increment, ``F`` from (a move on), ``1`` the first, ``R`` the rest of the game, ``y`` a player,
``r`` rounds, ``+`` what joins two parts. ``N`` is a number and ``/`` a slash; a word that adds nothing has an empty
kind.
"""

from __future__ import annotations

from typing import Final

_WORDS: Final = {
    "M": "m mn min mins minute minutes minuten minuti minuto minutos minut minuta minuty minutter minuter minutit "
    "minuut perc мин м минут минуты минута минуту хвилин хв",
    "S": "s sec secs second seconds seconde secondes secondi secondo sek sekunde sekunden sekund sekunder sekundy "
    "seg segs segundo segundos másodperc сек секунд секунды секунда секунду",
    "H": "h hr hrs hour hours std stunde stunden heure heures ora ore hora horas ч час часа часов",
    "V": "move moves mv mvs mov movs zug züge zügen zuege zuegen coup coups cp cps mossa mosse tratto tratti jugada "
    "jugadas jug movimiento movimientos lance lances zet zetten tah tahů tahy ruch ruchów ход хода ходов ходы "
    "ходу",
    "P": "per a à in im for to until till by pro je für fuer auf bis pour par en au aux jusqu por para hasta ad fino "
    "su na za на за до",
    "I": "inc increment increments incr inkrement incremento incrementi incrémentation incrément bonus bonification "
    "bonificación zugabe zeitgutschrift abbuono ricarica добавление добавлением добавления прибавка инкремент",
    "F": "from starting since ab von dès des depuis partir dal dalla desde начиная",
    "1": "first one primo prima premier première premiere primer primera primero erste ersten первого первый",
    "R": "g game rest remainder remaining finish end sd suddendeath ende partie reste fin ko qpf resto partita fine "
    "termine partida final конца партии партию партия остаток",
    "y": "player players side spieler joueur joueurs giocatore testa jugador jugadores игрока игроку",
    "r": "round rounds runde runden ronde rondes turni turno rondas ronda тур тура туров",
    "+": "and then plus und dann danach et puis e poi più piu y luego más mas и затем плюс",
    "": "the of fide time control controls rate play thinking each all every cumulative fischer whole with add "
    "added adding plus st nd rd th bedenkzeit spielzeit zeit der die das den dem zum zur mit jeder jeden jede "
    "je restliche restlichen ganze cadence le la les de du chaque avec joué er re ère tempo di riflessione il "
    "lo alla alle della dello del dei ogni con cadenza gioco ciascuno cadauno ritmo juego el los las cada "
    "tiempo ro ra контроль времени по каждый каждому всю всей го o or",
}
KINDS: Final = {word: kind for kind, words in reversed(_WORDS.items()) for word in words.split()}
"""The kind of every word; of a word with two kinds, the one that comes first above."""

SECONDS_OR_FROM: Final = "с"
"""In Russian: seconds after a number, else *from* or *with*."""

NAMES: Final = {
    word: name
    for name, words in {
        "standard": "standard classical classic klassisch classico classique clásico klassik классика классические",
        "rapid": "rapid rapidplay rapide rapidchess schnellschach semilampo рапид",
        "blitz": "blitz blitzschach lampo блиц",
    }.items()
    for word in words.split()
}
"""The time control that a word names."""
