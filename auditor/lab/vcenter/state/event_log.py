"""What has happened in a vCenter, as events: who did it, to what, and when.

Changes are noticed where they are kept (`Watched`, `WatchedOptions`), so that it makes no difference whether a client, a profile or a
test made them; an event that nobody asked for has no user name, as vCenter's own have (known).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from auditor.lab.vcenter.description.hosts import OptionValue

_KEPT = 10_000  # events

T = TypeVar("T")


class EventLog:
    """The events of one vCenter, oldest first, and on whose behalf things happen now."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.events: deque[Any] = deque(maxlen=_KEPT)
        self.user = ""
        self._changed = changed
        self._count = 0
        self._turn = 0
        self._last: tuple[int, object] | None = None

    def post(self, event: Any, *, once: object = None) -> None:
        """Record an event, all fields of which are set but those that every event has.

        Args:
            event: what happened.
            once: where several changes of one request are one event, what tells it from others.
        """
        if once is not None and self._last == (self._turn, once):
            return
        self._last = (self._turn, once)
        self._count += 1
        event.key = event.chainId = self._count
        event.createdTime = datetime.now(UTC)
        event.userName = self.user
        self.events.append(event)
        self._changed()

    @contextmanager
    def acting(self, user: str) -> Iterator[None]:
        """Until the block ends, what happens is done by `user`."""
        before, self.user = self.user, user
        try:
            yield
        finally:
            self.user = before
            self._turn += 1

    def on_behalf(self, do: Callable[[], Any]) -> Callable[[], Any]:
        """`do` for later, still done by whoever acts now."""
        user = self.user

        def later() -> Any:
            with self.acting(user):
                return do()

        return later


class Watched(Generic[T]):
    """An attribute whose changes its owner's `noticed` is told: the owner, the attribute's name, the value before."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> Watched[T]: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object | None, kind: type) -> T | Watched[T]:
        if owner is None:
            return self
        value: T = owner.__dict__[self._name]
        return value

    def __set__(self, owner: object, value: T) -> None:
        before = owner.__dict__.get(self._name, value)
        owner.__dict__[self._name] = value
        noticed: Noticed | None = getattr(owner, "noticed", None)
        if before != value and noticed is not None:
            noticed(owner, self._name, before)


class WatchedOptions(dict[str, "OptionValue"]):
    """Advanced options whose changes `noticed` is told: the option's name, the value before, the value now."""

    noticed: Callable[[str, Any, Any], None] | None = None

    def __setitem__(self, key: str, value: OptionValue) -> None:
        before = self.get(key)
        super().__setitem__(key, value)
        if self.noticed is not None and (before != value or type(before) is not type(value)):
            self.noticed(key, before, value)

    def update(self, other: Mapping[str, OptionValue]) -> None:  # type: ignore[override]  # a mapping is all that is ever given
        """Set many; each change is told."""
        for key, value in other.items():
            self[key] = value


Noticed = Callable[[Any, str, Any], None]
"""Told of a change: the owner, the name of what changed, the value before."""
