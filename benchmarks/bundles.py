"""How long it takes to read a support bundle of 200 MB, beside merely unpacking it in memory with tar.

Run: make bench-bundles. The bundle has the outputs of a host with 1,000 devices on four paths each, and logs that nobody reads.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measuring import print_table, watched

PYTHON = sys.executable
AUDITOR = str(Path(PYTHON).with_name("auditor"))
NAME = "esx-esx01-2026-11-01--10.00-77"
MIB = 1 << 20

_DEVICE = """{0}:
   Display Name: SolidFire iSCSI Disk ({0})
   Has Settable Display Name: true
   Size: 102400
   Device Type: Direct-Access 
   Multipath Plugin: NMP
   Devfs Path: /vmfs/devices/disks/{0}
   Vendor: SolidFir
   Model: SSD SAN         
   Revision: 0006
   Status: on
   Is Local: false
   Is SSD: true
   Is VVOL PE: false
   Is Perennially Reserved: false
   Queue Full Sample Size: 0
   Queue Full Threshold: 0
   VAAI Status: supported
   Other UIDs: vml.0200
   Device Max Queue Depth: 128
   No of outstanding IOs with competing worlds: 32
"""  # noqa: W291  as it is printed
_PATH = """iqn.1998-01.com.vmware:esx01-00023d00000{1},iqn.2010-01.com.solidfire:v1,t,1-{0}:
   Runtime Name: vmhba64:C0:T{1}:L{2}
   Device: {0}
   Adapter: vmhba64
   Plugin: NMP
   State: active
   Transport: iscsi
   Target Identifier: 00023d00000{1},iqn.2010-01.com.solidfire:v1,t,1
"""
_POLICY = """{0}:
   Storage Array Type: VMW_SATP_DEFAULT_AA
   Path Selection Policy: VMW_PSP_RR
   Path Selection Policy Device Config: {{policy=iops,iops=10,bytes=10485760,useANO=0; lastPathIndex=0: NumIOsPending=0,numBytesPending=0}}
   Working Paths: vmhba64:C0:T0:L{2}
"""
_ADAPTERS = """HBA Name  Driver     Link State  UID                           Capabilities  Description
--------  ---------  ----------  ----------------------------  ------------  ----------------------
vmhba64   iscsi_vmk  online      iqn.1998-01.com.vmware:esx01                iSCSI Software Adapter
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=200, help="size of the bundle")
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        bundle = _bundle(folder, arguments.mib, arguments.devices)
        walk = (PYTHON, "-c", f"import tarfile\nwith tarfile.open({str(bundle)!r}, 'r|gz') as archive:\n    sum(1 for _ in archive)")
        best = {"tar": {"seconds": math.inf}, "auditor import": {"seconds": math.inf}}
        for number in range(arguments.repeat):
            best["tar"] = min(best["tar"], watched(walk), key=lambda one: one["seconds"])
            command = (AUDITOR, "import", str(bundle), "--out", str(folder / f"snapshot-{number}"))
            best["auditor import"] = min(best["auditor import"], watched(command), key=lambda one: one["seconds"])
    print_table(
        ["command", "s", "CPU s", "peak MiB"],
        [[name, one["seconds"], one["cpu_seconds"], one["peak_mib"]] for name, one in best.items()],
    )
    ratio = best["auditor import"]["seconds"] / best["tar"]["seconds"]
    print(f"reading takes {ratio:.1f} times as long as walking through the archive")
    results = {"results": [{"command": name, **one} for name, one in best.items()], "ratio": ratio}
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


def _bundle(folder: Path, mib: int, devices: int) -> Path:
    """A bundle of about so many MiB; its logs are noise, which no packing makes smaller."""
    path = folder / f"{NAME}.tgz"
    noise = random.Random(1).randbytes(MIB)
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, text in _outputs(devices):
            _add(archive, f"commands/localcli_{name}.txt", text.encode())
        for number in range(mib):
            _add(archive, f"var/run/log/vmkernel.{number}.log", noise)
    return path


def _outputs(devices: int) -> Iterator[tuple[str, str]]:
    names = [f"naa.6f47acc1{number:024x}" for number in range(devices)]
    yield "storage-core-device-list", "\n".join(_DEVICE.format(name) for name in names)
    yield "storage-nmp-device-list", "\n".join(_POLICY.format(name, 0, number) for number, name in enumerate(names))
    yield "storage-core-path-list", "\n".join(_PATH.format(name, path, number) for number, name in enumerate(names) for path in range(4))
    yield "storage-core-adapter-list", _ADAPTERS


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(f"{NAME}/{name}")
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


if __name__ == "__main__":
    sys.exit(main())
