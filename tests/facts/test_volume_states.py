"""Each state of a volume that is read has a meaning, or none that anybody knows; each family whose volumes are read has such a list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.contract.reading import collected
from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.element import enumerations as element
from auditor.endpoints.flasharray import enumerations as flasharray
from auditor.endpoints.nimble import enumerations as nimble
from auditor.endpoints.ontap import enumerations as ontap
from auditor.endpoints.powerstore import enumerations as powerstore
from auditor.endpoints.powerstore.rows import NO_HOST_ACCESS
from auditor.facts.needs import needs
from auditor.facts.volume_states import SERVES
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type
from tests.contract.examples import EXAMPLES

ROOT = Path(__file__).parents[2]
WITHOUT = {"eternus-dx": "a number that no source explains"}
VOLUMES = needs([("array_volume", "status")])
# By kind, the operation that lists volumes, where its answer has the list, and the field, dotted.
LISTS: dict[EndpointKind, tuple[str | tuple[str, ...], str, str]] = {
    EndpointKind.ONTAP: ("GET storage/luns", "records", "status.state"),
    EndpointKind.DELL_SC: ("ScVolume/GetList", "", "status"),
    EndpointKind.ESERIES: (("GET volumes", "GET thin-volumes"), "", "status"),
    EndpointKind.DOTHILL: ("show volumes", "volumes", "health"),
    EndpointKind.POWERSTORE: ("GET volume", "", "state"),
    EndpointKind.NIMBLE: ("GET volumes/detail", "data", "vol_state"),
}
# Another field of the same record by which hosts do not get at a volume that is well by the first one.
SECOND_WORDS = [
    pytest.param(EndpointKind.ONTAP, "status.container_state", "volume_offline", id="an ONTAP LUN whose volume is offline"),
    pytest.param(EndpointKind.ONTAP, "status.container_state", "aggregate_offline", id="an ONTAP LUN whose aggregate is"),
    pytest.param(EndpointKind.ESERIES, "offline", True, id="an E-Series volume that is optimal and offline"),
    pytest.param(EndpointKind.POWERSTORE, "is_host_access_available", False, id="a PowerStore volume without access for hosts"),
]
OTHER_WORDS = [
    *((kind, field) for kind, (_, _, field) in LISTS.items()),
    (EndpointKind.ONTAP, "subtype"),
    (EndpointKind.ELEMENT, "access"),
    (EndpointKind.ELEMENT, "status"),
    (EndpointKind.FLASHARRAY, "promotion_status"),
    (EndpointKind.FLASHARRAY, "arrays.status"),
]


def families() -> set[str]:
    kinds = (endpoint_type(kind) for kind in EXAMPLES)
    return {kind.family.name for kind in kinds if "volumes" in kind.topics and kind.family is not None}


def test_every_family_whose_volumes_are_read_has_their_states_listed_or_says_why_not() -> None:
    assert families() == {*SERVES} - {"3par"} | {*WITHOUT}
    rule = yaml.safe_load((ROOT / "rules/array/volume-state.yaml").read_text(encoding="utf-8"))
    assert rule["applies"].startswith(f"family IN ({', '.join(repr(name) for name in SERVES)}) AND ")


def test_each_list_has_a_state_that_serves_and_is_the_list_that_is_read_by() -> None:
    assert all(True in states.values() and {*states.values()} - {True} for states in SERVES.values())
    assert {*SERVES["powerstore"]} == {*powerstore.VOLUME_STATES, NO_HOST_ACCESS}
    assert {*SERVES["nimble"]} == {*nimble.VOLUME_STATES}
    # What is deleted is no volume in any view; what hosts may read and write is active.
    assert {*SERVES["solidfire"]} == {*element.VOLUME_STATES} - {"deleted"} | {*element.ACCESS} - {"readWrite"}
    assert {*SERVES["flasharray"]} == {"active", *flasharray.PROMOTIONS} - {"promoted"} | {
        f"pod {word}" for word in {*flasharray.PROMOTIONS, *flasharray.IN_POD} - {"promoted", "online"}
    } | {f"realm {word}" for word in {*flasharray.REALM_DATA} - {"unsealed"}}
    svms = {f"SVM {state}" for state in ontap.SVM_STATES if state != "running"}
    assert {*SERVES["ontap"]} >= svms | {*ontap.CONTAINER_STATES}


@pytest.mark.parametrize("kind", LISTS, ids=lambda kind: kind.value)
def test_volumes_that_are_well_serve_and_another_word_is_never_one_of_the_known(kind: EndpointKind, tmp_path: Path) -> None:
    meaning = SERVES[family_of(kind)]
    before, found = read_with(kind, LISTS[kind][2], "Resting", tmp_path)
    assert {meaning[row["status"]] for row in blocks(before)} == {True}
    assert {meaning.get(row["status"]) for row in blocks(found)} == {None}


@pytest.mark.parametrize(("kind", "field", "value"), SECOND_WORDS)
def test_a_volume_that_is_well_by_one_word_and_not_by_another_does_not_serve(
    kind: EndpointKind, field: str, value: Any, tmp_path: Path
) -> None:
    before, found = read_with(kind, field, value, tmp_path)
    assert {SERVES[family_of(kind)][row["status"]] for row in blocks(before)} == {True}
    assert {SERVES[family_of(kind)][row["status"]] for row in blocks(found)} == {False}
    assert [gap.what for gap in found.gaps] == []


@pytest.mark.parametrize(
    ("kind", "field"),
    [*((one.values[0], str(one.values[1])) for one in SECOND_WORDS if isinstance(one.values[2], str)), *OTHER_WORDS],
    ids=str,
)
def test_a_recording_keeps_every_word_by_which_a_volume_is_there(kind: EndpointKind, field: str) -> None:
    """Masked, it would be a word that nobody knows."""
    of_kind = endpoint_type(kind)
    assert field.rpartition(".")[2] in of_kind.load(of_kind.kept_fields).split()


def read_with(kind: EndpointKind, field: str, value: Any, folder: Path) -> tuple[Any, Any]:
    """What is read of the volumes of an array, and once more when each of them has this value in this field."""
    operation, under, _ = LISTS[kind]

    def alter(*answers: Any) -> Any:
        listed = answers[-1][under] if under else answers[-1]
        changed = [_with(each, field.split("."), value) for each in listed]
        return {**answers[-1], under: changed} if under else changed

    with EXAMPLES[kind].served(folder) as (server, endpoint, waiting), open_session(endpoint) as session:
        before = collected(session, waiting, VOLUMES)
        for one in (operation,) if isinstance(operation, str) else operation:
            server.alterations[one] = alter
        return before, collected(session, waiting, VOLUMES)


def blocks(of: Any) -> list[Any]:
    return [row for row in of.tables["array_volume"] if row["kind"] == "lun" and row["is_virtual"] is False]


def test_every_kind_whose_states_are_listed_is_tried_with_another_one() -> None:
    # An Element's answer has lists in lists, and a FlashArray's state is that of its pods: their readers are tried with other words in
    # tests/endpoints.
    assert {family_of(kind) for kind in LISTS} == {*SERVES} - {"3par", "solidfire", "flasharray"}


def _with(record: dict[str, Any], names: list[str], value: Any) -> dict[str, Any]:
    first, *rest = names
    return {**record, first: _with(record[first], rest, value) if rest else value}


def family_of(kind: EndpointKind) -> str:
    family = endpoint_type(kind).family
    assert family is not None
    return family.name
