"""A session with an ETERNUS DX says what it knows and what it does not know; a write is sent once."""

from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.eternus.answers import BusyError, NoSuchCommandError, understood
from auditor.endpoints.eternus.client import open_eternus
from auditor.errors import (
    CredentialsError,
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import Ssh
from auditor_lab.arrays.eternus.description import VolumeDescription
from auditor_lab.wire import Fault
from tests.endpoints.eternus.eternus_peer import PROMPT, Peer, captured, endpoint_of, lab, says
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS, timeout_with, until

if TYPE_CHECKING:
    from pathlib import Path
from tests.endpoints.eternus.eternus_sessions import DX, NOBODY

WRITE = "set volume-qos -volume-number 1 -bandwidth-limit 2"


def category(server: Any) -> int:
    value: int = server.array.volumes[1].categories["total"]
    return value


def test_a_session_logs_in_asks_and_writes(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), open_eternus(endpoint) as array:
        assert (array.release, array.by_machine, array.notes) == ("ETERNUS ET203ACU V11L30-0000", True, ())
        assert array.read("show volume-qos").lines == ("0002", "0000\tone\t03\t00\t00", "0001\ttwo\t00\t00\t00")
        array.write(WRITE)
        assert array.read("show volume-qos").lines[2] == "0001\ttwo\t02\t00\t00"
        assert server.requests == ["login", "show enclosure-status", "show volume-qos", "set volume-qos", "show volume-qos"]


def test_an_account_for_people_is_answered_in_text_and_sets_nothing(tmp_path: Path) -> None:
    with lab(DX, tmp_path, user="watcher") as (server, endpoint), open_eternus(endpoint) as array:
        assert (array.release, array.by_machine) == ("ETERNUS ET203ACU V11L30-0000", False)
        assert array.read("show status").lines == ("Summary Status  [Normal]",)
        assert server.requests == ["login", "show enclosure-status", "show status"]


@pytest.mark.parametrize("pager", ["Press any key to continue (Q to quit)", "-- More --"])
def test_a_session_is_unpaged_only_where_an_answer_stops_for_a_key(tmp_path: Path, pager: str) -> None:
    paging, unpage = True, "set clienv-show-more -scroll disable"

    def answer(line: str) -> list[str] | None:
        nonlocal paging
        reported = {
            "show enclosure-status": "Model Name  [ET203ACU]\r\nFirmware Version  [V11L30-0000]",
            "show status": "Summary Status  [Normal]",
        }.get(line, "")
        if line == unpage:
            paging = False
        elif line == "show status" and paging:
            return [f"{line}\r\nSummary Status", f"\r\n{pager}"]
        return [f"{line}\r\n{reported}\r\n{PROMPT}"]

    with Peer(answer) as peer, open_eternus(endpoint_of(peer, tmp_path)) as array:
        assert array.read("show status").lines == ("Summary Status  [Normal]",)
        assert array.read("show status").lines == ("Summary Status  [Normal]",)
    assert peer.heard == ["show enclosure-status", "show status", unpage, "show status", "show status"]


def test_a_firmware_of_an_unknown_generation_is_said_to_be_one(tmp_path: Path) -> None:
    with lab(dataclasses.replace(DX, firmware="V12L10-0000"), tmp_path) as (_, endpoint), open_eternus(endpoint) as array:
        assert "V12L10-0000" in array.notes[0]


@pytest.mark.parametrize(
    ("user", "role"),
    [
        pytest.param("audit", "Software", id="an account of the role Software"),
        pytest.param("watcher", None, id="one that may not ask"),
    ],
)
def test_the_role_of_the_account_is_told_where_it_may_ask(tmp_path: Path, user: str, role: str | None) -> None:
    with lab(DX, tmp_path, user=user) as (_, endpoint), open_eternus(endpoint) as array:
        assert array.role() == role
        assert array.clock() is None


@pytest.mark.parametrize(
    ("fault", "error", "asked"),
    [
        pytest.param(Fault("latency", "show volumes", seconds=NEVER_SECONDS), EndpointUnreachableError, 1, id="no answer in time"),
        pytest.param(
            Fault("slow", "show volumes", seconds=SHORT_SECONDS), EndpointUnreachableError, 1, id="an answer that dribbles without end"
        ),
        pytest.param(Fault("drop", "show volumes"), EndpointUnreachableError, 2, id="connection dropped"),
        pytest.param(Fault("truncate", "show volumes"), MalformedAnswerError, 2, id="answer cut in half"),
        pytest.param(Fault("garbage", "show volumes"), MalformedAnswerError, 1, id="nonsense"),
        pytest.param(Fault("refuse", "login"), CredentialsError, 1, id="locked out in mid-run"),
    ],
)
def test_trouble_on_the_wire_is_named_and_bounded_in_time(
    tmp_path: Path, monkeypatch: Any, fault: Fault, error: type[EndpointError], asked: int
) -> None:
    monkeypatch.setattr("auditor.endpoints.eternus.shell.WHOLE_ANSWER_TIMEOUTS", 2)
    many = dataclasses.replace(DX, volumes=tuple(VolumeDescription(f"v{n}") for n in range(40)))
    with lab(many, tmp_path, timeout=2 * timeout_with(fault.kind)) as (server, endpoint), open_eternus(endpoint) as array:
        server.faults.active.append(fault)
        if fault.kind == "refuse":
            server.faults.active.append(Fault("drop", "show volumes", times=1))
        with pytest.raises(error) as caught:
            array.read("show volumes")
        assert type(caught.value) is error
        assert server.requests.count("show volumes") == asked
        server.faults.active.clear()
        assert len(array.read("show volumes").lines) == 41, "the session must survive it"


def test_a_read_whose_connection_is_lost_is_asked_once_more(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), open_eternus(endpoint) as array:
        for kind in ("drop", "lose", "truncate"):
            server.faults.active.append(Fault(kind, "show volumes", times=1))
            assert len(array.read("show volumes").lines) == 3
        assert server.requests.count("show volumes") == 6
        assert server.requests.count("login") == 4


def test_a_locked_array_is_asked_again(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), open_eternus(endpoint) as array:
        server.faults.active.append(Fault("status", "show volumes", times=1))
        assert len(array.read("show volumes").lines) == 3
        assert server.requests.count("show volumes") == 2


def test_an_array_that_stays_locked_is_given_up(tmp_path: Path) -> None:
    with lab(DX, tmp_path, timeout=1.5) as (server, endpoint), open_eternus(endpoint) as array:
        server.faults.active.append(Fault("status", "show volumes"))
        with pytest.raises(BusyError, match="E0060 Resource locked"):
            array.read("show volumes")
        assert server.requests.count("show volumes") == 3, "after 0.25 and 0.5 s; another second is more than the time-out"


@pytest.mark.parametrize(
    ("fault", "done"),
    [
        pytest.param(Fault("drop", "set volume-qos"), False, id="dropped before it was read"),
        pytest.param(Fault("lose", "set volume-qos"), True, id="carried out, answer lost"),
        pytest.param(Fault("truncate", "set volume-qos"), True, id="carried out, answer broken"),
        pytest.param(Fault("garbage", "set volume-qos"), False, id="answered with nonsense"),
        pytest.param(Fault("latency", "set volume-qos", seconds=3 * SHORT_SECONDS), True, id="answered too late"),
    ],
)
def test_a_write_is_sent_once_and_its_outcome_called_unknown(tmp_path: Path, fault: Fault, done: bool) -> None:
    with lab(DX, tmp_path, timeout=2 * timeout_with(fault.kind)) as (server, endpoint), open_eternus(endpoint) as array:
        server.faults.active.append(fault)
        with pytest.raises((EndpointUnreachableError, MalformedAnswerError)) as caught:
            array.write(WRITE)
        assert "not known" in caught.value.why
        assert server.requests.count("set volume-qos") == 1
        if fault.kind == "latency":
            until(lambda: category(server) == 2, "the array carries it out")
        found = array.read("show volume-qos").records[2][2]
        assert found == ("02" if done else "00"), "reading tells what became of it"


def test_a_write_on_a_shell_that_had_ended_logs_in_first(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), open_eternus(endpoint) as array:
        server.faults.active.append(Fault("drop", "show volumes", times=2))
        with pytest.raises(EndpointUnreachableError):
            array.read("show volumes")
        array.write(WRITE)
        assert category(server) == 2


@pytest.mark.parametrize(
    ("line", "user", "error"),
    [
        pytest.param("set volume-qos -volume-number 1 -bandwidth-limit 16", "audit", RefusedError, id="a value out of range"),
        pytest.param("set volume-qos -volume-number 9 -bandwidth-limit 1", "audit", NotThereError, id="a volume that does not exist"),
        pytest.param("set unicorn -horns 1", "audit", NoSuchCommandError, id="a command that does not exist"),
        pytest.param("set volume-qos -volume-number 1 -horns 1", "audit", NoSuchCommandError, id="a parameter that does not exist"),
        pytest.param(WRITE, "watcher", PermissionMissingError, id="an account that only watches"),
        pytest.param("set volume-qos -volume-number 1\nset volume-qos", "audit", RefusedError, id="two commands in one"),
        pytest.param("delete volume -volume-number 1", "audit", RefusedError, id="no setting at all"),
    ],
)
def test_what_the_array_refuses_is_told_apart_and_changes_nothing(tmp_path: Path, line: str, user: str, error: type[EndpointError]) -> None:
    with lab(DX, tmp_path, user=user) as (server, endpoint), open_eternus(endpoint) as array:
        with pytest.raises(error) as caught:
            array.write(line)
        assert type(caught.value) is error
        assert category(server) == 0
        assert "nothing was written" in caught.value.why


def test_a_locked_array_refuses_a_write_which_is_not_repeated(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), open_eternus(endpoint) as array:
        server.faults.active.append(Fault("status", "set volume-qos", times=1))
        with pytest.raises(RefusedError, match="E0060"):
            array.write(WRITE)
        assert server.requests.count("set volume-qos") == 1


def test_a_write_that_is_answered_in_the_other_form_is_not_taken_for_done(tmp_path: Path) -> None:
    with Peer(says(set_volume_qos__volume_number_1__bandwidth_limit_2="as you like")) as peer:
        with open_eternus(endpoint_of(peer, tmp_path)) as array, pytest.raises(MalformedAnswerError) as caught:
            array.write(WRITE)
        assert "not known" in caught.value.why


def test_a_read_cannot_be_anything_but_a_read(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), open_eternus(endpoint) as array:
        for line in (WRITE, "show volumes\n" + WRITE):
            with pytest.raises(AssertionError):
                array.read(line)
        assert category(server) == 0


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(["{line}\r\n00\r\n0001\r\nX\r\nCLI> "], id="in one piece"),
        pytest.param(["{line}\r", "\n00\r\n0001\r\nX\r\nCL", "I> "], id="in pieces, a prompt broken in two"),
        pytest.param(["CLI> ", "{line}\r\n00\r\n0001\r\nX\r\nCLI> "], id="a late prompt before the echo"),
        pytest.param(["CLI> {line}\r\n00\r\n0001\r\nX\r\nCLI> "], id="the echo behind a prompt"),
        pytest.param(["show volu\r\nmes\r\n00\r\n0001\r\nX\r\nCLI> "], id="an echo that the terminal broke"),
        pytest.param(["00\r\n0001\r\nX\r\nCLI> "], id="no echo at all"),
        pytest.param(["{line}\n00\n0001\nX\nCLI> "], id="short line ends"),
    ],
)
def test_an_answer_is_found_behind_its_echo_however_it_arrives(tmp_path: Path, pieces: list[str]) -> None:
    def answer(line: str) -> list[str] | None:
        return [piece.replace("{line}", line) for piece in pieces] if line == "show volumes" else says()(line)

    with Peer(answer) as peer, open_eternus(endpoint_of(peer, tmp_path)) as array:
        for _ in range(2):
            assert array.read("show volumes").lines == ("0001", "X")


def test_a_name_that_looks_like_a_prompt_does_not_end_the_answer(tmp_path: Path) -> None:
    with Peer(says(show_volumes="00\r\n0001\r\n0001\tCLI> x")) as peer, open_eternus(endpoint_of(peer, tmp_path)) as array:
        assert array.read("show volumes").records[1] == ["0001", "CLI> x"]


@pytest.mark.parametrize(
    ("text", "error", "in_words"),
    [
        pytest.param("01\r\n0030", NoSuchCommandError, True, id="command not supported"),
        pytest.param("01\r\n9000", NoSuchCommandError, True, id="not by this model"),
        pytest.param("                  ^", NoSuchCommandError, False, id="a caret"),
        pytest.param("          ^\r\nError: Ambiguous command", NoSuchCommandError, False, id="a caret and a word"),
        pytest.param("Error: E5003 No authority.", PermissionMissingError, None, id="no right, in text"),
        pytest.param("01\r\n5003", PermissionMissingError, None, id="no right"),
        pytest.param("01\r\n0110", NotThereError, None, id="no such thing"),
        pytest.param("Error: E0331 Flexible tier mode is not valid.\r\n             [0305-0505] -type ftv", EndpointError, None, id="else"),
        pytest.param("01", MalformedAnswerError, None, id="an error without a code"),
        pytest.param("01\r\nno", MalformedAnswerError, None, id="an error with a code that is none"),
        pytest.param("02\r\n0000", MalformedAnswerError, None, id="a status that is none"),
    ],
)
def test_an_error_is_known_by_its_code_in_either_form(text: str, error: type[EndpointError], in_words: bool | None) -> None:
    with pytest.raises(error) as caught:
        understood(NOBODY, "show x", f"show x\r\n{text}\r\n{PROMPT}", is_read=True)
    assert type(caught.value) is error
    assert getattr(caught.value, "in_words", None) is in_words


@pytest.mark.parametrize(
    ("record", "command", "lines"),
    [
        pytest.param("cinder/show_enclosure_status_5", "show enclosure-status", 4, id="enclosure"),
        pytest.param("cinder/show_users_1", "show users", 3, id="users"),
        pytest.param("cinder/show_qos_bandwidth_limit_8", "show qos-bandwidth-limit", 17, id="categories"),
        pytest.param("cinder/set_volume_qos_3", "set volume-qos", 1, id="a write"),
        pytest.param("cinder/delete_volume_15", "delete volume", 0, id="a write that tells nothing"),
        pytest.param("cinder/show_copy_sessions_7", "show copy-sessions", 2, id="what we do not ask for"),
        pytest.param("delfin/STORAGE_STATUS_DATA", "show status", 1, id="text"),
        pytest.param("delfin/DISK_OLD", "show disks -disks all", None, id="text behind a banner"),
    ],
)
def test_recorded_answers_are_understood(record: str, command: str, lines: int | None) -> None:
    answer = understood(NOBODY, command, captured(f"eternus-cli-{record}"), is_read=True)
    assert answer.by_machine == record.startswith("cinder")
    assert lines is None or len(answer.lines) == lines
    assert not any("CLI>" in line for line in answer.lines)


@pytest.mark.parametrize(
    ("record", "error"),
    [("POOL_ERROR_DATAS", NoSuchCommandError), ("VOLUMES_ERROR", NoSuchCommandError), ("VOLUME_FTV_DATAS", EndpointError)],
)
def test_recorded_errors_are_errors(record: str, error: type[EndpointError]) -> None:
    with pytest.raises(error):
        understood(NOBODY, "show something", captured(f"eternus-cli-delfin/{record}"), is_read=True)


def test_closing_ends_the_thread_even_after_a_failure(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (_, endpoint):
        with open_eternus(endpoint):
            assert any(thread.name == "eternus-shell-dx-east" for thread in threading.enumerate())
        with (
            pytest.raises(EndpointUnreachableError),
            open_eternus(dataclasses.replace(endpoint, ssh=Ssh(fingerprint="SHA256:" + "A" * 43))),
        ):
            pass
    assert not any(thread.name == "eternus-shell-dx-east" for thread in threading.enumerate())


def test_many_threads_share_one_shell(tmp_path: Path) -> None:
    with lab(DX, tmp_path) as (server, endpoint), open_eternus(endpoint) as array, ThreadPoolExecutor(8) as pool:
        commands = ["show volumes", "show volume-qos", "show host-wwn-names"] * 8
        answers = list(pool.map(array.read, commands))
        assert [answer.command for answer in answers] == commands
        assert {answer.command: len(answer.lines) for answer in answers} == {
            "show volumes": 3,
            "show volume-qos": 3,
            "show host-wwn-names": 1,
        }
        assert server.requests.count("login") == 1
