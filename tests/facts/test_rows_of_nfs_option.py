"""The whole row of each host-wide NFS option: its value, and the datastores of ONTAP that the host mounts."""

from typing import Any

import pytest

from .fleets import Facts
from .test_rows_of_queue_option import fleet as fleet_of_queues
from .whole_rows import Row, add, expected, rows_by_id

pytestmark = pytest.mark.long

OPTIONS = ("NFS.MaxVolumes", "NFS.HeartbeatFrequency", "NFS.HeartbeatTimeout", "NFS.HeartbeatMaxFailures")
OF_4_1 = ("NFS41.MaxVolumes",)
HEAP = ("Net.TcpipHeapSize", "Net.TcpipHeapMax")
OF_BOTH = ("SunRPC.MaxConnPerIP", *HEAP)


def fleet() -> Facts:
    """The hosts of the other test (two of them list an option), and one whose version was not read."""
    given = fleet_of_queues()
    for endpoint, value in (("vc", "256"), ("vc-2", "x")):
        add(given, "host_option", {"endpoint": endpoint, "host_id": "mounts", "key": "NFS.MaxVolumes", "value": value})
    for row in given["host"]:
        row["version"] = {"listed": None, "off": "10.0.1"}.get(row["host_id"], row["version"])
    for row in given["array_volume"]:
        row["qos_max_iops"] = 100 if row["name"] == "/a" else 200
    add(given, "datastore", {"endpoint": "vc", "datastore_id": "block", "name": "block", "type": "VMFS"})
    add(given, "datastore_mount", {"endpoint": "vc", "host_id": "mounts others", "datastore_id": "block"})
    return given


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": "gold",
    "value": None,
    "version": "8.0.2",
    "build": None,
    "major_version": 8,
    "mounts_ontap": False,
    "datastores": None,
    "other_datastores": "",
    "arrays": None,
    "volumes": None,
    "qos": None,
}
OF_A: Row = {"mounts_ontap": True, "arrays": "on", "volumes": "/a", "qos": "the volume itself: 100 IOPS"}
NOT_READ: Row = {"mounts_ontap": None, "other_datastores": None}


def rows(
    name: str, of: str = "vc", value: int | None = None, *, by_3: Row | None = None, by_4: Row | None = None, **more: Any
) -> list[Row]:
    """The options of a host that lists only the first, with what it mounts by NFS 3 or by NFS 4.1."""
    about = {"host_id": name, "host": f"{name} of {of}", "endpoint": of, **more}
    result = []
    for option in OPTIONS + OF_4_1 + OF_BOTH:
        mounted = {**(by_3 or {} if option not in OF_4_1 else {}), **(by_4 or {} if option not in OPTIONS else {})}
        one = {"resource_id": f"{name}/{option}", "resource_name": option, "option": option, "is_heap": option in HEAP}
        result.append({**one, **about, **mounted, "value": value if option == OPTIONS[0] else None})
    return result


EXPECTED = expected(
    USUAL,
    *rows("listed", major_version=None, version=None),
    *rows("off", major_version=10, version="10.0.1"),
    *(row for name in ("two modules", "one not known", "no module") for row in rows(name)),
    *rows(
        "mounts",
        value=256,
        by_3={
            **OF_A,
            "volumes": "/a, /b",
            "qos": "the volume itself: 100 IOPS; the volume itself: 200 IOPS",
            "datastores": "a of vc, b of vc",
            "other_datastores": "other of vc, perhaps of vc",
        },
    ),
    *rows("mounts others", by_3={"other_datastores": "other of vc"}),
    *rows("mounts perhaps", by_3={"other_datastores": "other of vc, perhaps of vc", "mounts_ontap": None}),
    *rows("mounts NFS 4.1", by_4={"datastores": "new of vc", **OF_A}),
    *rows("mounts", "vc-2", by_3={"datastores": "a of vc-2", **OF_A}, other_datastores=None, mounts_ontap=None),
    *rows("no mount", "vc-2", **NOT_READ),
    *rows("mounts", "gone", **NOT_READ),
)


def test_each_nfs_option_is_told_with_the_datastores_of_ontap_that_the_host_mounts_by_its_version() -> None:
    assert rows_by_id("nfs_option", fleet()) == EXPECTED
