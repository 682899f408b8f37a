"""What Dell's Storage Manager writes: attributes in any case, sizes with their unit, dates, versions, and errors."""

from datetime import UTC, datetime
from typing import Any

import pytest

from auditor.endpoints.dell_sc.answers import Attributes, message_of, moment, size_in_bytes, version, version_range


def test_attributes_are_found_whatever_their_case() -> None:
    found = Attributes({"wWN": "1", "scSerialNumber": 7, "inner": {"InstanceId": "3"}, "both": 1, "Both": 2})
    assert (found.get("WWN"), found["ScSerialNumber"], found.get("inner").get("instanceid")) == ("1", 7, "3")
    assert (found["Both"], found["both"], found["BOTH"]) == (2, 1, 1)
    assert ("wwn" in found, "lost" in found, found.get("lost"), found.get("lost", 5)) == (True, False, None, 5)
    assert isinstance(found["inner"], Attributes)
    with pytest.raises(KeyError, match="lost"):
        found["lost"]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        pytest.param("1.073741824E9 Bytes", 1 << 30, id="as recorded"),
        pytest.param("5.49755813888E14 Bytes", 500 << 40, id="as recorded, large"),
        pytest.param("131072.0 Bytes", 131072, id="with a point"),
        pytest.param("1073741824 Bytes", 1 << 30, id="without a point"),
        pytest.param("0.0 Bytes", 0, id="none"),
        pytest.param("1.5e+1 KB", 15360, id="with a signed exponent"),
        pytest.param("3 KiB", 3 << 10, id="KiB"),
        pytest.param("10 MB", 10 << 20, id="MB"),
        pytest.param("10MiB", 10 << 20, id="without a blank"),
        pytest.param("10 GB", 10 << 30, id="GB"),
        pytest.param("2 GiB", 2 << 30, id="GiB"),
        pytest.param("1 TB", 1 << 40, id="TB"),
        pytest.param("1 TiB", 1 << 40, id="TiB"),
        pytest.param("50 MB/s", 50 << 20, id="a rate"),
        pytest.param("50 MBps", 50 << 20, id="a rate by another word"),
        pytest.param("50 Mb", None, id="bits"),
        pytest.param("50 Mbps", None, id="a rate in bits"),
        pytest.param("1 Gbps", None, id="a recorded link speed"),
        pytest.param("12", None, id="no unit"),
        pytest.param("", None, id="no text"),
        pytest.param("-1 Bytes", None, id="less than nothing"),
        pytest.param("1E19 Bytes", None, id="more than a column holds"),
        pytest.param("1E999 Bytes", None, id="more than is worth a thought"),
        pytest.param("GB", None, id="no number"),
        pytest.param("9e30 Bytes", None, id="too much"),
        pytest.param(7, 7, id="a number"),
        pytest.param(0, 0, id="zero"),
        pytest.param(-1, None, id="below zero"),
        pytest.param(2**63 - 1, 2**63 - 1, id="the largest"),
        pytest.param(2**63, None, id="one more"),
        pytest.param(True, None, id="a truth"),
        pytest.param(None, None, id="nothing"),
    ],
)
def test_a_size_has_a_unit_of_1024(text: Any, size: int | None) -> None:
    assert size_in_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "time"),
    [
        pytest.param("2015-01-07T14:07:10-06:00", datetime(2015, 1, 7, 20, 7, 10, tzinfo=UTC), id="with its zone"),
        pytest.param("2015-01-07T14:07:10", None, id="without a zone"),
        pytest.param("2019-02-19T07:05:00Z", datetime(2019, 2, 19, 7, 5, tzinfo=UTC), id="UTC"),
        pytest.param(None, None, id="nothing"),
        pytest.param("04/03/2015 12:01:08 AM", None, id="the other form"),
        pytest.param(7, None, id="a number"),
    ],
)
def test_a_moment_has_a_zone(text: Any, time: datetime | None) -> None:
    found = moment(text)
    assert found == time
    assert found is None or found.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4.1", (4, 1)),
        ("2.10.3", (2, 10)),
        ("6.5.1.269", (6, 5)),
        ("x", None),
        (None, None),
        ("4.1.", (4, 1)),
        ("4", None),
        ("4.1a", None),
        (4.1, None),
    ],
)
def test_a_version_is_major_and_minor(text: Any, expected: tuple[int, int] | None) -> None:
    assert version(text) == expected


def test_a_refusal_names_the_versions_that_are_taken() -> None:
    message = "Invalid API version specified, the version must be in the range [2.0, 4.1]"
    assert version_range(message) == ("2.0", "4.1")
    assert version_range("version must be in the range [ 2.0 ,4.1 ]") == ("2.0", "4.1")
    assert version_range("Unauthorized") is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b'{"Result": "no  such\\nvolume"}', "no such volume", id="under result"),
        pytest.param(b'{"result": "no such volume"}', "no such volume", id="in another case"),
        pytest.param(b'{"result": 7}', "", id="no text"),
        pytest.param(b"", "", id="nothing"),
        pytest.param(b'"plain"', "plain", id="a text as JSON"),
        pytest.param(b"no such volume", "no such volume", id="plain text"),
        pytest.param(b" <html>login</html>", "", id="a page"),
        pytest.param(b'{"other": 1}', "", id="no result"),
        pytest.param(b"[1]", "", id="a list"),
        pytest.param(b"odd \xff", "odd \ufffd", id="no UTF-8"),
        pytest.param(b"x" * 301, "x" * 300, id="a long one"),
    ],
)
def test_a_message_is_under_result_or_all_there_is(body: bytes, message: str) -> None:
    assert message_of(body) == message
