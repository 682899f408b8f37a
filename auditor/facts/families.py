"""Array families: how they are recognised on a host, and which of them auditor reads itself.

A family is recognised by the answer to a SCSI or NVMe inquiry. Where that was not read, or is nobody's here, the device's own name shows
it, as far as its beginning belongs to one family alone. Where both are known and differ, the inquiry is believed, because ESXi chooses its
plugins by it, and because a virtualiser may hand on the name of what is behind it; the difference is a gap (facts/snapshots/unjoined.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from auditor.facts.named_families import ANY_MODEL, NAMED_FAMILIES
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import MULTIPATH_TOOLS, NVME_NAMES, Family, nvme_inquiry, package_types, plugin_types

_FORKLIFT = "kubev2v/forklift, vendorFromNAA"

FAMILIES = (
    *(one.family for one in package_types() if one.family is not None),
    Family("eternus-ahb", "Fujitsu ETERNUS AB/HB", (("FUJITSU", "ETERNUS_AHB"),), (), (MULTIPATH_TOOLS,)),
    Family("fibrecat-sx", "FibreCAT SX", ((".*", "(?i)FibreCAT.*SX"),), (), ("docs/domain/incidents.md#s4; inquiry strings unverified",)),
    Family(
        "equallogic",
        "Dell EqualLogic",
        (("EQLOGIC", "100E-00"),),
        (r"naa\.6090a0",),
        (MULTIPATH_TOOLS, "names in VMware support articles"),
    ),
    Family(
        "symmetrix",
        "Dell PowerMax / Symmetrix",
        (("EMC", "SYMMETRIX"), nvme_inquiry("EMC PowerMax_")),
        (r"naa\.60000970", r"naa\.60060480"),
        (MULTIPATH_TOOLS, NVME_NAMES, _FORKLIFT),
    ),
    Family(
        "clariion",
        "Dell Unity / VNX / CLARiiON",
        (("DGC", "RAID"), ("DGC", "DISK"), ("DGC", "VRAID")),
        (r"naa\.60060160",),
        (MULTIPATH_TOOLS, _FORKLIFT),
    ),
    Family(
        "xtremio", "Dell XtremIO", (("XtremIO", "XtremApp"),), (r"naa\.514f0c5",), (MULTIPATH_TOOLS, "names in VMware support articles")
    ),
    Family("3par", "HPE 3PAR / Primera", (("3PARdata", "VV"),), (r"naa\.60002ac",), (MULTIPATH_TOOLS, _FORKLIFT)),
    Family("alletra", "HPE Alletra (NVMe)", (nvme_inquiry("HPE Alletra"),), (), (MULTIPATH_TOOLS, NVME_NAMES)),
    # IBM's own prefix is shared by all its families.
    Family("svc", "IBM SVC / FlashSystem", (("IBM", "2145"), nvme_inquiry("IBM +2145")), (), (MULTIPATH_TOOLS, NVME_NAMES)),
    Family("xiv", "IBM XIV", (("IBM", "2810XIV"), ("XIV", "NEXTRA")), (), (MULTIPATH_TOOLS,)),
    Family(
        "hitachi",
        "Hitachi VSP / HUS / AMS, HPE XP",
        (
            *((vendor, "OPEN-") for vendor in ("HITACHI", "HP", "HPE")),
            ("HITACHI", "DF"),
            ("HITACHI", "Hi-SDS"),
            nvme_inquiry("HITACHI SVOS-RF-System"),
        ),
        (r"naa\.60060e80",),
        (MULTIPATH_TOOLS, NVME_NAMES, _FORKLIFT),
    ),
    Family("kaminario", "Silk / Kaminario", (("KMNRIO", "K2"),), (), (MULTIPATH_TOOLS,)),
    Family(
        "infinibox",
        "Infinidat InfiniBox",
        (("NFINIDAT", "InfiniBox"), nvme_inquiry("InfiniBox")),
        (r"naa\.6742b0f",),
        (MULTIPATH_TOOLS, _FORKLIFT),
    ),
    *NAMED_FAMILIES,
)
"""The families that auditor itself knows; `all_families` has those of plugins too."""

BY_NAME: Mapping[str, Family] = MappingProxyType({family.name: family for family in FAMILIES})

KIND_OF: Mapping[str, EndpointKind] = MappingProxyType({one.family.name: one.kind for one in package_types() if one.family is not None})
"""Family -> kind of the endpoint by which auditor itself reads such an array; `kinds_of_families` has those of plugins too."""

SPECIAL = r"[*?^\[]"
"""A character of a claim rule's text that makes it a pattern, as a regular expression."""

BEGINNING = r"\^[^*?^\[]+\*"
"""The one pattern that a document describes, as a regular expression: ^mod* is the beginning of a model."""

_PLAIN = re.compile(r"[\w -]+")


@cache
def families_by_name() -> Mapping[str, Family]:
    """Every family by name: first those of auditor, which are recognised first, then those of plugins, which are imported now.

    A plugin may read a family that auditor knows by its devices alone; what auditor knows of it stays.
    """
    found = dict(BY_NAME)
    for one in plugin_types():
        if one.family is not None:
            found.setdefault(one.family.name, one.family)
    return MappingProxyType(found)


def all_families() -> tuple[Family, ...]:
    """Every family, as `families_by_name`."""
    return tuple(families_by_name().values())


@cache
def kinds_of_families() -> Mapping[str, EndpointKind]:
    """Family -> kind of the endpoint by which such an array is read; of all others only what the hosts report is read."""
    kinds = dict(KIND_OF)
    for one in plugin_types():
        if one.family is not None:
            kinds.setdefault(one.family.name, one.kind)
    return MappingProxyType(kinds)


def family_of_inquiry(vendor: str = "vendor", model: str = "model") -> str:
    """SQL: the family by two columns; NULL when the inquiry was not read, 'other' when it is of no known family."""
    branches = (
        f"WHEN {_matches(vendor, f'^(?:{of})$')}{_and_matches(model, what)} THEN '{family.name}'"
        for family in all_families()
        for of, what in _by_vendor(family).items()
    )
    return _case([f"WHEN {vendor} IS NULL OR {model} IS NULL THEN NULL", *branches], "'other'")


def family_of_name(device: str = "device") -> str:
    """SQL: the family by the column of the canonical device name; NULL when the name belongs to nobody alone."""
    return _case(
        [f"WHEN {_matches(device, f'^{name}')} THEN '{family.name}'" for family in all_families() for name in family.names], "NULL"
    )


def families_of_claim(vendor: str = "vendor", model: str = "model") -> str:
    """SQL: the families whose devices a claim rule with these texts takes, comma-separated; 'other' for none.

    '' takes all, and a model as ^mod* what begins with mod, so that one rule may take several families. NULL where the text has other
    special characters and may take a family's devices, or would but for case: what that means no document says; see facts/macros.py.
    """
    inquiries = [one for family in all_families() for one in family.inquiries if one[0] != ".*"]
    vendors, models = [of for of, _ in inquiries], [what for _, what in inquiries if what != ANY_MODEL]
    taken = f"[x.family FOR x IN all_inquiries() IF {_takes(vendor, model)}]"
    matches_but_for_case = "regexp_matches({0}, '(?i)^(?:' || x.{1} || '){2}')"
    but_for_case = " AND ".join(
        [matches_but_for_case.format(vendor, "vendor", "$"), matches_but_for_case.format(model, "model", ""), "x.vendor <> '.*'"]
    )
    open_ones = [
        f"regexp_matches({vendor}, '{SPECIAL}') AND (regexp_matches({model}, '{SPECIAL}') OR {_any(model, models)})",
        f"regexp_matches({model}, '{SPECIAL}') AND NOT regexp_full_match({model}, '{BEGINNING}') AND {_any(vendor, vendors, '$')}",
    ]
    return _case(
        [f"WHEN {vendor} IS NULL OR {model} IS NULL THEN NULL", *(f"WHEN {one} THEN NULL" for one in open_ones)],
        f"coalesce(nullif(array_to_string(list_sort(list_distinct({taken})), ', '), ''), "
        f"CASE WHEN len([x.family FOR x IN all_inquiries() IF {but_for_case}]) > 0 THEN NULL ELSE 'other' END)",
    )


def _and_matches(model: str, what: str) -> str:
    return "" if what == ANY_MODEL else f" AND {_matches(model, f'^(?:{what})')}"


def _by_vendor(family: Family) -> Mapping[str, str]:
    """The vendors of its inquiries, each with all models of that vendor as one pattern."""
    vendors = dict.fromkeys(of for of, _ in family.inquiries)
    return {of: "|".join(what for vendor, what in family.inquiries if vendor == of) for of in vendors}


def all_inquiries() -> str:
    """SQL: a list of all inquiries; `literal` is the model where it is plain text, and '' where it is a pattern.

    Its texts are split by DuckDB: to plan a list of two hundred structures takes ten times as long. No pattern has two lines.
    """
    rows = [(family.name, of, what, what if _PLAIN.fullmatch(what) else "") for family in all_families() for of, what in family.inquiries]
    columns = ", ".join("string_split('{}', '\n')".format("\n".join(column)) for column in zip(*rows, strict=True))
    return f"CAST(list_zip({columns}) AS STRUCT(family VARCHAR, vendor VARCHAR, model VARCHAR, literal VARCHAR)[])"


def _takes(vendor: str, model: str) -> str:
    """SQL: whether a claim rule with these texts takes what answers the inquiry x."""
    begins = f"regexp_full_match({model}, '{BEGINNING}')"
    named = "regexp_matches({0}, '^(?:' || x.model || ')')"
    by_vendor = f"regexp_matches({vendor}, '^(?:' || x.vendor || ')$')"
    by_model = " OR ".join(
        [f"{model} = ''", named.format(model), f"{begins} AND ({named.format(f'{model}[2:-2]')} OR starts_with(x.literal, {model}[2:-2]))"]
    )
    return f"""CASE WHEN x.vendor = '.*' THEN {named.format(model)}
        WHEN x.model = '{ANY_MODEL}' THEN {by_vendor}
        ELSE ({vendor} = '' OR {by_vendor}) AND ({by_model}) END"""


def _any(column: str, patterns: Iterable[str], end: str = "") -> str:
    several = "|".join(f"(?:{pattern})" for pattern in dict.fromkeys(patterns))
    return f"({column} = '' OR {_matches(column, f'^(?:{several}){end}')})"


def _matches(column: str, pattern: str) -> str:
    return f"regexp_matches({column}, '{pattern}')"


def _case(branches: Iterable[str], otherwise: str) -> str:
    return "\n        ".join(["CASE", *branches, f"ELSE {otherwise}", "END"])
