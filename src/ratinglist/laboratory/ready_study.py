"""The command `ratinglist lab study`: every system on the office's last two years, from freezing to the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.laboratory import general_elo, single_game_bayes
from ratinglist.laboratory.freezing import freeze
from ratinglist.laboratory.replay import replay
from ratinglist.laboratory.report import ReportSummary, report
from ratinglist.period import Period
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.opening import open_to_read

MONTHS = 24
OUT = Path("study")


def study(
    settings: Settings,
    *,
    months: int = MONTHS,
    last: Period | None = None,
    time_control: str = "standard",
    out: Path | None = None,
) -> ReportSummary:
    """Freeze the newest ``months`` lists up to ``last``, replay every system on them, and write the report.

    ``last``: default: the newest list of the office. The systems: every rule family with lists of the time control,
    those of trusted packages included, general Elo and the single-game update. Fewer lists are taken where the office
    has not so many. Raises :class:`NothingReadError` where it has no list after the first, and what
    :func:`freeze`, :func:`replay` and :func:`report` raise.
    """
    first, newest = _range(settings, months, last, time_control)
    frozen = freeze(settings, first, newest)
    book = rule_book()
    own = settings.family
    families = [name for name in book.families if time_control in book.time_controls(name) and name != own]
    names = [own, *families, general_elo.NAME, single_game_bayes.NAME]
    replayed = replay(settings, names, digest=frozen.digest, time_control=time_control)
    predicted = {str(row["system"]): bool(row["predicted"]) for row in replayed.systems}
    compared = [name for name, is_there in predicted.items() if is_there]
    found = report(settings, compared, digest=frozen.digest, time_control=time_control, out=out or OUT)
    return replace(found, left_out=[name for name, is_there in predicted.items() if not is_there])


def _range(settings: Settings, months: int, last: Period | None, time_control: str) -> tuple[Period, Period]:
    """Return the first and the last list of the study."""
    with open_to_read(settings) as store:
        found = store.read(
            "select min(month) as oldest, max(month) as newest from list_state where time_control = $control",
            control=time_control,
        ).row(0)
    if None in found or found[0] == found[1]:
        raise NothingReadError(
            f"The office has no {time_control} list after the one that it starts from: there is nothing to study. "
            "Calculate a list first: ratinglist run MONTH REPORTS"
        )
    oldest, newest = (Period.parse(month) for month in found)
    end = last or newest
    return max(end + (1 - months), oldest + 1), end
