"""The state of a simulated ETERNUS DX: its description, and everything written since the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor_lab.arrays.eternus.description import CATEGORIES, CategoryDescription, LimitDescription

if TYPE_CHECKING:
    from auditor_lab.arrays.eternus.description import EternusDescription

KINDS = ("total", "read", "write")


class RefusedError(Exception):
    """The array refuses a command; the argument is a code of commands.ERRORS."""


@dataclass(slots=True)
class Volume:
    """A volume in its current state; `categories` by kind: total, read, write."""

    number: int
    name: str
    size_mb: int
    type: str
    pool: str
    categories: dict[str, int]


class Array:
    """The state that answers are made from; writes stay until the server stops. Only the server's own thread may use it.

    Attributes:
        volumes: by number, in ascending order.
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
        """The names of the pools in the order of their numbers."""
        return list(dict.fromkeys(volume.pool for volume in self.volumes.values()))

    def pools_of(self, *, thin: bool) -> list[tuple[int, str, int]]:
        """Number, name and size in MB of the thin pools, or of the RAID groups; each is twice as large as its volumes."""
        pools = []
        for number, name in enumerate(self.pools()):
            members = [volume for volume in self.volumes.values() if volume.pool == name]
            if (members[0].type == "TPV") == thin:
                pools.append((number, name, 2 * sum(volume.size_mb for volume in members)))
        return pools
