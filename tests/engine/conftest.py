"""Verdicts over small views are kept when they are judged; others are deferred. What holds for the ones holds for the others."""

import pytest


@pytest.fixture(params=[pytest.param(1_000, id="kept"), pytest.param(-1, id="deferred")])
def kept_or_deferred(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge twice: with every view small, and with none."""
    monkeypatch.setattr("auditor.engine.evaluate.SMALL_VIEW_ROWS", request.param)
