"""The audit of mixed-estate, as in tests/scenarios."""

from tests.scenarios.conftest import mixed

__all__ = ["mixed"]
