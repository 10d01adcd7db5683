-- Places that somebody saved, what they looked for, and where they were (N-2); and what is left to do of accounts that go (U-8).

CREATE TABLE saved_places (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id  uuid NOT NULL,
    name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 120),
    lat        double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lon        double precision NOT NULL CHECK (lon BETWEEN -180 AND 180),
    -- Of the campus; it stays where it was when that goes.
    place_id   bigint REFERENCES places ON DELETE SET NULL,
    saved_at   timestamptz NOT NULL,
    UNIQUE (account_id, client_id)
);
CREATE INDEX saved_places_of_place ON saved_places (place_id) WHERE place_id IS NOT NULL;

CREATE TABLE searches (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    text       text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 120),
    -- The same words in other letters are the same.
    text_key   text NOT NULL,
    place_id   bigint REFERENCES places ON DELETE SET NULL,
    at         timestamptz NOT NULL,
    UNIQUE (account_id, text_key)
);
CREATE INDEX searches_at ON searches (at);
CREATE INDEX searches_of_place ON searches (place_id) WHERE place_id IS NOT NULL;

-- A row a place and day: that somebody was there for five minutes, and neither when on that day nor for how long.
CREATE TABLE visits (
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('building', 'place')),
    subject_id bigint NOT NULL,
    day        date NOT NULL,
    PRIMARY KEY (account_id, kind, subject_id, day)
);
CREATE INDEX visits_day ON visits (day);

-- The account is going: whatever server finds it goes on with it.
ALTER TABLE accounts
    ADD COLUMN erasing_at timestamptz,
    -- By its owner: then its names go from the log of what admins did, too.
    ADD COLUMN is_erased_by_owner boolean NOT NULL DEFAULT false;
CREATE INDEX accounts_erasing ON accounts (id) WHERE erasing_at IS NOT NULL;

-- MARK: conversations of accounts that go

CREATE INDEX members_left ON members (account_id) WHERE state = 'left';

-- An account that goes is in no conversation from here on, so that it writes nothing more: whoever sends looks for the membership
-- under the same locks. A conversation of two ends; a group goes on with another owner, or ends with its last member. Gives those
-- whose logs went on.
CREATE FUNCTION chat_depart(account bigint, left_at timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    c record;
    heir bigint;
BEGIN
    PERFORM FROM conversations o WHERE o.id IN (
        SELECT m.conversation_id FROM members m WHERE m.account_id = account AND m.state <> 'left')
    ORDER BY o.id FOR NO KEY UPDATE;
    DELETE FROM buddies b WHERE b.low_id = account OR b.high_id = account;
    FOR c IN SELECT o.id, o.kind, o.is_open, m.role, m.state FROM members m JOIN conversations o ON o.id = m.conversation_id
        WHERE m.account_id = account AND m.state <> 'left' ORDER BY o.id
    LOOP
        UPDATE members m SET state = 'left', role = 'member', since = left_at
        WHERE m.conversation_id = c.id AND (m.account_id = account OR c.kind = 'direct');
        CONTINUE WHEN c.state <> 'joined' OR NOT c.is_open;
        IF c.kind = 'direct' THEN
            UPDATE conversations o SET is_open = false WHERE o.id = c.id;
            PERFORM chat_append(c.id, 'closed', NULL, left_at);
        ELSE
            PERFORM chat_append(c.id, 'left', account, left_at, of_member => account);
            SELECT m.account_id INTO heir FROM members m WHERE m.conversation_id = c.id AND m.state = 'joined'
            ORDER BY m.role = 'owner' DESC, m.role = 'admin' DESC, m.since, m.account_id LIMIT 1;
            IF heir IS NULL THEN
                UPDATE conversations o SET is_open = false WHERE o.id = c.id;
            ELSIF c.role = 'owner' THEN
                UPDATE members m SET role = 'owner' WHERE m.conversation_id = c.id AND m.account_id = heir;
                PERFORM chat_append(c.id, 'role', account, left_at, of_member => heir, new_role => 'owner');
            END IF;
        END IF;
        RETURN NEXT c.id;
    END LOOP;
END $$;

-- Removes conversations that an account was in and nobody is in any more, a piece at a time: its log, its pictures, then itself.
-- False when there was none.
CREATE FUNCTION chat_clear(account bigint, events_max integer, pictures_max integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    conversation bigint;
BEGIN
    SELECT m.conversation_id INTO conversation FROM members m WHERE m.account_id = account AND m.state = 'left'
        AND NOT EXISTS (SELECT FROM members o WHERE o.conversation_id = m.conversation_id AND o.state = 'joined')
    ORDER BY m.conversation_id LIMIT 1;
    IF NOT FOUND THEN RETURN false; END IF;
    DELETE FROM chat_log l WHERE l.conversation_id = conversation AND l.at_offset IN (
        SELECT o.at_offset FROM chat_log o WHERE o.conversation_id = conversation ORDER BY o.at_offset LIMIT events_max);
    IF FOUND THEN RETURN true; END IF;
    DELETE FROM pictures p WHERE p.id IN (SELECT o.id FROM pictures o WHERE o.conversation_id = conversation LIMIT pictures_max);
    IF FOUND THEN RETURN true; END IF;
    DELETE FROM conversations o WHERE o.id = conversation;
    RETURN true;
END $$;

-- What an account wrote in groups: the words and pictures go, here and where the last versions of changed messages are kept, and whoever has the
-- group open is told as of any deleted message. What is done has no author any more, so the next call goes on behind it. Gives nothing
-- when there was none; without `messages_max` all is done.
CREATE FUNCTION chat_erase(account bigint, erased timestamptz, messages_max integer DEFAULT NULL) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
DECLARE
    m record;
BEGIN
    FOR m IN
        WITH mine AS MATERIALIZED (
            SELECT l.conversation_id, l.at_offset, l.deleted_at FROM chat_log l WHERE l.author_id = account AND l.kind = 'message'
            LIMIT messages_max)
        SELECT * FROM mine ORDER BY mine.conversation_id, mine.at_offset
    LOOP
        -- As everybody does who writes there: the conversation first.
        PERFORM FROM conversations WHERE id = m.conversation_id FOR NO KEY UPDATE;
        DELETE FROM retracted r WHERE r.conversation_id = m.conversation_id AND r.at_offset = m.at_offset;
        UPDATE chat_log SET author_id = NULL, body = NULL, picture_id = NULL, picture_width = NULL, picture_height = NULL,
            deleted_at = coalesce(deleted_at, erased)
        WHERE conversation_id = m.conversation_id AND at_offset = m.at_offset AND author_id = account;
        CONTINUE WHEN NOT FOUND;
        IF m.deleted_at IS NULL THEN
            DELETE FROM reactions WHERE conversation_id = m.conversation_id AND at_offset = m.at_offset;
            PERFORM chat_append(m.conversation_id, 'deleted', NULL, erased, m.at_offset);
        END IF;
        RETURN NEXT m.conversation_id;
    END LOOP;
END $$;

-- What else an account did in a conversation that it has left is nobody's any more, and names that it gave are gone from the log; so
-- many events behind an offset. Gives where to go on. With the last of it its membership goes: nothing is looked for there again.
CREATE FUNCTION chat_forget(account bigint, conversation bigint, after bigint, events_max bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    head bigint := (SELECT c.head_offset FROM conversations c WHERE c.id = conversation);
BEGIN
    UPDATE chat_log l SET author_id = nullif(l.author_id, account), member_id = nullif(l.member_id, account),
        body = CASE WHEN l.kind <> 'renamed' THEN l.body END
    WHERE l.conversation_id = conversation AND l.at_offset > after AND l.at_offset <= after + events_max
        AND account IN (l.author_id, l.member_id);
    IF after + events_max < head THEN RETURN after + events_max; END IF;
    DELETE FROM members m WHERE m.conversation_id = conversation AND m.account_id = account AND m.state = 'left';
    RETURN NULL;
END $$;

-- As in 0008, of what the steps above have left.
CREATE OR REPLACE FUNCTION chat_forget_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE chat_log l SET author_id = nullif(l.author_id, OLD.id), member_id = nullif(l.member_id, OLD.id),
        body = CASE WHEN l.kind <> 'renamed' THEN l.body END
    FROM members m WHERE m.account_id = OLD.id AND l.conversation_id = m.conversation_id
        AND OLD.id IN (l.author_id, l.member_id);
    RETURN OLD;
END $$;

-- MARK: events of accounts that go

-- As in 0021; and of what others go to, the title stays alone: neither where it was to be nor what the account told its people.
CREATE OR REPLACE FUNCTION event_leave(account bigint, left_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- All that this will touch, and in one order, before anything else: who answers has the event's row first, too.
    PERFORM FROM events e
    WHERE e.owner_id = account OR e.id IN (SELECT p.event_id FROM event_people p WHERE p.account_id = account)
    ORDER BY e.id FOR NO KEY UPDATE;
    PERFORM notice_take_back(ARRAY(
        SELECT n.id FROM notices n JOIN events e ON e.id = n.event_id AND e.audience <> 'campus' WHERE n.author_id = account), left_at);
    UPDATE notices n SET title = 'Withdrawn', body = NULL WHERE n.author_id = account AND n.kind = 'event'
        AND NOT EXISTS (SELECT FROM events e WHERE e.id = n.event_id AND e.audience = 'campus');
    WITH kept AS (
        SELECT e.id, e.state FROM events e WHERE e.owner_id = account AND e.audience <> 'campus' AND e.state <> 'draft'
            AND e.ends_at > left_at AND EXISTS (SELECT FROM event_people p WHERE p.event_id = e.id AND p.account_id <> account
                AND (p.answer IN ('going', 'maybe') OR p.answer IS NULL AND (p.is_saved OR p.invited_at IS NOT NULL)))),
    cancelled AS (
        UPDATE events e SET owner_id = NULL, state = 'cancelled', description = NULL, workout = NULL, place = '-',
            position = NULL, zone_id = NULL, changed_at = left_at,
            revision = e.revision + CASE k.state WHEN 'published' THEN 1 ELSE 0 END,
            cancel_reason = CASE k.state WHEN 'published' THEN 'Whoever made it has left.' END
        FROM kept k WHERE e.id = k.id RETURNING e.id, k.state)
    INSERT INTO event_news (event_id, news) SELECT c.id, 'cancelled' FROM cancelled c WHERE c.state = 'published';
    DELETE FROM events e WHERE e.owner_id = account AND (e.audience <> 'campus' OR e.state = 'draft');
END $$;

-- MARK: the log of what admins did

-- The log of what admins did stays, without the names of an account that is gone: as the owner of the table, for the server's role,
-- which may not change rows.
CREATE FUNCTION audit_forget(account bigint) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.audit_log SET
        actor_name = CASE WHEN actor_id = account THEN 'account ' || account ELSE actor_name END,
        address = CASE WHEN actor_id = account THEN NULL ELSE address END,
        subject_name = CASE WHEN subject_kind = 'user' AND subject_id = account THEN 'account ' || account ELSE subject_name END,
        details = CASE WHEN subject_kind = 'user' AND subject_id = account THEN details - 'username' - 'email' - 'reason' ELSE details END
    WHERE (actor_id = account OR subject_kind = 'user' AND subject_id = account)
        -- Nobody's who is not going, or whom an admin removes.
        AND EXISTS (SELECT FROM public.accounts a WHERE a.id = account AND a.erasing_at IS NOT NULL AND a.is_erased_by_owner)
$$;
