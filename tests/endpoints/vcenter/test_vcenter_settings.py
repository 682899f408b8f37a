"""Every setting of a vCenter is read, written once and read back; a write changes that setting alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.endpoints.vcenter.settings.iscsi_target_option import IscsiTargetOption
from auditor.errors import (
    EndpointUnreachableError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import Endpoint, EndpointKind
from auditor_lab.vcenter.soap.privileges import READ_ONLY
from auditor_lab.wire import Fault
from tests.endpoints.vcenter.vcenter_targets import (
    SETTINGS,
    Serve,
    Setting,
    everything,
    iscsi,
    to,
)

per_setting = pytest.mark.parametrize("setting", SETTINGS)


@per_setting
def test_a_setting_is_read_written_and_read_back(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    assert setting.remediator.kind is EndpointKind.VCENTER
    with open_vcenter(endpoint) as vcenter:
        assert setting.remediator.read(vcenter, setting.target) == Reading(setting.before)
        setting.remediator.write(vcenter, setting.target, setting.after)
        now = setting.remediator.read(vcenter, setting.target)
        assert now == Reading(setting.after)
        assert type(now.value) is type(setting.after)
        setting.remediator.write(vcenter, setting.target, setting.before)
        assert setting.remediator.read(vcenter, setting.target) == Reading(setting.before)
    assert server.requests.count(setting.operation) == 2


@pytest.mark.parametrize("reading", ["by the name", "by the API's text"])
@pytest.mark.parametrize("option", ["DelayedAck", "LoginTimeout"])
def test_a_parameter_of_a_target_inherits_again_whichever_way_the_host_reads_the_request(
    serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch, option: str, reading: str
) -> None:
    from auditor_lab.vcenter.operations import storage

    as_named = storage._set_iscsi_option  # how the host reads the flag is what the test changes

    def by_the_text(host: Any, device: str, target: Any, one: Any) -> None:
        one.isInherited = None if one.isInherited is None else not one.isInherited
        as_named(host, device, target, one)

    if reading == "by the API's text":
        monkeypatch.setattr(storage, "_set_iscsi_option", by_the_text)
    server, endpoint = serve_vcenter()
    target, remediator = iscsi("static", option=option), IscsiTargetOption()
    server.state.hosts["host-11"].target_delayed_ack.clear()
    with open_vcenter(endpoint) as vcenter:
        before = remediator.read(vcenter, target)
        assert before.inherited is True
        own = not before.value if isinstance(before.value, bool) else 31
        remediator.write(vcenter, target, own)
        now = remediator.read(vcenter, target)
        assert (now.value, now.inherited) == (own, False)
        remediator.inherit(vcenter, target, before.value)
        again = remediator.read(vcenter, target)
        assert (again.value, again.inherited) == (before.value, True)


@per_setting
def test_a_write_changes_that_setting_alone(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        before = everything(server)
        setting.remediator.write(vcenter, setting.target, setting.after)
        after = everything(server)
    assert len([key for key in before.keys() | after.keys() if before.get(key) != after.get(key)]) == 1


@per_setting
def test_a_write_whose_answer_is_lost_is_sent_once_and_can_be_read_back(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("lose", setting.operation))
        with pytest.raises(EndpointUnreachableError):
            setting.remediator.write(vcenter, setting.target, setting.after)
        assert server.requests.count(setting.operation) == 1
        assert setting.remediator.read(vcenter, setting.target) == Reading(setting.after)


@per_setting
def test_a_write_that_never_arrived_left_nothing(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("drop", setting.operation))
        with pytest.raises(EndpointUnreachableError):
            setting.remediator.write(vcenter, setting.target, setting.after)
        assert server.requests.count(setting.operation) == 1
        assert setting.remediator.read(vcenter, setting.target) == Reading(setting.before)


@per_setting
def test_an_account_that_may_only_read_writes_nothing(serve_vcenter: Serve, setting: Setting) -> None:
    server, endpoint = serve_vcenter()
    before = everything(server)
    with open_vcenter(endpoint) as vcenter:
        server.privileges = READ_ONLY
        with pytest.raises(PermissionMissingError):
            setting.remediator.write(vcenter, setting.target, setting.after)
    assert everything(server) == before


def test_vcsim_which_checks_nothing_gets_only_what_fits(start_vcsim: Callable[..., Endpoint]) -> None:
    option = remediator_for("host.option")
    target = to(host_id="host-21", option="Config.HostAgent.log.level")
    with open_vcenter(start_vcsim()) as vcenter:
        assert option.read(vcenter, target) == Reading("info")
        with pytest.raises(RefusedError):
            option.write(vcenter, target, 1)
        option.write(vcenter, target, "verbose")
        assert option.read(vcenter, target) == Reading("verbose")
        with pytest.raises(NotThereError):
            option.read(vcenter, to(host_id="host-21", option="Config.HostAgent"))


def test_vcsim_takes_a_limit_of_a_disk_and_a_level_of_storage_drs(start_vcsim: Callable[..., Endpoint]) -> None:
    limit, level = remediator_for("vm.disk_limit"), remediator_for("pod.automation")
    with open_vcenter(start_vcsim(None, "-pod", "1")) as vcenter:
        machine = next(iter(vcenter.read(vim.VirtualMachine, ("config.hardware.device",))))
        key = next(one.key for one in machine.values["config.hardware.device"] if isinstance(one, vim.vm.device.VirtualDisk))
        disk = to(vm_id=machine.id, disk_key=str(key))
        pod = to(pod_id=next(iter(vcenter.read(vim.StoragePod, ("name",)))).id)
        assert limit.read(vcenter, disk) == Reading(-1)
        limit.write(vcenter, disk, 500)
        assert limit.read(vcenter, disk) == Reading(500)
        level.write(vcenter, pod, "automated")
        assert level.read(vcenter, pod) == Reading("automated")
        with pytest.raises(NotThereError):
            limit.read(vcenter, to(vm_id=machine.id, disk_key="1"))
