"""The events of a vCenter, and attributes that report their changes to it.

Changes are noticed where values are stored (`Watched`, `WatchedOptions`), so it makes no difference whether a client, a profile or a test
makes them. An event that no user caused has no user name, as in vCenter (known).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.hosts import OptionValue

_KEPT = 10_000  # events

T = TypeVar("T")


class EventLog:
    """The events of one vCenter, oldest first, and the user on whose behalf things happen now."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.events: deque[Any] = deque(maxlen=_KEPT)
        self.user = ""
        self._changed = changed
        self._count = 0
        self._turn = 0
        self._last: tuple[int, object] | None = None

    def post(self, event: Any, *, once: object = None) -> None:
        """Record an event; sets the fields that every event has.

        Args:
            event: with all other fields set.
            once: where several changes of one request are one event, a key that identifies it.
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
    def acting_as(self, user: str) -> Iterator[None]:
        """Attribute everything that happens in the block to `user`."""
        before, self.user = self.user, user
        try:
            yield
        finally:
            self.user = before
            self._turn += 1

    def as_current_user(self, do: Callable[[], Any]) -> Callable[[], Any]:
        """`do` for later, attributed to the current user."""
        user = self.user

        def later() -> Any:
            with self.acting_as(user):
                return do()

        return later


class Watched(Generic[T]):
    """An attribute that reports its changes to its owner's `on_change`: the owner, the attribute's name, the old value."""

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
        on_change: OnChange | None = getattr(owner, "on_change", None)
        if before != value and on_change is not None:
            on_change(owner, self._name, before)


class WatchedOptions(dict[str, "OptionValue"]):
    """Advanced options that report their changes to `on_change`: the option's name, the old value, the new value."""

    on_change: Callable[[str, Any, Any], None] | None = None

    def __setitem__(self, key: str, value: OptionValue) -> None:
        before = self.get(key)
        super().__setitem__(key, value)
        if self.on_change is not None and (before != value or type(before) is not type(value)):
            self.on_change(key, before, value)

    def update(self, other: Mapping[str, OptionValue]) -> None:  # type: ignore[override]  # a mapping is all that is ever given
        """Set several options; each change is reported."""
        for key, value in other.items():
            self[key] = value


OnChange = Callable[[Any, str, Any], None]
"""Called for a change; arguments: the owner, the name of what changed, the old value."""
