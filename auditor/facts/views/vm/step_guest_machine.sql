-- materialize: view
-- Which virtual machine a guest is, by the UUID of its BIOS; no row where no machine has it, or several do, as copies may,
-- and none where several guests say it.
WITH machine AS (
    SELECT bios_uuid, min(endpoint) AS endpoint, min(vm_id) AS vm_id
    FROM fact.vm
    WHERE bios_uuid IS NOT NULL
    GROUP BY bios_uuid
    HAVING count(*) = 1
),
told AS (
    SELECT bios_uuid FROM fact.guest GROUP BY bios_uuid HAVING count(*) = 1
)
SELECT g.endpoint AS guest_endpoint, g.guest_id, m.endpoint, m.vm_id, g.system, g.pvscsi_depth_set
FROM fact.guest AS g
JOIN told USING (bios_uuid)
JOIN machine AS m USING (bios_uuid);
