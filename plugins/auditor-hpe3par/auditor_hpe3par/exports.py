"""Which host may reach which volume: VLUNs, of single volumes and hosts and of sets of them.

Source: the guide of WSAPI 1.3.1, p. 109 and 110; VLUN of the Ruby SDK; a set is named "set:NAME", as HPE's PowerShell toolkit names it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

SET = "set:"


@dataclass(slots=True)
class Exports:
    """Volumes and hosts with the number that the host has for the volume.

    An active VLUN is what a host uses at one port; a template is what it was given. Both count, as a host that is down has templates alone.
    """

    single: set[tuple[str, str, int | None]] = field(default_factory=set)
    of_sets: set[tuple[str, str]] = field(default_factory=set)

    def add(self, vlun: Record, volume_sets: Mapping[str, Collection[str]] | None, host_sets: Mapping[str, Collection[str]] | None) -> None:
        """Count one VLUN; a set that was not read is a parse error, as is a VLUN of no host: every host at its port may reach that volume.

        Args:
            vlun: of GET vluns.
            volume_sets: the members of each volume set; None: they were not read.
            host_sets: likewise of each host set.
        """
        host = vlun.optional_text("hostname")
        if not host:
            vlun.parse_errors.add("hostname", vlun.label, "is empty: every host at its port may reach the volume")
            return
        volume = vlun.text("volumeName") or ""
        volumes, hosts = _members(vlun, "volumeName", volume, volume_sets), _members(vlun, "hostname", host, host_sets)
        if volume.startswith(SET):  # the numbers of its volumes follow the one that is reported
            self.of_sets |= {(one, each) for one in volumes for each in hosts}
        else:
            lun = None if vlun.value.get("lun") is None else vlun.number("lun")
            self.single |= {(one, each, lun) for one in volumes for each in hosts}

    def rows(self) -> list[Row]:
        """Rows of array_connection."""
        numbered = {(volume, host) for volume, host, _ in self.single}
        found = [*self.single, *((volume, host, None) for volume, host in self.of_sets - numbered)]
        ordered = sorted(found, key=lambda one: (one[0], one[1], -1 if one[2] is None else one[2]))
        return [{"volume_id": volume, "array_host_id": host, "lun": lun} for volume, host, lun in ordered]


def _members(vlun: Record, name: str, value: str, sets: Mapping[str, Collection[str]] | None) -> Collection[str]:
    """What a name stands for: itself, or the members of the set."""
    if not value.startswith(SET):
        return (value,) if value else ()
    members = (sets or {}).get(value.removeprefix(SET))
    if members is None:
        vlun.parse_errors.add(name, vlun.label, "is a set that was not read" if sets is None else "is a set that is not listed")
        return ()
    return members
