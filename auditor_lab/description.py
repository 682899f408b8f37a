"""The description of a simulated fleet: plain data decoded from a scenario; serving it changes nothing in it."""

from __future__ import annotations

# msgspec resolves the annotations when it decodes, so these imports are needed at run time.
from dataclasses import dataclass

from auditor_lab.arrays.dell_sc.description import DellScDescription
from auditor_lab.arrays.dothill.description import DotHillDescription
from auditor_lab.arrays.element.description import ElementDescription
from auditor_lab.arrays.eseries.description import ESeriesDescription
from auditor_lab.arrays.eternus.description import EternusDescription
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.nimble.description import NimbleDescription
from auditor_lab.arrays.ontap.description import OntapDescription
from auditor_lab.arrays.powerstore.description import PowerStoreDescription
from auditor_lab.faults import Fault
from auditor_lab.vcenter.description.vcenter import VCenterDescription


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredDescription:
    """Facts that no API gives; they go into the fleet file unchanged."""

    devices: str  # glob over canonical device names
    model: str
    generation: str | None = None
    firmware: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NfsServerDescription:
    """Whose an NFS server is that hosts mount by name; it goes into the fleet file unchanged."""

    server: str  # glob over servers as mounts name them
    address: str | None = None
    family: str | None = None  # ontap | other


ArrayDescription = (
    ElementDescription
    | DellScDescription
    | FlashArrayDescription
    | OntapDescription
    | EternusDescription
    | ESeriesDescription
    | DotHillDescription
    | PowerStoreDescription
    | NimbleDescription
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabFleet:
    """Everything that one lab serves: vCenters, and arrays by kind.

    Attributes:
        faults: the troubles that are there from the start, each with the name of its endpoint.
    """

    vcenters: tuple[VCenterDescription, ...] = ()
    element: tuple[ElementDescription, ...] = ()
    dell_sc: tuple[DellScDescription, ...] = ()
    flasharray: tuple[FlashArrayDescription, ...] = ()
    ontap: tuple[OntapDescription, ...] = ()
    eternus: tuple[EternusDescription, ...] = ()
    eseries: tuple[ESeriesDescription, ...] = ()
    dothill: tuple[DotHillDescription, ...] = ()
    powerstore: tuple[PowerStoreDescription, ...] = ()
    nimble: tuple[NimbleDescription, ...] = ()
    declared: tuple[DeclaredDescription, ...] = ()
    nfs_servers: tuple[NfsServerDescription, ...] = ()
    faults: tuple[tuple[str, Fault], ...] = ()

    def __post_init__(self) -> None:
        names = [one.name for one in (*self.vcenters, *self.arrays)]
        if len(names) != len(set(names)):
            raise ValueError(f"two endpoints have one name: {sorted({name for name in names if names.count(name) > 1})}")

    @property
    def arrays(self) -> tuple[ArrayDescription, ...]:
        """The arrays of every kind."""
        return (
            *self.element,
            *self.dell_sc,
            *self.flasharray,
            *self.ontap,
            *self.eternus,
            *self.eseries,
            *self.dothill,
            *self.powerstore,
            *self.nimble,
        )
