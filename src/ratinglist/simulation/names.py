"""Made-up names: a surname of a stem and an ending, and a given name.

Names have letters of three kinds: those of Windows-1252, Latin letters that it lacks, and Cyrillic ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.simulation.keyed_random import per_thousand, roll

LONGEST = 33
"""Characters of a name in a report; longer names are truncated."""
_EASTERN_CHANCE, _CYRILLIC_CHANCE, _DOUBLE_CHANCE = 220, 20, 60
"""Per thousand players."""


@dataclass(frozen=True, slots=True)
class _Style:
    stems: tuple[str, ...]
    endings: tuple[str, ...]
    men: tuple[str, ...]
    women: tuple[str, ...]


def _parts(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_WESTERN = _Style(
    _parts(
        "Abel Bränt Castr Dorv Éstel Fjor Grün Halv Ibar Jönk Kalm Lérid Mand Nørr Oliv Pérr Quen Rosm Søndr Tärn Ulv "
        "Vald Wint Xim Yarr Zell Ånd Ñer Çel Öst Moss Fent Garv Hest Pell Trev Blom Dask Evr Lund"
    ),
    _parts(
        "ana ell ström berg aldo enez wick ford holm by gård ière eau otte ansen ado eira ique unda elli ossi atti "
        "enfels bach mann dal erson thorp ley combe ård önen ães aña"
    ),
    _parts(
        "Aldo Baptiste Conrad Dário Émile Fabian Gonzalo Hjalmar Iñigo João Kaspar Léo Matthías Niels Orso Pål Quentin "
        "Ramón Søren Tobias Ulrich Vítor Wendel Yann Zeno Åke Björn César Dirk Elías"
    ),
    _parts(
        "Adélaïde Brigit Clàudia Dagmar Élise Frøydis Greta Hélène Inés Jutta Karin Lucía Maïa Noor Odile Pía Quirina "
        "Rocío Solveig Thaïs Ursula Violante Wilma Ximena Yvonne Zoë Åsa Märta Núria Saga"
    ),
)
_EASTERN = _Style(
    _parts(
        "Łask Świer Čern Řez Šim Žel Őrs Ğöz Şahin Ţur Bród Gyűr Hołow Kóv Ľub Mędr Ňuk Piąt Rőz Stőr Ťap Ůlen Wąs Zıl"
    ),
    _parts("owicz ěnka ović ęcki ścik ősi ğlu țescu ák űvári ařík ņš ūnas ėnas ščuk łowski ićki ınar"),
    _parts(
        "Łukasz Ctirad Gergő Đorđe Šimon Bálint Ümit Ştefan Jānis Ąžuolas Żegota Ondřej İlker Mihály Kęstas Břetislav"
    ),
    _parts("Zofia Řehoňa Ildikó Đurđa Šárka Żaneta Ülkü Ștefana Līga Ugnė Bożena Květa İpek Réka Jūratė Ľubica"),
)
_SLAVIC = _Style(
    _parts("Верд Залем Курб Лозов Мирят Олен Пешк Рудож Сувал Тархун Улеб Фесол Чарус Шумил Ярем"),
    _parts("ников аев инский енко ович уров ельян ашвин"),
    _parts("Велемир Гордей Захар Любим Мирон Остап Прохор Савелий Тихон Ярослав"),
    _parts("Варвара Глафира Зоряна Ксения Любава Милена Олеся Пелагея Стефания Ульяна"),
)


def named(seed: int, number: pl.Expr, woman: pl.Expr, renamed: pl.Expr) -> pl.Expr:
    """Return ``Surname, Given`` of the player ``number``; ``renamed`` is 1 after a change of surname, else 0."""
    style = roll(seed, "letters of a name", number, sides=1000)
    return (
        pl.when(style < _CYRILLIC_CHANCE)
        .then(_composed(seed, _SLAVIC, number, woman, renamed))
        .when(style < _CYRILLIC_CHANCE + _EASTERN_CHANCE)
        .then(_composed(seed, _EASTERN, number, woman, renamed))
        .otherwise(_composed(seed, _WESTERN, number, woman, renamed))
        .str.slice(0, LONGEST)
        .str.strip_chars()
    )


def _composed(seed: int, style: _Style, number: pl.Expr, woman: pl.Expr, renamed: pl.Expr) -> pl.Expr:
    second = (
        pl.when(per_thousand(seed, "double name", number, chance=_DOUBLE_CHANCE))
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


def _drawn(seed: int, what: str, parts: tuple[str, ...], *keys: pl.Expr) -> pl.Expr:
    return pl.lit(pl.Series(parts)).gather(roll(seed, what, *keys, sides=len(parts)))


def city(seed: int, *keys: pl.Expr) -> pl.Expr:
    """Return the name of a made-up town; few of its letters are not ASCII, all of them are in Windows-1252."""
    return pl.concat_str(
        _drawn(
            seed, "first half of a town", _parts("Alder Brack Calm Dun Elm Fenn Grün Hal Iver Kings Lang Mühl"), *keys
        ),
        _drawn(seed, "second half of a town", _parts("bury haven mouth stad hausen vik ford église mar port"), *keys),
    )
