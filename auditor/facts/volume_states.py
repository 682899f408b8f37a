"""What the states of an array's volumes mean, by family: the one registry, each list with its source.

For a state that is None here, or missing, it is not known whether hosts can reach the volume: such a
volume is neither well nor unwell. A family that is left out reports no such state: of a FlashArray's volume it is known only whether it was
destroyed, and what an ETERNUS reports in the format for programs is a number that no source explains.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SERVES: Mapping[str, Mapping[str, bool | None]] = MappingProxyType(
    {
        # netapp-ontap, LunStatus.state: "Normal states for a LUN are online and offline. Other states indicate errors"; Volume.state:
        # client access "is supported only when volume is online and junctioned", offline and restricted block it, error is "not in a state
        # to serve data". Mixed is a FlexGroup's, of which some constituents serve.
        "ontap": {
            "online": True,
            **dict.fromkeys(("offline", "space_error", "nvfail", "foreign_lun_error", "restricted", "error"), False),
            "mixed": None,
        },
        # VolumeStateEnum of REST 4.1: "operating normally", "not yet ready for use", "not available", "being deleted".
        "powerstore": {"Ready": True, "Initializing": False, "Offline": False, "Destroying": None},
        # NsVolStatus of hpe-storage/nimble-golang-sdk; offline and non_writable are what a volume becomes whose pool is full
        # (performance_policy.go, SpacePolicy). It explains the others not. One that is offline as the copy of another has a word of its
        # own, which does not stand here (endpoints/nimble/rows.py).
        "nimble": {"online": True, "offline": False, "non_writable": False, "read_only": None, "login_only": None},
        # volume.status of the Element API: what is being made takes no connections, what is deleted is no volume here (step_volume).
        "solidfire": {"active": True, "init": False},
        # VolumeEx.StatusEnum of NetApp/santricity-webapi-javasdk, which explains none of them; a degraded one may serve with a drive less.
        "eseries": {"optimal": True, "failed": False, **dict.fromkeys(("degraded", "impaired", "creating", "deleting"), None)},
        # The status of every object of a Storage Center: jiuka/checkmk_dell_storage, agent_based/utils/dell_storage.py.
        "dell-sc": {"Up": True, "Down": False, "Degraded": None, "Unknown": None},
        # The health of a volume, edingc/powervault_me5_exporter: whether one that is not OK serves, it does not say.
        "dothill": {"OK": True, **dict.fromkeys(("Degraded", "Fault", "Unknown", "N/A"), None)},
        # CPGState of the Ruby SDK, which its model of a volume names, and which explains none of them.
        "3par": {"normal": True, **dict.fromkeys(("degraded", "failed", "unknown"), None)},
    }
)


def volume_serves(family: str = "family", state: str = "state") -> str:
    """SQL: whether hosts get at a volume of this family and state; NULL where nobody knows."""
    branches = []
    for name, states in SERVES.items():
        for answer in (True, False):
            words = ", ".join(f"'{word}'" for word, serves in states.items() if serves is answer)
            if words:
                branches.append(f"WHEN {family} = '{name}' AND {state} IN ({words}) THEN {str(answer).lower()}")
    return f"CASE {' '.join(branches)} END"
