-- Accounts and their credentials (U-1, U-2, U-8, N-3, W-7).
--
-- A grant is a row that gives access to an account, or to data of the account, without a fresh sign-in. Each table with a token, a hash, a
-- secret or other bytes has a table comment that says whether its rows are grants. account_revoke_grants() revokes the rows of a table with
-- `grant: …`. A comment `no grant: …` gives the reason why nothing is revoked. A test reads these comments, tries each grant and fails for
-- a table without one.

CREATE TABLE accounts (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    username           text NOT NULL,
    -- Name for comparisons. Uniqueness ignores case, because people would take `Anna` and `anna` for the same person.
    username_key       text NOT NULL UNIQUE,
    email              text NOT NULL,
    email_key          text NOT NULL UNIQUE,
    password_hash      text NOT NULL,
    role               text NOT NULL DEFAULT 'student' CHECK (role IN ('student', 'lecturer', 'admin', 'rewards')),
    simulated          boolean NOT NULL DEFAULT false,
    created_at         timestamptz NOT NULL DEFAULT now(),
    disabled_at        timestamptz,
    disabled_reason    text CHECK (char_length(disabled_reason) <= 500),
    -- Time at which the erasure of the account began. Any server that finds such an account continues the erasure.
    erasing_at         timestamptz,
    -- Whether the owner of the account erases it. The erasure then removes the account's names from the audit log as well.
    is_erased_by_owner boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE accounts IS 'no grant: the password itself';
-- Buddy suggestions leave out disabled accounts.
CREATE INDEX accounts_disabled ON accounts (id) WHERE disabled_at IS NOT NULL;
CREATE INDEX accounts_erasing ON accounts (id) WHERE erasing_at IS NOT NULL;

-- Signed-in devices, one row for each. Only the SHA-256 of a token is stored, so a stolen table does not allow anybody to sign in.
CREATE TABLE tokens (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash         bytea NOT NULL UNIQUE,
    client       text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    revoked_at   timestamptz
);
COMMENT ON TABLE tokens IS 'grant: a signed-in device';
CREATE INDEX tokens_of_account ON tokens (account_id);
-- Servers poll for tokens that another process has revoked.
CREATE INDEX tokens_revoked ON tokens (revoked_at) WHERE revoked_at IS NOT NULL;

-- Links for setting the first password. Only the SHA-256 of a link's token is stored. Using the link deletes the row. An expired row means
-- that nobody has set a password yet.
CREATE TABLE welcomes (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL,
    -- Admin who made the link. The row is a grant of that account as well, because a thief of the admin's sign-in may have made the link.
    made_by    bigint REFERENCES accounts ON DELETE SET NULL
);
COMMENT ON TABLE welcomes IS 'grant: a link that sets the password';
CREATE INDEX welcomes_made_by ON welcomes (made_by) WHERE made_by IS NOT NULL;

-- Devices on which the account signed in before (OWASP device cookies). Wrong passwords from elsewhere do not delay a sign-in on such a
-- device. Only the SHA-256 of the device's token is stored.
CREATE TABLE known_devices (
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash         bytea NOT NULL,
    last_used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, hash)
);
COMMENT ON TABLE known_devices IS 'grant: a device with its own limit for wrong passwords';
