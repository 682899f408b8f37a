"""What an account needs, held against the lab: without a privilege exactly those reads and fixes fail that are said to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.account import account_of, privileges_held
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.privileges import ESXCLI_TOPICS, VCENTER_READS, lost_without, vcenter_fixes
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.errors import EndpointError, PermissionMissingError
from auditor.facts.needs import EVERYTHING, needs
from auditor.facts.schema import HOST_TOPICS, ON_DEMAND_TOPICS, VCENTER_TOPICS, Batch
from auditor.facts.tables.history import TOPIC as HISTORY
from auditor.model import Endpoint, EndpointKind, Scalar, Span, Target
from auditor.model.endpoint_kinds import endpoint_type
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY
from auditor_lab.wire import Fault

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

NAMED = frozenset(name for needed in (*VCENTER_READS.values(), *vcenter_fixes().values()) for name in needed.privileges)
HOSTS = 3  # of the small vCenter


def to(**keys: str) -> Target:
    return Target("vc-test", tuple(sorted(keys.items())))


WRITES: dict[str, tuple[Target, Scalar]] = {
    "host.option": (to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), 512),
    "host.claim_rule": (
        to(host_id="host-11", satp="VMW_SATP_ALUA", vendor="PURE", model="FlashArray", option="", claimoption="", description=""),
        "VMW_PSP_RR iops=1",
    ),
    "host.module_option": (to(host_id="host-11", module="iscsi_vmk", parameter="iscsivmk_LunQDepth"), 128),
    "device.dsnro": (to(host_id="host-11", device="naa.624a9370aaaa"), 32),
    "device.path_policy": (to(host_id="host-11", device="naa.624a9370aaaa"), "VMW_PSP_RR, iops 1"),
    "device.perennially_reserved": (to(host_id="host-11", device="naa.624a9370aaaa"), True),
    "device.queue_full": (to(host_id="host-11", devices="naa.624a9370aaaa"), "32/8"),
    "iscsi.target_option": (
        to(
            host_id="host-11",
            hba="vmhba64",
            target_kind="static",
            address="198.51.100.2",
            port="3260",
            iqn="iqn.2010-06.com.purestorage:x",
            option="DelayedAck",
        ),
        True,
    ),
    "datastore.sioc": (to(datastore_id="datastore-101"), False),
    "datastore.sioc_threshold": (to(datastore_id="datastore-101"), "manual 25 ms"),
    "datastore.unmap": (to(datastore_id="datastore-101"), "none"),
    "pod.automation": (to(pod_id="group-p201"), "automated"),
    "pod.io_metric": (to(pod_id="group-p201"), True),
    "vm.disk_limit": (to(vm_id="vm-1001", disk_key="2000"), 500),
}


def read_whole(endpoint: Endpoint) -> set[str]:
    """The topics that an account reads whole, of the vCenter and of every host."""
    complete: dict[str, list[bool]] = {}
    now = datetime.now(UTC)
    endpoint = replace(endpoint, history=Span(now - timedelta(minutes=30), now))  # which no statistics level keeps from anybody
    try:
        with open_vcenter(endpoint) as vcenter:
            for item in collect_vcenter(vcenter, endpoint, EVERYTHING | needs((), {"events", HISTORY})):
                if isinstance(item, Batch) and item.table == "reading":
                    for topic, whole in zip(item.columns["topic"], item.columns["complete"], strict=True):
                        complete.setdefault(topic, []).append(whole)
    except EndpointError:
        return set()  # not even logged in
    wanted = dict.fromkeys(HOST_TOPICS, HOSTS) | dict.fromkeys((*VCENTER_TOPICS, "events", HISTORY), 1)
    return {topic for topic, readings in complete.items() if len(readings) == wanted[topic] and all(readings)}


def test_every_topic_and_every_remediator_of_a_vcenter_is_said_to_need_something() -> None:
    # Tags are reported by another service, to those who may read what they are on.
    here = "auditor/endpoints/vcenter/privileges.py"
    topics, settings = set(HOST_TOPICS + VCENTER_TOPICS + ON_DEMAND_TOPICS) - {"tags"}, set(endpoint_type(EndpointKind.VCENTER).settings)
    assert topics ^ set(VCENTER_READS) == set(), f"topics that are in facts/tables or in VCENTER_READS of {here}, and not in both"
    assert settings ^ set(vcenter_fixes()) == set(), "settings of TYPE that do not say what they need"
    assert settings ^ set(WRITES) == set(), "settings that are in TYPE or in WRITES of this test, and not in both"
    assert set(ESXCLI_TOPICS) == {"device_scheduling", "device_offload", "lockmode", "multipathing", "port_binding"}


@pytest.mark.long
@pytest.mark.parametrize("privilege", sorted(NAMED))
def test_without_a_privilege_exactly_those_topics_cannot_be_read(serve_vcenter: Serve, privilege: str) -> None:
    server, endpoint = serve_vcenter()
    server.privileges = ALL - {privilege}
    assert read_whole(endpoint) == set(VCENTER_READS) - lost_without([privilege], VCENTER_READS)


@pytest.mark.long
def test_no_other_privilege_is_needed_for_reading(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.privileges = frozenset(name for needed in VCENTER_READS.values() for name in needed.privileges)
    assert read_whole(endpoint) == set(VCENTER_READS)


@pytest.mark.parametrize("privilege", sorted(NAMED - READ_ONLY))
def test_without_a_privilege_exactly_those_fixes_are_refused(serve_vcenter: Serve, privilege: str) -> None:
    server, endpoint = serve_vcenter()
    refused = set()
    with open_vcenter(endpoint) as vcenter:
        server.privileges = ALL - {privilege}
        for name, (target, value) in WRITES.items():
            try:
                remediator_for(name).write(vcenter, target, value)
            except PermissionMissingError:
                refused.add(name)
    assert refused == lost_without([privilege], vcenter_fixes())


@pytest.mark.long
def test_no_other_privilege_is_needed_for_fixing(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.privileges = NAMED
    with open_vcenter(endpoint) as vcenter:
        for name, (target, value) in WRITES.items():
            remediator_for(name).write(vcenter, target, value)
            assert remediator_for(name).read(vcenter, target).value == value


def held(vcenter: VCenter, *entities: Any) -> dict[str, frozenset[str]]:
    return dict(privileges_held(vcenter, entities or [vcenter.content.rootFolder], sorted(NAMED)))


def test_the_account_is_told_with_its_roles_and_what_it_holds(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.privileges = READ_ONLY
    with open_vcenter(endpoint) as vcenter:
        account = account_of(vcenter)
        assert (account.user, account.roles, account.groups) == ("audit@vsphere.local", (("ReadOnly", True),), ())
        assert held(vcenter) == {"group-d1": frozenset(READ_ONLY)}


@pytest.mark.parametrize("operation", ["Fetch", "HasPrivilegeOnEntities", "RetrieveEntityPermissions", "RetrievePropertiesEx"])
def test_a_session_that_expires_while_privileges_are_asked_for_is_opened_again(serve_vcenter: Serve, operation: str) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("session", operation, times=1))
        assert account_of(vcenter).roles == (("Admin", True),)
        assert held(vcenter) == {"group-d1": NAMED}


def test_a_session_that_expires_again_and_again_is_an_error_and_not_a_lack_of_privileges(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("session", "HasPrivilegeOnEntities"))
        with pytest.raises(EndpointError, match="NotAuthenticated"):
            held(vcenter)


def test_an_answer_that_denies_everything_is_not_believed(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(EndpointError, match="denies every privilege"):
        # What a real vCenter answers about a session that it does not know.
        privileges_held(vcenter, [vcenter.content.rootFolder], ["Nobody.Has.This"])
