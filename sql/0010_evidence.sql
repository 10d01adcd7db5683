-- Evidence that is bounded, that stays reachable as long as a report is open, and that nobody else can take away; a bound on what
-- an account keeps here in pictures.

-- What members could read before they left: behind `from_offset`, up to `until_offset`. For reports alone: no reader is let in by
-- it. Kept apart from `members`, whose row is the invitation's as soon as somebody invites them again.
CREATE TABLE read_spans (
    conversation_id bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    from_offset     bigint NOT NULL,
    until_offset    bigint NOT NULL,
    PRIMARY KEY (conversation_id, account_id, until_offset)
);
CREATE INDEX read_spans_of_account ON read_spans (account_id);

-- By a trigger, so that no way out of a conversation can forget it. Whoever takes somebody out has the conversation's lock: what
-- its head is now was there for them.
CREATE FUNCTION chat_keep_span() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO read_spans (conversation_id, account_id, from_offset, until_offset)
    SELECT OLD.conversation_id, OLD.account_id, OLD.from_offset, c.head_offset
    FROM conversations c WHERE c.id = OLD.conversation_id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER chat_keep_span AFTER UPDATE OF state ON members FOR EACH ROW
    WHEN (OLD.state = 'joined' AND NEW.state <> 'joined') EXECUTE FUNCTION chat_keep_span();

-- Of those who left before this, the log says when they were there.
INSERT INTO read_spans (conversation_id, account_id, from_offset, until_offset)
SELECT e.conversation_id, e.account_id, e.at_offset - 1, e.until
FROM (
    SELECT l.conversation_id, m.account_id, l.at_offset, l.kind,
        lead(l.at_offset) OVER (PARTITION BY l.conversation_id, m.account_id ORDER BY l.at_offset) - 1 AS until
    FROM chat_log l JOIN members m ON m.conversation_id = l.conversation_id
        AND (l.kind IN ('opened', 'closed') OR l.member_id = m.account_id)
    WHERE l.kind IN ('joined', 'left', 'removed', 'opened', 'closed')) e
WHERE e.kind IN ('joined', 'opened') AND e.until IS NOT NULL
ON CONFLICT DO NOTHING;

-- The pictures that a report names, so that upkeep finds it; the bytes of it, so that a page of reports is bounded.
ALTER TABLE reports
    ADD COLUMN pictures uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN bytes bigint NOT NULL GENERATED ALWAYS AS (
        octet_length(evidence::text) + coalesce(octet_length(note), 0) + coalesce(octet_length(resolution), 0)) STORED;
UPDATE reports r SET pictures = ARRAY(
    SELECT (e ->> 'picture')::uuid FROM json_array_elements(r.evidence) e WHERE e ->> 'picture' IS NOT NULL);
CREATE INDEX reports_open_pictures ON reports USING gin (pictures) WHERE closed_at IS NULL;

-- As in 0008, with an end to it: each wording is kept as evidence.
DROP FUNCTION chat_edit(bigint, bigint, bigint, text, timestamptz, timestamptz);
CREATE FUNCTION chat_edit(conversation bigint, account bigint, message bigint, new_body text, edited timestamptz,
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

-- Bytes of an account's pictures for chats: to add them up at each upload would cost the more the more there are.
CREATE TABLE picture_room (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    bytes      bigint NOT NULL
);
INSERT INTO picture_room (account_id, bytes)
SELECT owner_id, sum(octet_length("full") + octet_length(thumb)) FROM pictures WHERE purpose = 'chat' GROUP BY owner_id;

CREATE FUNCTION picture_room_taken() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO picture_room AS r (account_id, bytes)
    SELECT owner_id, sum(octet_length("full") + octet_length(thumb)) FROM made WHERE purpose = 'chat'
    GROUP BY owner_id ORDER BY owner_id
    ON CONFLICT (account_id) DO UPDATE SET bytes = r.bytes + excluded.bytes;
    RETURN NULL;
END $$;
CREATE TRIGGER picture_room_taken AFTER INSERT ON pictures REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION picture_room_taken();

CREATE FUNCTION picture_room_given_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- In one order, as several statements may remove pictures of many accounts at once.
    PERFORM FROM picture_room r WHERE r.account_id IN (SELECT g.owner_id FROM gone g) ORDER BY r.account_id FOR UPDATE;
    UPDATE picture_room r SET bytes = r.bytes - g.bytes
    FROM (SELECT owner_id, sum(octet_length("full") + octet_length(thumb)) AS bytes FROM gone WHERE purpose = 'chat'
        GROUP BY owner_id) g
    WHERE r.account_id = g.owner_id;
    RETURN NULL;
END $$;
CREATE TRIGGER picture_room_given_back AFTER DELETE ON pictures REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION picture_room_given_back();
