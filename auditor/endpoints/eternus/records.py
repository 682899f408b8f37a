"""Records of an ETERNUS DX, the same for both forms of its answers, before they become rows of fact tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """The array itself."""

    name: str
    model: str
    serial_number: str
    firmware: str


@dataclass(frozen=True, slots=True)
class Pool:
    """A RAID group or a thin provisioning pool; numbers of the one kind mean nothing to the other, so the name belongs to the id."""

    number: int
    name: str
    raid_type: str | None
    node: str | None  # CM#0; None when it has none, or it is not reported
    size_bytes: int | None

    @property
    def id(self) -> str:
        """As array_pool.pool_id."""
        return pool_id(self.number, self.name)


@dataclass(frozen=True, slots=True)
class Volume:
    """A volume; None in a field is what was not understood, and was reported as a parse error; of `pool` also that it lies on several."""

    number: int
    name: str
    status: str
    pool: str | None  # as Pool.id
    size_bytes: int | None
    uid: str | None  # 32 hexadecimal digits, as reported


@dataclass(frozen=True, slots=True)
class Host:
    """What the array calls a host: one port of a server, under the name people gave it."""

    number: int
    name: str
    initiator: str  # lower case
    kind: str  # fc | iscsi | sas
    response: str  # the host response, which stands for the operating system

    @property
    def id(self) -> str:
        """As array_host.array_host_id; numbers of FC and iSCSI hosts may be two series, so the name belongs to it."""
        return host_id(self.number, self.name)


@dataclass(frozen=True, slots=True)
class Lun:
    """A volume under a LUN."""

    lun: int
    volume: int


@dataclass(frozen=True, slots=True)
class Affinity:
    """A host sees a LUN group."""

    host: str  # as Host.id
    lun_group: int


def pool_id(number: int, name: str) -> str:
    """One id for what a volume names and what the pools are listed by."""
    return f"{number}/{name}"


def host_id(number: int, name: str) -> str:
    """One id for what an affinity names and what the hosts are listed by."""
    return f"{number}/{name}"
