"""The state of a simulated ETERNUS DX: what the description says, and whatever was written since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.lab.arrays.eternus.description import CATEGORIES, CategoryDescription, LimitDescription

if TYPE_CHECKING:
    from auditor.lab.arrays.eternus.description import EternusDescription

KINDS = ("total", "read", "write")


class RefusedError(Exception):
    """The array understood and will not; the argument is a code of commands.ERRORS."""


@dataclass(slots=True)
class Volume:
    """A volume as it stands now; `categories` by kind: total, read, write."""

    number: int
    name: str
    size_mb: int
    type: str
    pool: str
    categories: dict[str, int]


class Array:
    """Everything that the answers are made of; writes stick until the server stops. Only the server's own thread may touch it.

    Attributes:
        volumes: by number, in the order of the numbers.
        table: the category table: by category, then by kind.
    """

    def __init__(self, description: EternusDescription) -> None:
        self.description = description
        self.volumes: dict[int, Volume] = {}
        for number, one in sorted(zip(description.volume_numbers(), description.volumes, strict=True), key=lambda pair: pair[0]):
            categories = dict(zip(KINDS, (one.category, one.read_category, one.write_category), strict=True))
            self.volumes[number] = Volume(number, one.name, one.size_mb, one.type, one.pool, categories)
        lines = {one.number: one for one in description.categories}
        self.table: dict[int, dict[str, LimitDescription]] = {}
        for number in range(CATEGORIES):
            line = lines.get(number, CategoryDescription(number))
            self.table[number] = {"total": line.total, "read": line.read, "write": line.write}

    def by_name(self, name: str) -> Volume | None:
        """The volume of that name."""
        return next((volume for volume in self.volumes.values() if volume.name == name), None)

    def pools(self) -> list[str]:
        """Names of the pools in the order of their numbers."""
        return list(dict.fromkeys(volume.pool for volume in self.volumes.values()))

    def pools_of(self, *, thin: bool) -> list[tuple[int, str, int]]:
        """Number, name and size in MB of the thin pools, or of the RAID groups; each is twice as large as its volumes."""
        found = []
        for number, name in enumerate(self.pools()):
            members = [volume for volume in self.volumes.values() if volume.pool == name]
            if (members[0].type == "TPV") == thin:
                found.append((number, name, 2 * sum(volume.size_mb for volume in members)))
        return found
