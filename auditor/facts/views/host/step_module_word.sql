-- materialize: table
-- The words of each configured option string, each name once, with the parameter of the module that comes nearest to it. `value` and `number` are NULL
-- where the string gives it two values: which of them the module takes is the driver's own affair, and no source states it.
-- A string whose quotes do not close has no words here.
WITH word AS (
    SELECT endpoint, host_id, module, unnest(option_words(option_string)) AS word
    FROM fact.host_module
),
named AS (
    SELECT endpoint, host_id, module, regexp_extract(word, '^([^=]*)', 1) AS name, regexp_extract(word, '=(.*)$', 1) AS value FROM word
),
given AS (
    SELECT
        endpoint,
        host_id,
        module,
        name,
        count(*) AS times_given,
        count(DISTINCT value) AS values_given,
        CASE WHEN count(DISTINCT value) = 1 THEN min(value) END AS value,
        string_agg(DISTINCT name || '=' || value, ' ' ORDER BY name || '=' || value) AS settings
    FROM named
    GROUP BY ALL
)
SELECT
    n.endpoint,
    n.host_id,
    n.module,
    n.name,
    n.times_given,
    n.values_given,
    n.value,
    plain_number(n.value) AS number,
    n.settings,
    bool_or(n.name = p.name) AS is_known,
    arg_min(p.name, (levenshtein(n.name, p.name), p.name)) AS nearest
FROM given AS n
LEFT JOIN fact.host_module_parameter AS p USING (endpoint, host_id, module)
GROUP BY ALL;
