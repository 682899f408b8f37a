"""Masks the path of a request, with its query; what the client itself says in it stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlencode

from auditor.model import EndpointKind
from auditor.recording.masking import Fate

if TYPE_CHECKING:
    from auditor.recording.masking import Masker

OF_CENTER = re.compile(r"(\d{1,10})((?:\.\d{1,12})+)?")
_KEPT_PARAMS = frozenset(
    (
        "fields",
        "limit",
        "max_records",
        "return_timeout",
        "counters.name",
        "class",
        "order_by",
        "sort",
        "destroyed",
        "nas.path",
        "offset",
        "startRow",
        "select",
        "order",
    )
)
CONSTANT = re.compile(
    r"!?null|true|false|raid\.[a-z.]+|\*|vasa-integration\.purestorage\.com|(?:key=')?PURE_VVOL_ID'?|subtype='[a-z_]+'|state='[a-z_]+'"
    r"|(?:not\.)?eq\.(?:Snapshot|Node|ACTIVE|QoS)"
)
_SYSTEM = re.compile(r"(.*/storage-systems/)([^/]+)(.*)")
_CENTER_ID = re.compile(r"(?<=/)(\d{4,10})((?:\.\d{1,12})+)?(?=/|$)")


def masked_path(kind: EndpointKind, path: str, masker: Masker) -> str:
    """A path with its query; the words of the API stay."""
    where, mark, query = path.partition("?")
    if kind is EndpointKind.ESERIES and (system := _SYSTEM.fullmatch(where)):
        # A person chose the id of a system behind a proxy; its list of systems has the same one.
        before, name, after = system.groups()
        where = f"{masker.text(before, Fate.PATH)}{quote(masker.text(unquote(name), Fate.NAME), safe='')}{masker.text(after, Fate.PATH)}"
    else:
        where = masker.text(where, Fate.PATH)
    if kind is EndpointKind.DELL_SC:
        where = _CENTER_ID.sub(lambda match: of_center(match, masker), where)
    if not mark:
        return where
    pairs = [(name, _masked_param(name, value, masker)) for name, value in parse_qsl(query, keep_blank_values=True)]
    return f"{where}?{urlencode(pairs)}"


def _masked_param(name: str, value: str, masker: Masker) -> str:
    kept = name in _KEPT_PARAMS or CONSTANT.fullmatch(value)
    return masker.kept(value) if kept else masker.text(value, Fate.NAME)


def of_center(match: re.Match[str], masker: Masker) -> str:
    """The id of an object of a Dell Storage Center: the center's serial number, and one within it, which a controller's repeats."""
    return re.sub(r"\d{4,}", lambda number: str(masker.number(int(number[0]))), match[0])
