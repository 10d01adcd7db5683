-- What ends with a revocation, and what a notice's sender reads of it (findings E1, E3, E4, E5, E8).

-- MARK: grants

-- The admin who made the link: it is theirs as well, and a thief of their sign-in may have made it.
ALTER TABLE welcomes ADD COLUMN made_by bigint REFERENCES accounts ON DELETE SET NULL;
CREATE INDEX welcomes_made_by ON welcomes (made_by) WHERE made_by IS NOT NULL;

DROP FUNCTION account_revoke_grants(bigint, bigint);
-- As in 0031; welcome links that the account made expire, too. `hidden`: shares that hide where the account is. Their viewers learn of the
-- end at the time of `told` (the server's clock of hidden ends).
CREATE FUNCTION account_revoke_grants(
    account bigint, kept_token bigint DEFAULT 0, hidden bigint[] DEFAULT '{}', told timestamptz[] DEFAULT '{}')
RETURNS TABLE (grant_kind text, grant_id bigint, grant_session bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts a WHERE a.id = account FOR NO KEY UPDATE;
    RETURN QUERY UPDATE tokens t SET revoked_at = now()
        WHERE t.account_id = account AND t.revoked_at IS NULL AND t.id <> kept_token RETURNING 'tokens'::text, t.id, NULL::bigint;
    RETURN QUERY UPDATE links l SET revoked_at = now() FROM sessions s
        WHERE s.id = l.session_id AND s.account_id = account AND l.revoked_at IS NULL AND l.expires_at > now()
        RETURNING 'links'::text, l.id, l.session_id;
    -- In the order in which others lock several of them.
    PERFORM FROM shares s WHERE s.account_id = account AND s.ended_at IS NULL ORDER BY s.id FOR NO KEY UPDATE;
    RETURN QUERY UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'stopped',
            end_told_at = (SELECT least(u.at, s.expires_at) FROM unnest(hidden, told) u (share, at) WHERE u.share = s.id)
        WHERE s.account_id = account AND s.ended_at IS NULL RETURNING 'shares'::text, s.id, NULL::bigint;
    PERFORM where_void(account);
    UPDATE welcomes w SET expires_at = now() WHERE account IN (w.account_id, w.made_by) AND w.expires_at > now();
    DELETE FROM calendar_feeds f WHERE f.account_id = account;
    DELETE FROM known_devices d WHERE d.account_id = account;
    DELETE FROM reminder_addresses r USING accounts a
    WHERE a.id = account AND r.account_id = account AND NOT (r.channel = 'email' AND r.address_key = a.email_key);
END $$;

-- MARK: notices

-- As in 0021; one that has expired is published as withdrawn, too: its words are in the log until then.
CREATE OR REPLACE FUNCTION notice_take_back(numbers bigint[], withdrawn timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one notices%ROWTYPE;
BEGIN
    FOR one IN SELECT * FROM notices n WHERE n.id = ANY (numbers) AND n.state <> 'withdrawn' ORDER BY n.id FOR UPDATE LOOP
        UPDATE notices n SET state = 'withdrawn', withdrawn_at = withdrawn, revision = n.revision + 1
        WHERE n.id = one.id RETURNING * INTO one;
        IF one.published_offset IS NOT NULL THEN PERFORM notice_tell(one, 'withdrawn', withdrawn); END IF;
    END LOOP;
END $$;

-- As in 0025; receipts of a role's notice that come later than a day after it are in no count: whoever brings accounts of the role until one
-- more moves the rounded number would watch for the last of them (`NoticeCounts`).
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
