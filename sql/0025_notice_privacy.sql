-- What a sender learns of a notice reveals no position, no block and no receipt of one person; words that were taken back are gone.

-- MARK: audience

-- How many accounts a notice is for, as its sender may count them. Positions, blocks and saved events never count: runners who are out in
-- a zone get its notices, and no number follows from them. The people of an event are those who answered or are invited.
CREATE FUNCTION notice_audience(notice notices) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
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

-- MARK: receipts

-- Whether the account let others know when the receipt came (`chat_settings`): what it keeps to itself is in no count.
ALTER TABLE notice_receipts
    ADD COLUMN sends_received boolean NOT NULL DEFAULT true,
    ADD COLUMN sends_read boolean NOT NULL DEFAULT true;

CREATE OR REPLACE FUNCTION notice_receive(accounts bigint[], numbers bigint[], times timestamptz[], were_read boolean[]) RETURNS bigint
LANGUAGE sql AS $$
    WITH input AS (
        SELECT i.account, i.number, min(i.at) AS at, bool_or(i.was_read) AS was_read
        FROM unnest(accounts, numbers, times, were_read) AS i (account, number, at, was_read) GROUP BY i.account, i.number),
    changed AS (
        INSERT INTO notice_receipts AS r (notice_id, account_id, received_at, read_at, sends_received, sends_read)
        SELECT i.number, i.account, i.at, CASE WHEN i.was_read THEN i.at END,
            coalesce(s.sends_delivered, true), coalesce(s.sends_read, true)
        FROM (SELECT g.number, array_agg(g.account) AS accounts FROM input g GROUP BY g.number) g
        JOIN notices n ON n.id = g.number AND n.state = 'published' AND n.published_offset IS NOT NULL
        CROSS JOIN LATERAL notice_people(n, g.accounts) AS p (account)
        JOIN input i ON i.number = g.number AND i.account = p.account
        LEFT JOIN chat_settings s ON s.account_id = i.account
        ORDER BY i.number, i.account
        ON CONFLICT (notice_id, account_id) DO UPDATE SET read_at = excluded.read_at, sends_read = excluded.sends_read
        WHERE r.read_at IS NULL AND excluded.read_at IS NOT NULL
        RETURNING 1)
    SELECT count(*) FROM changed
$$;

-- As in 0021, of receipts that others may know of.
CREATE OR REPLACE FUNCTION notice_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- In one order, so that two do not wait for each other.
    IF TG_OP = 'INSERT' THEN
        INSERT INTO notice_counts AS c
        SELECT n.notice_id, count(*) FILTER (WHERE n.sends_received), count(n.read_at) FILTER (WHERE n.sends_read)
        FROM new_rows n GROUP BY n.notice_id ORDER BY n.notice_id
        ON CONFLICT (notice_id) DO UPDATE SET received = c.received + excluded.received, read = c.read + excluded.read;
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM FROM notice_counts c WHERE c.notice_id IN (SELECT n.notice_id FROM new_rows n) ORDER BY c.notice_id FOR NO KEY UPDATE;
        UPDATE notice_counts c SET read = c.read + d.read
        FROM (SELECT n.notice_id, count(n.read_at) FILTER (WHERE n.sends_read) - count(o.read_at) FILTER (WHERE o.sends_read) AS read
            FROM new_rows n JOIN old_rows o USING (notice_id, account_id) GROUP BY n.notice_id) d
        WHERE c.notice_id = d.notice_id;
    ELSE
        PERFORM FROM notice_counts c WHERE c.notice_id IN (SELECT o.notice_id FROM old_rows o) ORDER BY c.notice_id FOR NO KEY UPDATE;
        UPDATE notice_counts c SET received = c.received - d.received, read = c.read - d.read
        FROM (SELECT o.notice_id, count(*) FILTER (WHERE o.sends_received) AS received,
                count(o.read_at) FILTER (WHERE o.sends_read) AS read
            FROM old_rows o GROUP BY o.notice_id) d
        WHERE c.notice_id = d.notice_id;
    END IF;
    RETURN NULL;
END $$;

-- MARK: words that were taken back

-- Where guests got it: the offset on the public topic of the notice's audience.
ALTER TABLE notice_log ADD COLUMN public_offset bigint;

CREATE FUNCTION notice_public_topic(notice notices) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE notice.kind WHEN 'campus' THEN 'campus/notices' WHEN 'zone' THEN 'zone/' || notice.zone_id || '/notices' END
$$;

UPDATE notice_log l SET public_offset = p.at_offset
FROM notices n, topics t, publications p
WHERE n.id = l.notice_id AND t.name = notice_public_topic(n) AND p.topic_id = t.id
    AND (p.data ->> 'number')::bigint = n.id AND (p.data ->> 'revision')::integer = l.revision;

-- What was said before of a notice says from now on what the notice says: nobody reads a wording that was corrected or withdrawn.
CREATE FUNCTION notice_forget_words(notice notices) RETURNS void LANGUAGE sql AS $$
    UPDATE publications p SET data = notice_json(notice, true, NULL)
    FROM notice_log l, topics t
    WHERE l.notice_id = notice.id AND l.revision < notice.revision AND t.name = notice_public_topic(notice)
        AND p.topic_id = t.id AND p.at_offset = l.public_offset
$$;

SELECT notice_forget_words(n) FROM notices n WHERE n.kind IN ('campus', 'zone');

-- As in 0015, and earlier wordings go.
CREATE OR REPLACE FUNCTION notice_tell(notice notices, what text, told_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    place bigint;
    public_place bigint;
    public_name text := notice_public_topic(notice);
BEGIN
    UPDATE topics t SET head_offset = t.head_offset + 1 WHERE t.name = 'notices' RETURNING t.head_offset INTO place;
    IF public_name IS NOT NULL THEN
        INSERT INTO topics (name) VALUES (public_name) ON CONFLICT (name) DO NOTHING;
        WITH moved AS (
            UPDATE topics t SET head_offset = t.head_offset + 1 WHERE t.name = public_name RETURNING t.id, t.head_offset)
        INSERT INTO publications (topic_id, at_offset, client_id, author_id, at, data)
        SELECT m.id, m.head_offset, gen_random_uuid(), notice.author_id, told_at, notice_json(notice, true, NULL) FROM moved m
        RETURNING at_offset INTO public_place;
    END IF;
    INSERT INTO notice_log VALUES (place, notice.id, what, notice.revision,
        greatest(told_at, (SELECT l.at FROM notice_log l ORDER BY l.at_offset DESC LIMIT 1)), public_place);
    PERFORM notice_forget_words(notice);
    RETURN place;
END $$;
