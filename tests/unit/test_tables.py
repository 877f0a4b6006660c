"""The two tables of the regulations, compared with a second transcript of the printed text, entry by entry."""

import polars as pl

from ratinglist.rating.change import expected_hundredths
from ratinglist.store import rule_files

# 8.1.2: range of the rating difference, expected score of the higher rated player.
EXPECTED_SCORES = """
    0-3 .50    4-10 .51   11-17 .52   18-25 .53   26-32 .54   33-39 .55
  40-46 .56   47-53 .57   54-61 .58   62-68 .59   69-76 .60   77-83 .61
  84-91 .62   92-98 .63  99-106 .64 107-113 .65 114-121 .66 122-129 .67
130-137 .68 138-145 .69 146-153 .70 154-162 .71 163-170 .72 171-179 .73
180-188 .74 189-197 .75 198-206 .76 207-215 .77 216-225 .78 226-235 .79
236-245 .80 246-256 .81 257-267 .82 268-278 .83 279-290 .84 291-302 .85
303-315 .86 316-328 .87 329-344 .88 345-357 .89 358-374 .90 375-391 .91
392-411 .92 412-432 .93 433-456 .94 457-484 .95 485-517 .96 518-559 .97
560-619 .98 620-735 .99    736- 1.0
"""

# 8.1.1: rating difference for a share of 0 %, 1 %, ... 100 % of the points.
# fmt: off
DIFFERENCES = [
    -800, -677, -589, -538, -501, -470, -444, -422, -401, -383,
    -366, -351, -336, -322, -309, -296, -284, -273, -262, -251,
    -240, -230, -220, -211, -202, -193, -184, -175, -166, -158,
    -149, -141, -133, -125, -117, -110, -102, -95, -87, -80,
    -72, -65, -57, -50, -43, -36, -29, -21, -14, -7,
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65,
    72, 80, 87, 95, 102, 110, 117, 125, 133, 141,
    149, 158, 166, 175, 184, 193, 202, 211, 220, 230,
    240, 251, 262, 273, 284, 296, 309, 322, 336, 351,
    366, 383, 401, 422, 444, 470, 501, 538, 589, 677,
    800,
]
# fmt: on


def printed_ranges() -> list[tuple[int, int, int]]:
    """First and last difference of a range (the open one ends at 800 here), hundredths of the higher rated player."""
    ranges = []
    cells = EXPECTED_SCORES.split()
    for differences, score in zip(cells[::2], cells[1::2], strict=True):
        first, last = differences.split("-")
        ranges.append((int(first), int(last or 800), round(float(score) * 100)))
    return ranges


RANGES = printed_ranges()
TABLE = rule_files.rule_book().tables["expected_score"]
PERFORMANCE = rule_files.rule_book().tables["performance"]


def expected(difference: int) -> int:
    return pl.select(expected_hundredths(pl.lit(difference), TABLE)).item()


def test_every_difference_from_0_to_800_has_its_expected_score_on_both_sides():
    printed = {d: hundredths for first, last, hundredths in RANGES for d in range(first, last + 1)}
    differences = pl.Series("difference", range(-800, 801))
    scores = differences.to_frame().select(expected_hundredths(pl.col("difference"), TABLE)).to_series().to_list()
    assert scores == [printed[d] if d >= 0 else 100 - printed[-d] for d in differences]


def test_beyond_the_table_the_last_value_holds():
    assert (expected(3000), expected(-3000)) == (100, 0)


def test_every_share_of_the_points_has_its_printed_difference():
    assert dict(enumerate(PERFORMANCE)) == dict(enumerate(DIFFERENCES))
