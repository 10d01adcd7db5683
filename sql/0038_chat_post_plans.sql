-- Sends messages, as 0009 does, without planner settings of its own: tables are analysed when they have grown (0039), so no plan of an
-- empty table stays.
CREATE OR REPLACE FUNCTION chat_post(
    conversation_ids bigint[], author_ids bigint[], client_ids uuid[], times timestamptz[], bodies text[],
    picture_ids uuid[], replies bigint[])
RETURNS TABLE (n bigint, at_offset bigint, epoch bigint, at timestamptz, is_new boolean, reply_to bigint,
    picture_width integer, picture_height integer, refusal text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM conversations c WHERE c.id = ANY (conversation_ids) ORDER BY c.id FOR NO KEY UPDATE;
    -- A picture is sent once, whoever sends it at the same moment.
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
                    AND NOT EXISTS (SELECT FROM blocks b
                        WHERE b.is_on AND b.blocker_id = i.author_id AND b.blocked_id = r.author_id)
                    AND NOT EXISTS (SELECT FROM blocks b
                        WHERE b.is_on AND b.blocker_id = r.author_id AND b.blocked_id = i.author_id)) END AS answers
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
