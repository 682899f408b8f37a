"""Opens the facts that a command reads: those of a kept run, of a saved snapshot, of files of hosts, or read from the fleet now."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.cli import options
from auditor.cli.evidence import files_of, with_files
from auditor.cli.query import saved_place
from auditor.cli.terminal import progress
from auditor.errors import ConfigurationError
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.facts.needs import Needs
    from auditor.fleet.loading import Fleet


@dataclass(frozen=True, slots=True)
class Moment:
    """The facts of one moment.

    Attributes:
        place: the folder of their snapshot.
        scratch: a folder for what does not fit into memory; it is removed with the moment.
        crashed: the reading of an endpoint ended in a bug of auditor.
    """

    place: Path
    scratch: Path
    crashed: bool = False


@dataclass(frozen=True, slots=True)
class MomentOptions:
    """The moment, and how it is read where it is now."""

    run: options.Run = None
    snapshot: options.Snapshots = None
    fleet: options.Fleet = None
    endpoint: options.Endpoints = None
    cluster_of: options.ClusterOf = None
    transport: options.Transport = None
    workers: options.Workers = None
    workers_certificates: options.WorkersCertificates = None
    state_dir: options.StateDir = None

    @contextmanager
    def facts(self, needed: Callable[[], Needs], gaps_note: str = "") -> Iterator[Moment]:
        """The facts of the moment; `needed` of them are read where it is now, and `gaps_note` says where gaps are shown.

        Raises:
            ConfigurationError: two moments are named, or something that only a reading has.
        """
        files = files_of(self.snapshot or ())
        if self.run is not None and (self.fleet is not None or files):
            raise _two_moments("--run cannot go with --fleet or files")
        if self.snapshot and not files and self.fleet is not None:
            raise _two_moments("--from a snapshot cannot go with --fleet")
        fleet = with_files(self.fleet, files, None, self.cluster_of)
        if fleet is None and (self.endpoint or self.transport or self.workers):
            raise ConfigurationError(
                "--endpoint, --transport and --workers go with --fleet",
                why="nothing was read: a kept run or a snapshot is taken as it is.",
                do="name the fleet to read, or leave them out.",
            )
        with tempfile.TemporaryDirectory(prefix="auditor-facts-", ignore_cleanup_errors=True) as folder:
            scratch = Path(folder)
            if fleet is None:
                yield Moment(saved_place(self.run, self.snapshot, self.state_dir)[0], scratch)
            else:
                place = scratch / "snapshot"
                yield Moment(place, scratch, self._read(fleet, place, needed(), gaps_note))

    def _read(self, fleet: Fleet | Path, place: Path, needed: Needs, gaps_note: str) -> bool:
        """Read what is needed into a snapshot; whether the reading of an endpoint ended in a bug of auditor."""
        from auditor.audit import collect
        from auditor.pipeline.request import AuditRequest

        with progress() as shown:
            request = AuditRequest(
                fleet=fleet,
                endpoints=self.endpoint or (),
                transport=self.transport,
                workers=self.workers,
                workers_certificates=self.workers_certificates,
                progress=shown,
            )
            found = collect(request, place, needed)
        if found.gaps:
            print(f"note: {count_of(len(found.gaps), 'thing')} could not be read{gaps_note}", file=sys.stderr)
        return any(reading.bug is not None for reading in found.readings)


def _two_moments(what: str) -> ConfigurationError:
    return ConfigurationError(what, why="nothing was read: these are two moments.", do="leave one out.")
