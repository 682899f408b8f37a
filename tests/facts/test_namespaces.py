"""What is asked of SCSI LUNs is not asked of NVMe namespaces: the adaptive queue depth, and the queue of a port of an array."""

from typing import Any

import pytest

from .fleets import Facts, hosts
from .judged import judged

LUN = {"vendor": "NETAPP", "model": "LUN C-Mode"}
NAMESPACE = {"vendor": "NVMe", "model": "NetApp ONTAP Controller"}
OTHER_LUN = {"vendor": "PURE", "model": "FlashArray"}


def fleet(depth: int, *devices: tuple[str, dict[str, Any], str], sizes: tuple[int, int] = (0, 0)) -> Facts:
    """Two hosts with a Fibre Channel port for SCSI (vmhba1) and NVMe (vmhba64), by which they see these devices: name, inquiry, adapter.

    Source: paths of FC-NVMe are listed as `fc`, with the WWPN of the target (NetAppDocs/ontap-sanhost, `esxcfg-mpath -b`).
    """
    given = hosts(2)
    for host, size in zip(("host-1", "host-2"), sizes, strict=True):
        key = {"host_id": host}
        adapters = (("vmhba1", "fc"), ("vmhba64", "nvme"))
        given.setdefault("hba", []).extend({**key, "hba": hba, "kind": kind, "driver": "qlnativefc"} for hba, kind in adapters)
        options = {"Disk.QFullSampleSize": str(size), "Disk.QFullThreshold": "8"}
        given.setdefault("host_option", []).extend({**key, "key": name, "value": value} for name, value in options.items())
        for device, inquiry, hba in devices:
            disk = {**key, "device": device, "device_type": "disk", "is_local": False, "queue_depth": depth, **inquiry}
            given.setdefault("device", []).append(disk)
            own = {"dsnro": 32, "queue_full_sample_size": 0, "queue_full_threshold": 0}
            given.setdefault("device_scheduling", []).append({**key, "device": device, **own})
            path = {**key, "device": device, "hba": hba, "path": f"{hba} {device}", "transport": "fc", "state": "active"}
            given.setdefault("path", []).append({**path, "target": f"port of {hba}"})
    return given


@pytest.mark.parametrize(
    ("device", "verdict"),
    [
        pytest.param(("naa.1", LUN, "vmhba1"), "fail", id="a LUN"),
        pytest.param(("uuid.1", NAMESPACE, "vmhba64"), "not_applicable", id="a namespace"),
    ],
)
def test_a_namespace_answers_no_queue_full(device: tuple[str, dict[str, Any], str], verdict: str) -> None:
    # Source: KB 311232: ESXi lowers the depth on the SCSI statuses QUEUE FULL (0x28) and BUSY (0x08).
    assert judged("queue/qfull-throttle", fleet(64, device)) == {"host-1": verdict, "host-2": verdict}


@pytest.mark.parametrize(
    ("inquiry", "hba", "verdict"),
    [
        pytest.param(OTHER_LUN, "vmhba1", "fail", id="a LUN"),
        pytest.param({**NAMESPACE, "model": "Pure Storage FlashArray"}, "vmhba64", "not_applicable", id="a namespace"),
    ],
)
def test_hosts_need_not_agree_on_a_queue_full_of_namespaces(inquiry: dict[str, Any], hba: str, verdict: str) -> None:
    given = fleet(64, ("eui.1", inquiry, hba), sizes=(0, 32))
    assert judged("queue/qfull-uniform", given) == {"host-1": verdict, "host-2": verdict}


def test_the_queue_of_a_namespace_is_not_counted_at_a_port_of_the_array() -> None:
    lun, namespace = ("naa.1", LUN, "vmhba1"), ("uuid.1", NAMESPACE, "vmhba64")
    assert judged("queue/array-port-fanin", fleet(2048, lun, namespace)) == {"port of vmhba1": "fail"}
    assert judged("queue/array-port-fanin", fleet(64, lun, namespace)) == {"port of vmhba1": "pass"}
    assert judged("queue/array-port-fanin", fleet(2048, namespace)) == {}
