"""What a rule's file says of its failures besides the verdict: which queues they are about, and which load shows them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ImpactScope(StrEnum):
    """What the id of a finding's resource names."""

    DEVICE = "device"  # host_id/device
    DRIVER = "driver"  # host_id/driver: all queues of it
    ENDPOINTS = "endpoints"  # host_id: its protocol endpoints
    DATASTORE = "datastore"  # datastore_id, or datastore_id/host_id
    DISK = "disk"  # vm_id/disk
    VOLUME = "volume"  # an array's volume_id
    POOL = "pool"  # an array's pool_id
    COPY = "copy"  # an array's replication_id
    MOVE = "move"  # a task of vCenter that moves a machine


class Cure(StrEnum):
    """What a fix changes."""

    DSNRO = "dsnro"
    QUEUE_DEPTH = "queue_depth"
    BOTH = "both"  # both depths to the same value
    NO_SIOC = "no_sioc"
    HOST_LIMIT = "host_limit"  # limits on the host: what is over them waits in each disk's own queue


@dataclass(frozen=True, slots=True)
class ImpactModel:
    """How the queue model understands failures of a rule.

    Attributes:
        cure: what the fix changes; None of a pool, a copy or a move.
        value: the depth, in commands, that the fix sets where the finding itself has no number; None: all commands under way are to fit.
    """

    scope: ImpactScope
    cure: Cure | None = None
    value: float | None = None


class Lesson(StrEnum):
    """What a load shows. The lessons are those of the five incidents."""

    THROTTLED_NEIGHBOUR = "throttled neighbour"  # docs/domain/incidents.md#s0
    SIOC_AGAINST_QOS = "Storage I/O Control against array QoS"  # docs/domain/incidents.md#s1
    QUEUE_DEPTH = "queue depth"  # docs/domain/incidents.md#s2
    BACKGROUND = "background work"  # docs/domain/incidents.md#s3
    OFFLOAD = "hardware offload"  # docs/domain/incidents.md#s4


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Which load shows failures of a rule, or why none does.

    Attributes:
        lesson: what a load shows; None: no load shows it.
        endpoint_lesson: what a load shows where the finding is about a protocol endpoint; None: the same lesson.
        why_not: why no load shows it, as a sentence; "" where one does.
    """

    lesson: Lesson | None = None
    endpoint_lesson: Lesson | None = None
    why_not: str = ""
