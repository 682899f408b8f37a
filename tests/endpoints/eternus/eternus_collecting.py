"""Two small arrays, and what is collected from one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.eternus.client import open_eternus
from auditor.endpoints.eternus.collect import collect_eternus
from auditor.facts.needs import EVERYTHING, Needs
from auditor.model import EndpointKind
from auditor_lab.arrays.eternus.description import (
    AffinityDescription,
    CategoryDescription,
    EternusDescription,
    GroupDescription,
    HostDescription,
    LimitDescription,
    PortDescription,
    UserDescription,
    VolumeDescription,
)
from auditor_lab.wire import Fault
from tests.endpoints.arrays import Collected
from tests.endpoints.eternus.eternus_peer import Peer, endpoint_of, lab, says
from tests.waiting import SHORT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


MB = 1 << 20
UID = "600000e00d2a0000002a0115"
IQN = "iqn.1998-01.com.vmware:esx-07-12345678901234567890-abcdef"  # longer than its column
DX = EternusDescription(
    name="dx200",
    firmware="V11L30-0000",
    model_name="ET203ACU",
    uid_prefix=UID,
    serial_number="4601417434",
    categories=(CategoryDescription(3, LimitDescription(1000, 50)), CategoryDescription(4, read=LimitDescription(10, 20))),
    volumes=(
        VolumeDescription("capped", size_mb=1024, category=3),
        VolumeDescription("free", size_mb=2048, type="Open", pool="RG-1"),
        VolumeDescription("reads", size_mb=1024, read_category=4),
    ),
    users=(UserDescription("watcher", "Monitor"),),
    hosts=(HostDescription("esx_0", "10000090FAD00102", "VMware", 13), HostDescription("esx_1", iscsi_name=IQN)),
    ports=(PortDescription("CM#0 CA#0 Port#0", hosts={"esx_1": "second"}), PortDescription("CM#1 CA#0 Port#0")),
    port_groups=(GroupDescription("ports", ("CM#0 CA#0 Port#0", "CM#1 CA#0 Port#0")),),
    host_groups=(GroupDescription("cluster", ("esx_0",)),),
    lun_groups=(GroupDescription("first", ("free", "capped")), GroupDescription("second", ("capped",))),
    affinities=(AffinityDescription("ports", "cluster", "first"),),
)


def collected(
    description: EternusDescription, folder: Path, *, user: str = "audit", asked: Needs = EVERYTHING, faults: Iterable[Fault] = ()
) -> Collected:
    with (
        lab(description, folder, user=user, timeout=3 * SHORT_SECONDS if faults else 30.0) as (server, endpoint),
        open_eternus(endpoint) as array,
    ):
        server.faults.active.extend(faults)
        return Collected(collect_eternus(array, endpoint, asked), asked.topics_of(EndpointKind.ETERNUS))


def from_peer(folder: Path, **answers: str) -> Collected:
    with Peer(says(**answers)) as peer, open_eternus(endpoint_of(peer, folder)) as array:
        return Collected(collect_eternus(array, array.endpoint))


def volume(number: int, *, size: str = "0000000000200000", uid: str = "", pool: str = "0000") -> str:
    fields = [f"{number:04X}", f"v{number}", "A001", "0B", "00", pool, "P", size, *["00"] * 12, uid or f"{UID.upper()}{number:04X}0000"]
    return "\t".join([*fields, "00", "00", "FF"])
