"""`ratinglist log` shows what was done; `ratinglist retract` undoes it, as if it had never been made."""

from __future__ import annotations

import getpass
import json
import shutil
from collections.abc import Callable
from datetime import date

import pytest

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.home.history import described
from ratinglist.home.log import Entry, Log
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import doctor, import_files, load, publish, quarantine, replay, rerate, run, status, undo
from ratinglist.workflows.opening import open_to_read
from tests.command_line import did, ratinglist
from tests.conftest import CHAIN, MONTHS, SAMPLE, published_bytes
from tests.parameters import long_but
from tests.stores import open_store
from tests.workflow.test_rerate import correct, correction
from tests.workflow.test_store import facts

pytestmark = pytest.mark.asks_only(*CHAIN, "older_list", "no_events")

SEPTEMBER, OCTOBER, NOVEMBER = map(Period.parse, MONTHS[:3])
JUNK = "vale-weekend.trf"


def entry_of(settings: Settings, kind: str) -> int:
    """The number of the newest entry of a kind."""
    return [entry.number for entry in Log.open(settings.home).entries if entry.kind == kind][-1]


def import_file(settings: Settings, text: str, month: Period | None = None) -> None:
    """Import a list of a month, or players."""
    file = settings.home.parent / "file.csv"
    file.write_text(text, encoding="utf-8")
    if month is None:
        import_files.import_players(settings, file)
    else:
        import_files.import_list(settings, file, month, because={"older_list": "one club left"})


PLAYER = "fide_id,name,federation\n99900901,One,SOL\n"
LIST = "fide_id,name,federation,time_control,rating,k\n99900901,One,SOL,standard,1800,20\n"
DONE: dict[str, Callable[[Settings], object]] = {
    "load": lambda settings: load.load(settings, [SAMPLE / "reports" / MONTHS[2]]),
    "import-players": lambda settings: import_file(settings, PLAYER),
    "import-list": lambda settings: import_file(settings, LIST, NOVEMBER),
    "dismiss": lambda settings: undo.dismiss(settings, JUNK, "a test file"),
}


@pytest.mark.parametrize("kind", long_but(DONE, "import-players"))
def test_after_a_retract_the_store_is_one_that_never_had_it(until_october: Settings, kind: str) -> None:
    # Entries state the digest of this file, where there is one.
    (until_october.home / "office.toml").write_text("[publication]\nwait_days = 5\n", encoding="utf-8")
    before, published, refused = (
        facts(until_october.store),
        published_bytes(until_october.home),
        quarantine.quarantined(until_october),
    )
    DONE[kind](until_october)
    assert facts(until_october.store) != before or quarantine.quarantined(until_october) != refused
    number = entry_of(until_october, kind)
    done = undo.retract(until_october, number, "a mistake")
    assert (done.values["entry"], done.values["months"]) == (number, [])
    assert f"(undone by {number + 1})" in did(until_october.home, "log")
    with pytest.raises(CommandLineError, match=f"Entry {number} was undone before"):
        undo.retract(until_october, number)
    assert doctor.check(until_october).problems == []
    assert facts(until_october.store) == before
    # It is made again from the log.
    until_october.store.unlink()
    assert quarantine.quarantined(until_october) == refused
    assert facts(until_october.store) == before
    assert published_bytes(until_october.home) == published


def test_a_list_that_was_made_from_it_is_named_and_rated_again_without_it(first_month: Settings) -> None:
    done = undo.retract(first_month, entry_of(first_month, "load"), "the delivery of another federation")
    assert done.values["months"] == ["2025-09"]
    assert "ratinglist rerate --from 2025-09 --preview" in done.text()
    undone = "the list of 2025-09 was calculated with what was undone since: ratinglist rerate --from 2025-09"
    assert undone in status.status(first_month).to_do
    rerate.rerate(first_month, SEPTEMBER, because={"no_events": "the delivery was of another federation"})
    assert undone not in status.status(first_month).to_do
    after = published_bytes(first_month.home)
    assert after[f"{SEPTEMBER}/latest"] == b"r2\n"
    shutil.rmtree(first_month.published / MONTHS[0] / "r2")
    shutil.rmtree(first_month.home / "calculations")
    replay.rebuild(first_month)
    assert published_bytes(first_month.home) == after


def test_what_cannot_be_undone_says_why(until_october: Settings) -> None:
    loaded = entry_of(until_october, "load")
    for number, because, error, says in (
        (999, "a mistake", NothingReadError, "The log has no entry 999"),
        (
            entry_of(until_october, "publish"),
            "a mistake",
            CommandLineError,
            r"The list of 2025-10 \(r1\) was published\.",
        ),
        (1, "a mistake", CommandLineError, "2025-09 was calculated from the list of 2025-08"),
        (loaded, "x", CommandLineError, "'x' is no reason that a reader understands"),
    ):
        with pytest.raises(error, match=says):
            undo.retract(until_october, number, because)
    assert not Log.open(until_october.home).history.retracted


def test_the_log_shows_each_change_with_its_day_and_person(
    first_month: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = first_month.home
    monkeypatch.setenv("RATINGLIST_BY", "Anna Berg")
    did(home, "import-players", SAMPLE / f"players-{MONTHS[1]}.csv")
    for variable in ("RATINGLIST_BY", "LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(variable, raising=False)
    did(home, "load", SAMPLE / "reports" / MONTHS[1])
    *_, imported, loaded = json.loads(did(home, "log", "--json"))
    what = f"Players were registered or changed from players-{MONTHS[1]}.csv"
    assert imported.items() >= {"day": "2025-12-01", "by": "Anna Berg", "what": what, "retracted_by": None}.items()
    # Without the variable the person is the account. Each report has its own day of receipt, which the manifest states.
    assert (loaded["by"], "2025-12-01" in loaded["what"]) == (getpass.getuser(), False)
    assert did(home, "log").splitlines()[-2].split(maxsplit=2)[1:] == ["2025-12-01", f"Anna Berg  {what}"]
    assert did(home, "log", "--since", "2025-12-02") == "Nothing was done since that day.\n"


@pytest.mark.parametrize(
    ("kind", "facts", "sentence"),
    [
        ("publish", {"published": [{"month": "2025-09", "revision": 1}]}, "The list of 2025-09 (r1) was published"),
        (
            "revise",
            {"published": [{"month": f"2025-{month}", "revision": 2} for month in ("09", "10", "11")]},
            "The lists of 2025-09 (r2), 2025-10 (r2) and 2025-11 (r2) were calculated again and published",
        ),
        ("preview", {"previews": [{"month": "2025-09"}]}, "The preview of 2025-09 was made"),
        (
            "preview",
            {"previews": [{"month": "2025-09"}, {"month": "2025-10"}]},
            "The previews of 2025-09 and 2025-10 were made",
        ),
        (
            "approve",
            {"approvals": [{"month": "2025-09", "name": "Anna Berg"}, {"month": "2025-10", "name": "Anna Berg"}]},
            "The lists of 2025-09 and 2025-10 were approved by Anna Berg",
        ),
    ],
)
def test_a_change_of_several_lists_is_described_in_the_plural(
    kind: str, facts: dict[str, object], sentence: str
) -> None:
    assert described(Entry(1, kind, date(2025, 12, 1), "", "0.1.0", "", facts, "", "")) == sentence


def test_a_correction_holds_where_the_corrected_reports_were_undone_and_loaded_again(
    first_month: Settings,
) -> None:
    correct(first_month, correction("withdraw_event", 'event_id = "ORV25081"'))
    undo.retract(first_month, entry_of(first_month, "load"), "of another office")
    assert doctor.check(first_month).problems == []
    before = facts(first_month.store)
    first_month.store.unlink()
    load.load(first_month, [SAMPLE / "reports" / MONTHS[0]])
    assert facts(first_month.store).keys() == before.keys()
    with open_to_read(first_month) as store:
        assert store.rows("select distinct withdrawn from current_report where event_id = 'ORV25081'") == [(True,)]


# ------------------------------------------------------------------------------------------------------------ set aside


EVENT = "ORV25093"
WHY = "a test file of the arbiter"


def refused(until_october: Settings) -> list[object]:
    return [row["event_id"] for row in quarantine.quarantined(until_october) if row["status"] == "refused"]


def test_no_count_has_it_and_no_list_changes_when_its_folder_is_delivered_again_and_after_a_rebuild(
    until_october: Settings,
) -> None:
    before = published_bytes(until_october.home)
    assert refused(until_october) == [EVENT]
    done = undo.dismiss(until_october, JUNK, WHY)
    assert (done.values["event_id"], done.values["reason"], done.values["already"]) == (EVENT, WHY, False)
    loaded = load.load(until_october, [SAMPLE / "reports" / "2025-10"])
    assert (loaded.refused_reports, loaded.refused) == (0, [])
    replay.rebuild(until_october)
    assert refused(until_october) == []
    with open_store(until_october.store) as store:
        assert store.read("select reason, known_on::varchar from dismissal").rows() == [(WHY, "2025-12-01")]
    assert EVENT not in [report.event_id for report in status.status(until_october).waiting]
    assert quarantine.event(until_october, EVENT).notes == [f"{done.values['file']} was set aside on 2025-12-01: {WHY}"]
    counted = run.rate(until_october, OCTOBER)
    assert (counted.events["refused"], counted.events["dismissed"]) == (1, 1)
    assert EVENT not in str(counted.refused)
    assert EVENT not in str(quarantine.quarantined(until_october, OCTOBER))
    assert not publish.publish(until_october, OCTOBER).is_new
    assert published_bytes(until_october.home) == before


def test_it_is_set_aside_once_and_can_be_taken_up_again(until_october: Settings) -> None:
    done = undo.dismiss(until_october, EVENT, WHY)
    digest = done.values["report_sha256"][:12]
    again = ratinglist("dismiss", digest, "--because", WHY, "--json", home=until_october.home)
    assert json.loads(again.stdout)["already"] is True
    undo.retract(until_october, entry_of(until_october, "dismiss"))
    assert refused(until_october) == [EVENT]
