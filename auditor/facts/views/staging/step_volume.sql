-- materialize: view
-- The volumes that an array serves. One that was deleted and waits to be purged is still listed; no host reaches it, so no view counts it.
-- Neither does one that waits as a copy, for the day on which the other volume of its name is lost (facts/volume_states.py), nor one whose SVM
-- is stopped while another cluster serves a volume of its name: after a failover the original is the one that waits.
-- Whether a volume is virtual goes by its id, or its kind, where the array does not tell it otherwise.
-- Source: Element API reference, volume.status "deleted"; FlashArray REST 2, volumes.destroyed.
WITH stopped AS (
    SELECT device FROM fact.array_volume WHERE status = 'SVM stopped' AND device IS NOT NULL GROUP BY device
),
served AS (
    SELECT o.device FROM fact.array_volume AS o JOIN stopped AS s ON s.device = o.device WHERE o.status = 'online' GROUP BY o.device
)
SELECT v.* REPLACE (
    coalesce(v.is_virtual, CASE WHEN v.vvol_id IS NOT NULL THEN true WHEN v.kind IS NOT NULL THEN v.kind = 'vvol' END) AS is_virtual
)
FROM fact.array_volume AS v
LEFT JOIN served AS s ON s.device = v.device AND v.status = 'SVM stopped'
WHERE s.device IS NULL AND (v.status IS NULL OR lower(v.status) NOT IN ('deleted', 'destroyed', 'copy that waits'));
