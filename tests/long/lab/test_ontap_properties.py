"""Random writes, jobs and faults at the lab's ONTAP cluster, against a model of what is to be read afterwards."""

from __future__ import annotations

import base64
import dataclasses
import json
import ssl
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import yaml
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from auditor_lab.arrays.ontap.description import OntapDescription
from auditor_lab.arrays.ontap.server import OntapServer
from tests.long.lab.properties.line import BUSY, OK, Line, LostError, done, search, seen, troubled, troubles

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.authority import Authority

    Change = Callable[["Model"], str]

POLICIES, EFFICIENCY = "storage/qos/policies", "storage/volume-efficiency-policies"
LUNS, VOLUMES, RELATIONSHIPS = "storage/luns", "storage/volumes", "snapmirror/relationships"
FIXED = {"min_throughput_iops": 0, "min_throughput_mbps": 0, "max_throughput_mbps": 0}
SCHEDULES = ["4-an-hour", "2-hourly", "midnight"]
FIELDS = {
    POLICIES: "name,fixed,adaptive,object_count",
    EFFICIENCY: "name,schedule,qos_policy,enabled,duration",
    LUNS: "qos_policy.name",
    VOLUMES: "name,qos.policy.name,efficiency.policy.name",
    RELATIONSHIPS: "source.path,transfer_schedule.name,throttle",
}


CLUSTER = """
name: netapp
nodes: [{name: node-1}]
svms: [{name: svm-vmware}, {name: svm-dr}]
schedules:
  - {name: 4-an-hour, minutes: [0, 15, 30, 45]}
  - {name: 3-an-hour, minutes: [5, 25, 45]}
  - {name: 2-hourly, minutes: [0], hours: [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]}
  - {name: midnight, minutes: [0], hours: [0]}
aggregates: [{name: disks, node: node-1, disk_count: 4, client_iops: 100, background_iops: 100}]
qos_policies:
  - {name: vmware-2000, svm: svm-vmware, max_iops: 2000}
  - {name: vmware-shared, svm: svm-vmware, max_iops: 5000, shared: true}
  - {name: vmware-adaptive, svm: svm-vmware, adaptive: {expected_iops: 1000, peak_iops: 4000}}
efficiency_policies:
  - {name: default, svm: svm-vmware, schedule: midnight, qos_policy: best_effort}
  - {name: twin-night, svm: svm-vmware, schedule: 2-hourly, qos_policy: background, duration: 4}
volumes:
  - {name: vm_nfs_01, svm: svm-vmware, aggregate: disks, efficiency_policy: default}
  - {name: twin_nfs_01, svm: svm-vmware, aggregate: disks, efficiency_policy: twin-night, qos_policy: vmware-2000}
  - {name: src_1, svm: svm-vmware, aggregate: disks}
  - {name: src_4, svm: svm-vmware, aggregate: disks}
  - {name: dr_1, svm: svm-dr, aggregate: disks, type: dp}
  - {name: dr_4, svm: svm-dr, aggregate: disks, type: dp}
luns:
  - {name: ds01, volume: vm_nfs_01}
  - {name: ds02, volume: vm_nfs_01}
  - {name: twin01, volume: twin_nfs_01, qos_policy: vmware-2000}
relationships:
  - {source: "svm-vmware:src_1", destination: "svm-dr:dr_1", schedule: 4-an-hour, iops_per_run_an_hour: 162}
  - {source: "svm-vmware:src_4", destination: "svm-dr:dr_4", schedule: 3-an-hour, iops_per_run_an_hour: 162}
"""


class Model:
    """What CLUSTER says, by the names it has there, and what was done since."""

    def __init__(self) -> None:
        self.names = {name: name for name in ("vmware-2000", "vmware-shared", "vmware-adaptive")}
        self.limits: dict[str, dict[str, Any]] = {
            "vmware-2000": FIXED | {"max_throughput_iops": 2000, "capacity_shared": False},
            "vmware-shared": FIXED | {"max_throughput_iops": 5000, "capacity_shared": True},
            "vmware-adaptive": {"expected_iops": 1000, "peak_iops": 4000},
        }
        self.efficiency: dict[str, dict[str, Any]] = {
            "default": {"schedule": "midnight", "qos_policy": "best_effort", "enabled": True, "duration": None},
            "twin-night": {"schedule": "2-hourly", "qos_policy": "background", "enabled": True, "duration": 4},
        }
        self.luns: dict[str, str | None] = {"ds01": None, "ds02": None, "twin01": "vmware-2000"}
        self.volumes: dict[str, dict[str, Any]] = {
            "vm_nfs_01": {"qos": None, "efficiency": "default"},
            "twin_nfs_01": {"qos": "vmware-2000", "efficiency": "twin-night"},
            "dr_1": {"qos": None, "efficiency": "-"},  # of another SVM: it can have no policy of this one
        }
        self.relationships: dict[str, dict[str, Any]] = {
            "src_1": {"schedule": "4-an-hour", "throttle": 0},
            "src_4": {"schedule": "3-an-hour", "throttle": 0},
        }
        self.later: list[tuple[float, int, Change]] = []  # when a job is due, which, and what it does
        self.jobs: list[str] = []  # state by number

    def settle(self, now: float) -> None:
        for _, job, change in [one for one in self.later if one[0] <= now]:
            trial = deepcopy(self)
            if change(trial) == OK:
                self.__dict__.update(trial.__dict__)
                self.jobs[job] = "success"
            else:  # it made sense when it was asked for, and does not any more
                self.jobs[job] = "failure"
        self.later = [one for one in self.later if one[0] > now]

    def change_limits(self, policy: str, asked: dict[str, int], name: str | None) -> str:
        if not set(asked) <= set(self.limits[policy]) or not all(0 <= value <= 2147483647 for value in asked.values()):
            return "400"
        merged = self.limits[policy] | asked
        if 0 < merged.get("max_throughput_iops", 0) < merged.get("min_throughput_iops", 0):
            return "400"
        self.limits[policy] = merged
        self.names[policy] = name or self.names[policy]
        return OK

    def change_efficiency(self, policy: str, asked: dict[str, Any]) -> str:
        if asked.get("schedule", "midnight") not in SCHEDULES or asked.get("qos_policy", "background") == "fast":
            return "400"
        self.efficiency[policy] |= asked
        return OK

    def limit_lun(self, lun: str, policy: str | None) -> str:
        if policy is not None and policy not in self.limits:
            return "400"
        self.luns[lun] = policy
        return OK

    def change_volume(self, volume: str, asked: dict[str, Any]) -> str:
        here = volume != "dr_1"
        if asked.get("qos") is not None and (not here or asked["qos"] not in self.limits):
            return "400"
        if "efficiency" in asked and (not here or asked["efficiency"] not in self.efficiency):
            return "400"
        self.volumes[volume] |= asked
        return OK

    def change_relationship(self, source: str, asked: dict[str, Any]) -> str:
        if (asked.get("schedule") or "midnight") not in SCHEDULES or asked.get("throttle", 0) < 0:
            return "400"
        self.relationships[source] |= asked
        return OK


amounts = st.sampled_from([-1, 0, 100, 1999, 2000, 2001, 5000, 2147483647, 2147483648])
hardships = troubles("ignored", "failure", "never")
policies = st.sampled_from(["vmware-2000", "vmware-shared", "vmware-adaptive"])
chosen_policies = st.sampled_from([None, None, "vmware-2000", "vmware-shared", "vmware-adaptive", "nobody"])
schedules = st.sampled_from([*SCHEDULES, "never"])


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class OntapMachine(RuleBasedStateMachine):
    """Reads one resource after every write, and all five after every tenth and when time has passed."""

    tls: ssl.SSLContext
    context: ssl.SSLContext
    described: OntapDescription

    @initialize(job_seconds=st.sampled_from([0.0, 5.0]))
    def start(self, job_seconds: float) -> None:
        self.clock, self.model, self.job_seconds, self.written = Clock(), Model(), job_seconds, 0
        described = dataclasses.replace(self.described, job_seconds=job_seconds)
        self.server = OntapServer(described, self.tls, "audit", "right", clock=self.clock)
        self.line = Line(self.server.port, self.context)
        self.uuids = {path: {self.name_of(path, one): one["uuid"] for one in self.get(path)} for path in FIELDS}
        self.compare()

    def teardown(self) -> None:
        if hasattr(self, "server"):
            self.line.close()
            self.server.stop()

    @staticmethod
    def name_of(path: str, record: dict[str, Any]) -> str:
        if path == LUNS:
            return str(record["name"]).rpartition("/")[2]
        return str(record["source"]["path"]).partition(":")[2] if path == RELATIONSHIPS else str(record["name"])

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        credentials = base64.b64encode(b"audit:right").decode()
        headers = {"Authorization": f"Basic {credentials}", "Accept": "application/json"}
        status, _, answer = self.line.ask(method, f"/api/{path}", b"" if body is None else json.dumps(body).encode(), headers)
        try:
            return status, None if status == 503 else json.loads(answer)
        except ValueError as error:
            raise LostError from error

    def get(self, path: str) -> Any:
        status, answer = self.ask("GET", f"{path}?fields={FIELDS[path]}{',name' if path == LUNS else ''}")
        assert status == 200, answer
        return answer["records"]

    def compare(self, *paths: str) -> None:
        self.model.settle(self.clock.now)
        current = {policy: None if policy is None else self.model.names[policy] for policy in (None, *self.model.names)}
        for path in paths or FIELDS:
            names = {uuid: name for name, uuid in self.uuids[path].items()}
            found = {names[one["uuid"]]: value_of(path, one) for one in self.get(path)}
            if path == POLICIES:
                used = [*self.model.luns.values(), *(one["qos"] for one in self.model.volumes.values())]
                held: dict[str, Any] = {
                    name: {"name": self.model.names[name], "object_count": used.count(name)} | limits
                    for name, limits in self.model.limits.items()
                }
                found = {name: {key: one[key] for key in held[name]} for name, one in found.items()}
            elif path == LUNS:
                held = {lun: current[policy] for lun, policy in self.model.luns.items()}
            elif path == VOLUMES:
                held = {volume: one | {"qos": current[one["qos"]]} for volume, one in self.model.volumes.items()}
            else:
                held = self.model.efficiency if path == EFFICIENCY else self.model.relationships
            assert {name: found[name] for name in held} == held

    def write(self, path: str, name: str, body: Any, change: Change, trouble: str | None) -> None:
        self.model.settle(self.clock.now)
        answer = "task" if (change(deepcopy(self.model))) == OK else "400"
        outcome = trouble if trouble in ("ignored", "failure", "never") else "success"
        on_the_wire = trouble if outcome == "success" else None
        self.server.outcome = outcome

        def ask() -> str:
            status, _ = self.ask("PATCH", f"{path}/{self.uuids[path][name]}", body)
            return {202: "task", 503: BUSY}.get(status, str(status))

        got = troubled(self.server.faults, on_the_wire, f"PATCH {path}", ask)
        self.server.outcome = "success"
        assert got == seen(on_the_wire, answer)
        if done(on_the_wire) and answer == "task":
            self.begin(outcome, change)
        self.written += 1
        self.compare(*(() if self.written % 10 == 0 else (path,)))

    def begin(self, outcome: str, change: Change) -> None:
        """A job that does what was decided when it was asked for, once it is due."""
        effects: dict[str, Change] = {"success": change, "ignored": lambda _: OK, "failure": lambda _: "failure"}
        if outcome in effects:
            self.model.later.append((self.clock.now + self.job_seconds, len(self.model.jobs), effects[outcome]))
        self.model.jobs.append("running")

    @rule(
        policy=policies,
        asked=st.dictionaries(st.sampled_from(["max_throughput_iops", "min_throughput_iops", "max_throughput_mbps"]), amounts),
        rename=st.sampled_from([None, None, "-old", "-new"]),
        trouble=hardships,
    )
    def change_limits(self, policy: str, asked: dict[str, int], rename: str | None, trouble: str | None) -> None:
        name = None if rename is None else policy + rename
        kind = "adaptive" if policy == "vmware-adaptive" else "fixed"
        if kind == "adaptive":
            other = {"max_throughput_iops": "peak_iops", "min_throughput_iops": "expected_iops"}
            asked = {other.get(key, key): value for key, value in asked.items()}
        body = ({kind: asked} if asked else {}) | ({"name": name} if name else {})
        self.write(POLICIES, policy, body, partial(Model.change_limits, policy=policy, asked=asked, name=name), trouble)

    @rule(
        policy=st.sampled_from(["default", "twin-night"]),
        asked=st.fixed_dictionaries(
            {},
            optional={
                "schedule": schedules,
                "qos_policy": st.sampled_from(["background", "best_effort", "background", "fast"]),
                "enabled": st.booleans(),
                "duration": st.integers(0, 9),
            },
        ),
        trouble=hardships,
    )
    def change_when_dedup_runs(self, policy: str, asked: dict[str, Any], trouble: str | None) -> None:
        body = asked | ({"schedule": {"name": asked["schedule"]}} if "schedule" in asked else {})
        self.write(EFFICIENCY, policy, body, partial(Model.change_efficiency, policy=policy, asked=asked), trouble)

    @rule(lun=st.sampled_from(["ds01", "ds02", "twin01"]), policy=chosen_policies, trouble=hardships)
    def limit_a_lun(self, lun: str, policy: str | None, trouble: str | None) -> None:
        self.write(LUNS, lun, {"qos_policy": self.pointed(policy, none="")}, partial(Model.limit_lun, lun=lun, policy=policy), trouble)

    @rule(
        volume=st.sampled_from(["vm_nfs_01", "twin_nfs_01", "dr_1"]),
        asked=st.fixed_dictionaries(
            {}, optional={"qos": chosen_policies, "efficiency": st.sampled_from(["default", "twin-night", "nobody"])}
        ),
        trouble=hardships,
    )
    def change_a_volume(self, volume: str, asked: dict[str, Any], trouble: str | None) -> None:
        body = {"qos": {"policy": self.pointed(asked["qos"], none="none")}} if "qos" in asked else {}
        body |= {"efficiency": {"policy": {"name": asked["efficiency"]}}} if "efficiency" in asked else {}
        self.write(VOLUMES, volume, body, partial(Model.change_volume, volume=volume, asked=asked), trouble)

    def pointed(self, policy: str | None, none: str) -> dict[str, str]:
        """A policy by the name it has now."""
        return {"name": none if policy is None else self.model.names.get(policy, policy)}

    @rule(
        source=st.sampled_from(["src_1", "src_4"]),
        asked=st.fixed_dictionaries({}, optional={"schedule": schedules | st.none(), "throttle": st.sampled_from([-1, 0, 1000])}),
        trouble=hardships,
    )
    def change_a_relationship(self, source: str, asked: dict[str, Any], trouble: str | None) -> None:
        body = asked | ({"transfer_schedule": {"name": asked["schedule"] or ""}} if "schedule" in asked else {})
        body.pop("schedule", None)
        self.write(RELATIONSHIPS, source, body, partial(Model.change_relationship, source=source, asked=asked), trouble)

    # Odd seconds, so that no job is due at the very moment somebody asks.
    @rule(seconds=st.sampled_from([1.7, 6.03]))
    def time_passes(self, seconds: float) -> None:
        self.clock.now += seconds
        self.compare()

    @precondition(lambda self: self.model.jobs)
    @rule(which=st.integers(0, 30))
    def look_at_a_job(self, which: int) -> None:
        self.model.settle(self.clock.now)
        place = which % len(self.model.jobs)
        status, job = self.ask("GET", f"cluster/jobs/{list(self.server.jobs)[place]}")
        assert (status, job["state"]) == (200, self.model.jobs[place])

    @rule(path=st.sampled_from(sorted(FIELDS)), trouble=troubles().filter(bool))
    def a_reading_goes_wrong(self, path: str, trouble: str) -> None:
        read = partial(self.ask, "GET", path)
        assert troubled(self.server.faults, trouble, f"GET {path}", lambda: OK if read()[0] == 200 else BUSY) == seen(trouble, OK)
        self.compare(path)


def value_of(path: str, record: dict[str, Any]) -> Any:
    """What a record says of what is written."""

    def name(*way: str) -> Any:
        value: Any = record
        for step in (*way, "name"):
            value = value.get(step, {}) if value else {}
        return value or None

    if path == POLICIES:
        return {"name": record["name"], "object_count": record["object_count"]} | record.get("fixed", record.get("adaptive", {}))
    if path == EFFICIENCY:
        return {key: record.get(key) for key in ("qos_policy", "enabled", "duration")} | {"schedule": name("schedule")}
    if path == LUNS:
        return name("qos_policy")
    if path == VOLUMES:
        return {"qos": name("qos", "policy"), "efficiency": name("efficiency", "policy")}
    return {"schedule": name("transfer_schedule"), "throttle": record["throttle"]}


def test_after_any_writes_jobs_and_faults_the_cluster_tells_what_was_done(authority: Authority, client_context: ssl.SSLContext) -> None:
    described = msgspec.convert(yaml.safe_load(CLUSTER), OntapDescription)
    search(OntapMachine, 20, 30, tls=authority.server_context("127.0.0.1"), context=client_context, described=described)
