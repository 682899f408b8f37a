"""Which depth an option string sets: one plain number for all ports of the module, or it is not known."""

import pytest

from .fleets import Facts, hosts
from .judged import judged
from .whole_rows import add, host, rows_by_id, vcenter

# Options, ports of the module -> configured_depth, depth_is_configured, depth_is_plain.
# Source: lpfcN_lun_queue_depth is of one port and goes before lpfc_lun_queue_depth (docs/domain/facts.md#2). What a module makes of a name
# given twice, of capitals in it, of 0x40, 010, quotes or a list has no source.
CASES: dict[str, tuple[str, str, int | None, int | None, bool | None, bool | None]] = {
    "one word": ("qlnativefc", "ql2xmaxqdepth=64 ql2xloginretrycount=60", 2, 64, True, True),
    "twice alike": ("qlnativefc", "ql2xmaxqdepth=64 a=1 ql2xmaxqdepth=64", 2, 64, True, False),
    "twice with two values": ("qlnativefc", "ql2xmaxqdepth=64 ql2xmaxqdepth=128", 2, None, True, False),
    "hexadecimal": ("qlnativefc", "ql2xmaxqdepth=0x40", 2, None, True, True),
    "octal, perhaps": ("qlnativefc", "ql2xmaxqdepth=010", 2, None, True, True),
    "quoted": ("qlnativefc", 'ql2xmaxqdepth="64"', 2, None, True, True),
    "a list": ("qlnativefc", "ql2xmaxqdepth=64,64", 2, None, True, True),
    "signed": ("qlnativefc", "ql2xmaxqdepth=+64", 2, None, True, True),
    "below zero": ("qlnativefc", "ql2xmaxqdepth=-1", 2, None, True, True),
    "a fraction": ("qlnativefc", "ql2xmaxqdepth=64.4", 2, None, True, True),
    "blanks in another value": ("qlnativefc", "a='x ql2xmaxqdepth=1' ql2xmaxqdepth=64", 2, 64, True, True),
    "quotes that do not close": ("qlnativefc", "ql2xmaxqdepth=64 a='x", 2, None, None, None),
    "blank before the value": ("qlnativefc", "ql2xmaxqdepth= 64", 2, None, True, True),
    "another module's port": ("qlnativefc", "lpfc0_lun_queue_depth=64", 2, None, False, True),
    "every port by its own": ("lpfc", "lpfc0_lun_queue_depth=254 lpfc1_lun_queue_depth=254", 2, 254, True, False),
    "every port, and another for all": (
        "lpfc",
        "lpfc_lun_queue_depth=32 lpfc0_lun_queue_depth=254 lpfc1_lun_queue_depth=254",
        2,
        254,
        True,
        False,
    ),
    "ports that differ": ("lpfc", "lpfc0_lun_queue_depth=254 lpfc1_lun_queue_depth=64", 2, None, True, False),
    "one of two ports": ("lpfc", "lpfc0_lun_queue_depth=254", 2, None, True, False),
    "one port beside all, alike": ("lpfc", "lpfc0_lun_queue_depth=64 lpfc_lun_queue_depth=64", 2, 64, True, False),
    "one port beside all, another": ("lpfc", "lpfc0_lun_queue_depth=254 lpfc_lun_queue_depth=64", 2, None, True, False),
    "every port, one in hexadecimal": ("lpfc", "lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=0x40", 2, None, True, False),
    "every port, one twice": ("lpfc", "lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=64 lpfc1_lun_queue_depth=30", 2, None, True, False),
    "ports, and adapters not read": ("lpfc", "lpfc0_lun_queue_depth=254 lpfc1_lun_queue_depth=254", None, None, True, False),
    "in capitals": ("qlnativefc", "QL2xMaxQDepth=64", 2, None, None, None),
    "in capitals, and as the driver has it": ("qlnativefc", "ql2xmaxqdepth=64 QL2XMAXQDEPTH=32", 2, None, None, None),
    "a port in capitals": ("lpfc", "LPFC0_lun_queue_depth=64", 2, None, None, None),
    "another parameter in capitals": ("qlnativefc", "ql2xmaxqdepth=64 QL2XLOGINRETRYCOUNT=60", 2, 64, True, True),
    "a parameter that only ends so": ("lpfc", "x_lpfc0_lun_queue_depth=9", 2, None, False, True),
}


def fleet() -> Facts:
    given: Facts = {}
    vcenter(given, "vc")
    for name, (module, options, ports, *_) in CASES.items():
        host(given, "vc", name, name, "gold", unread={"hbas"} if ports is None else ())
        key = {"endpoint": "vc", "host_id": name}
        add(given, "host_module", {**key, "module": module, "loaded": True, "option_string": options})
        add(given, "hba", *({**key, "hba": f"vmhba{n}", "kind": "fc", "driver": module} for n in range(2 if ports is None else ports)))
    return given


@pytest.mark.long
def test_a_configured_depth_is_one_plain_number_for_all_ports_or_not_known() -> None:
    rows = rows_by_id("host_module", fleet())
    found = {row["host_id"]: (row["configured_depth"], row["depth_is_configured"], row["depth_is_plain"]) for row in rows.values()}
    assert found == {name: case[3:] for name, case in CASES.items()}


def test_the_ports_that_a_name_in_capitals_sets_are_not_known() -> None:
    rows = {row["host_id"]: row for row in rows_by_id("module_instance", fleet()).values()}
    columns = ("sets_all_ports", "instances_set", "instance_values", "port_depths")
    assert [rows["a port in capitals"][column] for column in columns] == [None] * 4
    assert [rows["one of two ports"][column] for column in columns] == [False, 1, 1, 1]


@pytest.mark.parametrize(
    ("kinds", "verdict"),
    [
        pytest.param(("fc", "fc"), "pass", id="both ports have their depth"),
        pytest.param(("fc", "fc", "nvme", "nvme"), "pass", id="both speak NVMe as well"),
        pytest.param(("fc", "fc", "fc", "nvme"), "fail", id="a third port has none"),
        pytest.param(("fc", "fc", None), "unknown", id="an adapter does not say what it speaks"),
    ],
)
def test_a_port_that_speaks_nvme_as_well_has_one_depth(kinds: tuple[str | None, ...], verdict: str) -> None:
    # Recorded of ESXi 7 with lpfc: vmhba1 and 2 for SCSI, vmhba64 and 65 for NVMe on the same two ports (docs/domain/facts.md#1-13).
    given = hosts(1)
    key = {"host_id": "host-1"}
    given["host_module"] = [{**key, "module": "lpfc", "loaded": True, "option_string": "lpfc0_lun_queue_depth=64 lpfc1_lun_queue_depth=64"}]
    given["hba"] = [{**key, "hba": f"vmhba{n}", "kind": kind, "driver": "lpfc"} for n, kind in enumerate(kinds)]
    assert judged("queue/emulex-instance-scope", given) == {"host-1/lpfc": verdict}
    [row] = rows_by_id("host_module", given).values()
    assert row["configured_depth"] == (64 if verdict == "pass" else None)


def test_unknown_parameters_are_not_known_where_the_quotes_do_not_close() -> None:
    rows = {row["host_id"]: row["unknown_parameters"] for row in rows_by_id("host_module", fleet()).values()}
    assert rows["quotes that do not close"] is None
    assert rows["a list"] == "ql2xmaxqdepth"  # the host's own list was read, and names no parameter
