-- materialize: view
-- What of an array lies in each of its file systems (ONTAP's FlexVols), by "svm:name" and by id: the share itself, or the LUNs in it, whose
-- names begin with /vol/<file system>/. Source: ONTAP REST reference, LUN name.
SELECT
    endpoint,
    volume_id,
    svm || ':' || coalesce(nullif(regexp_extract(volume, '^(?:/vol/)?([^/]+)/', 1), ''), volume) AS path
FROM step_volume_use
WHERE svm IS NOT NULL;
