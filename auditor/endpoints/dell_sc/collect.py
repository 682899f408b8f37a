"""Reads the Storage Centers behind a Dell Storage Manager into fact tables; never writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.alerts import acknowledged, alert_row
from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch, read_topics
from auditor.endpoints.dell_sc import rows
from auditor.endpoints.dell_sc.answers import Attributes
from auditor.endpoints.dell_sc.hosts import array_hosts, connections
from auditor.endpoints.dell_sc.qos import threshold_ms
from auditor.endpoints.dell_sc.reading import Reading
from auditor.endpoints.dell_sc.volumes import volume_load, volumes
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.dell_sc.client import StorageManager
    from auditor.endpoints.dell_sc.reading import Center
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

FAMILY = "dell-sc"


def collect_dell_sc(manager: StorageManager, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of every Storage Center that a Storage Manager reports, and one row of `reading` for each topic.

    One manager may speak for several Storage Centers: all are read, each has its row in `array`, and every id begins with the serial number
    of its own. One that the manager does not reach leaves a gap in every topic; one that refuses a request, in that topic.

    Source: cinder's and CoprHD's clients and two exporters (see `auditor.endpoints.dell_sc.client`); docs/domain/arrays.md#calls.
    """
    reading = Reading(manager, endpoint)
    wanted = needs.properties("array")
    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {
        "array": lambda: reading.each("array", lambda reading, center: _array(reading, center, wanted)),
        "alerts": lambda: reading.each("alerts", alerts),
        "nodes": lambda: reading.each("nodes", _nodes),
        "pools": lambda: reading.each("pools", _pools),
        "qos_policies": lambda: reading.each("qos_policies", _qos_policies),
        "volumes": lambda: reading.each("volumes", volumes),
        "array_hosts": lambda: reading.each("array_hosts", array_hosts),
        "connections": lambda: reading.each("connections", connections),
        "volume_load": lambda: reading.each("volume_load", volume_load),
    }
    yield from read_topics(endpoint, needs, topics)


def _array(reading: Reading, center: Center, wanted: tuple[str, ...]) -> Iterator[Batch | Gap]:
    """One row for each Storage Center; what it does not report by itself is asked for, and may fail."""
    name = reading.endpoint.name
    about = center.about
    row: Row = {
        "family": FAMILY,
        "name": about.text("scName"),
        "array_id": str(center.serial),
        "version": about.text("version"),
        "model": about.optional_text("modelSeries"),  # not recorded; CoprHD's client decodes it
        "latency_threshold_ms": None,
    }
    try:
        row |= _more(reading, center, wanted, row["model"])
    except (CredentialsError, EndpointUnreachableError):
        raise
    except EndpointError as error:
        yield Gap(name, f"model and latency threshold of Storage Center {center.serial}", error.what)
    yield batch("array", name, [row])
    yield from about.parse_errors.gaps(name)


def _more(reading: Reading, center: Center, wanted: tuple[str, ...], model: str | None) -> Row:
    """What takes a request of its own: the model, where the Storage Center does not report it itself, and the latency threshold."""
    threshold = None
    if model is None and "controllers" in wanted:
        models = {str(Attributes(one).get("model") or "") for one in _controllers(reading, center) if isinstance(one, dict)}
        model = models.pop() or None if len(models) == 1 else None
    if "ScConfiguration" in wanted:
        configurations = reading.manager.objects("ScConfiguration", center.serial)
        threshold = threshold_ms(configurations[0]) if len(configurations) == 1 and isinstance(configurations[0], dict) else None
    return {"model": model, "latency_threshold_ms": threshold}


def _nodes(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    parse_errors = ParseErrors("ControllerList")
    listed = reading.once("ScController", _controllers(reading, center), parse_errors)
    yield batch("array_node", reading.endpoint.name, [rows.node_row(one) for one in listed])
    yield from parse_errors.gaps(reading.endpoint.name)


def _pools(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    parse_errors = ParseErrors("ScStorageType/GetList")
    listed = reading.objects("ScStorageType", center, parse_errors)
    yield batch("array_pool", reading.endpoint.name, [rows.pool_row(one) for one in listed])
    yield from parse_errors.gaps(reading.endpoint.name)


def _qos_policies(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    """A release without QoS profiles has none, and is not asked."""
    parse_errors = ParseErrors("ScQosProfile/GetList")
    table_rows = []
    for profile in reading.objects("ScQosProfile", center, parse_errors) if center.has_qos else ():
        row, limits = rows.policy_row(profile, profile.value)
        table_rows.append(row)
        reading.profiles[row["policy_id"]] = limits
    yield batch("array_qos_policy", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)


def _controllers(reading: Reading, center: Center) -> list[Any]:
    """Asked once. Source: an exporter asks StorageCenter/{id}/ControllerList."""
    if center.controllers is None:
        center.controllers = reading.manager.listed(f"StorageCenter/StorageCenter/{center.serial}/ControllerList")
    return center.controllers


_SEVERITY = (None, "warning")
"""No public source has an attribute of an alert's severity; a public monitor takes each that nobody acknowledged for a warning."""


def alerts(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    """One row for each alert.

    Source: jiuka/checkmk_dell_storage, lib/agent.py: GET StorageCenter/StorageCenter/{id}/ActiveAlertList, ScAlert: alertDefinition,
    message, acknowledged. Not recorded, and not verified against a real system.
    """
    parse_errors = ParseErrors("ActiveAlertList")
    listed = reading.manager.listed(f"StorageCenter/StorageCenter/{center.serial}/ActiveAlertList")
    table_rows = []
    for alert in reading.once("ScAlert", listed, parse_errors):
        was_acknowledged = acknowledged(alert, "acknowledged")
        code, message = alert.optional_text("alertDefinition"), alert.optional_text("message")
        is_open = None if was_acknowledged is None else not was_acknowledged
        table_rows.append(alert_row(alert.identifier("instanceId"), _SEVERITY, message, code=code, is_open=is_open))
    yield batch("array_alert", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)
