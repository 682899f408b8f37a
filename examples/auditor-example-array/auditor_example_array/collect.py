"""Reads an Example Array into fact tables; never writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, Record, once, records
from auditor.endpoints.common.topics import batch, read_topics
from auditor.facts.needs import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint, Gap
    from auditor_example_array.client import ExampleArray


def collect_example_array(array: ExampleArray, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of the array, a page at a time, and one row of `reading` for each topic of it."""
    return read_topics(endpoint, needs, {"array": lambda: _array(array, endpoint), "volumes": lambda: _volumes(array, endpoint)})


def _array(array: ExampleArray, endpoint: Endpoint) -> Iterator[Batch | Gap]:
    errors = ParseErrors("GET array")
    about = Record(array.get("array"), "the array", errors)
    row: Row = {
        "family": "example-array",
        "name": about.text("name"),
        "array_id": about.text("serial"),
        "version": about.text("version"),
    }
    yield batch("array", endpoint.name, [row])
    yield from errors.gaps(endpoint.name)


def _volumes(array: ExampleArray, endpoint: Endpoint) -> Iterator[Batch | Gap]:
    errors = ParseErrors("GET volumes")
    seen: set[str] = set()
    for page in array.pages("volumes"):
        rows = [_volume(one) for one in once(records(page, "items", "volume", "id", errors, labelled="name"), "id", seen, errors)]
        if rows:
            yield batch("array_volume", endpoint.name, rows)
    yield from errors.gaps(endpoint.name)


def _volume(volume: Record) -> Row:
    """One row; the array reports 0 where a volume has no ceiling, which is None here, so that no rule takes it for a very low one."""
    limit = volume.number("iops_limit")
    return {
        "volume_id": volume.identifier("id"),
        "name": volume.text("name"),
        "kind": "lun",
        "device": volume.device("naa"),
        "is_virtual": False,
        "status": volume.text("state"),
        "size_bytes": volume.number("size_bytes"),
        "qos_max_iops": limit or None,
        "qos_read": limit is not None,
    }
