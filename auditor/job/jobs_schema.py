"""The JSON Schema of jobs.yaml, for editors: made from the shapes that the file is read by, with a text for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from auditor.fleet.schema import TEXTS as FLEET_TEXTS
from auditor.fleet.schema import shape_schema, words_schema
from auditor.job.jobs_shape import JobsShape

FILE_NAME = "jobs.schema.json"
"""Its name beside jobs.yaml."""
_TIME = "such as 90s, 15m, 2h or 1d"
_OPTION = "as the option of `auditor audit`"

TEXTS: Mapping[str, Mapping[str, str]] = {
    "JobsShape": {
        "jobs": "what is audited by the clock",
        "site": "the folder above those of the jobs; it gets a page that lists them",
        "url": "where people open the site; links in notices begin with it",
        "notify": "who is notified of what changed",
    },
    "TargetShape": {
        "name": "your own word for it; jobs, the log and reports use it",
        "url": "a reference to its address, which is a secret: {env: NAME}, {file: PATH}, {keyring: SERVICE} or {command: [...]}",
        "at_most_every": f"what changes within this time after a message waits for the next one, {_TIME}",
    },
    "JobShape": {
        "name": "its word in the log, in notices and in addresses: small letters, digits and hyphens",
        "fleet": "fleet.yaml, read anew for each run",
        "cron": 'minute, hour, day of month, month, day of week, for example "0 6 * * *"',
        "timezone": "of cron, an IANA name such as Europe/Vienna",
        "rules": "folders of rules of your own",
        "only": "judge by these rules only",
        "tag": "only rules with one of these tags",
        "endpoint": f"{_OPTION}: globs over endpoints",
        "cluster": f"{_OPTION}: globs over clusters",
        "host": f"{_OPTION}: globs over hosts",
        "severity": f"{_OPTION}: rules of this severity and worse",
        "exclude": f"{_OPTION}: rules that are left out",
        "waivers": "by default waivers.yaml beside the fleet's file",
        "since": 'ask again only hosts that changed since this run, for example "last"',
        "max_age": "with since: ask again what is older, for example 12h",
        "history": f"{_OPTION}: counters of so long before each run are read as well, for example 24h",
        "workers": f"{_OPTION}: the address of a scheduler, whose workers read the fleet",
        "workers_certificates": "with workers: the folder of the client's certificates",
        "publish": "the folder of its pages; by default its name below site",
        "keep": "how many runs stay published",
        "keep_runs": "how long runs are kept, how many, and how large all may be: for example 90d, 500, 20GiB; by default all are kept",
        "notify": "names of targets",
        "jitter": f"each run begins up to this much later, {_TIME}",
        "catch_up": "what happens when runs were missed: once makes up for the last one, skip waits for the next",
        "timeout": f"a run that lasts longer is stopped and reported, {_TIME}",
    },
    "SecretShape": {**FLEET_TEXTS["SecretShape"], "file": "the path of a file; relative to the folder of jobs.yaml"},
}
"""Shape -> key -> what an editor shows for it."""


def jobs_schema() -> dict[str, Any]:
    """The schema (draft 2020-12). It knows keys, words, ranges and what goes together; `load_jobs` checks more than that."""
    made = msgspec.json.schema(JobsShape)
    additions: dict[str, dict[str, Any]] = {
        "SecretShape": {"minProperties": 1, "maxProperties": 1},
        "JobsShape": {"description": "Audits by the clock."},
    }
    shapes = {
        name: shape_schema(shape, TEXTS[name], additions.get(name, {})) if name in TEXTS else words_schema(shape)
        for name, shape in made["$defs"].items()
    }
    jobs = shapes.pop("JobsShape")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:auditor:jobs:1", "title": "jobs.yaml of auditor"}
    return {**head, **{key: value for key, value in jobs.items() if key != "title"}, "$defs": shapes}
