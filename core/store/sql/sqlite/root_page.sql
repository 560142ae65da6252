SELECT rootpage, (SELECT page_size FROM pragma_page_size())
FROM sqlite_master
WHERE type = 'table' AND name = :table
