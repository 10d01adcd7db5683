-- Search reads the logs of one's own conversations, newest first, so much of them at a time. What it costs depends on nobody else's
-- messages, and what is written is found as it was written, in any script: no parser decides what a word is. The index that it
-- replaces took as long for each message as all the rest of sending it, and told by its time what others write.
DROP INDEX chat_log_text;

-- The newest offset of a conversation's log before a moment: the log is in the order of time but for the clocks of nodes.
CREATE FUNCTION chat_before(conversation bigint, head bigint, moment timestamptz) RETURNS bigint
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

-- A page of messages before a moment, newest first, that are like all the patterns. Looks at the newest
-- `looked_max` events or so before the moment, shared among the account's conversations. A row more, with nothing but `further`: when
-- it is not null, older messages were not looked at, and the next page is before it. Of rows behind clocks that differ, `slack` more
-- are looked at.
CREATE FUNCTION chat_search(
    account bigint, patterns text[], hidden bigint[], before timestamptz, only_conversation bigint, found_max bigint,
    looked_max bigint, each_min bigint, slack bigint)
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
            greatest(each_min, looked_max / count(*) OVER ()) AS share
        FROM members m JOIN conversations c ON c.id = m.conversation_id
        WHERE m.account_id = account AND m.state = 'joined' AND c.is_open
            AND (only_conversation IS NULL OR m.conversation_id = only_conversation)),
    spans AS MATERIALIZED (
        SELECT s.*, least(s.head_offset, s.top + slack) AS last, greatest(s.from_offset, s.top - s.share) AS rest FROM mine s),
    -- As far back as every conversation was looked at.
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
