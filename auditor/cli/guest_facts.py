"""`auditor guest-facts`: print a script that says, in a guest, how its disks are set."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib import resources
from typing import Annotated

import typer

_FILES = {"linux": "guest_facts.sh", "windows": "guest_facts.ps1"}


class System(StrEnum):
    """A system that a script is there for."""

    LINUX = "linux"
    WINDOWS = "windows"


def guest_facts(
    system: Annotated[System, typer.Argument(metavar="linux|windows", help="The system of the guests.")],
) -> int:
    """Print a short script that only reads. Run it in guests, keep what each prints, and audit these files.

    Only a guest knows how many commands its driver sends, how long it waits for a disk and where its partitions begin.

    Example: auditor guest-facts linux > guest.sh; ssh root@db01 sh < guest.sh > guests/db01.txt

    Example: auditor guest-facts windows > guest.ps1    (in the guest: powershell -File guest.ps1 > app01.txt)

    Example: auditor audit --fleet fleet.yaml --from guests
    """
    sys.stdout.write((resources.files("auditor.endpoints.files.guests") / _FILES[system.value]).read_text(encoding="utf-8"))
    return 0
