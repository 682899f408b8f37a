"""Which fields of an Element cluster's answers a recording keeps as they are: see `auditor.recording.fields`."""

KEPT = """
faulttypes method access accesstype chassistype code cpumodel currentprotectionscheme encryptionatreststate error.name
feature fibrechanneltargetportgroup nodetype platformconfigversion previousprotectionscheme protectionscheme protocolendpointstate
protocolendpointtype providertype role roles severity state status supportedprotectionschemes type
"""
