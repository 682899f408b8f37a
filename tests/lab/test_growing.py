"""A new storage node: incident S0's open question, played."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import VmomiSupport, vim

from auditor_lab.scenario import load_scenario
from auditor_lab.serving import ARRAY_USER, Lab, serve
from tests.waiting import PATIENCE_SECONDS

LONG = VmomiSupport.GetVmodlType("long")
# of array sf-prod, unique id "sfpr"; the form: docs/domain/arrays.md#device-names
PROD = [f"naa.6f47acc20000000{node}7366707200000000" for node in range(1, 7)]
NEW = PROD[4]


@pytest.fixture
def lab() -> Iterator[Lab]:
    with serve(load_scenario("solidfire-vvols")) as lab:
        yield lab


@pytest.fixture
def trusted(lab: Lab, tmp_path: Path) -> ssl.SSLContext:
    lab.write_fleet(tmp_path / "fleet.yaml")
    return ssl.create_default_context(cafile=str(tmp_path / "fleet-ca.pem"))


@pytest.fixture
def client(lab: Lab, trusted: ssl.SSLContext, log_in: Callable[..., Any]) -> Iterator[Any]:
    server = lab.vcenters["vc-solidfire"]
    with log_in(server.host, server.port, trusted, password=lab.password) as client:
        yield client


@pytest.fixture
def esxcli(lab: Lab, trusted: ssl.SSLContext, plain: Any, client: Any) -> Callable[[str], dict[str, int]]:
    """DSNRO by device of a host, asked of the host itself."""
    server = lab.vcenters["vc-solidfire"]
    by_hand = plain(server, login=False, context=trusted)
    assert by_hand.login(lab.password)[0] == 200
    ids = {name: host._GetMoId() for name, host in client.hosts().items()}

    def dsnro(host: str) -> dict[str, int]:
        rows = by_hand.esxcli(ids[host], "storage core device list")
        return {row["Device"]: int(row["NoofoutstandingIOswithcompetingworlds"]) for row in rows}

    return dsnro


def element(lab: Lab, context: ssl.SSLContext, array: str, method: str) -> Any:
    server = lab.element[array]
    connection = http.client.HTTPSConnection(server.host, server.port, context=context, timeout=PATIENCE_SECONDS)
    credentials = base64.b64encode(f"{ARRAY_USER}:{lab.password}".encode()).decode()
    connection.request("POST", "/json-rpc/12.3", json.dumps({"method": method, "params": {}}), {"Authorization": f"Basic {credentials}"})
    answer = json.loads(connection.getresponse().read())["result"]
    connection.close()
    return answer


def protocol_endpoint_devices(lab: Lab, context: ssl.SSLContext, array: str) -> list[str]:
    return [f"naa.{one['scsiNAADeviceID']}" for one in element(lab, context, array, "ListProtocolEndpoints")["protocolEndpoints"]]


def seen(client: Any) -> dict[str, list[str]]:
    facts = client.read(vim.HostSystem, "name", "config.storageDevice.scsiLun").values()
    return {one["name"]: [lun.canonicalName for lun in one["config.storageDevice.scsiLun"] if lun.protocolEndpoint] for one in facts}


def test_the_array_tells_of_the_new_node_and_its_endpoint(lab: Lab, trusted: ssl.SSLContext) -> None:
    node = lab.add_storage_node("sf-prod")
    assert node.id == 5
    assert protocol_endpoint_devices(lab, trusted, "sf-prod") == PROD[:5]
    assert [one["nodeID"] for one in element(lab, trusted, "sf-prod", "ListActiveNodes")["nodes"]] == [1, 2, 3, 4, 5]
    assert len(protocol_endpoint_devices(lab, trusted, "sf-twin")) == 2


def test_every_host_that_sees_the_array_s_endpoints_sees_the_new_one_and_no_other_host_does(lab: Lab, client: Any) -> None:
    before = seen(client)
    lab.add_storage_node("sf-prod")
    lab.add_storage_node("sf-prod")
    after = seen(client)
    for host, endpoints in before.items():
        expected = PROD if host.startswith("esx-vvol") else endpoints
        assert after[host] == expected
    assert [host for host in after if NEW in after[host]] == [f"esx-vvol-{n}.lab.example" for n in (1, 2, 3, 4)]


def test_the_new_endpoint_has_the_host_s_default_also_where_the_others_were_set_by_hand(lab: Lab, esxcli: Any) -> None:
    lab.add_storage_node("sf-prod")
    assert esxcli("esx-vvol-2.lab.example") == dict(zip(PROD[:5], (256, 256, 256, 32, 32), strict=True))


def test_the_new_endpoint_takes_the_option_as_it_is_when_it_appears(lab: Lab, client: Any, esxcli: Any) -> None:
    host = client.hosts()["esx-vvol-1.lab.example"]
    host.configManager.advancedOption.UpdateOptions([vim.option.OptionValue(key="Scsi.ScsiVVolPESNRO", value=LONG(128))])
    assert set(esxcli("esx-vvol-1.lab.example").values()) == {32}
    lab.add_storage_node("sf-prod")
    assert esxcli("esx-vvol-1.lab.example") == dict(zip(PROD[:5], (32, 32, 32, 32, 128), strict=True))


def test_the_new_endpoint_stands_in_the_datastores_and_on_the_adapters(lab: Lab, client: Any) -> None:
    lab.add_storage_node("sf-prod")
    stores = {one["name"]: one["info"] for one in client.read(vim.Datastore, "name", "info").values()}
    for name, there in (("sf-vvol-a", True), ("sf-vvol-b", True), ("sf-twin-vvol", False)):
        for host in stores[name].vvolDS.hostPE:
            assert (NEW in [endpoint.deviceId for endpoint in host.protocolEndpoint]) is there
    storage = client.hosts()["esx-vvol-1.lab.example"].config.storageDevice
    lun = next(lun.key for lun in storage.scsiLun if lun.canonicalName == NEW)
    (unit,) = [unit for unit in storage.multipathInfo.lun if unit.lun == lun]
    targets = {target.iScsiName: target for target in storage.hostBusAdapter[0].configuredStaticTarget}
    (path,) = unit.path
    parameters = {one.key: one for one in targets[path.transport.iScsiName].advancedOptions}
    assert (parameters["DelayedAck"].value, parameters["DelayedAck"].isInherited) == (True, True)


def test_an_array_that_is_not_there_cannot_grow(lab: Lab) -> None:
    with pytest.raises(KeyError):
        lab.add_storage_node("sf-gone")
