-- Functions of notices: recipients, contents, publication and withdrawal.

-- MARK: Recipients

-- Recipients of a notice among the given accounts, or among all accounts when NULL. For a notice of a deleted event, `notice_targets` has
-- the event's people.
CREATE OR REPLACE FUNCTION notice_people(notice notices, among bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    for_all boolean := notice.is_official AND notice.kind <> 'event';
BEGIN
    IF among IS NULL AND notice.kind IN ('campus', 'role') THEN
        RETURN QUERY SELECT a.id FROM accounts a
        WHERE a.disabled_at IS NULL AND (notice.kind = 'campus' OR a.role = notice.role)
            AND (for_all OR a.id NOT IN (SELECT b FROM blocks_of(notice.author_id) b));
        RETURN;
    ELSIF among IS NULL AND notice.kind <> 'user' THEN
        RETURN QUERY SELECT a.id FROM (
            SELECT f.account_id FROM zone_followers f WHERE f.zone_id = notice.zone_id
            UNION SELECT t.account_id FROM notice_targets t WHERE t.notice_id = notice.id
            UNION SELECT e.owner_id FROM events e WHERE e.id = notice.event_id
            UNION SELECT p.account_id FROM event_people p WHERE p.event_id = notice.event_id
                AND event_concerns(p.answer, p.is_saved, p.invited_at)) u (id)
        JOIN accounts a ON a.id = u.id AND a.disabled_at IS NULL
        WHERE for_all OR a.id NOT IN (SELECT b FROM blocks_of(notice.author_id) b);
        RETURN;
    END IF;
    RETURN QUERY SELECT u.id FROM unnest(CASE
        WHEN notice.kind <> 'user' THEN among
        -- A notice to one account has no other recipients.
        WHEN among IS NULL OR notice.account_id = ANY (among) THEN ARRAY[notice.account_id] ELSE '{}' END) AS u (id)
    WHERE CASE notice.kind
        WHEN 'campus' THEN true
        WHEN 'user' THEN true
        WHEN 'role' THEN EXISTS (SELECT FROM accounts a WHERE a.id = u.id AND a.role = notice.role)
        ELSE EXISTS (SELECT FROM zone_followers f WHERE f.account_id = u.id AND f.zone_id = notice.zone_id)
            OR EXISTS (SELECT FROM events e WHERE e.id = notice.event_id AND e.owner_id = u.id)
            OR EXISTS (SELECT FROM event_people p WHERE p.event_id = notice.event_id AND p.account_id = u.id
                AND event_concerns(p.answer, p.is_saved, p.invited_at))
            OR EXISTS (SELECT FROM notice_targets t WHERE t.notice_id = notice.id AND t.account_id = u.id)
        END
        AND (for_all OR NOT EXISTS (SELECT FROM blocks_between(u.id, notice.author_id)));
END $$;

CREATE OR REPLACE FUNCTION notice_for(notice notices, account bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    -- The two common cases need no call of notice_people.
    IF notice.kind = 'campus' AND notice.is_official THEN RETURN true; END IF;
    IF notice.kind = 'user' AND notice.account_id <> account THEN RETURN false; END IF;
    RETURN EXISTS (SELECT FROM notice_people(notice, ARRAY[account]));
END $$;

-- Accounts whose running session has its last point in a zone.
CREATE OR REPLACE FUNCTION notice_out_in(zone bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT DISTINCT s.account_id FROM sessions s
    JOIN points p ON p.session_id = s.id AND p.seq = s.last_seq
    JOIN zones z ON z.id = zone AND ST_Covers(z.geometry, ST_SetSRID(ST_MakePoint(p.lon, p.lat), 4326))
    WHERE s.state = 'running'
$$;

-- Number of recipients that the sender of a notice may learn. Positions, blocks and saved events never affect it: a zone's notices also
-- reach runners who are out in the zone, and no number reveals them. For an event, it counts accounts that answered `going` or `maybe`, and
-- invited accounts that have not answered.
CREATE OR REPLACE FUNCTION notice_audience(notice notices) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE notice.kind
        WHEN 'user' THEN 1
        WHEN 'campus' THEN (SELECT count(*) FROM accounts a WHERE a.disabled_at IS NULL)
        WHEN 'role' THEN (SELECT count(*) FROM accounts a WHERE a.disabled_at IS NULL AND a.role = notice.role)
        WHEN 'zone' THEN (SELECT count(*) FROM zone_followers f JOIN accounts a ON a.id = f.account_id AND a.disabled_at IS NULL
            WHERE f.zone_id = notice.zone_id)
        ELSE (SELECT count(*) FROM event_people p WHERE p.event_id = notice.event_id
            AND (p.answer IN ('going', 'maybe') OR p.answer IS NULL AND p.invited_at IS NOT NULL)) END;
END $$;

-- Reason why an account may not send such a notice; NULL if it may. For an event that the account may not see, the reason is the same as
-- for one that does not exist.
CREATE OR REPLACE FUNCTION notice_refusal(author bigint, kind text, zone bigint, event bigint, account bigint, level text, at timestamptz)
RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    its_role text;
    known events%ROWTYPE;
BEGIN
    SELECT a.role INTO its_role FROM accounts a WHERE a.id = author AND a.disabled_at IS NULL;
    IF NOT FOUND THEN RETURN 'gone'; END IF;
    IF kind = 'event' THEN
        SELECT * INTO known FROM events e WHERE e.id = event;
        IF NOT FOUND OR NOT event_visible(known, author) THEN RETURN 'noEvent'; END IF;
        IF its_role <> 'admin' AND known.owner_id IS DISTINCT FROM author THEN RETURN 'event'; END IF;
        IF known.state <> 'published' THEN RETURN 'unpublished'; END IF;
        IF known.ends_at < at - interval '7 days' THEN RETURN 'over'; END IF;
    ELSIF its_role <> 'admin' AND (its_role <> 'lecturer' OR kind NOT IN ('campus', 'zone')) THEN
        RETURN CASE its_role WHEN 'lecturer' THEN 'audience' ELSE 'role' END;
    END IF;
    IF level = 'emergency' AND its_role <> 'admin' THEN RETURN 'emergency'; END IF;
    IF kind = 'zone' AND NOT EXISTS (SELECT FROM zones z WHERE z.id = zone) THEN RETURN 'noZone'; END IF;
    IF kind = 'user' AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = account) THEN RETURN 'noAccount'; END IF;
    RETURN NULL;
END $$;

-- MARK: Contents

CREATE OR REPLACE FUNCTION notice_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Content of a notice as its recipients receive it. Guests do not get the author's name.
CREATE OR REPLACE FUNCTION notice_json(notice notices, for_guests boolean, read_at timestamptz) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF notice.state = 'withdrawn' THEN
        RETURN json_strip_nulls(json_build_object('type', 'withdrawn', 'number', notice.id, 'revision', notice.revision));
    END IF;
    RETURN json_strip_nulls(json_build_object(
        'type', 'notice', 'number', notice.id, 'revision', notice.revision, 'id', notice.client_id,
        'at', notice_time(notice.publish_at), 'changedAt', notice_time(notice.changed_at),
        'title', notice.title, 'body', notice.body, 'level', notice.level,
        'from', (SELECT json_build_object('username', CASE WHEN NOT for_guests THEN a.username END, 'role', a.role)
            FROM accounts a WHERE a.id = notice.author_id),
        'to', json_build_object('kind', notice.kind, 'zone', notice.zone_id, 'role', notice.role, 'event', notice.event_id),
        'expiresAt', notice_time(notice.expires_at), 'readAt', notice_time(read_at)));
END $$;

-- Topic on which guests receive a notice; NULL for none.
CREATE OR REPLACE FUNCTION notice_public_topic(notice notices) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE notice.kind WHEN 'campus' THEN 'campus/notices' WHEN 'zone' THEN 'zone/' || notice.zone_id || '/notices' END
$$;

-- Replaces earlier versions of a notice on the public topic by the present one, so that nobody reads a text that was corrected or
-- withdrawn.
CREATE OR REPLACE FUNCTION notice_replace_public_texts(notice notices) RETURNS void LANGUAGE sql AS $$
    UPDATE publications p SET data = notice_json(notice, true, NULL)
    FROM notice_log l, topics t
    WHERE l.notice_id = notice.id AND l.revision < notice.revision AND t.name = notice_public_topic(notice)
        AND p.topic_id = t.id AND p.at_offset = l.public_offset
$$;

-- MARK: Publication

-- Appends the present state of a notice to the log and, for guests, to the public topic. Returns the offset in the log. The log's row is
-- always locked before the public topic's row.
CREATE OR REPLACE FUNCTION notice_append(notice notices, kind text, appended_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    log_offset bigint;
    public_offset bigint;
    public_name text := notice_public_topic(notice);
BEGIN
    UPDATE topics t SET head_offset = t.head_offset + 1 WHERE t.name = 'notices' RETURNING t.head_offset INTO log_offset;
    IF public_name IS NOT NULL THEN
        INSERT INTO topics (name) VALUES (public_name) ON CONFLICT (name) DO NOTHING;
        WITH moved AS (
            UPDATE topics t SET head_offset = t.head_offset + 1 WHERE t.name = public_name RETURNING t.id, t.head_offset)
        INSERT INTO publications (topic_id, at_offset, client_id, author_id, at, data)
        SELECT m.id, m.head_offset, gen_random_uuid(), notice.author_id, appended_at, notice_json(notice, true, NULL) FROM moved m
        RETURNING at_offset INTO public_offset;
    END IF;
    INSERT INTO notice_log VALUES (log_offset, notice.id, kind, notice.revision,
        greatest(appended_at, (SELECT l.at FROM notice_log l ORDER BY l.at_offset DESC LIMIT 1)), public_offset);
    PERFORM notice_replace_public_texts(notice);
    RETURN log_offset;
END $$;

-- Publishes a scheduled notice, under the lock of its row.
CREATE OR REPLACE FUNCTION notice_release(notice bigint, released_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    known notices%ROWTYPE;
BEGIN
    UPDATE notices n SET state = 'published',
        is_official = coalesce((SELECT a.role IN ('admin', 'lecturer') FROM accounts a WHERE a.id = n.author_id), false)
    WHERE n.id = notice RETURNING * INTO known;
    IF known.kind = 'zone' THEN
        INSERT INTO notice_targets SELECT known.id, o FROM notice_out_in(known.zone_id) o ON CONFLICT DO NOTHING;
    END IF;
    -- A notice that expired before a server could publish it gets no entry in the log.
    IF known.expires_at <= released_at THEN RETURN; END IF;
    UPDATE notices n SET published_offset = notice_append(known, 'published', released_at) WHERE n.id = notice;
END $$;

-- Publishes notices that are due. It withdraws a notice that its author may no longer send. Several servers divide the work.
CREATE OR REPLACE FUNCTION notice_publish_due(due_at timestamptz, count_max integer) RETURNS TABLE (kind text, zone bigint)
LANGUAGE plpgsql AS $$
DECLARE
    one notices%ROWTYPE;
BEGIN
    FOR one IN SELECT * FROM notices n WHERE n.state = 'scheduled' AND n.publish_at <= due_at
        ORDER BY n.publish_at, n.id LIMIT count_max FOR UPDATE SKIP LOCKED
    LOOP
        IF notice_refusal(one.author_id, one.kind, one.zone_id, one.event_id, one.account_id, one.level, due_at) IS NULL THEN
            PERFORM notice_release(one.id, due_at);
        ELSE
            UPDATE notices n SET state = 'withdrawn', withdrawn_at = due_at, revision = n.revision + 1 WHERE n.id = one.id;
        END IF;
        kind := one.kind;
        zone := one.zone_id;
        RETURN NEXT;
    END LOOP;
END $$;

-- MARK: Withdrawal

-- Withdraws notices, in the order of ids so that two transactions cannot deadlock. If a notice has an entry in the log, its withdrawal is
-- published, also after its expiry, because the log keeps its text until then.
CREATE OR REPLACE FUNCTION notice_withdraw(numbers bigint[], withdrawn timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one notices%ROWTYPE;
BEGIN
    FOR one IN SELECT * FROM notices n WHERE n.id = ANY (numbers) AND n.state <> 'withdrawn' ORDER BY n.id FOR UPDATE LOOP
        UPDATE notices n SET state = 'withdrawn', withdrawn_at = withdrawn, revision = n.revision + 1
        WHERE n.id = one.id RETURNING * INTO one;
        IF one.published_offset IS NOT NULL THEN PERFORM notice_append(one, 'withdrawn', withdrawn); END IF;
    END LOOP;
END $$;

-- Withdraws the notices of an event that is deleted, and keeps the event's people as their recipients.
CREATE OR REPLACE FUNCTION notice_forget_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    numbers bigint[] := ARRAY(SELECT n.id FROM notices n WHERE n.event_id = OLD.id);
BEGIN
    IF numbers = '{}' THEN RETURN OLD; END IF;
    INSERT INTO notice_targets SELECT n.id, p FROM notices n CROSS JOIN LATERAL notice_people(n, NULL) p
    WHERE n.id = ANY (numbers) AND n.published_offset IS NOT NULL ON CONFLICT DO NOTHING;
    PERFORM notice_withdraw(numbers, now());
    UPDATE notices n SET event_id = NULL WHERE n.id = ANY (numbers);
    RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER notice_forget_event BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION notice_forget_event();

-- Deletes notices that expired before a time, and records up to which offset entries may be missing from the log.
CREATE OR REPLACE FUNCTION notice_prune(before timestamptz, count_max integer) RETURNS bigint LANGUAGE sql AS $$
    WITH gone AS (
        SELECT n.id FROM notices n WHERE n.expires_at < before AND n.state <> 'scheduled' ORDER BY n.expires_at LIMIT count_max
        FOR UPDATE SKIP LOCKED),
    noted AS (
        UPDATE notice_pruned p SET through = greatest(p.through,
            (SELECT max(l.at_offset) FROM notice_log l JOIN gone g ON g.id = l.notice_id)) WHERE p.id = 1),
    removed AS (DELETE FROM notices n USING gone g WHERE n.id = g.id RETURNING 1)
    SELECT count(*) FROM removed
$$;
