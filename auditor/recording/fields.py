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

SERIAL_NUMBERS = frozenset("scserialnumber serialnumber hardwareserialnumber userid serial".split())
"""Numbers that identify a system; in lower case."""

WORLD_WIDE_NAMES = frozenset(("portworldwidename", "nodeworldwidename"))

VERSIONS = re.compile(
    r"^(?:\d+\.\d+|.*version|versionid|.*versions|.*build|release|full|firmware|revision)$", re.IGNORECASE
)
_NAMES = re.compile(r"name|path|host|addr|user|owner|volume|datastore|serial|uuid|folder|key$|id$|node$", re.IGNORECASE)

_VCENTER = """
    _typename type versionid propset.name missingset.path pathset method moid about.name about.vendor about.fullname product.name product.fullname deviceinfo.label
    accessmode accessible apitype applicationprotocol atsstatus atsupgrademodes authenticationmethod backingtype category claimoptions
    clonestatus company compliantstatus configuration congestionthresholdmode connectionstate connectionstatus datasourcetype
    defaultpsp defaultvmbehavior deletestatus descriptionid devicetype discoverymethod diskmode dixguardtype driver drivetype
    encryptionmode eventtypeid extensionlist.key ext_key filesystemtype
    querymodulesresponse.filename groupinfo.key guestfullname guestid guestos hardwareversion interfacetype iscsi_key key_of_option kind level licenseproductname
    licenseproductversion lockingmode locale localebuild localeversion lunType lun.policy maintenancemode messagelocale mode model
    mount multipathplugin namespace nameinfo.key netstackinstancekey nfsversion operationalstate optionstring ostype overallstatus
    pathselectionpolicy pathselectionpolicydeviceconfig pathstate pathstatus petype piprotectionmask pitype policy porttype powerstate
    productlineid protocol providertype pspoptions queryoptions.name queryoptionsresponse.key querymodulesresponse.name querymodulesresponse.returnval.name
    raidlevel reservablethresholdmode revision rolluptype rulegroup samplingcsv samplecsv sampleinfocsv satp scsilevel securitytype
    sharedbus sharing spacethresholdmode speed state statsType status storagearraytype storagearraytypedeviceconfig storageprotocol
    supportedguardtypes targettransport thinprovisioningstatus tools transport type unitinfo.key vaaistatus vendor version vlan vendorid modelid protocolendpointtype
    vmfstype vstoragesupport workingpaths zerostatus advancedoptions.key option.key dataobject.name dataobject.type dataobject.size
    isvvolpe size value_type perfcounterinfo.key in.module module
    vimesxclistoragenmpsatprulelistsatprule.name vimesxclisystemmoduleparameterslistparameters.name optionvalue.key noofoutstandingioswithcompetingworlds devicemaxqueuedepth parameters.name
    argument.name reason.fault fault._typename counterid format perfquery.instance scsictlrunitnumber
    """

_ELEMENT = """
    method access currentprotectionscheme encryptionatreststate error.name methods nodetype chassistype cpumodel platformconfigversion
    previousprotectionscheme protocolendpointstate protocolendpointtype providertype role roles status supportedprotectionschemes
    protectionscheme accesstype state code type severity fibrechanneltargetportgroup_
    """

_FLASHARRAY = """
    algorithm code context_type details_type manual_eradication mediator_status mode model module_version os personality priority_adjustment_operator
    promotion_status protocol protocols requested_promotion_state status subtype type version versions nvme_type
    port_connectivity.status host_encryption_key_status
    """

_DELL_SC = """
    objecttype apiversion minapiversion application applicationversion connectivity datapagesize iscsitransportmode locale lunrequested
    mappedvia model operationmode porttype profiletype provider providerversion raidtypeused raidtypedescription readcachestatus
    redundancy relativepriority source status tiersuseddescription type version writecachestatus configuredsize
    operatingsystem.instancename datecreated datemodified filtertype attributename errorstate
    """

_ONTAP = """
    access_type block_size checksum_style class code compression counters.name cross_volume_dedupe data_compaction dedupe disk_class
    disk_type duration expected_iops_allocation filter full healthy inline interval labels lag_time lun_type model op_state os_type
    peak_iops_allocation properties.name protocol raid_type schedule_type sp_state state status storage_efficiency_mode style type
    application_type policy_type transfer_state efficiency.policy.name op progress raid.type disk.speed raid_option
    container_type qos_preset sis_state weekday sync_type
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


def fate_of(kind: EndpointKind, path: Sequence[str]) -> Fate:
    """What becomes of a text, by the names of the fields that it is in, outermost first."""
    own = path[-1].lower() if path else ""
    pair = f"{path[-2].lower()}.{own}" if len(path) > 1 else own
    if own in FREE_TEXT:
        return Fate.DROP
    kept = _KEPT[kind]
    if VERSIONS.match(own):
        return Fate.VERSION
    if own in kept or pair in kept:
        return Fate.KEEP
    return Fate.NAME if _NAMES.search(own) else Fate.PLAIN
