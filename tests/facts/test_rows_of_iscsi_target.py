"""The whole row of each static iSCSI target, and of the modules that set the depth of single ports."""

from .fleets import Facts
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

# Source of the prefixes: docs/domain/arrays.md#device-names
FAMILIES = {
    "iqn.2010-01.com.solidfire:abcd.1": "solidfire",
    "iqn.2010-06.com.purestorage:flasharray.1": "flasharray",
    "iqn.2001-05.com.equallogic:0-1": "equallogic",
    "iqn.1992-08.com.netapp:sn.1": "other",
    None: None,
}


def fleet() -> Facts:
    """Both vCenters have hosts of the same id; a send target and a target of an unlisted host have no row."""
    given: Facts = {}
    for endpoint, name in (("vc", "esx"), ("vc-2", "far")):
        vcenter(given, endpoint)
        for n in (1, 2):
            host(
                given,
                endpoint,
                f"host-{n}",
                f"{name}-{n}",
                "gold" if n == 1 else None,
                version=f"{7 + n}.0.2" if endpoint == "vc" else None,
            )
    key = {"endpoint": "vc", "host_id": "host-1", "hba": "vmhba64", "port": 3260, "kind": "static"}
    for n, iqn in enumerate(FAMILIES):
        add(given, "iscsi_target", {**key, "address": f"198.51.100.{n}", "iqn": iqn, "delayed_ack": n > 1, "delayed_ack_inherited": n == 1})
    add(
        given, "iscsi_target", {**key, "kind": "send", "address": "198.51.100.99"}, {**key, "host_id": "gone", "address": "x", "iqn": "iqn"}
    )
    add(given, "iscsi_target", {**key, "endpoint": "vc-2", "host_id": "host-2", "address": "x", "iqn": "iqn"})
    return given


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": "gold",
    "host": "esx-1",
    "host_id": "host-1",
    "hba": "vmhba64",
    "kind": "static",
    "port": "3260",
    "version": "8.0.2",
}
EXPECTED = expected(
    USUAL,
    *(
        {
            "resource_id": None if iqn is None else f"host-1/vmhba64/198.51.100.{n}:3260/{iqn}",
            "resource_name": iqn,
            "address": f"198.51.100.{n}",
            "iqn": iqn,
            "family": family,
            "delayed_ack": n > 1,
            "delayed_ack_inherited": n == 1,
        }
        for n, (iqn, family) in enumerate(FAMILIES.items())
    ),
    {
        "endpoint": "vc-2",
        "cluster": None,
        "host": "far-2",
        "version": None,
        "host_id": "host-2",
        "resource_id": "host-2/vmhba64/x:3260/iqn",
        "resource_name": "iqn",
        "address": "x",
        "iqn": "iqn",
        "family": "other",
        "delayed_ack": None,
        "delayed_ack_inherited": None,
    },
)


def test_each_static_target_is_told_with_the_family_of_its_name() -> None:
    assert rows_by_id("iscsi_target", fleet()) == EXPECTED
