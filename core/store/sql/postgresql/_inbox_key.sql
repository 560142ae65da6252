consumer = :consumer AND source = :source AND event_id = :event_id
