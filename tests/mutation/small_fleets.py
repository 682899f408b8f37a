"""Small fleets of facts, made by a strategy: consistent in what belongs together, odd in everything else.

A fleet has one vCenter or two, hosts of several releases on Fibre Channel, iSCSI, NVMe or local disks, arrays of any kind that auditor
reads and of some it does not, and topics that were not read. What names something fits; which values stand beside it is drawn from what
may stand there, and from nothing at all. Nothing of it comes from the lab.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import duckdb
from hypothesis import strategies as st

from auditor.facts.schema import ARRAY_TOPICS, HOST_TOPICS, TABLES, VCENTER_TOPICS, create_tables
from auditor.model import EndpointKind
from tests.facts.fleets import FAMILY, INQUIRY, WHEN
from tests.mutation.small_values import CURVE, DRIVERS, MODULE_PARAMETERS, OPTIONS, VALUES

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class HostPlan:
    """What a host is like."""

    cluster: str | None
    transports: tuple[str, ...]  # fc | iscsi | nvme | local
    unread: frozenset[str]  # topics
    version: str | None


@dataclass(frozen=True, slots=True)
class ArrayPlan:
    """What an array is like; one of a family that auditor does not read has no kind."""

    family: str
    kind: EndpointKind | None
    volumes: int
    transport: str
    unread: frozenset[str]


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """What a fleet is like, and the seed of every value that says nothing of what belongs together."""

    seed: int
    vcenters: int
    hosts: tuple[HostPlan, ...]
    arrays: tuple[ArrayPlan, ...]
    machines: int
    unread: frozenset[str]  # topics of the vCenters


_NOT_DRAWN = ("dothill", "powerstore", "nimble")
"""More families than these settle fewer rules in a small fleet than the laws ask for; these have tests of their own."""

FAMILIES: Mapping[str, EndpointKind | None] = {
    **{family: kind for kind, family in FAMILY.items() if family not in _NOT_DRAWN},
    "hitachi": None,
}
_RARELY = [True] + [False] * 5


def _unread(topics: Sequence[str]) -> st.SearchStrategy[frozenset[str]]:
    """Mostly everything was read."""
    some = st.frozensets(st.sampled_from(sorted(topics)), min_size=1, max_size=2)
    return st.sampled_from(_RARELY).flatmap(lambda lacks: some if lacks else st.just(frozenset()))


_HOSTS = st.builds(
    HostPlan,
    cluster=st.sampled_from(["gold", "gold", "silver", None]),
    transports=st.lists(st.sampled_from(["fc", "iscsi", "nvme", "local"]), min_size=1, max_size=3, unique=True).map(tuple),
    unread=_unread(HOST_TOPICS),
    version=st.sampled_from(["6.7.0", "7.0.3", "8.0.2", "9.0.0", None]),
)


def _array(family: str) -> st.SearchStrategy[ArrayPlan]:
    kind = FAMILIES[family]
    topics = ARRAY_TOPICS[kind] if kind is not None else ()
    unread = _unread(topics) if topics else st.just(frozenset[str]())
    return st.builds(ArrayPlan, st.just(family), st.just(kind), st.integers(1, 3), st.sampled_from(["fc", "iscsi", "nvme"]), unread)


PLANS = st.builds(
    FleetPlan,
    seed=st.integers(0, 2**32 - 1),
    vcenters=st.integers(1, 2),
    hosts=st.lists(_HOSTS, min_size=1, max_size=4).map(tuple),
    arrays=st.lists(st.sampled_from(sorted(FAMILIES)).flatmap(_array), min_size=1, max_size=2).map(tuple),
    machines=st.integers(0, 4),
    unread=_unread(VCENTER_TOPICS),
)
"""Plans of fleets; `built` makes rows of one."""


@dataclass(slots=True)
class Facts:
    """Rows by table."""

    rows: dict[str, list[Row]] = field(default_factory=dict)

    def add(self, table: str, endpoint: str, rng: random.Random, **known: Any) -> Row:
        """One row: `known`, and of every other column a value that may stand there, or none."""
        values = VALUES.get(table, {})
        row = {column: None if rng.random() < 0.03 else rng.choice(choices) for column, choices in values.items() if column not in known}
        row |= known | {"endpoint": endpoint}
        self.rows.setdefault(table, []).append(row)
        return row

    def read(self, endpoint: str, scope: str, topics: Sequence[str], unread: frozenset[str]) -> None:
        """The readings of these topics."""
        for topic in topics:
            row = {"endpoint": endpoint, "scope": scope, "topic": topic, "complete": topic not in unread, "read_at": WHEN}
            self.rows.setdefault("reading", []).append(row)


@dataclass(frozen=True, slots=True)
class Lun:
    """A device that hosts see, and whose volume it is."""

    device: str
    plan: ArrayPlan
    transport: str
    target: str
    endpoint: str | None
    volume_id: str
    is_protocol_endpoint: bool


def built(plan: FleetPlan, name: str) -> Facts:
    """The facts of a plan; `name` is part of everything that tells things apart in the world."""
    rng = random.Random(plan.seed)
    facts = Facts()
    luns = [lun for number, array in enumerate(plan.arrays) for lun in _array_rows(facts, array, f"{name}-{number}", rng)]
    for number in range(plan.vcenters):
        endpoint = f"vc-{name}-{number}"
        facts.rows.setdefault("listed_endpoint", []).append({"endpoint": endpoint, "kind": "vcenter"})
        facts.read(endpoint, "", VCENTER_TOPICS, plan.unread)
        hosts = [one for place, one in enumerate(plan.hosts) if place % plan.vcenters == number]
        _vcenter_rows(facts, endpoint, hosts, luns, plan, rng)
    return facts


def read_whole(plan: FleetPlan) -> FleetPlan:
    """The same fleet with every topic read."""
    hosts = tuple(replace(one, unread=frozenset()) for one in plan.hosts)
    return replace(plan, hosts=hosts, arrays=tuple(replace(one, unread=frozenset()) for one in plan.arrays), unread=frozenset())


_DEVICES: Mapping[str, str] = {
    "solidfire": "naa.6f47acc100000000{digits:.8}{number:08x}",
    "flasharray": "naa.624a9370{digits:.16}{number:08x}",
    "ontap": "naa.600a0980{digits:.16}{number:08x}",
    "dell-sc": "naa.6000d310{digits:.16}{number:08x}",
    "eternus-dx": "naa.600000e0{digits:.16}{number:08x}",
    "eseries": "naa.600a0b80{digits:.16}{number:08x}",
    "hitachi": "naa.60060e80{digits:.16}{number:08x}",
}


def _array_rows(facts: Facts, plan: ArrayPlan, name: str, rng: random.Random) -> Iterator[Lun]:
    endpoint = f"array-{name}" if plan.kind is not None else None
    digits = f"{rng.getrandbits(64):016x}" if plan.family != "solidfire" else f"{crc32(name.encode()):08x}"
    if endpoint is not None and plan.kind is not None:
        facts.rows.setdefault("listed_endpoint", []).append({"endpoint": endpoint, "kind": plan.kind.value})
        facts.read(endpoint, "", ARRAY_TOPICS[plan.kind], plan.unread)
        facts.add("array", endpoint, rng, family=plan.family, name=name, array_id=f"id-{name}")
        facts.add("array_node", endpoint, rng, node_id=f"node-{name}", name=f"node-{name}")
        facts.add("array_pool", endpoint, rng, pool_id=f"pool-{name}", name=f"pool-{name}", node_id=f"node-{name}")
        facts.add("array_pool_load", endpoint, rng, pool_id=f"pool-{name}")
        facts.add("array_qos_policy", endpoint, rng, policy_id=f"policy-{name}", name=f"policy-{name}", curve=json.dumps(CURVE))
        facts.add("array_host", endpoint, rng, array_host_id=f"ah-{name}", name=f"ah-{name}")
    for number in range(plan.volumes):
        device = _DEVICES[plan.family].format(digits=digits, number=number + 1)
        pe = number == 0 and rng.random() < 0.3
        volume = f"{name}-{number}"
        if endpoint is not None:
            _volume_rows(facts, plan, endpoint, name, volume, device, rng, pe=pe)
        yield Lun(device, plan, plan.transport, f"target-{name}", endpoint, volume, pe)


def _volume_rows(
    facts: Facts, plan: ArrayPlan, endpoint: str, name: str, volume: str, device: str, rng: random.Random, *, pe: bool
) -> None:
    policy = rng.choice([None, f"policy-{name}"])
    known: Row = {"qos_policy_id": policy, "qos_policy": policy, "pool_id": f"pool-{name}", "device": None if pe else device}
    if pe:  # hosts see no virtual volume by a name of its own
        known |= {"is_virtual": True, "kind": "vvol", "vvol_id": f"vvol-{volume}"}
    else:
        known |= {"is_virtual": False, "kind": rng.choice(VALUES["array_volume"]["kind"]), "vvol_id": None}
    facts.add("array_volume", endpoint, rng, volume_id=volume, name=volume, **known)
    facts.add("array_volume_load", endpoint, rng, volume_id=volume)
    if pe:
        facts.add("array_protocol_endpoint", endpoint, rng, protocol_endpoint_id=f"pe-{volume}", device=device, node_id=f"node-{name}")
        binding = {"vvol_id": f"vvol-{volume}", "protocol_endpoint_id": f"pe-{volume}", "array_host_id": f"ah-{name}", "device": device}
        facts.add("vvol_binding", endpoint, rng, binding_id=f"b-{volume}", **binding)
    else:
        facts.add("array_connection", endpoint, rng, volume_id=volume, array_host_id=f"ah-{name}")
    if plan.family == "ontap":
        facts.add("array_efficiency", endpoint, rng, volume_id=volume, volume=volume, pool_id=f"pool-{name}")


def _vcenter_rows(facts: Facts, endpoint: str, hosts: Sequence[HostPlan], luns: Sequence[Lun], plan: FleetPlan, rng: random.Random) -> None:
    ids = [f"host-{number}" for number in range(1, len(hosts) + 1)]
    facts.add("storage_pod", endpoint, rng, pod_id="group-p1", name="pod")
    for host_id, host in zip(ids, hosts, strict=True):
        _host_rows(facts, endpoint, host_id, host, luns, rng)
    stores = [_store_rows(facts, endpoint, number, lun, ids, rng) for number, lun in enumerate(luns)]
    nfs = {"datastore_id": "datastore-nfs", "name": "nfs", "type": rng.choice(["NFS", "NFS41"]), "vvol_container_id": None, "extents": 0}
    facts.add(
        "datastore",
        endpoint,
        rng,
        **nfs,
        nfs_host=f"nfs.{endpoint}",
        nfs_path="/vol",
        vmfs_uuid=None,
        pod_id=rng.choice(["group-p1", None]),
        **_control(rng),
    )
    for number in range(plan.machines if ids else 0):
        _machine_rows(facts, endpoint, number, rng.choice(ids), [*stores, "datastore-nfs"], rng)


def _host_rows(facts: Facts, endpoint: str, host_id: str, host: HostPlan, luns: Sequence[Lun], rng: random.Random) -> None:
    facts.read(endpoint, host_id, HOST_TOPICS, host.unread)
    cluster = {"cluster_id": None if host.cluster is None else f"domain-{host.cluster}", "cluster": host.cluster}
    facts.add("host", endpoint, rng, host_id=host_id, name=f"{host_id}.{endpoint}", version=host.version, **cluster)
    for key, choices in OPTIONS.items():
        if rng.random() < 0.9:
            facts.add("host_option", endpoint, rng, host_id=host_id, key=key, value=rng.choice(choices))
    for place, transport in enumerate(host.transports):
        initiator = f"iqn.1998-01.com.vmware:{host_id}.{endpoint}" if transport == "iscsi" else f"{rng.getrandbits(64):016x}"
        at = {"host_id": host_id, "hba": f"vmhba{place}"}
        _adapter_rows(facts, endpoint, at, transport, initiator, rng)
        if transport == "local":
            local = {"vendor": "ATA", "model": "SSD", "is_local": True, "is_protocol_endpoint": False}
            _device_rows(facts, endpoint, at, f"t10.ATA-{host_id}-{endpoint}", "sas", "", rng, **local)
        for lun in luns:
            if lun.transport == transport and rng.random() < 0.85:
                vendor, model = INQUIRY[lun.plan.family]
                own = {"vendor": vendor, "model": model, "is_local": False, "is_protocol_endpoint": lun.is_protocol_endpoint}
                _device_rows(facts, endpoint, at, lun.device, "fc" if transport == "nvme" else transport, lun.target, rng, **own)
                if lun.endpoint is not None:
                    array_host = f"ah-{lun.endpoint.removeprefix('array-')}"
                    facts.add("array_initiator", lun.endpoint, rng, array_host_id=array_host, initiator=initiator)


def _adapter_rows(facts: Facts, endpoint: str, at: Mapping[str, str], transport: str, initiator: str, rng: random.Random) -> None:
    driver = rng.choice(DRIVERS[transport])
    kind = {"local": "block", "nvme": "fc"}.get(transport, transport)
    facts.add("hba", endpoint, rng, **at, driver=driver, kind=kind, initiator=initiator)
    facts.add("adapter_load", endpoint, rng, **at)
    module = {"endpoint": endpoint, "host_id": at["host_id"], "module": driver}
    if driver is not None and not any(module.items() <= row.items() for row in facts.rows.get("host_module", ())):
        facts.add("host_module", endpoint, rng, host_id=at["host_id"], module=driver)
        for parameter in MODULE_PARAMETERS.get(driver, ()):
            facts.add("host_module_parameter", endpoint, rng, host_id=at["host_id"], module=driver, name=parameter)
    if transport == "iscsi":
        facts.add("iscsi_target", endpoint, rng, **at, address="192.0.2.7", iqn=f"iqn.2010-06.com.x:{endpoint}")
        facts.add("iscsi_option", endpoint, rng, **at, target="")
        facts.add("iscsi_portal", endpoint, rng, **at, vmk="vmk1")
        facts.add("vmknic", endpoint, rng, host_id=at["host_id"], vmk="vmk1")


def _device_rows(
    facts: Facts, endpoint: str, adapter: Mapping[str, str], device: str, transport: str, target: str, rng: random.Random, **own: Any
) -> None:
    host_id, hba = adapter["host_id"], adapter["hba"]
    at = {"host_id": host_id, "device": device}
    facts.add("device", endpoint, rng, **at, **own, device_type="disk")
    facts.add("device_scheduling", endpoint, rng, **at, is_vvol_pe=own["is_protocol_endpoint"])
    for table in ("device_offload", "device_policy"):
        facts.add(table, endpoint, rng, **at)
    facts.add("device_load", endpoint, rng, **at, **_latencies(rng))
    policies = {column: rng.choice(VALUES["device_policy"][column]) for column in ("psp", "satp")}
    for number in range(rng.choice([1, 2])):
        paths = {**policies, "hba": hba, "path": f"{hba}-{number}-{device}", "transport": transport, "target": target}
        facts.add("path", endpoint, rng, **at, **paths)
    rule = {
        "vendor": own["vendor"],
        "model": own["model"],
        "device": "",
        "driver": "",
        "transport": "",
        "options": "",
        "rule_group": "user",
    }
    if rng.random() < 0.4:
        facts.add("satp_rule", endpoint, rng, host_id=host_id, **rule)


def _latencies(rng: random.Random) -> Row:
    """What commands to a device take: its queue is a part of the kernel's share, and the guest waits for the kernel and the device."""
    values = VALUES["device_load"]
    davg, kavg = rng.choice(values["davg_ms"]), rng.choice(values["kavg_ms"])
    qavg = rng.choice([ms for ms in values["qavg_ms"] if ms <= kavg])
    return _most_of({"davg_ms": davg, "kavg_ms": kavg, "qavg_ms": qavg, "gavg_ms": davg + kavg}, rng)


def _store_rows(facts: Facts, endpoint: str, number: int, lun: Lun, hosts: Sequence[str], rng: random.Random) -> str:
    store = f"datastore-{number}"
    pod = rng.choice(["group-p1", None])
    uuid = f"{rng.getrandbits(32):08x}-{rng.getrandbits(32):08x}-0000-000000000001"
    kind = {"type": "VVOL", "vmfs_uuid": None, "vvol_container_id": f"container-{lun.volume_id}", "extents": 0}
    if not lun.is_protocol_endpoint:
        kind = {"type": "VMFS", "vmfs_uuid": uuid, "vvol_container_id": None, "extents": 1}
        facts.add("datastore_extent", endpoint, rng, datastore_id=store, device=lun.device, partition=1)
    facts.add("datastore", endpoint, rng, datastore_id=store, name=store, pod_id=pod, nfs_host=None, nfs_path=None, **kind, **_control(rng))
    for host_id in hosts:
        facts.add("datastore_mount", endpoint, rng, datastore_id=store, host_id=host_id)
        facts.add("datastore_load", endpoint, rng, datastore_id=store, host_id=host_id)
        if lun.is_protocol_endpoint:
            facts.add("vvol_mount", endpoint, rng, datastore_id=store, host_id=host_id, device=lun.device)
        else:
            facts.add("vmfs_lockmode", endpoint, rng, host_id=host_id, volume_name=store, vmfs_uuid=uuid)
    return store


def _control(rng: random.Random) -> Row:
    """Storage I/O Control of a datastore, which is on nowhere that it is not supported; of one or the other nothing may be known."""
    supported = rng.choice(VALUES["datastore"]["sioc_supported"])
    enabled = supported and rng.choice(VALUES["datastore"]["sioc_enabled"])
    return _most_of({"sioc_supported": supported, "sioc_enabled": enabled}, rng)


def _most_of(row: Row, rng: random.Random) -> Row:
    return {column: None if rng.random() < 0.03 else value for column, value in row.items()}


def _power(rng: random.Random) -> Row:
    """Whether a machine is a template, which cannot be switched on, and whether it is; each is unknown of a few."""
    is_template = rng.choice(VALUES["vm"]["is_template"])
    power = "poweredOff" if is_template else rng.choice(VALUES["vm"]["power_state"])
    return _most_of({"is_template": is_template, "power_state": power}, rng)


def _machine_rows(facts: Facts, endpoint: str, number: int, host_id: str, stores: Sequence[str], rng: random.Random) -> None:
    vm_id = f"vm-{number}"
    facts.add("vm", endpoint, rng, vm_id=vm_id, name=vm_id, host_id=host_id, **_power(rng))
    for disk in range(rng.choice([1, 2])):
        store = rng.choice(stores)
        known = {"disk": f"Hard disk {disk + 1}", "node": f"scsi0:{disk}", "disk_key": 2000 + disk, "rdm_mode": None, "rdm_device": None}
        facts.add("vm_disk", endpoint, rng, vm_id=vm_id, datastore_id=store, backing_object_id=None, **known)
        facts.add("vm_disk_load", endpoint, rng, vm_id=vm_id, node=f"scsi0:{disk}")


def database(facts: Sequence[Facts]) -> duckdb.DuckDBPyConnection:
    """The facts of several fleets in one database, in memory."""
    import numpy as np

    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    create_tables(connection)
    for name, table in TABLES.items():
        rows = [row for one in facts for row in one.rows.get(name, ())]
        if rows:
            columns = {column: np.array([row.get(column) for row in rows], dtype=object) for column in table.names}
            casts = ", ".join(f'CAST("{column.name}" AS {column.type})' for column in table.columns)
            connection.register("batch", columns)
            connection.execute(f'INSERT INTO fact."{name}" SELECT {casts} FROM batch')
            connection.unregister("batch")
    return connection
