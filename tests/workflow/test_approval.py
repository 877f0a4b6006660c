"""Preview, approve, publish: only the exact files that people approved are published."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from ratinglist import office as office_choices
from ratinglist.cli.main import program
from ratinglist.errors import CheckError, CommandLineError, NotApprovedError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication import approvals, revisions
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.summaries import PreviewSummary, PublishSummary
from ratinglist.workflows import correct, import_files, publish, rerate, status
from tests.conftest import copied, published_bytes, unpublish
from tests.stores import open_store

NOVEMBER, DECEMBER = Period.parse("2025-11"), Period.parse("2025-12")


def choose(settings: Settings, text: str) -> None:
    (settings.home / "office.toml").write_text(text, encoding="utf-8")


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


TWO_PEOPLE = "[publication]\napprovals = 2\n"


@pytest.fixture(scope="module")
def calculated_home(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = copied(homes / "2025-12", tmp_path_factory.mktemp("calculated"))
    unpublish(settings, "2025-12")
    return settings.home


@pytest.fixture(scope="module")
def preview_made(calculated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PreviewSummary]:
    settings = copied(calculated_home, tmp_path_factory.mktemp("previewed"))
    return settings.home, publish.preview(settings, DECEMBER)


@pytest.fixture(scope="module")
def needs_approval_made(calculated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PreviewSummary]:
    settings = copied(calculated_home, tmp_path_factory.mktemp("needs-approval"))
    choose(settings, TWO_PEOPLE)
    return settings.home, publish.preview(settings, DECEMBER)


@pytest.fixture(scope="module")
def publication_made(
    needs_approval_made: tuple[Path, PreviewSummary], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, PublishSummary]:
    settings = copied(needs_approval_made[0], tmp_path_factory.mktemp("approved"))
    approve(settings, "Anna Berg", "Bo Lind")
    return settings.home, publish.publish(settings, DECEMBER)


@pytest.fixture
def calculated(calculated_home: Path, tmp_path: Path) -> Settings:
    """The sample's office with December calculated, not published, and no approval required."""
    return copied(calculated_home, tmp_path)


@pytest.fixture
def previewed(preview_made: tuple[Path, PreviewSummary], tmp_path: Path) -> Settings:
    """The same office with a preview of December."""
    return copied(preview_made[0], tmp_path)


@pytest.fixture
def report(preview_made: tuple[Path, PreviewSummary]) -> str:
    """The report on that preview."""
    return Path(preview_made[1].report).read_text(encoding="utf-8")


@pytest.fixture
def needs_approval(needs_approval_made: tuple[Path, PreviewSummary], tmp_path: Path) -> Settings:
    """An office where two people have to approve: December has its preview, and no approval yet."""
    return copied(needs_approval_made[0], tmp_path)


@pytest.fixture
def digest(needs_approval_made: tuple[Path, PreviewSummary]) -> str:
    """The digest of that preview."""
    return needs_approval_made[1].digest


@pytest.fixture
def without_preview(calculated: Settings) -> Settings:
    """An office where two people have to approve, without a preview."""
    choose(calculated, TWO_PEOPLE)
    return calculated


@pytest.fixture
def approved(publication_made: tuple[Path, PublishSummary], tmp_path: Path) -> Settings:
    """The office with approvals after Anna Berg and Bo Lind approved December, and it was published."""
    return copied(publication_made[0], tmp_path)


def approve(settings: Settings, *people: str) -> None:
    for name in people:
        publish.approve(settings, DECEMBER, name)


def test_a_preview_is_the_bytes_that_are_published(
    previewed: Settings, preview_made: tuple[Path, PreviewSummary]
) -> None:
    seen = tree(previewed.previews / "2025-12" / "r1")
    done = publish.publish(previewed, DECEMBER)
    assert tree(Path(done.path)) == seen
    assert done.digest == preview_made[1].digest


def test_the_report_names_no_file_of_the_office_and_the_command_that_does(report: str) -> None:
    assert ".trf" not in report
    assert "`ratinglist quarantine 2025-12`" in report


def test_the_report_has_no_birth_date(report: str, calculated: Settings) -> None:
    with open_store(calculated.store) as store:
        born = store.read("select distinct birth_date::varchar as day from player where birth_date is not null")
    assert len(born) > 10
    assert [day for day in born["day"] if day in report] == []


def test_without_two_approvals_nothing_is_published(needs_approval: Settings, digest: str) -> None:
    before = published_bytes(needs_approval.home)
    approve(needs_approval, "Anna Berg")
    with pytest.raises(NotApprovedError, match=rf"{digest} and 1 of 2 approvals \(Anna Berg\); 1 is missing"):
        publish.publish(needs_approval, DECEMBER)
    assert published_bytes(needs_approval.home) == before


def test_with_two_approvals_exactly_that_is_published(
    needs_approval: Settings, digest: str, publication_made: tuple[Path, PublishSummary]
) -> None:
    home, done = publication_made
    assert (done.digest, done.approved_by) == (digest, ["Anna Berg", "Bo Lind"])
    assert tree(home / "published" / "2025-12" / "r1") == tree(needs_approval.previews / "2025-12" / "r1")


@pytest.mark.parametrize("name", ["BERG,  Ánna", "  anna  BERG ", "Ａnna-Berg"])
def test_the_same_person_counts_once(name: str, needs_approval: Settings) -> None:
    approve(needs_approval, "Anna Berg")
    again = publish.approve(needs_approval, DECEMBER, name)
    assert [one["name"] for one in again.approvals] == ["Anna Berg"]
    assert again.missing == 1


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


def test_an_approval_has_name_day_and_remark(needs_approval: Settings, digest: str) -> None:
    done = publish.approve(
        replace(needs_approval, today=date(2025, 12, 3)), DECEMBER, "Anna Berg", digest[:12].upper(), "looked at all"
    )
    assert done.approvals == [{"name": "Anna Berg", "remark": "looked at all", "known_on": "2025-12-03"}]
    assert publish.approved(needs_approval, DECEMBER).approvals == done.approvals


@pytest.mark.parametrize("other", ["0" * 64, "abc"])
def test_another_digest_is_refused(other: str, needs_approval: Settings, digest: str) -> None:
    with pytest.raises(CheckError, match=f"has the digest {digest}, not {other}"):
        publish.approve(needs_approval, DECEMBER, "Anna Berg", other)
    assert publish.approved(needs_approval, DECEMBER).approvals == []


def test_an_empty_digest_is_refused(needs_approval: Settings) -> None:
    with pytest.raises(CommandLineError, match="--digest is empty"):
        publish.approve(needs_approval, DECEMBER, "Anna Berg", "")
    assert publish.approved(needs_approval, DECEMBER).approvals == []


def test_a_preview_altered_on_the_disk_cannot_be_approved(needs_approval: Settings) -> None:
    file = needs_approval.previews / "2025-12" / "r1" / "standard.csv"
    text = file.read_text(encoding="utf-8")
    file.chmod(0o644)
    file.write_text(text.replace("1948", "1998"), encoding="utf-8")
    with pytest.raises(CheckError, match=r"(?s)standard\.csv: was altered.*publish 2025-12 --preview"):
        publish.approve(needs_approval, DECEMBER, "Anna Berg")
    assert publish.approved(needs_approval, DECEMBER).approvals == []


def test_another_preview_in_its_place_cannot_be_approved(needs_approval: Settings) -> None:
    with open_store(needs_approval.store) as store:
        note_preview(store, replace(approvals.preview_of(store, DECEMBER), manifest="0" * 64))
    with pytest.raises(CheckError, match=r"r1: has the digest .*, and was made with 0000"):
        publish.approve(needs_approval, DECEMBER, "Anna Berg")


def test_a_preview_older_than_the_calculation_cannot_be_approved(needs_approval: Settings) -> None:
    with open_store(needs_approval.store) as store:
        facts = store.log.history.newest_calculations()["2025-12"].facts
        store.record("calculate", needs_approval.today, **{**facts, "calculation_id": "another"})
    with pytest.raises(CheckError, match="calculated again since its preview"):
        publish.approve(needs_approval, DECEMBER, "Anna Berg")


# ------------------------------------------------------------------------------------------------------ questions


@pytest.fixture
def odd(calculated: Settings) -> Settings:
    """An office with a question for changes of more than one standard deviation, which December has."""
    choose(calculated, "[questions]\nchange_deviations = 1\n")
    return calculated


BECAUSE = {"large_change": "two juniors who won their opens"}


@pytest.fixture(scope="module")
def answer_made(calculated_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = copied(calculated_home, tmp_path_factory.mktemp("answered"))
    choose(settings, "[questions]\nchange_deviations = 1\n")
    publish.publish(settings, DECEMBER, BECAUSE)
    return settings.home


@pytest.fixture
def answered(answer_made: Path, tmp_path: Path) -> Settings:
    """The same office after it has published December with its reason."""
    return copied(answer_made, tmp_path)


def test_a_question_stops_the_publication_and_names_the_remedy(odd: Settings) -> None:
    with pytest.raises(UnansweredError) as stopped:
        publish.publish(odd, DECEMBER)
    assert "large_change: Is it right that a rating changed by far more than chance gives" in str(stopped.value)
    assert "FIDE ID 900000113, name Çelård, Conrad" in str(stopped.value)
    assert 'ratinglist publish 2025-12 --because large_change="..."' in str(stopped.value)
    assert "ratinglist explain 900000113 2025-12 --preview" in str(stopped.value)
    assert revisions.latest(odd.published, DECEMBER) is None


def test_a_reason_lets_the_list_be_published_and_is_in_its_manifest(answered: Settings) -> None:
    revision = answered.published / "2025-12" / "r1"
    (answer,) = json.loads((revision / "manifest.json").read_text(encoding="utf-8"))["answers"]
    assert (answer["question"], answer["reason"]) == ("large_change", BECAUSE["large_change"])
    assert answer["found"]["count"] == 17
    assert answer["found"]["rows"][0]["change"] == 146
    assert not {"name", "opponent_name"} & set(answer["found"]["rows"][0])


def test_other_rows_raise_the_question_again(answered: Settings) -> None:
    choose(answered, "[questions]\nchange_deviations = 2\n")
    with pytest.raises(UnansweredError, match="2 standard deviations"):
        publish.publish(answered, DECEMBER)


def test_a_preview_raises_questions_and_its_reasons_hold_for_the_publication(odd: Settings) -> None:
    asking = publish.preview(odd, DECEMBER)
    assert asking.unanswered == ["large_change"]
    assert publish.approved(odd, DECEMBER).text().endswith(' --because large_change="..."')
    report = Path(asking.report).read_text(encoding="utf-8")
    assert "**Not answered yet" in report
    answered = publish.preview(odd, DECEMBER, BECAUSE)
    assert answered.unanswered == []
    assert publish.publish(odd, DECEMBER).digest == answered.digest != asking.digest


WRONG_REASONS = {
    "large_change=": "is empty",
    "large_change=   ": "is empty",
    "large_change": "write QUESTION=",
    "unknown=reason": "one of early_list, fewer_games, fewer_players, large_change",
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


# ---------------------------------------------------------------------------------------------------- the office


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
    ],
)
def test_a_wrong_value_in_office_toml_is_named(text: str, message: str) -> None:
    with pytest.raises(CommandLineError, match=message):
        office_choices.parse(text)


# ------------------------------------------------------------------------------------------------------- rerate


@pytest.fixture
def corrected(rated: Settings, tmp_path: Path) -> Settings:
    """The sample's office after the correction of a result of November; one person has to approve."""
    file = tmp_path / "corrections.toml"
    file.write_text(
        '[[correction]]\naction = "change_result"\n'
        'match = { event_id = "ORV25105", round = 1, white = 99900418, black = 900000088 }\n'
        'result = "0-1"\nreason = "the score sheets say so"\nwho = "arbiter"\nreported_on = 2025-12-01\n',
        encoding="utf-8",
    )
    correct.correct(rated, file)
    choose(rated, "[publication]\napprovals = 1\n")
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
def test_a_rerating_publishes_all_its_lists_once_all_are_approved(corrected: Settings) -> None:
    before = published_bytes(corrected.home)
    with pytest.raises(NotApprovedError) as stopped:
        rerate.rerate(corrected, NOVEMBER)
    assert "ratinglist approve 2025-11 --by NAME" in str(stopped.value)
    assert "ratinglist approve 2025-12 --by NAME" in str(stopped.value)
    assert published_bytes(corrected.home) == before

    publish.approve(corrected, NOVEMBER, "Anna Berg")
    with pytest.raises(NotApprovedError) as stopped:
        rerate.rerate(corrected, NOVEMBER)
    assert "the list of 2025-11 has" not in str(stopped.value)
    assert "the list of 2025-12 has" in str(stopped.value)
    assert published_bytes(corrected.home) == before

    publish.approve(corrected, DECEMBER, "Anna Berg")
    previewed = tree(corrected.previews / "2025-12" / "r2")
    done = rerate.rerate(corrected, NOVEMBER)
    assert [one.revision for one in done.months] == ["r2", "r2"]
    assert tree(corrected.published / "2025-12" / "r2") == previewed
    assert "DIFF.md" in previewed


@pytest.mark.long
def test_a_rerating_takes_one_reason_for_all_its_lists(corrected: Settings) -> None:
    choose(corrected, "[questions]\nchange_deviations = 1\n")
    seen = rerate.rerate(corrected, NOVEMBER, preview=True)
    assert any("large_change" in note for note in seen.notes)
    with pytest.raises(UnansweredError, match=r"ratinglist rerate --from 2025-11 --because large_change="):
        rerate.rerate(corrected, NOVEMBER)
    with open_store(corrected.store) as store:
        note_preview(store, replace(approvals.preview_of(store, DECEMBER), unanswered=["mean_change"]))
    asked = [one.unanswered for one in status.status(corrected).open_months]
    assert asked == [["large_change", "mean_change"]] * 2
    done = rerate.rerate(corrected, NOVEMBER, because=BECAUSE)
    assert [one.revision for one in done.months] == ["r2", "r2"]


# --------------------------------------------------------------------------------------------------- command line


def invoke(settings: Settings, *words: str) -> dict[str, object]:
    result = CliRunner().invoke(program, [*words, "--home", str(settings.home), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    done: dict[str, object] = json.loads(result.stdout)
    return done


def test_the_commands_print_json(without_preview: Settings) -> None:
    seen = invoke(without_preview, "publish", "2025-12", "--preview")
    assert seen["approvals_needed"] == 2
    (waiting,) = status.status(without_preview).open_months
    assert (waiting.month, waiting.published, waiting.approvals_missing, waiting.unanswered) == (
        "2025-12",
        False,
        2,
        [],
    )
    assert "2 of 2 approvals missing: ratinglist approve 2025-12 --by NAME" in waiting.text()
    assert invoke(without_preview, "approve", "2025-12")["missing"] == 2
    for name in ("Anna Berg", "Bo Lind"):
        done = invoke(without_preview, "approve", "2025-12", "--by", name, "--digest", str(seen["digest"]))
    assert done["missing"] == 0
    done = invoke(without_preview, "publish", "2025-12")
    assert (done["digest"], done["approved_by"]) == (seen["digest"], ["Anna Berg", "Bo Lind"])
