"""Random writes and faults at the lab's Element cluster, against a model of what the documented reads must tell afterwards."""

from __future__ import annotations

import base64
import json
import ssl
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from auditor_lab.arrays.element.description import (
    ContainerDescription,
    ElementDescription,
    NodeDescription,
    QosDescription,
    QosPolicyDescription,
    VolumeDescription,
    VvolDescription,
)
from auditor_lab.arrays.element.server import ElementServer
from tests.long.lab.properties.line import BUSY, OK, Line, LostError, done, search, seen, troubled, troubles

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.authority import Authority

Limits = dict[str, int]
FIELDS = ("minIOPS", "maxIOPS", "burstIOPS")
ALLOWED = {"minIOPS": (50, 15000), "maxIOPS": (100, 200000), "burstIOPS": (100, 200000)}  # docs/domain/facts.md#6-5
DEFAULT = (50, 15000, 15000)
DESCRIPTION = ElementDescription(
    name="tiers",
    unique_id="dg0j",
    nodes=(NodeDescription(1, "n1"), NodeDescription(2, "n2")),
    qos_policies=(QosPolicyDescription("Bronze", 25, 1000, 2000), QosPolicyDescription("Gold", 100, 3000, 6000)),
    volumes=(
        VolumeDescription("one", policy="Bronze"),
        VolumeDescription("two", policy="Bronze"),
        VolumeDescription("own", qos=QosDescription(60, 700, 800)),
        VolumeDescription("plain"),
    ),
    containers=(ContainerDescription("vvols"),),
    vvols=(VvolDescription("a", "vvols", policy="Gold", bound_by=("esx-1",)), VvolDescription("b", "vvols", kind="Config")),
)


def limits(*values: int) -> Limits:
    return dict(zip(FIELDS, values, strict=True))


class Model:
    """What the cluster holds, in the words of the API reference: a volume has its policy's limits, or its own."""

    def __init__(self) -> None:
        self.names = {1: "Bronze", 2: "Gold"}
        self.policies = {1: limits(25, 1000, 2000), 2: limits(100, 3000, 6000)}
        self.own = {1: limits(*DEFAULT), 2: limits(*DEFAULT), 3: limits(60, 700, 800), 4: limits(*DEFAULT)}
        self.own |= {5: limits(*DEFAULT), 6: limits(*DEFAULT)}
        self.policy: dict[int, int | None] = {1: 1, 2: 1, 3: None, 4: None, 5: 2, 6: None}
        self.nodes = 2

    def in_force(self, volume: int) -> Limits:
        policy = self.policy[volume]
        return self.own[volume] if policy is None else self.policies[policy]

    def modify_policy(self, params: dict[str, Any]) -> str:
        policy = params["qosPolicyID"]
        if policy not in self.policies:
            return "xQoSPolicyDoesNotExist"
        if "qos" in params:
            merged = self.policies[policy] | params["qos"]
            if not good(params["qos"], merged):
                return "xInvalidParameter"
            self.policies[policy] = merged
        self.names[policy] = params.get("name", self.names[policy])
        return OK

    def modify_volume(self, params: dict[str, Any]) -> str:
        volume, qos, policy = params["volumeID"], params.get("qos"), params.get("qosPolicyID")
        associate = params.get("associateWithQoSPolicy")
        if volume not in self.own:
            return "xVolumeIDDoesNotExist"
        if qos is not None and policy is not None:
            return "xInvalidParameter"
        if policy is not None and associate is not False:
            if policy not in self.policies:
                return "xQoSPolicyDoesNotExist"
            self.policy[volume] = policy
        elif qos is not None:
            merged = self.in_force(volume) | qos
            if not good(qos, merged):
                return "xInvalidParameter"
            self.own[volume], self.policy[volume] = merged, None
        elif associate is False:
            self.own[volume], self.policy[volume] = dict(self.in_force(volume)), None
        return OK


def good(asked: Limits, merged: Limits) -> bool:
    within = all(ALLOWED[name][0] <= value <= ALLOWED[name][1] for name, value in asked.items())
    return within and merged["minIOPS"] <= merged["maxIOPS"] <= merged["burstIOPS"]


def halved(params: dict[str, Any]) -> dict[str, Any]:
    """The first half of several limits; a single one stays."""
    qos = params.get("qos") or {}
    return params | {"qos": dict(list(qos.items())[: len(qos) // 2])} if len(qos) > 1 else params


values = st.sampled_from([49, 50, 51, 99, 100, 600, 1000, 1500, 2500, 5000, 14999, 15000, 15001, 200000, 200001])
asked_limits = st.lists(st.tuples(st.sampled_from(FIELDS), values), min_size=1, max_size=4).map(dict)
hardships = troubles("deaf", "half", "permission")


class ElementMachine(RuleBasedStateMachine):
    """Reads everything after every step: that is two requests."""

    tls: ssl.SSLContext
    context: ssl.SSLContext

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.server = ElementServer(DESCRIPTION, self.tls, "audit", "right")
        self.line = Line(self.server.port, self.context)

    def teardown(self) -> None:
        self.line.close()
        self.server.stop()

    def post(self, method: str, **params: Any) -> tuple[int, Any]:
        body = json.dumps({"method": method, "params": params, "id": 1}).encode()
        credentials = base64.b64encode(b"audit:right").decode()
        status, _, answer = self.line.ask("POST", "/json-rpc/12.3", body, {"Authorization": f"Basic {credentials}"})
        try:
            return status, json.loads(answer) if status == 200 else None
        except ValueError as error:
            raise LostError from error

    def result(self, method: str, **params: Any) -> Any:
        return self.post(method, **params)[1]["result"]

    def write(self, method: str, params: dict[str, Any], change: Callable[[Model, dict[str, Any]], str], trouble: str | None) -> None:
        after = deepcopy(self.model)
        answer = change(after, halved(params) if trouble == "half" else params)
        if trouble == "permission":
            answer = "xPermissionDenied"
        elif trouble == "half" and answer == OK:
            answer = "xDBOperationFailed"
        reported: list[Any] = []

        def ask() -> str:
            status, reply = self.post(method, **params)
            if status != 200:
                return BUSY
            reported.append(reply.get("result"))
            return str(reply["error"]["name"]) if "error" in reply else OK

        # An account that may not write is one without the privilege "write".
        got = troubled(self.server.faults, trouble, method, ask, privilege="write" if trouble == "permission" else "")
        assert got == seen(trouble, answer)
        if done(trouble) and answer in (OK, "xDBOperationFailed") and trouble != "deaf":
            self.model = after
        record = self.compare()
        if got == OK and trouble is None and method == "ModifyVolume":
            assert reported[0]["volume"] == record[params["volumeID"]], "the answer to a write is what is read afterwards"

    def compare(self) -> dict[int, Any]:
        volumes = {one["volumeID"]: one for one in self.result("ListVolumes")["volumes"]}
        found = {number: {name: one["qos"][name] for name in FIELDS} for number, one in volumes.items()}
        assert found == {volume: self.model.in_force(volume) for volume in self.model.own}
        assert {number: one["qosPolicyID"] for number, one in volumes.items()} == self.model.policy
        policies = {one["qosPolicyID"]: one for one in self.result("ListQoSPolicies")["qosPolicies"]}
        assert {number: {name: one["qos"][name] for name in FIELDS} for number, one in policies.items()} == self.model.policies
        assert {number: one["name"] for number, one in policies.items()} == self.model.names
        users = {number: [volume for volume, used in self.model.policy.items() if used == number] for number in policies}
        assert {number: one["volumeIDs"] for number, one in policies.items()} == users
        return volumes

    @rule(policy=st.sampled_from([1, 2, 3]), qos=asked_limits, trouble=hardships)
    def change_limits_of_a_policy(self, policy: int, qos: Limits, trouble: str | None) -> None:
        self.write("ModifyQoSPolicy", {"qosPolicyID": policy, "qos": qos}, Model.modify_policy, trouble)

    @rule(policy=st.sampled_from([1, 2]), name=st.sampled_from(["Bronze", "Silver", "Gold"]), trouble=hardships)
    def rename_a_policy(self, policy: int, name: str, trouble: str | None) -> None:
        self.write("ModifyQoSPolicy", {"qosPolicyID": policy, "name": name}, Model.modify_policy, trouble)

    @rule(volume=st.integers(1, 7), qos=asked_limits, trouble=hardships)
    def give_a_volume_limits_of_its_own(self, volume: int, qos: Limits, trouble: str | None) -> None:
        self.write("ModifyVolume", {"volumeID": volume, "qos": qos}, Model.modify_volume, trouble)

    @rule(
        volume=st.integers(1, 6),
        policy=st.sampled_from([None, 1, 2, 3]),
        associate=st.sampled_from([None, True, False]),
        qos=st.one_of(st.none(), st.none(), asked_limits),
        trouble=hardships,
    )
    def associate_a_volume(self, volume: int, policy: int | None, associate: bool | None, qos: Limits | None, trouble: str | None) -> None:
        params = {"volumeID": volume, "qosPolicyID": policy, "associateWithQoSPolicy": associate, "qos": qos}
        given = {name: value for name, value in params.items() if value is not None}
        self.write("ModifyVolume", given, Model.modify_volume, trouble)

    @rule(method=st.sampled_from(["ListVolumes", "ListQoSPolicies"]), trouble=troubles().filter(bool))
    def a_reading_goes_wrong(self, method: str, trouble: str) -> None:
        got = troubled(self.server.faults, trouble, method, lambda: OK if self.post(method)[0] == 200 else BUSY)
        assert got == seen(trouble, OK)
        self.compare()

    @rule()
    def a_node_joins(self) -> None:
        self.server.add_node()
        self.model.nodes += 1
        endpoints = self.result("ListProtocolEndpoints")["protocolEndpoints"]
        assert len({one["scsiNAADeviceID"] for one in endpoints}) == self.model.nodes
        assert len(self.result("ListVirtualVolumeBindings")["bindings"]) == 1, "bindings stay where they are"
        self.compare()


def test_after_any_writes_and_faults_the_cluster_tells_what_was_done(authority: Authority, client_context: ssl.SSLContext) -> None:
    search(ElementMachine, 40, 30, tls=authority.server_context("127.0.0.1"), context=client_context)
