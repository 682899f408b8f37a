-- materialize: view
-- The device of each datastore that lies on one device alone; of one with several extents nobody knows on which a disk lies.
SELECT endpoint, datastore_id, any_value(device) AS device
FROM fact.datastore_extent
GROUP BY endpoint, datastore_id
HAVING count(*) = 1;
