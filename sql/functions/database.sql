-- Functions over the whole database: restored backups and statistics.

-- Marks a database that was restored from a backup, so that it repeats and trusts nothing of the time after the backup: clients, mail
-- servers and thieves know of that time, and the database does not. `campanile restore` calls it once, before a server starts.
CREATE OR REPLACE FUNCTION restore_mark(moment timestamptz DEFAULT clock_timestamp()) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    named record;
    rotated smallint;
BEGIN
    -- Offsets that clients have seen with other contents will be assigned again. Each log gets a new epoch, so that clients load it anew.
    FOR named IN
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'epoch' AND NOT a.attisdropped
    LOOP
        EXECUTE format('UPDATE public.%I SET epoch = greatest(epoch + 1, $1)', named.relname)
        USING floor(extract(epoch FROM moment) * 1000)::bigint;
    END LOOP;
    -- Numbers that were assigned after the backup are never assigned to anything else: ids, versions, fencing tokens.
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
    -- It expires instead of being deleted: its row says that nobody has set a password yet.
    UPDATE welcomes SET expires_at = moment WHERE expires_at > moment;
    DELETE FROM known_devices;
    DELETE FROM reminder_addresses WHERE channel = 'push';
    UPDATE reminder_addresses SET code_hash = NULL, code_until = NULL WHERE code_hash IS NOT NULL;
    -- A key of the servers that became known, and was ended after the backup, would be accepted again.
    rotated := node_key_rotate();
    DELETE FROM node_keys WHERE number <> rotated;

    -- What was due counts as sent, and so does what the planners would still add for the time before the restore.
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
-- The migrator revokes execution by PUBLIC from functions with this comment, also after a restore, which leaves privileges out.
COMMENT ON FUNCTION restore_mark(timestamptz) IS 'owner only: ends every grant';

-- Analyses tables that were never analysed or have doubled since, those that grew most first, and returns their names. Updates do not
-- count: autovacuum handles them, and each analysis makes PostgreSQL plan its statements anew.
--
-- PostgreSQL has no statistics of a table that was never analysed: it assumes that a topic is one of 200, reads all its publications to
-- find one, and keeps that plan. Autovacuum comes once a minute, too late for a fresh server or one after a bulk load.
--
-- Any server may call it: one works at a time, and a table that autovacuum has locked is skipped.
CREATE OR REPLACE FUNCTION statistics_refresh(tables_max integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    grown record;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('campanile.statistics', 0)) THEN RETURN; END IF;
    FOR grown IN
        -- A table that was never analysed has -1 in reltuples.
        SELECT c.oid::regclass AS name FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relowner = current_user::regrole
            AND pg_stat_get_live_tuples(c.oid) >= CASE WHEN c.reltuples < 0 THEN 1 ELSE 2 * greatest(c.reltuples, 50) END
            AND c.reltuples < 1000000
        ORDER BY pg_stat_get_live_tuples(c.oid) - c.reltuples DESC LIMIT tables_max
    LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', grown.name);
        RETURN NEXT grown.name;
    END LOOP;
END $$;
