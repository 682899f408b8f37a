"""A client nobody here wrote, VMware's govc, against the lab's SOAP peer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor_lab.scenario import load_scenario
from tests.lab.govc import Govc, govc_on

HOST = "esx-vvol-1.lab.example"
NEWEST = "naa.6f47acc2000000047366707200000000"


@pytest.fixture
def govc(govc_binary: str, tmp_path: Path) -> Iterator[Govc]:
    with govc_on(govc_binary, load_scenario("solidfire-vvols"), tmp_path) as (run, _):
        yield run


def test_govc_walks_the_inventory(govc: Govc) -> None:
    assert "API type:     VirtualCenter" in govc("about")
    assert govc("ls").split() == ["/dc-east/vm", "/dc-east/host", "/dc-east/datastore", "/dc-east/network"]
    hosts = govc("find", "/", "-type", "h").split()
    assert len(hosts) == 8
    assert f"/dc-east/host/sf-vvol/{HOST}" in hosts
    assert govc("object.collect", "-s", f"host/sf-vvol/{HOST}", "name").strip() == HOST


def test_govc_reads_storage_facts(govc: Govc) -> None:
    assert "Type: VVOL" in " ".join(govc("datastore.info", "sf-vvol-a").split())
    assert NEWEST in govc("host.storage.info", "-host", HOST)
    assert govc("host.storage.info", "-host", HOST, "-t", "hba").split("\n")[1].split()[:3] == ["vmhba64", "00:00.0", "iscsi_vmk"]
    assert "ParaVirtualSCSIController" in govc("device.ls", "-vm", "gold-1")
    assert "poweredOn" in govc("vm.info", "gold-1")
    (change,) = json.loads(govc("object.collect", "-json", "datastore/sf-vmfs-01", "iormConfiguration"))
    assert change["val"]["enabled"] is True


def test_govc_reads_and_writes_options(govc: Govc) -> None:
    assert govc("host.option.ls", "-host", HOST, "Scsi.ScsiVVolPESNRO").split() == ["Scsi.ScsiVVolPESNRO:", "32"]
    govc("host.option.set", "-host", HOST, "Scsi.ScsiVVolPESNRO", "256")
    assert govc("host.option.ls", "-host", HOST, "Scsi.ScsiVVolPESNRO").split() == ["Scsi.ScsiVVolPESNRO:", "256"]
    assert "not correct" in govc("host.option.set", "-host", HOST, "Scsi.ScsiVVolPESNRO", "31", fails=True)
    assert govc("host.option.ls", "-host", HOST, "DataMover.MaxHWTransferSize").split()[1] == "4096"


def test_govc_runs_esxcli_by_the_letters_the_live_host_tells_it(govc: Govc) -> None:
    esxcli = ("host.esxcli", "-host", HOST, "storage", "core", "device")
    govc(*esxcli, "set", "-d", NEWEST, "-O", "256")
    (row,) = json.loads(govc("host.esxcli", "-json", *esxcli[1:], "list", "-d", NEWEST))["values"]
    assert row["NoofoutstandingIOswithcompetingworlds"] == ["256"]
    assert "CLIFault" in govc(*esxcli, "set", "-d", NEWEST, "-O", "9999", fails=True)


def test_govc_waits_for_tasks(govc: Govc) -> None:
    govc("host.maintenance.enter", HOST)
    assert govc("object.collect", "-s", f"host/sf-vvol/{HOST}", "runtime.inMaintenanceMode").strip() == "true"
    govc("host.maintenance.exit", HOST)
    assert govc("object.collect", "-s", f"host/sf-vvol/{HOST}", "runtime.inMaintenanceMode").strip() == "false"
