"""Records what one vCenter, and the Element cluster behind it, answer to a whole audit, so that many can answer it from bytes.

The lab serves a generated vCenter once, and all that the rules of an audit need is read from it. What makes this vCenter another one than
the next is one word of four hexadecimal digits, TOKEN: it is in the names of hosts, machines, devices and datastores, and in every UUID
(Element's names of devices hold its letters as digits). Whoever sends the answers for another vCenter puts another word there: `with_word`.

WWNs of Fibre Channel ports are decimal numbers in an answer: `wwn_of` has the other vCenter's. What stays the same for all is the ids of
managed objects (the endpoint is part of every key).
"""

from __future__ import annotations

import pickle
import re
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from generated_fleets import PATIENCE_SECONDS, is_of_the_fleet, make_patient

from auditor.model import EndpointKind, Exchange
from auditor.recording.bundle import RecordedExchange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import Tap

PLACE = 0xBEEF
TOKEN = b"beef"
_NAMED = re.compile(rb"(?<=[a-z]-)%d\b" % PLACE)  # vc-48879, esx-48879-1-3
_UUID = re.compile(rb"\b[0-9a-f]{4}(?=[0-9a-f]{4}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|[0-9a-f]{4}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}\b)")
"""The first digits of a UUID, and of the uuid of a VMFS volume."""


@dataclass(frozen=True)
class Recorded:
    """What the endpoints of one vCenter answered, by kind, and how many hosts and devices it has."""

    hosts: int
    devices: int
    exchanges: Mapping[EndpointKind, list[RecordedExchange]]
    cpu_seconds: float


def record(hosts: int, luns: int, paths: int, seed: int) -> Recorded:
    """Read a generated vCenter of that size, as an audit by all default rules does."""
    from auditor.endpoints.collect import collect_fleet
    from auditor.facts.snapshots.earlier import with_host_marks
    from auditor.fleet.loading import load_fleet
    from auditor.pipeline.policy import load_policy, needs_for
    from auditor_lab.generated.cluster import FleetSize
    from auditor_lab.generated.fleet import generate
    from auditor_lab.serving import serve

    began = time.process_time()
    taken: dict[EndpointKind, list[RecordedExchange]] = {}
    with serve(generate(FleetSize(hosts, luns, paths, 1), seed, PLACE)) as lab, TemporaryDirectory() as folder:
        file = Path(folder, "fleet.yaml")
        lab.write_fleet(file)
        make_patient(file, PATIENCE_SECONDS)
        fleet = load_fleet(file)
        needs = with_host_marks(needs_for(load_policy(fleet).rules))
        tapped = tuple(replace(one, tap=_tap(taken.setdefault(one.kind, []))) for one in fleet.endpoints)
        gaps = collect_fleet(replace(fleet, endpoints=tapped), lambda _name, _what: None, needs).gaps
    unread = [f"{gap.endpoint}: {gap.what}: {gap.why}" for gap in gaps if not is_of_the_fleet({"what": gap.what, "why": gap.why})]
    if unread:
        raise SystemExit("not everything could be recorded:\n" + "\n".join(unread))
    return Recorded(hosts, hosts * luns, taken, time.process_time() - began)


def _tap(kept: list[RecordedExchange]) -> Tap:
    began = time.monotonic()
    lock = threading.Lock()

    def tap(exchange: Exchange) -> None:
        marked = replace(
            exchange, path=_marked(exchange.path.encode()).decode(), request=_marked(exchange.request), answer=_marked(exchange.answer)
        )
        with lock:
            kept.append(RecordedExchange(marked, time.monotonic() - began))

    return tap


def _marked(text: bytes) -> bytes:
    """`text` with TOKEN for what makes this vCenter another one than the next."""
    return _UUID.sub(TOKEN, _NAMED.sub(TOKEN, text))


def with_word(text: bytes, old: bytes, new: bytes) -> bytes:
    """`text` with another word of four digits for `old`, in letters and as an Element cluster writes its id into names of devices."""
    return text.replace(old, new).replace(old.hex().encode(), new.hex().encode())


WWN = re.compile(rb'(?<=WorldWideName":)(\d{19})\b|(?<=WorldWideName>)(\d{19})(?=<)')


def wwn_of(word: bytes, recorded: bytes) -> bytes:
    """The WWN of another vCenter's port for that of a recorded one: the word stands in bits 40 to 55, where an array's port has TOKEN."""
    return b"%d" % (int(recorded) ^ (int(word, 16) ^ PLACE) << 40)


def save(recorded: Recorded, path: Path) -> None:
    """Write a recording to be read by `load`; of a benchmark's own file alone."""
    with path.open("wb") as out:
        pickle.dump(recorded, out)


def load(path: Path) -> Recorded:
    """What `save` wrote."""
    with path.open("rb") as file:
        recorded = pickle.load(file)
    assert isinstance(recorded, Recorded)
    return recorded
