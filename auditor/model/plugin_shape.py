"""What a plugin's TYPE must be made of, field by field: Python checks no types, and a wrong one would be met far from the plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from auditor.model.endpoint_type import EndpointType, Family, Roles
from auditor.model.settings import Setting

_Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_place(value: Any) -> bool:
    """Whether it is "module:name" in the plugin's own package."""
    module, colon, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    return bool(colon) and name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def _is_place_or_empty(value: Any) -> bool:
    return value == "" or _is_place(value)


def _tuple_of(check: _Check) -> _Check:
    """A tuple, and not a text: ("naa") without its comma is one, and each of its letters would be a pattern."""
    return lambda value: isinstance(value, tuple) and all(map(check, value))


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_is_text, value))


def _mapping_of(check: _Check) -> _Check:
    return lambda value: isinstance(value, Mapping) and all(map(_is_text, value)) and all(map(check, value.values()))


def _is_setting(value: Any) -> bool:
    return (
        isinstance(value, Setting)
        and _is_place(value.place)
        and _is_place_or_empty(value.commands)
        and _is_text(value.unit)
        and _mapping_of(_is_text)(value.units)
        and isinstance(value.no_limit, tuple)
    )


def _is_roles(value: Any) -> bool:
    return (
        isinstance(value, Roles)
        and all(isinstance(one, frozenset) and all(map(_is_text, one)) for one in (value.read, value.write))
        and _is_text(value.source)
    )


_TEXT, _PLACE = (_is_text, "a text"), (_is_place_or_empty, 'a text as "module:name"')
_FIELDS: Mapping[str, tuple[_Check, str]] = {
    "opener": (_is_place, 'a text as "module:name"'),
    "collector": (_is_place, 'a text as "module:name"'),
    "topics": (_tuple_of(_is_text), "a tuple of texts"),
    "asked_by": (_mapping_of(_is_text), "a mapping of topics to topics"),
    "settings": (_mapping_of(_is_setting), "a mapping of names to Setting"),
    "family": (lambda value: value is None or isinstance(value, Family), "a Family"),
    "roles": (_is_roles, "Roles of frozensets"),
    "protocol": (lambda value: value in ("https", "ssh"), "https or ssh"),
    "login": (lambda value: value in ("password", "api_token"), "password or api_token"),
    "health": _PLACE,
    "culprits": _PLACE,
    "tuned_by": (_tuple_of(_is_pair), "a tuple of pairs of texts"),
    "kept_fields": _PLACE,
    "kept_forms": _PLACE,
    "kept_lines": _PLACE,
    "rules": _TEXT,
    "views": _TEXT,
}
_OF_FAMILY: Mapping[str, tuple[_Check, str]] = {
    "name": _TEXT,
    "label": _TEXT,
    "inquiries": (_tuple_of(_is_pair), "a tuple of pairs of texts"),
    "names": (_tuple_of(_is_text), "a tuple of texts"),
    "sources": (_tuple_of(_is_text), "a tuple of texts"),
    "array_digits": (lambda value: value is None or type(value) is int, "a number"),
}


def wrong_fields(one: EndpointType) -> Iterator[str]:
    """What is of another type than `EndpointType` and `Family` say, in words that follow the name of the package."""
    yield from _wrong("TYPE", one, _FIELDS)
    if isinstance(one.family, Family):
        yield from _wrong("family", one.family, _OF_FAMILY)


def _wrong(what: str, holder: Any, fields: Mapping[str, tuple[_Check, str]]) -> Iterator[str]:
    for name, (is_fit, form) in fields.items():
        value = getattr(holder, name)
        if not is_fit(value):
            yield f"has a {what} whose {name} is not {form}: {str(value)[:80]!r}"
