"""Random commands and faults at the lab's ETERNUS DX over SSH, against a model of what is to be read afterwards."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import asyncssh
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from auditor_lab.arrays.eternus.description import (
    CategoryDescription,
    EternusDescription,
    LimitDescription,
    UserDescription,
    VolumeDescription,
)
from auditor_lab.arrays.eternus.server import EternusServer
from tests.long.lab.properties.line import NOTHING, OK, LostError, done, search, seen, troubled

if TYPE_CHECKING:
    from collections.abc import Callable

USER, PASSWORD, PROMPT = "audit", "only-for-this-test", "CLI> "
WITH_TABLE, WITHOUT_TABLE = "V11L30-0000", "V10L66-0000"
KINDS = ("total", "read", "write")
PARAMETER = {"total": "bandwidth-limit", "read": "read-bandwidth-limit", "write": "write-bandwidth-limit"}
MODE = {"total": "volume-qos", "read": "volume-qos-read", "write": "volume-qos-write"}
MOST_IOPS, MOST_MB = 4294967295, 2097151  # cinder's Fujitsu driver
BAD, OUT_OF_RANGE, TOO_MANY, MISSING, UNSUPPORTED, LOCKED, NOT_THERE = "0001", "0002", "0003", "0004", "0030", "0060", "0110"
DESCRIPTION = EternusDescription(
    name="dx100",
    firmware=WITH_TABLE,
    model_name="ET103ACU",
    uid_prefix="600000e00d29000000291b6b",
    categories=(CategoryDescription(7, total=LimitDescription(1000, 200)),),
    volumes=(VolumeDescription("LUN00", category=7), VolumeDescription("LUN01"), VolumeDescription("LUN02", read_category=3)),
    users=(UserDescription("watcher", "Monitor"),),
)
OLD = EternusDescription(
    name="dx60",
    firmware=WITHOUT_TABLE,
    model_name="ET062",
    uid_prefix="600000e00d29000000291b6b",
    volumes=(VolumeDescription("LUN00", category=7), VolumeDescription("LUN01"), VolumeDescription("LUN02")),
)


class Model:
    """Categories of volumes and, from V11L30 on, the table of what each category allows."""

    def __init__(self, firmware: str) -> None:
        self.kinds = KINDS if firmware == WITH_TABLE else KINDS[:1]
        self.categories = {name: dict.fromkeys(self.kinds, 0) for name in ("LUN00", "LUN01", "LUN02")}
        self.categories["LUN00"]["total"] = 7
        if firmware == WITH_TABLE:
            self.categories["LUN02"]["read"] = 3
        self.table = {(category, kind): (0xFFFF, 0xFFFF) for category in range(16) for kind in KINDS}
        self.table[7, "total"] = (1000, 200)

    def set_volume(self, volumes: list[str], asked: dict[str, str]) -> str:
        if len(volumes) > 1:
            return TOO_MANY
        if not volumes:
            return MISSING
        if volumes[0] not in self.categories:
            return NOT_THERE
        wrong = [code for value in asked.values() if (code := judged(value, 0, 15)) != OK]
        if wrong or not asked:
            return wrong[0] if wrong else MISSING
        self.categories[volumes[0]] |= {kind: int(value) for kind, value in asked.items()}
        return OK

    def set_category(self, mode: str, category: str, iops: str, mb_per_second: str) -> str:
        if mode not in MODE:
            return BAD
        for value, least, most in ((category, 1, 15), (iops, 1, MOST_IOPS), (mb_per_second, 1, MOST_MB)):
            if (code := judged(value, least, most)) != OK:
                return code
        self.table[int(category), mode] = (int(iops), int(mb_per_second))
        return OK


def judged(value: str, least: int, most: int) -> str:
    if not value.isdigit():
        return BAD
    return OK if least <= int(value) <= most else OUT_OF_RANGE


numbers = st.sampled_from(["0", "1", "3", "7", "15", "16", "-1", "ten"])
amounts = st.sampled_from(["0", "1", "500", "2097151", "2097152", "4294967295", "4294967296", "1e3"])
# `refuse` is of a login, and so follows a connection that was lost; slow and latency only take time.
kinds_of_trouble = ("status", "drop", "garbage", "lose", "truncate", "ignore")
hardships = st.one_of(st.none(), st.sampled_from(kinds_of_trouble))
USELESS = (asyncssh.Error, OSError, EOFError)  # how a client learns that its connection is gone


class EternusMachine(RuleBasedStateMachine):
    """Types at one shell, which it opens anew after it was lost, and reads everything after every step: that is two commands."""

    @initialize(described=st.sampled_from([DESCRIPTION, OLD]))
    def start(self, described: EternusDescription) -> None:
        self.described = described
        self.model = Model(described.firmware)
        self.server = EternusServer(described, USER, PASSWORD)
        self.runner = asyncio.Runner()
        self.shell: Any = None
        self.compare()

    def teardown(self) -> None:
        if hasattr(self, "server"):
            self.hang_up()
            self.runner.close()
            self.server.stop()

    def type(self, line: str) -> list[str]:
        """What stands between the echo and the next prompt."""
        try:
            text = self.runner.run(self._type(line))
        except USELESS as error:
            self.hang_up()
            raise LostError from error
        return str(text).split("\r\n")[1:-1]

    async def _type(self, line: str) -> str:
        async with asyncio.timeout(10):
            if self.shell is None:
                known = asyncssh.import_known_hosts(f"[127.0.0.1]:{self.server.port} {self.server.host_key.public}\n")
                connection = await asyncssh.connect(
                    "127.0.0.1",
                    self.server.port,
                    username=USER,
                    password=PASSWORD,
                    known_hosts=known,
                    client_keys=None,
                    agent_path=None,
                    config=None,
                )
                process = await connection.create_process(term_type="vt100")
                await process.stdout.readuntil(PROMPT)
                self.shell = (connection, process)
            _, process = self.shell
            process.stdin.write(f"{line}\n")
            # The echo of what was typed holds no prompt, so the next one is the answer's end.
            return str(await process.stdout.readuntil(PROMPT))

    def hang_up(self) -> None:
        shell, self.shell = self.shell, None

        async def close() -> None:
            shell[0].abort()
            await shell[0].wait_closed()

        if shell is not None:
            self.runner.run(close())

    def run(self, line: str) -> list[str]:
        """The lines of a command that must go well, without the status."""
        status, *lines = self.type(line)
        assert status == "00", lines
        return lines

    def ask(self, line: str) -> str:
        lines = self.type(line)
        if lines[:1] not in (["00"], ["01"]):
            raise LostError
        return OK if lines[0] == "00" else lines[1]

    def write(self, operation: str, arguments: str, change: Callable[[Model], str], trouble: str | None) -> None:
        after = deepcopy(self.model)
        answer = change(after)
        got = troubled(self.server.faults, trouble, operation, lambda: self.ask(f"{operation} {arguments}".strip()))
        assert got == (LOCKED if trouble == "status" else seen(trouble, answer))
        if done(trouble) and trouble != "ignore" and answer == OK:
            self.model = after
        self.compare()

    def compare(self) -> None:
        rows = [line.split("\t") for line in self.run("show volume-qos")[1:]]
        kinds = self.model.kinds
        found = {row[1]: {kind: int(value, 16) for kind, value in zip(kinds, row[2 : 2 + len(kinds)], strict=True)} for row in rows}
        assert found == self.model.categories
        if self.described.has_qos_table:
            table = {}
            for line in self.run("show qos-bandwidth-limit")[1:]:
                number, *limits = line.split("\t")
                for place, kind in enumerate(KINDS):
                    table[int(number, 16), kind] = (int(limits[2 * place], 16), int(limits[2 * place + 1], 16))
            assert table == self.model.table

    @rule(
        volumes=st.sampled_from([["LUN00"], ["LUN01"], ["LUN02"], ["LUN00"], ["LUN01"], ["LUN09"], [], ["LUN00", "LUN01"]]),
        by_number=st.booleans(),
        asked=st.dictionaries(st.sampled_from(KINDS), numbers),
        trouble=hardships,
    )
    def put_a_volume_into_categories(self, volumes: list[str], asked: dict[str, str], trouble: str | None, *, by_number: bool) -> None:
        asked = {kind: value for kind, value in asked.items() if kind in self.model.kinds}
        first = (
            [f"-volume-number {int(volumes[0][3:])}" if by_number or len(volumes) > 1 else f"-volume-name {volumes[0]}"] if volumes else []
        )
        second = [f"-volume-name {volumes[1]}"] if len(volumes) > 1 else []
        reported = [f"-{PARAMETER[kind]} {value}" for kind, value in asked.items()]
        change = partial(Model.set_volume, volumes=volumes, asked=asked)
        self.write("set volume-qos", " ".join([*first, *second, *reported]), change, trouble)

    @precondition(lambda self: self.described.has_qos_table)
    @rule(mode=st.sampled_from([*KINDS, *KINDS, "all"]), category=numbers, iops=amounts, mb_per_second=amounts, trouble=hardships)
    def change_a_category(self, mode: str, category: str, iops: str, mb_per_second: str, trouble: str | None) -> None:
        arguments = f"-mode {MODE.get(mode, mode)} -bandwidth-limit {category} -iops {iops} -throughput {mb_per_second}"
        change = partial(Model.set_category, mode=mode, category=category, iops=iops, mb_per_second=mb_per_second)
        self.write("set qos-bandwidth-limit", arguments, change, trouble)

    @rule(trouble=st.sampled_from([kind for kind in kinds_of_trouble if kind != "ignore"]))
    def a_reading_goes_wrong(self, trouble: str) -> None:
        got = troubled(self.server.faults, trouble, "show volume-qos", lambda: self.ask("show volume-qos"))
        assert got == (LOCKED if trouble == "status" else seen(trouble, OK))
        self.compare()

    @rule(operation=st.sampled_from(["show volume-qos", "set volume-qos"]))
    def a_login_is_refused(self, operation: str) -> None:
        self.hang_up()
        arguments = " -volume-number 0 -bandwidth-limit 1" if operation.startswith("set") else ""
        assert troubled(self.server.faults, "refuse", "login", lambda: self.ask(operation + arguments)) == NOTHING
        self.compare()


def test_after_any_commands_and_faults_the_array_tells_what_was_done() -> None:
    search(EternusMachine, 20, 30)
