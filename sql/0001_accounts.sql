-- People and what proves who they are (U-1, U-2, U-8, N-3, W-7).

CREATE TABLE accounts (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    username      text NOT NULL,
    -- Uniqueness ignores case: `Anna` and `anna` would be taken for one another.
    username_key  text NOT NULL UNIQUE,
    email         text NOT NULL,
    email_key     text NOT NULL UNIQUE,
    password_hash text NOT NULL,
    role          text NOT NULL DEFAULT 'student' CHECK (role IN ('student', 'lecturer', 'admin', 'rewards')),
    simulated     boolean NOT NULL DEFAULT false,
    created_at    timestamptz NOT NULL DEFAULT now()
);

-- One row a device. Only the SHA-256 of a token is kept: a stolen table signs nobody in.
CREATE TABLE tokens (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash         bytea NOT NULL UNIQUE,
    client       text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    revoked_at   timestamptz
);
CREATE INDEX tokens_of_account ON tokens (account_id);
-- Servers look for what another process revoked.
CREATE INDEX tokens_revoked ON tokens (revoked_at) WHERE revoked_at IS NOT NULL;
