"""The lab's ETERNUS DX over real SSH on loopback, typed at by a client that is not ours."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from contextlib import suppress
from typing import Any

import asyncssh
import msgspec
import pytest

from auditor_lab.arrays.eternus.description import (
    CategoryDescription,
    EternusDescription,
    GroupDescription,
    LimitDescription,
    UserDescription,
    VolumeDescription,
)
from auditor_lab.wire import Fault

DESCRIPTION = EternusDescription(
    name="dx100",
    firmware="V11L30-0000",
    model_name="ET103ACU",
    uid_prefix="600000e00d29000000291b6b",
    categories=(CategoryDescription(7, total=LimitDescription(1000, 200)),),
    volumes=(VolumeDescription("LUN00", category=7), VolumeDescription("LUN01")),
    users=(UserDescription("watcher", "Monitor"), UserDescription("admin", "Admin")),
)
DISCONNECTED = (asyncssh.Error, OSError, EOFError)  # the forms in which the client learns of it: IncompleteReadError is an EOFError


def fields(answer: str) -> list[list[str]]:
    """The lines after status and count."""
    return [line.split("\t") for line in answer.split("\r\n")[3:-1] if "CLI>" not in line]


def code(answer: str) -> list[str]:
    """What stands between the echo and the prompt."""
    lines = answer.split("\r\n")[:-1]
    return lines[2:] if lines[0] == "" else lines[1:]


def categories(answer: str) -> dict[str, list[str]]:
    return {line[1]: line[2:] for line in (each.split("\t") for each in answer.split("\r\n")) if len(line) > 4}


def test_a_description_is_plain_data() -> None:
    assert msgspec.convert(msgspec.to_builtins(DESCRIPTION), EternusDescription) == DESCRIPTION


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"uid_prefix": "600000e0"}, "24 hex digits", id="a UID of the wrong length"),
        pytest.param({"role": "King"}, "role", id="a role that is not there"),
        pytest.param({"categories": (CategoryDescription(0),)}, "1 to 15", id="a limit for the category that has none"),
        pytest.param({"categories": (CategoryDescription(16),)}, "1 to 15", id="a category that is not there"),
        pytest.param({"volumes": (VolumeDescription("a", category=16),)}, "categories", id="a volume in a category that is not there"),
        pytest.param({"qos": False}, "no QoS", id="categories on a model without QoS"),
        pytest.param({"volumes": (VolumeDescription("a", 1), VolumeDescription("b", 1))}, "one number", id="two volumes of one number"),
        pytest.param({"lun_groups": (GroupDescription("g", ("LUN09",)),)}, "no volume", id="a LUN group with a volume that is not there"),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(DESCRIPTION, **change)


def test_the_host_key_is_told_with_the_fingerprint_that_ssh_prints(console: Any) -> None:
    key = console(DESCRIPTION).server.host_key
    assert asyncssh.import_public_key(key.public).get_fingerprint("sha256") == key.fingerprint
    assert key.fingerprint.startswith("SHA256:")


def test_a_client_that_expects_another_host_key_never_sends_its_password(console: Any) -> None:
    one, other = console(DESCRIPTION), console(DESCRIPTION)
    with pytest.raises(asyncssh.HostKeyNotVerifiable):
        one.type("show users", host_key=other.server.host_key.public)
    assert one.server.requests == []
    assert one.type("show users")
    assert one.server.requests == ["login", "show users"]


@pytest.mark.parametrize(
    ("user", "password"),
    [
        pytest.param("audit", "wrong", id="wrong password"),
        pytest.param("nobody", "only-for-this-test", id="no such user"),
        pytest.param("audit", "", id="no password"),
        pytest.param("audit", "pässwörd", id="letters beyond ASCII"),
    ],
)
def test_wrong_credentials_are_refused(console: Any, user: str, password: str) -> None:
    there = console(DESCRIPTION)
    with pytest.raises(asyncssh.PermissionDenied):
        there.type("show users", user=user, password=password)
    assert set(there.server.requests) <= {"login"}


def test_a_category_is_set_and_read_back_for_total_reads_and_writes_apart(console: Any) -> None:
    there = console(DESCRIPTION)
    set_total, set_write, *_ = there.type(
        "set qos-bandwidth-limit -mode volume-qos -bandwidth-limit 7 -iops 4294967295 -throughput 2097151",
        "set qos-bandwidth-limit -mode volume-qos-write -bandwidth-limit 15 -iops 500 -throughput 40",
    )
    assert code(set_total) == code(set_write) == ["00", "0001"]
    table = fields(there.type("show qos-bandwidth-limit")[0])[1:]  # another session: it stuck to the array, not to the session
    lines = {int(line[0], 16): [int(value, 16) for value in line[1:7]] for line in table}
    assert lines[7] == [4294967295, 2097151, 65535, 65535, 65535, 65535]
    assert lines[15] == [65535, 65535, 65535, 65535, 500, 40]
    assert lines[1] == [65535] * 6, "no other category may change"


@pytest.mark.parametrize("by", [pytest.param("-volume-number 1", id="by number"), pytest.param("-volume-name LUN01", id="by name")])
def test_a_volume_is_put_into_categories_and_keeps_those_left_out(console: Any, by: str) -> None:
    there = console(DESCRIPTION)
    there.type(f"set volume-qos {by} -bandwidth-limit 15 -read-bandwidth-limit 3", f"set volume-qos {by} -bandwidth-limit 2")
    assert categories(there.type("show volume-qos")[0]) == {"LUN00": ["07", "00", "00"], "LUN01": ["02", "03", "00"]}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        pytest.param("set volume-qos -volume-number 9 -bandwidth-limit 1", "0110", id="no such volume number"),
        pytest.param("set volume-qos -volume-name X -bandwidth-limit 1", "0110", id="no such volume name"),
        pytest.param("set volume-qos -volume-number 1 -bandwidth-limit 16", "0002", id="no such category"),
        pytest.param("set volume-qos -volume-number 1 -bandwidth-limit 0x1", "0001", id="not a decimal number"),
        pytest.param("set volume-qos -volume-number 1", "0004", id="no category"),
        pytest.param("set volume-qos -bandwidth-limit 1", "0004", id="no volume"),
        pytest.param("set volume-qos -volume-number 1 -bandwidth-limit", "0004", id="a parameter without value"),
        pytest.param("set volume-qos -volume-number 1 -volume-name LUN01 -bandwidth-limit 1", "0003", id="a volume told twice"),
        pytest.param("set qos-bandwidth-limit -mode volume-qos -bandwidth-limit 7 -iops 0 -throughput 1", "0002", id="no IOPS at all"),
        pytest.param("set qos-bandwidth-limit -mode volume-qos -bandwidth-limit 7 -iops 1 -throughput 2097152", "0002", id="too many MB"),
        pytest.param("set qos-bandwidth-limit -mode volume-qos -bandwidth-limit 0 -iops 1 -throughput 1", "0002", id="the unlimited one"),
        pytest.param("set qos-bandwidth-limit -mode all -bandwidth-limit 7 -iops 1 -throughput 1", "0001", id="no such mode"),
        pytest.param("set qos-bandwidth-limit -bandwidth-limit 7 -iops 1 -throughput 1", "0004", id="no mode"),
        pytest.param("show cli-error-code", "0004", id="no error code"),
    ],
)
def test_a_refused_command_gives_a_code_and_changes_nothing(console: Any, line: str, error: str) -> None:
    there = console(DESCRIPTION)
    before = there.type("show volume-qos", "show qos-bandwidth-limit")
    assert code(there.type(line)[0]) == ["01", error]
    assert there.type("show volume-qos", "show qos-bandwidth-limit") == before


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        pytest.param("show unicorns", ["          ^", "Error: Unknown command"], id="unknown"),
        pytest.param("how", ["     ^", "Error: Unknown command"], id="a part of a word"),
        pytest.param("show vol", ["          ^", "Error: Ambiguous command"], id="the beginning of two"),
        # Recorded: the caret in column 18 of a line that asks for -mode.
        pytest.param("show volumes -made uid", ["                  ^"], id="an unknown parameter"),
    ],
)
def test_a_line_that_is_not_understood_gets_a_caret_under_the_word(console: Any, line: str, reported: list[str]) -> None:
    assert code(console(DESCRIPTION).type(line)[0]) == reported


def test_an_account_that_only_watches_reads_text_and_changes_nothing(console: Any) -> None:
    there = console(DESCRIPTION)
    shown, refused = there.type("show status", "set volume-qos -volume-number 1 -bandwidth-limit 2", user="watcher")
    assert code(shown) == ["Summary Status  [Normal]"]
    assert code(refused) == ["Error: E5003 The user authority to use the command is improper."]
    assert categories(there.type("show volume-qos")[0])["LUN01"] == ["00", "00", "00"]


def test_a_lun_group_tells_its_volumes_in_lun_order(console: Any) -> None:
    grouped = dataclasses.replace(DESCRIPTION, lun_groups=(GroupDescription("g", ("LUN01", "LUN00")),))
    groups, luns, refused = console(grouped).type(
        "show lun-groups", "show lun-groups -lg-number 0", "show lun-groups -lg-number 1", user="watcher"
    )
    assert code(groups)[-1].split() == ["0", "g", "No"]
    assert [line.split()[:3] for line in code(luns)[-2:]] == [["0", "1", "LUN01"], ["1", "0", "LUN00"]]
    assert code(refused) == ["Error: E0110 Resource does not exist."]


def test_a_main_account_that_may_only_read_is_refused_writes(console: Any) -> None:
    there = console(dataclasses.replace(DESCRIPTION, permissions=frozenset({"read"})))
    refused, shown = there.type("set volume-qos -volume-number 1 -bandwidth-limit 2", "show volume-qos")
    assert code(refused) == ["01", "5003"]
    assert categories(shown)["LUN01"] == ["00", "00", "00"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("show host-affinity", id="hosts"),
        pytest.param("show mapping", id="mapping"),
        pytest.param("show status", id="status"),
    ],
)
def test_a_form_that_was_never_recorded_is_not_made_up(console: Any, line: str) -> None:
    assert code(console(DESCRIPTION).type(line)[0]) == ["01", "5003"]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        pytest.param(
            {"firmware": "V11L10-0000"},
            ["show qos-bandwidth-limit", "set qos-bandwidth-limit -mode volume-qos -bandwidth-limit 7 -iops 1 -throughput 1"],
            id="no category table before V11L30",
        ),
        pytest.param({"firmware": "V11L10-0000"}, ["set volume-qos -volume-number 1 -read-bandwidth-limit 1"], id="no categories of reads"),
        pytest.param(
            {"firmware": "V10L66-0000", "qos": False, "categories": (), "volumes": (VolumeDescription("a"),)},
            ["show volume-qos", "set volume-qos -volume-number 0 -bandwidth-limit 1"],
            id="no QoS at all on an S1",
        ),
    ],
)
def test_what_the_firmware_does_not_have_is_not_understood(console: Any, change: dict[str, Any], lines: list[str]) -> None:
    for reported in console(dataclasses.replace(DESCRIPTION, **change)).type(*lines):
        assert code(reported)[0].endswith("^")


def test_the_settings_of_a_session_are_taken(console: Any) -> None:
    for user in ("audit", "admin"):
        answer = console(DESCRIPTION).type("set clienv-show-more -scroll disable", "set clienv-force-unlock", user=user)
        assert [code(each) for each in answer] == ([["00"], ["00"]] if user == "audit" else [[], []])


@pytest.mark.parametrize(
    "end",
    [
        pytest.param("\n", id="as cinder ends lines"),
        pytest.param("\r\n", id="as delfin ends lines"),
        pytest.param("\r", id="as a terminal does"),
    ],
)
def test_a_line_ends_as_either_public_driver_ends_it(console: Any, end: str) -> None:
    there = console(DESCRIPTION)
    first, second = there.type("show users", "show volume-qos", end=end)
    assert first.startswith("\r\nCLI> show users\r\n00\r\n")
    assert second.startswith("show volume-qos\r\n00\r\n"), "one prompt after each answer, not two"
    assert there.server.requests == ["login", "show users", "show volume-qos"]


def test_a_command_without_a_shell_gets_the_same_answer(console: Any) -> None:
    there = console(DESCRIPTION)
    assert there.run("show volume-qos") == there.type("show volume-qos")[0].removeprefix("\r\n")


def test_a_login_can_be_refused_on_demand(console: Any) -> None:
    there = console(DESCRIPTION)
    there.server.faults.active.append(Fault("refuse", "login", times=1))
    with pytest.raises(asyncssh.PermissionDenied):
        there.type("show users")
    assert there.type("show users")


@pytest.mark.parametrize("kind", ["drop", "lose", "truncate"])
def test_a_connection_ends_in_the_middle_on_demand_and_the_next_one_works(console: Any, kind: str) -> None:
    there = console(DESCRIPTION)
    there.server.faults.active.append(Fault(kind, "set volume-qos", times=1))
    with pytest.raises(DISCONNECTED):
        there.type("set volume-qos -volume-number 1 -bandwidth-limit 2")
    done = categories(there.type("show volume-qos")[0])["LUN01"][0]
    assert done == ("00" if kind == "drop" else "02"), "only a dropped connection has not done it"


def test_a_login_can_be_cut_on_demand(console: Any) -> None:
    there = console(DESCRIPTION)
    there.server.faults.active.append(Fault("drop", "login", times=1))
    with pytest.raises(DISCONNECTED):
        there.type("show users")
    assert there.type("show users")


def test_nonsense_locks_and_writes_that_do_nothing_come_on_demand(console: Any) -> None:
    there = console(DESCRIPTION)
    write = "set volume-qos -volume-number 1 -bandwidth-limit 2"
    there.server.faults.active.append(Fault("garbage", "show volume-qos", times=1))
    assert "html" in there.type("show volume-qos")[0]
    there.server.faults.active.append(Fault("status", "set volume-qos", times=1))
    assert code(there.type(write)[0]) == ["01", "0060"]
    there.server.faults.active.append(Fault("ignore", "set volume-qos", times=1))
    assert code(there.type(write)[0]) == ["00", "0001"]
    assert categories(there.type("show volume-qos")[0])["LUN01"][0] == "00"
    assert code(there.type(write)[0]) == ["00", "0001"]
    assert categories(there.type("show volume-qos")[0])["LUN01"][0] == "02"


@pytest.mark.parametrize("kind", ["latency", "slow"])
def test_an_answer_takes_its_time_on_demand_and_comes_whole(console: Any, kind: str) -> None:
    there = console(DESCRIPTION)
    there.server.faults.active.append(Fault(kind, "show volume-qos", seconds=0.5, containing=b"volume-qos"))
    started = time.monotonic()
    assert fields(there.type("show users")[0]), "who is not hit is answered"
    quick = time.monotonic() - started
    answer = there.type("show volume-qos")[0]
    assert time.monotonic() - started - quick >= 0.5
    assert categories(answer)["LUN00"] == ["07", "00", "00"]


def test_stopping_hangs_up_on_a_connected_client_and_ends_the_thread(console: Any) -> None:
    there = console(DESCRIPTION)
    server = there.server

    async def stay() -> str:
        known = asyncssh.import_known_hosts(f"[{server.host}]:{server.port} {server.host_key.public}\n")
        async with asyncio.timeout(10):
            async with (
                asyncssh.connect(
                    server.host,
                    server.port,
                    username="audit",
                    password="only-for-this-test",
                    known_hosts=known,
                    client_keys=None,
                    config=None,
                ) as connection,
                connection.create_process(term_type="vt100") as process,
            ):
                await process.stdout.readuntil("CLI> ")
                await asyncio.to_thread(server.stop)
                return str(await process.stdout.read())

    with suppress(*DISCONNECTED):  # the end may come as an error or as the end of the text
        assert asyncio.run(stay()) == ""
    assert not any(thread.name == "eternus-dx100" and thread.is_alive() for thread in threading.enumerate())
    with pytest.raises(OSError, match="Connect call failed"):
        there.type("show users")
