"""A client nobody here wrote, VMware's govc, against the lab's datastore clusters, path policies and rescans."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor_lab.scenario import parse_scenario
from tests.lab.govc import Govc, govc_on

DEVICE = "naa.624a9370aaaa"
FLEET = """
vcenters:
  - name: vc-pods
    host_build: 22380479
    devices:
      disk: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], targets: [iqn.x:disk, iqn.x:other]}
    clusters:
      - name: one
        hosts:
          - name: esx-1
            hbas: [{device: vmhba64, kind: iscsi, driver: iscsi_vmk, model: iSCSI Software Adapter, software: true}]
            devices: [disk]
    datastores:
      - {name: gold-1, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one], size_bytes: 2147483648}
      - {name: alone, type: NFS, remote_host: 198.51.100.9, remote_path: /b, clusters: [one]}
    pods:
      - {name: gold, datastores: [gold-1], io_metric: true, behavior: automated}
"""


@pytest.fixture
def govc(govc_binary: str, tmp_path: Path) -> Iterator[Govc]:
    with govc_on(govc_binary, parse_scenario(FLEET, "pods"), tmp_path) as (run, _):
        yield run


def test_govc_reads_and_changes_a_datastore_cluster(govc: Govc) -> None:
    reported = dict(line.strip().split(":", 1) for line in govc("datastore.cluster.info", "gold").splitlines())
    assert {key: value.strip() for key, value in reported.items()} == {
        "Name": "gold",
        "Path": "/dc-1/datastore/gold",
        "Capacity": "2.0 GB",
        "Free": "1.0 GB",
        "SDRS Enabled": "true",
        "SDRS Mode": "automated",
    }
    govc("datastore.cluster.change", "-drs-mode", "manual", "gold")
    (change,) = json.loads(govc("object.collect", "-json", "datastore/gold", "podStorageDrsEntry"))
    config = change["val"]["storageDrsConfig"]["podConfig"]
    assert (config["enabled"], config["defaultVmBehavior"], config["ioLoadBalanceEnabled"]) == (True, "manual", True)


def test_govc_finds_datastores_inside_and_outside_of_datastore_clusters(govc: Govc) -> None:
    assert govc("find", "/", "-type", "s").split() == ["/dc-1/datastore/gold/gold-1", "/dc-1/datastore/alone"]
    assert govc("find", "/", "-type", "StoragePod").split() == ["/dc-1/datastore/gold"]
    (change,) = json.loads(govc("object.collect", "-json", "datastore/gold/gold-1", "iormConfiguration"))
    assert change["val"]["enabled"] is True
    assert "Type: VMFS" in " ".join(govc("datastore.info", "gold-1").split())


def test_govc_reads_and_sets_paths_by_esxcli(govc: Govc) -> None:
    esxcli = ("host.esxcli", "-host", "esx-1")
    nmp = ("storage", "nmp")
    (row,) = json.loads(govc("host.esxcli", "-json", "-host", "esx-1", *nmp, "device", "list"))["values"]
    assert row["PathSelectionPolicy"] == ["VMW_PSP_RR"]
    assert row["WorkingPaths"] == ["vmhba64:C0:T0:L0", "vmhba64:C0:T1:L0"]
    govc(*esxcli, *nmp, "psp", "roundrobin", "deviceconfig", "set", "-d", DEVICE, "-t", "iops", "-I", "1")
    (config,) = json.loads(govc("host.esxcli", "-json", "-host", "esx-1", *nmp, "psp", "roundrobin", "deviceconfig", "get", "-d", DEVICE))[
        "values"
    ]
    assert (config["LimitType"], config["IOOperationLimit"], config["ByteLimit"]) == (["Iops"], ["1"], ["10485760"])
    assert config["UseActiveUnoptimizedPaths"] == ["false"]
    assert "VMW_SATP_ALUA" in govc(*esxcli, *nmp, "satp", "rule", "list")


def test_govc_rescans(govc: Govc) -> None:
    for flag in ("-rescan", "-rescan-vmfs", "-refresh"):
        assert DEVICE in govc("host.storage.info", "-host", "esx-1", flag)
