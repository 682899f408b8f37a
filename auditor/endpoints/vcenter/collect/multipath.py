"""esxcli records of multipathing and of iSCSI port binding into rows; see vcenter_esxcli.py for how."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.esxcli import Column, Layout, Record, Records, by_device
from auditor.endpoints.vcenter.enumerations import COMPLIANCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PSP = "pathselectionpolicy"
_CONFIG = "pathselectionpolicydeviceconfig"
_ROUND_ROBIN = "VMW_PSP_RR"
_NO_ADDRESS = "0.0.0.0"  # noqa: S104  what an adapter without an address shows
_LIMITS = ("rr", "iops", "bytes", "latency")
_NAME = re.compile(r"[^,\s]+")
_WORD = re.compile(r"\b([A-Za-z]+)=([^,;:{}\s]*)")


def _round_robin(word: str, record: Record, field: str, *, needed: bool) -> str | None:
    """One word of the policy's own settings, which come before what the path in use does; None for other policies."""
    text = record.text(field, needed=needed)
    if text is None or record.text(_PSP, needed=False) != _ROUND_ROBIN:
        return None
    return _words(text).get(word)


@lru_cache(maxsize=256)
def _words(text: str) -> Mapping[str, str]:
    """The settings in the policy's text, of each the first: what the path in use does comes behind them."""
    return dict(reversed(_WORD.findall(text)))


def _policy(record: Record, field: str, *, needed: bool) -> str | None:
    word = _round_robin("policy", record, field, needed=needed)
    return record.understood(field, word, word if word in _LIMITS else None)


def _count(name: str, record: Record, field: str, *, needed: bool) -> int | None:
    word = _round_robin(name, record, field, needed=needed)
    return record.understood(field, word, int(word) if word is not None and re.fullmatch("[0-9]{1,18}", word) else None)


def _use_unoptimized(record: Record, field: str, *, needed: bool) -> bool | None:
    word = _round_robin("useANO", record, field, needed=needed)
    return record.understood(field, word, {"0": False, "1": True}.get(word or ""))


def _listed(record: Record, field: str, *, needed: bool) -> int | None:
    """How many names a list has, whether it came as several fields or as one with commas."""
    names = record.texts(field, needed=needed)
    return None if names is None else sum(len(_NAME.findall(text)) for text in names)


device_policies = Layout(
    "device_policy",
    (
        Column("satp", "storagearraytype"),
        Column("psp", _PSP),
        Column("psp_config", _CONFIG),
        Column("rr_policy", _CONFIG, _policy, needed=False, also=(_PSP,)),
        Column("rr_iops", _CONFIG, partial(_count, "iops"), needed=False, also=(_PSP,)),
        Column("rr_bytes", _CONFIG, partial(_count, "bytes"), needed=False, also=(_PSP,)),
        Column("rr_use_unoptimized", _CONFIG, _use_unoptimized, needed=False, also=(_PSP,)),
        Column("working_paths", "workingpaths", _listed, needed=False),
    ),
    ("device", "device"),
    by_device,
)
"""Of `storage nmp device list`.

Source of the fields: public PowerCLI scripts that read them (Device, StorageArrayType, PathSelectionPolicy, WorkingPaths,
PathSelectionPolicyDeviceConfig). Source of the settings' text: KB 323117 for {policy=rr,iops=1000,bytes=10485760,useANO=0; lastPathIndex=1:
NumIOsPending=0,numBytesPending=0}; vSphere storage guide 6.7, "Change Default Parameters for Latency Round Robin", for
{policy=latency,...}; some builds put blanks for commas (public outputs).
"""


def _rules(records: Records) -> Iterator[tuple[Record, str | None]]:
    for record in records:
        name = record.text("name")
        record.name = f"a rule of {name}"
        yield record, name


def _left_open(record: Record, field: str, *, needed: bool) -> str | None:
    """The field, '' where the record has none: a rule says nothing of it."""
    texts = record.texts(field, needed=needed)
    return " ".join(text.strip() for text in texts) if texts is not None else ""


satp_rules = Layout(
    "satp_rule",
    (
        *(
            Column(name, name, _left_open, needed=False)
            for name in ("device", "vendor", "model", "driver", "transport", "options", "description")
        ),
        Column("rule_group", "rulegroup"),
        Column("claim_options", "claimoptions", _left_open, needed=False),
        Column("default_psp", "defaultpsp", _left_open, needed=False),
        Column("psp_options", "pspoptions", _left_open, needed=False),
    ),
    ("satp", "name"),
    _rules,
)
"""Of `storage nmp satp rule list`. Source: public PowerCLI scripts that read and print these fields."""


def _bound(records: Records) -> Iterator[tuple[Record, str | None]]:
    for record in records:
        vmk = record.filled("vmknic")
        record.name = f"a portal on {vmk}"
        yield record, vmk


def _compliant(record: Record, field: str, *, needed: bool) -> bool | None:
    """Source: a vendor's checker (PureStorage-OpenConnect) compares with the word "compliant"."""
    text = record.filled(field, needed=needed)
    return record.understood(field, text, None if text is None else COMPLIANCE.get(re.sub("[^a-z]", "", text.lower())))


def _address(record: Record, field: str, *, needed: bool) -> str | None:
    text = record.filled(field, needed=needed)
    return None if text == _NO_ADDRESS else text


def _subnet(record: Record, field: str, *, needed: bool) -> str | None:
    mask, address = record.filled(field, needed=needed), _address(record, "ipv4", needed=False)
    if mask is None or address is None:
        return None
    try:
        subnet = str(IPv4Interface(f"{address}/{mask}").network)
    except ValueError:
        subnet = None
    return record.understood(field, mask, subnet)


iscsi_portals = Layout(
    "iscsi_portal",
    (
        Column("hba", "adapter"),
        Column("ip", "ipv4", _address, needed=False),
        Column("subnet", "ipv4subnetmask", _subnet, needed=False, also=("ipv4",)),
        Column("compliant", "compliantstatus", _compliant),
        Column("compliant_status", "compliantstatus", needed=False),
        Column("path_status", "pathstatus", needed=False),
        Column("link_up", "linkup", Record.truth, needed=False),
        Column("mtu", "mtu", Record.number, needed=False),
    ),
    ("vmk", "vmknic"),
    _bound,
)
"""Of `iscsi networkportal list`.

Source: public PowerCLI scripts read Adapter, Vmknic, IPv4, IPv4SubnetMask, MTU, PortGroup, CompliantStatus ("compliant") and PathStatus
("active"). LinkUp follows from the display name and is not verified, so it may be missing without a word.
"""
