"""What the parser makes of each kind of value, and what it refuses; the quick way is not asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import (
    Boxed,
    Capacity,
    IscsiTarget,
    LogicalUnit,
    MultipathInfo,
    OptionValue,
    Path,
    Product,
    Ref,
    ScsiLun,
)
from auditor.endpoints.vcenter.bulk.soap_parsing import (
    NonsenseError,
    UnfamiliarError,
    fault_of_soap,
    missing_of,
    parsed,
    shape_of,
    value_of,
)

OPERATION = "RetrievePropertiesEx"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
TEXT = ' xsi:type="xsd:string"'


def element(attributes: str = "", content: str = "", name: str = "val") -> str:
    return f'<{name} xmlns="urn:vim25" xmlns:v="urn:vim25" {XSI}{attributes}>{content}</{name}>'


def answer(result: str) -> bytes:
    """A whole answer, in a spelling that vCenter does not have."""
    body = f"<v:{OPERATION}Response>{result}</v:{OPERATION}Response>"
    return (
        f'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:v="urn:vim25" {XSI}><e:Body>{body}</e:Body></e:Envelope>'
    ).encode()


def host(content: str, obj: str = '<v:obj type="v:HostSystem">host-1</v:obj>') -> str:
    return f"<v:returnval><v:objects>{obj}{content}</v:objects></v:returnval>"


def prop(path: str, value: str, attributes: str = TEXT) -> str:
    return f"<v:propSet><v:name>{path}</v:name><v:val{attributes}>{value}</v:val></v:propSet>"


FAULT = '<v:fault xsi:type="v:NoPermission"><v:privilegeId>System.Read</v:privilegeId></v:fault>'
MISSING = f"<v:missingSet><v:path>parent</v:path><v:fault>{FAULT}<v:localizedMessage>No.</v:localizedMessage></v:fault></v:missingSet>"


def test_an_answer_is_parsed_object_by_object() -> None:
    token, second = "<v:token>t-1</v:token>", '<v:objects><v:obj type="HostSystem">host-2</v:obj></v:objects>'
    first = host(
        prop("name", "esx-1") + prop("runtime.powerState", "poweredOn") + prop("runtime.bootTime", "", ' xsi:nil="true"') + MISSING
    )
    body = answer(first.replace("<v:returnval>", f"<v:returnval>{token}").replace("</v:returnval>", f"{second}</v:returnval>"))
    values = {"name": "esx-1", "runtime.powerState": "poweredOn"}
    missing = {"parent": "NoPermission: System.Read: No."}
    objects = [ObjectProperties(Ref("HostSystem", "host-1"), values, missing), ObjectProperties(Ref("HostSystem", "host-2"), {}, {})]
    assert parsed(body, OPERATION, "HostSystem") == Answer(objects, "t-1", len(body))


@pytest.mark.parametrize("token", ["", "<v:token></v:token>", '<v:token xsi:nil="1">t</v:token>'], ids=["none", "an empty one", "nil"])
def test_without_a_token_an_answer_is_the_last(token: str) -> None:
    body = answer(f"<v:returnval>{token}</v:returnval>")
    assert parsed(body, OPERATION, "HostSystem") == Answer([], None, len(body))


def test_a_result_that_is_unset_holds_nothing() -> None:
    body = answer("")
    assert parsed(body, OPERATION, "HostSystem") == Answer((), None, len(body))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(answer(host("", obj="")), "properties of nothing", id="no object"),
        pytest.param(answer(host("", obj="<v:obj>host-1</v:obj>")), "obj is a reference without a type", id="an object of no type"),
        pytest.param(answer(host(prop("name", "x").replace("v:name", "v:nome"))), "without a name or a value", id="no name"),
        pytest.param(answer(host(prop("name", "x").replace("v:val", "v:vale"))), "without a name or a value", id="no value"),
        pytest.param(answer(host(prop("a.b", "x"))), "a.b of HostSystem, which was not asked for", id="not asked for"),
        pytest.param(answer(host(prop("name", "<v:a/>"))), "val has parts where a plain value was expected", id="parts"),
        pytest.param(answer(host(MISSING.replace("v:path", "v:pith"))), "a missing property without a name or a fault", id="no path"),
        pytest.param(
            answer(host("<v:missingSet><v:path>a</v:path></v:missingSet>")), "a missing property without a name or a fault", id="no fault"
        ),
    ],
)
def test_a_whole_answer_of_another_form_is_named(body: bytes, words: str) -> None:
    with pytest.raises(UnfamiliarError, match=words):
        parsed(body, OPERATION, "HostSystem")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(b"<!DOCTYPE a>" + answer(""), "a document type", id="a document type"),
        pytest.param(answer("")[:-1], "ParseError", id="torn"),
        pytest.param(answer("").replace(b"urn:vim25", b"urn:vim26"), f"there is no {OPERATION}Response", id="another language"),
        pytest.param(b"<html></html>", f"there is no {OPERATION}Response", id="a page"),
        pytest.param(b'<?xml version="1.0" encoding="nope"?><a/>', "LookupError|ParseError", id="an encoding that nobody knows"),
    ],
)
def test_nonsense_is_no_answer_of_another_form(body: bytes, words: str) -> None:
    with pytest.raises(NonsenseError, match=words) as raised:
        parsed(body, OPERATION, "HostSystem")
    assert not isinstance(raised.value, UnfamiliarError)


BOOT = datetime(2026, 11, 1, 10, 20, 30, tzinfo=UTC)
ANY = OptionValue.__annotations__


@pytest.mark.parametrize(
    ("shape", "attributes", "content", "value"),
    [
        pytest.param(str, "", "", "", id="an empty text"),
        pytest.param(str, "", " a ", " a ", id="blanks of a text"),
        pytest.param(int, "", "-12", -12, id="a number"),
        pytest.param(int, "", " +12\n", 12, id="a number among blanks"),
        pytest.param(int, "", "9" * 20, int("9" * 20), id="a number of twenty digits"),
        pytest.param(float, "", "1.5", 1.5, id="a fraction"),
        pytest.param(bool, "", "true", True, id="true"),
        pytest.param(bool, "", " 1 ", True, id="1"),
        pytest.param(bool, "", "false", False, id="false"),
        pytest.param(bool, "", "0", False, id="0"),
        pytest.param(datetime, "", "2026-11-01T10:20:30Z", BOOT, id="a time"),
        pytest.param(datetime, "", " 2026-11-01T12:20:30+02:00 ", BOOT.astimezone(timezone(timedelta(hours=2))), id="a time elsewhere"),
        pytest.param(datetime, "", "2026-11-01T10:20:30.123456789Z", BOOT.replace(microsecond=123456), id="a time to the nanosecond"),
        pytest.param(Ref, ' type="v:Folder"', "f-1", Ref("Folder", "f-1"), id="a reference"),
        pytest.param(Ref, ' type=" a:b:Folder "', "f-1", Ref("Folder", "f-1"), id="a reference with blanks and prefixes"),
        pytest.param(int | None, "", "7", 7, id="a number that may be unset"),
        pytest.param(list[str], "", "<a>1</a><a>2</a>", ["1", "2"], id="a list"),
        pytest.param(list[Ref], "", '<a type="Folder">f</a>', [Ref("Folder", "f")], id="a list of references"),
        pytest.param(Boxed | int | str | None, ' xsi:type="xsd:long"', "7", 7, id="a value that says it is a long"),
        pytest.param(Boxed | int | str | None, ' xsi:type="xsd:unsignedByte"', "7", 7, id="a byte"),
        pytest.param(Boxed | int | str | None, ' xsi:type="xsd:double"', "7", 7.0, id="a double"),
        pytest.param(Boxed | int | str | None, ' xsi:type="xsd:boolean"', "1", True, id="a boolean"),
        pytest.param(Boxed | int | str | None, ' xsi:type="xsd:string"', "7", "7", id="a text"),
        pytest.param(Boxed | int | str | None, "", "7", "7", id="a value of no type"),
        pytest.param(Boxed | int | str | None, ' xsi:type=" a:b:long "', "7", 7, id="a type with blanks and prefixes"),
    ],
)
def test_a_value_is_read_by_its_shape(shape: object, attributes: str, content: str, value: object) -> None:
    read = value_of(element(attributes, content), shape)
    assert read == value
    assert type(read) is type(value)


def test_a_data_object_is_read_field_by_field_in_any_order() -> None:
    text = element(
        ' xsi:type="v:HostScsiDisk"',
        "<v:canonicalName>naa.6</v:canonicalName><nobodyKnows><vendor>x</vendor></nobodyKnows><_typeName>x</_typeName>"
        '<operationalState>ok</operationalState><vendor xsi:nil="true">PURE</vendor><operationalState>lost</operationalState>'
        "<queueDepth>64</queueDepth><capacity><block>4</block><blockSize>512</blockSize></capacity><vStorageSupport>yes</vStorageSupport>",
    )
    assert value_of(text, ScsiLun) == ScsiLun(
        "HostScsiDisk",
        canonical_name="naa.6",
        operational_state=["ok", "lost"],
        queue_depth=64,
        capacity=Capacity(block=4, block_size=512),
        vstorage_support="yes",
    )


def test_lists_of_data_objects_are_read_in_their_order() -> None:
    text = element("", "<lun><path><name>p1</name></path><id>a</id><path><name>p2</name></path></lun><lun></lun>")
    assert value_of(text, MultipathInfo) == MultipathInfo(lun=[LogicalUnit(id="a", path=[Path(name="p1"), Path(name="p2")]), LogicalUnit()])
    target = "<iScsiName>iqn</iScsiName><advancedOptions><key>k</key><value xsi:type='xsd:int'>1</value></advancedOptions>"
    assert value_of(element("", target), IscsiTarget) == IscsiTarget(iscsi_name="iqn", advanced_options=[OptionValue(key="k", value=1)])
    assert value_of(element("", "<version>8</version><build> 1</build>"), Product) == Product(version="8", build=" 1")


@pytest.mark.parametrize(
    ("shape", "attributes", "content", "words"),
    [
        pytest.param(int, "", "1.0", "val is no whole number", id="a fraction"),
        pytest.param(int, "", "", "val is no whole number", id="no number"),
        pytest.param(int, "", "9" * 21, "val is no whole number", id="a number of 21 digits"),
        pytest.param(int, "", "1_0", "val is no whole number", id="a number as Python writes it"),
        pytest.param(float, "", "much", "val is no number", id="no fraction"),
        pytest.param(bool, "", "True", "val is neither true nor false", id="True"),
        pytest.param(datetime, "", "yesterday", "val is no time", id="no time"),
        pytest.param(Ref, "", "f-1", "val is a reference without a type", id="a reference of no type"),
        pytest.param(Ref, ' type="Folder"', "<a/>", "val has parts", id="a reference with parts"),
        pytest.param(ScsiLun, "", "<v:queueDepth>x</v:queueDepth>", "queueDepth is no whole number", id="within a data object"),
        pytest.param(Boxed | int | None, ' xsi:type="xsd:int"', "x", "val is no whole number", id="not what it says it is"),
    ],
)
def test_a_value_that_is_not_as_its_shape_is_named(shape: object, attributes: str, content: str, words: str) -> None:
    with pytest.raises(UnfamiliarError, match=words):
        value_of(element(attributes, content), shape)


def test_a_property_has_the_shape_that_was_declared() -> None:
    assert shape_of("HostSystem", "config.option") == list[OptionValue]
    with pytest.raises(UnfamiliarError, match="name of Task, which was not asked for"):
        shape_of("Task", "name")


def missing(inside: str) -> str:
    return element("", f"<path>config.a</path><fault>{inside}</fault>", "missingSet")


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        pytest.param(FAULT + "<localizedMessage>Not allowed.</localizedMessage>", "NoPermission: System.Read: Not allowed.", id="both"),
        pytest.param(FAULT, "NoPermission: System.Read", id="no words"),
        pytest.param("<localizedMessage>Not allowed.</localizedMessage>", "MethodFault: Not allowed.", id="words alone"),
        pytest.param(
            FAULT.replace("<v:priv", '<v:object type="Folder">f-1</v:object><v:faultCause><v:msg>x</v:msg></v:faultCause><v:priv'),
            "NoPermission: System.Read",
            id="parts that are objects",
        ),
        pytest.param(FAULT.replace("<v:privilegeId>", '<v:privilegeId xsi:nil="true">'), "NoPermission", id="nil"),
    ],
)
def test_what_is_missing_says_why(inside: str, why: str) -> None:
    assert missing_of(missing(inside)) == ("config.a", why)


def fault(detail: str, message: str = "<faultstring>no &amp; never</faultstring>") -> bytes:
    body = f"<e:Fault><faultcode>c</faultcode>{message}{detail}</e:Fault>"
    return f'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" {XSI}><e:Body>{body}</e:Body></e:Envelope>'.encode()


GONE = (
    '<detail><ManagedObjectNotFoundFault xmlns="urn:vim25" xsi:type="ManagedObjectNotFound">'
    '<obj type="HostSystem">host-9</obj></ManagedObjectNotFoundFault></detail>'
)


def test_a_fault_is_pyvmomis_with_its_members_and_words() -> None:
    read = fault_of_soap(fault(GONE))
    assert isinstance(read, vmodl.fault.ManagedObjectNotFound)
    assert (read.obj._GetMoId(), type(read.obj), read.msg) == ("host-9", vim.HostSystem, "no & never")
    assert fault_of_soap(fault(GONE, "")).msg == ""


@pytest.mark.parametrize("detail", ["", "<detail/>"], ids=["no detail", "an empty one"])
def test_a_fault_of_no_type_is_a_plain_one(detail: str) -> None:
    read = fault_of_soap(fault(detail))
    assert type(read) is vmodl.MethodFault
    assert read.msg == "no & never"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(answer(""), id="an answer"),
        pytest.param(b"<html>", id="torn"),
        pytest.param(b"<!DOCTYPE a>" + fault(GONE), id="a document type"),
        pytest.param(fault("", "<faultstring><a/></faultstring>"), id="parts in its words"),
        pytest.param(fault(GONE).replace(b"e:Fault", b"Fault"), id="another element"),
    ],
)
def test_what_is_no_fault_holds_none(body: bytes) -> None:
    assert fault_of_soap(body) is None
