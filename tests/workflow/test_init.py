"""A new office by one command, and the sample federation by another."""

from __future__ import annotations

import json

import pytest

from ratinglist import office
from ratinglist.workflows.init import office_text
from tests.command_line import did, stopped
from tests.conftest import ROOT

LIST = ROOT / "data" / "sample" / "list-2025-08.csv"


def test_a_new_office_has_its_list_and_its_choices(tmp_path):
    home = tmp_path / "office"
    choices = ["--name", 'The "North"', "--approver", "Anna Adams", "--approver", "Bo", "--approvals", "2", "--site"]
    shown = did(home, "init", LIST, "--month", "2025-08", *choices)
    assert "standard list of 2025-08: 116 rated" in shown
    assert f"ratinglist run 2025-09 --home {home}" in shown
    read = office.read(home)
    assert (read.name, read.publication.approvals, read.site.out) == ('The "North"', 2, "site")
    assert [one.name for one in read.approvers] == ["Anna Adams", "Bo"]


def test_what_is_not_given_is_the_default_of_the_program():
    assert office.parse(office_text("", (), 0, site=False)) == office.Office()


def test_an_office_needs_a_list_to_start_from(tmp_path):
    assert "FILE" in stopped(tmp_path / "office", 2, "init", "--month", "2025-08")


@pytest.mark.parametrize("command", [("init", LIST, "--month", "2025-08"), ("demo",)], ids=lambda one: one[0])
def test_an_office_that_is_there_is_left_alone(published, command):
    home = published.parent
    before = sorted(path.name for path in home.iterdir())
    assert "is an office already" in stopped(home, 2, *command, "--home", home)
    assert sorted(path.name for path in home.iterdir()) == before


def test_more_approvals_than_people_are_refused_before_anything_is_made(tmp_path):
    home = tmp_path / "office"
    words = ("init", LIST, "--month", "2025-08", "--approvals", "2", "--approver", "Anna")
    assert "2 people have to approve each list, and 1 may" in stopped(home, 2, *words)
    assert not home.exists()


@pytest.mark.long
def test_the_demonstration_publishes_the_lists_of_the_documents_and_their_site(tmp_path, published):
    done = json.loads(did(tmp_path, "demo", "--home", tmp_path / "office", "--out", tmp_path / "site", "--json"))
    months = sorted(path.parent.name for path in (tmp_path / "office" / "published").glob("*/latest"))
    assert months == ["2025-09", "2025-10", "2025-11", "2025-12"]
    for month in months:
        of_demo = tmp_path / "office" / "published" / month / "r1" / "standard.csv"
        assert of_demo.read_bytes() == (published / month / "r1" / "standard.csv").read_bytes()
    assert (tmp_path / "site" / "index.html").is_file()
    assert len(done) == 10
