-- Conversations (C-7, W-5, B-6). The log of a conversation has gapless offsets, given under the lock of its row by the
-- transaction that commits them, as those of `topics`; it is read by the same code.

CREATE TABLE conversations (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('direct', 'group')),
    -- Of a direct one: the two, the smaller number first.
    low_id      bigint REFERENCES accounts ON DELETE CASCADE,
    high_id     bigint REFERENCES accounts ON DELETE CASCADE,
    name        text CHECK (char_length(name) BETWEEN 1 AND 60),
    purpose     text CHECK (purpose IN ('workout', 'event')),
    created_by  bigint REFERENCES accounts ON DELETE SET NULL,
    client_id   uuid,
    created_at  timestamptz NOT NULL,
    is_open     boolean NOT NULL DEFAULT true,
    epoch       bigint NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000),
    head_offset bigint NOT NULL DEFAULT 0 CHECK (head_offset >= 0),
    UNIQUE (low_id, high_id),
    UNIQUE (created_by, client_id),
    CHECK (low_id < high_id),
    CHECK ((kind = 'direct') = (low_id IS NOT NULL)),
    CHECK ((kind = 'group') = (name IS NOT NULL))
) WITH (fillfactor = 50);

CREATE TABLE members (
    conversation_id  bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
    account_id       bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    role             text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    state            text NOT NULL CHECK (state IN ('invited', 'joined', 'left')),
    invited_by       bigint REFERENCES accounts ON DELETE SET NULL,
    since            timestamptz NOT NULL,
    -- What is up to here was before the member's time, and is not shown.
    from_offset      bigint NOT NULL DEFAULT 0,
    read_offset      bigint NOT NULL DEFAULT 0,
    delivered_offset bigint NOT NULL DEFAULT 0,
    is_opened        boolean NOT NULL DEFAULT false,
    -- `infinity` until it is taken back.
    muted_until      timestamptz,
    PRIMARY KEY (conversation_id, account_id)
) WITH (fillfactor = 70);
CREATE INDEX members_of_account ON members (account_id) WHERE state <> 'left';

-- What happened in a conversation. A message's row is what it is now: edited or deleted, its former text is here no more.
-- Without foreign keys: whoever writes looks up conversation and member under a lock anyway, and each key would cost a second
-- look-up and a lock for every message. What becomes of rows whose conversation or account goes is said by triggers below.
CREATE TABLE chat_log (
    conversation_id bigint NOT NULL,
    at_offset       bigint NOT NULL CHECK (at_offset > 0),
    kind            text NOT NULL CHECK (kind IN (
        'message', 'edited', 'deleted', 'reaction', 'joined', 'left', 'removed', 'role', 'renamed', 'opened', 'closed')),
    author_id       bigint,
    at              timestamptz NOT NULL,
    -- Messages: the sender's own number, what it says, its picture, what it answers.
    client_id       uuid,
    body            text,
    picture_id      uuid,
    picture_width   integer,
    picture_height  integer,
    reply_to        bigint,
    edited_at       timestamptz,
    deleted_at      timestamptz,
    -- Edits, deletions and reactions: the message's offset.
    target          bigint,
    emoji           text,
    is_on           boolean,
    -- Members: who, and the new role; names: the new one is in `body`.
    member_id       bigint,
    role            text,
    PRIMARY KEY (conversation_id, at_offset)
);
CREATE UNIQUE INDEX chat_log_client_id ON chat_log (author_id, client_id, conversation_id) WHERE kind = 'message';
CREATE INDEX chat_log_text ON chat_log USING gin (to_tsvector('simple', body)) WHERE kind = 'message' AND body IS NOT NULL;

-- An account goes: what it did in conversations is nobody's any more. Before its memberships go, which say where that is.
CREATE FUNCTION chat_forget_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE chat_log l SET author_id = nullif(l.author_id, OLD.id), member_id = nullif(l.member_id, OLD.id)
    FROM members m WHERE m.account_id = OLD.id AND l.conversation_id = m.conversation_id
        AND OLD.id IN (l.author_id, l.member_id);
    RETURN OLD;
END $$;
CREATE TRIGGER chat_forget_account BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION chat_forget_account();

CREATE FUNCTION chat_forget_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM chat_log WHERE conversation_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER chat_forget_conversation AFTER DELETE ON conversations FOR EACH ROW EXECUTE FUNCTION chat_forget_conversation();

ALTER TABLE pictures ADD FOREIGN KEY (conversation_id) REFERENCES conversations ON DELETE CASCADE;

CREATE TABLE reactions (
    conversation_id bigint NOT NULL,
    at_offset       bigint NOT NULL,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    emoji           text NOT NULL,
    PRIMARY KEY (conversation_id, at_offset, account_id, emoji),
    FOREIGN KEY (conversation_id, at_offset) REFERENCES chat_log ON DELETE CASCADE
);
CREATE INDEX reactions_of_account ON reactions (account_id);

-- What was edited away or deleted, kept for a while as evidence for reports alone.
CREATE TABLE retracted (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id bigint NOT NULL,
    at_offset       bigint NOT NULL,
    body            text,
    picture_id      uuid,
    at              timestamptz NOT NULL,
    FOREIGN KEY (conversation_id, at_offset) REFERENCES chat_log ON DELETE CASCADE
);
CREATE INDEX retracted_of_message ON retracted (conversation_id, at_offset);
CREATE INDEX retracted_at ON retracted (at);

-- What one lets others know; no row is all of it.
CREATE TABLE chat_settings (
    account_id      bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    sends_read      boolean NOT NULL DEFAULT true,
    sends_delivered boolean NOT NULL DEFAULT true,
    sends_typing    boolean NOT NULL DEFAULT true
);

-- Found a match.
CREATE TABLE buddies (
    low_id          bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    high_id         bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    conversation_id bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
    matched_at      timestamptz NOT NULL,
    PRIMARY KEY (low_id, high_id),
    CHECK (low_id < high_id)
);
CREATE INDEX buddies_high ON buddies (high_id);

-- Adds an event to a conversation's log, under the lock of its row. Gives its offset.
CREATE FUNCTION chat_append(
    conversation bigint, event_kind text, author bigint, event_at timestamptz, of_target bigint DEFAULT NULL,
    with_emoji text DEFAULT NULL, now_on boolean DEFAULT NULL, of_member bigint DEFAULT NULL, new_role text DEFAULT NULL,
    with_body text DEFAULT NULL)
RETURNS bigint LANGUAGE sql AS $$
    WITH moved AS (
        UPDATE conversations SET head_offset = head_offset + 1 WHERE id = conversation RETURNING id, head_offset)
    INSERT INTO chat_log (conversation_id, at_offset, kind, author_id, at, target, emoji, is_on, member_id, role, body)
    SELECT id, head_offset, event_kind, author, event_at, of_target, with_emoji, now_on, of_member, new_role, with_body
    FROM moved RETURNING at_offset
$$;

-- Sends messages: what is new is appended to its conversation, what came before is found again. One statement over the whole group,
-- whose plan stays: each message costs a few look-ups by index, and what goes for all goes by windows, as a join of unknown sizes
-- would compare all with all. It sees, under the locks, what was committed before. The plan is made while the tables are
-- still empty and any index looks as good as another: conditions are written such that only the right one can be used.
CREATE FUNCTION chat_post(
    conversation_ids bigint[], author_ids bigint[], client_ids uuid[], times timestamptz[], bodies text[],
    picture_ids uuid[], replies bigint[])
RETURNS TABLE (n bigint, at_offset bigint, epoch bigint, at timestamptz, is_new boolean, reply_to bigint,
    picture_width integer, picture_height integer, refusal text)
LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM conversations c WHERE c.id = ANY (conversation_ids) ORDER BY c.id FOR NO KEY UPDATE;
    -- A picture is sent once, whoever sends it at the same moment.
    IF cardinality(array_remove(picture_ids, NULL)) > 0 THEN
        PERFORM FROM pictures p WHERE p.id = ANY (picture_ids) ORDER BY p.id FOR NO KEY UPDATE;
    END IF;
    RETURN QUERY
    WITH known AS MATERIALIZED (
        SELECT i.*, c.epoch, c.head_offset, l.at_offset AS old_offset, l.at AS old_at, l.reply_to AS old_reply,
            coalesce(l.picture_width, p.width) AS width, coalesce(l.picture_height, p.height) AS height,
            m.account_id IS NOT NULL AND c.is_open AS is_member, i.picture_id IS NULL OR p.id IS NOT NULL AS has_picture,
            CASE WHEN i.reply_to IS NOT NULL THEN (
                SELECT r.at_offset FROM chat_log r WHERE r.conversation_id = i.conversation_id
                    AND r.at_offset = i.reply_to AND r.kind = 'message' AND r.at_offset > m.from_offset) END AS answers,
            row_number() OVER (PARTITION BY i.conversation_id, i.author_id, i.client_id ORDER BY i.n) AS nth,
            CASE WHEN i.picture_id IS NULL THEN 1 ELSE row_number() OVER (PARTITION BY i.picture_id ORDER BY i.n) END AS nth_use
        FROM unnest(conversation_ids, author_ids, client_ids, times, bodies, picture_ids, replies)
            WITH ORDINALITY AS i (conversation_id, author_id, client_id, at, body, picture_id, reply_to, n)
        LEFT JOIN conversations c ON c.id = i.conversation_id
        LEFT JOIN members m ON m.conversation_id = i.conversation_id AND m.account_id = i.author_id
            AND (m.state = 'joined') IS TRUE
        LEFT JOIN LATERAL (
            SELECT l.* FROM chat_log l WHERE l.author_id = i.author_id AND l.client_id = i.client_id
                AND l.conversation_id + 0 = i.conversation_id AND l.kind = 'message' LIMIT 1) l ON true
        LEFT JOIN LATERAL (
            SELECT p.* FROM pictures p WHERE i.picture_id IS NOT NULL AND p.id = i.picture_id
                AND p.owner_id + 0 = i.author_id AND p.purpose = 'chat' AND p.at_offset IS NULL LIMIT 1) p ON true),
    judged AS (
        SELECT k.*, k.is_member AND k.old_offset IS NULL AND k.has_picture AND k.nth = 1 AND k.nth_use = 1 AS is_fresh
        FROM known k),
    placed AS MATERIALIZED (
        SELECT j.*, CASE WHEN j.is_fresh THEN j.head_offset + count(*) FILTER (WHERE j.is_fresh)
            OVER (PARTITION BY j.conversation_id ORDER BY j.n ROWS UNBOUNDED PRECEDING) END AS new_offset
        FROM judged j),
    moved AS (
        UPDATE conversations c SET head_offset = f.last
        FROM (SELECT p.conversation_id, max(p.new_offset) AS last FROM placed p WHERE p.is_fresh
            GROUP BY p.conversation_id) f
        WHERE c.id = f.conversation_id),
    written AS (
        INSERT INTO chat_log (conversation_id, at_offset, kind, author_id, at, client_id, body, picture_id, picture_width,
            picture_height, reply_to)
        SELECT p.conversation_id, p.new_offset, 'message', p.author_id, p.at, p.client_id, p.body, p.picture_id, p.width,
            p.height, p.answers
        FROM placed p WHERE p.is_fresh ORDER BY p.n),
    used AS (
        UPDATE pictures u SET conversation_id = p.conversation_id, at_offset = p.new_offset
        FROM placed p WHERE p.is_fresh AND p.picture_id IS NOT NULL AND u.id = p.picture_id)
    -- What came twice is where the first of it is.
    SELECT p.n, coalesce(p.old_offset, first_value(p.new_offset) OVER twins) AS at_offset, p.epoch,
        coalesce(p.old_at, first_value(p.at) OVER twins), p.is_fresh, coalesce(p.old_reply, first_value(p.answers) OVER twins),
        p.width, p.height,
        CASE WHEN NOT p.is_member THEN 'notMember'
            WHEN p.old_offset IS NULL AND first_value(p.new_offset) OVER twins IS NULL THEN 'picture' END
    FROM placed p
    WINDOW twins AS (PARTITION BY p.conversation_id, p.author_id, p.client_id ORDER BY p.n)
    ORDER BY p.n;
END $$;

-- What a change of a message comes to: why not, or where it is in the log; nowhere when there was nothing to change.
CREATE TYPE chat_change AS (refusal text, at_offset bigint, epoch bigint);

-- Whether an account may change a message, under the lock of its conversation.
CREATE FUNCTION chat_message(conversation bigint, account bigint, message bigint, OUT refusal text, OUT epoch bigint,
    OUT author bigint, OUT may_moderate boolean, OUT is_deleted boolean)
LANGUAGE plpgsql AS $$
DECLARE
    member members%ROWTYPE;
    is_group boolean;
BEGIN
    SELECT c.epoch, c.kind = 'group' INTO epoch, is_group FROM conversations c
    WHERE c.id = conversation AND c.is_open FOR NO KEY UPDATE;
    SELECT * INTO member FROM members m
    WHERE m.conversation_id = conversation AND m.account_id = account AND m.state = 'joined';
    IF epoch IS NULL OR member.account_id IS NULL THEN refusal := 'notMember'; RETURN; END IF;
    SELECT l.author_id, l.deleted_at IS NOT NULL INTO author, is_deleted FROM chat_log l
    WHERE l.conversation_id = conversation AND l.at_offset = message AND l.kind = 'message'
        AND l.at_offset > member.from_offset;
    IF NOT FOUND THEN refusal := 'notFound'; RETURN; END IF;
    may_moderate := is_group AND member.role IN ('owner', 'admin');
END $$;

CREATE FUNCTION chat_edit(conversation bigint, account bigint, message bigint, new_body text, edited timestamptz, since timestamptz)
RETURNS chat_change LANGUAGE plpgsql AS $$
DECLARE
    known record;
    was record;
    change chat_change;
BEGIN
    SELECT * INTO known FROM chat_message(conversation, account, message);
    change.refusal := known.refusal;
    change.epoch := known.epoch;
    IF known.refusal IS NOT NULL THEN RETURN change; END IF;
    SELECT l.body, l.picture_id, l.at INTO was FROM chat_log l
    WHERE l.conversation_id = conversation AND l.at_offset = message;
    change.refusal := CASE WHEN known.author IS DISTINCT FROM account THEN 'notYours' WHEN known.is_deleted THEN 'deleted'
        WHEN was.at < since THEN 'tooLate' WHEN new_body IS NULL AND was.picture_id IS NULL THEN 'empty' END;
    IF change.refusal IS NOT NULL OR was.body IS NOT DISTINCT FROM new_body THEN RETURN change; END IF;
    INSERT INTO retracted (conversation_id, at_offset, body, at) VALUES (conversation, message, was.body, edited);
    UPDATE chat_log SET body = new_body, edited_at = edited WHERE conversation_id = conversation AND at_offset = message;
    change.at_offset := chat_append(conversation, 'edited', account, edited, message);
    RETURN change;
END $$;

CREATE FUNCTION chat_delete(conversation bigint, account bigint, message bigint, deleted timestamptz)
RETURNS chat_change LANGUAGE plpgsql AS $$
DECLARE
    known record;
    change chat_change;
BEGIN
    SELECT * INTO known FROM chat_message(conversation, account, message);
    change.epoch := known.epoch;
    change.refusal := coalesce(known.refusal,
        CASE WHEN known.author IS DISTINCT FROM account AND NOT known.may_moderate THEN 'notYours' END);
    IF change.refusal IS NOT NULL OR known.is_deleted THEN RETURN change; END IF;
    INSERT INTO retracted (conversation_id, at_offset, body, picture_id, at)
    SELECT conversation, message, l.body, l.picture_id, deleted FROM chat_log l
    WHERE l.conversation_id = conversation AND l.at_offset = message;
    UPDATE chat_log SET body = NULL, picture_id = NULL, picture_width = NULL, picture_height = NULL, deleted_at = deleted
    WHERE conversation_id = conversation AND at_offset = message;
    DELETE FROM reactions WHERE conversation_id = conversation AND at_offset = message;
    change.at_offset := chat_append(conversation, 'deleted', account, deleted, message);
    RETURN change;
END $$;

CREATE FUNCTION chat_react(conversation bigint, account bigint, message bigint, with_emoji text, now_on boolean, at timestamptz)
RETURNS chat_change LANGUAGE plpgsql AS $$
DECLARE
    known record;
    change chat_change;
BEGIN
    SELECT * INTO known FROM chat_message(conversation, account, message);
    change.epoch := known.epoch;
    change.refusal := coalesce(known.refusal, CASE WHEN known.is_deleted THEN 'deleted' END);
    IF change.refusal IS NOT NULL THEN RETURN change; END IF;
    IF now_on THEN
        INSERT INTO reactions VALUES (conversation, message, account, with_emoji) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM reactions r WHERE r.conversation_id = conversation AND r.at_offset = message
            AND r.account_id = account AND r.emoji = with_emoji;
    END IF;
    IF FOUND THEN change.at_offset := chat_append(conversation, 'reaction', account, at, message, with_emoji, now_on); END IF;
    RETURN change;
END $$;

-- Opens the conversation of two who matched, or opens theirs again: what they wrote before is not shown again.
CREATE FUNCTION chat_open_direct(one bigint, other bigint, opened_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    conversation bigint;
    last_offset bigint;
BEGIN
    INSERT INTO conversations (kind, low_id, high_id, created_at)
    VALUES ('direct', least(one, other), greatest(one, other), opened_at)
    ON CONFLICT (low_id, high_id) DO UPDATE SET is_open = true RETURNING id INTO conversation;
    last_offset := chat_append(conversation, 'opened', NULL, opened_at);
    INSERT INTO members AS m (conversation_id, account_id, role, state, since, from_offset, read_offset, delivered_offset)
    SELECT conversation, a, 'member', 'joined', opened_at, last_offset - 1, last_offset, last_offset
    FROM unnest(ARRAY[one, other]) a
    ON CONFLICT (conversation_id, account_id) DO UPDATE SET state = 'joined', since = excluded.since,
        from_offset = excluded.from_offset, read_offset = excluded.read_offset,
        delivered_offset = excluded.delivered_offset, is_opened = false, muted_until = NULL
    WHERE m.state <> 'joined';
    RETURN conversation;
END $$;

-- Ends the conversation of two: neither reads nor writes it any more. Gives its number, or nothing when there was none open.
CREATE FUNCTION chat_close_direct(by_whom bigint, other bigint, closed_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    conversation bigint;
BEGIN
    UPDATE conversations SET is_open = false
    WHERE low_id = least(by_whom, other) AND high_id = greatest(by_whom, other) AND is_open
    RETURNING id INTO conversation;
    IF conversation IS NULL THEN RETURN NULL; END IF;
    PERFORM chat_append(conversation, 'closed', NULL, closed_at);
    UPDATE members SET state = 'left', since = closed_at WHERE conversation_id = conversation;
    RETURN conversation;
END $$;
