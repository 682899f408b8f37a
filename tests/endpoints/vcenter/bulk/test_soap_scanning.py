"""What the quick way makes of an answer as vCenter writes it, and which answers it leaves to the parser; the parser is not asked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from auditor.endpoints.vcenter.bulk import soap_scanning
from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import LogicalUnit, MultipathInfo, OptionValue, Product, Ref
from auditor.endpoints.vcenter.bulk.soap_scanning import scanned

OPERATION = "RetrievePropertiesEx"
SPACES = (
    'xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" '
    'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)
NAME = '<propSet><name>name</name><val xsi:type="xsd:string">esx-1</val></propSet>'
OPTION = '<OptionValue><key>Disk.MaxLUN</key><value xsi:type="xsd:long">1024</value></OptionValue>'
READ_OPTION = [OptionValue(key="Disk.MaxLUN", value=1024)]
ONE = f'<objects><obj type="HostSystem">host-1</obj>{NAME}</objects>'


def answer(result: str, *, prefix: str = "soapenv", spaces: str = SPACES, returnval: str = "<returnval>") -> bytes:
    """An answer as vCenter writes it, with line feeds around the body."""
    response = f'<RetrievePropertiesExResponse xmlns="urn:vim25">{returnval}{result}</returnval></RetrievePropertiesExResponse>'
    envelope = f"<{prefix}:Envelope {spaces}>\n<{prefix}:Body>\n{response}\n</{prefix}:Body>\n</{prefix}:Envelope>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{envelope}'.encode()


def prop(path: str, attributes: str, value: str) -> str:
    return f"<propSet><name>{path}</name><val{attributes}>{value}</val></propSet>"


def test_an_answer_is_scanned_object_by_object() -> None:
    properties = [
        prop("name", ' xsi:type="xsd:string"', "esx &amp; 1"),
        prop("parent", ' type="ClusterComputeResource" xsi:type="ManagedObjectReference"', "domain-c&lt;1"),
        prop("runtime.connectionState", ' xsi:type="HostSystemConnectionState"', "connected"),
        prop("runtime.inMaintenanceMode", ' xsi:type="xsd:boolean"', "false"),
        prop("config.vsanHostConfig.enabled", ' xsi:type="xsd:boolean"', "true"),
        prop("runtime.bootTime", ' xsi:type="xsd:dateTime"', "2026-11-01T10:20:30Z"),
        prop("summary.config.product", ' xsi:type="AboutInfo"', "<name>VMware ESXi</name><version>8.0.2</version><build>22380479</build>"),
        prop("config.option", ' xsi:type="ArrayOfOptionValue"', OPTION),
    ]
    fault = '<fault xsi:type="NoPermission"><privilegeId>{}</privilegeId></fault><localizedMessage>Not allowed.</localizedMessage>'
    missing = "".join(
        f"<missingSet><path>{path}</path><fault>{fault.format(privilege)}</fault></missingSet>"
        for path, privilege in (("runtime.powerState", "System.Read"), ("config.network.vnic", "Host.Config.Network"))
    )
    gone = '<objects><obj type="HostSystem" serverGuid="1-a">host-&amp;2</obj></objects>'
    body = answer(f'<token>t&amp;1</token><objects><obj type="HostSystem">host-1</obj>{"".join(properties)}{missing}</objects>{gone}')
    values = {
        "name": "esx & 1",
        "parent": Ref("ClusterComputeResource", "domain-c<1"),
        "runtime.connectionState": "connected",
        "runtime.inMaintenanceMode": False,
        "config.vsanHostConfig.enabled": True,
        "runtime.bootTime": datetime(2026, 11, 1, 10, 20, 30, tzinfo=UTC),
        "summary.config.product": Product("AboutInfo", version="8.0.2", build="22380479"),
        "config.option": READ_OPTION,
    }
    reasons = {
        "runtime.powerState": "NoPermission: System.Read: Not allowed.",
        "config.network.vnic": "NoPermission: Host.Config.Network: Not allowed.",
    }
    objects = [ObjectProperties(Ref("HostSystem", "host-1"), values, reasons), ObjectProperties(Ref("HostSystem", "host-&2"), {}, {})]
    assert scanned(body, OPERATION, "HostSystem") == Answer(objects, "t&1", len(body))


@pytest.mark.parametrize(
    ("attributes", "ref"),
    [
        pytest.param(' type="Folder"', Ref("Folder", "x&1"), id="no type but its own"),
        pytest.param(' type="Folder" xsi:type="ManagedObjectReference"', Ref("Folder", "x&1"), id="the type first"),
        pytest.param(' xsi:type="ManagedObjectReference" type="Folder"', Ref("Folder", "x&1"), id="the type last"),
    ],
)
def test_a_reference_has_its_type_before_or_after(attributes: str, ref: Ref) -> None:
    body = answer(f'<objects><obj type="HostSystem">host-1</obj>{prop("parent", attributes, "x&amp;1")}</objects>')
    found = scanned(body, OPERATION, "HostSystem")
    assert found is not None
    assert found.objects[0].values == {"parent": ref}
    assert found.token is None


@pytest.mark.parametrize(
    ("path", "attributes", "value", "read"),
    [
        pytest.param("runtime.inMaintenanceMode", ' xsi:type="xsd:boolean"', "true", True, id="a boolean"),
        pytest.param("parent", ' type="Folder"', "f&amp;1", Ref("Folder", "f&1"), id="a reference"),
        pytest.param("config.option", ' xsi:type="ArrayOfOptionValue"', OPTION, READ_OPTION, id="options"),
        pytest.param(
            "config.storageDevice.multipathInfo",
            ' xsi:type="HostMultipathInfo"',
            "<lun></lun>",
            MultipathInfo("HostMultipathInfo", [LogicalUnit()]),
            id="paths",
        ),
    ],
)
def test_no_tree_is_built_for_a_value_in_the_usual_spelling(
    path: str, attributes: str, value: str, read: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soap_scanning, "value_of", lambda text, _shape: pytest.fail(f"parsed: {text}"))
    found = scanned(
        answer(f'<objects><obj type="HostSystem">host-1</obj>{prop(path, attributes, value)}</objects>'), OPERATION, "HostSystem"
    )
    assert found is not None
    assert found.objects[0].values == {path: read}


@pytest.mark.parametrize(
    ("path", "attributes", "value", "read"),
    [
        pytest.param("runtime.inMaintenanceMode", ' xsi:type="xsd:boolean"', "1", True, id="true as 1"),
        pytest.param("name", ' xsi:type="xsd:string"', "<![CDATA[a&b]]>", "a&b", id="bare text"),
        pytest.param("parent", ' type="Folder"', "<!-- x -->f-1", Ref("Folder", "f-1"), id="a comment in a reference"),
        pytest.param("parent", ' xsi:type="x" type="Folder"', "f-1", Ref("Folder", "f-1"), id="a reference of a type of its own"),
        pytest.param("config.option", "", OPTION, READ_OPTION, id="a list of no type"),
        pytest.param("config.option", ' xsi:type="A"', OPTION + "\n", READ_OPTION, id="a line feed in it"),
    ],
)
def test_a_value_in_another_spelling_is_parsed_alone(path: str, attributes: str, value: str, read: object) -> None:
    found = scanned(
        answer(f'<objects><obj type="HostSystem">host-1</obj>{prop(path, attributes, value)}</objects>'), OPERATION, "HostSystem"
    )
    assert found is not None
    assert found.objects[0].values == {path: read}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(answer(ONE, prefix="e", spaces=SPACES.replace("soapenv", "e")), id="another prefix of the envelope"),
        pytest.param(answer(ONE, returnval='<returnval versionId="5">'), id="a version"),
        pytest.param(
            answer(ONE, returnval='<returnval xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'), id="a prefix declared anew"
        ),
        pytest.param(answer(ONE), id="as it is"),
        pytest.param(answer(ONE, spaces=SPACES.replace("soapenc/", "soapenc.x/")), id="a space that nobody uses"),
    ],
)
def test_what_vcenters_of_different_releases_write_is_scanned(body: bytes) -> None:
    objects = [ObjectProperties(Ref("HostSystem", "host-1"), {"name": "esx-1"}, {})]
    assert scanned(body, OPERATION, "HostSystem") == Answer(objects, None, len(body))


def test_letters_beyond_ascii_are_scanned() -> None:
    found = scanned(answer(ONE.replace("esx-1", "esx-ü")), OPERATION, "HostSystem")
    assert found is not None
    assert found.objects[0].values == {"name": "esx-ü"}


MISSING = "<missingSet><path>name</path><fault><fault></fault><localizedMessage></localizedMessage></fault></missingSet>"
XSD = ' xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
ENVELOPE = 'xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(answer(ONE).replace(b"esx-1", b"esx-\xff"), id="no UTF-8"),
        pytest.param(answer(ONE.replace("esx-1", "esx-\uffff")), id="a character that is none"),
        pytest.param(b" " + answer(ONE), id="a blank before it"),
        pytest.param(answer(ONE) + b"x", id="a letter after it"),
        pytest.param(answer(ONE).replace(b"RetrievePropertiesEx", b"ContinueRetrievePropertiesEx"), id="the answer to another call"),
        pytest.param(answer(ONE).replace(b"</RetrievePropertiesEx", b"</ContinueRetrievePropertiesEx"), id="closed as another"),
        pytest.param(answer(ONE).replace(b"</soapenv:", b"</xsi:"), id="an envelope closed by another"),
        pytest.param(answer(ONE, prefix="xsd"), id="an envelope of no SOAP"),
        pytest.param(answer(ONE, spaces=f'{SPACES} xmlns:a="urn:a" xmlns:a="urn:a"'), id="a prefix declared twice"),
        pytest.param(answer(ONE, returnval='<returnval xmlns:a="urn:a">'), id="a prefix inside that nobody knows"),
        pytest.param(answer(ONE, returnval='<returnval xmlns:xsi="urn:mine">'), id="a known prefix of another space inside"),
        pytest.param(answer(ONE, returnval=f"<returnval{XSD * 2}>"), id="a prefix declared twice inside"),
        pytest.param(answer(ONE, spaces=ENVELOPE), id="prefixes that nobody declared"),
        pytest.param(answer(ONE, spaces=f"{SPACES.replace('/XMLSchema-instance', '/x')}"), id="a known prefix of another space"),
        pytest.param(answer(ONE.replace(NAME, prop("config.nonsense", "", "x"))), id="a property that nobody asked for"),
        pytest.param(answer(ONE.replace("</val></propSet>", "")), id="a value without end"),
        pytest.param(answer(ONE.replace("</objects>", "")), id="an object without end"),
        pytest.param(answer(ONE.replace("</objects>", "</abjects>")), id="an object closed by another"),
        pytest.param(answer(ONE.replace("</objects>", MISSING.replace("</missingSet>", "") + "</objects>")), id="a gap without end"),
        pytest.param(answer(ONE.replace("</objects>", MISSING.replace("<path>name</path>", "") + "</objects>")), id="a gap of nothing"),
        pytest.param(answer(ONE.replace(NAME, prop("runtime.inMaintenanceMode", "", "perhaps"))), id="neither true nor false"),
        pytest.param(answer(ONE.replace(NAME, prop("parent", ' xsi:type="xsd:string"', "f"))), id="a reference of no type"),
        pytest.param(answer(ONE.replace(NAME, prop("name", "", "a<b></b>"))), id="parts in a text"),
        pytest.param(answer(ONE.replace(NAME, NAME.replace("name>", "nome>"))), id="another element"),
    ],
)
def test_what_is_not_as_vcenter_writes_it_is_the_parsers(body: bytes) -> None:
    assert scanned(body, OPERATION, "HostSystem") is None
