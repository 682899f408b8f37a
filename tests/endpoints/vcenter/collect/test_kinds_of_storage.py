"""Storage of every kind, by every transport: namespaces beside LUNs, local disks, vSAN, NFS 4.1, raw devices, a host in no cluster."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import ConfigurationError
from auditor.facts.needs import EVERYTHING
from auditor.model import BulkTransport, Endpoint
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from tests.endpoints.vcenter.collect.test_topics import Collected

pytestmark = pytest.mark.long

Serve = Callable[..., tuple[VCenterServer, Endpoint]]
LUN = "naa.624a93705a1f77c29b3e4d1000011010"
NAMESPACE, ROUTED = "eui.00a1b2c3d4e5f6a724a937b8c9d0e1f2", "uuid.2b6522e97f86428c91e193efa93c864f"
LOCAL, BOOT = "t10.NVMe____Lexar_SSD_NM790_2TB_____05000020035BF2CA", "t10.ATA_____DELLBOSS_VD____9a6b01"
# The forms are those of recorded hosts where there are any: an NVMe/TCP disk and a local NVMe disk (docs/domain/facts.md#1-13).
KINDS = f"""
vcenters:
  - name: vc-kinds
    host_build: 24022510
    version: 8.0.3
    devices:
      lun: {{vendor: PURE, model: FlashArray, transport: fc, names: [{LUN}], targets: ["524a937000000001"]}}
      namespace: {{vendor: NVMe, model: Pure Storage Fla, transport: fc, protocol: nvme, queue_depth: 2048,
        names: [{NAMESPACE}], targets: ["524a937000000001"]}}
      routed: {{vendor: NVMe, model: ThirdMartini NVM, transport: tcp, protocol: nvme,
        queue_depth: 126, names: [{ROUTED}], targets: [one]}}
      local: {{vendor: NVMe, model: Lexar SSD NM790, transport: pcie, protocol: nvme, local: true,
        queue_depth: 1023, names: [{LOCAL}], targets: [one]}}
      boot: {{vendor: ATA, model: DELLBOSS VD, transport: block, local: true, satp: VMW_SATP_LOCAL, psp: VMW_PSP_FIXED,
        queue_depth: 31, names: [{BOOT}], targets: [one]}}
    hosts:
      - name: esx-alone
        hbas:
          - {{device: vmhba2, kind: fc, driver: qlnativefc, model: QLogic, initiator: "2100f4e9d4000101"}}
          - {{device: vmhba66, kind: fc, protocol: nvme, driver: qlnativefc, model: QLogic, initiator: "2100f4e9d4000101"}}
          - {{device: vmhba65, kind: tcp, protocol: nvme, driver: nvmetcp, model: VMware NVMe over TCP}}
          - {{device: vmhba3, kind: pcie, protocol: nvme, driver: nvme_pcie, model: NM790}}
          - {{device: vmhba0, kind: block, driver: vmw_ahci, model: AHCI}}
          - {{device: vmhba9, kind: iscsi, driver: qla4xxx, model: QLE4062}}
        modules: {{qlnativefc: {{configured: ql2xmaxqdepth=128}}}}
        devices: [lun, namespace, routed, local, boot]
    datastores:
      - {{name: vmfs, type: VMFS, extents: [{LUN}, {NAMESPACE}], hosts: [esx-alone]}}
      - {{name: vsan, type: vsan, hosts: [esx-alone], sioc: {{supported: false}}}}
      - {{name: nfs, type: NFS41, remote_host: 198.51.100.9, remote_path: /f, hosts: [esx-alone]}}
    vms:
      - name: raw
        host: esx-alone
        disks: [{{datastore: vmfs}}, {{datastore: vmfs, raw_device: {LUN}}}, {{datastore: vsan, controller: nvme}}]
"""


@pytest.fixture(params=BulkTransport, ids=str)
def collected(request: pytest.FixtureRequest, serve_vcenter: Serve) -> Collected:
    """All of `KINDS`, by each transport."""
    _, endpoint = serve_vcenter(parse_scenario(KINDS, "kinds").vcenters[0])
    endpoint = dataclasses.replace(endpoint, lane=request.param)
    with open_vcenter(endpoint) as vcenter:
        return Collected(collect_vcenter(vcenter, endpoint, EVERYTHING))


def by(rows: list[dict[str, Any]], key: str, *names: str) -> dict[str, tuple[Any, ...]]:
    return {row[key]: tuple(row[name] for name in names) for row in rows}


def test_storage_of_every_kind_is_read_whole(collected: Collected) -> None:
    assert collected.gaps == []
    assert collected.incomplete() == set()
    tables = collected.tables
    assert by(tables["host"], "name", "cluster", "cluster_id") == {"esx-alone": (None, None)}
    # One port, one driver, two adapters: storageProtocol tells which of them speaks NVMe.
    assert by(tables["hba"], "hba", "kind", "driver") == {
        "vmhba0": ("block", "vmw_ahci"),
        "vmhba2": ("fc", "qlnativefc"),
        "vmhba3": ("nvme", "nvme_pcie"),
        "vmhba65": ("nvme", "nvmetcp"),
        "vmhba66": ("nvme", "qlnativefc"),
        "vmhba9": ("iscsi", "qla4xxx"),
    }
    # ql2xmaxqdepth governs LUNs; a namespace reports a queue of its own (docs/domain/facts.md#2).
    assert by(tables["device"], "device", "queue_depth", "is_local") == {
        LUN: (128, False),
        NAMESPACE: (2048, False),
        ROUTED: (126, False),
        LOCAL: (1023, True),
        BOOT: (31, True),
    }
    assert by(tables["path"], "device", "hba", "transport") == {
        LUN: ("vmhba2", "fc"),
        NAMESPACE: ("vmhba66", "fc"),
        ROUTED: ("vmhba65", "nvme"),
        LOCAL: ("vmhba3", "nvme"),
        BOOT: ("vmhba0", "block"),
    }
    assert by(tables["device_scheduling"], "device", "multipath_plugin") == {
        LUN: ("NMP",),
        NAMESPACE: ("HPP",),
        ROUTED: ("HPP",),
        LOCAL: ("HPP",),
        BOOT: ("NMP",),
    }
    assert {row["device"] for row in tables["device_policy"]} == {LUN, BOOT}
    # A raw device mapping names the LUN that it maps (VMware KB 2078730); its datastore only holds the pointer.
    assert [(row["rdm_mode"], row["rdm_device"]) for row in tables["vm_disk"]] == [(None, None), ("physicalMode", LUN), (None, None)]
    assert by(tables["datastore"], "name", "type", "extents", "nfs_path") == {
        "vmfs": ("VMFS", 2, None),
        "vsan": ("vsan", None, None),
        "nfs": ("NFS41", None, "/f"),
    }
    # A raw device mapping has a pointer on a datastore, and tells nothing of thin or thick.
    assert by(tables["vm_disk"], "disk", "is_thin", "controller") == {
        "Hard disk 1": (True, "pvscsi"),
        "Hard disk 2": (None, "pvscsi"),
        "Hard disk 3": (True, "nvme"),
    }
    assert by(tables["host_module"], "module", "option_string")["qla4xxx"] == ("",)


def test_an_option_for_a_module_that_no_adapter_has_is_a_slip_of_the_description() -> None:
    with pytest.raises(ConfigurationError, match="qlnativfc"):
        parse_scenario(KINDS.replace("modules: {qlnativefc", "modules: {qlnativfc"), "kinds")
