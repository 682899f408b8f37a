"""Path selection policies: the one that a device was claimed with, and the one that somebody set later."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.vcenter.description.devices import DeviceDescription

ROUND_ROBIN, FIXED, MOST_RECENTLY_USED = "VMW_PSP_RR", "VMW_PSP_FIXED", "VMW_PSP_MRU"

POLICIES: Mapping[str, str] = MappingProxyType(
    {
        MOST_RECENTLY_USED: "Most Recently Used (VMware)",
        ROUND_ROBIN: "Round Robin (VMware)",
        FIXED: "Fixed (VMware)",
    }
)
"""Name to label. Source: vSphere storage guide, "Path Selection Schemes"."""

HIGH_PERFORMANCE = "LB-RR"
"""What the API reports of a device that HPP claimed: its default selection scheme. That vCenter reports it here is not verified."""

DEFAULT_IOPS, DEFAULT_BYTES = 1000, 10485760
"""The defaults of round robin. Source: KB 323117, and outputs of `deviceconfig get` in public guides."""


@dataclass(frozen=True, slots=True)
class PathPolicy:
    """How a host selects among the paths of a device.

    Attributes:
        limit: what makes round robin change the path: Default | Iops | Bytes | Latency.
        preferred: name of the path that a fixed policy prefers; empty for none.
    """

    psp: str
    limit: str = "Default"
    iops: int = DEFAULT_IOPS
    bytes: int = DEFAULT_BYTES
    latency_evaluation_ms: int = 0
    sampling_ios: int = 0
    use_unoptimized: bool = False
    preferred: str = ""


@lru_cache(maxsize=1024)
def claimed(device: DeviceDescription) -> PathPolicy:
    """The policy that the device's claim rule gave it, for example by the options "policy=latency;samplingCycles=16" or "iops=1"."""
    options = dict(word.split("=", 1) for word in re.split(r"[;,]", device.psp_options) if "=" in word)
    policy = PathPolicy(device.psp if device.by_native_plugin else HIGH_PERFORMANCE)
    if options.get("policy") == "latency":
        policy = replace(
            policy,
            limit="Latency",
            latency_evaluation_ms=int(options.get("latencyEvalTime", 180000)),
            sampling_ios=int(options.get("samplingCycles", 16)),
        )
    elif "iops" in options:
        policy = replace(policy, limit="Iops", iops=int(options["iops"]))
    elif "bytes" in options:
        policy = replace(policy, limit="Bytes", bytes=int(options["bytes"]))
    return replace(policy, use_unoptimized=options.get("useANO") == "1")
