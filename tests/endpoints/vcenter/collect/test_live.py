"""What each host is asked itself: only what is needed, each thing once, and a hole where it does not answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.collect.hosts import collect_hosts
from auditor.endpoints.vcenter.collect.live import LIVE_TOPICS, read_live
from auditor.endpoints.vcenter.collect.rows import OPTION_MANAGER, Facts, HostSeen
from auditor.endpoints.vcenter.esxcli import EsxCli
from auditor.endpoints.vcenter.esxcli_records import Row, Table, plain_name
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.errors import EndpointUnreachableError
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.model import Endpoint, Gap
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

BOTH = frozenset({"iscsi_vmk", "lpfc"})


@contextmanager
def first_host(endpoint: Endpoint) -> Iterator[tuple[VCenter, HostSeen]]:
    with open_vcenter(endpoint) as vcenter:
        found = collect_hosts(vcenter, endpoint, Circuit(3), EVERYTHING.properties("hosts"))
        while True:
            try:
                next(found)
            except StopIteration as end:
                yield vcenter, next(host for host in end.value if host.id == "host-11")
                return


def rows(facts: list[Facts], table: str) -> list[dict[str, Any]]:
    return [
        dict(zip(item.columns, values, strict=True))
        for item in facts
        if isinstance(item, Batch) and item.table == table
        for values in zip(*item.columns.values(), strict=True)
    ]


def complete(facts: list[Facts]) -> dict[str, bool]:
    return {row["topic"]: row["complete"] for row in rows(facts, "reading")}


@pytest.mark.parametrize(
    ("topics", "asked"),
    [
        pytest.param((), {}, id="none"),
        pytest.param(("options",), {"QueryOptions": 2}, id="options, and the one that is not listed"),
        pytest.param(
            ("modules",), {"QueryModules": 1, "RetrieveManagedMethodExecuter": 1, "system.module.parameters.list": 1}, id="modules"
        ),
        pytest.param(("device_scheduling",), {"RetrieveManagedMethodExecuter": 1, "storage.core.device.list": 1}, id="one esxcli command"),
        pytest.param(
            LIVE_TOPICS,
            {
                "QueryModules": 1,
                "QueryOptions": 2,
                "RetrieveManagedMethodExecuter": 1,
                "iscsi.networkportal.list": 1,
                "storage.core.device.list": 1,
                "storage.core.device.vaai.status.get": 1,
                "storage.nmp.device.list": 1,
                "storage.nmp.satp.rule.list": 1,
                "storage.vmfs.lockmode.list": 1,
                "system.module.parameters.list": 1,
            },
            id="all of them",
        ),
    ],
)
def test_a_host_is_asked_what_is_needed_and_nothing_twice(serve_vcenter: Serve, topics: tuple[str, ...], asked: dict[str, int]) -> None:
    server, endpoint = serve_vcenter()
    with first_host(endpoint) as (vcenter, host):
        before = Counter(server.requests)
        facts = read_live(vcenter, endpoint, host, frozenset({"iscsi_vmk"}), circuit=Circuit(4), topics=frozenset(topics))
        assert dict(Counter(server.requests) - before) == asked
    assert complete(facts) == dict.fromkeys(topics, True)


def test_the_option_string_of_a_module_comes_with_the_list(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with first_host(endpoint) as (vcenter, host):
        facts = read_live(vcenter, endpoint, host, frozenset({"iscsi_vmk"}), circuit=Circuit(4), topics=frozenset({"modules"}))
        configured = vcenter.object(vim.host.KernelModuleSystem, "kernelModuleSystem-11").QueryConfiguredModuleOptionString("iscsi_vmk")
    (module,) = rows(facts, "host_module")
    assert (module["loaded"], module["option_string"]) == (True, "iscsivmk_HostQDepth=2048 iscsivmk_LunQDepth=192")
    assert module["option_string"] == configured


def test_a_module_that_is_not_listed_is_asked_for_by_name(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with first_host(endpoint) as (vcenter, host):
        facts = read_live(vcenter, endpoint, host, BOTH, circuit=Circuit(8), topics=frozenset({"modules"}))
    assert server.requests.count("QueryConfiguredModuleOptionString") == 1
    by_name = {row["module"]: (row["loaded"], row["option_string"]) for row in rows(facts, "host_module")}
    assert by_name["lpfc"] == (None, None)
    assert by_name["iscsi_vmk"][0] is True
    assert complete(facts) == {"modules": False}  # an adapter uses it, and the host knows nothing of it


def test_an_option_without_a_value_is_a_hole_and_the_others_count(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with first_host(endpoint) as (vcenter, host):
        with server.state.lock:
            server.state.hosts["host-11"].options["Lab.Text"] = "a"
            server.state.changed()
        post = vcenter.stub.wire.post

        def without_value(*arguments: Any, **more: Any) -> Any:
            reply = post(*arguments, **more)
            body = reply.body.replace(b'<key>Lab.Text</key><value xsi:type="xsd:string">a</value>', b"<key>Lab.Text</key>")
            return type(reply)(reply.status, body, reply.session)

        vcenter.stub.wire.post = without_value  # type: ignore[method-assign]
        facts = read_live(vcenter, endpoint, host, BOTH, circuit=Circuit(8), topics=frozenset({"options"}))
    assert [item.what for item in facts if isinstance(item, Gap)] == ["option Lab.Text of esx-1"]
    assert complete(facts) == {"options": False}
    keys = {row["key"] for row in rows(facts, "host_option")}
    assert "Lab.Text" not in keys
    assert {"Disk.QFullSampleSize", "DataMover.MaxHWTransferSize"} <= keys
    assert {row["value_type"] for row in rows(facts, "host_option")} == {"long"}


def test_a_host_whose_managers_are_not_told_has_a_hole_and_its_other_answers(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with first_host(endpoint) as (vcenter, host):
        blind = HostSeen(host.ref, host.name, connected=True, software_iscsi=True, managers={OPTION_MANAGER: "NoPermission"})
        facts = read_live(vcenter, endpoint, blind, frozenset(), circuit=Circuit(8))
    why = {item.what: item.why for item in facts if isinstance(item, Gap)}
    assert why == {
        "advanced options of esx-1": "configManager.advancedOption: NoPermission",
        "kernel modules of esx-1": "configManager.kernelModuleSystem: vCenter does not name it",
    }
    assert {topic for topic, all_of_it in complete(facts).items() if all_of_it} == set(LIVE_TOPICS) - {"options", "modules"}


def test_the_managers_of_all_hosts_come_with_the_list_of_hosts(serve_vcenter: Serve, many_hosts: Any) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    with first_host(endpoint) as (_, host):
        assert {path: ref.value for path, ref in host.managers.items() if not isinstance(ref, str)} == {
            "configManager.advancedOption": "EsxHostAdvSettings-11",
            "configManager.kernelModuleSystem": "kernelModuleSystem-11",
        }
    assert server.requests.count("RetrievePropertiesEx") < 10


def test_a_vcenter_that_is_busy_for_a_while_costs_no_answer(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with first_host(endpoint) as (vcenter, host):
        server.faults.active += [
            Fault("status", "storage.core.device.list", status=503, times=2),
            Fault("status", "QueryModules", status=429, times=1),
        ]
        facts = read_live(vcenter, endpoint, host, frozenset({"iscsi_vmk"}), circuit=Circuit(8))
    assert complete(facts) == dict.fromkeys(LIVE_TOPICS, True)
    assert not [item for item in facts if isinstance(item, Gap)]


def test_a_field_of_esxcli_that_makes_no_sense_is_a_gap_that_names_it(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = EsxCli.select

    def one_odd_depth(esxcli: EsxCli, *command: Any, **arguments: Any) -> list[Row]:
        records = whole(esxcli, *command, **arguments).rows()
        name = next(name for name in records[0] if plain_name(name) == "devicemaxqueuedepth")
        return [{**records[0], name: "many"}, *records[1:]]

    monkeypatch.setattr(EsxCli, "select", one_odd_depth)
    _, endpoint = serve_vcenter()
    with first_host(endpoint) as (vcenter, host):
        facts = read_live(vcenter, endpoint, host, frozenset(), circuit=Circuit(8), topics=frozenset({"device_scheduling"}))
    (gap,) = (item for item in facts if isinstance(item, Gap))
    assert gap.what == "esxcli storage core device list on esx-1"
    assert "many" in gap.why
    assert complete(facts) == {"device_scheduling": False}


def test_a_gap_of_module_parameters_names_the_module(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = serve_vcenter()
    whole = EsxCli.select

    def no_lpfc(esxcli: EsxCli, *command: Any, **arguments: Any) -> Table:
        if arguments.get("module") == "lpfc":
            raise EndpointUnreachableError("it is silent", why="x", do="x")
        return whole(esxcli, *command, **arguments)

    monkeypatch.setattr(EsxCli, "select", no_lpfc)
    with first_host(endpoint) as (vcenter, host):
        facts = read_live(vcenter, endpoint, host, BOTH, circuit=Circuit(3), topics=frozenset({"modules"}))
    assert "esxcli system module parameters list --module=lpfc of esx-1" in {gap.what for gap in facts if isinstance(gap, Gap)}
