-- Changes of accounts that their owners learn of, and that are limited (U-2, U-3, U-8).

ALTER TABLE account_mails
    -- For `password_changed` the issuers of the identities that the change disconnected.
    ADD COLUMN ended_issuers text[] NOT NULL DEFAULT '{}';

-- Changes by owners within a day, whose number is limited.
CREATE TABLE account_changes (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('username', 'names', 'address')),
    changed_at timestamptz NOT NULL
);
CREATE INDEX account_changes_of_account ON account_changes (account_id, kind, changed_at);
-- For upkeep.
CREATE INDEX account_changes_by_age ON account_changes (changed_at);
