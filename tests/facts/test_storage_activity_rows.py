"""Rows of the view `storage_activity`: what went on in the last day, with the names of what it was about."""

from datetime import UTC, datetime
from typing import Any

from .elsewhere import with_namesakes
from .single import of_vc, rows_over

NOON = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
MOVE: dict[str, Any] = {
    "event_key": 7, "happened_at": NOON, "type_id": "VmRelocatedEvent", "kind": "moved", "what": "relocation of a machine", "host_id": "h1",
    "vm_id": "vm-1", "datastore_id": "d2", "from_datastore_id": "d1", "to_datastore_id": "d2", "user_name": "LAB\\ann", "said": None,
}  # fmt: skip


def seen(*events: dict[str, Any]) -> list[dict[str, Any]]:
    tables = {
        "fact.storage_event": of_vc(*events),
        "fact.vm": of_vc({"vm_id": "vm-1", "name": "web"}),
        "fact.host": of_vc({"host_id": "h1", "name": "host 1", "cluster": "gold"}),
        "fact.datastore": of_vc({"datastore_id": "d1", "name": "old"}, {"datastore_id": "d2", "name": "new"}),
    }
    return [row for row in rows_over("storage_activity", with_namesakes(tables)) if row["endpoint"] == "vc"]


def test_a_move_is_told_with_its_machine_its_ends_and_who_made_it() -> None:
    made = {
        "endpoint": "vc", "resource_id": "7", "resource_name": "relocation of a machine: web", "cluster": "gold", "host": "host 1",
        "vm": "web", "datastore": "new", "from_datastore": "old", "to_datastore": "new", "is_of_disks": True,
    }  # fmt: skip
    assert seen(MOVE) == [{name: value for name, value in MOVE.items() if name != "event_key"} | made]


def test_trouble_is_not_among_it_and_what_an_event_does_not_name_stays_open() -> None:
    bare = {"event_key": 8, "happened_at": NOON, "kind": "host", "what": "booted"}
    (found,) = seen(bare, *({**MOVE, "event_key": 9, "kind": kind} for kind in ("lost", "slow", "over", "restarted")))
    assert (found["resource_name"], found["is_of_disks"], found["host"]) == ("booted", None, None)


def test_a_move_to_another_host_leaves_its_disks_where_they_are() -> None:
    (found,) = seen({**MOVE, "from_datastore_id": "d2"})
    assert found["is_of_disks"] is False
