"""The alerts and the dashboard in deploy/ ask for what auditor really writes, and Prometheus' own tool takes them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.metrics_written import written
from tests.required import program

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = DEPLOY / "prometheus" / "auditor.rules.yml"
ALERT_TESTS = DEPLOY / "prometheus" / "auditor.rules.test.yml"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana" / "auditor.json").read_text(encoding="utf-8"))
WIDTH = 24
"""Columns of a dashboard. Source: https://grafana.com/docs/grafana/latest/visualizations/dashboards/build-dashboards/view-dashboard-json-model/"""
_SELECTOR = re.compile(r"\b(auditor_\w+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)(=~|=)"([^"]*)"')
_BY = re.compile(r"\bby \(([^)]*)\)")

Sample = tuple[str, dict[str, str], float]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    return written(tmp_path_factory.mktemp("metrics"))


def alerts() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"] for rule in group["rules"]]


def alert_tests() -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = yaml.safe_load(ALERT_TESTS.read_text(encoding="utf-8"))["tests"]
    return tests


def queries() -> list[tuple[str, str]]:
    """Title and PromQL of every query of the dashboard, all jobs chosen."""
    return [(one["title"], target["expr"].replace("$job", ".*")) for one in DASHBOARD["panels"] for target in one["targets"]]


def _unwritten(query: str, samples: list[Sample]) -> Iterator[str]:
    """What `query` names that is not written, with these labels and values."""
    grouped = {label for by in _BY.findall(query) for label in by.replace(" ", "").split(",")}
    for name, matchers in _SELECTOR.findall(query):
        found = [labels for one, labels, _ in samples if one == name]
        known = {label for labels in found for label in labels}
        for label, operator, value in _MATCHER.findall(matchers):
            values = value.split("|") if operator == "=~" and value != ".*" else [value]
            for each in values:
                if not any(each == ".*" or labels.get(label) == each for labels in found):
                    yield f'{name}{{{label}="{each}"}}'
        yield from (f"{name} by {label}" for label in grouped - known)
        if not found:
            yield name


EXPRESSIONS = [*((rule["alert"], rule["expr"]) for rule in alerts()), *queries()]


@pytest.mark.parametrize(("about", "query"), EXPRESSIONS, ids=[about for about, _ in EXPRESSIONS])
def test_a_query_names_metrics_labels_and_values_that_are_written(about: str, query: str, samples: list[Sample]) -> None:
    assert _SELECTOR.findall(query), about
    assert list(_unwritten(query, samples)) == []


@pytest.mark.parametrize(
    "query",
    [
        'auditor_verdicts{verdict="fail"}',
        'auditor_findings{result="fail"}',
        'auditor_findings{verdict="bad"}',
        "sum by (host) (auditor_findings)",
    ],
)
def test_a_query_for_what_nobody_writes_is_noticed(query: str, samples: list[Sample]) -> None:
    assert list(_unwritten(query, samples))


def test_what_an_alert_says_stands_in_labels_that_it_has() -> None:
    for rule in alerts():
        named = set(re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])))
        by = _BY.search(rule["expr"])
        if by is not None:
            assert named <= set(by[1].replace(" ", "").split(",")), rule["alert"]
        assert set(rule["annotations"]) == {"summary", "description"}


def test_every_alert_is_tried_where_it_fires_and_where_it_does_not() -> None:
    tried = [(one["alertname"], bool(one["exp_alerts"])) for test in alert_tests() for one in test["alert_rule_test"]]
    names = [rule["alert"] for rule in alerts()]
    assert {name for name, fires in tried if fires} == set(names)
    assert {name for name, fires in tried if not fires} == set(names)


def test_alerts_are_tried_on_series_that_are_written(samples: list[Sample]) -> None:
    for series in {one["series"] for test in alert_tests() for one in test["input_series"]}:
        [(name, matchers)] = _SELECTOR.findall(series)
        labels = {label for label, _, _ in _MATCHER.findall(matchers)}
        assert labels in [set(one) for known, one, _ in samples if known == name], series


def _promtool(*arguments: str) -> str:
    promtool = program("promtool", "PROMTOOL")
    done = subprocess.run([promtool, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_promtool_takes_the_alerts_and_their_tests() -> None:
    assert f"{len(alerts())} rules found" in _promtool("check", "rules", str(ALERTS))
    assert "SUCCESS" in _promtool("test", "rules", str(ALERT_TESTS))


def test_every_panel_has_something_to_show_of_what_is_written(samples: list[Sample], tmp_path: Path) -> None:
    """Each query becomes an alert that fires where it has a result, and promtool evaluates it over the very samples."""
    rules = [{"alert": f"Panel{number}", "expr": f"count({query}) > 0"} for number, (_, query) in enumerate(queries())]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    series = {
        f"{name}{{{','.join(f'{label}={json.dumps(text)}' for label, text in labels.items())}}}": value for name, labels, value in samples
    }
    tests = [{"alertname": rule["alert"], "eval_time": "5m", "exp_alerts": [{"exp_labels": {}}]} for rule in rules]
    test = {
        "interval": "1m",
        "input_series": [{"series": one, "values": f"{value!r}x10"} for one, value in series.items()],
        "alert_rule_test": tests,
    }
    (tmp_path / "test.yml").write_text(json.dumps({"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [test]}))
    _promtool("test", "rules", str(tmp_path / "test.yml"))


def test_panels_have_ids_of_their_own_and_do_not_lie_on_each_other() -> None:
    panels = DASHBOARD["panels"]
    assert len({one["id"] for one in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (one["gridPos"] for one in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert all(x < WIDTH for x, _ in cells)


def test_the_dashboard_is_of_no_one_installation() -> None:
    variables = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
    assert (variables["datasource"]["type"], variables["job"]["allValue"]) == ("datasource", ".*")
    sources = [one["datasource"] for one in DASHBOARD["panels"]] + [
        target["datasource"] for one in DASHBOARD["panels"] for target in one["targets"]
    ]
    assert {json.dumps(one) for one in sources} == {json.dumps({"type": "prometheus", "uid": "${datasource}"})}
    assert "id" not in DASHBOARD


def test_grafana_is_told_of_a_folder_of_dashboards() -> None:
    [provider] = yaml.safe_load((DEPLOY / "grafana" / "provisioning.yaml").read_text(encoding="utf-8"))["providers"]
    assert (provider["type"], provider["options"]) == ("file", {"path": "/var/lib/grafana/dashboards/auditor"})
