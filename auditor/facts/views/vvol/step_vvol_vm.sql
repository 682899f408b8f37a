-- materialize: table
-- The virtual disk a virtual volume is: vCenter writes rfc4122. before the id that the array tells. One that several machines share has all their names, and
-- all their hosts.
SELECT
    regexp_replace(lower(d.backing_object_id), '^rfc4122\.', '') AS vvol_id,
    few_distinct(vm.name || ' ' || d.disk) AS disk,
    few_distinct(h.name) AS host,
    list_sort(list(DISTINCT h.endpoint || '/' || h.host_id) FILTER (WHERE h.host_id IS NOT NULL)) AS host_keys,
    few_distinct(s.name) AS datastore
FROM fact.vm_disk AS d
JOIN fact.vm AS vm USING (endpoint, vm_id)
LEFT JOIN fact.host AS h ON h.endpoint = vm.endpoint AND h.host_id = vm.host_id
LEFT JOIN fact.datastore AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id
WHERE d.backing_object_id IS NOT NULL
GROUP BY ALL;
