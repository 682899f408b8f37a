"""Answers that no endpoint should give: each changes the body of a good one. None: it does not concern this body."""

import json
import re
from collections.abc import Callable
from typing import Any

Change = Callable[[bytes], bytes | None]


def _leaves(change: Callable[[Any], Any]) -> Change:
    """Change every value that is neither a list nor an object."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: changed(inner) for name, inner in value.items()}
        return [changed(inner) for inner in value] if isinstance(value, list) else change(value)

    return lambda body: json.dumps(changed(json.loads(body))).encode()


def _numbers(value: Any) -> Change:
    return _leaves(lambda leaf: value if isinstance(leaf, (int, float)) and not isinstance(leaf, bool) else leaf)


def _texts(change: Callable[[str], Any]) -> Change:
    return _leaves(lambda leaf: change(leaf) if isinstance(leaf, str) else leaf)


def _members(change: Callable[[Any], Any]) -> Change:
    """Change what the members of the answer itself hold."""

    def changed(body: bytes) -> bytes | None:
        value = json.loads(body)
        return json.dumps({name: change(inner) for name, inner in value.items()}).encode() if isinstance(value, dict) else None

    return changed


DEPTH = 100_000

NO_JSON: dict[str, Change] = {
    "nothing": lambda _: b"",
    "a page": lambda _: b"<html>please log in</html>",
    "Latin-1": lambda body: body[:-1] + b',"caf\xe9":1}' if body.endswith(b"}") else b'"\xe9"',
    "UTF-16": lambda body: body.decode().encode("utf-16"),
    "cut short": lambda body: body[:-1],
    "twice": lambda body: body + body,
    "lists in lists": lambda _: b"[" * DEPTH + b"]" * DEPTH,
    "objects in objects": lambda _: b'{"a":' * DEPTH + b"1" + b"}" * DEPTH,
    "not a number": lambda _: b'{"result": NaN}',
    "infinity": lambda _: b'{"result": 1e999}',
}
"""What no JSON reader takes."""

OTHER_JSON: dict[str, Change] = {
    "null": lambda _: b"null",
    "a number": lambda _: b"5",
    "a text": lambda _: b'"x"',
    "an empty list": lambda _: b"[]",
    "an empty object": lambda _: b"{}",
    "in a list": lambda body: b"[" + body + b"]",
    "numbers of 100 bits": _numbers(10**30),
    "numbers of 65 bits": _numbers(2**64 + 1),
    "numbers below nought": _numbers(-(2**63)),
    "half numbers": _numbers(0.5),
    "words for numbers": _numbers("many"),
    "nulls": _leaves(lambda _: None),
    "true": _leaves(lambda _: True),
    "lists for values": _leaves(lambda leaf: [leaf]),
    "objects for values": _leaves(lambda leaf: {"x": leaf}),
    "numbers for texts": _texts(lambda _: 7),
    "empty texts": _texts(lambda _: ""),
    "control characters": _texts(lambda text: text + "\x00\x1b[2J"),
    "half of a pair of surrogates": _texts(lambda text: text + "\ud800"),
    "long texts": _texts(lambda _: "x" * 10_000),
    "texts for members": _members(lambda inner: "x" if isinstance(inner, (dict, list)) else inner),
    "numbers in lists": _members(lambda inner: [5 for _ in inner] if isinstance(inner, list) else inner),
    "nulls in lists": _members(lambda inner: [None for _ in inner] if isinstance(inner, list) else inner),
    "texts in objects": _members(lambda inner: dict.fromkeys(inner, "x") if isinstance(inner, dict) else inner),
}
"""What is JSON, and says something else than it should."""


def _between_tags(pattern: bytes, by: bytes) -> Change:
    return lambda body: re.sub(rb">" + pattern + rb"<", lambda match: b">" + match.expand(by) + b"<", body)


NO_XML: dict[str, Change] = {
    "nothing": lambda _: b"",
    "a page": lambda _: b"<html>please log in<br></html>",
    "cut short": lambda body: body[:-1],
    "another encoding than it says": lambda body: body.decode().encode("utf-16-le"),
    "Latin-1": lambda body: body.replace(b"</", b"\xe9</", 1),
    "an encoding that nobody knows": lambda body: b'<?xml version="1.0" encoding="x-nobody"?>' + re.sub(rb"^<\?xml.*?\?>", b"", body),
    "elements in elements": lambda _: b"<a>" * DEPTH + b"</a>" * DEPTH,
    "characters that XML has not": _between_tags(rb"([a-z][^<>]*)", rb"\1&#7;"),
    "an envelope without content": lambda _: (
        b'<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body/></soapenv:Envelope>'
    ),
    "entities of entities": lambda body: (
        b"<!DOCTYPE a ["
        + b"".join(b'<!ENTITY e%d "%s">' % (n + 1, b"&e%d;" % n * 10) for n in range(8))
        + b'<!ENTITY e0 "x">]>'
        + re.sub(rb"^<\?xml.*?\?>", b"", body).replace(b"</", b"&e8;</", 1)
    ),
}
"""What no SOAP client takes."""

OTHER_XML: dict[str, Change] = {
    "numbers of 100 bits": _between_tags(rb"\d+", b"9" * 30),
    "numbers below what there is": _between_tags(rb"\d+", b"-9223372036854775809"),
    "not a number": _between_tags(rb"\d+", b"NaN"),
    "words for numbers": _between_tags(rb"\d+", b"many"),
    "half numbers": _between_tags(rb"(\d+)", rb"\1.5"),
    "no truth": _between_tags(rb"(?:true|false)", b"perhaps"),
    "empty texts": _between_tags(rb"[^<>\s][^<>]*", b""),
    "long texts": _between_tags(rb"[a-z]+", b"x" * 10_000),
    "types that nobody knows": lambda body: re.sub(rb'xsi:type="[^"]*"', b'xsi:type="Nonsense"', body),
    "texts for every type": lambda body: re.sub(rb'xsi:type="[^"]*"', b'xsi:type="xsd:string"', body),
    "no types": lambda body: re.sub(rb' xsi:type="[^"]*"', b"", body),
    "properties without values": lambda body: re.sub(rb"<val[ >].*?</val>", b"", body, flags=re.DOTALL),
    "another name for the result": lambda body: body.replace(b"returnval", b"result"),
    "objects of another kind": lambda body: re.sub(rb'type="(?:HostSystem|Datastore|VirtualMachine)"', b'type="Potato"', body),
    "objects in objects": lambda body: body.replace(b"<objects>", b"<objects><objects>").replace(b"</objects>", b"</objects></objects>"),
    "comments": _between_tags(rb"([a-z]+)", rb"<!-- x -->\1"),
    "sections of characters": _between_tags(rb"([a-z]+)", rb"<![CDATA[\1]]>"),
}
"""What is XML, and says something else than it should, or the same in a way that nobody writes."""
