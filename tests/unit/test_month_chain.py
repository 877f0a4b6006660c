"""The lists that a replay keeps for the months to come."""

from datetime import date

import polars as pl

from ratinglist.laboratory.month_chain import MonthChain
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.store.rule_files import rule_book
from ratinglist.tables import (
    CHANGE,
    EARLIER_EVENT,
    EARLIER_GAME,
    ENTRY,
    EVENT,
    GAME,
    LIST_STATE,
    PLAYER,
    POOL,
    REPORT,
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
    ids = opened["report_id"]
    first = MonthInputs(
        period=Period.parse("2025-11"),
        family="fide",
        rules=rule_book(),
        lists=pl.concat(listed(month) for month in ("2025-09", "2025-10")),
        players=PLAYER.empty(),
        reports=opened,
        report_players=pl.DataFrame(
            {"report_id": ids, "fide_id": [2] * len(ids)}, schema_overrides={"fide_id": pl.Int64}
        ),
        report_games=pl.DataFrame(schema={"report_id": pl.String}),
        pool=POOL.empty(),
        earlier_events=EARLIER_EVENT.empty(),
        earlier_games=EARLIER_GAME.empty(),
    )
    chain = MonthChain.start(first, "fide", rule_book(), continues=True, is_empty=False)
    result = MonthResult(
        events=EVENT.empty().with_columns(report_id=pl.lit("", dtype=pl.String), event_no=pl.lit(0, dtype=pl.UInt32)),
        games=GAME.empty(),
        changes=CHANGE.empty(),
        entries=ENTRY.empty(),
        pool=POOL.empty(),
        list_state=listed("2025-11"),
    )

    following = chain.after(result, Period.parse("2025-11"))
    return {key: rows["fide_id"].to_list() for key, rows in following.lists.items()}


def test_the_newest_list_is_kept_whole_and_no_other_one():
    assert after_november(date(2025, 11, 3)) == {("standard", "2025-11"): PLAYERS}


def test_of_an_older_list_the_players_of_open_reports_are_kept():
    kept = after_november(date(2025, 9, 20), date(2025, 11, 3))
    assert kept == {("standard", "2025-09"): [2], ("standard", "2025-11"): PLAYERS}
