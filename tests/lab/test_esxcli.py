from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditor_lab.vcenter.description.modules import MODULES, parse_options
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL, ESXCLI_WRITE
from auditor_lab.wire import Fault

DISK, ENDPOINT = "naa.624a9370aaaa", "naa.6f47acc2000000017366707200000000"
DSNRO = "NoofoutstandingIOswithcompetingworlds"
SET = "storage core device set"


@pytest.fixture
def esxcli(plain: Callable[..., Any], vcenter: VCenterServer) -> Callable[..., Any]:
    client = plain(vcenter)

    def run(command: str, host_id: str = "host-11", **arguments: object) -> Any:
        return client.esxcli(host_id, command, **arguments)

    return run


def test_the_device_list_has_the_fields_of_esxcli(esxcli: Callable[..., Any]) -> None:
    rows = {row["Device"]: row for row in esxcli("storage core device list")}
    assert set(rows) == {DISK, "naa.624a9370bbbb", ENDPOINT}
    # A sample of docs/domain/facts.md#1-11, blanks, hyphens and units gone.
    asked = {
        DSNRO,
        "DeviceMaxQueueDepth",
        "IsVVOLPE",
        "QueueFullSampleSize",
        "QueueFullThreshold",
        "VAAIStatus",
        "MultipathPlugin",
        "Vendor",
    }
    assert asked <= set(rows[DISK])
    assert (rows[DISK]["IsVVOLPE"], rows[ENDPOINT]["IsVVOLPE"]) == ("false", "true")
    assert (rows[DISK]["DeviceMaxQueueDepth"], rows[DISK]["VAAIStatus"]) == ("128", "supported")


def test_an_ordinary_device_starts_with_32_and_an_endpoint_with_the_build_s_option(esxcli: Callable[..., Any]) -> None:
    depths = {row["Device"]: row[DSNRO] for row in esxcli("storage core device list")}
    assert (depths[DISK], depths[ENDPOINT]) == ("32", "256")  # docs/domain/facts.md#1-4: 256 from 7.0 U2


def test_one_device_can_be_asked_for(esxcli: Callable[..., Any]) -> None:
    assert [row["Device"] for row in esxcli("storage core device list", device=ENDPOINT)] == [ENDPOINT]
    assert "naa.none" in esxcli("storage core device list", device="naa.none")


@pytest.mark.parametrize(
    ("device", "value"),
    [
        pytest.param(DISK, 1, id="the least"),
        pytest.param(DISK, 256, id="the most of an ordinary device, above its depth of 128"),
        pytest.param(ENDPOINT, 4096, id="the most of an endpoint"),
    ],
)
def test_a_good_value_sticks_on_this_host_only_and_leaves_the_depth_alone(device: str, value: int, esxcli: Callable[..., Any]) -> None:
    assert esxcli(SET, device=device, schednumreqoutstanding=value) == "true"
    (row,) = esxcli("storage core device list", device=device)
    assert (row[DSNRO], row["DeviceMaxQueueDepth"]) == (str(value), "128")
    (other,) = esxcli("storage core device list", host_id="host-12", device=device)
    assert other[DSNRO] != str(value)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"device": DISK, "schednumreqoutstanding": 0}, id="zero"),
        pytest.param({"device": DISK, "schednumreqoutstanding": 257}, id="too much for an ordinary device"),
        pytest.param({"device": ENDPOINT, "schednumreqoutstanding": 4097}, id="too much for an endpoint"),
        pytest.param({"device": DISK, "schednumreqoutstanding": "many"}, id="not a number"),
        pytest.param({"device": DISK, "O": 256}, id="a letter instead of a name"),
        pytest.param({"device": DISK, "o": 256}, id="the letter of the report"),
        pytest.param({"schednumreqoutstanding": 64}, id="no device"),
        pytest.param({"device": "naa.none", "schednumreqoutstanding": 64}, id="no such device"),
    ],
)
def test_a_bad_call_is_a_fault_and_changes_nothing(
    arguments: dict[str, object], esxcli: Callable[..., Any], vcenter: VCenterServer
) -> None:
    before = esxcli("storage core device list")
    version = vcenter.state.version
    assert esxcli(SET, **arguments) not in ("true", "")
    assert esxcli("storage core device list") == before
    assert vcenter.state.version == version


def test_a_device_s_own_value_survives_a_reboot(esxcli: Callable[..., Any], vcenter: VCenterServer) -> None:
    esxcli(SET, device=ENDPOINT, schednumreqoutstanding=64)
    with vcenter.state.lock:
        vcenter.state.hosts["host-11"].reboot()
    (row,) = esxcli("storage core device list", device=ENDPOINT)
    assert row[DSNRO] == "64"


def test_offload_status_names_each_primitive(esxcli: Callable[..., Any]) -> None:
    rows = {row["Device"]: row for row in esxcli("storage core device vaai status get")}
    assert set(rows[DISK]) == {"Device", "VAAIPluginName", "ATSStatus", "CloneStatus", "ZeroStatus", "DeleteStatus"}
    assert rows[DISK]["ATSStatus"] == "supported"


def test_the_lock_mode_of_every_vmfs_volume_a_host_mounts(esxcli: Callable[..., Any]) -> None:
    assert [(row["VolumeName"], row["LockingMode"]) for row in esxcli("storage vmfs lockmode list")] == [("fast", "ATS")]


def test_a_module_s_parameters_come_with_the_configured_value_and_without_misspelt_ones(
    esxcli: Callable[..., Any], vcenter: VCenterServer
) -> None:
    with vcenter.state.lock:
        vcenter.state.hosts["host-11"].modules["iscsi_vmk"].configured = "iscsivmk_LunQDepth=256 qlfxmaxqdepth=255"
    rows = {row["Name"]: row for row in esxcli("system module parameters list", module="iscsi_vmk")}
    assert (rows["iscsivmk_LunQDepth"]["Value"], rows["iscsivmk_HostQDepth"]["Value"]) == ("256", "")
    assert rows["iscsivmk_LunQDepth"]["Description"] == "Maximum Outstanding Commands Per LUN"
    assert "qlfxmaxqdepth" not in rows
    assert "lpfc" in esxcli("system module parameters list", module="lpfc")
    assert [row["Name"] for row in esxcli("system module list")] == ["iscsi_vmk"]


def test_a_command_that_does_not_exist_is_not_found(esxcli: Callable[..., Any]) -> None:
    assert esxcli("storage core device frobnicate") == "The object or item referred to could not be found."


@pytest.mark.parametrize(
    ("module", "options", "depth"),
    [
        pytest.param("iscsi_vmk", "", 128, id="software iSCSI as installed"),
        pytest.param("iscsi_vmk", "iscsivmk_LunQDepth=256", 256, id="software iSCSI after S0's fix"),
        pytest.param("qlnativefc", "", 64, id="QLogic as installed"),
        pytest.param("qlnativefc", "qlfxmaxqdepth=255", 64, id="QLogic with the report's slip"),
        pytest.param("qlnativefc", "ql2xmaxqdepth=255 ql2xloginretrycount=60 qlport_down_retry=60", 255, id="QLogic with several options"),
        pytest.param("lpfc", "", 32, id="Emulex as installed"),
        pytest.param("nfnic", "", 32, id="Cisco as installed"),
    ],
)
def test_the_depth_follows_the_option_string_the_module_was_loaded_with(module: str, options: str, depth: int) -> None:
    assert MODULES[module].queue_depth(options) == depth


def test_the_last_of_two_equal_parameters_wins() -> None:
    assert parse_options("a=1 b=2  a=3") == {"a": "3", "b": "2"}


def test_the_read_privilege_is_not_enough_to_write(esxcli: Callable[..., Any], vcenter: VCenterServer) -> None:
    vcenter.privileges = ALL - {ESXCLI_WRITE}
    assert len(esxcli("storage core device list")) == 3
    assert esxcli(SET, device=DISK, schednumreqoutstanding=64) == "NoPermission"
    vcenter.privileges = ALL - {"Host.Config.Settings"}
    assert esxcli("storage core device list") == "NoPermission"


def test_without_a_session_no_command_runs(plain: Callable[..., Any], vcenter: VCenterServer) -> None:
    assert plain(vcenter, login=False).esxcli("host-11", "storage core device list") == "NotAuthenticated"


def test_an_executer_is_worth_nothing_once_the_session_is_gone(plain: Callable[..., Any], vcenter: VCenterServer) -> None:
    client = plain(vcenter)
    vcenter.sessions.expire()
    status, answer = client.post(
        '<ExecuteSoap xmlns="urn:vim25"><_this type="ReflectManagedMethodExecuter">ManagedMethodExecuter-host-11</_this>'
        "<moid>ha-cli-handler-storage-core-device</moid><version>urn:vim25/5.0</version>"
        "<method>vim.EsxCLI.storage.core.device.list</method></ExecuteSoap>"
    )
    assert status == 500
    assert answer.find(".//{urn:vim25}NotAuthenticatedFault") is not None


def test_a_fault_can_pick_one_command(esxcli: Callable[..., Any], vcenter: VCenterServer) -> None:
    vcenter.faults.active = [Fault("drop", operation="storage.vmfs.lockmode.list")]
    assert esxcli("storage core device list")
    with pytest.raises(OSError):  # noqa: PT011  which one depends on the moment
        esxcli("storage vmfs lockmode list")
    assert "storage.core.device.list" in vcenter.requests
