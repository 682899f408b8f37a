-- materialize: view
-- The volumes that an array serves. One that was deleted and waits to be purged is still listed; no host reaches it, so no view counts it.
-- Source: Element API reference, volume.status "deleted"; FlashArray REST 2, volumes.destroyed.
SELECT * FROM fact.array_volume WHERE status IS NULL OR lower(status) NOT IN ('deleted', 'destroyed');
