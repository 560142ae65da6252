CREATE INDEX temp.closure_open ON closure (link) WHERE followed = 0
