"""Tables of the fields that a JSON Schema knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from docsite.markdown import code, escaped, table

Schema = Mapping[str, Any]
_HEADS = ("field", "value", "what it is")


def schema_page(title: str, before: str, schema: Schema) -> str:
    """A page with a table of the fields of `schema`, and one for each of its definitions that has fields."""
    parts = [f"# {title}\n\n{before}\n\n", table(_HEADS, _rows(schema, ""))]
    for name, definition in schema.get("$defs", {}).items():
        rows = list(_rows(definition, ""))
        what = escaped(definition.get("description", ""))
        if rows:
            parts += [f"## {_name(name)}\n\n", f"{what}\n\n" if what else "", table(_HEADS, rows)]
        else:
            parts += [f"## {_name(name)}\n\n{_kind(definition)}{f': {what}' if what else ''}\n\n"]
    return "".join(parts)


def _name(definition: str) -> str:
    """Of a definition, without what its class is called for developers."""
    return definition.strip("_").removesuffix("Shape")


def _rows(schema: Schema, path: str) -> Iterator[tuple[str, str, str]]:
    """Of each field in `schema`, and of those in objects and lists that stand within it: path, value, text."""
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        place = f"{path}.{name}" if path else name
        optional = "" if name in required or not required else "; may be absent"
        default = f"; default `{field['default']}`" if field.get("default") not in (None, [], {}, ()) else ""
        yield code(place), f"{_kind(field)}{optional}{default}", escaped(field.get("description", ""))
        yield from _within(field, place)


def _within(field: Schema, place: str) -> Iterator[tuple[str, str, str]]:
    for one in (field, *field.get("anyOf", ()), *field.get("oneOf", ())):
        yield from _rows(one, place) if one is not field or "properties" in one else ()
        if isinstance(one.get("items"), Mapping):
            yield from _rows(one["items"], f"{place}[]")
        if isinstance(one.get("additionalProperties"), Mapping):
            yield from _rows(one["additionalProperties"], f"{place}.*")


def _kind(field: Schema) -> str:
    """What a value of the field is, in a few words."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{_name(name)}](#{_name(name).lower()})"
    if "enum" in field:
        return " \\| ".join(code(_shown(word)) for word in field["enum"])
    if "const" in field:
        return code(_shown(field["const"]))
    choices = [_kind(one) for key in ("anyOf", "oneOf") for one in field.get(key, ()) if one]
    if choices and any(choices):
        return " or ".join(dict.fromkeys(choice for choice in choices if choice))
    kinds = field.get("type", "")
    words = [kinds] if isinstance(kinds, str) else list(kinds)
    if "array" in words and isinstance(field.get("items"), Mapping):
        inner = _kind(field["items"])
        words[words.index("array")] = f"list of {inner}" if inner else "list"
    return " or ".join(words)


def _shown(word: Any) -> str:
    return {None: "null", True: "true", False: "false"}.get(word, str(word)) if not isinstance(word, str) else word
