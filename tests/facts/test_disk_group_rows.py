"""Pools of one array that share its disks: which these are, and that Storage I/O Control on one and not on the next is seen across them."""

from .single import Rows, by, of_vc, rows_over

FAMILIES = {"sc": "dell-sc", "par": "3par", "nim": "nimble"}


def pools() -> Rows:
    media = {"r10": "ssd", "r5": "ssd", "slow": "hdd", "unread": None}
    return [{"endpoint": array, "pool_id": pool, "name": pool, "media": kind} for array in FAMILIES for pool, kind in media.items()]


ARRAYS: Rows = [{"endpoint": name, "family": family} for name, family in FAMILIES.items()]


def lying() -> dict[str, Rows]:
    """On each array one datastore with Storage I/O Control on `r10`, and one without on `r5`; on the disks of `slow` one with it."""
    stores = {"r10": True, "r5": False, "slow": True}
    return {
        "fact.array_pool": pools(),
        "step_array": ARRAYS,
        "step_disk_group": rows_over("step_disk_group", {"fact.array_pool": pools(), "step_array": ARRAYS}),
        "step_volume": [{"endpoint": array, "volume_id": pool, "pool_id": pool, "tiers": 1} for array in FAMILIES for pool in stores],
        "step_datastore_volume": of_vc(
            *(
                {"datastore_id": f"{array} {pool}", "array_endpoint": array, "volume_id": pool, "qos_capped": False}
                for array in FAMILIES
                for pool in stores
            )
        ),
        "fact.datastore": of_vc(
            *(
                {"datastore_id": f"{array} {pool}", "name": f"{array} {pool}", "type": "VMFS", "sioc_enabled": on}
                for array in FAMILIES
                for pool, on in stores.items()
            )
        ),
        "step_endpoint_reading": [
            {"endpoint": "vc", "datastores_read": True, "pods_read": True},
            *({"endpoint": name, "volumes_read": True} for name in FAMILIES),
        ],
        "step_vcenter_reading": [{"datastores_read": True}],
    }


def test_all_storage_types_of_a_dell_sc_share_its_disks_and_groups_of_a_3par_those_of_their_kind() -> None:
    centers = [{"endpoint": "sc", "pool_id": pool, "name": pool} for pool in ("64702.1", "64702.2", "64703.1")]  # of one manager
    rows = rows_over("step_disk_group", {"fact.array_pool": [*pools()[4:], *centers], "step_array": ARRAYS})
    grouped = {(row["endpoint"], row["pool_id"]): row["disk_group"] for row in rows}
    assert grouped == {
        **{("sc", pool): f"all disks of {pool[:5]}" for pool in ("64702.1", "64702.2", "64703.1")},
        **{("par", pool): "disks of the kind ssd" for pool in ("r10", "r5")},
        ("par", "slow"): "disks of the kind hdd",
    }


def test_a_datastore_without_sioc_on_another_pool_of_the_same_disks_is_mixed_with_those_that_have_it() -> None:
    rows = by("pool_sioc", "endpoint resource_id", lying())
    told = {"/".join(name): (row["sioc_on"], row["sioc_off"], row["is_mixed"], row["without_sioc"]) for name, row in rows.items()}
    assert told == {
        "sc/r10": (1, 1, True, "sc r5"),
        "sc/r5": (0, 1, True, "sc r5"),
        "sc/slow": (1, 1, True, "sc r5"),
        "par/r10": (1, 1, True, "par r5"),
        "par/r5": (0, 1, True, "par r5"),
        "par/slow": (1, 0, False, None),
        "nim/r10": (1, 0, False, None),
        "nim/r5": (0, 1, False, "nim r5"),
        "nim/slow": (1, 0, False, None),
    }


def test_a_neighbour_that_keeps_sioc_is_named_across_the_pools_of_the_same_disks() -> None:
    given = {name: rows for name, rows in lying().items() if name not in ("fact.array_pool", "step_vcenter_reading")}
    named = {row["datastore_id"]: row["neighbours"] for row in rows_over("step_pool_neighbour", given)}
    assert {name: one for name, one in named.items() if one} == {"sc r10": "sc slow", "sc slow": "sc r10"}
