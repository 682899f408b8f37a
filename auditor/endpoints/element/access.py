"""Reads which hosts an Element cluster knows, which volumes they may reach, and who is logged in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import Complaints, Record, once, records
from auditor.endpoints.common.topics import optional
from auditor.endpoints.element import access_rows as rows
from auditor.endpoints.element.load import in_pages
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.element.client import ElementArray
    from auditor.facts.schema import Batch

_GROUPS = "ListVolumeAccessGroups"


@dataclass(slots=True)
class Access:
    """One reading of who may reach what.

    A volume access group is a host here: Element does not know which of a group's initiators belong to one machine. A host that logs in
    by its account's CHAP secret needs no group, so only its session shows it. Source: API reference, volumeAccessGroup, initiator.
    """

    array: ElementArray
    endpoint: str
    wants_luns: bool = True
    _told: dict[str, Any] = field(default_factory=dict)

    def hosts(self) -> Iterator[Batch | Gap]:
        """Rows of array_host and array_initiator.

        Groups name their initiators, so that ListInitiators, which fewer accounts may call, is asked only where one tells more ids than
        names.
        """
        complaints = Complaints(_GROUPS)
        found: list[Row] = []
        named: dict[tuple[str | None, str], Row] = {}
        unnamed = False
        for group in self._groups(complaints):
            row = rows.access_group_row(group)
            found.append(row)
            names = rows.texts(group, "initiators")
            ids = group.value.get("initiatorIDs")
            unnamed = unnamed or (isinstance(ids, list) and len(ids) > len(names))
            for name in names:
                _keep(named, group, row["array_host_id"], name)
        yield from in_pages("array_host", self.endpoint, found)
        yield from complaints.gaps(self.endpoint)
        if unnamed:
            yield from self._initiators(named)
        yield from in_pages("array_initiator", self.endpoint, named.values())

    def connections(self) -> Iterator[Batch | Gap]:
        """Rows of array_connection: the volumes of each access group.

        Assigned LUNs cost a question for each group, so they are read only where they are needed.
        """
        complaints = Complaints(_GROUPS)
        found: list[Row] = []
        for group in self._groups(complaints):
            host = group.identifier("volumeAccessGroupID")
            volumes = dict.fromkeys(rows.identifiers(group, "volumes"))
            found += [{"volume_id": volume, "array_host_id": host, "lun": None} for volume in volumes]
        yield from complaints.gaps(self.endpoint)
        if self.wants_luns:
            yield from self._assign(found)
        yield from in_pages("array_connection", self.endpoint, found)

    def sessions(self) -> Iterator[Batch | Gap]:
        """Rows of array_session, iSCSI first; ListFibreChannelSessions needs more rights (API reference, Access control: clusterAdmin)."""
        complaints = Complaints("ListISCSISessions")
        listed = records(self.array.call("ListISCSISessions"), "sessions", "session", "sessionID", complaints)
        found = (rows.iscsi_session_row(session) for session in once(listed, "sessionID", set(), complaints))
        yield from in_pages("array_session", self.endpoint, found)
        yield from complaints.gaps(self.endpoint)
        complaints = Complaints("ListFibreChannelSessions")
        listed = records(self.array.call("ListFibreChannelSessions"), "sessions", "session of", "initiatorWWPN", complaints)
        yield from in_pages("array_session", self.endpoint, _fibre_channel(listed, complaints))
        yield from complaints.gaps(self.endpoint)

    def _groups(self, complaints: Complaints) -> Iterator[Record]:
        """The access groups, asked for once; a cluster holds at most 1,000 (API reference, GetLimits) and answers them all."""
        if not self._told:
            self._told = self.array.call(_GROUPS)
        listed = records(self._told, "volumeAccessGroups", "access group", "volumeAccessGroupID", complaints)
        return once(listed, "volumeAccessGroupID", set(), complaints)

    def _initiators(self, named: dict[tuple[str | None, str], Row]) -> Iterator[Gap]:
        complaints = Complaints("ListInitiators")
        listed = records(self.array.call("ListInitiators"), "initiators", "initiator", "initiatorID", complaints)
        for initiator in once(listed, "initiatorID", set(), complaints):
            name = initiator.text("initiatorName")
            for group in rows.identifiers(initiator, "volumeAccessGroups") if name is not None else ():
                _keep(named, initiator, group, str(name))
        yield from complaints.gaps(self.endpoint)

    def _assign(self, connections: list[Row]) -> Iterator[Gap]:
        """Put the LUNs in; the first group that cannot be asked ends it, since the account may not ask for the others either."""
        complaints = Complaints("GetVolumeAccessGroupLunAssignments")
        luns: dict[tuple[str, str], int | None] = {}
        for host in dict.fromkeys(row["array_host_id"] for row in connections):
            what = f"GetVolumeAccessGroupLunAssignments: lun of access group {host} and all that follow"
            ask = partial(self.array.call, "GetVolumeAccessGroupLunAssignments", volumeAccessGroupID=int(host))
            answer = yield from optional(self.endpoint, what, ask)
            if answer is None:
                break
            told = Record(answer, f"access group {host}", complaints).inner("volumeAccessGroupLunAssignments")
            for each in records(told.value, "lunAssignments", "volume", "volumeID", complaints) if told else ():
                luns[host, str(each.identifier("volumeID"))] = each.number("lun")
        for row in connections:
            row["lun"] = luns.get((row["array_host_id"], row["volume_id"]))
        yield from complaints.gaps(self.endpoint)


def _keep(named: dict[tuple[str | None, str], Row], told_by: Record, group: str | None, name: str) -> None:
    initiator = rows.initiator(name)
    if initiator is None:
        told_by.complaints.add("initiators", told_by.label, "names one that is neither an iSCSI name nor a WWPN")
        return
    named[group, initiator[0]] = {"array_host_id": group, "initiator": initiator[0], "kind": initiator[1]}


def _fibre_channel(listed: Iterator[Record], complaints: Complaints) -> Iterator[Row]:
    """Sessions without an id of their own: an initiator has one with each target port."""
    seen: set[str] = set()
    for session in listed:
        row = rows.fibre_channel_session_row(session)
        if row["session_id"] is None:
            continue
        if row["session_id"] in seen:
            complaints.add("targetWWPN", session.label, "came twice; the second record was left out")
            continue
        seen.add(row["session_id"])
        yield row
