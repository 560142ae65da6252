SELECT value
FROM lab_settings
WHERE name = :name
