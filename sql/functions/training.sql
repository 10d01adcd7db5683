-- Functions of training.

-- Time zone in which the days of an account begin: that of its analytics, else that of its goal, else UTC.
CREATE OR REPLACE FUNCTION training_time_zone(account bigint) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((SELECT i.time_zone FROM insight_settings i WHERE i.account_id = account),
        (SELECT g.time_zone FROM goals g WHERE g.account_id = account), 'UTC');
END $$;

-- Steps of a run by the regression of Hoeger et al. (2008), "One-mile step count at walking and running speeds", ACSM's Health & Fitness
-- Journal 12(1): steps a mile = 1084 + 143.6 × pace - 13.5 × height, with the pace in minutes a mile and the height in inches. It was
-- measured at 6 to 12 minutes a mile; other paces count as the nearest of these. NULL without a height.
CREATE OR REPLACE FUNCTION training_steps(metres double precision, seconds double precision, height double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT metres / 1609.344 * (1084 + 143.6 * least(12, greatest(6, seconds / 60 / nullif(metres / 1609.344, 0))) - 13.5 * height / 2.54)
$$;

-- Figures of an account for each day with data, by the days of a time zone. O(trainings and sessions of the span).
CREATE OR REPLACE FUNCTION training_days(account bigint, first_day date, last_day date, zone text)
RETURNS TABLE (day date, trainings bigint, minutes double precision, sets bigint, reps bigint, gross bigint, net bigint,
    metres double precision, steps integer, is_estimated boolean, kilograms double precision, resting_pulse integer,
    average_pulse integer, maximum_pulse integer)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    starts timestamptz := first_day::timestamp AT TIME ZONE zone;
    ends timestamptz := (last_day + 1)::timestamp AT TIME ZONE zone;
    height double precision := (SELECT b.height FROM body_data b WHERE b.account_id = account);
BEGIN
    RETURN QUERY
    WITH done AS (
        SELECT (t.started_at AT TIME ZONE zone)::date AS on_day, t.id, t.active_seconds, t.gross, t.net, t.pulse_average, t.pulse_maximum
        FROM trainings t WHERE t.account_id = account AND t.ended_at IS NOT NULL AND t.started_at >= starts AND t.started_at < ends
    ), by_training AS (
        SELECT d.on_day, count(*) AS trainings, sum(d.active_seconds) / 60 AS minutes, sum(d.gross) AS gross, sum(d.net) AS net,
            round(sum(d.pulse_average * d.active_seconds) / nullif(sum(d.active_seconds) FILTER (WHERE d.pulse_average IS NOT NULL), 0))
                ::integer AS average_pulse, max(d.pulse_maximum) AS maximum_pulse
        FROM done d GROUP BY d.on_day
    ), by_set AS (
        SELECT d.on_day, count(*) AS sets, sum(s.reps)::bigint AS reps
        FROM done d JOIN training_sets s ON s.account_id = account AND s.training_id = d.id AND s.state = 'done' GROUP BY d.on_day
    ), by_session AS (
        SELECT (s.started_at AT TIME ZONE zone)::date AS on_day, sum(s.distance) AS metres,
            sum(training_steps(s.distance, s.moving, height)) FILTER (WHERE s.activity = 'run' AND s.distance > 0) AS steps
        FROM sessions s
        WHERE s.account_id = account AND s.state = 'finished' AND s.started_at >= starts AND s.started_at < ends GROUP BY 1
    ), entered AS (
        SELECT e.day AS on_day, e.steps, e.resting_pulse FROM insight_days e
        WHERE e.account_id = account AND e.day BETWEEN first_day AND last_day
    ), weighed AS (
        SELECT w.day AS on_day, w.kilograms FROM body_weights w
        WHERE w.account_id = account AND w.day BETWEEN first_day AND last_day
    )
    SELECT on_day, coalesce(t.trainings, 0), coalesce(t.minutes, 0), coalesce(s.sets, 0), coalesce(s.reps, 0),
        coalesce(t.gross, 0), coalesce(t.net, 0), coalesce(r.metres, 0), coalesce(e.steps, round(r.steps)::integer),
        e.steps IS NULL AND r.steps IS NOT NULL, w.kilograms, e.resting_pulse, t.average_pulse, t.maximum_pulse
    FROM by_training t FULL JOIN by_set s USING (on_day) FULL JOIN by_session r USING (on_day) FULL JOIN entered e USING (on_day)
        FULL JOIN weighed w USING (on_day)
    ORDER BY on_day;
END $$;
