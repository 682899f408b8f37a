"""Writes: a PATCH is checked at once and carried out as a job, which changes only the requested fields.

Source: "return_timeout" and 202 with a job: "Getting started with the ONTAP REST API". Not verified: which refusals come at once and which
fail the job, and the texts of refusals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor_lab.arrays.ontap.query import RestError, invalid, unexpected
from auditor_lab.arrays.ontap.records import LAB_TIME, link

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster, EfficiencyPolicy, Lun, QosPolicy, Relationship, Volume

Effect: TypeAlias = Callable[[], None]
"""Carries a change out on the record as other jobs have left it; a RestError fails the job."""

Patch: TypeAlias = Callable[["Cluster", Any, dict[str, Any]], Effect]
Post: TypeAlias = Callable[["Cluster", dict[str, Any]], Effect]

IOPS_CEILING = 2147483647  # Source: the vendor's client, validation of throughput in I/O operations
NO_SUCH_RECORD = RestError(404, "4", "entry doesn't exist", "uuid")


@dataclass(slots=True)
class Job:
    """A job.

    Attributes:
        due: the uptime at which it is carried out, None for one that has finished (or never ends).
        outcome: the server's, when the change was requested.
    """

    uuid: str
    description: str
    effect: Effect | None
    due: float | None
    state: str = "running"
    message: str = ""
    code: int = 0
    outcome: str = "success"

    def carry_out(self) -> None:
        """Carry the change out, or fail with the error that it now causes."""
        if self.effect is None:
            return
        try:
            self.effect()
        except RestError as error:
            self.state, self.message, self.code = "failure", str(error), int(error.body["error"]["code"])

    def record(self) -> dict[str, Any]:
        """The job as in /cluster/jobs."""
        record: dict[str, Any] = {
            "uuid": self.uuid,
            "description": self.description,
            "state": self.state,
            "message": self.message,
            "code": self.code,
            "start_time": LAB_TIME,
        }
        if self.state == "failure":
            record["error"] = {"message": self.message, "code": str(self.code)}
        return record if self.state == "running" else record | {"end_time": LAB_TIME}

    def reference(self) -> dict[str, Any]:
        """The job as in the answer to a PATCH."""
        return {"job": {"uuid": self.uuid, "_links": link(f"cluster/jobs/{self.uuid}")}}


def integer(value: Any, name: str, ceiling: int = IOPS_CEILING) -> int:
    """`value`, where it is a number from 0 to `ceiling`."""
    if type(value) is not int or not 0 <= value <= ceiling:
        raise invalid(value, name)
    return value


def named(value: Any, known: list[Any], target: str, name_of: Callable[[Any], str], uuid_of: Callable[[Any], str]) -> Any:
    """The object that {"name": ...} or {"uuid": ...} refers to."""
    if not isinstance(value, dict) or not set(value) <= {"name", "uuid"} or not value:
        raise invalid(value, target)
    for each in known:
        if value.get("name", name_of(each)) == name_of(each) and value.get("uuid", uuid_of(each)) == uuid_of(each):
            return each
    raise invalid(next(iter(value.values())), f"{target}.{next(iter(value))}")


def only(body: dict[str, Any], names: set[str], above: str = "") -> None:
    """Refuse a field that is not among `names`."""
    for name in body:
        if name not in names:
            raise unexpected(above + name)


def nested(body: dict[str, Any]) -> dict[str, Any]:
    """A body in which fields may be named with their place, "qos.policy.name", as objects.

    Source: "Input variables for an ONTAP REST API request".
    """
    whole: dict[str, Any] = {}
    for path, value in body.items():
        *above, name = path.split(".")
        place = whole
        for step in above:
            place = place.setdefault(step, {})
        place[name] = place[name] | value if isinstance(value, dict) and isinstance(place.get(name), dict) else value
    return whole


def object_of(value: Any, name: str) -> dict[str, Any]:
    """`value`, where it is an object."""
    if not isinstance(value, dict):
        raise invalid(value, name)
    return value


_NO_GUARANTEE = {"guarantee": {"requested": False}}


def _change_nothing() -> None:
    """The effect of a request that confirms what is already so."""


def patch_qos_policy(_: Cluster, target: QosPolicy, body: dict[str, Any]) -> Effect:
    """Change the limits or the name of a policy group; fields left out stay. `capacity_shared` cannot be changed."""
    only(body, {"name", target.kind})
    requested = object_of(body.get(target.kind, {}), target.kind)
    only(requested, set(target.limits) - {"capacity_shared"}, f"{target.kind}.")
    for name, value in requested.items():
        if isinstance(target.limits[name], int):
            integer(value, f"{target.kind}.{name}")

    def merged() -> dict[str, Any]:
        limits: dict[str, Any] = target.limits | requested
        floor, ceiling = limits.get("min_throughput_iops", 0), limits.get("max_throughput_iops", 0)
        if ceiling and floor > ceiling:
            raise invalid(floor, "fixed.min_throughput_iops")
        return limits

    def effect() -> None:
        target.limits = merged()
        target.name = str(body.get("name", target.name))

    merged()  # an invalid change is refused at once; one that another job makes invalid meanwhile fails its job
    return effect


def patch_efficiency_policy(cluster: Cluster, target: EfficiencyPolicy, body: dict[str, Any]) -> Effect:
    """Change when and how dedup runs."""
    only(body, {"schedule", "duration", "enabled", "qos_policy", "start_threshold_percent", "comment"})
    schedule = _schedule(cluster, body["schedule"], "schedule").name if "schedule" in body else None
    if body.get("qos_policy", "background") not in ("background", "best_effort"):
        raise invalid(body["qos_policy"], "qos_policy")
    if not isinstance(body.get("enabled", True), bool):
        raise invalid(body["enabled"], "enabled")
    for name in ("duration", "start_threshold_percent"):
        if name in body:
            integer(body[name], name)
    settings = {name: value for name, value in body.items() if name != "schedule"}

    def effect() -> None:
        target.schedule, target.settings = schedule or target.schedule, target.settings | settings

    return effect


def patch_lun(cluster: Cluster, target: Lun, body: dict[str, Any]) -> Effect:
    """Give a LUN another policy group; an empty name removes it. That no space is guaranteed may be confirmed."""
    only(body, {"qos_policy", "space"})
    if body.get("space", _NO_GUARANTEE) != _NO_GUARANTEE:
        raise unexpected("space")
    if "qos_policy" not in body:
        return _change_nothing
    policy = _policy(cluster, target.volume, body.get("qos_policy"), "qos_policy")

    def effect() -> None:
        target.qos = policy

    return effect


def patch_volume(cluster: Cluster, target: Volume, body: dict[str, Any]) -> Effect:
    """Give a volume another policy group (the name "none" removes it), or another efficiency policy."""
    only(body, {"qos", "efficiency", "state"})
    if body.get("state", "online") != "online":  # clients confirm it
        raise invalid(body["state"], "state")
    qos = efficiency = None
    if "qos" in body:
        requested = object_of(body["qos"], "qos")
        only(requested, {"policy"}, "qos.")
        qos = _policy(cluster, target, requested.get("policy"), "qos.policy")
    if "efficiency" in body:
        requested = object_of(body["efficiency"], "efficiency")
        only(requested, {"policy"}, "efficiency.")
        here = [each for each in cluster.efficiency if each.svm == target.about.svm]
        efficiency = named(requested.get("policy"), here, "efficiency.policy", lambda each: each.name, lambda each: each.uuid)

    def effect() -> None:
        target.qos = qos if "qos" in body else target.qos
        target.efficiency = efficiency if "efficiency" in body else target.efficiency

    return effect


def patch_relationship(cluster: Cluster, target: Relationship, body: dict[str, Any]) -> Effect:
    """Give a SnapMirror relationship another schedule, policy or throttle; an empty schedule name means the policy's schedule."""
    only(body, {"transfer_schedule", "policy", "throttle"})
    schedule = policy = None
    if "transfer_schedule" in body:
        requested = body["transfer_schedule"]
        schedule = None if requested in (None, {"name": ""}, {"uuid": ""}) else _schedule(cluster, requested, "transfer_schedule")
    if "policy" in body:
        known = list(cluster.description.snapmirror_policies)
        policy = named(body["policy"], known, "policy", lambda each: each.name, lambda each: cluster.uuid("snapmirror policy", each.name))
    throttle = integer(body.get("throttle", 0), "throttle")

    def effect() -> None:
        target.schedule = schedule if "transfer_schedule" in body else target.schedule
        target.policy = policy or target.policy
        target.throttle = throttle if "throttle" in body else target.throttle

    return effect


def _policy(cluster: Cluster, volume: Volume, requested: Any, target: str) -> QosPolicy | None:
    if requested in ({"name": ""}, {"name": "none"}):
        return None
    here = [each for each in cluster.qos if each.svm == volume.about.svm]
    policy: QosPolicy = named(requested, here, target, lambda each: each.name, lambda each: each.uuid)
    return policy


def _schedule(cluster: Cluster, requested: Any, target: str) -> Any:
    known = list(cluster.schedules.values())
    return named(requested, known, target, lambda each: each.name, lambda each: cluster.uuid("schedule", each.name))
