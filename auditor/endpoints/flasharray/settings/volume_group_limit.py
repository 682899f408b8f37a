"""Reads and writes one ceiling of one FlashArray volume group."""

from __future__ import annotations

from typing import ClassVar

from auditor.endpoints.flasharray.settings.volume_limit import FlashArrayVolumeLimit


class FlashArrayVolumeGroupLimit(FlashArrayVolumeLimit):
    """`flasharray.volume_group_limit`: keys `name` and `field` (iops_limit or bandwidth_limit); None is no ceiling.

    All volumes of the group share it: a virtual machine on vVols is one such group.
    """

    _resource: ClassVar[str] = "volume-groups"
    _thing: ClassVar[str] = "volume group"
