"""Which fields of a Dot Hill array's answers a recording keeps as they are: see `auditor.recording.fields`."""

KEPT = """
access acknowledged allowed-storage-tiers architecture bundle-version controller-id disk-description health host-bus-type
mc-fw media model object-name owner preferred-owner product-brand product-id profile raidtype redundancy-mode redundancy-status resolved
response-type roles sc-fw scsi-product-id scsi-vendor-id severity status storage-tier storage-type tier tier-affinity vendor-name
volume-type
"""
