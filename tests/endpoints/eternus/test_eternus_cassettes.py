"""Whole readings of an ETERNUS DX, replayed from recordings by a scripted SSH server: each answer is there, and each is heard.

A recording is a YAML list of commands and of the lines that came back up to the next prompt, echo included; vcrpy knows no SSH. To record
again, from the lab and from nothing else: AUDITOR_RECORD=1 pytest -k eternus_cassettes
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from auditor.endpoints.eternus.client import open_eternus
from auditor.endpoints.eternus.collect import collect_eternus
from auditor.endpoints.eternus.settings.qos_category import EternusQosCategory
from auditor.endpoints.eternus.settings.volume_qos import EternusVolumeQos
from auditor.endpoints.eternus.shell import Shell
from auditor.errors import EndpointError
from auditor.facts.schema import ARRAY_TOPICS, Batch
from auditor.model import EndpointKind, Gap, Target
from auditor_lab.arrays.eternus.description import (
    AffinityDescription,
    CategoryDescription,
    EternusDescription,
    GroupDescription,
    HostDescription,
    LimitDescription,
    PortDescription,
    UserDescription,
    VolumeDescription,
)
from tests.endpoints.arrays import PASSWORD
from tests.endpoints.eternus.eternus_peer import PROMPT, Peer, endpoint_of, lab

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.eternus.client import EternusArray

CASSETTES = Path(__file__).parents[3] / "cassettes" / "eternus"
RECORD = os.environ.get("AUDITOR_RECORD") == "1"

DESCRIPTION = EternusDescription(
    name="dx-east",
    firmware="V11L30-0000",
    model_name="ET203ACU",
    uid_prefix="600000e00d2a0000002a0115",
    categories=(CategoryDescription(3, LimitDescription(1000, 50)),),
    volumes=(VolumeDescription("vmfs-1", category=3), VolumeDescription("vmfs-2", type="Open", pool="RG-1")),
    users=(UserDescription("watcher", "Monitor"),),
    hosts=(HostDescription("esx_0", "10000090fad00102"), HostDescription("esx_1", iscsi_name="iqn.1998-01.com.vmware:esx-01")),
    ports=(PortDescription("CM#0 CA#0 Port#0", hosts={"esx_1": "lg"}), PortDescription("CM#1 CA#0 Port#0")),
    port_groups=(GroupDescription("pg", ("CM#1 CA#0 Port#0",)),),
    host_groups=(GroupDescription("hg", ("esx_0",)),),
    lun_groups=(GroupDescription("lg", ("vmfs-2", "vmfs-1")),),
    affinities=(AffinityDescription("pg", "hg", "lg"),),
)


class Tape:
    """What is left of a recording; `unexpected` are the commands it has no answer to."""

    def __init__(self, path: Path) -> None:
        self.left = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.unexpected: list[str] = []

    def answer(self, line: str) -> list[str]:
        for entry in self.left:
            if entry["command"] == line:
                self.left.remove(entry)
                return ["\r\n".join(entry["answer"])]
        self.unexpected.append(line)
        return [""]  # hang up


@contextmanager
def playing(name: str, folder: Path, monkeypatch: Any, user: str = "audit") -> Iterator[tuple[EternusArray, Tape | None]]:
    """A session that hears the cassette `name`, or makes it anew from the lab; it fails when something was asked that was not recorded."""
    path = CASSETTES / name
    if RECORD:
        with monkeypatch.context() as patched, lab(DESCRIPTION, folder, user=user) as (_, endpoint):
            heard = recorder(patched)
            with open_eternus(endpoint) as array:
                yield array, None
        lines = [
            f"- command: {json.dumps(line)}\n  answer:\n" + "".join(f"    - {json.dumps(each)}\n" for each in reported)
            for line, reported in heard
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8")
        return
    tape = Tape(path)
    with Peer(tape.answer) as peer, open_eternus(endpoint_of(peer, folder, user=user)) as array:
        yield array, tape
    assert tape.unexpected == [], "a question was asked that was not recorded"


def recorder(patched: Any) -> list[tuple[str, list[str]]]:
    heard: list[tuple[str, list[str]]] = []
    ask = Shell.ask

    def listening(shell: Shell, line: str) -> Any:
        answer = ask(shell, line)
        assert isinstance(answer, str), "only whole answers are worth a recording"
        heard.append((line, answer.split("\r\n")))
        return answer

    patched.setattr(Shell, "ask", listening)
    return heard


def tables(items: list[Any]) -> dict[str, dict[str, Any]]:
    return {item.table: dict(item.columns) for item in items if isinstance(item, Batch) and item.table != "reading"}


def complete(items: list[Any]) -> dict[str, bool]:
    return {item.columns["topic"][0]: item.columns["complete"][0] for item in items if isinstance(item, Batch) and item.table == "reading"}


def test_a_reading_by_a_software_account_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path, monkeypatch: Any) -> None:
    with playing("software.yaml", tmp_path, monkeypatch) as (array, tape):
        items = list(collect_eternus(array, array.endpoint))
    assert tape is None or tape.left == [], "an answer was recorded that nobody asked for"
    assert [topic for topic, whole in complete(items).items() if whole] == ["array", "alerts", "qos_policies", "volumes"]
    assert len(complete(items)) == len(ARRAY_TOPICS[EndpointKind.ETERNUS])
    volumes = tables(items)["array_volume"]
    assert list(zip(volumes["name"], volumes["device"], volumes["qos_max_iops"], volumes["qos_read"], strict=True)) == [
        ("vmfs-1", "naa.600000e00d2a0000002a011500000000", 1000, True),
        ("vmfs-2", "naa.600000e00d2a0000002a011500010000", None, True),
    ]
    assert tables(items)["array"]["version"] == ["V11L30-0000"]


def test_a_reading_by_an_account_for_people_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path, monkeypatch: Any) -> None:
    with playing("people.yaml", tmp_path, monkeypatch, user="watcher") as (array, tape):
        items = list(collect_eternus(array, array.endpoint))
    assert tape is None or tape.left == []
    assert [topic for topic, whole in complete(items).items() if not whole] == ["qos_policies", "volumes"]
    assert {gap.what for gap in items if isinstance(gap, Gap)} == {"qos_policies", "show volumes -mode uid: QoS of all volumes"}
    connections = tables(items)["array_connection"]
    assert sorted(zip(connections["array_host_id"], connections["volume_id"], connections["lun"], strict=True)) == [
        ("0/esx_0", "0", 1),
        ("0/esx_0", "1", 0),
        ("1/esx_1", "0", 1),
        ("1/esx_1", "1", 0),
    ]


def test_a_fix_reads_writes_one_limit_and_one_category_and_reads_again(tmp_path: Path, monkeypatch: Any) -> None:
    limit = Target("dx-east", (("category", "3"), ("field", "iops"), ("mode", "volume-qos")))
    volume = Target("dx-east", (("mode", "volume-qos"), ("volume_id", "1")))
    with playing("fix.yaml", tmp_path, monkeypatch) as (array, tape):
        before = EternusQosCategory().read(array, limit).value, EternusVolumeQos().read(array, volume).value
        EternusQosCategory().write(array, limit, 1500)
        EternusVolumeQos().write(array, volume, "volume-qos/3")
        after = EternusQosCategory().read(array, limit).value, EternusVolumeQos().read(array, volume).value
    assert tape is None or tape.left == []
    assert (before, after) == ((1000, None), (1500, "volume-qos/3"))


@pytest.mark.skipif(RECORD, reason="recording")
def test_a_question_that_was_not_recorded_fails(tmp_path: Path, monkeypatch: Any) -> None:
    with (
        pytest.raises(AssertionError, match="not recorded"),
        playing("fix.yaml", tmp_path, monkeypatch) as (array, _),
        pytest.raises(EndpointError),
    ):
        array.read("show users")


@pytest.mark.skipif(RECORD, reason="recording")
def test_an_answer_that_nobody_hears_is_noticed(tmp_path: Path, monkeypatch: Any) -> None:
    with playing("fix.yaml", tmp_path, monkeypatch) as (_, tape):
        pass
    assert tape is not None
    assert len(tape.left) == 8


@pytest.mark.parametrize("path", sorted(CASSETTES.glob("*")), ids=lambda path: path.name)
def test_no_cassette_holds_a_secret_or_a_real_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?i)password|secret|chap", text)
    assert PASSWORD not in text
    assert not re.findall(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", text)
    for entry in yaml.safe_load(text):
        assert entry["answer"][-1] == PROMPT, "every answer is whole"
        assert entry["command"].startswith(("show ", "set "))


def test_there_are_cassettes_to_check() -> None:
    assert sorted(path.name for path in CASSETTES.glob("*")) == ["fix.yaml", "people.yaml", "software.yaml"]
