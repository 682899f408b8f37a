"""Settings of devices as esxcli commands: DSNRO, path policy, queue-full values, the mark of a permanent reservation.

Source: docs/domain/facts.md#1-1, #1-2, #1-3, #5-9; VMware KB 311232; ESXCLI reference, storage core device set and setconfig, storage nmp
device set, storage nmp psp roundrobin deviceconfig get and set.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.commands import Form, Helper, NoCommandError

if TYPE_CHECKING:
    from auditor.endpoints.common.commands import Dialect
    from auditor.model import Scalar, Target

_LIST, _SET = "storage core device list", "storage core device set"

_PATH_POLICY = Helper(
    "path_policy",
    """\
# Prints how the paths of a device are chosen, as the plan says it: path_policy DEVICE
path_policy() {
  policy=$(field PathSelectionPolicy storage nmp device list --device="$1")
  if [ "$policy" != VMW_PSP_RR ]; then
    printf '%s\\n' "$policy"
    return
  fi
  limit=$(field LimitType storage nmp psp roundrobin deviceconfig get --device="$1")
  case $limit in
    Latency) printf '%s, latency\\n' "$policy" ;;
    Bytes) printf '%s, bytes %s\\n' "$policy" "$(field ByteLimit storage nmp psp roundrobin deviceconfig get --device="$1")" ;;
    *) printf '%s, iops %s\\n' "$policy" "$(field IOOperationLimit storage nmp psp roundrobin deviceconfig get --device="$1")" ;;
  esac
}
""",
    "Get-PathPolicy",
    """\
# How the paths of a device are chosen, as the plan says it.
function Get-PathPolicy($device) {
    $policy = $esxcli.storage.nmp.device.list.Invoke(@{ device = $device }).PathSelectionPolicy
    if ($policy -cne 'VMW_PSP_RR') { return $policy }
    $config = $esxcli.storage.nmp.psp.roundrobin.deviceconfig.get.Invoke(@{ device = $device })
    switch ($config.LimitType) {
        'Latency' { return "$policy, latency" }
        'Bytes' { return "$policy, bytes $($config.ByteLimit)" }
        default { return "$policy, iops $($config.IOOperationLimit)" }
    }
}
""",
)

_QUEUE_FULL = Helper(
    "queue_full",
    """\
# Prints what devices do when their array answers QUEUE FULL, as the plan says it: queue_full DEVICE...
queue_full() {
  for device in "$@"; do
    sample=$(field QueueFullSampleSize storage core device list --device="$device")
    threshold=$(field QueueFullThreshold storage core device list --device="$device")
    if [ "$sample" = 0 ]; then echo 'as the host'; else printf '%s/%s\\n' "$sample" "$threshold"; fi
  done | sort -u | awk 'NR > 1 { printf ", " } { printf "%s", $0 }'
}
""",
    "Get-QueueFull",
    """\
# What devices do when their array answers QUEUE FULL, as the plan says it.
function Get-QueueFull {
    $found = foreach ($device in $args) {
        $now = $esxcli.storage.core.device.list.Invoke(@{ device = $device })
        if ("$($now.QueueFullSampleSize)" -eq '0') { 'as the host' } else { "$($now.QueueFullSampleSize)/$($now.QueueFullThreshold)" }
    }
    ($found | Sort-Object -Unique) -join ', '
}
""",
)

_ROUND_ROBIN = re.compile(r"VMW_PSP_RR, (?:latency|iops ([1-9][0-9]{0,5}))")
_SAMPLE_AND_THRESHOLD = re.compile(r"([1-9][0-9]?)/([1-9][0-9]?)")


def dsnro(target: Target, dialect: Dialect) -> Form:
    """device.dsnro: DSNRO of one device."""
    device: dict[str, Scalar] = {"device": target["device"]}

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 1:
            raise NoCommandError(f"DSNRO cannot be {wanted!r}")
        return (dialect.esxcli(_SET, device | {"sched-num-req-outstanding": wanted}),)

    return Form(dialect.field("NoofoutstandingIOswithcompetingworlds", _LIST, device), commands)


def perennially_reserved(target: Target, dialect: Dialect) -> Form:
    """device.perennially_reserved: whether a host treats the reservation of one device as permanent."""
    device: dict[str, Scalar] = {"device": target["device"]}

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        if not isinstance(wanted, bool):
            raise NoCommandError(f"the mark cannot be {wanted!r}")
        return (dialect.esxcli("storage core device setconfig", device | {"perennially-reserved": wanted}),)

    return Form(dialect.field("IsPerenniallyReserved", _LIST, device), commands)


def queue_full(target: Target, dialect: Dialect) -> Form:
    """device.queue_full: what some devices do when their array answers QUEUE FULL."""
    devices = sorted(target["devices"].split())

    def commands(_now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        match = _SAMPLE_AND_THRESHOLD.fullmatch(wanted) if isinstance(wanted, str) else None
        if match is None and wanted != "as the host":
            raise NoCommandError(f"the devices differed, {wanted}, and which had what the plan does not say")
        sample: dict[str, Scalar] = {"queue-full-sample-size": int(match[1]) if match else 0}
        numbers = sample | ({"queue-full-threshold": int(match[2])} if match else {})
        return tuple(dialect.esxcli(_SET, {"device": device} | numbers) for device in devices)

    return Form(dialect.call(_QUEUE_FULL, *devices), commands, (_QUEUE_FULL,))


def path_policy(target: Target, dialect: Dialect) -> Form:
    """device.path_policy: how the paths of one device are chosen."""
    device: dict[str, Scalar] = {"device": target["device"]}

    def commands(now: Scalar, wanted: Scalar) -> tuple[str, ...]:
        match = _ROUND_ROBIN.fullmatch(wanted) if isinstance(wanted, str) else None
        if match is None and wanted != "VMW_PSP_MRU":
            raise NoCommandError(f"what belongs to {wanted}, such as a preferred path, is not in the plan")
        psp = "VMW_PSP_RR" if match else "VMW_PSP_MRU"
        lines = [] if str(now).partition(",")[0] == psp else [dialect.esxcli("storage nmp device set", device | {"psp": psp})]
        if match is not None:
            limit: dict[str, Scalar] = {"type": "iops", "iops": int(match[1])} if match[1] else {"type": "latency"}
            lines.append(dialect.esxcli("storage nmp psp roundrobin deviceconfig set", device | limit))
        return tuple(lines)

    return Form(dialect.call(_PATH_POLICY, target["device"]), commands, (_PATH_POLICY,))
