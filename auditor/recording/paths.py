"""Masks the path of a request, with its query; what the client itself says in it stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlencode

from auditor.recording.fields import kept_forms
from auditor.recording.masking import Fate

if TYPE_CHECKING:
    from auditor.endpoints.common.kept_forms import KeptForms
    from auditor.model import EndpointKind
    from auditor.recording.masking import Masker

NUMBERED = re.compile(r"(\d{1,10})((?:\.\d{1,12})+)?")
_KEPT_PARAMS = frozenset((
    "class", "counters.name", "destroyed", "fields", "limit", "max_records", "nas.path", "offset", "order", "order_by", "return_timeout",
    "select", "sort", "startRow",
))  # fmt: skip
_SWITCH = re.compile(r"!?null|true|false|\*")
_NUMBERED_PART = re.compile(r"(?<=/)(\d{4,10})((?:\.\d{1,12})+)?(?=/|$)")


def masked_path(kind: EndpointKind, path: str, masker: Masker) -> str:
    """A path with its query; the words of the API stay."""
    where, mark, query = path.partition("?")
    forms = kept_forms(kind)
    if forms.chosen_id and (chosen := forms.chosen_id.fullmatch(where)):
        before, name, after = chosen.groups()
        where = f"{masker.text(before, Fate.PATH)}{quote(masker.text(unquote(name), Fate.NAME), safe='')}{masker.text(after, Fate.PATH)}"
    else:
        where = masker.text(where, Fate.PATH)
    if forms.numbered:
        where = _NUMBERED_PART.sub(lambda match: numbered_id(match, masker), where)
    if not mark:
        return where
    pairs = [(name, _masked_param(name, value, forms, masker)) for name, value in parse_qsl(query, keep_blank_values=True)]
    return f"{where}?{urlencode(pairs)}"


def _masked_param(name: str, value: str, forms: KeptForms, masker: Masker) -> str:
    kept = name in _KEPT_PARAMS or _SWITCH.fullmatch(value) or (forms.constants and forms.constants.fullmatch(value))
    return masker.kept(value) if kept else masker.text(value, Fate.NAME)


def numbered_id(match: re.Match[str], masker: Masker) -> str:
    """The id of an object by `KeptForms.numbered`: the system's serial number, and one within it, which a controller's repeats."""
    return re.sub(r"\d{4,}", lambda number: str(masker.number(int(number[0]))), match[0])
