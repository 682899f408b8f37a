"""The same fleet in VMware's own simulator: what it can hold, it holds alike."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import VmomiSupport, vim
from pyVmomi.SoapAdapter import SerializeToStr

from auditor_lab.scenario import load_scenario, scenario_names
from auditor_lab.serving import serve
from auditor_lab.vcsim import export_vcsim
from tests.depth import thinned
from tests.lab.conftest import pyvmomi_client
from tests.peers import running_vcsim

SCENARIOS = thinned([(name, vcenter.name) for name in scenario_names() if name != "all" for vcenter in load_scenario(name).vcenters], 6)


@pytest.fixture(scope="module", params=SCENARIOS, ids=[name for name, _ in SCENARIOS])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    """The same scenario behind the lab's own peer and behind vcsim: two pyVmomi clients."""
    scenario, name = request.param
    folder = tmp_path_factory.mktemp(scenario)
    fleet = load_scenario(scenario)
    export_vcsim(replace(fleet, vcenters=tuple(one for one in fleet.vcenters if one.name == name)), folder / "model")
    with running_vcsim(folder / "model") as vcsim, serve(fleet) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        trusted = ssl.create_default_context(cafile=str(folder / "fleet-ca.pem"))
        unknown = ssl.create_default_context()
        unknown.check_hostname, unknown.verify_mode = False, ssl.CERT_NONE  # vcsim makes its own certificate at every start
        server = lab.vcenters[name]
        with (
            pyvmomi_client(server.host, server.port, trusted, password=lab.password) as ours,
            pyvmomi_client(vcsim.host, vcsim.port, unknown, user=vcsim.username, password=vcsim.password) as theirs,
        ):
            yield ours, theirs


def as_text(value: Any) -> list[str]:
    if isinstance(value, vim.Datastore.Info):
        value.url = ""  # vcsim puts a directory of its own there, so that datastores can be browsed
    info = VmomiSupport.Object(name="val", type=object, version="vim.version.v8_0_2_0", flags=0)
    text = str(SerializeToStr(value, info, "vim.version.v8_0_2_0", {}))
    return re.sub(r"<(\w+)></\1>", "", text).split("<")  # vcsim leaves empty texts out


def test_vcsim_carries_what_the_lab_serves(pair: tuple[Any, Any]) -> None:
    ours, theirs = pair
    compared = {
        vim.HostSystem: (
            "name",
            "parent",
            "runtime.connectionState",
            "runtime.inMaintenanceMode",
            "summary.config.product",
            "config.option",
            "config.storageDevice.scsiLun",
            "config.storageDevice.hostBusAdapter",
            "config.storageDevice.multipathInfo",
            "config.storageDevice.softwareInternetScsiEnabled",
            "config.vsanHostConfig",
            "datastore",
        ),
        vim.Datastore: ("name", "info", "host", "iormConfiguration", "capability.storageIORMSupported", "summary.type", "summary.capacity"),
        vim.VirtualMachine: ("name", "runtime.host", "runtime.powerState", "config.template", "config.hardware.device"),
        vim.ClusterComputeResource: ("name", "host"),
    }
    for kind, paths in compared.items():
        mine, other = ours.read(kind, *paths), theirs.read(kind, *paths)
        assert mine
        assert set(mine) == set(other)
        for moid, facts in mine.items():
            assert set(facts) == set(other[moid])
            for path, value in facts.items():
                assert as_text(other[moid][path]) == as_text(value), f"{kind.__name__} {moid} {path}"


def test_vcsim_answers_query_options_like_the_lab(pair: tuple[Any, Any]) -> None:
    answers = []
    for client in pair:
        manager = next(iter(client.hosts().values())).configManager.advancedOption
        answers.append([(one.key, one.value, type(one.value)) for one in manager.QueryOptions("VMFS3.HardwareAcceleratedLocking")])
    assert answers[0] == answers[1]
    assert len(answers[0]) == 1


def test_one_vcenter_lies_in_the_folder_itself_and_several_in_one_each(tmp_path: Path) -> None:
    export_vcsim(load_scenario("eternus-vaai"), tmp_path / "one")
    export_vcsim(load_scenario("all"), tmp_path / "all")
    assert all(path.suffix == ".xml" for path in (tmp_path / "one").iterdir())
    assert {path.name for path in (tmp_path / "all").iterdir()} >= {"vc-solidfire", "vc-eternus", "vc-dell", "vc-flasharray"}


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(FileExistsError):
        export_vcsim(load_scenario("eternus-vaai"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
