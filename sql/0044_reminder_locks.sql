-- As in 0021; an address or account that is removed at the same moment is left out, instead of failing the reminders of all others. Accounts
-- are locked before their addresses, as whoever removes an account does.
CREATE OR REPLACE FUNCTION reminder_add(
    accounts bigint[], of_kind text, key text, with_payload jsonb, urgent boolean, due timestamptz, expires timestamptz,
    channels text[], unless text DEFAULT NULL)
RETURNS bigint LANGUAGE sql AS $$
    WITH present AS (SELECT c.id FROM accounts c WHERE c.id = ANY (accounts) ORDER BY c.id FOR KEY SHARE OF c),
    ways AS (
        SELECT a.account_id, a.channel, a.id, CASE WHEN a.channel = 'push' THEN '/' || a.id ELSE '' END AS suffix
        FROM present p JOIN reminder_addresses a ON a.account_id = p.id
        LEFT JOIN reminder_settings s ON s.account_id = a.account_id
        WHERE a.state = 'on' AND a.channel = ANY (channels)
            AND of_kind || '/' || a.channel = ANY (coalesce(s.choices, reminder_choices_default()))
        ORDER BY a.id FOR KEY SHARE OF a),
    added AS (
        INSERT INTO reminders (account_id, kind, channel, address_id, dedupe, payload, is_urgent, due_at, expires_at, next_at)
        SELECT w.account_id, of_kind, w.channel, w.id, key || w.suffix, with_payload, urgent, due, expires, due FROM ways w
        WHERE unless IS NULL OR NOT EXISTS (SELECT FROM reminders r
            WHERE r.account_id = w.account_id AND r.channel = w.channel AND r.dedupe = unless || w.suffix AND r.is_urgent)
        ON CONFLICT (account_id, channel, dedupe) DO NOTHING RETURNING 1)
    SELECT count(*) FROM added
$$;
