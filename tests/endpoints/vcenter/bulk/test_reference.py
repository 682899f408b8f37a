"""What is asked through pyVmomi, and how its objects become shapes: with no wire between."""

from __future__ import annotations

from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter.bulk.reading import Answer
from auditor.endpoints.vcenter.bulk.reference import PyvmomiTransport
from auditor.endpoints.vcenter.bulk.shapes import Ref, TaskInfo

COLLECTOR = vmodl.query.PropertyCollector
TASK = Ref("Task", "task-1")


class Stub:
    """Stands for pyVmomi's: notes what is called, and gives what it was given."""

    def __init__(self, result: Any) -> None:
        self.result, self.called = result, list[tuple[str, Any]]()

    def InvokeMethod(self, _managed: Any, info: Any, arguments: Any) -> Any:  # noqa: N802  pyVmomi's name
        self.called.append((info.wsdlName, arguments))
        return self.result

    def nonsense(self, *what: Any) -> Exception:
        return ValueError(*what)


def result(*, value: Any, path: str = "info", token: str | None = None) -> Any:
    fault = vim.fault.NoPermission(privilegeId="System.View")
    missing = [COLLECTOR.MissingProperty(path="name", fault=fault)]
    content = COLLECTOR.ObjectContent(obj=vim.Task("task-1"), propSet=[vmodl.DynamicProperty(name=path, val=value)], missingSet=missing)
    return COLLECTOR.RetrieveResult(objects=[content], token=token)


def test_objects_and_properties_are_asked_for_by_name_and_come_back_in_shapes() -> None:
    info = vim.TaskInfo(descriptionId="x.clone", state="running", entity=vim.VirtualMachine("vm-1"))
    stub = Stub(result(value=info, token="next"))
    transport = PyvmomiTransport(stub, "collector-1")
    answer = transport.retrieve("Task", ("info", "name"), [TASK], 7)
    (method, (specs, options)), expected = stub.called.pop(), ("RetrievePropertiesEx", 7, [("info", "name")], ["task-1"])
    asked = [tuple(one.pathSet) for spec in specs for one in spec.propSet], [one.obj._GetMoId() for spec in specs for one in spec.objectSet]
    assert (method, options.maxObjects, *asked) == expected
    assert not any(one.skip for spec in specs for one in spec.objectSet)
    assert not any(one.all for spec in specs for one in spec.propSet)
    (found,) = answer.objects
    shaped = TaskInfo(type_name="TaskInfo", description_id="x.clone", state="running", entity=Ref("VirtualMachine", "vm-1"))
    assert (found.ref, found.values, found.missing) == (TASK, {"info": shaped}, {"name": "NoPermission: System.View"})
    assert (answer.token, answer.size) == ("next", 0)
    assert transport.more("Task", "next").objects == answer.objects
    assert stub.called == [("ContinueRetrievePropertiesEx", ["next"])]
    raw = PyvmomiTransport(stub, "collector-1", shaped=False).more("Task", "next").objects[0]
    assert raw.values == {"info": info}


def test_no_answer_is_one_without_objects() -> None:
    assert PyvmomiTransport(Stub(None), "collector-1").more("Task", "next") == Answer((), None, 0)
    assert PyvmomiTransport(Stub(COLLECTOR.RetrieveResult()), "collector-1").more("Task", "next") == Answer([], None, 0)


def test_a_property_that_was_not_asked_for_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="RetrievePropertiesEx"):
        PyvmomiTransport(Stub(result(path="name", value="x")), "collector-1").more("Task", "next")


def test_an_object_of_an_unknown_type_is_asked_about_of_nobody() -> None:
    stub = Stub(None)
    with pytest.raises(ValueError, match="it lists an object of the unknown type Gadget"):
        PyvmomiTransport(stub, "collector-1").retrieve("Task", ("info",), [Ref("Gadget", "g-1")], None)
    assert stub.called == []
