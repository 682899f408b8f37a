"""Which devices machines map, on which hosts, and whether as a cluster."""

import pytest

from .single import of_vc, rows_over

NODE, ALONE = ("physicalSharing", "physicalMode"), ("noSharing", "physicalMode")
"""How a node of a cluster maps a device, and a machine that has it for itself."""


@pytest.mark.parametrize(
    ("sharing", "is_clustered"),
    [
        pytest.param((NODE, NODE), True, id="nodes on several hosts"),
        pytest.param((("virtualSharing", "physicalMode"),), True, id="nodes on one host"),
        pytest.param((("virtualSharing", "virtualMode"),) * 2, False, id="nodes on one host, whose host sends reads and writes alone"),
        pytest.param((("physicalSharing", "virtualMode"),), False, id="a shared bus in virtual mode"),
        pytest.param((("physicalSharing", None),), None, id="a shared bus, and the mode is not reported"),
        pytest.param((ALONE,), False, id="one machine for itself"),
        pytest.param((("noSharing", None),), False, id="one machine for itself, and the mode is not reported"),
        pytest.param((ALONE, (None, "physicalMode")), None, id="one does not report it"),
        pytest.param(((None, "virtualMode"),), False, id="virtual mode, and the bus is not reported"),
        pytest.param((ALONE, NODE), True, id="one shares it, another does not"),
        pytest.param(((None, "physicalMode"), NODE), True, id="one shares it, another does not report it"),
    ],
)
def test_a_device_is_a_clusters_where_a_mapping_machine_may_reserve_it(
    sharing: tuple[tuple[str | None, str | None], ...], is_clustered: bool | None
) -> None:
    disks = [{"vm_id": f"vm-{n}", "rdm_device": "naa.1", "bus_sharing": bus, "rdm_mode": mode} for n, (bus, mode) in enumerate(sharing)]
    seen = [{"host_id": f"host-{n}", "device": device} for n in (1, 2) for device in ("naa.1", "naa.2")]
    rows = rows_over(
        "mapped_device",
        {
            "fact.vm_disk": of_vc(*disks, {"vm_id": "vm-9", "bus_sharing": "physicalSharing"}),
            "fact.vm": of_vc(
                *({"vm_id": f"vm-{n}", "name": f"node-{n}"} for n in range(len(sharing))),
                {"vm_id": "vm-9", "name": "it maps nothing"},
                {"endpoint": "elsewhere", "vm_id": "vm-0", "name": "a namesake"},
            ),
            "fact.device": of_vc(*seen, {"host_id": "host-3", "device": "naa.1", "operational_state": "off"}),
            "fact.host": of_vc(*({"host_id": f"host-{n}", "name": f"esx-{n}"} for n in (1, 2, 3))),
        },
    )
    assert [(row["resource_id"], row["is_clustered"]) for row in rows] == [("host-1/naa.1", is_clustered), ("host-2/naa.1", is_clustered)]
    assert {row["vm_names"] for row in rows} == {", ".join(f"node-{n}" for n in range(len(sharing)))}


@pytest.mark.parametrize(
    ("extents", "datastores_read", "holds_datastore"),
    [
        pytest.param(["naa.2"], (True, True), False, id="none, and all datastores were read"),
        pytest.param(["naa.1", "naa.1"], (False, False), True, id="two extents of it"),
        pytest.param(["naa.1"], (False, False), True, id="one that was read, and others were not"),
        pytest.param([], (True, False), None, id="another vCenter that sees it did not report its datastores"),
        pytest.param([], (True, None), None, id="nothing is known of the readings of another vCenter"),
        pytest.param([], (None, None), None, id="nothing is known of any reading"),
    ],
)
def test_a_device_holds_no_datastore_only_where_all_that_may_lie_on_it_were_read(
    extents: list[str], datastores_read: tuple[bool | None, bool | None], holds_datastore: bool | None
) -> None:
    vcenters = ("vc", "vc-2")
    readings = [
        {"endpoint": name, "datastores_read": read} for name, read in zip(vcenters, datastores_read, strict=True) if read is not None
    ]
    rows = rows_over(
        "mapped_device",
        {
            "fact.vm_disk": of_vc({"vm_id": "vm-1", "rdm_device": "naa.1", "bus_sharing": "physicalSharing"}),
            "fact.datastore_extent": [
                {"endpoint": "vc-2", "datastore_id": f"datastore-{n}", "device": device} for n, device in enumerate(extents)
            ],
            "fact.device": [{"endpoint": name, "host_id": "host-1", "device": "naa.1"} for name in vcenters],
            "fact.host": [{"endpoint": name, "host_id": "host-1", "name": "esx-1"} for name in vcenters],
            "step_endpoint_reading": readings,
        },
    )
    assert [row["holds_datastore"] for row in rows] == [holds_datastore, holds_datastore]


@pytest.mark.parametrize(
    ("marked", "extents", "state", "listed"),
    [
        pytest.param(True, ["naa.1", "naa.1"], "ok", True, id="marked, and a datastore lies on it"),
        pytest.param(False, ["naa.1"], "ok", False, id="not marked"),
        pytest.param(None, ["naa.1"], "ok", False, id="whether it is marked was not reported"),
        pytest.param(True, ["naa.2"], "ok", False, id="marked, and no datastore lies on it"),
        pytest.param(True, ["naa.1"], "off", False, id="marked and detached"),
    ],
)
def test_a_marked_device_of_a_datastore_is_listed_though_no_machine_maps_it(
    marked: bool | None, extents: list[str], state: str, listed: bool
) -> None:
    rows = rows_over(
        "mapped_device",
        {
            "fact.device": of_vc({"host_id": "host-1", "device": "naa.1", "perennially_reserved": marked, "operational_state": state}),
            "fact.host": of_vc({"host_id": "host-1", "name": "esx-1"}),
            "fact.datastore_extent": of_vc(*({"datastore_id": f"d-{n}", "device": device} for n, device in enumerate(extents))),
        },
    )
    found = [(row["resource_id"], row["is_clustered"], row["holds_datastore"], row["vm_names"]) for row in rows]
    assert found == [("host-1/naa.1", False, True, None)] * listed
