"""An export of RVTools with two hosts, two datastores and a machine, as a person would have typed it."""

from .workbooks import Cell, Sheets, rows

SERVER = "vc-01.example.net"
LUN = "naa.600a098038303053453f463045727a31"
ONE, TWO = "esx-01.example.net", "esx-02.example.net"

PATHS = ", ".join(f"Path {number}, Path {number} state" for number in range(1, 9))


def multipath(host: str, paths: int = 4, state: str = "active") -> list[Cell]:
    """A row of vMultiPath: a device with so many paths by two adapters; the last path has this state."""
    shown: list[str | None] = [
        text
        for number in range(paths)
        for text in (f"vmhba{2 + number % 2}:C0:T{number // 2}:L7", "active" if number < paths - 1 else state)
    ]
    return [
        *(host, "prod-01", "dc-01", "vmfs-01", LUN.upper().replace("NAA", "naa"), f"NETAPP Fibre Channel Disk ({LUN})"),
        *("VMW_PSP_RR", "ok", *shown, *[None] * (16 - len(shown))),
        *("vStorageSupported", 64, "NETAPP  ", "LUN C-Mode", "9131", SERVER),
    ]


def adapter(number: int, host: str, place: int) -> list[Cell]:
    """A row of vHBA: a port of Fibre Channel, with the names of its node and of its own."""
    return [
        *(host, "dc-01", "prod-01", f"vmhba{place}", "Fibre Channel", "online", 4, f"0000:04:00.{place}", "lpfc", "LPe35002"),
        *(f"20:00:00:10:9b:00:0{number}:0{place} 10:00:00:10:9b:00:0{number}:0{place}", SERVER),
    ]


EXPORT: Sheets = {
    "vInfo": rows(
        "VM, Powerstate, Template, Memory, Disks, Latency Sensitivity, Cluster, Host, OS according to the configuration file, VM ID, "
        "VI SDK Server",
        ["db-01", "poweredOn", False, 8192, 1, "normal", "prod-01", ONE, "Red Hat Enterprise Linux 9 (64-bit)", "vm-1001", SERVER],
    ),
    "vDisk": rows(
        "VM, Disk, Disk Key, Disk Path, Capacity MiB, Raw, Thin, Level, Shares, Reservation, Limit, Controller, Shared Bus, VM ID, "
        "VI SDK Server",
        [
            *("db-01", "Hard disk 1", 2000, "[vmfs-01] db-01/db-01.vmdk", 102400, False, True, "normal", 1000, 0, 500),
            *("VMware paravirtual SCSI", "noSharing", "vm-1001", SERVER),
        ],
    ),
    "vHost": rows(
        "Host, Datacenter, Cluster, in Maintenance Mode, CPU Model, # HBAs, ESX Version, Vendor, Model, Object ID, VI SDK Server",
        [ONE, "dc-01", "prod-01", False, "Xeon", 2, "VMware ESXi 8.0.2 build-22380479", "Dell", "R750", "host-11", SERVER],
        [TWO, "dc-01", "prod-01", True, "Xeon", 2, "VMware ESXi 8.0.2 build-22380479", "Dell", "R750", "host-12", SERVER],
    ),
    "vHBA": rows(
        "Host, Datacenter, Cluster, Device, Type, Status, Bus, Pci, Driver, Model, WWN, VI SDK Server",
        *(adapter(number, host, place) for number, host in enumerate((ONE, TWO)) for place in (2, 3)),
    ),
    "vMultiPath": rows(
        f"Host, Cluster, Datacenter, Datastore, Disk, Display name, Policy, Oper. State, {PATHS}, vStorage, Queue depth, Vendor, Model, "
        "Revision, VI SDK Server",
        multipath(ONE),
        multipath(TWO, state="dead"),
    ),
    "vDatastore": rows(
        "Name, Address, Accessible, Type, Capacity MiB, Free MiB, # Hosts, Hosts, # Extents, Version, MHA, URL, Object ID, VI SDK Server",
        [
            *("vmfs-01", None, True, "VMFS", 2097152, 0, 2, f"{ONE}, {TWO}", 1, "6.82", True),
            *("ds:///vmfs/volumes/5f3e1a2b-0c1d2e3f-4a5b-0010e0000001/", "datastore-21", SERVER),
        ],
        [
            *("nfs-01", "192.0.2.10:/vol/nfs_01", True, "NFS", 1048576, None, 1, ONE, None, None, False),
            *("ds:///vmfs/volumes/3b1a2c4d-5e6f7a8b/", "datastore-22", SERVER),
        ],
    ),
    "vSC_VMK": rows(
        "Host, Datacenter, Cluster, Port Group, Device, IP Address, Subnet mask, MTU, VI SDK Server",
        [ONE, "dc-01", "prod-01", "Management", "vmk0", "192.0.2.1", "255.255.255.0", 1500, SERVER],
        [ONE, "dc-01", "prod-01", "pg-storage", "vmk1", "198.51.100.1", "255.255.255.0", 9000, SERVER],
    ),
    "vSwitch": rows("Host, Switch, # Ports, MTU, VI SDK Server", [ONE, "vSwitch0", 128, 1600, SERVER]),
    "vPort": rows("Host, Port Group, Switch, VLAN, VI SDK Server", [ONE, "Management", "vSwitch0", 0, SERVER]),
    "dvSwitch": rows("Switch, Name, Max MTU, VI SDK Server", ["dvs-01", "dvs-01", 9000, SERVER]),
    "dvPort": rows("Port, Switch, VLAN, VI SDK Server", ["pg-storage", "dvs-01", 40, SERVER]),
    "vMetaData": rows("RVTools major version, RVTools version, xlsx creation datetime, Server", [4.7, "4.7.1.4", 46_327.25, SERVER]),
}
"""The sheets by their names; 46,327.25 is 2026-11-01 06:00."""
