-- materialize: view
-- One row per host and block device or protocol endpoint, as in `device`, with what the disks of the host's machines send to it.
SELECT d.*, q.outstanding
FROM device AS d
LEFT JOIN device_queue AS q USING (endpoint, host_id, device);
