"""One limit of one category, or the category of one volume, is read and written; everything else stays as it was."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.remediator import Reading, Remediator
from auditor.endpoints.eternus.client import open_eternus
from auditor.endpoints.eternus.settings.qos_category import EternusQosCategory
from auditor.endpoints.eternus.settings.volume_qos import EternusVolumeQos
from auditor.errors import (
    AuditorError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    RefusedError,
)
from auditor.journal import open_intents
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Target
from auditor_lab.arrays.eternus.description import (
    CategoryDescription,
    EternusDescription,
    LimitDescription,
    VolumeDescription,
)
from auditor_lab.wire import Fault
from tests.applying import applied as made
from tests.endpoints.eternus.eternus_peer import Peer, endpoint_of, lab, says

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.endpoints.eternus.client import EternusArray
    from auditor.model import Scalar
    from auditor_lab.arrays.eternus.server import EternusServer

DX = EternusDescription(
    name="dx",
    firmware="V11L30-0000",
    model_name="ET203ACU",
    uid_prefix="600000E00D2A0000002A0115",
    categories=(CategoryDescription(3, LimitDescription(1000, 50), write=LimitDescription(700, 70)),),
    volumes=(VolumeDescription("one", category=3, read_category=2, write_category=1), VolumeDescription("two")),
)
OLD = dataclasses.replace(
    DX, firmware="V10L87-9000", categories=(), volumes=(VolumeDescription("one", category=3), VolumeDescription("two"))
)
CATEGORY: Remediator[EternusArray] = EternusQosCategory()
VOLUME: Remediator[EternusArray] = EternusVolumeQos()
SET_TABLE, SET_VOLUME = "set qos-bandwidth-limit", "set volume-qos"
FIRST, SECOND = "20181104T120000Z-0001", "20181104T130000Z-0002"


@contextmanager
def session(folder: Path, description: EternusDescription = DX, timeout: float = 30.0) -> Iterator[tuple[EternusServer, EternusArray]]:
    with lab(description, folder, timeout=timeout) as (server, endpoint), open_eternus(endpoint) as array:
        yield server, array


def limit(field: str = "iops", mode: str = "volume-qos", category: str = "3") -> Target:
    return Target("dx-east", (("category", category), ("field", field), ("mode", mode)))


def of_volume(number: str = "0", mode: str = "volume-qos") -> Target:
    return Target("dx-east", (("mode", mode), ("volume_id", number)))


def table(server: EternusServer, category: int = 3) -> dict[str, tuple[int, int]]:
    return {kind: (one.iops, one.mb_per_second) for kind, one in server.array.table[category].items()}


def categories(server: EternusServer, number: int = 0) -> tuple[int, ...]:
    return tuple(server.array.volumes[number].categories.values())


# A category's limit


@pytest.mark.parametrize(
    ("where", "value"),
    [
        pytest.param(limit("iops"), 1000, id="operations"),
        pytest.param(limit("mbps"), 50, id="throughput"),
        pytest.param(limit("iops", "volume-qos-write"), 700, id="of writes"),
        pytest.param(limit("iops", "volume-qos-read"), None, id="of reads, which have none"),
        pytest.param(limit("mbps", category="9"), None, id="of a category that nobody set"),
    ],
)
def test_a_limit_is_read_as_a_number_or_none(tmp_path: Path, where: Target, value: int | None) -> None:
    with session(tmp_path) as (_, array):
        assert CATEGORY.read(array, where) == Reading(value)


@pytest.mark.parametrize(
    ("where", "value", "kind", "pair"),
    [
        pytest.param(limit("iops"), 1500, "total", (1500, 50), id="the throughput stays"),
        pytest.param(limit("mbps"), 60, "total", (1000, 60), id="the operations stay"),
        pytest.param(limit("mbps", "volume-qos-write"), 80, "write", (700, 80), id="writes only"),
        pytest.param(limit("iops", "volume-qos-read"), 900, "read", (900, 2097151), id="the other has none, and keeps none"),
        pytest.param(limit("iops"), None, "total", (4294967295, 50), id="no ceiling any more"),
    ],
)
def test_a_write_changes_that_limit_and_no_other(
    tmp_path: Path, where: Target, value: int | None, kind: str, pair: tuple[int, int]
) -> None:
    with session(tmp_path) as (server, array):
        before = {number: table(server, number) for number in range(16)}
        CATEGORY.write(array, where, value)
        assert CATEGORY.read(array, where) == Reading(value)
        after = {number: table(server, number) for number in range(16)}
        before[3][kind] = pair
        assert after == before


@pytest.mark.parametrize(
    ("where", "value", "error"),
    [
        pytest.param(limit(), 0, RefusedError, id="zero"),
        pytest.param(limit(), 4294967295, RefusedError, id="the largest, which is no ceiling"),
        pytest.param(limit("mbps"), 2097151, RefusedError, id="the largest throughput"),
        pytest.param(limit(), "1500", RefusedError, id="a string"),
        pytest.param(limit(), True, RefusedError, id="a truth value"),
        pytest.param(limit(), 1500.0, RefusedError, id="a float"),
        pytest.param(limit(category="0"), 1500, RefusedError, id="the unlimited category"),
        pytest.param(limit(category="16"), 1500, RefusedError, id="a category that there is not"),
        pytest.param(limit(category="03"), 1500, RefusedError, id="a category written in another way"),
        pytest.param(limit(mode="port-qos"), 1500, RefusedError, id="a mode that there is not"),
        pytest.param(limit("burst"), 1500, RefusedError, id="a field that there is not"),
    ],
)
def test_a_limit_that_must_not_be_is_not_even_sent(tmp_path: Path, where: Target, value: Any, error: type[AuditorError]) -> None:
    with session(tmp_path) as (server, array):
        with pytest.raises(error):
            CATEGORY.write(array, where, value)
        assert SET_TABLE not in server.requests


def test_a_pair_that_reads_as_no_ceiling_is_not_written(tmp_path: Path) -> None:
    unlucky = dataclasses.replace(DX, categories=(CategoryDescription(3, LimitDescription(1000, 0xFFFF)),))
    with session(tmp_path, unlucky) as (server, array):
        with pytest.raises(RefusedError, match="65535"):
            CATEGORY.write(array, limit(), 0xFFFF)
        assert SET_TABLE not in server.requests


def test_an_array_whose_categories_are_fixed_says_so(tmp_path: Path) -> None:
    with session(tmp_path, OLD) as (_, array):
        for act in (lambda: CATEGORY.read(array, limit()), lambda: CATEGORY.write(array, limit(), 1500)):
            with pytest.raises(NotThereError, match="qos-bandwidth-limit"):
                act()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        pytest.param("00\r\n0010\r\n03\t000003e8", MalformedAnswerError, id="a line cut in half"),
        pytest.param("00\r\n0001\r\n03\t0000zzzz\t1\t1\t1\t1\t1", MalformedAnswerError, id="hex that is none"),
        pytest.param("00\r\n0001\r\n04\t1\t1\t1\t1\t1\t1", NotThereError, id="another category"),
        pytest.param("Category  Limit", MalformedAnswerError, id="text"),
    ],
)
def test_a_limit_that_cannot_be_read_is_never_guessed(tmp_path: Path, text: str, error: type[AuditorError]) -> None:
    with Peer(says(show_qos_bandwidth_limit=text)) as peer, open_eternus(endpoint_of(peer, tmp_path)) as array:
        for act in (lambda: CATEGORY.read(array, limit()), lambda: CATEGORY.write(array, limit(), 1500)):
            with pytest.raises(error):
                act()
        assert not any(line.startswith("set") for line in peer.heard)


# A volume's category


@pytest.mark.parametrize(
    ("where", "value"),
    [
        pytest.param(of_volume(), "volume-qos/3", id="all operations"),
        pytest.param(of_volume(mode="volume-qos-read"), "volume-qos-read/2", id="reads"),
        pytest.param(of_volume("1"), None, id="a volume in none"),
    ],
)
def test_a_volumes_category_is_read_as_a_policys_id(tmp_path: Path, where: Target, value: str | None) -> None:
    with session(tmp_path) as (_, array):
        assert VOLUME.read(array, where) == Reading(value)


@pytest.mark.parametrize(
    ("mode", "value", "after"),
    [
        pytest.param("volume-qos", "volume-qos/15", (15, 2, 1), id="all operations"),
        pytest.param("volume-qos-write", "volume-qos-write/4", (3, 2, 4), id="writes"),
        pytest.param("volume-qos", None, (0, 2, 1), id="unlimited"),
    ],
)
def test_a_volume_changes_that_category_and_keeps_the_others(tmp_path: Path, mode: str, value: str | None, after: tuple[int, ...]) -> None:
    with session(tmp_path) as (server, array):
        VOLUME.write(array, of_volume(mode=mode), value)
        assert VOLUME.read(array, of_volume(mode=mode)) == Reading(value)
        assert (categories(server), categories(server, 1)) == (after, (0, 0, 0))


def test_before_the_table_there_is_one_category_and_only_it_is_named(tmp_path: Path) -> None:
    with session(tmp_path, OLD) as (server, array):
        VOLUME.write(array, of_volume(), "volume-qos/7")
        assert categories(server) == (7, 0, 0)
        with pytest.raises(RefusedError, match="V11L30"):
            VOLUME.write(array, of_volume(mode="volume-qos-read"), "volume-qos-read/7")


@pytest.mark.parametrize(
    ("where", "value", "error"),
    [
        pytest.param(of_volume(), "volume-qos/16", RefusedError, id="a category that there is not"),
        pytest.param(of_volume(), "volume-qos/0", RefusedError, id="unlimited, which is none"),
        pytest.param(of_volume(), "volume-qos-read/3", RefusedError, id="a category of another mode"),
        pytest.param(of_volume(), 3, RefusedError, id="a number"),
        pytest.param(of_volume(), True, RefusedError, id="a truth value"),
        pytest.param(of_volume("9"), "volume-qos/3", NotThereError, id="a volume that is gone"),
        pytest.param(of_volume("0x1"), "volume-qos/3", RefusedError, id="a volume number that is none"),
        pytest.param(of_volume(mode="x"), "volume-qos/3", RefusedError, id="a mode that there is not"),
    ],
)
def test_a_category_that_must_not_be_is_not_even_sent(tmp_path: Path, where: Target, value: Any, error: type[AuditorError]) -> None:
    with session(tmp_path) as (server, array):
        with pytest.raises(error):
            VOLUME.write(array, where, value)
        assert SET_VOLUME not in server.requests


@pytest.mark.parametrize(
    ("text", "error"),
    [
        pytest.param("00\r\n0002\r\n0000\tone\t03\t02\t01", MalformedAnswerError, id="fewer volumes than announced"),
        pytest.param("00\r\n0001\r\n0000\tone\tzz\t02\t01", MalformedAnswerError, id="hex that is none"),
        pytest.param("00\r\n0002\r\n0000\tone\t03\t02\t01\r\n0000\ttwo\t04\t02\t01", MalformedAnswerError, id="the number twice"),
        pytest.param("01\r\n0030", NotThereError, id="no QoS at all"),
        pytest.param("00\r\n0002\r\n0000\tone\t03\t02\t01\r\n0001\ttwo\tzz\t02\t01", None, id="trouble with another volume"),
    ],
)
def test_a_category_that_cannot_be_read_is_never_guessed(tmp_path: Path, text: str, error: type[AuditorError] | None) -> None:
    with Peer(says(show_volume_qos=text)) as peer, open_eternus(endpoint_of(peer, tmp_path)) as array:
        if error is None:
            assert VOLUME.read(array, of_volume()) == Reading("volume-qos/3")
            return
        with pytest.raises(error):
            VOLUME.read(array, of_volume())


# Through applying, over the wire

CHANGES = [
    pytest.param("eternus.qos_category", limit(), 1000, 1500, SET_TABLE, id="a category"),
    pytest.param("eternus.volume_qos", of_volume(), "volume-qos/3", "volume-qos/5", SET_VOLUME, id="a volume"),
]


class Applied:
    """One lab array, and changes on their way to it."""

    def __init__(self, folder: Path, server: EternusServer, endpoint: Any) -> None:
        self.folder, self.server, self.endpoint = folder / "journal", server, endpoint

    def run(self, run: str, name: str, where: Target, before: Scalar, after: Scalar) -> Receipt:
        resource = Resource("qos_policy", "1", "category 3", "dx-east", None, None)
        change = Change(name, FixClass.ARRAY, where, before, after, ("qos/x",), resource, "reason")
        return made(change, self.endpoint, self.folder, run)


@contextmanager
def applied(folder: Path, description: EternusDescription = DX, timeout: float = 30.0) -> Iterator[Applied]:
    with lab(description, folder, timeout=timeout) as (server, endpoint):
        yield Applied(folder, server, endpoint)


@pytest.mark.parametrize(
    ("fault", "timeout", "outcome"),
    [
        pytest.param("lose", 2.0, Outcome.APPLIED, id="the answer is lost after the write"),
        pytest.param("truncate", 2.0, Outcome.APPLIED, id="the answer is cut short after the write"),
        pytest.param("slow", 0.3, Outcome.APPLIED, id="the answer takes too long after the write"),
        pytest.param("drop", 2.0, Outcome.UNVERIFIED, id="the connection drops before the write"),
        pytest.param("garbage", 2.0, Outcome.UNVERIFIED, id="nonsense instead of the write"),
        pytest.param("ignore", 2.0, Outcome.UNVERIFIED, id="the array says done and does nothing"),
        pytest.param("status", 2.0, Outcome.REFUSED, id="somebody else has locked it"),
    ],
)
@pytest.mark.parametrize(("name", "where", "before", "after", "command"), CHANGES)
def test_what_is_read_back_decides_and_a_write_is_never_sent_twice(
    tmp_path: Path, name: str, where: Target, before: Scalar, after: Scalar, command: str, fault: str, timeout: float, outcome: Outcome
) -> None:
    with applied(tmp_path, timeout=timeout) as array:
        array.server.faults.active.append(Fault(fault, command, seconds=1.0))
        receipt = array.run(FIRST, name, where, before, after)
        assert (receipt.outcome, receipt.found) == (outcome, after if outcome is Outcome.APPLIED else before), receipt.why
        assert array.server.requests.count(command) == 1
        assert len(open_intents(array.folder)) == (fault in ("drop", "garbage")), "a later look may find something else"


def test_a_write_whose_answer_is_lost_is_unknown_and_read_back(tmp_path: Path) -> None:
    with session(tmp_path) as (server, array):
        server.faults.active.append(Fault("lose", SET_VOLUME))
        with pytest.raises(EndpointUnreachableError) as caught:
            VOLUME.write(array, of_volume(), "volume-qos/5")
        assert "not known" in caught.value.why
        assert VOLUME.read(array, of_volume()) == Reading("volume-qos/5")


def test_what_is_sent_names_all_that_the_only_public_client_names(tmp_path: Path) -> None:
    table_told = "00\r\n0001\r\n03\t000003e8\t00000032\t0000ffff\t0000ffff\t0000ffff\t0000ffff"
    answers = says(show_qos_bandwidth_limit=table_told, show_volume_qos="00\r\n0001\r\n0000\tone\t03\t02\t01")

    def answer(line: str) -> list[str] | None:
        return [f"{line}\r\n00\r\n0001\r\nCLI> "] if line.startswith("set") else answers(line)

    with Peer(answer) as peer, open_eternus(endpoint_of(peer, tmp_path)) as array:
        VOLUME.write(array, of_volume(mode="volume-qos-read"), "volume-qos-read/7")
        CATEGORY.write(array, limit("mbps"), 60)
        assert [line for line in peer.heard if line.startswith("set")] == [
            "set volume-qos -volume-number 0 -bandwidth-limit 3 -read-bandwidth-limit 7 -write-bandwidth-limit 1",
            "set qos-bandwidth-limit -mode volume-qos -bandwidth-limit 3 -iops 1000 -throughput 60",
        ]
