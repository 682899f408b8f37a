"""One lane of `collect.py`, in a process of its own: reads the storage and the options of every host into rows, and says what it took.

The clock runs from an open session and a listed fleet to the last row. What the rows hold is hashed in a second pass where reading and
row making overlap, and between pages, with the clock stopped, where they do not. Run by `collect.py`.
"""

from __future__ import annotations

import hashlib
import json
import ssl
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measuring import peak_mib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from auditor.endpoints.vcenter.session import VCenter
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

PAGE = 10  # hosts, of the lanes that are not ours
TABLES = ("device", "path", "host_option")
NARROW = (
    "name",
    "config.storageDevice.scsiLun",
    "config.storageDevice.multipathInfo",
    "config.storageDevice.hostBusAdapter",
    "config.option",
)


@dataclass
class Seen:
    """How many rows, and what they hold whatever the order of the hosts."""

    rows: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TABLES, 0))
    total: int = 0
    hashing_seconds: float = 0.0
    hashing_cpu: float = 0.0

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Take what the rows of one table of one host hold."""
        began, cpu = time.perf_counter(), time.process_time()
        text = "\n".join("\t".join(map(_text, row)) for row in rows)
        self.total += int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        self.hashing_seconds += time.perf_counter() - began
        self.hashing_cpu += time.process_time() - cpu

    @property
    def digest(self) -> str:
        return f"{self.total % (1 << 64):016x}"


def _text(value: Any) -> str:
    if value is None:
        return "\\N"
    return str(value).lower() if isinstance(value, bool) else str(value)


def main() -> int:
    requested = json.loads(sys.argv[1])
    lane = requested["lane"]
    result = _ours(requested) if lane in ("soap", "vijson") else _pyvmomi(requested)
    print(json.dumps({"lane": lane, **result}))
    return 0


class Clock:
    """Measures from when it is made."""

    def __init__(self) -> None:
        self._began, self._cpu = time.perf_counter(), time.process_time()

    def figures(self, seen: Seen) -> dict[str, float]:
        """Seconds by the wall and of all cores without those spent on hashes, and the peak of memory so far."""
        seconds, cpu = time.perf_counter() - self._began, time.process_time() - self._cpu
        return {"seconds": seconds - seen.hashing_seconds, "cpu_seconds": cpu - seen.hashing_cpu, "peak_mib": peak_mib()}


def _ours(requested: dict[str, Any]) -> dict[str, Any]:
    from auditor.endpoints.vcenter.session import open_vcenter
    from auditor.facts.snapshots.builder import SnapshotBuilder
    from auditor.model import BulkTransport, Endpoint, EndpointKind, Secret, Tls

    folder = Path(requested["folder"])
    endpoint = Endpoint(
        name="replay",
        kind=EndpointKind.VCENTER,
        address="127.0.0.1",
        port=requested["port"],
        username=requested["user"],
        password=Secret("file", (str(folder / "password"),)),
        tls=Tls(ca=str(folder / "ca.pem")),
        lane=BulkTransport(requested["lane"]),
    )
    builder = SnapshotBuilder(folder / "spilled") if requested["tables"] else None
    began = time.perf_counter()
    with open_vcenter(endpoint) as vcenter:
        refs = vcenter.bulk.refs("HostSystem")
        vcenter.bulk.page("HostSystem", ("name",), refs[:1])  # a lane may have a session of its own
        opened = time.perf_counter() - began
        seen, clock = Seen(), Clock()
        for batch in _collected(vcenter, endpoint, refs):
            if batch.table in seen.rows:
                seen.rows[batch.table] += len(batch.columns["host_id"])
            if builder is not None:
                builder.add(batch)
        by_clock = clock.figures(seen)
        for batch in _collected(vcenter, endpoint, refs) if requested["digest"] else ():
            if batch.table in seen.rows:
                seen.add(_rows_of(batch))
        if vcenter.bulk.transport != requested["lane"] or vcenter.bulk.notes:
            raise RuntimeError(f"read by lane {vcenter.bulk.transport}: {vcenter.bulk.notes}")
    return {**by_clock, "open_seconds": opened, "rows": seen.rows, "digest": seen.digest, "passes": 2 if requested["digest"] else 1}


def _collected(vcenter: VCenter, endpoint: Endpoint, refs: Sequence[Any]) -> Iterator[Batch]:
    """What the collector makes of the same paths: its pages, its threads, its rows."""
    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.collect.reading import read_each
    from auditor.endpoints.vcenter.collect.rows import HostSeen, columns
    from auditor.endpoints.vcenter.collect.storage import storage_of
    from auditor.facts.schema import Batch

    for facts in read_each(vcenter, "HostSystem", NARROW, refs, Circuit(3)):
        if isinstance(facts, tuple):
            raise facts[1]
        host = HostSeen(facts.ref, facts.values["name"], connected=True, software_iscsi=None)
        for item in storage_of(endpoint, host, facts):
            if not isinstance(item, Batch):
                raise RuntimeError(f"a gap: {item}")  # noqa: TRY004  a benchmark that is not whole
            yield item
        options = facts.values["config.option"]
        values = [option.plain for option in options]
        yield from columns(
            "host_option",
            {"endpoint": endpoint.name, "host_id": host.id},
            key=[option.key for option in options],
            value=[value if type(value) is str else _text(value) for value in values],
            value_type=[_TYPES[type(value)] for value in values],
        )


_TYPES = {bool: "boolean", str: "string", int: "long"}


_OURS_ALONE = ("endpoint", "perennially_reserved", "is_working")  # columns that the other lanes do not read


def _rows_of(batch: Batch) -> list[tuple[Any, ...]]:
    from auditor.facts.schema import TABLES as SCHEMA

    return list(zip(*(batch.columns[name] for name in SCHEMA[batch.table].names if name not in _OURS_ALONE), strict=True))


def _pyvmomi(requested: dict[str, Any]) -> dict[str, Any]:
    from pyVim.connect import Disconnect, SmartConnect
    from pyVmomi import vim

    folder = Path(requested["folder"])
    began = time.perf_counter()
    service = SmartConnect(
        host="127.0.0.1",
        port=requested["port"],
        user=requested["user"],
        pwd=(folder / "password").read_text().strip(),
        sslContext=ssl.create_default_context(cafile=str(folder / "ca.pem")),
    )
    content = service.RetrieveContent()
    view = content.viewManager.CreateContainerView(content.rootFolder, [vim.HostSystem], True)  # noqa: FBT003  pyVmomi's signature
    hosts = list(view.view)[: requested["share"]]
    opened = time.perf_counter() - began
    seen, clock = Seen(), Clock()
    read = _by_attributes(hosts) if requested["lane"] == "pyvmomi-attributes" else _by_collector(content, view)
    share = None
    for count, (moid, luns, multipath, hbas, options) in enumerate(read, 1):
        for table, rows in (
            ("device", [_device(moid, lun) for lun in luns]),
            ("path", list(_paths(moid, luns, multipath, hbas))),
            ("host_option", [(moid, option.key, _text(option.value), _wire_type(option.value)) for option in options]),
        ):
            seen.rows[table] += len(rows)
            if requested["digest"]:
                seen.add(rows)
        if count == requested["share"]:
            share = seen.digest
    by_clock = clock.figures(seen)
    Disconnect(service)
    return {**by_clock, "open_seconds": opened, "rows": seen.rows, "digest": seen.digest, "passes": 1, "digest_of_share": share}


def _by_attributes(hosts: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """What most scripts do; every `host.config` asks for the whole of it."""
    for host in hosts:
        _ = host.name
        yield (
            host._moId,  # noqa: SLF001  pyVmomi's accessor
            host.config.storageDevice.scsiLun,
            host.config.storageDevice.multipathInfo,
            host.config.storageDevice.hostBusAdapter,
            host.config.option,
        )


def _by_collector(content: Any, view: Any) -> Iterator[tuple[Any, ...]]:
    from pyVmomi import vim, vmodl

    of = vmodl.query.PropertyCollector
    walk = of.TraversalSpec(name="hosts", path="view", skip=False, type=vim.view.ContainerView)
    spec = of.FilterSpec(
        objectSet=[of.ObjectSpec(obj=view, skip=True, selectSet=[walk])],
        propSet=[of.PropertySpec(type=vim.HostSystem, all=False, pathSet=list(NARROW))],
    )
    result = content.propertyCollector.RetrievePropertiesEx([spec], of.RetrieveOptions(maxObjects=PAGE))
    while True:
        for one in result.objects:
            values = {entry.name: entry.val for entry in one.propSet}
            yield (one.obj._moId, *(values[path] for path in NARROW[1:]))  # noqa: SLF001  as above
        if not result.token:
            return
        result = content.propertyCollector.ContinueRetrievePropertiesEx(result.token)


def _wire_type(value: Any) -> str:
    name = type(value).__name__
    return {"bool": "boolean", "str": "string"}.get(name, name)


def _device(moid: str, lun: Any) -> tuple[Any, ...]:
    from pyVmomi import vim

    disk = isinstance(lun, vim.host.ScsiDisk)
    return (
        moid,
        lun.canonicalName,
        lun.displayName,
        lun.vendor.strip(),
        lun.model.strip(),
        lun.revision.strip(),
        lun.lunType,
        lun.protocolEndpoint,
        lun.queueDepth,
        lun.vStorageSupport,
        lun.localDisk if disk else None,
        lun.ssd if disk else None,
        lun.capacity.block * lun.capacity.blockSize if disk else None,
        ",".join(lun.operationalState),
    )


def _paths(moid: str, luns: Any, multipath: Any, hbas: Any) -> Iterator[tuple[Any, ...]]:
    from pyVmomi import vim

    names = {lun.key: lun.canonicalName for lun in luns}
    adapters = {hba.key: hba.device for hba in hbas}
    for unit in multipath.lun:
        device, psp, satp = names[unit.lun], unit.policy.policy, unit.storageArrayTypePolicy.policy
        for path in unit.path:
            if isinstance(path.transport, vim.host.InternetScsiTargetTransport):
                transport, target = "iscsi", path.transport.iScsiName.lower()
            else:
                transport, target = "fc", f"{path.transport.portWorldWideName & 0xFFFF_FFFF_FFFF_FFFF:016x}"
            yield moid, device, adapters[path.adapter], path.name, path.state, transport, target, psp, satp


if __name__ == "__main__":
    sys.exit(main())
