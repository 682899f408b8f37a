"""Health gates of arrays: those that a run writes to, and those that carry the devices of the hosts that it writes to. Reads only.

What an array does not report is "not known", and the report says so; it stops nothing. An array that answered before and does not any more
stops the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.array_health import read_array_health
from auditor.endpoints.common.health import ARRAY_LATENCY, Health
from auditor.errors import EndpointError
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change

SAMPLES, PAUSE_SECONDS = 3, 2.0
"""An array answers with its last moments: half a second (Element) to half a minute. One sample is a burst, as for hosts. Policy."""

LATENCY_TIMES, LATENCY_MORE_MS = 2.0, 10.0
"""It is worse when every sample is twice the highest of those before, and 10 ms more. Policy, unverified; as for hosts."""


class ArrayWatch:
    """The health of arrays as it was when this was made, and what got worse since.

    Args:
        changes: those that will be attempted.
        sessions: of the run.
        carriers: by endpoint and host: the arrays that carry its devices, as far as that is known.
        wait: how the pause between two samples passes; None: load is not judged, only controllers are.
    """

    def __init__(
        self,
        changes: Sequence[Change],
        sessions: Sessions,
        carriers: Mapping[tuple[str, str], Sequence[str]],
        wait: Callable[[float], None] | None,
    ) -> None:
        self._sessions, self._carriers, self._wait = sessions, carriers, wait
        self._unknown: dict[str, str] = {}  # sentence without its end, by array
        self._before: dict[str, list[Health]] = {}
        for name in self._arrays(changes):
            try:
                self._before[name] = self._samples(name, SAMPLES)
            except EndpointError as error:
                self._unknown[name] = f"its health could not be read: {error.what}"

    @property
    def unknown(self) -> list[str]:
        """A sentence for each array about which something was not known."""
        end = "what got worse there would not have stopped the run"
        return [f"Health of array {name}: {why}; {end}." for name, why in sorted(self._unknown.items())]

    def worse(self, changes: Sequence[Change]) -> list[str]:
        """What got worse since the run began, of all arrays that `changes` reach, a sentence each; empty where nothing did."""
        found: list[str] = []
        for name in self._arrays(changes):
            before = self._before.get(name)
            if before is None:
                continue
            try:
                now = self._samples(name, 1)
                if self._is_slower(before, now):
                    now += self._samples(name, SAMPLES - 1, after_pause=True)
            except EndpointError as error:
                found.append(f"array {name} was asked before, and cannot be asked any more: {error.what}")
                continue
            found += self._compared(name, before, now)
        return found

    def _arrays(self, changes: Iterable[Change]) -> list[str]:
        """The arrays that changes reach, each once."""
        names: dict[str, None] = {}
        for change in changes:
            endpoint = change.target.endpoint
            if endpoint_type(self._sessions.endpoint(endpoint).kind).is_array:
                names[endpoint] = None
            else:
                names |= dict.fromkeys(self._carriers.get((endpoint, dict(change.target.keys).get("host_id", "")), ()))
        return list(names)

    def _samples(self, name: str, number: int, *, after_pause: bool = False) -> list[Health]:
        session = self._sessions.session(name)
        samples: list[Health] = []
        for place in range(number if self._wait is not None else 1):
            if self._wait is not None and (place or after_pause):
                self._wait(PAUSE_SECONDS)
            samples.append(read_array_health(session, with_volumes=self._wait is not None))
        return samples

    def _compared(self, name: str, before: Sequence[Health], now: Sequence[Health]) -> list[str]:
        found = []
        for gate, good in before[-1].good.items():
            lost = sorted(good - now[-1].good.get(gate, frozenset())) if gate not in now[-1].unknown else []
            if lost:
                found.append(f"array {name} lost {lost[0]}{f' and {len(lost) - 1} more' if len(lost) > 1 else ''} ({gate})")
        if self._is_slower(before, now):
            was, is_now = max(_latencies(before)), max(_latencies(now))
            found.append(f"latency of array {name} rose from {was:.1f} ms to {is_now:.1f} ms")
        unknown = {**before[-1].unknown, **now[-1].unknown}
        if unknown:
            self._unknown[name] = "; ".join(f"{gate} not known, {why}" for gate, why in sorted(unknown.items()))
        elif self._wait is None:
            self._unknown[name] = f"{ARRAY_LATENCY} not known, as no time was given to settle"
        return found

    @staticmethod
    def _is_slower(before: Sequence[Health], now: Sequence[Health]) -> bool:
        """Whether every sample shows it; False where one does not show it."""
        was, is_now = _latencies(before), _latencies(now)
        if not was or len(is_now) < len(now):
            return False
        return min(is_now) > max(LATENCY_TIMES * max(was), max(was) + LATENCY_MORE_MS)


def _latencies(samples: Sequence[Health]) -> list[float]:
    return [sample.figures[ARRAY_LATENCY] for sample in samples if ARRAY_LATENCY in sample.figures]
