/// What a database has before a backup is made of it.
enum BackupRows {
    /// One row of everything that a restore has to end, and of what is to be sent.
    static let all = """
        INSERT INTO accounts (username, username_key, email, email_key, password_hash)
        SELECT 'u' || n, 'u' || n, 'u' || n || '@example.org', 'u' || n || '@example.org', 'x' FROM generate_series(1, 2) n;
        INSERT INTO tokens (account_id, hash, next_hash, previous_hash, client) VALUES (1, '\\x01', '\\x0d', '\\x0e', 'test');
        INSERT INTO password_resets VALUES ('\\x0a', 1, now() + interval '1 hour');
        INSERT INTO pending_sign_ins VALUES ('\\x11', 1, 0, now() + interval '1 hour'); INSERT INTO recovery_codes VALUES (1, '\\x12');
        INSERT INTO sessions (account_id, client_id, activity, title, simulated, started_at)
        VALUES (1, gen_random_uuid(), 'run', 'Run', false, now());
        INSERT INTO links (session_id, hash, expires_at) VALUES (1, '\\x02', now() + interval '1 day');
        INSERT INTO shares (account_id, client_id, audience, token_hash, precision, secret, started_at, chosen_at, expires_at)
        VALUES (1, gen_random_uuid(), 'link', '\\x03', 'exact', 1, now(), now(), now() + interval '1 day');
        INSERT INTO live_groups (id, host_id, workout_id, plan, exercises, created_at, active_at)
        VALUES (gen_random_uuid(), 1, gen_random_uuid(), '{}', '{}', now(), now());
        INSERT INTO workouts (account_id, id, revision, plan, created_at, changed_at, used_at)
        VALUES (1, gen_random_uuid(), 3, '{}', now(), now(), now()),
            (1, gen_random_uuid(), 2147483640, '{}', now(), now(), now() + interval '1 second');
        INSERT INTO welcomes (account_id, hash, expires_at) VALUES (1, '\\x05', now() + interval '1 day');
        INSERT INTO calendar_feeds (account_id, hash) VALUES (1, '\\x04'); INSERT INTO known_devices (account_id, hash) VALUES (1, '\\x09');
        INSERT INTO address_confirmations VALUES (1, 'new@example.org', 'new@example.org', '\\x0b', '\\x0c');
        INSERT INTO openid_attempts VALUES ('\\x0d', 'campus', '\\x0e', now() + interval '1 hour');
        INSERT INTO openid_tickets (hash, secret_hash, provider, issuer, subject, is_verified, expires_at)
        VALUES ('\\x0f', '\\x10', 'campus', 'https://campus.example', '1', true, now() + interval '1 hour');
        INSERT INTO buddies (low_id, high_id, conversation_id, matched_at) VALUES (1, 2, chat_open_direct(1, 2, now()), now());
        INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, code_hash, code_until, created_at)
        VALUES (1, 'email', 'u1@example.org', 'u1@example.org', 'on', '\\x06', now(), now());
        INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, public_key, secret, created_at)
        VALUES (1, 'push', 'https://push.example/1', 'https://push.example/1', 'on', '\\x07', '\\x08', now());
        INSERT INTO reminders (account_id, kind, channel, dedupe, payload, is_urgent, due_at, expires_at, next_at, state)
        SELECT 1, 'goal', 'email', 'test/' || d.name, '{}', false, d.due, d.due + interval '1 day', d.due, d.state
        FROM (VALUES ('due', now(), 'waiting'), ('later', now() + interval '1 day', 'waiting'), ('sending', now(), 'sending'))
            AS d (name, due, state);
        INSERT INTO notices (author_id, client_id, kind, title, level, created_at, publish_at, expires_at)
        SELECT 1, gen_random_uuid(), 'campus', n.title, 'info', now(), n.at, now() + interval '2 days'
        FROM (VALUES ('Due', now()), ('Later', now() + interval '1 day')) AS n (title, at);
        INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
        VALUES (1, gen_random_uuid(), 'public', 'published', 'Run', now(), now() + interval '1 day', 'Here', now(), now());
        INSERT INTO event_news (event_id, news) VALUES (1, 'changed');
        SELECT chat_post(ARRAY[1]::bigint[], ARRAY[2]::bigint[], ARRAY[gen_random_uuid()], ARRAY[now()], ARRAY['Hello'],
            ARRAY[NULL]::uuid[], ARRAY[NULL]::bigint[]);
        """
}
