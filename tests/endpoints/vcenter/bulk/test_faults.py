"""Faults that came as JSON become pyVmomi's exceptions, whatever their members hold: no member hides the fault."""

from __future__ import annotations

from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter.bulk.faults import fault_of, reason


def reference(kind: Any, value: Any = "host-9") -> dict[str, Any]:
    return {"_typeName": "ManagedObjectReference", "type": kind, "value": value}


def test_a_fault_has_its_texts_and_the_object_that_it_is_about() -> None:
    fault = fault_of({"_typeName": "ManagedObjectNotFound", "obj": reference("HostSystem"), "other": reference("Folder")}, "it is gone")
    assert type(fault) is vmodl.fault.ManagedObjectNotFound
    assert (type(fault.obj), fault.obj._GetMoId(), fault.msg) == (vim.HostSystem, "host-9", "it is gone")
    denied = fault_of({"_typeName": "NoPermission", "privilegeId": "System.Read", "object": reference("Folder", "group-1")})
    assert (denied.privilegeId, denied.object._GetMoId(), denied.msg) == ("System.Read", "group-1", "")


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(reference("FromANewerRelease"), id="of a type that pyVmomi does not know"),
        pytest.param(reference("HostScsiDisk"), id="of a type that is no managed object"),
        pytest.param(reference("HostSystem", None), id="of no id"),
        pytest.param({"_typeName": "ManagedObjectReference"}, id="of no type"),
        pytest.param("host-9", id="a text"),
        pytest.param(9, id="a number"),
    ],
)
def test_an_object_that_cannot_be_named_leaves_the_fault_as_it_is(obj: Any) -> None:
    fault = fault_of({"_typeName": "ManagedObjectNotFound", "obj": obj}, "it is gone")
    assert (type(fault), fault.obj, fault.msg) == (vmodl.fault.ManagedObjectNotFound, None, "it is gone")


def test_an_object_of_another_kind_than_the_members_is_left_out() -> None:
    fault = fault_of({"_typeName": "HostConnectFault", "faultCause": reference("HostSystem")})
    assert (type(fault), fault.faultCause) == (vim.fault.HostConnectFault, None)


@pytest.mark.parametrize(
    ("fields", "message", "told"),
    [
        pytest.param({"_typeName": "Vim25Surprise"}, "not today", "Vim25Surprise: not today", id="a fault that is not known"),
        pytest.param({"_typeName": "HostScsiDisk"}, "", "HostScsiDisk", id="a type that is no fault"),
        pytest.param({}, "not today", "not today", id="no type"),
    ],
)
def test_a_fault_of_no_known_type_is_a_plain_one_that_names_it(fields: dict[str, Any], message: str, told: str) -> None:
    fault = fault_of(fields, message)
    assert (type(fault), fault.msg) == (vmodl.MethodFault, told)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param(
            {"fault": {"_typeName": "NoPermission", "privilegeId": "System.Read"}, "localizedMessage": "No."},
            "NoPermission: System.Read: No.",
            id="both",
        ),
        pytest.param({"fault": {"_typeName": "NoPermission"}, "localizedMessage": None}, "NoPermission", id="no words"),
        pytest.param({"fault": "NoPermission", "localizedMessage": "No."}, "MethodFault: No.", id="no object"),
        pytest.param({}, "MethodFault", id="nothing"),
    ],
)
def test_a_reason_is_the_faults_name_and_words(fields: dict[str, Any], why: str) -> None:
    assert reason(fields) == why
