"""Users get packages that are held to digests, no package of developers, and none whose licence nobody knows."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution, requires
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-build.lock")
LEFT_OUT = {"enum34", "future"}  # auditor/endpoints/element/sdk.py


def locked(name: str) -> dict[str, tuple[str, int]]:
    """Version and number of digests of each package of a lock."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    return {
        canonicalize_name(match[1]): (match[2], match[3].count("--hash=sha256:"))
        for match in re.finditer(r"^([A-Za-z0-9._-]+)==(\S+)(.*)$", text, re.MULTILINE)
    }


def vars_of_this_machine() -> dict[str, str]:
    return {name: str(value) for name, value in default_environment().items()}


def asked_for(package: str, extras: set[str]) -> list[Requirement]:
    """What `package`, as it is installed here, asks for on this machine by itself and by `extras`."""
    environments = [{**vars_of_this_machine(), "extra": extra} for extra in ("", *extras)]
    found = [Requirement(text) for text in requires(package) or []]
    return [one for one in found if one.marker is None or any(one.marker.evaluate(environment) for environment in environments)]


def closure(package: str, extras: set[str]) -> set[str]:
    """All packages that `package` with `extras` needs here, by the metadata of what is installed."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(package, frozenset(extras))]
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        needed = [(canonicalize_name(one.name), frozenset(one.extras)) for one in asked_for(name, set(wanted))]
        waiting += [one for one in needed if one[0] not in LEFT_OUT]
    return {name for name, _ in seen} - {package}


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_is_one_version_with_digests(name: str) -> None:
    lines = [line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if not line.startswith((" ", "#"))]
    assert len(lines) == len(locked(name)) > 4
    assert not [package for package, (_, digests) in locked(name).items() if not digests]


def test_users_get_what_auditor_needs_with_workers_and_s3_and_nothing_else() -> None:
    assert set(locked("requirements.lock")) == closure("auditor", {"inventory", "job", "lab", "scale"})


def test_developers_have_the_versions_that_users_get() -> None:
    users, developers = locked("requirements.lock"), locked("requirements-dev.lock")
    assert not {name: (version, developers.get(name)) for name, version in users.items() if developers.get(name) != version}


def test_the_wheel_is_built_by_the_versions_that_developers_have() -> None:
    builders, developers = locked("requirements-build.lock"), locked("requirements-dev.lock")
    assert not {name for name in builders if name in developers and builders[name] != developers[name]}
    assert "hatchling" in builders


@pytest.mark.parametrize("name", LOCKS)
def test_packages_for_python_2_are_in_no_lock(name: str) -> None:
    assert not LEFT_OUT & set(locked(name))


@pytest.mark.parametrize("name", sorted(locked("requirements.lock")))
def test_a_package_that_users_get_states_its_licence(name: str) -> None:
    metadata = distribution(name).metadata
    stated = [text for key in ("License-Expression", "License") for text in metadata.get_all(key) or []]
    stated += [one for one in metadata.get_all("Classifier") or [] if one.startswith("License ::")]
    files = [str(one) for one in distribution(name).files or [] if re.search(r"(?i)(^|/)(licen[cs]e|copying)", str(one))]
    assert [one for one in stated if one.strip() and one.strip().upper() != "UNKNOWN"] or files


def test_the_image_installs_by_digests_and_builds_no_package_but_auditor() -> None:
    text = re.sub(r"\\\n\s*", "", (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8"))
    calls = [call.strip() for line in text.splitlines() if line.startswith("RUN") for call in line[3:].split("&&") if "pip " in call]
    assert len(calls) == 4
    for call in calls:
        held = re.search(r"--require-hashes --only-binary :all: --requirement requirements(-build)?\.lock$", call)
        ours = re.search(r"(--no-index /tmp/wheel/\*\.whl|--no-build-isolation --wheel-dir /tmp/wheel \.)$", call)
        assert "--no-deps" in call, call
        assert held or ours, call


def test_the_image_is_built_from_what_the_wheel_is_made_of_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[1] == "*"
    named = {line[1:] for line in lines if line.startswith("!")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    containerfile = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    locks = re.findall(r"--requirement (\S+)", containerfile)
    made_of = {*wheel["packages"], *wheel["force-include"], *locks, project["project"]["readme"], *project["project"]["license-files"]}
    assert named == made_of | {"pyproject.toml"}
    assert all((ROOT / name).exists() for name in named)
    [probe] = re.findall(r"^HEALTHCHECK .*\\\n\s*CMD (\[.*\])$", containerfile, re.MULTILINE)
    assert f"http://127.0.0.1:{re.findall('^EXPOSE ([0-9]+)$', containerfile, re.MULTILINE)[0]}/healthz" in probe
