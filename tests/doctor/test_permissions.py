"""The doctor names password files that others may read, and a fleet.yaml that others may change or that holds secrets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from auditor.doctor.affected_rules import AffectedRules
from auditor.doctor.connection import examine_connection
from auditor.doctor.fleetwide import examine_fleet
from auditor.fleet.loading import Fleet
from auditor.model import Check, Endpoint, EndpointKind, Health, Limits, Secret
from auditor.pipeline.policy import load_rule_set
from tests.endpoints.arrays import closed_port


@pytest.fixture(autouse=True)
def shared_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """The group of files is one that others are in, whatever machine this is."""
    monkeypatch.setattr("grp.getgrgid", lambda _group: SimpleNamespace(gr_name="storage", gr_mem=["anna", "ben"]))


def endpoint(secret: Secret) -> Endpoint:
    return Endpoint("vc", EndpointKind.VCENTER, "127.0.0.1", closed_port(), "audit", secret, limits=Limits(timeout_seconds=5))


def check_of_secret(path: Path, mode: int) -> Check:
    path.write_text("hunter2\n", encoding="utf-8")
    path.chmod(mode)
    (check,) = [one for one in examine_connection(endpoint(Secret("file", (str(path),)))) if one.topic == "secret"]
    return check


@pytest.mark.posix_only
@pytest.mark.parametrize(
    ("mode", "readers"),
    [
        pytest.param(0o600, "", id="its owner's"),
        pytest.param(0o400, "", id="only to be read by its owner"),
        pytest.param(0o620, "", id="only to be written by its group"),
        pytest.param(0o640, "its group (mode 0640)", id="its group's"),
        pytest.param(0o644, "everybody on this machine (mode 0644)", id="everybody's"),
        pytest.param(0o604, "everybody on this machine (mode 0604)", id="everybody's but the group's"),
    ],
)
def test_a_password_file_that_others_may_read_is_a_warning_with_what_to_paste(tmp_path: Path, mode: int, readers: str) -> None:
    path = tmp_path / "pass word"
    check = check_of_secret(path, mode)
    assert check.state is (Health.WARNING if readers else Health.OK)
    assert readers in check.what
    assert (f"`chmod 600 '{path}'`" in check.do) == bool(readers)
    assert "hunter2" not in str(check)


@pytest.mark.posix_only
def test_a_group_of_the_owner_alone_is_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = SimpleNamespace(pw_name="anna", pw_gid=(tmp_path / "..").stat().st_gid)
    monkeypatch.setattr("pwd.getpwuid", lambda _user: owner)
    monkeypatch.setattr("grp.getgrgid", lambda _group: SimpleNamespace(gr_name="anna", gr_mem=["anna"]))
    assert check_of_secret(tmp_path / "password", 0o640).state is Health.OK
    assert check_of_secret(tmp_path / "password", 0o644).state is Health.WARNING


def checks_of_file(tmp_path: Path, mode: int, *secrets: Secret) -> list[Check]:
    path = tmp_path / "fleet.yaml"
    path.write_text("endpoints: []\n", encoding="utf-8")
    path.chmod(mode)
    endpoints = tuple(replace(endpoint(secret), name=f"vc-{number}") for number, secret in enumerate(secrets))
    fleet = Fleet(path, endpoints)
    return [one for one in examine_fleet(fleet, AffectedRules.of(load_rule_set())) if one.topic == "fleet.yaml"]


@pytest.mark.posix_only
def test_a_fleet_file_that_others_may_change_is_a_warning(tmp_path: Path) -> None:
    secret = Secret("env", ("X",))
    assert checks_of_file(tmp_path, 0o644, secret) == []
    for mode in (0o664, 0o646):
        (check,) = checks_of_file(tmp_path, mode, secret)
        assert check.state is Health.WARNING
        assert "can be changed by" in check.what
        assert check.do == f"`chmod go-w {tmp_path}/fleet.yaml`."


def test_a_secret_that_stands_in_a_command_is_in_fleet_yaml(tmp_path: Path) -> None:
    ways = [Secret("command", ("/bin/echo", "hunter2")), Secret("command", ("pass", "show", "vc")), Secret("file", ("echo",))]
    (check,) = checks_of_file(tmp_path, 0o600, *ways)
    assert check.state is Health.WARNING
    assert "vc-0" in check.what
    assert "vc-1" not in check.what
    assert "hunter2" not in str(check)


def test_where_modes_say_nothing_a_password_file_is_well_and_the_check_says_what_was_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("connection", "permissions"):
        monkeypatch.setattr(f"auditor.doctor.{module}.rights_are_told", lambda: False)
    check = check_of_secret(tmp_path / "password", 0o666)
    assert check.state is Health.OK
    assert "who else may read it was not looked at: Windows keeps that in access lists" in check.what
