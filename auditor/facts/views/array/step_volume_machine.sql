-- materialize: table
-- How many machines run with disks on the datastores of each volume of an array that is no virtual one. `undetermined` counts what may be more:
-- disks whose machine may run, vCenters or datastores whose machines were not all read, and datastores that were not read. Raw device mappings are not among them.
SELECT
    b.array_endpoint AS endpoint,
    b.volume_id,
    count(DISTINCT d.endpoint || '/' || d.vm_id) FILTER (WHERE g.runs) AS machines,
    count(*) FILTER (WHERE (d.vm_id IS NOT NULL AND g.runs IS NULL) OR r.vms_read IS NOT true OR u.running > 0 OR s.datastore_id IS NULL) AS undetermined
FROM step_datastore_volume AS b
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = b.endpoint
LEFT JOIN fact.datastore AS s ON s.endpoint = b.endpoint AND s.datastore_id = b.datastore_id
LEFT JOIN step_unread_machine AS u ON u.endpoint = b.endpoint AND u.datastore_id = b.datastore_id
LEFT JOIN fact.vm_disk AS d ON d.endpoint = b.endpoint AND d.datastore_id = b.datastore_id AND d.rdm_mode IS NULL
LEFT JOIN step_guest AS g ON g.endpoint = d.endpoint AND g.vm_id = d.vm_id
WHERE b.volume_id IS NOT NULL
GROUP BY b.array_endpoint, b.volume_id;
