"""Record 222 and the classes of the regulations."""

import polars as pl
import pytest

from ratinglist.reports.time_control import by_seconds, thinking_seconds


@pytest.mark.parametrize(
    ("code", "seconds"),
    [
        ("5400+30", (7200, 7200)),
        ("5400", (5400, 5400)),
        ("0+10", (600, 600)),
        # 100 minutes for 40 moves, then 15, with 30 seconds from move 1
        ("40/6000+30:900+30", (8700, 8700)),
        # an increment in the last period only counts for the moves from 41 to 60
        ("40/5400:1800+30", (7800, 7800)),
        # the third period begins at move 61
        ("40/7200:20/3600:900+30", (10800, 10800)),
        ("W300-B240", (300, 240)),
        (" w40/5400:900-b3600 ", (6300, 3600)),
    ],
)
def test_thinking_time_for_60_moves(code, seconds):
    assert thinking_seconds(code) == seconds


@pytest.mark.parametrize(
    "code",
    ["", "90'+30\"", "5400+", "+30", "40/7200", "0/5400", "5400:", "W300", "W300-B", "5400+30-3600", "1e3", "٩٠٠"],
)
def test_other_text_is_no_coded_time_for_60_moves(code):
    assert thinking_seconds(code) is None


@pytest.mark.parametrize(
    ("seconds", "time_control"),
    [(3600, "standard"), (3599, "rapid"), (601, "rapid"), (600, "blitz"), (181, "blitz"), (180, None), (None, None)],
)
def test_classes_of_the_regulations(seconds, time_control):
    frame = pl.DataFrame({"seconds": [seconds]}, schema={"seconds": pl.Int32})
    assert frame.select(by_seconds(pl.col("seconds"))).item() == time_control
