"""What a vCenter's hosts and datastores should be like, in the test's own words: nothing here looks into the lab."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

DISK, ENDPOINT = "naa.624a9370aaaa", "naa.6f47acc2000000016c61623100000000"
OWNED, FREE, PE_OPTION = "Disk.QFullSampleSize", "Disk.QFullThreshold", "Scsi.ScsiVVolPESNRO"
OPTIONS = {OWNED: (0, 64), FREE: (1, 16), PE_OPTION: (32, 4096)}  # docs/domain/advanced-options.md#options
IN_PROFILE = 16
REBOOT, SIOC_BACK, PROFILE_BACK = 10.0, 20.0, 30.0  # seconds
ROUND_ROBIN = "VMW_PSP_RR"
POLICIES = (ROUND_ROBIN, "VMW_PSP_MRU", "VMW_PSP_FIXED")
OK, AWAY, BAD, STATE, REFUSED = "ok", "HostNotReachable", "InvalidArgument", "InvalidState", "refused"
DEFAULT_LIMIT = ("Default", 1000)
POD = {
    "enabled": False,
    "ioLoadBalanceEnabled": False,
    "loadBalanceInterval": 480,
    "defaultVmBehavior": "manual",
    "ioLatencyThreshold": 15,
    "spaceUtilizationThreshold": 80,
}
POD_RANGES = {"loadBalanceInterval": (60, 43200), "ioLatencyThreshold": (5, 100), "spaceUtilizationThreshold": (50, 100)}
SIOC_RANGES = {"congestionThreshold": (5, 100), "percentOfPeakThroughput": (50, 100)}


class Host:
    """One host; `devices` holds DSNRO as it is reported, and what was set on the device itself is kept apart."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.options: dict[str, int] = {OWNED: 0, FREE: 8, PE_OPTION: 256}
        self.configured, self.in_effect = "", ""
        self.claimed_with: dict[str, int | None] = {DISK: None, ENDPOINT: 256}  # None: no protocol endpoint
        self.own: dict[tuple[str, str], int] = {}  # by device and setting
        self.policy = dict.fromkeys((DISK, ENDPOINT), ROUND_ROBIN)
        self.limit = dict.fromkeys((DISK, ENDPOINT), DEFAULT_LIMIT)
        self.maintenance = False
        self.away = False

    def dsnro(self, device: str) -> int:
        return self.own.get((device, "schednumreqoutstanding"), self.claimed_with[device] or 32)

    def depth(self) -> int:
        words = dict(word.split("=") for word in self.in_effect.split())
        return int(words.get("iscsivmk_LunQDepth", 128))


class Model:
    """Changes answer what a client is answered, and change nothing unless that is `OK`."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.hosts = {name: Host(name) for name in ("esx-1", "esx-2")}
        plain = {
            "congestionThresholdMode": "automatic",
            "congestionThreshold": 30,
            "statsCollectionEnabled": False,
            "percentOfPeakThroughput": 90,
        }
        self.sioc: dict[str, dict[str, Any]] = {"inside": {"enabled": True, **plain}, "outside": {"enabled": False, **plain}}
        self.pod: dict[str, Any] = POD | {"enabled": True, "ioLoadBalanceEnabled": True}
        self.later: list[tuple[float, str, str]] = []  # when, which method, of which host
        self.written: list[tuple[str, str, int, int]] = []  # host, option, before, after: an event each
        self.nodes = 1

    @property
    def holds(self) -> bool:
        return bool(self.pod["enabled"] and self.pod["ioLoadBalanceEnabled"])

    def after(self, seconds: float, what: str, host: str = "") -> None:
        self.later.append((self.now + seconds, what, host))

    def pass_to(self, now: float) -> None:
        """Let happen whose time has come, the earliest first."""
        self.now = now
        due = sorted((one for one in self.later if one[0] <= now), key=itemgetter(0))
        self.later = [one for one in self.later if one[0] > now]
        for _, what, host in due:
            getattr(self, what)(host)

    def set_option(self, host: Host, key: str, value: int) -> None:
        before, host.options[key] = host.options[key], value
        if before != value:
            self.written.append((host.name, key, before, value))

    def write_options(self, name: str, changes: list[tuple[str, int]]) -> str:
        host = self.hosts[name]
        if host.away:
            return AWAY
        if not all(OPTIONS[key][0] <= value <= OPTIONS[key][1] for key, value in changes):
            return BAD
        for key, value in changes:
            self.set_option(host, key, value)
        if name == "esx-1" and host.options[OWNED] != IN_PROFILE:
            self.after(PROFILE_BACK, "put_profile_back", name)
        return OK

    def put_profile_back(self, name: str) -> None:
        """A profile that finds its host down tries again later."""
        host = self.hosts[name]
        if host.away:
            self.after(PROFILE_BACK, "put_profile_back", name)
        else:
            self.set_option(host, OWNED, IN_PROFILE)

    def write_module(self, name: str, text: str) -> str:
        if self.hosts[name].away:
            return AWAY
        self.hosts[name].configured = text
        return OK

    def set_device(self, name: str, device: str, settings: list[tuple[str, int]]) -> str:
        host = self.hosts[name]
        if host.away:
            return AWAY
        most = {"schednumreqoutstanding": 256 if host.claimed_with[device] is None else 4096}
        spans = {
            "schednumreqoutstanding": (1, most["schednumreqoutstanding"]),
            "queuefullsamplesize": (0, 64),
            "queuefullthreshold": (1, 16),
        }
        if not all(spans[key][0] <= value <= spans[key][1] for key, value in settings):
            return REFUSED
        host.own |= {(device, key): value for key, value in settings}
        return OK

    def set_policy(self, name: str, device: str, policy: str) -> str:
        """A new policy drops what was set for the old one."""
        host = self.hosts[name]
        if host.away:
            return AWAY
        if policy not in POLICIES:
            return BAD
        if policy != host.policy[device]:
            host.policy[device], host.limit[device] = policy, DEFAULT_LIMIT
        return OK

    def set_round_robin(self, name: str, device: str, settings: list[tuple[str, Any]]) -> str:
        host, reported = self.hosts[name], dict(settings)
        if host.away:
            return AWAY
        if host.policy[device] != ROUND_ROBIN or ("iops" in reported and (reported.get("type") != "iops" or reported["iops"] < 1)):
            return REFUSED
        if "type" in reported:
            host.limit[device] = ("Iops", reported.get("iops", 1000)) if reported["type"] == "iops" else DEFAULT_LIMIT
        return OK

    def maintain(self, name: str, *, enter: bool) -> str:
        host = self.hosts[name]
        if host.away:
            return AWAY
        if host.maintenance is enter:
            return STATE
        host.maintenance = enter
        return OK

    def reboot(self, name: str, *, force: bool) -> str:
        host = self.hosts[name]
        if host.away:
            return AWAY
        if not force and not host.maintenance:
            return STATE
        host.away = True
        self.after(REBOOT, "come_back", name)
        return OK

    def come_back(self, name: str) -> None:
        host = self.hosts[name]
        host.away, host.in_effect = False, host.configured
        for device, value in host.claimed_with.items():
            host.claimed_with[device] = None if value is None else host.options[PE_OPTION]

    def look_for_devices(self, name: str) -> str:
        return AWAY if self.hosts[name].away else OK

    def write_sioc(self, store: str, spec: dict[str, Any]) -> str:
        if not all(least <= spec.get(name, least) <= most for name, (least, most) in SIOC_RANGES.items()):
            return BAD
        self.sioc[store] |= spec
        if store == "inside" and self.holds and not self.sioc[store]["enabled"]:
            self.after(SIOC_BACK, "enforce_sioc")
        return OK

    def enforce_sioc(self, _: str = "") -> None:
        if self.holds:
            self.sioc["inside"]["enabled"] = True

    def write_pod(self, spec: dict[str, Any], *, modify: bool) -> str:
        if not all(least <= spec.get(name, least) <= most for name, (least, most) in POD_RANGES.items()):
            return BAD
        self.pod = (self.pod if modify else POD) | spec
        self.enforce_sioc()
        return OK

    def add_endpoint(self, name: str) -> None:
        """It has the host's default DSNRO of this moment, whatever is set on the others."""
        self.nodes += 1
        for host in self.hosts.values():
            host.claimed_with[name] = host.options[PE_OPTION]
            host.policy[name], host.limit[name] = ROUND_ROBIN, DEFAULT_LIMIT
