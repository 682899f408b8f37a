"""Reads which hosts an Element cluster knows, which volumes they may reach, and who is logged in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors, Record, once, records
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
    _groups_answer: dict[str, Any] = field(default_factory=dict)

    def hosts(self) -> Iterator[Batch | Gap]:
        """Rows of array_host and array_initiator.

        Groups name their initiators, so that ListInitiators, which fewer accounts may call, is asked only where one reports more ids than
        names.
        """
        parse_errors = ParseErrors(_GROUPS)
        table_rows: list[Row] = []
        named: dict[tuple[str | None, str], Row] = {}
        unnamed = False
        for group in self._groups(parse_errors):
            row = rows.access_group_row(group)
            table_rows.append(row)
            names = rows.texts(group, "initiators")
            ids = group.value.get("initiatorIDs")
            unnamed = unnamed or (isinstance(ids, list) and len(ids) > len(names))
            for name in names:
                _keep(named, group, row["array_host_id"], name)
        yield from in_pages("array_host", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)
        if unnamed:
            yield from self._initiators(named)
        yield from in_pages("array_initiator", self.endpoint, named.values())

    def connections(self) -> Iterator[Batch | Gap]:
        """Rows of array_connection: the volumes of each access group.

        Assigned LUNs cost a request for each group, so they are read only where they are needed.
        """
        parse_errors = ParseErrors(_GROUPS)
        table_rows: list[Row] = []
        for group in self._groups(parse_errors):
            host = group.identifier("volumeAccessGroupID")
            volumes = dict.fromkeys(rows.identifiers(group, "volumes"))
            table_rows += [{"volume_id": volume, "array_host_id": host, "lun": None} for volume in volumes]
        yield from parse_errors.gaps(self.endpoint)
        if self.wants_luns:
            yield from self._assign(table_rows)
        yield from in_pages("array_connection", self.endpoint, table_rows)

    def sessions(self) -> Iterator[Batch | Gap]:
        """Rows of array_session, iSCSI first.

        ListFibreChannelSessions needs more rights (API reference, Access control: clusterAdmin), so it is asked only where an access group
        names a WWPN: Fibre Channel has no CHAP, and a session of it is with its access group (API reference, ListFibreChannelSessions).
        """
        parse_errors = ParseErrors("ListISCSISessions")
        listed = records(self.array.call("ListISCSISessions"), "sessions", "session", "sessionID", parse_errors)
        table_rows = (rows.iscsi_session_row(session) for session in once(listed, "sessionID", set(), parse_errors))
        yield from in_pages("array_session", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)
        if not self._has_fibre_channel():
            return
        parse_errors = ParseErrors("ListFibreChannelSessions")
        listed = records(self.array.call("ListFibreChannelSessions"), "sessions", "session of", "initiatorWWPN", parse_errors)
        yield from in_pages("array_session", self.endpoint, _fibre_channel(listed, parse_errors))
        yield from parse_errors.gaps(self.endpoint)

    def _has_fibre_channel(self) -> bool:
        """Whether an access group names a WWPN, or an initiator only by its id."""
        for group in self._groups(ParseErrors(_GROUPS)):
            names, ids = rows.texts(group, "initiators"), group.value.get("initiatorIDs")
            kinds = [rows.initiator(name) for name in names]
            if any(kind is None or kind[1] == "fc" for kind in kinds) or (isinstance(ids, list) and len(ids) > len(names)):
                return True
        return False

    def _groups(self, parse_errors: ParseErrors) -> Iterator[Record]:
        """The access groups, asked for once; a cluster holds at most 1,000 (API reference, GetLimits) and answers them all."""
        if not self._groups_answer:
            self._groups_answer = self.array.call(_GROUPS)
        listed = records(self._groups_answer, "volumeAccessGroups", "access group", "volumeAccessGroupID", parse_errors)
        return once(listed, "volumeAccessGroupID", set(), parse_errors)

    def _initiators(self, named: dict[tuple[str | None, str], Row]) -> Iterator[Gap]:
        parse_errors = ParseErrors("ListInitiators")
        listed = records(self.array.call("ListInitiators"), "initiators", "initiator", "initiatorID", parse_errors)
        for initiator in once(listed, "initiatorID", set(), parse_errors):
            name = initiator.text("initiatorName")
            for group in rows.identifiers(initiator, "volumeAccessGroups") if name is not None else ():
                _keep(named, initiator, group, str(name))
        yield from parse_errors.gaps(self.endpoint)

    def _assign(self, connections: list[Row]) -> Iterator[Gap]:
        """Put the LUNs in; the first group that cannot be asked ends it, since the account may not ask for the others either."""
        parse_errors = ParseErrors("GetVolumeAccessGroupLunAssignments")
        luns: dict[tuple[str, str], int | None] = {}
        for host in dict.fromkeys(row["array_host_id"] for row in connections):
            what = f"GetVolumeAccessGroupLunAssignments: lun of access group {host} and all that follow"
            ask = partial(self.array.call, "GetVolumeAccessGroupLunAssignments", volumeAccessGroupID=int(host))
            answer = yield from optional(self.endpoint, what, ask)
            if answer is None:
                break
            assignments = Record(answer, f"access group {host}", parse_errors).inner("volumeAccessGroupLunAssignments")
            for each in records(assignments.value, "lunAssignments", "volume", "volumeID", parse_errors) if assignments else ():
                luns[host, str(each.identifier("volumeID"))] = each.number("lun")
        for row in connections:
            row["lun"] = luns.get((row["array_host_id"], row["volume_id"]))
        yield from parse_errors.gaps(self.endpoint)


def _keep(named: dict[tuple[str | None, str], Row], told_by: Record, group: str | None, name: str) -> None:
    initiator = rows.initiator(name)
    if initiator is None:
        told_by.parse_errors.add("initiators", told_by.label, "names one that is neither an iSCSI name nor a WWPN")
        return
    named[group, initiator[0]] = {"array_host_id": group, "initiator": initiator[0], "kind": initiator[1]}


def _fibre_channel(listed: Iterator[Record], parse_errors: ParseErrors) -> Iterator[Row]:
    """Sessions without an id of their own: an initiator has one with each target port."""
    seen: set[str] = set()
    for session in listed:
        row = rows.fibre_channel_session_row(session)
        if row["session_id"] is None:
            continue
        if row["session_id"] in seen:
            parse_errors.add("targetWWPN", session.label, "came twice; the second record was left out")
            continue
        seen.add(row["session_id"])
        yield row
