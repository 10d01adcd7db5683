-- Passkeys, and second factors of a sign-in (U-2, T-6).
--
-- A passkey signs in by itself. Codes of an authenticator app (TOTP, RFC 6238) and recovery codes are second factors: a sign-in by
-- password needs one if the account has TOTP, and if it is an admin's and has a passkey.

ALTER TABLE accounts
    -- Whether the account has passkeys, and TOTP. Triggers keep both.
    ADD COLUMN has_passkey boolean NOT NULL DEFAULT false,
    ADD COLUMN has_totp boolean NOT NULL DEFAULT false;

-- The public halves of passkeys (WebAuthn).
CREATE TABLE passkeys (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id         bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- As the authenticator chose it.
    credential_id      bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    -- COSE number: ES256, EdDSA, RS256.
    algorithm          smallint NOT NULL CHECK (algorithm IN (-7, -8, -257)),
    -- As libfido2 has it in memory.
    public_key         bytea NOT NULL CHECK (octet_length(public_key) <= 1024),
    -- Number of signatures, by the authenticator; 0 if it does not count.
    sign_count         bigint NOT NULL,
    is_backup_eligible boolean NOT NULL,
    is_backed_up       boolean NOT NULL,
    name               text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 40),
    created_at         timestamptz NOT NULL DEFAULT now(),
    last_used_at       timestamptz,
    -- Time at which the counter went back: somebody may have a copy. The passkey works no more.
    stopped_at         timestamptz
);
COMMENT ON TABLE passkeys IS 'no grant: credentials like the password, which their owner lists and removes';
CREATE INDEX passkeys_of_account ON passkeys (account_id, id);

-- Challenges that were used, by the SHA-256 of each, until they expire. Unused ones are not stored: they are authenticated by a key.
CREATE TABLE used_challenges (
    digest     bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE used_challenges IS 'no grant: challenges that work no more';
CREATE INDEX used_challenges_by_expiry ON used_challenges (expires_at);

-- Secrets of authenticator apps.
CREATE TABLE totp_secrets (
    account_id   bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    secret       bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    -- NULL until the owner has entered a code; then the secret is no second factor yet.
    confirmed_at timestamptz,
    -- Device that makes it; NULL once it is confirmed.
    token_id     bigint REFERENCES tokens ON DELETE SET NULL,
    -- Number of first codes that were tried.
    tries        integer NOT NULL DEFAULT 0,
    -- Latest step whose code was used. A code works once.
    last_step    bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE totp_secrets IS 'no grant: second factors, which sign nobody in without a first one';

-- Codes for the loss of the other second factors, by the SHA-256 of each.
CREATE TABLE recovery_codes (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash       bytea NOT NULL,
    used_at    timestamptz,
    PRIMARY KEY (account_id, hash)
);
COMMENT ON TABLE recovery_codes IS 'no grant: second factors, which sign nobody in without a first one';

-- Sign-ins that wait for their second factor, by the SHA-256 of their ticket.
CREATE TABLE pending_sign_ins (
    hash       bytea PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Number of second factors that were tried.
    tries      integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE pending_sign_ins IS 'grant: a first factor that was proved';
CREATE INDEX pending_sign_ins_of_account ON pending_sign_ins (account_id);
CREATE INDEX pending_sign_ins_by_expiry ON pending_sign_ins (expires_at);

-- Codes that were tried at sign-ins of an account, over all servers.
CREATE TABLE factor_guesses (
    account_id    bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    -- Since the last right one, or the last day without any; the wait depends on it.
    failures      integer NOT NULL,
    last_at       timestamptz NOT NULL,
    -- Since the last right one.
    since_success integer NOT NULL DEFAULT 0,
    -- Time of the last mail about guesses to the owner.
    noted_at      timestamptz
);
