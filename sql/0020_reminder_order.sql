-- In which order reminders go: codes that somebody waits for, which are few by their limits, then emergencies, then what is for many.

DROP INDEX reminders_due;
CREATE INDEX reminders_due ON reminders (channel, (CASE WHEN kind IN ('code', 'trial') THEN 0 WHEN is_urgent THEN 1 ELSE 2 END), next_at)
WHERE state IN ('waiting', 'sending');

-- As before, but for the order.
CREATE OR REPLACE FUNCTION reminder_claim(of_channel text, most bigint, at timestamptz, until timestamptz, by_node text)
RETURNS SETOF reminders LANGUAGE sql AS $$
    UPDATE reminders r SET state = 'sending', next_at = until, node = by_node, attempts = r.attempts + 1
    FROM (SELECT d.id FROM reminders d WHERE d.channel = of_channel AND d.state IN ('waiting', 'sending') AND d.next_at <= at
            AND (d.state = 'waiting' OR d.channel = 'push')
        ORDER BY CASE WHEN d.kind IN ('code', 'trial') THEN 0 WHEN d.is_urgent THEN 1 ELSE 2 END, d.next_at LIMIT most
        FOR UPDATE SKIP LOCKED) due
    WHERE r.id = due.id RETURNING r.*
$$;
