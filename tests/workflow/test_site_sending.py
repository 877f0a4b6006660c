"""Sending a site: to a bucket in an order that no reader suffers from, to a branch of git in one step."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from pyarrow import fs

from ratinglist.errors import CommandLineError, UnfinishedError
from ratinglist.site import sending
from ratinglist.workflows.site import site
from tests.command_line import ratinglist
from tests.conftest import office
from tests.sites import site_bytes


class Bucket(fs.FileSystemHandler):
    """A bucket in a folder. It keeps what is written and deleted, and fails where ``fails`` names a file."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.local = folder, fs.LocalFileSystem()
        self.done: list[str] = []
        self.fails = ""
        self.described: dict[str, dict[bytes, bytes]] = {}

    def get_type_name(self):
        return "bucket"

    def normalize_path(self, path):
        return path

    def get_file_info_selector(self, selector):
        return self.local.get_file_info(selector)

    def get_file_info(self, paths):
        return self.local.get_file_info(paths)

    def create_dir(self, path, recursive):
        self.local.create_dir(path, recursive=recursive)

    def open_input_stream(self, path):
        return self.local.open_input_stream(path)

    def open_output_stream(self, path, metadata):
        name = Path(path).relative_to(self.folder).as_posix()
        if name == self.fails:
            raise OSError("the line was cut")
        self.done.append(name)
        self.described[name] = {key.decode(): value.decode() for key, value in metadata.items()}
        return self.local.open_output_stream(path)

    def delete_file(self, path):
        self.done.append(f"-{Path(path).relative_to(self.folder).as_posix()}")
        self.local.delete_file(path)

    def delete_dir(self, path): ...
    def delete_dir_contents(self, path, missing_dir_ok=False): ...
    def delete_root_dir_contents(self): ...
    def move(self, src, dest): ...
    def copy_file(self, src, dest): ...
    def open_input_file(self, path): ...
    def open_append_stream(self, path, metadata): ...


@pytest.fixture(scope="module")
def sites(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sites of November and of December; look, do not touch."""
    folder = tmp_path_factory.mktemp("sites")
    for month in ("2025-11", "2025-12"):
        site(office(homes / month), folder / month, downloads=False)
    return folder / "2025-11", folder / "2025-12"


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path / "bucket")


def sent(made: Path, bucket: Bucket) -> list[str]:
    bucket.done.clear()
    sending.to_bucket(made, fs.PyFileSystem(bucket), str(bucket.folder), "s3://ratings")
    return bucket.done


def test_a_bucket_gets_the_data_first_and_the_first_page_last(sites, bucket):
    done = sent(sites[0], bucket)
    assert done[0] == "site.json"
    assert done[-2:] == ["index.html", "site.json"]
    kinds = ["/" in name for name in done[1:]]
    assert kinds == sorted(kinds, reverse=True)
    assert site_bytes(bucket.folder) == site_bytes(sites[0])


def test_a_browser_keeps_what_never_changes_and_asks_for_each_page_again(sites, bucket):
    sent(sites[0], bucket)
    (style,) = [name for name in bucket.described if name.endswith("site.css")]
    assert bucket.described[style] == {
        "Content-Type": "text/css; charset=utf-8",
        "Cache-Control": "public, max-age=31536000, immutable",
    }
    assert bucket.described["index.html"]["Cache-Control"] == "no-cache"


def test_the_next_site_leaves_the_data_of_the_one_before_and_the_one_after_deletes_it(sites, bucket):
    sent(sites[0], bucket)
    before = {name for name in site_bytes(sites[0]) if name.startswith(("data/", "parts/"))}
    done = sent(sites[1], bucket)
    assert not [name for name in done if name.startswith("-")]
    assert not before & set(done)
    assert site_bytes(bucket.folder).items() >= site_bytes(sites[1]).items()
    assert site_bytes(bucket.folder).keys() >= before
    sent(sites[1], bucket)
    assert site_bytes(bucket.folder) == site_bytes(sites[1])


def test_a_site_that_was_cut_off_leaves_the_first_page_as_it_was_and_is_finished_later(sites, bucket):
    sent(sites[0], bucket)
    first = (bucket.folder / "index.html").read_bytes()
    bucket.fails = "index.html"
    with pytest.raises(OSError, match="cut"):
        sent(sites[1], bucket)
    assert (bucket.folder / "index.html").read_bytes() == first
    assert site_bytes(bucket.folder).keys() >= {name for name in site_bytes(sites[0]) if "/" in name}
    bucket.fails = ""
    sent(sites[1], bucket)
    assert site_bytes(bucket.folder).items() >= site_bytes(sites[1]).items()


def test_a_page_that_the_site_no_longer_has_is_deleted(sites, bucket):
    sent(sites[1], bucket)
    assert "-month-2025-12.html" in sent(sites[0], bucket)


def test_a_bucket_with_files_of_another_kind_is_not_touched(sites, bucket):
    bucket.folder.mkdir()
    (bucket.folder / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CommandLineError, match="not a site that ratinglist made"):
        sent(sites[0], bucket)
    assert bucket.done == []


def git(repository: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(repository), *words], capture_output=True, check=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--bare", "pages.git")
    return tmp_path / "pages.git"


def test_a_branch_of_git_has_the_site_as_its_only_commit(sites, repository):
    to = f"git+file://{repository}#pages"
    for made in sites:
        assert sending.send(made, to) == len(site_bytes(made)) + 1
        names = git(repository, "ls-tree", "-r", "--name-only", "pages").splitlines()
        assert set(names) == site_bytes(made).keys() | {".nojekyll"}
        assert git(repository, "rev-list", "--count", "pages") == "1"
        assert git(repository, "show", "pages:site.json") == (made / "site.json").read_text(encoding="utf-8").strip()
    assert sending.send(sites[1], to) == 0


def test_a_branch_that_is_no_site_is_not_touched(sites, repository):
    tree = git(repository, "hash-object", "-t", "tree", "-w", "/dev/null")
    commit = git(repository, "-c", "user.name=a", "-c", "user.email=b@c", "commit-tree", tree, "-m", "Mine")
    git(repository, "update-ref", "refs/heads/main", commit)
    with pytest.raises(CommandLineError, match="not a site that ratinglist made"):
        sending.send(sites[0], f"git+file://{repository}#main")
    assert git(repository, "rev-parse", "main") == commit


def test_a_repository_that_refuses_is_named_and_the_site_stays(sites, tmp_path):
    with pytest.raises(UnfinishedError, match="not all of it could be sent to git"):
        sending.send(sites[0], f"git+file://{tmp_path}/nothing.git")


@pytest.mark.parametrize(
    "to", ["ratings", "s3://key:secret@ratings", "git+ext::sh -c x", "git+https://a:b@example.org/x"]
)
def test_a_wrong_address_is_refused_before_a_site_is_made(homes, tmp_path, to):
    with pytest.raises(CommandLineError, match="is no place of a site"):
        site(office(homes / "2025-12"), tmp_path / "site", to=to)
    assert not (tmp_path / "site").exists()


@pytest.mark.long
def test_the_command_says_how_many_files_were_sent(homes, repository, tmp_path):
    made = tmp_path / "site"
    to = f"git+file://{repository}"
    done = ratinglist("site", "--out", str(made), "--to", to, home=homes / "2025-12")
    assert f"Sent to {to}: {len(site_bytes(made)) + 1} files" in done.stdout
    assert json.loads(git(repository, "show", "gh-pages:site.json"))["version"]
