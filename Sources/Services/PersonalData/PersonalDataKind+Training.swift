extension PersonalDataKind {
    /// Kinds of training. Heart rates are arrays with a number for each second, null without a sample.
    static let training: [PersonalDataKind] = [
        PersonalDataKind(
            name: "bodyData",
            sql: """
                SELECT height, conditions, goals, last_period, last_period_skip, resting_pulse, maximum_pulse, confirmed_at
                FROM body_data WHERE account_id = $1
                """, tables: ["body_data"]),
        PersonalDataKind(
            name: "weights", sql: "SELECT day, kilograms FROM body_weights WHERE account_id = $1 ORDER BY day",
            tables: ["body_weights"], erase: "body.removeWeight"),
        PersonalDataKind(
            name: "injuries",
            sql:
                "SELECT id, type, area, from_day, until_day, note FROM injuries WHERE account_id = $1 ORDER BY from_day, id",
            tables: ["injuries"], erase: "body.removeInjury"),
        PersonalDataKind(
            name: "workouts",
            sql: """
                SELECT w.id, w.revision, w.plan, CASE WHEN NOT is_blocked($1, f.id) THEN f.username END AS from,
                    w.scheduled_at, w.event_id AS event, w.created_at, w.changed_at
                FROM workouts w LEFT JOIN accounts f ON f.id = w.from_id WHERE w.account_id = $1 ORDER BY w.created_at, w.id
                """, tables: ["workouts"], erase: "workouts.remove"),
        PersonalDataKind(
            name: "trainings",
            sql: """
                SELECT t.id, t.workout_id AS workout, t.together_id AS together, t.plan, t.started_at, t.ended_at, t.ended_by_server,
                    t.pauses, t.note,
                    t.active_seconds, t.body, t.gross, t.net, t.calorie_method, t.pulse_average, t.pulse_minimum,
                    t.pulse_maximum, t.pulse_zones, t.device,
                    (SELECT json_agg(json_build_object('id', s.id, 'state', s.state, 'reps', s.reps, 'kilograms', s.kilograms,
                        'seconds', s.seconds, 'metres', s.metres, 'at', s.at) ORDER BY s.id)
                        FROM training_sets s WHERE s.account_id = t.account_id AND s.training_id = t.id) AS sets,
                    (SELECT json_agg(json_build_object('from', to_timestamp(p.starts_at), 'bpm',
                        (SELECT json_agg(nullif(get_byte(p.samples, n), 0) + 19 ORDER BY n) FROM generate_series(0, 599) n))
                        ORDER BY p.starts_at)
                        FROM training_pulses p WHERE p.account_id = t.account_id AND p.training_id = t.id) AS pulse
                FROM trainings t WHERE t.account_id = $1 ORDER BY t.started_at, t.id
                """, tables: ["trainings", "training_sets", "training_pulses"], erase: "training.remove"),
        PersonalDataKind(
            name: "insightSettings",
            sql: """
                SELECT time_zone, day_steps, day_calories, week_trainings, week_minutes FROM insight_settings WHERE account_id = $1
                """, tables: ["insight_settings"], erase: "insights.saveGoals"),
        PersonalDataKind(
            name: "insightDays",
            sql: "SELECT day, steps, resting_pulse FROM insight_days WHERE account_id = $1 ORDER BY day",
            tables: ["insight_days"]),
    ]
}
