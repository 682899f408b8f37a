"""The form of settings.yaml: which keys it may have, and what their values must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from msgspec import Meta, field

from auditor.yaml.shapes import Shape, Text

MOST = 2**63 - 1
_Number: TypeAlias = Annotated[int, Meta(ge=0, le=MOST, description="a whole number from 0 up")]
_OptionValue: TypeAlias = Annotated[bool | int | str, Meta(description="a whole number, true or false, or a text")]
OPTION_NAME = r"^[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)+$"
WORD = r"^[A-Za-z_][A-Za-z0-9_]*$"
"""What a kernel module, and a parameter of one, may be called: all else would be other words of its option string."""
_OptionName: TypeAlias = Annotated[str, Meta(pattern=OPTION_NAME)]
_Word: TypeAlias = Annotated[str, Meta(pattern=WORD)]
_Iops: TypeAlias = Annotated[int, Meta(ge=1, le=MOST, description="a whole number from 1 up")]
_Policy: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^(absent|VMW_PSP_[A-Z]+( [A-Za-z0-9_=;,']+)?)$",
        description="absent, or a path policy and its options, such as VMW_PSP_RR iops=1",
    ),
]


class ClaimRuleShape(Shape, kw_only=True):
    """One claim rule for a vendor and model, as esxcli storage nmp satp rule has it."""

    satp: Annotated[str, Meta(pattern=r"^VMW_SATP_[A-Z0-9_]+$", description="a plug-in such as VMW_SATP_ALUA")]
    vendor: Text
    policy: _Policy
    model: str = ""
    options: str = ""
    claim_options: str = ""
    description: str = ""


class HostsShape(Shape, kw_only=True):
    """What some hosts are to have; all that is given of endpoint, cluster and host has to fit."""

    endpoint: Text | None = None
    cluster: Text | None = None
    host: Text | None = None
    options: Mapping[_OptionName, _OptionValue] = field(default_factory=dict)
    modules: Mapping[_Word, Mapping[_Word, _Number]] = field(default_factory=dict)
    claim_rules: tuple[ClaimRuleShape, ...] = ()

    def problem(self) -> str:
        """An entry declares something."""
        return "" if self.options or self.modules or self.claim_rules else "declares nothing: give options, modules or claim_rules"


class VolumesShape(Shape, kw_only=True):
    """What some volumes of arrays are to have."""

    volume: Text
    max_iops: _Iops
    endpoint: Text | None = None


class SettingsShape(Shape):
    """The whole file."""

    hosts: tuple[HostsShape, ...] = ()
    volumes: tuple[VolumesShape, ...] = ()
