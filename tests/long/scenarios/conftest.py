"""The audit of mixed-estate, as in tests/scenarios."""

from tests.scenarios.conftest import mixed, mixed_twin

__all__ = ["mixed", "mixed_twin"]
