-- Functions of reminders: defaults, the outbox and the planners.

CREATE OR REPLACE FUNCTION reminder_choices_default() RETURNS text[] LANGUAGE sql IMMUTABLE AS
$$ SELECT ARRAY['event/push', 'event/email', 'message/push', 'notice/push', 'goal/push', 'workout/push'] $$;
CREATE OR REPLACE FUNCTION reminder_leads_default() RETURNS integer[] LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY[1440, 60] $$;

-- MARK: Outbox

-- Adds a reminder to the outbox for each account and for each channel that the account chose and has an address for. It skips a reminder
-- that was added before, and one for which an urgent reminder with the key `unless` was added. Returns the number of new reminders.
--
-- The function skips an address or account that is removed at the same moment, so that the reminders of all others do not fail. It locks
-- accounts before addresses, in the same order as a transaction that deletes an account.
CREATE OR REPLACE FUNCTION reminder_add(
    accounts bigint[], of_kind text, key text, with_payload jsonb, urgent boolean, due timestamptz, expires timestamptz,
    channels text[], unless text DEFAULT NULL)
RETURNS bigint LANGUAGE sql AS $$
    WITH present AS (SELECT c.id FROM accounts c WHERE c.id = ANY (accounts) ORDER BY c.id FOR KEY SHARE OF c),
    ways AS (
        SELECT a.account_id, a.channel, a.id, CASE WHEN a.channel = 'push' THEN '/' || a.id ELSE '' END AS suffix
        -- An array, because without statistics PostgreSQL may join by comparing every account with every address.
        FROM reminder_addresses a LEFT JOIN reminder_settings s ON s.account_id = a.account_id
        WHERE a.account_id = ANY (ARRAY(SELECT p.id FROM present p)) AND a.state = 'on' AND a.channel = ANY (channels)
            AND of_kind || '/' || a.channel = ANY (coalesce(s.choices, reminder_choices_default()))
        ORDER BY a.id FOR KEY SHARE OF a),
    added AS (
        INSERT INTO reminders (account_id, kind, channel, address_id, dedupe, payload, is_urgent, due_at, expires_at, next_at)
        SELECT w.account_id, of_kind, w.channel, w.id, key || w.suffix, with_payload, urgent, due, expires, due FROM ways w
        WHERE unless IS NULL OR NOT EXISTS (SELECT FROM reminders r
            WHERE r.account_id = w.account_id AND r.channel = w.channel AND r.dedupe = unless || w.suffix AND r.is_urgent)
        ON CONFLICT (account_id, channel, dedupe) DO NOTHING RETURNING 1)
    SELECT count(*) FROM added
$$;

-- Claims due reminders of one channel for a server, in the order of `reminders_due`. The claim is committed before anything is sent. A
-- server may have died while it was sending reminders. Of these, the function claims only pushes, because a browser shows a repeated push
-- once.
--
-- `due` is a common table expression because PostgreSQL may evaluate a subquery once per row of the table, each time past the rows that
-- it has claimed already: the limit would not hold.
CREATE OR REPLACE FUNCTION reminder_claim(of_channel text, most bigint, at timestamptz, until timestamptz, by_node text)
RETURNS SETOF reminders LANGUAGE sql AS $$
    WITH due AS MATERIALIZED (
        SELECT d.id FROM reminders d WHERE d.channel = of_channel AND d.state IN ('waiting', 'sending') AND d.next_at <= at
            AND (d.state = 'waiting' OR d.channel = 'push')
        ORDER BY CASE WHEN d.kind IN ('code', 'trial') THEN 0 WHEN d.is_urgent THEN 1 ELSE 2 END, d.next_at LIMIT most
        FOR UPDATE SKIP LOCKED)
    UPDATE reminders r SET state = 'sending', next_at = until, node = by_node, attempts = r.attempts + 1
    FROM due WHERE r.id = due.id RETURNING r.*
$$;

-- MARK: Planners

-- Adds event reminders that fall due in a period, for people who answered `going` or `maybe` before the due time. One planner works at a
-- time. If two planners add the same reminder, the outbox has it once.
CREATE OR REPLACE FUNCTION reminder_plan_events(at timestamptz, horizon timestamptz, oldest timestamptz, overlap interval, channels text[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    planned timestamptz;
    since timestamptz;
    moment record;
    made bigint := 0;
BEGIN
    SELECT p.until INTO planned FROM reminder_plans p WHERE p.name = 'events' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN 0; END IF;
    -- `planned` is in the future after the clock was set back. The planner then starts from the present time.
    since := greatest(least(planned, at) - overlap, oldest);
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
            -- After half of the lead time the reminder is of no use.
            moment.due + make_interval(mins => moment.lead) / 2, channels);
    END LOOP;
    UPDATE reminder_plans SET until = horizon WHERE name = 'events';
    RETURN made;
END $$;

-- Newest unread message of a conversation that an account may see: by another account, not deleted, and not hidden by a block. `unread`
-- counts up to 100.
CREATE OR REPLACE FUNCTION reminder_unread(conversation bigint, account bigint)
RETURNS TABLE (at_offset bigint, author_id bigint, body text, unread bigint, at timestamptz) LANGUAGE sql STABLE AS $$
    SELECT u.at_offset, u.author_id, u.body, count(*) OVER () AS unread, u.at
    FROM (SELECT l.at_offset, l.author_id, l.body, l.at
        FROM members m JOIN chat_log l ON l.conversation_id = m.conversation_id
            AND l.at_offset > greatest(m.read_offset, m.from_offset)
        WHERE m.conversation_id = conversation AND m.account_id = account AND m.state = 'joined' AND l.kind = 'message'
            AND l.deleted_at IS NULL AND l.author_id <> account
            AND NOT EXISTS (SELECT FROM blocks_between(account, l.author_id))
        ORDER BY l.at_offset DESC LIMIT 100) u
    ORDER BY u.at_offset DESC LIMIT 1
$$;

-- Adds reminders of unread messages, one for each member and conversation until the member reads it. They are due at `push_due` for
-- browsers, and otherwise after the minutes that the member chose. NULL means all conversations, which also covers the conversations that a
-- killed server had in memory.
CREATE OR REPLACE FUNCTION reminder_plan_messages(
    conversations_new bigint[], planned_at timestamptz, push_due timestamptz, oldest timestamptz, lasts interval, channels text[])
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
            AND c.head_offset > m.read_offset AND (m.muted_until IS NULL OR m.muted_until <= planned_at) AND n.at > oldest
            AND EXISTS (SELECT FROM reminder_addresses a WHERE a.account_id = m.account_id AND a.state = 'on')
    LOOP
        made := made + reminder_add(ARRAY[unread.account_id], 'message',
            'message/' || unread.conversation_id || '/' || unread.read_offset,
            jsonb_build_object('conversation', unread.conversation_id, 'read', unread.read_offset), false, push_due,
            planned_at + lasts, array_remove(array_remove(channels, 'email'), 'text'));
        made := made + reminder_add(ARRAY[unread.account_id], 'message',
            'message/' || unread.conversation_id || '/' || unread.read_offset,
            jsonb_build_object('conversation', unread.conversation_id, 'read', unread.read_offset), false,
            greatest(unread.written + make_interval(mins => unread.minutes), push_due), planned_at + lasts,
            array_remove(channels, 'push'));
    END LOOP;
    RETURN made;
END $$;

-- Adds reminders of notices that were published, or raised to an emergency, since the last call. When a notice is raised, its waiting
-- reminders become urgent and due immediately, and accounts that already got a reminder of the notice get another.
--
-- One planner works at a time. It continues where the last planner stopped, on any server, in the transaction that adds the reminders. One
-- call handles one notice and a bounded number of people, so no call takes long. It skips notices older than `lasts`, so that an address
-- that was just added gets no old ones. Returns whether there may be more.
CREATE OR REPLACE FUNCTION reminder_plan_notices(
    at timestamptz, due timestamptz, lasts interval, people_max integer, channels text[])
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    progress reminder_plans%ROWTYPE;
    entry record;
    notice notices%ROWTYPE;
    people bigint[];
    recipients bigint[];
    key text;
BEGIN
    SELECT * INTO progress FROM reminder_plans p WHERE p.name = 'notices' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
    SELECT l.at_offset, l.kind = 'corrected' AS is_raise, n AS notice INTO entry FROM notice_log l JOIN notices n ON n.id = l.notice_id
    WHERE l.at_offset > progress.through AND (l.kind = 'published' OR l.kind = 'corrected' AND l.revision = n.raised_revision)
        AND l.at > reminder_plan_notices.at - lasts AND n.state = 'published' AND n.expires_at > reminder_plan_notices.at
    ORDER BY l.at_offset LIMIT 1;
    IF NOT FOUND THEN
        UPDATE reminder_plans SET through = t.head_offset, account_id = 0 FROM topics t
        WHERE reminder_plans.name = 'notices' AND t.name = 'notices' AND reminder_plans.through < t.head_offset;
        RETURN false;
    END IF;
    notice := entry.notice;
    people := ARRAY(SELECT DISTINCT a.account_id FROM reminder_addresses a
        WHERE a.state = 'on' AND a.channel = ANY (channels) AND a.account_id > progress.account_id
        ORDER BY a.account_id LIMIT people_max);
    recipients := ARRAY(SELECT p FROM notice_people(notice, people) p WHERE p IS DISTINCT FROM notice.author_id);
    key := 'notice/' || notice.id;
    IF entry.is_raise THEN
        UPDATE reminders r SET is_urgent = true, due_at = least(r.due_at, reminder_plan_notices.at),
            next_at = least(r.next_at, reminder_plan_notices.at)
        WHERE r.account_id = ANY (recipients) AND r.kind = 'notice' AND r.state = 'waiting' AND NOT r.is_urgent
            AND (r.dedupe = key OR r.dedupe LIKE key || '/%');
    END IF;
    PERFORM reminder_add(recipients, 'notice', CASE WHEN entry.is_raise THEN key || '/raised' ELSE key END,
        jsonb_build_object('notice', notice.id), notice.was_emergency,
        CASE WHEN notice.was_emergency THEN at ELSE due END, least(notice.expires_at, at + lasts), channels,
        CASE WHEN entry.is_raise THEN key END);
    IF cardinality(people) < people_max THEN
        UPDATE reminder_plans SET through = entry.at_offset, account_id = 0 WHERE name = 'notices';
    ELSE
        UPDATE reminder_plans SET account_id = people[cardinality(people)] WHERE name = 'notices';
    END IF;
    RETURN true;
END $$;
