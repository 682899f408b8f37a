"""Configuration profiles of the Automation API, by VMware's own client."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import VmomiSupport, vim

from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from tests.lab.conftest import USER
from tests.lab.vapi.conftest import CLIENT_WARNS, FLEET, FREE, KEY, ONE, POINTER, TWO, Client, Connect, document, error
from tests.waiting import Clock

pytestmark = CLIENT_WARNS


def test_a_client_learns_which_clusters_a_configuration_profile_manages(client: Client) -> None:
    assert [client.enablement.get(cluster).enabled for cluster in (ONE, TWO, FREE)] == [True, True, False]
    answer = client.configuration.get(ONE)
    assert json.loads(answer.config) == {"profile": {"esx": {"advanced_options": {KEY: 16}}}}
    assert {one.name for one in answer.host_info.values()} == {"esx-1", "esx-2", "esx-off"}
    assert json.loads(client.configuration.export_config(ONE).config) == json.loads(answer.config)


def test_compliance_tells_every_host_apart(client: Client, options: Callable[..., Any]) -> None:
    options(esx_2=16)
    answer = client.configuration.check_compliance_task(ONE).get_result()
    assert str(answer.cluster_status) == "NOT_COMPLIANT"
    assert (answer.compliant_hosts, answer.non_compliant_hosts, answer.skipped_hosts) == ({"host-12"}, {"host-11"}, {"host-13"})
    (drift,) = answer.hosts["host-11"].host_compliance.compliance_info.sets
    assert (drift.path, drift.current, drift.target) == (POINTER, "0", "16")
    assert answer.hosts["host-12"].host_compliance.compliance_info is None
    assert client.last.get(ONE).end_time == answer.end_time


def test_applying_puts_the_hosts_right(vcenter: VCenterServer, client: Client, options: Callable[..., Any]) -> None:
    answer = client.configuration.apply_task(ONE, client.configuration.ApplySpec()).get_result()
    assert (answer.successful_hosts, answer.skipped_hosts) == ({"host-11", "host-12"}, {"host-13"})
    assert options() == {"esx-1": 16, "esx-2": 16, "esx-two": 0, "esx-free": 0}
    assert vcenter.state.hosts["host-13"].options[KEY] == 0  # it could not be reached
    assert str(client.configuration.check_compliance_task(TWO).get_result().cluster_status) == "NOT_COMPLIANT"
    client.configuration.apply_task(TWO, client.configuration.ApplySpec(hosts={"host-14"}))
    assert str(client.configuration.check_compliance_task(TWO).get_result().cluster_status) == "COMPLIANT"


def test_an_imported_document_sticks_and_the_profile_fights_for_it(
    vcenter: VCenterServer, client: Client, log_on: Connect, options: Callable[..., dict[str, int]], clock: Clock
) -> None:
    before = client.configuration.get(ONE).metadata.id
    options(esx_1=32)
    reported = client.import_document(ONE, document(8))
    assert (str(reported.status), reported.errors) == ("OK", None)
    again = log_on(vcenter).configuration
    assert again.get(ONE).metadata.id == reported.commit
    assert json.loads(again.get(ONE).config)["profile"]["esx"]["advanced_options"] == {KEY: 8}
    assert json.loads(again.get(ONE, commit=before).config)["profile"]["esx"]["advanced_options"] == {KEY: 16}
    assert json.loads(again.get(TWO).config)["profile"]["esx"]["advanced_options"] == {KEY: 16}
    assert options(esx_two=32)["esx-1"] == 32  # an import alone changes no host
    clock.now += 31
    assert options() == {"esx-1": 8, "esx-2": 0, "esx-two": 16, "esx-free": 0}


def test_a_profile_without_options_lets_go_of_the_hosts(client: Client, options: Callable[..., Any], clock: Clock) -> None:
    options(esx_1=32)
    assert str(client.import_document(ONE, '{"profile": {}}').status) == "OK"
    clock.now += 31
    assert options(esx_2=32)["esx-1"] == 32
    clock.now += 31
    assert options()["esx-2"] == 32
    assert client.enablement.get(ONE).enabled is True


def test_an_imported_document_stands_for_every_profile_the_cluster_had(
    serve_vcenter: Callable[..., VCenterServer], log_on: Connect, connect: Callable[..., Any], clock: Clock
) -> None:
    other, key = "{name: silver, kind: configuration-profile, clusters: [one], options: {Disk.QFullThreshold: 4}}", "Disk.QFullThreshold"
    server = serve_vcenter(parse_scenario(FLEET.replace("    tag_categories:", f"      - {other}\n    tag_categories:"), "two").vcenters[0])
    client, option = log_on(server), connect(server).hosts()["esx-1"].configManager.advancedOption
    assert json.loads(client.configuration.get(ONE).config)["profile"]["esx"]["advanced_options"] == {KEY: 16, key: 4}
    option.UpdateOptions([vim.option.OptionValue(key=key, value=VmomiSupport.GetVmodlType("long")(6))])
    client.import_document(ONE, document(8))
    clock.now += 31
    assert option.QueryOptions(key)[0].value == 6
    assert option.QueryOptions(KEY)[0].value == 8


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("nonsense", "", id="no JSON"),
        pytest.param(document(8, "Disk.Nonsense"), "/profile/esx/advanced_options/Disk.Nonsense", id="an option no host has"),
        pytest.param(document(65), POINTER, id="a value out of range"),
        pytest.param(document("8"), POINTER, id="a value of another type"),
        pytest.param('{"profile": {"esx": []}}', "/profile/esx", id="a section that is none"),
    ],
)
def test_a_document_with_a_mistake_is_not_taken(client: Client, text: str, path: str) -> None:
    before = client.configuration.get(ONE).config
    result = client.import_document(ONE, text)
    assert str(result.status) == "ERROR"
    assert [one.path for one in result.errors] == [path]
    assert client.configuration.get(ONE).config == before
    assert client.configuration.validate_task(ONE).get_result().valid is True


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda client: client.configuration.check_compliance_task(FREE), id="compliance of a cluster without a profile"),
        pytest.param(lambda client: client.configuration.apply_task(FREE, client.configuration.ApplySpec()), id="applying there"),
        pytest.param(
            lambda client: client.configuration.apply_task(ONE, client.configuration.ApplySpec(hosts={"host-14"})), id="another's host"
        ),
        pytest.param(lambda client: client.drafts.create(ONE, client.drafts.CreateSpec(config="nonsense")), id="a draft that is no JSON"),
    ],
)
def test_what_makes_no_sense_is_an_invalid_argument(client: Client, ask: Callable[[Client], Any]) -> None:
    with pytest.raises(error("InvalidArgument")):
        ask(client)


def test_a_draft_becomes_the_desired_document(client: Client, options: Callable[..., dict[str, int]]) -> None:
    draft = client.drafts.create(ONE)
    assert client.drafts.list(ONE)[draft].owner == USER
    with pytest.raises(error("AlreadyExists")):
        client.drafts.create(ONE)
    client.drafts.update(ONE, draft, client.drafts.UpdateSpec(config=document(24), expected_revision=1))
    with pytest.raises(error("ConcurrentChange")):
        client.drafts.update(ONE, draft, client.drafts.UpdateSpec(config=document(25), expected_revision=1))
    (change,) = client.drafts.show_changes(ONE, draft).sets
    assert (change.path, change.current, change.draft) == (POINTER, "16", "24")
    answer = client.drafts.get(ONE, draft)
    assert (str(answer.metadata.state), answer.metadata.revision, json.loads(answer.config)) == ("VALID", 2, json.loads(document(24)))
    done = client.drafts.apply(ONE, draft)
    assert client.drafts.list(ONE) == {}
    assert client.configuration.get(ONE).metadata.id == done.commit
    assert options() == {"esx-1": 24, "esx-2": 24, "esx-two": 0, "esx-free": 0}


def test_a_draft_with_a_mistake_cannot_be_applied(client: Client) -> None:
    draft = client.drafts.create(ONE, client.drafts.CreateSpec(config=document(65)))
    assert str(client.drafts.list(ONE)[draft].state) == "INVALID"
    with pytest.raises(error("NotAllowedInCurrentState")):
        client.drafts.apply(ONE, draft)
    client.drafts.delete(ONE, draft)
    assert client.drafts.list(ONE) == {}
