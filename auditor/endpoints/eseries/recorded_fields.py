"""Which fields of the answers of SANtricity Web Services a recording keeps as they are: see `auditor.recording.fields`."""

KEPT = """
action cacheflushmodifier channeltype code codetype drivemediatype drivephysicaltype failuretype fwversion model modelname
normalizedspindlespeed objecttype raidlevel raidstatus retcode state status type usage version volumeuse
"""
