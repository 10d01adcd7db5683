-- Functions of passkeys and second factors.

-- Whether what admins may do is open to an account. `needs_factor`: to admins with a second factor alone.
CREATE OR REPLACE FUNCTION is_admin(account bigint, needs_factor boolean) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM accounts a WHERE a.id = account AND a.role = 'admin' AND a.disabled_at IS NULL
        AND (NOT needs_factor OR a.has_passkey OR a.has_totp))
$$;

-- Keeps `has_passkey` and `has_totp` of an account. Without a second factor its recovery codes end.
CREATE OR REPLACE FUNCTION accounts_note_factors() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    account CONSTANT bigint := CASE TG_OP WHEN 'DELETE' THEN OLD.account_id ELSE NEW.account_id END;
    passkey CONSTANT boolean := EXISTS (SELECT FROM passkeys p WHERE p.account_id = account);
    totp CONSTANT boolean := EXISTS (SELECT FROM totp_secrets t WHERE t.account_id = account AND t.confirmed_at IS NOT NULL);
BEGIN
    UPDATE accounts a SET has_passkey = passkey, has_totp = totp
    WHERE a.id = account AND (a.has_passkey, a.has_totp) IS DISTINCT FROM (passkey, totp);
    IF NOT passkey AND NOT totp THEN DELETE FROM recovery_codes r WHERE r.account_id = account; END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER passkeys_note AFTER INSERT OR DELETE ON passkeys FOR EACH ROW EXECUTE FUNCTION accounts_note_factors();
CREATE OR REPLACE TRIGGER totp_secrets_note AFTER INSERT OR DELETE OR UPDATE OF confirmed_at ON totp_secrets FOR EACH ROW
    EXECUTE FUNCTION accounts_note_factors();

-- Counts a try of a second factor before it is compared, so that parallel tries count as well. Returns the seconds to wait, or NULL if the
-- try is permitted: `free` are, then each further one waits twice as long, up to `wait_max`. A day without tries forgets them.
CREATE OR REPLACE FUNCTION factor_try(account bigint, free integer, wait_max double precision)
RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
    known factor_guesses;
    pause double precision;
BEGIN
    INSERT INTO factor_guesses (account_id, failures, last_at) VALUES (account, 0, clock_timestamp())
    ON CONFLICT (account_id) DO NOTHING;
    SELECT * INTO known FROM factor_guesses g WHERE g.account_id = account FOR UPDATE;
    IF known.last_at < clock_timestamp() - interval '1 day' THEN known.failures := 0; END IF;
    IF known.failures >= free THEN
        pause := least(wait_max, power(2, least(known.failures - free, 20)))
            - extract(epoch FROM clock_timestamp() - known.last_at);
        IF pause > 0 THEN RETURN pause; END IF;
    END IF;
    UPDATE factor_guesses g SET failures = known.failures + 1, since_success = least(known.since_success, 1000000) + 1,
        last_at = clock_timestamp() WHERE g.account_id = account;
    RETURN NULL;
END $$;

-- Removes the passkeys and the TOTP that an account got within the last days, for a reset of the password: a thief of the password may have
-- added them, and the owner learned so by mail. Earlier ones stay, because mail alone must not replace a second factor. Of an account
-- whose address nobody has confirmed, all are removed: whoever registered with the address may not own it. Those of admins always stay.
-- Returns how many were removed.
CREATE OR REPLACE FUNCTION factors_remove_recent(account bigint, days integer) RETURNS bigint LANGUAGE sql AS $$
    WITH owner AS (
        SELECT a.id, CASE WHEN a.email_confirmed_at IS NULL THEN '-infinity' ELSE now() - make_interval(days => days) END AS since
        FROM accounts a WHERE a.id = account AND a.role <> 'admin'),
    passkeys_gone AS (DELETE FROM passkeys p USING owner o
        WHERE p.account_id = o.id AND p.created_at > o.since RETURNING 1),
    totp_gone AS (DELETE FROM totp_secrets t USING owner o
        WHERE t.account_id = o.id AND coalesce(t.confirmed_at, t.created_at) > o.since RETURNING 1)
    SELECT (SELECT count(*) FROM passkeys_gone) + (SELECT count(*) FROM totp_gone)
$$;
