"""Records 192 and 092 to event types."""

import polars as pl
import pytest

from ratinglist.reports.judge import event_type_of


@pytest.mark.parametrize(
    ("code", "text", "event_type"),
    [
        ("FIDE_DUTCH_2026_BAKU", "", "swiss"),
        ("FIDE_DOUBLESWISS", "", "swiss"),
        ("CUSTOM_SWISS", "", "swiss"),
        ("FIDE_ROUNDROBIN", "", "roundrobin"),
        ("BERGER_ROUNDROBIN_G1", "", "roundrobin"),
        ("BERGER_ROUNDROBIN_G2", "", "double_roundrobin"),
        ("FIDE_DOUBLEROUNDROBIN", "", "double_roundrobin"),
        ("FIDE_TEAM_TYPEA_MP_GP_BAKU", "", "team"),
        ("BERGER_TEAM_ROUNDROBIN_G2", "", "team"),
        ("FIDE_SCHEVENINGEN_G2", "", "team"),
        ("fide-team-baku", "", "team"),
        ("CUSTOM_MATCH", "", "match"),
        ("CUSTOM_KNOCKOUT", "", None),
        (None, "", None),
        ("", "Individual: Swiss-System (Standard)", "swiss"),
        ("", "Schweizer System", "swiss"),
        ("", "Individual: Round-Robin", "roundrobin"),
        ("", "Rundenturnier", "roundrobin"),
        ("", "Doppelrundiges Turnier", "double_roundrobin"),
        ("", "Double round robin", "double_roundrobin"),
        ("", "Round Robin (double)", "double_roundrobin"),
        ("", "Team: Swiss-System", "team"),
        ("", "Team League", "team"),
        ("", "Mannschaftskampf", "team"),
        ("", "FIDE-TEAM-BAKU", "team"),
        ("", "Bundesliga", "team"),
        ("", "Match over 6 games", "match"),
        ("", "Festival", None),
        ("", "", None),
        ("", None, None),
    ],
)
def test_a_code_or_else_a_text_gives_the_type_of_an_event(code, text, event_type):
    record = event_type_of(pl.lit(code, pl.String), pl.lit(text, pl.String))
    assert pl.select(record).item() == event_type
