"""Reads when ONTAP works in the background: SnapMirror, efficiency, RAID scrubs (docs/domain/incidents.md#s3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.common.background_jobs import local_moment
from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch
from auditor.endpoints.ontap import rows
from auditor.endpoints.ontap.background_rows import efficiency_policy, efficiency_row, replication_row, schedule_row
from auditor.endpoints.ontap.platform import EFFICIENCY_POLICIES, RAID_OPTIONS
from auditor.endpoints.ontap.qos import optional
from auditor.endpoints.ontap.schedules import Timetable, numbers_json, scrub_by_default, scrub_of
from auditor.errors import CredentialsError, EndpointError, NotThereError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.ontap.lists import Lists
    from auditor.facts.schema import Batch

_SCRUB = "raid.scrub.schedule"
_BY_DEFAULT = frozenset({"", "-"})
_RELATIONSHIP_FIELDS = (
    "uuid,source.path,destination.path,policy.name,policy.uuid,transfer_schedule.name,transfer_schedule.uuid,lag_time,healthy,state,"
    "transfer.state,transfer.bytes_transferred,transfer.total_duration"
)


@dataclass(slots=True)
class BackgroundWork:
    """The three topics, over one cluster's lists."""

    lists: Lists

    def replication(self) -> Iterator[Batch | Gap]:
        """Relationships whose destination is here, then those whose source is; one within the cluster is reported as both.

        A source cluster is not promised to report the schedule of a relationship: `schedule_read` is false where it does not.

        Source: REST reference, GET snapmirror/relationships ("list_destinations_only"); a relationship without a schedule runs by its
        policy's (SnapmirrorPolicy.transfer_schedule). transfer_schedule is there from 9.11.1 on.
        """
        parse_errors = ParseErrors("GET snapmirror/relationships")
        containers = {each.path: each for each in self.lists.known_containers(parse_errors).values()}
        schedules = self.lists.schedules(parse_errors)
        by_policy = self._policy_schedules(parse_errors)
        timings: dict[str, Row] = {}
        for role, params in (("destination", {}), ("source", {"list_destinations_only": "true"})):
            pages = self.lists.pages("snapmirror/relationships", "relationship", parse_errors, fields=_RELATIONSHIP_FIELDS, **params)
            for page in pages:
                table_rows = []
                for relationship in page:
                    uuid = str(relationship.identifier("uuid"))
                    if role == "destination" or uuid not in timings:
                        timings[uuid] = _timing(relationship, role, schedules, by_policy)
                    table_rows.append(replication_row(relationship, role, timings[uuid], containers))
                yield batch("array_replication", self.lists.endpoint, table_rows)
        yield from parse_errors.gaps(self.lists.endpoint)

    def _policy_schedules(self, parse_errors: ParseErrors) -> dict[str, str | None]:
        """The name of the schedule of every SnapMirror policy by the policy's id; None for one without."""
        fields = "uuid,name,transfer_schedule.name"
        policies = self.lists.records("snapmirror/policies", "SnapMirror policy", parse_errors, fields=fields)
        return {str(each.identifier("uuid")): rows.optional_text(optional(each, "transfer_schedule"), "name") for each in policies}

    def efficiency(self) -> Iterator[Batch | Gap]:
        """The schedules that there are, and every FlexVol, with the schedule of its efficiency policy, or its own."""
        parse_errors = ParseErrors(f"GET {EFFICIENCY_POLICIES}")
        schedules = self.lists.schedules(parse_errors)
        yield batch("array_schedule", self.lists.endpoint, [schedule_row(name, times) for name, times in schedules.items()])
        policies: dict[tuple[str, str], Row] = {}
        fields = "uuid,name,svm.name,schedule.name,duration,qos_policy,enabled"
        for policy in self.lists.records(EFFICIENCY_POLICIES, "efficiency policy", parse_errors, fields=fields):
            svm = rows.optional_text(optional(policy, "svm"), "name") or ""
            policies[svm, policy.text("name") or ""] = efficiency_policy(policy, schedules)
        yield from parse_errors.gaps(self.lists.endpoint)
        if EFFICIENCY_POLICIES in self.lists.lacking:
            return
        fields = "uuid,name,svm.name,aggregates.uuid,efficiency.state,efficiency.policy.name,efficiency.schedule"
        fields += ",efficiency.op_state,efficiency.last_op_size"
        yield from self.lists.table(
            "array_efficiency", lambda volume: efficiency_row(volume, policies), "storage/volumes", "volume", fields=fields
        )

    def scrub(self) -> Iterator[Batch | Gap]:
        """When each node's RAID scrubs run. There is no REST resource for it, only the command line's own way through REST.

        Source: ONTAPI-to-REST mapping 9.14.1, options: "available through the REST API using the CLI passthrough
        /api/private/cli/storage/raid-options"; what its records look like is not verified.
        """
        parse_errors = ParseErrors(f"GET {RAID_OPTIONS}")
        params = {"name": _SCRUB, "fields": "node,name,value"}
        try:
            options = list(self.lists.records(RAID_OPTIONS, "option", parse_errors, key="node/name", **params))
        except NotThereError as error:
            what = f"endpoint {self.lists.endpoint}: it does not offer {RAID_OPTIONS}, so when its disks are scrubbed is not known"
            raise NotThereError(f"{what} ({error.what})", why=error.why, do="look with: storage raid-options show") from None
        if RAID_OPTIONS in self.lists.lacking:
            return
        by_default = any(_value(option) in _BY_DEFAULT for option in options)
        nodes: dict[str, bool | None] = {}
        clocks: dict[str, datetime] = {}
        yield from self._nodes(nodes, clocks, by_default=by_default)
        yield batch("array_scrub", self.lists.endpoint, [_scrub_row(option, nodes, clocks) for option in options])
        for name in sorted(nodes.keys() - {option.value.get("node") for option in options}):
            parse_errors.add(_SCRUB, f"node {name}", "was not reported: when its disks are scrubbed is not known")
        if not options and not nodes:
            parse_errors.add(_SCRUB, "any node", "was not reported: when the disks are scrubbed is not known")
        yield from parse_errors.gaps(self.lists.endpoint)

    def _nodes(self, all_flash: dict[str, bool | None], clocks: dict[str, datetime], *, by_default: bool) -> Iterator[Gap]:
        """Read by name the clock of each node and, with `by_default`, whether it is all flash, which a default schedule depends on.

        Source: REST reference, Node.is_all_flash_optimized, Node.date (with the offset of the node's time zone).
        """
        parse_errors = ParseErrors("GET cluster/nodes")
        fields = "uuid,name,date,is_all_flash_optimized" if by_default else "uuid,name,date"
        try:
            for node in self.lists.records("cluster/nodes", "node", parse_errors, fields=fields):
                flag = node.value.get("is_all_flash_optimized")
                all_flash[node.text("name") or ""] = flag if isinstance(flag, bool) else None
                if (clock := local_moment(node.value.get("date"))) is not None:
                    clocks[node.text("name") or ""] = clock
                if by_default and not isinstance(flag, bool):
                    parse_errors.add("is_all_flash_optimized", node.label, "is not reported: how long a default scrub lasts goes by it")
        except CredentialsError:
            raise
        except EndpointError as error:
            yield Gap(self.lists.endpoint, "GET cluster/nodes: whose scrubs there are, and how long a default one lasts", error.what)
        yield from parse_errors.gaps(self.lists.endpoint)


def _timing(relationship: Record, role: str, schedules: dict[str, Timetable], by_policy: dict[str, str | None]) -> Row:
    """The columns of array_replication that a schedule decides."""
    own = rows.optional_text(optional(relationship, "transfer_schedule"), "name")
    policy = optional(relationship, "policy")
    policy_id = (rows.optional_text(policy, "uuid") or "").lower()
    name = own or by_policy.get(policy_id)
    # Who holds the destination decides when; a source that reports no schedule of its own may just not know it.
    is_read = own is not None or (role == "destination" and policy_id in by_policy)
    if role == "destination" and not is_read:
        relationship.parse_errors.add("policy", relationship.label, "is one that snapmirror/policies did not list")
    times = schedules.get(name) if name and is_read else None
    if name and is_read and times is None:
        relationship.parse_errors.add("transfer_schedule", relationship.label, f"is {name}, which cluster/schedules did not list")
    return {
        "schedule": name if is_read else None,
        "schedule_read": is_read,
        "interval_seconds": times and times.interval_seconds,
        "start_minutes": times and times.as_json,
    }


def _value(option: Record) -> str:
    return str(option.value.get("value") or "").strip()


def _scrub_row(option: Record, all_flash: dict[str, bool | None], clocks: dict[str, datetime]) -> Row:
    """A row of array_scrub; an empty value is the default schedule, which is not "off"."""
    node, value = option.text("node"), _value(option)
    unset = value in _BY_DEFAULT
    timing = scrub_by_default(all_flash=all_flash.get(node or "")) if unset else scrub_of(value)
    if timing is None:
        option.parse_errors.add("value", option.label, "is not a schedule such as 240m@tue@2")
    clock = clocks.get(node or "")
    return {
        "node_id": node,
        "is_open": None if timing is None or clock is None else timing.is_open(clock),
        "schedule": "default" if unset else value,
        "start_minutes": numbers_json(timing.start_minutes) if timing else None,
        "duration_minutes": timing and timing.duration_minutes,
    }
