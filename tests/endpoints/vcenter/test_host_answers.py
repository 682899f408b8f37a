"""Answers of hosts decoded without building trees: never anything else than a parser, or pyVmomi, makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyVmomi import VmomiSupport, vim

from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.esxcli_records import Row, parse_rows, plain_name, response_in, scanned_table
from auditor.endpoints.vcenter.host_answers import (
    Module,
    option_text,
    query_modules,
    query_options,
    scanned_modules,
    scanned_options,
    wire_type,
)
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


def scanned_rows(escaped: str, fields: frozenset[str] = frozenset()) -> list[Row] | None:
    table = scanned_table(escaped, fields)
    return None if table is None else table.rows()


@pytest.mark.long
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


@pytest.mark.long
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


class Host:
    """Stands for the stub: one answer of a host, and what pyVmomi makes of it."""

    def __init__(self, status: int, body: bytes, decoded: Any) -> None:
        self.status, self.body, self.made_of_it = status, body, decoded
        self.asked: list[tuple[str, str, bool, str]] = []
        self.left_to_pyvmomi: list[tuple[Any, ...]] = []

    def ask(self, operation: str, request: str, decode: Callable[[int, bytes], Any], *, repeatable: bool, kind: str) -> Any:
        self.asked.append((operation, request.partition("<soapenv:Body>")[2].partition("</soapenv:Body>")[0], repeatable, kind))
        return decode(self.status, self.body)

    def decoded(self, *given: Any) -> Any:
        self.left_to_pyvmomi.append(given)
        return self.made_of_it


MODULES = vim.host.KernelModuleSystem.ModuleInfo
USUAL = enveloped("QueryOptions", option("a", "long", "7") + option("b", "string", "x&amp;y"))
ODD = enveloped("QueryOptions", option("a", "short", "7"))
OPTIONS = [vim.option.OptionValue(key="a", value=True), vim.option.OptionValue(key="b")]


@pytest.mark.parametrize(
    ("status", "body", "listed", "options"),
    [
        pytest.param(200, USUAL, None, [("a", "7", "long"), ("b", "x&y", "string")], id="as hosts write it"),
        pytest.param(200, ODD, OPTIONS, [("a", "true", "boolean"), ("b", None, None)], id="written otherwise"),
        pytest.param(500, USUAL, [], [], id="a fault is no answer, whatever is in it"),
        pytest.param(200, ODD, None, [], id="none at all"),
    ],
)
def test_options_are_asked_for_once_and_what_is_not_usual_is_left_to_pyvmomi(
    status: int, body: bytes, listed: Any, options: list[tuple[str, str | None, str | None]]
) -> None:
    host: Any = Host(status, body, listed)
    of_host = '<_this type="OptionManager">options-1</_this>'
    for name, parameters, kind in ((None, "", "QueryOptions"), ("a<b", "<name>a&lt;b</name>", "QueryOptions by name")):
        found = query_options(host, Ref("OptionManager", "options-1"), name)
        assert list(zip(found.keys, found.values, found.types, strict=True)) == options
        asked = f'<QueryOptions xmlns="urn:vim25">{of_host}{parameters}</QueryOptions>'
        assert host.asked.pop() == ("QueryOptions", asked, True, kind)
    left = [] if (status, body) == (200, USUAL) else [("QueryOptions", VmomiSupport.GetVmodlType("vim.option.OptionValue[]"), status, body)]
    assert host.left_to_pyvmomi == left * 2


def module(name: str, more: str = "") -> str:
    words = f"<version>1&amp;2</version><filename>f</filename><optionString>a=1 b&lt;2</optionString><loaded>{name == 'on'}</loaded>{more}"
    return f"<returnval><id>1</id><name>{name}</name>{words}</returnval>".replace("True", "true").replace("False", "false")


@pytest.mark.parametrize(
    ("body", "listed", "modules"),
    [
        pytest.param(
            module("on", "<signature>s</signature>") + module("off").replace("1&amp;2", ""),
            None,
            {"on": Module(loaded=True, option_string="a=1 b<2", version="1&2"), "off": Module(loaded=False, option_string="a=1 b<2")},
            id="as hosts write it",
        ),
        pytest.param(
            "<returnval/>",
            [MODULES(name="on", loaded=True, optionString="a=1", version="1"), MODULES(name="off", loaded=False)],
            {"on": Module(loaded=True, option_string="a=1", version="1"), "off": Module(loaded=False, option_string="")},
            id="written otherwise",
        ),
        pytest.param("<returnval/>", None, {}, id="none at all"),
    ],
)
def test_modules_are_what_pyvmomi_makes_of_them_where_they_are_not_written_as_usual(
    body: str, listed: Any, modules: dict[str, Module]
) -> None:
    host: Any = Host(200, enveloped("QueryModules", body), listed)
    assert query_modules(host, Ref("HostKernelModuleSystem", "modules-1")) == modules
    assert [(operation, repeatable, kind) for operation, _, repeatable, kind in host.asked] == [("QueryModules", True, "QueryModules")]
    kind = VmomiSupport.GetVmodlType("vim.host.KernelModuleSystem.ModuleInfo[]")
    assert [given[:3] for given in host.left_to_pyvmomi] == ([] if "<id>" in body else [("QueryModules", kind, 200)])
