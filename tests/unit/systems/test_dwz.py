"""The German rating: its tables and formulas. Worked figures: ``tests/golden/dwz.toml``."""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl


def test_the_expected_scores():
    from ratinglist_nations.dwz.event import POINT, expected, expected_table

    table = expected_table().to_list()
    assert [table[difference] for difference in (1, 50, 100, 200, 400, 735)] == [
        *(501410471, 570158102, 638163195, 760249939, 921350396, 995319999)
    ]
    assert len(table) == 1730
    assert (table[-2], table[-1]) == (POINT - 1, POINT)
    assert all(abs(score / POINT - (1 + math.erf(d / 400)) / 2) <= 0.5000001e-9 for d, score in enumerate(table))
    scores = pl.DataFrame({"d": [-100, 2000, -2000]}).select(expected(pl.col("d"))).to_series().to_list()
    assert scores == [POINT - 638163195, POINT, 0]


def test_published_first_ratings():
    from ratinglist.store.rule_files import rule_book
    from ratinglist_nations.dwz.event import published_first

    older, newer = (rule_set.own for rule_set in rule_book().of("dwz"))
    roots = pl.DataFrame({"root": [600, 1100, 1225, 1450, 1500, 2050]})
    published = [roots.select(published_first(pl.col("root"), text)).to_series().to_list() for text in (older, newer)]
    assert published == [[775, 1100, 1225, 1450, 1500, 2050], [1139, 1172, 1287, 1494, 1540, 2050]]


def test_a_strong_player_begins_from_the_fide_rating_where_the_rules_say_so():
    from ratinglist.store.rule_files import rule_book
    from ratinglist_nations.dwz.month import with_foreign

    rules = rule_book().of("dwz")[-1].own
    people = pl.DataFrame(
        {"rating": [2450, 2399, 2450, None], "reference": [2390, 2390, None, 2000], "index": [9, 9, 9, None]},
        schema_overrides={"reference": pl.Int64},
    )
    of = replace(rules, players=replace(rules.players, fide_from=2400))
    starts = [with_foreign(people, text).select("rating", "index").rows() for text in (of, rules)]
    assert starts[0] == [(2390, 9), (2399, 9), (2450, 9), (2000, 6)]
    assert starts[1] == [(2450, 9), (2399, 9), (2450, 9), (2000, 6)], "it is off, because it breaks the chain"
