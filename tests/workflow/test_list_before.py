"""A list starts from what readers have of the list before, whatever was calculated for it since."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ratinglist.errors import CheckError, NotApprovedError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import correct, import_files, load, month as steps, publish, replay, rerate, run, undo
from ratinglist.workflows.opening import open_to_write
from tests.conftest import CORRECTION, MONTHS, SAMPLE, copied, office

SEPTEMBER, OCTOBER, NOVEMBER, DECEMBER = map(Period.parse, MONTHS)
BECAUSE = {"pending_correction": "the correction waits for the arbiter's answer"}


@pytest.fixture
def corrected_september(homes: Path, tmp_path: Path, moves_nothing: None) -> Settings:
    """An office that has published September, and corrected a game of it since."""
    settings = copied(homes / "2025-09", tmp_path)
    file = tmp_path / "correction.toml"
    file.write_text(CORRECTION, encoding="utf-8")
    correct.correct(settings, file)
    return settings


def run_october(settings: Settings, because: dict[str, str] = BECAUSE) -> list[str]:
    """Publish October, and return the notes of its calculation."""
    import_files.import_players(settings, SAMPLE / "players-2025-10.csv")
    return run.run(settings, OCTOBER, [SAMPLE / "reports" / "2025-10"], because=because).rated.notes


def others_than_published(settings: Settings, revision: str = "r1") -> pl.DataFrame:
    """The players whose old rating in October is not the one that a revision of September has."""
    old = pl.read_parquet(settings.published / "2025-10" / "r1" / "changes.parquet").filter(time_control="standard")
    before = pl.read_parquet(settings.published / "2025-09" / revision / "standard.parquet")
    both = old.join(before, on="fide_id")
    assert len(both) > 10
    return both.filter(pl.col("old_rating") != pl.col("rating"))


def rate_september(settings: Settings) -> dict[str, str]:
    run.rate(settings, SEPTEMBER)
    return BECAUSE


def rerate_without_approval(settings: Settings) -> dict[str, str]:
    choices = settings.home / "office.toml"
    choices.write_text("[publication]\napprovals = 1\n", encoding="utf-8")
    with pytest.raises(NotApprovedError):
        rerate.rerate(settings, SEPTEMBER)
    choices.unlink()
    return {**BECAUSE, "office_settings": "the board approves no lists any more"}


def rerate_killed(settings: Settings) -> dict[str, str]:
    with open_to_write(settings) as store:
        steps.calculate(store, settings, SEPTEMBER, SEPTEMBER)
    return BECAUSE


@pytest.mark.parametrize("calculate", [rate_september, rerate_without_approval, rerate_killed])
def test_a_list_starts_from_the_published_one_whatever_was_calculated_since(calculate, corrected_september):
    because = calculate(corrected_september)
    notes = run_october(office(corrected_september.home), because)
    assert any("2025-09" in note and "r1" in note for note in notes)
    assert others_than_published(corrected_september).is_empty()
    assert replay.rebuild(corrected_september).values["put_back"] == []


def test_a_rerating_goes_on_from_its_own_calculations(corrected_september):
    run_october(corrected_september)
    rerate.rerate(corrected_september, SEPTEMBER)
    old = pl.read_parquet(corrected_september.published / "2025-10" / "r2" / "changes.parquet")
    before = pl.read_parquet(corrected_september.published / "2025-09" / "r2" / "standard.parquet")
    both = old.filter(time_control="standard").join(before, on="fide_id")
    assert both.filter(pl.col("old_rating") != pl.col("rating")).is_empty()
    assert others_than_published(corrected_september).is_empty()
    assert (corrected_september.published / "2025-09" / "latest").read_text(encoding="utf-8") == "r2\n"


def test_a_list_starts_from_what_was_rolled_back_to(corrected_september):
    rerate.rerate(corrected_september, SEPTEMBER)
    undo.rollback(corrected_september, SEPTEMBER, "the arbiter was right at first")
    run_october(corrected_september)
    assert others_than_published(corrected_september).is_empty()


def test_where_corrections_land_on_the_next_list_it_starts_from_the_corrected_ratings(corrected_september):
    choices = '[corrections]\nland = "next_list"\n'
    (corrected_september.home / "office.toml").write_text(choices, encoding="utf-8")
    rerate.rerate(corrected_september, SEPTEMBER)
    run_october(corrected_september, {})
    assert not others_than_published(corrected_september).is_empty()


def test_months_that_were_calculated_out_of_order_end_in_a_remedy_that_works(homes: Path, tmp_path: Path) -> None:
    settings = copied(homes / MONTHS[1], tmp_path)
    for month in MONTHS[2:]:
        import_files.import_players(settings, SAMPLE / f"players-{month}.csv")
    load.load(settings, [SAMPLE / "reports" / MONTHS[3]])
    run.rate(settings, DECEMBER)
    load.load(settings, [SAMPLE / "reports" / MONTHS[2]])
    run.rate(settings, NOVEMBER)
    with pytest.raises(CheckError) as stopped:
        publish.publish(settings, NOVEMBER)
    assert "ratinglist rate 2025-12" in str(stopped.value)
    run.rate(settings, DECEMBER)
    assert publish.publish(settings, NOVEMBER).revision == "r1"
    assert publish.publish(settings, DECEMBER).revision == "r1"
