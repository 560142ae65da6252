SELECT name, type, "notnull", pk FROM pragma_table_info(:table)
