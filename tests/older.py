"""What auditors wrote before this one."""

import json
from pathlib import Path


def without_digests(snapshot: Path) -> None:
    """Make a saved snapshot one that does not say what its files were like, so that a test can write them anew."""
    manifest = snapshot / "snapshot.json"
    told = json.loads(manifest.read_text(encoding="utf-8"))
    del told["tables"]
    manifest.write_text(json.dumps(told), encoding="utf-8")
