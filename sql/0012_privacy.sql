-- Rules by which locations are hidden from everybody (B-4).

-- The secret of an account: the circles of its private zones and the sampling times of its shares are derived from it. It never leaves the
-- server. The version grows with each change of the account's rules, so that servers find changes.
CREATE SEQUENCE privacy_versions;
CREATE TABLE privacy_keys (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    key        bytea NOT NULL CHECK (octet_length(key) = 32),
    version    bigint NOT NULL DEFAULT nextval('privacy_versions'),
    changed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE privacy_keys IS 'no grant: hides private zones and never leaves the server';
CREATE INDEX privacy_keys_version ON privacy_keys (version);

-- An account without a row has all of them off.
CREATE TABLE privacy_settings (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    heatmap    boolean NOT NULL DEFAULT false,
    visits     boolean NOT NULL DEFAULT false,
    searches   boolean NOT NULL DEFAULT false,
    residences boolean NOT NULL DEFAULT false
);

-- The position that the owner set, and the grid cell that the circle is derived from. The circle itself is stored nowhere. `tiny` fits a
-- campus, most of which the other sizes would hide.
CREATE TABLE private_zones (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id     uuid NOT NULL,
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    lat           double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lon           double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    size          text NOT NULL CHECK (size IN ('tiny', 'small', 'medium', 'large')),
    anchor_row    bigint NOT NULL,
    anchor_column bigint NOT NULL,
    UNIQUE (account_id, client_id)
);
