"""Which fields of a vCenter's answers a recording keeps as they are: see `auditor.recording.fields`."""

from auditor.endpoints.common.kept_forms import KeptForms

FORMS = KeptForms(is_soap=True)

KEPT = """
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
