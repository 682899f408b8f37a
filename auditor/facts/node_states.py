"""What the states of an array's nodes and controllers mean, by family: the one registry, each list with its source.

For a state that is None here, or missing, it is not known whether the node serves hosts: such an
array is neither well nor unwell. A family that is left out reports no such state: Element lists nodes that do not answer among its active
ones, and says so in its faults; of ETERNUS controllers nothing is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NOT_UPDATED = "Healthy, not updated"
"""The state of a node that was well when its state was last brought up to date, which was some time ago."""

IS_UP: Mapping[str, Mapping[str, bool | None]] = MappingProxyType(
    {
        # Node.state of netapp-ontap 9.6 to 9.19.1; what each means: endpoints/ontap/enumerations.py.
        "ontap": {
            "up": True,
            **dict.fromkeys(("booting", "down", "taken_over", "waiting_for_giveback", "degraded"), False),
            "unknown": None,
        },
        # Controller.status of py-pure-client 1.96.0: "Values include not ready, ready, unknown, and updating".
        "flasharray": {"ready": True, "not ready": False, "updating": False, "unknown": None},
        # HardwareLifecycleStateEnum of REST 4.1: Disconnected was removed; some are transient, during start and reset. Empty is a place
        # without hardware, Replaced a part that another has replaced: whether a node is missing there, it does not say.
        "powerstore": {
            "Healthy": True,
            **dict.fromkeys(("Failed", "Disconnected", "Uninitialized", "Initializing"), False),
            **dict.fromkeys(("Prepare_Failed", "Trigger_Update", "Prepare_Reset"), False),
            "Empty": None,
            "Replaced": None,
            NOT_UPDATED: None,  # made of stale_state: endpoints/powerstore/rows.py
        },
        # Controller.StatusEnum of NetApp/santricity-webapi-javasdk; Centreon's plugin takes rpaParErr and degraded for a warning.
        "eseries": {
            "optimal": True,
            **dict.fromkeys(("failed", "removed", "rpaParErr", "serviceMode", "suspended", "degraded"), False),
            "unknown": None,
        },
        # The status of a controller is Operational, Down or Not Installed, its health OK, Degraded, Fault, Unknown or N/A:
        # edingc/powervault_me5_exporter, internal/collector/controllers.go. An array may have one controller by design.
        "dothill": {
            **dict.fromkeys(("Operational", "OK"), True),
            **dict.fromkeys(("Down", "Degraded", "Fault"), False),
            **dict.fromkeys(("Not Installed", "Unknown", "N/A"), None),
        },
        # The status of every object of a Storage Center: jiuka/checkmk_dell_storage, agent_based/utils/dell_storage.py.
        "dell-sc": {"Up": True, "Down": False, "Degraded": False, "Unknown": None},
        # NsControllerState of hpe-storage/nimble-golang-sdk, which explains none of them.
        "nimble": {
            **dict.fromkeys(("active", "standby"), True),
            **dict.fromkeys(("start_active", "start_standby", "stale", "solo", "none"), None),
        },
        # Made by the plugin of clusterNodes and onlineNodes: plugins/auditor-hpe3par, node_rows.
        "3par": {"up": True, "down": False},
    }
)


def node_is_up(family: str = "family", state: str = "state") -> str:
    """SQL: whether a node of this family and state serves hosts; NULL where nobody knows."""
    branches = []
    for name, states in IS_UP.items():
        for answer in (True, False):
            words = ", ".join(f"'{word}'" for word, is_up in states.items() if is_up is answer)
            branches.append(f"WHEN {family} = '{name}' AND {state} IN ({words}) THEN {str(answer).lower()}")
    return f"CASE {' '.join(branches)} END"


def has_node_states(family: str = "family") -> str:
    """SQL: whether arrays of this family report such states; NULL where the family is not known."""
    names = ", ".join(f"'{name}'" for name in IS_UP)
    return f"{family} IN ({names})"
