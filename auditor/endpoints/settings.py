"""What can be put right: one module a setting, listed here by the name that rules use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from auditor.endpoints.common.setting import AnyRemediator

# name -> "module:class"; imported on first use, because the modules below pull in pyVmomi and httpx.
REMEDIATORS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "datastore.sioc": "auditor.endpoints.vcenter.settings.datastore_sioc:DatastoreSioc",
        "dell_sc.volume_qos_profile": "auditor.endpoints.dell_sc.settings.volume_qos_profile:DellScVolumeQosProfile",
        "device.dsnro": "auditor.endpoints.vcenter.settings.device_dsnro:DeviceDsnro",
        "element.qos_policy": "auditor.endpoints.element.settings.qos_policy:ElementQosPolicy",
        "element.volume_limits": "auditor.endpoints.element.settings.volume_limits:ElementVolumeLimits",
        "element.volume_policy": "auditor.endpoints.element.settings.volume_policy:ElementVolumePolicy",
        "element.volume_qos": "auditor.endpoints.element.settings.volume_qos:ElementVolumeQos",
        "flasharray.host_personality": "auditor.endpoints.flasharray.settings.host_personality:FlashArrayHostPersonality",
        "flasharray.volume_group_limit": "auditor.endpoints.flasharray.settings.volume_group_limit:FlashArrayVolumeGroupLimit",
        "flasharray.volume_limit": "auditor.endpoints.flasharray.settings.volume_limit:FlashArrayVolumeLimit",
        "eternus.qos_category": "auditor.endpoints.eternus.settings.qos_category:EternusQosCategory",
        "eternus.volume_qos": "auditor.endpoints.eternus.settings.volume_qos:EternusVolumeQos",
        "host.module_option": "auditor.endpoints.vcenter.settings.host_module_option:HostModuleOption",
        "host.option": "auditor.endpoints.vcenter.settings.host_option:HostOption",
        "iscsi.target_option": "auditor.endpoints.vcenter.settings.iscsi_target_option:IscsiTargetOption",
        "ontap.efficiency_schedule": "auditor.endpoints.ontap.settings.efficiency_schedule:OntapEfficiencySchedule",
        "ontap.qos_policy_limit": "auditor.endpoints.ontap.settings.qos_policy_limit:OntapQosPolicyLimit",
        "ontap.volume_qos_policy": "auditor.endpoints.ontap.settings.volume_qos_policy:OntapVolumeQosPolicy",
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
