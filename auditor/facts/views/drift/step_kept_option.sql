-- materialize: view
-- The advanced options of hosts that a baseline keeps: of storage, and only numbers and switches. Names, addresses, identities and log
-- targets are texts, and one host's own.
SELECT endpoint, host_id, '' AS thing, key AS setting, value
FROM fact.host_option
WHERE value IS NOT NULL AND value_type IN ('long', 'int', 'short', 'byte', 'boolean')
    AND (
        regexp_matches(key, '^(DataMover|Disk|ISCSI|NFS|NFS41|Scsi|SunRPC|VMFS|VMFS3)[.]')
        OR key IN ('Net.TcpipHeapMax', 'Net.TcpipHeapSize', 'Misc.APDHandlingEnable', 'Misc.APDTimeout')
    );
