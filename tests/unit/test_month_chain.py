"""The lists that a replay keeps for the months to come."""

from datetime import date

import polars as pl

from ratinglist.laboratory.month_chain import MonthChain
from ratinglist.period import Period
from ratinglist.rating.model import MonthResult
from ratinglist.rating.systems.own_state import NO_STATE
from ratinglist.store.rule_files import rule_book
from ratinglist.tables import (
    CHANGE,
    EARLIER_EVENT,
    EARLIER_GAME,
    ENTRY,
    EVENT,
    GAME,
    IMPORTED_PLAYER,
    LIST_STATE,
    POOL,
    POOLED_GAME,
    REFERENCE_RATING,
    REPORT,
    SYSTEM_STATE,
)

PLAYERS = [1, 2, 3]


def listed(month: str) -> pl.DataFrame:
    """The list of a month with all players."""
    rows = pl.DataFrame({"fide_id": PLAYERS, "rating": [1500, 1600, 1700]}).with_columns(
        month=pl.lit(month), time_control=pl.lit("standard"), inferred=pl.lit("")
    )
    return LIST_STATE.conform(
        rows.with_columns(pl.lit(None).alias(one) for one in LIST_STATE.columns if one not in rows)
    )


def reports(*began: date) -> pl.DataFrame:
    rows = pl.DataFrame({"report_id": [f"r{number}" for number in range(len(began))], "start_date": list(began)})
    return REPORT.conform(rows.with_columns(pl.lit(None).alias(one) for one in REPORT.columns if one not in rows))


def after_november(*began: date) -> dict[tuple[str, str], list[int]]:
    """The players on the lists that are kept after the list of November, with open reports that began on some days."""
    opened = reports(*began)
    chain = MonthChain(
        family="fide",
        rules=rule_book(),
        reports=opened,
        open_reports=opened.select("report_id", "received_on", "start_date"),
        withdrawn=pl.Series("report_id", [], dtype=pl.String),
        references=REFERENCE_RATING.empty(),
        imported=IMPORTED_PLAYER.empty(),
        lists={("standard", month): listed(month) for month in ("2025-09", "2025-10")},
        pool=POOL.empty(),
        earlier_events=EARLIER_EVENT.empty(),
        earlier_games=EARLIER_GAME.empty(),
        system_state=SYSTEM_STATE.empty(),
        own_state=NO_STATE,
        pooled_games=POOLED_GAME.empty(),
        same_games=pl.DataFrame(schema={"report_id": pl.String, "round": pl.Int32, "white_id": pl.Int64}),
    )
    result = MonthResult(
        events=EVENT.empty().with_columns(report_id=pl.lit("", dtype=pl.String), event_no=pl.lit(0, dtype=pl.UInt32)),
        games=GAME.empty(),
        changes=CHANGE.empty(),
        entries=ENTRY.empty(),
        pool=POOL.empty(),
        list_state=listed("2025-11"),
    )

    def read(name: str, report_ids: pl.Series) -> pl.DataFrame:
        assert name == "report_players"
        return pl.DataFrame(
            {"report_id": report_ids, "fide_id": [2] * len(report_ids)}, schema_overrides={"fide_id": pl.Int64}
        )

    following = chain.after(result, Period.parse("2025-11"), read)
    return {key: rows["fide_id"].to_list() for key, rows in following.lists.items()}


def test_the_newest_list_is_kept_whole_and_no_other_one():
    assert after_november(date(2025, 11, 3)) == {("standard", "2025-11"): PLAYERS}


def test_of_an_older_list_the_players_of_open_reports_are_kept():
    kept = after_november(date(2025, 9, 20), date(2025, 11, 3))
    assert kept == {("standard", "2025-09"): [2], ("standard", "2025-11"): PLAYERS}
