"""Tasks and extensions from answers put in: what is under way, what has no name, and each hole where one is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any, cast

import pytest

from auditor.endpoints.vcenter.bulk.reading import GONE, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Extension, Ref, TaskInfo
from auditor.endpoints.vcenter.collect import services
from auditor.endpoints.vcenter.collect.services import collect_extensions, collect_tasks
from auditor.endpoints.vcenter.session import VCenter

from .answering import ENDPOINT, REFUSED, Answers, Found, circuit, has

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
WHY = "refused"  # of REFUSED, without the endpoint, which the gap has
EAST = timezone(timedelta(hours=2))


class Services(Answers):
    """With the managers that hold the two lists."""

    def __init__(
        self, *objects: ObjectProperties, refused: tuple[Ref, ...] = (), managers: tuple[str, ...] = ("TaskManager", "ExtensionManager")
    ):
        super().__init__(objects, refused=refused)
        self.content = SimpleNamespace(
            **{f"{name[0].lower()}{name[1:]}": SimpleNamespace(_GetMoId=lambda name=name: name) for name in managers}
        )

    @property
    def stub(self) -> VCenter:
        return cast(VCenter, self)


def tasks_of(*tasks: ObjectProperties, refused: tuple[Ref, ...] = ()) -> Found:
    listed = has("TaskManager", "TaskManager", {"recentTask": [*(one.ref for one in tasks), *refused]})
    return Found(collect_tasks(Services(listed, *tasks, refused=refused).stub, ENDPOINT, circuit(), ()))


def task(name: str, **fields: Any) -> ObjectProperties:
    return has("Task", name, {"info": TaskInfo(type_name="TaskInfo", **{"state": "running", "description_id": "x.clone", **fields})})


def test_what_runs_or_waits_is_a_row_and_what_ended_is_none() -> None:
    machine = Ref("VirtualMachine", "vm-1")
    found = tasks_of(
        task("t-1", entity=machine, entity_name="a%2fb", progress=40, queue_time=NOON.astimezone(EAST), start_time=NOON),
        task("t-2", state="queued", description_id=None),
        task("t-3", state="success"),
        has("Task", "t-4", {}, {"info": GONE}),
    )
    cloned = {"task_id": "t-1", "description_id": "x.clone", "state": "running", "progress_percent": 40}
    of_machine = {"entity_type": "VirtualMachine", "entity_id": "vm-1", "entity_name": "a/b"}
    assert found.rows("running_task") == [
        {**cloned, **of_machine, "queued_at": NOON, "started_at": NOON},
        {"task_id": "t-2", "state": "queued"},
    ]
    assert found.tables["running_task"][0]["queued_at"].utcoffset() == timedelta(0)
    assert (found.gaps, found.complete) == ([], {"/tasks": True})


@pytest.mark.parametrize(
    ("one", "refused", "gap"),
    [
        pytest.param([], [Ref("Task", "t-9")], ("task t-9", WHY), id="one that is refused"),
        pytest.param([has("Task", "t-9", {})], [], ("task t-9", "vCenter does not report what it is"), id="one that says nothing"),
        pytest.param([has("Task", "t-9", {}, {"info": "NoPermission"})], [], ("task t-9", "NoPermission"), id="one that may not be read"),
    ],
)
def test_a_task_that_cannot_be_read_is_a_hole_and_the_others_are_rows(
    one: list[ObjectProperties], refused: list[Ref], gap: tuple[str, str]
) -> None:
    found = tasks_of(task("t-1"), *one, refused=tuple(refused))
    assert [row["task_id"] for row in found.rows("running_task")] == ["t-1"]
    assert (found.gaps, found.complete) == ([gap], {"/tasks": False})


@pytest.mark.parametrize("fails", [pytest.param(False, id="vCenter logged where"), pytest.param(True, id="its log cannot be read")])
def test_a_machine_that_is_being_moved_has_a_target_where_the_log_can_be_read(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    asked: list[Any] = []

    def targets(_vcenter: object, endpoint: object, begun: list[datetime]) -> Mapping[str, str]:
        asked.append((endpoint, begun))
        if fails:
            raise REFUSED
        return {"vm-1": "datastore-2", "vm-2": "datastore-3"}

    monkeypatch.setattr(services, "targets", targets)
    move = "VirtualMachine.relocate"
    found = tasks_of(
        task("t-1", description_id=move, entity=Ref("VirtualMachine", "vm-1"), queue_time=NOON),
        task("t-2", entity=Ref("VirtualMachine", "vm-2"), start_time=NOON),
        task("t-3", description_id=move),
    )
    assert asked == [(ENDPOINT, [NOON])], "of the moves alone, and one without a time asks for none"
    went_to = [row.get("target_datastore_id") for row in found.rows("running_task")]
    assert went_to == [None if fails else "datastore-2", None, None]
    assert found.gaps == ([("where machines are being moved to", WHY)] if fails else [])
    assert found.complete == {"/tasks": True}, "each task is known without it"
    asked.clear()
    tasks_of(task("t-2", entity=Ref("VirtualMachine", "vm-2"), start_time=NOON))
    assert asked == [], "nothing is asked where none is moved"


def extension(**fields: Any) -> Extension:
    return Extension(type_name="Extension", **fields)


def test_extensions_have_their_version_and_company_and_one_without_a_key_is_a_hole() -> None:
    known = [extension(key="com.example.b", version="1.2", company="Example"), extension(key="com.example.c")]
    for nameless, gaps in (([], []), ([extension(version="9")], [("1 extensions", "their keys are not reported")])):
        listed = has("ExtensionManager", "ExtensionManager", {"extensionList": [*known, *nameless]})
        found = Found(collect_extensions(Services(listed).stub, ENDPOINT, circuit(), ()))
        assert found.rows("vcenter_extension") == [
            {"key": "com.example.b", "version": "1.2", "company": "Example"},
            {"key": "com.example.c"},
        ]
        assert (found.gaps, found.complete) == (gaps, {"/extensions": not nameless})


@pytest.mark.parametrize(
    ("collect", "manager", "path", "topic"),
    [
        pytest.param(collect_tasks, "TaskManager", "recentTask", "tasks", id="tasks"),
        pytest.param(collect_extensions, "ExtensionManager", "extensionList", "extensions", id="extensions"),
    ],
)
def test_a_list_that_cannot_be_read_is_one_hole_of_its_topic_and_one_that_is_not_set_is_empty(
    collect: Any, manager: str, path: str, topic: str
) -> None:
    for vcenter, why in (
        (Services(managers=()), f"there is no {manager}"),
        (Services(has(manager, manager, {}, {path: "NoPermission: Task.View"})), "NoPermission: Task.View"),
        (Services(has(manager, manager, {}, {path: "MethodFault"})), "MethodFault"),
        (Services(refused=(Ref(manager, manager),)), WHY),
    ):
        found = Found(collect(vcenter.stub, ENDPOINT, circuit(), ()))
        assert (found.gaps, found.complete, set(found.tables)) == ([(f"the list of {topic}", why)], {f"/{topic}": False}, {"reading"})
    found = Found(collect(Services(has(manager, manager, {})).stub, ENDPOINT, circuit(), ()))
    assert (found.gaps, found.complete) == ([], {f"/{topic}": True})
