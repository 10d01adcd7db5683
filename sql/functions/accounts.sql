-- Functions of accounts and their grants.

-- Revokes every grant of an account except one token (0 for no exception). Returns the grants that may be in use now: `tokens`, `links`
-- with the session, and `shares`.
--
-- The order matters. A request that makes a grant holds the row of its own token (FOR SHARE) until it commits. Either the request has
-- committed the grant when this function revokes the tokens, and the statements below see the grant; or the request finds its token
-- revoked.
--
-- Welcome links of the account, and those that it made for others, expire instead of being deleted, because such a row means that nobody
-- has set a password yet. Of the reminder addresses, only the account's own mail address and the browser of the kept token stay. All
-- shares end, including shares with people, because a thief of the sign-in may have started them. For the same reason, unread answers to
-- "Where are you?" become void.
--
-- An identity at a provider stays if the provider has verified its address and the address is that of the account: it is the owner's. Any
-- other one may be the thief's. An account without a password keeps the identity that it was made with, its only way in: no other can be
-- connected without a password. A reset of the password disconnects all identities in addition (`Accounts.endIdentities`).
--
-- `hidden` has the ids of shares whose location is hidden now. Viewers of such a share learn of its end at the corresponding time in
-- `published`, but not later than its expiry.
CREATE OR REPLACE FUNCTION account_revoke_grants(
    account bigint, kept_token bigint DEFAULT 0, hidden bigint[] DEFAULT '{}', published timestamptz[] DEFAULT '{}')
RETURNS TABLE (grant_kind text, grant_id bigint, grant_session bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts a WHERE a.id = account FOR NO KEY UPDATE;
    RETURN QUERY UPDATE tokens t SET revoked_at = now()
        WHERE t.account_id = account AND t.revoked_at IS NULL AND t.id <> kept_token RETURNING 'tokens'::text, t.id, NULL::bigint;
    RETURN QUERY UPDATE links l SET revoked_at = now() FROM sessions s
        WHERE s.id = l.session_id AND s.account_id = account AND l.revoked_at IS NULL AND l.expires_at > now()
        RETURNING 'links'::text, l.id, l.session_id;
    -- In the same order as in every other statement that locks several shares.
    PERFORM FROM shares s WHERE s.account_id = account AND s.ended_at IS NULL ORDER BY s.id FOR NO KEY UPDATE;
    RETURN QUERY UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'stopped',
            end_published_at = (SELECT least(u.at, s.expires_at) FROM unnest(hidden, published) u (share, at) WHERE u.share = s.id)
        WHERE s.account_id = account AND s.ended_at IS NULL RETURNING 'shares'::text, s.id, NULL::bigint;
    PERFORM where_void(account);
    UPDATE welcomes w SET expires_at = now() WHERE account IN (w.account_id, w.made_by) AND w.expires_at > now();
    DELETE FROM password_resets p WHERE p.account_id = account;
    DELETE FROM address_confirmations c WHERE c.account_id = account;
    DELETE FROM provider_identities p USING accounts a
    WHERE a.id = account AND p.account_id = account AND a.password_hash IS NOT NULL AND p.verified_key IS DISTINCT FROM a.email_key;
    DELETE FROM calendar_feeds f WHERE f.account_id = account;
    DELETE FROM known_devices d WHERE d.account_id = account;
    DELETE FROM pending_sign_ins p WHERE p.account_id = account;
    DELETE FROM totp_secrets t WHERE t.account_id = account AND t.confirmed_at IS NULL;
    DELETE FROM reminder_addresses r USING accounts a
    WHERE a.id = account AND r.account_id = account AND NOT (r.channel = 'email' AND r.address_key = a.email_key)
        AND r.token_id IS DISTINCT FROM kept_token;
END $$;

-- The accounts that an address logs in to, at most two: its owner, and the newest provisional account. Whoever registers provisionally
-- thus finds the same whether or not the address has an owner.
CREATE OR REPLACE FUNCTION accounts_of_address(key text) RETURNS SETOF accounts LANGUAGE sql STABLE AS $$
    SELECT a.* FROM accounts a
    WHERE a.id IN (
        (SELECT o.id FROM accounts o WHERE o.email_key = key AND o.confirm_by IS NULL),
        (SELECT max(p.id) FROM accounts p WHERE p.email_key = key AND p.confirm_by IS NOT NULL))
    ORDER BY a.confirm_by IS NOT NULL
$$;

-- Records the former name of an account, whoever changes it.
CREATE OR REPLACE FUNCTION username_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO username_changes (account_id, username_key, changed_at) VALUES (OLD.id, OLD.username_key, now());
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER username_changed AFTER UPDATE OF username_key ON accounts FOR EACH ROW
    WHEN (OLD.username_key <> NEW.username_key) EXECUTE FUNCTION username_changed();

-- Refuses the former name of another account. It runs after the unique index has admitted the name: a change of name that committed in
-- the meantime is visible then.
CREATE OR REPLACE FUNCTION username_held() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM username_changes c WHERE c.username_key = NEW.username_key AND c.account_id <> NEW.id
            AND c.changed_at > now() - interval '90 days') THEN
        RAISE EXCEPTION 'a former name of another account' USING ERRCODE = 'unique_violation', CONSTRAINT = 'username_held';
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER username_held AFTER INSERT OR UPDATE OF username_key ON accounts FOR EACH ROW
    EXECUTE FUNCTION username_held();

-- Whether an account has switched its location on, which it is unless it was switched off (C-6).
CREATE OR REPLACE FUNCTION account_location_is_on(account bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (SELECT FROM account_settings s WHERE s.account_id = account AND s.name = 'location' AND s.value = 'off')
$$;

-- Refuses a change that leaves no enabled admin. The lock admits one change at a time: if two admins remove each other's role at the same
-- moment, the second transaction sees the change that the first has committed. A campus that never had an admin needs none. The admin of
-- a demonstration is a simulated account, which is removed at each start.
CREATE OR REPLACE FUNCTION accounts_keep_admin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('campanile.admins', 0));
    IF NOT EXISTS (SELECT FROM accounts a WHERE a.id <> OLD.id AND a.role = 'admin' AND a.disabled_at IS NULL) THEN
        RAISE EXCEPTION 'the last admin stays' USING ERRCODE = 'check_violation', CONSTRAINT = 'accounts_keep_admin';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE OR REPLACE TRIGGER accounts_keep_admin_change BEFORE UPDATE OF role, disabled_at ON accounts FOR EACH ROW
    WHEN (OLD.role = 'admin' AND OLD.disabled_at IS NULL AND (NEW.role <> 'admin' OR NEW.disabled_at IS NOT NULL))
    EXECUTE FUNCTION accounts_keep_admin();
CREATE OR REPLACE TRIGGER accounts_keep_admin_removal BEFORE DELETE ON accounts FOR EACH ROW
    WHEN (OLD.role = 'admin' AND OLD.disabled_at IS NULL AND NOT OLD.simulated) EXECUTE FUNCTION accounts_keep_admin();

-- Deletes the browser subscriptions that were made with a token when the token is revoked, so that a signed-out browser gets no more
-- reminders. A trigger covers every way in which a token ends: by its owner from another device, by the limit of devices, by an admin, or
-- by a restore.
CREATE OR REPLACE FUNCTION token_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM reminder_addresses r WHERE r.token_id = NEW.id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tokens_revoked AFTER UPDATE OF revoked_at ON tokens FOR EACH ROW
    WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION token_revoked();
