from __future__ import annotations

import socket
import ssl
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve


def test_the_fleet_file_names_every_endpoint_in_the_product_s_own_form(solidfire_lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    solidfire_lab.write_fleet(path)
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {(one["name"], one["kind"]) for one in written["endpoints"]} == {
        ("vc-solidfire", "vcenter"),
        ("sf-prod", "element"),
        ("sf-twin", "element"),
    }
    for one in written["endpoints"]:
        assert set(one) == {"name", "kind", "address", "username", "password", "tls"}
        assert one["address"].startswith("127.0.0.1:")
        # Relative paths are relative to the fleet file, so that the folder can be moved.
        assert (tmp_path / one["password"]["file"]).read_text(encoding="utf-8").strip() == solidfire_lab.password
        assert (tmp_path / one["tls"]["ca"]).read_text(encoding="utf-8").startswith("-----BEGIN CERTIFICATE")


def test_what_the_scenario_declares_is_in_the_fleet_file(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    with serve(load_scenario("eternus-vaai")) as lab:
        lab.write_fleet(path)
    declared = yaml.safe_load(path.read_text(encoding="utf-8"))["declared"]
    assert {"devices": "naa.600000e00d100000001066*", "model": "DX90", "generation": "S1", "firmware": "V10L66"} in declared


def test_everything_written_is_for_the_owner_s_eyes_only_even_where_a_file_lay_open_before(solidfire_lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o644)
    solidfire_lab.write_fleet(path)
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}
    assert len(list(tmp_path.iterdir())) == 3


def test_the_password_is_in_no_representation_and_not_in_the_fleet_file(solidfire_lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    solidfire_lab.write_fleet(path)
    assert solidfire_lab.password not in repr(solidfire_lab)
    assert solidfire_lab.password not in path.read_text(encoding="utf-8")


def test_a_client_that_verifies_tls_can_log_in_with_the_written_files(
    solidfire_lab: Lab, tmp_path: Path, log_in: Callable[..., Any]
) -> None:
    solidfire_lab.write_fleet(tmp_path / "fleet.yaml")
    context = ssl.create_default_context(cafile=str(tmp_path / "fleet-ca.pem"))
    server = solidfire_lab.vcenters["vc-solidfire"]
    password = (tmp_path / "fleet-password").read_text(encoding="utf-8").strip()
    with log_in(server.host, server.port, context, password=password) as client:
        assert client.content.about.apiType == "VirtualCenter"


def test_nothing_is_served_after_the_block_whatever_ended_it() -> None:
    with pytest.raises(KeyError), serve(load_scenario("all")) as lab:  # noqa: PT012  what ends the block is the point
        addresses = [(server.host, server.port) for _, _, server in lab.served()]
        raise KeyError
    assert len(addresses) >= 14  # a vCenter for every incident, and the arrays behind them
    for address in addresses:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address, timeout=2)
