consumer = :consumer AND source = :source AND subject = :subject
