"""Scenarios: fleets written as readable YAML, expanded into descriptions.

A scenario file has shorthands: hosts repeat a template (`like`), machines and hosts come in numbers (`count`, with `{n}` in the name),
devices and datastores of an array take their names from the array, and every disk on a vVol datastore puts its vVol on the array.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from auditor.bounds.files import read_bytes
from auditor.errors import ConfigurationError
from auditor.yaml.reading import did_you_mean, parse_yaml
from auditor.yaml.scalars import YamlMistakeError
from auditor_lab.arrays.dell_sc.description import DellScDescription
from auditor_lab.arrays.dothill.description import DotHillDescription
from auditor_lab.arrays.element.description import ElementDescription
from auditor_lab.arrays.eseries.description import ESeriesDescription
from auditor_lab.arrays.eternus.description import EternusDescription
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.nimble.description import NimbleDescription
from auditor_lab.arrays.ontap.description import OntapDescription
from auditor_lab.arrays.powerstore.description import PowerStoreDescription
from auditor_lab.description import DeclaredDescription, LabFleet, NfsServerDescription
from auditor_lab.faults import Fault, FaultMistakeError, parse_faults
from auditor_lab.scenario_expansion import add_vvols, expand
from auditor_lab.scenario_form import ScenarioMistakeError, check_form, decode, line_at, line_of, located, plain, within
from auditor_lab.serving import KINDS, kind_of
from auditor_lab.vcenter.description.vcenter import VCenterDescription

_FOLDER = "scenarios"
_NO_INCIDENT = "odd-neighbours"
_BY_THEMSELVES = ("mixed-estate", "mixed-estate-twin")
"""What "all" leaves out: an estate with an array that does not answer, and one that ends with 0."""
_ARRAYS: Mapping[str, type[Any]] = {
    "element": ElementDescription,
    "dell_sc": DellScDescription,
    "flasharray": FlashArrayDescription,
    "ontap": OntapDescription,
    "eternus": EternusDescription,
    "eseries": ESeriesDescription,
    "dothill": DotHillDescription,
    "powerstore": PowerStoreDescription,
    "nimble": NimbleDescription,
}


def scenario_names() -> tuple[str, ...]:
    """The names of all scenarios, "all" first, which is every one of `merged_names`."""
    folder = resources.files("auditor_lab") / _FOLDER
    return ("all", *sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def merged_names() -> tuple[str, ...]:
    """The names of the scenarios that "all" merges."""
    return tuple(name for name in scenario_names() if name not in ("all", *_BY_THEMSELVES))


@cache
def load_scenario(name: str) -> LabFleet:
    """The fleet of a scenario; "all" merges those of `merged_names`.

    Raises:
        ConfigurationError: there is no scenario of that name.
    """
    if name not in scenario_names():
        raise ConfigurationError(
            f'there is no scenario "{name}"',
            why="nothing was served.",
            do=f"choose one of: {', '.join(scenario_names())}.",
        )
    if name == "all":
        return load_merged(merged_names())
    return parse_scenario((resources.files("auditor_lab") / _FOLDER / f"{name}.yaml").read_bytes(), f"{name}.yaml")


def load_incidents() -> LabFleet:
    """The scenarios that show an incident, or a lesson of a vendor's, as one fleet; `odd-neighbours`, made for the rules, is left out."""
    return load_merged(one for one in merged_names() if one != _NO_INCIDENT)


def load_merged(names: Iterable[str]) -> LabFleet:
    """These scenarios as one fleet."""
    fleets = [load_scenario(name) for name in names]
    return LabFleet(**{field.name: tuple(one for fleet in fleets for one in getattr(fleet, field.name)) for field in fields(LabFleet)})


def described(source: str) -> LabFleet:
    """The fleet of a scenario by its name, or of a file of anybody's: what ends in .yaml or .yml, or has a folder in front.

    Raises:
        ConfigurationError: there is no such scenario or file, or it has a mistake; the message names the line.
    """
    path = Path(source)
    if path.suffix not in (".yaml", ".yml") and len(path.parts) < 2:
        return load_scenario(source)
    try:
        text = read_bytes(path)
    except OSError as error:
        raise ConfigurationError(
            f"{source}: {error.strerror or error}", why="nothing was served.", do="check the path, or choose a scenario by its name."
        ) from error
    return parse_scenario(text, source)


def parse_scenario(text: str | bytes, name: str) -> LabFleet:
    """The fleet that a scenario's text describes; error messages call it `name`.

    Raises:
        ConfigurationError: a key, a value or a reference in it is wrong; the message names the line.
    """
    try:
        return _parsed(text.encode() if isinstance(text, str) else text)
    except (YamlMistakeError, ScenarioMistakeError) as mistake:
        raise ConfigurationError(
            f"{name}:{mistake.line}: {mistake.what}", why="the fleet cannot be built.", do=f"correct line {mistake.line} of {name}."
        ) from mistake


def _parsed(text: bytes) -> LabFleet:
    data = located(*parse_yaml(text, merge_keys=True))
    _refuse_others(data)
    check_form(data)
    for vcenter in data.get("vcenters", []):
        with within(vcenter):
            add_vvols(vcenter, {one["name"]: one for one in data.get("element", [])})
    built = {kind: tuple(_decode(one, described) for one in data.get(kind, [])) for kind, described in _ARRAYS.items()}
    by_name = {one.name: one for arrays in built.values() for one in arrays}
    with within(data):
        fleet = LabFleet(
            vcenters=tuple(_vcenter(one, by_name) for one in data.get("vcenters", [])),
            declared=tuple(_decode(one, DeclaredDescription) for one in data.get("declared", [])),
            nfs_servers=tuple(_decode(one, NfsServerDescription) for one in data.get("nfs_servers", [])),
            **built,
        )
    return replace(fleet, faults=_faults(data, fleet)) if "faults" in data else fleet


def _faults(data: Mapping[str, Any], fleet: LabFleet) -> tuple[tuple[str, Fault], ...]:
    kinds = {one.name: kind_of(attribute, one).value for attribute in KINDS for one in getattr(fleet, attribute)}
    try:
        faults = parse_faults(plain(data["faults"]), kinds)
    except FaultMistakeError as mistake:
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in mistake.at)
        raise ScenarioMistakeError(line_at(data["faults"], path), mistake.what) from mistake
    return tuple((name, fault) for name, several in faults.items() for fault in several)


def _vcenter(source: dict[str, Any], arrays: Mapping[str, Any]) -> VCenterDescription:
    with within(source):
        expanded = expand(source, arrays)
    built: VCenterDescription = _decode(expanded, VCenterDescription)
    return built


def _refuse_others(data: Mapping[str, Any]) -> None:
    known = {field.name for field in fields(LabFleet)}
    for key in data:
        if key not in known:
            raise ScenarioMistakeError(line_of(key) or 1, f'a scenario has no "{key}"{did_you_mean(key, known)}')


def _decode(source: Mapping[str, Any], kind: type[Any]) -> Any:
    decoded = decode(source, kind)
    _refuse_unknown(source, decoded, kind.__name__.removesuffix("Description"))
    return decoded


def _refuse_unknown(source: Any, decoded: Any, where: str) -> None:
    """Refuse keys that a dataclass does not have; msgspec ignores them, but in a scenario such a key is a mistake."""
    if is_dataclass(decoded) and isinstance(source, Mapping):
        known = {field.name for field in fields(decoded)}
        for key, value in source.items():
            if key not in known:
                raise ScenarioMistakeError(line_of(key) or line_of(source) or 1, f'{where} has no "{key}"{did_you_mean(key, known)}')
            _refuse_unknown(value, getattr(decoded, key), f"{where}.{key}")
    elif isinstance(decoded, tuple):
        for one, built in zip(source, decoded, strict=True):
            _refuse_unknown(one, built, where)
    elif isinstance(decoded, Mapping):
        for key, built in decoded.items():
            _refuse_unknown(source.get(key, source.get(str(key))), built, f"{where}[{key}]")
