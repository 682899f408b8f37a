"""Random writes, tasks and faults at the lab's Storage Center, against a model of what is to be read afterwards."""

from __future__ import annotations

import base64
import json
import ssl
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from auditor_lab.arrays.dell_sc import qos
from auditor_lab.arrays.dell_sc.description import (
    DellScDescription,
    HbaDescription,
    QosProfileDescription,
    ServerDescription,
    VolumeDescription,
)
from auditor_lab.arrays.dell_sc.server import DellScServer
from tests.long.lab.properties.line import BUSY, OK, Line, LostError, done, search, seen, troubled, troubles

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.authority import Authority

SERIAL = 64702
CLUSTER, FIRST_HOST, SECOND_HOST = 1, 2, 3
VOLUME_PROFILES, GROUP_PROFILE = (1, 2), 3
DESCRIPTION = DellScDescription(
    name="scv3020",
    serial_number=SERIAL,
    qos_profiles=(
        QosProfileDescription(name="Default"),
        QosProfileDescription(name="Bronze", priority="Low", bandwidth_limit_mb_per_second=50),
        QosProfileDescription(name="Tenant", kind="group", iops_limit=9000),
    ),
    server_clusters=("esx",),
    servers=(
        ServerDescription(name="esx-1", cluster="esx", hbas=(HbaDescription(name="iqn.1998-01.com.vmware:esx-1"),)),
        ServerDescription(name="esx-2", cluster="esx", hbas=(HbaDescription(name="iqn.1998-01.com.vmware:esx-2"),)),
    ),
    volumes=(
        VolumeDescription(name="capped", volume_qos_profile="Bronze", group_qos_profile="Tenant", mapped_to=("esx",)),
        VolumeDescription(name="twin", storage_profile="High Priority", mapped_to=("esx-1",)),
    ),
)
SWITCHES = ("readCacheEnabled", "writeCacheEnabled", "compressionEnabled")
LIMITS = ((qos.IOPS_LIMIT, qos.IOPS_LIMIT_ENABLED), (qos.BANDWIDTH_LIMIT, qos.BANDWIDTH_LIMIT_ENABLED))


def named(number: int) -> str:
    return f"{SERIAL}.{number}"


def number(instance: Any) -> int:
    return int(str(instance).partition(".")[2])


class Model:
    """What the Storage Center holds, and which tasks are still to have their effect."""

    def __init__(self) -> None:
        switches = dict(zip(SWITCHES, (True, True, False), strict=True))
        self.volumes: dict[int, dict[str, Any]] = {
            1: {"storageProfile": 1, "volumeQosProfile": 2, "groupQosProfile": 3, "replayProfileList": [], **switches},
            2: {"storageProfile": 2, "volumeQosProfile": 1, "groupQosProfile": None, "replayProfileList": [], **switches},
        }
        self.profiles: dict[int, dict[str, Any]] = {
            1: {qos.PRIORITY: "Medium", qos.IOPS_LIMIT: None, qos.BANDWIDTH_LIMIT: None},
            2: {qos.PRIORITY: "Low", qos.IOPS_LIMIT: None, qos.BANDWIDTH_LIMIT: 50},
            3: {qos.PRIORITY: "Medium", qos.IOPS_LIMIT: 9000, qos.BANDWIDTH_LIMIT: None},
        }
        # By volume: the server, and the cluster that brought the mapping if one did.
        cluster: list[tuple[int, int | None]] = [(CLUSTER, None), (FIRST_HOST, CLUSTER), (SECOND_HOST, CLUSTER)]
        self.mapped: dict[int, list[tuple[int, int | None]]] = {1: cluster, 2: [(FIRST_HOST, None)]}
        self.later: list[tuple[float, str, Callable[[Model], str]]] = []  # when a task has its effect, and which
        self.ended: dict[str, str] = {}  # by task: what became of it

    def settle(self, now: float) -> None:
        """Let tasks have their effect, the one first whose time came first."""
        due = sorted((one for one in self.later if one[0] <= now), key=lambda one: one[0])
        self.later = [one for one in self.later if one[0] > now]
        for _, task, change in due:
            self.ended[task] = self.attempt(change)

    def attempt(self, change: Callable[[Model], str]) -> str:
        """Change something whole or not at all; tells which."""
        volumes, profiles = deepcopy(self.volumes), deepcopy(self.profiles)
        answer = change(self)
        if answer != OK:
            self.volumes, self.profiles = volumes, profiles
        return answer

    def configure(self, volume: int, payload: dict[str, Any]) -> str:
        if volume not in self.volumes:
            return "404"
        held = self.volumes[volume]
        known: dict[str, tuple[Any, ...]] = {
            "storageProfile": (1, 2, 3, 4),
            "volumeQosProfile": VOLUME_PROFILES,
            "groupQosProfile": (GROUP_PROFILE, None),
        }
        for name, value in payload.items():
            if name in known:
                chosen = None if value is None else number(value)
                if chosen not in known[name]:
                    return "400"
                held[name] = chosen
            elif name == "replayProfileList":
                if value not in ([], [named(1)]):
                    return "400"
                held[name] = [number(one) for one in value]
            elif isinstance(value, bool):
                held[name] = value
            else:
                return "400"
        return OK

    def change_profile(self, profile: int, payload: dict[str, Any]) -> str:
        if profile not in self.profiles:
            return "404"
        held = self.profiles[profile]
        for limit, switch in LIMITS:
            on = payload.get(switch, limit in payload or held[limit] is not None)
            held[limit] = payload.get(limit, held[limit]) if on else None
            # Switched on, but at what?
            if on and (held[limit] is None or held[limit] <= 0):
                return "400"
        held[qos.PRIORITY] = payload.get(qos.PRIORITY, held[qos.PRIORITY])
        return OK

    def map(self, volume: int, server: int) -> str:
        if volume not in self.mapped or server > SECOND_HOST:
            return "404"
        if server not in [one for one, _ in self.mapped[volume]]:
            self.mapped[volume] = [*self.mapped[volume], (server, None)]
            if server == CLUSTER:
                self.mapped[volume] += [(FIRST_HOST, CLUSTER), (SECOND_HOST, CLUSTER)]
        return OK

    def unmap(self, volume: int, place: int | None = None) -> str:
        """Take one mapping away, a cluster's with those it brought; without a place all of them."""
        if place is None:
            self.mapped[volume] = []
            return OK
        server, _ = self.mapped[volume][place]
        kept = [one for at, one in enumerate(self.mapped[volume]) if at != place]
        self.mapped[volume] = [one for one in kept if server != CLUSTER or one[1] != CLUSTER]
        return OK


settings_of_a_volume = st.fixed_dictionaries(
    {},
    optional={
        "storageProfile": st.sampled_from([1, 2, 3, 4, 9]).map(named),
        "volumeQosProfile": st.sampled_from([1, 2, 1, 2, 3, 9]).map(named) | st.none(),
        "groupQosProfile": st.sampled_from([3, 3, 1]).map(named) | st.none(),
        "replayProfileList": st.sampled_from([[], [named(1)], [named(1)], [named(9)], named(1)]),
        **dict.fromkeys(SWITCHES, st.sampled_from([True, False, True, False, "yes"])),
    },
).filter(bool)
amounts = st.sampled_from([-1, 0, 1, 50, 200, 9000])
settings_of_a_profile = st.fixed_dictionaries(
    {},
    optional={
        qos.IOPS_LIMIT: amounts,
        qos.BANDWIDTH_LIMIT: amounts,
        qos.IOPS_LIMIT_ENABLED: st.booleans(),
        qos.BANDWIDTH_LIMIT_ENABLED: st.booleans(),
        qos.PRIORITY: st.sampled_from(["Low", "Medium", "High"]),
    },
).filter(bool)
hardships = troubles("ignored", "session")
AT_ONCE = "at once"
Wait = float | str | None  # how long a call takes that is made with the header Async, None for ever; AT_ONCE without the header
waits = st.sampled_from([AT_ONCE, AT_ONCE, 0.0, 1.0, 5.0, None])


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class DellScMachine(RuleBasedStateMachine):
    """Reads everything after every step: that is three requests."""

    tls: ssl.SSLContext
    context: ssl.SSLContext

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.clock = Clock()
        self.server = DellScServer(DESCRIPTION, self.tls, "Admin", "right", session_seconds=1e9, clock=self.clock)
        self.line = Line(self.server.port, self.context)
        self.cookie = ""
        self.begun = 0
        self.log_in()

    def teardown(self) -> None:
        self.line.close()
        self.server.stop()

    def log_in(self) -> None:
        credentials = base64.b64encode(b"Admin:right").decode()
        headers = {"x-dell-api-version": "2.0", "Authorization": f"Basic {credentials}"}
        status, got, _ = self.line.ask("POST", "/api/rest/ApiConnection/Login", b"{}", headers)
        assert status == 200
        self.cookie = str(got["Set-Cookie"]).partition(";")[0]

    def ask(self, method: str, path: str, payload: Any = None, *, wait: bool = False) -> tuple[int, Any]:
        headers = {"x-dell-api-version": "2.0", "Cookie": self.cookie, **({"Async": "True"} if wait else {})}
        status, _, body = self.line.ask(method, f"/api/rest/{path}", b"" if payload is None else json.dumps(payload).encode(), headers)
        try:
            return status, None if status == 503 else json.loads(body)
        except ValueError as error:
            raise LostError from error

    def get(self, kind: str) -> Any:
        status, found = self.ask("POST", f"StorageCenter/{kind}/GetList")
        assert status == 200
        return found

    def write(
        self, request: tuple[str, str, Any], operation: str, change: Callable[[Model], str], trouble: str | None, wait: Wait = AT_ONCE
    ) -> None:
        self.model.settle(self.clock.seconds)
        after = deepcopy(self.model)
        answer = after.attempt(change) if wait == AT_ONCE else self.begin(after, change, trouble, wait)
        self.server.task_seconds = None if isinstance(wait, str) else wait
        if trouble == "ignored":
            self.server.ignored.add(operation)
        if trouble == "session":
            self.server.forget_sessions()

        def ask() -> str:
            status, _ = self.ask(*request, wait=wait != AT_ONCE)
            return {200: OK, 202: "task", 503: BUSY}.get(status, str(status))

        on_the_wire = None if trouble in ("ignored", "session") else trouble
        got = troubled(self.server.faults, on_the_wire, operation, ask)
        self.server.ignored.clear()
        if trouble == "session":
            assert got == "401"
            self.log_in()
        elif trouble == "ignored" and wait == AT_ONCE:
            assert got == ("404" if answer == "404" else OK)
        else:
            assert got == seen(on_the_wire, answer)
        if done(on_the_wire) and trouble != "session" and (wait != AT_ONCE or trouble != "ignored"):
            self.model = after
        self.compare()

    def begin(self, after: Model, change: Callable[[Model], str], trouble: str | None, wait: Wait) -> str:
        """A call with the header Async: accepted at once, and judged when its time has come."""
        if done(trouble) and trouble != "session":
            # What is ignored is not judged either, but what is not there cannot be reported.
            text = "404" if deepcopy(after).attempt(change) == "404" else OK
            effect = (lambda _model: text) if trouble == "ignored" else change
            if isinstance(wait, float):
                after.later.append((self.clock.seconds + wait, str(1418394170395 + self.begun), effect))
            self.begun += 1
        return "task"

    def compare(self) -> None:
        self.model.settle(self.clock.seconds)
        volumes = {number(one["volume"]["instanceId"]): configured(one) for one in self.get("ScVolumeConfiguration")}
        assert volumes == self.model.volumes
        profiles = {number(one["instanceId"]): one for one in self.get("ScQosProfile")}
        for found, held in zip(profiles.values(), self.model.profiles.values(), strict=True):
            reported = {limit: found[limit] if found[switch] else None for limit, switch in LIMITS}
            assert reported | {qos.PRIORITY: found[qos.PRIORITY]} == held
        used = [one[name] for one in self.model.volumes.values() for name in ("volumeQosProfile", "groupQosProfile")]
        assert {index: one["volumeCount"] for index, one in profiles.items()} == {index: used.count(index) for index in profiles}
        mappings: dict[int, list[tuple[int, bool]]] = {1: [], 2: []}
        for one in self.get("ScMappingProfile"):
            mappings[number(one["volume"]["instanceId"])].append((number(one["server"]["instanceId"]), one["mappedVia"] == "Cluster"))
        assert mappings == {volume: [(server, via is not None) for server, via in held] for volume, held in self.model.mapped.items()}

    @rule(volume=st.sampled_from([1, 2, 1, 2, 9]), payload=settings_of_a_volume, trouble=hardships, wait=waits)
    def configure_a_volume(self, volume: int, payload: dict[str, Any], trouble: str | None, wait: Wait) -> None:
        request = ("PUT", f"StorageCenter/ScVolumeConfiguration/{named(volume)}", payload)
        self.write(request, "PUT ScVolumeConfiguration", partial(Model.configure, volume=volume, payload=payload), trouble, wait)

    @rule(profile=st.sampled_from([1, 2, 3, 1, 2, 3, 9]), payload=settings_of_a_profile, trouble=hardships, wait=waits)
    def change_a_profile(self, profile: int, payload: dict[str, Any], trouble: str | None, wait: Wait) -> None:
        request = ("PUT", f"StorageCenter/ScQosProfile/{named(profile)}", payload)
        self.write(request, "PUT ScQosProfile", partial(Model.change_profile, profile=profile, payload=payload), trouble, wait)

    @rule(volume=st.sampled_from([1, 2]), server=st.sampled_from([1, 2, 3, 1, 2, 3, 9]), trouble=troubles("session"))
    def map_a_volume(self, volume: int, server: int, trouble: str | None) -> None:
        request = ("POST", f"StorageCenter/ScVolume/{named(volume)}/MapToServer", {"server": named(server)})
        self.write(request, "ScVolume/MapToServer", partial(Model.map, volume=volume, server=server), trouble)

    @rule(volume=st.sampled_from([1, 2]), trouble=troubles("session"))
    def unmap_a_volume(self, volume: int, trouble: str | None) -> None:
        request: tuple[str, str, Any] = ("POST", f"StorageCenter/ScVolume/{named(volume)}/Unmap", {})
        self.write(request, "ScVolume/Unmap", partial(Model.unmap, volume=volume), trouble)

    @precondition(lambda self: any(self.model.mapped.values()))
    @rule(which=st.integers(0, 11), trouble=troubles("session"))
    def take_one_mapping_away(self, which: int, trouble: str | None) -> None:
        there = [(volume, place) for volume, held in self.model.mapped.items() for place in range(len(held))]
        volume, place = there[which % len(there)]
        instance = self.get("ScMappingProfile")[which % len(there)]["instanceId"]
        request: tuple[str, str, Any] = ("DELETE", f"StorageCenter/ScMappingProfile/{instance}", None)
        self.write(request, "DELETE ScMappingProfile", partial(Model.unmap, volume=volume, place=place), trouble)

    # Odd seconds, so that no two tasks are due at one moment and none at the very moment somebody asks.
    @rule(seconds=st.sampled_from([0.31, 0.7, 3.17, 6.03]))
    def time_passes(self, seconds: float) -> None:
        self.clock.seconds += seconds
        self.compare()

    @precondition(lambda self: self.begun)
    @rule(which=st.integers(0, 30))
    def look_at_a_task(self, which: int) -> None:
        self.model.settle(self.clock.seconds)
        task = str(1418394170395 + which % self.begun)
        status, answer = self.ask("GET", f"ApiConnection/AsyncTask/{task}")
        became = self.model.ended.get(task)
        assert status == (int(became) if became not in (None, OK) else 200)
        assert (answer.get("objectType") == "AsyncTask") == (became is None)

    @rule(kind=st.sampled_from(["ScVolumeConfiguration", "ScQosProfile"]), trouble=troubles().filter(bool))
    def a_reading_goes_wrong(self, kind: str, trouble: str) -> None:
        read = partial(self.ask, "POST", f"StorageCenter/{kind}/GetList")
        assert troubled(self.server.faults, trouble, f"{kind}/GetList", lambda: OK if read()[0] == 200 else BUSY) == seen(trouble, OK)
        self.compare()


def configured(reported: dict[str, Any]) -> dict[str, Any]:
    references = {
        name: number(reported[name]["instanceId"]) if reported.get(name) else None
        for name in ("storageProfile", "volumeQosProfile", "groupQosProfile")
    }
    replays = [number(one["instanceId"]) for one in reported["replayProfileList"]]
    return references | {"replayProfileList": replays} | {name: reported[name] for name in SWITCHES}


def test_after_any_writes_tasks_and_faults_the_storage_center_tells_what_was_done(
    authority: Authority, client_context: ssl.SSLContext
) -> None:
    search(DellScMachine, 20, 30, tls=authority.server_context("127.0.0.1"), context=client_context)
