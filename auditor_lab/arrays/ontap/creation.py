"""New records: a POST is checked at once and carried out as a job, as a PATCH is.

Source: the definitions of POST in the vendor's Python client 9.19.1. Not verified: the texts and codes of refusals.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.ontap.cluster import QosPolicy
from auditor_lab.arrays.ontap.parts import ScheduleDescription
from auditor_lab.arrays.ontap.query import RestError, invalid
from auditor_lab.arrays.ontap.writing import Effect, integer, named, object_of, only

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster

_ALREADY = "duplicate entry"
_LIMITS: dict[str, dict[str, Any]] = {
    "fixed": {
        "max_throughput_iops": 0,
        "max_throughput_mbps": 0,
        "min_throughput_iops": 0,
        "min_throughput_mbps": 0,
        "capacity_shared": False,
    },
    "adaptive": {
        "expected_iops": 0,
        "peak_iops": 0,
        "absolute_min_iops": 0,
        "expected_iops_allocation": "allocated_space",
        "peak_iops_allocation": "used_space",
        "block_size": "any",
    },
}
"""The limits of a policy group by its kind, where a request names none; 0 is none."""
_CRON = {"minutes": 59, "hours": 23, "weekdays": 6, "days": 31, "months": 12}


def qos_policy(cluster: Cluster, body: dict[str, Any]) -> Effect:
    """Make a policy group with its limits."""
    only(body, {"name", "svm", "fixed", "adaptive"})
    kind = next((one for one in _LIMITS if one in body), None)
    if kind is None or len(body.keys() & _LIMITS.keys()) > 1:
        raise invalid("", "fixed")
    svm, name = _svm(cluster, body), _name(body)
    if any((each.svm, each.name) == (svm, name) for each in cluster.qos):
        raise RestError(409, "1", _ALREADY, "name")
    requested = object_of(body[kind], kind)
    only(requested, set(_LIMITS[kind]), f"{kind}.")
    for field, value in requested.items():
        if type(_LIMITS[kind][field]) is int:
            integer(value, f"{kind}.{field}")

    def effect() -> None:
        place = max((each.pgid for each in cluster.qos), default=0) + 1
        cluster.qos.append(QosPolicy(cluster.uuid("qos", svm, name), svm, name, kind, _LIMITS[kind] | requested, place))

    return effect


def schedule(cluster: Cluster, body: dict[str, Any]) -> Effect:
    """Make a schedule with a cron."""
    only(body, {"name", "cron", "cluster", "svm"})
    name, fields = _name(body), cron(body.get("cron"))
    if name in cluster.schedules:
        raise RestError(409, "1", _ALREADY, "name")

    def effect() -> None:
        cluster.schedules[name] = replace(ScheduleDescription(name=name), **fields)

    return effect


def change_schedule(cluster: Cluster, target: ScheduleDescription, body: dict[str, Any]) -> Effect:
    """Change a schedule's cron."""
    only(body, {"cron"})
    fields = cron(body.get("cron"))

    def effect() -> None:
        changed = replace(ScheduleDescription(name=target.name), **fields)
        cluster.schedules[target.name] = changed
        for each in cluster.relationships:
            each.schedule = changed if each.schedule is target else each.schedule

    return effect


def cron(requested: Any) -> dict[str, Any]:
    """The fields of a cron; one that is left out means every."""
    fields = object_of(requested, "cron")
    only(fields, set(_CRON), "cron.")
    for name, values in fields.items():
        if not isinstance(values, list):
            raise invalid(values, f"cron.{name}")
        for value in values:
            integer(value, f"cron.{name}", _CRON[name])
    return {name: tuple(values) for name, values in fields.items()}


def lun_map(cluster: Cluster, body: dict[str, Any]) -> Effect:
    """Map a LUN to an initiator group; the number follows the group's highest."""
    only(body, {"svm", "lun", "igroup", "logical_unit_number"})
    lun = named(body.get("lun"), cluster.luns, "lun", lambda each: each.path, lambda each: each.uuid)
    groups = list(cluster.description.igroups)
    group = named(body.get("igroup"), groups, "igroup", lambda each: each.name, lambda each: cluster.uuid("igroup", each.name))
    if any(each.name == group.name for each, _ in cluster.maps_of[lun.uuid]):
        raise RestError(400, "5374922", "The specified LUN is already mapped to the specified initiator group.", "igroup")

    def effect() -> None:
        taken = [number for _, each, number in cluster.maps if each.name == group.name]
        number = body.get("logical_unit_number", max(taken, default=-1) + 1)
        cluster.maps.append((lun, group, number))
        cluster.maps_of[lun.uuid].append((group, number))

    return effect


def _svm(cluster: Cluster, body: dict[str, Any]) -> str:
    svms = list(cluster.description.svms)
    found = named(body.get("svm"), svms, "svm", lambda each: each.name, lambda each: cluster.uuid("svm", each.name))
    return str(found.name)


def _name(body: dict[str, Any]) -> str:
    if not isinstance(body.get("name"), str) or not body["name"]:
        raise invalid(body.get("name"), "name")
    return str(body["name"])
