"""The people of the made-up federation of Orvania (ORV) and of its neighbour Kelmark (KEL).

Nobody here exists, no federation uses these codes, and the identification numbers stand in a block of their own.
Strength is what a player is worth over the board and may differ from the rating: that is what makes ratings move.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Person:
    """One player as the starting list knows him. ``rating`` and the state K depends on are those of 2025-08."""

    key: str
    fide_id: int
    name: str
    federation: str
    sex: str
    title: str
    birth: date
    rating: int | None
    games_played: int
    last_played: date | None
    strength: int
    reached_2300: bool
    reached_2400: bool
    story: bool
    club: str
    registered: str

    @property
    def k(self) -> int | None:
        """The development coefficient on the starting list; none without a rating."""
        if self.rating is None:
            return None
        if self.reached_2400:
            return 10
        if 2025 - self.birth.year <= 18 and not self.reached_2300:
            return 40
        return 40 if self.games_played < 30 else 20


# number | name | federation | sex | title | birth | rating or - | games played | last list with a game | strength or =
# | highest rating ever published or = | * where only the story may enter him for an event | club in the league |
# month of the players file where the starting list does not know him yet
TABLE = """
99900143|Ravnik, Teodor|ORV|M|GM|1996-03-14|2668|812|2025-08|=|2684|*||
99900027|Castellane, Émile|ORV|M|GM|1983-11-02|2574|1290|2025-07|=|2611||Aurel|
99900311|Obuya-Lindt, Samuel|KEL|M|GM|1990-06-21|2538|901|2025-08|=|2555|||
99900208|Szendrő, Bálint|ORV|M|IM|1988-01-30|2461|640|2025-08|=|2478||Granary|
99900415|Tamagni, Lucio|ORV|M|IM|1979-09-09|2439|1010|2025-06|=|2490|||
99900266|Haldane, Rosalind|ORV|F|IM/WGM|1994-04-17|2412|533|2025-08|=|2431||Harbour|
99900502|Vesterholt, Jonas|ORV|M|FM|2001-07-25|2391|388|2025-08|2480|=|*||
99900319|Adeyinka-Roux, Tomas|ORV|M|FM|1997-12-05|2344|402|2025-08|=|=||Lakeside|
99900077|Iwatani, Kenzo|KEL|M|FM|1986-10-11|2318|517|2025-07|=|2352|||
99900221|Peñalver, Gonzalo|ORV|M|FM|1975-02-19|2305|1444|2025-08|=|2388||Mill|
99900380|Krogsgård, Silje|ORV|F|WIM|1999-08-08|2251|296|2025-08|=|2280||Vale|
99900164|Bartošek, Radim|ORV|M||1992-05-03|2236|371|2025-08|=|=||Aurel|
99900440|Nakamba, Joseph|ORV|M|CM|1984-03-27|2209|350|2025-07|=|2240||Granary|
99900095|von Treskau, Albrecht|KEL|M||1968-12-12|2188|1103|2025-08|=|2293|||
99900533|Ferrandis, Clàudia|ORV|F|WFM|2003-01-16|2167|204|2025-08|2200|=||Lakeside|
99900352|Ó Conaill, Fiachra|ORV|M||1981-06-30|2149|480|2025-08|=|2171||Harbour|
99900188|Lazarov, Dimo|ORV|M||1972-09-23|2131|922|2025-06|=|2245||Mill|
99900471|Brightwater, Hugo|ORV|M||1998-10-28|2104|233|2025-08|=|2119|*||
99900059|Yamaguchi-Berg, Aiko|ORV|F|WCM|2006-02-11|2083|170|2025-08|2130|=||Vale|
99900605|Çelikkaya, Orhan|ORV|M||1989-07-07|2066|265|2025-08|=|=||Aurel|
99900290|Strandvold, Ketil|KEL|M||1963-04-01|2047|760|2025-08|=|2190|||
99900133|Moreau-Diallo, Baptiste|ORV|M||2000-11-19|2031|140|2025-08|=|=||Granary|
99900549|Petrauskienė, Ugnė|ORV|F||1995-03-08|2008|188|2025-08|=|2040||Harbour|
99900362|Haverkamp, Joost|ORV|M||1977-08-15|1994|610|2025-08|=|2055||Lakeside|
99900242|Rwigara, Patrice|ORV|M||1991-12-29|1981|155|2025-07|=|=||Mill|
99900418|Steinhövel, Matthias|ORV|M||1966-05-20|1969|830|2025-08|=|2101||Vale|
99900018|Galvão, Renata|ORV|F||1987-10-04|1952|222|2025-08|=|1990||Aurel|
99900576|Wojtczak, Łukasz|ORV|M||1994-09-13|1937|131|2025-08|=|=||Granary|
99900339|Tindall, Prudence|ORV|F||1958-01-24|1921|540|2024-10|=|2012|*||
99900151|Arslanbek, Timur|ORV|M||2007-06-06|1908|96|2025-08|1990|=||Harbour|
99900487|Lindqvist, Åke|ORV|M||1970-02-02|1893|702|2025-08|=|1985||Lakeside|
99900104|D'Amorim, Tiago|ORV|M||1985-07-18|1880|119|2025-08|=|=||Mill|
99900620|Kovářová, Hedvika|ORV|F||1999-05-31|1866|88|2025-08|=|=||Vale|
99900277|Osei-Brandt, Kwame|KEL|M||1993-11-11|1851|74|2025-08|=|=|||
99900395|Delacroix-Ngô, Minh|ORV|M||2008-03-03|1839|61|2025-08|1920|=|||
99900046|Thorbjörnsson, Egill|ORV|M||1961-10-17|1822|460|2025-08|=|1960|||
99900513|Piatkowiak, Zofia|ORV|F||1980-12-01|1808|97|2025-08|=|=||Aurel|
99900232|Mac Aodha, Diarmuid|ORV|M||1973-04-12|1795|330|2025-07|=|1876||Granary|
99900589|Benavente, Rocío|ORV|F||1990-08-26|1784|69|2025-08|=|=||Harbour|
99900121|Whitlock, Agatha|ORV|F||1969-09-19|1772|410|2024-05|=|1850|*||
99900457|Ilunga, Faustin|ORV|M||1996-01-05|1760|52|2025-08|=|=||Lakeside|
99900305|Achterberg, Noor|ORV|F||2011-05-09|1741|58|2025-08|1960|=|*||
99900199|Szalontay, Gergő|ORV|M||2009-02-27|1728|49|2025-08|1760|=|||
99900561|Quesnel, Adélaïde|ORV|F||1955-07-14|1716|388|2025-08|=|1803||Mill|
99900084|Hamdouchi-Vale, Yanis|ORV|M||2010-10-20|1702|45|2025-08|1750|=|||
99900426|Rasmuson, Torkel|ORV|M||1982-03-15|1690|77|2025-08|=|=||Vale|
99900173|Belmonte, Saverio|ORV|M||1976-06-24|1675|212|2025-08|=|1745||Aurel|
99900528|Ngata-Miles, Hemi|ORV|M||2012-08-30|1661|33|2025-08|1720|=|||
99900255|Vukmirić, Jelena|ORV|F||1998-04-22|1648|41|2025-08|=|=||Granary|
99900374|Oyelaran, Tunde|ORV|M||1989-09-02|1632|36|2025-08|=|=||Harbour|
99900068|Schimmelpfeng, Udo|ORV|M||1959-11-26|1619|515|2025-08|=|1752||Lakeside|
99900492|Aroztegi, Maialen|ORV|F||2011-01-12|1603|27|2025-08|1650|=|||
99900328|Lemaître, Gaspard|ORV|M||2013-03-21|1587|19|2025-08|1640|=|||
99900216|Tovmasyan-Ek, Davit|ORV|M||2010-07-04|1566|24|2025-08|1600|=|||
99900597|Bramhall, Cecily|ORV|F||1964-02-08|1548|140|2025-08|=|1610||Mill|
99900112|Nieminen-Rao, Veera|ORV|F||2012-12-18|1529|14|2025-08|1570|=|||
99900403|Grzegorek, Stefan|ORV|M||1956-06-03|1511|266|2025-08|=|1604||Vale|
99900036|Mutasa, Blessing|ORV|F||1997-10-10|1493|22|2025-08|=|=|||
99900284|Eklöf, Sixten|ORV|M||2013-09-29|1472|11|2025-08|1520|=|||
99900539|Quillfeather, Otis|ORV|M||1952-04-04|1409|301|2025-08|1250|1580|*||
99900610|Maranzano, Ines|ORV|F||1993-06-16|-|0||1720||*||
99900347|Dahlqvist, Per|ORV|M||1986-05-27|-|0||1640||*||
99900447|Fontaine-Oduya, Didier|ORV|M||1978-02-23|-|0||1600||*||
99900613|Huxtable, Enid|ORV|F||1949-12-30|-|48|2023-11|1380||*||
99900622|Baumgartl, Leni|ORV|F||2014-04-11|-|0||1440||*||
99900635|Sato-Wright, Ken|ORV|M||1990-01-07|-|0||1850||*||2025-10
99900641|Kestrel, Anna|KEL|F||1995-09-05|-|0||1700||*||2025-11
99900648|Villalobos, Ximena|ORV|F||2004-08-19|-|0||1580||*||2025-12
"""


def people() -> list[Person]:
    """Everybody, strongest first. ``key`` is the first word of the surname as the story calls him."""
    return [_person(line) for line in TABLE.strip().splitlines()]


def _person(line: str) -> Person:
    number, name, federation, sex, title, birth, rating, played, last, strength, peak, story, club, month = line.split(
        "|"
    )
    rated = None if rating == "-" else int(rating)
    highest = max((int(text) for text in (rating, peak) if text.isdigit()), default=0)
    return Person(
        key=name.split(",")[0],
        fide_id=int(number),
        name=name,
        federation=federation,
        sex=sex,
        title=title,
        birth=date.fromisoformat(birth),
        rating=rated,
        games_played=int(played),
        last_played=date.fromisoformat(f"{last}-01") if last else None,
        strength=int(rated if strength == "=" and rated is not None else strength),
        reached_2300=highest >= 2300,
        reached_2400=highest >= 2400,
        story=story == "*",
        club=club,
        registered=month,
    )
