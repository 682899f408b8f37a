"""Profiles that own an option put it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import VmomiSupport, vim

from auditor.errors import ConfigurationError
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.state import vcenter as state
from tests.waiting import Clock

LONG = VmomiSupport.GetVmodlType("long")
KEY, OTHER = "Disk.QFullSampleSize", "Disk.QFullThreshold"
FLEET = """
vcenters:
  - name: vc-fight
    host_build: 22380479
    clusters:
      - {name: owned, hosts: [{name: "esx-{n}", count: 2}]}
      - {name: free, hosts: [{name: esx-free}, {name: esx-single}]}
    profiles:
      - {name: gold image, kind: configuration-profile, clusters: [owned], options: {Disk.QFullSampleSize: 16}, after_seconds: 30}
      - {name: by host, hosts: [esx-single], options: {Disk.QFullSampleSize: 8}, after_seconds: 30}
"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(state, "time", clock)
    return clock


@pytest.fixture
def vcenter(clock: Clock, serve_vcenter: Callable[..., VCenterServer]) -> VCenterServer:
    return serve_vcenter(parse_scenario(FLEET, "fight").vcenters[0])


@pytest.fixture
def client(vcenter: VCenterServer, connect: Callable[..., Any]) -> Any:
    return connect(vcenter)


def write(client: Any, host: str, value: int, key: str = KEY) -> None:
    client.hosts()[host].configManager.advancedOption.UpdateOptions([vim.option.OptionValue(key=key, value=LONG(value))])


def values(client: Any, key: str = KEY) -> dict[str, int]:
    return {name: host.configManager.advancedOption.QueryOptions(key)[0].value for name, host in client.hosts().items()}


def test_a_profile_puts_its_value_back_some_time_after_somebody_wrote_another(client: Any, clock: Clock) -> None:
    for host in ("esx-1", "esx-free", "esx-single"):
        write(client, host, 32)
    assert values(client) == {"esx-1": 32, "esx-2": 0, "esx-free": 32, "esx-single": 32}
    clock.now += 29
    assert values(client)["esx-1"] == 32
    clock.now += 2
    assert values(client) == {"esx-1": 16, "esx-2": 0, "esx-free": 32, "esx-single": 8}


def test_a_profile_leaves_other_options_alone_and_comes_back_every_time(client: Any, clock: Clock) -> None:
    write(client, "esx-1", 4, OTHER)
    for _ in range(2):
        write(client, "esx-1", 32)
        clock.now += 31
        assert values(client)["esx-1"] == 16
    assert values(client, OTHER)["esx-1"] == 4


def test_a_profile_waits_for_a_host_that_does_not_answer(client: Any, vcenter: VCenterServer, clock: Clock) -> None:
    vcenter.state.reboot_seconds = 60
    host = client.hosts()["esx-1"]
    write(client, "esx-1", 32)
    host.RebootHost_Task(force=True)
    clock.now += 31  # the profile's turn, and nobody there
    assert host.runtime.connectionState == "notResponding"
    clock.now += 29.5
    assert host.runtime.connectionState == "connected"
    assert values(client)["esx-1"] == 32
    clock.now += 1
    assert values(client)["esx-1"] == 16


def test_a_profile_of_a_cluster_there_is_not_is_told() -> None:
    with pytest.raises(ConfigurationError, match="no clusters named"):
        parse_scenario(FLEET.replace("clusters: [owned]", "clusters: [gone]"), "slip")


def test_time_can_be_let_pass_at_once(client: Any, vcenter: VCenterServer) -> None:
    write(client, "esx-1", 32)
    with vcenter.state.lock:
        vcenter.state.pass_time(29)
    assert values(client)["esx-1"] == 32
    with vcenter.state.lock:
        vcenter.state.pass_time(1)
    assert values(client)["esx-1"] == 16
