"""The cast and the scenes of the sample: the cases that documents and tests need and chance does not guarantee.

All other players and events come from ``ratinglist.simulation``; see ``make.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

CAST = """
fide_id,name,federation,sex,title,women_title,other_titles,birth_date,rating,games_played,highest,last_played,strength,month
99900143,"Ravnik, Teodor",ORV,M,GM,,,1996-03-14,2668,812,2684,2025-08-01,2668,
99900027,"Castellane, Émile",ORV,M,GM,,,1983-11-02,2574,1290,2611,2025-07-01,2574,
99900208,"Szendrő, Bálint",ORV,M,IM,,,1988-01-30,2461,640,2478,2025-08-01,2461,
99900415,"Tamagni, Lucio",ORV,M,IM,,,1979-09-09,2439,1010,2490,2025-06-01,2439,
99900266,"Haldane, Rosalind",ORV,F,IM,WGM,,1994-04-17,2412,533,2431,2025-08-01,2412,
99900502,"Vesterholt, Jonas",ORV,M,FM,,,2001-07-25,2391,388,2391,2025-08-01,2480,
99900319,"Adeyinka-Roux, Tomas",ORV,M,FM,,,1997-12-05,2344,402,2344,2025-08-01,2344,
99900077,"Iwatani, Kenzo",KEL,M,FM,,,1986-10-11,2318,517,2352,2025-07-01,2318,
99900221,"Peñalver, Gonzalo",ORV,M,FM,,,1975-02-19,2305,1444,2388,2025-08-01,2305,
99900164,"Bartošek, Radim",ORV,M,,,,1992-05-03,2236,371,2236,2025-08-01,2236,
99900095,"von Treskau, Albrecht",KEL,M,,,,1968-12-12,2188,1103,2293,2025-08-01,2188,
99900533,"Ferrandis, Clàudia",ORV,F,WFM,WFM,,2003-01-16,2167,204,2167,2025-08-01,2200,
99900352,"Ó Conaill, Fiachra",ORV,M,,,,1981-06-30,2149,480,2171,2025-08-01,2149,
99900471,"Brightwater, Hugo",ORV,M,,,,1998-10-28,2104,233,2119,2025-08-01,2104,
99900605,"Çelikkaya, Orhan",ORV,M,,,,1989-07-07,2066,265,2066,2025-08-01,2066,
99900290,"Strandvold, Ketil",KEL,M,,,,1963-04-01,2047,760,2190,2025-08-01,2047,
99900418,"Steinhövel, Matthias",ORV,M,,,,1966-05-20,1969,830,2101,2025-08-01,1969,
99900018,"Galvão, Renata",ORV,F,,,,1987-10-04,1952,222,1990,2025-08-01,1952,
99900339,"Tindall, Prudence",ORV,F,,,FA,1958-01-24,1921,540,2012,2024-10-01,1921,
99900046,"Thorbjörnsson, Egill",ORV,M,,,,1961-10-17,1822,460,1960,2025-08-01,1822,
99900121,"Whitlock, Agatha",ORV,F,,,FA,1969-09-19,1772,410,1850,2024-05-01,1772,
99900305,"Achterberg, Noor",ORV,F,,,,2011-05-09,1741,58,1741,2025-08-01,1960,
99900539,"Quillfeather, Otis",ORV,M,,,,1952-04-04,1409,301,1580,2025-08-01,1250,
99900610,"Maranzano, Ines",ORV,F,,,,1993-06-16,,0,0,,1720,
99900347,"Dahlqvist, Per",ORV,M,,,,1986-05-27,,0,0,,1640,
99900447,"Fontaine-Oduya, Didier",ORV,M,,,,1978-02-23,,0,0,,1600,
99900613,"Huxtable, Enid",ORV,F,,,,1949-12-30,,48,0,2023-11-01,1380,
99900635,"Sato-Wright, Ken",ORV,M,,,,1990-01-07,,0,0,,1850,2025-10
99900641,"Kestrel, Anna",KEL,F,,,,1995-09-05,,0,0,,1700,2025-11
99900648,"Villalobos, Ximena",ORV,F,,,,2004-08-19,,0,0,,1580,2025-12
"""
"""The data of the starting list. ``month``: first registered for that list. ``strength``: over the board."""

TITLES = {"2025-11": {"Vesterholt": "IM"}}
"""New titles of registered players, by list and surname."""

SLOW, HOUR_AND_A_HALF, HOUR = ("5400+30", 120), ("3600+30", 90), ("3000+10", 60)
"""Record 222, and the minutes it gives for 60 moves."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One event and the delivery of its report.

    ``month``: the list it is delivered for. ``places``: the number of players. Places not taken by ``invited``
    (surnames) are given by lot to players rated from ``low`` to ``high``, born in ``born_from`` or later, who do not
    play elsewhere then. ``form``: rating points by which a player is stronger here than elsewhere. ``enters`` and
    ``leaves``: the first and the last round a player attends. ``numbered``: start numbers out of the order of ratings.
    ``results``: the codes of two opponents. ``bye``: the code of an allocated bye. ``delivery``: the columns of its
    delivery that differ from a plain TRF16 report.
    """

    month: str
    file: str
    code: str
    name: str
    city: str
    system: str
    start: date
    rounds: int
    days: int
    registered: date
    received: date
    places: int
    invited: tuple[str, ...] = ()
    low: int = 1400
    high: int = 2500
    born_from: int = 1900
    clock: tuple[str, int] = SLOW
    teams: int = 0
    form: dict[str, int] = field(default_factory=dict)
    enters: dict[str, int] = field(default_factory=dict)
    leaves: dict[str, int] = field(default_factory=dict)
    numbered: dict[str, int] = field(default_factory=dict)
    results: dict[tuple[str, str], str] = field(default_factory=dict)
    bye: str = "U"
    delivery: dict[str, object] = field(default_factory=dict)


TRF26 = {"is_trf26": True}
MASTERS = ("Castellane", "Szendrő", "Tamagni", "Haldane", "Vesterholt", "Iwatani", "Peñalver", "Adeyinka-Roux")

SCENES = [
    Scene(
        *("2025-09", "lakeside-open-a.trf", "ORV25081", "Lakeside Open, Group A", "Lakeside", "swiss"),
        *(date(2025, 8, 2), 9, 9, date(2025, 6, 20), date(2025, 8, 11), 20),
        invited=("Achterberg", "Peñalver", "Haldane", "Szendrő", "von Treskau", "Ó Conaill", "Thorbjörnsson"),
        low=1650,
    ),
    Scene(
        *("2025-09", "lakeside-open-b.trf", "ORV25082", "Lakeside Open, Group B", "Lakeside", "swiss"),
        *(date(2025, 8, 2), 7, 7, date(2025, 6, 20), date(2025, 8, 11), 17),
        invited=("Quillfeather", "Maranzano", "Fontaine-Oduya", "Huxtable"),
        high=1790,
        clock=HOUR_AND_A_HALF,
        form={"Fontaine-Oduya": -900, "Maranzano": 60, "Quillfeather": -120},
        enters={"Maranzano": 2},
        leaves={"Maranzano": 4, "Fontaine-Oduya": 4, "Huxtable": 3},
        bye="F",
        delivery={"is_cp1252": True, "is_crlf": True},
    ),
    Scene(
        *("2025-09", "youth-cup.trf", "ORV25083", "Youth Cup of Orvania", "Port Saint-Aurel", "round_robin"),
        *(date(2025, 8, 12), 7, 4, date(2025, 7, 10), date(2025, 8, 17), 8),
        invited=("Achterberg",),
        high=1790,
        born_from=2005,
        clock=HOUR,
    ),
    Scene(
        *("2025-09", "masters.trf", "ORV25085", "Orvanian Masters", "Port Saint-Aurel", "round_robin"),
        *(date(2025, 8, 16), 7, 7, date(2025, 7, 1), date(2025, 8, 23), 8),
        invited=MASTERS,
        form={"Vesterholt": 150},
        delivery=TRF26,
    ),
    Scene(
        *("2025-12", "old-mill.trf", "ORV25086", "Old Mill Tournament", "Old Mill", "round_robin"),
        *(date(2025, 8, 18), 5, 5, date(2025, 7, 15), date(2025, 11, 5), 6),
        low=1500,
        high=2000,
    ),
    Scene(
        *("2025-09", "harbour-weekend.trf", "ORV25084", "Harbour Weekend", "Nordhavn", "swiss"),
        *(date(2025, 8, 22), 5, 3, date(2025, 7, 20), date(2025, 8, 26), 15),
        invited=("Achterberg", "Strandvold"),
        delivery=TRF26,
    ),
    Scene(
        *("2025-10", "port-championship.trf", "ORV25091", "Championship of Port Saint-Aurel", "Port Saint-Aurel"),
        *("round_robin", date(2025, 9, 2), 9, 25, date(2025, 7, 30), date(2025, 9, 27), 10),
        invited=("Bartošek", "Galvão", "Çelikkaya", "Steinhövel", "Ferrandis"),
        low=1700,
        results={("Bartošek", "Çelikkaya"): "00", ("Steinhövel", "Galvão"): "-+"},
        delivery={"has_old_titles": True},
    ),
    Scene(
        *("2025-10", "league-september.trf", "ORV25092", "Orvanian League", "Lakeside", "team"),
        *(date(2025, 9, 6), 3, 2, date(2025, 8, 1), date(2025, 9, 10), 16),
        invited=("Castellane", "Haldane", "Szendrő", "Adeyinka-Roux", "Peñalver"),
        teams=4,
        delivery=TRF26,
    ),
    Scene(
        *("2025-10", "quartz-cup.trf", "ORV25095", "Quartz Cup", "Quarry Hill", "round_robin"),
        *(date(2025, 9, 10), 5, 5, date(2025, 8, 5), date(2025, 9, 30), 6),
        low=1600,
    ),
    Scene(
        *("2025-10", "vale-weekend.trf", "ORV25093", "Vale Weekend", "Long Vale", "swiss"),
        *(date(2025, 9, 12), 5, 3, date(2025, 8, 10), date(2025, 9, 16), 12),
        invited=("Strandvold",),
        clock=HOUR_AND_A_HALF,
        delivery={"damage": 4},
    ),
    Scene(
        *("2025-10", "granary-open.trf", "ORV25094", "Granary Open", "Granary", "swiss"),
        *(date(2025, 9, 15), 5, 5, date(2025, 8, 12), date(2025, 9, 21), 14),
        invited=("Kestrel", "Whitlock"),
        clock=HOUR_AND_A_HALF,
    ),
    Scene(
        *("2025-10", "september-open.trf", "ORV25096", "September Open", "Quarry Hill", "swiss"),
        *(date(2025, 9, 16), 7, 7, date(2025, 8, 14), date(2025, 9, 24), 16),
        invited=("Maranzano", "Dahlqvist", "Sato-Wright", "Vesterholt", "Thorbjörnsson"),
        form={"Maranzano": 100},
        leaves={"Maranzano": 4, "Dahlqvist": 4},
        delivery={"is_trimmed": True},
    ),
    Scene(
        *("2025-11", "bridge-festival.trf", "ORV25101", "Bridge Festival", "Old Bridge", "swiss"),
        *(date(2025, 9, 27), 7, 7, date(2025, 8, 20), date(2025, 10, 6), 16),
        invited=("Ravnik", "Ferrandis", "Ó Conaill", "von Treskau", "Szendrő", "Tamagni"),
        low=1700,
        numbered={"Ferrandis": 9},
        delivery=TRF26,
    ),
    Scene(
        *("2025-11", "national-championship.trf", "ORV25102", "Championship of Orvania", "Port Saint-Aurel", "swiss"),
        *(date(2025, 10, 4), 9, 9, date(2025, 8, 25), date(2025, 10, 14), 20),
        invited=("Ravnik", *MASTERS[:2], "Vesterholt", "Brightwater", "Bartošek", "Peñalver", "Adeyinka-Roux"),
        low=1700,
        numbered={"Brightwater": 11},
        results={("Ravnik", "Brightwater"): "=="},
        delivery=TRF26,
    ),
    Scene(
        *("2025-11", "forest-masters.trf", "ORV25103", "Forest Masters", "Tannwald", "round_robin"),
        *(date(2025, 10, 14), 7, 7, date(2025, 9, 10), date(2025, 10, 21), 8),
        invited=("Haldane", "Iwatani", "Çelikkaya", "von Treskau"),
        low=1700,
        delivery={"is_altered": True},
    ),
    Scene(
        *("2025-11", "afternoon-open.trf", "ORV25105", "Afternoon Open", "Nordhavn", "swiss"),
        *(date(2025, 10, 14), 7, 7, date(2025, 9, 10), date(2025, 10, 23), 19),
        invited=("Tamagni", "Fontaine-Oduya", "Achterberg", "Thorbjörnsson", "Steinhövel"),
        clock=HOUR_AND_A_HALF,
        form={"Fontaine-Oduya": 150},
        numbered={"Thorbjörnsson": 10},
    ),
    Scene(
        *("2025-11", "river-open.trf", "ORV25104", "River Open", "Old Bridge", "swiss"),
        *(date(2025, 10, 26), 5, 5, date(2025, 9, 20), date(2025, 10, 31), 14),
        invited=("Whitlock",),
        clock=HOUR_AND_A_HALF,
    ),
    Scene(
        *("2025-12", "november-open.trf", "ORV25112", "November Open", "Lakeside", "swiss"),
        *(date(2025, 11, 10), 7, 7, date(2025, 10, 5), date(2025, 11, 19), 18),
        invited=("Achterberg", "Brightwater", "Galvão", "Ferrandis", "Peñalver"),
        low=1600,
        numbered={"Achterberg": 14, "Brightwater": 5},
        results={("Achterberg", "Brightwater"): "WL"},
        delivery=TRF26,
    ),
    Scene(
        *("2025-12", "challenge.trf", "ORV25117", "Challenge Vesterholt – Haldane", "Old Mill", "match"),
        *(date(2025, 11, 12), 6, 6, date(2025, 10, 5), date(2025, 11, 21), 2),
        invited=("Vesterholt", "Haldane"),
    ),
    Scene(
        *("2025-12", "winter-tournament.trf", "ORV25115", "Winter Tournament", "Quarry Hill", "round_robin"),
        *(date(2025, 11, 20), 9, 9, date(2025, 10, 15), date(2025, 11, 28), 10),
        invited=("Bartošek", "Steinhövel"),
        low=1700,
    ),
    Scene(
        *("2025-12", "lantern-open.trf", "ORV25116", "Lantern Open", "Long Vale", "swiss"),
        *(date(2025, 11, 20), 5, 3, date(2025, 10, 15), date(2025, 11, 25), 15),
        invited=("Quillfeather", "Villalobos", "Kestrel"),
        high=1790,
        clock=HOUR_AND_A_HALF,
        form={"Quillfeather": 120},
        delivery={"has_mark": True},
    ),
]

FOLLOW_UPS: list[tuple[str, dict[str, object]]] = [
    # The neighbours registered the event too and send the same games under their own code.
    (
        "harbour-weekend.trf",
        {
            "file": "havnens-weekend.trf",
            "event_id": "KEL25084",
            "name": "Havnens Weekend",
            "federation": "KEL",
            "received_on": date(2025, 9, 8),
            "registered_on": date(2025, 7, 15),
            "list": "2025-10",
            "is_trf26": False,
        },
    ),
    # The first report has one wrong result; the arbiter sends a second version.
    (
        "forest-masters.trf",
        {"file": "forest-masters-corrected.trf", "version": 2, "received_on": date(2025, 10, 26), "is_altered": False},
    ),
]
"""Further reports of a scene: the file of its first report, and the values that differ."""
