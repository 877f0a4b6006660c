"""Every rating family, that of the example of a package too, has a second calculation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ratinglist.store.rule_files import rule_book
from tests.reference.__main__ import FAMILIES, each, every_package


@pytest.fixture(scope="module", autouse=True)
def packages() -> Iterator[None]:
    with every_package():
        yield


def test_every_family_has_one() -> None:
    assert sorted(rule_book().families) == sorted(FAMILIES)


def test_a_world_that_differs_is_counted_and_named() -> None:
    def agree(seed: int) -> int:
        assert seed != 1
        return 10

    ratings, differing = each(agree, 3)
    assert ratings == 20
    assert [one.partition(":")[0] for one in differing] == ["world 1"]


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_they_agree_in_200_worlds(family: str) -> None:
    ratings, differing = FAMILIES[family](200)
    assert differing == []
    assert ratings > 1000
