"""What guests said of their own disks, where somebody ran the script of `auditor guest-facts` in them."""

from __future__ import annotations

from auditor.facts.table import ENDPOINT, table

GUESTS = "guests"
"""Their topic."""

_GUEST = ("guest_id", "VARCHAR", "UUID of its machine's BIOS, with its own name where guests of several names say it; else its own name")

GUEST_TABLES = (
    table(
        "guest",
        "Guests whose facts lie among the files that were given: machines of VMware, and others. The last answer of each counts.",
        ENDPOINT,
        _GUEST,
        ("hostname", "VARCHAR", "as it calls itself"),
        ("system", "VARCHAR", "linux | windows; NULL of any other"),
        ("kernel", "VARCHAR", "release of the kernel, or version of Windows; NULL when it does not say"),
        (
            "bios_uuid",
            "VARCHAR",
            "of its virtual machine, as vCenter has it, lower case; NULL when it could not read it, or is no machine of VMware",
        ),
        (
            "pvscsi_depth_set",
            "BIGINT",
            "commands of a disk: Windows MaxQueueDepth of pvscsi, in force from the next start on; NULL where it is not set, and of Linux",
        ),
        ("taken_at", "TIMESTAMPTZ", "when, by the guest's clock; NULL when it does not say"),
        ("place", "VARCHAR", "the file that says it"),
        topic=GUESTS,
        key=("endpoint", "guest_id"),
        kept_for={
            "kernel": "what the guest runs",
            "taken_at": "how old its answer is, shown by every rule of guest/",
            "place": "which file says so, likewise",
        },
    ),
    table(
        "guest_disk",
        "Disks of these guests.",
        ENDPOINT,
        _GUEST,
        ("disk", "VARCHAR", "as the guest calls it, for example sda"),
        ("driver", "VARCHAR", "of its adapter, lower case, for example vmw_pvscsi; NULL when it does not say"),
        ("model", "VARCHAR", "as the disk says of itself, for example Virtual disk; NULL likewise"),
        ("queue_depth", "BIGINT", "commands that it sends for the disk now; NULL likewise, and of Windows"),
        ("adapter_depth", "BIGINT", "commands that its adapter takes for all disks; NULL likewise"),
        ("timeout_s", "BIGINT", "seconds that it waits for a command before it resets the disk; NULL likewise"),
        ("size_bytes", "BIGINT", "NULL likewise"),
        topic=GUESTS,
        key=("endpoint", "guest_id", "disk"),
        kept_for={"adapter_depth": "what all disks of an adapter share", "size_bytes": "which disk it is"},
    ),
    table(
        "guest_partition",
        "Partitions of these disks.",
        ENDPOINT,
        _GUEST,
        ("disk", "VARCHAR", "as in guest_disk"),
        ("partition", "VARCHAR", "as the guest calls it, for example sda1"),
        ("start_bytes", "BIGINT", "where it begins on the disk; NULL when it does not say"),
        ("size_bytes", "BIGINT", "NULL likewise"),
        topic=GUESTS,
        key=("endpoint", "guest_id", "disk", "partition"),
        kept_for={"partition": "which one begins between two blocks"},
    ),
)
