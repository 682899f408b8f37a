"""The published JSON Schemas (draft 2020-12)."""

import json
from importlib import resources
from typing import Any


def report_schema() -> dict[str, Any]:
    """That of the reports which this version writes."""
    return published("report.schema.json")


def published(name: str) -> dict[str, Any]:
    """The schema in the file of that name."""
    schema: dict[str, Any] = json.loads((resources.files("auditor.report") / name).read_text(encoding="utf-8"))
    return schema
