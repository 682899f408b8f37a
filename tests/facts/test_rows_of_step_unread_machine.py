"""On which datastores machines may have disks that were not read, and how many of these may run."""

from .fleets import Facts
from .whole_rows import add, rows_of_step, vcenter

# By machine: its host, power state, whether it is a template, and whether its disks were read.
MACHINES = {
    "runs": ("one", "poweredOn", False, False),
    "runs too": ("one", "poweredOn", None, None),
    "off": ("one", "poweredOff", False, False),
    "suspended": ("one", "suspended", False, False),
    "not told": ("one", None, False, False),
    "template": ("one", "poweredOff", True, False),
    "template that runs": ("one", None, True, False),
    "read": ("one", "poweredOn", False, True),
    "elsewhere": ("two", "poweredOn", False, False),
    "of no mount": ("three", "poweredOff", False, False),
    "of no host": (None, "poweredOff", True, False),
}
MOUNTS = (("one", "a"), ("one", "b"), ("two", "b"), ("one", "a"))


def fleet() -> Facts:
    """Hosts and datastores of the same ids are in "vc-2", whose mounts were not read whole, and in "gone"."""
    given: Facts = {}
    vcenter(given, "vc")
    vcenter(given, "vc-2", unread={"datastores"})
    for endpoint in ("vc", "vc-2", "gone"):
        add(given, "datastore", *({"endpoint": endpoint, "datastore_id": one, "name": one, "type": "VMFS"} for one in "abc"))
        add(given, "datastore_mount", *({"endpoint": endpoint, "host_id": name, "datastore_id": one} for name, one in MOUNTS))
    names = ("host_id", "power_state", "is_template", "disks_read")
    for machine, reported in MACHINES.items():
        add(given, "vm", {"endpoint": "vc", "vm_id": machine, "name": machine, **dict(zip(names, reported, strict=True))})
    for endpoint in ("vc-2", "gone"):
        add(given, "vm", {"endpoint": endpoint, "vm_id": "far", "host_id": "two", "power_state": "poweredOn", "disks_read": False})
    return given


FLEETS = [fleet]


def test_a_machine_may_have_disks_where_its_host_has_its_datastores() -> None:
    found = {(row.pop("endpoint"), row.pop("datastore_id")): tuple(row.values()) for row in rows_of_step("step_unread_machine", fleet())}
    # Machines, those that are no templates, those that are not powered off, those that may run. Two of "vc" may be on any datastore.
    of_vc = {("vc", "a"): (9, 6, 5, 3), ("vc", "b"): (10, 7, 6, 4), ("vc", "c"): (2, 1, 0, 0)}
    assert found == of_vc | {(endpoint, one): (1, 1, 1, 1) for endpoint in ("vc-2", "gone") for one in "abc"}
