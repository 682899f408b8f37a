"""Columns of `host` about builds of ESXi that a document of VMware names as faulty with storage that the host mounts."""

from typing import Any

import pytest

from .single import Rows, of_vc, rows_over

OF_UNMAP, OF_NFS = "Broadcom KB 307646", "Broadcom KB 341164"
VMFS_6 = {"type": "VMFS", "vmfs_version": "6.82"}
NFS_4_1 = {"type": "NFS41"}


def faults(
    version: str | None, build: int | None, *stores: dict[str, Any], stores_read: bool | None = True
) -> tuple[Any, list[str] | None]:
    """Whether the release is on the sheet, and the documents that name its build; None where that is not known."""
    host = {"host_id": "h1", "name": "esx-1", "version": version, "build": build}
    given: dict[str, Rows] = {
        "step_release_fault": rows_over("step_release_fault", {}),
        "fact.host": of_vc(host),
        "step_host_reading": of_vc({"host_id": "h1"}),
        "step_endpoint_reading": of_vc({"datastores_read": stores_read}),
        "fact.datastore": [
            *of_vc(*({"datastore_id": f"d{number}", **store} for number, store in enumerate(stores))),
            *of_vc({"datastore_id": "of another host", **VMFS_6}, {"datastore_id": "far", **NFS_4_1}),
            *({"endpoint": "vc-2", "datastore_id": name, **VMFS_6} for name in ("d0", "far")),
        ],
        "fact.datastore_mount": [
            *of_vc(*({"datastore_id": f"d{number}", "host_id": "h1"} for number in range(len(stores)))),
            *of_vc({"datastore_id": "of another host", "host_id": "h2"}),
            {"endpoint": "vc-2", "datastore_id": "far", "host_id": "h1"},
        ],
    }
    [row] = rows_over("host", given)
    words = row["release_fault"]
    return row["is_release_on_sheet"], None if words is None else [one for one in (OF_UNMAP, OF_NFS) if one in words]


@pytest.mark.parametrize(
    ("build", "stores", "named"),
    [
        pytest.param(18644231, [VMFS_6], [OF_UNMAP], id="7.0 Update 3 with VMFS 6"),
        pytest.param(18644231, [VMFS_6, NFS_4_1], [OF_UNMAP, OF_NFS], id="and with NFS 4.1"),
        pytest.param(18644231, [{"type": "VMFS", "vmfs_version": "5.81"}], [], id="with VMFS 5 alone"),
        pytest.param(18644231, [{"type": "NFS"}], [], id="with NFS 3 alone"),
        pytest.param(18644231, [], [], id="without a datastore"),
        pytest.param(18825058, [VMFS_6], [], id="7.0 Update 3a, which mends it"),
        pytest.param(17867351, [VMFS_6], [], id="7.0 Update 2a, before it"),
        pytest.param(16850804, [NFS_4_1], [OF_NFS], id="7.0 Update 1 with NFS 4.1"),
        pytest.param(20036588, [NFS_4_1], [OF_NFS], id="the last build before 7.0 Update 3f"),
        pytest.param(20036589, [NFS_4_1], [], id="7.0 Update 3f, which mends it"),
        pytest.param(None, [VMFS_6], None, id="a build that was not read"),
        pytest.param(None, [{"type": "NFS"}], [], id="a build that was not read, and no such storage"),
        pytest.param(18644231, [{"type": "VMFS", "vmfs_version": None}], None, id="a VMFS of no known version"),
        pytest.param(18644231, [{"type": None}], None, id="a datastore of no known type, which may be VMFS 6"),
        pytest.param(18644231, [{"type": None, "vmfs_version": "6.82"}], None, id="nor is it where it has a version"),
        pytest.param(20036589, [{"type": None}], [], id="a datastore of no known type, which no document names this build with"),
        pytest.param(18825058, [{"type": None}], None, id="a datastore of no known type, which may be of NFS 4.1"),
    ],
)
def test_a_build_is_named_with_the_storage_that_its_document_names(
    build: int | None, stores: list[dict[str, Any]], named: list[str] | None
) -> None:
    assert faults("7.0.3", build, *stores) == (True, named)


def test_what_is_not_read_is_not_known() -> None:
    assert faults("7.0.3", 18644231, stores_read=False) == (True, None)
    assert faults(None, 18644231, VMFS_6) == (None, None)


@pytest.mark.parametrize("version", ["6.7.0", "8.0.2", "17.0.3"])
def test_another_release_is_on_no_sheet(version: str) -> None:
    assert faults(version, 18644231, VMFS_6)[0] is False
