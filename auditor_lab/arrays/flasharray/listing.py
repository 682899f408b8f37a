"""GET and PATCH of a resource: selecting, sorting, paging and totals.

Source: parameter texts of the vendor's Python client for REST 2.15 (limit, continuation_token, total_item_count, sort with "-" appended for
descending). That an unknown name fails the whole request with "does not exist" is what OpenStack cinder's driver expects.
"""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.flasharray import history
from auditor_lab.arrays.flasharray.array import FlashArrayError
from auditor_lab.arrays.flasharray.filters import parse, value_at

if TYPE_CHECKING:
    from auditor_lab.arrays.flasharray.array import FlashArray
    from auditor_lab.arrays.flasharray.resources import Resource

_COMMON = frozenset({"continuation_token", "filter", "limit", "offset", "sort", "total_item_count"})
_ADDED = ("per_sec", "provisioned", "total_physical", "snapshots", "unique", "virtual", "footprint", "effective", "replication", "shared")
"""The endings of names of amounts: `total` has their sums, and null for every other field. Source: the recorded `total` of volumes."""


def listed(state: FlashArray, name: str, resource: Resource, query: Mapping[str, str]) -> dict[str, Any]:
    """The answer to GET.

    Raises:
        FlashArrayError: a parameter is malformed, or names an object that does not exist.
    """
    _refuse_unknown(name, resource, query)
    things = selected(state, resource, query)
    if resource.destroyable and _flag(query, "destroyed"):
        # The vendor's Ansible modules take an answer without an error for "there is a destroyed one of this name".
        for parameter in ("names", "ids"):
            if parameter in query:
                raise FlashArrayError(f"{resource.selectors[parameter].kind} does not exist.", query[parameter])
        things = ()
    if "resource_destroyed" in query and _flag(query, "resource_destroyed"):
        things = ()
    if history.PARAMETERS & query.keys():
        return _past(state, name, resource, things, query)
    objects = _Selection(state, resource, things, query)
    limit = min(_number(query, "limit", state.description.page_limit), state.description.page_limit)
    begin = _begin(name, query)
    page, rest = objects.page(begin, begin + limit), 0 < limit < objects.count - begin
    answer: dict[str, Any] = {
        "continuation_token": _token(name, query, begin + limit) if rest else None,
        "items": page,
        "more_items_remaining": rest,
        "total_item_count": objects.count if limit == 0 or _flag(query, "total_item_count") else None,
    }
    if resource.totals:
        about = json.dumps(_about(name, query))
        if about not in state.totals:  # a write changes no field that is summed
            state.totals[about] = _total(objects.page(0, objects.count))
        answer["total"] = state.totals[about]
        if _flag(query, "total_only"):
            answer |= {"items": [], "continuation_token": None, "more_items_remaining": False}
    return answer


def _refuse_unknown(name: str, resource: Resource, query: Mapping[str, str]) -> None:
    """Refuse a parameter that the resource does not have."""
    known = _COMMON | set(resource.selectors)
    known |= {"total_only"} if resource.totals else set()
    known |= {"destroyed"} if resource.destroyable else set()
    known |= set(resource.accepted)
    known |= history.PARAMETERS if name in history.RESOURCES else set()
    for parameter in query:
        if parameter not in known:
            raise FlashArrayError("Invalid parameter.", parameter)


def _past(state: FlashArray, name: str, resource: Resource, things: Sequence[Any], query: Mapping[str, str]) -> dict[str, Any]:
    """A page of samples."""
    made = history.samples(state, name, resource, things, query, time.time())
    begin, limit = _begin(name, query), min(_number(query, "limit", state.description.page_limit), state.description.page_limit)
    rest = begin + limit < len(made)
    token = _token(name, query, begin + limit) if rest else None
    return {"continuation_token": token, "items": made[begin : begin + limit], "more_items_remaining": rest, "total_item_count": None}


def changed(state: FlashArray, resource: Resource, query: Mapping[str, str], body: Any) -> dict[str, Any]:
    """The answer to PATCH; when one object refuses, none is changed (not verified).

    Raises:
        FlashArrayError: no object is named, or a change is refused.
    """
    if resource.change is None:
        raise FlashArrayError("The lab does not change this.", status=404)
    if not set(query) & {"names", "ids"} or not set(query) <= set(resource.selectors):
        raise FlashArrayError("Exactly names or ids must be given.")
    if not isinstance(body, dict):
        raise FlashArrayError("The request body is not a JSON object.")
    things = selected(state, resource, query)
    for carry_out in [resource.change(state, thing, body) for thing in things]:
        carry_out()
    return {"items": [resource.record(state, thing) for thing in things]}


def created(state: FlashArray, resource: Resource, query: Mapping[str, str], body: Any) -> dict[str, Any]:
    """The answer to POST; when one name is refused, nothing is made (not verified).

    Raises:
        FlashArrayError: no name is given, or one is refused.
    """
    if resource.create is None:
        raise FlashArrayError("The lab does not make this.", status=404)
    if not query.get("names") or not isinstance(body, dict):
        raise FlashArrayError("Names and a JSON object must be given.")
    names = query["names"].split(",")
    for carry_out in [resource.create(state, name, body) for name in names]:
        carry_out()
    return {"items": [resource.record(state, thing) for thing in selected(state, resource, {"names": query["names"]})]}


def selected(state: FlashArray, resource: Resource, query: Mapping[str, str]) -> Sequence[Any]:
    """The objects that the parameters name, in the resource's order.

    Raises:
        FlashArrayError: one of them does not exist, or it is named both by name and by id.
    """
    if {"names", "ids"} <= set(query):
        raise FlashArrayError("Names and ids exclude each other.")
    things = resource.things(state)
    for parameter, selector in resource.selectors.items():
        if parameter in query:
            wanted = set(query[parameter].split(","))
            lost = sorted(wanted - set(selector.known(state)))
            if lost:
                raise FlashArrayError(f"{selector.kind} does not exist.", lost[0])
            things = [thing for thing in things if selector.of(thing) in wanted]
    return things


class _Selection:
    """The REST objects that a query selects, made page by page, so that one page of many connections stays cheap."""

    def __init__(self, state: FlashArray, resource: Resource, things: Sequence[Any], query: Mapping[str, str]) -> None:
        self._state, self._resource, self._things = state, resource, things
        self._made: list[dict[str, Any]] | None = None
        if "filter" in query or "sort" in query:
            holds = parse(query["filter"]) if "filter" in query else bool
            self._made = [record for record in self.page(0, len(things)) if holds(record)]
            for key in reversed(query["sort"].split(",") if "sort" in query else []):
                self._sort(key)

    @property
    def count(self) -> int:
        return len(self._things if self._made is None else self._made)

    def page(self, begin: int, end: int) -> list[dict[str, Any]]:
        if self._made is not None:
            return self._made[begin:end]
        return [self._resource.record(self._state, thing) for thing in self._things[begin:end]]

    def _sort(self, key: str) -> None:
        def order(record: Mapping[str, Any]) -> tuple[bool, str, Any]:
            value = value_at(record, key.removesuffix("-"))
            if isinstance(value, (dict, list)):
                value = json.dumps(value)
            return (value is None, "text" if isinstance(value, str) else "number", 0 if value is None else value)

        if self._made is not None:
            self._made.sort(key=order, reverse=key.endswith("-"))


def _total(objects: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One object with the sums of amounts, null elsewhere. Means are null here: how a real array weighs them is not known."""

    def merged(values: Sequence[Any], name: str) -> Any:
        if isinstance(values[0], Mapping):
            return {key: merged([value[key] for value in values], key) for key in values[0]}
        numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
        return sum(numbers) if name.endswith(_ADDED) and numbers else None

    return [{"id": None, **merged(objects, "")}] if objects else []  # hosts have no id, yet the recorded total of hosts has one


def _begin(name: str, query: Mapping[str, str]) -> int:
    token = query.get("continuation_token", "").strip("'\"")  # the vendor's Python client sends it in quotes
    if not token:
        return _number(query, "offset", 0)
    try:
        fields = json.loads(base64.b64decode(token, validate=True))
    except (binascii.Error, ValueError):
        fields = None
    if not isinstance(fields, list) or fields[:-1] != _about(name, query):
        raise FlashArrayError("Invalid continuation token.", "continuation_token")
    return int(fields[-1])


def _token(name: str, query: Mapping[str, str], at: int) -> str:
    return base64.b64encode(json.dumps([*_about(name, query), at]).encode()).decode()


def _about(name: str, query: Mapping[str, str]) -> list[Any]:
    """The query that a continuation token belongs to, whatever the size of its pages."""
    aside = ("continuation_token", "limit", "offset", "total_item_count")
    return [name, [[key, value] for key, value in sorted(query.items()) if key not in aside]]


def _number(query: Mapping[str, str], parameter: str, otherwise: int) -> int:
    text = query.get(parameter)
    if text is None:
        return otherwise
    if not (text.isascii() and text.isdigit()):
        raise FlashArrayError("Invalid value.", parameter)
    return int(text)


def _flag(query: Mapping[str, str], parameter: str) -> bool:
    text = query.get(parameter, "false").lower()
    if text not in ("true", "false"):
        raise FlashArrayError("Invalid value.", parameter)
    return text == "true"
