"""For each kind of array a small one of the lab, and the few things that the contract tests cannot know of it otherwise.

An array kind that is new needs one entry in `EXAMPLES`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor import contract
from auditor.contract import SettingChange
from auditor.model import EndpointKind, Target
from auditor_lab.arrays.dell_sc.description import DellScDescription
from auditor_lab.arrays.dothill.description import AlertDescription as DotHillAlert
from auditor_lab.arrays.dothill.description import DotHillDescription
from auditor_lab.arrays.dothill.description import HostDescription as DotHillHost
from auditor_lab.arrays.dothill.description import LoadDescription as DotHillLoad
from auditor_lab.arrays.dothill.description import VolumeDescription as DotHillVolume
from auditor_lab.arrays.element.description import (
    AccessGroupDescription,
    ContainerDescription,
    ElementDescription,
    NodeDescription,
    QosDescription,
    QosPolicyDescription,
    VolumeDescription,
    VvolDescription,
)
from auditor_lab.arrays.eseries.description import ESeriesDescription
from auditor_lab.arrays.eternus.description import CategoryDescription, EternusDescription, LimitDescription, UserDescription
from auditor_lab.arrays.eternus.description import VolumeDescription as EternusVolume
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import HostDescription, VolumeGroupDescription
from auditor_lab.arrays.flasharray.parts import QosDescription as FlashQos
from auditor_lab.arrays.flasharray.parts import VolumeDescription as FlashVolume
from auditor_lab.arrays.nimble.description import FolderDescription, InitiatorGroupDescription, MemberDescription, NimbleDescription
from auditor_lab.arrays.nimble.description import LoadDescription as NimbleLoad
from auditor_lab.arrays.nimble.description import VolumeDescription as NimbleVolume
from auditor_lab.arrays.ontap.description import OntapDescription
from auditor_lab.arrays.powerstore import description as powerstore
from auditor_lab.wire import Fault
from tests.endpoints.arrays import NAMES, serving_array
from tests.endpoints.dell_sc.dell_sc_serving import S1
from tests.endpoints.eseries.eseries_system import SYSTEM
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.model import Endpoint

Description = (
    ElementDescription
    | DellScDescription
    | FlashArrayDescription
    | OntapDescription
    | EternusDescription
    | ESeriesDescription
    | DotHillDescription
    | powerstore.PowerStoreDescription
    | NimbleDescription
)


@dataclass(frozen=True, slots=True)
class Example(contract.Example):
    """One array of the lab.

    Attributes:
        description: what the lab's array has; `read_only` changes it.
        prepare: what is done to the server before it is used.
    """

    description: Description
    prepare: Callable[[Any], None] = field(default=lambda _: None, kw_only=True)

    @contextmanager
    def served(self, folder: Path, *, timeout: float = 30.0, **changes: Any) -> Iterator[tuple[Any, Endpoint, dict[str, Any]]]:
        """The server, the endpoint that reaches it, and what its collector may be given so that it need not wait."""
        options: dict[str, Any] = {}
        waiting: dict[str, Any] = {}
        if self.kind is EndpointKind.ONTAP:
            clock = Clock()
            options, waiting = {"clock": clock}, {"clock": clock, "sleep": clock.sleep}
        description = dataclasses.replace(self.description, **changes)
        with serving_array(self.kind, description, folder, timeout=timeout, **options) as (server, endpoint):
            self.prepare(server)
            yield server, endpoint, waiting


def _of(kind: EndpointKind, /, **keys: str) -> Target:
    return Target(NAMES[kind], tuple(sorted(keys.items())))


def _element(**keys: str) -> Target:
    return _of(EndpointKind.ELEMENT, **keys)


_ELEMENT = Example(
    EndpointKind.ELEMENT,
    # Volume 1 is in Bronze, 2 has limits of its own, 3 happens to have Gold's without being in it; 4 is a vVol.
    ElementDescription(
        name="sf",
        unique_id="1mhp",
        nodes=(NodeDescription(1, "n1"), NodeDescription(2, "n2")),
        qos_policies=(QosPolicyDescription("Bronze", 50, 1000, 2000), QosPolicyDescription("Gold", 100, 3000, 6000)),
        volumes=(
            VolumeDescription("bronze", policy="Bronze", access_groups=("esx",)),
            VolumeDescription("own", qos=QosDescription(60, 700, 800)),
            VolumeDescription("like-gold", qos=QosDescription(100, 3000, 6000)),
        ),
        access_groups=(AccessGroupDescription("esx", ("iqn.1998-01.com.vmware:esx-1",)),),
        containers=(ContainerDescription("vvols"),),
        vvols=(VvolDescription("db.vmdk", "vvols", policy="Bronze", bound_by=("564de1a4-9a99-da0f-8b7c-3a41dfd64bf1",)),),
    ),
    opening=("GetAPI",),
    login="GetAPI",
    refused="ListVolumes",
    lost=frozenset({"volumes", "volume_load", "volume_histograms"}),
    changes=(
        SettingChange("element.qos_policy", _element(field="minIOPS", policy_id="1"), 50, 60, "ModifyQoSPolicy", "a policy's minimum"),
        SettingChange(
            "element.volume_limits",
            _element(volume_id="2"),
            "own 60/700/800",
            "policy 2",
            "ModifyVolume",
            "from its own limits into a policy",
        ),
        SettingChange(
            "element.volume_limits", _element(volume_id="1"), "policy 1", "own 50/500/600", "ModifyVolume", "from a policy to its own"
        ),
    ),
    read_only={"permissions": frozenset({"read"})},
    state=lambda server: {
        **{f"policy {one.id}": tuple(one.qos.limits.values()) for one in server.cluster.policies.values()},
        **{one.name: one.policy.id if one.policy else tuple(one.qos.limits.values()) for one in server.cluster.volumes.values()},
    },
    ignore=lambda server, write: server.faults.active.append(Fault("deaf", write)),
)


def _no_waiting(server: Any) -> None:
    server.task_seconds = 0.0


_DELL_SC = Example(
    EndpointKind.DELL_SC,
    S1,
    opening=("Login",),
    login="Login",
    closing=("Logout",),
    refused="ScServer/GetList",
    lost=frozenset({"array_hosts", "connections"}),
    changes=(
        SettingChange(
            "dell_sc.volume_qos_profile",
            _of(EndpointKind.DELL_SC, volume_id="64702.1"),
            "Prod",
            None,
            "PUT ScVolumeConfiguration",
            "a profile that is taken away",
        ),
        SettingChange(
            "dell_sc.volume_qos_profile",
            _of(EndpointKind.DELL_SC, volume_id="64702.2"),
            None,
            "Prod",
            "PUT ScVolumeConfiguration",
            "a profile that is given",
        ),
    ),
    read_only={"permissions": frozenset({"read"})},
    state=lambda server: {one.name: server.center.qos_profiles[one.volume_qos].name for one in server.center.volumes.values()},
    ignore=lambda server, write: server.ignored.add(write),
    prepare=_no_waiting,
)


def _flasharray(name: str, **keys: str) -> Target:
    return _of(EndpointKind.FLASHARRAY, name=name, **keys)


def _accept_no_patch(server: Any, _: str) -> None:
    server.ignored_writes = True


def _flasharray_state(server: Any) -> Any:
    held = [*server.array.volumes.values(), *server.array.groups.values()]
    return {
        **{one.name: (one.qos.iops_limit, one.qos.bandwidth_limit) for one in held},
        **{f"host {name}": one.personality for name, one in server.array.hosts.items()},
    }


_FLASHARRAY = Example(
    EndpointKind.FLASHARRAY,
    FlashArrayDescription(
        name="fa",
        id="6c1b16ce-1c03-4d1c-b974-33405cf8d565",
        hosts=(HostDescription("esx-1"), HostDescription("esx-2", personality=None)),
        volume_groups=(VolumeGroupDescription("batch", FlashQos(15_000)),),
        volumes=(FlashVolume("free", hosts=("esx-1",)), FlashVolume("batch/log", qos=FlashQos(1000, 400 << 20))),
    ),
    opening=("GET api_version", "POST login", "GET arrays"),
    login="POST login",
    closing=("POST logout",),
    refused="GET volumes",
    lost=frozenset({"volumes", "volume_load", "protocol_endpoints"}),
    changes=(
        SettingChange(
            "flasharray.volume_limit", _flasharray("batch/log", field="iops_limit"), 1000, 5000, "PATCH volumes", "a ceiling that is raised"
        ),
        SettingChange(
            "flasharray.volume_limit", _flasharray("batch/log", field="iops_limit"), 1000, None, "PATCH volumes", "a ceiling that is lifted"
        ),
        SettingChange(
            "flasharray.volume_limit",
            _flasharray("free", field="bandwidth_limit"),
            None,
            50 << 20,
            "PATCH volumes",
            "a ceiling where there was none",
        ),
        SettingChange(
            "flasharray.volume_group_limit",
            _flasharray("batch", field="iops_limit"),
            15_000,
            None,
            "PATCH volume-groups",
            "a group's ceiling that is lifted",
        ),
        SettingChange("flasharray.host_personality", _flasharray("esx-2"), "", "esxi", "PATCH hosts", "a personality that was forgotten"),
        SettingChange("flasharray.host_personality", _flasharray("esx-1"), "esxi", "", "PATCH hosts", "a personality that is taken away"),
    ),
    read_only={"role": "readonly"},
    state=_flasharray_state,
    ignore=_accept_no_patch,
)


def _ontap(**keys: str) -> Target:
    return _of(EndpointKind.ONTAP, **keys)


def _ontap_policy(name: str, svm: str = "san", field: str = "max_throughput_iops") -> Target:
    return _ontap(field=field, policy_id=CLUSTER.derived_id("qos", svm, name))


_LUN = _ontap(kind="lun", volume_id=CLUSTER.derived_id("lun", "luns1", "ds1"))
_SHARE = _ontap(kind="share", volume_id=CLUSTER.derived_id("volume", "nfs1"))
_COPY = _ontap(kind="share", volume_id=CLUSTER.derived_id("volume", "dr"))


def _accept_no_job(server: Any, _: str) -> None:
    server.outcome = "ignored"


def _ontap_state(server: Any) -> Any:
    cluster = server.cluster
    return {
        **{each.name: dict(each.limits) for each in cluster.qos},
        **{f"dedup {each.name}": (each.schedule, dict(each.settings)) for each in cluster.efficiency},
        **{volume.about.name: volume.qos and volume.qos.name for volume in cluster.volumes},
        **{lun.path: lun.qos and lun.qos.name for lun in cluster.luns},
    }


_POLICIES, _LUNS, _VOLUMES = "PATCH storage/qos/policies", "PATCH storage/luns", "PATCH storage/volumes"
_ONTAP = Example(
    EndpointKind.ONTAP,
    CLUSTER,
    opening=("GET cluster",),
    login="GET cluster",
    refused="GET protocols/san/igroups",
    lost=frozenset({"array_hosts"}),
    changes=(
        SettingChange("ontap.qos_policy_limit", _ontap_policy("gold"), 5000, 8000, _POLICIES, "a ceiling"),
        SettingChange(
            "ontap.qos_policy_limit", _ontap_policy("gold", field="max_throughput_mbps"), 100, None, _POLICIES, "a ceiling lifted"
        ),
        SettingChange("ontap.qos_policy_limit", _ontap_policy("free", "nas"), None, 900, _POLICIES, "a first ceiling"),
        SettingChange(
            "ontap.efficiency_schedule",
            _ontap(policy_id=CLUSTER.derived_id("efficiency", "nas", "default")),
            "midnight",
            "weekly",
            "PATCH storage/volume-efficiency-policies",
            "a schedule",
        ),
        SettingChange(
            "ontap.efficiency_priority",
            _ontap(policy_id=CLUSTER.derived_id("efficiency", "nas", "default")),
            "best_effort",
            "background",
            "PATCH storage/volume-efficiency-policies",
            "a priority",
        ),
        SettingChange("ontap.volume_qos_policy", _LUN, "gold", "together", _LUNS, "a LUN's policy"),
        SettingChange("ontap.volume_qos_policy", _LUN, "gold", None, _LUNS, "a LUN's policy taken away"),
        SettingChange("ontap.volume_qos_policy", _SHARE, "free", "by-size", _VOLUMES, "a volume's policy"),
        SettingChange("ontap.volume_qos_policy", _SHARE, "free", None, _VOLUMES, "a volume's policy taken away"),
        SettingChange("ontap.volume_qos_policy", _COPY, None, "free", _VOLUMES, "a volume's first policy"),
    ),
    read_only={"permissions": frozenset({"read"})},
    state=_ontap_state,
    ignore=_accept_no_job,
)


def _eternus(**keys: str) -> Target:
    return _of(EndpointKind.ETERNUS, mode="volume-qos", **keys)


_ETERNUS = Example(
    EndpointKind.ETERNUS,
    EternusDescription(
        name="dx",
        firmware="V11L30-0000",
        model_name="ET203ACU",
        uid_prefix="600000E00D2A0000002A0115",
        categories=(CategoryDescription(3, LimitDescription(1000, 50), write=LimitDescription(700, 70)),),
        volumes=(EternusVolume("one", category=3, read_category=2, write_category=1), EternusVolume("two")),
        users=(UserDescription("watcher", "Monitor"),),
    ),
    opening=("login", "show enclosure-status"),
    login="login",
    refused="show volumes",
    lost=frozenset({"volumes"}),
    unreadable=frozenset({"pools", "array_hosts", "connections"}),  # accounts that are answered by machine may not see these
    changes=(
        SettingChange("eternus.qos_category", _eternus(category="3", field="iops"), 1000, 1500, "set qos-bandwidth-limit", "a category"),
        SettingChange("eternus.volume_qos", _eternus(volume_id="0"), "volume-qos/3", "volume-qos/5", "set volume-qos", "a volume"),
    ),
    read_only={"permissions": frozenset({"read"})},
    state=lambda server: {
        **{
            str(number): {kind: (one.iops, one.mb_per_second) for kind, one in table.items()}
            for number, table in server.array.table.items()
        },
        **{f"volume {one.name}": tuple(one.categories.values()) for one in server.array.volumes.values()},
    },
    ignore=lambda server, write: server.faults.active.append(Fault("ignore", write)),
)


def _accept_no_post(server: Any, _: str) -> None:
    server.ignored_writes = True


def _eseries_host(name: str) -> Target:
    (place,) = (place for place, host in enumerate(SYSTEM.hosts, 1) if host.name == name)
    return _of(EndpointKind.ESERIES, array_host_id=f"1/84000000{SYSTEM.wwn[:16]}{place:016x}")


_ESERIES = Example(
    EndpointKind.ESERIES,
    SYSTEM,
    opening=("GET about", "GET storage-systems"),
    login="GET storage-systems",
    refused="GET volumes",
    lost=frozenset({"volumes", "volume_load"}),
    changes=(
        SettingChange("eseries.host_type", _eseries_host("esx-2"), "LnxDHALUA", "VmwTPGSALUA", "POST hosts", "from Linux to VMware"),
        SettingChange("eseries.host_type", _eseries_host("esx-1"), "VmwTPGSALUA", "W2KNETNCL", "POST hosts", "from VMware to another"),
    ),
    read_only={"role": "storage.monitor"},
    state=lambda server: dict(server.systems["1"].host_types),
    ignore=_accept_no_post,
)

_DOTHILL = Example(
    EndpointKind.DOTHILL,
    DotHillDescription(
        name="msa",
        hosts=(DotHillHost(name="esx-1", initiators=("100000109b643c08",)),),
        volumes=(
            DotHillVolume(name="one", mapped_to=("esx-1",), load=DotHillLoad(iops=200, bytes_per_second=3_276_800)),
            DotHillVolume(name="two"),
        ),
        alerts=(DotHillAlert(severity="WARNING", reason="The pool is over its middle threshold."),),
    ),
    opening=("login", "show system"),
    login="login",
    closing=("exit",),
    refused="show host-groups",
    lost=frozenset({"array_hosts", "connections"}),
    changes=(),  # nothing on it is written
    read_only={},
    state=lambda server: server.description,
    ignore=lambda *_: None,
)

_PS = powerstore.PowerStoreDescription(
    name="ps",
    id="0a4c9d7e-58b1-4f36-9c20-7d1e63b5a842",
    qos_policies=(
        powerstore.QosPolicyDescription(name="silver", max_iops=2000),
        powerstore.QosPolicyDescription(name="gold", max_iops=9000),
    ),
    volume_groups=(powerstore.VolumeGroupDescription(name="batch", qos_policy="gold"),),
    volumes=(
        powerstore.VolumeDescription(name="capped", qos_policy="silver", hosts=("esx-1",)),
        powerstore.VolumeDescription(name="free", host_groups=("farm",)),
        powerstore.VolumeDescription(name="log", group="batch"),
    ),
    hosts=(
        powerstore.HostDescription(name="esx-1", iscsi=("iqn.1998-01.com.vmware:esx-1",)),
        powerstore.HostDescription(name="esx-2", fc=("2100000000000002",), host_group="farm"),
    ),
    host_groups=("farm",),
    containers=("vvols",),
    vvols=(powerstore.VvolDescription(name="db.vmdk"),),
)


def _powerstore(volume: str) -> Target:
    return _of(EndpointKind.POWERSTORE, volume_id=_PS.derived_id("volume", volume))


_POWERSTORE = Example(
    EndpointKind.POWERSTORE,
    _PS,
    opening=("GET login_session", "GET software_installed", "GET cluster"),
    login="GET login_session",
    closing=("POST logout",),
    refused="GET volume",
    lost=frozenset({"volumes", "volume_load"}),
    changes=(
        SettingChange("powerstore.volume_qos_policy", _powerstore("capped"), "silver", "gold", "PATCH volume", "another policy"),
        SettingChange("powerstore.volume_qos_policy", _powerstore("capped"), "silver", None, "PATCH volume", "a policy that is taken away"),
        SettingChange("powerstore.volume_qos_policy", _powerstore("free"), None, "gold", "PATCH volume", "a first policy"),
    ),
    read_only={"role": "Operator"},
    state=lambda server: {**server.state.volume_policies, **server.state.group_policies},
    ignore=_accept_no_patch,
)


_NIMBLE_GROUP = NimbleDescription(
    name="nb",
    digits="49686580b78e0b16",
    arrays=(MemberDescription("nb-a1"),),
    folders=(FolderDescription("batch", limit_iops=20_000),),
    initiator_groups=(InitiatorGroupDescription("esx", iqns=("iqn.1998-01.com.vmware:esx-1",)),),
    volumes=(
        NimbleVolume("free", groups=("esx",), load=NimbleLoad(300, 300 * 8192)),
        NimbleVolume("batch-log", folder="batch", limit_iops=1000, limit_mbps=400),
    ),
)


def _nimble(volume: int, field: str) -> Target:
    return _of(EndpointKind.NIMBLE, volume_id=_NIMBLE_GROUP.id_of("06", volume), field=field)


def _nimble_state(server: Any) -> Any:
    held = [*server.sets["volumes"].values(), *server.sets["folders"].values()]
    return {one["name"]: {name: value for name, value in one.items() if name.startswith("limit")} for one in held}


_NIMBLE = Example(
    EndpointKind.NIMBLE,
    _NIMBLE_GROUP,
    opening=("POST tokens", "GET groups/detail"),
    login="POST tokens",
    closing=("DELETE tokens",),
    refused="GET volumes/detail",
    lost=frozenset({"volumes", "volume_load"}),
    changes=(
        SettingChange("nimble.volume_limit", _nimble(2, "limit_iops"), 1000, 5000, "PUT volumes", "a ceiling that is raised"),
        SettingChange("nimble.volume_limit", _nimble(2, "limit_iops"), 1000, None, "PUT volumes", "a ceiling that is lifted"),
        SettingChange("nimble.volume_limit", _nimble(1, "limit_mbps"), None, 50, "PUT volumes", "a ceiling where there was none"),
    ),
    read_only={"role": "guest"},
    state=_nimble_state,
    ignore=_accept_no_patch,
)

EXAMPLES: Mapping[EndpointKind, Example] = MappingProxyType(
    {one.kind: one for one in (_ELEMENT, _DELL_SC, _FLASHARRAY, _ONTAP, _ETERNUS, _ESERIES, _DOTHILL, _POWERSTORE, _NIMBLE)}
)
