"""What the benchmarks of whole audits know of generated fleets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_SECONDS = 600.0
"""How long a client waits for a lab that has to make its answers on a busy machine."""


def is_of_the_fleet(gap: dict[str, Any]) -> bool:
    """Whether a gap of a JSON report says what is so of every generated fleet: it lists no array but Element clusters."""
    return str(gap["what"]).startswith("the array behind ") and " is listed in fleet.yaml" in str(gap["why"])


def make_patient(fleet: Path, seconds: float) -> None:
    """Have the client of a fleet file wait so long for each answer."""
    import yaml

    content = yaml.safe_load(fleet.read_text(encoding="utf-8"))
    for endpoint in content["endpoints"]:
        endpoint["limits"] = {**endpoint.get("limits", {}), "timeout_seconds": seconds}
    fleet.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
