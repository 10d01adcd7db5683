-- What goes with an account or an event is told to those who have to do with it; a notice that becomes an emergency is reminded of.

-- MARK: notices of events that go

-- Whoever has a notice is told that it is withdrawn also when its event is gone: its people are kept as `notice_targets` then.
ALTER TABLE notices DROP CONSTRAINT notices_event_id_fkey, DROP CONSTRAINT notices_check2;
ALTER TABLE notices
    ADD CONSTRAINT notices_event_id_fkey FOREIGN KEY (event_id) REFERENCES events ON DELETE SET NULL,
    ADD CONSTRAINT notices_check2 CHECK (CASE WHEN kind = 'event' THEN event_id IS NOT NULL OR state = 'withdrawn'
        ELSE event_id IS NULL END),
    -- Of a correction that made an emergency of it.
    ADD COLUMN raised_revision integer;

-- Between whom and an account there is a block.
CREATE FUNCTION notice_parted(account bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT b.blocked_id FROM blocks b WHERE b.is_on AND b.blocker_id = account
    UNION ALL SELECT b.blocker_id FROM blocks b WHERE b.is_on AND b.blocked_id = account
$$;

-- As in 0015; but of all, those are looked for whom it may be for, and the people of an event that is gone are those that it had.
CREATE OR REPLACE FUNCTION notice_people(notice notices, among bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    for_all boolean := notice.is_official AND notice.kind <> 'event';
BEGIN
    IF among IS NULL AND notice.kind IN ('campus', 'role') THEN
        RETURN QUERY SELECT a.id FROM accounts a
        WHERE a.disabled_at IS NULL AND (notice.kind = 'campus' OR a.role = notice.role)
            AND (for_all OR a.id NOT IN (SELECT notice_parted(notice.author_id)));
        RETURN;
    ELSIF among IS NULL AND notice.kind <> 'user' THEN
        RETURN QUERY SELECT a.id FROM (
            SELECT f.account_id FROM zone_followers f WHERE f.zone_id = notice.zone_id
            UNION SELECT t.account_id FROM notice_targets t WHERE t.notice_id = notice.id
            UNION SELECT e.owner_id FROM events e WHERE e.id = notice.event_id
            UNION SELECT p.account_id FROM event_people p WHERE p.event_id = notice.event_id
                AND (p.answer IN ('going', 'maybe') OR p.answer IS NULL AND (p.is_saved OR p.invited_at IS NOT NULL))) u (id)
        JOIN accounts a ON a.id = u.id AND a.disabled_at IS NULL
        WHERE for_all OR a.id NOT IN (SELECT notice_parted(notice.author_id));
        RETURN;
    END IF;
    RETURN QUERY SELECT u.id FROM unnest(CASE
        WHEN notice.kind <> 'user' THEN among
        -- Of one for one account nobody else need be looked at.
        WHEN among IS NULL OR notice.account_id = ANY (among) THEN ARRAY[notice.account_id] ELSE '{}' END) AS u (id)
    WHERE CASE notice.kind
        WHEN 'campus' THEN true
        WHEN 'user' THEN true
        WHEN 'role' THEN EXISTS (SELECT FROM accounts a WHERE a.id = u.id AND a.role = notice.role)
        ELSE EXISTS (SELECT FROM zone_followers f WHERE f.account_id = u.id AND f.zone_id = notice.zone_id)
            OR EXISTS (SELECT FROM events e WHERE e.id = notice.event_id AND e.owner_id = u.id)
            OR EXISTS (SELECT FROM event_people p WHERE p.event_id = notice.event_id AND p.account_id = u.id
                AND (p.answer IN ('going', 'maybe') OR p.answer IS NULL AND (p.is_saved OR p.invited_at IS NOT NULL)))
            OR EXISTS (SELECT FROM notice_targets t WHERE t.notice_id = notice.id AND t.account_id = u.id)
        END
        AND (for_all OR NOT EXISTS (
            SELECT FROM blocks b WHERE b.is_on AND (b.blocker_id, b.blocked_id) IN ((u.id, notice.author_id), (notice.author_id, u.id))));
END $$;

-- Withdraws notices, and tells of those that somebody may have. In one order, so that two do not wait for each other.
CREATE FUNCTION notice_take_back(numbers bigint[], withdrawn timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one notices%ROWTYPE;
BEGIN
    FOR one IN SELECT * FROM notices n WHERE n.id = ANY (numbers) AND n.state <> 'withdrawn' ORDER BY n.id FOR UPDATE LOOP
        UPDATE notices n SET state = 'withdrawn', withdrawn_at = withdrawn, revision = n.revision + 1 WHERE n.id = one.id RETURNING * INTO one;
        IF one.published_offset IS NOT NULL AND one.expires_at > withdrawn THEN PERFORM notice_tell(one, 'withdrawn', withdrawn); END IF;
    END LOOP;
END $$;

CREATE FUNCTION notice_forget_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    numbers bigint[] := ARRAY(SELECT n.id FROM notices n WHERE n.event_id = OLD.id);
BEGIN
    IF numbers = '{}' THEN RETURN OLD; END IF;
    INSERT INTO notice_targets SELECT n.id, p FROM notices n CROSS JOIN LATERAL notice_people(n, NULL) p
    WHERE n.id = ANY (numbers) AND n.published_offset IS NOT NULL ON CONFLICT DO NOTHING;
    PERFORM notice_take_back(numbers, now());
    UPDATE notices n SET event_id = NULL WHERE n.id = ANY (numbers);
    RETURN OLD;
END $$;
CREATE TRIGGER notice_forget_event BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION notice_forget_event();

-- MARK: how many

-- How many have a notice, and how many have read it: counted with each receipt, as a page of what an admin sent would count millions.
CREATE TABLE notice_counts (
    notice_id bigint PRIMARY KEY REFERENCES notices ON DELETE CASCADE,
    received  bigint NOT NULL,
    read      bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO notice_counts SELECT r.notice_id, count(*), count(r.read_at) FROM notice_receipts r GROUP BY r.notice_id;

CREATE FUNCTION notice_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- In one order, so that two do not wait for each other.
    IF TG_OP = 'INSERT' THEN
        INSERT INTO notice_counts AS c
        SELECT n.notice_id, count(*), count(n.read_at) FROM new_rows n GROUP BY n.notice_id ORDER BY n.notice_id
        ON CONFLICT (notice_id) DO UPDATE SET received = c.received + excluded.received, read = c.read + excluded.read;
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM FROM notice_counts c WHERE c.notice_id IN (SELECT n.notice_id FROM new_rows n) ORDER BY c.notice_id FOR NO KEY UPDATE;
        UPDATE notice_counts c SET read = c.read + d.read
        FROM (SELECT n.notice_id, count(n.read_at) - count(o.read_at) AS read
            FROM new_rows n JOIN old_rows o USING (notice_id, account_id) GROUP BY n.notice_id) d
        WHERE c.notice_id = d.notice_id;
    ELSE
        PERFORM FROM notice_counts c WHERE c.notice_id IN (SELECT o.notice_id FROM old_rows o) ORDER BY c.notice_id FOR NO KEY UPDATE;
        UPDATE notice_counts c SET received = c.received - d.received, read = c.read - d.read
        FROM (SELECT o.notice_id, count(*) AS received, count(o.read_at) AS read FROM old_rows o GROUP BY o.notice_id) d
        WHERE c.notice_id = d.notice_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER notice_count_new AFTER INSERT ON notice_receipts
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION notice_count();
CREATE TRIGGER notice_count_changed AFTER UPDATE ON notice_receipts
REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION notice_count();
CREATE TRIGGER notice_count_gone AFTER DELETE ON notice_receipts
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION notice_count();

-- How many would get a notice of this account now, and how many of them are among those.
CREATE FUNCTION notice_preview(
    author bigint, of_kind text, zone bigint, of_role text, event bigint, account bigint, among bigint[],
    OUT people bigint, OUT connected bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    -- Of most, no list need be made.
    IF of_kind IN ('campus', 'role') AND EXISTS (SELECT FROM accounts a WHERE a.id = author AND a.role IN ('admin', 'lecturer')) THEN
        SELECT count(*), count(*) FILTER (WHERE a.id IN (SELECT unnest(among))) INTO people, connected FROM accounts a
        WHERE a.disabled_at IS NULL AND (of_kind = 'campus' OR a.role = of_role);
    ELSE
        SELECT count(*), count(*) FILTER (WHERE r.id IN (SELECT unnest(among))) INTO people, connected
        FROM notice_reach(author, of_kind, zone, of_role, event, account) AS r (id);
    END IF;
END $$;

-- MARK: accounts that go

-- An account is about to go. Its own events to come that others have to do with are cancelled, and they are told; what it wrote of
-- them goes. Its other own events go, and its drafts; what it announced for the campus stays. What it told the people of its own
-- events is withdrawn.
CREATE FUNCTION event_leave(account bigint, left_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- All that this will touch, and in one order, before anything else: who answers has the event's row first, too.
    PERFORM FROM events e
    WHERE e.owner_id = account OR e.id IN (SELECT p.event_id FROM event_people p WHERE p.account_id = account)
    ORDER BY e.id FOR NO KEY UPDATE;
    PERFORM notice_take_back(ARRAY(
        SELECT n.id FROM notices n JOIN events e ON e.id = n.event_id AND e.audience <> 'campus' WHERE n.author_id = account), left_at);
    WITH kept AS (
        SELECT e.id, e.state FROM events e WHERE e.owner_id = account AND e.audience <> 'campus' AND e.state <> 'draft'
            AND e.ends_at > left_at AND EXISTS (SELECT FROM event_people p WHERE p.event_id = e.id AND p.account_id <> account
                AND (p.answer IN ('going', 'maybe') OR p.answer IS NULL AND (p.is_saved OR p.invited_at IS NOT NULL)))),
    cancelled AS (
        UPDATE events e SET owner_id = NULL, state = 'cancelled', description = NULL, changed_at = left_at,
            revision = e.revision + CASE k.state WHEN 'published' THEN 1 ELSE 0 END,
            cancel_reason = CASE k.state WHEN 'published' THEN 'Whoever made it has left.' END
        FROM kept k WHERE e.id = k.id RETURNING e.id, k.state)
    INSERT INTO event_news (event_id, news) SELECT c.id, 'cancelled' FROM cancelled c WHERE c.state = 'published';
    DELETE FROM events e WHERE e.owner_id = account AND (e.audience <> 'campus' OR e.state = 'draft');
END $$;

-- As in 0013. Whoever keeps its own time has called `event_leave` before, and nothing is left to be done.
CREATE OR REPLACE FUNCTION event_forget_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM event_leave(OLD.id, now());
    RETURN OLD;
END $$;

-- MARK: reminders of what became an emergency

DROP FUNCTION reminder_add(bigint[], text, text, jsonb, boolean, timestamptz, timestamptz, text[]);
-- As in 0016; but not to whom an urgent one of the key `unless` is there.
CREATE FUNCTION reminder_add(
    accounts bigint[], of_kind text, key text, with_payload jsonb, urgent boolean, due timestamptz, expires timestamptz,
    channels text[], unless text DEFAULT NULL)
RETURNS bigint LANGUAGE sql AS $$
    WITH ways AS (
        SELECT a.account_id, a.channel, a.id, CASE WHEN a.channel = 'push' THEN '/' || a.id ELSE '' END AS suffix
        FROM unnest(accounts) wanted (id) JOIN reminder_addresses a ON a.account_id = wanted.id
        LEFT JOIN reminder_settings s ON s.account_id = a.account_id
        WHERE a.state = 'on' AND a.channel = ANY (channels)
            AND of_kind || '/' || a.channel = ANY (coalesce(s.choices, reminder_choices_default()))),
    added AS (
        INSERT INTO reminders (account_id, kind, channel, address_id, dedupe, payload, is_urgent, due_at, expires_at, next_at)
        SELECT w.account_id, of_kind, w.channel, w.id, key || w.suffix, with_payload, urgent, due, expires, due FROM ways w
        WHERE unless IS NULL OR NOT EXISTS (SELECT FROM reminders r
            WHERE r.account_id = w.account_id AND r.channel = w.channel AND r.dedupe = unless || w.suffix AND r.is_urgent)
        ON CONFLICT (account_id, channel, dedupe) DO NOTHING RETURNING 1)
    SELECT count(*) FROM added
$$;

-- As in 0019; and of a correction that made an emergency of a notice. What still waits to be sent is urgent from now on and goes at
-- once; whom the milder notice has reached already is reminded of the emergency.
CREATE OR REPLACE FUNCTION reminder_plan_notices(
    at timestamptz, due timestamptz, lasts interval, people_max integer, channels text[])
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    looked reminder_plans%ROWTYPE;
    entry record;
    notice notices%ROWTYPE;
    people bigint[];
    recipients bigint[];
    key text;
BEGIN
    SELECT * INTO looked FROM reminder_plans p WHERE p.name = 'notices' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
    SELECT l.at_offset, l.kind = 'corrected' AS is_raise, n AS notice INTO entry FROM notice_log l JOIN notices n ON n.id = l.notice_id
    WHERE l.at_offset > looked.through AND (l.kind = 'published' OR l.kind = 'corrected' AND l.revision = n.raised_revision)
        AND l.at > reminder_plan_notices.at - lasts AND n.state = 'published' AND n.expires_at > reminder_plan_notices.at
    ORDER BY l.at_offset LIMIT 1;
    IF NOT FOUND THEN
        UPDATE reminder_plans SET through = t.head_offset, account_id = 0 FROM topics t
        WHERE reminder_plans.name = 'notices' AND t.name = 'notices' AND reminder_plans.through < t.head_offset;
        RETURN false;
    END IF;
    notice := entry.notice;
    people := ARRAY(SELECT DISTINCT a.account_id FROM reminder_addresses a
        WHERE a.state = 'on' AND a.channel = ANY (channels) AND a.account_id > looked.account_id
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
