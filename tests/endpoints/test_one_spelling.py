"""Names that two endpoints report are compared as texts: every reader writes them as a host says them of its adapters and disks.

iSCSI names and world wide names have no case, and arrays keep the capitals that a person typed (NetApp/trident#1135,
dell/ansible-powermax#26); world wide names come with colons and without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.dell_sc import rows as dell_sc
from auditor.endpoints.dothill import hosts as dothill
from auditor.endpoints.element import access_rows as element
from auditor.endpoints.eseries import rows as eseries
from auditor.endpoints.eternus import machine_format as eternus
from auditor.endpoints.flasharray import hosts as flasharray
from auditor.endpoints.flasharray import rows as flasharray_rows
from auditor.endpoints.nimble import hosts as nimble
from auditor.endpoints.nimble import rows as nimble_rows
from auditor.endpoints.ontap import rows as ontap
from auditor.endpoints.powerstore import hosts as powerstore
from auditor.endpoints.vcenter.bulk.shapes import HostBusAdapter, ScsiLun
from auditor.endpoints.vcenter.collect.storage import device_name, wwn
from auditor.model.endpoint_kinds import is_array, package_types

if TYPE_CHECKING:
    from collections.abc import Callable

IQN = "iqn.1998-01.com.vmware:esx-01-4f5a"
WWPN = "10000090fa0000af"


def record(**value: Any) -> Record:
    return Record(value, "a thing", ParseErrors("a list"))


def _colons(name: str) -> str:
    return ":".join(name[place : place + 2] for place in range(0, len(name), 2))


def _first(found: Any) -> Any:
    return next(iter(found))["initiator"]


def _known(name: str, bus: str) -> Any:
    return dothill.known_hosts({}, {"initiator": [{"id": name, "host-bus-type": bus}]}, ParseErrors("initiators")).initiators


def _powerstore(name: str, kind: str) -> Any:
    return powerstore.hosts_of(
        [record(id="1", name="esx", os_type="ESXi", initiators=[{"port_name": name, "port_type": kind}])], {}, "initiators"
    ).initiators


ISCSI: dict[str, Callable[[str], Any]] = {
    "dell-sc": lambda name: dell_sc.initiator_row(record(portType="Iscsi", name=name), "1")["initiator"],
    "dothill": lambda name: _first(_known(name, "iSCSI")),
    "element": lambda name: (element.initiator(name) or [None])[0],
    "eseries": lambda name: (eseries.initiator_row(record(type="iscsi", address=name), "1") or {})["initiator"],
    "eternus": eternus.iscsi_name,
    "flasharray": lambda name: _first(flasharray.initiator_rows(record(name="esx", wwns=[], iqns=[name], nqns=[]))),
    "nimble": lambda name: _first(nimble.initiator_rows(record(id="1", iscsi_initiators=[{"iqn": name}], fc_initiators=None))),
    "ontap": lambda name: (ontap.initiator_of(name) or [None])[0],
    "powerstore": lambda name: _first(_powerstore(name, "iSCSI")),
}
FIBRE_CHANNEL: dict[str, Callable[[str], Any]] = {
    "dell-sc": lambda name: dell_sc.initiator_row(record(portType="FibreChannel", name=name), "1")["initiator"],
    "dothill": lambda name: _first(_known(name, "FC")),
    "element": lambda name: (element.initiator(_colons(name.replace(":", ""))) or [None])[0],
    "eseries": lambda name: (eseries.initiator_row(record(type="fc", address=name), "1") or {})["initiator"],
    "flasharray": lambda name: _first(flasharray.initiator_rows(record(name="esx", wwns=[name], iqns=[], nqns=[]))),
    "nimble": lambda name: _first(nimble.initiator_rows(record(id="1", iscsi_initiators=None, fc_initiators=[{"wwpn": name}]))),
    "ontap": lambda name: (ontap.initiator_of(_colons(name.replace(":", ""))) or [None])[0],
    "powerstore": lambda name: _first(_powerstore(name, "FC")),
}
"""By the kind of array, its reader of a host's initiator; an ETERNUS prints WWNs in one form, which tests/endpoints/eternus reads."""


def test_every_kind_of_array_is_here() -> None:
    assert {*ISCSI} == {one.kind.value for one in package_types() if is_array(one.kind)}
    assert {*ISCSI} - {*FIBRE_CHANNEL} == {"eternus"}


@pytest.mark.parametrize("kind", ISCSI)
@pytest.mark.parametrize("name", [IQN, IQN.upper(), "IQN." + IQN[4:], "EUI.02004567A425678D"])
def test_an_iscsi_initiator_is_what_the_host_says(kind: str, name: str) -> None:
    assert ISCSI[kind](name) == name.lower()


@pytest.mark.parametrize("kind", FIBRE_CHANNEL)
@pytest.mark.parametrize("name", [WWPN, WWPN.upper(), _colons(WWPN), _colons(WWPN).upper()])
def test_a_world_wide_name_is_what_the_host_says(kind: str, name: str) -> None:
    assert FIBRE_CHANNEL[kind](name) == WWPN


def test_hosts_say_them_in_small_letters() -> None:
    adapter = HostBusAdapter(type_name="HostFibreChannelHba", port_world_wide_name=int(WWPN, 16))
    assert wwn(adapter.port_world_wide_name) == WWPN
    assert wwn(int(WWPN, 16) - (1 << 64)) == WWPN  # a signed number in the API
    assert device_name(ScsiLun(type_name="HostScsiDisk", canonical_name="naa.624A9370AB")) == "naa.624a9370ab"
    assert device_name(ScsiLun(type_name="HostScsiDisk", canonical_name="eui.00AB24A937")) == "eui.00ab24a937"


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        (flasharray_rows.device_of("5A1F77C29B3E4D1000011011", by_nvme=False), "naa.624a93705a1f77c29b3e4d1000011011"),
        (flasharray_rows.device_of("5A1F77C29B3E4D1000011011", by_nvme=True), "eui.005a1f77c29b3e4d24a9371000011011"),
        (nimble_rows.device_of("C7EEF900C7CC0AD06C9CE9003A6EB93C"), "eui.c7eef900c7cc0ad06c9ce9003a6eb93c"),
        (record(wwn="NAA.68CCF09800D1000000000000000000E2").device("wwn"), "naa.68ccf09800d1000000000000000000e2"),
        (record(worldWideName="600A098000E3C1B000002CED62CF874D").device("worldWideName"), "naa.600a098000e3c1b000002ced62cf874d"),
    ],
    ids=["FlashArray", "FlashArray by NVMe", "Nimble", "PowerStore", "E-Series"],
)
def test_a_volume_has_the_name_of_the_hosts_device(device: str | None, expected: str) -> None:
    assert device == expected
