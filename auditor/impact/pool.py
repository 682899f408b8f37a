"""What background work on the disks of an array costs, by the share of transfers.

Source: docs/domain/incidents.md#s3 (half of all transfers were copies; starting them less often took the disks from 80 % busy to 40 %).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auditor.impact.directions import Direction, is_size_known
from auditor.impact.interval import Interval
from auditor.impact.rows import Input, around, rounded

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Pool:
    """An aggregate and its load; every figure is None where it was not read.

    Attributes:
        transfers_per_disk: a second, the mean of its data disks.
        background_share: of all transfers those that no client asked for, 0 to 1.
        consistency_share: of all transfers the reads of consistency points, which whatever writes takes.
        only_clients_write: no background work is known to write to it, so that these reads are all for clients.
        interval_seconds: between two starts, of each relationship that copies away from it; empty where there is none, or one is not known.
    """

    endpoint: str
    name: str
    transfers_per_disk: float | None
    background_share: float | None
    consistency_share: float | None = None
    only_clients_write: bool = False
    interval_seconds: tuple[float, ...] = ()


def transfers_after(now: Interval, share: Interval, starts_left: Interval) -> Interval:
    """Transfers when work that is `share` of them starts less often.

    At best a moment has none of that work. At worst every start moves as much as it does now, so that what is left goes by the starts.

    Args:
        now: transfers, or how busy the disks are by them.
        share: of that work among all transfers, 0 to 1.
        starts_left: how often it starts after, as a share of now, 0 to 1.
    """
    return Interval(now.low * (1 - share.high), now.high * (1 - share.low * (1 - starts_left.high)))


def pool_impact(pool: Pool, disks: Sequence[str], count: int, least_interval_seconds: float | None) -> dict[str, Any]:
    """The impact of a finding about background work on a pool, as reports have it.

    Args:
        pool: the aggregate.
        disks: names of virtual disks whose volumes lie on it, the first ones.
        count: how many they are.
        least_interval_seconds: what the rule asks to be between two starts of a copy; None: the rule is about any background work.
    """
    if not pool.transfers_per_disk or pool.background_share is None:
        return {"not_computed": "the transfers of the pool's disks, or the clients' share of them, were not read"}
    now = around(pool.transfers_per_disk, 0.01)
    # Copies away from a pool only read, so reads of consistency points are none of theirs.
    stays = pool.consistency_share if least_interval_seconds or pool.only_clients_write else None
    share = Interval(0.0, max(0.0, pool.background_share - (stays or 0.0)))
    source = "background_share" if stays is None else "other_share"
    inputs = [
        Input("transfers of a disk now", now, "transfers/s", "measured", "array_pool.disk_iops"),
        Input("share of this work", share, "of transfers", "measured", f"array_pool.{source}, which has all background work"),
    ]
    left = Interval(0.0, 1.0)
    if least_interval_seconds and pool.interval_seconds:
        before = sum(1 / seconds for seconds in pool.interval_seconds)
        left = Interval(0.0, sum(1 / max(seconds, least_interval_seconds) for seconds in pool.interval_seconds) / before)
        inputs.append(Input("starts that are left", left, "of starts", "measured", "replication.interval_seconds"))
    after = transfers_after(now, share, left)
    return {
        "model": "transfers",
        "queue": f"{pool.endpoint}/{pool.name}",
        "victims": list(disks)[:_NAMED],
        "victims_count": count,
        "behind": [],
        "quantity": "transfers_per_disk",
        "direction": Direction.BETTER.value,
        "size_known": is_size_known(now, after),
        "now": rounded(now),
        "after": rounded(after),
        "worst_now": rounded(now),
        "worst_after": rounded(now),
        "inputs": [one.as_json() for one in inputs],
    }
