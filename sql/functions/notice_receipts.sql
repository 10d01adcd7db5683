-- Functions of the receipts of notices, and of notices that are held back during a session.

-- Records that devices received notices, or that people read them. Only receipts of recipients count. Returns the number of new receipts.
--
-- Receipts of a notice to a role that arrive more than a day after its publication are in no count. Otherwise a sender could assign the
-- role to accounts until the rounded number changes, and so observe the receipt of the last account (`NoticeCounts`).
CREATE OR REPLACE FUNCTION notice_receive(accounts bigint[], numbers bigint[], times timestamptz[], were_read boolean[]) RETURNS bigint
LANGUAGE sql AS $$
    WITH input AS (
        SELECT i.account, i.number, min(i.at) AS at, bool_or(i.was_read) AS was_read
        FROM unnest(accounts, numbers, times, were_read) AS i (account, number, at, was_read) GROUP BY i.account, i.number),
    changed AS (
        INSERT INTO notice_receipts AS r (notice_id, account_id, received_at, read_at, sends_received, sends_read)
        SELECT i.number, i.account, i.at, CASE WHEN i.was_read THEN i.at END,
            coalesce(s.sends_delivered, true) AND t.is_counted, coalesce(s.sends_read, true) AND t.is_counted
        FROM (SELECT g.number, array_agg(g.account) AS accounts FROM input g GROUP BY g.number) g
        JOIN notices n ON n.id = g.number AND n.state = 'published' AND n.published_offset IS NOT NULL
        CROSS JOIN LATERAL notice_people(n, g.accounts) AS p (account)
        JOIN input i ON i.number = g.number AND i.account = p.account
        CROSS JOIN LATERAL (SELECT n.kind <> 'role' OR i.at < n.publish_at + interval '1 day') t (is_counted)
        LEFT JOIN chat_settings s ON s.account_id = i.account
        ORDER BY i.number, i.account
        ON CONFLICT (notice_id, account_id) DO UPDATE SET read_at = excluded.read_at, sends_read = excluded.sends_read
        WHERE r.read_at IS NULL AND excluded.read_at IS NOT NULL
        RETURNING 1)
    SELECT count(*) FROM changed
$$;

-- Keeps `notice_counts` up to date. It counts the receipts that others may count.
CREATE OR REPLACE FUNCTION notice_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Rows are locked in one order, so that two transactions cannot deadlock.
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
CREATE OR REPLACE TRIGGER notice_count_new AFTER INSERT ON notice_receipts
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION notice_count();
CREATE OR REPLACE TRIGGER notice_count_changed AFTER UPDATE ON notice_receipts
    REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION notice_count();
CREATE OR REPLACE TRIGGER notice_count_gone AFTER DELETE ON notice_receipts
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION notice_count();

-- Keeps `notice_holds` up to date: an account with a running session has a row.
CREATE OR REPLACE FUNCTION notice_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Serialises changes of the sessions of one account. Of two changes at the same time, the second sees the first.
    PERFORM FROM accounts a WHERE a.id = NEW.account_id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM sessions s WHERE s.account_id = NEW.account_id AND s.state = 'running') THEN
        INSERT INTO notice_holds SELECT NEW.account_id, t.head_offset FROM topics t WHERE t.name = 'notices'
        ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM notice_holds h WHERE h.account_id = NEW.account_id;
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER notice_hold_begun AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION notice_hold();
CREATE OR REPLACE TRIGGER notice_hold_changed AFTER UPDATE OF state ON sessions FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION notice_hold();
