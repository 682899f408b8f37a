"""Datastore clusters: how Storage DRS is set in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.reading import read_each
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, gaps_of, readings
from auditor.endpoints.vcenter.enumerations import DRS_BEHAVIORS, unlisted
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import PodConfig, PodVmConfig, Ref
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

_KIND = "StoragePod"
_CONFIG = "podStorageDrsEntry.storageDrsConfig.podConfig"
_OF_VMS = "podStorageDrsEntry.storageDrsConfig.vmConfig"
_NEEDED = ("name", _CONFIG)


def collect_pods(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, paths: Sequence[str]) -> Iterator[Facts]:
    """Yield storage_pod, and the reading of topic "pods".

    `paths` are the properties to ask for. Which datastores are in a cluster stands with the datastores. A cluster that was removed while
    we read is no hole.

    Source: vSphere API reference, StoragePod, StorageDrsPodConfigInfo, StorageDrsVmConfigInfo.
    """
    try:
        circuit.check()
        refs = vcenter.bulk.refs(_KIND)
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of datastore clusters", error)
        yield readings(endpoint, "", {"pods": False})
        return
    complete = True
    rows = Rows("storage_pod", endpoint=endpoint.name)
    for facts in read_each(vcenter, _KIND, paths, refs, circuit):
        gaps = list(_add(endpoint, rows, facts, paths))
        complete = complete and not gaps
        yield from gaps
    yield from rows.batch()
    yield readings(endpoint, "", {"pods": complete})


def _add(endpoint: Endpoint, rows: Rows, facts: ObjectProperties | tuple[Ref, EndpointError], paths: Sequence[str]) -> Iterator[Facts]:
    """Add one datastore cluster; yield a gap for each property that could not be read."""
    if isinstance(facts, tuple):
        ref, error = facts
        rows.add(pod_id=ref.value, name=ref.value)
        yield gap(endpoint, f"datastore cluster {ref.value}", error)
        return
    if facts.is_gone:
        return
    values = facts.values
    name = values.get("name") or facts.id
    not_reported = {path: "vCenter does not report it" for path in _NEEDED if path in paths and path not in values}
    yield from gaps_of(endpoint, not_reported | dict(facts.missing), f"datastore cluster {name}")
    config: PodConfig | None = values.get(_CONFIG)
    if config is None:
        rows.add(pod_id=facts.id, name=name)
        return
    balance, automation = config.io_load_balance_config, config.automation_overrides
    # Where no machine has settings of its own, the list of those is unset; that the whole could be read is reported by the settings above.
    overrides = _automated(values.get(_OF_VMS) or ()) if _OF_VMS in paths and _OF_VMS not in facts.missing else None
    levels = {
        "default_behavior": config.default_vm_behavior,
        "space_automation": automation.space_load_balance_automation_mode if automation else None,
        "io_automation": automation.io_load_balance_automation_mode if automation else None,
    }
    for column, level in levels.items():
        if why := unlisted(level, DRS_BEHAVIORS):
            yield gap(endpoint, f"{column} of datastore cluster {name}", why)
            levels[column] = None
            if column != "default_behavior":
                levels["default_behavior"] = None  # a level of its own goes before it, and NULL would be none
    rows.add(
        pod_id=facts.id,
        name=name,
        sdrs_enabled=config.enabled,
        io_metric_enabled=config.io_load_balance_enabled,
        **levels,
        io_latency_threshold_ms=balance.io_latency_threshold if balance else None,
        load_balance_interval_minutes=config.load_balance_interval,
        automated_vms=overrides,
    )


def _automated(settings: Sequence[PodVmConfig]) -> int | None:
    """How many machines an override makes automated; one that Storage DRS is disabled for is not. None where one has another level."""
    levels = [one.behavior for one in settings if one.enabled is not False]
    return None if any(unlisted(level, DRS_BEHAVIORS) for level in levels) else levels.count("automated")
