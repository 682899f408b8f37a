"""What it takes here to read a day of counters of many hosts: processor time, memory, rows and requests.

Run: python benchmarks/history.py --hosts 100 [--level 3]. There is no server: the answers are bytes made here, as a vCenter sends them, and
go through the same decoder and into a snapshot on the disk. What a vCenter and the wire take comes on top.
"""

from __future__ import annotations

import argparse
import re
import resource
import tempfile
import threading
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from measuring import peak_mib
from pyVmomi import vim

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect import history, history_plan
from auditor.endpoints.vcenter.collect.history_figures import ADAPTERS, DATASTORES, DEVICES
from auditor.endpoints.vcenter.collect.rows import HostSeen
from auditor.endpoints.vcenter.collect.task_pool import TaskPool
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.model import Endpoint, EndpointKind, Secret, Span
from auditor_lab.vcenter.performance.counters import COUNTERS, HISTORICAL

NOW = datetime.now(UTC).replace(second=0, microsecond=0)
SPAN = Span(NOW - timedelta(hours=24), NOW)
_ENTITY = re.compile(r'<querySpec><entity type="(\w+)">([^<]*)</entity>(.*?)</querySpec>')
_METRIC = re.compile(r"<counterId>(\d+)</counterId><instance>([^<]*)</instance>")
_BOUNDS = re.compile(r"<startTime>([^<]*)</startTime><endTime>([^<]*)</endTime>.*<intervalId>(\d+)</intervalId>")


class Answers:
    """A session that answers from memory."""

    def __init__(self, devices: int, stores: int, level: int) -> None:
        self.level = level
        self.instances = {"disk": [f"naa.6{one:031x}" for one in range(devices)], "datastore": [f"{one:08x}" for one in range(stores)]}
        self.instances["storageAdapter"] = [f"vmhba{one}" for one in range(4)]
        names = {name for kind in (DATASTORES, DEVICES, ADAPTERS) for name in kind.counters.values()}
        self.keys = [one for one in COUNTERS.values() if f"{one.group}.{one.name}.{one.rollup}" in names]
        self.content = SimpleNamespace(perfManager=vim.PerformanceManager("PerfMgr"), setting=None)
        self.stub, self.requests, self.sent = self, 0, 0
        self._lock = threading.Lock()

    def value(self, _kind: Any, _moid: str, path: str) -> Any:
        if path == "perfCounter":
            return [one.info() for one in COUNTERS.values()]
        make = vim.HistoricalInterval
        return [make(key=k, name=n, samplingPeriod=s, length=kept, level=self.level, enabled=True) for k, n, s, kept, _ in HISTORICAL]

    def ask(self, operation: str, request: str, decode: Any, **_options: Any) -> Any:
        body = self._available() if operation == "QueryAvailablePerfMetric" else self._samples(request)
        with self._lock:
            self.requests += 1
            self.sent += len(body)
        return decode(200, body)

    @lru_cache(maxsize=1)  # noqa: B019  one object lives for the whole run
    def _available(self) -> bytes:
        kept = [(one.key, name) for one in self.keys for name in self.instances[one.group] if one.per_device_level <= self.level]
        return _envelope("QueryAvailablePerfMetric", "".join(_available(key, name) for key, name in kept))

    def _samples(self, request: str) -> bytes:
        return _envelope("QueryPerf", "".join(self._entity(*found) for found in _ENTITY.findall(request)))

    def _entity(self, kind: str, moid: str, rest: str) -> str:
        begin, end, seconds = _BOUNDS.search(rest).groups()  # type: ignore[union-attr]
        info, series = _made(begin, end, int(seconds))
        values = "".join(
            f"<value><id><counterId>{key}</counterId><instance>{name}</instance></id>"
            f"<value>{series[(int(key) + at) % len(series)]}</value></value>"
            for at, (key, instance) in enumerate(_METRIC.findall(rest))
            for name in (self.instances[COUNTERS[int(key)].group] if instance == "*" else [instance])
        )
        return (
            f'<returnval xsi:type="PerfEntityMetricCSV"><entity type="{kind}">{moid}</entity>'
            f"<sampleInfoCSV>{info}</sampleInfoCSV>{values}</returnval>"
        )


@lru_cache(maxsize=16)
def _made(begin: str, end: str, seconds: int) -> tuple[str, list[str]]:
    """The times of the samples between two moments, and some series of them that differ."""
    first, last = (int(datetime.fromisoformat(text).timestamp()) for text in (begin, end))
    times = range((first // seconds + 1) * seconds, last + 1, seconds)
    info = ",".join(f"{seconds},{datetime.fromtimestamp(one, UTC):%Y-%m-%dT%H:%M:%SZ}" for one in times)
    return info, [",".join(str((one // seconds * 7 + shift) % 97 + 1) for one in times) for shift in range(59)]


def _available(key: int, name: str) -> str:
    return f'<returnval xsi:type="PerfMetricId"><counterId>{key}</counterId><instance>{name}</instance></returnval>'


def _envelope(operation: str, content: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" '
        'xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n<soapenv:Body>\n'
        f'<{operation}Response xmlns="urn:vim25">{content}</{operation}Response>\n</soapenv:Body>\n</soapenv:Envelope>'
    ).encode()


def main() -> None:
    """Read, save, and print what it took."""
    parser = argparse.ArgumentParser()
    for name, usual in (("hosts", 100), ("devices", 30), ("stores", 30), ("level", 3)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    answers = Answers(given.devices, given.stores, given.level)
    endpoint = Endpoint("vc", EndpointKind.VCENTER, "vc.example", 443, "", Secret("none", ()), history=SPAN)
    hosts = [HostSeen(Ref("HostSystem", f"host-{one}"), f"esx-{one}", connected=True, software_iscsi=None) for one in range(given.hosts)]
    by_instance = {name: f"datastore-{at}" for at, name in enumerate(answers.instances["datastore"])}
    setattr(history_plan, "clock_of", lambda _: NOW)  # noqa: B010  a double

    def stores(*_: Any) -> Any:
        yield from ()
        return by_instance, len(by_instance), True

    setattr(history_plan, "stores_by_instance", stores)  # noqa: B010  a double
    began, rows = time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        builder = SnapshotBuilder(Path(folder) / "spill")
        with TaskPool(endpoint.limits.concurrency) as tasks:
            for item in history.collect_load_history(answers, endpoint, hosts, (), tasks, Circuit(3)):  # type: ignore[arg-type]  # a double
                builder.add(item)
                rows += len(item.columns["begin_at"]) if isinstance(item, Batch) and item.table == "load_history" else 0
        snapshot = builder.finish((), started=NOW, finished=NOW)
        snapshot.save(Path(folder) / "snapshot")
        [(kept,)] = load_snapshot(Path(folder) / "snapshot").connection.execute("SELECT count(*) FROM fact.load_history").fetchall()
        assert kept == rows
        size = sum(file.stat().st_size for file in (Path(folder) / "snapshot").rglob("*") if file.is_file())
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"{given.hosts} hosts at level {given.level}: {rows:,} rows, {answers.requests:,} requests, {answers.sent / 1e6:,.0f} MB; "
        f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time, {time.perf_counter() - began:.1f} s by the clock, "
        f"{peak_mib():,.0f} MiB at the most, {size / 1e6:,.1f} MB kept; gaps: {len(snapshot.gaps)}"
    )


if __name__ == "__main__":
    main()
