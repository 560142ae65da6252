-- With those that the database computes, and without those that a virtual table hides.
SELECT name, type, "notnull", pk, hidden > 1 FROM pragma_table_xinfo(:table) WHERE hidden <> 1
