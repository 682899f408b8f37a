"""An aggregate that picks one value of several is over a set that has one, or its choice is reasoned here.

A name given twice in an option string was settled by any_value once, and a useless reboot was proposed. A pick in a CASE that asks whether
there is one value (count(DISTINCT ...), min = max, count(*) = 1), or in a group that has one (HAVING), needs no reason. Of smallest and
largest texts tests/long/facts/test_picks_of_texts.py asks the same.
"""

from collections import Counter

import pytest
import sqlglot
from sqlglot import exp

from auditor.facts.catalog import catalog
from auditor.facts.views import view_sql

_PICKS = (exp.AnyValue, exp.ArgMax, exp.ArgMin, exp.First, exp.Last, exp.Mode)

ONE_OF_ITS_GROUP = "of the group's own key: joined by it, or the group has one row"
TIE_BY_NAME = "the largest, and of equals one by its name, which the text beside it shows"
NEWEST = "the newest event, and of equals one by name"
FIRST_OF_FLEET_YAML = "entries of fleet.yaml count in their order"

REASONS: dict[str, tuple[int, str]] = {
    "adapter": (2, TIE_BY_NAME),
    "array_host": (1, ONE_OF_ITS_GROUP),
    "array_pool": (
        4,
        "the minute with the most schedules, and of equals the earliest; a node's name; its one scrub (a fact has one a node)",
    ),
    "array_volume": (1, "equal to the volume's own name, by which it is joined"),
    "baseline_datastore": (1, NEWEST),
    "baseline_volume_qos": (2, "the longest name that the text begins with; of equals one by name and id"),
    "datastore": (1, "who changed it last, and of equals one by name"),
    "device_answer": (3, TIE_BY_NAME),
    "device_queue": (1, ONE_OF_ITS_GROUP),
    "driver_queue": (4, "one row a device; and the commonest depth, which counts where more than half have it"),
    "episode": (1, "those who sent most, and of equals by name"),
    "host_module": (1, ONE_OF_ITS_GROUP),
    "host_queue_full": (1, "in a CASE that asks whether more than half have it"),
    "module_demand": (1, TIE_BY_NAME),
    "protocol_endpoint": (1, ONE_OF_ITS_GROUP),
    "shared_device": (
        6,
        "of the device; an example of what its hosts have; and the commonest, in a CASE that asks whether more than half have it",
    ),
    "restarted_machine": (2, "the next event of the machine, and its key"),
    "step_array_caps": (1, ONE_OF_ITS_GROUP),
    "step_array_device": (4, "of a stretched volume the first of its two arrays; the step says where it is not one volume"),
    "step_curve_cost": (2, "a point of the curve: a policy has one cost for a size"),
    "step_declared": (3, FIRST_OF_FLEET_YAML),
    "step_device_audience": (4, ONE_OF_ITS_GROUP),
    "step_device_joined": (2, ONE_OF_ITS_GROUP),
    "step_device_path": (3, ONE_OF_ITS_GROUP),
    "step_domain_reading": (3, ONE_OF_ITS_GROUP),
    "step_episode_clock": (1, "the time that the least chance explains, and of equals the one with more episodes, then the earlier"),
    "step_episode_fit": (3, ONE_OF_ITS_GROUP),
    "step_history_normal": (1, "the interval that covers the most time, and of equals the shorter; the row says which"),
    "step_host_change": (1, NEWEST),
    "step_module_word": (1, "the name that is spelt most alike, and of equals the first"),
    "step_nfs_server": (3, f"{FIRST_OF_FLEET_YAML}; the deepest junction that holds the path; and of one mount"),
    "step_limited_disk": (1, "a machine has one name"),
    "step_option": (5, "a host has an option once"),
    "step_path_set": (1, "a set of paths is of one host, whose number is in its key"),
    "step_pool_function": (2, "a node's name; its one scrub (a fact has one a node)"),
    "step_pool_room": (1, "a node's name"),
    "step_queue_full_row": (2, "a host has an option once"),
    "step_volume_ceiling": (
        4,
        "of one policy or array, by which the rows are joined; and the ceiling that is nearest, of equals one by its words",
    ),
    "step_vvol_load": (1, ONE_OF_ITS_GROUP),
    "step_vvol_queue": (2, ONE_OF_ITS_GROUP),
    "target_port": (1, ONE_OF_ITS_GROUP),
    "virtual_disk": (1, ONE_OF_ITS_GROUP),
    "vvol_array_on_host": (1, "the name of one array, by its key"),
}


def asks_whether_there_is_one(pick: exp.AggFunc) -> bool:
    """Whether the CASE around an aggregate, or the HAVING of its group, asks that."""
    case, select = pick.find_ancestor(exp.Case), pick.find_ancestor(exp.Select)
    having = None if select is None or pick.find_ancestor(exp.Having) else select.args.get("having")
    text, grouped = ("" if one is None else one.sql("duckdb") for one in (case, having))
    value = pick.this.sql("duckdb")
    of_both = f"{value})" if isinstance(pick, (exp.Min, exp.Max)) else ""
    alone = "COUNT(*) = 1" in text + grouped or f"COUNT(DISTINCT {value}) = 1" in grouped
    return alone or "COUNT(DISTINCT" in text or all(f"{bound}({of_both}" in text for bound in ("MIN", "MAX"))


def picks(sql: str) -> int:
    """How many aggregates of the text pick a value and do not ask whether there is one."""
    return sum(not asks_whether_there_is_one(pick) for pick in sqlglot.parse_one(sql, dialect="duckdb").find_all(*_PICKS))


@pytest.mark.long
def test_every_aggregate_that_picks_has_its_reason() -> None:
    found = Counter({view: picks(view_sql(view)) for view in catalog().views})
    assert +found == Counter({view: count for view, (count, _) in REASONS.items()})


def test_a_pick_is_seen_and_one_that_asks_first_is_none() -> None:
    assert picks("SELECT any_value(a), arg_min(a, b), first(a) FROM t") == 3
    assert picks("SELECT CASE WHEN count(DISTINCT a) = 1 THEN any_value(a) END FROM t") == 0
