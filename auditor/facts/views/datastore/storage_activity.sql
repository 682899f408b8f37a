-- materialize: view
-- One row per event of vCenter's log of the last day about work that is no trouble: moves of machines (moving, moved, not moved), Storage DRS (decided,
-- changed), Storage I/O Control (changed: the event does not say whether it was switched on or off), hosts, and their software. Who did it is
-- `user_name`. What was lost or slow is in storage_event, machines that were restarted in restarted_machine.
SELECT
    e.endpoint,
    CAST(e.event_key AS VARCHAR) AS resource_id,
    e.what || coalesce(': ' || coalesce(v.name, d.name, h.name, e.said), '') AS resource_name,
    h.cluster,
    h.name AS host,
    e.host_id,
    e.happened_at,
    e.kind,
    e.what,
    e.vm_id,
    v.name AS vm,
    e.datastore_id,
    d.name AS datastore,
    e.from_datastore_id,
    f.name AS from_datastore,
    e.to_datastore_id,
    t.name AS to_datastore,
    e.from_datastore_id <> e.to_datastore_id AS is_of_disks,
    e.user_name,
    e.type_id,
    e.said
FROM fact.storage_event AS e
LEFT JOIN fact.vm AS v ON v.endpoint = e.endpoint AND v.vm_id = e.vm_id
LEFT JOIN fact.host AS h ON h.endpoint = e.endpoint AND h.host_id = e.host_id
LEFT JOIN fact.datastore AS d ON d.endpoint = e.endpoint AND d.datastore_id = e.datastore_id
LEFT JOIN fact.datastore AS f ON f.endpoint = e.endpoint AND f.datastore_id = e.from_datastore_id
LEFT JOIN fact.datastore AS t ON t.endpoint = e.endpoint AND t.datastore_id = e.to_datastore_id
WHERE e.kind IN ('moving', 'moved', 'not moved', 'decided', 'changed', 'host', 'software');
