"""A text of a view that is compared by a pattern has a form that somebody else fixed, or its pattern is reasoned here.

People name schedules, policies, profiles and groups as they like. A schedule "autumn" was taken for ONTAP's "auto", and the profile "gold"
for "gold: night", as the one name begins with the other. Names of hosts' claim rules may be patterns themselves: test_claim_patterns.py.
"""

from collections import Counter

import pytest
import sqlglot
from sqlglot import exp

from auditor.facts.catalog import catalog
from auditor.facts.views import view_sql

_PATTERNS = (exp.Like, exp.ILike, exp.Glob, exp.RegexpLike, exp.RegexpExtract, exp.RegexpReplace, exp.StartsWith, exp.SplitPart)
_FURTHER = tuple(getattr(exp, name) for name in ("Contains", "RegexpFullMatch", "EndsWith", "Split", "RegexpSplit") if hasattr(exp, name))
_BY_NAME = ("contains", "ends_with", "prefix", "regexp_full_match", "regexp_split_to_array", "suffix")

VERSION = "a version, whose form its vendor fixes"
OWN_WORDS = "a text that auditor writes, from words of its own"
OPTIONS = "the words of an option string, whose form the module or plug-in fixes"
PEOPLES = "a person wrote the pattern in fleet.yaml, as one"
LUN_PATH = "the path of a LUN, /vol/VOLUME/LUN: no name in it may have a slash"
VVOL_ID = "an id, with the prefix that vSphere writes before it"
DEVICE = "the name of a device, by the vendor's number in it, or as ESXi names what has none"

REASONS: dict[str, tuple[int, str]] = {
    "baseline_option": (1, "a list of families"),
    "baseline_parameter": (2, "a number"),
    "baseline_qos_policy": (4, f"{OWN_WORDS}; no name stands in it"),
    "baseline_volume_qos": (
        14,
        f"{OWN_WORDS}, behind a name: only limits may follow it. A FlashArray's volume groups have letters, digits and hyphens",
    ),
    "claim_rule": (1, OWN_WORDS),
    "datastore": (3, VERSION),
    "datastore_load": (2, "vSphere's own words for a task"),
    "declared_option": (1, "a list of families"),
    "declared_parameter": (1, "a number"),
    "device_answer": (1, VVOL_ID),
    "disk_stream": (1, VVOL_ID),
    "guest_disk": (1, "the words with which VMware's virtual disk says its model"),
    "host": (5, VERSION),
    "host_module": (6, f"a parameter's name, whose form the driver fixes; {VERSION}; the release that a driver is made for"),
    "iscsi_target": (3, "an IQN, by the date and the domain before the colon, which its standard gives to one vendor"),
    "module_instance": (7, "a parameter's name, whose form the driver fixes"),
    "nfs_option": (1, VERSION),
    "relocation": (2, "vSphere's own words for a task"),
    "protocol_endpoint": (1, VVOL_ID),
    "restarted_machine": (2, f"{OWN_WORDS}; the arguments of an event, between which auditor writes commas, are compared whole"),
    "step_adaptive_ceiling": (1, "a size of blocks; the reference lists four"),
    "step_array": (2, "a model, as its vendor writes it"),
    "step_array_device": (1, "names of arrays with a comma between, which auditor writes; a name of a FlashArray has none"),
    "step_claim_of_class": (11, OPTIONS),
    "step_datastore_lack": (3, DEVICE),
    "step_declared": (1, PEOPLES),
    "step_declared_limit": (2, PEOPLES),
    "step_declared_setting": (3, PEOPLES),
    "step_device_group": (1, "a tier, of which fleet.yaml takes four texts"),
    "step_device_hosts": (1, DEVICE),
    "step_device_joined": (2, DEVICE),
    "step_disk_group": (1, "an id of a Dell SC, which its vendor begins with the serial number of the Storage Center"),
    "step_episode_cause": (2, "vSphere's own words for a task"),
    "step_guest": (7, "vSphere's own words for guest systems"),
    "step_known_device": (2, VERSION),
    "step_module_word": (2, OPTIONS),
    "step_nfs_server": (
        7,
        f"{PEOPLES}; addresses, by their digits and colons; a path at its slashes, and servers at the commas between them",
    ),
    "step_replication": (2, f"{OWN_WORDS}: an id and a role"),
    "step_share_twin": (
        9,
        f"{PEOPLES}: a server's short name stands before the first point, a host's domain behind it; addresses, by their digits and colons",
    ),
    "step_setting_now": (5, f"{OPTIONS}; options of ESXi, by the group before the point; {DEVICE}"),
    "step_stock_queue": (1, VERSION),
    "step_volume_qos": (1, "a throughput of ONTAP in words: whether it holds a number above 0"),
    "step_volume_ceiling": (3, f'{LUN_PATH}; and levels of a FlashArray, which auditor names "host NAME": no name has a blank there'),
    "step_volume_member": (1, LUN_PATH),
    "step_vvol_vm": (1, VVOL_ID),
    "storage_pod": (1, "a list of families"),
    "vaai_option": (3, "a model and a generation as people write them, and a list of families"),
    "vvol_array_on_host": (2, f"{DEVICE}; {VERSION}"),
    "storage_event": (1, DEVICE),
    "vvol_disk": (1, VVOL_ID),
}


def patterns(sql: str) -> int:
    """How many comparisons of the text are by a pattern, or take it to pieces."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    named = sum(one.name.lower() in _BY_NAME for one in tree.find_all(exp.Anonymous))
    return sum(1 for _ in tree.find_all(*_PATTERNS)) + named + sum(1 for _ in tree.find_all(*_FURTHER))


@pytest.mark.long
def test_every_comparison_by_a_pattern_has_its_reason() -> None:
    found = Counter({view: patterns(view_sql(view)) for view in catalog().views})
    assert +found == Counter({view: count for view, (count, _) in REASONS.items()})


def test_a_pattern_is_seen_and_an_equality_is_none() -> None:
    compared = ("a LIKE 'x%'", "a ILIKE 'x'", "a GLOB b", "starts_with(a, b)", "contains(a, b)", "regexp_matches(a, 'x')")
    taken = ("regexp_full_match(a, 'x')", "regexp_extract(a, 'x')", "split_part(a, '/', 1)", "string_split(a, ',')")
    assert [patterns(f"SELECT {one} FROM t") for one in (*compared, *taken)] == [1] * 10
    assert patterns("SELECT a = 'x%', lower(a) = 'x', a IN ('x') FROM t") == 0
