"""The waivers of the demo: one in force, one that has expired, so that its failures count again, and gaps that are accepted."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from auditor_lab.description import LabFleet

_VCENTER = "vc-eternus"
"""The vCenter of the scenario eternus-vaai whose hosts the waivers cover."""

_TEXT = """\
# What `auditor demo` waives. Yours lies beside fleet.yaml; docs/decisions/0010-waivers.md says what may stand in it.
waivers:
  - rule: vaai/mixed-host-scope
    resources: {{endpoint: vc-eternus, host: esx-dx-3.lab.example}}
    owner: storage team
    reason: the FibreCAT SX moves to a host of its own in the next maintenance window
    ticket: CHG-2291
    expires: {in_force:%Y-%m-%d}
  - rule: vaai/stale-workaround
    resources: {{endpoint: vc-eternus, cluster: dx80-stale}}
    owner: virtualisation team
    reason: offload stays off until the new firmware has carried a month's end
    ticket: CHG-2104
    expires: {lapsed:%Y-%m-%d}
gaps:
  - endpoint: "dx*"
    what: [pools, "hosts: *", connections]
    owner: storage team
    reason: the role Software may not show RAID groups and host affinities, and no other role shows QoS
    ticket: CHG-2310
    expires: {in_force:%Y-%m-%d}
"""


def demo_waivers(fleet: LabFleet, at: datetime) -> str | None:
    """The text of waivers.yaml for a demo that begins at `at`; None where the fleet lacks the hosts that the waivers cover."""
    if not any(vcenter.name == _VCENTER for vcenter in fleet.vcenters):
        return None
    return _TEXT.format(in_force=at + timedelta(days=45), lapsed=at - timedelta(days=7))
