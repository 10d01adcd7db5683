-- Rules that hide the location of an account from everybody (B-4).

-- Secrets of accounts. The circles of an account's private zones and the sampling times of its shares are derived from its secret, which
-- never leaves the server. The version grows with each change of the account's rules, so that servers find changes.
CREATE SEQUENCE privacy_versions;
CREATE TABLE privacy_keys (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    key        bytea NOT NULL CHECK (octet_length(key) = 32),
    version    bigint NOT NULL DEFAULT nextval('privacy_versions'),
    changed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE privacy_keys IS 'no grant: hides private zones and never leaves the server';
CREATE INDEX privacy_keys_version ON privacy_keys (version);

-- Privacy settings. An account without a row has all of them off.
CREATE TABLE privacy_settings (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    heatmap    boolean NOT NULL DEFAULT false,
    visits     boolean NOT NULL DEFAULT false,
    searches   boolean NOT NULL DEFAULT false,
    residences boolean NOT NULL DEFAULT false
);

-- Private zones: the position that the owner set, and the grid cell from which the circle is derived. The circle itself is not stored. The
-- size `tiny` is for a campus, because the other sizes would hide most of it.
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
