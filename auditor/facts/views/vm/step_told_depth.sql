-- materialize: view
-- How many commands a machine sends for each disk on one kind of controller, at least and at most, as its guest says; no row where it does not
-- say so of as many disks as the machine has there, since one that it left out may send any. Windows says what is set, which counts from its next
-- start on: until then its driver's own 64 may be in force. Source: docs/domain/facts.md#8-6.
WITH told AS (
    SELECT
        m.endpoint,
        m.vm_id,
        CASE
            WHEN d.driver IN ('vmw_pvscsi', 'pvscsi') THEN 'pvscsi'
            WHEN d.driver IN ('mptspi', 'lsi_scsi', 'symmpi') THEN 'lsilogic'
            WHEN d.driver IN ('mptsas', 'lsi_sas') THEN 'lsilogic-sas'
            WHEN d.driver IN ('ahci', 'storahci') THEN 'sata'
        END AS controller,
        CASE
            WHEN d.driver = 'pvscsi' AND m.system = 'windows'
            THEN CASE WHEN m.pvscsi_depth_set IS NOT NULL THEN least(m.pvscsi_depth_set, 64) END
            ELSE d.queue_depth
        END AS at_least,
        CASE
            WHEN d.driver = 'pvscsi' AND m.system = 'windows'
            THEN CASE WHEN m.pvscsi_depth_set IS NOT NULL THEN greatest(m.pvscsi_depth_set, 64) END
            ELSE d.queue_depth
        END AS at_most
    FROM step_guest_machine AS m
    JOIN fact.guest_disk AS d ON d.endpoint = m.guest_endpoint AND d.guest_id = m.guest_id
),
has AS (
    SELECT d.endpoint, d.vm_id, d.controller, count(*) AS disks
    FROM fact.vm_disk AS d
    JOIN step_guest_machine AS m USING (endpoint, vm_id)
    GROUP BY d.endpoint, d.vm_id, d.controller
)
SELECT t.endpoint, t.vm_id, t.controller, min(t.at_least) AS at_least, max(t.at_most) AS at_most
FROM told AS t
JOIN has AS h ON h.endpoint = t.endpoint AND h.vm_id = t.vm_id AND h.controller = t.controller
GROUP BY t.endpoint, t.vm_id, t.controller
HAVING count(t.at_least) = count(*) AND count(*) >= min(h.disks);
