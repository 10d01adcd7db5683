-- Training (C-2, C-3, C-5, W-1, W-2, W-6): body data, exercises, workouts, trainings and personal analytics.
--
-- Clients choose the UUIDs. They are unique within an account, so that no request can find out whether another account has one.

-- Body data. Only its owner gets it.
CREATE TABLE body_data (
    account_id        bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    height            double precision CHECK (height BETWEEN 50 AND 250),
    conditions        text[] NOT NULL DEFAULT '{}' CHECK (cardinality(conditions) <= 50),
    goals             text[] NOT NULL DEFAULT '{}' CHECK (cardinality(goals) <= 3),
    -- First day of the last period, or the reason to skip it.
    last_period       date,
    last_period_skip  text,
    resting_pulse     integer CHECK (resting_pulse BETWEEN 25 AND 120),
    maximum_pulse     integer CHECK (maximum_pulse BETWEEN 100 AND 240),
    -- When the person last saved or confirmed the data.
    confirmed_at      timestamptz,
    CHECK (last_period IS NULL OR last_period_skip IS NULL)
);

CREATE TABLE body_weights (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    day        date NOT NULL,
    kilograms  double precision NOT NULL CHECK (kilograms BETWEEN 20 AND 400),
    PRIMARY KEY (account_id, day)
);

CREATE TABLE injuries (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    id         uuid NOT NULL,
    type       text NOT NULL,
    area       text NOT NULL,
    from_day   date NOT NULL,
    until_day  date,
    note       text CHECK (char_length(note) <= 200),
    PRIMARY KEY (account_id, id),
    CHECK (until_day >= from_day)
);

-- Imported exercises. The catalogue of Campanile itself is part of the program.
CREATE TABLE exercises (
    id       text PRIMARY KEY CHECK (char_length(id) <= 120),
    source   text NOT NULL CHECK (source <> 'campanile'),
    -- The exercise as in `exercises.get`.
    exercise jsonb NOT NULL
);
CREATE INDEX exercises_of_source ON exercises (source);

-- Sources of imported exercises. Servers load the catalogue again when the sum of the versions has grown.
CREATE TABLE exercise_imports (
    source      text PRIMARY KEY,
    version     bigint NOT NULL,
    imported_at timestamptz NOT NULL
);

CREATE TABLE workouts (
    account_id        bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    id                uuid NOT NULL,
    -- Counts changes of the plan.
    revision          integer NOT NULL,
    plan              jsonb NOT NULL,
    -- Buddy who shared it.
    from_id           bigint REFERENCES accounts ON DELETE SET NULL,
    -- Workout of that buddy, and its revision.
    original_id       uuid,
    original_revision integer,
    scheduled_at      timestamptz,
    event_id          bigint REFERENCES events ON DELETE SET NULL,
    created_at        timestamptz NOT NULL,
    changed_at        timestamptz NOT NULL,
    -- When it was last changed, scheduled or trained. Lists are in this order; it is unique within the account.
    used_at           timestamptz NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX workouts_in_order ON workouts (account_id, used_at);
CREATE UNIQUE INDEX workouts_shared ON workouts (account_id, from_id, original_id, original_revision) WHERE from_id IS NOT NULL;
CREATE INDEX workouts_of_sharer ON workouts (from_id) WHERE from_id IS NOT NULL;
CREATE INDEX workouts_of_event ON workouts (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX workouts_scheduled ON workouts (scheduled_at) WHERE scheduled_at IS NOT NULL;

CREATE TABLE trainings (
    account_id     bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    id             uuid NOT NULL,
    workout_id     uuid,
    -- Live group that it belongs to.
    together_id    uuid,
    -- The plan at the start.
    plan           jsonb NOT NULL,
    started_at     timestamptz NOT NULL,
    -- NULL until it ends.
    ended_at       timestamptz CHECK (ended_at >= started_at),
    -- Device that controls it, and the number of takeovers.
    device         uuid NOT NULL,
    generation     integer NOT NULL,
    -- Array of objects with `from` and `until`, in milliseconds since 1970.
    pauses         jsonb NOT NULL DEFAULT '[]',
    note           text CHECK (char_length(note) <= 1000),
    -- Seconds without pauses; NULL until it ends.
    active_seconds double precision,
    -- Body data that the calories are computed with: `kilograms`, `height`, `age`, `gender`, `restingPulse`, `maximumPulse`.
    body           jsonb,
    gross          integer,
    net            integer,
    calorie_method text,
    error_percent  integer,
    pulse_average  integer,
    pulse_minimum  integer,
    pulse_maximum  integer,
    pulse_zones    double precision[],
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, workout_id) REFERENCES workouts (account_id, id) ON DELETE SET NULL (workout_id)
);
CREATE INDEX trainings_in_order ON trainings (account_id, started_at);
CREATE INDEX trainings_of_workout ON trainings (account_id, workout_id, started_at) WHERE workout_id IS NOT NULL;
CREATE INDEX trainings_open ON trainings (account_id, started_at) WHERE ended_at IS NULL;
CREATE INDEX trainings_together ON trainings (together_id) WHERE together_id IS NOT NULL;

CREATE TABLE training_sets (
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    training_id uuid NOT NULL,
    id          text NOT NULL CHECK (char_length(id) <= 80),
    entry       uuid NOT NULL,
    position    integer NOT NULL,
    state       text NOT NULL CHECK (state IN ('planned', 'done', 'skipped', 'removed')),
    reps        integer,
    kilograms   double precision,
    seconds     double precision,
    metres      double precision,
    -- Time of the latest change, by the clock of its device, at most the time of its receipt.
    at          timestamptz NOT NULL,
    -- Times of changes that were in the future at their receipt. A change with such a time that is sent again is ignored.
    claims      timestamptz[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, training_id, id),
    FOREIGN KEY (account_id, training_id) REFERENCES trainings ON DELETE CASCADE
) WITH (fillfactor = 80);

-- Heart rates, one row for ten minutes.
CREATE TABLE training_pulses (
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    training_id uuid NOT NULL,
    -- Seconds since 1970 of the first byte.
    starts_at   bigint NOT NULL,
    -- One byte for each second: beats per minute minus 19, or 0 without a sample.
    samples     bytea NOT NULL CHECK (octet_length(samples) = 600),
    PRIMARY KEY (account_id, training_id, starts_at),
    FOREIGN KEY (account_id, training_id) REFERENCES trainings ON DELETE CASCADE
);
COMMENT ON TABLE training_pulses IS 'no grant: heart rates';

-- Removed workouts and trainings, so that a request that is sent again does not bring one back. Upkeep removes old rows.
CREATE TABLE training_removals (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('workout', 'training')),
    id         uuid NOT NULL,
    removed_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, kind, id)
);
CREATE INDEX training_removals_by_time ON training_removals (removed_at);

-- Settings of personal analytics: goals, and the time zone of the device that last opened them.
CREATE TABLE insight_settings (
    account_id     bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    time_zone      text NOT NULL DEFAULT 'UTC' CHECK (char_length(time_zone) <= 64),
    day_steps      integer,
    day_calories   integer,
    week_trainings integer,
    week_minutes   integer
);

-- Entered figures of days.
CREATE TABLE insight_days (
    account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    day           date NOT NULL,
    steps         integer CHECK (steps BETWEEN 0 AND 200000),
    resting_pulse integer CHECK (resting_pulse BETWEEN 25 AND 120),
    PRIMARY KEY (account_id, day)
);
