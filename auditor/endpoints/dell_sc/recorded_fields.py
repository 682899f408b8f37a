"""Which fields of a Dell SC's answers a recording keeps as they are: see `auditor.recording.fields`."""

from auditor.endpoints.common.kept_forms import KeptForms

FORMS = KeptForms(
    numbered=frozenset(("instanceid", "scserialnumber", "serialnumber", "hardwareserialnumber", "attributevalue")),
)

KEPT = """
objecttype alertdefinition apiversion minapiversion application applicationversion attributename connectivity configuredsize
datapagesize errorstate filtertype iscsitransportmode locale lunrequested mappedvia model operatingsystem.instancename operationmode
porttype profiletype provider raidtypedescription raidtypeused readcachestatus redundancy relativepriority source status
tiersuseddescription type writecachestatus
"""
