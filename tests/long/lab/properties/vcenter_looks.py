"""What a vCenter tells of its hosts and datastores, compared with the model; each look for itself, so that a step need not pay for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor_lab.vcenter.events.recording import OPTION_CHANGED
from tests.long.lab.properties.vcenter_model import DISK, OPTIONS, ROUND_ROBIN

if TYPE_CHECKING:
    from tests.long.lab.properties.vcenter_calls import Caller
    from tests.long.lab.properties.vcenter_model import Model

HOSTS = {"esx-1": "11", "esx-2": "12"}
STORES = {"inside": "datastore-101", "outside": "datastore-102"}
VVOLS, POD = "datastore-103", "group-p201"
NESTED = {"ioLatencyThreshold": "ioLoadBalanceConfig", "spaceUtilizationThreshold": "spaceLoadBalanceConfig"}


class VCenterLooks:
    """Reads by VI/JSON and esxcli."""

    caller: Caller
    model: Model

    def compare(self) -> None:
        for name in HOSTS:
            self.look_at_state(name)
            if not self.model.hosts[name].away:
                self.look_at_options(name)
                self.look_at_module(name)
                self.look_at_devices(name)
                self.look_at_policies(name)
        for store in STORES:
            self.look_at_sioc(store)
        self.look_at_pod()
        self.look_at_events()
        self.look_at_endpoints()

    def look_at_state(self, name: str) -> None:
        runtime, held = self.caller.read("HostSystem", f"host-{HOSTS[name]}", "runtime"), self.model.hosts[name]
        assert runtime["connectionState"] == ("notResponding" if held.away else "connected")
        assert runtime["inMaintenanceMode"] is held.maintenance

    def look_at_options(self, name: str) -> None:
        if not self.model.hosts[name].away:
            listed = self.caller.read("OptionManager", f"EsxHostAdvSettings-{HOSTS[name]}", "setting")
            found = {one["key"]: one["value"]["_value"] for one in listed if one["key"] in OPTIONS}
            assert found == self.model.hosts[name].options

    def look_at_module(self, name: str) -> None:
        held = self.model.hosts[name]
        if not held.away:
            answer = self.caller.json("HostKernelModuleSystem", f"kernelModuleSystem-{HOSTS[name]}", "QueryModules", {})
            assert answer.value[0]["optionString"] == held.configured
            summary = self.caller.read("HostSystem", f"host-{HOSTS[name]}", "summary")
            assert summary["rebootRequired"] is (held.configured != held.in_effect)

    def look_at_devices(self, name: str, *only: str) -> None:
        held = self.model.hosts[name]
        if not held.away:
            rows = self.caller.rows(f"host-{HOSTS[name]}", "storage.core.device.list", **dict(zip(("device",), only, strict=False)))
            assert set(rows) == set(only or held.claimed_with)
            for device, row in rows.items():
                assert int(row["NoofoutstandingIOswithcompetingworlds"]) == held.dsnro(device)
                assert int(row["DeviceMaxQueueDepth"]) == held.depth()
                found = (int(row["QueueFullSampleSize"]), int(row["QueueFullThreshold"]))
                assert found == (held.own.get((device, "queuefullsamplesize"), 0), held.own.get((device, "queuefullthreshold"), 0))

    def look_at_policies(self, name: str) -> None:
        held = self.model.hosts[name]
        if not held.away:
            rows = self.caller.rows(f"host-{HOSTS[name]}", "storage.nmp.device.list")
            assert {device: row["PathSelectionPolicy"] for device, row in rows.items()} == held.policy
            units = self.caller.read("HostStorageSystem", f"storageSystem-{HOSTS[name]}", "storageDeviceInfo")["multipathInfo"]["lun"]
            assert [one["policy"]["policy"] for one in units] == list(held.policy.values())
            for device, row in rows.items():
                if held.policy[device] == ROUND_ROBIN:
                    kind, count = held.limit[device]
                    limit = "policy=rr" if kind == "Default" else "policy=iops"
                    assert row["PathSelectionPolicyDeviceConfig"].startswith(f"{{{limit},iops={count},")

    def look_at_sioc(self, store: str) -> None:
        found = self.caller.read("Datastore", STORES[store], "iormConfiguration")
        assert {name: found[name] for name in self.model.sioc[store]} == self.model.sioc[store]

    def look_at_pod(self) -> None:
        config = self.caller.read("StoragePod", POD, "podStorageDrsEntry")["storageDrsConfig"]["podConfig"]
        assert {name: (config[NESTED[name]] if name in NESTED else config)[name] for name in self.model.pod} == self.model.pod

    def look_at_events(self) -> None:
        answer = self.caller.json("EventManager", "EventManager", "QueryEvents", {"filter": {"eventTypeId": [OPTION_CHANGED]}})
        found = []
        for one in answer.value or []:
            given = {argument["key"]: argument["value"]["_value"] for argument in one["arguments"]}
            found.append((one["host"]["name"], given["option"], int(given["before"]), int(given["after"])))
        assert found == self.model.written

    def look_at_endpoints(self) -> None:
        volume = self.caller.read("Datastore", VVOLS, "info")["vvolDS"]
        endpoints = {name for name in self.model.hosts["esx-1"].claimed_with if name != DISK}
        assert [{one["deviceId"] for one in host["protocolEndpoint"]} for host in volume["hostPE"]] == [endpoints] * len(HOSTS)
