"""Findings are compared with those of a recording whatever the key made of their names."""

from typing import Any

import pytest

from auditor.recording.masking import Fate, Masker
from auditor.recording.pseudonyms import Pseudonyms
from tests.recording.comparing import differences, masked_name

NAMES = ("pool-a", "pool-b", "pool-c", "pool-1", "pool-2", "pool-9 Hard disk 2", "a-pool", "b-pool", "x-vm-3")


def finding(name: str, verdict: str = "pass", endpoint: str = "vc-a") -> dict[str, Any]:
    resource = {"kind": "datastore", "name": name, "cluster": None, "host": "esx-1.example.net", "endpoint": endpoint}
    return {"rule": "vvol/some-rule", "verdict": verdict, "resource": resource}


def as_recorded(one: dict[str, Any], masker: Masker) -> dict[str, Any]:
    resource = one["resource"]
    replaced = {
        "name": masked_name(resource["name"], masker),
        "host": masker.text(resource["host"], Fate.NAME),
        "endpoint": masker.text(resource["endpoint"], Fate.NAME),
    }
    return {**one, "resource": {**resource, **replaced}}


@pytest.fixture(scope="module")
def maskers() -> list[Masker]:
    """Of many keys: some make a letter of another one that is there as well."""
    return [Masker(Pseudonyms(bytes([number]) * 32)) for number in range(120)]


def test_the_same_findings_are_the_same_by_any_key(maskers: list[Masker]) -> None:
    original = [finding(name) for name in NAMES]
    for masker in maskers:
        again = [as_recorded(one, masker) for one in reversed(original)]
        assert differences(original, again, masker) == []


@pytest.mark.parametrize("staying", [range(0, 8, 2), range(8)], ids=["every second one", "all"])
def test_words_that_stayed_are_the_same_by_any_key(maskers: list[Masker], staying: range) -> None:
    original = [finding(name) for name in "abcdefgh"]
    for masker in maskers:
        again = [as_recorded(one, masker) for one in original]
        for place in staying:  # as words of products stay
            again[place]["resource"]["name"] = original[place]["resource"]["name"]
        assert differences(original, again, masker) == []


def test_a_verdict_that_differs_is_a_difference_on_both_sides_by_any_key(maskers: list[Masker]) -> None:
    original = [finding(name) for name in NAMES]
    for masker in maskers:
        again = [as_recorded(one, masker) for one in (*original[1:], finding(NAMES[0], "unknown"))]
        found = differences(original, again, masker)
        assert sorted(one[0] for one in found) == ["in the original alone", "in the recording alone"]
        assert {one[2] for one in found} == {"pass", "unknown"}


def test_a_finding_that_is_missing_is_a_difference(maskers: list[Masker]) -> None:
    original = [finding(name) for name in NAMES]
    again = [as_recorded(one, maskers[0]) for one in original[1:]]
    assert [one[0] for one in differences(original, again, maskers[0])] == ["in the original alone"]


def test_a_name_that_is_neither_old_nor_replaced_is_a_difference(maskers: list[Masker]) -> None:
    again = as_recorded(finding("pool-a"), maskers[0])
    again["resource"]["name"] = "zzzz-q"
    assert len(differences([finding("pool-a")], [again], maskers[0])) == 2
