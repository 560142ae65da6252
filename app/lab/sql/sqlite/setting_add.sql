INSERT INTO lab_settings (name, value)
VALUES (:name, :value)
ON CONFLICT (name) DO NOTHING
