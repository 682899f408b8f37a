"""A single ESXi host without vCenter: its sessions, what the doctor says of it, and what is not written to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.apply.privileges import check_privileges
from auditor.apply.single_hosts import without_unwritable
from auditor.doctor import MOST_REQUESTS_TO_A_HOST
from auditor.doctor.walk import topics_of
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.sessions import Sessions, open_session
from auditor.endpoints.settings import remediator_for
from auditor.errors import CredentialsError, GuardError, MalformedAnswerError, PermissionMissingError, RefusedError
from auditor.journal import open_journal
from auditor.model import EndpointKind, FixClass, Health, OpenSession, Outcome, RebootLimits, Receipt, Secret, Target
from auditor_lab.vcenter.soap.privileges import READ_ONLY
from tests.applying import apply
from tests.identified import as_seen
from tests.single_hosts import HOST, Hosts, Place, option

QUICK = RebootLimits(evacuate_seconds=3, return_seconds=3, in_force_seconds=1, leave_seconds=3)


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Hosts]:
    with ExitStack() as stack:
        yield Hosts(stack, tmp_path, capsys)


def test_an_entry_of_the_other_kind_is_an_error_that_says_what_to_write(place: Hosts, serve_vcenter: Callable[..., Any]) -> None:
    host = replace(place().endpoint(), kind=EndpointKind.VCENTER)
    with pytest.raises(MalformedAnswerError, match="is a single host") as of_host, open_session(host):
        pass
    assert "`kind: esxi`" in of_host.value.do
    server, vcenter = serve_vcenter()
    with pytest.raises(MalformedAnswerError, match="no single host") as of_vcenter, open_session(replace(vcenter, kind=EndpointKind.ESXI)):
        pass
    assert "`kind: vcenter`" in of_vcenter.value.do
    assert "Login" not in server.requests, "no password goes to what is not meant"


def test_a_session_that_is_open_already_reads_and_writes_by_its_own_privileges_and_stays_open(place: Hosts) -> None:
    here = place()
    endpoint, change = here.endpoint(), option()
    (here.folder / "session").write_text(here.server().sessions.login(endpoint.username, password_of(endpoint)).key, encoding="utf-8")
    joined = replace(endpoint, username="", password=Secret("file", (str(here.folder / "session"),)), login=OpenSession())
    with open_session(joined) as session:
        remediator_for(change.remediator).write(session, change.target, 1)
        assert here.option() == 1
        here.server().privileges = READ_ONLY
        with pytest.raises(PermissionMissingError):
            remediator_for(change.remediator).write(session, change.target, 0)
    assert here.option() == 1
    assert here.server().sessions.count == 1


def test_a_host_is_known_by_its_hardware_and_not_where_its_maker_set_nothing(place: Hosts) -> None:
    here = place()
    with open_session(here.endpoint()) as session:
        assert session.identity() == session.standing().uuid
        assert session.identity(again=True) == session.identity()
    nothing = HOST.replace("        devices: [disks]", "        uuid: 03000200-0400-0500-0006-000700080009\n        devices: [disks]")
    with open_session(place("", text=nothing).endpoint()) as session:
        assert session.identity() is None


def test_a_host_that_no_vcenter_manages_is_looked_at_without_a_warning(place: Hosts) -> None:
    here = place()
    checks = here.doctor()
    assert len(here.server().requests) == MOST_REQUESTS_TO_A_HOST
    assert {topic: check.state for topic, check in checks.items() if check.state is not Health.OK} == {}
    assert set(checks) == set(topics_of(EndpointKind.ESXI))
    assert not {"vcenter", "lockdown", "licence"} & set(topics_of(EndpointKind.VCENTER))


@pytest.mark.long
def test_lockdown_is_told_at_the_login_and_to_an_account_that_is_let_in(place: Hosts) -> None:
    locked = place("lockdown: lockdownNormal")
    with pytest.raises(PermissionMissingError) as refused, open_session(locked.endpoint()):
        pass
    assert "lockdown mode" in refused.value.do
    assert "lockdown mode" in locked.doctor()["login"].do
    exception = place("lockdown: lockdownNormal, exceptions: [root]")
    check = exception.doctor()["lockdown"]
    assert (check.state, check.facts["mode"]) == (Health.WARNING, "lockdownNormal")


def test_a_wrong_password_is_told_with_lockdown_and_a_password_that_is_not_there_without(place: Hosts) -> None:
    endpoint = place().endpoint()
    with pytest.raises(CredentialsError) as refused, open_session(replace(endpoint, username="nobody")):
        pass
    assert "lockdown mode" in refused.value.do
    lost = replace(endpoint, password=replace(endpoint.password, argument=("/nowhere",)))
    with pytest.raises(CredentialsError) as missing, open_session(lost):
        pass
    assert "lockdown" not in missing.value.do


@pytest.mark.long
def test_an_account_that_may_only_read_is_seen_by_its_role_before_a_fix(place: Hosts) -> None:
    here = place()
    here.server().privileges = READ_ONLY
    checks = here.doctor()
    assert checks["fix"].state is Health.WARNING
    missing = str(checks["fix"].facts["privileges"])
    assert "Host.Config.AdvancedConfig" in missing
    assert "StoragePod.Config" not in missing
    with Sessions({"esx-a": here.endpoint()}) as sessions, pytest.raises(GuardError, match=r"Host\.Config\.AdvancedConfig"):
        check_privileges([option()], sessions, reboots=False)


def test_nothing_is_written_where_it_is_not_known_whether_a_vcenter_manages_the_host(place: Hosts) -> None:
    here = place()
    with Sessions({"esx-a": here.endpoint()}) as sessions:
        assert without_unwritable([option()], sessions, lambda _: None)[1] == []
        session = sessions.session("esx-a")
        unread = replace(session.standing(), unread={"summary.managementServerIp": "NoPermission"})
        session.standing = lambda **_: unread
        left, [receipt] = without_unwritable([option()], sessions, lambda _: None)
    assert (left, receipt.outcome) == ([], Outcome.PROPOSED)


def rebooted(here: Place, tmp_path: Path) -> list[Receipt]:
    change = option(remediator="host.module_option", module="iscsi_vmk", parameter="iscsivmk_LunQDepth")
    keys = tuple(pair for pair in change.target.keys if pair[0] != "option")
    change = replace(change, fix_class=FixClass.REBOOT, target=Target("esx-a", keys), before=None, after=256)
    with Sessions({"esx-a": here.endpoint()}) as sessions, open_journal(tmp_path / "journal", "20181104T120000Z-0001") as journal:
        plan = as_seen(sessions, change)
        return list(apply(plan, sessions, journal, allow=frozenset(FixClass), confirm=lambda _: True, reboots=QUICK))


def test_a_host_with_running_machines_is_not_rebooted(place: Hosts, tmp_path: Path) -> None:
    here = place()
    [receipt] = rebooted(here, tmp_path)
    assert (receipt.outcome, "nothing moves them away" in receipt.why) == (Outcome.REFUSED, True)
    assert not {"EnterMaintenanceMode_Task", "RebootHost_Task", "UpdateModuleOptionString"} & set(here.server().requests)


def test_a_host_without_machines_is_rebooted_and_its_agent_answers_again(place: Hosts, tmp_path: Path) -> None:
    here = place(text=HOST)
    here.server().state.reboot_seconds = 0.3
    receipts = rebooted(here, tmp_path)
    assert [(one.change.remediator, str(one.outcome)) for one in receipts] == [
        (name, "applied") for name in ("host.maintenance", "host.boot", "host.module_option", "host.maintenance")
    ]
    assert {one.pending for one in receipts} == {None}, "in force"
    assert here.server().requests.count("Login") > 1, "the session went with the agent"


def test_a_write_that_the_licence_forbids_is_refused_with_the_licence_as_its_reason(place: Hosts) -> None:
    here = place("edition: esxBasic")
    with open_session(here.endpoint()) as session, pytest.raises(RefusedError, match="RestrictedVersion") as refused:
        remediator_for("host.option").write(session, option().target, 1)
    assert "licence" in refused.value.do
    assert here.option() == 0
