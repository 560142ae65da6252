SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'
