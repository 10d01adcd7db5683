-- Grants: rows that give access to an account, or to what belongs to it, without a fresh sign-in. The comment of every table with a token, a
-- hash, a secret or other bytes says which it is: `grant: …` is revoked by account_revoke_grants(), `no grant: …` says why it need not be. A
-- test reads these comments, tries each grant and fails for a table without one.

COMMENT ON TABLE tokens IS 'grant: a signed-in device';
COMMENT ON TABLE welcomes IS 'grant: a link that sets the password';
COMMENT ON TABLE calendar_feeds IS 'grant: the secret address of a calendar';
COMMENT ON TABLE links IS 'grant: a link that shows a session';
COMMENT ON TABLE shares IS 'grant: live positions for a person, a group, everybody or the holder of a link';
COMMENT ON TABLE reminder_addresses IS 'grant: a browser, mail address or number that gets reminders with text of messages';
COMMENT ON TABLE accounts IS 'no grant: the password itself';
COMMENT ON TABLE pictures IS 'no grant: the bytes are the picture';
COMMENT ON TABLE reminder_keys IS 'no grant: keys of the server, of no account';
COMMENT ON TABLE privacy_keys IS 'no grant: hides private zones and never leaves the server';

-- Devices that an account signed in on before (OWASP device cookies): wrong passwords from elsewhere do not delay a sign-in there. Only the
-- SHA-256 of the device's token is kept.
CREATE TABLE known_devices (
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash         bytea NOT NULL,
    last_used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, hash)
);
COMMENT ON TABLE known_devices IS 'grant: a device with its own limit for wrong passwords';

-- Revokes every grant of an account, but for one token (0: none), and returns those that somebody may be using now: `tokens`, `links` with
-- the session, and `shares`.
--
-- The order matters. A request that makes a grant holds the row of its own token (FOR SHARE) until it commits. So the grant is committed when
-- the tokens are revoked, and the statements below see it; or the request finds its token revoked.
--
-- A welcome link expires instead of going: its row says that nobody has set a password yet. Of the reminder addresses only the account's own
-- mail address stays. All shares end, also those with people: whoever had the account's sign-in may have begun them with themselves. For
-- the same reason answers to "Where are you?" that nobody has read are void.
CREATE FUNCTION account_revoke_grants(account bigint, kept_token bigint DEFAULT 0)
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
    RETURN QUERY UPDATE shares s SET ended_at = greatest(clock_timestamp(), s.started_at), end_reason = 'stopped'
        WHERE s.account_id = account AND s.ended_at IS NULL RETURNING 'shares'::text, s.id, NULL::bigint;
    PERFORM where_void(account);
    UPDATE welcomes w SET expires_at = now() WHERE w.account_id = account AND w.expires_at > now();
    DELETE FROM calendar_feeds f WHERE f.account_id = account;
    DELETE FROM known_devices d WHERE d.account_id = account;
    DELETE FROM reminder_addresses r USING accounts a
    WHERE a.id = account AND r.account_id = account AND NOT (r.channel = 'email' AND r.address_key = a.email_key);
END $$;
