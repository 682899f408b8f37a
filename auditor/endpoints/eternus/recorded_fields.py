"""What of an ETERNUS's answers a recording keeps as it is; it answers in lines, and not in fields.

Columns as `auditor.endpoints.eternus` reads them. Source: cinder's Fujitsu driver, and the texts that delfin recorded
(docs/domain/arrays.md#eternus).
"""

from __future__ import annotations

import re
from types import MappingProxyType

from auditor.endpoints.common.kept_lines import KeptLines

KEPT = ""

_HEADINGS = """
00 01 02 a ca cli cm default disable disk enable error group host ip lun level location mode mask name
name/alias no number overlap pool port product raid response sas size speed status storage system tfog
total type uid unknown usage used user volume wwn address affinity available authority be bytes capacity
can characters command connection csv current data encrypt encryption enclosure expand expanded external
fc field firmware for free groups guide hosts improper in information invalid is iscsi list luns
management map mapping mb mirror names not of on operation option parameter parameters performing policy
pools ports provisioning range requested resource ro roles rw scroll set show software specified supported
temporarily the this thin threshold to under undefined update use users using value volumes warning with
"""
_CELLS = """
available ready readying broken normal online offline active present open standard tpp fte ftv tppv snap
sdv wsv none on off spare rebuild degraded partially exposed readable yes no wait ok undefined fc/fcoe fc
iscsi sas e-mail maintainer admin monitor software storageadmin accountadmin securityadmin assigned dbl
custom
"""

LINES = KeptLines(
    identifying=MappingProxyType(
        {
            "enclosure-status": (0, 3, 4),
            "volumes": (1, 6, 20),
            "volume-qos": (1,),
            "raid-groups": (1,),
            "thin-pro-pools": (1,),
            "flexible-tier-pools": (1,),
            "host-wwn-names": (1, 2),
            "host-sas-addresses": (1, 2),
            "host-iscsi-names": (1, 4, 5),
            "users": (0,),
            "qos-bandwidth-limit": (),
            "cli-error-code": (),
            "lun-groups": (1,),
        }
    ),
    keys=re.compile(
        r"\s*(?:Model Name|Firmware Version|Status|Type|Usage|Health|Size|Speed|.* Status|.* Capacity.*|Cache Mode|Operation Mode"
        r"|Power .*|Vendor ID|RAID Level|Product ID|Firmware Revision|Motor Status|Error Code)\s*\[",
    ),
    words=frozenset(_HEADINGS.split()),
    values=frozenset(_CELLS.split()),
    products=re.compile(
        r"-?\d{1,9}|CM#\d+|CA#\d+|Port#\d+|E[0-9A-F]{4}|-+|RAID\S{1,4}|\^|ETERNUS|DX\d{2,5}F?|S[1-9]|ET[0-9A-Z]{3,8}|V\d+L\d+[-0-9A-Z]*"
    ),
)
