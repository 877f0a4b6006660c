"""Who is let in, and what a page of the desk may do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from httpx import Response

from ratinglist_desk import work
from ratinglist_desk.orders import ORDERS
from ratinglist_desk.server import PAGES, Desk
from tests.conftest import SAMPLE
from tests.desks import ADDRESS, PORT, Officer, at_the_desk


@pytest.fixture(scope="module")
def officer(corrected_home: Path) -> Iterator[Officer]:
    """An officer who changes nothing."""
    with at_the_desk(corrected_home, date(2025, 12, 1)) as officer:
        officer.opens("/")
        yield officer


@pytest.fixture(scope="module")
def stranger(officer: Officer) -> Officer:
    """A browser that was never given the first address."""
    return Officer(officer.desk, is_let_in=False)


def posted(officer: Officer, *files: tuple[str, bytes], to: str = "/do/load", **fields: str) -> Response:
    """The answer to a form with the secret of its page, when its work is done."""
    data = {"secret": officer.desk.known.form, **fields}
    answer = officer.client.post(to, data=data, files=[("files", file) for file in files], headers={"Origin": ADDRESS})
    while "refresh" in answer.headers:
        answer = officer.client.get(str(answer.url))
    return answer


def test_without_the_first_address_nothing_is_shown(stranger: Officer):
    for address in (*(page.replace("{", "").replace(":int}", "").replace("}", "") for page in PAGES), "/desk.css"):
        assert stranger.client.get(address).status_code == 403
    assert stranger.client.get("/?token=guessed").status_code == 403
    assert stranger.client.post("/do/publish", headers={"Origin": ADDRESS}).status_code == 403


def test_the_cookie_is_for_no_script_and_no_other_site(stranger: Officer):
    answer = stranger.client.get(stranger.desk.address, follow_redirects=False)
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.desk.known.token not in answer.headers["set-cookie"]
    stranger.client.cookies.clear()
    # The address is on the terminal and in the history of the browser: it lets nobody in a second time.
    assert stranger.client.get(stranger.desk.address).status_code == 403


def test_a_browser_is_given_a_file_that_no_other_account_reads(officer: Officer):
    page = officer.desk.first_page()
    assert officer.desk.address in page.read_text("utf-8")
    assert (page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_another_host_is_refused(officer: Officer):
    for host in (f"evil.example:{PORT}", "127.0.0.1:1", f"localhost:{PORT}", "127.0.0.1"):
        assert officer.client.get("/", headers={"Host": host}).status_code == 421, host


@pytest.mark.parametrize("origin", ["http://evil.example", f"http://localhost:{PORT}", "null", ""])
def test_a_form_of_another_site_changes_nothing(officer: Officer, origin: str):
    headers = {"Origin": origin} if origin else {}
    answer = officer.client.post("/do/retract", data={"secret": officer.desk.known.form, "entry": "1"}, headers=headers)
    assert answer.status_code == 403
    assert officer.desk.bench.under_way() == []


@pytest.mark.parametrize("secret", ["", "guessed"])
def test_a_form_without_the_secret_of_its_page_changes_nothing(officer: Officer, secret: str):
    answer = officer.client.post("/do/retract", data={"secret": secret, "entry": "1"}, headers={"Origin": ADDRESS})
    assert answer.status_code == 409
    assert "not of a page that is open now" in answer.text


def test_an_address_that_takes_a_form_is_not_loaded(officer: Officer):
    """That each page leaves the home as it is: ``reader`` in ``test_desk.py``."""
    for address in (*(f"/do/{order}" for order in ORDERS), "/work/1/again", "/work/1/apply"):
        assert officer.client.get(address).status_code == 405, address


def test_every_answer_has_the_policy(officer: Officer, stranger: Officer):
    answers = [officer.client.get(path) for path in ("/", "/work/99", "/desk.css")] + [stranger.client.get("/")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] in ("no-store", "no-cache")


def test_more_than_the_limit_is_refused_and_nothing_is_kept(officer: Officer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(work, "ARCHIVE_BYTES", 2000)
    answer = posted(officer, ("a.trf", b"x" * 3000))
    assert (answer.status_code, "Nothing was kept" in answer.text) == (409, True)
    monkeypatch.setattr(work, "ARCHIVE_BYTES", 2_000_000)
    monkeypatch.setattr(work, "ARCHIVE_ENTRIES", 3)
    answer = posted(officer, *((f"{number}.trf", b"x") for number in range(5)))
    assert "Maximum number of files is 3" in answer.text
    assert officer.desk.bench.under_way() == []
    monkeypatch.setattr(work, "FIELD_BYTES", 100)
    assert posted(officer, to="/do/retract", because="y" * 200).status_code == 409


def test_a_file_of_a_form_stays_in_its_folder():
    for name in ("../../etc/passwd", r"..\..\evil.trf", "/etc/passwd", "C:\\x.trf", "..", "a\x00b"):
        path = work._safe_path(name)
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert not re.search(r'[\x00-\x1f<>:"|?*\\]', str(path))


def test_the_secrets_are_in_no_text_of_the_desk(officer: Officer):
    assert isinstance(officer.desk, Desk)
    known = officer.desk.known
    for secret in (known.token, known.cookie, known.form):
        assert secret not in repr(officer.desk)
    assert known.token not in officer.opens("/")
    assert known.cookie not in officer.page


def test_files_of_any_name_are_loaded(corrected_home: Path, tmp_path: Path):
    reports = sorted((SAMPLE / "reports" / "2025-12").glob("*.trf"))
    files = zip(("-x.trf", "--help", "é" * 200 + ".trf"), (report.read_bytes() for report in reports[:3]), strict=True)
    with at_the_desk(Path(shutil.copytree(corrected_home, tmp_path / "home")), date(2025, 12, 1)) as officer:
        assert "Accepted: 3. Known already: 0. Refused: 0." in posted(officer, *files).text


def test_what_turns_the_direction_of_writing_is_shown_by_its_number(officer: Officer):
    text = posted(officer, ("a\u202eb.trf", b"1")).text
    assert ("U+202E" in text, "\u202e" in text) == (True, False)


@pytest.mark.parametrize(
    ("address", "status", "body"),
    [
        ("/work/1/nothing", 404, b"secret="),
        ("/work/99/again", 404, b"secret="),
        ("/do/nothing", 404, b"secret="),
        ("/do/retract", 409, b"secret=\xff"),
    ],
)
def test_a_form_that_no_page_has_is_refused_in_words(officer: Officer, address: str, status: int, body: bytes):
    headers = {"Origin": ADDRESS, "Content-Type": "application/x-www-form-urlencoded"}
    if status == 404:
        body += officer.desk.known.form.encode()
    answer = officer.client.post(address, content=body, headers=headers)
    assert (answer.status_code, "Internal Server Error" in answer.text) == (status, False)


def test_a_file_and_a_folder_of_one_name_are_refused_in_words(officer: Officer):
    answer = posted(officer, ("a", b"1"), ("a/b.trf", b"2"))
    assert (answer.status_code, "of one name" in answer.text) == (409, True)
