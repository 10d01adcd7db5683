-- Reminders (C-8): settings, addresses, and the outbox.

-- An account without a row has the defaults. A choice is `kind/channel`.
CREATE TABLE reminder_settings (
    account_id     bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    choices        text[] NOT NULL,
    leads          integer[] NOT NULL CHECK (cardinality(leads) <= 5),
    unread_minutes integer NOT NULL CHECK (unread_minutes BETWEEN 1 AND 1440),
    hides_text     boolean NOT NULL
);

-- An account has at most one mail address and one phone number, and any number of browsers.
CREATE TABLE reminder_addresses (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    channel      text NOT NULL CHECK (channel IN ('push', 'email', 'text')),
    -- A mail address, a phone number, or a browser's endpoint at its push service.
    address      text NOT NULL CHECK (octet_length(address) <= 1024),
    -- The address in one spelling: limits count by it.
    address_key  text NOT NULL,
    state        text NOT NULL CHECK (state IN ('unconfirmed', 'on', 'dead')),
    reason       text,
    -- Of a browser: its public key, its secret, and its name.
    public_key   bytea,
    secret       bytea,
    client       text,
    -- Of an unconfirmed address: the digest of the code that was sent last, its expiry, and the number of wrong guesses.
    code_hash    bytea,
    code_until   timestamptz,
    code_tries   integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    -- Of a browser: the token of the sign-in that subscribed. A signed-out browser gets no more reminders.
    token_id     bigint REFERENCES tokens ON DELETE CASCADE,
    CHECK ((channel = 'push') = (public_key IS NOT NULL AND secret IS NOT NULL))
);
COMMENT ON TABLE reminder_addresses IS 'grant: a browser, mail address or number that gets reminders with text of messages';
CREATE UNIQUE INDEX reminder_addresses_one ON reminder_addresses (account_id, channel) WHERE channel <> 'push';
-- A browser belongs to one account.
CREATE UNIQUE INDEX reminder_addresses_browser ON reminder_addresses (address) WHERE channel = 'push';
CREATE INDEX reminder_addresses_key ON reminder_addresses (channel, address_key);
CREATE INDEX reminder_addresses_of_account ON reminder_addresses (account_id);
CREATE INDEX reminder_addresses_token ON reminder_addresses (token_id) WHERE token_id IS NOT NULL;

-- Codes that were requested within a day, by which requests are limited.
CREATE TABLE reminder_codes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    channel     text NOT NULL,
    address_key text NOT NULL,
    at          timestamptz NOT NULL
);
CREATE INDEX reminder_codes_of_account ON reminder_codes (account_id, at);
CREATE INDEX reminder_codes_to ON reminder_codes (channel, address_key, at);

-- The outbox. `sending` is committed before anything is sent.
CREATE TABLE reminders (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('event', 'message', 'notice', 'goal', 'code', 'trial')),
    channel    text NOT NULL CHECK (channel IN ('push', 'email', 'text')),
    -- NULL when the address was removed: the row stays, so that the reminder is not created again.
    address_id bigint REFERENCES reminder_addresses ON DELETE SET NULL,
    -- Identifies the subject of the reminder. For a browser the address's id follows.
    dedupe     text NOT NULL CHECK (octet_length(dedupe) <= 200),
    payload    jsonb NOT NULL,
    -- Ignores quiet hours.
    is_urgent  boolean NOT NULL,
    due_at     timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'sent', 'dropped', 'failed', 'doubtful')),
    attempts   integer NOT NULL DEFAULT 0,
    -- Of a waiting reminder: the earliest time to send it. Of one in `sending`: until when its server owns it.
    next_at    timestamptz NOT NULL,
    node       text,
    error      text,
    sent_at    timestamptz,
    UNIQUE (account_id, channel, dedupe)
) WITH (fillfactor = 70);
-- In the order of sending: codes that somebody waits for, which their limits keep few; then emergencies; then reminders for many.
CREATE INDEX reminders_due ON reminders (channel, (CASE WHEN kind IN ('code', 'trial') THEN 0 WHEN is_urgent THEN 1 ELSE 2 END), next_at)
    WHERE state IN ('waiting', 'sending');
-- For upkeep, and for the daily limit of an address.
CREATE INDEX reminders_by_expiry ON reminders (expires_at) WHERE state NOT IN ('waiting', 'sending');
CREATE INDEX reminders_sent_to ON reminders (address_id, sent_at);

-- Secrets that all servers share. The first server that needs one creates it: `push`, a private key (RFC 5915), and `unsubscribe`.
CREATE TABLE reminder_keys (
    name  text PRIMARY KEY,
    value bytea NOT NULL
);
COMMENT ON TABLE reminder_keys IS 'no grant: keys of the server, of no account';

-- Progress of the planners: by time, or in the log of notices, where the entry after `through` is done for accounts up to `account_id`.
CREATE TABLE reminder_plans (
    name       text PRIMARY KEY,
    until      timestamptz NOT NULL,
    through    bigint NOT NULL DEFAULT 0,
    account_id bigint NOT NULL DEFAULT 0
);
INSERT INTO reminder_plans (name, until) VALUES ('events', 'epoch'), ('messages', 'epoch'), ('notices', 'epoch');
