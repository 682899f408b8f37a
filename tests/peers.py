"""Peers that nobody here wrote: VMware's simulator and govc, where they are installed."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from tests.required import lacking
from tests.waiting import PATIENCE_SECONDS

PROJECT = Path(__file__).parents[1]
CARRIED = (
    "host",
    "host_option",
    "hba",
    "iscsi_target",
    "iscsi_option",
    "vmknic",
    "device",
    "path",
    "datastore",
    "datastore_extent",
    "datastore_mount",
    "vvol_mount",
    "vm",
    "vm_disk",
    "storage_pod",
)
"""Tables that vcsim can carry; it lacks an option of a host that is hidden from listings.

The others come from esxcli and kernel modules, which it does not have, or from arrays.
"""


@dataclass(frozen=True)
class Vcsim:
    """A running vcsim."""

    host: str
    port: int
    username: str
    password: str

    @property
    def fingerprint(self) -> str:
        """Of the certificate it made for itself, as fleet.yaml pins one."""
        pem = ssl.get_server_certificate((self.host, self.port), timeout=PATIENCE_SECONDS)
        return "sha256:" + sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()


def go_binary(name: str) -> str:
    """Where a Go tool is: the environment, .bin of the project, the path. Without it the test skips, or fails where it is required."""
    places = [os.environ.get(name.upper()), str(PROJECT / ".bin" / name), shutil.which(name)]
    for place in places:
        if place and Path(place).is_file():
            return place
    return lacking(f"{name} v0.46.3 is not here: `make vcsim` installs it (needs Go)", "VCSIM")


@contextmanager
def running_vcsim(load: Path | None = None, *options: str) -> Iterator[Vcsim]:
    """VMware's simulator on a free loopback port until the block ends; `load` is a directory of `auditor lab export-vcsim`."""
    command = [go_binary("vcsim"), "-l", "127.0.0.1:0", "-stdinexit", "-api-version", "8.0.2.0", *options]
    command += ["-load", str(load)] if load else []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as vcsim:
        assert vcsim.stdin is not None
        assert vcsim.stdout is not None
        try:
            words = vcsim.stdout.readline().split()
            url = urlsplit(next(word for word in words if word.startswith("GOVC_URL=")).removeprefix("GOVC_URL="))
            yield Vcsim(str(url.hostname), int(url.port or 0), str(url.username), str(url.password))
        finally:
            vcsim.stdin.close()  # -stdinexit ends it
            vcsim.wait(10)
