"""What a scenario's text must look like before it is expanded, and the line of everything in it.

Expansion copies, merges and renames, so lines cannot be looked up by path afterwards. They travel with the words instead: each key and each
text of a scenario is a `Word`, which is text that knows its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.yaml.reading import Lines


class Word(str):
    """A key or a text of a scenario, and the line, from 1, that it stands in."""

    __slots__ = ("line",)
    line: int

    def __new__(cls, text: str, line: int) -> Self:  # noqa: D102  its arguments say it all
        word = super().__new__(cls, text)
        word.line = line
        return word


class ScenarioMistakeError(Exception):
    """What is wrong with a scenario, and in which line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(line, what)
        self.line = line
        self.what = what


def located(data: Any, lines: Lines, line: int = 1) -> Any:
    """The data of a YAML text with every key and text as a `Word`."""
    if isinstance(data, dict):
        return {Word(key, lines[key][0]): located(value, lines[key][1], lines[key][0]) for key, value in data.items()}
    if isinstance(data, list):
        return [located(value, lines[place][1], lines[place][0]) for place, value in enumerate(data)]
    return Word(data, line) if isinstance(data, str) else data


def plain(data: Any) -> Any:
    """The same data without lines, as msgspec takes it."""
    if isinstance(data, Mapping):
        return {str(key) if isinstance(key, str) else key: plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [plain(value) for value in data]
    return str(data) if isinstance(data, str) else data


def line_of(data: Any) -> int | None:
    """The first line of what is left of some data; None where nothing in it knows its line."""
    return min((word.line for word in _words(data)), default=None)


def line_at(data: Any, path: str) -> int:
    """The line of what msgspec names by a path such as $.clusters[0].hosts[2].version; of its nearest parent when it has none."""
    line = line_of(data) or 1
    for key, place in re.findall(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]", path):
        if isinstance(data, Mapping):
            held = next((one for one in data if one == key), None)
            if held is None:
                break
            data = data[held]
            line = held.line if isinstance(held, Word) else line_of(data) or line
        elif isinstance(data, Sequence) and place.isdigit() and int(place) < len(data):
            data = data[int(place)]
            line = line_of(data) or line
        else:
            break
    return line


@contextmanager
def within(entry: Any) -> Iterator[None]:
    """Give a mistake in an entry the line of the word that is wrong, else the entry's.

    Raises:
        ScenarioMistakeError: in place of the KeyError or ValueError of the block.
    """
    try:
        yield
    except KeyError as error:
        word = error.args[0]
        if isinstance(word, Word):
            raise ScenarioMistakeError(word.line, f'there is no "{word}" that this could name') from error
        raise ScenarioMistakeError(line_of(entry) or 1, f'"{word}" is missing or unknown') from error
    except ValueError as error:
        raise ScenarioMistakeError(line_of(entry) or 1, str(error)) from error


class _Hba(TypedDict, total=False):
    kind: str
    targets: list[dict[str, Any]]


class _Host(TypedDict, total=False):
    name: str
    names: list[str]
    count: int
    like: str
    devices: list[str]
    dsnro: dict[str, int]
    hbas: list[_Hba]


class _Group(TypedDict, total=False):
    array: str
    names: list[str]
    volumes: list[str]
    targets: list[str]
    protocol: str
    protocol_endpoints: bool


class _NamedCluster(TypedDict):
    name: str


class _Cluster(_NamedCluster, total=False):
    hosts: list[_Host]


class _NamedStore(TypedDict):
    name: str
    type: str


class _Store(_NamedStore, total=False):
    clusters: list[str]
    hosts: list[str]
    array: str
    container: str
    volumes: list[str]


class _NamedDisk(TypedDict):
    datastore: str


class _Disk(_NamedDisk, total=False):
    policy: str
    node: int


class _Vm(TypedDict, total=False):
    name: str
    names: list[str]
    count: int
    cluster: str
    host: str
    disks: list[_Disk]


class _NamedVCenter(TypedDict):
    name: str


class _VCenter(_NamedVCenter, total=False):
    host_build: int
    devices: dict[str, _Group]
    templates: dict[str, _Host]
    clusters: list[_Cluster]
    hosts: list[_Host]
    datastores: list[_Store]
    vms: list[_Vm]


class _NamedArray(TypedDict):
    name: str


class _Array(_NamedArray, total=False):
    vvols: list[dict[str, Any]]


class _Scenario(TypedDict, total=False):
    vcenters: list[_VCenter]
    element: list[_Array]
    dell_sc: list[_Array]
    flasharray: list[_Array]
    ontap: list[_Array]
    eternus: list[_Array]
    eseries: list[_Array]
    dothill: list[_Array]
    powerstore: list[_Array]
    nimble: list[_Array]
    declared: list[dict[str, Any]]
    nfs_servers: list[dict[str, Any]]
    faults: dict[str, list[dict[str, Any]]]


_WORDS = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false", "array": "list", "object": "mapping"}
"""What msgspec calls the kinds of values, in the words of who writes YAML."""


def check_form(data: Mapping[str, Any]) -> None:
    """Refuse a scenario that the expansion could not walk through; all else is checked when the descriptions are decoded.

    Raises:
        ScenarioMistakeError: a list, a mapping or a name is missing or is something else.
    """
    decode(data, _Scenario)


def decode(source: Any, kind: Any) -> Any:
    """Some data of a scenario as `kind`.

    Raises:
        ScenarioMistakeError: it is not of that kind.
    """
    import msgspec

    try:
        # Keys of a mapping are text in YAML; some descriptions have numbers there.
        return msgspec.convert(plain(source), kind, str_keys=True)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `")
        for theirs, ours in _WORDS.items():
            what = what.replace(f"`{theirs}", f"`{ours}")
        key = re.search(r"\.(\w+)(?:\[[^\]]*\])*`$", path)
        line = _line_of_quoted(source, what) or line_at(source, path.rstrip("`"))
        raise ScenarioMistakeError(line, (f'"{key[1]}": ' if key else "") + what.replace("`", '"')) from error


def _line_of_quoted(source: Any, what: str) -> int | None:
    """The line of a word of `source` that a description's own check quotes; None when it quotes none."""
    quoted = set(re.findall(r"'([^']+)'", what))
    return next((word.line for word in _words(source) if word in quoted), None) if quoted else None


def _words(data: Any) -> Iterator[Word]:
    if isinstance(data, Word):
        yield data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from _words(key)
            yield from _words(value)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _words(value)
