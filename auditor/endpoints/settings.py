"""What can be fixed: every setting of the registered kinds of endpoints, by the name that rules use."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from auditor.model.endpoint_kinds import endpoint_types

if TYPE_CHECKING:
    from auditor.endpoints.common.commands import CommandForm
    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.model.settings import Setting


def remediator_names() -> tuple[str, ...]:
    """Every name a rule's `fix.remediator` may use, sorted; nothing is imported."""
    return tuple(sorted({name for one in endpoint_types() for name in one.settings}))


@cache
def setting_of(name: str) -> Setting | None:
    """What is known of the setting, or step, whose remediator has that name; None where no kind has it. Nothing is imported."""
    return next((one for kind in endpoint_types() if (one := kind.settings.get(name) or kind.steps.get(name))), None)


@cache
def remediator_for(name: str) -> AnyRemediator:
    """The remediator of that name, also of a step such as host.boot; its module is imported now.

    Raises:
        ConfigurationError: no remediator has that name, for example because the plan was made by a newer auditor.
    """
    from auditor.endpoints.common.guarded import GuardedRemediator
    from auditor.errors import ConfigurationError

    for one in endpoint_types():
        setting = one.settings.get(name) or one.steps.get(name)
        if setting is not None:
            remediator: AnyRemediator = one.load(setting.place)()
            return GuardedRemediator(remediator, one.plugin) if one.plugin else remediator
    raise ConfigurationError(
        f"no remediator is called {name!r}",
        why="the change cannot be made, nor read back, by this version.",
        do=f"use one of: {', '.join(remediator_names())}.",
    )


@cache
def commands_for(name: str) -> CommandForm | None:
    """How a person makes changes of that remediator by commands; its module is imported now. None where none are known."""
    for one in endpoint_types():
        setting = one.settings.get(name)
        if setting is not None and setting.commands:
            form: CommandForm = one.load(setting.commands)
            return form
    return None
