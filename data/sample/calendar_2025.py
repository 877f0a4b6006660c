"""The calendar of the sample: what was played from August to November 2025, by whom, and how it was reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from play import Twist, absent
from report_text import Style, daily

TRF16 = Style()
TRF26 = Style(trf26=True)
WINDOWS = Style(encoding="cp1252", line_end="\r\n", dotted_dates=True)
BYTE_ORDER_MARK = Style(encoding="utf-8-sig")
TRIMMED = Style(trimmed=True)
OLD_TITLES = Style(old_titles=True)


@dataclass(frozen=True, slots=True)
class Plan:
    """One event and the delivery of its report.

    ``month`` and ``file``: where the report stands. ``invited`` plays in any case; the places up to ``size`` are filled
    by lot with players rated between ``low`` and ``high`` who are free on ``days``.
    """

    month: str
    file: str
    event_id: str
    name: str
    city: str
    event_type: str
    days: list[date]
    clock: str
    registered: str
    received: str
    size: int = 0
    low: int = 0
    high: int = 3000
    invited: tuple[str, ...] = ()
    twist: Twist = field(default_factory=Twist)
    style: Style = TRF16
    federation: str = "ORV"


PORT_EVENINGS = [date(2025, 9, day) for day in (2, 4, 9, 11, 16, 18, 23, 25, 26)]
LEAGUE_SEPTEMBER = [date(2025, 9, 6), date(2025, 9, 7), date(2025, 9, 7)]
LEAGUE_NOVEMBER = [date(2025, 11, 8), date(2025, 11, 9)]

AUGUST = [
    Plan(
        *("2025-09", "lakeside-open-a.trf", "ORV25081", "Lakeside Open, Group A", "Lakeside", "swiss"),
        *(daily("2025-08-02", 9), "90+30", "2025-06-20", "2025-08-11"),
        size=20,
        low=1750,
        high=2600,
        invited=("Achterberg", "Obuya-Lindt", "Peñalver"),
        twist=Twist(away={"Peñalver": absent("H", 1)}),
    ),
    Plan(
        *("2025-09", "lakeside-open-b.trf", "ORV25082", "Lakeside Open, Group B", "Lakeside", "swiss"),
        *(daily("2025-08-02", 7), "60+30", "2025-06-20", "2025-08-11"),
        size=17,
        low=1450,
        high=1850,
        invited=("Quillfeather", "Maranzano", "Fontaine-Oduya", "Huxtable"),
        twist=Twist(
            away={
                "Maranzano": {1: "H"} | absent("Z", 5, 6, 7),
                "Fontaine-Oduya": absent("Z", 5, 6, 7),
                "Huxtable": absent("Z", 4, 5, 6, 7),
            },
            form={"Fontaine-Oduya": -900, "Maranzano": 60, "Quillfeather": -120},
        ),
        style=WINDOWS,
    ),
    Plan(
        *("2025-09", "youth-cup.trf", "ORV25083", "Youth Cup of Orvania", "Port Saint-Aurel", "roundrobin"),
        *(daily("2025-08-12", 7, 2), "50+10", "2025-07-14", "2025-08-17"),
        invited=(
            *("Achterberg", "Szalontay", "Hamdouchi-Vale", "Ngata-Miles", "Aroztegi", "Lemaître", "Tovmasyan-Ek"),
            "Nieminen-Rao",
        ),
    ),
    Plan(
        *("2025-09", "masters.trf", "ORV25085", "Orvanian Masters", "Port Saint-Aurel", "roundrobin"),
        *(daily("2025-08-16", 7), "90+30", "2025-07-01", "2025-08-23"),
        invited=(
            *("Castellane", "Szendrő", "Tamagni", "Haldane", "Vesterholt", "Iwatani", "Peñalver", "Adeyinka-Roux"),
        ),
        twist=Twist(form={"Vesterholt": 150}),
        style=TRF26,
    ),
    Plan(
        *("2025-12", "old-mill.trf", "ORV25086", "Old Mill Tournament", "Old Mill", "roundrobin"),
        *(daily("2025-08-18", 5), "60+30", "2025-07-30", "2025-11-05"),
        size=6,
        low=1650,
        high=2000,
    ),
    Plan(
        *("2025-09", "harbour-weekend.trf", "ORV25084", "Harbour Weekend", "Nordhavn", "swiss"),
        *(daily("2025-08-22", 5, 2), "90+30", "2025-08-01", "2025-08-26"),
        size=15,
        low=1500,
        high=2300,
        invited=("Achterberg", "Strandvold", "Osei-Brandt"),
        twist=Twist(away={"Strandvold": {1: "F"}, "Osei-Brandt": {4: "H", 5: "Z"}}),
        style=TRF26,
    ),
]

SEPTEMBER = [
    Plan(
        *("2025-10", "port-championship.trf", "ORV25091", "Championship of Port Saint-Aurel", "Port Saint-Aurel"),
        *("roundrobin", PORT_EVENINGS, "90+30", "2025-08-10", "2025-09-27"),
        size=10,
        low=1850,
        high=2400,
        invited=("Bartošek", "Galvão", "Çelikkaya", "Steinhövel"),
        twist=Twist(results={("Bartošek", "Çelikkaya"): "00", ("Steinhövel", "Galvão"): "-+"}),
        style=OLD_TITLES,
    ),
    Plan(
        *("2025-10", "league-september.trf", "ORV25092", "Orvanian League, rounds 1 to 3", "Lakeside", "team"),
        *(LEAGUE_SEPTEMBER, "90+30", "2025-08-15", "2025-09-10"),
        twist=Twist(form={"Castellane": 0, "Haldane": 0}),
        style=TRF26,
    ),
    Plan(
        *("2025-10", "quartz-cup.trf", "ORV25095", "Quartz Cup", "Quarry Hill", "roundrobin"),
        *(daily("2025-09-10", 5), "90+30", "2025-08-22", "2025-09-30"),
        size=6,
        low=1700,
        high=2200,
    ),
    Plan(
        *("2025-10", "vale-weekend.trf", "ORV25093", "Vale Weekend", "Long Vale", "swiss"),
        *(daily("2025-09-12", 5, 2), "60+30", "2025-08-30", "2025-09-16"),
        size=12,
        low=1500,
        high=2050,
    ),
    Plan(
        *("2025-10", "granary-open.trf", "ORV25094", "Granary Open", "Granary", "swiss"),
        *(daily("2025-09-15", 5), "60+30", "2025-08-28", "2025-09-21"),
        size=14,
        low=1500,
        high=2000,
        invited=("Kestrel", "Whitlock"),
    ),
    Plan(
        *("2025-10", "september-open.trf", "ORV25096", "September Open", "Quarry Hill", "swiss"),
        *(daily("2025-09-16", 7), "90+30", "2025-08-29", "2025-09-24"),
        size=16,
        low=1550,
        high=2400,
        invited=("Maranzano", "Dahlqvist", "Sato-Wright", "Vesterholt"),
        twist=Twist(
            away={
                "Maranzano": absent("Z", 5, 6, 7),
                "Dahlqvist": absent("Z", 5, 6, 7),
                "Sato-Wright": {4: "H"},
            },
            form={"Maranzano": 100},
        ),
        style=TRIMMED,
    ),
    Plan(
        *("2025-11", "bridge-festival.trf", "ORV25101", "Bridge Festival", "Old Bridge", "swiss"),
        *(daily("2025-09-27", 7), "90+30", "2025-08-20", "2025-10-06"),
        size=16,
        low=1800,
        high=2600,
        invited=("Ravnik", "Ferrandis"),
        twist=Twist(meet=(("Ravnik", "Ferrandis"),)),
        style=TRF26,
    ),
]

OCTOBER = [
    Plan(
        *("2025-11", "national-championship.trf", "ORV25102", "Championship of Orvania", "Port Saint-Aurel", "swiss"),
        *(daily("2025-10-04", 9), "90+30", "2025-08-25", "2025-10-14"),
        size=20,
        low=1900,
        high=2600,
        invited=("Ravnik", "Castellane", "Vesterholt", "Brightwater"),
        twist=Twist(results={("Ravnik", "Brightwater"): "=="}, meet=(("Brightwater", "Ravnik"),)),
        style=TRF26,
    ),
    Plan(
        *("2025-11", "forest-masters.trf", "ORV25103", "Forest Masters", "Tannwald", "roundrobin"),
        *(daily("2025-10-14", 7), "90+30", "2025-09-20", "2025-10-26"),
        size=8,
        low=2000,
        high=2500,
    ),
    Plan(
        *("2025-11", "afternoon-open.trf", "ORV25105", "Afternoon Open", "Nordhavn", "swiss"),
        *(daily("2025-10-14", 7), "60+30", "2025-09-25", "2025-10-23"),
        size=19,
        low=1500,
        high=2200,
        invited=("Tamagni", "Fontaine-Oduya", "Achterberg"),
        twist=Twist(
            away={"Fontaine-Oduya": absent("Z", 7), "Tamagni": {3: "H"}},
            form={"Fontaine-Oduya": 150},
        ),
    ),
    Plan(
        *("2025-11", "border-double.trf", "KEL25101", "Border Double", "Grenzhaven", "double_roundrobin"),
        *(daily("2025-10-21", 6), "90+30", "2025-10-01", "2025-10-28"),
        invited=("Iwatani", "von Treskau", "Strandvold", "Osei-Brandt"),
        federation="KEL",
    ),
    Plan(
        *("2025-11", "river-open.trf", "ORV25104", "River Open", "Old Bridge", "swiss"),
        *(daily("2025-10-26", 5), "60+30", "2025-10-10", "2025-10-31"),
        size=14,
        low=1450,
        high=2050,
        invited=("Whitlock",),
    ),
]

NOVEMBER = [
    Plan(
        *("2025-12", "league-november.trf", "ORV25111", "Orvanian League, rounds 4 and 5", "Nordhavn", "team"),
        *(LEAGUE_NOVEMBER, "90+30", "2025-08-15", "2025-11-12"),
        twist=Twist(form={"Adeyinka-Roux": 0, "Szendrő": 0}, results={("Adeyinka-Roux", "Szendrő"): "-+"}),
    ),
    Plan(
        *("2025-12", "november-open.trf", "ORV25112", "November Open", "Lakeside", "swiss"),
        *(daily("2025-11-10", 7), "90+30", "2025-10-15", "2025-11-19"),
        size=18,
        low=1700,
        high=2500,
        invited=("Achterberg", "Brightwater"),
        twist=Twist(results={("Achterberg", "Brightwater"): "WL"}, meet=(("Brightwater", "Achterberg"),)),
        style=TRF26,
    ),
    Plan(
        *("2025-12", "youth-weekend.trf", "ORV25114", "Youth Weekend", "Granary", "swiss"),
        *(daily("2025-11-15", 5, 3), "50+10", "2025-11-01", "2025-11-17"),
        invited=(
            *("Baumgartl", "Szalontay", "Hamdouchi-Vale", "Ngata-Miles", "Aroztegi", "Lemaître", "Tovmasyan-Ek"),
            *("Nieminen-Rao", "Eklöf"),
        ),
        style=BYTE_ORDER_MARK,
    ),
    Plan(
        *("2025-12", "challenge.trf", "ORV25117", "Challenge Vesterholt – Haldane", "Old Mill", "match"),
        *(daily("2025-11-17", 4), "90+30", "2025-11-03", "2025-11-21"),
        invited=("Vesterholt", "Haldane"),
    ),
    Plan(
        *("2025-12", "winter-tournament.trf", "ORV25115", "Winter Tournament", "Quarry Hill", "roundrobin"),
        *(daily("2025-11-20", 9), "90+30", "2025-10-30", "2025-11-28"),
        size=10,
        low=1850,
        high=2400,
    ),
    Plan(
        *("2025-12", "lantern-open.trf", "ORV25116", "Lantern Open", "Long Vale", "swiss"),
        *(daily("2025-11-20", 5, 2), "60+30", "2025-11-04", "2025-11-25"),
        size=15,
        low=1450,
        high=1850,
        invited=("Quillfeather", "Villalobos", "Kestrel"),
        twist=Twist(form={"Quillfeather": 120}),
    ),
]

PLANS = [*AUGUST, *SEPTEMBER, *OCTOBER, *NOVEMBER]
