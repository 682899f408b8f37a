"""The state of a simulated E-Series array: its description, and what was written since the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor_lab.arrays.eseries.description import CONTROLLERS, HOST_TYPES

if TYPE_CHECKING:
    from auditor_lab.arrays.eseries.description import ESeriesDescription


class StorageSystem:
    """One storage system.

    Attributes:
        description: what it holds.
        volumes: by name, as they are now; likewise `hosts`.
        host_groups: names, new ones at the end.
        host_types: index of the type of each host, by the host's name.
        controllers: the state of each controller, by its letter.
    """

    def __init__(self, description: ESeriesDescription) -> None:
        self.description = description
        self.volumes = {one.name: one for one in description.volumes}
        self.hosts = {one.name: one for one in description.hosts}
        self.host_groups = list(description.host_groups)
        indexes = {code: index for index, code in HOST_TYPES.items()}
        self.host_types = {one.name: indexes[one.host_type] for one in description.hosts}
        self.controllers = dict.fromkeys(CONTROLLERS, "optimal")
