"""The load of hosts from files of esxtop, wherever these lie: in a host's own folder, or beside those of several hosts."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from auditor.endpoints.files.esxtop_load import load_facts
from auditor.endpoints.files.host_reader import LOADS
from auditor.endpoints.vcenter.collect.rows import gap, readings
from auditor.facts.schema import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.esxtop import Esxtop, NoSamples
    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.model import Endpoint


class HostLoads:
    """The files of esxtop of all hosts, until every host is known."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._files: list[tuple[Esxtop | NoSamples, str | None]] = []
        self._hosts: list[str] = []
        self._machines: dict[str, set[str]] = defaultdict(set)

    def add(self, host: HostFiles, *, is_host: bool) -> None:
        """Take the files of one host. Of a folder with files of esxtop alone (`is_host` is false), each file's titles name its host."""
        self._files += [(file, host.name if is_host else None) for file in host.esxtop]
        if is_host:
            self._hosts.append(host.name)
        for machine in host.machines:
            self._machines[machine.name].add(machine.facts(host.name).id)

    def facts(self) -> Iterator[Facts]:
        """Tables device_load, adapter_load and vm_disk_load, and the readings of the first two of every host."""
        read: set[str] = set()
        for file, own in self._files:
            for item in load_facts(file, self._endpoint, lambda name, own=own: self._host(name, own, read), self._machine):  # type: ignore[misc]
                if isinstance(item, Batch) and item.table == "reading":
                    read.add(item.columns["scope"][0])
                yield item
        unread = [host for host in self._hosts if host not in read]
        for host in unread:
            yield readings(self._endpoint, host, dict.fromkeys(LOADS, False))
        if unread:
            more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
            why = "no file has its counters: take one of esxtop too (esxtop -b -a -d 20 -n 15)"
            yield gap(self._endpoint, f"load of {', '.join(unread[:3])}{more}", why)

    def _host(self, name: str, only_host: str | None, read: set[str]) -> str | None:
        """The host that titles name, by its whole or its short name; None where there are none, or several, or it was read already."""
        short = name.partition(".")[0].lower()
        hosts = self._hosts if only_host is None else [only_host]
        found = [host for host in hosts if host.lower() == name.lower() or host.partition(".")[0].lower() == short]
        return found[0] if len(found) == 1 and found[0] not in read else None

    def _machine(self, name: str) -> str | None:
        ids = self._machines.get(name, set())
        return next(iter(ids)) if len(ids) == 1 else None
