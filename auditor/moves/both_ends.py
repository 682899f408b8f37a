"""What Storage I/O Control, Storage DRS, QoS and the load of both ends have against a move, and who copies for how long."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.impact.move import READS_OF_A_COPY
from auditor.moves.ends import COPY_COMMAND_BYTES
from auditor.moves.reasons import Reason, Sort
from auditor.moves.time import DEFAULT_RATE
from auditor.text.sizes import bytes_text, rate_text, span_text

if TYPE_CHECKING:
    from auditor.moves.ends import Move, Store
    from auditor.moves.offload import Offload
    from auditor.moves.time import Estimate

SLOW_MS = 30.0
"""A command that takes this long counts as slow: Storage I/O Control's own default by hand. Source: docs/domain/facts.md#4-1."""
LONG_SECONDS = 3600.0
"""A copy by the hosts that takes longer belongs outside of busy hours. Policy: incident S1's took hours, and nobody had asked before."""


def of_vsphere(move: Move) -> Iterator[Reason]:
    """Storage I/O Control and Storage DRS of both ends."""
    target = move.target
    for store, end in (*((one, "source") for one in move.sources), (target, "target")):
        if store.sioc_active_percent:
            text = f"Storage I/O Control held {store.name} back for {store.sioc_active_percent:.0f} % of the last five minutes."
            do = "Find what it holds back before more is asked of that datastore: rule sioc/active-time."
            yield Reason(
                "sioc-active", Sort.AGAINST, f"Storage I/O Control is active on the {end}", text, do, "docs/domain/incidents.md#s1"
            )
    if target.sioc_enabled:
        yield from _sioc(target)
    elif target.io_metric_in_force and target.has_array_qos:
        text = f"The I/O metric of {target.pod} switches on Storage I/O Control of {target.name}, beside the array's QoS ({target.qos})."
        do = "Switch the I/O metric off first: rule sdrs/io-metric-off."
        yield Reason("io-metric", Sort.AGAINST, "Storage DRS's I/O metric beside array QoS", text, do, "docs/domain/facts.md#4-4")
    if target.moves_by_itself:
        text = f"Storage DRS of {target.pod} moves machines by itself: it may move this one again."
        do = "Set the datastore cluster, or the machine in it, to manual until the array has settled: rule sdrs/manual-on-tiering."
        yield Reason("sdrs-target", Sort.AGAINST, "Storage DRS may move it again", text, do, "docs/domain/facts.md#4-5")
    for store in move.sources:
        if store.moves_by_itself:
            text = f"Storage DRS of {store.pod} moves machines by itself, also off or onto {store.name} while this copy runs."
            do = "Set it to manual for the time of the move."
            yield Reason("sdrs-source", Sort.NOTE, "Storage DRS works on the source", text, do, "docs/domain/facts.md#4-4")


def _sioc(target: Store) -> Iterator[Reason]:
    why = []
    is_tiered = target.family in ("dell-sc", "dothill") and (target.tiers or 0) > 1
    if is_tiered:
        why.append(f"its array moves blocks between {target.tiers} tiers")
    if target.has_array_qos:
        why.append(f"its array limits it as well ({target.qos})")
    if not why:
        return
    metric = f", the I/O metric of {target.pod} first, which switches it on" if target.io_metric_in_force else ""
    text = (
        f"Storage I/O Control of {target.name} is on, and {' and '.join(why)}: it takes a slow tier or the array's own limit for "
        "congestion, and holds every host back."
    )
    do = f"Switch it off there{metric}: rules sioc/auto-tiering, sioc/overlap-array-qos, sdrs/io-metric-off (`auditor audit --fix`)."
    where = "an auto-tiered target" if is_tiered else "a target with array QoS"
    yield Reason("sioc", Sort.AGAINST, f"Storage I/O Control on {where}", text, do, "docs/domain/facts.md#4-5")


def of_array(move: Move, *, is_offloaded: bool | None) -> Iterator[Reason]:
    """The arrays' ceilings and priorities, and how slow both ends are now."""
    if not is_offloaded:
        for store, end in ((move.target, "target"), *((one, "source") for one in move.sources)):
            yield from _cap(store, end)
    target = move.target
    if target.priority and "Low" in target.priority.split(", "):
        text = f"The array serves {target.name} with the relative priority {target.priority}: others go before it."
        do = "Give its volume a profile of the usual priority for the time of the move: rule qos/sc-profile-priority."
        yield Reason("priority", Sort.AGAINST, f"relative priority {target.priority}", text, do, "docs/domain/facts.md#4-6")
    elif target.priority and target.latency_ms and target.latency_threshold_ms and target.latency_ms > target.latency_threshold_ms:
        text = (
            f"Above {target.latency_threshold_ms:.0f} ms the array serves volumes by their relative priority. That of {target.name} is "
            f"{target.priority}, and a command there takes {target.latency_ms:.0f} ms now: the array may hold it back below its cap."
        )
        do = "Take the profile off its volume for the time of the move: rule qos/sc-profile-priority."
        yield Reason("priority", Sort.AGAINST, f"relative priority {target.priority}", text, do, "docs/domain/facts.md#4-6")
    for store, end in ((target, "target"), *((one, "source") for one in move.sources)):
        if store.latency_ms is not None and store.latency_ms >= SLOW_MS:
            text = f"A command on {store.name} takes {store.latency_ms:.0f} ms now, before the copy begins."
            if move.running is not None:
                text = f"A command on {store.name} takes {store.latency_ms:.0f} ms now, with the copy."
            do = "Find the cause first (rules diag/davg, diag/kavg): a copy makes it slower."
            yield Reason("slow", Sort.AGAINST, f"the {end} is slow now", text, do, "docs/domain/facts.md#4-1")


def _cap(store: Store, end: str) -> Iterator[Reason]:
    cap = store.ceiling
    if not cap or cap >= DEFAULT_RATE.high:
        return
    wait = READS_OF_A_COPY * COPY_COMMAND_BYTES / cap * 1000
    text = (
        f"The array's QoS leaves {store.name} {rate_text(cap)} ({store.qos}), and a copy takes all it gets: at the cap its 32 "
        f"commands take {wait:.0f} ms each, and those of other machines wait among them."
    )
    do = "Take the cap off its volume for the time of the move, or move in a quiet hour."
    yield Reason(f"cap-{end}", Sort.AGAINST, f"a cap of {rate_text(cap)} on the {end}", text, do, "docs/domain/incidents.md#s1")


def of_copy(offload: Offload, took: Estimate) -> Iterator[Reason]:
    """Who copies, and for how long."""
    if offload.is_certain is False:
        text = f"The hosts copy every block. For the array to copy it would take {'; '.join(one.text for one in offload.failed)}."
        do = "Nothing to set: reckon with links, host queues and both arrays carrying it."
        yield Reason("not-offloaded", Sort.NOTE, "no offload", text, do, offload.failed[0].source)
    if took.seconds is None:
        return
    if took.seconds.high > LONG_SECONDS:
        is_sure = took.seconds.low > LONG_SECONDS
        text = f"Copying {bytes_text(took.size.high)} takes {span_text(took.seconds.low, took.seconds.high)}, by {took.why}."
        do = "Move the small machines of that source first, then this one alone, outside of busy hours; `auditor watch` shows both ends."
        if math.isinf(took.size.high) and not is_sure:
            text, do = (
                "How much is copied was not read, so how long it takes is not known either.",
                "Look in vCenter how much the machine uses.",
            )
            yield Reason("long-unknown", Sort.UNREAD, "how long it takes", text, do)
            return
        yield Reason("long", Sort.AGAINST, span_text(took.seconds.low, took.seconds.high), text, do, took.source)
