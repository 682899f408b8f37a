"""The state of datastore clusters: Storage DRS settings, and the effect of its I/O metric on Storage I/O Control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor_lab.vcenter.description.datastores import AutomationDescription, PodDescription
    from auditor_lab.vcenter.state.datastores import DatastoreState

_FIRST_ID = 201


class PodState:
    """One datastore cluster.

    Attributes:
        config: fields of PodConfigInfo by their names; the nested objects are mappings of the same kind. Replaced, never changed.
        datastores: managed object ids.
    """

    def __init__(self, description: PodDescription, moid: str, datastores: tuple[str, ...]) -> None:
        self.description = description
        self.moid = moid
        self.datastores = datastores
        self.config = _described(description)

    @property
    def holds_sioc(self) -> bool:
        """Whether Storage DRS uses the I/O metric, which keeps Storage I/O Control enabled."""
        return bool(self.config["enabled"] and self.config["ioLoadBalanceEnabled"])


def default_config() -> dict[str, Any]:
    """The settings of a datastore cluster before anybody changes them.

    Source: StorageDrsPodConfigInfo, StorageDrsIoLoadBalanceConfig and StorageDrsSpaceLoadBalanceConfig in the vSphere API. It documents no
    default of the two switches and of the behaviour: those are the lab's.
    """
    return {
        "enabled": False,
        "ioLoadBalanceEnabled": False,
        "defaultVmBehavior": "manual",
        "loadBalanceInterval": 480,
        "defaultIntraVmAffinity": True,
        "spaceLoadBalanceConfig": {
            "spaceThresholdMode": "utilization",
            "spaceUtilizationThreshold": 80,
            "minSpaceUtilizationDifference": 5,
        },
        "ioLoadBalanceConfig": {
            "reservablePercentThreshold": 60,
            "reservableThresholdMode": "automated",
            "ioLatencyThreshold": 15,
            "ioLoadImbalanceThreshold": 5,
        },
        "automationOverrides": {},
    }


def pods_of(descriptions: Sequence[PodDescription], datastores: Mapping[str, DatastoreState]) -> dict[str, PodState]:
    """The datastore clusters of a vCenter by managed object id; where one uses the I/O metric, Storage I/O Control is on from the start.

    Args:
        descriptions: in the order of their ids.
        datastores: the vCenter's, by managed object id.
    """
    datastore_id = {store.description.name: moid for moid, store in datastores.items()}
    pods = {}
    for place, description in enumerate(descriptions, _FIRST_ID):
        moid = f"group-p{place}"
        pods[moid] = PodState(description, moid, tuple(datastore_id[name] for name in description.datastores))
        enforce_sioc(datastores, pods[moid])
    return pods


def pod_with(pods: Mapping[str, PodState], datastore_id: str) -> PodState | None:
    """The datastore cluster that a datastore is in."""
    return next((pod for pod in pods.values() if datastore_id in pod.datastores), None)


def enforce_sioc(datastores: Mapping[str, DatastoreState], pod: PodState) -> None:
    """Enable Storage I/O Control on every datastore that supports it, if the I/O metric is on.

    That the I/O metric enables SIOC is seen in docs/domain/incidents.md#s1; that it does so again after somebody disabled it, and how soon,
    is from memory and not verified. Source: docs/domain/facts.md#4-4 [M] and #12.
    """
    if not pod.holds_sioc:
        return
    for moid in pod.datastores:
        store = datastores[moid]
        if store.description.sioc.supported:
            store.sioc_enabled = True


def _described(about: PodDescription) -> dict[str, Any]:
    config = default_config()
    config |= {
        "enabled": about.enabled,
        "ioLoadBalanceEnabled": about.io_metric,
        "defaultVmBehavior": about.behavior,
        "loadBalanceInterval": about.interval_minutes,
        "automationOverrides": _overrides(about.automation),
    }
    config["spaceLoadBalanceConfig"]["spaceUtilizationThreshold"] = about.space_utilization_percent
    config["ioLoadBalanceConfig"] |= {
        "ioLatencyThreshold": about.io_latency_threshold_ms,
        "ioLoadImbalanceThreshold": about.io_load_imbalance_threshold,
    }
    return config


def _overrides(automation: AutomationDescription) -> Mapping[str, str]:
    modes = {
        "spaceLoadBalanceAutomationMode": automation.space_load_balance,
        "ioLoadBalanceAutomationMode": automation.io_load_balance,
        "ruleEnforcementAutomationMode": automation.rule_enforcement,
        "policyEnforcementAutomationMode": automation.policy_enforcement,
        "vmEvacuationAutomationMode": automation.vm_evacuation,
    }
    return {name: mode for name, mode in modes.items() if mode}
