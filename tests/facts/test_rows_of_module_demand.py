"""Each driver with the most that machines have under way to one of its devices, of those where that is known."""

from .single import rows_over

HERE = {"endpoint": "vc", "host_id": "host-1"}


def queue(
    device: str, outstanding: float | None, driver: str | None = "nfnic", *, is_namespace: bool | None = False, **of: str
) -> dict[str, object]:
    return {**HERE, "device": device, "driver": driver, "outstanding": outstanding, "is_namespace": is_namespace, **of}


def test_a_driver_has_the_fullest_of_its_own_hosts_queues_that_is_known() -> None:
    named = [("nfnic", {}), ("lpfc", {}), ("nvme_pcie", {}), ("nfnic", {"host_id": "host-2"}), ("nfnic", {"endpoint": "other"})]
    modules = [
        {**HERE, **of, "module": module, "resource_id": f"{of.get('endpoint', 'vc')} {of.get('host_id', 'host-1')} {module}"}
        for module, of in named
    ]
    queues = [
        queue("naa.1", 12.5),
        queue("naa.2", 91.0),
        queue("naa.3", None),
        queue("naa.4", 200.0, driver=None),  # its paths use more than one driver
        queue("naa.5", None, driver="lpfc"),
        queue("eui.1", 300.0, is_namespace=True),  # the driver's parameter does not govern its queue: docs/domain/facts.md#2
        queue("naa.8", 300.0, is_namespace=None),
        queue("naa.6", 40.0, host_id="host-2"),
        queue("naa.7", 50.0, endpoint="other"),
    ]
    rows = rows_over("module_demand", {"host_module": modules, "device_queue": queues})
    assert {row["resource_id"]: (row["most_outstanding"], row["busiest_device"]) for row in rows} == {
        "vc host-1 nfnic": (91.0, "naa.2"),
        "vc host-1 lpfc": (None, None),
        "vc host-1 nvme_pcie": (None, None),
        "vc host-2 nfnic": (40.0, "naa.6"),
        "other host-1 nfnic": (50.0, "naa.7"),
    }
