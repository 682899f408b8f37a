"""What the states of an array's volumes mean, by family: the one registry, each list with its source.

For a state that is None here, or missing, it is not known whether hosts can reach the volume: such a
volume is neither well nor unwell. A family that is left out reports no such state: what an ETERNUS reports in the format for programs is a
number that no source explains.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WAITING_COPY = "copy that waits"
"""What a volume is whose array keeps it, under the name of another one, for the day on which that one is lost: no host reaches it, so that
no view counts it (staging/step_volume.sql). Source: docs/domain/arrays.md, "Copies that wait"."""

SERVES: Mapping[str, Mapping[str, bool | None]] = MappingProxyType(
    {
        # netapp-ontap, LunStatus.state: "Normal states for a LUN are online and offline. Other states indicate errors"; Volume.state:
        # client access "is supported only when volume is online and junctioned", offline and restricted block it, error is "not in a state
        # to serve data". Mixed is a FlexGroup's, of which some constituents serve. LunStatus.container_state, of the volume and aggregate:
        # "LUNs are only available when their containers are available". An SVM that is stopped serves nobody (ONTAP command reference,
        # vserver stop: "stops data access on Vservers"); of one that starts or stops nobody knows.
        "ontap": {
            "online": True,
            **dict.fromkeys(("offline", "space_error", "nvfail", "foreign_lun_error", "restricted", "error"), False),
            **dict.fromkeys(("volume_offline", "aggregate_offline", "SVM stopped", "SVM deleting"), False),
            **dict.fromkeys(("mixed", "SVM starting", "SVM stopping", "SVM initializing"), None),
        },
        # VolumeStateEnum of REST 4.1: "operating normally", "not yet ready for use", "not available", "being deleted"; and of one that is
        # ready volume.is_host_access_available (3.0), "Indicates whether the volume is available to host".
        "powerstore": {"Ready": True, "Initializing": False, "Offline": False, "no host access": False, "Destroying": None},
        # NsVolStatus of hpe-storage/nimble-golang-sdk; offline and non_writable are what a volume becomes whose pool is full
        # (performance_policy.go, SpacePolicy). It explains the others not. One that is offline as the copy of another has a word of its
        # own, which does not stand here (endpoints/nimble/rows.py).
        "nimble": {"online": True, "offline": False, "non_writable": False, "read_only": None, "login_only": None},
        # volume.status of the Element API: what is being made takes no connections, what is deleted is no volume here (step_volume). Of one
        # that is active volume.access: "No reads or writes are allowed" to one that is locked or controlled by a SnapMirror endpoint; what
        # is read-only, or the target of a pair, takes no writes of hosts, and whether that is meant, nobody knows.
        "solidfire": {
            "active": True,
            **dict.fromkeys(("init", "locked", "snapMirrorTarget"), False),
            **dict.fromkeys(("readOnly", "replicationTarget"), None),
        },
        # What was destroyed is no volume here. Volume.promotion_status: demoted "no longer accepts write requests"; likewise that of its
        # pod, "does not accept write requests". PodArrayStatus.status of this array: offline and resyncing "cannot
        # handle I/O to the pod", suspended "would transition to either online or offline soon". Realm.data_availability_status: sealed,
        # "preventing data access".
        "flasharray": {
            "active": True,
            **dict.fromkeys(("demoted", "pod demoted", "pod offline", "pod resyncing", "realm sealed"), False),
            **dict.fromkeys(("promoting", "pod promoting", "pod suspended", "pod unknown"), None),
        },
        # VolumeEx.StatusEnum of NetApp/santricity-webapi-javasdk, which explains none of them; a degraded one may serve with a drive less.
        # Offline is one that is optimal, and of which VolumeEx.offline says "currently offline".
        "eseries": {
            "optimal": True,
            "failed": False,
            "offline": False,
            **dict.fromkeys(("degraded", "impaired", "creating", "deleting"), None),
        },
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
