"""What is known to be wrong fails, whatever else of the same thing was not read or is never reported."""

import pytest

from .fleets import Facts, hosts, seen
from .judged import judged

pytestmark = pytest.mark.long


def pod_of(*types: str) -> Facts:
    """A datastore cluster with a datastore of each of these types; none reports on which media it lies."""
    given = hosts()
    given["storage_pod"] = [{"pod_id": "p1", "name": "pod", "sdrs_enabled": True, "io_metric_enabled": False}]
    given["datastore"] = [{"datastore_id": f"ds-{at}", "name": f"ds-{at}", "type": kind, "pod_id": "p1"} for at, kind in enumerate(types)]
    return given


@pytest.mark.parametrize(("types", "verdict"), [(("NFS", "VMFS"), "fail"), (("NFS", "NFS"), "unknown")])
def test_nfs_beside_vmfs_in_one_datastore_cluster_fails_though_nfs_reports_no_media(types: tuple[str, ...], verdict: str) -> None:
    """VMware, datastore cluster requirements: NFS and VMFS datastores cannot be combined in one."""
    assert {*judged("sdrs/cluster-homogeneous", pod_of(*types)).values()} == {verdict}


@pytest.mark.parametrize(
    ("modes", "verdict"),
    [
        pytest.param(("ATS", "ATS+SCSI", None), "fail", id="two differ"),
        pytest.param(("ATS upgrade pending", None, None), "fail", id="a change is not over"),
        pytest.param(("ATS", "ATS-only", None), "unknown", id="two words for one mode"),
        pytest.param(("ATS", "ATS", "ATS"), "pass", id="all alike"),
    ],
)
def test_locking_modes_that_differ_fail_though_a_third_host_did_not_tell(modes: tuple[str | None, ...], verdict: str) -> None:
    given = hosts(3)
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VMFS", "vmfs_uuid": "u"}]
    given["datastore_mount"] = [{"host_id": host["host_id"], "datastore_id": "ds"} for host in given["host"]]
    given["vmfs_lockmode"] = [
        {"host_id": host["host_id"], "vmfs_uuid": "u", "volume_name": "ds", "locking_mode": mode}
        for host, mode in zip(given["host"], modes, strict=True)
        if mode is not None
    ]
    assert {*judged("vaai/lockmode", given).values()} == {verdict}


def test_a_protocol_endpoint_without_a_path_fails_though_none_is_left_to_report_a_policy() -> None:
    given = hosts()
    for host, paths in zip(given["host"], (2, 0), strict=True):
        key = {"host_id": host["host_id"], "device": "naa.6f47acc2aa"}
        given.setdefault("device", []).append(key | seen("naa.6f47acc2aa", "solidfire", is_protocol_endpoint=True))
        given.setdefault("path", []).extend(
            key | {"hba": "vmhba64", "path": f"p{at}", "state": "active", "transport": "iscsi", "psp": "VMW_PSP_RR"} for at in range(paths)
        )
    verdicts = judged("vvol/pe-paths", given)
    assert {key[:6]: verdict for key, verdict in verdicts.items()} == {"host-1": "pass", "host-2": "fail"}
