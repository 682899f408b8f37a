"""Which states of an ONTAP volume's efficiency operation are work on its disks.

An undo is work on a volume whose efficiency is off: it is refused while it is on.

Source: ONTAP command reference, volume efficiency show, Status; volume efficiency undo ("must be disabled before issuing this command");
NetAppDocs/ontap#1363, where it was on: "Operation is not disabled".
"""

from __future__ import annotations

AT_WORK = ("active", "initializing", "undoing", "downgrading")
AT_REST = ("idle", "pending", "disabled")


def efficiency_works(state: str = "state", operation: str = "operation_state") -> str:
    """SQL: whether a volume's efficiency works now; NULL where its operation is not reported, and efficiency is not known to be off."""
    at_work, at_rest = (", ".join(f"'{word}'" for word in words) for words in (AT_WORK, AT_REST))
    return f"CASE WHEN {operation} IN ({at_work}) THEN true WHEN {operation} IN ({at_rest}) OR {state} = 'disabled' THEN false END"
