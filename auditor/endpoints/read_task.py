"""Reads one endpoint as a task that any process can run: its inputs and its result are plain values."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_bytes
from auditor.endpoints.collect import read_endpoint
from auditor.errors import ConfigurationError
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.earlier_parts import EarlierPart, earlier_in, earlier_part
from auditor.facts.snapshots.parts import Part
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from auditor.endpoints.collect import Progress
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.facts.snapshots.earlier import Earlier
    from auditor.model import Endpoint, Gap

_TRUST_FILE = "trust"


class UnwantedError(BaseException):
    """Nobody waits any more for what a task reads; no error of an endpoint, so nothing that handles those may catch it."""


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Which endpoint is to be read, and what of it. It holds no secret: the process that reads looks it up (endpoints/common/secrets.py).

    Attributes:
        endpoint: as fleet.yaml has it.
        trust: what `tls.ca` or `ssh.known_hosts` of fleet.yaml names holds, as that file need not be where the task is done; None: it names
            none, and the authorities or known hosts of the machine that reads count.
        earlier: an earlier run, as far as this endpoint may rest on it; None: every host is asked.
    """

    endpoint: Endpoint
    needs: Needs = field(repr=False)
    trust: bytes | None = field(default=None, repr=False)
    earlier: EarlierPart | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        """For logs of workers: the name alone."""
        return f"ReadTask({self.endpoint.name})"


def task_of(endpoint: Endpoint, needs: Needs, earlier: Earlier | None = None) -> ReadTask:
    """The task of reading `endpoint`, with what is known of it by the `earlier` run.

    Raises:
        ConfigurationError: the file of its certificates or host keys cannot be read, or its answers are to be recorded.
    """
    if endpoint.tap is not None:
        raise ConfigurationError(
            f"endpoint {endpoint.name}: workers do not record",
            why="nothing was read: its answers would stay where they are read.",
            do="record without workers, on a machine that reaches the endpoint.",
        )
    path = _trust_path(endpoint)
    try:
        trust = None if path is None else read_bytes(Path(path))
    except OSError as error:
        raise ConfigurationError(
            f"endpoint {endpoint.name}: {path} cannot be read: {type(error).__name__}",
            why="without it nobody can verify who answers, and nothing is asked unverified.",
            do="check the path in `tls: {ca: PATH}` or `ssh: {known_hosts: PATH}`; the machine that starts the audit reads the file.",
        ) from error
    if earlier is None or not endpoint_type(endpoint.kind).is_incremental:
        return ReadTask(endpoint, needs, trust)
    return ReadTask(endpoint, needs, trust, earlier_part(earlier, endpoint.name))


def read_part(task: ReadTask, progress: Progress, is_wanted: Callable[[], bool] = lambda: True) -> Part:
    """Read the endpoint of `task` here. What it did not answer is a gap of the part, as with threads.

    `is_wanted` is asked before rows are kept.

    Raises:
        UnwantedError: nobody wants the part any more.
        MemoryError, duckdb.IOException, duckdb.OutOfMemoryException: this machine has no room for what was read.
    """
    with tempfile.TemporaryDirectory(prefix="auditor-read-") as folder:
        builder = _WatchedBuilder(is_wanted, Path(folder) / "spill")
        earlier = None if task.earlier is None else earlier_in(task.earlier, Path(folder) / "earlier")
        reading = read_endpoint(_with_trust(task, Path(folder)), builder, progress, task.needs, earlier)
        part = builder.part(reading)
    there, named = str(Path(folder) / _TRUST_FILE), _trust_path(task.endpoint)
    return replace(part, gaps=tuple(replace(gap, why=gap.why.replace(there, named)) for gap in part.gaps)) if named else part


class _WatchedBuilder(SnapshotBuilder):
    """Takes rows for as long as somebody wants them."""

    def __init__(self, is_wanted: Callable[[], bool], spill: Path) -> None:
        super().__init__(spill)
        self._is_wanted = is_wanted

    def add(self, item: Batch | Gap) -> None:
        if not self._is_wanted():
            raise UnwantedError
        super().add(item)


def _trust_path(endpoint: Endpoint) -> str | None:
    return endpoint.tls.ca if endpoint.ssh is None else endpoint.ssh.known_hosts


def _with_trust(task: ReadTask, folder: Path) -> Endpoint:
    """The endpoint with a file of this machine for what verifies it."""
    if task.trust is None:
        return task.endpoint
    path = folder / _TRUST_FILE
    path.write_bytes(task.trust)
    endpoint, ssh = task.endpoint, task.endpoint.ssh
    if ssh is None:
        return replace(endpoint, tls=replace(endpoint.tls, ca=str(path)))
    return replace(endpoint, ssh=replace(ssh, known_hosts=str(path)))
