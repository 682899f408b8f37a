"""The recorded properties of managed objects: an audit asks for other ones, and for other pages of them, than the recording did."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr, unescape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from auditor.model import Exchange

Ref = tuple[str, str]  # type and id

_NOT_RECORDED = "NotSupported"

_SET = re.compile(r"<propSet><name>([^<]*)</name>.*?</propSet>", re.DOTALL)
_MISSING = re.compile(r"<missingSet><path>([^<]*)</path>.*?</missingSet>", re.DOTALL)
_OBJECT = re.compile(r"<objects>(<obj [^>]*>([^<]*)</obj>)(.*?)</objects>", re.DOTALL)
_TYPE = re.compile(r'\btype="([^"]*)"')


class Recorded:
    """What is known of each object: property by property, and which ones were asked for at all."""

    def __init__(self) -> None:
        self.properties: dict[Ref, dict[str, Any]] = defaultdict(dict)
        self.missing: dict[Ref, dict[str, Any]] = defaultdict(dict)
        self.asked: dict[Ref, set[str]] = defaultdict(set)
        self.objects: dict[Ref, Any] = {}

    def among(self, refs: Iterable[Ref], paths: Sequence[str]) -> Iterator[tuple[Any, list[Any], list[Any], list[str]]]:
        """Of each object that is known: itself, its properties, what was missing of it, and paths that the recording did not ask for.

        An object without a recorded property is passed over, as a server does with what the account may not see.
        """
        for ref in refs:
            if ref in self.objects:
                known, missing = self.properties[ref], self.missing[ref]
                unasked = [path for path in paths if path not in self.asked[ref]]
                yield (
                    self.objects[ref],
                    [known[path] for path in paths if path in known],
                    [missing[path] for path in paths if path in missing],
                    unasked,
                )


def from_vijson(exchanges: Iterable[Exchange]) -> Recorded:
    """The answers that came as JSON."""
    recorded = Recorded()
    for one in exchanges:
        if one.path.endswith("RetrievePropertiesEx") and one.status == 200 and one.answer:
            if one.path.endswith("/RetrievePropertiesEx"):
                refs, paths = vijson_request(one.request)
                for ref in refs:
                    recorded.asked[ref].update(paths)
            for content in json.loads(one.answer).get("objects", []):
                ref = (content["obj"]["type"], content["obj"]["value"])
                recorded.objects[ref] = content["obj"]
                recorded.properties[ref].update({prop["name"]: prop for prop in content.get("propSet", [])})
                recorded.missing[ref].update({missing["path"]: missing for missing in content.get("missingSet", [])})
    return recorded


def vijson_request(body: bytes) -> tuple[list[Ref], list[str]]:
    """The objects and paths that a request names."""
    specs = json.loads(body).get("specSet", [])
    refs = [(one["obj"]["type"], one["obj"]["value"]) for spec in specs for one in spec.get("objectSet", [])]
    return refs, [path for spec in specs for one in spec.get("propSet", []) for path in one.get("pathSet", [])]


def vijson_answer(recorded: Recorded, body: bytes) -> bytes:
    """The answer to a request."""
    refs, paths = vijson_request(body)
    objects = []
    for obj, properties, missing, unasked in recorded.among(refs, paths):
        unknown = [
            {
                "_typeName": "MissingProperty",
                "path": path,
                "fault": {"_typeName": "LocalizedMethodFault", "fault": {"_typeName": _NOT_RECORDED}, "localizedMessage": "not recorded"},
            }
            for path in unasked
        ]
        content = {"_typeName": "ObjectContent", "obj": obj, "propSet": properties, "missingSet": [*missing, *unknown]}
        objects.append({name: value for name, value in content.items() if value != []})
    return json.dumps({"_typeName": "RetrieveResult", "objects": objects}).encode() if objects else b""


def from_soap(exchanges: Iterable[Exchange]) -> Recorded:
    """The answers that came as XML."""
    recorded = Recorded()
    for one in exchanges:
        if one.operation in ("RetrievePropertiesEx", "ContinueRetrievePropertiesEx") and one.path == "/sdk" and one.status == 200:
            if one.operation == "RetrievePropertiesEx":
                refs, paths = soap_request(one.request)
                for ref in refs:
                    recorded.asked[ref].update(paths)
            for match in _OBJECT.finditer(one.answer.decode()):
                kind = _TYPE.search(match[1])
                ref = (unescape(kind[1]) if kind else "", unescape(match[2]))
                recorded.objects[ref] = match[1]
                recorded.properties[ref].update({unescape(prop[1]): prop[0] for prop in _SET.finditer(match[3])})
                recorded.missing[ref].update({unescape(gone[1]): gone[0] for gone in _MISSING.finditer(match[3])})
    return recorded


def soap_request(body: bytes) -> tuple[list[Ref], list[str]]:
    """The objects and paths that a request names."""
    text = body.decode("utf-8", "replace")
    refs = []
    for attributes, value in re.findall(r"<obj\b([^>]*)>([^<]*)</obj>", text):
        kind = _TYPE.search(attributes)
        refs.append((unescape(kind[1]) if kind else "", unescape(value)))
    return refs, [unescape(path) for path in re.findall(r"<pathSet\b[^>]*>([^<]*)</pathSet>", text)]


def soap_answer(recorded: Recorded, body: bytes) -> str:
    """What stands within the body of the answer to a request."""
    refs, paths = soap_request(body)
    objects = []
    for obj, properties, missing, unasked in recorded.among(refs, paths):
        unknown = "".join(
            f"<missingSet><path>{escape(path)}</path><fault><fault xsi:type={quoteattr(_NOT_RECORDED)}></fault>"
            "<localizedMessage>not recorded</localizedMessage></fault></missingSet>"
            for path in unasked
        )
        objects.append(f"<objects>{obj}{''.join(properties)}{''.join(missing)}{unknown}</objects>")
    result = f"<returnval>{''.join(objects)}</returnval>" if objects else ""
    return f'<RetrievePropertiesExResponse xmlns="urn:vim25">{result}</RetrievePropertiesExResponse>'
