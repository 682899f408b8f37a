"""The Automation API by hand: its JSON-RPC and both forms of its REST."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from auditor_lab.vcenter.server import VCenterServer
from tests.lab.conftest import PASSWORD, USER
from tests.lab.vapi.conftest import CLIENT_WARNS, ONE, Client

pytestmark = CLIENT_WARNS


def rpc(http: httpx.Client, body: Any) -> Any:
    return http.post("/api", content=body if isinstance(body, str) else json.dumps(body)).json()


def invoke(service: str, operation: str, security: Any = None, **fields: Any) -> dict[str, Any]:
    """What the client sends, as its source has it."""
    context = {"appCtx": {"opId": "1"}, **({"securityCtx": security} if security else {})}
    given = {"STRUCTURE": {"operation-input": fields}}
    params = {"serviceId": service, "operationId": operation, "input": given, "ctx": context}
    return {"jsonrpc": "2.0", "method": "invoke", "params": params, "id": "7"}


def test_the_json_says_what_every_value_is(http: httpx.Client) -> None:
    password = {"schemeId": "com.vmware.vapi.std.security.user_pass", "userName": USER, "password": PASSWORD}
    answer = rpc(http, invoke("com.vmware.cis.session", "create", password))
    assert (answer["jsonrpc"], answer["id"], list(answer["result"]["output"])) == ("2.0", "7", ["SECRET"])
    session = {"schemeId": "com.vmware.vapi.std.security.session_id", "sessionId": answer["result"]["output"]["SECRET"]}
    answer = rpc(http, invoke("com.vmware.cis.tagging.tag", "get", session, tag_id="urn:gone"))
    message = {
        "id": "cis.tagging.objectNotFound.error",
        "default_message": "Tagging object urn:gone not found",
        "args": ["urn:gone"],
        "params": {"OPTIONAL": None},
        "localized": {"OPTIONAL": None},
    }
    fields = {
        "messages": [{"STRUCTURE": {"com.vmware.vapi.std.localizable_message": message}}],
        "data": {"OPTIONAL": None},
        "error_type": {"OPTIONAL": "NOT_FOUND"},
    }
    assert answer["result"]["error"] == {"ERROR": {"com.vmware.vapi.std.errors.not_found": fields}}
    answer = rpc(http, invoke("com.vmware.esx.settings.clusters.configuration", "get", session, cluster=ONE, commit={"OPTIONAL": None}))
    (fields,) = answer["result"]["output"]["STRUCTURE"].values()
    entry = fields["host_info"][0]["STRUCTURE"]["map-entry"]
    assert entry["value"]["STRUCTURE"]["com.vmware.esx.settings.host_info"]["name"] == "esx-1"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param("{", -32700, id="no JSON"),
        pytest.param([], -32600, id="no request"),
        pytest.param({"jsonrpc": "2.0", "method": "other", "id": "7"}, -32601, id="another method"),
        pytest.param({"jsonrpc": "2.0", "method": "invoke", "params": {}, "id": "7"}, -32602, id="no parameters"),
        pytest.param(invoke("a", "b", x={"NONSENSE": 1}), -32602, id="a value of no type"),
    ],
)
def test_what_is_no_call_is_an_error_of_the_protocol(http: httpx.Client, sent: Any, code: int) -> None:
    assert rpc(http, sent)["error"]["code"] == code


@pytest.mark.parametrize(
    ("service", "operation", "fields", "kind"),
    [
        pytest.param("com.vmware.cis.tagging.tag", "get", {}, "invalid_argument", id="a field is missing"),
        pytest.param("com.vmware.cis.tagging.tag", "get", {"tag_id": 7}, "invalid_argument", id="a field of another type"),
        pytest.param(
            "com.vmware.cis.tagging.tag_association",
            "list_attached_tags_on_objects",
            {"object_ids": ["host-11"]},
            "invalid_argument",
            id="a list of another type",
        ),
        pytest.param("com.vmware.content.library", "list", {}, "operation_not_found", id="a service that is not here"),
    ],
)
def test_a_call_that_does_not_fit_is_a_standard_error(
    client: Client, http: httpx.Client, service: str, operation: str, fields: dict[str, Any], kind: str
) -> None:
    session = {"schemeId": "com.vmware.vapi.std.security.session_id", "sessionId": client.key}
    answer = rpc(http, invoke(service, operation, session, **fields))
    assert list(answer["result"]["error"]["ERROR"]) == [f"com.vmware.vapi.std.errors.{kind}"]


def test_rest_has_the_same_objects_in_its_own_forms(http: httpx.Client) -> None:
    refused = http.get("/api/cis/tagging/tag")
    assert (refused.status_code, refused.json()["error_type"]) == (401, "UNAUTHENTICATED")
    assert refused.headers["WWW-Authenticate"].startswith("Basic")
    opened = http.post("/api/session", auth=(USER, PASSWORD))
    assert opened.status_code == 201
    http.headers["vmware-api-session-id"] = opened.json()
    assert http.get("/api/session").json()["user"] == USER
    spec = {"name": "site", "description": "", "cardinality": "SINGLE", "associable_types": []}
    created = http.post("/api/cis/tagging/category", json=spec)
    assert created.status_code == 201
    path = f"/api/cis/tagging/category/{created.json()}"
    assert http.get(path).json() == {"id": created.json(), **spec, "used_by": []}
    assert http.patch(path, json={"name": "place"}).status_code == 204
    assert http.get(path).json()["name"] == "place"
    assert http.delete(path).status_code == 204
    gone = http.get(path)
    assert (gone.status_code, gone.json()["error_type"]) == (404, "NOT_FOUND")
    configuration = f"/api/esx/settings/clusters/{ONE}/configuration"
    assert {one["name"] for one in http.get(configuration).json()["host_info"].values()} == {"esx-1", "esx-2", "esx-off"}
    task = http.post(f"{configuration}?action=checkCompliance&vmw-task=true")
    assert task.status_code == 202
    answer = http.get(f"/api/cis/tasks/{task.json()}").json()
    assert (answer["status"], answer["result"]["cluster_status"]) == ("SUCCEEDED", "NOT_COMPLIANT")
    assert http.post("/api/cis/tagging/category", content="[1]").status_code == 400
    assert http.get("/api/nonsense").status_code == 404
    assert http.delete("/api/session").status_code == 204
    assert http.get("/api/session").status_code == 401


def test_the_older_rest_wraps_answers_and_hands_out_a_cookie(http: httpx.Client) -> None:
    assert http.post("/rest/com/vmware/cis/session", auth=(USER, "wrong")).status_code == 401
    opened = http.post("/rest/com/vmware/cis/session", auth=(USER, PASSWORD))
    assert opened.cookies["vmware-api-session-id"] == opened.json()["value"]
    found = http.get("/rest/com/vmware/cis/tagging/category").json()["value"]
    assert len(found) == 2
    missing = http.get("/rest/com/vmware/cis/tagging/category/id:urn:gone")
    assert missing.status_code == 404
    assert missing.json()["type"] == "com.vmware.vapi.std.errors.not_found"
    assert missing.json()["value"]["messages"][0]["args"] == ["urn:gone"]
    created = http.post("/rest/com/vmware/cis/tagging/tag", json={"create_spec": {"name": "x", "description": "", "category_id": found[0]}})
    assert created.json()["value"].startswith("urn:vmomi:InventoryServiceTag:")


def test_no_password_stands_in_what_the_lab_remembers(vcenter: VCenterServer, client: Client) -> None:
    client.tag.list()
    assert PASSWORD not in " ".join(vcenter.requests)
    assert "com.vmware.cis.session.create" in vcenter.requests
