-- Goals of a month (U-6): how far somebody wants to get, and what they have so far.

CREATE TABLE goals (
    account_id  bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    kilometres  integer NOT NULL DEFAULT 50 CHECK (kilometres BETWEEN 10 AND 999),
    -- Of the person's device when they last looked: where their months begin.
    time_zone   text NOT NULL DEFAULT 'UTC' CHECK (char_length(time_zone) <= 64),
    -- Progress was put back to nothing: what began before it counts no more.
    reset_at    timestamptz,
    -- The month that they were told of that they reached it: they are told once.
    told_month  date
);

-- What an account has of a month, and when it had `metres` of it. A session counts where it began. O(sessions of the month).
CREATE FUNCTION goal_progress(account bigint, month_start timestamptz, month_end timestamptz, metres double precision,
    OUT distance double precision, OUT completed_at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(r.total), 0), min(r.at) FILTER (WHERE r.total >= metres)
    FROM (SELECT coalesce(s.ended_at, s.last_fix_at, s.started_at) AS at,
            sum(s.distance) OVER (ORDER BY coalesce(s.ended_at, s.last_fix_at, s.started_at), s.id) AS total
        FROM sessions s LEFT JOIN goals g ON g.account_id = s.account_id
        WHERE s.account_id = account AND s.started_at >= greatest(month_start, g.reset_at) AND s.started_at < month_end) r
$$;

-- All of an account's finished sessions together; pauses do not count.
CREATE FUNCTION account_totals(account bigint, OUT sessions bigint, OUT distance double precision, OUT seconds double precision)
LANGUAGE sql STABLE AS $$
    SELECT count(*), coalesce(sum(s.distance), 0),
        coalesce(sum(greatest(extract(epoch FROM s.ended_at - s.started_at) - coalesce(p.seconds, 0), 0)), 0)::double precision
    FROM sessions s LEFT JOIN LATERAL (
        SELECT sum(extract(epoch FROM least(coalesce(p.to_at, s.ended_at), s.ended_at) - greatest(p.from_at, s.started_at))) AS seconds
        FROM pauses p WHERE p.session_id = s.id AND p.from_at < s.ended_at) p ON true
    WHERE s.account_id = account AND s.state = 'finished'
$$;
