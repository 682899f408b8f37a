"""jobs.yaml: what it may say, that every mistake has its line, and that no address of a target is written into it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jsonschema
import pytest

from auditor.cli import run
from auditor.errors import ConfigurationError
from auditor.job.jobs_file import load_jobs
from auditor.job.jobs_schema import TEXTS, jobs_schema
from auditor.job.jobs_shape import CatchUp
from auditor.job.one_run import request_of
from auditor.job.runs import job_of, job_record
from auditor.model import Secret
from auditor.yaml.reading import load_yaml

GOOD = """
site: www
url: https://audits.example.com/
notify:
  - name: chat
    url: {env: CHAT_URL}
    at_most_every: 30m
jobs:
  - name: nightly
    fleet: fleet.yaml
    cron: "0 6 * * *"
    timezone: Europe/Vienna
    notify: [chat]
    jitter: 10m
    timeout: 2h
  - name: gold-hourly
    fleet: fleet.yaml
    cron: "0 * * * *"
    only: [vvol/pe-dsnro-headroom]
    cluster: [gold-*]
    severity: high
    publish: /srv/gold
    catch_up: skip
    keep: 100
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "jobs.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_it_says_is_what_is_run(tmp_path: Path) -> None:
    jobs = load_jobs(written(tmp_path, GOOD))
    nightly, gold = jobs.jobs
    assert (nightly.name, nightly.fleet, nightly.publish) == ("nightly", tmp_path / "fleet.yaml", tmp_path / "www" / "nightly")
    assert (nightly.timezone, nightly.jitter_seconds, nightly.timeout_seconds) == ("Europe/Vienna", 600.0, 7200.0)
    assert (nightly.catch_up, nightly.keep) == (CatchUp.ONCE, 30)
    assert [(one.name, one.url, one.at_most_every_seconds) for one in nightly.notify] == [("chat", Secret("env", ("CHAT_URL",)), 1800.0)]
    assert (gold.only, gold.cluster, gold.severity, gold.publish) == (("vvol/pe-dsnro-headroom",), ("gold-*",), "high", Path("/srv/gold"))
    assert (gold.catch_up, gold.keep, gold.notify) == (CatchUp.SKIP, 100, ())
    assert jobs.url_of(nightly) == "https://audits.example.com/nightly"


def test_the_workers_of_a_job_are_those_of_its_audit(tmp_path: Path) -> None:
    text = GOOD.replace("keep: 100", "workers: scheduler.example.net\n    workers_certificates: certificates")
    [_, job] = load_jobs(written(tmp_path, text)).jobs
    request = request_of(job_of(json.loads(json.dumps(job_record(job)))), tmp_path)
    assert (request.workers, request.workers_certificates) == ("scheduler.example.net", tmp_path / "certificates")


def test_the_history_of_a_job_ends_when_its_audit_begins(tmp_path: Path) -> None:
    [nightly, gold] = load_jobs(written(tmp_path, GOOD.replace("keep: 100", "history: 24h"))).jobs
    before = datetime.now(UTC)
    span = request_of(job_of(json.loads(json.dumps(job_record(gold)))), tmp_path).history
    assert span is not None
    assert span.end - span.begin == timedelta(hours=24)
    assert before <= span.end <= datetime.now(UTC)
    assert request_of(nightly, tmp_path).history is None


def test_a_job_reaches_the_process_of_its_run_as_it_is_but_for_whom_it_notifies(tmp_path: Path) -> None:
    for job in load_jobs(written(tmp_path, GOOD)).jobs:
        record = job_record(job)
        assert "CHAT_URL" not in str(record)
        made = job_of(record)
        assert {**{name: getattr(made, name) for name in record}, "notify": None} == {
            **{name: getattr(job, name) for name in record},
            "notify": None,
        }


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        pytest.param("{env: CHAT_URL}", "slack://hunter2/x/y", "6: an address to notify is a secret", id="an address in clear"),
        pytest.param("{env: CHAT_URL}", "{env: A, file: b}", '6: "url" needs exactly one of env', id="two places for a secret"),
        pytest.param("notify: [chat]", "notify: [chta]", '13: no target is named "chta"; did you mean "chat"?', id="unknown target"),
        pytest.param("0 6 * * *", "0 26 * * *", '11: cron "0 26 * * *": hour "26"', id="no such hour"),
        pytest.param("Europe/Vienna", "Vienna", '12: timezone "Vienna" is not known here', id="no such zone"),
        pytest.param("name: gold-hourly", "name: nightly", '16: a second one is named "nightly"', id="one name for two"),
        pytest.param("name: nightly", "name: ../etc", '9: "name" must be a name of small letters', id="a path for a name"),
        pytest.param("site: www", "", 'give "publish"', id="nowhere to publish"),
        pytest.param("/srv/gold", "www/nightly", "would hold the pages of two jobs", id="one folder for two"),
        pytest.param("jitter: 10m", "jitter: ten", '14: "jitter" must be a time such as 90s', id="no time"),
        pytest.param("severity: high", "severity: hihg", 'there is no severity "hihg"; did you mean "high"?', id="no severity"),
        pytest.param("keep: 100", "keep: 0", '24: "keep" must be a whole number from 1 to 1000', id="keeps nothing"),
        pytest.param(
            "https://audits.example.com/", "https://me:pw@audits.example.com/", '3: "url" must be an address', id="password in url"
        ),
        pytest.param("keep: 100", "keep_runs: [90d, 20GB]", '24: "20GB": it is neither an age', id="no size"),
        pytest.param("keep: 100", "max_age: 2d", '"max_age" goes with "since"', id="age of nothing"),
        pytest.param("keep: 100", "history: 5m", '24: "5m" is no span of ten minutes or more', id="no span"),
        pytest.param("keep: 100", "workers_certificates: c", '"workers_certificates" goes with "workers"', id="certificates of nobody"),
        pytest.param("keep: 100", "workers: tcp://a.example", "24: workers: tcp:// is for loopback alone", id="workers in clear"),
        pytest.param("keep: 100", "workers: a\n    since: last", '25: "since" does not go with "workers"', id="workers and since"),
        pytest.param("timeout: 2h", "timeuot: 2h", '15: unknown key "timeuot"; did you mean "timeout"?', id="misspelt key"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, mistake: str) -> None:
    assert old in GOOD
    with pytest.raises(ConfigurationError) as refused:
        load_jobs(written(tmp_path, GOOD.replace(old, new)))
    assert mistake in refused.value.what
    assert "hunter2" not in str(refused.value)
    assert "pw@" not in str(refused.value)


def test_the_schema_takes_what_loading_takes_and_has_a_text_for_each_key(tmp_path: Path) -> None:
    schema = jobs_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    checks = jsonschema.Draft202012Validator(schema)
    checks.validate(load_yaml(written(tmp_path, GOOD), ConfigurationError, why="").data)
    for wrong in ("url: {env: CHAT_URL}", "jitter: 10m", "catch_up: skip", "keep: 100"):
        key = wrong.partition(":")[0]
        data = load_yaml(written(tmp_path, GOOD.replace(wrong, f"{key}: no such value")), ConfigurationError, why="").data
        assert not checks.is_valid(data), wrong
    assert set(schema["$defs"]["JobShape"]["properties"]) == set(TEXTS["JobShape"])


def test_what_init_writes_loads_and_fits_the_schema_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--jobs", "--dir", str(tmp_path)]) == 0
    assert f"auditor schedule --jobs {tmp_path / 'jobs.yaml'} --once" in capsys.readouterr().out
    assert [job.name for job in load_jobs(tmp_path / "jobs.yaml").jobs] == ["nightly"]
    text = (tmp_path / "jobs.yaml").read_text(encoding="utf-8")
    head, site, rest = text.partition("\nsite: site\n")
    whole = re.sub(r"^( *)# (?=notify:|url:|- |  |jitter)", r"\1", rest, flags=re.MULTILINE)
    (tmp_path / "whole.yaml").write_text(head + site + whole, encoding="utf-8")
    jobs = load_jobs(tmp_path / "whole.yaml")
    assert [(job.name, [target.name for target in job.notify]) for job in jobs.jobs] == [("nightly", ["storage-team"]), ("gold-vvols", [])]
    assert jobs.url == "https://audits.example.com"
    schema = json.loads((tmp_path / "jobs.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(load_yaml(tmp_path / "whole.yaml", ConfigurationError, why="").data)
    assert run(["init", "--jobs", "--dir", str(tmp_path)]) == 3
    assert "is there already" in capsys.readouterr().err
