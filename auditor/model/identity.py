"""Who an endpoint is, by what it says of itself; its name in fleet.yaml is a label that may be moved to another."""

from __future__ import annotations

SEPARATOR = ", "
"""Between the parts of an identity: a Dell Storage Manager speaks for several Storage Centers, and each has a serial number."""


def parts(identity: str) -> frozenset[str]:
    """What an identity consists of: one id, or the serial number of each array behind one address."""
    return frozenset(identity.casefold().split(SEPARATOR)) - {""}


def joined(ids: list[str]) -> str | None:
    """One identity of several ids, whatever their order; None where there is none."""
    return SEPARATOR.join(sorted(dict.fromkeys(ids))) or None


def is_same(one: str, other: str) -> bool:
    """Whether two identities are of one endpoint: they share a part. A Storage Center that was added makes no other endpoint."""
    return not parts(one).isdisjoint(parts(other))
