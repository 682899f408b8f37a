"""A host's advanced options and kernel modules from what esxcli printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.files.storage import SOFTWARE_ISCSI
from auditor.endpoints.vcenter.collect.esxcli import module_parameters
from auditor.endpoints.vcenter.collect.rows import Rows, columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.files.hosts import HostFiles
    from auditor.endpoints.vcenter.collect.esxcli import Records
    from auditor.endpoints.vcenter.collect.rows import Facts

OPTIONS, MODULES, PARAMETERS = "system settings advanced list", "system module list", "system module parameters list"

_TYPES = {"integer": ("intvalue", "long"), "string": ("stringvalue", "string")}
"""Type of an option -> the field that holds its value, and the API's type."""


def options_of(host: HostFiles, where: Mapping[str, str]) -> Iterator[Facts]:
    """Table `host_option`: every option that any output of the host lists, with the value that it has now."""
    keys: dict[str, tuple[str, str]] = {}
    for output in host.outputs.get(OPTIONS, ()):
        for record in host.read(output):
            path, of_type = record.filled("path", needed=False), record.text("type", needed=False) or ""
            field, wire_type = _TYPES.get(of_type.lower(), (None, None))
            value = record.text(field, needed=False) if field else None
            if path and value is not None and wire_type:
                keys.setdefault(path.removeprefix("/").replace("/", "."), (value, wire_type))
    yield from columns(
        "host_option", where, key=[*keys], value=[value for value, _ in keys.values()], value_type=[name for _, name in keys.values()]
    )


def lists_all_options(host: HostFiles) -> bool:
    """Whether one output has every option that a listing shows: neither one option alone nor those that differ from their default."""
    return any(one.whole and not {"delta", "option", "tree"} & one.arguments.keys() for one in host.outputs.get(OPTIONS, ()))


def modules_of(host: HostFiles, where: Mapping[str, str], drivers: frozenset[str] | None, software_iscsi: bool | None) -> Iterator[Facts]:
    """Tables `host_module` and `host_module_parameter` of the modules that the host's adapters use.

    The options of a module are put together from the parameters that have a value: what esxcli lists is configured, as what the API gives.
    Where they were not listed, esx.conf may have them; a module that it does not name is not known to have none.
    """
    loaded = {name: record for record in host.records(MODULES) or () if (name := record.filled("name", needed=False))}
    rows = Rows("host_module", **where)
    for module in wanted_modules(drivers, software_iscsi):
        parameters = host.records(PARAMETERS, module=module)
        seen = loaded.get(module)
        rows.add(
            module=module,
            loaded=seen.truth("isloaded", needed=False) if seen is not None else None,
            option_string=host.module_options.get(module) if parameters is None else _option_string(parameters),
            version=None,
        )
        if parameters is not None:
            yield from module_parameters(parameters, {**where, "module": module})
    yield from rows.batch()


def wanted_modules(drivers: frozenset[str] | None, software_iscsi: bool | None) -> list[str]:
    """The modules that are of interest, by name."""
    return sorted((drivers or frozenset()) | ({SOFTWARE_ISCSI} if software_iscsi else frozenset()))


def _option_string(parameters: Records) -> str:
    named = ((record.filled("name", needed=False), record.filled("value", needed=False)) for record in parameters)
    return " ".join(f"{name}={value}" for name, value in named if name and value is not None)
