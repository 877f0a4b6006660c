"""The script of the site prints the words of `ratinglist explain`: run in Node, where that is installed."""

from __future__ import annotations

import random

import pytest

from ratinglist.period import Period
from ratinglist.workflows.explain import NothingAboutPlayerError, explain
from ratinglist.workflows.site import site
from tests.conftest import office
from tests.site_files import decoded
from tests.sites import NODE, printed_by_script

EXPLAINED = 60


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
@pytest.mark.long
def test_the_words_are_those_of_explain(corrected_home, tmp_path):
    """All players of a sample of players and months, corrected ones and those who wait included."""
    site(office(corrected_home), tmp_path / "site", downloads=False)
    ids = [player["id"] for player in decoded(tmp_path / "site", "h/0")]
    months = [month["month"] for month in decoded(tmp_path / "site", "meta")["months"]]
    pairs = random.Random(20).sample([(fide_id, month) for fide_id in ids for month in months], EXPLAINED)
    texts = printed_by_script(tmp_path / "site", pairs)
    compared = 0
    for fide_id, month in pairs:
        text = texts[f"{month} {fide_id}"]
        try:
            expected = explain(office(corrected_home), fide_id, Period.parse(month)).text()
        except NothingAboutPlayerError:
            assert "\n" not in text
            continue
        assert text == expected
        compared += 1
    assert compared > EXPLAINED // 2
