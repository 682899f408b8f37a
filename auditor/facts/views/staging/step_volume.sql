-- materialize: view
-- The volumes that an array serves. One that was deleted and waits to be purged is still listed; no host reaches it, so no view counts it.
-- Neither does one that waits as a copy, for the day on which the other volume of its name is lost (facts/volume_states.py).
-- Whether a volume is virtual goes by its id, or its kind, where the array does not tell it otherwise.
-- Source: Element API reference, volume.status "deleted"; FlashArray REST 2, volumes.destroyed.
SELECT * REPLACE (coalesce(is_virtual, CASE WHEN vvol_id IS NOT NULL THEN true WHEN kind IS NOT NULL THEN kind = 'vvol' END) AS is_virtual)
FROM fact.array_volume WHERE status IS NULL OR lower(status) NOT IN ('deleted', 'destroyed', 'copy that waits');
