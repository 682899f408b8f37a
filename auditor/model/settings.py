"""What can be written on an endpoint, as others have to know it: its unit, what it asks for, and who may have changed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model.resources import Scalar


@dataclass(frozen=True, slots=True)
class Needed:
    """What a read or a fix of a vCenter asks for.

    Attributes:
        privileges: all of them are needed.
        source: who says so.
        verified: whether a vendor's document says so; otherwise it is what the lab was built on.
    """

    privileges: tuple[str, ...]
    source: str
    verified: bool = True


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, or a step on the way to one, and all that is known of it before its module is imported.

    Attributes:
        place: its remediator, as "module:class" within the folder of its kind.
        unit: of its values; "" where they have none, or it differs by what the target names.
        units: glob over the `option`, `field` or `parameter` of a target, whose capitals do not count -> the unit of its values.
        no_limit: the values that stand for no limit; None is one of them where that says "no limit", and not "absent".
        needed: what writing it asks for, beside what reading asks for; None for an array, whose `roles` say it.
        shown_by: the tasks and events of vCenter, in lower case, whose author may have changed it; empty where none shows.
        of_host: whether it is of a host as a whole, and not of a piece of storage that something may lie on or under.
        single_host: whether a host without vCenter takes it as well: by its option manager, its storage and kernel module systems, esxcli,
            or a machine's own settings.
        commands: how a person sets it by commands, as "module:function" like `place` (`auditor.endpoints.common.commands`); "" where no
            commands are known: an array's settings are set by its own tool.
    """

    place: str
    unit: str = ""
    units: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    no_limit: tuple[Scalar, ...] = ()
    needed: Needed | None = None
    shown_by: tuple[str, ...] = ()
    commands: str = ""
    of_host: bool = False
    single_host: bool = False

    def unit_of(self, keys: Mapping[str, str]) -> str:
        """The unit of its values at a target with these keys; "" where it has none, or none is known."""
        name = (keys.get("option") or keys.get("field") or keys.get("parameter") or "").casefold()
        return self.unit or next((unit for glob, unit in self.units.items() if fnmatchcase(name, glob.casefold())), "")
