"""Whether the array copies a machine's disks itself (VAAI, XCOPY), condition by condition.

Source: docs/domain/facts.md#3-12, the storage guide's list of what makes the VMFS data mover copy by software.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from auditor.moves.ends import Move, Store

_RULES = "docs/domain/facts.md#3-12"
_OPTION = "DataMover.HardwareAcceleratedMove at 1 on its host"
_CLONES = "devices that the host reports as able to clone (vaai status get)"


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that has to hold for the array to copy.

    Attributes:
        name: a word for programs.
        holds: None where it was not read.
        text: what has to be so, with what was found.
        source: of the condition.
    """

    name: str
    holds: bool | None
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Offload:
    """All conditions."""

    conditions: tuple[Condition, ...]

    @property
    def is_certain(self) -> bool | None:
        """Whether the array copies: false as soon as one condition fails, None while one is not known."""
        found = [one.holds for one in self.conditions]
        return False if False in found else None if None in found else True

    @property
    def failed(self) -> tuple[Condition, ...]:
        """The conditions that do not hold."""
        return tuple(one for one in self.conditions if one.holds is False)

    @property
    def unread(self) -> tuple[Condition, ...]:
        """The conditions that are not known."""
        return tuple(one for one in self.conditions if one.holds is None)


def offload_of(move: Move) -> Offload:
    """The conditions for a move, each once: of several sources the worst counts."""
    return Offload(tuple(_conditions(move)))


def _conditions(move: Move) -> Iterator[Condition]:
    known = {disk.datastore_id for disk in move.moved} == {store.datastore_id for store in move.sources}
    types = [_types(store, move.target) for store in move.sources]
    yield _worst("datastore-types", types, _types_text(move), _RULES, is_whole=known)
    arrays = [is_one_array(store, move.target) for store in move.sources]
    yield _worst("one-array", arrays, _arrays_text(move), "docs/domain/facts.md#3-8", is_whole=known)
    clones = [store.can_clone for store in (*move.sources, move.target) if store.type in (None, "VMFS")]
    if clones:
        yield _worst("devices", clones, _CLONES, "docs/domain/facts.md#3-4")
    yield Condition("host-option", move.machine.uses_offload, _OPTION, "docs/domain/facts.md#3-1")
    if move.target.type in (None, "VMFS") and any(store.type in (None, "VMFS") for store in move.sources):
        sizes = [_same_blocks(store, move.target) for store in move.sources]
        yield _worst("block-size", sizes, "one block size on both datastores", _RULES, is_whole=known)
    deltas = [None if disk.is_delta is None else not disk.is_delta for disk in move.moved]
    yield _worst("no-snapshot", deltas, "a machine without snapshots", _RULES, is_whole=move.machine.disks_read)


def is_one_array(one: Store, other: Store) -> bool | None:
    """Whether two datastores lie on one array."""
    if one.datastore_id == other.datastore_id:
        return True
    if one.array_key is not None and other.array_key is not None:
        return one.array_key == other.array_key
    return False if one.family is not None and other.family is not None and one.family != other.family else None


def _types(source: Store, target: Store) -> bool | None:
    """Between VMFS datastores yes; between a file server and a block device no; of all else no source here says it."""
    kinds = {source.type, target.type}
    if kinds == {"VMFS"}:
        return True
    is_file = [None if kind is None else kind.startswith("NFS") for kind in (source.type, target.type)]
    return False if True in is_file and False in is_file else None


def _same_blocks(source: Store, target: Store) -> bool | None:
    sizes = (source.block_size_kib, target.block_size_kib)
    return None if None in sizes else sizes[0] == sizes[1]


def _types_text(move: Move) -> str:
    kinds = ", ".join(dict.fromkeys(store.type or "a type that was not read" for store in move.sources)) or "a type that was not read"
    return f"types of datastores that arrays copy between (it goes from {kinds} to {move.target.type or 'a type that was not read'})"


def _arrays_text(move: Move) -> str:
    sources = ", ".join(dict.fromkeys(place_of(store) for store in move.sources)) or "an array that is not known"
    return f"one array at both ends (it goes from {sources} to {place_of(move.target)})"


def place_of(store: Store) -> str:
    """The array behind a datastore in words."""
    return store.arrays or (f"a {store.family} array outside of the fleet" if store.family else "an array that is not known")


def _worst(name: str, found: list[bool | None], text: str, source: str, *, is_whole: bool = True) -> Condition:
    holds = False if False in found else None if None in found or not is_whole or not found else True
    return Condition(name, holds, text, source)
