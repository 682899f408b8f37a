"""The E-Series array of these tests."""

from auditor_lab.arrays.eseries.description import (
    ESeriesDescription,
    FailureDescription,
    HostDescription,
    LoadDescription,
    PoolDescription,
    VolumeDescription,
)

SYSTEM = ESeriesDescription(
    name="es",
    wwn="60080e500023c73400000000515af323",
    volume_prefix="600a098000a4b28d",
    pools=(
        PoolDescription("sas", "raid6", "hdd", 10_000, 12, 10 * 10**12),
        PoolDescription("flash", "raidDiskPool", "ssd", 0, 11, 5 * 10**12),
    ),
    volumes=(
        VolumeDescription("vmfs-1", "sas", 4 << 40, mapped_to=("esx",), load=LoadDescription(100, 300, 8192, 65_536, 4.5)),
        VolumeDescription("vmfs-2", "sas", 4 << 40, preferred="B", owner="A", mapped_to=("esx",), write_cache="suspended"),
        VolumeDescription("thin", "flash", 1 << 40, is_thin=True, write_cache="off"),
    ),
    host_groups=("esx",),
    hosts=(
        HostDescription("esx-1", ("500605b001020301", "50:06:05:B0:01:02:03:02"), group="esx"),
        HostDescription("esx-2", ("500605b001020303",), group="esx", host_type="LnxDHALUA"),
        HostDescription("db", ("iqn.1994-05.com.redhat:db",), port_type="iscsi", host_type="LnxDHALUA"),
    ),
    failures=(FailureDescription("failedDrive"), FailureDescription("nonPreferredPath", "volume")),
)
