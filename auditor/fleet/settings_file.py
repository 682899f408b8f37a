"""settings.yaml: what hosts and volumes are to be set to, as it stands beside fleet.yaml; a file that is not there declares nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.errors import ConfigurationError
from auditor.fleet.settings_shape import OPTION_NAME, WORD, SettingsShape
from auditor.text.names import glob_for_sql
from auditor.yaml.shapes import Mistake, load_shaped, mistakes_error

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.fleet.settings_shape import ClaimRuleShape, HostsShape
    from auditor.yaml.reading import YamlDocument

FILE_NAME = "settings.yaml"
KINDS: Mapping[str, str] = {
    "option": "declared_option",
    "parameter": "declared_parameter",
    "claim_rule": "declared_claim_rule",
    "volume_limit": "declared_volume_limit",
}
"""What may be declared, by the word of the column `kind`, and the view that compares it."""

ALL_DECLARED = "declared_value"
"""The view that has a row for whatever is declared."""

_WHY = "nothing was read: settings that load in part leave hosts unlike what was declared, unseen."
_RANKS = {"host": 4, "cluster": 2, "endpoint": 1}
"""What each selector weighs: one that names a host goes before any that does not, and so on."""


@dataclass(frozen=True, slots=True)
class DeclaredSetting:
    """One value that some hosts, or volumes, are to have.

    Attributes:
        kind: of `KINDS`.
        thing: the kernel module, the claim rule's own words as JSON, or the glob over names of volumes; "" of an option.
        setting: the option, the parameter, or what of a claim rule or volume it is about.
        value: as text, as the facts have it.
        endpoint, cluster, host: globs as `fits_sql` takes them; None: any.
        rank: of entries that fit one host, those of the highest rank count.
        place: file:line.
    """

    kind: str
    thing: str
    setting: str
    value: str
    endpoint: str | None
    cluster: str | None
    host: str | None
    rank: int
    place: str


def load_settings(path: Path) -> tuple[DeclaredSetting, ...]:
    """What `path` declares; () where there is no such file.

    Raises:
        ConfigurationError: it has a mistake; the error names every one in its form, or the first setting that one entry names twice.
    """
    if not path.exists():
        return ()
    document, shape = load_shaped(path, SettingsShape, lambda _data: (), ConfigurationError, why=_WHY)
    return tuple(_declared(document, shape))


def _declared(document: YamlDocument, shape: SettingsShape) -> Iterator[DeclaredSetting]:
    for index, entry in enumerate(shape.hosts):
        mistakes = [Mistake(("hosts", index, *at), what) for at, what in _misnamed(entry)]
        if mistakes:
            raise mistakes_error(mistakes, document, ConfigurationError, why=_WHY)
        for kind, thing, setting, value, at in _of_hosts(entry):
            yield DeclaredSetting(kind, thing, setting, value, **_chosen(entry), place=_place(document, "hosts", index, *at))
        named = [_words(rule) for rule in entry.claim_rules]
        for number, words in enumerate(named):
            if words in named[:number]:
                mistake = Mistake(("hosts", index, "claim_rules", number), "the claim rule stands there twice")
                raise mistakes_error([mistake], document, ConfigurationError, why=_WHY)
    for index, volumes in enumerate(shape.volumes):
        is_name = not any(letter in volumes.volume for letter in "*?[")
        yield DeclaredSetting(
            kind="volume_limit",
            thing=glob_for_sql(volumes.volume),
            setting="max_iops",
            value=str(volumes.max_iops),
            endpoint=_glob(volumes.endpoint),
            cluster=None,
            host=None,
            rank=2 * is_name + (volumes.endpoint is not None),
            place=_place(document, "volumes", index),
        )


def _misnamed(entry: HostsShape) -> Iterator[tuple[tuple[str, ...], str]]:
    """Names that no option, module or parameter has: they would be written into a command or an option string."""
    for option in entry.options:
        if not re.fullmatch(OPTION_NAME, option):
            yield ("options", option), f'"{option}" is not the name of an option, such as Disk.QFullSampleSize'
    for module, parameters in entry.modules.items():
        for name, at in ((module, ("modules", module)), *((one, ("modules", module, one)) for one in parameters)):
            if not re.fullmatch(WORD, name):
                yield at, f'"{name}" is not a name of letters, digits and underscores, such as iscsi_vmk'


def _of_hosts(entry: HostsShape) -> Iterator[tuple[str, str, str, str, tuple[str | int, ...]]]:
    """(kind, thing, setting, value, key path within the entry) of all that an entry declares."""
    for option, value in entry.options.items():
        yield "option", "", option, str(value).lower() if isinstance(value, bool) else str(value), ("options", option)
    for module, parameters in entry.modules.items():
        for parameter, number in parameters.items():
            yield "parameter", module, parameter, str(number), ("modules", module, parameter)
    for index, rule in enumerate(entry.claim_rules):
        yield "claim_rule", _words(rule), rule.description, rule.policy, ("claim_rules", index)


def _place(document: YamlDocument, *at: str | int) -> str:
    return f"{document.path.name}:{document.line(*at)}"


def _words(rule: ClaimRuleShape) -> str:
    """What distinguishes a claim rule from others, as JSON."""
    words = (rule.satp, rule.vendor, rule.model, rule.options, rule.claim_options)
    return json.dumps(dict(zip(("satp", "vendor", "model", "options", "claim_options"), map(str.strip, words), strict=True)))


def _chosen(entry: HostsShape) -> dict[str, Any]:
    rank = sum(weight for key, weight in _RANKS.items() if getattr(entry, key) is not None)
    return {key: _glob(getattr(entry, key)) for key in _RANKS} | {"rank": rank}


def _glob(text: str | None) -> str | None:
    return None if text is None else glob_for_sql(text)
