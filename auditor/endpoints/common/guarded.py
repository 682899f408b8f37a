"""A plugin's remediator, whose bugs cost the one change that it was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.bugs import call_plugin

if TYPE_CHECKING:
    from auditor.endpoints.common.remediator import AnyRemediator, Reading
    from auditor.model import EndpointKind, Scalar, Target


class GuardedRemediator:
    """Reads and writes as `of` does; it has no `inherit`, which a plugin's settings may not have.

    Args:
        of: the plugin's own.
        plugin: the package, with its version, that it came with.
    """

    def __init__(self, of: AnyRemediator, plugin: str) -> None:
        self.kind: EndpointKind = of.kind
        self._of, self._plugin = of, plugin

    def read(self, session: Any, target: Target) -> Reading:
        """As `Remediator.read`; a bug of the plugin is an EndpointError."""
        return call_plugin(target.endpoint, self._plugin, lambda: self._of.read(session, target))

    def write(self, session: Any, target: Target, value: Scalar) -> None:
        """As `Remediator.write`; a bug of the plugin is an EndpointError, after which only reading shows what was written."""
        call_plugin(target.endpoint, self._plugin, lambda: self._of.write(session, target, value))
