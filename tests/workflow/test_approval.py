"""Preview, approve, publish: only the exact files that people approved, and signed where they have a key."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from ratinglist import office as office_choices
from ratinglist.cli.main import program
from ratinglist.errors import CheckError, CommandLineError, NotApprovedError, UnansweredError
from ratinglist.home.log import Log, path_of
from ratinglist.pages.document import Document, as_markdown
from ratinglist.period import Period
from ratinglist.publication import approvals, revisions
from ratinglist.publication.report_document import of_list
from ratinglist.settings import STORE, Settings
from ratinglist.store.database import Store
from ratinglist.summaries import PreviewSummary
from ratinglist.workflows import correct, import_files, publish, replay, rerate, status, undo
from ratinglist.workflows.opening import open_to_read
from tests.command_line import did
from tests.conftest import MONTHS, SAMPLE, asking_only, copied, office, published_bytes, unpublish
from tests.sites import site_bytes
from tests.stores import open_store
from tests.workflow.test_rerate import correction
from tests.workflow.test_verify import key_files

pytestmark = pytest.mark.asks_only("large_change", "office_settings")

NOVEMBER, DECEMBER = Period.parse("2025-11"), Period.parse("2025-12")


def choose(settings: Settings, text: str) -> None:
    (settings.home / "office.toml").write_text(text, encoding="utf-8")


Previewed = tuple[Path, PreviewSummary]
TWO_PEOPLE = "[publication]\napprovals = 2\n"


@pytest.fixture(scope="module")
def calculated_home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = copied(homes / "2025-12", tmp_path_factory.mktemp("calculated"))
    unpublish(settings, "2025-12")
    return settings.home


@pytest.fixture(scope="module")
def needs_approval_made(calculated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Previewed:
    settings = copied(calculated_home, tmp_path_factory.mktemp("needs-approval"))
    choose(settings, TWO_PEOPLE)
    return settings.home, publish.preview(settings, DECEMBER)


@pytest.fixture
def calculated(calculated_home: Path, tmp_path: Path) -> Settings:
    """The sample's office with December calculated, not published, and no approval required."""
    return copied(calculated_home, tmp_path)


@pytest.fixture
def needs_approval(needs_approval_made: Previewed, tmp_path: Path) -> Settings:
    """An office where two people have to approve: December has its preview, and no approval yet."""
    return copied(needs_approval_made[0], tmp_path)


@pytest.fixture
def digest(needs_approval_made: Previewed) -> str:
    """The digest of that preview."""
    return needs_approval_made[1].digest


def approve(settings: Settings, *people: str) -> None:
    for name in people:
        publish.approve(settings, DECEMBER, name)


def test_the_report_names_no_file_of_the_office_and_no_birth_date(needs_approval_made: Previewed) -> None:
    home, preview = needs_approval_made
    report = Path(preview.report).read_text(encoding="utf-8")
    assert (".trf" in report, "`ratinglist quarantine 2025-12`" in report) == (False, True)
    with open_store(home / STORE) as store:
        born = store.read("select distinct birth_date::varchar as day from player where birth_date is not null")
    assert len(born) > 10
    assert [day for day in born["day"] if day in report] == []


def test_a_list_is_published_as_shown_with_two_approvals_and_not_with_one(
    needs_approval: Settings, digest: str
) -> None:
    before = published_bytes(needs_approval.home)
    approve(needs_approval, "Anna Berg")
    with pytest.raises(NotApprovedError, match=rf"{digest} and 1 of 2 approvals \(Anna Berg\); 1 is missing"):
        publish.publish(needs_approval, DECEMBER)
    assert published_bytes(needs_approval.home) == before
    approve(needs_approval, "Bo Lind")
    done = publish.publish(needs_approval, DECEMBER)
    assert (done.digest, done.approved_by) == (digest, ["Anna Berg", "Bo Lind"])
    assert site_bytes(Path(done.path)) == site_bytes(needs_approval.previews / "2025-12" / "r1")


def test_the_same_person_counts_once(needs_approval: Settings) -> None:
    approve(needs_approval, "Anna Berg")
    for name in ("BERG,  Ánna", "  anna  BERG ", "Ａnna-Berg"):
        again = publish.approve(needs_approval, DECEMBER, name)
        assert ([approval["name"] for approval in again.approvals], again.missing) == (["Anna Berg"], 1)


@pytest.mark.asks_only("unlike_name")
def test_a_list_changed_since_its_approval_is_not_published_and_who_approved_it_is_named(
    needs_approval: Settings,
) -> None:
    approve(needs_approval, "Anna Berg", "Bo Lind")
    players = needs_approval.home / "players.csv"
    players.write_text('fide_id,name,federation\n900000113,"Berg, Changed",ORV\n', encoding="utf-8")
    import_files.import_players(needs_approval, players, because={"unlike_name": "she has married"})
    with pytest.raises(NotApprovedError) as stopped:
        publish.publish(needs_approval, DECEMBER, {"unlike_name": "she has married"})
    assert "Anna Berg, Bo Lind approved another digest" in str(stopped.value)
    assert revisions.latest(needs_approval.published, DECEMBER) is None


def test_an_approval_has_name_and_day(needs_approval: Settings, digest: str) -> None:
    done = publish.approve(replace(needs_approval, today=date(2025, 12, 3)), DECEMBER, "Anna Berg", digest[:12].upper())
    assert done.approvals == [{"name": "Anna Berg", "known_on": "2025-12-03"}]
    assert publish.approved(needs_approval, DECEMBER).approvals == done.approvals


def test_another_digest_is_refused(needs_approval: Settings) -> None:
    for other, error, says in (
        ("0" * 64, CheckError, "has the digest .*, not 0000"),
        ("abc", CheckError, "has the digest .*, not abc"),
        ("", CommandLineError, "--digest is empty"),
    ):
        with pytest.raises(error, match=says):
            publish.approve(needs_approval, DECEMBER, "Anna Berg", other)
    assert publish.approved(needs_approval, DECEMBER).approvals == []


def altered(settings: Settings) -> None:
    file = settings.previews / "2025-12" / "r1" / "standard.csv"
    text = file.read_text(encoding="utf-8")
    file.chmod(0o644)
    file.write_text(text.replace("1948", "1998"), encoding="utf-8")


def replaced(settings: Settings) -> None:
    with open_store(settings.store) as store:
        note_preview(store, replace(approvals.preview_of(store, DECEMBER), manifest="0" * 64))


def outdated(settings: Settings) -> None:
    with open_store(settings.store) as store:
        facts = store.log.history.newest_calculations()["2025-12"].facts
        store.record("calculate", settings.today, **{**facts, "calculation_id": "another"})
    (month,) = status.status(settings).open_months
    assert (month.preview_outdated, month.digest) == (True, "")
    assert month.text().endswith("make the preview again: ratinglist publish 2025-12 --preview")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (altered, r"(?s)standard\.csv: was altered.*publish 2025-12 --preview"),
        (replaced, r"r1: has the digest .*, and was made with 0000"),
        (outdated, "calculated again since its preview"),
    ],
)
def test_a_preview_that_is_not_the_one_shown_cannot_be_approved(
    change: Callable[[Settings], None], says: str, needs_approval: Settings
) -> None:
    change(needs_approval)
    with pytest.raises(CheckError, match=says):
        publish.approve(needs_approval, DECEMBER, "Anna Berg")
    assert publish.approved(needs_approval, DECEMBER).approvals == []


# ------------------------------------------------------------------------------------------------------ questions


BECAUSE = {"large_change": "two juniors who won their opens"}
ASKING = "[questions]\nchange_deviations = 1\n"
"""A question for changes of more than one standard deviation, which December has."""


@pytest.fixture
def odd(calculated: Settings) -> Settings:
    choose(calculated, ASKING)
    return calculated


def test_a_question_stops_the_publication_and_the_reasons_of_a_preview_hold_for_it_alone(odd: Settings) -> None:
    with pytest.raises(UnansweredError) as stopped:
        publish.publish(odd, DECEMBER)
    says = (
        "large_change: Is it right that a rating changed by far more than chance gives",
        "FIDE ID 900000113, name Çelård, Conrad",
        'ratinglist publish 2025-12 --because large_change="..."',
        "ratinglist explain 900000113 2025-12 --preview",
    )
    assert [part for part in says if part not in str(stopped.value)] == []
    assert revisions.latest(odd.published, DECEMBER) is None
    asking = publish.preview(odd, DECEMBER)
    assert asking.unanswered == ["large_change"]
    assert publish.approved(odd, DECEMBER).text().endswith(' --because large_change="..."')
    assert "**Not answered yet" in Path(asking.report).read_text(encoding="utf-8")
    answered = publish.preview(odd, DECEMBER, BECAUSE)
    assert answered.unanswered == []
    done = publish.publish(odd, DECEMBER)
    assert done.digest == answered.digest != asking.digest
    (answer,) = json.loads((Path(done.path) / "manifest.json").read_text(encoding="utf-8"))["answers"]
    assert (answer["question"], answer["reason"]) == ("large_change", BECAUSE["large_change"])
    assert (answer["found"]["count"], answer["found"]["rows"][0]["change"]) == (17, 146)
    assert not {"name", "opponent_name"} & set(answer["found"]["rows"][0])
    # Other rows raise it again.
    choose(odd, ASKING.replace("1", "2"))
    with pytest.raises(UnansweredError, match="2 standard deviations"):
        publish.publish(office(odd.home), DECEMBER)


WRONG_REASONS = {
    "large_change=": "is empty",
    "large_change=   ": "is empty",
    "large_change": "write QUESTION=",
    "unknown=reason": "one of early_list, event_withdrawn_before, fewer_games",
    **dict.fromkeys((f"large_change={word}" for word in ("ok", "Yes.", "fine", "checked", "да")), "is no reason"),
    "large_change=a\x1b[2Jb": r"has the character U\+001B",
    f"large_change={'a' * 1001}": "has 1,001 characters",
}


@pytest.mark.parametrize("because", WRONG_REASONS)
def test_a_wrong_reason_is_an_error(because: str, odd: Settings) -> None:
    result = CliRunner().invoke(program, ["publish", "2025-12", "--home", str(odd.home), "--because", because])
    assert isinstance(result.exception, CommandLineError)
    with pytest.raises(CommandLineError, match=WRONG_REASONS[because]):
        raise result.exception


# ------------------------------------------------------------------------------------------------------- rerate


@pytest.fixture
def corrected(rated: Settings) -> Settings:
    """The sample's office after the correction of a result of November."""
    game = 'event_id = "ORV25105", round = 1, white = 99900418, black = 900000088'
    correct.type_correction(rated, correction("change_result", game, 'result = "0-1"'))
    return rated


RERATE = "ratinglist rerate --from 2025-11"


def note_preview(store: Store, preview: approvals.Preview | None) -> None:
    """Note in the log that the preview of December is another one."""
    assert preview is not None
    store.record("preview", date(2025, 12, 1), previews=[asdict(preview)])


def test_the_preview_of_a_rerating_is_made_again_by_rerate(rated: Settings) -> None:
    with open_store(rated.store) as store:
        note_preview(store, approvals.Preview(str(DECEMBER), 2, "0" * 64, "older", [], RERATE))
    with pytest.raises(CheckError, match=f"Make the preview again: {RERATE}$"):
        publish.approve(rated, DECEMBER, "Anna Berg")


@pytest.mark.long
def test_a_rerating_publishes_all_its_lists_once_all_are_approved_and_answered(corrected: Settings) -> None:
    choose(corrected, f"[publication]\napprovals = 1\n{ASKING}")
    settings, before = office(corrected.home), published_bytes(corrected.home)
    seen = rerate.rerate(settings, NOVEMBER, preview=True)
    assert [month.asks for month in seen.months] == [("large_change",)] * 2
    with pytest.raises(UnansweredError, match=r"ratinglist rerate --from 2025-11 --because large_change="):
        rerate.rerate(settings, NOVEMBER)
    for approved, waiting in ((None, NOVEMBER), (NOVEMBER, DECEMBER)):
        if approved:
            publish.approve(settings, approved, "Anna Berg")
        with pytest.raises(
            NotApprovedError, match=rf"the list of {waiting} has(?s:.)*approve 2025-12 --by NAME"
        ) as stopped:
            rerate.rerate(settings, NOVEMBER, because=BECAUSE)
        assert f"the list of {approved} has" not in str(stopped.value)
        assert published_bytes(corrected.home) == before
    publish.approve(settings, DECEMBER, "Anna Berg")
    previewed = site_bytes(corrected.previews / "2025-12" / "r2")
    done = rerate.rerate(settings, NOVEMBER, because=BECAUSE)
    assert [month.revision for month in done.months] == ["r2", "r2"]
    assert site_bytes(corrected.published / "2025-12" / "r2") == previewed
    assert "DIFF.md" in previewed


# -------------------------------------------------------------------------------------------------- listed approvers


TWO = """\
[publication]
approvals = 2

[[approvers]]
name = "Anna Berg"

[[approvers]]
name = "Bo Lind"
"""


@pytest.fixture(scope="module")
def previewed_home(calculated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office with two approvers and a preview of December; look, do not touch."""
    settings = copied(calculated_home, tmp_path_factory.mktemp("approvers"))
    choose(settings, TWO)
    with asking_only():
        publish.preview(office(settings.home), DECEMBER)
    return settings.home


@pytest.fixture
def settings(previewed_home: Path, tmp_path: Path) -> Settings:
    return copied(previewed_home, tmp_path)


def with_key(settings: Settings, seed: int = 1) -> Path:
    """Give Anna Berg a public key in ``office.toml``, and return the path of her private key."""
    private, public = key_files(settings.home.parent, seed)
    key = public.read_text(encoding="utf-8")
    text = TWO.replace('"Anna Berg"\n', f'"Anna Berg"\nkey = """{key}"""\n')
    (settings.home / "office.toml").write_text(text, encoding="utf-8")
    private.chmod(0o600)
    return private


def again(settings: Settings) -> Settings:
    """The settings of the next command: ``office.toml`` is read again."""
    return office(settings.home)


def test_only_a_listed_person_approves(settings: Settings) -> None:
    with pytest.raises(CommandLineError, match=r"'Carl' is no approver.*lists: Anna Berg, Bo Lind"):
        publish.approve(settings, DECEMBER, "Carl")
    assert publish.approved(settings, DECEMBER).approvals == []


@pytest.mark.long
def test_an_approval_from_before_the_list_of_approvers_does_not_count(settings: Settings) -> None:
    (settings.home / "office.toml").write_text("[publication]\napprovals = 2\n", encoding="utf-8")
    for name in ("anna berg", "Anna Berg", "Carl"):
        publish.approve(again(settings), DECEMBER, name)
    (settings.home / "office.toml").write_text(TWO, encoding="utf-8")
    with pytest.raises(
        NotApprovedError, match=r"(?s)1 of 2 approvals \(anna berg\).*Not counted: Carl: is no approver"
    ):
        publish.publish(again(settings), DECEMBER)


# ------------------------------------------------------------------------------------------------------------- signed


def test_a_signed_approval_is_verified_and_counts(settings: Settings) -> None:
    key = with_key(settings)
    done = publish.approve(again(settings), DECEMBER, "berg, anna", key=key)
    assert done.approvals[0]["signature"].startswith("signature ")
    assert "approved by Anna Berg on 2025-12-01, signed" in done.text()
    publish.approve(again(settings), DECEMBER, "Bo Lind")
    before = publish.publish(again(settings), DECEMBER).digest
    # A rebuild has no key.
    replay.rebuild(again(settings))
    assert publish.publish(again(settings), DECEMBER).digest == before


def test_a_person_with_a_key_signs_with_it_and_no_other(settings: Settings) -> None:
    with_key(settings)
    other, _ = key_files(settings.home.parent, 2)
    for name, key, says in (
        ("Anna Berg", None, r"ratinglist approve 2025-12 --by 'Anna Berg' --key FILE\."),
        ("Anna Berg", other, "is not the key of Anna Berg"),
        ("Bo Lind", other, r"office\.toml has no public key of Bo Lind"),
    ):
        with pytest.raises(CommandLineError, match=says):
            publish.approve(again(settings), DECEMBER, name, key=key)


GARBAGE = ("x", "é\n", f"signature {'A' * 86}==\npublic-key {'/' * 43}=\n", 7)


@pytest.mark.parametrize(
    ("forged", "problem"),
    [
        ({"signature": ""}, "the approval is not signed"),
        ({"manifest": "0" * 64}, "1 is missing"),
        *(({"signature": signature}, "") for signature in GARBAGE[:1]),
        *(pytest.param({"signature": signature}, "", marks=pytest.mark.long) for signature in GARBAGE[1:]),
    ],
)
def test_a_forged_approval_does_not_count(forged: dict[str, object], problem: str, settings: Settings) -> None:
    """A person who can write the home can write an entry of its log, but not sign in the name of another."""
    publish.approve(again(settings), DECEMBER, "Anna Berg", key=with_key(settings))
    newest = Log.open(settings.home).newest
    assert newest is not None
    path_of(settings.home, newest.number).unlink()
    with open_store(settings.store) as store:
        store.record(
            "approve", newest.day, approvals=[{**approval, **forged} for approval in newest.facts["approvals"]]
        )
    publish.approve(again(settings), DECEMBER, "Bo Lind")
    with pytest.raises(NotApprovedError, match=rf"(?s)of 2 approvals.*{problem}"):
        publish.publish(again(settings), DECEMBER)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (lambda text: TWO, "key of Anna Berg was .* and is none"),
        (
            lambda text: text.replace("Bo Lind", "Bob Lind"),
            "Bo Lind and is Anna Berg, Bob Lind",
        ),
    ],
)
def test_who_may_approve_is_not_changed_in_silence(
    changed: Callable[[str], str], problem: str, settings: Settings
) -> None:
    publish.approve(again(settings), DECEMBER, "Anna Berg", key=with_key(settings))
    file = settings.home / "office.toml"
    file.write_text(changed(file.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(UnansweredError, match="office_settings"):
        publish.publish(again(settings), DECEMBER)
    with pytest.raises(CheckError, match=problem):
        undo.rollback(again(settings), Period.parse("2025-09"), "K was wrong")


def test_a_signature_by_an_earlier_key_does_not_count(settings: Settings) -> None:
    publish.approve(again(settings), DECEMBER, "Anna Berg", key=with_key(settings))
    with_key(settings, seed=2)
    with pytest.raises(UnansweredError, match="setting key of Anna Berg, before"):
        publish.publish(again(settings), DECEMBER)
    with open_to_read(again(settings)) as store:
        digest = store.log.history.approvals[-1]["manifest"]
        (why,) = approvals.not_counting(store, again(settings), DECEMBER, digest)
    assert "Anna Berg: the approval is signed by another key" in why


# ---------------------------------------------------------------------------------------------- office.toml, commands


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[publication]\napprovals = -1\n", "'publication.approvals' is -1; it must be at least 0"),
        ("[publication]\napprovals = true\n", "'publication.approvals' is true; it must be a whole number"),
        ('[publication]\napprovals = "2"\n', "'publication.approvals' is '2'; it must be a whole number"),
        ("[publication]\nquorum = 2\n", "unknown key 'quorum' in .publication."),
        ("[questions]\nchange = 2\n", "unknown key 'change' in .questions."),
        ("[questions]\nchange_points = 1.5\n", "'questions.change_points' is 1.5; it must be a whole number"),
        ("[questions]\nunusual_factor = 0\n", "'questions.unusual_factor' is 0; it must be at least 1"),
        ("questions = 1\n", "'questions' is 1; it must be a section: .questions."),
        (TWO.replace("Bo Lind", "BERG, Anna"), "approvers Anna Berg and BERG, Anna are one person by their names"),
        (
            TWO + 'key = "keys/bo.pub"\n',
            "'approvers.1.key' is 'keys/bo.pub', and the path of a file is not taken",
        ),
        (
            TWO.replace("approvals = 2", "approvals = 3"),
            r"'publication\.approvals' is 3, and \[\[approvers\]\] lists 2",
        ),
        (
            TWO.replace('Berg"', 'Berg"\nkey = "-----BEGIN a"') + 'key = "-----BEGIN a"\n',
            r"two \[\[approvers\]\] have the same key",
        ),
        (TWO.replace("Bo Lind", " "), "'approvers.1.name' is blank"),
        (TWO.replace("name = ", "nane = "), "unknown key 'nane' in .approvers.0. - known are name, key"),
        ('[approvers]\nname = "Anna"\n', r"\[\[approvers\]\]"),
    ],
)
def test_a_wrong_value_in_office_toml_is_named(text: str, message: str) -> None:
    with pytest.raises(CommandLineError, match=message):
        office_choices.parse(text)


def test_the_commands_print_json(calculated: Settings) -> None:
    def typed(*words: str) -> dict[str, Any]:
        done: dict[str, Any] = json.loads(did(calculated.home, *words, "--json"))
        return done

    choose(calculated, TWO_PEOPLE)
    seen = typed("publish", "2025-12", "--preview")
    assert seen["approvals_needed"] == 2
    (waiting,) = status.status(calculated).open_months
    assert (waiting.month, waiting.published, waiting.approvals_missing, waiting.unanswered) == (
        "2025-12",
        False,
        2,
        [],
    )
    assert "2 of 2 approvals missing: ratinglist approve 2025-12 --by NAME" in waiting.text()
    for name in ("Anna Berg", "Bo Lind"):
        done = typed("approve", "2025-12", "--by", name, "--digest", seen["digest"])
    assert done["missing"] == 0
    done = typed("publish", "2025-12")
    assert (done["digest"], done["approved_by"]) == (seen["digest"], ["Anna Berg", "Bo Lind"])


# -------------------------------------------------------------------------------------------- typed since the last list


BY = ("--because", "certificate", "--by", "Rossi")
TYPED_WRONG = ("--because", "past_federation=certificate", "--by", "Rossi")


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    """An office that has published October."""
    return Path(shutil.copytree(homes / "2025-10", tmp_path / "home"))


def test_a_preview_its_report_and_the_publication_show_what_was_typed(
    home: Path, moves_nothing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RATINGLIST_BY", "Verdi")
    entry = len(Log.open(home).entries)
    for words in (
        ("correct", "player", "99900046", "title=GM", "sex=F", *BY),
        ("correct", "player", "99900095", "federation=ORV", *TYPED_WRONG),
        ("correct", "undo", "2", *BY),
        ("dismiss", "ORV25093", "--because", "it came twice"),
        ("import-players", SAMPLE / "players-2025-11.csv"),
        ("retract", f"{entry + 5}"),
        ("rate", "2025-11"),
    ):
        did(home, *words)
    preview, published, again = (did(home, "publish", "2025-11", *option) for option in (["--preview"], [], []))
    report = (home / "previews" / "2025-11" / "REPORT.md").read_text(encoding="utf-8").replace("\\", "")
    typed = report.partition("## Typed since the last list")[2].partition("\n## ")[0]
    assert "Typed since the list before was published: 5" in preview
    for line in (
        "99900046 Thorbjörnsson, Egill: sex corrected from M to F; title corrected from none to GM (entry ",
        "99900095 von Treskau, Albrecht: federation corrected from KEL to ORV (entry ",
        "correction 2 (change data 99900095) is undone (entry ",
        f"A refused report was set aside: it came twice (entry {entry + 4})",
        f"Entry {entry + 5} was undone (entry {entry + 6})",
    ):
        assert [f"2025-12-01, Verdi: {line}" in text for text in (preview, typed, published)] == [True] * 3
    # Published again, it is not new; and the next list begins again from nothing.
    assert "Typed" not in again


def test_a_rollback_is_shown_with_the_revision_before(corrected_home: Path, tmp_path: Path) -> None:
    settings = office(Path(shutil.copytree(corrected_home, tmp_path / "home")))
    undo.rollback(settings, Period.parse(MONTHS[0]), "a wrong sheet")
    with open_to_read(settings) as store:
        number = len(store.log.entries)
        assert approvals.typed(store) == [
            f"2025-12-01: The list of {MONTHS[0]} is r1 again, in place of r2: a wrong sheet (entry {number})"
        ]


# ----------------------------------------------------------------------------------------------------------- the report


def test_the_report_has_the_same_bytes_each_time_and_is_no_part_of_a_revision(rated):
    report = rated.previews / "2025-12" / "REPORT.md"
    publish.preview(rated, DECEMBER)
    first = report.read_text(encoding="utf-8")
    publish.preview(rated, DECEMBER)
    assert report.read_text(encoding="utf-8") == first
    assert len(re.findall(r"^\|[-:|]+$", first, re.MULTILINE)) == 5
    assert "REPORT.md" not in {path.name for path in (rated.published / "2025-12" / "r1").iterdir()}


def test_who_was_not_on_the_list_before_does_not_leave_it() -> None:
    columns = {"fide_id": [1, 2], "status": ["delisted"] * 2, "was_listed": [True, False], "name": ["A", "B"]}
    figures = {key: [1, 1] for key in ("federation", "old_rating", "games", "k", "change", "new_rating")}
    section = as_markdown(Document("list", of_list("rapid", pl.DataFrame(columns | figures))))
    assert "No longer listed (1)" in section
