"""What a test needs of the machine. A test without it skips; where .ci/run requires it, it fails.

`pytest.skip` is called nowhere else: ruff refuses it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

CAPTURES = Path(__file__).parents[2] / "shared" / "captures"
"""Answers that others recorded from real arrays: a folder for each origin."""
PROGRAMS = Path(__file__).parents[1] / ".bin"


def lacking(what: str, requirement: str) -> NoReturn:
    """End the test for want of something: skipped, or failed where the environment has REQUIRE_`requirement`=1.

    Args:
        what: what is not here, and how to get it.
        requirement: a name that .ci/run knows: it says so where it does not require it.
    """
    if os.environ.get(f"REQUIRE_{requirement}") == "1":
        pytest.fail(f"REQUIRE_{requirement}=1: {what}")
    pytest.skip(what)  # noqa: TID251  the one place


def program(name: str, requirement: str) -> str:
    """The path of a program: one of .bin, where make puts it, or of this machine."""
    return shutil.which(name, path=str(PROGRAMS)) or shutil.which(name) or lacking(f"{name} is not on this machine", requirement)


def capture(path: str) -> Path:
    """A file or folder of CAPTURES."""
    found = CAPTURES / path
    return found if found.exists() else lacking(f"there is no {path} beside the project (shared/captures)", "CAPTURES")
