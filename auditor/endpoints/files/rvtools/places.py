"""Ids of vCenters, hosts and datastores in exports, whose names may repeat between vCenters."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from auditor.endpoints.files.rvtools.export import Export
    from auditor.endpoints.files.rvtools.sheets import Row

_HOST_NAME = re.compile(r"[A-Za-z0-9._:-]{1,255}")
"""What a host may be called: a name or an address. What a row says of anything else is not believed."""
_WITH_HOSTS = ("vHost", "vHBA", "vMultiPath", "vSC_VMK")
_RELEASE = re.compile(r"(?i)VMware ESXi? (?P<version>[0-9]+(?:\.[0-9]+){1,3})\b.*?(?:build-(?P<build>[0-9]{1,12}))?")


@dataclass(frozen=True, slots=True)
class Server:
    """A vCenter in an export.

    Args:
        name: as the export has it; "" where it names none.
        prefix: what the ids of its objects begin with: "" where it is the only one that is read.
    """

    name: str
    prefix: str

    def id_of(self, name: str) -> str:
        """The id of a thing of this vCenter that is called so, or that has this id there."""
        return f"{self.prefix}{name}"


@dataclass(slots=True)
class HostRows:
    """A host of an export, and its rows.

    Attributes:
        server: its vCenter.
        name: as the export has it.
        by_kind: its rows, by the sheet.
    """

    server: Server
    name: str
    by_kind: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))

    @property
    def id(self) -> str:
        """The id of its rows in the fact tables."""
        return self.server.id_of(self.name)

    def rows(self, kind: str) -> list[Row]:
        """Its rows of a sheet."""
        return self.by_kind.get(kind, [])

    def first(self, title: str) -> str | None:
        """The text of a column of the first of its rows that has it."""
        return next((text for kind in _WITH_HOSTS for row in self.rows(kind) if (text := row.text(title))), None)


class Places:
    """The vCenters of an export.

    Args:
        export: the export.
        several: whether more than one vCenter is named in all exports that are read.
        is_alone: whether it is the only export.
    """

    def __init__(self, export: Export, *, several: bool, is_alone: bool) -> None:
        self._export, self._several, self._is_alone = export, several, is_alone
        self._own = export.servers()

    def server_of(self, row: Row) -> Server:
        """The vCenter that a row is of; where it says none, the only one that the export has."""
        name = row.text("vi sdk server") or (next(iter(self._own)) if len(self._own) == 1 else "")
        if name:
            return Server(name, f"{name}/" if self._several else "")
        return Server("", "" if self._is_alone else f"{self._export.source}/")

    def hosts(self) -> dict[str, HostRows]:
        """The hosts that the export has rows of, by their ids."""
        found: dict[str, HostRows] = {}
        for kind in (*_WITH_HOSTS, "vPort", "vSwitch"):
            for row in self._export.rows(kind):
                name = row.text("host") or ""
                if _HOST_NAME.fullmatch(name):
                    server = self.server_of(row)
                    host = found.setdefault(server.id_of(name), HostRows(server, name))
                    host.by_kind[kind].append(row)
        return found


def odd_names(rows: Iterable[Row]) -> Iterator[str]:
    """What rows call a host and is no name of one."""
    yield from {name for row in rows if (name := row.text("host") or "") and not _HOST_NAME.fullmatch(name)}


def release_of(text: str | None) -> tuple[str | None, int | None]:
    """Version and build in a text such as `VMware ESXi 8.0.2 build-22380479`; None where it does not say."""
    found = _RELEASE.fullmatch(text or "")
    return (found["version"], int(found["build"]) if found["build"] else None) if found else (None, None)
