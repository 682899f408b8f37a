"""The guests in a text that `guest_facts.sh` or `guest_facts.ps1` printed.

Source of the files in /sys: docs.kernel.org, ABI/stable/sysfs-block (sectors have 512 bytes, whatever the disk's own have) and
scsi/scsi_mid_low_api (queue_depth, timeout in seconds, can_queue, proc_name). Of the serial number: kubernetes/kubernetes#59519, #74888
(docs/domain/facts.md#8-6).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from auditor.endpoints.files.outputs.decoding import text_of

HEAD = "auditor-guest"
_VERSION = "1"
_SECTOR = 512
_SERIAL = re.compile(r"VMware-((?:[0-9a-f]{2}[ -]){15}[0-9a-f]{2})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,15}")
_TAKEN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_WORD = re.compile(r"([a-z_]+)=(\S*)")
_LONGEST = 128
_MOST = 100_000
"""Guests, disks, partitions and parameters of one file. Policy: some ten thousand guests."""
_KEPT = frozenset({HEAD, "disk", "partition", "parameter"})
_SYSTEMS = frozenset({"linux", "windows"})


@dataclass(frozen=True, slots=True)
class GuestDisk:
    """A disk as its guest has it.

    Attributes:
        name: for example sda.
        driver: as the guest calls it, lower case; None where it does not say.
        queue_depth: commands that it sends now; None where it does not say, as Windows never does.
        adapter_depth: commands that its adapter takes for all disks together; None likewise.
        timeout_s: seconds that it waits for a command; None likewise.
    """

    name: str
    driver: str | None
    model: str | None
    queue_depth: int | None
    adapter_depth: int | None
    timeout_s: int | None
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class Partition:
    """Where a partition begins, and how large it is, in bytes; None where the guest does not say."""

    disk: str
    name: str
    start_bytes: int | None
    size_bytes: int | None


@dataclass(slots=True)
class Guest:
    """What one guest said.

    Attributes:
        system: linux | windows; "" where it says something else.
        bios_uuid: of its virtual machine, as vCenter has it, lower case; None where it could not read it, or is no machine of VMware.
        taken_at: by the guest's own clock, UTC; None where it is not said.
        parameters: of kernel modules or drivers, by module and name.
        is_whole: the last line is there.
    """

    hostname: str = ""
    system: str = ""
    kernel: str | None = None
    bios_uuid: str | None = None
    taken_at: datetime | None = None
    parameters: dict[tuple[str, str], str] = field(default_factory=dict)
    disks: list[GuestDisk] = field(default_factory=list)
    partitions: list[Partition] = field(default_factory=list)
    is_whole: bool = False


def guests_in(data: bytes) -> list[Guest]:
    """The guests in the content of a file, in its order; none where it is another file, or of a version that this auditor does not know."""
    if HEAD[:2].encode() not in data[:4096] and HEAD[:2].encode("utf-16-le") not in data[:4096]:
        return []
    guests: list[Guest] = []
    left = _MOST
    for line in text_of(data).split("\n"):
        word, _, rest = line.strip().partition(" ")
        if word == HEAD:
            if rest.strip() != _VERSION:
                return []
            guests.append(Guest())
        elif guests and not guests[-1].is_whole:
            _read(guests[-1], word, rest.strip())
        left -= word in _KEPT
        if left < 0:
            guests[-1].is_whole = False  # what follows is not read, which is a gap
            break
    return guests


def _read(guest: Guest, word: str, rest: str) -> None:
    pairs = {key: value[:_LONGEST] for key, value in _WORD.findall(rest)}
    if word == "end":
        guest.is_whole = True
    elif word == "hostname":
        guest.hostname = rest[:_LONGEST]
    elif word == "system":
        guest.system = rest if rest in _SYSTEMS else ""
    elif word == "kernel":
        guest.kernel = rest[:_LONGEST] or None
    elif word == "serial":
        guest.bios_uuid = bios_uuid(rest)
    elif word == "taken" and _TAKEN.fullmatch(rest):
        guest.taken_at = _time(rest)
    elif word == "parameter" and pairs.get("name"):
        guest.parameters[pairs.get("module", "").lower(), pairs["name"].lower()] = pairs.get("value", "")
    elif word == "disk" and pairs.get("name"):
        guest.disks.append(
            GuestDisk(
                pairs["name"],
                pairs.get("driver", "").lower() or None,
                pairs.get("model", "").replace("_", " ") or None,
                _number(pairs, "queue_depth"),
                _number(pairs, "adapter_depth"),
                _number(pairs, "timeout_s"),
                _bytes(pairs, "sectors"),
            )
        )
    elif word == "partition" and pairs.get("name"):
        guest.partitions.append(Partition(pairs.get("disk", ""), pairs["name"], _bytes(pairs, "start_sectors"), _bytes(pairs, "sectors")))


def bios_uuid(serial: str) -> str | None:
    """The UUID in a serial number of VMware's BIOS, as vCenter has it; None where it is no such number.

    The UUID that a guest reads beside it is not taken: from virtual hardware 13 on its first three parts have their bytes turned round.
    """
    found = _SERIAL.fullmatch(serial.strip())
    if found is None:
        return None
    digits = re.sub("[ -]", "", found[1]).lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def _number(pairs: Mapping[str, str], key: str) -> int | None:
    text = pairs.get(key, "")
    return int(text) if _NUMBER.fullmatch(text) else None


def _bytes(pairs: Mapping[str, str], key: str) -> int | None:
    sectors = _number(pairs, key)
    return None if sectors is None else sectors * _SECTOR


def latest(guests: Iterable[tuple[str, Guest]]) -> dict[str, tuple[str, Guest]]:
    """Of each guest what it said last, with its place, by the UUID of its machine, else by its name in lower case.

    Guests of several names that say one UUID are copies, or one that was renamed: each is kept, by both.
    """
    in_time = sorted(guests, key=lambda one: one[1].taken_at or _NEVER)
    found = {(guest.bios_uuid, guest.hostname.lower()): (place, guest) for place, guest in in_time}
    named = Counter(uuid for uuid, _ in found)
    return {name if uuid is None else uuid if named[uuid] == 1 else f"{uuid} {name}": one for (uuid, name), one in found.items()}


_NEVER = datetime.min.replace(tzinfo=UTC)
