-- Profile and settings of an account (U-3, N-3, C-2, C-6, W-1).

-- The account's picture. `buddy_profiles.picture_id` is kept equal to it by triggers, for servers of the previous release.
ALTER TABLE accounts ADD COLUMN picture_id uuid REFERENCES pictures ON DELETE SET NULL;
CREATE INDEX accounts_picture ON accounts (picture_id) WHERE picture_id IS NOT NULL;
UPDATE accounts a SET picture_id = b.picture_id FROM buddy_profiles b WHERE b.account_id = a.id AND b.picture_id IS NOT NULL;

-- What a person says about themselves. Each part may be missing; birthday and gender, which finding a buddy requires, come together with
-- both names and stay.
ALTER TABLE profiles
    ALTER COLUMN first_name DROP NOT NULL,
    ALTER COLUMN last_name DROP NOT NULL,
    ALTER COLUMN birthday DROP NOT NULL,
    ALTER COLUMN gender DROP NOT NULL,
    ADD COLUMN degree text CHECK (char_length(degree) BETWEEN 1 AND 80),
    -- Ids of kinds of workouts, as in `events.workout`.
    ADD COLUMN interests text[] NOT NULL DEFAULT '{}' CHECK (cardinality(interests) <= 12),
    -- Default place for what depends on a location. Only its owner gets it.
    ADD COLUMN home_lat double precision CHECK (home_lat BETWEEN -90 AND 90),
    ADD COLUMN home_lon double precision CHECK (home_lon BETWEEN -180 AND 180),
    ADD COLUMN home_name text CHECK (char_length(home_name) BETWEEN 1 AND 60),
    ADD CONSTRAINT profiles_for_buddies CHECK ((birthday IS NULL) = (gender IS NULL)
        AND (birthday IS NULL OR first_name IS NOT NULL AND last_name IS NOT NULL)),
    ADD CONSTRAINT profiles_home CHECK ((home_lat IS NULL) = (home_lon IS NULL) AND (home_lat IS NULL) = (home_name IS NULL));

-- Former user names. Nobody else can take one for `Accounts.usernameHeldDays`, so that nobody passes for the person who had it.
CREATE TABLE username_changes (
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- The name before the change, as in `accounts.username_key`.
    username_key text NOT NULL,
    changed_at   timestamptz NOT NULL
);
CREATE INDEX username_changes_of_account ON username_changes (account_id, changed_at);
CREATE INDEX username_changes_of_name ON username_changes (username_key, changed_at);
CREATE INDEX username_changes_by_age ON username_changes (changed_at);

-- Settings that apply on all devices of an account: a row for each that was ever changed.
CREATE TABLE account_settings (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name       text NOT NULL,
    value      text NOT NULL,
    -- Number of changes. A device thus recognises an older answer.
    version    bigint NOT NULL DEFAULT 1 CHECK (version > 0),
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, name),
    CHECK (CASE name
        WHEN 'theme' THEN value IN ('system', 'light', 'dark')
        WHEN 'units' THEN value IN ('auto', 'pace', 'kmh', 'ms')
        WHEN 'audience' THEN value IN ('private', 'campus', 'public')
        WHEN 'location' THEN value IN ('on', 'off')
        ELSE false END)
);
