"""Whether a host may be taken out of its cluster for a reboot now. What is not known refuses: nothing was written then."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.vcenter.steps.cluster_room import ClusterNow, HostNow

_CONNECTED, _FULLY = "connected", "fullyAutomated"
_MOST_NAMED = 3


def refusal(now: ClusterNow, *, is_ours: bool = False) -> str | None:
    """Why the host may not be rebooted now; None where it may.

    Args:
        now: the host and its cluster.
        is_ours: the host is in maintenance mode because an earlier run of auditor left it there.

    Source: docs/decisions/0029-rolling-reboot.md says which condition comes from where.
    """
    return (
        _of_host(now.host, is_ours=is_ours)
        or _of_neighbours(now)
        or (None if is_ours else _of_evacuation(now))
        or (None if is_ours else _of_room(now))
        or _of_vsan(now)
    )


def _of_host(host: HostNow, *, is_ours: bool) -> str | None:
    if host.connection != _CONNECTED:
        return f"{host.name} is {host.connection or 'in a state that vCenter does not report'}"
    if host.in_maintenance is None:
        return f"vCenter does not say whether {host.name} is in maintenance mode"
    if host.in_maintenance and not is_ours:
        return f"{host.name} is in maintenance mode, and it was not this fix that put it there; the person who did may be working on it"
    return None


def _of_neighbours(now: ClusterNow) -> str | None:
    """One host of a cluster at a time, no matter who took the other one out."""
    for other in now.others:
        if other.connection != _CONNECTED:
            return f"{other.name} of the same cluster is {other.connection or 'in an unknown state'}; one host at a time is out"
        if other.in_maintenance is not False:
            state = "in maintenance mode" if other.in_maintenance else "in an unknown state"
            return f"{other.name} of the same cluster is {state}; one host at a time is out"
    return None


def _of_evacuation(now: ClusterNow) -> str | None:
    """DRS has to move what runs on the host; a host on which nothing runs needs no DRS."""
    if not now.machines:
        return None
    many = f"{len(now.machines)} machines run on {now.host.name}"
    if now.cluster is None:
        return f"{many}, which is in no cluster: nothing moves them away"
    if now.drs is not True:
        return f"{many}, and DRS of {now.cluster} is {'off' if now.drs is False else 'not known'}: nothing moves them away"
    if now.automation != _FULLY:
        return f"{many}, and DRS of {now.cluster} is {now.automation or 'of unknown automation'}: a person has to move them"
    if now.unmoved:
        return f"DRS does not move {_names(now.unmoved)} by itself, which runs on {now.host.name}"
    return None


def _of_room(now: ClusterNow) -> str | None:
    """What runs in the cluster has to fit on the other hosts, and HA has to bear the loss of one host."""
    if not now.machines:
        return None
    if now.admission_control is None:
        return f"whether HA of {now.cluster} has to keep room is not known"
    if now.admission_control:
        if now.spare_percent is not None:
            share = -(-100 // (len(now.others) + 1))
            if now.spare_percent < share:
                return f"HA of {now.cluster} has {now.spare_percent} % to spare, and one host is {share} % of it"
        elif now.failures_borne is None:
            return f"how many hosts HA of {now.cluster} could lose is not known"
        elif now.failures_borne < 1:
            return f"HA of {now.cluster} cannot bear that one more host is out"
    every, others = (now.host, *now.others), now.others
    return _of_load(now, "MiB of memory", [host.memory_used_mib for host in every], [host.memory_mib for host in others]) or _of_load(
        now, "MHz of processors", [host.cpu_used_mhz for host in every], [host.cpu_mhz for host in others]
    )


def _of_load(now: ClusterNow, what: str, used: Sequence[int | None], room: Sequence[int | None]) -> str | None:
    """Why what is `used` on all hosts does not fit into the `room` of the others; None where it does."""
    known_used, known_room = [one for one in used if one is not None], [one for one in room if one is not None]
    if len(known_used) < len(used) or len(known_room) < len(room):
        return f"how many {what} are free on the other hosts of {now.cluster} is not known"
    if sum(known_used) > sum(known_room):
        return f"the machines of {now.cluster} use {sum(known_used)} {what}, and the other hosts have {sum(known_room)}"
    return None


def _of_vsan(now: ClusterNow) -> str | None:
    """Whether vSAN is healthy on every host of the cluster, before one of them leaves."""
    for host in (now.host, *now.others):
        if host.vsan is None:
            return f"whether {host.name} is in vSAN is not known"
        if host.vsan and host.vsan_health != "healthy":
            return f"vSAN on {host.name} is {host.vsan_health or 'in a state that could not be read'}"
    return None


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown
