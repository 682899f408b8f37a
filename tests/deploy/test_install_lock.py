"""While packages are installed it is said how many of how many, and a failure of pip is one of `make env`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).parents[2] / "deploy" / "install_lock.py"


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install_lock", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_packages_are_counted_while_they_are_fetched_and_while_they_are_installed(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "python3" / "site-packages"
    (packages / "pip-25.dist-info").mkdir(parents=True)
    state = _script().State(3, tmp_path)
    state.note("Collecting duckdb==2.0.0 (from -r lock (line 3))\n")
    state.note("  Downloading duckdb-2.0.0.whl (20 MB)\n")
    state.note("Collecting httpx==0.28 (from -r lock (line 9))\n")
    assert state.line() == "fetching: 2 of 3 httpx"
    state.note("Installing collected packages: duckdb, httpx, rich\n")
    (packages / "duckdb-2.0.0.dist-info").mkdir()
    assert state.line() == "installing: 1 of 3"


def test_what_pip_refuses_ends_with_its_exit_code(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    lock.write_text(f"nothing==1.0 \\\n    --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    environment = {"PIP_NO_INDEX": "1", "PATH": ""}
    ended = subprocess.run([sys.executable, SCRIPT, lock], capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 1
    assert "installing 1 packages" in ended.stderr
    assert "installed 1" not in ended.stderr
