-- materialize: view
-- Virtual disks on vVol datastores, with the cluster whose hosts may run them. DRS moves machines, so a cluster is one place.
SELECT d.endpoint, d.datastore_id, r.domain_id, vm.name AS vm, d.disk, d.controller, c.depth
FROM fact.vm_disk AS d
JOIN fact.vm AS vm USING (endpoint, vm_id)
JOIN fact.datastore AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id AND s.type = 'VVOL'
JOIN step_host_reading AS r ON r.endpoint = vm.endpoint AND r.host_id = vm.host_id
LEFT JOIN step_controller_depth AS c USING (controller)
WHERE NOT coalesce(vm.is_template, false);
