-- Changes of accounts that their owners learn of, and that are limited (U-2, U-3, U-8).

ALTER TABLE account_mails
    -- For `password_changed` the issuers of the identities that the change disconnected.
    ADD COLUMN ended_issuers text[] NOT NULL DEFAULT '{}';
