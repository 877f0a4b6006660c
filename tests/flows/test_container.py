"""The files from which an image and its containers are made, read: what goes into it, and what runs."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.conftest import ROOT

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")


def test_the_build_gets_what_it_copies_and_no_home_of_the_checkout():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    copied = {source for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE) for source in line.split()[:-1]}
    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == copied
    assert [one for one in copied if not (ROOT / one).exists()] == []


def test_the_image_is_made_from_one_version_of_python():
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"python:3.11.14-slim-bookworm"}


def test_the_image_has_what_runs_and_no_source():
    of_image = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.findall(r"^COPY (.+)$", of_image, re.MULTILINE) == ["deploy/requirements.lock /tmp/"]
    assert "--requirement /tmp/requirements.lock" in of_image


def test_a_worker_that_no_longer_asks_for_runs_is_unhealthy():
    assert '"--with-healthcheck"]' in DOCKERFILE
    assert re.search(r"^HEALTHCHECK .*\n.*127\.0\.0\.1:8080/health", DOCKERFILE, re.MULTILINE)


def test_the_service_sees_the_processes_of_the_worker_and_both_are_started_again():
    made: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
    worker, service = made["services"]["worker"], made["services"]["service"]
    assert service["pid"] == "service:worker"
    assert service["command"] == ["python", "-m", "flows.service", "--home", "/office"]
    assert [one["restart"] for one in (worker, service)] == ["unless-stopped"] * 2
    assert worker["volumes"] == service["volumes"] == [f"{name}:/office" for name in made["volumes"]]
