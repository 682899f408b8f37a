"""A whole reading of a FlashArray, replayed from a recording: each answer is there, and each is heard.

See tests/endpoints/cassettes.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditor.endpoints.flasharray.collect import collect_flasharray
from auditor.endpoints.flasharray.settings.volume_limit import FlashArrayVolumeLimit
from auditor.facts.schema import ARRAY_TOPICS
from auditor.model import EndpointKind, Target
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import (
    HostDescription,
    LoadDescription,
    MachineDescription,
    QosDescription,
    VolumeDescription,
    VolumeGroupDescription,
)
from tests.endpoints.arrays import Collected
from tests.endpoints.cassettes import RECORD, TAPES

DESCRIPTION = FlashArrayDescription(
    name="fa-east",
    id="5a1f77c2-9b3e-4d10-8c6a-0e2f4b6d8a90",
    host_groups=("blue",),
    hosts=(
        HostDescription("esx-1", "blue", wwns=("20000025B5AA0001",)),
        HostDescription("esx-2", "blue", personality=None, iqns=("iqn.1998-01.com.vmware:esx-2",)),
        HostDescription("esx-3", nqns=("nqn.2014-08.com.vmware:esx-3",)),
    ),
    volume_groups=(VolumeGroupDescription("batch", QosDescription(15_000)),),
    volumes=(
        VolumeDescription("pe", subtype="protocol_endpoint", host_groups=("blue",)),
        VolumeDescription(
            "db", host_groups=("blue",), load=LoadDescription(reads_per_sec=65_000, bytes_per_read=4096, usec_per_read_op=430)
        ),
        VolumeDescription("batch/archive", qos=QosDescription(10_000, 400 << 20), host_groups=("blue",)),
        VolumeDescription("fast", hosts=("esx-3",)),
    ),
    machines=(MachineDescription("web", bound_by=("esx-1",)),),
    page_limit=4,  # so that pages are followed
)


def playing(name: str, folder: Path) -> Any:
    return TAPES[EndpointKind.FLASHARRAY].playing(name, DESCRIPTION, folder)


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (array, cassette):
        found = Collected(collect_flasharray(array, array.endpoint), ARRAY_TOPICS[EndpointKind.FLASHARRAY])
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert found.gaps == []
    stem = "naa.624a93705a1f77c29b3e4d10"
    assert found.column("array_volume", "name", "device", "qos_max_iops", "qos_group_max_iops")[:4] == [
        ("pe", f"{stem}00011010", None, None),
        ("db", f"{stem}00011011", None, None),
        ("batch/archive", f"{stem}00011012", 10_000, 15_000),
        ("fast", "eui.005a1f77c29b3e4d24a9371000011013", None, None),
    ]
    assert len(found.tables["array_volume"]) == 6
    assert found.column("array_host", "host_type") == ["esxi", "", "esxi"]
    assert len(found.tables["array_connection"]) == 9, "three volumes for two hosts, one for one, and two vVols"


def test_a_fix_reads_writes_one_ceiling_reads_again_and_lifts_it(tmp_path: Path) -> None:
    limit, target = FlashArrayVolumeLimit(), Target("fa-east", (("field", "iops_limit"), ("name", "batch/archive")))
    found = []
    with playing("fix.yaml", tmp_path) as (array, cassette):
        found.append(limit.read(array, target).value)
        for wanted in (5000, None):
            limit.write(array, target, wanted)
            found.append(limit.read(array, target).value)
    assert RECORD or cassette.all_played
    assert found == [10_000, 5000, None]
