"""Answers of hosts decoded without building trees: never anything else than a parser, or pyVmomi, makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyVmomi import vim

from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.esxcli_records import parse_rows, plain_name, response_in, scanned_rows
from auditor.endpoints.vcenter.host_answers import option_text, query_modules, query_options, scanned_modules, scanned_options, wire_type
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.endpoints.vcenter.soap_envelope import SOAP, XSD, XSI, content_of
from auditor.model import Endpoint, EndpointKind, Secret
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

ENDPOINT = Endpoint("vc", EndpointKind.VCENTER, "192.0.2.1", 443, "u", Secret("env", ("X",)))
HEAD = f'<obj xmlns:xsd="{XSD}" xmlns:xsi="{XSI}" xmlns="urn:vim25" versionId="5.0" xsi:type="ArrayOfDataObject">'
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=12)
FIELDS = ("Device", "IsVVOLPE", "NoofoutstandingIOswithcompetingworlds", "OtherUIDs", "Status")


def enveloped(operation: str, content: str, prefix: str = "soapenv", spaces: str = "") -> bytes:
    declared = spaces or f'xmlns:{prefix}="{SOAP}" xmlns:xsd="{XSD}" xmlns:xsi="{XSI}"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{prefix}:Envelope {declared}>\n<{prefix}:Body>\n'
        f'<{operation}Response xmlns="urn:vim25">{content}</{operation}Response>\n</{prefix}:Body>\n</{prefix}:Envelope>'
    ).encode()


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Records as hosts write them; fields may be missing, repeat, or hold anything."""
    records = []
    for _ in range(draw(st.integers(0, 4))):
        fields = "".join(
            f"<{name}>{escape(draw(TEXT))}</{name}>" for name in FIELDS for _ in range(draw(st.sampled_from((1, 1, 1, 1, 0, 2))))
        )
        records.append(f'<DataObject xsi:type="VimEsxCLIstorage">{fields}</DataObject>')
    return f"{HEAD}{''.join(records)}</obj>"


@given(documents(), st.sets(st.sampled_from(FIELDS)))
def test_records_are_what_a_parser_makes_of_them_less_what_nobody_asked_for(document: str, wanted: set[str]) -> None:
    fields = frozenset(plain_name(name) for name in wanted)
    scanned = scanned_rows(escape(document), fields)
    # Rows without any of the fields asked for are empty ones in both.
    if scanned is not None:
        assert scanned == parse_rows(document, ENDPOINT, "esxcli", fields)
    whole = parse_rows(document, ENDPOINT, "esxcli")
    picked = [{name: value for name, value in row.items() if not fields or plain_name(name) in fields} for row in whole]
    if all(row != {"value": ""} for row in whole):
        assert parse_rows(document, ENDPOINT, "esxcli", fields) == picked


@given(documents(), st.integers(0, 2000), st.sampled_from(["<", ">", "&", "&lt;", "</Device>", '"', "]]>", "<!--x-->", " ", "x"]))
def test_a_document_that_was_damaged_is_never_read_as_something_else_than_it_says(document: str, place: int, damage: str) -> None:
    place %= len(document)
    broken = document[:place] + damage + document[place + 1 :]
    scanned = scanned_rows(escape(broken))
    if scanned is not None:
        assert scanned == parse_rows(broken, ENDPOINT, "esxcli")


def test_the_form_that_hosts_write_needs_no_parser() -> None:
    fields = "".join(f"<{name}>R&amp;amp;D {name}</{name}>".replace("&amp;amp;", "&amp;") for name in FIELDS)
    document = f"{HEAD}{f'<DataObject>{fields}</DataObject>' * 3}</obj>"
    body = enveloped("ExecuteSoap", f"<returnval><response>{escape(document)}</response></returnval>")
    escaped = response_in(body)
    assert escaped is not None
    rows = scanned_rows(escaped, frozenset({"device"}))
    assert rows == [{"Device": "R&D Device"}] * 3


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(enveloped("QueryModules", "x"), id="answer to another question"),
        pytest.param(enveloped("QueryOptions", "x")[:-3], id="cut short"),
        pytest.param(enveloped("QueryOptions", "x").replace(b">x<", b">\x01<"), id="character that XML forbids"),
        pytest.param(enveloped("QueryOptions", "x").replace(b">x<", b">\xff<"), id="no UTF-8"),
        pytest.param(enveloped("QueryOptions", "]]>"), id="end of a section that was not begun"),
        pytest.param(enveloped("QueryOptions", "x", spaces=f'xmlns:soapenv="{SOAP}" xmlns:xsd="urn:x" xmlns:xsi="{XSI}"'), id="other xsd"),
        pytest.param(enveloped("QueryOptions", "x", spaces=f'xmlns:soapenv="urn:x" xmlns:xsd="{XSD}" xmlns:xsi="{XSI}"'), id="no SOAP"),
        pytest.param(b"<html>welcome</html>", id="no answer at all"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_an_envelope_that_is_not_the_usual_one_is_left_to_the_parser(body: bytes) -> None:
    assert content_of(body, "QueryOptions") is None


def test_an_envelope_is_opened_whatever_its_prefix() -> None:
    assert content_of(enveloped("QueryOptions", "x", prefix="soap"), "QueryOptions") == "x"


def option(key: str, kind: str, value: str) -> str:
    return f'<returnval><key>{key}</key><value xsi:type="xsd:{kind}">{value}</value></returnval>'


def test_options_keep_the_type_they_had_on_the_wire() -> None:
    content = option("a", "long", "-4") + option("b", "int", "7") + option("c", "string", "7 &lt; 8") + option("d", "boolean", "true")
    found = scanned_options(content)
    assert found is not None
    assert (found.keys, found.values) == (["a", "b", "c", "d"], ["-4", "7", "7 < 8", "true"])
    assert found.types == ["long", "int", "string", "boolean"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(option("a", "long", "007"), id="number that would be written otherwise"),
        pytest.param(option("a", "long", "1.5"), id="no number"),
        pytest.param(option("a", "boolean", "1"), id="truth as a digit"),
        pytest.param(option("a", "short", "1"), id="type that options do not have"),
        pytest.param("<returnval><key>a</key></returnval>", id="no value"),
        pytest.param(option("a", "long", "1") + "<!-- -->", id="comment"),
        pytest.param(option("a", "long", "1")[:-1], id="cut short"),
    ],
)
def test_options_that_are_not_written_as_usual_are_left_to_pyvmomi(content: str) -> None:
    assert scanned_options(content) is None


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("<returnval><id>1</id><name>a</name></returnval>", id="fields missing"),
        pytest.param("<returnval/>", id="nothing in it"),
        pytest.param(
            "<returnval><id>1</id><name>a</name><version>1</version><filename>f</filename><optionString></optionString>"
            "<loaded>true</loaded><name>b</name></returnval>",
            id="two names",
        ),
    ],
)
def test_modules_that_are_not_written_as_usual_are_left_to_pyvmomi(content: str) -> None:
    assert scanned_modules(content) is None


def test_the_lab_is_understood_as_pyvmomi_understands_it(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with server.state.lock:
        server.state.hosts["host-11"].options.update({"Lab.Text": "R&D <1>", "Lab.Truth": True, "Lab.Empty": ""})
        server.state.hosts["host-11"].modules["iscsi_vmk"].configured = 'a="1" b<2'
        server.state.changed()
    with open_vcenter(endpoint) as vcenter:
        answer: Any = vcenter.object(vim.option.OptionManager, "EsxHostAdvSettings-11").QueryOptions()
        found = query_options(vcenter.stub, Ref("OptionManager", "EsxHostAdvSettings-11"))
        rows = sorted(zip(found.keys, found.values, found.types, strict=True))
        assert rows == sorted((one.key, option_text(one.value), wire_type(one.value)) for one in answer)
        assert ("Lab.Text", "R&D <1>", "string") in rows
        assert ("Lab.Truth", "true", "boolean") in rows
        answer = vcenter.object(vim.host.KernelModuleSystem, "kernelModuleSystem-11").QueryModules()
        modules = query_modules(vcenter.stub, Ref("HostKernelModuleSystem", "kernelModuleSystem-11"))
        assert {name: (one.loaded, one.option_string, one.version) for name, one in modules.items()} == {
            one.name: (one.loaded, one.optionString, one.version) for one in answer
        }
        assert modules["iscsi_vmk"].option_string == 'a="1" b<2'


def test_what_vcsim_writes_is_understood_too(start_vcsim: Callable[..., Endpoint]) -> None:
    with open_vcenter(start_vcsim()) as vcenter:
        manager = vcenter.value(vim.HostSystem, "host-21", "configManager.advancedOption")
        found = query_options(vcenter.stub, Ref("OptionManager", manager._GetMoId()))
        answer = manager.QueryOptions()
        assert list(zip(found.keys, found.values, found.types, strict=True)) == [
            (one.key, option_text(one.value), wire_type(one.value)) for one in answer
        ]


def test_an_expired_session_is_renewed_for_these_questions(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.sessions.expire()
        assert query_options(vcenter.stub, Ref("OptionManager", "EsxHostAdvSettings-11")).keys
        server.faults.active.append(Fault("session", "QueryModules", times=1))
        assert query_modules(vcenter.stub, Ref("HostKernelModuleSystem", "kernelModuleSystem-11"))


@pytest.mark.parametrize(
    "paths", [pytest.param((1, 4), id="single first"), pytest.param((4, 1), id="several first"), pytest.param((4, 0), id="none")]
)
def test_a_list_of_paths_needs_no_parser(paths: tuple[int, int]) -> None:
    records = "".join(
        f"<DataObject><Device>naa.{number}</Device>{''.join(f'<WorkingPaths>R&amp;D:{path}</WorkingPaths>' for path in range(count))}"
        "<IsUSB>false</IsUSB></DataObject>"
        for number, count in enumerate(paths)
    )
    document = f"{HEAD}{records}</obj>"
    for fields in (frozenset({"device", "workingpaths"}), frozenset[str]()):
        scanned = scanned_rows(escape(document), fields)
        assert scanned is not None
        assert scanned == parse_rows(document, ENDPOINT, "esxcli", fields)
