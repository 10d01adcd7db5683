-- Reminders (C-8): settings, addresses, and the outbox.

-- Reminder settings. An account without a row has the defaults. A choice has the form `kind/channel`.
CREATE TABLE reminder_settings (
    account_id     bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    choices        text[] NOT NULL,
    leads          integer[] NOT NULL CHECK (cardinality(leads) <= 5),
    unread_minutes integer NOT NULL CHECK (unread_minutes BETWEEN 1 AND 1440),
    hides_text     boolean NOT NULL
);

-- Addresses for reminders. An account has at most one mail address, at most one phone number, and any number of browsers.
CREATE TABLE reminder_addresses (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    channel      text NOT NULL CHECK (channel IN ('push', 'email', 'text')),
    -- A mail address, a phone number, or a browser's endpoint at its push service.
    address      text NOT NULL CHECK (octet_length(address) <= 1024),
    -- The address in a uniform spelling. Limits count by it.
    address_key  text NOT NULL,
    state        text NOT NULL CHECK (state IN ('unconfirmed', 'on', 'dead')),
    reason       text,
    -- For a browser: its public key, its secret, and its name.
    public_key   bytea,
    secret       bytea,
    client       text,
    -- For an unconfirmed address: the digest of the latest code, the expiry of that code, and the number of wrong guesses.
    code_hash    bytea,
    code_until   timestamptz,
    code_tries   integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    -- For a browser: the token of the sign-in that subscribed. A signed-out browser gets no more reminders.
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

-- Codes that were requested within the last day. Requests for codes are limited by their number.
CREATE TABLE reminder_codes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    channel     text NOT NULL,
    address_key text NOT NULL,
    at          timestamptz NOT NULL
);
CREATE INDEX reminder_codes_of_account ON reminder_codes (account_id, at);
CREATE INDEX reminder_codes_to ON reminder_codes (channel, address_key, at);

-- Outbox of reminders. The server commits the state `sending` before it sends anything.
CREATE TABLE reminders (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('event', 'message', 'notice', 'goal', 'code', 'trial')),
    channel    text NOT NULL CHECK (channel IN ('push', 'email', 'text')),
    -- NULL after the address was removed. The row stays, so that the reminder is not created again.
    address_id bigint REFERENCES reminder_addresses ON DELETE SET NULL,
    -- Key of the reminder's subject. For a browser, the id of the address follows.
    dedupe     text NOT NULL CHECK (octet_length(dedupe) <= 200),
    payload    jsonb NOT NULL,
    -- Whether the reminder ignores quiet hours.
    is_urgent  boolean NOT NULL,
    due_at     timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'sent', 'dropped', 'failed', 'doubtful')),
    attempts   integer NOT NULL DEFAULT 0,
    -- For a waiting reminder: the earliest time to send it. For one in `sending`: the time until which its server owns it.
    next_at    timestamptz NOT NULL,
    node       text,
    error      text,
    sent_at    timestamptz,
    UNIQUE (account_id, channel, dedupe)
) WITH (fillfactor = 70);
-- Due reminders in the order of sending. First come codes, because a person is waiting for each, and their limits keep them few.
-- Emergencies are next, then reminders for many accounts.
CREATE INDEX reminders_due ON reminders (channel, (CASE WHEN kind IN ('code', 'trial') THEN 0 WHEN is_urgent THEN 1 ELSE 2 END), next_at)
    WHERE state IN ('waiting', 'sending');
-- For upkeep, and for the daily limit of an address.
CREATE INDEX reminders_by_expiry ON reminders (expires_at) WHERE state NOT IN ('waiting', 'sending');
CREATE INDEX reminders_sent_to ON reminders (address_id, sent_at);

-- Secrets that all servers share: `push`, a private key (RFC 5915), and `unsubscribe`. The first server that needs a secret creates it.
CREATE TABLE reminder_keys (
    name  text PRIMARY KEY,
    value bytea NOT NULL
);
COMMENT ON TABLE reminder_keys IS 'no grant: keys of the server, of no account';

-- Progress of the planners. A planner proceeds by time, or by offset in the log of notices. There the entry after `through` is done for
-- accounts up to `account_id`.
CREATE TABLE reminder_plans (
    name       text PRIMARY KEY,
    until      timestamptz NOT NULL,
    through    bigint NOT NULL DEFAULT 0,
    account_id bigint NOT NULL DEFAULT 0
);
INSERT INTO reminder_plans (name, until) VALUES ('events', 'epoch'), ('messages', 'epoch'), ('notices', 'epoch');
