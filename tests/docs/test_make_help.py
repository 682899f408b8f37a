"""`make help` is made of the targets' own comments, so none can be missing or wrong there."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_make_help_lists_every_phony_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    phony = set(" ".join(re.findall(r"^\.PHONY:(.*)$", makefile, re.MULTILINE)).split())
    shown = subprocess.run(["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = {line.split()[1] for line in shown.splitlines()}
    missing = sorted(phony - listed)
    assert not missing, f"Makefile: add `## what it does` to the line of {', '.join(missing)}"
    assert listed <= phony, f"Makefile: add {', '.join(sorted(listed - phony))} to .PHONY"
