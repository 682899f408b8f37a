"""Records a fleet: reads all of it as `auditor collect` does, and keeps every answer, masked as it comes in.

Nothing unmasked is ever written, not even for a moment: what is kept until the bundle is made is masked already.
"""

from __future__ import annotations

import re
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from auditor import __version__
from auditor.recording.bundle import About, Lines, line_of, write_bundle
from auditor.recording.exchanges import masked_exchange
from auditor.recording.fields import kept_fields
from auditor.recording.judging import masked_devices, masked_policy
from auditor.recording.manifest import readable_manifest, report_of_originals
from auditor.recording.masking import Fate, Masker
from auditor.recording.private import ORIGINALS_FOLDER, originals_path, recording_key, write_originals, write_private
from auditor.recording.pseudonyms import Pseudonyms

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from contextlib import ExitStack
    from pathlib import Path

    from auditor.engine.waivers.file import Waivers
    from auditor.fleet.loading import Fleet
    from auditor.model import Endpoint, Exchange

_IN_MEMORY = 8 << 20
_BEGINNING = re.compile(r"naa\.(6[0-9a-f]{7,30})\*")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a recording.

    Attributes:
        exchanges: how many were kept.
        gaps: what could not be read, in sentences.
        originals: the file that says what stands for what.
        report: the same for people, with samples.
        doubtful: words that stayed in fields of states and models, and are names elsewhere.
        samples: what was replaced and by what, for the sender's terminal.
        left_out: what fleet.yaml and waivers.yaml say that the bundle does not.
    """

    exchanges: int
    gaps: tuple[str, ...]
    originals: Path
    report: Path
    doubtful: tuple[str, ...]
    samples: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...] = ()


class EndpointTap:
    """Masks and keeps the exchanges of one endpoint; called from several threads."""

    def __init__(self, endpoint: Endpoint, masker: Masker, files: ExitStack) -> None:
        self.endpoint = endpoint
        self.operations: Counter[str] = Counter()
        self.count = 0
        self._masker = masker
        self._file: Any = files.enter_context(tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115  the stack closes it
        self._began = time.monotonic()
        self._lock = threading.Lock()

    def __call__(self, exchange: Exchange) -> None:
        """Keep one exchange."""
        at = time.monotonic() - self._began
        masked = masked_exchange(self.endpoint.kind, exchange, self._masker)
        line = line_of(masked, at)
        with self._lock:
            self._file.write(line)
            self.count += 1
            self.operations[masked.operation] += 1

    def lines(self) -> Lines:
        """What was kept."""
        return Lines(self._masker.text(self.endpoint.name, Fate.NAME), self.endpoint.kind, self._file, self.count)


def record(
    fleet: Fleet,
    out: Path,
    *,
    state: Path,
    key: Path,
    progress: Callable[[str, str], None],
    also: Collection[str] = (),
    rules: Collection[str] = (),
    waivers: Waivers | None = None,
) -> Recorded:
    """Read everything of `fleet` and write a bundle to the new file `out`.

    Args:
        fleet: what to read.
        out: the bundle.
        state: the folder that keeps what the replacements stand for.
        key: the file of the key, made on first use.
        progress: as for `collect_fleet`.
        also: words to replace wherever they stand.
        rules: the ids of auditor's own rules; parameters, severities and waivers of others are left out.
        waivers: what somebody answers for.

    Raises:
        ConfigurationError: the key cannot be used, or answers of a kind cannot be recorded (`recording.fields.kept_fields`).
        BundleError: `out` exists, or cannot be written.
    """
    from contextlib import ExitStack

    from auditor.endpoints.collect import collect_fleet

    for endpoint in fleet.endpoints:
        kept_fields(endpoint.kind)  # before anything is asked
    masker = Masker(Pseudonyms(recording_key(key)), {word.lower() for word in also})
    with ExitStack() as files:
        taps = [EndpointTap(endpoint, masker, files) for endpoint in fleet.endpoints]
        for endpoint in fleet.endpoints:  # where they are, and who asked, is in no bundle either
            for text in (endpoint.address, endpoint.username):
                masker.text(text, Fate.NAME)
        tapped = tuple(replace(tap.endpoint, tap=tap) for tap in taps)
        snapshot = collect_fleet(replace(fleet, endpoints=tapped), progress)
        recorded = [tap.lines() for tap in taps]
        gaps = Counter(masker.text(gap.endpoint, Fate.NAME) for gap in snapshot.gaps)
        policy = masked_policy(fleet, waivers, rules, masker)
        declared, servers = _declared(fleet, masker), _nfs_servers(fleet, masker)
        about = About(declared, _counts(masker), dict(gaps), f"auditor {__version__}", servers, policy.as_written())
        operations = {one.name: tap.operations for one, tap in zip(recorded, taps, strict=True)}
        write_bundle(recorded, about, readable_manifest(recorded, operations, about), out)
    originals = originals_path(state, out)
    doubtful = tuple(sorted(name for name in masker.names if name.lower() in masker.kept_words and len(name) > 2))
    write_originals(originals, {"names": masker.names, "replaced": masker.replaced, "doubtful": doubtful})
    report = state / ORIGINALS_FOLDER / f"{out.name}.report.md"
    write_private(report, report_of_originals(masker, doubtful))
    sentences = tuple(f"{gap.endpoint}: {gap.what}: {gap.why}" for gap in snapshot.gaps)
    samples = tuple(sorted(masker.names.items(), key=lambda pair: (len(pair[0]), pair)))
    chosen = samples[:: max(1, len(samples) // 6)]
    return Recorded(sum(tap.count for tap in taps), sentences, originals, report, doubtful, chosen, tuple(policy.left_out))


def _declared(fleet: Fleet, masker: Masker) -> list[dict[str, str]]:
    """What fleet.yaml declares, over masked names: a beginning stays one, another pattern becomes the devices that it fitted."""
    declared = []
    for one in fleet.declared:
        known = {"model": one.model, "generation": one.generation, "firmware": one.firmware}
        given = {name: value for name, value in known.items() if value is not None}
        declared += [{"devices": devices, **given} for devices in _masked_patterns(one.devices, masker)]
    return declared


def _nfs_servers(fleet: Fleet, masker: Masker) -> list[dict[str, str]]:
    """Whose NFS servers fleet.yaml says they are; a pattern becomes the names that it fitted."""
    declared = []
    for one in fleet.nfs_servers:
        known = {"address": one.address and masker.text(one.address, Fate.NAME), "family": one.family}
        given = {name: value for name, value in known.items() if value is not None}
        is_name = not any(sign in one.server for sign in "*?[")
        names = [one.server] if is_name else sorted(name for name in masker.names if fnmatchcase(name.lower(), one.server))
        declared += [{"server": masker.text(name, Fate.NAME).lower(), **given} for name in names]
    return declared


def _masked_patterns(pattern: str, masker: Masker) -> list[str]:
    if match := _BEGINNING.fullmatch(pattern):
        return [f"naa.{masker.pseudonyms.beginning(match[1])}*"]
    return sorted(masked_devices(pattern, masker))


def _counts(masker: Masker) -> dict[str, int]:
    counts = {f"{kind}s replaced": len(by_original) for kind, by_original in sorted(masker.replaced.items())}
    return {**counts, **{f"{what} dropped": count for what, count in sorted(masker.dropped.items())}}
