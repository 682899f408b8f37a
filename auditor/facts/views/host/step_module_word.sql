-- materialize: table
-- The words of each configured option string, with the parameter of the module that comes nearest to each.
WITH word AS (
    SELECT endpoint, host_id, module, unnest(regexp_split_to_array(trim(option_string), '\s+')) AS word
    FROM fact.host_module
    WHERE trim(option_string) <> ''
),
named AS (
    SELECT endpoint, host_id, module, regexp_extract(word, '^([^=]*)', 1) AS name, regexp_extract(word, '=(.*)$', 1) AS value FROM word
)
SELECT
    n.endpoint,
    n.host_id,
    n.module,
    n.name,
    count(DISTINCT n.value) AS values_given,
    any_value(n.value) AS value,
    bool_or(n.name = p.name) AS is_known,
    arg_min(p.name, (levenshtein(n.name, p.name), p.name)) AS nearest
FROM named AS n
LEFT JOIN fact.host_module_parameter AS p USING (endpoint, host_id, module)
GROUP BY ALL;
