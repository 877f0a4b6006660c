"""Approvers of an office: two spellings are one person, signed approvals, and one approval of several months."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ratinglist import office as office_choices
from ratinglist.errors import CheckError, CommandLineError, NotApprovedError, UnansweredError
from ratinglist.home.log import Log, path_of
from ratinglist.period import Period
from ratinglist.publication import approvals
from ratinglist.settings import Settings
from ratinglist.workflows import import_files, load, publish, replay, run, undo
from ratinglist.workflows.opening import open_to_read
from tests.command_line import ratinglist
from tests.conftest import SAMPLE, copied, office
from tests.stores import open_store
from tests.workflow.test_verify import key_files

OCTOBER, NOVEMBER = Period.parse("2025-10"), Period.parse("2025-11")
TWO = """\
[publication]
approvals = 2

[[approvers]]
name = "Anna Berg"

[[approvers]]
name = "Bo Lind"
"""


def preview(settings: Settings, month: Period) -> None:
    """Calculate a month of the sample, and make its preview."""
    import_files.import_players(settings, SAMPLE / f"players-{month}.csv")
    load.load(settings, [SAMPLE / "reports" / str(month)])
    run.rate(settings, month)
    publish.preview(settings, month)


@pytest.fixture(scope="module")
def previewed_home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an office with two approvers and a preview of October; look, do not touch."""
    home = tmp_path_factory.mktemp("approvers") / "home"
    shutil.copytree(homes / "2025-09", home)
    (home / "office.toml").write_text(TWO, encoding="utf-8")
    preview(office(home), OCTOBER)
    return home


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
        publish.approve(settings, OCTOBER, "Carl")
    assert publish.approved(settings, OCTOBER).approvals == []


@pytest.mark.long
def test_an_approval_from_before_the_list_of_approvers_does_not_count(settings: Settings) -> None:
    (settings.home / "office.toml").write_text("[publication]\napprovals = 2\n", encoding="utf-8")
    for name in ("anna berg", "Anna Berg", "Carl"):
        publish.approve(again(settings), OCTOBER, name)
    (settings.home / "office.toml").write_text(TWO, encoding="utf-8")
    with pytest.raises(
        NotApprovedError, match=r"(?s)1 of 2 approvals \(anna berg\).*Not counted: Carl: is no approver"
    ):
        publish.publish(again(settings), OCTOBER)


# ------------------------------------------------------------------------------------------------------------- signed


def test_a_signed_approval_is_verified_and_counts(settings: Settings) -> None:
    key = with_key(settings)
    done = publish.approve(again(settings), OCTOBER, "berg, anna", key=key)
    assert done.approvals[0]["signature"].startswith("signature ")
    assert "approved by Anna Berg on 2025-12-01, signed" in done.text()
    publish.approve(again(settings), OCTOBER, "Bo Lind")
    before = publish.publish(again(settings), OCTOBER).digest
    # A rebuild has no key.
    replay.rebuild(again(settings))
    assert publish.publish(again(settings), OCTOBER).digest == before


def test_a_person_with_a_key_signs(settings: Settings) -> None:
    with_key(settings)
    with pytest.raises(CommandLineError, match=r"ratinglist approve 2025-10 --by 'Anna Berg' --key FILE\."):
        publish.approve(again(settings), OCTOBER, "Anna Berg")


def test_the_key_of_another_is_refused(settings: Settings) -> None:
    with_key(settings)
    other, _ = key_files(settings.home.parent, 2)
    with pytest.raises(CommandLineError, match="is not the key of Anna Berg"):
        publish.approve(again(settings), OCTOBER, "Anna Berg", key=other)
    with pytest.raises(CommandLineError, match=r"office\.toml has no public key of Bo Lind"):
        publish.approve(again(settings), OCTOBER, "Bo Lind", key=other)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda one: {"signature": ""}, "the approval is not signed"),
        pytest.param(
            lambda one: {"signature": one["signature"].replace("signature ", "")},
            "proves nothing",
            marks=pytest.mark.long,
        ),
        pytest.param(lambda one: {"manifest": "0" * 64}, "1 is missing", marks=pytest.mark.long),
    ],
)
def test_a_forged_approval_does_not_count(
    change: Callable[[dict[str, str]], dict[str, str]], problem: str, settings: Settings
) -> None:
    """A person who can write the home can write an entry of its log, but not sign in the name of another."""
    publish.approve(again(settings), OCTOBER, "Anna Berg", key=with_key(settings))
    newest = Log.open(settings.home).newest
    assert newest is not None
    path_of(settings.home, newest.number).unlink()
    forged = [{**one, **change(one)} for one in newest.facts["approvals"]]
    with open_store(settings.store) as store:
        store.record("approve", newest.day, approvals=forged)
    publish.approve(again(settings), OCTOBER, "Bo Lind")
    with pytest.raises(NotApprovedError, match=rf"(?s)of 2 approvals.*{problem}"):
        publish.publish(again(settings), OCTOBER)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        (lambda text: TWO, "key of Anna Berg was .* and is none"),
        (
            lambda text: text.replace("Bo Lind", "Bob Lind"),
            "Bo Lind and is Anna Berg, Bob Lind",
        ),
    ],
)
def test_who_may_approve_is_not_changed_in_silence(
    changed: Callable[[str], str], found: str, settings: Settings
) -> None:
    publish.approve(again(settings), OCTOBER, "Anna Berg", key=with_key(settings))
    file = settings.home / "office.toml"
    file.write_text(changed(file.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(UnansweredError, match="office_settings"):
        publish.publish(again(settings), OCTOBER)
    with pytest.raises(CheckError, match=found):
        undo.rollback(again(settings), Period.parse("2025-09"), "K was wrong")


@pytest.mark.parametrize("signature", ["", "x", "é\n", f"signature {'A' * 86}==\npublic-key {'/' * 43}=\n", 7])
def test_garbage_in_the_place_of_a_signature_is_no_approval(settings: Settings, signature: object) -> None:
    with_key(settings)
    publish.preview(again(settings), OCTOBER)
    approval = {"month": "2025-10", "manifest": Log.open(settings.home).history.previews["2025-10"]["manifest"]}
    garbage = {**approval, "name": "Anna Berg", "remark": "", "signature": signature}
    with open_store(settings.store) as store:
        store.record("approve", settings.today, approvals=[garbage])
    with pytest.raises(NotApprovedError):
        publish.publish(again(settings), OCTOBER)


def test_a_signature_by_an_earlier_key_does_not_count(settings: Settings) -> None:
    publish.approve(again(settings), OCTOBER, "Anna Berg", key=with_key(settings))
    with_key(settings, seed=2)
    with pytest.raises(UnansweredError, match="setting key of Anna Berg, before"):
        publish.publish(again(settings), OCTOBER)
    with open_to_read(again(settings)) as store:
        digest = store.log.history.approvals[-1]["manifest"]
        (why,) = approvals.not_counting(store, again(settings), OCTOBER, digest)
    assert "Anna Berg: the approval is signed by another key" in why


# ---------------------------------------------------------------------------------------------------- several months


@pytest.fixture(scope="module")
def two_months_home(previewed_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the same office with a preview of November too; look, do not touch."""
    home = tmp_path_factory.mktemp("months") / "home"
    shutil.copytree(previewed_home, home)
    preview(office(home), NOVEMBER)
    return home


def test_one_approval_covers_a_chain_of_months(two_months_home: Path, tmp_path: Path) -> None:
    settings = copied(two_months_home, tmp_path)
    command = ("approve", "2025-11", "--from", "2025-09", "--by")
    assert ratinglist(*command, "anna berg", home=settings.home).returncode == 0
    done = publish.approve_months(settings, OCTOBER, NOVEMBER, "Bo Lind")
    assert [(row["month"], row["missing"]) for row in done.values["months"]] == [("2025-10", 0), ("2025-11", 0)]
    for month in (OCTOBER, NOVEMBER):
        assert publish.publish(settings, month).approved_by == ["Anna Berg", "Bo Lind"]


@pytest.mark.long
def test_all_months_are_approved_or_none(two_months_home: Path, tmp_path: Path) -> None:
    settings = copied(two_months_home, tmp_path)
    shutil.rmtree(settings.previews / "2025-11")
    with pytest.raises(CheckError, match="the preview of 2025-11 was altered"):
        publish.approve_months(settings, OCTOBER, NOVEMBER, "Bo Lind")
    assert publish.approved(settings, OCTOBER).approvals == []
    with pytest.raises(CommandLineError, match="--from 2025-11 is after 2025-10"):
        publish.approve_months(settings, NOVEMBER, OCTOBER, "Bo Lind")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
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
def test_a_wrong_list_of_approvers_is_refused(text: str, problem: str) -> None:
    with pytest.raises(CommandLineError, match=problem):
        office_choices.parse(text)
