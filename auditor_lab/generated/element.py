"""The Element cluster behind each vCenter of a generated fleet."""

from __future__ import annotations

import uuid

from auditor_lab.arrays.element.description import (
    VVOL_NAMESPACE,
    ContainerDescription,
    ElementDescription,
    NodeDescription,
    QosPolicyDescription,
    VolumeDescription,
    VvolDescription,
)
from auditor_lab.generated.families import SOLIDFIRE, described_device
from auditor_lab.scenario_expansion import array_host_id
from auditor_lab.vcenter.description.devices import DeviceDescription
from auditor_lab.vcenter.description.vms import DiskDescription

NODES = 2  # of the Element cluster behind a vCenter; each has a protocol endpoint


class GeneratedArray:
    """The Element cluster behind a vCenter; the vCenter's clusters add volumes and machines to it."""

    def __init__(self, place: int) -> None:
        self.shell = ElementDescription(
            name=f"sf-{place}",
            unique_id=f"{place:04x}",
            nodes=tuple(NodeDescription(number, f"sf-{place}-node-{number}") for number in range(1, NODES + 1)),
        )
        self.volumes: list[VolumeDescription] = []
        self.containers: list[ContainerDescription] = []
        self.vvols: list[VvolDescription] = []

    @property
    def used(self) -> bool:
        """Whether any cluster uses it."""
        return bool(self.containers)

    @property
    def description(self) -> ElementDescription:
        """The description of the array with everything added so far."""
        shell = self.shell
        policies = (
            QosPolicyDescription("Bronze", 25, 1000, 2000),  # 25 is below the documented minimum of 50 (docs/domain/facts.md#6-5)
            QosPolicyDescription("Silver", 50, 1500, 3000),
            QosPolicyDescription("Gold", 100, 3000, 6000),
        )
        return ElementDescription(
            name=shell.name,
            unique_id=shell.unique_id,
            nodes=shell.nodes,
            qos_policies=policies,
            volumes=tuple(self.volumes),
            containers=tuple(self.containers),
            vvols=tuple(self.vvols),
        )

    def volume(self, name: str, policy: str | None) -> DeviceDescription:
        """Add a volume; return the device that hosts see."""
        self.volumes.append(VolumeDescription(name, policy=policy))
        number = len(self.volumes)
        return described_device(SOLIDFIRE, self.shell.volume_naa(number), (f"{self._prefix}.{name}.{number}",), size_bytes=1 << 40)

    def endpoint(self, node: int) -> DeviceDescription:
        """The protocol endpoint of a node."""
        return described_device(SOLIDFIRE, self.shell.pe_naa(node), (f"{self._prefix}.pe.{node}",), size_bytes=512, protocol_endpoint=True)

    def container(self, name: str) -> str:
        """Add a storage container; return its id."""
        self.containers.append(ContainerDescription(name, str(uuid.uuid5(VVOL_NAMESPACE, f"{self.shell.unique_id}/{name}"))))
        return self.containers[-1].id or ""

    def machine(self, name: str, host: str, container: str, policy: str) -> DiskDescription:
        """Add the vVols of a machine to a container: its configuration and one disk; return the disk."""
        ids = [str(uuid.uuid5(VVOL_NAMESPACE, f"{self.shell.unique_id}/{container}/{one}")) for one in (name, f"{name}.vmdk")]
        bound = (array_host_id(host),)
        self.vvols.append(VvolDescription(name, container, "Config", 4 << 30, policy, id=ids[0], bound_by=bound))
        self.vvols.append(VvolDescription(f"{name}.vmdk", container, policy=policy, id=ids[1], bound_by=bound))
        return DiskDescription(datastore=container, backing_object_id=f"rfc4122.{ids[1]}", folder=f"rfc4122.{ids[0]}")

    @property
    def _prefix(self) -> str:
        return f"iqn.2010-01.com.solidfire:{self.shell.unique_id}"
