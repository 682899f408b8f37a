"""Kernel modules of storage adapters: their parameters, and the queue depth that follows."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as `esxcli system module parameters list` shows it."""

    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class KernelModule:
    """A driver; `depth_parameter` sets the queue depth of each device behind it, `default_depth` applies when it is not set."""

    name: str
    version: str
    parameters: tuple[Parameter, ...]
    depth_parameter: str
    default_depth: int

    def queue_depth(self, options: str) -> int:
        """Commands per device when the module was loaded with `options`.

        A parameter the module does not know, or a value that is not a number, changes nothing.
        """
        value = parse_options(options).get(self.depth_parameter, "")
        return int(value) if value.isdigit() else self.default_depth


def parse_options(options: str) -> dict[str, str]:
    """The parameters of an option string such as "ql2xmaxqdepth=255 ql2xloginretrycount=60"; the last of two equal names wins."""
    return {name: value for name, _, value in (word.partition("=") for word in options.split())}


# Names and defaults: docs/domain/facts.md#2 (and 2.1: `qlfxmaxqdepth` does not exist). Help texts are quoted there for LunQDepth,
# HostQDepth and lun_queue_depth_per_path; the others are the lab's own words.
_MODULES = (
    KernelModule(
        "iscsi_vmk",
        "1.0-1",
        (
            Parameter("iscsivmk_LunQDepth", "int", "Maximum Outstanding Commands Per LUN"),
            Parameter("iscsivmk_HostQDepth", "int", "Maximum Outstanding Commands Per Adapter"),
            Parameter("iscsivmk_InitialTcpWndSize", "int", "Initial TCP window size"),
        ),
        "iscsivmk_LunQDepth",
        128,
    ),
    KernelModule(
        "qlnativefc",
        "5.4.81.2-1",
        (
            Parameter("ql2xmaxqdepth", "int", "Maximum queue depth to report for target devices."),
            Parameter("ql2xloginretrycount", "int", "Specify an alternate value for the NVRAM login retry count."),
            Parameter("qlport_down_retry", "int", "Maximum number of command retries to a port that returns a PORT-DOWN status."),
        ),
        "ql2xmaxqdepth",
        64,
    ),
    KernelModule(
        "lpfc",
        "14.2.641.5-1",
        (
            Parameter("lpfc_lun_queue_depth", "int", "Max number of FCP commands we can queue to a specific LUN"),
            Parameter("lpfc_hba_queue_depth", "int", "Max number of FCP commands we can queue to a lpfc HBA"),
            Parameter("lpfc_tgt_queue_depth", "int", "Max number of FCP commands we can queue to a specific target port"),
        ),
        "lpfc_lun_queue_depth",
        32,
    ),
    KernelModule(
        "nfnic",
        "5.0.0.43-1",
        (Parameter("lun_queue_depth_per_path", "int", "Default = 32. Range [1 - 1024]"),),
        "lun_queue_depth_per_path",
        32,
    ),
    # The SAS adapters of a PowerVault. Neither parameters nor depth are recorded: no parameters, and 254 as the lab's choice.
    KernelModule("lsi_msgpt3", "17.00.12.00-1", (), "", 254),
)

_UNKNOWN_DEPTH = 32
"""Commands; what the lab gives devices behind a driver it does not know, whose description says nothing else."""


def module_of(driver: str) -> KernelModule:
    """The module of that name; one that the lab does not know has no parameters."""
    return MODULES.get(driver) or KernelModule(driver, "1.0-1", (), "", _UNKNOWN_DEPTH)


MODULES: Mapping[str, KernelModule] = MappingProxyType({module.name: module for module in _MODULES})
