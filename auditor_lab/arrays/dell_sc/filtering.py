"""The filters of a GetList: which objects of a class are selected.

Source: cinder's PayloadFilter and its use: attribute names are compared without regard to case (scSerialNumber, ScSerialNumber, Name), and
so is text (an initiator recorded in lower case is searched in upper case). Only AND and Equals occur there; the other names, nested
filters, and the treatment of attributes that the class lacks are not verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from auditor_lab.arrays.dell_sc.center import DellScError

Record = Mapping[str, Any]

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "Equals": lambda have, want: bool(have == want),
    "NotEquals": lambda have, want: bool(have != want),
    "Contains": lambda have, want: str(want) in str(have),
    "GreaterThan": lambda have, want: _ordered(have, want) and have > want,
    "LessThan": lambda have, want: _ordered(have, want) and have < want,
}


def chosen(records: Sequence[Record], payload: Any, *, wrapped: bool) -> list[Record]:
    """The records that a GetList's payload selects; an empty one selects all.

    Args:
        records: every object of the class.
        payload: the decoded body.
        wrapped: whether the API's release expects the filter under "filter" (2.2 and later).

    Raises:
        DellScError: the payload is not a filter of that form.
    """
    if not payload:
        return list(records)
    filter_ = payload.get("filter") if wrapped and isinstance(payload, dict) else payload
    if not isinstance(filter_, dict):
        raise DellScError(400, "Invalid filter specified")
    known = {name.lower() for record in records for name in record}
    return [record for record in records if _matches({name.lower(): value for name, value in record.items()}, filter_, known)]


def _matches(record: Record, filter_: Mapping[str, Any], known: set[str]) -> bool:
    kind = filter_.get("filterType")
    if kind in ("AND", "OR"):
        within = filter_.get("filters", [])
        if not isinstance(within, list) or not all(isinstance(one, dict) for one in within):
            raise DellScError(400, "Invalid filter specified")
        # A list, not a generator, so that every filter is checked whatever the earlier ones return.
        results = [_matches(record, one, known) for one in within]
        return all(results) if kind == "AND" else any(results)
    compare = _COMPARISONS.get(str(kind))
    if compare is None:
        raise DellScError(400, f"Invalid filter type {kind}")
    name = str(filter_.get("attributeName", "")).lower()
    if name not in known:
        raise DellScError(400, f"Invalid filter attribute {filter_.get('attributeName')}")
    return compare(_plain(record.get(name)), _plain(filter_.get("attributeValue")))


def _plain(value: Any) -> Any:
    """A value for comparison: a reference by its id, text without regard to case."""
    if isinstance(value, Mapping):
        value = value.get("instanceId")
    return value.lower() if isinstance(value, str) else value


def _ordered(have: Any, want: Any) -> bool:
    return type(have) in (int, float) and type(want) in (int, float)
