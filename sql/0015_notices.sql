-- Notices (N-7, U-7): to whom, when, until when, who has them. What is told of them is one log, whose head is a row of `topics`: it
-- is appended to under that row's lock, so that the order of its offsets is the order of the commits on however many servers. Who
-- gets an entry is decided when it is delivered.

CREATE TABLE notices (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    author_id        bigint REFERENCES accounts ON DELETE SET NULL,
    -- The sender's own: a notice that is sent again is the same notice.
    client_id        uuid NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('campus', 'zone', 'role', 'event', 'user')),
    zone_id          bigint CHECK ((kind = 'zone') = (zone_id IS NOT NULL)),
    role             text CHECK ((kind = 'role') = (role IS NOT NULL)),
    event_id         bigint REFERENCES events ON DELETE CASCADE CHECK ((kind = 'event') = (event_id IS NOT NULL)),
    account_id       bigint REFERENCES accounts ON DELETE CASCADE CHECK ((kind = 'user') = (account_id IS NOT NULL)),
    -- Of an admin or a lecturer when it was published: a block does not keep it away, but from an event.
    is_official      boolean NOT NULL DEFAULT false,
    title            text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 120),
    body             text CHECK (char_length(body) <= 4000),
    level            text NOT NULL CHECK (level IN ('info', 'important', 'emergency')),
    -- It passes whoever is not to be disturbed; so does what is said of it later, whatever its level is then.
    was_emergency    boolean NOT NULL DEFAULT false,
    state            text NOT NULL DEFAULT 'scheduled' CHECK (state IN ('scheduled', 'published', 'withdrawn')),
    -- Grows with whatever is told of it. The entry of the log that has it is the one that counts.
    revision         integer NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    publish_at       timestamptz NOT NULL,
    -- Its first entry in the log; NULL when it never had one.
    published_offset bigint,
    changed_at       timestamptz,
    expires_at       timestamptz NOT NULL CHECK (expires_at > publish_at),
    withdrawn_at     timestamptz,
    UNIQUE (author_id, client_id)
);
CREATE INDEX notices_due ON notices (publish_at, id) WHERE state = 'scheduled';
CREATE INDEX notices_current ON notices (published_offset DESC) WHERE state = 'published';
CREATE INDEX notices_of_author ON notices (author_id, id DESC);
CREATE INDEX notices_of_event ON notices (event_id, created_at) WHERE event_id IS NOT NULL;
CREATE INDEX notices_of_account ON notices (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX notices_by_end ON notices (expires_at);

-- What was told, and when. Its times only grow, as its offsets do.
CREATE TABLE notice_log (
    at_offset bigint PRIMARY KEY CHECK (at_offset > 0),
    notice_id bigint NOT NULL REFERENCES notices ON DELETE CASCADE,
    kind      text NOT NULL CHECK (kind IN ('published', 'corrected', 'withdrawn')),
    revision  integer NOT NULL,
    at        timestamptz NOT NULL
);
CREATE INDEX notice_log_of_notice ON notice_log (notice_id);
CREATE INDEX notice_log_by_time ON notice_log (at);
INSERT INTO topics (name) VALUES ('notices') ON CONFLICT DO NOTHING;

-- Up to here entries are gone that somebody may have missed.
CREATE TABLE notice_pruned (
    id      integer PRIMARY KEY CHECK (id = 1),
    through bigint NOT NULL DEFAULT 0
);
INSERT INTO notice_pruned (id) VALUES (1);

-- Who was out in a zone when something was published to it.
CREATE TABLE notice_targets (
    notice_id  bigint NOT NULL REFERENCES notices ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    PRIMARY KEY (notice_id, account_id)
);
CREATE INDEX notice_targets_of_account ON notice_targets (account_id);

CREATE TABLE notice_receipts (
    notice_id   bigint NOT NULL REFERENCES notices ON DELETE CASCADE,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    received_at timestamptz NOT NULL,
    read_at     timestamptz,
    PRIMARY KEY (notice_id, account_id)
);
CREATE INDEX notice_receipts_of_account ON notice_receipts (account_id);

CREATE TABLE zone_followers (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    zone_id    bigint NOT NULL,
    PRIMARY KEY (account_id, zone_id)
);
CREATE INDEX zone_followers_of_zone ON zone_followers (zone_id);

CREATE TABLE quiet_hours (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    from_time  text NOT NULL,
    to_time    text NOT NULL,
    time_zone  text NOT NULL
);

-- Who tracks a session that runs, and how far the log was when it began to: what comes behind waits.
CREATE TABLE notice_holds (
    account_id   bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    since_offset bigint NOT NULL
);

CREATE FUNCTION notice_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- One session of an account at a time: of two that change at once, the later one sees the other.
    PERFORM FROM accounts a WHERE a.id = NEW.account_id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM sessions s WHERE s.account_id = NEW.account_id AND s.state = 'running') THEN
        INSERT INTO notice_holds SELECT NEW.account_id, t.head_offset FROM topics t WHERE t.name = 'notices'
        ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM notice_holds h WHERE h.account_id = NEW.account_id;
    END IF;
    RETURN NULL;
END $$;
CREATE INDEX sessions_running ON sessions (account_id) WHERE state = 'running';
CREATE TRIGGER notice_hold_begun AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION notice_hold();
CREATE TRIGGER notice_hold_changed AFTER UPDATE OF state ON sessions FOR EACH ROW
WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION notice_hold();
INSERT INTO notice_holds SELECT DISTINCT s.account_id, 0 FROM sessions s WHERE s.state = 'running';

-- MARK: to whom

-- Which of these accounts a notice is for, of all when none are given.
CREATE FUNCTION notice_people(notice notices, among bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    -- Of one for one account nobody else need be looked at.
    candidates bigint[] := CASE
        WHEN notice.kind <> 'user' THEN coalesce(among, ARRAY(SELECT a.id FROM accounts a WHERE a.disabled_at IS NULL))
        WHEN among IS NULL OR notice.account_id = ANY (among) THEN ARRAY[notice.account_id] ELSE '{}' END;
BEGIN
    RETURN QUERY SELECT u.id FROM unnest(candidates) AS u (id)
    WHERE CASE notice.kind
        WHEN 'campus' THEN true
        WHEN 'user' THEN u.id = notice.account_id
        WHEN 'role' THEN EXISTS (SELECT FROM accounts a WHERE a.id = u.id AND a.role = notice.role)
        WHEN 'zone' THEN
            EXISTS (SELECT FROM zone_followers f WHERE f.account_id = u.id AND f.zone_id = notice.zone_id)
            OR EXISTS (SELECT FROM notice_targets t WHERE t.notice_id = notice.id AND t.account_id = u.id)
        ELSE EXISTS (SELECT FROM events e WHERE e.id = notice.event_id AND e.owner_id = u.id)
            OR EXISTS (SELECT FROM event_people p WHERE p.event_id = notice.event_id AND p.account_id = u.id
                AND (p.answer IN ('going', 'maybe') OR p.answer IS NULL AND (p.is_saved OR p.invited_at IS NOT NULL)))
        END
        AND (notice.is_official AND notice.kind <> 'event' OR NOT EXISTS (
            SELECT FROM blocks b WHERE b.is_on AND (b.blocker_id, b.blocked_id) IN ((u.id, notice.author_id), (notice.author_id, u.id))));
END $$;

CREATE FUNCTION notice_for(notice notices, account bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    -- Most are for all, and many for one.
    IF notice.kind = 'campus' AND notice.is_official THEN RETURN true; END IF;
    IF notice.kind = 'user' AND notice.account_id <> account THEN RETURN false; END IF;
    RETURN EXISTS (SELECT FROM notice_people(notice, ARRAY[account]));
END $$;

-- Who is out in a zone: their session runs, and its last point is there.
CREATE FUNCTION notice_out_in(zone bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT DISTINCT s.account_id FROM sessions s
    JOIN points p ON p.session_id = s.id AND p.seq = s.last_seq
    JOIN zones z ON z.id = zone AND ST_Covers(z.geometry, ST_SetSRID(ST_MakePoint(p.lon, p.lat), 4326))
    WHERE s.state = 'running'
$$;

-- Who would get a notice of this account now.
CREATE FUNCTION notice_reach(author bigint, kind text, zone bigint, role text, event bigint, account bigint) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    notice notices;
BEGIN
    notice.author_id := author;
    notice.kind := kind;
    notice.zone_id := zone;
    notice.role := role;
    notice.event_id := event;
    notice.account_id := account;
    notice.is_official := coalesce((SELECT a.role IN ('admin', 'lecturer') FROM accounts a WHERE a.id = author), false);
    RETURN QUERY SELECT notice_people(notice, NULL) UNION SELECT o FROM notice_out_in(zone) o WHERE kind = 'zone';
END $$;

-- How many a notice is for.
CREATE FUNCTION notice_recipients(notice notices) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF notice.state = 'scheduled' THEN
        RETURN (SELECT count(*) FROM notice_reach(
            notice.author_id, notice.kind, notice.zone_id, notice.role, notice.event_id, notice.account_id));
    END IF;
    IF notice.kind = 'campus' AND notice.is_official THEN RETURN (SELECT count(*) FROM accounts a WHERE a.disabled_at IS NULL); END IF;
    RETURN (SELECT count(*) FROM notice_people(notice, NULL));
END $$;

-- Why an account may not send this, NULL when it may. What it may not see is answered as what does not exist.
CREATE FUNCTION notice_refusal(author bigint, kind text, zone bigint, event bigint, account bigint, level text, at timestamptz)
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

-- MARK: what it says

CREATE FUNCTION notice_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- What its recipients get. Guests are not told who it was.
CREATE FUNCTION notice_json(notice notices, for_guests boolean, read_at timestamptz) RETURNS json LANGUAGE plpgsql STABLE AS $$
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

-- MARK: telling

-- Appends what a notice says now to the log, and for guests to the public topic. The log's row is always locked first.
CREATE FUNCTION notice_tell(notice notices, what text, told_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    place bigint;
    public_name text := CASE notice.kind WHEN 'campus' THEN 'campus/notices'
        WHEN 'zone' THEN 'zone/' || notice.zone_id || '/notices' END;
BEGIN
    UPDATE topics t SET head_offset = t.head_offset + 1 WHERE t.name = 'notices' RETURNING t.head_offset INTO place;
    INSERT INTO notice_log VALUES (place, notice.id, what, notice.revision,
        greatest(told_at, (SELECT l.at FROM notice_log l ORDER BY l.at_offset DESC LIMIT 1)));
    IF public_name IS NOT NULL THEN
        INSERT INTO topics (name) VALUES (public_name) ON CONFLICT (name) DO NOTHING;
        WITH moved AS (
            UPDATE topics t SET head_offset = t.head_offset + 1 WHERE t.name = public_name RETURNING t.id, t.head_offset)
        INSERT INTO publications (topic_id, at_offset, client_id, author_id, at, data)
        SELECT m.id, m.head_offset, gen_random_uuid(), notice.author_id, told_at, notice_json(notice, true, NULL) FROM moved m;
    END IF;
    RETURN place;
END $$;

-- A notice goes out. Under the lock of its row.
CREATE FUNCTION notice_release(notice bigint, released_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    known notices%ROWTYPE;
BEGIN
    UPDATE notices n SET state = 'published',
        is_official = coalesce((SELECT a.role IN ('admin', 'lecturer') FROM accounts a WHERE a.id = n.author_id), false)
    WHERE n.id = notice RETURNING * INTO known;
    IF known.kind = 'zone' THEN
        INSERT INTO notice_targets SELECT known.id, o FROM notice_out_in(known.zone_id) o ON CONFLICT DO NOTHING;
    END IF;
    -- Nobody served while it held.
    IF known.expires_at <= released_at THEN RETURN; END IF;
    UPDATE notices n SET published_offset = notice_tell(known, 'published', released_at) WHERE n.id = notice;
END $$;

-- Publishes what is due. What its sender may not send any more is withdrawn. Several servers share it out.
CREATE FUNCTION notice_publish_due(due_at timestamptz, count_max integer) RETURNS TABLE (kind text, zone bigint) LANGUAGE plpgsql AS $$
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

-- Devices have notices, or people have read them: of what is for them. Gives how many are new.
CREATE FUNCTION notice_receive(accounts bigint[], numbers bigint[], times timestamptz[], were_read boolean[]) RETURNS bigint
LANGUAGE sql AS $$
    WITH input AS (
        SELECT i.account, i.number, min(i.at) AS at, bool_or(i.was_read) AS was_read
        FROM unnest(accounts, numbers, times, were_read) AS i (account, number, at, was_read) GROUP BY i.account, i.number),
    changed AS (
        INSERT INTO notice_receipts AS r (notice_id, account_id, received_at, read_at)
        SELECT i.number, i.account, i.at, CASE WHEN i.was_read THEN i.at END
        FROM (SELECT g.number, array_agg(g.account) AS accounts FROM input g GROUP BY g.number) g
        JOIN notices n ON n.id = g.number AND n.state = 'published' AND n.published_offset IS NOT NULL
        CROSS JOIN LATERAL notice_people(n, g.accounts) AS p (account)
        JOIN input i ON i.number = g.number AND i.account = p.account
        ORDER BY i.number, i.account
        ON CONFLICT (notice_id, account_id) DO UPDATE SET read_at = excluded.read_at
        WHERE r.read_at IS NULL AND excluded.read_at IS NOT NULL
        RETURNING 1)
    SELECT count(*) FROM changed
$$;

-- Removes what has not held since a time. What is gone of the log is noted.
CREATE FUNCTION notice_prune(before timestamptz, count_max integer) RETURNS bigint LANGUAGE sql AS $$
    WITH gone AS (
        SELECT n.id FROM notices n WHERE n.expires_at < before AND n.state <> 'scheduled' ORDER BY n.expires_at LIMIT count_max
        FOR UPDATE SKIP LOCKED),
    noted AS (
        UPDATE notice_pruned p SET through = greatest(p.through,
            (SELECT max(l.at_offset) FROM notice_log l JOIN gone g ON g.id = l.notice_id)) WHERE p.id = 1),
    removed AS (DELETE FROM notices n USING gone g WHERE n.id = g.id RETURNING 1)
    SELECT count(*) FROM removed
$$;
