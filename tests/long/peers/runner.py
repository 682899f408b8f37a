"""Runs modules of Ansible collections and calls of vendors' SDKs, one after another, in an environment of their own.

A process of `.peers` runs this file by itself: it imports nothing of the project. It reads one request a line and answers with one line,
both JSON. Each call runs in a process that is forked for it, so that no call leaves a session or a patched library to the next; what takes
long to import is imported once, before.

    {"module": "community.vmware.vmware_about_info", "args": {...}, "ports": {"443": 40123}}  ->  what the module answers
    {"sdk": "solidfire", "at": {...}, "call": "list_accounts", "args": {...}}  ->  {"result": ...}

`ports` leads connections to one port to another one: some modules take no port for the storage policies, and use 443.
A module that fails answers {"failed": true, "msg": ...}, and so does one that ends in a traceback.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import runpy
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_SLOW = {
    "community.vmware": ("pyVmomi", "pyVim.connect", "requests"),
    "vmware.vmware": ("pyVmomi", "pyVim.connect", "requests"),
    "netapp.ontap": ("requests", "netapp_ontap"),
    "purestorage.flasharray": ("pypureclient.flasharray",),
}
"""What modules of a collection import, and what takes long."""

_CALL_SECONDS = 60


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for line in sys.stdin:
        request = json.loads(line)
        for library in _SLOW.get(".".join(request.get("module", "").split(".")[:2]), ()):
            importlib.import_module(library)
        answers.write(_in_a_fork(request) + "\n")
        answers.flush()


def _in_a_fork(request: Mapping[str, Any]) -> str:
    """The answer to a request as one line of JSON, made in a process of its own."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        signal.signal(signal.SIGALRM, _too_late)
        signal.alarm(_CALL_SECONDS)
        with os.fdopen(write_end, "w", encoding="utf-8") as pipe:
            pipe.write(json.dumps(_answer(request), default=str))
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text or json.dumps({"failed": True, "msg": "the process of the call ended without an answer"})


def _too_late(_number: int, _frame: Any) -> None:
    raise TimeoutError(f"the call took longer than {_CALL_SECONDS} s")


def _answer(request: Mapping[str, Any]) -> Any:
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        sys.stdin = nothing
        _lead({int(port): to for port, to in request.get("ports", {}).items()})
        try:
            return _run_module(request["module"], request["args"]) if "module" in request else _call_sdk(request)
        except Exception:  # noqa: BLE001  whatever a stranger's code raises is its answer
            return {"failed": True, "msg": traceback.format_exc()[-3000:]}


def _lead(ports: Mapping[int, int]) -> None:
    """Lead connections of this process to other ports."""
    connect = socket.socket.connect

    def led(this: socket.socket, address: Any) -> None:
        connect(this, (address[0], ports.get(address[1], address[1]), *address[2:]) if isinstance(address, tuple) else address)

    socket.socket.connect = led  # type: ignore[method-assign, assignment]


def _run_module(name: str, args: Mapping[str, Any]) -> Any:
    """What a module prints at its end, as Ansible reads it."""
    collection, _, module = name.rpartition(".")
    testing = importlib.import_module("ansible.module_utils.testing")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit), testing.patch_module_args(dict(args)):
        runpy.run_module(f"ansible_collections.{collection}.plugins.modules.{module}", run_name="__main__")
    lines = [line for line in printed.getvalue().splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {"failed": True, "msg": f"no answer: {printed.getvalue()[-2000:]}"}


def _call_sdk(request: Mapping[str, Any]) -> Any:
    return _SDKS[request["sdk"]](request["at"], request["call"], request.get("args", {}))


def _solidfire(at: Mapping[str, Any], call: str, args: Mapping[str, Any]) -> Any:
    """A method of an Element cluster; NetApp's own SDK makes the request and reads the answer."""
    element = importlib.import_module("solidfire").Element
    # The SDK can trust only what the machine trusts, and the lab is on loopback.
    cluster = element(f"{at['hostname']}:{at['port']}", at["username"], at["password"], "12.3", verify_ssl=False)
    return {"result": getattr(cluster, call)(**args).to_json()}


def _nimble(at: Mapping[str, Any], call: str, args: Mapping[str, Any]) -> Any:
    """What HPE's own SDK does with a set of objects of a Nimble group, for example "volumes.list"; it validates no certificate.

    An object is updated, or made where there is none, by its name; `changed` says whether a field that was asked for had another value.
    """
    client = importlib.import_module("nimbleclient").NimOSClient(at["hostname"], at["username"], at["password"], port=at["port"])
    name, _, method = call.partition(".")
    held = getattr(client, name)
    try:
        if method == "list":
            return {"result": [one.attrs for one in held.list(detail=True, **args)]}
        found = held.get(name=args["name"])
        if method == "get":
            return {"result": found.attrs}
        before = {} if found is None else dict(found.attrs)
        after = held.create(**args) if found is None else held.update(id=found.id, **args)
        return {"result": after.attrs, "changed": any(before.get(key) != after.attrs[key] for key in args)}
    finally:
        client._client.close_connection()


def _powerstore(at: Mapping[str, Any], call: str, args: Mapping[str, Any]) -> Any:
    """A call of a part of Dell's SDK, for example provisioning.get_volumes; `call` names both."""
    connection = importlib.import_module("PyPowerStore.powerstore_conn").PowerStoreConn
    cluster = connection(at["username"], at["password"], at["hostname"], verify=True, application_type="peers", port_no=at["port"])
    part, _, method = call.partition(".")
    return {"result": getattr(getattr(cluster, part), method)(**args)}


_SDKS: Mapping[str, Callable[[Mapping[str, Any], str, Mapping[str, Any]], Any]] = {
    "solidfire": _solidfire,
    "nimble": _nimble,
    "powerstore": _powerstore,
}


if __name__ == "__main__":
    main()
