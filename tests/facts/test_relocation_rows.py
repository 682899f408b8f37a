"""Every column of the view `relocation`, and the step below it: from where to where disks are moved, and what is not known of it."""

from typing import Any

import pytest

from .elsewhere import with_namesakes
from .single import Rows, of_vc, rows_over

ARRAYS: Rows = [
    {"endpoint": "east", "array_key": "flasharray 1"},
    {"endpoint": "east again", "array_key": "flasharray 1"},
    {"endpoint": "west", "array_key": "flasharray 2"},
    {"endpoint": "manager", "array_key": None},
]
PLACES = {
    "east 1": ("naa.1", "east", "flasharray"),
    "east 2": ("naa.2", "east again", "flasharray"),
    "west": ("naa.3", "west", "flasharray"),
    "sc": ("naa.4", "manager", "dell-sc"),
    "sc 2": ("naa.5", "manager", "dell-sc"),
    "nobody's": ("naa.6", None, None),
}
"""Datastores: the device each lies on, the array's endpoint and the device's family."""


def moves_over(tables: dict[str, Rows]) -> Rows:
    """The view's rows, with what its step says of where datastores lie."""
    below = {name: tables[name] for name in ("fact.datastore", "step_datastore_volume", "device", "step_array")}
    return rows_over("relocation", tables | {"step_datastore_place": rows_over("step_datastore_place", below)})


def moved(
    *sources: str | None,
    target: str | None,
    description: str = "VirtualMachine.relocate",
    read: bool = True,
    also: dict[str, Rows] | None = None,
) -> Rows:
    """The rows where a machine with a disk on each of these datastores is being moved."""
    volumes = [
        {"datastore_id": name, "device": device, "array_endpoint": array, "array_name": array}
        for name, (device, array, _) in PLACES.items()
    ]
    tables: dict[str, Rows] = {
        "fact.running_task": of_vc(
            {"task_id": "task-1", "description_id": description, "entity_id": "vm-1", "entity_name": "web", "state": "running"}
            | {"progress_percent": 40, "target_datastore_id": target}
        ),
        "fact.vm": of_vc({"vm_id": "vm-1", "host_id": "h1", "disks_read": read}),
        "fact.vm_disk": of_vc(
            *({"vm_id": "vm-1", "disk": f"d{n}", "datastore_id": name} for n, name in enumerate(sources)),
            {"vm_id": "vm-2", "disk": "d", "datastore_id": "west"},
        ),
        "fact.host": of_vc({"host_id": "h1", "name": "host 1", "cluster": "gold"}, {"host_id": "h2", "name": "host 2", "cluster": "tin"}),
        "fact.datastore": of_vc(
            *({"datastore_id": name, "name": f"{name}!"} for name in (*PLACES, "share", "spanned", "disputed", "half", "two filers"))
        ),
        "step_datastore_volume": of_vc(
            *volumes,
            {"datastore_id": "share", "array_endpoint": "filer", "array_name": "filer", "family": "ontap"},
            {"datastore_id": "disputed", "device": "naa.7"},
            {"datastore_id": "half", "device": "naa.1", "array_endpoint": "east", "array_name": "east"},
            {"datastore_id": "half", "device": "naa.6"},
            {"datastore_id": "two filers", "array_endpoint": "filer", "family": "isilon"},
            {"datastore_id": "two filers", "array_endpoint": "filer", "family": "ontap"},
            {"datastore_id": "spanned", "device": "naa.1", "array_endpoint": "east", "array_name": "east"},
            {"datastore_id": "spanned", "device": "naa.3", "array_endpoint": "west", "array_name": "west"},
        ),
        "device": of_vc(
            *({"host_id": f"h{n}", "device": device, "family": family} for device, _, family in PLACES.values() for n in (1, 2))
        ),
        **(also or {}),
    }
    tables["device"] += of_vc(*({"host_id": f"h{n}", "device": "naa.7", "family": f} for n, f in enumerate(("flasharray", "ontap"))))
    tables = with_namesakes(tables)
    tables["step_array"] = ARRAYS
    tables["step_vcenter_reading"] = [{"vms_read": True}]
    return [row for row in moves_over(tables) if row["endpoint"] == "vc"]


def test_a_move_has_its_machine_where_it_comes_from_and_where_it_goes() -> None:
    (found,) = moved("east 1", "sc", target="west")
    assert found == {
        "endpoint": "vc",
        "resource_id": "task-1",
        "resource_name": "web",
        "cluster": "gold",
        "host": "host 1",
        "host_id": "h1",
        "vm_id": "vm-1",
        "state": "running",
        "progress_percent": 40,
        "started_at": None,
        "source_datastores": "east 1!, sc!",
        "source_arrays": "east, manager",
        "source_families": "dell-sc, flasharray",
        "source_neighbours": None,
        "target_datastore": "west!",
        "target_arrays": "west",
        "target_family": "flasharray",
        "is_between_arrays": True,
    }


@pytest.mark.parametrize(
    ("sources", "target", "between"),
    [
        pytest.param(["east 1"], "west", True, id="two arrays of one family"),
        pytest.param(["east 1"], "east 2", False, id="one array that is listed twice"),
        pytest.param(["sc"], "east 1", True, id="two families"),
        pytest.param(["share"], "east 1", True, id="a filer and an array"),
        pytest.param(["sc"], "sc 2", None, id="one manager, and which of its arrays is not known"),
        pytest.param(["nobody's"], "east 1", None, id="of an array nobody knows"),
        pytest.param(["nobody's"], "nobody's", False, id="the datastore stays"),
        pytest.param(["east 1", "nobody's"], "east 2", None, id="one disk may come from elsewhere"),
        pytest.param(["west", "nobody's"], "east 2", True, id="one disk does"),
        pytest.param(["disputed"], "sc", None, id="hosts do not agree whose it is"),
        pytest.param(["two filers"], "sc", None, id="it may be either filer's"),
        pytest.param(["sc"], "two filers", None, id="or go to either"),
        pytest.param(["half"], "east 1", None, id="half of it is nobody's"),
        pytest.param(["east 1", None], "east 2", None, id="one disk has no datastore"),
        pytest.param(["spanned"], "east 1", None, id="it lies on two arrays"),
        pytest.param(["east 1"], None, None, id="nobody tells where to"),
        pytest.param([], "east 1", None, id="it has no disk that is known"),
    ],
)
def test_a_move_is_between_arrays_where_what_is_known_of_them_differs(
    sources: list[str | None], target: str | None, between: bool | None
) -> None:
    (found,) = moved(*sources, target=target)
    assert found["is_between_arrays"] is between


def test_disks_that_were_not_read_may_come_from_elsewhere() -> None:
    (within,) = moved("east 1", target="east 2", read=False)
    (between,) = moved("east 1", target="west", read=False)
    assert (within["is_between_arrays"], between["is_between_arrays"]) == (None, True)


@pytest.mark.parametrize(
    ("description", "count"),
    [
        pytest.param("virtualmachine.RELOCATE", 1, id="whatever its capitals"),
        pytest.param("Drm.ExecuteStorageVMotionLRO", 1, id="by Storage DRS"),
        pytest.param("VirtualMachine.migrate", 0, id="to another host alone"),
    ],
)
def test_tasks_that_move_no_disks_are_left_out(description: str, count: int) -> None:
    assert len(moved("east 1", target="west", description=description)) == count


def test_a_task_that_names_nothing_is_known_by_its_machine() -> None:
    task = {"task_id": "task-1", "description_id": "VirtualMachine.relocate", "entity_id": "vm-1"}
    (found,) = moved("east 1", target=None, also={"fact.running_task": of_vc(task)})
    assert (found["resource_name"], found["target_datastore"]) == ("vm-1", None)


ES = "eseries 6008"
ES_PLACES = {"es 1": ES, "es 2": ES, "es of nobody": None}
"""Datastores on an E-Series: two of one array, and one of an array that was not read."""


def neighbours(
    source: str, there: str, *, power: str | None = "poweredOn", of: str = "vc", also: str | None = None, **unread: bool
) -> int | None:
    """How many others share the array that a machine is moved from `source` of, where one has a disk on the datastore `there`."""
    names = list(ES_PLACES) if also is None else [*ES_PLACES, also]
    readings = {"hosts_read": True, "datastores_read": True, "vms_read": True, "disks_read": True} | unread
    stores = [{"endpoint": vcenter, "datastore_id": name} for vcenter in ("vc", "vc 2") for name in (*names, "fa")]
    tables: dict[str, Rows] = {
        "fact.running_task": of_vc(
            *(
                {"task_id": task, "description_id": "VirtualMachine.relocate", "entity_id": machine, "state": "running"}
                for task, machine in (("t", "vm-1"), ("of a machine without disks", "vm-3"))
            )
        ),
        "fact.vm": [
            {"endpoint": "elsewhere", "vm_id": "vm-2", "disks_read": True, "power_state": "poweredOn"},
            {"endpoint": "vc", "vm_id": "vm-1", "disks_read": True, "power_state": "poweredOn"},
            {"endpoint": of, "vm_id": "vm-2", "disks_read": readings.pop("disks_read"), "power_state": power},
        ],
        "fact.vm_disk": [
            *({"endpoint": "vc", "vm_id": "vm-1", "disk": name, "datastore_id": name} for name in (source, also) if name),
            {"endpoint": of, "vm_id": "vm-2", "disk": "d", "datastore_id": there},
            {"endpoint": "elsewhere", "vm_id": "vm-1", "disk": "d", "datastore_id": "es of nobody"},
        ],
        "fact.datastore": [one | {"name": one["datastore_id"]} for one in stores],
        "step_datastore_volume": [
            one | {"device": f"naa.{one['datastore_id']}", "array_endpoint": "es" if ES_PLACES.get(one["datastore_id"]) else None}
            for one in stores
        ],
        "device": [
            {"endpoint": one["endpoint"], "host_id": "h", "device": f"naa.{one['datastore_id']}", "family": family}
            for one in stores
            if (family := {"fa": "flasharray", "odd": None}.get(one["datastore_id"], "eseries"))
        ],
        "step_array": [{"endpoint": "es", "array_key": ES}],
        "step_vcenter_reading": [readings],
    }
    (found,) = (row for row in moves_over(tables) if row["resource_id"] == "t")
    count: int | None = found["source_neighbours"]
    return count


@pytest.mark.long
def test_a_move_counts_the_others_on_the_array_that_it_comes_from() -> None:
    assert neighbours("es 1", "es 1") == 1
    assert neighbours("es 1", "es 2") == 1, "another datastore of the same array is held back by nothing either"
    assert neighbours("es 1", "es 2", of="vc 2") == 1, "nor is a machine of another vCenter"
    assert neighbours("es 1", "es 1", vms_read=False, disks_read=False) == 1, "there may be more"
    assert neighbours("es of nobody", "es of nobody") == 1, "whichever array it is"


def test_nobody_is_there_where_all_of_them_are_known() -> None:
    assert neighbours("es 1", "fa") == 0
    assert neighbours("es 1", "fa", also="fa") == 0, "the others of a FlashArray have limits"
    assert neighbours("es 1", "es 1", power="poweredOff") == 0, "what does not run asks nothing"
    assert neighbours("es 1", "fa", power="poweredOff", disks_read=False) == 0


@pytest.mark.parametrize(
    ("source", "there", "changes"),
    [
        pytest.param("es of nobody", "es 1", {}, id="it may be that array"),
        pytest.param("es 1", "fa", {"also": "odd"}, id="a disk lies on what nobody knows"),
        pytest.param("es 1", "es 1", {"power": None}, id="whether it runs is not known"),
        pytest.param("es 1", "fa", {"disks_read": False}, id="the disks of some machine were not read"),
        pytest.param("es 1", "fa", {"vms_read": False}, id="some machine was not read"),
        pytest.param("es 1", "fa", {"datastores_read": False}, id="some datastore was not read"),
    ],
)
def test_others_that_may_be_there_are_not_none(source: str, there: str, changes: dict[str, Any]) -> None:
    assert neighbours(source, there, **changes) is None


def test_a_datastore_of_the_same_id_in_another_vcenter_is_another() -> None:
    """And a neighbour with two disks is one machine."""
    arrays = {("vc", "s"): "eseries 1", ("vc", "t"): "eseries 1", ("vc 2", "s"): "eseries 2", ("vc 2", "t"): "eseries 3"}
    running = [
        {"endpoint": vcenter, "vm_id": vm, "power_state": "poweredOn", "disks_read": True}
        for vcenter in ("vc", "vc 2")
        for vm in ("vm-1", "vm-2")
    ]
    [found] = rows_over(
        "relocation",
        {
            "fact.running_task": of_vc(
                {"task_id": "t", "description_id": "VirtualMachine.relocate", "entity_id": "vm-1", "target_datastore_id": "t"}
            ),
            "fact.vm": running,
            "fact.vm_disk": [
                {"endpoint": "vc", "vm_id": "vm-1", "disk": "d", "datastore_id": "s"},
                *({"endpoint": "vc", "vm_id": "vm-2", "disk": disk, "datastore_id": "s"} for disk in ("d", "e")),
                *({"endpoint": "vc 2", "vm_id": vm, "disk": "d", "datastore_id": "s"} for vm in ("vm-1", "vm-2")),
            ],
            "step_datastore_place": [
                {"endpoint": vcenter, "datastore_id": store, "name": store, "array_key": array, "arrays": array, "family": "eseries"}
                for (vcenter, store), array in arrays.items()
            ],
            "step_vcenter_reading": [{"vms_read": True, "datastores_read": True}],
        },
    )
    assert (found["is_between_arrays"], found["source_arrays"], found["target_arrays"]) == (False, "eseries 1", "eseries 1")
    assert found["source_neighbours"] == 1


def test_a_device_of_another_vcenter_says_nothing_of_where_a_datastore_lies() -> None:
    place = rows_over(
        "step_datastore_place",
        {
            "fact.datastore": of_vc({"datastore_id": "s", "name": "s"}),
            "step_datastore_volume": of_vc(
                *({"datastore_id": "s", "device": f"naa.{n}", "array_endpoint": array} for n, array in enumerate(("one", "two")))
            ),
            "device": [
                {"endpoint": "vc", "device": "naa.0", "family": "ontap"},
                {"endpoint": "vc 2", "device": "naa.0", "family": "solidfire"},
            ],
            "step_array": [{"endpoint": "one", "array_key": "ontap 1"}, {"endpoint": "two", "array_key": "ontap 2"}],
        },
    )
    assert place == [{"endpoint": "vc", "datastore_id": "s", "name": "s", "array_key": None, "arrays": None, "family": "ontap"}]
