"""Generates a fleet of any size from a seed; equal sizes and seeds give equal fleets.

A cluster has 16 to 32 hosts and one array family. Its hosts share devices and datastores, most of them run one build, and some of them
have a setting that somebody changed, so that rules find failures. Only descriptions are made here; the objects that a host answers with
are built when a client requests them.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from auditor_lab.description import LabFleet
from auditor_lab.generated.cluster import GeneratedCluster, Surroundings
from auditor_lab.generated.element import GeneratedArray
from auditor_lab.vcenter.description.vcenter import VCenterDescription

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor_lab.generated.cluster import FleetSize
    from auditor_lab.vcenter.description.datastores import DatastoreDescription
    from auditor_lab.vcenter.description.hosts import ClusterDescription
    from auditor_lab.vcenter.description.vms import VmDescription

_SMALLEST_CLUSTER, _LARGEST_CLUSTER = 16, 32


def generate(size: FleetSize, seed: int, first: int = 1) -> LabFleet:
    """The fleet of this size that belongs to `seed`. `first` is the number of its first vCenter, which is in the names of what it has."""
    vcenters, surroundings = [], []
    for place in range(first, first + size.vcenters):
        around = Surroundings(place, size, GeneratedArray(place), [])
        hosts = size.hosts // size.vcenters + (place - first < size.hosts % size.vcenters)
        vcenters.append(_vcenter(around, hosts, Random(f"{seed}/{place}")))  # noqa: S311  a draw, not a secret
        surroundings.append(around)
    return LabFleet(
        vcenters=tuple(vcenters),
        element=tuple(around.array.description for around in surroundings if around.array.used),
        declared=tuple(declared for around in surroundings for declared in around.declared),
    )


def _vcenter(around: Surroundings, hosts: int, random: Random) -> VCenterDescription:
    """One vCenter; its clusters add to the array and the declarations of `around`."""
    clusters: list[ClusterDescription] = []
    datastores: list[DatastoreDescription] = []
    vms: list[VmDescription] = []
    for number, cluster_hosts in enumerate(_cluster_sizes(random, hosts), 1):
        cluster = GeneratedCluster(around, number, cluster_hosts, Random(random.random()))  # noqa: S311  a draw, not a secret
        clusters.append(cluster.description)
        datastores += cluster.datastores
        vms += cluster.vms()
    return VCenterDescription(
        name=f"vc-{around.place}",
        datacenter=f"dc-{around.place}",
        clusters=tuple(clusters),
        datastores=tuple(datastores),
        vms=tuple(vms),
    )


def _cluster_sizes(random: Random, hosts: int) -> Iterator[int]:
    """Sizes of 16 to 32 with the sum `hosts`; a vCenter with fewer hosts is one cluster."""
    while hosts > _LARGEST_CLUSTER:
        size = random.randint(_SMALLEST_CLUSTER, min(_LARGEST_CLUSTER, hosts - _SMALLEST_CLUSTER))
        yield size
        hosts -= size
    yield hosts
