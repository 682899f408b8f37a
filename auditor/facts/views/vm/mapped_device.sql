-- materialize: table
-- One row per host and device that machines of the fleet map (RDM), of those that the host has not detached. `is_clustered`: the controller of one of
-- these machines shares its bus, as nodes of a cluster do; false only where each mapping disk reports it.
-- `holds_datastore`: a VMFS datastore of the fleet lies on it; false only where the datastores of every vCenter that sees it were read.
-- Source: VMware KB 1016106.
WITH mapped AS (
    SELECT
        k.rdm_device AS device,
        CASE
            WHEN bool_or(k.bus_sharing IN ('physicalSharing', 'virtualSharing')) THEN true
            WHEN count(k.bus_sharing) = count(*) THEN false
        END AS is_clustered,
        few_distinct(v.name) AS vm_names
    FROM fact.vm_disk AS k
    LEFT JOIN fact.vm AS v USING (endpoint, vm_id)
    WHERE k.rdm_device IS NOT NULL
    GROUP BY k.rdm_device
),
carried AS (
    SELECT DISTINCT device FROM fact.datastore_extent
),
seen AS (
    SELECT d.device, bool_and(coalesce(r.datastores_read, false)) AS datastores_read
    FROM (SELECT DISTINCT x.endpoint, x.device FROM fact.device AS x JOIN mapped AS y USING (device)) AS d
    LEFT JOIN step_endpoint_reading AS r USING (endpoint)
    GROUP BY d.device
)
SELECT
    d.endpoint,
    d.host_id || '/' || d.device AS resource_id,
    d.device AS resource_name,
    h.cluster,
    h.name AS host,
    d.host_id,
    d.device,
    d.perennially_reserved,
    m.is_clustered,
    CASE WHEN c.device IS NOT NULL THEN true WHEN s.datastores_read THEN false END AS holds_datastore,
    m.vm_names
FROM fact.device AS d
JOIN mapped AS m USING (device)
JOIN seen AS s USING (device)
LEFT JOIN carried AS c USING (device)
JOIN fact.host AS h USING (endpoint, host_id)
WHERE main_state(d.operational_state) IS DISTINCT FROM 'off';
