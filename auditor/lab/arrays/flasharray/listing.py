"""GET and PATCH of a resource: narrowing down, sorting, pages, totals.

Source: parameter texts of the vendor's Python client for REST 2.15 (limit, continuation_token, total_item_count, sort with "-" appended for
descending). That a name which is not there fails the whole request with "does not exist" is how OpenStack cinder's driver takes it.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auditor.lab.arrays.flasharray.array import FlashArrayError
from auditor.lab.arrays.flasharray.filters import parse, value_at

if TYPE_CHECKING:
    from auditor.lab.arrays.flasharray.array import FlashArray
    from auditor.lab.arrays.flasharray.resources import Resource

_COMMON = frozenset({"continuation_token", "filter", "limit", "offset", "sort", "total_item_count"})
_ADDED = ("per_sec", "provisioned", "total_physical", "snapshots", "unique", "virtual", "footprint", "effective", "replication", "shared")
"""How the names of amounts end: in `total` they are added up, everything else is null. Source: the recorded `total` of volumes."""


def listed(state: FlashArray, name: str, resource: Resource, query: Mapping[str, str]) -> dict[str, Any]:
    """The answer to GET.

    Raises:
        FlashArrayError: a parameter is not understood, or names what is not there.
    """
    known = _COMMON | set(resource.selectors)
    known |= {"total_only"} if resource.totals else set()
    known |= {"destroyed"} if resource.destroyable else set()
    for parameter in query:
        if parameter not in known:
            raise FlashArrayError("Invalid parameter.", parameter)
    things = selected(state, resource, query)
    if _flag(query, "destroyed"):
        things = ()
    found = _Found(state, resource, things, query)
    limit = min(_number(query, "limit", state.description.page_limit), state.description.page_limit)
    begin = _begin(name, query)
    page, rest = found.page(begin, begin + limit), 0 < limit < found.count - begin
    answer: dict[str, Any] = {
        "continuation_token": _token(name, query, begin + limit) if rest else None,
        "items": page,
        "more_items_remaining": rest,
        "total_item_count": found.count if limit == 0 or _flag(query, "total_item_count") else None,
    }
    if resource.totals:
        about = json.dumps(_about(name, query))
        if about not in state.totals:  # nothing that is added up can be written
            state.totals[about] = _total(found.page(0, found.count))
        answer["total"] = state.totals[about]
        if _flag(query, "total_only"):
            answer |= {"items": [], "continuation_token": None, "more_items_remaining": False}
    return answer


def changed(state: FlashArray, resource: Resource, query: Mapping[str, str], body: Any) -> dict[str, Any]:
    """The answer to PATCH; several things are changed all or, when one refuses, none (that it is so is not verified).

    Raises:
        FlashArrayError: nothing is named, or something is refused.
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


def selected(state: FlashArray, resource: Resource, query: Mapping[str, str]) -> Sequence[Any]:
    """The things that the parameters name, in the resource's order.

    Raises:
        FlashArrayError: one of them is not there, or the same is asked by name and by id.
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


class _Found:
    """REST objects of a query, made when a page needs them: an array of many connections is not written out for one page of it."""

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


def _total(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One object with what can be added up, null elsewhere. The means of a recorded `total` are null here: how they weigh is not known."""

    def merged(values: Sequence[Any], name: str) -> Any:
        if isinstance(values[0], Mapping):
            return {key: merged([value[key] for value in values], key) for key in values[0]}
        numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
        return sum(numbers) if name.endswith(_ADDED) and numbers else None

    return [{"id": None, **merged(found, "")}] if found else []  # hosts have no id, the recorded total of hosts has


def _begin(name: str, query: Mapping[str, str]) -> int:
    token = query.get("continuation_token", "").strip("'\"")  # the vendor's Python client sends it in quotes
    if not token:
        return _number(query, "offset", 0)
    try:
        told = json.loads(base64.b64decode(token, validate=True))
    except (binascii.Error, ValueError):
        told = None
    if not isinstance(told, list) or told[:-1] != _about(name, query):
        raise FlashArrayError("Invalid continuation token.", "continuation_token")
    return int(told[-1])


def _token(name: str, query: Mapping[str, str], at: int) -> str:
    return base64.b64encode(json.dumps([*_about(name, query), at]).encode()).decode()


def _about(name: str, query: Mapping[str, str]) -> list[Any]:
    """What a token belongs to: the same question, whatever the size of its pages."""
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
