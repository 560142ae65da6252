lower(split_part(c.destination, ':', 1)) = ANY (:schemes::text[])
