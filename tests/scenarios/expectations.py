"""What experts expect of a scenario, read from expected/, and what an audit found, in the same words."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from auditor_lab.array_devices import volume_devices
from auditor_lab.arrays.element.description import ElementDescription
from auditor_lab.arrays.ontap.description import OntapDescription
from auditor_lab.description import ArrayDescription, LabFleet
from auditor_lab.scenario import load_scenario

FOLDER = Path(__file__).parent / "expected"


@dataclass(frozen=True)
class Finding:
    """A verdict on one resource, as a storage engineer would say it."""

    rule: str
    resource: str  # "HOST / NAME", "ARRAY / NAME", "HOST" or "NAME"

    def __str__(self) -> str:
        return f"{self.rule}: {self.resource}"


@dataclass(frozen=True)
class Expected:
    """One file of expected/.

    Attributes:
        healthy: clusters, short names of hosts, and arrays that are to have no failure.
        why: of every rule that is named, the reasons.
    """

    scenario: str
    healthy: tuple[str, ...]
    fails: Counter[Finding]
    unknowns: Counter[Finding]
    why: tuple[tuple[str, str], ...]


@cache
def expected(scenario: str) -> Expected:
    """The file of a scenario.

    Raises:
        KeyError: an entry has no rule, no reason or no resources.
    """
    data = yaml.safe_load((FOLDER / f"{scenario}.yaml").read_text(encoding="utf-8"))
    why = tuple((entry["rule"], entry["why"]) for entry in (*data["fails"], *data["unknowns"]))
    return Expected(scenario, tuple(data["healthy"]), Counter(_listed(data["fails"])), Counter(_listed(data["unknowns"])), why)


def _listed(entries: list[dict[str, Any]]) -> Iterator[Finding]:
    for entry in entries:
        for several in entry["resources"]:
            assert set(several) <= {"host", "array", "name"}, f"{entry['rule']}: what is {several}?"
            parts = [several[key] for key in ("host", "array", "name") if key in several]
            yield from (Finding(entry["rule"], " / ".join(words)) for words in product(*parts))


def found(findings: list[dict[str, Any]], verdict: str, scenario: str) -> Counter[Finding]:
    """The findings with a verdict on what the scenario brought into the fleet."""
    endpoints, arrays, names = _known(scenario)
    return Counter(
        Finding(each["rule"], _resource(each["resource"], arrays, names))
        for each in findings
        if each["verdict"] == verdict and each["resource"]["endpoint"] in endpoints
    )


@cache
def _known(scenario: str) -> tuple[frozenset[str], frozenset[str], Mapping[str, str]]:
    """The names of all endpoints and of the arrays, and names_of_devices."""
    fleet = load_scenario(scenario)
    arrays = frozenset(array.name for array in fleet.arrays)
    return arrays | {vcenter.name for vcenter in fleet.vcenters}, arrays, names_of_devices(fleet)


def _resource(resource: Mapping[str, Any], arrays: Collection[str], names: Mapping[str, str]) -> str:
    host, name = resource["host"], names.get(resource["name"], resource["name"])
    if host == name:
        return short(name)
    where = short(host) if host else resource["endpoint"] if resource["endpoint"] in arrays else ""
    return f"{where} / {name}" if where else name


def short(host: str) -> str:
    """A host's name without the lab's domain."""
    return host.partition(".")[0]


def names_of_devices(fleet: LabFleet) -> dict[str, str]:
    """Canonical device name -> ARRAY:VOLUME, and ARRAY:NODE for an Element's protocol endpoints; stretched ones are the first array's."""
    return {device: f"{array.name}:{name}" for array in reversed(fleet.arrays) for name, device in _volumes(array)}


def _volumes(array: ArrayDescription) -> Iterator[tuple[str, str]]:
    if isinstance(array, ElementDescription):
        yield from ((node.name, f"naa.{array.pe_naa(node.id)}") for node in array.active_nodes)
    if isinstance(array, OntapDescription):
        names = [f"{lun.volume}/{lun.name}" for lun in array.luns]
    else:
        names = [one.name for one in array.volumes]
    for name in names:
        yield name, volume_devices(array, [name])[0]["name"]


def difference(wanted: Counter[Finding], got: Counter[Finding]) -> str:
    """What one has and the other has not, line by line; empty when they are equal."""
    missing = [f"  expected, not found: {finding}" for finding in sorted(map(str, (wanted - got).elements()))]
    surplus = [f"  found, not expected: {finding}" for finding in sorted(map(str, (got - wanted).elements()))]
    return "\n".join([*missing, *surplus])
