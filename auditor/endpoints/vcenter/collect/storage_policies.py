"""Storage policies that limit I/O, and the virtual disks that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, readings
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint


def collect_storage_policies(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, _paths: Sequence[str]) -> Iterator[Facts]:
    """Yield storage_policy, storage_policy_disk and the reading of topic "storage_policies"; policies that limit nothing are left out."""
    from auditor.endpoints.vcenter.policies import PolicyService

    policies, disks = Rows("storage_policy", endpoint=endpoint.name), Rows("storage_policy_disk", endpoint=endpoint.name)
    complete = circuit.opened_by is None
    try:
        circuit.check()
        service = PolicyService(vcenter)
        for policy in service.policies():
            policies.add(policy_id=policy.id, name=policy.name, iops_limit=policy.iops_limit, is_limit_known=policy.is_limit_known)
            for machine, key in service.disks(policy):
                disks.add(policy_id=policy.id, vm_id=machine, disk_key=key)
    except EndpointError as error:
        # Not reported to the circuit: this is another service than the one that reports the rest.
        complete = False
        yield gap(endpoint, "storage policies", error)
    yield from policies.batch()
    yield from disks.batch()
    yield readings(endpoint, "", {"storage_policies": complete})
