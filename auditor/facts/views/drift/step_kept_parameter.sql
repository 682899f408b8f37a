-- materialize: view
-- The words of each configured option string as parameter and value; a module without any has one row whose parameter is ''. What a string
-- names twice with two values has both.
WITH word AS (
    SELECT endpoint, host_id, module, unnest(regexp_split_to_array(trim(option_string), '\s+')) AS word
    FROM fact.host_module
    WHERE option_string IS NOT NULL
),
named AS (
    SELECT endpoint, host_id, module, regexp_extract(word, '^([^=]*)', 1) AS name, regexp_extract(word, '=(.*)$', 1) AS value FROM word
)
SELECT endpoint, host_id, module AS thing, name AS setting, string_agg(DISTINCT value, ' and ' ORDER BY value) AS value
FROM named
GROUP BY endpoint, host_id, module, name;
