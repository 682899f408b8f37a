"""A small FlashArray, and what is collected from it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.flasharray.client import open_flasharray
from auditor.endpoints.flasharray.collect import collect_flasharray
from auditor.facts.needs import EVERYTHING, Needs
from auditor.facts.schema import ARRAY_TOPICS
from auditor.model import Endpoint, EndpointKind
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import (
    HostDescription,
    LoadDescription,
    MachineDescription,
    PodDescription,
    QosDescription,
    RemoteArrayDescription,
    VolumeDescription,
    VolumeGroupDescription,
)
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from tests.endpoints.arrays import Collected, serving_array

if TYPE_CHECKING:
    from collections.abc import Iterator


TOPICS = ARRAY_TOPICS[EndpointKind.FLASHARRAY]
MIB = 1 << 20
ID = "6c1b16ce-1c03-4d1c-b974-33405cf8d565"
STEM = "naa.624a93706c1b16ce1c034d1c"  # the vendor's prefix, then the array's first 16 digits
# Incident S2 in small: one host forgotten, a group whose ceiling is above its volume's, a pod, a machine on vVols.
S2 = FlashArrayDescription(
    name="fa-1",
    id=ID,
    host_groups=("blue",),
    hosts=(
        HostDescription("esx-1", "blue", wwns=("2100F4C7AA002706", "21:00:F4:C7:AA:00:27:07")),
        HostDescription("esx-2", "blue", personality=None, iqns=("iqn.1998-01.com.vmware:ESX-2",)),
        HostDescription("nvme-1", nqns=("nqn.2014-08.com.vmware:NVME-1",)),
    ),
    pods=(PodDescription("both", (RemoteArrayDescription("fa-2", "704fa624-cf6e-4196-a6f5-314f0f1ad12f"),)),),
    volume_groups=(VolumeGroupDescription("batch", QosDescription(15_000)),),
    volumes=(
        VolumeDescription("pe", subtype="protocol_endpoint", host_groups=("blue",)),
        VolumeDescription(
            "db",
            2 << 40,
            host_groups=("blue",),
            load=LoadDescription(
                reads_per_sec=300,
                writes_per_sec=100,
                bytes_per_read=4096,
                bytes_per_write=8192,
                usec_per_read_op=200,
                usec_per_write_op=600,
                qos_rate_limit_usec_per_read_op=1300,
                qos_rate_limit_usec_per_write_op=100,
            ),
        ),
        VolumeDescription("batch/archive", 1 << 40, qos=QosDescription(10_000, 400 * MIB), hosts=("esx-1",)),
        VolumeDescription("both::shared", 1 << 40, serial="704FA624CF6E4196000217F9", host_groups=("blue",)),
        VolumeDescription("fast", 1 << 40, hosts=("nvme-1",)),
    ),
    machines=(MachineDescription("web", qos=QosDescription(20_000), bound_by=("esx-1",)),),
)


def serving(folder: Path, description: FlashArrayDescription, timeout: float = 30.0) -> Any:
    return serving_array(EndpointKind.FLASHARRAY, description, folder, timeout=timeout)


def column(found: Collected, column: str, table: str = "array_volume", key: str = "name") -> dict[Any, Any]:
    return {row[key]: row[column] for row in found.tables[table]}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[FlashArrayServer, Endpoint]]:
    with serving(tmp_path, S2) as (server, endpoint):
        yield server, endpoint


def collected(endpoint: Endpoint, asked: Needs = EVERYTHING) -> Collected:
    with open_flasharray(endpoint) as array:
        return Collected(collect_flasharray(array, endpoint, asked), asked.topics_of(EndpointKind.FLASHARRAY))


def item(change: Any, place: int = 1) -> Any:
    """An alteration of one record of an answer; one of protocol endpoints alone is shorter."""

    def alter(answer: dict[str, Any]) -> dict[str, Any]:
        for each in answer["items"][place : place + 1]:
            change(each)
        return answer

    return alter
