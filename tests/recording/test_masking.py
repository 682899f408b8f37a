"""What identifies somebody is replaced wherever it stands; what the product reads as knowledge stays."""

import json
from typing import Any

import pytest

from auditor.model import EndpointKind, Exchange
from auditor.recording.exchanges import masked_exchange
from auditor.recording.masking import Fate, Masker
from auditor.recording.pseudonyms import Pseudonyms


@pytest.fixture
def masker() -> Masker:
    return Masker(Pseudonyms(b"k" * 32))


def answer(masker: Masker, kind: EndpointKind, value: Any, operation: str = "GET volumes") -> Any:
    exchange = Exchange(operation, "GET", "/api/volumes", b"", 200, {}, json.dumps(value).encode())
    return json.loads(masked_exchange(kind, exchange, masker).answer)


def soap(masker: Masker, operation: str, inner: str, request: str = "") -> tuple[str, str]:
    def envelope(text: str) -> bytes:
        return f'<E xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Body>{text}</Body></E>'.encode()

    asked = envelope(f"<{operation}>{request}</{operation}>")
    exchange = Exchange(operation, "POST", "/sdk", asked, 200, {}, envelope(f"<{operation}Response>{inner}</{operation}Response>"))
    masked = masked_exchange(EndpointKind.VCENTER, exchange, masker)
    return masked.request.decode(), masked.answer.decode()


def test_a_field_that_nobody_listed_is_replaced(masker: Masker) -> None:
    masked = answer(masker, EndpointKind.FLASHARRAY, {"items": [{"a_new_field": "Bank of Example", "model": "FA-X70R3"}]})
    assert masked["items"][0]["model"] == "FA-X70R3"
    assert "Bank" not in masked["items"][0]["a_new_field"]


def test_a_model_and_a_feature_stay_wherever_they_are_said(masker: Masker) -> None:
    row = {"properties": [{"name": "system_model", "value": "AFF-A250"}, {"name": "node.name", "value": "payroll"}]}
    masked = answer(masker, EndpointKind.ONTAP, row)["properties"]
    assert masked[0] == {"name": "system_model", "value": "AFF-A250"}
    assert masked[1]["value"] != "payroll"
    of_another_kind = answer(masker, EndpointKind.NIMBLE, row)["properties"]
    assert of_another_kind[0]["value"] != "AFF-A250", "only ONTAP says that this property names nobody"
    asked = json.dumps({"method": "GetFeatureStatus", "params": {"feature": "snapMirror"}}).encode()
    exchange = Exchange("GetFeatureStatus", "POST", "/json-rpc/12.5", asked, 200, {}, b"{}")
    assert masked_exchange(EndpointKind.ELEMENT, exchange, masker).request == asked.replace(b": ", b":").replace(b", ", b",")


@pytest.mark.parametrize(("name", "is_kept"), [("raid.scrub.schedule", True), ("raid.type", True), ("raid.corp.example", False)])
def test_a_name_that_begins_like_an_option_of_ontap_is_masked(name: str, is_kept: bool, masker: Masker) -> None:
    assert (answer(masker, EndpointKind.ONTAP, {"name": name}) == {"name": name}) is is_kept


def test_a_namespace_has_one_name_on_its_array_and_at_its_hosts(masker: Masker) -> None:
    uuid = "f4f14337-c3ad-4a63-9edf-0e21de8b88bf"
    of_array = answer(masker, EndpointKind.ONTAP, {"uuid": uuid})["uuid"]
    told, _ = soap(masker, "Rescan", "", f"<canonicalName>uuid.{uuid.replace('-', '')}</canonicalName>")
    assert of_array != uuid
    assert f"<canonicalName>uuid.{of_array.replace('-', '')}</canonicalName>" in told


def test_a_kept_field_holds_no_identifier_either(masker: Masker) -> None:
    masked = answer(masker, EndpointKind.ONTAP, {"state": "online at 192.0.2.7, naa.624a93705a1f77c29b3e4d1000011010"})
    assert masked["state"].startswith("online at ")
    assert "192.0.2.7" not in masked["state"]
    assert "5a1f77c29b3e4d1000011010" not in masked["state"]


@pytest.mark.parametrize("field", ["description", "annotation", "notes", "message", "comment", "location", "contact", "banner"])
def test_free_text_is_dropped(masker: Masker, field: str) -> None:
    assert answer(masker, EndpointKind.ELEMENT, {field: "call Mrs Example before you touch this"}) == {field: ""}


def test_of_an_error_only_what_clients_look_for_is_left(masker: Masker) -> None:
    masked = answer(masker, EndpointKind.ONTAP, {"error": {"code": "4", "message": "entry payroll_01 does not exist"}})
    assert masked == {"error": {"code": "4", "message": "does not exist"}}


@pytest.mark.parametrize(
    "secret",
    [
        {"initiatorSecret": "s3cret-s3cret"},
        {"chap": {"host_password": "s3cret-s3cret"}},
        {"sessionKey": "s3cret-s3cret"},
        {"api_token": "s3cret-s3cret"},
        {"volumePairingKey": "s3cret-s3cret"},
    ],
    ids=lambda secret: next(iter(secret)),
)
def test_a_secret_is_never_kept_in_any_form(masker: Masker, secret: dict[str, Any]) -> None:
    text = json.dumps(answer(masker, EndpointKind.ELEMENT, secret))
    assert "s3cret" not in text
    assert masker.pseudonyms.word("s3cret") not in text


def test_the_request_of_a_login_is_not_kept(masker: Masker) -> None:
    request, _ = soap(masker, "Login", "<returnval><key>52aa-1</key></returnval>", "<userName>root</userName><password>correct</password>")
    assert request == ""
    vijson = Exchange("Login", "POST", "/sdk/vim25/8.0.2.0/SessionManager/SessionManager/Login", b'{"password":"correct"}', 200, {}, b"{}")
    assert masked_exchange(EndpointKind.VCENTER, vijson, masker).request == b""


def test_no_header_is_kept_but_the_date_and_the_kind_of_content(masker: Masker) -> None:
    headers = {
        "set-cookie": "JSESSIONID=abc",
        "x-auth-token": "t",
        "date": "Sun, 22 Nov 2026 13:00:00 GMT",
        "content-type": "application/json",
    }
    masked = masked_exchange(EndpointKind.FLASHARRAY, Exchange("POST login", "POST", "/api/2.15/login", b"", 200, headers, b"{}"), masker)
    assert set(masked.headers) == {"date", "content-type"}


def test_an_answer_of_an_unknown_form_is_dropped(masker: Masker) -> None:
    exchange = Exchange("GET volumes", "GET", "/api/volumes", b"", 502, {}, b"proxy.corp.example says no")
    assert masked_exchange(EndpointKind.ONTAP, exchange, masker).answer == b""


def test_names_have_one_replacement_in_soap_and_json_in_paths_and_on_the_command_line(masker: Masker) -> None:
    name = masker.text("payroll", Fate.NAME)
    _, xml = soap(masker, "RetrievePropertiesEx", "<propSet><name>name</name><val>payroll</val></propSet>")
    assert f"<val>{name}</val>" in xml
    assert answer(masker, EndpointKind.FLASHARRAY, {"items": [{"name": "payroll"}]})["items"][0]["name"] == name
    href = {"_links": {"next": {"href": "/api/storage/luns?start.name=payroll&fields=name&max_records=1000"}}}
    assert (
        answer(masker, EndpointKind.ONTAP, href)["_links"]["next"]["href"]
        == f"/api/storage/luns?start.name={name}&fields=name&max_records=1000"
    )
    shown = Exchange("show volumes", "SSH", "", b"show volumes", 0, {}, b"show volumes\r\n00\r\n0001\r\n0001\tpayroll\tA001\r\nCLI> ")
    assert b"payroll" not in masked_exchange(EndpointKind.ETERNUS, shown, masker).answer


def test_properties_options_modules_and_references_of_a_vcenter_stay(masker: Masker) -> None:
    inner = (
        '<returnval><objects><obj type="HostSystem">host-12</obj><propSet><name>runtime.connectionState</name>'
        '<val xsi:type="xsd:string">connected</val></propSet><propSet><name>name</name><val xsi:type="xsd:string">esx01.corp.example</val>'
        "</propSet></objects></returnval>"
    )
    _, masked = soap(masker, "RetrievePropertiesEx", inner)
    assert '<obj type="HostSystem">host-12</obj>' in masked
    assert ">connected<" in masked
    assert "corp" not in masked
    _, options = soap(
        masker, "QueryOptions", "<returnval><key>Syslog.global.logHost</key><value>udp://log.corp.example:514</value></returnval>"
    )
    assert "<key>Syslog.global.logHost</key>" in options
    assert "corp" not in options
    _, modules = soap(
        masker, "QueryModules", "<returnval><name>lpfc</name><optionString>lpfc_lun_queue_depth=64</optionString></returnval>"
    )
    assert "<name>lpfc</name><optionString>lpfc_lun_queue_depth=64</optionString>" in modules


def test_the_inquiry_bytes_of_a_lun_are_left_out(masker: Masker) -> None:
    _, masked = soap(
        masker, "RetrievePropertiesEx", "<ScsiLun><durableName><data>54</data><data>48</data></durableName><model>LUN</model></ScsiLun>"
    )
    assert "durableName" not in masked
    assert "<model>LUN</model>" in masked


def test_a_plug_in_that_somebody_wrote_for_himself_is_replaced_and_a_products_stays(masker: Masker) -> None:
    extensions = [
        {"_typeName": "Extension", "key": "com.solidfire.vcp", "company": "NetApp"},
        {"key": "com.acme.inhouse", "company": "Acme"},
    ]
    content = {"objects": [{"propSet": [{"name": "extensionList", "val": {"_typeName": "ArrayOfExtension", "_value": extensions}}]}]}
    exchange = Exchange(
        "RetrievePropertiesEx", "POST", "/sdk/vim25/8.0.2.0/x/y/RetrievePropertiesEx", b"{}", 200, {}, json.dumps(content).encode()
    )
    text = masked_exchange(EndpointKind.VCENTER, exchange, masker).answer.decode()
    assert '"com.solidfire.vcp"' in text
    assert '"NetApp"' in text
    assert "acme" not in text.lower()


def test_esxcli_is_xml_in_xml_and_masked_within(masker: Masker) -> None:
    device = "<Device>naa.624a93705a1f77c29b3e4d1000011010</Device><Model>FlashArray</Model>"
    inner = f"<obj><DataObject xsi:type='VimEsxCLIx'>{device}</DataObject></obj>"
    escaped = inner.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    _, masked = soap(masker, "ExecuteSoap", f"<returnval><response>{escaped}</response></returnval>")
    assert "5a1f77c29b3e4d1000011010" not in masked
    assert "FlashArray" in masked


def test_a_document_that_declares_entities_is_dropped(masker: Masker) -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>'
    assert masked_exchange(EndpointKind.VCENTER, Exchange("Any", "POST", "/sdk", b"", 200, {}, bomb), masker).answer == b""


def test_a_word_can_be_replaced_wherever_it_stands() -> None:
    masker = Masker(Pseudonyms(b"k" * 32), {"contoso"})
    assert "Contoso" not in masker.text("Contoso FlashArray", Fate.KEEP)
    assert masker.text("Contoso FlashArray", Fate.KEEP).endswith(" FlashArray")


def test_serial_numbers_of_a_storage_center_are_replaced_as_number_as_text_and_in_paths(masker: Masker) -> None:
    masked = answer(masker, EndpointKind.DELL_SC, {"scSerialNumber": 64702, "instanceId": "64702.3", "instanceName": "SN 64702"})
    serial = masked["scSerialNumber"]
    assert serial != 64702
    assert masked["instanceId"] == f"{serial}.3"
    assert masked["instanceName"].endswith(f" {serial}")
    path = Exchange("GET x", "GET", "/api/rest/StorageCenter/StorageCenter/64702/ControllerList", b"", 200, {}, b"[]")
    assert f"/{serial}/" in masked_exchange(EndpointKind.DELL_SC, path, masker).path


def test_xml_of_a_dot_hill_array_is_kept_as_json_without_its_names(masker: Masker) -> None:
    xml = b"""<?xml version="1.0"?><RESPONSE VERSION="L100"><COMP G="0" P="1"/><OBJECT basetype="volumes" name="volume" oid="1">
    <PROPERTY name="volume-name">payroll-db</PROPERTY><PROPERTY name="owner">A</PROPERTY><PROPERTY name="health">OK</PROPERTY>
    <PROPERTY name="wwn">600C0FF000FA39F75F95066801000000</PROPERTY><PROPERTY name="size-numeric">195507806208</PROPERTY>
    </OBJECT></RESPONSE>"""
    kept = masked_exchange(EndpointKind.DOTHILL, Exchange("show volumes", "GET", "/api/show/volumes", b"", 200, {}, xml), masker).answer
    (volume,) = json.loads(kept)["volumes"]
    assert (volume["owner"], volume["health"], volume["size-numeric"]) == ("A", "OK", 195507806208)
    assert b"payroll" not in kept
    assert b"fa39f7" not in kept.lower()
    bomb = b'<!DOCTYPE x [<!ENTITY a "payroll">]><RESPONSE>&a;</RESPONSE>'
    assert masked_exchange(EndpointKind.DOTHILL, Exchange("x", "GET", "/api/x", b"", 200, {}, bomb), masker).answer == b""


def test_the_key_of_a_dot_hill_session_is_not_kept(masker: Masker) -> None:
    login = b'{"status": [{"response-type-numeric": 0, "response": "12a1626754554a21d85040760c81b", "return-code": 1}]}'
    kept = masked_exchange(EndpointKind.DOTHILL, Exchange("login", "GET", "/api/login", b"", 200, {}, login), masker)
    assert b"12a1626754554a21d85040760c81b" not in kept.answer


def test_a_system_behind_a_proxy_is_called_the_same_in_addresses_as_in_the_list_of_systems(masker: Masker) -> None:
    [system] = answer(masker, EndpointKind.ESERIES, [{"id": "md3-source"}])
    path = "/devmgr/v2/storage-systems/md3-source/volumes"
    masked = masked_exchange(EndpointKind.ESERIES, Exchange("GET volumes", "GET", path, b"", 200, {}, b"[]"), masker)
    assert system["id"] != "md3-source"
    assert masked.path == f"/devmgr/v2/storage-systems/{system['id']}/volumes"


def test_an_id_of_zeros_alone_stays_as_it_means_none(masker: Masker) -> None:
    none = {"clusterRef": "0" * 40}
    assert answer(masker, EndpointKind.ESERIES, none) == none
