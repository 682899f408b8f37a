"""Which fields of an answer are kept as they are, and which are dropped: all others are names, and replaced.

The list is of what the product itself reads as knowledge: models, versions, states, names of options and of drivers. A field that a
newer release adds is in no list, and is replaced. A field is named by its own name, or by two: "parent.name".
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.model import EndpointKind
from auditor.recording.masking import Fate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECRET_FIELD = re.compile(
    r"secret|password|passphrase|pairingkey|privatekey|api_?token|sessionkey|connectionkey|securestring|authorization|cookie"
    r"|credential(?!sid)|vmware_soap_session",
    re.IGNORECASE,
)
"""Whatever stands in a field of such a name is never written; GetLimits' secretLengthMax is a number, and numbers are no secrets here."""

FREE_TEXT = frozenset(
    """annotation banner comment contact description details_text faultstring faultMessage fullFormattedMessage fullMessage label location
    localizedMessage loginBanner message motd msg notes reasonText statusMessage summary text title tooltip userAgent"""
    .lower().split()
)  # fmt: skip
"""Written by people, or for them: nothing is read from these."""

SERIAL_NUMBERS = frozenset(("scserialnumber", "serialnumber", "hardwareserialnumber", "userid", "serial"))
"""Numbers that identify a system; in lower case."""

WORLD_WIDE_NAMES = frozenset(("portworldwidename", "nodeworldwidename"))

VERSIONS = re.compile(r"^(?:\d+\.\d+|.*version|versionid|.*versions|.*build|release|full|firmware)$", re.IGNORECASE)
_NAMES = re.compile(r"name|path|host|addr|user|owner|volume|datastore|serial|uuid|folder|key$|id$|node$", re.IGNORECASE)

_VCENTER = """
    resourcetype profilecategory entitytype objecttype namespace
    _typename type versionid propset.name missingset.path pathset method moid module argument.name fault._typename counterid
    about.name about.vendor about.fullname product.name product.fullname apitype licenseproductname licenseproductversion
    localebuild localeversion locale messagelocale ostype productlineid queryoptions.name queryoptionsresponse.key optionvalue.key
    option.key advancedoptions.key querymodulesresponse.name querymodulesresponse.filename optionstring
    vimesxclisystemmoduleparameterslistparameters.name perfcounterinfo.key groupinfo.key nameinfo.key unitinfo.key rolluptype
    statstype sampleinfocsv accessmode atsstatus atsupgrademodes claimoptions clonestatus compatibilitymode compliantstatus configuration
    congestionthresholdmode connectionstate connectionstatus defaultpsp defaultvmbehavior deletestatus descriptionid
    deviceinfo.label devicetype discoverymethod diskmode dixguardtype driver drivetype guestfullname guestid hardwareversion level
    lockingmode luntype maintenancemode mode model modelid multipathplugin netstackinstancekey nfsversion operationalstate
    overallstatus pathselectionpolicy pathselectionpolicydeviceconfig pathstate pathstatus petype piprotectionmask pitype policy
    porttype powerstate protectionprotocol revision protocol protocolendpointtype pspoptions options raidlevel reservablethresholdmode
    rulegroup scsilevel securitytype sharedbus sharing size spacethresholdmode speed state status storagearraytype
    storagearraytypedeviceconfig storageprotocol applicationprotocol supportedguardtypes thinprovisioningstatus transport
    vaaistatus vendor vendorid vimesxclistoragenmpsatprulelistsatprule.name vstoragesupport workingpaths zerostatus automationmode
    spaceloadbalanceautomationmode ioloadbalanceautomationmode behavior unmappriority eventtypeid
    """

_ELEMENT = """
    faulttypes method access accesstype chassistype code cpumodel currentprotectionscheme encryptionatreststate error.name
    fibrechanneltargetportgroup nodetype platformconfigversion previousprotectionscheme protectionscheme protocolendpointstate
    protocolendpointtype providertype role roles severity state status supportedprotectionschemes type
    """

_FLASHARRAY = """
    algorithm code host_encryption_key_status manual_eradication mediator_status mode model os personality
    priority_adjustment_operator promotion_status protocol protocols requested_promotion_state severity state status subtype type version
    """

_DELL_SC = """
    objecttype alertdefinition apiversion minapiversion application applicationversion attributename connectivity configuredsize
    datapagesize errorstate filtertype iscsitransportmode locale lunrequested mappedvia model operatingsystem.instancename operationmode
    porttype profiletype provider raidtypedescription raidtypeused readcachestatus redundancy relativepriority source status
    tiersuseddescription type writecachestatus
    """

_ONTAP = """
    access_type alert_id application_type block_size checksum_style class code compression counters.name cross_volume_dedupe
    data_compaction dedupe disk_class disk_type duration expected_iops_allocation healthy interval labels lag_time model monitor op_state
    os_type perceived_severity peak_iops_allocation properties.name protocol qos_policy raid_type state status storage_efficiency_mode style
    sync_type type
    """

_KEPT: Mapping[EndpointKind, frozenset[str]] = MappingProxyType(
    {
        EndpointKind.VCENTER: frozenset(_VCENTER.lower().split()),
        EndpointKind.ELEMENT: frozenset(_ELEMENT.lower().split()),
        EndpointKind.FLASHARRAY: frozenset(_FLASHARRAY.lower().split()),
        EndpointKind.DELL_SC: frozenset(_DELL_SC.lower().split()),
        EndpointKind.ONTAP: frozenset(_ONTAP.lower().split()),
        EndpointKind.ETERNUS: frozenset(),
    }
)


_KNOWN_EXTENSION = re.compile(
    r"(?i)(?:com|org)\.(?:vmware|broadcom|solidfire|netapp|purestorage|dell|dellemc|emc|hpe?|nimblestorage|fujitsu|hitachi|ibm|cisco|veeam)\b.*"
    r"|(?:vmware|broadcom|netapp|solidfire|pure storage|dell|emc|hewlett|hpe|nimble|fujitsu|hitachi|ibm|cisco|veeam)\b.*|VirtualCenter"
)
"""Plug-ins of vCenter, and companies, that are products; one that somebody wrote for himself names him."""


def fate_of_extension(text: str) -> Fate:
    """What becomes of the key, or the company, of an extension of vCenter."""
    return Fate.KEEP if _KNOWN_EXTENSION.fullmatch(text) else Fate.NAME


def fate_of(kind: EndpointKind, path: Sequence[str]) -> Fate:
    """What becomes of a text, by the names of the fields that it is in, outermost first."""
    own = path[-1].lower() if path else ""
    pair = f"{path[-2].lower()}.{own}" if len(path) > 1 else own
    kept = _KEPT[kind]
    if own in FREE_TEXT and pair not in kept:
        return Fate.DROP
    if VERSIONS.match(own):
        return Fate.VERSION
    if own in kept or pair in kept:
        return Fate.KEEP
    return Fate.NAME if _NAMES.search(own) else Fate.PLAIN
