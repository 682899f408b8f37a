"""The lab's Storage Center answers in the shapes that a real one was recorded with."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from auditor_lab.arrays.dell_sc.description import (
    ControllerPortDescription,
    DellScDescription,
    HbaDescription,
    ServerDescription,
    VolumeDescription,
)
from auditor_lab.arrays.dell_sc.server import DellScServer
from auditor_lab.arrays.dell_sc.writing import date, iso_date, size
from auditor_lab.authority import Authority
from tests.required import capture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# The Storage Center of the recordings: SC 64702 of release 6.5, with the two volumes whose index and vpdId are known.
DESCRIPTION = DellScDescription(
    name="recorded",
    serial_number=64702,
    version="6.5.1.269",
    provider_version="15.3.1.186",
    api_version="2.2",
    ports=(
        ControllerPortDescription(wwn="5000D31000FCBE43", address="10.23.8.235", fault_domain="iSCSI 10G 2"),
        ControllerPortDescription(transport="fc", controller=2, wwn="5000d31000fcbe36", fault_domain="Domain 0"),
    ),
    servers=(
        ServerDescription(
            name="Server_21000024ff30441d",
            hbas=(HbaDescription(name="21000024ff30441d", transport="fc"), HbaDescription(name="iqn.1993-08.org.debian:01:52332b70525")),
            operating_system="Red Hat Linux 6.x",
        ),
    ),
    volumes=(
        VolumeDescription(
            name="volume-37883deb-85cd-426a-9a98-62eaad8671ea",
            index=3494,
            vpd_id=3496,
            size_bytes=1 << 30,
            replay_profiles=("Daily",),
            mapped_to=("Server_21000024ff30441d",),
        ),
        VolumeDescription(name="5729f1db-4c45-416c-bc15-c8ea13a4465d", index=4829, vpd_id=4831, size_bytes=1 << 30, status="Down"),
    ),
)
VOLUME = "StorageCenter/ScVolume/64702.3494"


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., httpx.Response]]:
    authority = Authority()
    authority.write(tmp_path / "ca.pem")
    server = DellScServer(DESCRIPTION, authority.server_context("127.0.0.1"), "Admin", "right")
    import ssl

    context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    headers = {"x-dell-api-version": "2.0"}
    with httpx.Client(verify=context, base_url=f"https://127.0.0.1:{server.port}/api/rest/", headers=headers) as session:
        session.post("ApiConnection/Login", auth=("Admin", "right")).raise_for_status()
        yield session.request
    server.stop()


def captured(name: str) -> Any:
    return json.loads(capture(f"dell-sc-cinder/{name}.json").read_text(encoding="utf-8"))


def kind(value: Any) -> str:
    """The JSON type; 0 and 0.5 are both numbers, true is not."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "boolean"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def differences(recorded: Any, answered: Any, where: str = "") -> list[str]:
    """What of a recorded value the lab's value lacks, or has in another type."""
    if kind(recorded) != kind(answered):
        return [f"{where}: {kind(recorded)}, not {kind(answered)}"]
    if isinstance(recorded, dict):
        lacking = [f"{where}.{name} is missing" for name in recorded if name not in answered]
        return lacking + [
            each for name in recorded if name in answered for each in differences(recorded[name], answered[name], f"{where}.{name}")
        ]
    if isinstance(recorded, list) and recorded:
        return differences(recorded[0], answered[0], f"{where}[]") if answered else [f"{where} is empty"]
    return []


def first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("recording", "method", "path"),
    [
        pytest.param("test_scapi.DellSCSanAPIConnectionTestCase.APIDICT", "GET", "ApiConnection/ApiConnection", id="the connection"),
        pytest.param("test_scapi.DellSCSanAPITestCase.SC", "GET", "StorageCenter/StorageCenter/64702", id="the Storage Center"),
        pytest.param("test_scapi.DellSCSanAPITestCase.STRG_USAGE", "GET", "StorageCenter/StorageCenter/64702/StorageUsage", id="its usage"),
        pytest.param("test_scapi.DellSCSanAPITestCase.VOLUME", "GET", VOLUME, id="a volume"),
        pytest.param("test_scapi.DellSCSanAPITestCase.VOLUME_LIST", "POST", "StorageCenter/ScVolume/GetList", id="volumes"),
        pytest.param("test_scapi.DellSCSanAPITestCase.VOLUME_CONFIG", "GET", f"{VOLUME}/VolumeConfiguration", id="its configuration"),
        pytest.param("test_scapi.DellSCSanAPITestCase.MAPPINGS", "GET", f"{VOLUME}/MappingList", id="its mappings"),
        pytest.param("test_scapi.DellSCSanAPITestCase.FC_MAPPINGS", "GET", f"{VOLUME}/MappingList", id="its Fibre Channel mappings"),
        pytest.param("test_scapi.DellSCSanAPITestCase.MAP_PROFILE", "GET", f"{VOLUME}/MappingProfileList", id="its mapping profiles"),
        pytest.param("test_scapi.DellSCSanAPITestCase.SCSERVER", "GET", "StorageCenter/ScServer/64702.1", id="a server"),
        pytest.param("test_scapi.DellSCSanAPITestCase.SCSERVERS", "POST", "StorageCenter/ScServer/GetList", id="servers"),
        pytest.param("test_scapi.DellSCSanAPITestCase.FC_HBAS", "GET", "StorageCenter/ScServer/64702.1/HbaList", id="initiators"),
        pytest.param("test_scapi.DellSCSanAPITestCase.ISCSI_HBA", "POST", "StorageCenter/ScServerHba/GetList", id="an iSCSI initiator"),
        pytest.param("test_scapi.DellSCSanAPITestCase.SVR_OS_S", "POST", "StorageCenter/ScServerOperatingSystem/GetList", id="systems"),
        pytest.param("test_scapi.DellSCSanAPITestCase.RPLAY_PROFILE", "POST", "StorageCenter/ScReplayProfile/GetList", id="schedules"),
        pytest.param("test_scapi.DellSCSanAPITestCase.STORAGE_PROFILE_LIST", "POST", "StorageCenter/ScStorageProfile/GetList", id="tiers"),
        pytest.param("test_scapi.DellSCSanAPITestCase.ISCSI_CTRLR_PORT", "POST", "StorageCenter/ScControllerPort/GetList", id="a port"),
        pytest.param("test_scapi.DellSCSanAPITestCase.FC_CTRLR_PORT", "POST", "StorageCenter/ScControllerPort/GetList", id="another port"),
        pytest.param(
            "test_scapi.DellSCSanAPITestCase.ISCSI_FLT_DOMAINS", "POST", "StorageCenter/ScIscsiFaultDomain/GetList", id="a fault domain"
        ),
    ],
)
def test_every_field_of_a_recorded_object_is_in_the_labs_object_with_its_type(ask: Any, recording: str, method: str, path: str) -> None:
    recorded, answered = captured(recording), ask(method, path)
    assert answered.status_code == 200
    assert differences(first(recorded), first(answered.json()), recording) == []


def test_every_field_of_a_recorded_task_is_in_the_labs_task_with_its_type(ask: Any) -> None:
    recorded = captured("test_scapi.DellHttpClientTestCase.ASYNCTASK")
    answered = ask("PUT", "StorageCenter/ScVolumeConfiguration/64702.3494", json={"ReadCacheEnabled": True}, headers={"Async": "True"})
    assert answered.status_code == 202
    assert differences(recorded, answered.json(), "AsyncTask") == []


def test_identities_names_and_sizes_of_the_recorded_volumes_are_those_a_real_one_gave(ask: Any) -> None:
    answered = {one["instanceId"]: one for one in ask("POST", "StorageCenter/ScVolume/GetList").json()}
    for recording in ("test_scapi.DellSCSanAPITestCase.VOLUME", "test_fc.DellSCSanFCDriverTestCase.VOLUME"):
        recorded = captured(recording)
        for name in ("index", "vpdId", "deviceId", "serialNumber", "configuredSize", "status", "active", "scName", "name", "objectType"):
            assert answered[recorded["instanceId"]][name] == recorded[name], name


def test_a_port_is_the_target_that_was_recorded(ask: Any) -> None:
    recorded = captured("test_scapi.DellSCSanAPITestCase.ISCSI_CTRLR_PORT")
    answered = ask("POST", "StorageCenter/ScControllerPort/GetList").json()[0]
    for name in ("WWN", "iscsiName", "iscsiIpAddress", "transportType"):
        assert answered[name] == recorded[name]
    # The last number is the port's index there; the one before it is the WWN.
    assert answered["instanceId"].rpartition(".")[0] == recorded["instanceId"].rpartition(".")[0]
    assert DESCRIPTION.targets() == (recorded["iscsiName"], "5000d31000fcbe36")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        pytest.param(0, "0.0 Bytes", id="nothing"),
        pytest.param(131072, "131072.0 Bytes", id="below ten million"),
        pytest.param(738197504, "7.38197504E8 Bytes", id="hundreds of millions"),
        pytest.param(1 << 30, "1.073741824E9 Bytes", id="a GiB"),
        pytest.param(1667912171520, "1.66791217152E12 Bytes", id="without the zeros at the end"),
        pytest.param(10**12, "1.0E12 Bytes", id="a power of ten"),
        pytest.param(549755813888000, "5.49755813888E14 Bytes", id="500 TiB"),
    ],
)
def test_sizes_are_written_as_recorded(count: int, text: str) -> None:
    assert size(count) == text


def test_dates_are_written_in_both_recorded_ways() -> None:
    assert date(datetime(2015, 4, 3, 6, 1, 8, tzinfo=UTC)) == "04/03/2015 12:01:08 AM"
    assert iso_date(datetime(2015, 1, 7, 20, 7, 10, tzinfo=UTC)) == "2015-01-07T14:07:10-06:00"
