"""The health of hosts and datastores that a fix writes to: few reads, each of many objects. Imports pyVmomi where it is used.

Source: vSphere Web Services API, HostRuntimeInfo.connectionState, HostMultipathStateInfo.path ("runtime information about the state of each
path"), HostMountInfo.accessible and inaccessibleReason (AllPathsDown_Start, AllPathsDown_Timeout, PermanentDeviceLoss),
ManagedEntity.triggeredAlarmState; docs/domain/facts.md#9-1 for the counters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.health import ABORTS, ALARMS, CONNECTION, LATENCY, PATHS, VOLUMES, Health
from auditor.endpoints.vcenter.session import moid
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.performance import Samples
    from auditor.endpoints.vcenter.session import VCenter

_PAGE = 50
"""Objects a request: 50 hosts with 500 paths each are some 4 MB."""

_HOSTS_A_QUERY = 20
_MOST_SAMPLES, _LATENCY_SAMPLES = 15, 180
"""Of 20 seconds each: five minutes, as for the rules about load, and the hour that is kept: what comes and goes shows in an hour only."""

_LEAST_SAMPLES = 3
"""A minute. Policy, as for rule diag/kavg: one sample is a burst."""

_LATENCY = "disk.maxTotalLatency.latest"
_ABORTS = ("disk.commandsAborted.summation", "disk.busResets.summation")
_USABLE = frozenset({"active", "standby"})
"""States of a path that is not lost; "dead", "disabled" and "unknown" (an error) are. Source: vSphere API reference, Path.pathState."""

_NAME, _STATE, _ALARMS = "name", "runtime.connectionState", "triggeredAlarmState"
_PATHS, _MOUNTS = "config.multipathState.path", "config.fileSystemVolume.mountInfo"
_STORE_MOUNTS, _MACHINES = "host", "vm"


def read_health(vcenter: VCenter, targets: Collection[Mapping[str, str]], since: datetime | None) -> dict[str, Health]:
    """The health of the hosts and datastores that are among the keys of `targets`, by managed object id.

    Args:
        vcenter: an open session.
        targets: the keys of targets of changes; those without host_id and datastore_id have no health that is read here.
        since: load counts from then on, by vCenter's clock; None: that of the last five minutes.

    Raises:
        EndpointError: a page of objects as a whole could not be read.
    """
    from pyVmomi import vim

    hosts = sorted({keys["host_id"] for keys in targets if "host_id" in keys})
    stores = sorted({keys["datastore_id"] for keys in targets if "datastore_id" in keys})
    load = _load(vcenter, hosts, since)
    read: dict[str, Health] = {}
    for facts in _each(vcenter, vim.HostSystem, (_NAME, _STATE, _ALARMS, _PATHS, _MOUNTS, _MACHINES), hosts):
        figures = load.get(facts.id, {})
        absent = {gate: "no sample of this time is there" for gate in (ABORTS, LATENCY) if gate not in figures}
        good: dict[str, frozenset[str]] = {}
        unknown = dict(absent)
        _take(facts, _STATE, CONNECTION, good, unknown, lambda state: frozenset({"connected"} if str(state) == "connected" else ()))
        _take(facts, _PATHS, PATHS, good, unknown, _usable_paths)
        _take(facts, _MOUNTS, VOLUMES, good, unknown, _accessible_volumes)
        read[facts.id] = Health(str(facts.values.get(_NAME, facts.id)), good, _alarms(facts, unknown), figures, unknown, _machines(facts))
    for facts in _each(vcenter, vim.Datastore, (_NAME, _ALARMS, _STORE_MOUNTS), stores):
        good, unknown = {}, {}
        _take(facts, _STORE_MOUNTS, VOLUMES, good, unknown, _hosts_that_reach_it)
        read[facts.id] = Health(str(facts.values.get(_NAME, facts.id)), good, _alarms(facts, unknown), {}, unknown)
    return read


def _each(vcenter: VCenter, kind: Any, paths: Sequence[str], ids: Sequence[str]) -> Iterator[ObjectProperties]:
    if ids:
        yield from vcenter.read(kind, paths, [vcenter.object(kind, one) for one in ids], page=_PAGE)


def _take(
    facts: ObjectProperties,
    path: str,
    gate: str,
    good: dict[str, frozenset[str]],
    unknown: dict[str, str],
    understood: Callable[[Any], frozenset[str]],
) -> None:
    if path in facts.values:
        good[gate] = understood(facts.values[path])
    else:
        unknown[gate] = facts.missing.get(path, f"vCenter does not report {path}")


def _usable_paths(paths: Any) -> frozenset[str]:
    return frozenset(f"path {one.name}" for one in paths if str(one.pathState) in _USABLE)


def _machines(facts: ObjectProperties) -> frozenset[str] | None:
    """The machines on a host; a host without any may leave the property out."""
    return None if _MACHINES in facts.missing else frozenset(moid(one) for one in facts.values.get(_MACHINES) or ())


def _accessible_volumes(mounts: Any) -> frozenset[str]:
    return frozenset(f"volume {one.volume.name}" for one in mounts if one.mountInfo.accessible)


def _hosts_that_reach_it(mounts: Any) -> frozenset[str]:
    return frozenset(f"its mount on {moid(one.key)}" for one in mounts if one.mountInfo.accessible)


def _alarms(facts: ObjectProperties, unknown: dict[str, str]) -> dict[str, frozenset[str]]:
    """The red alarms. An object without alarms may leave the property out."""
    if _ALARMS in facts.missing:
        unknown[ALARMS] = facts.missing[_ALARMS]
        return {}
    red = (one for one in facts.values.get(_ALARMS) or () if str(one.overallStatus) == "red")
    return {ALARMS: frozenset(f"red alarm {moid(one.alarm)}" for one in red)}


def _load(vcenter: VCenter, hosts: Sequence[str], since: datetime | None) -> dict[str, dict[str, float]]:
    """The figures of the gates about load, by host; a host without samples of this time has none."""
    from pyVmomi import vmodl

    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.performance import counter_keys, query_samples

    figures: dict[str, dict[str, float]] = {}
    try:
        keys = counter_keys(vcenter)
        for names, most in (((_LATENCY,), _LATENCY_SAMPLES), (_ABORTS, _MOST_SAMPLES)):
            wanted = {name: keys[name] for name in names if name in keys}
            for start in range(0, len(hosts) if wanted else 0, _HOSTS_A_QUERY):
                refs = [Ref("HostSystem", one) for one in hosts[start : start + _HOSTS_A_QUERY]]
                for samples in query_samples(vcenter, refs, wanted, most):
                    figures.setdefault(samples.host_id, {}).update(load_figures(samples, since))
    except (EndpointError, vmodl.MethodFault):
        # Load is a help, and often not kept: the gates about it are unknown then.
        return figures
    return figures


def load_figures(samples: Samples, since: datetime | None) -> dict[str, float]:
    """The mean and the highest of the highest latency, in ms, and the share of samples in which a device had aborts or resets.

    None of them is there with fewer samples than `_LEAST_SAMPLES`: one is a burst.
    """
    places = [place for place, time in enumerate(samples.times) if since is None or time > since]
    figures: dict[str, float] = {}
    latency = [value for place in places if (value := samples.series.get((_LATENCY, ""), (None,) * len(samples.times))[place]) is not None]
    if len(latency) >= _LEAST_SAMPLES:
        figures[LATENCY] = sum(latency) / len(latency)
        figures[f"{LATENCY} highest"] = max(latency)
    counted = [values for (name, instance), values in samples.series.items() if name in _ABORTS]
    if counted and len(places) >= _LEAST_SAMPLES:
        figures[ABORTS] = sum(any(values[place] for values in counted) for place in places) / len(places)
        figures[f"{ABORTS} samples"] = sum(any(values[place] for values in counted) for place in places)
    return figures
