"""Looks at chosen devices again and again: queue fill, latency and throttling, for the hour after a change. Only reads.

Sessions are opened once and closed with the block. A vCenter that does not answer costs its own rows: they say since when they are not
read, and it is tried again at the next look. One that refuses the password is not: that would lock the account.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.vcenter.device_watch import WatchRow, find_devices, read_samples
from auditor.endpoints.vcenter.move_watch import read_moves, watched_move
from auditor.errors import ConfigurationError, CredentialsError, EndpointError
from auditor.model.endpoint_kinds import is_array

if TYPE_CHECKING:
    from types import TracebackType

    from auditor.endpoints.vcenter.device_watch import DeviceSample, WatchedDevice
    from auditor.endpoints.vcenter.move_watch import MoveSample, WatchedMove
    from auditor.fleet.loading import Fleet
    from auditor.model import Endpoint

STALE_SECONDS = 120.0
"""A newest sample that is older is not of now. Policy: a host has one every twenty seconds, and vCenter may be some of them behind."""


@dataclass(slots=True)
class _Watched:
    """What is known of one vCenter."""

    endpoint: Endpoint
    session: Any = None
    closing: ExitStack = field(default_factory=ExitStack)
    devices: Mapping[tuple[str, str], WatchedDevice] | None = None  # None: not listed yet
    is_given_up: bool = False
    moves: dict[str, tuple[MoveSample, MoveSample, MoveSample]] = field(default_factory=dict)  # by task: first, last that changed, last
    moves_why: str = ""  # why they could not be read


class Watch:
    """The devices of a fleet that are watched, for as long as the block goes on.

    Args:
        fleet: its vCenters are asked.
        names: HOST/DEVICE each, a host with or without its domain.
        opener: opens a session with an endpoint.
        now: the time.

    Raises:
        ConfigurationError: a name is not of that form, or the fleet has no vCenter.
    """

    def __init__(
        self,
        fleet: Fleet,
        names: Sequence[str],
        opener: Callable[[Endpoint], AbstractContextManager[Any]] = open_session,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._pairs = {name: _pair(name) for name in dict.fromkeys(names)}
        self._watched = [_Watched(endpoint) for endpoint in fleet.endpoints if not is_array(endpoint.kind)]
        if not self._watched:
            raise ConfigurationError(
                f"{fleet.path.name} names no vCenter", why="nothing was watched.", do="add the vCenter of these hosts to it."
            )
        self._opener, self._now = opener, now
        self._rows: dict[tuple[str, str], WatchRow] = {}
        self._missed_since: datetime | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with ExitStack() as all_of_them:
            for one in self._watched:
                all_of_them.push(one.closing)

    def look(self) -> tuple[WatchRow, ...]:
        """Every device as it is now, in the order of the names.

        Raises:
            ConfigurationError: every vCenter was listed, and none has one of the devices.
        """
        failures: dict[str, str] = {}
        for one in self._watched:
            if one.is_given_up or (one.devices is not None and not one.devices):
                continue
            try:
                self._ask(one)
            except EndpointError as error:
                failures[one.endpoint.name] = error.what
                self._failed(one, error)
        self._check_known()
        return tuple(self._listed(failures))

    def moves(self) -> tuple[WatchedMove, ...]:
        """The machines that are being moved on vCenters with a watched device, as the last look found them."""
        return tuple(watched_move(*samples) for one in self._watched for samples in one.moves.values())

    def moves_unread(self) -> tuple[str, ...]:
        """Why the moves of a vCenter were not read, a sentence for each."""
        return tuple(f"{one.endpoint.name}: {one.moves_why}" for one in self._watched if one.moves_why)

    def _ask_moves(self, one: _Watched) -> None:
        """Read what is being moved. Where that cannot be read the devices are shown all the same."""
        try:
            found = read_moves(one.session, self._now()) if one.devices else ()
        except EndpointError as error:
            one.moves, one.moves_why = {}, error.what
            return
        before, one.moves, one.moves_why = one.moves, {}, ""
        for last in found:
            first, changed, _ = before.get(last.task_id, (last, last, last))
            one.moves[last.task_id] = (first, changed if changed.percent == last.percent else last, last)

    def _ask(self, one: _Watched) -> None:
        """Read one vCenter, after listing its devices where that was not done yet."""
        if one.session is None:
            one.session = one.closing.enter_context(self._opener(one.endpoint))
        if one.devices is None:
            one.devices = find_devices(one.session, list(self._pairs.values()))
        samples = read_samples(one.session, list(dict.fromkeys(one.devices.values()))) if one.devices else {}
        for name, pair in self._pairs.items():
            if pair in one.devices:
                self._take(name, one.endpoint.name, samples.get(one.devices[pair]))
        self._ask_moves(one)

    def _take(self, name: str, endpoint: str, sample: DeviceSample | None) -> None:
        key = (name, endpoint)
        row = self._rows.get(key, WatchRow(name, endpoint))
        is_old = sample is not None and (self._now() - sample.sampled_at).total_seconds() > STALE_SECONDS
        if sample is None or is_old:
            why = "its newest sample is old" if is_old else "its host has no sample of it"
            self._rows[key] = replace(row, unread_since=row.unread_since or self._now(), why=why)
            return
        waits = [one for one in (row.worst_kavg_ms, sample.kavg_ms) if one is not None]
        self._rows[key] = WatchRow(name, endpoint, sample, max(waits, default=None))

    def _failed(self, one: _Watched, error: EndpointError) -> None:
        """Let the session go; its rows say since when they are not read."""
        one.session, one.moves = None, {}
        one.is_given_up = isinstance(error, CredentialsError)
        closing, one.closing = one.closing, ExitStack()
        closing.close()
        for key, row in self._rows.items():
            if key[1] == one.endpoint.name:
                self._rows[key] = replace(row, unread_since=row.unread_since or self._now(), why=error.what)

    def _check_known(self) -> None:
        if any(one.devices is None for one in self._watched):
            return
        known = {pair for one in self._watched for pair in one.devices or ()}
        missing = [name for name, pair in self._pairs.items() if pair not in known]
        if missing:
            raise ConfigurationError(
                f"no vCenter of the fleet has {', '.join(missing)}",
                why="nothing is watched: a row that never changes would look like a quiet device.",
                do='give HOST/DEVICE with the canonical name, as `auditor query "SELECT host, device FROM device"` lists them.',
            )

    def _listed(self, failures: Mapping[str, str]) -> Iterator[WatchRow]:
        for name in self._pairs:
            rows = [row for key, row in self._rows.items() if key[0] == name]
            if rows:
                yield from rows
                continue
            # Not found yet: the vCenters that could not be listed may have it.
            self._missed_since = self._missed_since or self._now()
            why = "; ".join(failures.values()) or "its vCenter refused the password and is not asked again"
            yield WatchRow(name, "", unread_since=self._missed_since, why=why)


def _pair(name: str) -> tuple[str, str]:
    """The host and the device of HOST/DEVICE."""
    host, slash, device = name.partition("/")
    if not (host and slash and device):
        raise ConfigurationError(
            f'"{name}" is not HOST/DEVICE', why="nothing was watched.", do="for example esx-01.example.net/naa.6f47acc100000000"
        )
    return host, device
