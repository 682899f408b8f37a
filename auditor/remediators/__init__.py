"""What can be put right: one module a setting, listed here by the name that rules use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from auditor.remediators.protocol import AnyRemediator

# name -> "module:class"; imported on first use, because the modules below pull in pyVmomi and httpx.
REMEDIATORS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "datastore.sioc": "auditor.remediators.datastore_sioc:DatastoreSioc",
        "dell_sc.volume_qos_profile": "auditor.remediators.dell_sc_volume_qos_profile:DellScVolumeQosProfile",
        "device.dsnro": "auditor.remediators.device_dsnro:DeviceDsnro",
        "element.qos_policy": "auditor.remediators.element_qos_policy:ElementQosPolicy",
        "element.volume_limits": "auditor.remediators.element_volume_limits:ElementVolumeLimits",
        "element.volume_policy": "auditor.remediators.element_volume_policy:ElementVolumePolicy",
        "element.volume_qos": "auditor.remediators.element_volume_qos:ElementVolumeQos",
        "flasharray.host_personality": "auditor.remediators.flasharray_host_personality:FlashArrayHostPersonality",
        "flasharray.volume_group_limit": "auditor.remediators.flasharray_volume_group_limit:FlashArrayVolumeGroupLimit",
        "flasharray.volume_limit": "auditor.remediators.flasharray_volume_limit:FlashArrayVolumeLimit",
        "eternus.qos_category": "auditor.remediators.eternus_qos_category:EternusQosCategory",
        "eternus.volume_qos": "auditor.remediators.eternus_volume_qos:EternusVolumeQos",
        "host.module_option": "auditor.remediators.host_module_option:HostModuleOption",
        "host.option": "auditor.remediators.host_option:HostOption",
        "iscsi.target_option": "auditor.remediators.iscsi_target_option:IscsiTargetOption",
        "ontap.efficiency_schedule": "auditor.remediators.ontap_efficiency_schedule:OntapEfficiencySchedule",
        "ontap.qos_policy_limit": "auditor.remediators.ontap_qos_policy_limit:OntapQosPolicyLimit",
        "ontap.volume_qos_policy": "auditor.remediators.ontap_volume_qos_policy:OntapVolumeQosPolicy",
    }
)


def remediator_names() -> tuple[str, ...]:
    """Every name a rule's `fix.remediator` may use, sorted; nothing is imported."""
    return tuple(sorted(REMEDIATORS))


@cache
def remediator_for(name: str) -> AnyRemediator:
    """The remediator of that name.

    Raises:
        ConfigurationError: no remediator has that name, for example because the plan was made by a newer auditor.
    """
    from importlib import import_module

    from auditor.errors import ConfigurationError

    if name not in REMEDIATORS:
        raise ConfigurationError(
            f"no remediator is called {name!r}",
            why="the change cannot be made, nor read back, by this version.",
            do=f"use one of: {', '.join(remediator_names())}.",
        )
    module, _, attribute = REMEDIATORS[name].partition(":")
    remediator: AnyRemediator = getattr(import_module(module), attribute)()
    return remediator
