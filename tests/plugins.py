"""Plugins that are installed for the length of a test: packages with their metadata, as pip would leave them, in a folder of the path."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import invalidate_caches
from typing import TYPE_CHECKING

import pytest

from auditor.endpoints import settings
from auditor.facts import families, macros, plugin_views
from auditor.history import reused_verdicts
from auditor.model import endpoint_kinds, plugins
from auditor.pipeline import plugin_rules
from auditor.recording import fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

TYPE = """
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import EndpointType, Family

TYPE = EndpointType(
    EndpointKind("acme"),
    opener="client:opened",
    collector="collect:collected",
    topics=("array", "volumes"),
    family=Family("acme", "Acme", (("ACME", "Disk"),), (r"naa\\.6acme",), ("made up",)),
    contract=1,
)
"""
"""A plugin's `__init__` that is as it should be."""

CLIENT = """
from contextlib import contextmanager

from auditor.endpoints.common.sessions import SessionBase


class Acme(SessionBase):
    release = "Acme 1.0"


@contextmanager
def opened(endpoint):
    yield Acme(endpoint)
"""

COLLECT = """
from datetime import UTC, datetime

from auditor.facts.schema import Batch


def collected(session, endpoint, needs):
    yield Batch("array", {"endpoint": [endpoint.name], "name": ["acme one"], "family": ["acme"]})
    for topic in sorted(needs.topics_of(endpoint.kind)):
        read = {"endpoint": [endpoint.name], "scope": [""], "topic": [topic], "complete": [True], "read_at": [datetime.now(UTC)]}
        yield Batch("reading", read)
"""
WORKING = {"__init__": TYPE, "client": CLIENT, "collect": COLLECT}

_CACHES = (
    plugins.plugin_kinds,
    plugins._found,
    endpoint_kinds._plugin_type,
    families.families_by_name,
    families.kinds_of_families,
    macros._families,
    settings.setting_of,
    settings.remediator_for,
    settings.commands_for,
    fields.kept_fields,
    fields.kept_forms,
    plugin_rules.plugin_rules,
    plugin_views.plugin_views,
    reused_verdicts.code_digest,
)


def write_plugin(
    site: Path, distribution: str, modules: Mapping[str, str], *, kind: str = "acme", package: str = "auditor_acme", version: str = "1.2"
) -> None:
    """Leave a package with these modules, name -> text, and the metadata of a distribution that names its TYPE as the kind."""
    (site / package).mkdir(exist_ok=True)
    for name, text in modules.items():
        (site / package / f"{name}.py").write_text(text, encoding="utf-8")
    about = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[auditor.endpoints]\n{kind} = {package}:TYPE\n", encoding="utf-8")


@contextmanager
def installed(site: Path) -> Iterator[None]:
    """What lies in `site` is installed until the end, and forgotten afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        _forget(site)
        try:
            yield
        finally:
            _forget(site)
    invalidate_caches()


def _forget(site: Path) -> None:
    for cached in _CACHES:
        cached.cache_clear()
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(f"{site}/"):
            del sys.modules[name]
    invalidate_caches()
