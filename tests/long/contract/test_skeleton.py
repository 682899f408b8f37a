"""What `auditor endpoints new` writes passes the contract as written, as a wheel; and the contract notices broken promises."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from auditor.cli import run
from tests.long.contract.test_example_plugin import install, with_plugins
from tests.waiting import completed

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = {
    "client.py": [
        # The first page alone; and each session says that it is another array.
        ("            if held >= total:\n                return\n", "            return\n"),
        ("self.known_identity = _identity(about)", "self.known_identity = f'acme {id(self)}'"),
    ],
    "collect.py": [
        # Volumes twice, a write while reading, and a topic that is called whole although its answer was not.
        ("        if rows:\n", "        array.patch('volumes/v1', {'iops_limit': 7})\n        if rows:\n            rows = rows + rows\n"),
    ],
    "settings.py": [
        # It writes although the value is none that an array takes, and reads another value than is there.
        ("return Reading(value or None)", "return Reading((value or 0) + 1)"),
    ],
}
NOTICED = {
    "test_reading_writes_nothing",
    "test_it_is_the_same_array_each_time_it_is_asked",
    "test_all_pages_are_read_and_nothing_twice",
    "test_a_change_is_made_once_touches_nothing_else_and_is_undone",
    "test_what_somebody_else_changed_is_left_alone",
    "test_a_write_that_is_accepted_and_ignored_is_not_called_applied",
}


def contract_of(folder: Path, tmp_path: Path) -> tuple[int, str]:
    """How a run of the tests of the package in `folder` on its wheel ends, and what it printed."""
    site = install(folder, tmp_path)
    (tmp_path / "project").mkdir()
    for name in ("tests", "pyproject.toml"):
        (folder / name).rename(tmp_path / "project" / name)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-rf"]
    ran = completed(command, check=False, cwd=tmp_path / "project", env=with_plugins(site))
    return ran.returncode, ran.stdout


def test_a_skeleton_passes_the_contract_as_written(tmp_path: Path) -> None:
    assert run(["endpoints", "new", "acme-disk", "--dir", str(tmp_path)]) == 0
    code, printed = contract_of(tmp_path / "auditor-acme-disk", tmp_path)
    assert code == 0, printed
    assert "TestAcmeDisk" not in printed, "nothing failed"
    assert int(re.search(r"(\d+) passed", printed)[1]) > 40  # type: ignore[index]


def test_the_contract_notices_what_an_array_breaks(tmp_path: Path) -> None:
    assert run(["endpoints", "new", "acme", "--dir", str(tmp_path)]) == 0
    folder = tmp_path / "auditor-acme"
    for name, changes in BROKEN.items():
        path = folder / "auditor_acme" / name
        text = path.read_text(encoding="utf-8")
        for before, after in changes:
            assert before in text
            text = text.replace(before, after)
        path.write_text(text, encoding="utf-8")
    code, printed = contract_of(folder, tmp_path)
    assert code == 1, printed
    assert set(re.findall(r"TestAcme::(\w+)", printed)) >= NOTICED
