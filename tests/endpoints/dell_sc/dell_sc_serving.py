"""A Storage Manager of the lab with the Storage Center of incident S1, for the tests of client, collector and remediator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.model import EndpointKind
from auditor_lab.arrays.dell_sc.description import (
    DellScDescription,
    HbaDescription,
    LoadDescription,
    QosProfileDescription,
    ServerDescription,
    StorageProfileDescription,
    VolumeDescription,
)
from tests.endpoints.arrays import serving_array

if TYPE_CHECKING:
    from pathlib import Path

# A profile with a priority and 50 MB/s, one for a group, SSD and NL-SAS; a cluster of two hosts and a host of its own with Fibre Channel.
S1 = DellScDescription(
    name="sc-east",
    serial_number=64702,
    qos_latency_threshold_ms=20,
    storage_profiles=(
        StorageProfileDescription(name="Recommended", tiers=(1, 3)),
        StorageProfileDescription(name="High Priority", tiers=(1,)),
    ),
    qos_profiles=(
        QosProfileDescription(name="Default"),
        QosProfileDescription(name="Prod", priority="Low", bandwidth_limit_mb_per_second=50),
        QosProfileDescription(name="Tenant", kind="group", iops_limit=9000),
    ),
    server_clusters=("esx",),
    servers=(
        ServerDescription(name="esx-1", cluster="esx", hbas=(HbaDescription(name="iqn.1998-01.com.vmware:ESX-1"),)),
        ServerDescription(name="esx-2", cluster="esx", hbas=(HbaDescription(name="iqn.1998-01.com.vmware:esx-2"),)),
        ServerDescription(
            name="backup", hbas=(HbaDescription(name="21000024FF30441C", transport="fc"),), operating_system="Red Hat Linux 6.x"
        ),
    ),
    volumes=(
        VolumeDescription(
            name="capped",
            size_bytes=4 << 40,
            volume_qos_profile="Prod",
            group_qos_profile="Tenant",
            mapped_to=("esx",),
            lun=7,
            load=LoadDescription(write_iops=200, write_kb_per_second=40960, write_latency=80, pending=16),
        ),
        VolumeDescription(name="free", storage_profile="High Priority", mapped_to=("esx-1", "backup"), lun=9),
    ),
)


def serving(folder: Path, description: DellScDescription = S1, *, timeout: float = 30.0, **limits: int) -> Any:
    """A manager on loopback, and the endpoint that fleet.yaml would have for it."""
    return serving_array(EndpointKind.DELL_SC, description, folder, timeout=timeout, **limits)
