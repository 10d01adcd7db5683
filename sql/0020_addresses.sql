-- Confirmation of email addresses (T-1).
--
-- An account that registers at a server that sends mail is provisional: it must confirm its address before `confirm_by`, and until then it
-- can neither see nor use what is for the campus. Provisional accounts do not own their address: several may be registered with the same one, also with one
-- that another account owns. Registration thus does not disclose which addresses have accounts, and nobody can occupy the address of
-- somebody else (account pre-hijacking, arXiv 2205.10174).

ALTER TABLE accounts
    -- Time at which the owner proved to read mail to the address. NULL for accounts from before, and for those that register at a server
    -- that sends no mail.
    ADD COLUMN email_confirmed_at timestamptz,
    -- Time at which a provisional account is removed; NULL for all other accounts.
    ADD COLUMN confirm_by timestamptz,
    ADD CONSTRAINT accounts_provisional CHECK (email_confirmed_at IS NULL OR confirm_by IS NULL),
    DROP CONSTRAINT accounts_email_key_key;
CREATE UNIQUE INDEX accounts_address ON accounts (email_key) WHERE confirm_by IS NULL;
CREATE INDEX accounts_provisional_address ON accounts (email_key, id) WHERE confirm_by IS NOT NULL;
CREATE INDEX accounts_confirm_by ON accounts (confirm_by) WHERE confirm_by IS NOT NULL;

-- Addresses that wait for their confirmation: that of the account, or one that will replace it. Only hashes of the link's token and of the
-- code are stored; a new mail replaces both.
CREATE TABLE address_confirmations (
    account_id  bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    address     text NOT NULL CHECK (octet_length(address) <= 1024),
    address_key text NOT NULL,
    -- NULL until a mail is sent.
    link_hash   bytea,
    code_hash   bytea,
    -- Number of codes that were tried.
    tries       integer NOT NULL DEFAULT 0,
    expires_at  timestamptz
);
COMMENT ON TABLE address_confirmations IS 'grant: an address that may replace that of the account';

-- Mails with a code that were requested within the last day, by the SHA-256 of the address. They are counted for an address beyond the
-- deletion of the accounts that requested them.
CREATE TABLE address_mails (
    address_digest bytea NOT NULL,
    requested_at   timestamptz NOT NULL
);
CREATE INDEX address_mails_to ON address_mails (address_digest, requested_at);
CREATE INDEX address_mails_by_age ON address_mails (requested_at);

ALTER TABLE account_mails
    DROP CONSTRAINT account_mails_kind_check,
    -- `confirm`: a link and a code for an address that waits for its confirmation; `address` is its comparison key.
    -- `address_changed`: another address has replaced `address`.
    ADD CONSTRAINT account_mails_kind_check CHECK (kind IN ('reset', 'password_changed', 'confirm', 'address_changed'));
