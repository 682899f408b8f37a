-- materialize: table
-- Inquiry vendor and model to array family. NULL when the inquiry was not read, 'other' when nobody here knows it.
-- Source: facts/families.py, which fills in the table.
WITH inquiry AS (SELECT DISTINCT vendor, model FROM fact.device)
SELECT
    vendor,
    model,
    family_of_inquiry(vendor, model) AS family
FROM inquiry;
