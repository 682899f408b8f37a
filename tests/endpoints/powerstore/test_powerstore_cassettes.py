"""A whole reading of a PowerStore, replayed from a recording: each answer is there, and each is heard.

See tests/endpoints/cassettes.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.powerstore.collect import collect_powerstore
from auditor.endpoints.powerstore.settings.volume_qos_policy import PowerStoreVolumeQosPolicy
from auditor.facts.schema import ARRAY_TOPICS
from auditor.model import EndpointKind, Target
from auditor_lab.arrays.powerstore.description import (
    HostDescription,
    LoadDescription,
    PowerStoreDescription,
    QosPolicyDescription,
    VolumeDescription,
    VolumeGroupDescription,
    VvolDescription,
)
from tests.endpoints.arrays import Collected
from tests.endpoints.cassettes import RECORD, TAPES

if TYPE_CHECKING:
    from pathlib import Path

DESCRIPTION = PowerStoreDescription(
    name="ps-east",
    id="0a4c9d7e-58b1-4f36-9c20-7d1e63b5a842",
    qos_policies=(QosPolicyDescription(name="silver", max_iops=2000, burst_percentage=20),),
    volume_groups=(VolumeGroupDescription(name="nightly", qos_policy="silver"),),
    volumes=(
        VolumeDescription(name="db", qos_policy="silver", host_groups=("farm",), load=LoadDescription(read_iops=900)),
        VolumeDescription(name="log", group="nightly", host_groups=("farm",)),
    ),
    host_groups=("farm",),
    hosts=(
        HostDescription(name="esx-1", host_group="farm", iscsi=("iqn.1998-01.com.vmware:esx-1",)),
        HostDescription(name="esx-2", host_group="farm", fc=("2100000000000002",)),
    ),
    containers=("vvols",),
    vvols=(VvolDescription(name="db.vmdk"),),
)


def playing(name: str, folder: Path) -> Any:
    return TAPES[EndpointKind.POWERSTORE].playing(name, DESCRIPTION, folder)


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (array, cassette):
        found = Collected(collect_powerstore(array, array.endpoint), ARRAY_TOPICS[EndpointKind.POWERSTORE])
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert found.gaps == []
    columns = ("name", "qos_max_iops", "qos_burst_iops", "qos_group", "qos_group_max_iops")
    assert sorted(found.column("array_volume", *columns), key=str) == [
        ("db", 2000, 2400, None, None),
        ("db.vmdk", None, None, None, None),
        ("log", None, None, "nightly", 2000),
    ]
    assert len(found.tables["array_connection"]) == 4, "two volumes for the two hosts of a group"
    assert sorted(found.column("array_volume_load", "actual_iops")) == [0, 900]


def test_a_fix_reads_writes_one_policy_reads_again_and_takes_it_away(tmp_path: Path) -> None:
    policy, target = PowerStoreVolumeQosPolicy(), Target("ps-east", (("volume_id", DESCRIPTION.derived_id("volume", "log")),))
    found = []
    with playing("fix.yaml", tmp_path) as (array, cassette):
        found.append(policy.read(array, target).value)
        for wanted in ("silver", None):
            policy.write(array, target, wanted)
            found.append(policy.read(array, target).value)
    assert RECORD or cassette.all_played
    assert found == [None, "silver", None]
