"""Reads the load of an Element cluster's volumes: now, and since their counters began."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, once, records
from auditor.endpoints.common.topics import batch
from auditor.endpoints.element import rows
from auditor.errors import NotThereError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.element.client import ElementArray
    from auditor.facts.schema import Batch
    from auditor.model import Gap

# records asked for at once; a cluster answers at most 10,000 volumes, and says nothing about the rest (docs/domain/arrays.md#element)
PAGE = 1000
_HISTOGRAMS = 250  # volumes asked for at once: each has some forty counters


def volume_load(array: ElementArray, endpoint: str, active: Collection[str], *, whole: bool) -> Iterator[Batch | Gap]:
    """Rows of array_volume_load: all volumes at once, and once more by id those that the answer left out.

    `active` are the ids of the volumes that have a load, `whole` whether they are known to be all.
    """
    parse_errors = ParseErrors("ListVolumeStats")
    seen: set[str] = set()

    def load_rows(answer: dict[str, Any]) -> Iterator[Batch]:
        listed = records(answer, "volumeStats", "volume", "volumeID", parse_errors)
        return in_pages("array_volume_load", endpoint, map(rows.load_row, once(listed, "volumeID", seen, parse_errors)))

    yield from load_rows(array.call("ListVolumeStats", includeVirtualVolumes=True))
    for ids in _pages_of(set(active) - seen, PAGE):
        yield from load_rows(array.call("ListVolumeStats", volumeIDs=ids))
    yield from _missed(endpoint, set(active) - seen, parse_errors, whole=whole)


def volume_histograms(array: ElementArray, endpoint: str, active: Collection[str], *, whole: bool) -> Iterator[Batch | Gap]:
    """Rows of array_volume_histogram, asked for by the ids of the volumes, a few at a time; arguments as in `volume_load`.

    A volume that is deleted meanwhile makes the cluster refuse the whole request; it is then asked in halves.

    Source: API reference, ListVolumeQoSHistograms; recorded answer. Whether the volumes behind vVols have histograms is not verified
    against a real system; one without is reported as a parse error.
    """
    parse_errors = ParseErrors("ListVolumeQoSHistograms")
    seen: set[str] = set()
    asking = _pages_of(active, _HISTOGRAMS)[::-1]
    while asking:
        ids = asking.pop()
        try:
            answer = array.call("ListVolumeQoSHistograms", volumeIDs=ids)
        except NotThereError as error:
            if "xVolumeIDDoesNotExist" not in error.what:
                raise
            half = len(ids) // 2
            asking += [part for part in (ids[half:], ids[:half]) if half]
            continue
        listed = records(answer, "qosHistograms", "volume", "volumeID", parse_errors)
        table_rows = (row for volume in once(listed, "volumeID", seen, parse_errors) for row in rows.histogram_rows(volume))
        yield from in_pages("array_volume_histogram", endpoint, table_rows)
    yield from _missed(endpoint, set(active) - seen, parse_errors, whole=whole)


def in_pages(table: str, endpoint: str, table_rows: Iterable[Row]) -> Iterator[Batch]:
    """Rows as batches of at most `PAGE`."""
    page: list[Row] = []
    for row in table_rows:
        page.append(row)
        if len(page) == PAGE:
            yield batch(table, endpoint, page)
            page = []
    yield batch(table, endpoint, page)


def _pages_of(volumes: Collection[str], size: int) -> list[list[int]]:
    """Ids as the cluster counts them, so many to a request."""
    numbers = sorted(map(int, volumes))
    return [numbers[first : first + size] for first in range(0, len(numbers), size)]


def _missed(endpoint: str, volumes: Collection[str], parse_errors: ParseErrors, *, whole: bool) -> Iterator[Gap]:
    for volume_id in sorted(volumes, key=int):
        parse_errors.add("the record", f"volume {volume_id}", "was not in the answer")
    if not whole:
        parse_errors.add("completeness", "the answer", "is not known, since the volumes were not all read")
    yield from parse_errors.gaps(endpoint)
