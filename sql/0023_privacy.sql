-- Where people live, and what of somebody's whereabouts is shown to nobody (B-4).

ALTER TABLE buildings ADD COLUMN residence boolean NOT NULL DEFAULT false;
ALTER TABLE zones ADD COLUMN residence boolean NOT NULL DEFAULT false;

-- An account's secret, of which the circles of its private zones and the times of its shares' looks are made; it never leaves the server.
-- The version grows with whatever changes in the account's rules, so that servers find what they have not heard of.
CREATE SEQUENCE privacy_versions;
CREATE TABLE privacy_keys (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    key        bytea NOT NULL CHECK (octet_length(key) = 32),
    version    bigint NOT NULL DEFAULT nextval('privacy_versions'),
    changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX privacy_keys_version ON privacy_keys (version);

-- Whoever has none has all of them off.
CREATE TABLE privacy_settings (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    heatmap    boolean NOT NULL DEFAULT false,
    visits     boolean NOT NULL DEFAULT false,
    searches   boolean NOT NULL DEFAULT false,
    residences boolean NOT NULL DEFAULT false
);

-- The place as its owner set it, and the square of the ground that the circle is made from; the circle itself is stored nowhere.
CREATE TABLE private_zones (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id     uuid NOT NULL,
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    lat           double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lon           double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    size          text NOT NULL CHECK (size IN ('small', 'medium', 'large')),
    anchor_row    bigint NOT NULL,
    anchor_column bigint NOT NULL,
    UNIQUE (account_id, client_id)
);

-- The account's key, made when it is first needed, and the rules with it, as one picture: a row for each zone, or one without.
-- Nothing for an account that is gone.
CREATE FUNCTION privacy_key(account bigint, fresh bytea) RETURNS void LANGUAGE sql AS $$
    INSERT INTO privacy_keys (account_id, key) SELECT id, fresh FROM accounts WHERE id = account
    ON CONFLICT DO NOTHING
$$;
CREATE FUNCTION privacy_rules(account bigint)
RETURNS TABLE (key bytea, version bigint, residences boolean, zone bigint, size text, anchor_row bigint, anchor_column bigint)
LANGUAGE sql STABLE AS $$
    SELECT k.key, k.version, coalesce(s.residences, false), z.id, z.size, z.anchor_row, z.anchor_column
    FROM privacy_keys k LEFT JOIN privacy_settings s USING (account_id) LEFT JOIN private_zones z USING (account_id)
    WHERE k.account_id = account
$$;

-- When others hear that a session has ended whose owner was in the dark then: how long somebody walked on is as good as how far.
ALTER TABLE sessions ADD COLUMN end_told_at timestamptz;
