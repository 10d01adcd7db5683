-- Devices (C-6): what a signed-in device is, tokens that rotate, and a mail about a log-in on a new one.

ALTER TABLE tokens
    -- What the device is, such as `Firefox on Android`, by its own account.
    ADD COLUMN platform text CHECK (char_length(platform) <= 80),
    -- Network address of the latest use.
    ADD COLUMN address text CHECK (octet_length(address) <= 64),
    -- Hash of the token that replaces this one as soon as the device uses it, and the time of its issue.
    ADD COLUMN next_hash bytea UNIQUE,
    ADD COLUMN next_at timestamptz,
    -- Hash of the token before `hash`. It is accepted for a moment, and then shows that somebody has a copy.
    ADD COLUMN previous_hash bytea UNIQUE,
    -- Time since which `hash` is that of the token in use.
    ADD COLUMN hash_at timestamptz NOT NULL DEFAULT now();

ALTER TABLE account_mails
    -- For `new_device` the network address of the log-in.
    ADD COLUMN network_address text,
    -- The kinds are those of the server's program. For `new_device` `client` is what the device is.
    DROP CONSTRAINT account_mails_kind_check,
    ADD CONSTRAINT account_mails_kind_check CHECK (kind ~ '^[a-z_]{1,40}$');
