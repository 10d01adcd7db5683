-- Functions that erase an account from conversations, in steps of bounded size: first chat_depart, then chat_clear, chat_erase and
-- chat_forget, each until it is done.

-- Removes an account from all its conversations, so that it cannot write any more: a sender checks its membership under the same locks. A
-- direct conversation closes. A group continues with another owner, or closes with its last member. Returns the conversations with new
-- events.
CREATE OR REPLACE FUNCTION chat_depart(account bigint, left_at timestamptz) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
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

-- Deletes the account's conversations without members, in steps: the log, the pictures, then the conversation. Returns false if no such
-- conversation is left.
CREATE OR REPLACE FUNCTION chat_clear(account bigint, events_max integer, pictures_max integer) RETURNS boolean LANGUAGE plpgsql AS $$
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

-- Erases an account's messages in groups: texts and pictures, in the log and in `retracted`. Subscribers get the same event as for any
-- deleted message. Erased messages have no author, so the next call continues with the remaining ones. Returns the conversation of each
-- erased message, and no row if no message was left. Without `messages_max` it erases all messages.
CREATE OR REPLACE FUNCTION chat_erase(account bigint, erased timestamptz, messages_max integer DEFAULT NULL) RETURNS SETOF bigint
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
        -- Locks the conversation's row first, like every writer of the log.
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

-- Removes an account's id from the other events of a conversation that it left, and the group names that it chose. One call handles a
-- number of events after an offset and returns the offset from which to continue; NULL at the end. The last step deletes the membership, so
-- that later searches skip this conversation.
CREATE OR REPLACE FUNCTION chat_forget(account bigint, conversation bigint, after bigint, events_max bigint) RETURNS bigint
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

-- Does the same for all events that these steps left when the account is deleted. It runs before the memberships are deleted, because it
-- finds the events by them.
CREATE OR REPLACE FUNCTION chat_forget_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE chat_log l SET author_id = nullif(l.author_id, OLD.id), member_id = nullif(l.member_id, OLD.id),
        body = CASE WHEN l.kind <> 'renamed' THEN l.body END
    FROM members m WHERE m.account_id = OLD.id AND l.conversation_id = m.conversation_id
        AND OLD.id IN (l.author_id, l.member_id);
    RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER chat_forget_account BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION chat_forget_account();
