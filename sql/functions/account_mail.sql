-- Functions of mails about accounts. Function names begin with `account_mail`.

-- Puts the request for a reset of the password into the outbox, unless the address has reached its number of an hour. The function does
-- the same for every address: it does not look for the account. A link is valid for as long, so whoever gets no further one has working
-- ones, or requests that wait for the mail server.
--
-- The count includes mails in every state, because a state shows whether the address has an account. The lock serialises requests for
-- the same address.
CREATE OR REPLACE FUNCTION account_mail_request(to_key text, requested_at timestamptz, until timestamptz, per_hour bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('account_mail/' || to_key, 0));
    INSERT INTO account_mails (kind, address, created_at, expires_at, next_at)
    SELECT 'reset', to_key, requested_at, until, requested_at
    WHERE per_hour > (SELECT count(*) FROM account_mails m
        WHERE m.kind = 'reset' AND m.address = to_key AND m.created_at > requested_at - interval '1 hour');
END $$;

-- Puts the mail about a change of the password into the outbox. It is for the account's owner, who may not be the person who changed it. A
-- provisional account gets none: its address may be a stranger's. `by_client` is NULL for the operator. `issuers` are those of the
-- identities before the change: the mail names the ones that are disconnected now.
CREATE OR REPLACE FUNCTION account_mail_password_changed(
    account bigint, by_client text, issuers text[], changed_at timestamptz, until timestamptz)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO account_mails (account_id, kind, address, client, ended_issuers, created_at, expires_at, next_at)
    SELECT a.id, 'password_changed', a.email, by_client, ARRAY(
            SELECT i.issuer FROM unnest(issuers) i (issuer)
            WHERE NOT EXISTS (SELECT FROM provider_identities p WHERE p.account_id = a.id AND p.issuer = i.issuer)),
        changed_at, until, changed_at
    FROM accounts a WHERE a.id = account AND a.confirm_by IS NULL AND NOT a.simulated
$$;
-- The same for servers of the previous release.
CREATE OR REPLACE FUNCTION account_mail_changed(account bigint, by_client text, changed_at timestamptz, until timestamptz)
RETURNS void LANGUAGE sql AS $$
    SELECT account_mail_password_changed(account, by_client, '{}', changed_at, until)
$$;

-- Puts the mail about an identity at a provider into the outbox, which now signs in to the account, or no longer does.
CREATE OR REPLACE FUNCTION account_mail_connected(account bigint, label text, changed_at timestamptz, until timestamptz)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO account_mails (account_id, kind, address, client, created_at, expires_at, next_at)
    SELECT a.id, 'provider_connected', a.email, label, changed_at, until, changed_at
    FROM accounts a WHERE a.id = account AND a.confirm_by IS NULL AND NOT a.simulated
$$;
CREATE OR REPLACE FUNCTION account_mail_disconnected(account bigint, label text, changed_at timestamptz, until timestamptz)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO account_mails (account_id, kind, address, client, created_at, expires_at, next_at)
    SELECT a.id, 'provider_disconnected', a.email, label, changed_at, until, changed_at
    FROM accounts a WHERE a.id = account AND a.confirm_by IS NULL AND NOT a.simulated
$$;

-- Puts the mail about a change of the account's passkeys or second factors into the outbox, unless the account has reached the number of
-- this kind of an hour. `detail` is the name of a passkey, or a number.
CREATE OR REPLACE FUNCTION account_mail_factor(
    account bigint, mail_kind text, detail text, changed_at timestamptz, until timestamptz, per_hour bigint)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO account_mails (account_id, kind, address, client, created_at, expires_at, next_at)
    SELECT a.id, mail_kind, a.email, detail, changed_at, until, changed_at
    FROM accounts a WHERE a.id = account AND a.confirm_by IS NULL AND NOT a.simulated
        AND per_hour > (SELECT count(*) FROM account_mails m
            WHERE m.kind = mail_kind AND m.account_id = account AND m.created_at > changed_at - interval '1 hour')
$$;

-- Puts the mail to the previous address of an account into the outbox.
CREATE OR REPLACE FUNCTION account_mail_replaced(account bigint, previous text, changed_at timestamptz, until timestamptz)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO account_mails (account_id, kind, address, created_at, expires_at, next_at)
    SELECT a.id, 'address_changed', previous, changed_at, until, changed_at FROM accounts a WHERE a.id = account AND NOT a.simulated
$$;

-- Puts the mail with a code for an address into the outbox. Returns whether it did: the account and the address each have their number of
-- an hour, and an address keeps its count when an account is deleted. Like above, the function does not look for other accounts with the
-- address.
CREATE OR REPLACE FUNCTION account_mail_confirm(
    account bigint, to_key text, requested_at timestamptz, until timestamptz, per_hour bigint, to_address_per_hour bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    digest CONSTANT bytea := sha256(convert_to(to_key, 'UTF8'));
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('account_mail/' || to_key, 0));
    INSERT INTO account_mails (account_id, kind, address, created_at, expires_at, next_at)
    SELECT account, 'confirm', to_key, requested_at, until, requested_at
    WHERE per_hour > (SELECT count(*) FROM account_mails m
            WHERE m.kind = 'confirm' AND m.account_id = account AND m.created_at > requested_at - interval '1 hour')
        AND to_address_per_hour > (SELECT count(*) FROM address_mails m
            WHERE m.address_digest = digest AND m.requested_at > account_mail_confirm.requested_at - interval '1 hour');
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO address_mails (address_digest, requested_at) VALUES (digest, account_mail_confirm.requested_at);
    RETURN true;
END $$;

-- Stores the hashes of a new link and a new code for the address that an account waits to confirm. Returns the account's name, the address,
-- whether it replaces another one, and the name of the account that owns the address already, if any. In that case nobody gets the code,
-- but it is stored all the same, so that no answer discloses the owner. Returns no row if the account does not wait for this address any
-- more.
CREATE OR REPLACE FUNCTION account_mail_make_code(
    account bigint, to_key text, link bytea, code bytea, seconds double precision)
RETURNS TABLE (username text, email text, is_change boolean, owner text) LANGUAGE sql AS $$
    WITH taken AS MATERIALIZED (
        SELECT o.username FROM accounts o WHERE o.email_key = to_key AND o.confirm_by IS NULL AND o.id <> account),
    waiting AS MATERIALIZED (
        SELECT a.username, c.address, a.email_key <> to_key AS is_change
        FROM address_confirmations c JOIN accounts a ON a.id = c.account_id
        WHERE c.account_id = account AND c.address_key = to_key AND a.disabled_at IS NULL AND NOT a.simulated
        FOR UPDATE OF c),
    made AS (
        UPDATE address_confirmations c SET link_hash = link, code_hash = code, tries = 0,
            expires_at = now() + make_interval(secs => seconds)
        FROM waiting WHERE c.account_id = account)
    SELECT w.username, w.address, w.is_change, (SELECT t.username FROM taken t) FROM waiting w
$$;

-- Claims due mails for a server until the end of a lease. Those of changed passwords and addresses come first: anybody may request the
-- others. A mail whose server died becomes due again. So does one that is due later than any delay or lease lasts: the clock was set
-- back.
CREATE OR REPLACE FUNCTION account_mail_claim(most bigint, at timestamptz, until timestamptz, by_node text)
RETURNS SETOF account_mails LANGUAGE sql AS $$
    WITH due AS MATERIALIZED (
        SELECT d.id FROM account_mails d WHERE d.state = 'waiting' AND (d.next_at <= at OR d.next_at > at + interval '10 minutes')
        ORDER BY d.kind IN ('reset', 'confirm'), d.next_at LIMIT most
        FOR UPDATE SKIP LOCKED)
    UPDATE account_mails m SET next_at = until, node = by_node, attempts = m.attempts + 1
    FROM due WHERE m.id = due.id RETURNING m.*
$$;

-- Adds a link that resets the password of the owner of this address, or of the oldest provisional account with it. Returns the account's
-- name and its own address, because another spelling of the address may lead to another mailbox. Returns no row if there is no account,
-- or if it is simulated, disabled or being erased.
--
-- The lock on the account's row makes a revocation of its grants wait, so that the revocation sees the link.
CREATE OR REPLACE FUNCTION account_mail_make_link(to_key text, link_hash bytea, seconds double precision)
RETURNS TABLE (username text, email text) LANGUAGE sql AS $$
    WITH owner AS MATERIALIZED (SELECT a.id, a.username, a.email FROM accounts a
        WHERE a.email_key = to_key AND a.id = coalesce(
                (SELECT f.id FROM accounts f WHERE f.email_key = to_key AND f.confirm_by IS NULL),
                (SELECT min(f.id) FROM accounts f WHERE f.email_key = to_key AND f.confirm_by IS NOT NULL))
            AND a.disabled_at IS NULL AND a.erasing_at IS NULL AND NOT a.simulated FOR SHARE),
    made AS (INSERT INTO password_resets (hash, account_id, expires_at)
        SELECT link_hash, o.id, now() + make_interval(secs => seconds) FROM owner o)
    SELECT o.username, o.email FROM owner o
$$;

-- Puts the mail about a log-in on a new device into the outbox, unless the account has reached its number of a day. A provisional account
-- gets none: its address may be a stranger's.
CREATE OR REPLACE FUNCTION account_mail_new_device(
    account bigint, device text, network_address text, signed_in_at timestamptz, until timestamptz, per_day bigint)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO account_mails (account_id, kind, address, client, network_address, created_at, expires_at, next_at)
    SELECT a.id, 'new_device', a.email, device, account_mail_new_device.network_address, signed_in_at, until, signed_in_at
    FROM accounts a WHERE a.id = account AND a.confirm_by IS NULL AND NOT a.simulated
        AND per_day > (SELECT count(*) FROM account_mails m
            WHERE m.kind = 'new_device' AND m.account_id = account AND m.created_at > signed_in_at - interval '1 day')
$$;
