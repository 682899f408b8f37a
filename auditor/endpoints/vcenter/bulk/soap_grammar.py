"""The three properties that are nearly all of a page, as regular expressions in the order of the schema.

A text is taken only when it matches from its first character to its last: every tag in it is spelt out below, and closed, so nothing was
passed over but what the shapes have no field for. For anything else None is returned, and the parser has it. The order of
elements is fixed by the xsd:sequence of each type. Source: vSphere Web Services API, vim-types.xsd (ScsiLun, HostScsiDisk,
HostMultipathInfo, OptionValue).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from auditor.endpoints.vcenter.bulk.shapes import (
    Capacity,
    LogicalUnit,
    MultipathInfo,
    OptionValue,
    Path,
    Policy,
    ScsiLun,
    Shape,
    Transport,
)

_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_NUMBERED = ("9", "x9", "10", "xA", "13", "xD", "34", "x22", "39", "x27", "38", "x26", "60", "x3C", "62", "x3E")
_ESCAPES = {
    **{f"&{name};": text for name, text in _ENTITIES.items()},
    **{f"&#{number};": chr(int(f"0{number}" if number.startswith("x") else number, 0)) for number in _NUMBERED},
}
_ESCAPE = re.compile("&[^;]*;")

# Text as encoders write it: a mark of XML is always an entity, one of those above; other control characters, and the carriage return,
# which a parser would change, are the parser's business. What ends in + gives nothing back, so that what does not match fails at once.
_PLAIN = r"[^<>&\x00-\x08\x0b-\x1f]*+"
TEXT = rf"{_PLAIN}(?:(?:{'|'.join(_ESCAPES)}){_PLAIN})*+"
_UNREAD = "[^<]*+"
"""Text that goes nowhere: all that is asked of it is to hold no tag."""

NAME = "[A-Za-z_][A-Za-z0-9_]*+"
_NUMBER = "-?[0-9]{1,19}+"
_TYPE = rf'(?: xsi:type="({NAME})")?+'


def unescaped(text: str) -> str:
    """`text`, which matched TEXT, as it was meant."""
    return _ESCAPE.sub(lambda match: _ESCAPES[match[0]], text) if "&" in text else text


def _maybe(name: str, content: str) -> str:
    return rf"(?:<{name}>{content}</{name}>)?+"


def _kept(*names: str) -> str:
    return "".join(_maybe(name, rf"({TEXT})") for name in names)


def _left(*names: str) -> str:
    return "".join(_maybe(name, _UNREAD) for name in names)


def _others(shape: type[Shape], mark: str) -> str:
    """Any elements that `shape` has no field for, with one level of parts: what a newer API added, or what is read by nobody."""
    fields = "|".join(one.encode_name for one in msgspec.structs.fields(shape))
    leaf = rf"<(?P<{mark}1>{NAME})>{_UNREAD}</(?P={mark}1)>"
    attribute = rf'(?: xsi:type="{NAME}")?+'
    return rf"(?:<(?=[A-Za-z_])(?!(?:{fields})[ >])(?P<{mark}0>{NAME}){attribute}>{_UNREAD}(?:{leaf})*+</(?P={mark}0)>)*+"


_DURABLE = rf"{_left('namespace', 'namespaceId')}(?:<data>-?[0-9]++</data>)*+"
_LUN = re.compile(
    rf"<ScsiLun{_TYPE}>{_kept('deviceName')}{_left('deviceType')}{_kept('key')}{_left('uuid')}"
    rf"(?:<descriptor>{_left('quality', 'id')}</descriptor>)*+"
    rf"{_kept('canonicalName', 'displayName', 'lunType', 'vendor', 'model', 'revision')}{_left('scsiLevel', 'serialNumber')}"
    rf"(?:<durableName>{_DURABLE}</durableName>)?+(?:<alternateName>{_DURABLE}</alternateName>)*+"
    rf"(?:<standardInquiry>-?[0-9]++</standardInquiry>)*+{_maybe('queueDepth', f'({_NUMBER})')}"
    rf"(?P<states>(?:<operationalState>{TEXT}</operationalState>)*+)"
    rf"{_maybe('capabilities', _left('updateDisplayNameSupported'))}{_kept('vStorageSupport')}"
    rf"{_maybe('protocolEndpoint', '(true|false)')}{_maybe('perenniallyReserved', '(true|false)')}"
    rf"{_left('clusteredVmdkSupported', 'applicationProtocol')}{_others(ScsiLun, 'a')}"
    rf"{_maybe('capacity', f'<blockSize>(?P<block_size>{_NUMBER})</blockSize><block>({_NUMBER})</block>')}{_left('devicePath')}"
    rf"{_maybe('ssd', '(true|false)')}{_maybe('localDisk', '(true|false)')}{_others(ScsiLun, 'b')}</ScsiLun>|(.)",
    re.DOTALL,
)
_SIZES = slice(_LUN.groupindex["block_size"] - 1, _LUN.groupindex["block_size"] + 3)

_MULTIPATH = re.compile(
    rf"<path>{_left('key')}{_kept('name', 'pathState', 'state')}{_maybe('isWorkingPath', '(true|false)')}{_kept('adapter')}{_left('lun')}"
    rf"(?:(<transport){_TYPE}>{_kept('iScsiName')}{_left('iScsiAlias')}(?:<address>{_UNREAD}</address>)*+"
    rf"{_maybe('portWorldWideName', f'({_NUMBER})')}{_left('nodeWorldWideName')}{_others(Transport, 'a')}</transport>)?+"
    rf"{_others(Path, 'b')}(?P<path></path>)"
    rf"|<lun>{_left('key')}{_maybe('id', f'(?P<id>{TEXT})')}{_maybe('lun', f'(?P<lun>{TEXT})')}(?P<unit>)"
    rf"|(?:(?P<policy><policy){_TYPE}>{_kept('policy')}{_others(Policy, 'c')}</policy>)?+"
    rf"(?:(?P<array><storageArrayTypePolicy){_TYPE}>{_kept('policy')}{_others(Policy, 'd')}</storageArrayTypePolicy>)?+"
    rf"{_others(LogicalUnit, 'e')}(?P<end></lun>)|(.)",
    re.DOTALL,
)
_GROUPS = _MULTIPATH.groupindex
_PATH, _UNIT, _END, _POLICY, _ARRAY = (_GROUPS[name] for name in ("path", "unit", "end", "policy", "array"))
_OF_PATH = tuple(range(1, 10))
_OF_UNIT = _GROUPS["id"], _GROUPS["lun"]
_OF_END = _POLICY, _POLICY + 1, _POLICY + 2, _ARRAY, _ARRAY + 1, _ARRAY + 2

_OPTION = re.compile(
    rf"<OptionValue{_TYPE}><key>({TEXT})</key><value xsi:type=\"xsd:"
    rf"(?:(?:long|int|short|byte)\">({_NUMBER})|string\">({TEXT})|boolean\">(true|false))</value></OptionValue>|(.)",
    re.DOTALL,
)
_BOOLEANS = {None: None, "true": True, "false": False}
_STATE = re.compile("<operationalState>([^<]*)<")


def scsi_luns(text: str, start: int, end: int, _kind: str) -> list[ScsiLun] | None:
    """ArrayOfScsiLun: what stands between the tags of `val`."""
    escaped = text.find("&", start, end) >= 0
    states: dict[str, list[str]] = {}  # nearly always the same one
    luns = []
    for match in _LUN.finditer(text, start, end):
        if match.lastindex == _LUN.groups:
            return None
        fields = match.groups()
        raw_states = match["states"]
        if escaped:
            fields = _all_unescaped(fields)
        (
            kind,
            device_name,
            key,
            canonical_name,
            display_name,
            lun_type,
            vendor,
            model,
            revision,
            queue_depth,
            _,
            support,
            endpoint,
            reserved,
        ) = fields[:14]
        block_size, block, ssd, local = fields[_SIZES]
        state = states.get(raw_states)
        if state is None:
            state = states[raw_states] = [unescaped(one) for one in _STATE.findall(raw_states)]
        luns.append(
            ScsiLun(
                kind or "",
                key,
                device_name,
                canonical_name,
                display_name,
                lun_type,
                vendor,
                model,
                revision,
                None if queue_depth is None else int(queue_depth),
                state,
                support,
                _BOOLEANS[endpoint],
                _BOOLEANS[reserved],
                None if block is None else Capacity("", int(block_size), int(block)),
                _BOOLEANS[ssd],
                _BOOLEANS[local],
            )
        )
    return luns


def multipath_info(text: str, start: int, end: int, kind: str) -> MultipathInfo | None:
    """HostMultipathInfo: units, each opened, then its paths, then its policies and its end."""
    escaped = text.find("&", start, end) >= 0
    units: list[LogicalUnit] = []
    paths: list[Path] | None = None  # of the unit that is open
    unit_id = lun = None
    for match in _MULTIPATH.finditer(text, start, end):
        fields: Sequence[Any]
        which = match.lastindex
        if which == _PATH and paths is not None:
            fields = match.group(*_OF_PATH)
            if escaped:
                fields = _all_unescaped(fields)
            name, path_state, state, is_working, adapter, transport, type_name, iscsi_name, wwn = fields
            by = None if transport is None else Transport(type_name or "", iscsi_name, None if wwn is None else int(wwn))
            paths.append(Path("", name, path_state, state, _BOOLEANS[is_working], adapter, by))
        elif which == _UNIT and paths is None:
            paths = []
            fields = match.group(*_OF_UNIT)
            unit_id, lun = _all_unescaped(fields) if escaped else fields
        elif which == _END and paths is not None:
            fields = match.group(*_OF_END)
            if escaped:
                fields = _all_unescaped(fields)
            policy, policy_type, policy_name, array, array_type, array_name = fields
            units.append(
                LogicalUnit(
                    "",
                    unit_id,
                    lun,
                    paths,
                    None if policy is None else Policy(policy_type or "", policy_name),
                    None if array is None else Policy(array_type or "", array_name),
                )
            )
            paths = None
        else:
            return None
    return None if paths is not None else MultipathInfo(kind, units)


def options(text: str, start: int, end: int, _kind: str) -> list[OptionValue] | None:
    """ArrayOfOptionValue, of the types that options have."""
    escaped = text.find("&", start, end) >= 0
    options_read = []
    for match in _OPTION.finditer(text, start, end):
        kind, key, number, string, boolean, bad = match.groups()
        if bad is not None:
            return None
        if escaped:
            key, string = _all_unescaped((key, string))
        value = int(number) if number is not None else string if string is not None else boolean == "true"
        options_read.append(OptionValue(kind or "", key, value))
    return options_read


def _all_unescaped(fields: Sequence[str | None]) -> tuple[Any, ...]:
    return tuple([unescaped(text) if text else text for text in fields])


SCANNERS: Mapping[str, Callable[[str, int, int, str], Any]] = MappingProxyType(
    {
        "config.storageDevice.scsiLun": scsi_luns,
        "config.storageDevice.multipathInfo": multipath_info,
        "config.option": options,
    }
)
"""By property: text, where the value starts and ends in it, and its xsi:type; None where the text is not as spelt out above."""
