"""The protocol of remediators: each reads and writes one kind of setting, and holds no policy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from auditor.model import EndpointKind, Scalar, Target

S_contra = TypeVar("S_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Reading:
    """One setting as the endpoint holds it now.

    `value` is the stored value, in the type the wire gave it; None means the setting is absent, which is a value
    of its own and equals nothing else.
    """

    value: Scalar
    pending: str | None = None  # "reboot": stored, but what runs now is still the old value
    inherited: bool | None = field(default=None, compare=False)  # it comes from a parent; None: it has none, or does not report it


class Remediator(Protocol[S_contra]):
    """Reads and writes one kind of setting over an open session.

    `kind` says which session: a `VCenter` for vCenter endpoints, an `ElementArray` for Element ones. Comparing,
    journalling and deciding are applying's part, so that no new remediator can forget them.
    """

    kind: EndpointKind

    def read(self, session: S_contra, target: Target) -> Reading:
        """The setting now, from the endpoint itself and never from a cache.

        Raises:
            EndpointError: it could not be read; `NotThereError` when the object or the option does not exist.
        """
        ...

    def write(self, session: S_contra, target: Target, value: Scalar) -> None:
        """Store `value`, once: a write that got no answer is never repeated here.

        Raises:
            RefusedError: the endpoint said no, or `value` is outside the range or type it promises to accept.
            PermissionMissingError: the account may not.
            EndpointUnreachableError: no answer; whether the value was stored is not known.
        """
        ...


@runtime_checkable
class Inheriting(Protocol[S_contra]):
    """A remediator whose settings may come from a parent; only such ones answer `Reading.inherited`."""

    def inherit(self, session: S_contra, target: Target, value: Scalar) -> None:
        """Let the setting come from its parent again; `value` is what it was when it last did, for APIs that want one.

        Raises:
            EndpointError: as `Remediator.write`.
        """
        ...


AnyRemediator = Remediator[Any]
