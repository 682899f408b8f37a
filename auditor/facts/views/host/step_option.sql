-- materialize: table
-- Advanced options that rules name, one row per host, typed. NULL when the host does not list the option or it was not read.
-- `limits_machines`: the scheduler before mClock holds a machine to the sum of its disks' limits (docs/domain/facts.md#4-11).
SELECT
    endpoint,
    host_id,
    any_value(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'ISCSI.MaxIoSizeKB') AS iscsi_max_io_size_kb,
    any_value(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'Scsi.ScsiVVolPESNRO') AS vvol_pe_dsnro_default,
    any_value(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'DataMover.MaxHWTransferSize') AS max_transfer_kb,
    any_value(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'VMFS3.EnableBlockDelete') AS vmfs5_block_delete,
    any_value(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'Disk.SchedulerWithReservation') = 0 AS limits_machines
FROM fact.host_option
GROUP BY ALL;
