"""A whole reading of an Element cluster, replayed from a recording: each answer is there, and each is heard.

See tests/endpoints/cassettes.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditor.endpoints.element.collect import collect_element
from auditor.endpoints.element.settings.qos_policy import ElementQosPolicy
from auditor.endpoints.element.settings.volume_limits import ElementVolumeLimits
from auditor.facts.schema import ARRAY_TOPICS
from auditor.model import EndpointKind, Target
from auditor_lab.arrays.element.description import (
    AccessGroupDescription,
    ContainerDescription,
    ElementDescription,
    NodeDescription,
    QosPolicyDescription,
    VolumeDescription,
    VvolDescription,
)
from tests.endpoints.arrays import Collected
from tests.endpoints.cassettes import RECORD, TAPES

DESCRIPTION = ElementDescription(
    name="sf-east",
    unique_id="dg0j",
    nodes=(NodeDescription(1, "n1"), NodeDescription(2, "n2")),
    qos_policies=(QosPolicyDescription("Bronze", 25, 1000, 2000), QosPolicyDescription("Gold", 100, 3000, 6000)),
    volumes=(VolumeDescription("vmfs-1", policy="Gold", access_groups=("esx",)),),
    access_groups=(AccessGroupDescription("esx", ("iqn.1998-01.com.vmware:esx-1", "21:00:00:0e:1e:14:af:40")),),
    containers=(ContainerDescription("vvols"),),
    vvols=(VvolDescription("db.vmdk", "vvols", policy="Bronze", bound_by=("564de1a4-9a99-da0f-8b7c-3a41dfd64bf1",)),),
)


def playing(name: str, folder: Path) -> Any:
    return TAPES[EndpointKind.ELEMENT].playing(name, DESCRIPTION, folder)


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (array, cassette):
        found = Collected(collect_element(array, array.endpoint), ARRAY_TOPICS[EndpointKind.ELEMENT])
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert found.gaps == []
    assert found.column("array_volume", "name", "device", "qos_max_iops") == [
        ("vmfs-1", "naa.6f47acc1000000006467306a00000001", 3000),
        ("db.vmdk", "naa.6f47acc1000000006467306a00000002", 1000),
    ]
    assert found.column("array_initiator", "initiator") == ["iqn.1998-01.com.vmware:esx-1", "2100000e1e14af40"]
    assert found.column("array_connection", "volume_id") == ["1"]
    assert len(found.tables["array_session"]) == 1 + 2
    assert found.column("array_protocol_endpoint", "device") == [
        "naa.6f47acc2000000016467306a00000000",
        "naa.6f47acc2000000026467306a00000000",
    ]


def test_a_fix_reads_writes_one_limit_and_reads_again(tmp_path: Path) -> None:
    policy, target = ElementQosPolicy(), Target("sf-east", (("field", "minIOPS"), ("policy_id", "1")))
    with playing("fix.yaml", tmp_path) as (array, cassette):
        before = policy.read(array, target)
        policy.write(array, target, 50)
        after = policy.read(array, target)
    assert RECORD or cassette.all_played
    assert (before.value, after.value) == (25, 50)


def test_a_volume_is_put_under_its_policy_and_gets_its_own_limits_back(tmp_path: Path) -> None:
    limits, target = ElementVolumeLimits(), Target("sf-east", (("volume_id", "1"),))
    with playing("volume.yaml", tmp_path) as (array, cassette):
        found = [limits.read(array, target).value]
        for value in ("own 60/700/800", "policy 1"):
            limits.write(array, target, value)
            found.append(limits.read(array, target).value)
    assert RECORD or cassette.all_played
    assert found == ["policy 2", "own 60/700/800", "policy 1"]


def test_the_account_and_the_clock_are_asked_for(tmp_path: Path) -> None:
    with playing("account.yaml", tmp_path) as (array, cassette):
        role, clock = array.role(), array.clock()
    assert RECORD or cassette.all_played
    assert role == "read, write"
    assert clock is not None
