"""Lets HPE's own client of 3PAR, python-3parclient, make calls, in an environment of its own; it imports nothing of the project.

The first argument is JSON: url, username, password, ca, and calls, each a list of a method's name and its arguments. Prints one line of
JSON: what each call gave, in their order.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any


def main() -> None:
    at = json.loads(sys.argv[1])
    client = importlib.import_module("hpe3parclient.client").HPE3ParClient(at["url"], secure=at["ca"], timeout=30)
    client.login(at["username"], at["password"])
    answers: list[Any] = [getattr(client, name)(*args) for name, *args in at["calls"]]
    client.logout()
    sys.stdout.write(json.dumps(answers) + "\n")


if __name__ == "__main__":
    main()
