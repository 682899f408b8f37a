"""What the SOAP lane makes of an answer's bytes: the shapes that were written, whatever the spelling, or nothing at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import PROPERTIES, MultipathInfo, OptionValue, Path, Policy, Ref, ScsiLun, Transport
from auditor.endpoints.vcenter.bulk.shapes import LogicalUnit as Unit
from auditor.endpoints.vcenter.bulk.soap_grammar import SCANNERS
from auditor.endpoints.vcenter.bulk.soap_parsing import NonsenseError, parsed
from auditor.endpoints.vcenter.bulk.soap_scanning import scanned
from tests.depth import depth
from tests.endpoints.vcenter.bulk.soap_writing import AnyWay, AsVCenter, answer, values_of

HOSTS = PROPERTIES["HostSystem"]
BULK = ("config.storageDevice.scsiLun", "config.storageDevice.multipathInfo", "config.option")
OPERATION = "RetrievePropertiesEx"
bounded = settings(max_examples=depth(10, 25))


def found_of(declared: Mapping[str, Any], *, plain: bool) -> st.SearchStrategy[list[ObjectProperties]]:
    values = st.fixed_dictionaries({}, optional={path: values_of(shape, plain=plain) for path, shape in declared.items()})
    missing = st.sampled_from([{}, {"config.vsanHostConfig.enabled": "NoPermission"}])
    return st.lists(st.builds(ObjectProperties, st.builds(Ref, st.just("HostSystem"), st.just("host-1")), values, missing), max_size=3)


def answer_of(found: list[ObjectProperties], token: str | None, body: bytes) -> Answer:
    """`found` as it is read: the fault that was written for what is missing is described."""
    why = "NoPermission: System.Read: Not allowed."
    return Answer([ObjectProperties(one.ref, one.values, dict.fromkeys(one.missing, why)) for one in found], token, len(body))


def by_grammar(body: bytes) -> list[Any]:
    """What the regular expressions alone make of every bulk property in the answer."""
    text = body.decode()
    parts = re.finditer(rf'<name>({"|".join(BULK)})</name><val xsi:type="([^"]*)">', text)
    return [SCANNERS[part[1]](text, part.end(), text.index("</val></propSet>", part.end()), part[2]) for part in parts]


TOKENS = st.sampled_from([None, "0", "a&b"])


@bounded
@given(st.data(), TOKENS, st.booleans())
def test_an_answer_as_vcenter_writes_it_is_scanned_to_what_was_written(data: Any, token: str | None, extras: bool) -> None:
    found = data.draw(found_of({path: HOSTS[path] for path in ("name", "parent", "runtime.inMaintenanceMode", *BULK)}, plain=True))
    body = answer(found, token, AsVCenter(), declared=HOSTS, extras=extras)
    assert scanned(body, OPERATION, "HostSystem") == answer_of(found, token, body)
    assert by_grammar(body) == [value for one in found for path, value in one.values.items() if path in BULK]
    assert parsed(body, OPERATION, "HostSystem") == answer_of(found, token, body)


@bounded
@given(st.data(), TOKENS, st.booleans())
def test_any_legal_spelling_means_the_same(data: Any, token: str | None, extras: bool) -> None:
    found = data.draw(found_of({path: HOSTS[path] for path in BULK}, plain=False))
    body = answer(found, token, AnyWay(data.draw), declared=HOSTS, extras=extras)
    expected = answer_of(found, token, body)
    assert parsed(body, OPERATION, "HostSystem") == expected
    assert scanned(body, OPERATION, "HostSystem") in (None, expected)


@bounded
@pytest.mark.parametrize("kind", ["HostSystem", "Datastore", "VirtualMachine", "StoragePod", "Task", "ExtensionManager", "ContainerView"])
@given(st.data())
def test_every_property_of_every_kind_is_read_as_it_was_written(kind: str, data: Any) -> None:
    shape = {path: data.draw(values_of(declared, plain=True)) for path, declared in PROPERTIES[kind].items()}
    found = [ObjectProperties(Ref(kind, "x-1"), shape, {})]
    body = answer(found, None, AsVCenter(), declared=PROPERTIES[kind], extras=False)
    assert scanned(body, OPERATION, kind) == answer_of(found, None, body)
    assert parsed(body, OPERATION, kind) == answer_of(found, None, body)


def usual() -> tuple[Answer, bytes]:
    """Two hosts with a little of everything, as vCenter writes it."""
    lun = ScsiLun("HostScsiDisk", key="k", canonical_name="naa.6", vendor="PURE    ", queue_depth=64, operational_state=["ok"], ssd=True)
    by = Transport("HostInternetScsiTargetTransport", iscsi_name="iqn.x")
    path = Path(name="p", path_state="active", state="active", adapter="a", transport=by)
    unit = Unit(id="i", lun="k", path=[path, path], policy=Policy(policy="VMW_PSP_RR"))
    options = [OptionValue(key="Disk.MaxLUN", value=1024), OptionValue(key="Misc.Name", value="a & b")]
    values = {"name": "esx", BULK[0]: [lun, lun], BULK[1]: MultipathInfo("HostMultipathInfo", [unit, unit]), BULK[2]: options}
    found = [ObjectProperties(Ref("HostSystem", f"host-{number}"), values, {"runtime.bootTime": "NoPermission"}) for number in (1, 2)]
    body = answer(found, "0", AsVCenter(), declared=HOSTS, extras=True)
    return answer_of(found, "0", body), body


def test_an_answer_cut_short_anywhere_is_nonsense_and_never_a_part() -> None:
    whole, body = usual()
    assert scanned(body, OPERATION, "HostSystem") == whole
    for length in range(len(body)):
        assert scanned(body[:length], OPERATION, "HostSystem") is None, length
        with pytest.raises(NonsenseError):
            parsed(body[:length], OPERATION, "HostSystem")


@settings(max_examples=depth(40, 150))
@given(st.data())
def test_a_damaged_answer_is_never_scanned_to_anything_the_parser_would_not_tell(data: Any) -> None:
    _, body = usual()
    edges = [at for at in range(len(body)) if body[at : at + 1] in b"<>"]
    start, end = sorted((data.draw(st.sampled_from(edges)), data.draw(st.sampled_from(edges))))
    put = data.draw(st.sampled_from([b"", b"<", b"<!-- -->", b"<vendor>x</vendor>", b"</val></propSet>", b"x", body[end : end + 40]]))
    damaged = body[:start] + put + body[data.draw(st.sampled_from([start, end])) :]
    quick = scanned(damaged, OPERATION, "HostSystem")
    if quick is not None:
        assert quick == parsed(damaged, OPERATION, "HostSystem")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"<queueDepth>64", b"<queueDepth>64<!-- deep -->", id="a comment"),
        pytest.param(b"<vendor>PURE    ", b"<vendor><![CDATA[PURE    ]]>", id="a section of bare text"),
        pytest.param(b"<vendor>PURE", b"<vendor>&#80;URE", id="a letter by its number"),
        pytest.param(b"</canonicalName>", b"</canonicalName >", id="a blank in a closing tag"),
        pytest.param(b"<ssd>true", b"<ssd>1", id="true as 1"),
        pytest.param(b"<queueDepth>64", b"<queueDepth> 64 ", id="blanks around a number"),
        pytest.param(b"<value xsi:type=", b"<value  xsi:type=", id="a blank more in a tag"),
        pytest.param(b"<lun><key>", b"<lun>\n<key>", id="a line feed between elements"),
        pytest.param(b'xsi:type="HostScsiDisk"', b'xsi:type="v:HostScsiDisk" xmlns:v="urn:vim25"', id="a prefixed type"),
    ],
)
def test_an_unusual_spelling_of_one_property_costs_no_element(before: bytes, after: bytes) -> None:
    whole, body = usual()
    body = body.replace(before, after)
    quick = scanned(body, OPERATION, "HostSystem")
    assert quick is None or quick.objects == whole.objects
    assert parsed(body, OPERATION, "HostSystem").objects == whole.objects


def test_fields_in_an_order_the_schema_does_not_have_are_still_all_read() -> None:
    whole, body = usual()
    moved = body.replace(b"<ssd>true</ssd>", b"").replace(b"<lunType>", b"<ssd>true</ssd><lunType>")
    moved = moved.replace(b"<canonicalName>naa.6</canonicalName>", b"").replace(
        b"</ScsiLun>", b"<canonicalName>naa.6</canonicalName></ScsiLun>"
    )
    moved = moved.replace(b"<vendor>PURE", b"<ssd>true</ssd><vendor>PURE")
    quick = scanned(moved, OPERATION, "HostSystem")
    assert quick is not None
    assert quick.objects == whole.objects == parsed(moved, OPERATION, "HostSystem").objects


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"<?xml", b"<html><body>welcome</body></html><?xml", id="something before it"),
        pytest.param(b"</soapenv:Envelope>", b"</soapenv:Envelope><a/>", id="something after it"),
        pytest.param(b"RetrievePropertiesExResponse", b"QueryOptionsResponse", id="the answer of another call"),
        pytest.param(b"<queueDepth>64", b"<queueDepth>deep", id="no number"),
        pytest.param(b"<queueDepth>64", b"<queueDepth>6_4", id="a number as Python writes it"),
        pytest.param(b"<ssd>true", b"<ssd>yes", id="neither true nor false"),
        pytest.param(b"<vendor>PURE", b"<vendor>P\x01RE", id="a control character"),
        pytest.param(b"<vendor>PURE", b"<vendor>P\xffRE", id="no UTF-8"),
        pytest.param(b"<vendor>PURE", b"<vendor>P\xef\xbf\xbfRE", id="a character that is none"),
        pytest.param(b"<vendor>PURE", b"<vendor>P&nope;RE", id="an entity nobody declared"),
        pytest.param(b"<vendor>PURE", b"<vendor>P<b>U</b>RE", id="parts within a plain value"),
        pytest.param(b"</RetrieveP", b"</ContinueRetrieveP", id="an answer closed by another"),
        pytest.param(b"</soapenv:Body>\n</soapenv:", b"</xsi:Body>\n</xsi:", id="an envelope closed by another"),
        pytest.param(b"</vendor>", b"</vender>", id="a tag closed by another"),
        pytest.param(b"<adapter>", b"</adapter><adapter>", id="an end without a start"),
        pytest.param(b"<name>config.option</name>", b"<name>config.whole</name>", id="a property nobody asked for"),
        pytest.param(b'<obj type="HostSystem">', b"<obj>", id="a reference without a type"),
        pytest.param(b"<soapenv:Envelope", b'<!DOCTYPE a [<!ENTITY b "c">]><soapenv:Envelope', id="a document type"),
        pytest.param(b"urn:vim25", b"urn:vim26", id="another language"),
    ],
)
def test_nonsense_is_told_and_nothing_of_it_used(before: bytes, after: bytes) -> None:
    _, body = usual()
    assert before in body
    damaged = body.replace(before, after)
    assert scanned(damaged, OPERATION, "HostSystem") is None
    with pytest.raises(NonsenseError):
        parsed(damaged, OPERATION, "HostSystem")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<lun><id>i</id>", id="a unit that is not closed"),
        pytest.param("</lun>", id="a unit that is not opened"),
        pytest.param("<lun></lun></lun>", id="a unit closed twice"),
        pytest.param("<lun><lun></lun></lun><lun>", id="a unit within another's place"),
        pytest.param("<path></path>", id="a path of no unit"),
        pytest.param("<lun><path></lun>", id="a path that is not closed"),
        pytest.param("<lun></lun> ", id="a blank after the last"),
    ],
)
def test_units_and_paths_must_open_and_close_in_turn(text: str) -> None:
    assert SCANNERS[BULK[1]]("<lun></lun>", 0, 11, "HostMultipathInfo") == MultipathInfo("HostMultipathInfo", [Unit()])
    assert SCANNERS[BULK[1]](text, 0, len(text), "HostMultipathInfo") is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"', b'xmlns:xsi="urn:mine"', id="of the types"),
        pytest.param(b'xmlns:xsd="http://www.w3.org/2001/XMLSchema"', b"", id="of the plain types, undeclared"),
        pytest.param(b'xmlns:xsd="http://www.w3.org/2001/XMLSchema"', b'xmlns:xsd="urn:x" xmlns:xsd="urn:y"', id="declared twice"),
        pytest.param(b"<returnval>", b'<returnval xmlns:xsi="urn:mine">', id="declared anew inside"),
        pytest.param(b"schemas.xmlsoap.org/soap/envelope/", b"www.w3.org/2003/05/soap-envelope", id="of the envelope"),
    ],
)
def test_a_prefix_that_does_not_mean_what_it_usually_does_is_left_to_the_parser(before: bytes, after: bytes) -> None:
    _, body = usual()
    assert before in body
    assert scanned(body.replace(before, after, 1), OPERATION, "HostSystem") is None


def test_a_result_that_is_unset_is_nothing_found() -> None:
    response = b'<RetrievePropertiesExResponse xmlns="urn:vim25"/>'
    body = b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>%s</e:Body></e:Envelope>' % response
    assert parsed(body, OPERATION, "HostSystem") == Answer((), None, len(body))


def test_what_is_nil_is_unset() -> None:
    _, body = usual()
    nothing = body.replace(b"<vendor>PURE    <", b'<vendor xsi:nil="true"><').replace(
        b'<val xsi:type="xsd:string">esx<', b'<val xsi:nil="1"><'
    )
    assert nothing.count(b"xsi:nil") == 6
    for one in parsed(nothing, OPERATION, "HostSystem").objects:
        assert "name" not in one.values
        assert [lun.vendor for lun in one.values[BULK[0]]] == [None, None]
