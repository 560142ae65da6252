CREATE INDEX IF NOT EXISTS ledger_by_reference ON ledger (reference)
