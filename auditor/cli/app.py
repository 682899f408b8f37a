"""Every command of `auditor` in one, for what looks at all of them: the site, and tests."""

from auditor.cli.commands import app_for

app = app_for(())
