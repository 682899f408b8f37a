"""What is counted of the devices behind a host, and the words of its modules' options: steps by the rows of what they read."""

from typing import Any

from .single import rows_over

KEY = {"endpoint": "vc", "host_id": "h"}


def row(columns: str, values: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(columns.split(), values, strict=True))


def test_the_devices_of_one_family_and_driver_are_counted_together() -> None:
    inquiry = "inquiry_number family is_namespace"
    seen = "host_number inquiry_number name_family driver_number devices deepest_queue undetermined"
    tables = {
        "step_host_number": [{"host_number": 1, **KEY}],
        "step_inquiry": [
            *(row(inquiry, (n, "flasharray", False)) for n in (1, 2)),
            *(row(inquiry, (n, "other", True)) for n in (3, 4)),
            row(inquiry, (5, None, None)),
        ],
        "step_driver": [{"driver_number": 1, "driver": "nfnic"}],
        "step_host_inquiry": [
            row(seen, (1, 1, None, 1, 2, 64, 1)),
            row(seen, (1, 2, None, 1, 3, 32, 2)),
            row(seen, (1, 3, None, 1, 4, 2048, 0)),
            row(seen, (1, 4, None, 1, 1, 1024, 1)),
            row(seen, (1, 5, "solidfire", None, 1, None, 1)),
        ],
    }
    columns = "family driver devices deepest_queue undetermined luns namespaces deepest_lun_queue undetermined_luns"
    found = sorted(rows_over("step_host_group", tables), key=lambda one: str(one["family"]))
    assert found == [
        KEY | row(columns, ("flasharray", "nfnic", 5, 64, 3, 5, 0, 64, 3)),
        KEY | row(columns, ("other", "nfnic", 5, 2048, 1, 0, 5, None, 0)),
        KEY | row(columns, ("solidfire", None, 1, None, 1, 0, 0, None, 0)),
    ]


def test_what_nobody_knows_behind_a_host_is_counted_over_its_drivers() -> None:
    groups = [
        ("h", "flasharray", 2),
        ("h", "eternus-dx", 1),
        ("h", "eternus-dx", 4),
        ("h", None, 3),
        ("h", None, 1),
        ("g", "eternus-dx", 1),
    ]
    tables = {"step_host_group": [{"endpoint": "vc", **row("host_id family devices", group)} for group in groups]}
    columns = "families families_beside_eternus unknown_families"
    found = sorted(rows_over("step_host_family", tables), key=lambda one: str(one["host_id"]))
    assert found == [
        KEY | {"host_id": "g"} | row(columns, ("eternus-dx", None, 0)),
        KEY | row(columns, ("eternus-dx, flasharray", "flasharray", 4)),
    ]


def test_devices_within_the_host_are_left_out_and_those_of_which_that_is_not_known_count() -> None:
    seen = "host_number device_number inquiry_number driver_number queue_depth is_shared"
    rows = [
        row(seen, (1, 1, 1, 1, 64, True)),
        row(seen, (1, 2, 1, 1, 32, None)),
        row(seen, (1, 3, 1, 1, None, True)),
        row(seen, (1, 4, 1, 1, 99, False)),
        row(seen, (1, 5, 1, 1, 32, True)),
        row(seen, (1, None, 1, 1, 8, True)),
    ]
    names = [{"device_number": n, "name_family": "solidfire"} for n in (1, 2, 3, 4, 5)]
    columns = "host_number inquiry_number name_family driver_number may_be_local devices deepest_queue undetermined"
    found = rows_over("step_host_inquiry", {"step_device_row": rows, "step_device_number": names})
    assert sorted(found, key=lambda one: (one["may_be_local"], -one["devices"])) == [
        row(columns, (1, 1, "solidfire", 1, False, 3, 64, 1)),
        row(columns, (1, 1, None, 1, False, 1, 8, 0)),
        row(columns, (1, 1, "solidfire", 1, True, 1, 32, 0)),
    ]


def test_a_word_of_an_option_string_is_known_by_the_parameters_of_its_own_module() -> None:
    module = {**KEY, "module": "m"}
    strangers = ({"endpoint": "vc-2"}, {"host_id": "g"}, {"module": "n"})
    tables = {
        "fact.host_module": [
            module | {"option_string": " a=1  a=1 ab=x=y z "},
            module | {"module": "u", "option_string": "b=2 b=1 b=2 c=0x40 d='x 8' e=08"},
            module | {"module": "v", "option_string": 'a=1 b="2'},
            module | {"module": "o", "option_string": "q=1"},
            module | {"module": "p", "option_string": "  "},
        ],
        "fact.host_module_parameter": [module | {"name": name} for name in ("a", "abc", "abd")]
        + [module | other | {"name": "ab"} for other in strangers],
    }
    columns = "module name times_given values_given value number settings is_known nearest"
    found = sorted(rows_over("step_module_word", tables), key=lambda one: (one["module"], one["name"]))
    # Of parameters that are equally near the row has the first by name.
    assert found == [
        KEY | row(columns, ("m", "a", 2, 1, "1", 1, "a=1", True, "a")),
        KEY | row(columns, ("m", "ab", 1, 1, "x=y", None, "ab=x=y", False, "a")),
        KEY | row(columns, ("m", "z", 1, 1, "", None, "z=", False, "a")),
        KEY | row(columns, ("o", "q", 1, 1, "1", 1, "q=1", None, None)),
        # Two values are none, and what is not written as numbers are is no number; quotes that do not close leave no words.
        KEY | row(columns, ("u", "b", 3, 2, None, None, "b=1 b=2", None, None)),
        KEY | row(columns, ("u", "c", 1, 1, "0x40", None, "c=0x40", None, None)),
        KEY | row(columns, ("u", "d", 1, 1, "'x 8'", None, "d='x 8'", None, None)),
        KEY | row(columns, ("u", "e", 1, 1, "08", None, "e=08", None, None)),
    ]
