"""The script of the site prints the words of `ratinglist explain`: run in Node, where that is installed."""

from __future__ import annotations

import pytest

from ratinglist.workflows.site import site
from tests.conftest import office
from tests.sites import NODE, assert_words_of_explain, printed_by_script, sampled_accounts

pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")


@pytest.mark.long
def test_the_words_are_those_of_explain(corrected_home, tmp_path):
    """All players of a sample of players and months, corrected ones and those who wait included."""
    site(office(corrected_home), tmp_path / "site", downloads=False)
    pairs = sampled_accounts(tmp_path / "site")
    texts = printed_by_script(tmp_path / "site", pairs)
    assert_words_of_explain(corrected_home, [((one, month), texts[f"{month} {one}"]) for one, month in pairs])
