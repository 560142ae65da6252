lower(substr(c.destination, 1, instr(c.destination, ':') - 1)) IN (SELECT value FROM json_each(:schemes))
