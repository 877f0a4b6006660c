"""The sources of a list: the files with data of a player on the list or in one of its games."""

from __future__ import annotations

import pytest

from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.store.database import Store

NOVEMBER = Period.parse("2025-11")
OF_A_GAME = """
    select min(fide_id) from side where month = '2025-11'
"""
OF_NOTHING = """
    select min(fide_id) from player
    where fide_id not in (select fide_id from list_state where month = '2025-11')
        and fide_id not in (
            select fide_id from side where month = '2025-11'
        )
"""


@pytest.mark.parametrize(("whom", "is_source"), [(OF_A_GAME, True), (OF_NOTHING, False)])
def test_a_file_with_a_player_of_a_game_is_a_source(store: Store, whom: str, is_source: bool) -> None:
    player = store.read(whom).item()
    store.execute("delete from list_state where fide_id = $id", id=player)
    store.execute(
        "insert into player by name select * replace (99 as source_no) from player where fide_id = $id limit 1",
        id=player,
    )
    store.execute(
        "insert into source_file select * replace (99 as source_no, 'another' as sha256) from source_file limit 1"
    )
    store.execute("update calculation_made set last_source = 99")
    store.execute("update publication set last_source = 99")
    sources = str(manifest.provenance_of(store, NOVEMBER)["sources"])
    assert ("another" in sources) is is_source
