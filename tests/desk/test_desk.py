"""The desk: every page and form, and a month that is done by forms alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from ratinglist.files import resources
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Log
from ratinglist.workflows import correct
from ratinglist_desk.texts import texts_of
from tests.command_line import ratinglist
from tests.conftest import CORRECTION, SAMPLE, office
from tests.desks import Officer, at_the_desk
from tests.parameters import long_but

TODAY = date(2025, 12, 1)
REPORTS = SAMPLE / "reports" / "2025-10"
PAGES = ("/", "/inbox", "/players", "/players?q=ravnik", "/corrections", "/publications", "/log")


@pytest.fixture(scope="module")
def reader(corrected_home: Path) -> Iterator[Officer]:
    """An officer who only looks at an office that has published four months, and corrected the first.

    No page that is opened changes the home.
    """
    newest = Log.open(corrected_home).newest
    with at_the_desk(corrected_home, TODAY) as officer:
        yield officer
        assert (Log.open(corrected_home).newest, officer.desk.bench.under_way()) == (newest, [])


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(homes / "2025-09", tmp_path / "home", symlinks=True))


@pytest.fixture
def officer(home: Path) -> Iterator[Officer]:
    """An officer of an office that has published September."""
    with at_the_desk(home, TODAY) as officer:
        yield officer


def month_files(home: Path, month: str) -> dict[str, bytes]:
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in sorted((home / "published" / month).rglob("*"))
        if path.is_file()
    }


def kinds(home: Path) -> list[str]:
    return [entry.kind for entry in Log.open(home).entries]


def report_page(officer: Officer, event: str) -> str:
    """The address of the page of a report, by the name of its event."""
    link = re.search(rf'href="(/inbox/\w+)">{re.escape(event)}<', officer.opens("/inbox"))
    assert link, officer.page
    return link[1]


@pytest.mark.asks_only
def test_a_month_by_forms_is_that_of_the_commands(officer: Officer, home: Path, homes: Path):
    officer.does("/players", "/do/import-players", [SAMPLE / "players-2025-10.csv"])
    assert "federation KEL -&gt; ORV" in officer.page
    assert kinds(home)[-1] == "publish"
    officer.sends("/work/1/apply")
    officer.does("/inbox", "/do/load", sorted(REPORTS.iterdir()))
    assert "Accepted: 8. Known already: 0. Refused: 1. Games: 261." in officer.page
    page = officer.opens("/")
    assert ("October 2025" in page, "Calculate the list" in page) == (True, True)
    officer.sends("/do/calculate")
    assert "/players/99900018?month=2025-10&amp;preview" in officer.page
    # The keyboard gets to the button before it goes through twenty players.
    assert officer.page.index('href="#publish"') < officer.page.index("/players/")
    # What the list leaves out is on the page that publishes it.
    assert [event for event in ("Vale Weekend", "Granary Open") if event not in officer.page] == []
    account = officer.client.get("/players/99900018?month=2025-10&preview").text
    assert '<a href="/month/2025-10">Preview of October 2025</a>' in account
    officer.sends("/do/publish")
    assert ("revision: r1" in officer.page, "is new" in officer.page) == (True, False)
    assert month_files(home, "2025-10") == month_files(homes / "2025-10", "2025-10")
    # A report is refused and another one waits since October: November begins with its own.
    page = officer.opens("/")
    assert ("November 2025" in page, "Drop the reports of the month" in page) == (True, True)


@pytest.mark.asks_only("no_players_file")
def test_what_came_since_the_preview_is_calculated_before_questions_are_answered(officer: Officer):
    early = [REPORTS / f"{name}.trf" for name in ("granary-open", "league-september", "vale-weekend")]
    officer.does("/inbox", "/do/load", early)
    officer.does("/", "/do/calculate")
    assert "since this was calculated" not in officer.opens("/month/2025-10")
    assert "Answer what is unusual" in officer.opens("/")
    officer.does("/inbox", "/do/load", [*early, REPORTS / "september-open.trf", REPORTS / "manifest.csv"])
    page = officer.opens("/")
    assert "Calculate the list" in page
    assert "Answer what is unusual" not in page
    inbox = officer.opens("/inbox")
    assert inbox.count('<br><span class="quiet">vale-weekend.trf</span>') == 1
    assert "since this was calculated" in officer.opens("/month/2025-10")


@pytest.mark.parametrize("language", long_but(resources.languages("desk"), "it"))
def test_every_page_is_shown_and_names_its_command(reader: Officer, language: str):
    """In each language, without script or style of its own, and with a label for every field."""
    for address in (*PAGES, "/month/2025-12", "/publications/2025-09", "/players/99900046?month=2025-09"):
        answer = reader.client.get(address, headers={"Accept-Language": language})
        assert answer.status_code == 200, address
        assert f'<html lang="{language}">' in answer.text
        assert "<code>ratinglist " in answer.text
        assert not re.search(r"<script|\sstyle=|\son\w+=", answer.text)
        ids = re.findall(r'<(?:input|select|textarea) id="([^"]+)"', answer.text)
        assert [field for field in ids if f'for="{field}"' not in answer.text] == []
        assert len(ids) == len(set(ids))
        has_english = language != "en" and 'lang="en">' in answer.text.partition("<footer>")[0]
        assert (texts_of(language)["english_follows"] in answer.text) == has_english, address


def test_a_revision_shows_what_it_changed(reader: Officer):
    page = reader.opens("/publications/2025-09")
    assert "round 1 of ORV25081: result corrected from 0 to 1" in page
    assert "change result ORV25081" in reader.opens("/corrections")


def test_an_address_of_nothing_says_so(reader: Officer):
    for address in ("/inbox/0123", "/publications/2030-01", "/work/99"):
        assert "This cannot be shown" in reader.opens(address, 404)
    assert reader.opens("/work/99/files/x", 404) == "Not Found"
    assert "2025-99" in reader.opens("/month/2025-99", 409)


@pytest.mark.asks_only
def test_a_hostile_name_is_text(officer: Officer, tmp_path: Path):
    hostile = "<img src=x onerror=alert(1)>"
    assert hostile not in officer.opens(f"/players?q={hostile}")
    report = (REPORTS / "september-open.trf").read_text("utf-8")
    file = tmp_path / "hostile.trf"
    file.write_text(re.sub(r"(?m)^012 .*$", f"012 {hostile}", report), encoding="utf-8")
    officer.does("/inbox", "/do/load", [file])
    page = officer.opens("/inbox")
    assert hostile not in page
    assert "&lt;img src=x" in page


@pytest.mark.long
def test_a_refused_report_opens_with_its_line_and_its_letter(officer: Officer, home: Path):
    officer.does("/inbox", "/do/load", [REPORTS / "vale-weekend.trf", REPORTS / "manifest.csv"])
    page = officer.opens(report_page(officer, "Vale Weekend"))
    assert re.findall(r'<li value="(\d+)"( class="wrong")?>', page) == [
        *(("12", ""), ("13", ""), ("14", ' class="wrong"'), ("15", ""), ("16", ""))
    ]
    assert "To: Oriol Fenwick-Sand" in page
    assert 'value="ORV25093"' in page
    officer.sends("/do/dismiss", because="the organiser has dissolved")
    assert "Set aside" in officer.opens("/inbox")
    assert kinds(home)[-1] == "dismiss"
    assert "/log" in officer.opens(report_page(officer, "Vale Weekend"))
    officer.does("/log", "/do/retract")
    assert "Refused" in officer.opens("/inbox")


@pytest.mark.long
def test_a_player_who_is_not_registered_is_chosen_or_registered(officer: Officer, tmp_path: Path):
    report = (REPORTS / "granary-open.trf").read_text("utf-8").replace("Kestrel, Anna ", "Ravnik, Teodor")
    (tmp_path / "granary-open.trf").write_text(report, encoding="utf-8")
    officer.does("/inbox", "/do/load", [tmp_path / "granary-open.trf", REPORTS / "manifest.csv"])
    page = officer.opens(report_page(officer, "Granary Open"))
    assert re.search(r'<input type="radio" name="right" id="\S+" value="99900143" required>', page)
    officer.sends("/do/correct-id", right="99900143", because="the number of a namesake", by="Rating officer")
    assert "Nothing was changed yet" in officer.page
    assert "99900641 to 99900143" in officer.page.replace("-&gt;", "to")
    officer.opens(report_page(officer, "Granary Open"))
    assert 'value="KEL"' in officer.page
    assert re.search(r'<option value="F" selected>', officer.page)
    officer.sends("/do/register", birth_year="1999")
    officer.sends("/work/3/apply")
    assert "new players: 1" in officer.page
    assert "Ready" in officer.opens("/inbox")


@pytest.mark.long
def test_a_question_is_answered_and_a_list_approved(home: Path):
    (home / "office.toml").write_text(
        'name = "Federation of <Orvania>"\n[publication]\napprovals = 1\n[[approvers]]\nname = "Vera Lindt"\n', "utf-8"
    )
    with at_the_desk(home, date(2025, 9, 20)) as officer:
        assert "0 of 1 given" in officer.opens("/")
        assert "Federation of &lt;Orvania&gt;" in officer.opens("/inbox")
        officer.sends("/do/load", [*REPORTS.glob("[lkpsO]*.trf"), REPORTS / "manifest.csv"])
        officer.does("/", "/do/calculate")
        assert "after the questions" in officer.page.lower()
        assert "/do/publish" not in officer.page
        assert "to answer" in officer.opens("/")
        officer.opens("/month/2025-10")
        names = re.findall(r'name="because_(\w+)"', officer.page)
        assert "early_list" in names
        officer.sends("/do/preview", **{f"because_{name}": "the congress needs it early" for name in names})
        assert "the congress needs it early" in officer.page
        assert "/do/publish" not in officer.page
        officer.sends("/do/approve", by="Vera Lindt")
        officer.does("/month/2025-10", "/do/publish")
        assert "revision: r1" in officer.page
        officer.does("/publications/2025-10", "/do/rollback", because="a wrong delivery")
        assert kinds(home)[-1] == "rollback"


@pytest.mark.long
def test_a_list_is_calculated_again_with_a_correction_and_the_correction_undone(officer: Officer, home: Path):
    file = home.parent / "correction.toml"
    file.write_text(CORRECTION, encoding="utf-8")
    correct.correct(office(home), file)
    assert ratinglist("rate", "2025-09", home=home).returncode == 0
    page = officer.opens("/month/2025-09")
    # A list that was published before is published again where all of them are.
    assert 'href="/corrections#rerate"' in page
    assert "/do/publish" not in page
    officer.does("/corrections", "/do/rerate")
    officer.sends("/work/1/apply")
    assert "What revision 2 changed" in officer.opens("/publications/2025-09")
    officer.does("/corrections", "/do/undo-correction", because="it was right", by="Chief arbiter")
    assert "Nothing was changed yet" in officer.page
    # The rating before and after it.
    assert {"1844", "1824"} <= set(re.findall(r">(\d{4})<", officer.page))


def test_a_page_of_an_earlier_run_changes_nothing_and_says_so(reader: Officer):
    reader.opens("/log")
    reader.page = reader.page.replace(reader.desk.known.form, "of an earlier run")
    assert "load the page again" in reader.sends("/do/retract")


@pytest.mark.asks_only
def test_a_player_is_corrected_and_the_day_of_birth_is_on_no_page(officer: Officer, home: Path, moves_nothing: None):
    officer.opens("/corrections?player=99900046")
    data = {"name": "Thorbjörnsson, Egil", "birth_date": "1961-04-05", "because": "the passport says so"}
    officer.sends("/do/correct-player", **data, by="Rating officer")
    seen = [officer.page]
    assert "name corrected from Thorbjörnsson, Egill to Thorbjörnsson, Egil; day of birth corrected" in officer.page
    officer.sends("/work/1/apply")
    seen += [officer.page, officer.opens("/corrections"), officer.opens("/log"), officer.opens("/players/99900046")]
    assert kinds(home)[-1] == "correct"
    assert "<td>the passport says so</td>" in seen[2]
    assert not any(re.search(r"1961.04.05|05.04.1961", page) for page in seen)


@pytest.mark.asks_only
def test_what_a_report_does_not_say_is_filled_in(officer: Officer, home: Path, tmp_path: Path):
    """Time control and a FIDE ID are missing: the form states them, and the arbiter's file stays as it is."""
    report = re.sub(r"(?m)^(122|222) .*\n", "", (REPORTS / "league-september.trf").read_text("utf-8"))
    report = report.replace("Orvanian League", "Club League").replace("   99900319", " " * 11)
    (tmp_path / "club-league.trf").write_text(report, encoding="utf-8")
    officer.does("/inbox", "/do/load", [tmp_path / "club-league.trf"])
    address = report_page(officer, "Club League")
    page = officer.opens(address)
    assert 'class="badge refused"' in page
    assert "1997" not in page
    assert "Fill in the FIDE ID on the page of the report" in page
    number = re.search(r"(?m)^001 +(\d+) .*Adeyinka-Roux", report)
    assert number
    officer.sends("/do/state", player_ids="somebody")
    assert "a start number and a FIDE ID. Nothing was changed." in officer.page
    officer.does(address, "/do/state", time_control="standard", player_ids=f"{number[1]}=99900319")
    assert "Accepted: 1." in officer.page
    page = officer.opens("/inbox")
    # What was refused is set aside: the officer has nothing more to do.
    states = re.findall(r'class="badge (\w+)">[^<]*</span></td>\s*<td><a href="/inbox/\w+">Club League<', page)
    assert states == ["ready"]
    assert (tmp_path / "club-league.trf").read_bytes() in [path.read_bytes() for path in (home / "reports").iterdir()]


@pytest.mark.long
def test_an_office_begins_with_a_list(tmp_path: Path):
    home = tmp_path / "new"
    with at_the_desk(home, date(2025, 8, 10)) as officer:
        assert str(home) in officer.opens("/")
        officer.sends("/do/import-list", [SAMPLE / "list-2025-08.csv"], month="2025-08")
        assert "standard list of 2025-08: 116 rated" in officer.page
        assert "167 players, 167 new, 0 changed" in officer.page
        assert not home.exists()
        officer.sends("/work/1/apply")
        assert kinds(home) == ["import-list"]
        page = officer.opens("/")
        assert "September 2025" in page
        assert "Closing in 19 days" in page
        assert "Drop the reports" in page


@pytest.mark.long
def test_what_is_published_goes_out_by_forms(officer: Officer, home: Path, tmp_path: Path):
    officer.does("/publications/2025-09", "/do/export", format="swiss-manager-csv")
    address = re.search(r'href="(/work/1/files/[^"]+)"', officer.page)
    assert address
    exported = officer.client.get(address[1])
    assert "attachment" in exported.headers["content-disposition"]
    assert "Thorbjornsson" in exported.text
    assert officer.client.get("/work/1/files/../../../../etc/passwd").status_code == 404
    officer.does("/publications", "/do/backup", folder=str(tmp_path / "copy"))
    assert f"folder: {tmp_path / 'copy'}" in officer.page
    assert (tmp_path / "copy").is_dir()
    assert "The last one is of 1 December 2025." in officer.opens("/")
    officer.does("/publications", "/do/site")
    assert "office.toml" in officer.page
    (home / "office.toml").write_text('[site]\nout = "../site"\n', encoding="utf-8")
    officer.does("/publications", "/do/site")
    assert (tmp_path / "site" / "month-2025-09.html").is_file()


@pytest.mark.asks_only
def test_a_published_file_that_was_altered_is_named_at_once(officer: Officer, home: Path):
    assert "not as they were published" not in officer.opens("/")
    with (home / "published" / "index.json").open("a", encoding="utf-8") as file:
        file.write(" ")
    assert "not as they were published" in officer.opens("/")


@pytest.mark.long
def test_another_command_that_writes_is_named(home: Path):
    """Each command is a process of its own."""
    with at_the_desk(home, TODAY, processes=True) as officer:
        officer.opens("/inbox")
        with held_to_write(home):
            officer.sends("/do/load", [REPORTS / "september-open.trf", REPORTS / "manifest.csv"])
            assert "Another command is writing." in officer.page
        officer.sends("/work/1/again")
        assert "Accepted: 1" in officer.page


@pytest.mark.long
def test_a_list_that_was_taken_back_is_put_back(officer: Officer, home: Path):
    """The first page says that readers have none, and what is next."""
    before = month_files(home, "2025-09")
    officer.opens("/publications/2025-09")
    assert "readers then have no list of this month" in officer.page
    officer.sends("/do/rollback", because="a wrong delivery")
    officer.opens("/")
    assert "The list of September 2025 was taken back on 1 December 2025: a wrong delivery" in officer.page
    assert 'href="/publications/2025-09#put-back"' in officer.page
    assert "was taken back on" in officer.opens("/month/2025-09")
    officer.does("/publications/2025-09", "/do/rollback", because="it was right")
    assert "r1 is current again" in officer.page
    assert "taken back on" not in officer.opens("/")
    after = month_files(home, "2025-09")
    assert before.items() <= after.items()


@pytest.mark.asks_only
def test_an_empty_form_and_a_folder_that_was_received_before_do_not_look_done(officer: Officer, home: Path):
    officer.does("/inbox", "/do/load")
    assert "file: nothing was filled in" in officer.page
    assert kinds(home)[-1] == "publish"
    officer.does("/inbox", "/do/load", sorted((SAMPLE / "reports" / "2025-09").iterdir()))
    assert "Known already: 8." in officer.page
    assert "is it the folder of another month?" in officer.page
    assert "ready-card" not in officer.page


@pytest.mark.long
def test_what_the_calculation_notes_is_read_before_the_list_is_published(awaiting_december: Path, tmp_path: Path):
    """Another desk, which has not calculated it, says that it does not know the notes."""
    home = Path(shutil.copytree(awaiting_december, tmp_path / "home", symlinks=True))
    with at_the_desk(home, TODAY) as officer:
        officer.does("/inbox", "/do/load", sorted((SAMPLE / "reports" / "2025-12").iterdir()))
        officer.does(
            "/corrections", "/do/withdraw", event="ORV25112", because="it was never played", by="Rating officer"
        )
        officer.sends("/work/2/apply")
        officer.does("/", "/do/calculate")
        assert "event ORV25086, from 2025-08-18 to 2025-08-22, was received on 2025-11-05" in officer.page
        assert "ORV25112: withdrawn, November Open (entry" in officer.page
    with at_the_desk(home, TODAY) as other:
        page = other.opens("/month/2025-12")
        assert "calculate it again to see its notes" in page
        assert "is never rated" not in page


@pytest.mark.asks_only("unlike_name")
def test_an_answer_that_is_no_reason_can_be_given_again(officer: Officer, home: Path, tmp_path: Path):
    file = tmp_path / "players.csv"
    file.write_text('fide_id,name,federation,sex\n99900046,"Smith, John",ENG,M\n', "utf-8")
    officer.does("/players", "/do/import-players", [file])
    officer.sends("/work/1/apply")
    assert "Are these the right players, though their FIDE IDs are registered for other names?</label>" in officer.page
    assert '<span class="badge waits">Waits</span> It waits for your answer.' in officer.page
    officer.sends("/work/2/answer", because_unlike_name="x")
    assert "--because unlike_name: &#39;x&#39; is no reason" in officer.page
    officer.sends("/work/3/answer", because_unlike_name="he has another name now")
    assert "It is done." in officer.page
    assert kinds(home)[-1] == "import-players"


@pytest.mark.long
def test_a_table_of_players_is_no_list_to_begin_with(tmp_path: Path):
    with at_the_desk(tmp_path / "new", date(2025, 8, 10)) as officer:
        officer.does("/", "/do/import-list", [SAMPLE / "players-2025-09.csv"], month="2025-08", time_control="standard")
        assert "nobody on this list is rated" in officer.page
        officer.sends("/work/1/apply")
        assert "A table of players has no ratings" in officer.opens("/")
        assert "where there is none yet" not in officer.page


@pytest.mark.asks_only("version_in_place")
def test_a_new_version_of_a_report_shows_the_games_that_differ(officer: Officer, tmp_path: Path):
    sheet = (REPORTS / "manifest.csv").read_text("utf-8")
    lines = (REPORTS / "september-open.trf").read_text("utf-8").splitlines()
    # The first game of the first player, who won it with Black, is a draw.
    rows = {line[4:8].strip(): at for at, line in enumerate(lines) if line.startswith("001")}
    first = lines[rows["1"]]
    for at in (rows["1"], rows[first[91:95].strip()]):
        lines[at] = lines[at][:98] + "=" + lines[at][99:]
    (tmp_path / "september-open.trf").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (tmp_path / "manifest.csv").write_text(sheet.replace("ORV25096,1,", "ORV25096,2,"), encoding="utf-8")
    officer.opens("/inbox")
    officer.sends("/do/load", [REPORTS / "september-open.trf", REPORTS / "manifest.csv"])
    officer.opens("/inbox")
    officer.sends("/do/load", [tmp_path / "september-open.trf", tmp_path / "manifest.csv"])
    assert "takes the place of version 1; 1 of their games differ" in officer.page
    page = officer.opens(report_page(officer, "September Open"))
    changed = page.partition("Games that differ from the version before")[2].partition("</table>")[0]
    assert re.findall(r"<td[^>]*>(?:<strong>)?([^<]*)", changed)[0] == "1"
    assert re.findall(r"<td>(?:<strong>)?([01½]-[01½])<", changed) == ["0-1", "½-½"]


def test_evidence_is_a_table_and_a_transfer_has_a_day(officer: Officer, home: Path, tmp_path: Path):
    known = pl.read_csv(REPORTS.parent.parent / "list-2025-08.csv", infer_schema_length=0).unique("fide_id")
    table = known.select("fide_id", "name", birth_year=pl.col("birth_year").cast(pl.Int32) + 1)
    table.write_csv(tmp_path / "players.csv")
    officer.opens("/players")
    officer.sends("/do/import-players", [tmp_path / "players.csv"], **{"from": "2025-10-01"})
    officer.sends("/work/1/apply")
    evidence = officer.page.partition('<table class="evidence">')[2].partition("</table>")[0]
    assert re.findall(r"<th[^>]*>([^<]+)</th>", evidence)[:2] == ["FIDE ID", "name"]
