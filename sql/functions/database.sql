-- Functions for the whole database: restored backups and statistics.

-- Marks a database that was restored from a backup, so that it neither repeats nor trusts anything from the time after the backup. Clients,
-- mail servers and thieves know of that time, but the database does not. `campanile restore` calls the function once, before a server
-- starts.
CREATE OR REPLACE FUNCTION restore_mark(moment timestamptz DEFAULT clock_timestamp()) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    named record;
    rotated smallint;
BEGIN
    -- Offsets that clients have seen with other contents will be assigned again. Each log gets a new epoch, so that clients load all of
    -- it again.
    FOR named IN
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'epoch' AND NOT a.attisdropped
    LOOP
        EXECUTE format('UPDATE public.%I SET epoch = greatest(epoch + 1, $1)', named.relname)
        USING floor(extract(epoch FROM moment) * 1000)::bigint;
    END LOOP;
    -- Ids, versions and fencing tokens that were assigned after the backup are not assigned again.
    FOR named IN SELECT format('public.%I', s.sequencename) AS name, coalesce(s.last_value, s.start_value) AS last, s.max_value AS most
        FROM pg_sequences s WHERE s.schemaname = 'public'
    LOOP
        PERFORM setval(named.name, least(named.last + 1000000, named.most));
    END LOOP;
    -- A calendar program ignores an event with a lower revision than the one that the program has (RFC 5545 §3.8.7.4).
    UPDATE events SET revision = least(revision, 2000000000) + 1000;
    -- A device that saved a workout after the backup has a revision that would be assigned again to another plan.
    UPDATE workouts SET revision = least(revision, 2000000000) + 1000;
    -- A copy still is of the same plan. `least` ignores NULL.
    UPDATE workouts SET original_revision = least(original_revision, 2000000000) + 1000 WHERE original_revision IS NOT NULL;

    -- Every grant ends, because grants that were revoked after the backup would be valid again.
    UPDATE tokens SET revoked_at = moment WHERE revoked_at IS NULL;
    UPDATE links SET revoked_at = moment WHERE revoked_at IS NULL;
    UPDATE shares SET ended_at = greatest(moment, started_at), end_reason = 'stopped', is_end_published = true WHERE ended_at IS NULL;
    UPDATE where_requests SET answer = NULL, expires_at = least(expires_at, moment);
    UPDATE live_groups SET ended_at = greatest(moment, created_at) WHERE ended_at IS NULL;
    DELETE FROM calendar_feeds;
    -- Welcome links expire instead of being deleted, because such a row means that nobody has set a password yet.
    UPDATE welcomes SET expires_at = moment WHERE expires_at > moment;
    DELETE FROM password_resets;
    -- As in account_revoke_grants().
    DELETE FROM provider_identities p USING accounts a
    WHERE a.id = p.account_id AND a.password_hash IS NOT NULL AND p.verified_key IS DISTINCT FROM a.email_key;
    DELETE FROM openid_attempts;
    DELETE FROM openid_tickets;
    DELETE FROM address_confirmations;
    -- Whoever confirmed an address after the backup has to confirm it again, and gets time for it.
    UPDATE accounts SET confirm_by = greatest(confirm_by, moment + interval '14 days') WHERE confirm_by IS NOT NULL;
    DELETE FROM known_devices;
    DELETE FROM pending_sign_ins;
    DELETE FROM totp_secrets WHERE confirmed_at IS NULL;
    -- Recovery codes that were used after the backup would work again. Codes of an authenticator app from before the restore do not.
    DELETE FROM recovery_codes;
    UPDATE totp_secrets SET last_step = greatest(last_step, floor(extract(epoch FROM moment) / 30)::bigint);
    DELETE FROM reminder_addresses WHERE channel = 'push';
    UPDATE reminder_addresses SET code_hash = NULL, code_until = NULL WHERE code_hash IS NOT NULL;
    -- All former keys of the servers end. Otherwise the servers would accept a key that became known and was ended after the backup.
    rotated := node_key_rotate();
    DELETE FROM node_keys WHERE number <> rotated;

    -- No reminder that was due is sent, nor one that the planners would still add for the time before the restore. A waiting one is dropped,
    -- whenever it is due if it is for a message, a code or a trial. One that was being sent is doubtful.
    PERFORM reminder_plan_messages(NULL, moment, moment, moment - interval '7 days', interval '1 day', ARRAY['email', 'text']);
    UPDATE reminders SET state = CASE state WHEN 'sending' THEN 'doubtful' ELSE 'dropped' END, error = 'a backup was restored'
    WHERE state IN ('waiting', 'sending') AND (state = 'sending' OR due_at <= moment OR kind IN ('message', 'code', 'trial'));
    UPDATE account_mails SET state = 'dropped', error = 'a backup was restored' WHERE state = 'waiting';
    UPDATE reminder_plans p SET until = moment, account_id = 0, through = CASE WHEN p.name = 'notices'
        THEN (SELECT t.head_offset FROM topics t WHERE t.name = 'notices') ELSE p.through END;
    DELETE FROM event_news;
    UPDATE notices SET state = 'withdrawn', withdrawn_at = moment, revision = revision + 1
    WHERE state = 'scheduled' AND publish_at <= moment;

    INSERT INTO audit_log (actor_name, action, details) VALUES ('operator', 'database.restored', '{}');
END $$;
-- The migrator revokes execution by PUBLIC from functions with this comment, also after a restore, because backups have no privileges.
COMMENT ON FUNCTION restore_mark(timestamptz) IS 'owner only: ends every grant';

-- Analyses tables of fewer than a million rows that were never analysed or have doubled since, and returns their names. The tables with
-- the greatest growth come first. Updates do not count, because autovacuum handles them and each analysis makes PostgreSQL plan its
-- statements again.
--
-- PostgreSQL has no statistics of a table that was never analysed. It then assumes that a topic is one of 200, reads all publications of
-- the topic to find one, and keeps that plan. Autovacuum runs once a minute, which is too late for a fresh server or after a bulk load.
--
-- Any server may call the function. Only one call works at a time, and it skips a table that autovacuum has locked.
CREATE OR REPLACE FUNCTION statistics_refresh(tables_max integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    grown record;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('campanile.statistics', 0)) THEN RETURN; END IF;
    FOR grown IN
        -- `reltuples` is -1 for a table that was never analysed.
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
