timestamptz '9999-12-31 00:00:00+00'
