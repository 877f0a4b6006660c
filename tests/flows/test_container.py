"""The files of `deploy`: what goes into an image, what its containers run, and what a unit of systemd needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")


def test_the_build_gets_what_it_copies_and_no_home_of_the_checkout():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    copied = {source for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE) for source in line.split()[:-1]}
    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == copied
    assert [source for source in copied if not (ROOT / source).exists()] == []


def test_the_image_is_made_from_one_version_of_python_by_its_digest():
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"${PYTHON}"}
    assert re.search(r"^ARG PYTHON=python:3\.11\.\d+-slim-bookworm@sha256:[0-9a-f]{64}$", DOCKERFILE, re.MULTILINE)


def test_a_server_does_not_start_without_a_password():
    units = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "deploy").glob("*.service")}
    servers = {name: text for name, text in units.items() if "prefect server start" in text}
    assert [*servers] == ["ratinglist-server.service"]
    assert (
        '\nExecStartPre=/usr/bin/test -n "${PREFECT_SERVER_API_AUTH_STRING}"\n' in servers["ratinglist-server.service"]
    )


# Each line is a step of a build, since every builder of images runs those, with or without a service of its own.
IN_THE_IMAGE = """\
FROM localhost/ratinglist-tried
RUN test "$(id -u)" = 10001 && test ! -w /usr/local/bin && test -w /office
RUN test ! -e /src && test ! -e /wheels && test -z "$(ls /tmp)"
RUN python -c "from importlib.metadata import distributions as all; \
    assert not {'pytest', 'mypy', 'ruff', 'dask', 'hatchling'} & {one.name for one in all()}"
RUN python -c "import flows.serve" && prefect version
RUN ratinglist demo && ratinglist verify demo-home/published && ratinglist status --home demo-home
"""


@pytest.mark.long
def test_the_image_is_built_and_makes_lists(tmp_path: Path):
    """Where docker, podman or buildah works here. `RATINGLIST_BASE` names another base than that of the file."""
    build = _builder()
    base = os.environ.get("RATINGLIST_BASE") or str(re.findall(r"^ARG PYTHON=(\S+)", DOCKERFILE, re.MULTILINE)[0])
    (tmp_path / "Base").write_text(f"FROM {base}\n", encoding="utf-8")
    if why := _failure([*build, "--file", str(tmp_path / "Base"), str(tmp_path)]):
        pytest.skip(f"the base {base} cannot be had: {why}")
    whole = ["--build-arg", f"PYTHON={base}", "--file", "deploy/Dockerfile", "--tag", "localhost/ratinglist-tried", "."]
    assert _failure([*build, *whole]) == ""
    (tmp_path / "Tried").write_text(IN_THE_IMAGE, encoding="utf-8")
    assert _failure([*build, "--file", str(tmp_path / "Tried"), str(tmp_path)]) == ""


def _builder() -> list[str]:
    """Return the command that builds images on this machine; skip the test where there is none."""
    for program in ("docker", "podman", "buildah"):
        if shutil.which(program) and not _failure([program, "info"]):
            return [program, "build"]
    return pytest.skip("nothing here builds images: no docker with its service, no podman, no buildah")


def _failure(command: list[str]) -> str:
    """Run a command in the checkout; return the end of what it says where it fails, empty where it succeeds."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    return done.stderr[-2000:] or f"{command[0]} failed" if done.returncode else ""
