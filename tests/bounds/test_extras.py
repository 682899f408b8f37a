"""What only an extra brings is needed by its commands alone, and these say in a sentence what to install."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from auditor import __version__
from auditor.bounds.extras import NEEDED_BY, how_to_install, require_extra
from auditor.errors import ConfigurationError

ROOT = Path(__file__).parents[2]

# Every module of auditor but those that an extra is for. None: it cannot be imported.
_WITHOUT = """
import importlib, pkgutil, sys
for name in {names!r}:
    sys.modules[name] = None
import auditor
rooms = ("auditor.job.", "auditor.workers.", "auditor.contract.")
for found in pkgutil.walk_packages(auditor.__path__, "auditor."):
    if not found.name.startswith(rooms) and found.name != "auditor.__main__":
        importlib.import_module(found.name)
from auditor.cli import run
assert run(["schedule", "--help"]) == 0
sys.exit(run(["schedule", "--once", "--fleet", "fleet.yaml", "--publish", "site"]))
"""


@pytest.mark.long
def test_the_core_imports_nothing_of_an_extra_and_the_job_says_what_to_install(tmp_path: Path) -> None:
    names = [*(name for needed in NEEDED_BY.values() for name in needed), "fsspec", "gcsfs", "adlfs", "keyring"]
    command = [sys.executable, "-c", _WITHOUT.format(names=names)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 3, ended.stderr
    first, _, do = ended.stderr.splitlines()
    lacking = "apprise, apscheduler, starlette, uvicorn"
    assert first == f"error: auditor schedule needs the extra job of auditor, which is not installed here ({lacking})"
    assert f"auditor-{__version__}-py3-none-any.whl[job]" in do


def test_nothing_is_said_where_an_extra_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    require_extra("lab", "the lab")
    monkeypatch.setitem(sys.modules, "trustme", None)
    with pytest.raises(ConfigurationError, match=r"the lab needs the extra lab of auditor.*\(trustme\)"):
        require_extra("lab", "the lab")


def test_each_extra_that_a_command_needs_is_one_that_auditor_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra, names in NEEDED_BY.items():
        declared = {re.split(r"[^a-z0-9-]", one)[0].replace("-", "_") for one in project["optional-dependencies"][extra]}
        assert declared >= set(names)
        assert not declared & {re.split(r"[^a-z0-9-]", one)[0].replace("-", "_") for one in project["dependencies"]}


def test_nobody_is_told_to_install_a_name_of_a_public_index_that_is_not_ours() -> None:
    told = re.compile(r"(?:pip|pipx|uv|uvx)(?: tool)? (?:install|run) (?:-[\w-]+ )*[\"']?auditor(?:\[|[\"' `\n]|==|$)")
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*"), *(ROOT / "auditor").rglob("*.py")]
    wrong = [path.name for path in files if path.is_file() and path.suffix != ".pyc" and told.search(path.read_text(encoding="utf-8"))]
    assert wrong == []
    assert told.search('pip install "auditor[scale]"')
    assert not told.search(how_to_install("job"))
