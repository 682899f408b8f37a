-- Inquiry vendor and model to array family. NULL when the inquiry was not read, 'other' when nobody here knows it.
-- Source: facts/families.py, which fills in the table.
CREATE VIEW step_family AS
WITH inquiry AS (SELECT DISTINCT vendor, model FROM fact.device)
SELECT
    vendor,
    model,
    {family of inquiry} AS family
FROM inquiry;
