-- Functions of conversations: sending, changing, reacting, opening, closing and searching.

-- MARK: Log

-- Appends an event to a conversation's log, under the lock of the conversation's row, and returns its offset.
CREATE OR REPLACE FUNCTION chat_append(
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

-- Sends a group of messages. It appends new messages to their conversations, and finds messages that were stored before. The caller
-- guarantees that no client id and no picture occurs twice in the group.
--
-- One statement handles the whole group. Each message costs a few index lookups. One window function numbers all messages, because a join
-- of sets of unknown size would compare each message with each other one. The statement runs after the locks are taken, so it sees
-- everything that was committed before. A reply to a message that its author must not see is stored without the reference; only replies
-- cost this lookup.
CREATE OR REPLACE FUNCTION chat_post(
    conversation_ids bigint[], author_ids bigint[], client_ids uuid[], times timestamptz[], bodies text[],
    picture_ids uuid[], replies bigint[])
RETURNS TABLE (n bigint, at_offset bigint, epoch bigint, at timestamptz, is_new boolean, reply_to bigint,
    picture_width integer, picture_height integer, refusal text)
-- PostgreSQL takes a plan for one message for cheaper than the generic one, and plans each call anew, which takes five times as long.
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM conversations c WHERE c.id = ANY (conversation_ids) ORDER BY c.id FOR NO KEY UPDATE;
    -- The lock prevents two messages at the same moment from using the same picture.
    IF cardinality(array_remove(picture_ids, NULL)) > 0 THEN
        PERFORM FROM pictures p WHERE p.id = ANY (picture_ids) ORDER BY p.id FOR NO KEY UPDATE;
    END IF;
    RETURN QUERY
    WITH known AS (
        SELECT i.*, c.epoch, c.head_offset, l.at_offset AS old_offset, l.at AS old_at, l.reply_to AS old_reply,
            coalesce(l.picture_width, p.width) AS width, coalesce(l.picture_height, p.height) AS height,
            CASE WHEN m.account_id IS NULL OR NOT c.is_open THEN 'notMember'
                WHEN l.at_offset IS NULL AND i.picture_id IS NOT NULL AND p.id IS NULL THEN 'picture' END AS refusal,
            CASE WHEN i.reply_to IS NOT NULL THEN (
                SELECT r.at_offset FROM chat_log r WHERE r.conversation_id = i.conversation_id
                    AND r.at_offset = i.reply_to AND r.kind = 'message' AND r.at_offset > m.from_offset
                    AND NOT EXISTS (SELECT FROM blocks_between(i.author_id, r.author_id))) END AS answers
        FROM unnest(conversation_ids, author_ids, client_ids, times, bodies, picture_ids, replies)
            WITH ORDINALITY AS i (conversation_id, author_id, client_id, at, body, picture_id, reply_to, n)
        LEFT JOIN conversations c ON c.id = i.conversation_id
        LEFT JOIN members m ON m.conversation_id = i.conversation_id AND m.account_id = i.author_id
            AND (m.state = 'joined') IS TRUE
        LEFT JOIN LATERAL (
            SELECT l.* FROM chat_log l WHERE l.author_id = i.author_id AND l.client_id = i.client_id
                AND l.conversation_id = i.conversation_id AND l.kind = 'message' LIMIT 1) l ON true
        LEFT JOIN LATERAL (
            SELECT p.* FROM pictures p WHERE i.picture_id IS NOT NULL AND p.id = i.picture_id
                AND p.owner_id = i.author_id AND p.purpose = 'chat' AND p.at_offset IS NULL LIMIT 1) p ON true),
    placed AS MATERIALIZED (
        SELECT k.*, k.refusal IS NULL AND k.old_offset IS NULL AS is_fresh,
            k.head_offset + row_number() OVER (
                PARTITION BY k.conversation_id, k.refusal IS NULL AND k.old_offset IS NULL ORDER BY k.n) AS new_offset
        FROM known k),
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
        FROM placed p WHERE p.is_fresh),
    used AS (
        UPDATE pictures u SET conversation_id = p.conversation_id, at_offset = p.new_offset
        FROM placed p WHERE p.is_fresh AND p.picture_id IS NOT NULL AND u.id = p.picture_id)
    SELECT p.n, coalesce(p.old_offset, p.new_offset), p.epoch, coalesce(p.old_at, p.at), p.is_fresh,
        CASE WHEN p.is_fresh THEN p.answers ELSE p.old_reply END, p.width, p.height, p.refusal
    FROM placed p;
END $$;

-- MARK: Changes of messages

-- Checks whether an account may change a message, under the lock of the message's conversation.
CREATE OR REPLACE FUNCTION chat_message(conversation bigint, account bigint, message bigint, OUT refusal text, OUT epoch bigint,
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

-- Changes the text of the account's own message. The number of edits is limited, because each former text is kept as evidence.
CREATE OR REPLACE FUNCTION chat_edit(conversation bigint, account bigint, message bigint, new_body text, edited timestamptz,
    since timestamptz, edits_max integer DEFAULT 50)
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
    IF (SELECT count(*) FROM retracted r WHERE r.conversation_id = conversation AND r.at_offset = message) >= edits_max THEN
        change.refusal := 'tooOften';
        RETURN change;
    END IF;
    INSERT INTO retracted (conversation_id, at_offset, body, at) VALUES (conversation, message, was.body, edited);
    UPDATE chat_log SET body = new_body, edited_at = edited WHERE conversation_id = conversation AND at_offset = message;
    change.at_offset := chat_append(conversation, 'edited', account, edited, message);
    RETURN change;
END $$;

CREATE OR REPLACE FUNCTION chat_delete(conversation bigint, account bigint, message bigint, deleted timestamptz)
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

-- Adds or removes a reaction. If a block hides the message, the refusal is the same as for a message that does not exist.
CREATE OR REPLACE FUNCTION chat_react(conversation bigint, account bigint, message bigint, with_emoji text, now_on boolean, at timestamptz)
RETURNS chat_change LANGUAGE plpgsql AS $$
DECLARE
    known record;
    change chat_change;
BEGIN
    SELECT * INTO known FROM chat_message(conversation, account, message);
    change.epoch := known.epoch;
    change.refusal := coalesce(known.refusal,
        CASE WHEN EXISTS (SELECT FROM blocks_between(account, known.author)) THEN 'notFound' WHEN known.is_deleted THEN 'deleted' END);
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

-- MARK: Direct conversations

-- Opens the conversation of two accounts that matched. A reopened conversation does not show the messages from before.
CREATE OR REPLACE FUNCTION chat_open_direct(one bigint, other bigint, opened_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- Closes the conversation of two accounts, so that neither can read or write in it. Returns its id, or NULL if none was open.
CREATE OR REPLACE FUNCTION chat_close_direct(by_whom bigint, other bigint, closed_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- MARK: Search

-- The newest offset of a conversation's log before a moment; 0 for none. The log is in the order of time, apart from differences between
-- the clocks of servers.
CREATE OR REPLACE FUNCTION chat_before(conversation bigint, head bigint, moment timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    low bigint := 0;
    high bigint := head;
    middle bigint;
BEGIN
    WHILE low < high LOOP
        middle := (low + high + 1) / 2;
        IF EXISTS (SELECT FROM chat_log l WHERE l.conversation_id = conversation AND l.at_offset = middle AND l.at >= moment) THEN
            high := middle - 1;
        ELSE
            low := middle;
        END IF;
    END LOOP;
    RETURN low;
END $$;

-- A page of messages before a moment, newest first, that match all patterns.
--
-- The function reads about the newest `scanned_max` events before the moment, divided among the account's open conversations. Therefore the
-- cost does not depend on the messages of others. Text is found in any script, because no parser splits it into words. The function reads
-- `slack` more events of each conversation, because the clocks of servers differ.
--
-- If older messages were not read, an additional row has only `further`. The next page is the one before that moment.
CREATE OR REPLACE FUNCTION chat_search(
    account bigint, patterns text[], hidden bigint[], before timestamptz, only_conversation bigint, found_max bigint,
    scanned_max bigint, each_min bigint, slack bigint)
RETURNS TABLE (conversation_id bigint, at_offset bigint, author_id bigint, at timestamptz, body text, name text, buddy_id bigint,
    further timestamptz)
LANGUAGE plpgsql STABLE
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    patterns := ARRAY(SELECT lower(p) FROM unnest(patterns) p);
    RETURN QUERY
    WITH mine AS MATERIALIZED (
        SELECT m.conversation_id, m.from_offset, c.head_offset, c.name,
            CASE WHEN c.low_id = account THEN c.high_id ELSE c.low_id END AS buddy_id,
            CASE WHEN before IS NULL THEN c.head_offset ELSE chat_before(c.id, c.head_offset, before) END AS top,
            greatest(each_min, scanned_max / count(*) OVER ()) AS share
        FROM members m JOIN conversations c ON c.id = m.conversation_id
        WHERE m.account_id = account AND m.state = 'joined' AND c.is_open
            AND (only_conversation IS NULL OR m.conversation_id = only_conversation)),
    spans AS MATERIALIZED (
        SELECT s.*, least(s.head_offset, s.top + slack) AS last, greatest(s.from_offset, s.top - s.share) AS rest FROM mine s),
    -- Time back to which every conversation was read.
    horizon AS MATERIALIZED (
        SELECT CASE WHEN count(*) > 0 THEN least(max(l.at), before - interval '2 milliseconds') END AS at
        FROM spans s JOIN chat_log l ON l.conversation_id = s.conversation_id AND l.at_offset = s.rest + 1
        WHERE s.rest > s.from_offset),
    found AS (
        SELECT l.conversation_id, l.at_offset, l.author_id, l.at, l.body, s.name, s.buddy_id
        FROM spans s JOIN LATERAL (
            SELECT l.* FROM chat_log l
            WHERE l.conversation_id = s.conversation_id AND l.at_offset > s.rest AND l.at_offset <= s.last
                AND l.kind = 'message' AND l.author_id <> ALL (hidden) AND (before IS NULL OR l.at < before)
                AND lower(l.body) LIKE ALL (patterns)) l ON true
        WHERE l.at > coalesce((SELECT h.at FROM horizon h), '-infinity')
        ORDER BY l.at DESC FETCH FIRST (found_max) ROWS WITH TIES)
    SELECT f.*, NULL::timestamptz FROM found f
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, h.at + interval '1 millisecond' FROM horizon h;
END $$;

-- MARK: Departures and deletion

-- Records the range that a member could read when the member leaves. A trigger covers every way out of a conversation. The statement that
-- fires it holds the conversation's lock, so the present head is the last offset that the member could read.
CREATE OR REPLACE FUNCTION chat_keep_span() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO read_spans (conversation_id, account_id, from_offset, until_offset)
    SELECT OLD.conversation_id, OLD.account_id, OLD.from_offset, c.head_offset
    FROM conversations c WHERE c.id = OLD.conversation_id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER chat_keep_span AFTER UPDATE OF state ON members FOR EACH ROW
    WHEN (OLD.state = 'joined' AND NEW.state <> 'joined') EXECUTE FUNCTION chat_keep_span();

CREATE OR REPLACE FUNCTION chat_forget_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM chat_log WHERE conversation_id = OLD.id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER chat_forget_conversation AFTER DELETE ON conversations FOR EACH ROW
    EXECUTE FUNCTION chat_forget_conversation();
