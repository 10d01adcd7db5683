-- Functions of goals.

-- Distance of an account in a month, and the time at which it reached `metres`. A session counts in the month in which it began. O(sessions
-- of the month).
CREATE OR REPLACE FUNCTION goal_progress(account bigint, month_start timestamptz, month_end timestamptz, metres double precision,
    OUT distance double precision, OUT completed_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT coalesce(max(r.total), 0), min(r.at) FILTER (WHERE r.total >= metres)
    INTO distance, completed_at
    FROM (SELECT coalesce(s.ended_at, s.last_fix_at, s.started_at) AS at,
            sum(s.distance) OVER (ORDER BY coalesce(s.ended_at, s.last_fix_at, s.started_at), s.id) AS total
        FROM sessions s LEFT JOIN goals g ON g.account_id = s.account_id
        WHERE s.account_id = account AND s.started_at >= greatest(month_start, g.reset_at) AND s.started_at < month_end) r;
END $$;
