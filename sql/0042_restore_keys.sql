-- A restore ends the servers' keys too, and leaves privileges out: a backup may name roles that the database to restore into does not have.

CREATE OR REPLACE FUNCTION restore_mark(moment timestamptz DEFAULT clock_timestamp()) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    named record;
    rotated smallint;
BEGIN
    -- Offsets will be given again that clients have seen with other contents. Each log gets a new epoch, so that clients load it anew.
    FOR named IN
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'epoch' AND NOT a.attisdropped
    LOOP
        EXECUTE format('UPDATE public.%I SET epoch = greatest(epoch + 1, $1)', named.relname)
        USING floor(extract(epoch FROM moment) * 1000)::bigint;
    END LOOP;
    -- Numbers that were given after the backup are never given to anything else: ids, versions, fencing tokens.
    FOR named IN SELECT format('public.%I', s.sequencename) AS name, coalesce(s.last_value, s.start_value) AS last, s.max_value AS most
        FROM pg_sequences s WHERE s.schemaname = 'public'
    LOOP
        PERFORM setval(named.name, least(named.last + 1000000, named.most));
    END LOOP;
    -- A calendar program ignores an event whose revision is lower than the one that it has (RFC 5545 §3.8.7.4).
    UPDATE events SET revision = least(revision, 2000000000) + 1000;

    -- What was revoked after the backup would be valid again: every grant ends.
    UPDATE tokens SET revoked_at = moment WHERE revoked_at IS NULL;
    UPDATE links SET revoked_at = moment WHERE revoked_at IS NULL;
    UPDATE shares SET ended_at = greatest(moment, started_at), end_reason = 'stopped', is_told = true WHERE ended_at IS NULL;
    UPDATE where_requests SET answer = NULL, expires_at = least(expires_at, moment);
    DELETE FROM calendar_feeds;
    -- It expires instead of going: its row says that nobody has set a password yet.
    UPDATE welcomes SET expires_at = moment WHERE expires_at > moment;
    DELETE FROM known_devices;
    DELETE FROM reminder_addresses WHERE channel = 'push';
    UPDATE reminder_addresses SET code_hash = NULL, code_until = NULL WHERE code_hash IS NOT NULL;
    -- A key of the servers that became known, and was ended after the backup, would be accepted again.
    rotated := node_key_rotate();
    DELETE FROM node_keys WHERE number <> rotated;

    -- What was due has been sent. What the planners would still make for the time before the restore counts as sent too.
    PERFORM reminder_plan_messages(NULL, moment, moment, moment - interval '7 days', interval '1 day', ARRAY['email', 'text']);
    UPDATE reminders SET state = CASE state WHEN 'sending' THEN 'doubtful' ELSE 'dropped' END, error = 'a backup was restored'
    WHERE state IN ('waiting', 'sending') AND (state = 'sending' OR due_at <= moment OR kind IN ('message', 'code', 'trial'));
    UPDATE reminder_plans p SET until = moment, account_id = 0, through = CASE WHEN p.name = 'notices'
        THEN (SELECT t.head_offset FROM topics t WHERE t.name = 'notices') ELSE p.through END;
    DELETE FROM event_news;
    UPDATE notices SET state = 'withdrawn', withdrawn_at = moment, revision = revision + 1
    WHERE state = 'scheduled' AND publish_at <= moment;

    INSERT INTO audit_log (actor_name, action, details) VALUES ('operator', 'database.restored', '{}');
END $$;

-- The migrator takes from PUBLIC what is `owner only`, also after a restore.
COMMENT ON FUNCTION restore_mark(timestamptz) IS 'owner only: ends every grant';
COMMENT ON FUNCTION node_key_rotate() IS 'owner only: makes a key of the servers';
