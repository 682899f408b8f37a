"""Views that come with plugins: what is known of each, and how they are made beside ours.

They are found with their plugins (`plugin_view_files`), and made after ours, on a connection that is sealed already, each within a time of
its own. One that cannot be made costs itself, and what rests on it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.facts.own_catalog import catalog
from auditor.model.endpoint_kinds import EndpointType, Fault, plugin_types

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import duckdb

    from auditor.facts.plugin_view_files import PluginView

VIEW_SECONDS = 60.0
"""How long one view may take to be made. Ours take seconds for the largest fleet that was measured."""
_STOP_SECONDS, _INTERRUPT_EVERY_SECONDS = 5.0, 0.05


@dataclass(frozen=True, slots=True)
class PluginViews:
    """The views of all plugins.

    Attributes:
        views: by name, each after those that it rests on.
        faults: by kind, what is wrong with views that were left out, all of that kind.
    """

    views: Mapping[str, PluginView]
    faults: Mapping[str, Fault]


@cache
def plugin_views() -> PluginViews:
    """The views of every installed plugin; they are imported now. One that is wrong costs the views of its plugin, and no others."""
    views: dict[str, PluginView] = {}
    faults: dict[str, Fault] = {}
    for kind in plugin_types():
        found = _views_of(kind) if kind.views else {}
        if isinstance(found, Fault):
            faults[kind.kind.value] = found
        else:
            views |= found
    return PluginViews(MappingProxyType(views), MappingProxyType(faults))


def _views_of(kind: EndpointType) -> Mapping[str, PluginView] | Fault:
    from auditor.facts.plugin_view_files import views_of  # a fleet without such a plugin need not wait for it

    return views_of(kind)


def own_views_below(names: Collection[str]) -> tuple[set[str], tuple[str, ...]]:
    """The views of auditor itself among `names` and those that plugins' views rest on; and these, in the order in which they are made."""
    wanted = set(names)
    others = dict(plugin_views().views) if _may_be_others(names) else {}
    for name in reversed(others):  # each comes after those that it rests on
        if name in wanted:
            wanted.update(others[name].about.rests_on)
    return wanted - others.keys(), tuple(name for name in others if name in wanted)


def _may_be_others(names: Collection[str]) -> bool:
    """Whether any view is not auditor's own: only then are plugins imported."""
    return not catalog().views.keys() >= set(names)


def create_plugin_views(
    connection: duckdb.DuckDBPyConnection, names: Collection[str], *, seconds: float = VIEW_SECONDS
) -> Mapping[str, str]:
    """Make views of plugins as tables beside ours; the answer is why some of them could not be made, in words, by name.

    Args:
        connection: sealed; holds the facts, and the views of auditor that these rest on.
        names: in the order of `own_views_below`.
        seconds: how long each may take.
    """
    failed: dict[str, str] = {}
    for name in names:
        view = plugin_views().views[name]
        below = sorted(failed.keys() & set(view.about.rests_on))
        why = f"it rests on {below[0]}, which could not be computed" if below else _made(connection, view, seconds)
        if why is not None:
            failed[name] = why
    return failed


def _made(connection: duckdb.DuckDBPyConnection, view: PluginView, seconds: float) -> str | None:
    """Make one view; why it could not be made, or None. It runs beside this thread, which hears Ctrl-C meanwhile."""
    cursor = connection.cursor()
    errors: list[str] = []
    done = threading.Event()
    worker = threading.Thread(target=_run, args=(cursor, f'CREATE TABLE "{view.name}" AS\n{view.sql}', errors, done), daemon=True)
    worker.start()
    try:
        if done.wait(seconds):
            return errors[0] if errors else None
        return f"it took longer than {seconds:g} s, and was stopped"
    finally:
        # Again and again: an interrupt before the statement began is lost. A long expression is computed to its end: it is left alone.
        for _ in range(int(_STOP_SECONDS / _INTERRUPT_EVERY_SECONDS)):
            if done.wait(_INTERRUPT_EVERY_SECONDS):
                break
            cursor.interrupt()


def _run(cursor: duckdb.DuckDBPyConnection, statement: str, errors: list[str], done: threading.Event) -> None:
    import duckdb

    try:
        cursor.execute(statement)
    except duckdb.Error as failure:
        errors.append(str(failure).splitlines()[0])
    finally:
        done.set()
