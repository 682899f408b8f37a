"""A host's advanced options and kernel modules from what esxcli printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.files.storage import SOFTWARE_ISCSI
from auditor.endpoints.vcenter.collect.esxcli import module_parameters
from auditor.endpoints.vcenter.collect.live import HIDDEN_OPTIONS
from auditor.endpoints.vcenter.collect.rows import Rows, columns
from auditor.facts.schema import Batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.vcenter.collect.esxcli import Records
    from auditor.endpoints.vcenter.collect.rows import Facts

OPTIONS, MODULES, PARAMETERS = "system settings advanced list", "system module list", "system module parameters list"
MODULE, KERNEL = "system module get", "system settings kernel list"
BOOT = "VMkernel.Boot"

_TYPES = {"integer": ("intvalue", "long"), "string": ("stringvalue", "string")}
"""Type of an option -> the field that holds its value, and the API's type."""

_KERNEL_TYPES = {"bool": "boolean", "string": "string", **dict.fromkeys(("uint8", "uint16", "uint32", "uint64", "int32"), "long")}


def options_of(host: HostFiles, where: Mapping[str, str]) -> Iterator[Facts]:
    """Table `host_option`: every option that any output of the host lists, with the value that it has now.

    The API has boot options of the kernel among them, as VMkernel.Boot.NAME, with the value that is configured.
    """
    keys: dict[str, tuple[str, str]] = {}
    for record in host.records(KERNEL) or ():
        name, of_type, configured = (record.filled(field, needed=False) for field in ("name", "type", "configured"))
        if name and configured and of_type and (wire_type := _KERNEL_TYPES.get(of_type.lower())):
            keys[f"{BOOT}.{name}"] = configured.lower() if wire_type == "boolean" else configured, wire_type
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
    """Whether one output has every option that a listing shows.

    One of a single option, of one group, or of what differs from its default (-d), has not, whatever its file is called.
    """
    return any(output.whole and _is_listing(host.read(output)) for output in host.outputs.get(OPTIONS, ()))


def _is_listing(records: Records) -> bool:
    groups: set[str] = set()
    has_default = False
    for record in records:
        field, _ = _TYPES.get((record.text("type", needed=False) or "").lower(), (None, None))
        groups.add((record.text("path", needed=False) or "").removeprefix("/").partition("/")[0])
        has_default = has_default or (
            field is not None and record.text(field, needed=False) == record.text(f"default{field}", needed=False)
        )
    return has_default and len(groups) > 1


def missing_options(facts: Iterable[Facts]) -> list[str]:
    """The options that no listing shows and that are not among the rows either."""
    keys = {key for batch in facts if isinstance(batch, Batch) for key in batch.columns["key"]}
    return [name for name in HIDDEN_OPTIONS if name not in keys]


def modules_of(host: HostFiles, where: Mapping[str, str], drivers: frozenset[str] | None, software_iscsi: bool | None) -> Iterator[Facts]:
    """Tables `host_module` and `host_module_parameter` of the modules that the host's adapters use.

    Its option string is not put together from its parameters: a word that the module does not know is in none of them.
    """
    loaded = {name: record for record in host.records(MODULES) or () if (name := record.filled("name", needed=False))}
    rows = Rows("host_module", **where)
    for module in wanted_modules(drivers, software_iscsi):
        parameters = host.records(PARAMETERS, module=module)
        seen = loaded.get(module)
        rows.add(
            module=module,
            loaded=seen.truth("isloaded", needed=False) if seen is not None else None,
            option_string=host.module_options.get(module),
            version=_version(host.records(MODULE, module=module)),
        )
        if parameters is not None:
            yield from module_parameters(parameters, {**where, "module": module})
    yield from rows.batch()


def wanted_modules(drivers: frozenset[str] | None, software_iscsi: bool | None) -> list[str]:
    """The modules that are of interest, by name."""
    return sorted((drivers or frozenset()) | ({SOFTWARE_ISCSI} if software_iscsi else frozenset()))


def _version(records: Records | None) -> str | None:
    return next((record.filled("version", needed=False) for record in records or ()), None)
