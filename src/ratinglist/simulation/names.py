"""Names of nobody: made-up surnames, put together of a stem and an ending, and a given name.

Three kinds of letters: those that Windows-1252 holds, those of the Latin alphabet that it lacks, and Cyrillic ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.simulation.keyed_random import per_thousand, roll

LONGEST = 33
"""Characters of a name in a report; longer ones are cut there."""
_CENTRAL, _CYRILLIC, _DOUBLE = 220, 20, 60


@dataclass(frozen=True, slots=True)
class _Style:
    stems: tuple[str, ...]
    endings: tuple[str, ...]
    men: tuple[str, ...]
    women: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_WESTERN = _Style(
    _words(
        "Abel Bränt Castr Dorv Éstel Fjor Grün Halv Ibar Jönk Kalm Lérid Mand Nørr Oliv Pérr Quen Rosm Søndr Tärn Ulv "
        "Vald Wint Xim Yarr Zell Ånd Ñer Çel Öst Moss Fent Garv Hest Pell Trev Blom Dask Evr Lund"
    ),
    _words(
        "ana ell ström berg aldo enez wick ford holm by gård ière eau otte ansen ado eira ique unda elli ossi atti "
        "enfels bach mann dal erson thorp ley combe ård önen ães aña"
    ),
    _words(
        "Aldo Baptiste Conrad Dário Émile Fabian Gonzalo Hjalmar Iñigo João Kaspar Léo Matthías Niels Orso Pål Quentin "
        "Ramón Søren Tobias Ulrich Vítor Wendel Yann Zeno Åke Björn César Dirk Elías"
    ),
    _words(
        "Adélaïde Brigit Clàudia Dagmar Élise Frøydis Greta Hélène Inés Jutta Karin Lucía Maïa Noor Odile Pía Quirina "
        "Rocío Solveig Thaïs Ursula Violante Wilma Ximena Yvonne Zoë Åsa Märta Núria Saga"
    ),
)
_EASTERN = _Style(
    _words(
        "Łask Świer Čern Řez Šim Žel Őrs Ğöz Şahin Ţur Bród Gyűr Hołow Kóv Ľub Mędr Ňuk Piąt Rőz Stőr Ťap Ůlen Wąs Zıl"
    ),
    _words("owicz ěnka ović ęcki ścik ősi ğlu țescu ák űvári ařík ņš ūnas ėnas ščuk łowski ićki ınar"),
    _words(
        "Łukasz Ctirad Gergő Đorđe Šimon Bálint Ümit Ştefan Jānis Ąžuolas Żegota Ondřej İlker Mihály Kęstas Břetislav"
    ),
    _words("Zofia Řehoňa Ildikó Đurđa Šárka Żaneta Ülkü Ștefana Līga Ugnė Bożena Květa İpek Réka Jūratė Ľubica"),
)
_SLAVIC = _Style(
    _words("Верд Залем Курб Лозов Мирят Олен Пешк Рудож Сувал Тархун Улеб Фесол Чарус Шумил Ярем"),
    _words("ников аев инский енко ович уров ельян ашвин"),
    _words("Велемир Гордей Захар Любим Мирон Остап Прохор Савелий Тихон Ярослав"),
    _words("Варвара Глафира Зоряна Ксения Любава Милена Олеся Пелагея Стефания Ульяна"),
)


def named(seed: int, number: pl.Expr, woman: pl.Expr, renamed: pl.Expr) -> pl.Expr:
    """``Surname, Given`` of the player ``number``; ``renamed`` is 0, or 1 once he has taken another surname."""
    style = roll(seed, "letters of a name", number, sides=1000)
    return (
        pl.when(style < _CYRILLIC)
        .then(_composed(seed, _SLAVIC, number, woman, renamed))
        .when(style < _CYRILLIC + _CENTRAL)
        .then(_composed(seed, _EASTERN, number, woman, renamed))
        .otherwise(_composed(seed, _WESTERN, number, woman, renamed))
        .str.slice(0, LONGEST)
        .str.strip_chars()
    )


def _composed(seed: int, style: _Style, number: pl.Expr, woman: pl.Expr, renamed: pl.Expr) -> pl.Expr:
    second = (
        pl.when(per_thousand(seed, "double name", number, chance=_DOUBLE))
        .then(pl.concat_str(pl.lit("-"), _surname(seed, "second", style, number, renamed)))
        .otherwise(pl.lit(""))
    )
    given = (
        pl.when(woman)
        .then(_drawn(seed, "given name", style.women, number))
        .otherwise(_drawn(seed, "given name", style.men, number))
    )
    return pl.concat_str(_surname(seed, "first", style, number, renamed), second, pl.lit(", "), given)


def _surname(seed: int, which: str, style: _Style, number: pl.Expr, renamed: pl.Expr) -> pl.Expr:
    return pl.concat_str(
        _drawn(seed, f"{which} stem", style.stems, number, renamed),
        _drawn(seed, f"{which} ending", style.endings, number, renamed),
    )


def _drawn(seed: int, what: str, words: tuple[str, ...], *keys: pl.Expr) -> pl.Expr:
    return pl.lit(pl.Series(words)).gather(roll(seed, what, *keys, sides=len(words)))


def city(seed: int, *keys: pl.Expr) -> pl.Expr:
    """A made-up town for an event, in letters that every encoding holds but for an accent here and there."""
    return pl.concat_str(
        _drawn(
            seed, "first half of a town", _words("Alder Brack Calm Dun Elm Fenn Grün Hal Iver Kings Lang Mühl"), *keys
        ),
        _drawn(seed, "second half of a town", _words("bury haven mouth stad hausen vik ford église mar port"), *keys),
    )
