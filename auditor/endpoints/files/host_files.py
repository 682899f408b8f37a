"""The files of one host: the outputs of its commands, and other files such as esxtop's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.esxcli import Records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from auditor.endpoints.files.esxtop import Esxtop, NoSamples
    from auditor.endpoints.files.machines import Machine
    from auditor.endpoints.files.outputs import Output

_SAME_LIST = frozenset({"i", "ignore-errors", "skip-slow-fields"})
"""Options with which a command lists as much as without."""


@dataclass(slots=True)
class HostFiles:
    """What the files of one host say.

    Attributes:
        name: its fully qualified name where an output says it.
        source: the bundle, folder or file that all this is from, as a person would find it.
        cluster: None where nothing says which.
        taken_at: when the outputs were made, aware: by the bundle's name, else the oldest file's own time; None where neither says.
        outputs: by command, the newest first.
        others: names of other hosts that outputs among these are of: whose the rest is, nobody knows then, and nothing of it is read.
        module_options: the option strings of kernel modules, as far as a file says them.
        machines: whose .vmx files are there.
        esxtop: samples of files of esxtop; a host that has nothing else may be another one, which its titles name.
    """

    name: str
    source: str
    cluster: str | None = None
    taken_at: datetime | None = None
    outputs: dict[str, list[Output]] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    module_options: Mapping[str, str] = field(default_factory=dict)
    machines: Sequence[Machine] = ()
    esxtop: Sequence[Esxtop | NoSamples] = ()

    def of(self, command: str, **arguments: str) -> Output | None:
        """The output of a command that was given these arguments at least; None where there is none.

        Where there are several, one that was given no others, and is whole, comes first.
        """
        found = [one for one in self.outputs.get(command, ()) if arguments.items() <= one.arguments.items()]
        return min(found, key=lambda one: (len(narrowing(one, arguments)), not one.whole), default=None)

    def records(self, command: str, **arguments: str) -> Records | None:
        """The records of that output; None where there is none."""
        output = self.of(command, **arguments)
        return None if output is None else self.read(output)

    def read(self, output: Output) -> Records:
        """The records of one output of this host."""
        return Records(output.table)


def narrowing(output: Output, wanted: Mapping[str, str]) -> frozenset[str]:
    """The arguments besides those that are wanted by which an output has less than a whole list: of one device, or of endpoints alone."""
    return frozenset(output.arguments) - wanted.keys() - _SAME_LIST
