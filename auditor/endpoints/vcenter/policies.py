"""A vCenter's storage policy service: which policies limit I/O, and which virtual disks have them. Imports pyVmomi.

The service has no login of its own: it takes the key of the session at /sdk in a SOAP header. Source: govmomi, pbm/client.go; the API
reference of PbmProfileProfileManager. Names and values of the limit: docs/domain/facts.md#4-10.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm, vmodl

from auditor.endpoints.vcenter.faults import described
from auditor.endpoints.vcenter.privileges import STORAGE_POLICIES
from auditor.endpoints.vcenter.stub import Stub
from auditor.endpoints.vcenter.translation import translated
from auditor.errors import PermissionMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

_VERSION = "pbm.version.version1"
_STORAGE = "STORAGE"
_DISK = "virtualDiskId"
_LIMITING = ("spm", "spm@DATASTOREIOCONTROL")
_LIMIT = "limit"
_COMPONENT = "com.vmware.storageprofile.dataservice"


@dataclass(frozen=True, slots=True)
class StoragePolicy:
    """A policy that limits I/O, or may.

    Attributes:
        id: its unique id.
        name: as administrators know it.
        iops_limit: I/O operations a second at 32 KiB; None when none is known.
        is_limit_known: false where a limit is no number, or a component of the policy is not listed.
    """

    id: str
    name: str
    iops_limit: int | None
    is_limit_known: bool


class PolicyService:
    """The service of one vCenter, by the session that is open there."""

    def __init__(self, vcenter: VCenter) -> None:
        self._endpoint = vcenter.endpoint
        stub = _PolicyStub(vcenter.endpoint, vcenter.stub.wire, _VERSION)
        stub.sends_key()
        with _asking(self._endpoint, "asking its storage policy service"):
            self._profiles = pbm.ServiceInstance("ServiceInstance", stub).PbmRetrieveServiceContent().profileManager

    def policies(self) -> list[StoragePolicy]:
        """The policies that limit I/O, or where that is not known.

        Raises:
            EndpointError: they could not be read.
        """
        components = {one.profileId.uniqueId: _limits(one) for one in self._listed("DATA_SERVICE_POLICY")}
        found = [_policy(one, components) for one in self._listed("REQUIREMENT")]
        return [one for one in found if one.iops_limit is not None or not one.is_limit_known]

    def disks(self, policy: StoragePolicy) -> Iterator[tuple[str, int]]:
        """The virtual disks that have the policy: (the machine's managed object id, the key of the device).

        Raises:
            EndpointError: they could not be read.
        """
        with _asking(self._endpoint, f"reading which disks have storage policy {policy.name}"):
            entities = self._profiles.PbmQueryAssociatedEntity(profile=pbm.profile.ProfileId(uniqueId=policy.id), entityType=_DISK)
        for entity in entities or ():
            machine, _, key = str(entity.key).rpartition(":")  # vm-1001:2000. Source: API reference, PbmServerObjectRef
            if entity.objectType == _DISK and machine and key.isdecimal():
                yield machine, int(key)

    def _listed(self, category: str) -> list[Any]:
        with _asking(self._endpoint, "listing storage policies"):
            kind = pbm.profile.ResourceType(resourceType=_STORAGE)
            ids = self._profiles.PbmQueryProfile(resourceType=kind, profileCategory=category)
            return list(self._profiles.PbmRetrieveContent(profileIds=ids)) if ids else []


class _PolicyStub(Stub):
    path = "/pbm/sdk"

    def sends_key(self) -> None:
        """Send the key of the session at /sdk in the header of every request."""
        self.requestContext = {"vcSessionCookie": self.wire.session_key}


@contextmanager
def _asking(endpoint: Endpoint, doing: str) -> Iterator[None]:
    """As `translated`; a refusal, which names no privilege here, names the one that is needed.

    Source: hashicorp/terraform-provider-vsphere issue 1216: a runtime fault whose text is NoPermission. That the privilege is
    StorageProfile.View: the API reference.
    """
    with translated(endpoint, doing):
        try:
            yield
        except vmodl.MethodFault as fault:
            if "NoPermission" not in described(fault):
                raise
            raise PermissionMissingError(
                f"endpoint {endpoint.name}: {doing}: NoPermission: {STORAGE_POLICIES}",
                why="which limits were set by a policy is not known.",
                do=f"give the role of {endpoint.who} the privilege {STORAGE_POLICIES}.",
            ) from None


def _policy(profile: Any, components: Mapping[str, Sequence[Any]]) -> StoragePolicy:
    """The least limit of a policy and the components that it is made of."""
    values, is_known = _limits(profile), True
    for capability in _capabilities(profile):
        if capability.id.namespace == _COMPONENT:
            is_known = is_known and capability.id.id in components
            values = [*values, *components.get(capability.id.id, ())]
    numbers = [int(str(value)) for value in values if re.fullmatch(r"-?\d+", str(value))]
    limit = min((number for number in numbers if number > 0), default=None)  # -1 is unlimited, as in StorageIOAllocationInfo
    return StoragePolicy(profile.profileId.uniqueId, profile.name, limit, is_known and len(numbers) == len(values))


def _limits(profile: Any) -> list[Any]:
    return [
        one.value
        for capability in _capabilities(profile)
        if (capability.id.namespace, capability.id.id) == _LIMITING
        for constraint in capability.constraint
        for one in constraint.propertyInstance
        if one.id == _LIMIT
    ]


def _capabilities(profile: Any) -> Iterator[Any]:
    """Every capability that a policy or component requires; one without rule sets requires none."""
    for each in getattr(getattr(profile, "constraints", None), "subProfiles", None) or ():
        yield from each.capability or ()
