"""Lets OpenStack cinder's client of Dot Hill arrays make calls, in an environment of its own; it imports nothing of the project.

The first argument is JSON: host, username, password, ca, and calls, each a list of a method's name and its arguments. Prints one line of
JSON: what each call gave, in their order.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from typing import Any


def main() -> None:
    at = json.loads(sys.argv[1])
    client = _client(at)
    client.login()
    answers: list[Any] = [getattr(client, name)(*args) for name, *args in at["calls"]]
    sys.stdout.write(json.dumps(answers) + "\n")


def _client(at: dict[str, Any]) -> Any:
    """The client as its driver makes it; its calls are locked by cinder's coordination, which here has a folder of its own."""
    importlib.import_module("cinder.volume.configuration")  # it has options to register, which has an end once they are read
    client = importlib.import_module("cinder.volume.drivers.stx.client")
    coordination = importlib.import_module("cinder.coordination")
    settings = importlib.import_module("oslo_config.cfg").CONF
    settings([], project="cinder", version="peer")
    settings.set_override("backend_url", f"file://{tempfile.mkdtemp()}", group="coordination")
    coordination.COORDINATOR.start()
    return client.STXClient(at["host"], at["username"], at["password"], "https", at["ca"])


if __name__ == "__main__":
    main()
