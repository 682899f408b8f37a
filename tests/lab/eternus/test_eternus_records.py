"""The lab's ETERNUS DX answers in the very forms that real ones were recorded with: one strict parser reads both."""

from __future__ import annotations

import dataclasses
import re
from itertools import pairwise
from typing import Any

import pytest

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
from tests.required import capture

# As the recorded one: a DX200 S3 of cinder's tests.
MACHINE = EternusDescription(
    name="ETDX200S3_1",
    firmware="V11L30-0000",
    model_name="ET203ACU",
    uid_prefix="600000E00D2A0000002A0115",
    serial_number="4601417434",
    device_identification="280753",
    categories=tuple(CategoryDescription(n, LimitDescription(n, n), LimitDescription(n, n), LimitDescription(n, n)) for n in range(1, 16)),
    volumes=(VolumeDescription("FJosv_0qJ4rpOHgFE8ipcJOMfBmg==", size_mb=1024, pool="abcd1234_TPP", category=1),),
    users=(UserDescription("f.ce", "Maintainer"),),
)
EARLIER = EternusDescription(
    name="ETDX200S3_1",
    firmware="V10L87-9000",
    model_name="ET203ACU",
    uid_prefix="600000E00D2A0000002A0115",
    serial_number="4601417434",
    device_identification="280753",
    volumes=(
        VolumeDescription("FJosv_0qJ4rpOHgFE8ipcJOMfBmg==", category=15),
        VolumeDescription("FJosv_OgEZj1mSvKRvIKOExKktlg==", category=13),
    ),
)
# As the recorded one: a DX100 S3 of delfin's.
PEOPLE = EternusDescription(
    name="dx100-test",
    firmware="V10L50-9003",
    model_name="ET103ACU",
    uid_prefix="600000E00D29000000291B6B",
    role="Monitor",
    volumes=tuple(VolumeDescription(f"LUN0{n}") for n in range(5)),
    hosts=(
        HostDescription("dbs01_0", "10000090faec8449"),
        HostDescription("dbs01_1", "10000090faec84a7"),
        HostDescription("h_g_1_0", "12ac13ab15af21ae", "AIX", 252),
    ),
    ports=(
        PortDescription("CM#0 CA#0 Port#0", hosts={"dbs01_0": "lun_fujitsu"}),
        PortDescription("CM#0 CA#0 Port#1"),
        PortDescription("CM#0 CA#1 Port#1", affinity=False, luns=("LUN03", "LUN04")),
    ),
    port_groups=(GroupDescription("huawie", ("CM#0 CA#0 Port#1", "CM#0 CA#1 Port#1")),),
    host_groups=(GroupDescription("Dorado5000V6", ("dbs01_0", "dbs01_1")),),
    lun_groups=(GroupDescription("test", ("LUN00",)), GroupDescription("lun_fujitsu", ("LUN01",))),
    affinities=(AffinityDescription("huawie", "Dorado5000V6", "test"),),
)


def captured(name: str) -> str:
    with capture(f"{name}.txt").open(encoding="utf-8", newline="") as file:  # the line ends are part of the form
        return file.read()


def machine_answer(transcript: str) -> tuple[str, list[list[str]]]:
    """Status and lines of fields; anything but the form, a line end missing included, is an error."""
    found = re.fullmatch(r"(?:\r\nCLI> )?[a-z-]+ [a-z-]+[^\r\n]*\r\n([0-9A-F]{2})\r\n((?:[^\r\n]+\r\n)*?)(?:CLI> |([^\r\n]+))", transcript)
    assert found, f"not a machine's answer: {transcript!r}"
    # The recorded `show volumes` ends within its last line.
    lines = [*found[2].split("\r\n")[:-1], *([found[3]] if found[3] else [])]
    return found[1], [line.split("\t") for line in lines]


def shape(fields: list[str]) -> list[str]:
    """Hex digits by their number, other text as such."""
    return [f"{len(field)} hex" if re.fullmatch(r"[0-9A-Fa-f]+", field) else "text" if field else "" for field in fields]


@pytest.mark.parametrize(
    ("record", "command", "description"),
    [
        pytest.param("show_enclosure_status_5", "show enclosure-status", EARLIER, id="model and firmware"),
        pytest.param("show_volume_qos_6", "show volume-qos", EARLIER, id="categories before V11L30"),
        pytest.param("show_volume_qos_13", "show volume-qos", MACHINE, id="categories since V11L30"),
    ],
)
def test_an_array_described_as_recorded_answers_what_was_recorded(console: Any, record: str, command: str, description: Any) -> None:
    [answer] = console(description).type(command)
    assert answer == captured(f"eternus-cli-cinder/{record}")


def test_the_category_table_has_the_recorded_limits_in_the_recorded_places(console: Any) -> None:
    _, recorded = machine_answer(captured("eternus-cli-cinder/show_qos_bandwidth_limit_8"))
    _, answered = machine_answer(console(MACHINE).type("show qos-bandwidth-limit")[0])
    assert [line[:7] for line in answered] == [line[:7] for line in recorded]
    assert [shape(line) for line in answered] == [shape(line) for line in recorded]


@pytest.mark.parametrize(
    ("record", "command"),
    [
        pytest.param("show_volumes_4", "show volumes", id="volumes"),
        pytest.param("show_users_1", "show users", id="users"),
        pytest.param("show_cli_error_code_17", "show cli-error-code -error-code 0001", id="what an error means"),
        pytest.param("set_volume_qos_3", "set volume-qos -volume-number 0 -bandwidth-limit 2", id="a volume's category set"),
        pytest.param(
            "set_qos_bandwidth_limit_9",
            "set qos-bandwidth-limit -mode volume-qos -bandwidth-limit 2 -iops 100 -throughput 10",
            id="a category set",
        ),
    ],
)
def test_machines_answers_have_the_recorded_form(console: Any, record: str, command: str) -> None:
    status, recorded = machine_answer(captured(f"eternus-cli-cinder/{record}"))
    answer, answered = machine_answer(console(MACHINE).type(command)[0])
    assert answer == status
    assert [shape(line) for line in answered] == [shape(line) for line in recorded]


def test_users_are_told_with_the_recorded_fields(console: Any) -> None:
    _, recorded = machine_answer(captured("eternus-cli-cinder/show_users_1"))
    _, answered = machine_answer(console(MACHINE).type("show users")[0])
    assert answered[1] == recorded[1]
    assert answered[2] == ["audit", *recorded[2][1:]]


RULER = re.compile(r" *-{3,}( -{3,})+")
OTHER_LINES = (
    re.compile(r"CM#\d CA#\d Port#\d \(Host Affinity Mode (?:Enable|Disable)\)"),
    re.compile(r"<Connection List>"),
    re.compile(r"( ?\S[^\[\]]*)\[[^\[\]]*\]"),
    re.compile(r"Enclosure View"),
    re.compile(r"(LUN Group No\.)\d+"),
    re.compile(r"(LUN Group Name   )\S+"),
)


def kind(field: str, width: int) -> str:
    """What a field of a table is, and to which side it is put."""
    text = field.strip()
    side = "right" if field == text.rjust(width) else "left" if field == text.ljust(width) else "nowhere"
    if not re.fullmatch(r"\d+", text):
        return f"{'none' if text == '-' else 'text'} {side}"
    return f"number {side}"


def forms(transcript: str, *, ragged: bool = False) -> set[Any]:
    """Every form of line there is; a line of no form is an error. `ragged`: fields are not where the ruler says."""
    lines = transcript.replace("\r\n", "\n").removeprefix("\n").split("\n")
    if lines[0].startswith("CLI> ") or lines[0] == "":
        del lines[0]  # the echo
    assert lines[-1].strip() == "CLI>" or lines[-2:] == ["CLI>", ""], "no prompt at the end"
    lines = [line for line in lines if line.strip() != "CLI>"]
    found: set[Any] = set()
    ruler = ""
    for place, line in enumerate(lines):
        if RULER.fullmatch(line):
            ruler = line
            found.add((tuple(lines[place - 2].split()), tuple(lines[place - 1].split()), ruler))
        elif any(RULER.fullmatch(one) for one in lines[place + 1 : place + 3]):
            ruler = ""  # a heading, known by its ruler
        elif not line:
            ruler = ""
        elif ruler and not line.startswith(("<", "CM#")):
            found.add((ruler, row(line, ruler, ragged=ragged)))
        else:
            [form] = [each for each in OTHER_LINES if each.fullmatch(line)]
            key = form.fullmatch(line)
            found.add(key[1] if key and key.groups() else form.pattern)
    return found


def row(line: str, ruler: str, *, ragged: bool) -> tuple[str, ...]:
    columns = [(dashes.start(), dashes.end()) for dashes in re.finditer("-+", ruler)]
    if ragged:
        fields = line.split()
        assert len(fields) == len(columns), line
        return tuple("number" if each.isdigit() else "uid" if re.fullmatch("[0-9A-F]{32}", each) else "text" for each in fields)
    padded = line.ljust(len(ruler))
    assert len(padded) == len(ruler), f"longer than its ruler: {line!r}"
    between = [padded[end:start] for (_, end), (start, _) in pairwise(columns)]
    assert not "".join(between).strip(), f"a field is wider than its column: {line!r}"
    return tuple(kind(padded[start:end], end - start) for start, end in columns)


@pytest.mark.parametrize(
    ("record", "command", "ragged"),
    [
        pytest.param("MASKING_VIEWS_INFO", "show host-affinity", False, id="host affinity"),
        pytest.param("GET_MAPPING", "show mapping", False, id="mapping"),
        pytest.param("FC_HOSTS_INFO", "show host-wwn-names", False, id="host WWNs"),
        # These lines had been wrapped when recorded and were put together again: the blanks between the fields are not the array's.
        pytest.param("VOLUME_DETAILS_INFO", "show lun-groups -lg-number 0", True, id="LUNs of a group"),
        pytest.param("VOLUMES", "show volumes -mode uid", True, id="volumes with UID"),
        pytest.param("STORAGE_MODEL_DATA", "show enclosure-status", False, id="model and firmware"),
        pytest.param("STORAGE_NAME_DATA", "show storage-system-name", False, id="name"),
        pytest.param("STORAGE_STATUS_DATA", "show status", False, id="status"),
    ],
)
def test_peoples_answers_have_the_recorded_form(console: Any, record: str, command: str, ragged: bool) -> None:
    recorded = forms(captured(f"eternus-cli-delfin/{record}"), ragged=ragged)
    answered = forms(console(PEOPLE).type(command)[0], ragged=ragged)
    assert answered == recorded


def test_volumes_have_the_uids_that_were_recorded(console: Any) -> None:
    found = re.findall(r"\b600000E0[0-9A-F]{24}\b", captured("eternus-cli-delfin/VOLUMES"))
    assert re.findall(r"\b600000E0[0-9A-F]{24}\b", console(PEOPLE).type("show volumes -mode uid")[0]) == found


def test_an_early_command_line_refuses_uids_and_prints_the_recorded_early_table(console: Any) -> None:
    volumes = (VolumeDescription("OVM_Repo0", size_mb=51200, type="Open", pool="JJ"),)
    early = dataclasses.replace(PEOPLE, early_cli=True, volumes=volumes, ports=(), port_groups=(), lun_groups=(), affinities=())
    refused, answer = console(early).type("show volumes -mode uid", "show volumes")
    recorded = captured("eternus-cli-delfin/VOLUMES_ERROR").splitlines()[0]
    assert refused.split("\r\n")[2:-1] == [recorded]
    _, _, _, *head_and_row = captured("eternus-cli-delfin/VOLUME_DATAS").splitlines()[:6]
    answered = answer.split("\r\n")[1:-1]
    assert answered[:2] == head_and_row[:2]
    assert answered[2].split()[:6] == ["0", "OVM_Repo0", "Available", "Open", "-", "0"]
    assert len(answered[2].split()) == len(head_and_row[2].split())
