-- Shares of live locations (N-2, B-4, B-5): with whom, how exactly, until when, and who watched. Where anybody is, is in no table, but
-- for the answer to a question, until it is read.

CREATE SEQUENCE share_versions AS bigint;
CREATE TABLE shares (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id       uuid NOT NULL,
    audience        text NOT NULL CHECK (audience IN ('person', 'group', 'campus', 'link')),
    person_id       bigint REFERENCES accounts ON DELETE CASCADE,
    conversation_id bigint REFERENCES conversations ON DELETE CASCADE,
    -- Of a link's token only the SHA-256 is kept.
    token_hash      bytea UNIQUE,
    precision       text NOT NULL CHECK (precision IN ('exact', 'building', 'zone', 'campus')),
    session_id      bigint REFERENCES sessions ON DELETE SET NULL,
    -- Random: when a coarse precision is looked at.
    secret          bigint NOT NULL,
    started_at      timestamptz NOT NULL,
    chosen_at       timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL CHECK (expires_at > started_at),
    ended_at        timestamptz,
    end_reason      text CHECK (end_reason IN ('stopped', 'expired', 'session', 'blocked', 'group', 'disabled')),
    -- Grows with each change: what was read later is known to be newer.
    version         bigint NOT NULL DEFAULT nextval('share_versions'),
    -- Who watched it and has no line of their own in share_watches.
    more            integer NOT NULL DEFAULT 0,
    -- Whoever is concerned was told that it is over.
    is_told         boolean NOT NULL DEFAULT false,
    UNIQUE (account_id, client_id),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
    CHECK ((audience = 'person') = (person_id IS NOT NULL)),
    CHECK ((audience = 'group') = (conversation_id IS NOT NULL))
) WITH (fillfactor = 70);
CREATE INDEX shares_of_account ON shares (account_id, id);
CREATE INDEX shares_to_person ON shares (person_id);
CREATE INDEX shares_to_group ON shares (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX shares_of_session ON shares (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX shares_working_of_account ON shares (account_id) WHERE ended_at IS NULL;
CREATE INDEX shares_working ON shares (expires_at) WHERE ended_at IS NULL;
CREATE INDEX shares_campus ON shares (id) WHERE ended_at IS NULL AND audience = 'campus';
CREATE INDEX shares_untold ON shares (id) WHERE ended_at IS NOT NULL AND NOT is_told;
CREATE INDEX shares_ended ON shares (ended_at) WHERE ended_at IS NOT NULL;

-- Who was sent it, from when to when at the latest, how exactly, how often. Without an account: somebody with the link.
CREATE SEQUENCE share_openings AS bigint;
CREATE TABLE share_watches (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    share_id   bigint NOT NULL REFERENCES shares ON DELETE CASCADE,
    account_id bigint REFERENCES accounts ON DELETE CASCADE,
    -- One connection's, through changes of the precision; 0 for one that goes on to the end of the share; null for those who saw it on the
    -- map of everybody.
    opening    bigint,
    precision  text NOT NULL,
    from_at    timestamptz NOT NULL,
    to_at      timestamptz,
    times      integer NOT NULL DEFAULT 1
);
CREATE INDEX share_watches_of_share ON share_watches (share_id, from_at);
CREATE INDEX share_watches_of_viewer ON share_watches (share_id, coalesce(account_id, 0));
CREATE INDEX share_watches_of_account ON share_watches (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX share_watches_open ON share_watches (opening) WHERE to_at IS NULL AND opening IS NOT NULL;
CREATE UNIQUE INDEX share_watches_on_map ON share_watches (share_id, account_id, precision) WHERE opening IS NULL;

-- Questions where somebody is, and answers until they are read.
CREATE TABLE where_requests (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_id  uuid NOT NULL,
    from_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    to_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    state      text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'read', 'declined')),
    at         timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    answer     json,
    UNIQUE (from_id, client_id),
    CHECK (answer IS NULL OR state = 'answered')
);
CREATE INDEX where_requests_to ON where_requests (to_id, id);
CREATE INDEX where_requests_at ON where_requests (at);
CREATE INDEX where_requests_answered ON where_requests (expires_at) WHERE answer IS NOT NULL;

-- What somebody is called where another sees them: by the short name among buddies, those who were (they have their conversation) and
-- members of the same group, as in chats; by the username otherwise. `is_known`: they are in the same group, whoever looks.
CREATE FUNCTION share_name(viewer bigint, other bigint, is_known boolean DEFAULT false) RETURNS text LANGUAGE sql STABLE COST 1000 AS $$
    SELECT CASE WHEN is_known
            OR EXISTS (SELECT FROM buddies b WHERE b.low_id = least(viewer, other) AND b.high_id = greatest(viewer, other))
            OR EXISTS (SELECT FROM members i JOIN members u USING (conversation_id) JOIN conversations c ON c.id = conversation_id
                WHERE i.account_id = viewer AND u.account_id = other
                    AND (c.kind = 'direct' OR i.state = 'joined' AND u.state = 'joined'))
        THEN coalesce(p.first_name || ' ' || left(p.last_name, 1) || '.', a.username) ELSE a.username END
    FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id WHERE a.id = other
$$;

-- Whether an account (null: a guest) with the hash of a token (null: none) may watch a share that works.
CREATE FUNCTION share_visible(share shares, viewer bigint, hash bytea) RETURNS boolean LANGUAGE sql STABLE COST 1000 AS $$
    SELECT CASE
        WHEN share.account_id = viewer THEN true
        WHEN viewer IS NOT NULL AND event_parted(viewer, share.account_id) THEN false
        WHEN share.audience = 'link' THEN coalesce(share.token_hash = hash, false)
        WHEN viewer IS NULL THEN false
        WHEN share.audience = 'person' THEN share.person_id = viewer
        WHEN share.audience = 'group' THEN EXISTS (SELECT FROM members m
            WHERE m.conversation_id = share.conversation_id AND m.account_id = viewer AND m.state = 'joined')
        ELSE true
    END
$$;

-- Lines of one account in the receipt of a share, and of all guests.
CREATE FUNCTION share_lines_max(viewer bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN viewer IS NULL THEN 1000 ELSE 50 END
$$;

-- A line of the receipt; beyond so many the last one of that precision goes on to the end of the share instead, so that whoever opens a share
-- without end neither hides others nor how long they watched themselves. Gives whether it is one of its own. Call it with the share's
-- row locked.
CREATE FUNCTION share_line(share bigint, viewer bigint, number bigint, shown text, since timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM (SELECT FROM share_watches w
        WHERE w.share_id = share AND coalesce(w.account_id, 0) = coalesce(viewer, 0) AND w.opening IS NOT NULL
        LIMIT share_lines_max(viewer)) l) < share_lines_max(viewer)
    THEN
        INSERT INTO share_watches (share_id, account_id, opening, precision, from_at) VALUES (share, viewer, number, shown, since);
        RETURN true;
    END IF;
    UPDATE share_watches w SET opening = 0, to_at = NULL, times = w.times + 1 WHERE w.id = (
        SELECT l.id FROM share_watches l
        WHERE l.share_id = share AND coalesce(l.account_id, 0) = coalesce(viewer, 0) AND l.opening IS NOT NULL AND l.precision = shown
        ORDER BY l.id DESC LIMIT 1);
    IF NOT FOUND THEN
        INSERT INTO share_watches (share_id, account_id, opening, precision, from_at) VALUES (share, viewer, 0, shown, since);
    END IF;
    RETURN false;
END $$;

-- A connection opens a share: who it is gets written down before anything is sent. Gives the opening's number, 0 for the owner, null for
-- who may not. Under the lock of the share's row, so that none is open of a share that has ended.
CREATE FUNCTION share_open(share bigint, viewer bigint, hash bytea, opened timestamptz) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    known shares%ROWTYPE;
    number bigint;
BEGIN
    SELECT * INTO known FROM shares s WHERE s.id = share AND s.ended_at IS NULL AND s.expires_at > opened;
    -- Strangers lock nothing.
    IF NOT FOUND OR NOT share_visible(known, viewer, hash) THEN RETURN NULL; END IF;
    IF known.account_id = viewer THEN RETURN 0; END IF;
    SELECT * INTO known FROM shares s WHERE s.id = share AND s.ended_at IS NULL AND s.expires_at > opened FOR NO KEY UPDATE;
    IF NOT FOUND OR NOT share_visible(known, viewer, hash) THEN RETURN NULL; END IF;
    number := nextval('share_openings');
    IF NOT share_line(share, viewer, number, known.precision, greatest(opened, known.started_at)) AND viewer IS NULL THEN
        UPDATE shares s SET more = s.more + 1 WHERE s.id = share;
    END IF;
    RETURN number;
END $$;

-- Another precision: who watches it is written down anew.
CREATE FUNCTION share_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    closed record;
BEGIN
    IF NEW.ended_at IS NOT NULL THEN
        UPDATE share_watches w SET to_at = greatest(NEW.ended_at, w.from_at) WHERE w.share_id = NEW.id AND w.to_at IS NULL;
    ELSE
        FOR closed IN
            WITH closed AS (
                UPDATE share_watches w SET to_at = greatest(NEW.chosen_at, w.from_at) WHERE w.share_id = NEW.id AND w.to_at IS NULL
                RETURNING w.id, w.account_id, w.opening)
            SELECT * FROM closed c WHERE c.opening IS NOT NULL ORDER BY c.id
        LOOP
            PERFORM share_line(NEW.id, closed.account_id, closed.opening, NEW.precision, NEW.chosen_at);
        END LOOP;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER share_changed AFTER UPDATE OF ended_at, precision ON shares FOR EACH ROW
WHEN (OLD.ended_at IS NULL AND (NEW.ended_at IS NOT NULL OR NEW.precision <> OLD.precision)) EXECUTE FUNCTION share_changed();

CREATE FUNCTION share_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := nextval('share_versions');
    RETURN NEW;
END $$;
CREATE TRIGGER share_version BEFORE UPDATE OF ended_at, precision, expires_at ON shares FOR EACH ROW EXECUTE FUNCTION share_version();

-- What else ends shares does so in its own transaction, whoever runs it.
CREATE FUNCTION share_end_with_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'session'
    WHERE s.session_id = NEW.id AND s.ended_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER share_end_with_session AFTER UPDATE OF state ON sessions FOR EACH ROW
WHEN (NEW.state = 'finished' AND OLD.state <> 'finished') EXECUTE FUNCTION share_end_with_session();

CREATE FUNCTION share_end_with_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'group'
    WHERE s.conversation_id = OLD.conversation_id AND s.account_id = OLD.account_id AND s.ended_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER share_end_with_membership AFTER UPDATE OF state ON members FOR EACH ROW
WHEN (OLD.state = 'joined' AND NEW.state <> 'joined') EXECUTE FUNCTION share_end_with_membership();

-- Questions are void at once; whoever disables removes them and tells the others, with `Sharing.endQuestions`.
CREATE FUNCTION share_end_with_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'disabled'
    WHERE s.account_id = NEW.id AND s.ended_at IS NULL;
    UPDATE where_requests w SET answer = NULL, expires_at = least(w.expires_at, clock_timestamp())
    WHERE w.from_id = NEW.id OR w.to_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER share_end_with_account AFTER UPDATE OF disabled_at ON accounts FOR EACH ROW
WHEN (OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL) EXECUTE FUNCTION share_end_with_account();

-- Who blocks ends what they shared with the other. What the other shares with them goes on for its owner as with somebody who never
-- looks, and is shown to nobody: an end would tell of the block. The same with questions.
CREATE FUNCTION share_end_with_block() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'blocked'
    WHERE s.account_id = NEW.blocker_id AND s.person_id = NEW.blocked_id AND s.ended_at IS NULL;
    UPDATE share_watches w SET to_at = greatest(clock_timestamp(), w.from_at) FROM shares s
    WHERE w.share_id = s.id AND w.to_at IS NULL AND s.ended_at IS NULL
        AND (s.account_id, w.account_id) IN ((NEW.blocker_id, NEW.blocked_id), (NEW.blocked_id, NEW.blocker_id));
    -- An answer that was not read yet is void, as if nobody had read it in time.
    UPDATE where_requests w SET answer = NULL, expires_at = least(w.expires_at, clock_timestamp())
    WHERE w.state = 'answered' AND (w.from_id, w.to_id) IN ((NEW.blocker_id, NEW.blocked_id), (NEW.blocked_id, NEW.blocker_id));
    RETURN NULL;
END $$;
CREATE TRIGGER share_end_with_block AFTER INSERT OR UPDATE OF is_on ON blocks FOR EACH ROW
WHEN (NEW.is_on) EXECUTE FUNCTION share_end_with_block();

-- Asks somebody where they are; somebody who blocks the asker like everybody else. Gives why not: 'open' for too many that wait,
-- 'person' for too many to the same one. Under a lock of the asker's account.
CREATE FUNCTION where_ask(asker bigint, asked bigint, client uuid, asked_at timestamptz, expires timestamptz, open_max integer,
    person_max integer, OUT refusal text, OUT request bigint, OUT is_new boolean)
LANGUAGE plpgsql AS $$
BEGIN
    is_new := false;
    SELECT w.id INTO request FROM where_requests w WHERE w.from_id = asker AND w.client_id = client;
    IF FOUND THEN RETURN; END IF;
    IF (SELECT count(*) FROM where_requests w WHERE w.from_id = asker AND w.to_id = asked
        AND w.at > asked_at - interval '1 hour') >= person_max THEN refusal := 'person'; RETURN; END IF;
    IF (SELECT count(*) FROM where_requests w WHERE w.from_id = asker AND w.state = 'open' AND w.expires_at > asked_at) >= open_max
    THEN refusal := 'open'; RETURN; END IF;
    INSERT INTO where_requests (client_id, from_id, to_id, at, expires_at) VALUES (client, asker, asked, asked_at, expires)
    RETURNING id INTO request;
    is_new := true;
END $$;
