-- materialize: table
-- One row per host and device that machines of the fleet map (RDM), and per device with a VMFS datastore that is marked as perennially reserved, of those
-- that the host has not detached. `is_clustered`: one of these machines maps it in physical mode by a controller that shares its bus, as nodes of a cluster
-- do that reserve it; in virtual mode the host sends reads and writes alone. False only where each mapping disk reports what tells it.
-- `holds_datastore`: a VMFS datastore of the fleet lies on it; false only where the datastores of every vCenter that sees it were read.
-- Source: VMware KB 1016106; docs/domain/facts.md#5-9.
WITH disk AS (
    SELECT
        endpoint,
        vm_id,
        rdm_device,
        CASE
            WHEN bus_sharing = 'noSharing' OR rdm_mode = 'virtualMode' THEN false
            WHEN bus_sharing IN ('physicalSharing', 'virtualSharing') AND rdm_mode = 'physicalMode' THEN true
        END AS reserves
    FROM fact.vm_disk
    WHERE rdm_device IS NOT NULL
),
mapped AS (
    SELECT
        k.rdm_device AS device,
        CASE WHEN bool_or(k.reserves) THEN true WHEN count(k.reserves) = count(*) THEN false END AS is_clustered,
        few_distinct(v.name) AS vm_names
    FROM disk AS k
    LEFT JOIN fact.vm AS v USING (endpoint, vm_id)
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
    CASE WHEN m.device IS NULL THEN false ELSE m.is_clustered END AS is_clustered,
    CASE WHEN c.device IS NOT NULL THEN true WHEN s.datastores_read THEN false END AS holds_datastore,
    m.vm_names
FROM fact.device AS d
LEFT JOIN mapped AS m USING (device)
LEFT JOIN seen AS s USING (device)
LEFT JOIN carried AS c USING (device)
JOIN fact.host AS h USING (endpoint, host_id)
WHERE main_state(d.operational_state) IS DISTINCT FROM 'off' AND (m.device IS NOT NULL OR (d.perennially_reserved AND c.device IS NOT NULL));
