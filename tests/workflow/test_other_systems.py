"""The families of other systems through the same commands: run, checks, corrections, explain, exports, proofs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ratinglist.cli.options import Office
from ratinglist.errors import CommandLineError, RulesError
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.publication.doubts import doubts_about, named, same_again
from ratinglist.publication.published_files import verify
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.settings import Settings
from ratinglist.store import rule_files
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_own_state, read_system_state
from ratinglist.tables import SYSTEM_LISTED
from ratinglist.workflows import import_files, load, run, sql
from ratinglist.workflows.explain import explain
from ratinglist.workflows.opening import open_to_read
from ratinglist.workflows.replay import reproduce
from ratinglist.workflows.rerate import rerate
from ratinglist.workflows.undo import rollback
from ratinglist_lab.statistics import statistics
from tests.command_line import did, ratinglist
from tests.conftest import SAMPLE, asking_only, copied, made_once, published_bytes
from tests.parameters import long_but
from tests.site_files import sides_of
from tests.sites import quick_site
from tests.sql.conftest import as_tables
from tests.stores import open_store
from tests.workflow.test_rerate import correct, correction

NATIONS = ("dwz", "ecf", "uschess")
LISTS = {
    **dict.fromkeys(("fsi", "glicko", *NATIONS), ("2025-09", "2025-10")),
    **dict.fromkeys(("club", "uscf", "wcc"), ("2025-09",)),
    **dict.fromkeys(("fsi-1998", "ffe"), ("2026-01",)),
}
SAMPLED = FIRST, SECOND = ("2025-09", "2025-10")
"""The months of the sample that are received, before any list is calculated."""
RAVNIK = 99900143
NEWCOMER = 900000003
"""Who has a first rating of fsi in October."""
TODAY = date(2026, 1, 2)


def office(home: Path, family: str) -> Settings:
    return Settings(home=home, family=family, today=TODAY)


def receive_sample(homes: Path, folder: Path) -> None:
    """Make in ``folder`` an office that has received two months of the sample and calculated nothing."""
    settings = copied(homes / "2025-08", folder, "fsi")
    with asking_only():
        for month in SAMPLED:
            import_files.import_players(settings, SAMPLE / f"players-{month}.csv")
        load.load(settings, [SAMPLE / "reports" / month for month in SAMPLED])


@pytest.fixture(scope="session")
def received(homes: Path, for_all_workers: Path) -> Path:
    """The home of an office that has received two months of the sample; look, do not touch."""
    return made_once(for_all_workers / "received-office", partial(receive_sample, homes)) / "home"


def make_home(received: Path, family: str, folder: Path) -> None:
    """Make in ``folder`` an office of the sample federation that publishes the lists of a family."""
    settings = replace(copied(received, folder, family), today=TODAY)
    with asking_only():
        if family == "fsi":
            import_files.import_reference(settings, reference(folder), Period.parse("2025-10"))
        for month in LISTS[family]:
            run.run(settings, Period.parse(month))


def reference(folder: Path) -> Path:
    """A reference list that rates one player of the sample's list, and one who is not on it."""
    file = folder / "reference.csv"
    lines = [
        "fide_id,name,federation,time_control,rating,k",
        f'{RAVNIK},"Ravnik, Teodor",ORV,standard,2650,10',
        f"{NEWCOMER},Newcomer,ORV,standard,1500,40",
    ]
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return file


OtherHomes = Callable[[str], Settings]


@pytest.fixture(scope="session")
def other(received: Path, for_all_workers: Path) -> OtherHomes:
    """The office of a family that has published its lists; look, do not touch."""

    def of_family(family: str) -> Settings:
        make = partial(make_home, received, family)
        return office(made_once(for_all_workers / f"system-{family}", make) / "home", family)

    return of_family


FAMILIES = long_but([family for family in LISTS if family not in NATIONS], "fsi")
"""The families; their modules have tests of their own, so only one of them is published in the ordinary run."""


def table(settings: Settings, name: str, month: str = "") -> pl.DataFrame:
    """A table of the list of a month, or of the newest list."""
    month = month or LISTS[settings.family][-1]
    return pl.read_parquet(settings.published / month / "r1" / f"{name}.parquet")


def test_a_command_that_names_no_family_means_that_of_the_homes_newest_list(
    other: OtherHomes, homes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = Office(as_json=False, home=other("fsi").home)
    assert [office.settings(named).family for named in (None, "glicko")] == ["fsi", "glicko"]
    assert [rules["name"] for rules in json.loads(did(other("fsi").home, "rules", "--json"))] == [
        "fsi/standard/2000-01-01"
    ]
    monkeypatch.setenv("RATINGLIST_RULES", "club")
    assert office.settings().family == "club"
    monkeypatch.delenv("RATINGLIST_RULES")
    for imported in ("2025-09", "2025-08"):
        assert Office(as_json=False, home=homes / imported).settings().family == "fide"


def copy_of(settings: Settings, folder: Path) -> Settings:
    """A copy of an office; yours to break."""
    return copied(settings.home, folder, settings.family)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_publishes_with_its_columns(family: str, other: OtherHomes) -> None:
    settings = other(family)
    listed = table(settings, "standard")
    assert listed.columns == list(SYSTEM_LISTED.columns)
    assert len(listed) > 100
    # That each old rating is the one of the list before too.
    assert verify(settings.published).wrong == []
    has_deviations = family in ("glicko", "wcc")
    assert listed["deviation_hundredths"].null_count() == (0 if has_deviations else len(listed))


@pytest.mark.parametrize("family", long_but(LISTS, "dwz"))
def test_the_site_statistics_queries_and_exports_know_every_system(
    family: str, other: OtherHomes, tmp_path: Path
) -> None:
    settings, month = other(family), LISTS[family][-1]
    quick_site(settings, tmp_path / "site")
    assert len(sides_of(tmp_path / "site", month)) == len(table(settings, "games"))
    done = statistics(settings, Period.parse(month), by="category", out=tmp_path / "statistics").as_dict()
    groups = pl.DataFrame(done["groups"])
    assert ("category" in groups["grouping"]) == (family in ("club", "fsi-1998"))
    changes = table(settings, "changes").filter(status="entered")
    entered = sql.run(settings.published, f"select fide_id from entered where list_month = '{month}'")
    assert sorted(entered["fide_id"]) == sorted(changes["fide_id"])
    left = sql.run(settings.published, "select fide_id from left_the_list where status = 'lapsed'")
    assert (RAVNIK in left["fide_id"]) == (family == "fsi")
    # A K that the system does not have is 0 there.
    did(settings.home, "export", month, "--format", "fide-txt", "--out", tmp_path / "list.txt")
    did(settings.home, "reconcile", month, tmp_path / "list.txt", "--out", tmp_path / "differences.csv")


def test_the_site_has_the_games_of_another_system(other: OtherHomes, tmp_path: Path) -> None:
    settings = other("fsi")
    quick_site(settings, tmp_path / "site")
    sides = sides_of(tmp_path / "site", LISTS["fsi"][-1])
    games = table(settings, "games")
    figures = ("fide_id", "round", "opponent_id", "score_halves", "change_hundredths")
    assert sorted(sides.rename({"id": "fide_id"}).select(figures).rows()) == sorted(games.select(figures).rows())
    assert {400} == set(sides["difference_used"].abs().drop_nulls())


@pytest.mark.asks_only
@pytest.mark.parametrize(("family", "has_own_state"), [("glicko", False), ("uschess", True)])
def test_a_list_after_a_withdrawn_one_starts_from_what_was_kept_before_that(
    family: str, other: OtherHomes, tmp_path: Path, *, has_own_state: bool
) -> None:
    settings = copy_of(other(family), tmp_path)

    def kept_before(month: str) -> pl.DataFrame:
        with open_to_read(settings) as store:
            own = read_own_state(store, Period.parse(month), family) if has_own_state else None
            return (read_system_state(store, month) if own is None else own).sort(pl.all())

    after_first = kept_before("2025-10")
    assert not after_first.equals(kept_before("2025-11"))
    rollback(settings, Period.parse("2025-10"), "the clubs sent other results", to="none")
    assert len(after_first) > 100
    assert_frame_equal(kept_before("2025-11"), after_first)


def test_a_list_is_printed_as_it_is_published(other: OtherHomes) -> None:
    settings = other("glicko")
    printed = did(settings.home, "list", "2025-10", "--time-control", "standard")
    assert printed == (settings.published / "2025-10" / "r1" / "standard.csv").read_text(encoding="utf-8")


def test_a_list_in_another_month_is_refused_and_loads_nothing(homes: Path, tmp_path: Path) -> None:
    for family in ("ffe", "fsi-1998"):
        settings = copied(homes / "2025-08", tmp_path / family, family)
        with pytest.raises(
            CommandLineError, match=rf"'{family}' publishes no list in 2025-10.*The next one is 2026-01\."
        ):
            run.run(settings, Period.parse("2025-10"), [SAMPLE / "reports" / "2025-09"])
        with open_store(settings.store) as store:
            assert store.read("select count(*) as n from report").item() == 0


@pytest.mark.parametrize("command", [run.run, run.rate])
def test_a_published_list_is_calculated_again_by_its_own_family_alone(
    command: Callable[[Settings, Period], object], other: OtherHomes, tmp_path: Path
) -> None:
    settings = copy_of(other("fsi"), tmp_path)
    entries = Log.open(settings.home).entries
    with pytest.raises(CommandLineError, match=r"is published by the family 'fsi'.* --rules fsi.* a home of its own"):
        command(replace(settings, family="fide"), SEPTEMBER)
    assert Log.open(settings.home).entries == entries


@pytest.mark.asks_only
def test_the_family_of_a_list_is_the_published_one_whatever_was_calculated_since(
    other: OtherHomes, tmp_path: Path
) -> None:
    settings = copy_of(other("fsi"), tmp_path)
    for month in (OCTOBER, SEPTEMBER):
        rollback(settings, month, "the clubs sent other results", to="none")
    run.rate(replace(settings, family="fide"), SEPTEMBER)
    rollback(settings, SEPTEMBER, "the first list was right", to="r1")
    assert run.rate(settings, OCTOBER).family == "fsi"
    assert [month.differs for month in rerate(settings, SEPTEMBER).months] == [False]


# --------------------------------------------------------------------------------------------------- reference lists


def test_a_player_on_the_reference_list_leaves(other: OtherHomes) -> None:
    settings = other("fsi")
    (change,) = table(settings, "changes").filter(fide_id=RAVNIK).to_dicts()
    assert (change["status"], change["new_rating"], change["change"]) == ("lapsed", None, None)
    assert RAVNIK not in table(settings, "standard")["fide_id"]
    text = explain(settings, RAVNIK, Period.parse("2025-10")).text()
    assert "ended: the player has a rating on the reference list" in text
    assert RAVNIK in table(settings, "standard", FIRST)["fide_id"]


def test_a_first_rating_lapses_at_once_by_the_reference_list(other: OtherHomes) -> None:
    settings = other("fsi")
    (change,) = table(settings, "changes").filter(fide_id=NEWCOMER).to_dicts()
    assert (change["status"], change["old_rating"], change["new_rating"]) == ("lapsed", None, None)
    assert NEWCOMER not in table(settings, "standard")["fide_id"]


def test_a_reference_list_is_a_standard_one(other: OtherHomes, tmp_path: Path) -> None:
    home = copy_of(other("fsi"), tmp_path).home
    file = reference(tmp_path)
    words = ("import-list", file, "--reference", "--month", "2025-11", "--time-control")
    assert ratinglist(*words, "blitz", home=home).returncode == 2
    assert ratinglist(*words, "standard", home=home).returncode == 0
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines, lines[1].replace("standard", "rapid"), ""]), encoding="utf-8")
    assert "standard reference list of 2025-11: 2 rated" in did(home, *words[:-1])
    file.write_text("\n".join([lines[0], lines[1].replace("standard", "rapid"), ""]), encoding="utf-8")
    assert ratinglist(*words[:-1], home=home).returncode == 3


@pytest.mark.asks_only
def test_a_list_with_reference_lists_is_reproduced(other: OtherHomes, tmp_path: Path) -> None:
    settings = other("fsi")
    shutil.copytree(SAMPLE, tmp_path / "inputs")
    reference(tmp_path / "inputs")
    summary = reproduce(settings.published / "2025-10" / "r1", tmp_path / "inputs", settings)
    assert "reproduced" in summary.text()


# ------------------------------------------------------------------------------------------------- state and proofs


@pytest.mark.asks_only
def test_a_correction_moves_the_deviations_of_later_lists(other: OtherHomes, tmp_path: Path) -> None:
    settings = copy_of(other("glicko"), tmp_path)
    game = 'event_id = "KEL250800001", round = 1, white = 900000016, black = 900000119'
    correct(settings, correction("change_result", game, 'result = "0-1"'))
    rerate(settings, SEPTEMBER)
    folder = settings.published / "2025-10"
    columns = ["fide_id", "rating_hundredths", "deviation_hundredths"]
    was, now = (pl.read_parquet(folder / revision / "standard.parquet", columns=columns) for revision in ("r1", "r2"))
    diff = pl.read_parquet(folder / "r2" / "diff.parquet").sort("fide_id")
    assert diff["fide_id"].equals(now.join(was, on=columns, how="anti")["fide_id"].sort())
    assert set(diff["cause"]) <= {"game", "list_before", "opponent"}
    assert set(diff["corrections"]) == {"1"}
    # Some moved by less than a point.
    row = diff.filter(pl.col("difference") == 0).row(0, named=True)
    text = (folder / "r2" / "DIFF.md").read_text(encoding="utf-8")
    assert f"({row['new_rating_hundredths'] / 100:.2f} ± {row['new_deviation_hundredths'] / 100:.2f})" in text
    assert verify(folder / "r2").wrong == []


@pytest.mark.long
@pytest.mark.parametrize("family", ["fsi", "glicko"])
def test_a_home_is_rebuilt(family: str, other: OtherHomes, tmp_path: Path) -> None:
    settings = copy_of(other(family), tmp_path)
    before = published_bytes(settings.home)
    did(settings.home, "doctor", "--rebuild")
    assert published_bytes(settings.home) == before


# ------------------------------------------------------------------------------------------------------------ doubts

FAULTS = {
    "update list_state set rating = rating + 1 where month = $month": "list_follows_from_the_changes",
    "delete from list_state where month = $month and games > 5": "list_follows_from_the_changes",
    "update change set change = change + 1 where month = $month and status = 'rated'": "list_follows_from_the_changes",
    "delete from change where month = $month and status = 'entered'": "list_follows_from_the_changes",
    "update change set old_rating = 1 where month = $month and status = 'rated'": "list_follows_from_the_changes",
    "update event set reason = 'time_limit' where month = $month and status = 'rated'": "rated_or_a_reason",
    "update side set reason = null where month = $month and reason = ''": "rated_or_a_reason",
    "update calculation set last_source = 1 where month = $month": "reference_list_is_current",
}
"""Statements that break a list of the family fsi, and the doubt that finds them."""


@pytest.fixture(scope="module")
def fsi_store(other: OtherHomes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The store of an office of the family fsi, yours to break inside a trial."""
    with open_store(copy_of(other("fsi"), tmp_path_factory.mktemp("faults")).store) as store:
        yield store


@pytest.mark.parametrize("family", long_but(LISTS, "fsi", "uschess"))
def test_no_doubt_stops_a_list_and_it_is_the_same_again(family: str, other: OtherHomes) -> None:
    settings, month = other(family), Period.parse(LISTS[family][-1])
    with open_to_read(settings) as store:
        raised = doubts_about(store, settings, month)
        again = same_again(store, current_calculation(store, month))
    assert [doubt.code for doubt in raised if doubt.kind == "stop"] + again == []


@pytest.mark.parametrize(("fault", "code"), FAULTS.items())
def test_a_planted_fault_is_found(fault: str, code: str, fsi_store: Store) -> None:
    settings, month = office(fsi_store.home, "fsi"), Period.parse(LISTS["fsi"][-1])
    with fsi_store.changing_facts():
        as_tables(fsi_store)
        fsi_store.execute(fault, month=str(month))
        assert [doubt.code for doubt in doubts_about(fsi_store, settings, month, asked=[named(code)])] == [code]


# ----------------------------------------------------------------------------------------------- the systems of nations


SEPTEMBER, OCTOBER = Period.parse("2025-09"), Period.parse("2025-10")


@pytest.fixture(params=long_but(NATIONS, "uschess"))
def published(request: pytest.FixtureRequest, other: OtherHomes) -> Settings:
    """An office with the lists of September and October of one system."""
    return other(request.param)


SPARSE = {
    "dwz": {"k_tenths", "old_dwz_index"},
    "ecf": set(),
    "uschess": set(),
}
"""Columns that are empty in the sample: of rules that are not in force then, of players who are new."""


def test_its_own_columns_are_published_at_the_end_and_described(published):
    system = SYSTEMS[published.family]
    for name in ("standard", "changes", "games"):
        own = list(system.own_columns[name])
        frame = table(published, name)
        assert frame.columns[-len(own) :] == own
        assert {column for column in own if not frame[column].count()} <= SPARSE[published.family]
    described = (published.published / str(OCTOBER) / "r1" / "datapackage.json").read_text("utf-8")
    assert next(iter(system.list_columns.values())).description in described
    # A list as CSV has the same columns.
    head = (published.published / str(OCTOBER) / "r1" / "standard.csv").read_text("utf-8").partition("\n")[0]
    assert head.split(",") == table(published, "standard").columns


def test_the_next_list_goes_on_from_its_own_state(published):
    def game(month: str, name: str, last: bool) -> pl.DataFrame:
        rows = table(published, "games", month).filter(reason="").sort("event_place", descending=last)
        return rows.unique("fide_id", keep="first", maintain_order=True).select("fide_id", name)

    if published.family == "uschess":
        # The rating with its decimals.
        before = game(FIRST, "rating_after_hundredths", last=True)
        both = before.join(game(SECOND, "rating_hundredths", last=False), on="fide_id")
        same = both["rating_after_hundredths"] == both["rating_hundredths"]
        assert len(both) > 5
        # One who is established since is shown in hundredths from then on.
        assert (same | (both["rating_after_hundredths"] % 100 == 0)).all()
        assert (both["rating_hundredths"] % 100 != 0).any()
    if published.family == "dwz":
        before = table(published, "standard", FIRST).select("fide_id", before="dwz_index")
        changed = table(published, "changes").join(before, on="fide_id")
        assert len(changed)
        assert changed["old_dwz_index"].equals(changed["before"], check_names=False)
        now = table(published, "standard").select("fide_id", now="dwz_index")
        assert changed.join(now, on="fide_id").filter(pl.col("now") != pl.col("before") + pl.col("events")).is_empty()


def test_no_birth_date_is_in_its_state(published):
    for path in (published.home / "calculations").rglob("own_state.*.parquet"):
        assert not [name for name in pl.read_parquet_schema(path) if "birth" in name]
    assert list((published.home / "calculations").rglob("own_state.*.parquet"))


def test_a_state_of_another_version_is_refused(published, monkeypatch):
    system = SYSTEMS[published.family]
    assert system.state is not None
    newer = replace(system, state=replace(system.state, version=2))
    monkeypatch.setattr(import_module(f"ratinglist_nations.{published.family}.month"), "SYSTEM", newer)
    message = r"The list of 2025-09 was calculated with version 1 .* keeps version 2.*rerate --from"
    with pytest.raises(RulesError, match=message):
        run.rate(published, OCTOBER)


# -------------------------------------------------------------------------------------------------------- extreme lists


RATINGS = (1, 2, 3, 13, 60, 350, 351, 700, 999, 1401, 1749, 2100, 2300, 2401, 2899, 3999, None, None, None, None)
"""Of the players 101, 102 and so on; the last ones are unlisted."""
PERIODS = ("2026-01", "2026-05", "2026-07")
BOOK = rule_files.rule_book()
ALL_FAMILIES = [family for family in BOOK.families if BOOK.is_system(family)]


def write_list(folder: Path) -> Path:
    file = folder / "list.csv"
    rows = [
        f"{101 + number},Player {number},ORV,standard,{rating or ''},{40 * number if rating else 0}"
        for number, rating in enumerate(RATINGS)
    ]
    file.write_text("\n".join(["fide_id,name,federation,time_control,rating,games_played", *rows, ""]), "utf-8")
    return file


def write_events(folder: Path, month: str, random: Random) -> Path:
    """Events in which the weak beat the strong, somebody loses every game, and some play a hundred."""
    inbox = folder / f"inbox-{month}"
    inbox.mkdir()
    start = date.fromisoformat(f"{Period.parse(month) - 2}-03")
    events, games = [], []
    for number in range(6):
        code = f"E{month}{number}"
        events.append(
            f"{code},Event {number},{start},{start.replace(day=20)},{start.replace(day=21)},swiss,standard,ORV,90"
        )
        for round_ in range(1, 26):
            ids = random.sample(range(101, 101 + len(RATINGS)), len(RATINGS))
            for white, black in zip(ids[::2], ids[1::2], strict=True):
                loses = white == (max if number % 3 == 0 else min)(white, black)
                results = "=,=" if random.random() < 1 / 50 else "0,1" if loses else "1,0"
                games.append(f"{code},{round_},{start.replace(day=3 + round_ % 17)},{white},{black},{results}")
    for name, head, rows in (
        (
            "events.csv",
            "event_id,name,start_date,end_date,received_on,event_type,time_control,federation,minutes_per_60_moves",
            events,
        ),
        ("games.csv", "event_id,round,date,white_id,black_id,white_result,black_result", games),
    ):
        (inbox / name).write_text("\n".join([head, *rows, ""]), "utf-8")
    return inbox


@pytest.mark.long
@pytest.mark.parametrize("family", ALL_FAMILIES)
def test_no_check_stops_a_right_list_of_extreme_values(family: str, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", family=family, today=date(2027, 1, 2))
    import_files.import_list(settings, write_list(tmp_path), Period.parse("2025-09"))
    random, changes, ratings = Random(7), set[int](), set[int]()
    months = [month for month in PERIODS if BOOK.publishes_in(family, Period.parse(month))]
    for month in months:
        load.load(settings, [write_events(tmp_path, month, random)], None)
        run.rate(settings, Period.parse(month))
        with open_to_read(settings) as store:
            raised = doubts_about(store, settings, Period.parse(month))
            of_month = "select max(abs(change)), min(new_rating) from change where month = $month"
            ((largest, lowest),) = store.rows(of_month, month=month)
        stops = [(doubt.code, doubt.rows) for doubt in raised if doubt.kind == "stop"]
        assert stops == []
        changes.add(largest)
        ratings.add(lowest)
    assert max(changes) > 200
    assert family != "ffe" or min(ratings) < 0


@pytest.mark.asks_only
@pytest.mark.parametrize("family", long_but(["course", "course-tranche"], "course"))
def test_the_course_drops_the_state_of_the_unrated(family: str, received: Path, tmp_path: Path) -> None:
    settings = copied(received, tmp_path, family)
    run.run(settings, SEPTEMBER)
    assert verify(settings.published / "2025-09" / "r1").wrong == []
