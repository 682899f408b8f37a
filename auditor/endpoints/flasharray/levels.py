"""Ceilings of hosts, host groups and realms, which hold for a volume besides its own and its volume group's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.flasharray.enumerations import REALM_DATA
from auditor.endpoints.flasharray.rows import Ceilings, ceilings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

OF_HOSTS, OF_REALMS = (2, 50), (2, 36)
"""The first REST versions whose hosts and host groups, and realms, have ceilings.

Source: py-pure-client 1.96.0, made from the vendor's OpenAPI definitions: Host and HostGroup have `qos` in 2.50 and not in 2.49, Realm has
it in 2.36, the first version with realms; each is {bandwidth_limit, iops_limit}. Not seen on a real array.
"""


def level_ceilings(record: Record, *, has_level: bool) -> Ceilings:
    """The ceilings of a host, host group or realm; where the release has them and the field is left out, they are not read."""
    if "qos" not in record.value:
        return Ceilings(None, None, is_read=not has_level)
    return ceilings(record)


def realm_state(realm: Record) -> str | None:
    """Why hosts do not get at the volumes of a realm: "realm sealed", or empty where nothing says so; None where the word is not known.

    Source: OpenAPI definitions FA2.55, Realm.data_availability_status: "`sealed` when the key is disabled or unavailable, preventing data
    access". Not seen on a real array.
    """
    if realm.value.get("data_availability_status") is None:
        return ""
    word = realm.listed("data_availability_status", REALM_DATA)
    return None if word is None else "realm sealed" if word == "sealed" else ""


@dataclass(slots=True)
class Levels:
    """The ceilings of hosts, host groups and realms that were read.

    Attributes:
        hosts: ceilings by the host's id.
        groups: ceilings by the host group's name.
        realms: ceilings by the realm's name.
        group_of: the host group's name by the host's id.
        states: why hosts may not get at the volumes of a realm, by its name: as `realm_state`.
        is_whole: every level that the release has was read.
        are_realms_read: of the releases that have realms.
    """

    hosts: dict[str, Ceilings] = field(default_factory=dict)
    groups: dict[str, Ceilings] = field(default_factory=dict)
    realms: dict[str, Ceilings] = field(default_factory=dict)
    group_of: dict[str, str] = field(default_factory=dict)
    states: dict[str, str | None] = field(default_factory=dict)
    is_whole: bool = True
    are_realms_read: bool = True

    def state_over(self, row: Row) -> str | None:
        """What hosts get of a volume of array_volume that is active by itself: "active", or why not; None where nobody knows."""
        realm, _, inside = (row["name"] or "").partition("::")
        if not self.are_realms_read:
            return None if inside and row["pod"] != realm else "active"  # a pod of no realm is named before "::", too
        state = self.states.get(realm, "")
        return None if state is None else state or "active"

    @property
    def need_connections(self) -> bool:
        """Whether it matters which hosts a volume is connected to."""
        return any(_matters(each) for each in (*self.hosts.values(), *self.groups.values()))

    def hold(self, row: Row, hosts: Iterable[str] | None) -> None:
        """Put into a row of array_volume what holds for it besides; `hosts` are the ids of those it is connected to, None not known.

        A row has room for one more ceiling. Where there are more, it has the first, and its QoS is not read whole.
        """
        found = dict(self._of(row, hosts))
        limiting = {name: held for name, held in found.items() if held.iops is not None or held.bytes_per_second is not None}
        is_whole = self.is_whole and all(held.is_read for held in found.values()) and (hosts is not None or not self.need_connections)
        has_group = row["qos_group_max_iops"] is not None or row["qos_group_max_bytes_per_second"] is not None
        if limiting and not has_group:
            name, held = min(limiting.items())
            row["qos_group_id"], row["qos_group"] = name.lower(), name
            row["qos_group_max_iops"], row["qos_group_max_bytes_per_second"] = held.iops, held.bytes_per_second
        row["qos_read"] = row["qos_read"] and is_whole and len(limiting) + has_group <= 1

    def _of(self, row: Row, hosts: Iterable[str] | None) -> Iterator[tuple[str, Ceilings]]:
        """The levels above a volume, each named with its kind."""
        realm = (row["name"] or "").partition("::")[0]
        if realm in self.realms:
            yield f"realm {realm}", self.realms[realm]
        for host in hosts or ():
            if host in self.hosts:
                yield f"host {host}", self.hosts[host]
            group = self.group_of.get(host)
            if group in self.groups:
                yield f"host group {group}", self.groups[group]


def _matters(held: Ceilings) -> bool:
    return not held.is_read or held.iops is not None or held.bytes_per_second is not None
