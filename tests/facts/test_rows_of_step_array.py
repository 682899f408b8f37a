"""What is the same of all arrays behind an endpoint, and which volumes of an array there are for hosts."""

from .fleets import Facts
from .single import rows_over
from .whole_rows import Row, add, rows_of_step

COLUMNS = ("family", "array_id", "model", "generation", "version", "latency_threshold_ms")
# By endpoint, the arrays behind it in the order of these columns.
ARRAYS: dict[str, list[tuple[str | int | None, ...]]] = {
    "one": [("flasharray", "A", "FA-X", "R3", "6.1", None)],
    "again": [("flasharray", "A", "FA-X", "R3", "6.1", None)],
    "of another family": [("solidfire", "A", None, None, None, None)],
    "of no id": [("flasharray", None, None, None, "6.1", 20)],
    "manager": [("dell-sc", "1", "SCv", "g", "7", 20), ("dell-sc", "2", "SCv", "g", "7", 20)],
    "of two kinds": [("dell-sc", "1", "SCv", None, "7", None), ("solidfire", "2", "H410S", None, "12", None)],
    "told in part": [("dell-sc", "1", "SCv", None, "7", None), ("dell-sc", "2", None, None, None, None)],
    "eternus": [("eternus-dx", "1", "ETERNUS DX90 S2", None, "V10", None)],
    "eternus of a generation": [("eternus-dx", "2", "DX 80 S2", "S1", None, None)],
    "eternus of an order number": [("eternus-dx", "3", "ET092DCU", None, None, None)],
}


def arrays() -> Facts:
    given: Facts = {}
    for endpoint, rows in ARRAYS.items():
        add(given, "array", *({"endpoint": endpoint, **dict(zip(COLUMNS, row, strict=True))} for row in rows))
    return given


def volumes() -> Facts:
    return {
        "array_volume": [
            {"endpoint": "fa", "volume_id": f"{status}", "status": status} for status in (None, "active", "deleted", "Destroyed")
        ]
    }


FLEETS = [arrays]


def row(endpoint: str, family: str | None, array_key: str | None, *arguments: str | int | None, known_as: str | None = None) -> Row:
    """The expected columns of an endpoint: model, generation, version, threshold."""
    names = {"endpoint": endpoint, "known_as": known_as or endpoint, "family": family, "array_key": array_key}
    return {**names, **dict(zip(COLUMNS[2:], arguments, strict=True))}


def test_what_the_arrays_of_an_endpoint_do_not_agree_on_is_not_told() -> None:
    assert rows_of_step("step_array", arrays(), "endpoint") == [
        row("again", "flasharray", "flasharray A", "FA-X", "R3", "6.1", None),
        row("eternus", "eternus-dx", "eternus-dx 1", "DX90", "S2", "V10", None),
        row("eternus of a generation", "eternus-dx", "eternus-dx 2", "DX80", "S1", None, None),
        row("eternus of an order number", "eternus-dx", "eternus-dx 3", None, None, None, None),
        row("manager", "dell-sc", None, "SCv", None, "7", None),
        row("of another family", "solidfire", "solidfire A", None, None, None, None),
        row("of no id", "flasharray", None, None, None, "6.1", 20),
        row("of two kinds", None, None, None, None, None, None),
        row("one", "flasharray", "flasharray A", "FA-X", "R3", "6.1", None, known_as="again"),
        row("told in part", "dell-sc", None, None, None, None, None),
    ]


def test_a_volume_that_waits_to_be_purged_is_none() -> None:
    assert {row["volume_id"] for row in rows_of_step("step_volume", volumes())} == {"None", "active"}


def test_a_volume_that_waits_or_that_another_cluster_serves_is_none() -> None:
    # By endpoint, the id, the device and the state of each volume.
    listed: dict[str, list[tuple[str, str | None, str | None]]] = {
        "one": [
            ("a", "naa.1", "SVM stopped"),
            ("b", "naa.2", "SVM stopped"),
            ("c", None, "SVM stopped"),
            ("d", "naa.4", "copy that waits"),
        ],
        "other": [("e", "naa.1", "online"), ("f", "naa.2", "offline"), ("g", None, "online"), ("h", "naa.4", "Copy that waits")],
        "third": [("i", "naa.1", "offline"), ("j", "naa.5", "online"), ("k", "naa.1", None), ("l", "naa.1", "online")],
    }
    volumes = [
        {"endpoint": endpoint, "volume_id": volume, "device": device, "status": status}
        for endpoint, several in listed.items()
        for volume, device, status in several
    ]
    assert [row["volume_id"] for row in rows_over("step_volume", {"fact.array_volume": volumes})] == [*"bcefgijkl"]


def test_a_volume_is_virtual_as_the_array_says_or_by_its_id_or_kind() -> None:
    cells = [
        (False, "v-1", "vvol"),
        (None, "v-1", "lun"),
        (None, None, "vvol"),
        (None, None, "lun"),
        (None, None, None),
        (True, None, "lun"),
    ]
    volumes = [
        {"endpoint": "one", "volume_id": str(number), "is_virtual": virtual, "vvol_id": vvol, "kind": kind}
        for number, (virtual, vvol, kind) in enumerate(cells)
    ]
    found = {row["volume_id"]: row["is_virtual"] for row in rows_over("step_volume", {"fact.array_volume": volumes})}
    assert [found[str(number)] for number in range(6)] == [False, True, True, False, None, True]
