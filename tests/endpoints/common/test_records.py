"""Fields of records that arrays answer with: what is not what it should be is NULL, and named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from auditor.endpoints.common.masking import masked, names_a_secret
from auditor.endpoints.common.records import ParseErrors, Record, objects, once, once_each, records
from auditor.endpoints.common.topics import batch, optional, read_topics
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, NotThereError
from auditor.facts.needs import Needs
from auditor.facts.schema import Batch
from auditor.model import Endpoint, EndpointKind, Gap, Secret
from auditor.text.addresses import in_short_form

NAA = "6f47acc2000000016a79337700000005"


def record(value: dict[str, Any], prefix: str = "") -> Record:
    return Record(value, "volume 7", ParseErrors("ListVolumes"), prefix)


def errors(one: Record | ParseErrors) -> list[tuple[str, str]]:
    """What and why of each gap, without the method."""
    found = one.parse_errors if isinstance(one, Record) else one
    gaps = list(found.gaps("sf-east"))
    assert all(gap.endpoint == "sf-east" and gap.what.startswith("ListVolumes: ") for gap in gaps)
    return [(gap.what.removeprefix("ListVolumes: "), gap.why) for gap in gaps]


@pytest.mark.parametrize(
    ("method", "value", "expected"),
    [
        pytest.param("number", 7, 7, id="a number"),
        pytest.param("number", 0, 0, id="zero"),
        pytest.param("number", "12", 12, id="a number as text"),
        pytest.param("number", 3.0, 3, id="a whole number with a point"),
        pytest.param("number", 2**63 - 1, 2**63 - 1, id="the largest"),
        pytest.param("real", 0, 0.0, id="a real zero"),
        pytest.param("real", "0.25", 0.25, id="a real as text"),
        pytest.param("text", "", "", id="an empty text"),
        pytest.param("text", "fast", "fast", id="a text"),
        pytest.param("optional_text", "fast", "fast", id="a text that may be left out"),
        pytest.param("optional_text", None, None, id="one that is left out"),
        pytest.param("identifier", 7, "7", id="an id as number"),
        pytest.param("identifier", "6F-A", "6f-a", id="an id as text"),
        pytest.param("identifier", 0, "0", id="the id zero"),
        pytest.param("reference", None, None, id="a reference to nothing"),
        pytest.param("reference", 7, "7", id="a reference"),
        pytest.param("device", NAA.upper(), f"naa.{NAA}", id="a device"),
        pytest.param("device", f"naa.{NAA}", f"naa.{NAA}", id="a device as hosts name it"),
        pytest.param("length", [], 0, id="an empty list"),
        pytest.param("length", [1, 2], 2, id="a list"),
        pytest.param("curve", {"8192": 160, "4096": 100}, '{"4096": 100, "8192": 160}', id="a curve, smallest size first"),
        pytest.param("curve", {"16384": 270, "8192": 160}, '{"8192": 160, "16384": 270}', id="sizes as numbers"),
    ],
)
def test_what_is_as_it_should_be_is_read(method: str, value: Any, expected: Any) -> None:
    one = record({"x": value})
    found = getattr(one, method)("x")
    assert (found, type(found)) == (expected, type(expected))
    assert errors(one) == []


ODD: dict[str, tuple[str, list[Any]]] = {
    "number": ("a whole number", [-1, 2**63, 1.5, True, "1x", "1" * 20, "", []]),
    "real": ("a number", [-0.5, True, "odd", float("inf"), float("nan"), [], 10**400]),
    "text": ("a string", [7, [], True]),
    "optional_text": ("a string", [7]),
    "identifier": ("an id", ["", True, 1.5, []]),
    "reference": ("an id", ["", []]),
    "device": ("an NAA name", [7, "", NAA[:-1], f"eui.{NAA}", f"{NAA}0", NAA.replace("6", "g")]),
    "inner": ("an object", [[], "a"]),
    "length": ("a list", [{}, "ab", 2]),
}


@pytest.mark.parametrize(
    ("method", "wanted", "value"), [(method, wanted, value) for method, (wanted, several) in ODD.items() for value in several]
)
def test_what_is_not_is_null_and_named_by_its_type(method: str, wanted: str, value: Any) -> None:
    one = record({"x": value}, "qos.")
    assert getattr(one, method)("x") is None
    assert errors(one) == [("qos.x of volume 7", f"is a {type(value).__name__} that is not {wanted}")]


@pytest.mark.parametrize("method", [*ODD, "curve"])
def test_what_is_missing_or_null_is_named(method: str) -> None:
    wanted = {"curve": "an object"}.get(method) or ODD[method][0]
    missing, null = record({}), record({"x": None})
    assert getattr(missing, method)("x") is None
    assert getattr(null, method)("x") is None
    assert errors(missing) == ([] if method == "optional_text" else [("x of volume 7", f"is missing where {wanted} was expected")])
    is_answer = method in ("optional_text", "reference")
    assert errors(null) == ([] if is_answer else [("x of volume 7", f"is null where {wanted} was expected")])


@pytest.mark.parametrize(
    ("curve", "first"),
    [
        pytest.param({}, [], id="no point"),
        pytest.param({"4096": -1}, ["curve.4096 of volume 7"], id="a cost below zero"),
        pytest.param({"4k": 100}, [], id="a size that is no number"),
        pytest.param({"4096": 100, "8k": 160}, [], id="one of two sizes"),
    ],
)
def test_a_curve_that_is_none_is_named(curve: dict[str, Any], first: list[str]) -> None:
    one = record({"curve": curve})
    assert one.curve("curve") is None
    assert [what for what, _ in errors(one)] == [*first, "curve of volume 7"]


def test_an_object_within_names_its_fields_after_itself() -> None:
    one = record({"qos": {"curve": {"4096": "odd"}}})
    inner = one.inner("qos")
    assert inner is not None
    deeper = inner.inner("curve")
    assert deeper is not None
    assert deeper.number("4096") is None
    assert errors(one) == [("qos.curve.4096 of volume 7", "is a str that is not a whole number")]


def test_one_kind_of_error_is_one_gap_however_many_objects_it_happened_to() -> None:
    found = ParseErrors("ListVolumes")
    for label in ("volume 1", "volume 2", "volume 3"):
        found.add("name", label, "is missing")
    found.add("name", "volume 4", "is odd")
    assert found.any
    assert list(found.gaps("sf-east")) == [
        Gap("sf-east", "ListVolumes: name of volume 1 and 2 more", "is missing"),
        Gap("sf-east", "ListVolumes: name of volume 4", "is odd"),
    ]
    assert not found.any


def test_objects_of_a_list_have_their_places_and_others_are_named() -> None:
    found = ParseErrors("ListVolumes")
    assert list(objects({"volumes": [{"a": 1}, "odd", {"a": 2}]}, "volumes", found)) == [(0, {"a": 1}), (2, {"a": 2})]
    assert errors(found) == [("entry 1 of volumes", "is not an object")]
    assert list(objects({"volumes": {}}, "volumes", found)) == []
    assert errors(found) == [("volumes of the answer", "is not a list")]


def test_records_are_labelled_by_their_id_or_name_and_those_without_an_id_left_out() -> None:
    answer = {"volumes": [{"id": 1, "name": "a"}, {"name": "b"}, {"id": 3, "name": "c"}]}
    found = ParseErrors("ListVolumes")
    assert [one.label for one in records(answer, "volumes", "volume", "id", found)] == ["volume 1", "volume 3"]
    assert errors(found) == [("id of volume None", "is missing where an id was expected")]
    assert [one.label for one in records(answer, "volumes", "volume", "id", found, labelled="name")] == ["volume a", "volume c"]
    assert errors(found) == [("id of volume b", "is missing where an id was expected")]


def test_a_record_that_comes_twice_is_left_out_and_named() -> None:
    answer = {"volumes": [{"id": 1, "name": "a"}, {"id": "1", "name": "b"}, {"id": 2, "name": "c"}]}
    found, seen = ParseErrors("ListVolumes"), {"9"}
    listed = records(answer, "volumes", "volume", "id", found, labelled="name")
    assert [one.label for one in once(listed, "id", seen, found)] == ["volume a", "volume c"]
    assert (seen, errors(found)) == ({"1", "2", "9"}, [("id of volume b", "came twice; the second record was left out")])
    assert list(once_each(["x", "y", "x"], str, "name", seen, found)) == ["x", "y"]
    assert errors(found) == [("name of x", "came twice; the second record was left out")]
    nameless = [record({"name": "a"})]
    assert list(once(nameless, "id", set(), found)) == []


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        pytest.param("2001:DB8:0:0:0:0:0:9", "2001:db8::9", id="the long form"),
        pytest.param("[2001:DB8::9]", "2001:db8::9", id="in brackets"),
        pytest.param("198.51.100.9", "198.51.100.9", id="IPv4"),
        pytest.param("NAS.example.com", "NAS.example.com", id="a name"),
        pytest.param("NAS:odd", "NAS:odd", id="no address"),
    ],
)
def test_an_ipv6_address_has_one_spelling_and_other_names_their_own(reported: str, expected: str) -> None:
    assert in_short_form(reported) == expected


def test_secrets_are_masked_at_any_depth() -> None:
    answer = {
        "accounts": [{"initiatorSecret": "s1", "TargetSECRET": "s2", "name": "a", "secretLengthMax": 16, "password": None}],
        "deep": {"list": [[{"api_token": "t", "apitoken": "t", "privateKey": "k", "passphrase": {"a": 1}}]]},
        "pairingkey": ["k"],
        "count": 3,
    }
    assert masked(answer) == {
        "accounts": [{"initiatorSecret": "***", "TargetSECRET": "***", "name": "a", "secretLengthMax": 16, "password": None}],
        "deep": {"list": [[{"api_token": "***", "apitoken": "***", "privateKey": "***", "passphrase": "***"}]]},
        "pairingkey": "***",
        "count": 3,
    }
    assert [names_a_secret(body) for body in (b'{"initiatorSecret": 1}', b'{"name": "a"}', b'{"\\u0073ecret": 1}', b"PASSWORD")] == [
        *(True, False),
        *(True, True),
    ]


ARRAY = Endpoint("sf-east", EndpointKind.ELEMENT, "sf.example.com", 443, "audit", Secret("env", ("P",)))
LOST, ODD_ANSWER = EndpointUnreachableError("no answer", why="w", do="d"), NotThereError("no such method", why="w", do="d")


def read(*topics: str, **readers: Callable[[], Iterator[Batch | Gap]]) -> tuple[list[Gap], list[tuple[Any, ...]], list[str]]:
    """Gaps, readings, and the tables of other batches."""
    items = list(read_topics(ARRAY, Needs(frozenset(), frozenset(topics)), readers))
    of_topics = [item.columns.values() for item in items if isinstance(item, Batch) and item.table == "reading"]
    rows = [cells for columns in of_topics for cells in zip(*columns, strict=True)]
    others = [item.table for item in items if isinstance(item, Batch) and item.table != "reading"]
    return [item for item in items if isinstance(item, Gap)], rows, others


def fails(error: EndpointError) -> Callable[[], Iterator[Batch | Gap]]:
    def reader() -> Iterator[Batch | Gap]:
        yield batch("array_node", "sf-east", [])
        raise error

    return reader


def whole() -> Iterator[Batch | Gap]:
    yield batch("array_volume", "sf-east", [{"volume_id": "7", "name": "a"}])


def with_a_gap() -> Iterator[Batch | Gap]:
    yield Gap("sf-east", "a", "b")
    yield from whole()


def test_a_topic_is_complete_where_it_was_read_without_a_gap() -> None:
    before = datetime.now(UTC)
    gaps, readings, tables = read("volumes", "nodes", nodes=with_a_gap, load=whole, volumes=whole)
    assert gaps == [Gap("sf-east", "a", "b")]
    assert [row[:4] for row in readings] == [("sf-east", "", "nodes", False), ("sf-east", "", "volumes", True)]
    assert all(before <= row[4] <= datetime.now(UTC) for row in readings)
    assert tables == ["array_volume", "array_volume"]


def test_a_topic_that_fails_is_a_gap_and_the_next_one_is_tried() -> None:
    gaps, readings, tables = read("a", "b", "c", "d", a=fails(LOST), b=whole, c=fails(LOST), d=fails(ODD_ANSWER))
    assert gaps == [Gap("sf-east", "a", "no answer"), Gap("sf-east", "c", "no answer"), Gap("sf-east", "d", "no such method")]
    assert [row[2:4] for row in readings] == [("a", False), ("b", True), ("c", False), ("d", False)]
    assert tables == ["array_node", "array_volume", "array_node", "array_node"]


def test_an_endpoint_that_has_stopped_answering_is_not_asked_on() -> None:
    gaps, readings, tables = read("a", "b", "c", a=fails(LOST), b=fails(LOST), c=whole)
    assert gaps[2:] == [Gap("sf-east", "c", "not asked: the endpoint had stopped answering")]
    assert ([row[2:4] for row in readings], tables) == ([("a", False), ("b", False), ("c", False)], ["array_node"] * 2)


def test_what_is_optional_is_a_gap_where_it_fails_unless_credentials_are_refused() -> None:
    def outcome(error: EndpointError | None) -> tuple[list[Gap], str | None]:
        def ask() -> str:
            if error is not None:
                raise error
            return "answer"

        gaps: list[Gap] = []
        asking = optional("sf-east", "the load", ask)
        while True:
            try:
                gaps.append(next(asking))
            except StopIteration as ended:
                return gaps, ended.value

    assert outcome(None) == ([], "answer")
    assert outcome(LOST) == ([Gap("sf-east", "the load", "no answer")], None)
    with pytest.raises(CredentialsError):
        outcome(CredentialsError("refused", why="w", do="d"))


def test_rows_become_columns_with_their_endpoint() -> None:
    made = batch("array_volume", "sf-east", [{"volume_id": "7", "name": "a"}, {"volume_id": "8", "name": None}])
    assert (made.table, made.columns) == (
        "array_volume",
        {"endpoint": ["sf-east"] * 2, "volume_id": ["7", "8"], "name": ["a", None]},
    )
    assert batch("array_volume", "sf-east", []).columns == {"endpoint": []}
