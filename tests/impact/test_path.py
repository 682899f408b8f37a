"""An I/O path has every queue from guest disk to array; what was not read stands as not read, and which depth applies has its reason."""

from __future__ import annotations

import re
from typing import Any

import pytest

from auditor.impact.path import DISKS_SHOWN, Path, device_path, is_busy, share_path, slowest
from auditor.impact.stations import Figure, Place, Station, which_depth
from tests.impact.asked import DEVICE, HERE, HOST, VCENTER, Asked, device, disk, queue, row_of, s0


def test_the_path_leads_from_the_guests_disks_to_the_array() -> None:
    path = device_path(s0(), VCENTER, HOST, DEVICE)
    assert path is not None
    assert [one.name for one in path.disks] == ["noisy Hard disk 1", "quiet Hard disk 1"]  # who is at a limit comes first
    assert [one.place for one in path.stations] == [Place.WORLDS, Place.DEVICE, Place.ADAPTER, Place.PATHS, Place.VOLUME, Place.ARRAY]
    by_place = {one.place: one for one in path.stations}
    full = by_place[Place.DEVICE]
    assert (full.depth.value, full.in_flight.value, full.waiting.value, full.wait_ms.value) == (32, 32.0, 9.0, 300.0)  # type: ignore[union-attr]
    assert full.is_full
    assert full.fill == 1.0
    assert by_place[Place.VOLUME].name == "noisy.vmdk"
    assert by_place[Place.VOLUME].is_full  # twice its limit
    longest = slowest(path)
    assert longest is not None
    assert longest.place is Place.DEVICE


def test_the_disk_in_question_comes_before_the_one_at_its_limit() -> None:
    path = device_path(s0(), VCENTER, HOST, DEVICE, ["vm-quiet/Hard disk 1"])
    assert path is not None
    assert path.disks[0].name == "quiet Hard disk 1"


def test_a_disk_at_its_limit_comes_before_one_with_more_in_flight() -> None:
    disks = [disk("deep", outstanding=60.0), disk("held", outstanding=2.0, is_at_limit=True)]
    path = device_path(Asked(device=[device()], disk_stream=disks), VCENTER, HOST, DEVICE)
    assert path is not None
    assert [one.name for one in path.disks] == ["held Hard disk 1", "deep Hard disk 1"]


def test_a_device_of_which_nothing_but_its_name_was_read_has_no_figure_and_no_zero() -> None:
    path = device_path(Asked(device=[device()]), VCENTER, HOST, DEVICE)
    assert path is not None
    figures = [
        figure
        for one in path.stations
        for figure in (one.depth, one.in_flight, one.waiting, one.wait_ms, *one.figures)
        if figure is not None
    ]
    assert {figure.value for figure in figures} == {None}
    assert not is_busy(path)
    assert slowest(path) is None
    [unread] = [words for words in path.unread if words.startswith("device queue: ")]
    assert set(unread.removeprefix("device queue: ").split(", ")) >= {"depth in effect", "active", "queued", "device depth", "DSNRO"}


def test_a_device_that_the_host_has_not_is_no_path() -> None:
    assert device_path(s0(), VCENTER, "esx-2.example.net", DEVICE) is None


def test_machines_that_are_off_send_nothing_and_many_disks_are_counted() -> None:
    disks = [disk("off", runs=False), *(disk(f"vm{number}", outstanding=float(number)) for number in range(DISKS_SHOWN + 3))]
    path = device_path(Asked(device=[device()], disk_stream=disks), VCENTER, HOST, DEVICE)
    assert path is not None
    assert len(path.disks) == DISKS_SHOWN
    assert path.more_disks == 3
    assert path.disks[0].name == f"vm{DISKS_SHOWN + 2} Hard disk 1"


def test_a_machine_of_which_it_is_not_known_whether_it_runs_is_shown() -> None:
    path = device_path(Asked(device=[device()], disk_stream=[disk("maybe", runs=None)]), VCENTER, HOST, DEVICE)
    assert path is not None
    assert [one.name for one in path.disks] == ["maybe Hard disk 1"]


@pytest.mark.parametrize(
    ("known", "words"),
    [
        pytest.param(
            {"queue_depth": 256, "dsnro": 32, "worlds": 2, "worlds_at_least": 2},
            "DSNRO of 32 applies, and not the device's 256: 2 disks",
            id="two disks",
        ),
        pytest.param(
            {"queue_depth": 256, "dsnro": 32, "worlds": 1, "worlds_at_least": 1}, "own depth of 256 applies, and not DSNRO", id="one disk"
        ),
        pytest.param(
            {"queue_depth": 256, "dsnro": 32, "worlds": None, "worlds_at_least": 3},
            "DSNRO of 32 applies, and not the device's 256: at least 3",
            id="three of unknown many",
        ),
        pytest.param(
            {"queue_depth": 256, "dsnro": 32, "worlds": None, "worlds_at_least": 1},
            "is not known: it was not read how many",
            id="one known of unknown many",
        ),
        pytest.param(
            {"queue_depth": 32, "dsnro": 64, "worlds": None, "worlds_at_least": 0},
            "own depth of 32 applies: DSNRO (64) is not below",
            id="a device shallower than DSNRO",
        ),
        pytest.param(
            {"queue_depth": 256, "dsnro": None, "worlds": 2, "worlds_at_least": 2},
            "is not known: the device's depth or DSNRO was not read",
            id="DSNRO not read",
        ),
        pytest.param(
            {"queue_depth": 256, "dsnro": 32, "worlds": 2, "worlds_at_least": 2, "sioc_enabled": True},
            "Storage I/O Control manages",
            id="SIOC",
        ),
    ],
)
def test_which_depth_applies_is_said_with_the_reason(known: dict[str, Any], words: str) -> None:
    assert words in which_depth(queue(**known))


@pytest.mark.parametrize("dsnro", [None, 32, 64, 256])
@pytest.mark.parametrize("worlds", [None, 1, 2])
@pytest.mark.parametrize("depth", [None, 64, 254])
def test_the_depth_that_applies_is_the_one_that_the_queue_is_drawn_with(depth: int | None, worlds: int | None, dsnro: int | None) -> None:
    row = queue(queue_depth=depth, dsnro=dsnro, worlds=worlds, worlds_at_least=worlds or 0, depth_in_effect=32, depth_basis="counter")
    said = re.search(r"(?:depth|DSNRO) of (\d+) applies", which_depth(row))
    assert said is not None
    assert int(said[1]) == 32


def test_disks_on_a_share_have_a_path_without_a_device() -> None:
    on_share = disk("nfs", device=None, datastore="nfs-1", array_name="na", volume_id="v1", array_latency_ms=1100.0)
    asked = Asked(disk_stream=[on_share], array_volume=[row_of("array_volume", endpoint="na", volume_id="v1", volume="vol1")])
    path = share_path(asked, VCENTER, HOST, "nfs-1")
    assert path is not None
    assert path.device is None
    assert [one.place for one in path.stations] == [Place.DEVICE, Place.VOLUME, Place.ARRAY]
    assert path.stations[-1].figures[0].value == 1100.0
    assert share_path(asked, VCENTER, HOST, "another") is None


def test_an_array_that_was_asked_at_another_time_is_compared_with_care() -> None:
    known = queue(array_latency_ms=0.5, davg_ms=30.0, windows_overlap=False, array_name="sf")
    path = device_path(Asked(device=[device(array_name="sf")], device_queue=[known]), VCENTER, HOST, DEVICE)
    assert path is not None
    assert path.stations[-1].notes == ("The array was asked at another time than the host: compare with care.",)


def test_only_ports_that_the_host_reaches_count_and_the_most_loaded_is_shown() -> None:
    ports = [
        row_of("target_port", endpoint=VCENTER, target=name, array_name="fa", host_names=hosts, queue_depths_seen=depths, initiators=2)
        for name, hosts, depths in (("p1", HOST, 64), ("p2", f"{HOST}, esx-9", 512), ("p3", "esx-9", 4096))
    ]
    path = device_path(Asked(device=[device(array_name="fa")], target_port=ports), VCENTER, HOST, DEVICE)
    assert path is not None
    [port] = [one for one in path.stations if one.place is Place.PORT]
    assert port.name == "p2"
    assert "2 ports" in port.notes[0]


def test_adapters_are_those_that_carry_the_device() -> None:
    adapters = [row_of("adapter", **HERE, hba=name, driver="lpfc") for name in ("vmhba1", "vmhba2", "vmhba3")]
    asked = Asked(device=[device()], device_queue=[queue(adapter="vmhba1, vmhba3")], adapter=adapters)
    path = device_path(asked, VCENTER, HOST, DEVICE)
    assert path is not None
    assert [one.name for one in path.stations if one.place is Place.ADAPTER] == ["vmhba1 (lpfc)", "vmhba3 (lpfc)"]


def test_a_path_says_where_it_is_and_what_the_array_says_of_the_first_disk() -> None:
    path = device_path(s0(), VCENTER, HOST, DEVICE)
    assert path is not None
    assert (path.endpoint, path.cluster, path.host, path.device, path.more_disks) == (VCENTER, "gold", HOST, DEVICE, 0)
    own = Figure("the array's own latency of noisy Hard disk 1, with what QoS delays", 1500.0, "ms", "disk_stream.array_latency_ms")
    davg = Figure("the host waits for it (DAVG)", 290.0, "ms", "device_load.davg_ms")
    assert path.stations[-1] == Station(Place.ARRAY, "sf", wait_ms=davg, figures=(own,))


def test_an_array_that_is_not_of_the_fleet_is_called_as_hosts_see_it() -> None:
    asked = Asked(device=[{**device(), "vendor": "FSC", "model": "FibreCAT SX100"}], device_queue=[queue()])
    path = device_path(asked, VCENTER, HOST, DEVICE)
    assert path is not None
    assert path.stations[-1].name == "FSC FibreCAT SX100 (not in fleet.yaml)"


@pytest.mark.parametrize("overlap", [True, None])
def test_what_the_array_says_of_the_device_goes_before_what_it_says_of_a_disk(overlap: bool | None) -> None:
    known = queue(array_latency_ms=0.5, windows_overlap=overlap)
    load = row_of("device_load", **HERE, device=DEVICE, davg_ms=30.0)
    asked = Asked(device=[device()], device_load=[load], device_queue=[known], disk_stream=[disk("one", array_latency_ms=7.0)])
    path = device_path(asked, VCENTER, HOST, DEVICE)
    assert path is not None
    assert path.stations[-1].name == "(not in fleet.yaml)"
    assert path.stations[-1].figures == (Figure("the array's own latency", 0.5, "ms", "device_queue.array_latency_ms"),)
    assert path.stations[-1].notes == ()


def test_without_a_figure_of_the_array_there_is_nothing_to_compare() -> None:
    path = device_path(Asked(device=[device()], device_queue=[queue(windows_overlap=False)]), VCENTER, HOST, DEVICE)
    assert path is not None
    assert path.stations[-1].notes == ()


def test_what_the_hosts_load_was_read_as_is_on_the_path_where_the_queue_has_no_row() -> None:
    load = row_of("device_load", **HERE, device=DEVICE, davg_ms=30.0)
    path = device_path(Asked(device=[device()], device_load=[load]), VCENTER, HOST, DEVICE)
    assert path is not None
    assert path.stations[-1].wait_ms == Figure("the host waits for it (DAVG)", 30.0, "ms", "device_load.davg_ms")


def test_a_disk_of_which_nothing_in_flight_was_read_comes_after_one_with_half_a_command() -> None:
    path = device_path(Asked(device=[device()], disk_stream=[disk("a"), disk("b", outstanding=0.5)]), VCENTER, HOST, DEVICE)
    assert path is not None
    assert [one.name for one in path.disks] == ["b Hard disk 1", "a Hard disk 1"]


def test_the_volume_of_a_lun_is_the_devices_own_and_not_that_of_its_first_disk() -> None:
    volumes = [
        row_of("array_volume", endpoint=array, volume_id=one, volume=name)
        for array, one, name in (("sf", "1", "disk's"), ("fa", "1", "another array's"), ("sf", "9", "lun"), ("sf", "9", "lun again"))
    ]
    on_volume = disk("one", array_name="sf", volume_id="1")
    asked = Asked(device=[device(array_name="sf", volume_id="9")], disk_stream=[on_volume], array_volume=volumes)
    path = device_path(asked, VCENTER, HOST, DEVICE)
    assert path is not None
    assert [one.name for one in path.stations if one.place is Place.VOLUME] == ["lun"]


def test_the_path_of_a_share_is_whole() -> None:
    about = {"device": None, "datastore": "nfs-1", "array_name": "na"}
    disks = [
        disk("off", **{**about, "runs": False}),
        disk("on a device", datastore="nfs-1"),
        *(disk(f"vm{number}", **about, outstanding=float(number)) for number in range(DISKS_SHOWN + 2)),
    ]
    path = share_path(Asked(disk_stream=disks), VCENTER, HOST, "nfs-1")
    assert path is not None
    assert (path.endpoint, path.cluster, path.host) == (VCENTER, "gold", HOST)
    assert [one.name for one in path.disks] == [f"vm{number} Hard disk 1" for number in range(DISKS_SHOWN + 1, 1, -1)]
    assert path.more_disks == 2
    notes = ("The host's queue to an NFS server is not read one by one.",)
    assert path.stations[0] == Station(Place.DEVICE, "NFS datastore nfs-1", notes=notes)
    assert path.stations[-1].name == "na"
    alone = share_path(Asked(disk_stream=[disks[-1]]), VCENTER, HOST, "nfs-1")
    assert alone is not None
    assert alone.more_disks == 0


def of(*stations: Station) -> Path:
    return Path(VCENTER, None, HOST, DEVICE, (), 0, stations)


def test_only_what_was_not_read_is_called_so() -> None:
    read, unread = Figure("depth", 32), Figure("active", None)
    stations = (
        Station(Place.DEVICE, "x", depth=read, in_flight=unread, figures=(Figure("DSNRO", None), Figure("commands", 0.0))),
        Station(Place.PATHS, "fc", figures=(Figure("paths", 4),)),
        Station(Place.DEVICE, "x", in_flight=unread, wait_ms=Figure("KAVG", None)),
    )
    assert of(*stations).unread == ("device queue: active, DSNRO, KAVG",)


def waits(place: Place, wait_ms: float | None, *, is_full: bool | None = None, in_flight: float | None = None) -> Station:
    return Station(place, place.value, wait_ms=Figure("waits", wait_ms, "ms"), in_flight=Figure("in flight", in_flight), is_full=is_full)


@pytest.mark.parametrize(
    ("stations", "place"),
    [
        pytest.param([waits(Place.DEVICE, 3.0), waits(Place.ARRAY, 9.0)], Place.ARRAY, id="the array"),
        pytest.param([waits(Place.DEVICE, 9.0), waits(Place.ARRAY, 3.0)], Place.DEVICE, id="the host"),
        pytest.param([waits(Place.DEVICE, 3.0), waits(Place.ARRAY, 3.0)], Place.DEVICE, id="of two that are alike the first"),
        pytest.param(
            [waits(Place.DEVICE, 3.0, is_full=True), waits(Place.VOLUME, 1.0, is_full=True), waits(Place.ARRAY, 9.0)],
            Place.VOLUME,
            id="the array's wait is its volume's, which QoS holds back",
        ),
        pytest.param(
            [waits(Place.DEVICE, 9.0, is_full=True), waits(Place.VOLUME, 1.0, is_full=True), waits(Place.ARRAY, 3.0)],
            Place.DEVICE,
            id="QoS does not explain the wait in the host",
        ),
        pytest.param(
            [waits(Place.DEVICE, 3.0, is_full=True), waits(Place.VOLUME, 1.0, is_full=False), waits(Place.ARRAY, 9.0)],
            Place.ARRAY,
            id="a volume that nothing holds back",
        ),
    ],
)
def test_the_slowest_place_is_where_commands_wait_longest(stations: list[Station], place: Place) -> None:
    found = slowest(of(*stations))
    assert found is not None
    assert found.place is place


def test_where_no_wait_was_read_no_place_is_the_slowest_even_behind_a_volume_that_is_held_back() -> None:
    assert slowest(of(waits(Place.VOLUME, None, is_full=True), waits(Place.ARRAY, None))) is None


@pytest.mark.parametrize(
    ("station", "busy"),
    [
        pytest.param(waits(Place.DEVICE, 0.5), True, id="a wait"),
        pytest.param(waits(Place.DEVICE, 0.0, in_flight=0.5), True, id="a command in flight"),
        pytest.param(waits(Place.DEVICE, 0.0, in_flight=0.0), False, id="none"),
    ],
)
def test_a_path_is_busy_where_something_waits_or_is_worked_on(station: Station, busy: bool) -> None:
    assert is_busy(of(station)) is busy


def test_what_the_host_sends_besides_the_disks_of_a_device_is_said_on_its_path() -> None:
    disks = [disk("a", commands_per_second=60.0), disk("b", commands_per_second=20.0)]
    path = device_path(
        Asked(device=[device()], device_queue=[queue(worlds=2, commands_per_second=180.0)], disk_stream=disks), VCENTER, HOST, DEVICE
    )
    assert path is not None
    [note] = path.stations[0].notes
    assert note.startswith("Of its 180 commands a second disks send 80; the host itself sends the others")
