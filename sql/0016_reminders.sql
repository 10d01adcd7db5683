-- Reminders (C-8): what people are reminded of, where, and what is still to be sent.

-- What one chose; no row is the defaults. A choice is `kind/channel`.
CREATE TABLE reminder_settings (
    account_id     bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    choices        text[] NOT NULL,
    leads          integer[] NOT NULL CHECK (cardinality(leads) <= 5),
    unread_minutes integer NOT NULL CHECK (unread_minutes BETWEEN 1 AND 1440),
    hides_text     boolean NOT NULL
);

CREATE FUNCTION reminder_choices_default() RETURNS text[] LANGUAGE sql IMMUTABLE AS
$$ SELECT ARRAY['event/push', 'event/email', 'message/push', 'notice/push', 'goal/push'] $$;
CREATE FUNCTION reminder_leads_default() RETURNS integer[] LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY[1440, 60] $$;

-- Where reminders go: one address of each kind, and any number of browsers.
CREATE TABLE reminder_addresses (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    channel      text NOT NULL CHECK (channel IN ('push', 'email', 'text')),
    -- A mail address, a number, or a browser's address at its push service.
    address      text NOT NULL CHECK (octet_length(address) <= 1024),
    -- The same in one spelling: limits go by it.
    address_key  text NOT NULL,
    state        text NOT NULL CHECK (state IN ('unconfirmed', 'on', 'dead')),
    reason       text,
    -- Of a browser: its public key and secret, and what it calls itself.
    public_key   bytea,
    secret       bytea,
    client       text,
    -- Of an address that is not confirmed: the digest of the code that was sent last, until when, and how often it was guessed at.
    code_hash    bytea,
    code_until   timestamptz,
    code_tries   integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    CHECK ((channel = 'push') = (public_key IS NOT NULL AND secret IS NOT NULL))
);
CREATE UNIQUE INDEX reminder_addresses_one ON reminder_addresses (account_id, channel) WHERE channel <> 'push';
-- A browser is one account's.
CREATE UNIQUE INDEX reminder_addresses_browser ON reminder_addresses (address) WHERE channel = 'push';
CREATE INDEX reminder_addresses_key ON reminder_addresses (channel, address_key);
CREATE INDEX reminder_addresses_of_account ON reminder_addresses (account_id);

-- Codes that were asked for, for a day: nobody is flooded with them.
CREATE TABLE reminder_codes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    channel     text NOT NULL,
    address_key text NOT NULL,
    at          timestamptz NOT NULL
);
CREATE INDEX reminder_codes_of_account ON reminder_codes (account_id, at);
CREATE INDEX reminder_codes_to ON reminder_codes (channel, address_key, at);

-- The outbox. `sending` is committed before anything is handed over.
CREATE TABLE reminders (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('event', 'message', 'notice', 'goal', 'code', 'trial')),
    channel    text NOT NULL CHECK (channel IN ('push', 'email', 'text')),
    -- Stays when the address goes, so that nothing is made twice; there is nobody to send it to then.
    address_id bigint REFERENCES reminder_addresses ON DELETE SET NULL,
    -- What it is about, once; of a browser with the address's number behind it.
    dedupe     text NOT NULL CHECK (octet_length(dedupe) <= 200),
    payload    jsonb NOT NULL,
    -- Passes quiet times.
    is_urgent  boolean NOT NULL,
    due_at     timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'sent', 'dropped', 'failed', 'doubtful')),
    attempts   integer NOT NULL DEFAULT 0,
    -- Of a waiting one: not before. Of one that is being sent: until when its server has it.
    next_at    timestamptz NOT NULL,
    node       text,
    error      text,
    sent_at    timestamptz,
    UNIQUE (account_id, channel, dedupe)
) WITH (fillfactor = 70);
CREATE INDEX reminders_due ON reminders (channel, (is_urgent OR kind IN ('code', 'trial')) DESC, next_at)
WHERE state IN ('waiting', 'sending');
-- What nobody needs any more, and what an address got within a day.
CREATE INDEX reminders_by_expiry ON reminders (expires_at) WHERE state NOT IN ('waiting', 'sending');
CREATE INDEX reminders_sent_to ON reminders (address_id, sent_at);

-- Secrets that all servers share, made by the first that needs them: `push`, a private key (RFC 5915), and `unsubscribe`.
CREATE TABLE reminder_keys (
    name  text PRIMARY KEY,
    value bytea NOT NULL
);

-- How far the planners have looked.
CREATE TABLE reminder_plans (
    name  text PRIMARY KEY,
    until timestamptz NOT NULL
);
INSERT INTO reminder_plans VALUES ('events', 'epoch'), ('messages', 'epoch');

-- Puts a reminder for each account, by each way that it chose and that leads somewhere, into the outbox, unless it was there before.
-- Gives how many are new.
CREATE FUNCTION reminder_add(
    accounts bigint[], of_kind text, key text, with_payload jsonb, urgent boolean, due timestamptz, expires timestamptz,
    channels text[])
RETURNS bigint LANGUAGE sql AS $$
    WITH added AS (
        INSERT INTO reminders (account_id, kind, channel, address_id, dedupe, payload, is_urgent, due_at, expires_at, next_at)
        SELECT a.account_id, of_kind, a.channel, a.id, key || CASE WHEN a.channel = 'push' THEN '/' || a.id ELSE '' END,
            with_payload, urgent, due, expires, due
        FROM unnest(accounts) wanted (id) JOIN reminder_addresses a ON a.account_id = wanted.id
        LEFT JOIN reminder_settings s ON s.account_id = a.account_id
        WHERE a.state = 'on' AND a.channel = ANY (channels)
            AND of_kind || '/' || a.channel = ANY (coalesce(s.choices, reminder_choices_default()))
        ON CONFLICT (account_id, channel, dedupe) DO NOTHING RETURNING 1)
    SELECT count(*) FROM added
$$;

-- Takes what is due of one channel for a server: committed before anything is sent. Of what another server had when it died, pushes
-- alone: they show as one.
CREATE FUNCTION reminder_claim(of_channel text, most bigint, at timestamptz, until timestamptz, by_node text)
RETURNS SETOF reminders LANGUAGE sql AS $$
    UPDATE reminders r SET state = 'sending', next_at = until, node = by_node, attempts = r.attempts + 1
    FROM (SELECT d.id FROM reminders d WHERE d.channel = of_channel AND d.state IN ('waiting', 'sending') AND d.next_at <= at
            AND (d.state = 'waiting' OR d.channel = 'push')
        -- Emergencies, and codes that somebody waits for, before what is for many.
        ORDER BY (d.is_urgent OR d.kind IN ('code', 'trial')) DESC, d.next_at LIMIT most FOR UPDATE SKIP LOCKED) due
    WHERE r.id = due.id RETURNING r.*
$$;

-- Reminders of events whose moment is between two times: for those who come or perhaps come, who said so before that moment. One planner
-- at a time; what two of them would make is one reminder all the same.
CREATE FUNCTION reminder_plan_events(at timestamptz, horizon timestamptz, oldest timestamptz, overlap interval, channels text[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    looked timestamptz;
    since timestamptz;
    moment record;
    made bigint := 0;
BEGIN
    SELECT p.until INTO looked FROM reminder_plans p WHERE p.name = 'events' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN 0; END IF;
    -- A clock that was set back must not look at the future twice as far, nor never again.
    since := greatest(least(looked, at) - overlap, oldest);
    FOR moment IN
        SELECT e.id, e.starts_at, l.lead, e.starts_at - make_interval(mins => l.lead) AS due
        FROM (SELECT unnest(reminder_leads_default()) AS lead UNION SELECT unnest(s.leads) FROM reminder_settings s) l
        JOIN events e ON e.starts_at > since + make_interval(mins => l.lead)
            AND e.starts_at <= horizon + make_interval(mins => l.lead) AND e.state = 'published'
        WHERE e.starts_at > at
    LOOP
        made := made + reminder_add(ARRAY(
            SELECT p.account_id FROM event_people p LEFT JOIN reminder_settings s ON s.account_id = p.account_id
            WHERE p.event_id = moment.id AND p.answer IN ('going', 'maybe') AND NOT p.is_waiting
                AND p.answered_at <= moment.due AND moment.lead = ANY (coalesce(s.leads, reminder_leads_default()))),
            'event', 'event/' || moment.id || '/' || floor(extract(epoch FROM moment.starts_at)) || '/' || moment.lead,
            jsonb_build_object('event', moment.id, 'startsAt', floor(extract(epoch FROM moment.starts_at) * 1000)::bigint),
            false, moment.due,
            -- Later than half way it is no use.
            moment.due + make_interval(mins => moment.lead) / 2, channels);
    END LOOP;
    UPDATE reminder_plans SET until = horizon WHERE name = 'events';
    RETURN made;
END $$;

-- The newest message of a conversation that an account has not read and may see: by others, not deleted, not of somebody blocked.
-- `unread` counts to a hundred.
CREATE FUNCTION reminder_unread(conversation bigint, account bigint)
RETURNS TABLE (at_offset bigint, author_id bigint, body text, unread bigint, at timestamptz) LANGUAGE sql STABLE AS $$
    SELECT u.at_offset, u.author_id, u.body, count(*) OVER () AS unread, u.at
    FROM (SELECT l.at_offset, l.author_id, l.body, l.at
        FROM members m JOIN chat_log l ON l.conversation_id = m.conversation_id
            AND l.at_offset > greatest(m.read_offset, m.from_offset)
        WHERE m.conversation_id = conversation AND m.account_id = account AND m.state = 'joined' AND l.kind = 'message'
            AND l.deleted_at IS NULL AND l.author_id <> account
            AND NOT EXISTS (SELECT FROM blocks b WHERE b.is_on AND b.blocker_id = account AND b.blocked_id = l.author_id)
            AND NOT EXISTS (SELECT FROM blocks b WHERE b.is_on AND b.blocker_id = l.author_id AND b.blocked_id = account)
        ORDER BY l.at_offset DESC LIMIT 100) u
    ORDER BY u.at_offset DESC LIMIT 1
$$;

-- Reminders of what is unread: one for each member and conversation until it is read, to browsers soon, otherwise after the minutes
-- that the member chose. NULL looks at all conversations: what a server that was killed had in mind is found again.
CREATE FUNCTION reminder_plan_messages(
    conversations_new bigint[], looked_at timestamptz, push_due timestamptz, oldest timestamptz, lasts interval, channels text[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    unread record;
    made bigint := 0;
BEGIN
    FOR unread IN
        SELECT m.conversation_id, m.account_id, m.read_offset, n.at AS written,
            coalesce(s.unread_minutes, 10) AS minutes
        FROM members m JOIN conversations c ON c.id = m.conversation_id
        LEFT JOIN reminder_settings s ON s.account_id = m.account_id
        CROSS JOIN LATERAL reminder_unread(m.conversation_id, m.account_id) n
        WHERE (conversations_new IS NULL OR m.conversation_id = ANY (conversations_new)) AND m.state = 'joined'
            AND c.head_offset > m.read_offset AND (m.muted_until IS NULL OR m.muted_until <= looked_at) AND n.at > oldest
            AND EXISTS (SELECT FROM reminder_addresses a WHERE a.account_id = m.account_id AND a.state = 'on')
    LOOP
        made := made + reminder_add(ARRAY[unread.account_id], 'message',
            'message/' || unread.conversation_id || '/' || unread.read_offset,
            jsonb_build_object('conversation', unread.conversation_id, 'read', unread.read_offset), false, push_due,
            looked_at + lasts, array_remove(array_remove(channels, 'email'), 'text'));
        made := made + reminder_add(ARRAY[unread.account_id], 'message',
            'message/' || unread.conversation_id || '/' || unread.read_offset,
            jsonb_build_object('conversation', unread.conversation_id, 'read', unread.read_offset), false,
            greatest(unread.written + make_interval(mins => unread.minutes), push_due), looked_at + lasts,
            array_remove(channels, 'push'));
    END LOOP;
    RETURN made;
END $$;
