-- Sign-in by providers of OpenID Connect (C-1).

ALTER TABLE accounts
    -- NULL for an account that signs in by a provider and has set no password.
    ALTER COLUMN password_hash DROP NOT NULL;

-- Identities at providers that sign in to accounts.
CREATE TABLE provider_identities (
    issuer       text NOT NULL CHECK (octet_length(issuer) <= 2048),
    -- Number or name that the issuer gives to this person alone.
    subject      text NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 255),
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Comparison key of the address that the provider had verified of the person; NULL if it had verified none.
    verified_key text CHECK (octet_length(verified_key) <= 1024),
    connected_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    CONSTRAINT provider_identities_of_account UNIQUE (account_id, issuer)
);
COMMENT ON TABLE provider_identities IS 'grant: an identity at a provider that signs in';

-- Browsers that are at a provider. Only hashes of secrets are stored. Nonce and code verifier follow from the state, which the browser
-- brings, and a secret of the servers.
CREATE TABLE openid_attempts (
    state_hash  bytea PRIMARY KEY,
    -- Name of the provider in the operator's settings.
    provider    text NOT NULL CHECK (octet_length(provider) <= 20),
    -- SHA-256 of a secret of the page that began the attempt.
    secret_hash bytea NOT NULL,
    expires_at  timestamptz NOT NULL
);
CREATE INDEX openid_attempts_by_expiry ON openid_attempts (expires_at);

-- Identities that a provider has just proved. The page that began the attempt redeems the ticket, once.
CREATE TABLE openid_tickets (
    hash        bytea PRIMARY KEY,
    secret_hash bytea NOT NULL,
    provider    text NOT NULL CHECK (octet_length(provider) <= 20),
    issuer      text NOT NULL CHECK (octet_length(issuer) <= 2048),
    subject     text NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 255),
    email       text CHECK (octet_length(email) <= 1024),
    is_verified boolean NOT NULL,
    -- Suggestion for a user name.
    username    text CHECK (char_length(username) <= 20),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX openid_tickets_by_expiry ON openid_tickets (expires_at);
