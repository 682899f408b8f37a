from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from auditor.apply.interlocks import interlock
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Limits, Resource, Scalar, Secret, Target, Tls
from auditor_lab.description import LabFleet
from auditor_lab.serving import VCENTER_USER, serve
from auditor_lab.vcenter.description.datastores import DatastoreDescription
from auditor_lab.vcenter.description.hosts import ClusterDescription, HostDescription
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.wire import Fault

LOCKING = "VMFS3.HardwareAcceleratedLocking"
DISK = "naa.600000e00d2a0000002a1b4c00010000"
HOSTS = ("esx-none", "esx-scsi", "esx-ats", "esx-guide", "esx-both", "esx-vsan", "esx-odd", "esx-away")


def _store(name: str, locking_mode: str, *hosts: str, kind: str = "VMFS") -> DatastoreDescription:
    extents = (DISK,) if kind == "VMFS" else ()
    return DatastoreDescription(name=name, type=kind, hosts=hosts, locking_mode=locking_mode, extents=extents)


FLEET = LabFleet(
    vcenters=(
        VCenterDescription(
            name="vc-east",
            clusters=(
                ClusterDescription(
                    name="gold",
                    hosts=tuple(
                        HostDescription(
                            name=name,
                            version="8.0.2",
                            build=22380479,
                            vsan_enabled=name == "esx-vsan",
                            connection_state="disconnected" if name == "esx-away" else "connected",
                        )
                        for name in HOSTS
                    ),
                ),
            ),
            datastores=(
                _store("upgraded", "ATS+SCSI", "esx-scsi", "esx-both"),
                _store("new", "ATS", "esx-ats", "esx-both"),
                _store("guide", "ATS-only", "esx-guide"),
                _store("strange", "unavailable", "esx-odd"),
                _store("share", "ATS", "esx-none", kind="NFS"),
            ),
        ),
    )
)


def change(host_id: str, option: str = LOCKING, after: Scalar = 0) -> Change:
    resource = Resource("host", host_id, host_id, "vc-east", "gold", host_id)
    target = Target("vc-east", (("host_id", host_id), ("option", option)))
    return Change("host.option", FixClass.ONLINE, target, 1, after, ("vaai/eternus-dx-s1-firmware",), resource, "reason")


@contextmanager
def _served(tmp_path: Path) -> Iterator[tuple[Any, Any, dict[str, str]]]:
    """The lab's vCenter, a session with it, and host ids by name."""
    with serve(FLEET) as lab:
        server = lab.vcenters["vc-east"]
        lab.authority.write(tmp_path / "ca.pem")
        (tmp_path / "password").write_text(lab.password)
        endpoint = Endpoint(
            "vc-east",
            EndpointKind.VCENTER,
            server.host,
            server.port,
            VCENTER_USER,
            Secret("file", (str(tmp_path / "password"),)),
            Tls(ca=str(tmp_path / "ca.pem")),
            Limits(timeout_seconds=5),
        )
        with open_vcenter(endpoint) as session:
            from pyVmomi import vim

            yield server, session, {facts.values["name"]: facts.id for facts in session.read(vim.HostSystem, ("name",))}


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any, dict[str, str]]]:
    with _served(tmp_path_factory.mktemp("peer")) as served:
        yield served


@pytest.fixture
def own_peer(tmp_path: Path) -> Iterator[tuple[Any, Any, dict[str, str]]]:
    with _served(tmp_path) as served:
        yield served


@pytest.mark.parametrize(
    ("host", "objection"),
    [
        pytest.param("esx-none", None, id="no VMFS at all"),
        pytest.param("esx-scsi", None, id="a volume that can lock by SCSI reservations too"),
        pytest.param("esx-ats", "1 VMFS volumes of the host lock by ATS only", id="an ATS-only volume"),
        pytest.param("esx-guide", "1 VMFS volumes of the host lock by ATS only", id="ATS-only as the storage guide writes it"),
        pytest.param("esx-both", "1 VMFS volumes of the host lock by ATS only", id="one ATS-only volume among others"),
        pytest.param("esx-vsan", "the host is in vSAN", id="vSAN"),
        pytest.param("esx-odd", "locking mode of VMFS volume .* is unavailable", id="a mode nobody knows"),
        pytest.param("esx-away", "", id="a disconnected host"),
    ],
)
def test_hardware_locking_is_never_switched_off_where_nothing_else_locks(peer: Any, host: str, objection: str | None) -> None:
    _, session, ids = peer
    why = interlock(change(ids[host]), session)
    if objection is None:
        assert why is None
    else:
        assert why is not None
        assert re.search(objection, why)


@pytest.mark.parametrize(
    "option",
    [
        pytest.param("VMFS3.HardwareAcceleratedLocking", id="its name"),
        pytest.param("vmfs3.hardwareacceleratedlocking", id="another case"),
        pytest.param("/VMFS3/HardwareAcceleratedLocking", id="its path"),
    ],
)
@pytest.mark.parametrize("after", [0, False, "0", None, True, "1", 1.0, -1], ids=repr)
def test_no_spelling_of_the_option_and_no_type_of_the_value_gets_round_it(peer: Any, option: str, after: Scalar) -> None:
    _, session, ids = peer
    assert interlock(change(ids["esx-ats"], option, after), session) is not None


@pytest.mark.parametrize(
    ("option", "after"),
    [
        pytest.param(LOCKING, 1, id="switching it on"),
        pytest.param("DataMover.HardwareAcceleratedInit", 0, id="another VAAI primitive"),
    ],
)
def test_other_writes_pass_without_asking_the_host(peer: Any, option: str, after: Scalar) -> None:
    server, session, ids = peer
    before = len(server.requests)
    assert interlock(change(ids["esx-ats"], option, after), session) is None
    assert len(server.requests) == before


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        pytest.param("storage.vmfs.lockmode.list", "drop", id="the connection drops at the locking modes"),
        pytest.param("storage.vmfs.lockmode.list", "garbage", id="nonsense for the locking modes"),
        pytest.param("storage.vmfs.lockmode.list", "truncate", id="half an answer for the locking modes"),
        pytest.param("RetrievePropertiesEx", "drop", id="the connection drops at vSAN"),
        pytest.param("RetrievePropertiesEx", "garbage", id="nonsense for vSAN"),
    ],
)
def test_a_state_that_cannot_be_read_counts_as_dangerous(own_peer: Any, operation: str, kind: str) -> None:
    server, session, ids = own_peer
    server.faults.active.append(Fault(kind, operation))
    why = interlock(change(ids["esx-scsi"]), session)
    assert why is not None
    assert "could not be read" in why or "does not report" in why


@pytest.mark.parametrize("privilege", ["Host.Config.Settings", "System.Read"])
def test_an_account_that_may_not_read_it_may_not_disable_it(own_peer: Any, privilege: str) -> None:
    server, session, ids = own_peer
    server.privileges -= {privilege}
    assert interlock(change(ids["esx-scsi"]), session) is not None


def _without_vsan(config: Any) -> None:
    config.vsanHostConfig = None


def _with_another_volume(config: Any) -> None:
    from pyVmomi import vim

    extent = vim.host.ScsiDisk.Partition(diskName=DISK, partition=2)
    volume = vim.host.VmfsVolume(type="VMFS", name="late", capacity=1, blockSizeMb=1, maxBlocks=1, majorVersion=6, version="6.82")
    volume.uuid, volume.extent, volume.vmfsUpgradable = "5bdeb2a1-00000000-0000-000000000001", [extent], False
    config.fileSystemVolume.mountInfo = [
        *config.fileSystemVolume.mountInfo,
        vim.host.FileSystemMountInfo(mountInfo=config.fileSystemVolume.mountInfo[0].mountInfo, volume=volume),
    ]


@pytest.mark.parametrize(
    ("withhold", "objection"),
    [
        pytest.param(_without_vsan, "does not report whether it is in vSAN", id="whether it is in vSAN"),
        pytest.param(
            _with_another_volume, "locking mode of VMFS volume .* is not reported", id="the locking mode of a volume it has mounted"
        ),
    ],
)
def test_a_state_that_the_host_does_not_report_counts_as_dangerous(own_peer: Any, withhold: Callable[[Any], None], objection: str) -> None:
    from pyVmomi import vim

    server, session, ids = own_peer
    managed = server.inventory.find(vim.HostSystem(ids["esx-scsi"]))
    whole = managed.properties["config"]

    def in_part() -> Any:
        config = whole()
        withhold(config)
        return config

    assert interlock(change(ids["esx-scsi"]), session) is None
    managed.properties["config"] = in_part
    managed.built.clear()
    assert re.search(objection, interlock(change(ids["esx-scsi"]), session) or "")


def test_a_host_that_is_gone_is_not_switched(peer: Any) -> None:
    _, session, _ = peer
    assert interlock(change("host-9999"), session) is not None
