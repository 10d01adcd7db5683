-- Functions of tracking sessions.

-- Sums of an account's finished sessions. Pauses are not in the duration.
CREATE OR REPLACE FUNCTION account_totals(account bigint, OUT sessions bigint, OUT distance double precision, OUT seconds double precision)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT count(*), coalesce(sum(s.distance), 0),
        coalesce(sum(greatest(extract(epoch FROM s.ended_at - s.started_at) - coalesce(p.seconds, 0), 0)), 0)::double precision
    INTO sessions, distance, seconds
    FROM sessions s LEFT JOIN LATERAL (
        SELECT sum(extract(epoch FROM least(coalesce(p.to_at, s.ended_at), s.ended_at) - greatest(p.from_at, s.started_at))) AS seconds
        FROM pauses p WHERE p.session_id = s.id AND p.from_at < s.ended_at) p ON true
    WHERE s.account_id = account AND s.state = 'finished';
END $$;
