"""Which fields of the answers of SANtricity Web Services a recording keeps as they are: see `auditor.recording.fields`."""

import re

from auditor.endpoints.common.kept_forms import KeptForms

FORMS = KeptForms(
    # A person chose the id of a system behind a proxy; its list of systems has the same one.
    chosen_id=re.compile(r"(.*/storage-systems/)([^/]+)(.*)"),
)

KEPT = """
action cacheflushmodifier channeltype code codetype drivemediatype drivephysicaltype failuretype fwversion model modelname
normalizedspindlespeed objecttype raidlevel raidstatus retcode state status type usage version volumeuse
"""
