"""What the hosts see and no array accounts for is a gap with its reason, never dropped."""

from datetime import timedelta
from typing import Any

import pytest

from auditor.facts.needs import needs
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.unjoined import MOST_OF_A_KIND
from auditor.facts.table import Fact
from auditor.model import EndpointKind
from tests.facts.fleets import WHEN, Facts, array, endpoints, fill, gaps, hosts, on_all_hosts, seen, serves, snapshot

FLASH, SC, ONTAP, ELEMENT = EndpointKind.FLASHARRAY, EndpointKind.DELL_SC, EndpointKind.ONTAP, EndpointKind.ELEMENT
FA = "naa.624a93705a1f77c29b3e4d1000011010"
FA_NEXT = "naa.624a93705a1f77c29b3e4d1000011011"
FA_OTHER = "naa.624a9370d3908b5e17fc4a6200011010"
LUN = "naa.600a098038304437415d4b6a59684a52"


def fleet(*devices: dict[str, Any], count: int = 2) -> Facts:
    given = hosts(count)
    on_all_hosts(given, *devices)
    return given


def test_a_device_that_is_joined_leaves_no_gap() -> None:
    given = fleet(seen(FA, "flasharray"))
    array(given, "fa", FLASH, {"name": "db", "device": FA})
    assert list(gaps(given, fa=FLASH)) == []


def test_a_lun_that_its_array_no_longer_has_is_stale() -> None:
    given = fleet(seen(FA, "flasharray"))
    array(given, "fa", FLASH, {"name": "next", "device": FA_NEXT})
    [(endpoint, what, why)] = gaps(given, fa=FLASH)
    assert (endpoint, what) == ("vc", f"the array behind {FA}")
    assert "named like volumes of fa" in why
    assert "stale" in why
    assert "may not see" in why


def test_a_device_of_an_array_that_is_not_listed_is_said_to_be() -> None:
    given = fleet(seen(FA_OTHER, "flasharray"))
    array(given, "fa", FLASH, {"name": "db", "device": FA})
    [(_, _, why)] = gaps(given, fa=FLASH)
    assert "its array is not in fleet.yaml" in why
    assert "stale" not in why


def test_where_a_name_does_not_tell_the_array_all_reasons_are_given() -> None:
    given = fleet(seen(LUN, "ontap"))
    array(given, "n", ONTAP, {"name": "lun", "device": LUN[:-2] + "51"})
    [(_, _, why)] = gaps(given, n=ONTAP)
    assert "stale" in why
    assert "not in fleet.yaml" in why


@pytest.mark.parametrize("reached", [True, False], ids=["read in part", "not reached"])
def test_an_array_that_was_not_read_whole_is_the_reason(reached: bool) -> None:
    given = fleet(seen(FA, "flasharray"))
    array(given, "fa-1", FLASH)
    if reached:
        array(given, "fa-2", FLASH, read=False)
    [(_, _, why)] = gaps(given, fa_1=FLASH, fa_2=FLASH)
    assert "fa-2 could not be read whole" in why


def test_a_family_of_which_no_array_is_listed_is_one_gap_a_vcenter() -> None:
    given = fleet(*(seen(f"naa.6000d31000fcbe00000000000000000{n}", "dell-sc") for n in range(5)), seen(FA, "flasharray"))
    [few, single] = gaps(given)
    listed = ", ".join(f"naa.6000d31000fcbe00000000000000000{n}" for n in range(3))
    assert few[:2] == ("vc", f"the array behind 5 devices of Dell SC / Compellent ({listed} and 2 more)")
    assert "add it as kind dell-sc" in few[2]
    assert single[1] == f"the array behind {FA}"


@pytest.mark.parametrize(
    "device",
    [
        pytest.param(seen("naa.690b11c0003420d10000000000000001", "hitachi"), id="a family that cannot be read"),
        pytest.param({**seen(FA, "flasharray"), "is_local": True}, id="a local disk"),
        pytest.param({**seen("mpx.vmhba1:C0:T0:L0", "flasharray")}, id="a name that is one host's own"),
        pytest.param({**seen(FA, "flasharray"), "device_type": "cdrom"}, id="no disk"),
        pytest.param({"device": "naa.1234", "vendor": "WHO", "model": "KNOWS", "device_type": "disk"}, id="nobody knows it"),
    ],
)
def test_what_no_array_is_expected_behind_leaves_no_gap(device: dict[str, Any]) -> None:
    assert list(gaps(fleet(device))) == []


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param([("device", "device")], id="only the hosts' side"),
        pytest.param([("array_volume", "device")], id="only the arrays' side"),
    ],
)
def test_there_is_no_gap_where_only_one_side_was_asked_for(asked: list[Fact]) -> None:
    assert list(gaps(fleet(seen(FA, "flasharray")), needs(asked), fa=FLASH)) == []
    assert len(list(gaps(fleet(seen(FA, "flasharray")), needs([("device", "device"), ("array_volume", "device")]), fa=FLASH))) == 1


def test_a_name_that_two_arrays_claim_is_a_gap_that_names_both() -> None:
    given = fleet(seen(FA, "flasharray"))
    for name in ("fa-1", "fa-2"):
        array(given, name, FLASH, {"name": "db", "device": FA})
    [(_, _, why)] = gaps(given, fa_1=FLASH, fa_2=FLASH)
    assert "on fa-1, fa-2" in why


@pytest.mark.parametrize("pod", ["metro", None], ids=["stretched", "the same array twice"])
def test_two_arrays_by_right_leave_no_gap(pod: str | None) -> None:
    given = fleet(seen(FA, "flasharray"))
    for name in ("fa-1", "fa-2"):
        array(given, name, FLASH, {"name": "db", "device": FA, "pod": pod}, array_id=name if pod else "one")
    assert list(gaps(given, fa_1=FLASH, fa_2=FLASH)) == []


def test_a_name_that_is_not_of_the_familys_form_is_said_to_be_odd() -> None:
    given = fleet(seen("naa.5000c5001234abcd", "flasharray"))
    array(given, "fa", FLASH)
    [(_, _, why)] = gaps(given, fa=FLASH)
    assert "the inquiry names Pure FlashArray, whose names do not begin like this one" in why


def test_an_inquiry_and_a_name_that_contradict_each_other_are_a_gap() -> None:
    given = fleet(seen(FA, "ontap"))
    array(given, "fa", FLASH, {"name": "db", "device": FA})
    [(_, what, why)] = gaps(given, fa=FLASH)
    assert what == f"the array behind {FA} going by its name"
    assert why == "its inquiry names NetApp ONTAP, its name Pure FlashArray; the inquiry is believed"


def test_hosts_whose_inquiries_of_one_device_contradict_each_other_are_a_gap_that_names_both() -> None:
    given = fleet(seen(FA, "ontap"))
    given["host"] += hosts(3)["host"][-1:]
    given["device"].append({"host_id": "host-3", **seen(FA, "flasharray")})
    array(given, "fa", FLASH, {"name": "db", "device": FA})
    [(_, what, why)] = gaps(given, fa=FLASH)
    assert what == f"the array behind {FA} going by its inquiries"
    assert why.startswith("its hosts' inquiries name two families: flasharray, ontap; neither is believed")


def test_a_protocol_endpoint_that_its_array_does_not_present_is_a_gap() -> None:
    given = fleet(seen("naa.6f47acc2000000017366707200000000", "solidfire", is_protocol_endpoint=True))
    array(given, "sf", ELEMENT)
    [(_, _, why)] = gaps(given, sf=ELEMENT)
    assert why.startswith("no protocol endpoint of sf has this name")


def test_a_protocol_endpoint_leaves_no_gap_where_those_of_arrays_were_not_asked_for() -> None:
    given = fleet(seen("naa.6f47acc2000000017366707200000000", "solidfire", is_protocol_endpoint=True))
    both = [("device", "device"), ("array_volume", "device")]
    assert list(gaps(given, needs(both), sf=ELEMENT)) == []
    assert len(list(gaps(given, needs([*both, ("array_protocol_endpoint", "device")]), sf=ELEMENT))) == 1


def test_beyond_some_of_a_kind_the_rest_are_counted() -> None:
    given = fleet(*(seen(f"naa.624a93705a1f77c29b3e4d10{n:08x}", "flasharray") for n in range(MOST_OF_A_KIND + 7)))
    array(given, "fa", FLASH)
    found = list(gaps(given, fa=FLASH))
    assert len(found) == MOST_OF_A_KIND + 1
    assert [what for _, what, _ in found if "more devices" in what] == ["the array behind 7 more devices of Pure FlashArray"]


def test_an_nfs_datastore_whose_path_several_shares_have_is_a_gap() -> None:
    given = fleet()
    given["datastore"] = [{"datastore_id": "ds", "name": "nfs", "nfs_host": "192.0.2.9", "nfs_path": "/ds1"}]
    array(given, "n", ONTAP, *({"name": name, "kind": "share", "export_path": "/ds1"} for name in ("a", "b")))
    serves(given, "n", "192.0.2.9")
    [(_, what, why)] = gaps(given, n=ONTAP)
    assert what == "the array behind datastore nfs"
    assert why == "it mounts /ds1 of 192.0.2.9, known from n, and more than one share, or none, has that path behind the server's address"


def test_an_nfs_server_that_is_only_a_name_is_a_gap_where_an_ontap_exports_the_path() -> None:
    given = fleet()
    given["datastore"] = [{"datastore_id": "ds", "name": "nfs", "nfs_host": "nas.example.net", "nfs_path": "/ds1"}]
    array(given, "n", ONTAP, {"name": "a", "kind": "share", "export_path": "/ds1"})
    [(_, what, why)] = gaps(given, n=ONTAP)
    assert what == "the array behind datastore nfs"
    assert "declare its address or its family under nfs_servers" in why
    given["declared_nfs_server"] = [{"server": "nas.example.net", "family": "other"}]
    assert list(gaps(given, n=ONTAP)) == []


def test_an_array_that_contradicts_fleet_yaml_is_believed_and_the_contradiction_is_a_gap() -> None:
    names = [f"naa.600000e00d100000001066000{n}0000" for n in (1, 2)]
    given = fleet(*(seen(name, "eternus-dx") for name in names))
    given["declared"] = [{"devices": "naa.600000e00d*", "model": "DX90", "generation": "S1", "firmware": "V10L66"}]
    array(given, "dx", EndpointKind.ETERNUS, *({"name": name, "device": name} for name in names))
    given["array"][0].update(model="ETERNUS DX90", version="V10L66-0000")
    assert list(gaps(given, dx=EndpointKind.ETERNUS)) == []
    given["array"][0].update(version="V10L68-0000")
    [(endpoint, what, why)] = gaps(given, dx=EndpointKind.ETERNUS)
    assert (endpoint, what) == ("dx", f"the array behind {names[0]} and 1 more")
    assert "declares DX90 S1 V10L66, and the array reports DX90 V10L68-0000" in why


def test_the_join_is_looked_at_anew_when_an_endpoint_is_read_again() -> None:
    given = fleet(seen(FA, "flasharray"), seen(FA_OTHER, "flasharray"))
    array(given, "fa", FLASH, read=False)
    before = snapshot(given, fa=FLASH)
    assert len(before.gaps) == 2
    again = SnapshotBuilder()
    again.take_over(before, ["vc"])
    read: Facts = {"reading": []}
    array(read, "fa", FLASH, {"name": "db", "device": FA})
    fill(again, read)
    after = again.finish(endpoints(fa=FLASH), started=WHEN, finished=WHEN + timedelta(seconds=1))
    assert [gap.what for gap in after.gaps] == [f"the array behind {FA_OTHER}"]
    assert after.connection.execute("SELECT count(*) FROM fact.gap").fetchone() == (1,)
