-- materialize: view
-- Virtual disks on vVol datastores, with the cluster whose hosts may run them. DRS moves machines, so a cluster is one place.
-- A datastore of no known type may be one of them. Of a machine that is not known to be none, and does not run, the disks may be a template's.
SELECT
    d.endpoint,
    d.datastore_id,
    r.domain_id,
    d.disk,
    d.runs,
    vm.is_template IS NULL AND d.runs IS DISTINCT FROM true AS may_be_of_template,
    d.depth_at_least,
    d.depth_at_most
FROM step_disk_depth AS d
JOIN fact.vm AS vm USING (endpoint, vm_id)
JOIN fact.datastore AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id AND (s.type IS NULL OR s.type = 'VVOL')
JOIN step_host_reading AS r ON r.endpoint = vm.endpoint AND r.host_id = vm.host_id
WHERE NOT coalesce(vm.is_template, false);
