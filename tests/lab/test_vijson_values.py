"""Values as the JSON of the VI API has them: boxed as govmomi does it, and unboxed to the same."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.soap.envelope import wire_version
from auditor_lab.vcenter.vijson.decoding import NotInApiError, decoded
from auditor_lab.vcenter.vijson.encoding import encoded

VERSION = wire_version("8.0.2.0")
MOMENT = datetime(2022, 12, 12, 11, 48, 35, 473645, tzinfo=UTC)
HOST_42 = {"_typeName": "ManagedObjectReference", "type": "HostSystem", "value": "host-42"}


# The wire forms are those of govmomi's TestOptionValueSerialization, vim25/types/json_test.go; the arrays of references and of texts those
# of its testdata/retrieveResult.json; an array of bytes is base64 because its ByteSlice is a []byte.
@pytest.mark.parametrize(
    ("value", "wire"),
    [
        pytest.param(True, {"_typeName": "boolean", "_value": True}, id="boolean"),
        pytest.param(VmomiSupport.byte(16), {"_typeName": "byte", "_value": 16}, id="byte"),
        pytest.param(VmomiSupport.short(300), {"_typeName": "short", "_value": 300}, id="short"),
        pytest.param(300, {"_typeName": "int", "_value": 300}, id="int"),
        pytest.param(VmomiSupport.long(300), {"_typeName": "long", "_value": 300}, id="long"),
        pytest.param(30.5, {"_typeName": "float", "_value": 30.5}, id="float"),
        pytest.param(VmomiSupport.double(12.2), {"_typeName": "double", "_value": 12.2}, id="double"),
        pytest.param("test", {"_typeName": "string", "_value": "test"}, id="string"),
        pytest.param(MOMENT, {"_typeName": "dateTime", "_value": "2022-12-12T11:48:35.473645Z"}, id="dateTime"),
        pytest.param(VmomiSupport.binary(b"Hello"), {"_typeName": "binary", "_value": "SGVsbG8="}, id="binary"),
        pytest.param(
            VmomiSupport.GetWsdlType("urn:vim25", "CustomizationNetBIOSMode")("enableNetBIOS"),
            {"_typeName": "CustomizationNetBIOSMode", "_value": "enableNetBIOS"},
            id="enum",
        ),
        pytest.param(
            VmomiSupport.GetWsdlType("urn:vim25", "ArrayOfClusterHostRecommendation")(
                [vim.cluster.HostRecommendation(host=vim.HostSystem("host-42"), rating=42)]
            ),
            {
                "_typeName": "ArrayOfClusterHostRecommendation",
                "_value": [{"_typeName": "ClusterHostRecommendation", "host": HOST_42, "rating": 42}],
            },
            id="array of struct",
        ),
        pytest.param(
            VmomiSupport.ManagedObject.Array([vim.HostSystem("host-42")]),
            {"_typeName": "ArrayOfManagedObjectReference", "_value": [HOST_42]},
            id="array of references",
        ),
        pytest.param(
            VmomiSupport.GetVmodlType("string[]")(["Folder"]), {"_typeName": "ArrayOfString", "_value": ["Folder"]}, id="array of texts"
        ),
        pytest.param(VmomiSupport.GetVmodlType("string[]")(), {"_typeName": "ArrayOfString", "_value": []}, id="empty array"),
        pytest.param(
            VmomiSupport.GetVmodlType("byte[]")([VmomiSupport.byte(4), VmomiSupport.byte(-80)]),
            {"_typeName": "ArrayOfByte", "_value": "BLA="},
            id="array of bytes",
        ),
    ],
)
def test_anything_is_boxed_as_govmomi_does_it_and_unboxed_to_the_same(value: Any, wire: dict[str, Any]) -> None:
    option = {"_typeName": "OptionValue", "key": "option1", "value": wire}
    assert encoded(vim.option.OptionValue(key="option1", value=value), vim.option.OptionValue, VERSION) == option
    read = decoded(option, vim.option.OptionValue, "here")
    assert type(read.value) is type(value)
    assert encoded(read, vim.option.OptionValue, VERSION) == option
    if not isinstance(value, list):
        assert read.value == value
    elif value and not isinstance(value[0], VmomiSupport.DataObject):  # which does not know when it is equal
        assert list(read.value) == list(value)


@pytest.mark.parametrize(
    "wire",
    [
        {"_typeName": "long", "_value": 1 << 63},
        {"_typeName": "binary", "_value": "no base64!"},
        {"_typeName": "dateTime", "_value": "yesterday"},
        {"_typeName": "CustomizationNetBIOSMode", "_value": "sometimes"},
        {"_typeName": "Nonsense", "_value": 1},
        {"_typeName": "Nonsense"},
        {"_typeName": 5, "_value": 1},
        {"_typeName": "ArrayOfString", "_value": [1]},
        {"_value": 1},
    ],
)
def test_a_box_whose_content_is_not_what_it_says_is_refused(wire: dict[str, Any]) -> None:
    with pytest.raises(NotInApiError, match=r"here\.value|Nonsense"):
        decoded({"key": "option1", "value": wire}, vim.option.OptionValue, "here")


def test_a_fault_inside_a_value_and_the_name_of_a_method_are_read_as_they_are_written() -> None:
    missing = {
        "_typeName": "MissingProperty",
        "path": "config",
        "fault": {
            "_typeName": "LocalizedMethodFault",
            "fault": {"_typeName": "NoPermission", "privilegeId": "System.Read"},
            "localizedMessage": "denied",
        },
    }
    read = decoded(missing, vmodl.query.PropertyCollector.MissingProperty, "here")
    assert (read.fault.privilegeId, read.fault.msg) == ("System.Read", "denied")
    assert encoded(read, vmodl.query.PropertyCollector.MissingProperty, VERSION) == missing
    names = VmomiSupport.GetVmodlType("vmodl.MethodName[]")
    assert encoded(decoded(["PowerOnVM_Task"], names, "here"), names, VERSION) == ["PowerOnVM_Task"]
    with pytest.raises(NotInApiError, match=r"Frobnicate"):
        decoded(["Frobnicate"], names, "here")
