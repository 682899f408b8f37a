"""Reads the files of one host into the fact tables of a vCenter, by the functions that make rows of what a vCenter answers.

What a file does not hold is not read: its topic is not whole, and a gap names the command whose output would close it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.endpoints.files import other_forms
from auditor.endpoints.files.contradictions import contradicted_commands, lacking_devices, lacking_paths
from auditor.endpoints.files.datastores import CONTAINERS, NFS, NFS41, RECLAIM, VOLUMES, Datastores
from auditor.endpoints.files.host_files import narrowing
from auditor.endpoints.files.network import ADDRESSES, DISTRIBUTED, INTERFACES, STANDARD, network_values
from auditor.endpoints.files.options import (
    KERNEL,
    MODULE,
    MODULES,
    OPTIONS,
    PARAMETERS,
    lists_all_options,
    missing_options,
    modules_of,
    options_of,
    wanted_modules,
)
from auditor.endpoints.files.outputs import NOTHING
from auditor.endpoints.files.protocol_endpoints import ENDPOINTS, endpoint_device, with_endpoints
from auditor.endpoints.files.storage import (
    ADAPTER,
    ADAPTER_PARAMETERS,
    ADAPTERS,
    DEVICES,
    EXTENTS,
    FC_ADAPTERS,
    OFFLOAD,
    PATHS,
    POLICIES,
    SCHEMES,
    SEND_PARAMETERS,
    SEND_TARGETS,
    STATIC_PARAMETERS,
    STATIC_TARGETS,
    adapters_of,
    devices_of,
    paths_of,
)
from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.esxcli import lockmodes, offload, scheduling
from auditor.endpoints.vcenter.collect.multipath import device_policies, iscsi_portals, satp_rules
from auditor.endpoints.vcenter.collect.network import network_of
from auditor.endpoints.vcenter.collect.rows import HostSeen, gap
from auditor.endpoints.vcenter.collect.storage import storage_of
from auditor.facts.schema import HOST_TOPICS, Batch

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.vcenter.collect.esxcli import Layout, Records
    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint, Gap

_LAYOUTS: tuple[tuple[str, str, Layout], ...] = (
    ("device_scheduling", DEVICES, scheduling),
    ("device_offload", OFFLOAD, offload),
    ("lockmode", "storage vmfs lockmode list", lockmodes),
    ("multipathing", POLICIES, device_policies),
    ("multipathing", "storage nmp satp rule list", satp_rules),
    ("port_binding", "iscsi networkportal list", iscsi_portals),
)
SOFTWARE_ISCSI_STATE = "iscsi software get"
_ENDPOINTS_ALONE = {"pe-only": ""}

READ = frozenset(
    {
        *(command for _, command, _ in _LAYOUTS),
        *(
            ADAPTERS,
            DEVICES,
            PATHS,
            POLICIES,
            SCHEMES,
            ADAPTER_PARAMETERS,
            SEND_TARGETS,
            SEND_PARAMETERS,
            STATIC_TARGETS,
            STATIC_PARAMETERS,
        ),
        *(INTERFACES, ADDRESSES, STANDARD, DISTRIBUTED, OPTIONS, KERNEL, MODULE, MODULES, PARAMETERS, SOFTWARE_ISCSI_STATE),
        *(VOLUMES, EXTENTS, NFS, NFS41, CONTAINERS, ENDPOINTS, RECLAIM),
        *(ADAPTER, FC_ADAPTERS, "system maintenanceMode get", *other_forms.READ),
    }
)
"""The commands whose output is read."""

LOADS = ("device_load", "adapter_load")
"""What files of esxtop have, which `HostLoads` reads."""

UNREADABLE = "datastore_load"
"""No file has these counters."""


def software_iscsi(host: HostFiles) -> bool | None:
    """Whether software iSCSI is switched on; None where no output says it."""
    return next((record.truth("value", needed=False) for record in host.records(SOFTWARE_ISCSI_STATE) or ()), None)


@dataclass(slots=True)
class HostReader:
    """Reads one host; `whole` says by topic whether all of it was there, `stores_whole` whether all that it mounts was."""

    endpoint: Endpoint
    host: HostFiles
    needs: Needs
    whole: dict[str, bool] = field(default_factory=dict)
    stores_whole: bool = True
    lacking: dict[str, None] = field(default_factory=dict)  # the commands whose output is not among the files, in order

    def records(self, topic: str, command: str, **arguments: str) -> Records | None:
        """The records of a command that `topic` cannot do without; what is missing is noted."""
        output = self.host.of(command, **arguments)
        if output is None:
            self.lacks(topic, command, **arguments)
            return None
        if narrowing(output, arguments):
            self.lacks(topic, command, **arguments)
        if not output.whole:
            self.whole[topic] = False
        if command == DEVICES and not narrowing(output, arguments) and (endpoints := self.host.of(DEVICES, **_ENDPOINTS_ALONE)):
            return with_endpoints(output.table, endpoints.table)
        return self.host.read(output)

    def in_any_form(self, topic: str, command: str) -> Records | None:
        """The records of a command; for want of them those of another program, which do not make `topic` whole."""
        records, output = self.records(topic, command), self.host.of(command)
        if output is not None and (output.whole or output.table.records):
            return records
        other = other_forms.other_form(self.host, command)
        return records if other is None else other

    def lacks(self, topic: str, command: str, **arguments: str) -> None:
        """Note that an output is missing, so that `topic` is not whole."""
        self.whole[topic] = False
        given = " ".join(f"--{name}={value}" for name, value in arguments.items())
        self.lacking[f"esxcli {command}{' ' + given if given else ''}"] = None

    def facts(self) -> Iterator[Facts]:
        """Every fact that the files of the host have, its gaps, and a row of `reading` for each topic."""
        topics = self.needs.topics
        where = {"endpoint": self.endpoint.name, "host_id": self.host.name}
        self.whole = {topic: topic != UNREADABLE for topic in HOST_TOPICS if topic in topics and topic not in LOADS}
        seen = HostSeen(Ref("HostSystem", self.host.name), self.host.name, connected=True, software_iscsi=software_iscsi(self.host))
        drivers = yield from self._storage(seen)
        if "network" in topics:
            yield from self._network(seen)
        if "options" in topics:
            yield from self._options(where)
        if "modules" in topics:
            yield from self._modules(where, drivers)
        yield from self._layouts(where)
        if "datastores" in topics:
            yield from self._stores()
        self.stores_whole = self.whole.pop("datastores", True)
        yield from self._gaps()
        yield self._readings()

    def _storage(self, seen: HostSeen) -> Generator[Facts, None, frozenset[str] | None]:
        topics = [topic for topic in ("hbas", "devices", "paths") if topic in self.needs.topics]
        values: dict[str, object] = {}
        adapters = self.in_any_form("hbas", ADAPTERS) if topics else None
        devices = self.in_any_form("devices", DEVICES) if topics else None
        paths = self.in_any_form("paths", PATHS) if topics else None
        if adapters is not None:
            values["config.storageDevice.hostBusAdapter"] = found = adapters_of(self.host, adapters)
            if any(hba.type_name == "HostInternetScsiHba" for hba in found):
                self._iscsi([hba.device or "" for hba in found if hba.type_name == "HostInternetScsiHba"])
        if devices is not None:
            values["config.storageDevice.scsiLun"] = devices_of(devices, self.host.records(ENDPOINTS))
        if paths is not None:
            found_paths = paths_of(paths, self.records("paths", POLICIES), self.host.records(SCHEMES))
            if devices is not None:
                values["config.storageDevice.multipathInfo"] = found_paths
            self.whole["paths"] = self.whole.get("paths", True) and devices is not None  # a path counts with its device alone
        yield from self._contradictions(devices, paths)
        for records, topic in ((adapters, "hbas"), (devices, "devices"), (paths, "paths")):
            if records is not None and records.parse_errors:
                self.whole[topic] = False
                yield gap(self.endpoint, f"{topic} of {self.host.name}", _in_file(records))
        # What was not printed is noted as lacking, so no gap has to say it once more.
        asked = [topic for topic in topics if _VALUES[topic] in values]
        drivers = yield from self._own(storage_of(self.endpoint, seen, ObjectProperties(seen.ref, values, {}), asked))
        return drivers if adapters is not None else None

    def _contradictions(self, devices: Records | None, paths: Records | None) -> Iterator[Gap]:
        """A gap for each list that lacks what another output of the host names: it is not whole."""
        for topic, command, records, reasons in (("devices", DEVICES, devices, lacking_devices), ("paths", PATHS, paths, lacking_paths)):
            for why in reasons(self.host, records) if records is not None and self.whole.get(topic) else ():
                self.whole[topic] = False
                yield gap(self.endpoint, f"esxcli {command} of {self.host.name}", why)

    def _options(self, where: Mapping[str, str]) -> Iterator[Facts]:
        options = list(options_of(self.host, where))
        yield from options
        if not lists_all_options(self.host):
            self.lacks("options", OPTIONS)
        if (kernel := self.host.of(KERNEL)) is None or not kernel.whole or "delta" in kernel.arguments:
            self.lacks("options", KERNEL)
        for name in missing_options(options):
            self.lacks("options", OPTIONS, option=f"/{name.replace('.', '/')}")

    def _layouts(self, where: Mapping[str, str]) -> Iterator[Facts]:
        """The tables whose rows are records of one command, as they are of a host that is asked."""
        for topic, command, layout in _LAYOUTS:
            if topic in self.needs.topics and (records := self.records(topic, command)) is not None:
                yield from layout(records, where)
                if records.parse_errors:
                    self.whole[topic] = False
                    yield gap(self.endpoint, f"esxcli {command} on {self.host.name}", _in_file(records))

    def _stores(self) -> Iterator[Facts]:
        """What is missing of the datastores that the host mounts; their rows are made once all hosts are known."""
        if ("datastore", "unmap_priority") in self.needs.facts and Datastores.lacks_priorities(self.host):
            self.lacking[f"esxcli {RECLAIM} --volume-uuid=UUID"] = None
        for command in Datastores.needed(self.host):
            records = self.records("datastores", command)
            if command == ENDPOINTS and records is not None:
                for record in records:
                    endpoint_device(record)
                if records.parse_errors:
                    self.whole["datastores"] = False
                    yield gap(self.endpoint, f"esxcli {command} on {self.host.name}", records.summary())

    def _iscsi(self, adapters: Iterable[str]) -> None:
        """Note which outputs about iSCSI are missing: without them neither targets nor parameters are known."""
        for adapter in adapters:
            if self.host.of(ADAPTER_PARAMETERS, adapter=adapter) is None:
                self.lacks("hbas", ADAPTER_PARAMETERS, adapter=adapter)
        of_targets = ((SEND_TARGETS, SEND_PARAMETERS, "sendtarget"), (STATIC_TARGETS, STATIC_PARAMETERS, "targetaddress"))
        for listed, parameters, named in of_targets:
            targets = self.records("hbas", listed)
            for record in targets or ():
                adapter, address = record.filled("adapter", needed=False) or "", record.filled(named, needed=False) or ""
                if self.host.of(parameters, adapter=adapter, address=address) is None:
                    self.lacks("hbas", parameters, adapter=adapter, address=address)

    def _network(self, seen: HostSeen) -> Iterator[Facts]:
        values = network_values(self.host)
        for command in (INTERFACES, ADDRESSES):
            self.records("network", command)
        if "config.network.vnic" in values:
            yield from self._own(network_of(self.endpoint, seen, ObjectProperties(seen.ref, values, {})))

    def _modules(self, where: Mapping[str, str], drivers: frozenset[str] | None) -> Iterator[Facts]:
        yield from modules_of(self.host, where, drivers, software_iscsi(self.host))
        self.records("modules", MODULES)
        for module in wanted_modules(drivers, software_iscsi(self.host)):
            self.records("modules", PARAMETERS, module=module)
            self.records("modules", MODULE, module=module)
            if module not in self.host.module_options:
                self.whole["modules"] = False
                self.lacking[f"esxcfg-module -g {module}"] = None
        if drivers is None or software_iscsi(self.host) is None:
            self.whole["modules"] = False
        if software_iscsi(self.host) is None:
            self.lacks("modules", SOFTWARE_ISCSI_STATE)

    def _own(self, facts: Iterator[Facts]) -> Generator[Facts, None, Any]:
        """`facts` without their readings, which this reader gives itself, of the moment of the files; returns what they return."""
        while True:
            try:
                item = next(facts)
            except StopIteration as end:
                return end.value
            if isinstance(item, Batch) and item.table == "reading":
                for topic, complete in zip(item.columns["topic"], item.columns["complete"], strict=True):
                    self.whole[topic] = self.whole.get(topic, True) and complete
            else:
                yield item

    def _gaps(self) -> Iterator[Gap]:
        for command in contradicted_commands(self.host):
            if command in READ:
                yield gap(
                    self.endpoint,
                    f"{other_forms.called(command)} on {self.host.name}",
                    "two files have it, and differ: only the newer one was read",
                )
        for command, outputs in self.host.outputs.items():
            for output in outputs if command in READ else ():
                if output.problems and output.problems != (NOTHING,):
                    yield gap(self.endpoint, f"{other_forms.called(command)} on {self.host.name}", "; ".join(output.problems[:3]))
        silent = sorted(f"`{other_forms.called(command)}`" for command in READ.intersection(self.host.outputs) if self._is_silent(command))
        if silent:
            why = f"a list without entries prints nothing as text, and so does a command that fails: {', '.join(silent)}"
            yield gap(self.endpoint, f"empty outputs of {self.host.name}", why)
        if self.lacking:
            commands = ", ".join(f"`{command}`" for command in self.lacking)
            yield gap(self.endpoint, f"what other commands print on {self.host.name}", f"its files do not have it: take {commands} too")

    def _is_silent(self, command: str) -> bool:
        return any(output.problems == (NOTHING,) for output in self.host.outputs[command])

    def _readings(self) -> Batch:
        count = len(self.whole)
        return Batch(
            "reading",
            {
                "endpoint": [self.endpoint.name] * count,
                "scope": [self.host.name] * count,
                "topic": list(self.whole),
                "complete": list(self.whole.values()),
                "read_at": [self.host.taken_at or datetime.now(UTC)] * count,
                "source": [self.host.source] * count,
            },
        )


def _in_file(records: Records) -> str:
    return f"a saved output says less, or other things, than is needed: {records.summary()}"


_VALUES = {
    "hbas": "config.storageDevice.hostBusAdapter",
    "devices": "config.storageDevice.scsiLun",
    "paths": "config.storageDevice.multipathInfo",
}
