"""Random writes and faults at the lab's FlashArray, against a model of what is to be read afterwards."""

from __future__ import annotations

import json
import ssl
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import (
    HostDescription,
    MachineDescription,
    QosDescription,
    VolumeDescription,
    VolumeGroupDescription,
    VvolDescription,
)
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from tests.long.lab.properties.line import BUSY, OK, Line, LostError, done, search, seen, troubled, troubles

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.authority import Authority

TOKEN = "only-for-this-test"
MIB, MOST = 1 << 20, 512 << 30
ALLOWED = {"iops_limit": (100, 10**8), "bandwidth_limit": (MIB, MOST)}  # the vendor's Python client for REST 2.15
PERSONALITIES = ("aix", "esxi", "hitachi-vsp", "hpux", "oracle-vm-server", "solaris", "vms")  # as above
DESCRIPTION = FlashArrayDescription(
    name="fa-1",
    id="6c1b16ce-1c03-4d1c-b974-33405cf8d565",
    host_groups=("blue",),
    hosts=(HostDescription("esx-1", "blue"), HostDescription("esx-2", "blue"), HostDescription("windows", personality=None)),
    volume_groups=(VolumeGroupDescription("apps", QosDescription(50_000)),),
    volumes=(
        VolumeDescription("pe", subtype="protocol_endpoint", host_groups=("blue",)),
        VolumeDescription("ds-1", host_groups=("blue",)),
        VolumeDescription("ds-2", host_groups=("blue",), qos=QosDescription(1000, MIB)),
        VolumeDescription("apps/log", 1 << 30, hosts=("windows",)),
    ),
    machines=(MachineDescription("web", (VvolDescription("Data"),), bound_by=("esx-1",)),),
)
Ceilings = dict[str, int | None]


def ceilings(iops: int | None = None, bandwidth: int | None = None) -> Ceilings:
    return {"iops_limit": iops, "bandwidth_limit": bandwidth}


class Model:
    """What the array holds, by the names the machine reads at its start (those of vVols are made up by the array)."""

    def __init__(self, volumes: list[str], groups: list[str]) -> None:
        self.held: dict[str, dict[str, Any]] = {
            "volumes": {name: ceilings() for name in volumes} | {"ds-2": ceilings(1000, MIB)},
            "volume-groups": {name: ceilings() for name in groups} | {"apps": ceilings(50_000)},
            "hosts": {"esx-1": "esxi", "esx-2": "esxi", "windows": None},
        }

    def change_ceilings(self, what: str, names: list[str], asked: dict[str, int]) -> str:
        if not all(ALLOWED[name][0] <= value <= ALLOWED[name][1] for name, value in asked.items()):
            return "400"
        return self._change(what, names, lambda held: held | asked)

    def change_personality(self, names: list[str], personality: str) -> str:
        return self._change("hosts", names, lambda _: personality) if personality in PERSONALITIES else "400"

    def _change(self, what: str, names: list[str], how: Callable[[Any], Any]) -> str:
        """Several change all or none."""
        if not set(names) <= set(self.held[what]):
            return "400"
        self.held[what] |= {name: how(self.held[what][name]) for name in names}
        return OK


amounts = {
    "iops_limit": st.sampled_from([-1, 0, 99, 100, 101, 5000, 10**8, 10**8 + 1]),
    "bandwidth_limit": st.sampled_from([0, MIB - 1, MIB, MIB + 1, 50 * MIB, MOST, MOST + 1]),
}
asked_ceilings = st.fixed_dictionaries({}, optional=amounts)
hardships = troubles("ignored", "session")


class FlashArrayMachine(RuleBasedStateMachine):
    """Reads everything after every step: that is three requests."""

    tls: ssl.SSLContext
    context: ssl.SSLContext

    def __init__(self) -> None:
        super().__init__()
        self.server = FlashArrayServer(DESCRIPTION, self.tls, TOKEN)
        self.line = Line(self.server.port, self.context)
        self.token = ""
        self.log_in()
        self.model = Model(sorted(self.read("volumes")), sorted(self.read("volume-groups")))
        self.compare()

    def teardown(self) -> None:
        self.line.close()
        self.server.stop()

    def log_in(self) -> None:
        status, got, _ = self.line.ask("POST", "/api/2.15/login", b"", {"api-token": TOKEN})
        assert status == 200
        self.token = str(got["x-auth-token"])

    def ask(self, method: str, what: str, body: Any = None, **query: str) -> tuple[int, Any]:
        path = f"/api/2.15/{what}?{urlencode(query)}"
        status, _, answer = self.line.ask(method, path, b"" if body is None else json.dumps(body).encode(), {"x-auth-token": self.token})
        try:
            return status, None if status == 503 else json.loads(answer)
        except ValueError as error:
            raise LostError from error

    def read(self, what: str) -> dict[str, Any]:
        status, answer = self.ask("GET", what)
        assert status == 200
        return {one["name"]: one for one in answer["items"]}

    def compare(self) -> None:
        self.found = {what: self.read(what) for what in self.model.held}
        for what, field in (("volumes", "qos"), ("volume-groups", "qos"), ("hosts", "personality")):
            assert {name: one[field] for name, one in self.found[what].items()} == self.model.held[what]

    def write(self, what: str, names: list[str], body: Any, change: Callable[[Model], str], trouble: str | None) -> None:
        after = deepcopy(self.model)
        answer = change(after)
        self.server.ignored_writes = trouble == "ignored"
        if trouble == "session":
            self.server.expire_sessions()
        reported: list[Any] = []

        def ask() -> str:
            status, items = self.ask("PATCH", what, body, names=",".join(names))
            reported.append(items)
            return {200: OK, 503: BUSY}.get(status, str(status))

        on_the_wire = None if trouble in ("ignored", "session") else trouble
        got = troubled(self.server.faults, on_the_wire, f"PATCH {what}", ask)
        self.server.ignored_writes = False
        if trouble == "session":
            assert got == "401"
            self.log_in()
        else:
            assert got == seen(on_the_wire, answer)
        if done(on_the_wire) and answer == OK and trouble not in ("ignored", "session"):
            self.model = after
        self.compare()
        if got == OK and trouble is None:
            changed = [one for name, one in self.found[what].items() if name in names]
            assert reported[0]["items"] == changed, "the answer to a write is what is read afterwards"

    @rule(
        which=st.lists(st.integers(0, 6), min_size=1, max_size=3),
        what=st.sampled_from(["volumes", "volume-groups"]),
        asked=asked_ceilings,
        trouble=hardships,
    )
    def change_ceilings(self, which: list[int], what: str, asked: dict[str, int], trouble: str | None) -> None:
        known = [*self.model.held[what], "nobody"]
        names = list(dict.fromkeys(known[one % len(known)] for one in which))
        self.write(what, names, {"qos": asked}, partial(Model.change_ceilings, what=what, names=names, asked=asked), trouble)

    @rule(
        names=st.lists(st.sampled_from(["esx-1", "esx-2", "windows", "nobody"]), min_size=1, max_size=2, unique=True),
        personality=st.sampled_from([*PERSONALITIES, "ESXi", "linux"]),
        trouble=hardships,
    )
    def change_a_personality(self, names: list[str], personality: str, trouble: str | None) -> None:
        change = partial(Model.change_personality, names=names, personality=personality)
        self.write("hosts", names, {"personality": personality}, change, trouble)

    @rule(what=st.sampled_from(["volumes", "volume-groups", "hosts"]), trouble=troubles().filter(bool))
    def a_reading_goes_wrong(self, what: str, trouble: str) -> None:
        read = partial(self.ask, "GET", what)
        assert troubled(self.server.faults, trouble, f"GET {what}", lambda: OK if read()[0] == 200 else BUSY) == seen(trouble, OK)
        self.compare()

    @rule()
    def log_out_and_in(self) -> None:
        assert self.ask("POST", "logout")[0] == 200
        assert self.ask("GET", "volumes")[0] == 401
        self.log_in()


def test_after_any_writes_and_faults_the_array_tells_what_was_done(authority: Authority, client_context: ssl.SSLContext) -> None:
    search(FlashArrayMachine, 20, 30, tls=authority.server_context("127.0.0.1"), context=client_context)
